"""What bodies need of a water, and how they act on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from waterview.core.grid import Grid
from waterview.core.params import Params


class WaterAroundBodies(Protocol):
    """A water that bodies float on; every model of `waterview.waters` is one.

    Attributes:
        grid: where the points lie; `grid.level` is still water [m].
        bed: world height of the ground [m], shape (nz, nx) float32.
        fixed: points that stay dry, shape (nz, nx) bool; a new array whenever they change, and so is `bed`.
    """

    grid: Grid
    bed: NDArray[np.float32]
    fixed: NDArray[np.bool_]

    @property
    def params(self) -> Params:
        """Those of the model; another object whenever they change."""
        ...

    @property
    def effective(self) -> Mapping[str, float]:
        """What the solver really uses, by name, with the "wave_speed" [m/s] of a model that has one."""
        ...

    @property
    def height(self) -> NDArray[np.float32]:
        """Height above still water [m], shape (nz, nx)."""
        ...

    @property
    def neutral_levels(self) -> tuple[NDArray[np.float32], ...]:
        """None to three arrays of heights, shape (nz, nx), with contiguous rows.

        What is added to every one of them lifts the surface and releases it from rest. The sum of what bodies add is 0
        in every connected water. Where `height` is not the state itself, its array may be one of them: bodies look at
        it after they have pushed, and are to feel what they have lifted in the same step.
        """
        ...

    def on_pushed(self, rows: slice, columns: slice) -> None:
        """Called after something was added in these rows and columns."""

"""Diagnostics of a water: field maps for coloured views, and totals for the HUD."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class FieldMap:
    """One quantity at every point of the grid.

    Attributes:
        name: such as "energy".
        values: shape (nz, nx); float32, NaN where there is none, or bool. This very array becomes read-only: give a
            copy of one that is written again.
        unit: SI unit, "" for pure numbers.
        diverging: whether colours should diverge from 0.
    """

    name: str
    values: NDArray[Any]
    unit: str
    diverging: bool

    def __post_init__(self) -> None:
        self.values.setflags(write=False)

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and highest value; for a diverging quantity the same distance from 0 on both sides.

        Points without a value, NaN, do not count; (0, 0) if there are no others.
        """
        low, high = float(np.fmin.reduce(self.values, None)), float(np.fmax.reduce(self.values, None))
        if math.isnan(low):
            return 0.0, 0.0
        if self.diverging:
            high = max(-low, high)
            low = -high
        return low, high


@dataclass(frozen=True)
class Totals:
    """Sums over a water.

    Attributes:
        mean_level: mean height of the free points above still water [m]; 0 where there are none.
        kinetic: kinetic energy [J], or None for a model without velocities.
        potential: potential energy of the surface [J], or None for such a model.
    """

    mean_level: float
    kinetic: float | None = None
    potential: float | None = None

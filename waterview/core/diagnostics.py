"""What a model shows of its inside: maps for coloured views, and totals for the HUD."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class FieldMap:
    """One quantity at every point of the grid.

    Attributes:
        name: what people call it, such as "energy".
        values: shape (nz, nx), read-only; float32, or bool for yes and no.
        unit: SI unit, "" for pure numbers.
        diverging: whether 0 is its middle, so that colours should run both ways from it.
    """

    name: str
    values: NDArray[Any]
    unit: str
    diverging: bool

    def __post_init__(self) -> None:
        self.values.setflags(write=False)

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and highest value; for a diverging quantity the same distance from 0 on both sides."""
        low, high = float(np.min(self.values)), float(np.max(self.values))
        if self.diverging:
            high = max(-low, high)
            low = -high
        return low, high


@dataclass(frozen=True)
class Totals:
    """Sums over a water.

    Attributes:
        mean_level: mean height of the free points above still water [m]; 0 where there are none.
        kinetic: energy of motion [J], or None for a model that knows no velocity.
        potential: energy of the raised surface [J], likewise.
    """

    mean_level: float
    kinetic: float | None = None
    potential: float | None = None

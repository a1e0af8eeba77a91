"""The box that a scene fills, and its characteristic lengths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import Frame

FLOOR_SHARE = 0.035
"""How far the block of ground continues below its lowest point, as a share of its longer side."""
CLEARANCE = 0.004
"""Most that an eye keeps away from ground and water, as a share of the longer side."""
LAND_DETAIL = 0.5
"""Most that land is drawn higher or lower than in the grid, of its height above the water: so no shore moves."""


@dataclass(frozen=True)
class Bounds:
    """The measures of a scene, in world coordinates [m].

    Attributes:
        low: lowest x, height of the lowest ground, lowest z.
        high: highest x, height of the highest ground or of still water, highest z.
        level: height of still water.
        depth: mean depth of the still water, or a tenth of the longer side if there is none.
        open: whether water reaches any of the block's sides, where it is cut.
        flooded: whether water covers the ground along all sides.
        depth_around: depth of a sea around the block: that along its sides in the mean, but not below `depth`.
    """

    low: tuple[float, float, float]
    high: tuple[float, float, float]
    level: float
    depth: float
    open: bool
    flooded: bool
    depth_around: float

    @classmethod
    def of(cls, frame: Frame) -> Self:
        """The bounds of a frame's ground and still water; reads the whole bed unless that was done before."""
        if frame.prepared is not None:
            known: Self = frame.prepared.bounds
            return known
        grid, bed = frame.grid, frame.bed
        width, length = grid.size
        bottom, top = float(bed.min()), float(bed.max())
        wet = np.maximum(grid.level - bed, 0.0)
        share = float(np.count_nonzero(wet)) / wet.size
        depth = float(wet.mean(dtype=np.float64)) / share if share > 0.0 else 0.1 * max(width, length)
        low = (grid.origin[0], min(bottom, grid.level), grid.origin[2])
        high = (low[0] + width, max(top, grid.level), low[2] + length)
        border = grid.level - np.concatenate((bed[0], bed[-1], bed[:, 0], bed[:, -1]))
        depth = max(depth, 1e-4 * max(width, length))
        sides = border[border > 0.0]
        around = max(depth, float(sides.mean(dtype=np.float64))) if sides.size else depth
        return cls(low, high, grid.level, depth, sides.size > 0, sides.size == border.size, around)

    @property
    def extent(self) -> float:
        """The longer horizontal side [m], the unit of lengths in the picture."""
        return max(self.high[0] - self.low[0], self.high[2] - self.low[2])

    @property
    def clearance(self) -> float:
        """Distance that an eye keeps from water and shores [m]; in large scenes a smaller share of them."""
        return min(CLEARANCE * self.extent, max(2.0, 0.001 * self.extent))

    @property
    def base(self) -> float:
        """Height of the underside of the block of ground [m]."""
        relief = self.high[1] - self.low[1]
        return self.low[1] - max(FLOOR_SHARE * self.extent, 0.12 * relief)

    @property
    def drawn_top(self) -> float:
        """Height above which no land is drawn, finer than the grid's or not [m]."""
        return self.level + (1.0 + LAND_DETAIL) * (self.high[1] - self.level)

    @property
    def middle(self) -> NDArray[np.float64]:
        """The point of still water in the middle of the block [m], shape (3,)."""
        return np.array([0.5 * (self.low[0] + self.high[0]), self.level, 0.5 * (self.low[2] + self.high[2])])

    def corners(self) -> NDArray[np.float64]:
        """The eight corners of the block with its base [m], shape (8, 3)."""
        x, z = (self.low[0], self.high[0]), (self.low[2], self.high[2])
        return np.array([(i, j, k) for i in x for j in (self.base, self.high[1]) for k in z])

    def distance_to(self, point: NDArray[np.float64]) -> float:
        """Distance from `point`, shape (3,), to the block [m]; 0 inside."""
        low = np.array((self.low[0], self.base, self.low[2]))
        outside = np.maximum(np.maximum(low - point, point - np.array(self.high)), 0.0)
        return float(np.linalg.norm(outside))

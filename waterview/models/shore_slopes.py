"""Slopes beside walls, where the height of 0 that land has is not the water's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from waterview.kernels.slopes import MAX_SLOPE


class ShoreSlopes:
    """Mends slopes at the points beside land: a fixed neighbour counts as high as the point itself.

    Args:
        fixed: points of land, shape (nz, nx).
        spacing: distance of neighbouring points [m].
    """

    def __init__(self, fixed: NDArray[np.bool_], spacing: float) -> None:
        land = np.pad(fixed, 1)  # outside the grid is no land: one-sided slopes need nothing from there
        beside = land[:-2, 1:-1] | land[2:, 1:-1] | land[1:-1, :-2] | land[1:-1, 2:]
        rows, columns = np.nonzero(beside & ~fixed)
        self._rows, self._columns = rows, columns
        self._pairs = []
        for axis, index in ((1, columns), (0, rows)):
            last = fixed.shape[axis] - 1
            low, high = np.maximum(index - 1, 0), np.minimum(index + 1, last)
            # One-sided at the grid's edges, as everywhere there.
            scale = np.where((index == 0) | (index == last), 1.0, 0.5) * min(1.0 / spacing, 1e30)
            at = [(rows, each) if axis else (each, columns) for each in (low, high)]
            ends = [np.where(fixed[place], index, each) for place, each in zip(at, (low, high), strict=True)]
            self._pairs.append([(rows, each) if axis else (each, columns) for each in ends] + [scale])

    def mend(self, normals: NDArray[np.float16], heights: NDArray[np.float32]) -> None:
        """Write the slopes (−∂h/∂x, −∂h/∂z) of `heights` [m] at these points into `normals`, shape (nz, nx, 2)."""
        for part, (low, high, scale) in enumerate(self._pairs):
            slope = (heights[low].astype(np.float64) - heights[high]) * scale
            normals[self._rows, self._columns, part] = np.clip(slope, -MAX_SLOPE, MAX_SLOPE)

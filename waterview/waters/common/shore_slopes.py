"""Slopes beside walls, where the height of 0 that land has is not the water's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from waterview.waters.common.published_surface import MAX_SLOPE


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
        ends, scales = [], []
        for axis, index in ((1, columns), (0, rows)):
            last = fixed.shape[axis] - 1
            low, high = np.maximum(index - 1, 0), np.minimum(index + 1, last)
            # One-sided at the grid's edges, as everywhere there.
            scales.append(np.where((index == 0) | (index == last), 1.0, 0.5) * min(1.0 / spacing, 1e30))
            at = [(rows, each) if axis else (each, columns) for each in (low, high)]
            ends.append([np.where(fixed[place], index, each) for place, each in zip(at, (low, high), strict=True)])
        self._places = np.ascontiguousarray([rows, columns, *ends[0], *ends[1]], np.int64)
        self._scales = np.ascontiguousarray(scales, np.float32)

    def mend(self, normals: NDArray[np.float16], heights: NDArray[np.float32]) -> None:
        """Write the slopes (−∂h/∂x, −∂h/∂z) of `heights` [m] at these points into `normals`, shape (nz, nx, 2)."""
        from waterview.waters.common.kernels.slopes import write_at_points

        write_at_points(normals.view(np.uint16), heights, self._places, self._scales, np.float32(MAX_SLOPE))

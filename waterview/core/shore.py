"""Questions about where water is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .grid import Grid


def widest_water(grid: Grid, fixed: NDArray[np.bool_]) -> tuple[float, float]:
    """World x, z [m] of the free point farthest from any fixed point and from the edge; the middle if none is free.

    Args:
        grid: where the points lie.
        fixed: points that stay dry, shape (nz, nx).
    """
    # Peel the water ring by ring: what is left last lies farthest inside.
    last = left = ~fixed
    while left.any():
        last = left
        inside = np.pad(left, 1)
        left = left & inside[:-2, 1:-1] & inside[2:, 1:-1] & inside[1:-1, :-2] & inside[1:-1, 2:]
    if fixed.all():
        return grid.origin[0] + 0.5 * grid.size[0], grid.origin[2] + 0.5 * grid.size[1]
    rows, columns = np.nonzero(last)
    middle = len(rows) // 2
    return float(grid.x[columns[middle]]), float(grid.z[rows[middle]])

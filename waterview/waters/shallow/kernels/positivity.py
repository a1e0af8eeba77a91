"""Positivity: no cell may hold less than no water.

Bodies may push more water out of a cell than it holds, and so may a flow. To cut its depth off at 0 would make water:
instead the nearest water of the same basin gives what is missing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import jit

from .fluxes import row_of
from .layout import MOMENTUM_X, MOMENTUM_Z, RISE

Floats = NDArray[np.float32]
Labels = NDArray[np.int32]
Window = tuple[int, int, int, int]  # first row and column, last row and column + 1

ZERO = np.float32(0.0)


@jit
def _count_in_row(rise: Floats, still: Floats) -> int:
    count = np.int32(0)  # as wide as a float, or the row would not be taken in vectors
    for j in range(rise.shape[0]):
        count += np.int32(still[j] + rise[j] < ZERO)
    return int(count)


@jit
def _find_negative(rise: Floats, still: Floats, window: Window) -> tuple[int, Window]:
    """Number of cells of negative depth in a window, and the smallest window around them."""
    top, left, bottom, right = window
    count, first, last, low, high = 0, bottom, top, right, left
    for i in range(top, bottom):
        found = _count_in_row(row_of(rise, i, left, right), row_of(still, i, left, right))
        if found == 0:
            continue
        count, first, last = count + found, min(first, i), i + 1
        for j in range(left, right):
            if still[i, j] + rise[i, j] < ZERO:
                low, high = min(low, j), max(high, j + 1)
    return count, (first, low, last, high)


@jit
def _sum_depths(rise: Floats, still: Floats, basins: Labels, basin: int, window: Window) -> tuple[float, float]:
    """What the cells of a basin lack in a block and what they hold, as sums of depths."""
    top, left, bottom, right = window
    missing = held = 0.0
    for i in range(top, bottom):
        for j in range(left, right):
            if basins[i, j] == basin:
                depth = np.float64(still[i, j]) + np.float64(rise[i, j])
                missing, held = missing - min(depth, 0.0), held + max(depth, 0.0)
    return missing, held


@jit
def _take_share(
    conserved: Floats,
    still: Floats,
    basins: Labels,
    basin: int,
    share: float,
    window: Window,
) -> int:
    """Take a share of all that a basin holds in a block, and set negative depths to 0; returns how many there were."""
    top, left, bottom, right = window
    count, remaining = 0, np.float32(1.0 - share)
    for i in range(top, bottom):
        for j in range(left, right):
            if basins[i, j] != basin:
                continue
            depth = still[i, j] + conserved[RISE, i, j]
            if depth < ZERO:
                conserved[RISE, i, j], count = -still[i, j], count + 1
            else:
                rise = np.float64(conserved[RISE, i, j]) - share * np.float64(depth)
                conserved[RISE, i, j] = max(np.float32(rise), -still[i, j])
                conserved[MOMENTUM_X, i, j] *= remaining
                conserved[MOMENTUM_Z, i, j] *= remaining
    return count


@jit
def _restore_block(conserved: Floats, still: Floats, basins: Labels, window: Window) -> int:
    """Let each basin give what its cells lack in a block, if it holds enough there; returns how many cells lacked."""
    top, left, bottom, right = window
    restored, too_poor = 0, -1
    for i in range(top, bottom):
        for j in range(left, right):
            basin = basins[i, j]
            if basin == too_poor or still[i, j] + conserved[RISE, i, j] >= ZERO:
                continue
            missing, held = _sum_depths(conserved[RISE], still, basins, basin, window)
            if held < missing:
                too_poor = basin
            else:
                share = missing / held
                restored += _take_share(conserved, still, basins, basin, share, window)
    return restored


@jit
def restore_positivity(conserved: Floats, still: Floats, basins: Labels, window: Window) -> int:
    """Leave no cell of negative depth in a window: the nearest water gives what is missing, each cell a like share.

    Nearest is what lies in the same block of 2 × 2 cells; where that has too little, of 4 × 4, and so on. All water
    keeps its velocity. What a whole basin cannot give stays missing.

    Args:
        conserved: depth less that of still water [m], and depth times the velocities [m²/s], shape (3, nz, nx).
        still: depth of still water [m], shape (nz, nx).
        basins: number of the basin that each cell belongs to, shape (nz, nx).
        window: where to look; what is missing may come from outside it.

    Returns:
        How many cells still hold less than no water.
    """
    nz, nx = still.shape
    count, (top, left, bottom, right) = _find_negative(conserved[RISE], still, window)
    size = 2
    while count > 0 and size < 2 * max(nz, nx):
        for i in range(top - top % size, bottom, size):
            for j in range(left - left % size, right, size):
                block = i, j, min(i + size, nz), min(j + size, nx)
                count -= _restore_block(conserved, still, basins, block)
        size *= 2
    return count

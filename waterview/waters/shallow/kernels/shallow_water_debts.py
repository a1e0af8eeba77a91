"""Cells of shallow water that owe more than they hold, and the water around that pays for them.

Bodies may ask a cell for more water than there is, and so may a flow. To cut that off at the ground would make water:
instead the nearest water of the same lake or sea gives what is missing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import jit

Floats = NDArray[np.float32]
Labels = NDArray[np.int32]

ZERO, ONE = np.float32(0.0), np.float32(1.0)


@jit
def _debts_in_row(rise: Floats, still: Floats) -> int:
    count = np.int32(0)  # as wide as a float, or the row would not be taken in vectors
    for j in range(rise.shape[0]):
        count += np.int32(still[j] + rise[j] < ZERO)
    return int(count)


@jit
def _count_debts(
    rise: Floats, still: Floats, top: int, left: int, bottom: int, right: int
) -> tuple[int, int, int, int, int]:
    """Number of cells with less than no water in a window, and the first and last + 1 row and column with any."""
    count, first, last, low, high = 0, bottom, top, right, left
    for i in range(top, bottom):
        found = _debts_in_row(rise[i, left:right], still[i, left:right])
        if found == 0:
            continue
        count, first, last = count + found, min(first, i), i + 1
        for j in range(left, right):
            if still[i, j] + rise[i, j] < ZERO:
                low, high = min(low, j), max(high, j + 1)
    return count, first, low, last, high


@jit
def _balance(
    rise: Floats, still: Floats, labels: Labels, label: int, top: int, left: int, bottom: int, right: int
) -> tuple[float, float]:
    """What the cells of one water owe and what they hold in a block, as sums of depths."""
    owed = held = 0.0
    for i in range(top, bottom):
        for j in range(left, right):
            if labels[i, j] == label:
                depth = np.float64(still[i, j]) + np.float64(rise[i, j])
                owed, held = owed - min(depth, 0.0), held + max(depth, 0.0)
    return owed, held


@jit
def _take(
    cells: Floats, still: Floats, labels: Labels, label: int, share: float, top: int, left: int, bottom: int, right: int
) -> int:
    """Take a share of all that one water holds in a block, and clear what it owes; returns how many cells owed."""
    count, keep = 0, np.float32(1.0 - share)
    for i in range(top, bottom):
        for j in range(left, right):
            if labels[i, j] != label:
                continue
            depth = still[i, j] + cells[0, i, j]
            if depth < ZERO:
                cells[0, i, j], count = -still[i, j], count + 1
            else:
                left_over = np.float64(cells[0, i, j]) - share * np.float64(depth)
                cells[0, i, j] = max(np.float32(left_over), -still[i, j])
                cells[1, i, j] *= keep
                cells[2, i, j] *= keep
    return count


@jit
def _pay_block(cells: Floats, still: Floats, labels: Labels, top: int, left: int, bottom: int, right: int) -> int:
    """Let each water pay its debts in a block, if it can; returns how many cells owed."""
    paid, poor = 0, -1
    for i in range(top, bottom):
        for j in range(left, right):
            label = labels[i, j]
            if label == poor or still[i, j] + cells[0, i, j] >= ZERO:
                continue
            owed, held = _balance(cells[0], still, labels, label, top, left, bottom, right)
            if held < owed:
                poor = label
            else:
                paid += _take(cells, still, labels, label, owed / held, top, left, bottom, right)
    return paid


@jit
def pay_debts(cells: Floats, still: Floats, labels: Labels, top: int, left: int, bottom: int, right: int) -> None:
    """Let no cell in a window owe water: what lies nearest gives it, in proportion to how much that is.

    Nearest is what lies in the same block of 2 × 2 cells; where that has too little, of 4 × 4, and so on. All keeps its
    velocity. What a whole water cannot pay stays owed.

    Args:
        cells: depth less that of still water [m], and depth times the velocities, shape (3, nz, nx).
        still: depth of still water [m], shape (nz, nx).
        labels: number of the water that each cell belongs to, likewise.
        top: first row of the window.
        left: its first column.
        bottom: its last row + 1.
        right: its last column + 1.
    """
    nz, nx = still.shape
    count, top, left, bottom, right = _count_debts(cells[0], still, top, left, bottom, right)
    size = 2
    while count > 0 and size < 2 * max(nz, nx):
        for i in range(top - top % size, bottom, size):
            for j in range(left - left % size, right, size):
                count -= _pay_block(cells, still, labels, i, j, min(i + size, nz), min(j + size, nx))
        size *= 2

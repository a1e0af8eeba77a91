"""Rectangles of grid points: their union, what they hold, and smoothing that keeps the volume of every basin."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import jit
from waterview.simd.vectors import SIZE

from .records import BLOCK, STRIP
from .rows import ZERO, exchange, in_strips, place_in

Floats = NDArray[np.float32]
Basins = NDArray[np.int32]
Window = tuple[int, int, int, int]
"""First row, first column, number of rows and of columns."""

QUARTER = np.float32(0.25)


@jit
def union(a: Window, b: Window) -> Window:
    """The smallest window that holds two others; one without points counts for nothing."""
    if a[2] <= 0 or a[3] <= 0:
        return b
    if b[2] <= 0 or b[3] <= 0:
        return a
    first_z, first_x = min(a[0], b[0]), min(a[1], b[1])
    return first_z, first_x, max(a[0] + a[2], b[0] + b[2]) - first_z, max(a[1] + a[3], b[1] + b[3]) - first_x


@jit
def widened(a: Window, margin: int, shape: tuple[int, int]) -> Window:
    """A window with a margin around it, as far as the grid goes."""
    first_z, first_x = max(a[0] - margin, 0), max(a[1] - margin, 0)
    end_z, end_x = min(a[0] + a[2] + margin, shape[0]), min(a[1] + a[3] + margin, shape[1])
    return first_z, first_x, max(end_z - first_z, 0), max(end_x - first_x, 0)


@jit
def of_strips(a: Window, columns: int) -> Window:
    """A window widened to whole strips, which begin where cache lines of the grid do, or as far as its columns go."""
    first, end = a[1] // STRIP * STRIP, in_strips(a[1] + a[3])
    if end > columns:
        end = columns
        first = max(min(a[1], end - in_strips(end - a[1])), 0)
    return a[0], first, a[2], end - first


@jit
def is_aligned(a: Window) -> bool:
    """Whether a window of `of_strips` is of whole strips that begin where cache lines do."""
    return a[1] % STRIP == 0 and a[3] % STRIP == 0


@jit
def is_open(blocks: Basins, window: Window) -> bool:
    """Whether all points of the window lie in one basin; `blocks` as in `records.Ground`."""
    number = blocks[window[0] // BLOCK, window[1] // BLOCK]
    for i in range(window[0] // BLOCK, (window[0] + window[2] - 1) // BLOCK + 1):
        for j in range(window[1] // BLOCK, (window[1] + window[3] - 1) // BLOCK + 1):
            if blocks[i, j] != number:
                return False
    return bool(number > 0)


@jit
def only_basin(basins: Basins, window: Window) -> int:
    """The number of the only basin in the window, beside which there may be land; 0 if there are several or none."""
    found = np.int32(0)
    for i in range(window[0], window[0] + window[2]):
        for j in range(window[1], window[1] + window[3]):
            number = basins[i, j]
            if found == 0:
                found = number
            elif number != 0 and number != found:  # noqa: PLR1714 (numba knows no such tuple)
                return 0
    return int(found)


@jit
def total(row: Floats) -> float:
    """The sum of a row."""
    result = 0.0
    for j in range(row.shape[0]):
        result += row[j]
    return result


@jit
def keep_wet(columns: Floats, window: Window, basins: Basins) -> None:
    """Zero the columns on dry points, and those beyond the window that fill the last strip."""
    for i in range(window[2]):
        for j in range(columns.shape[1]):
            if j >= window[3] or basins[window[0] + i, window[1] + j] == 0:
                columns[i, j] = ZERO


@jit
def _exchange_along_z(out: Floats, array: Floats, window: Window, basins: Basins) -> None:
    rows, columns = array.shape
    for i in range(rows):
        before, behind = max(i - 1, 0), min(i + 1, rows - 1)
        places = place_in(array, before, 0), place_in(array, i, 0), place_in(array, behind, 0)
        first, column = window[0], window[1]
        kinds = place_in(basins, first + before, column), place_in(basins, first + i, column)
        exchange(place_in(out, i, 0), places, (*kinds, place_in(basins, first + behind, column)), columns)


@jit
def _exchange_along_x(out: Floats, array: Floats, window: Window, basins: Basins) -> None:
    rows, columns = array.shape
    for i in range(rows):
        kinds = basins[window[0] + i, window[1] : window[1] + columns]
        row, kind = place_in(array, i, 1), place_in(basins, window[0] + i, window[1] + 1)
        places, neighbours = (row - SIZE, row, row + SIZE), (kind - SIZE, kind, kind + SIZE)
        exchange(place_in(out, i, 1), places, neighbours, columns - 2)
        for j, other in ((0, 1), (columns - 1, columns - 2)):
            passes = QUARTER if kinds[j] == kinds[other] else ZERO
            out[i, j] = array[i, j] + passes * (array[i, other] - array[i, j])


@jit
def smooth_basins(change: Floats, copy: Floats, window: Window, basins: Basins) -> None:
    """Smooth by ¼, ½, ¼ along both axes, twice: only neighbours of one basin exchange, so nothing passes a wall.

    Args:
        change: on the window; at the edges that are not the grid's it must be 0 within four points.
        copy: room for as many.
        window: where it lies.
        basins: as in `records.Ground`.
    """
    for _ in range(2):
        _exchange_along_z(copy, change, window, basins)
        _exchange_along_x(change, copy, window, basins)

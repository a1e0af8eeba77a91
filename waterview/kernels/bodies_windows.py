"""Rectangles of grid points: their union, what they hold, and smoothing that keeps the volume of every basin."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .bodies import BLOCK
from .bodies_rows import SIZE, ZERO, exchange, mix, place_in
from .jit import jit

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
def is_open(blocks: Basins, window: Window) -> bool:
    """Whether all points of the window lie in one basin; `blocks` as in `bodies.Ground`."""
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
def keep_wet(columns: Floats, window: Window, basins: Basins) -> None:
    """Zero the columns on dry points."""
    for i in range(window[2]):
        for j in range(window[3]):
            if basins[window[0] + i, window[1] + j] == 0:
                columns[i, j] = ZERO


@jit
def smooth_open(change: Floats) -> None:
    """Smooth by ¼, ½, ¼ along both axes, twice; `change` must be 0 within four points of its edges."""
    rows, columns = change.shape
    copy = np.zeros((rows, columns), np.float32)
    # Both passes run over the rows as one: where a row ends there are zeros enough.
    count = (rows - 4) * columns
    mix(place_in(copy, 2, 0), place_in(change, 2, 0), columns * SIZE, count)
    mix(place_in(change, 2, 0), place_in(copy, 2, 0), SIZE, count)


@jit
def smooth_basins(change: Floats, window: Window, basins: Basins) -> None:
    """The same where there are shores or edges: only neighbours of one basin exchange, so nothing passes a wall.

    Args:
        change: on the window; at the edges that are not the grid's it must be 0 within four points.
        window: where it lies.
        basins: as in `bodies.Ground`.
    """
    rows, columns = change.shape
    copy, across = np.empty((rows, columns), np.float32), (columns * SIZE, basins.strides[0])
    along, last = (SIZE, SIZE), (columns - 1) * SIZE
    for _ in range(2):
        for i in range(rows):
            here, kind = place_in(change, i, 0), place_in(basins, window[0] + i, window[1])
            sides = (QUARTER * np.float32(i > 0), QUARTER * np.float32(i < rows - 1))
            exchange(place_in(copy, i, 0), here, kind, columns, across, sides)
        for i in range(rows):
            here, kind = place_in(copy, i, 0), place_in(basins, window[0] + i, window[1])
            out = place_in(change, i, 0)
            exchange(out, here, kind, 1, along, (ZERO, QUARTER))
            exchange(out + SIZE, here + SIZE, kind + SIZE, columns - 2, along, (QUARTER, QUARTER))
            exchange(out + last, here + last, kind + last, 1, along, (QUARTER, ZERO))

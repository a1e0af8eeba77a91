"""The tiles of a field that have to be stepped: which waves may reach, as spans of columns, and which are at rest."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from waterview.simd.choices import any_beyond, any_bits
from waterview.simd.jit import float_pointer, part
from waterview.simd.vectors import SIZE, load, width_of
from waterview.waters.common.active_tiles import HORIZON, PATIENCE, TILE_COLUMNS, TILE_ROWS, Marks, Tiles

ZERO = np.float32(0.0)


@part
def _any(tiles: Tiles, i: int) -> bool:
    """Whether a tile of row `i` is marked. Without an early end the compiler makes vectors of it."""
    marked = False
    for j in range(tiles.shape[1]):
        marked |= tiles[i, j]
    return marked


@part
def _mark_reached(awake: Tiles, i: int, busy: Tiles, k: int, wraps: bool) -> None:
    """Mark in row `k` the tiles that are awake in row `i`, and those beside them; rows may go on at the other end.

    There the last tile may be as narrow as a point, and waves run through it into the one before it.
    """
    columns = awake.shape[1]
    for shift in range(-1, 2):
        for j in range(max(-shift, 0), min(columns - shift, columns)):
            busy[k, j + shift] |= awake[i, j]
    if wraps:
        for j in range(max(columns - 2, 0), columns):
            busy[k, 0] |= awake[i, j]
            busy[k, j] |= awake[i, 0]


@part
def mark_around(tiles: Tiles, marked: Tiles, wraps_z: bool, wraps_x: bool) -> None:
    """Mark `tiles` and their neighbours."""
    rows = tiles.shape[0]
    for i in range(rows):
        if _any(tiles, i):
            for k in range(rows):
                beyond = wraps_z and ((i == 0 and k >= rows - 2) or (k == 0 and i >= rows - 2))
                if beyond or abs(k - i) <= 1:
                    _mark_reached(tiles, i, marked, k, wraps_x)


@part
def _mark_spans(marks: Marks) -> None:
    """Write the columns that are busy in each row of tiles or in the next."""
    busy, ends = marks.busy, marks.ends
    rows, columns = busy.shape
    number = 0
    for i in range(rows):
        marks.first[i], inside, below = number, False, min(i + 1, rows - 1)
        if _any(busy, i) or _any(busy, below):
            for j in range(columns + 1):
                moves = j < columns and (busy[i, j] or busy[below, j])
                if moves and not inside:
                    ends[number, 0] = j * TILE_COLUMNS
                if inside and not moves:
                    ends[number, 1] = j * TILE_COLUMNS
                    number += 1
                inside = moves
    marks.first[rows] = number


@part
def note_changes(marks: Marks) -> None:
    """Mark the busy tiles as changed: they are about to be stepped."""
    for i in range(marks.busy.shape[0]):
        for j in range(marks.busy.shape[1]):
            marks.changed[i, j] |= marks.busy[i, j]


@part
def spread(marks: Marks, wraps_z: bool, wraps_x: bool) -> int:
    """Find which tiles to step from those that are awake; returns the number of steps for which that holds.

    `wraps_z` and `wraps_x` tell whether columns, and rows, go on at their other ends.
    """
    everywhere = True
    for i in range(marks.awake.shape[0]):
        for j in range(marks.awake.shape[1]):
            everywhere &= marks.awake[i, j]
            marks.busy[i, j] = False
    mark_around(marks.awake, marks.busy, wraps_z, wraps_x)
    _mark_spans(marks)
    return PATIENCE if everywhere else HORIZON


# --- tiles that have come to rest


@part
def _place(i: int, j: int, step: Any) -> tuple[int, int, int, int]:
    """First row of a tile and the one after its last, and so its columns."""
    top, start = i * TILE_ROWS, j * TILE_COLUMNS
    return top, min(top + TILE_ROWS, step.nz), start, min(start + TILE_COLUMNS, step.width)


@part
def _reaches(width: Any, level: int, bound: np.float32, i: int, j: int, step: Any) -> bool:
    """Whether a number in a tile is as large as `bound`; for a bound of 0, whether anything but +0 is in it."""
    top, bottom, start, stop = _place(i, j, step)
    for row in range(top, bottom):
        for column in range(start, stop, width_of(width)):
            points = load(width, level + row * step.stride + column * SIZE)
            if any_beyond(bound, points) if bound > ZERO else any_bits(points):
                return True
    return False


@part
def _moves(width: Any, here: int, there: int, rest: np.float32, i: int, j: int, step: Any) -> bool:
    """Whether a tile reaches `rest` at either level, or `rest`/Δt in its velocities, or lies beside a border's memory.

    Beyond a side that remembers waves there is a layer or a ghost point, from which they may come back.
    """
    last, end = -(-step.nz // TILE_ROWS) - 1, -(-step.width // TILE_COLUMNS) - 1
    return bool(
        (i == 0 and step.north_remembers)
        or (i == last and step.south_remembers)
        or (j == 0 and step.west_remembers)
        or (j == end and step.east_remembers)
        or _reaches(width, here, rest, i, j, step)
        or _reaches(width, there, rest, i, j, step)
        or (step.velocity != 0 and _reaches(width, step.velocity, rest / step.time_step, i, j, step))
    )


@part
def search(width: Any, marks: Marks, here: int, there: int, step: Any) -> None:
    """Look through the busy tiles: those that are zero at both levels, and rest, fall asleep."""
    for i in range(marks.busy.shape[0]):
        for j in range(marks.busy.shape[1]):
            if marks.busy[i, j]:
                marks.awake[i, j] = _moves(width, here, there, ZERO, i, j, step)


@part
def _clear(level: int, i: int, j: int, step: Any) -> None:
    """Zero a tile, and what lies outside the grid beside it."""
    top, bottom, start, stop = _place(i, j, step)
    first, last = start - int(start == 0), stop + int(stop == step.width)
    for row in range(top - int(top == 0), bottom + int(bottom == step.nz)):
        points = numba.carray(float_pointer(level + row * step.stride + first * SIZE), last - first)
        for column in range(last - first):
            points[column] = ZERO


@part
def settle(width: Any, marks: Marks, here: int, there: int, step: Any) -> None:
    """Zero the busy tiles in which no height matters any more, at both levels, nor any velocity.

    Not single heights: where waves are small that would go on for ever, for what is cut off one kicks its neighbours.
    """
    for i in range(marks.busy.shape[0]):
        for j in range(marks.busy.shape[1]):
            if marks.busy[i, j] and not _moves(width, here, there, step.rest, i, j, step):
                _clear(here, i, j, step)
                _clear(there, i, j, step)
                if step.velocity:
                    _clear(step.velocity, i, j, step)

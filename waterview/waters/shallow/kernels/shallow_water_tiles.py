"""The compiled steps of `shallow_water`: only where water moves, by pieces of rows that share nothing.

The grid is cut into small tiles. A tile is awake while anything moves in it; stepped are the tiles that are awake and
those beside them, for in a part of a step nothing gets farther than that. A tile that has come to rest is set to rest
exactly, so that what no one can see is not carried about for ever.

Each stage reads one state and writes another: so pieces may be taken in any order, on any number of threads, and the
bits stay the same.
"""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from waterview.simd.jit import jit, parallel_jit

from .shallow_water_rows import (
    ACROSS,
    ALONG_X,
    ALONG_Z,
    DEPTH,
    GHOSTS,
    HIGH,
    LOW,
    SIZE,
    SURFACE,
    ZERO,
    flux_row,
    halves_row,
    peak_row,
    state_row,
    unrest_row,
    update_row,
)

ROWS, COLUMNS = 8, 16  # of a tile; a part of a step reaches 4 cells far
PIECE = 256  # cells of a row taken at once; some thirty pieces of rows should fit in the first-level cache
OPEN, REFLECTING = 2, 1  # as `shallow_water.BORDERS`

UNREST, SPEED, DEEPEST = range(3)
"""What is known of each tile: the largest rise or momentum (see `peak_row`), speed and depth in it."""

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]
Tasks = NDArray[np.int64]
Pair = tuple[Floats, Floats]
Numbers = tuple[np.float32, np.float32, np.float32, np.float32, np.float32]
Slowing = tuple[np.float32, np.float32, np.float32]


@jit
def find_tasks(awake: Flags, tasks: Tasks) -> int:
    """List the pieces of rows of tiles that are to be stepped, as row of tiles, first and last + 1 tile; their number.

    Args:
        awake: shape (m, n) of the tiles.
        tasks: filled in, shape (m·n, 3).
    """
    count, longest = 0, PIECE // COLUMNS
    for band in range(awake.shape[0]):
        start = -1
        for tile in range(awake.shape[1]):
            near = awake[max(band - 1, 0) : band + 2, max(tile - 1, 0) : tile + 2].any()
            if start >= 0 and (not near or tile - start == longest):
                tasks[count, 0], tasks[count, 1], tasks[count, 2] = band, start, tile
                count, start = count + 1, -1
            if near and start < 0:
                start = tile
        if start >= 0:
            tasks[count, 0], tasks[count, 1], tasks[count, 2] = band, start, awake.shape[1]
            count += 1
    return count


@jit
def _extent(task: Tasks, nz: int, nx: int) -> tuple[int, int, int, int]:
    """First row, last row + 1, first column and number of columns of a task."""
    first = task[1] * COLUMNS
    return task[0] * ROWS, min(task[0] * ROWS + ROWS, nz), first, min(task[2] * COLUMNS, nx) - first


@jit
def _take_peaks(task: Tasks, rows: Floats, peaks: Floats) -> None:
    """Reduce the peaks of columns in `rows`, shape (3, n), to those of the tiles of a task."""
    for tile in range(task[1], task[2]):
        for kind in range(3):
            low = (tile - task[1]) * COLUMNS
            highest = ZERO
            for j in range(low, min(low + COLUMNS, rows.shape[1])):
                highest = max(highest, rows[kind, j])
            peaks[kind, task[0], tile] = highest


@jit
def _flow(
    task: Tasks, levels: Pair, states: Pair, ground: Floats, peaks: Floats, numbers: Numbers, slowing: Slowing
) -> None:
    """One task of `flow_through`."""
    (new, now), (state, after), (ratio, share, g, dry, slowness) = levels, states, numbers
    nz, nx = ground.shape[1:]
    top, bottom, first, n = _extent(task, nz, nx)
    room, highest = np.empty((24, PIECE + 16), np.float32), np.zeros((3, n), np.float32)
    row, plane, field = state.shape[2] * SIZE, state.shape[1] * state.shape[2] * SIZE, nz * nx * SIZE
    pitch = room.shape[1] * SIZE
    across, low, high = ACROSS * pitch, LOW * pitch, HIGH * pitch
    x, x_halves = room.ctypes.data, room.ctypes.data + 12 * pitch
    above, below, here, next_row = x + 4 * pitch, x + 8 * pitch, x_halves + 4 * pitch, x_halves + 8 * pitch
    right = x + SIZE
    start = (GHOSTS + top) * row + (GHOSTS + first) * SIZE
    at, to = state.ctypes.data + start, after.ctypes.data + start
    halves_row(here, pitch, at - row, plane, row, ALONG_Z, n, g, dry)
    halves_row(next_row, pitch, at, plane, row, ALONG_Z, n, g, dry)
    flux_row(above, here, next_row, pitch, at - row, plane, row, ALONG_Z, n, g)
    for i in range(top, bottom):
        cell = (i * nx + first) * SIZE
        here, next_row = next_row, here
        halves_row(next_row, pitch, at + row, plane, row, ALONG_Z, n, g, dry)
        flux_row(below, here, next_row, pitch, at, plane, row, ALONG_Z, n, g)
        halves_row(x_halves, pitch, at - SIZE, plane, SIZE, ALONG_X, n + 2, g, dry)
        flux_row(x, x_halves, x_halves + SIZE, pitch, at - SIZE, plane, SIZE, ALONG_X, n + 1, g)
        q, q0, still = new.ctypes.data + cell, now.ctypes.data + cell, ground.ctypes.data + cell
        update_row(q, q0, x, right, above, below, n, ratio, share)
        update_row(q + field, q0 + field, x + high, right + low, above + across, below + across, n, ratio, share)
        q2, q02 = q + 2 * field, q0 + 2 * field
        update_row(q2, q02, x + across, right + across, above + high, below + low, n, ratio, share)
        state_row(q, field, still, still + field, to, plane, n, slowing)
        if slowness > ZERO:
            peak_row(q, field, to, plane, highest.ctypes.data, n * SIZE, n, slowness)
        above, below = below, above
        at, to = at + row, to + row
    if slowness > ZERO:
        _take_peaks(task, highest, peaks)


@parallel_jit
def flow_through(
    tasks: Tasks, levels: Pair, states: Pair, ground: Floats, peaks: Floats, numbers: Numbers, slowing: Slowing
) -> None:
    """Let one stage of a step flow where `tasks` say: new = share·new + (1 − share)·(now + Δt·fluxes(state)).

    Args:
        tasks: from `find_tasks`.
        levels: new and now: depth less that of still water, and depth times the velocities, shape (3, nz, nx).
        states: that of now: surface, depth, velocities with `GHOSTS` cells around, shape (4, nz + 4, nx + 4); and one
            that gets those of new, without the cells around.
        ground: depth of still water, and height of the ground above it, 0 where it lies below; shape (2, nz, nx).
        peaks: of the tiles, shape (3, m, n); see `UNREST`.
        numbers: Δt/Δx; share; gravity g; depth up to which a cell counts as dry; slowness as in `peak_row`, of which 0
            leaves the peaks as they are.
        slowing: as in `state_row`.
    """
    for number in prange(tasks.shape[0]):
        _flow(tasks[number], levels, states, ground, peaks, numbers, slowing)


@parallel_jit
def look_at_cells(cells: Floats, state: Floats, ground: Floats, awake: Flags, peaks: Floats, slowing: Slowing) -> None:
    """Wake the tiles in which anything moves, and bring the state of all that are awake into line with the cells.

    Arguments as in `flow_through`; tiles whose cells have become 0 stay awake for this once.
    """
    nz, nx = ground.shape[1:]
    row, plane, field = state.shape[2] * SIZE, state.shape[1] * state.shape[2] * SIZE, nz * nx * SIZE
    for band in prange(awake.shape[0]):
        task = np.array([band, 0, awake.shape[1]])
        top, bottom, _, _ = _extent(task, nz, nx)
        unrest = np.zeros(nx, np.float32)
        for i in range(top, bottom):
            unrest_row(cells.ctypes.data + i * nx * SIZE, field, unrest.ctypes.data, nx)
        for tile in range(awake.shape[1]):
            task[1], task[2] = tile, tile + 1
            _, _, first, n = _extent(task, nz, nx)
            if not (awake[band, tile] or unrest[first : first + n].max() > ZERO):
                continue
            awake[band, tile] = True
            highest = np.zeros((3, n), np.float32)
            for i in range(top, bottom):
                at = (i * nx + first) * SIZE
                q, still = cells.ctypes.data + at, ground.ctypes.data + at
                to = state.ctypes.data + (GHOSTS + i) * row + (GHOSTS + first) * SIZE
                state_row(q, field, still, still + field, to, plane, n, slowing)
                peak_row(q, field, to, plane, highest.ctypes.data, n * SIZE, n, ZERO)
            _take_peaks(task, highest, peaks)


@jit
def _reach(rise: Floats, film: np.float32, reached: Flags, seen: Flags) -> tuple[int, bool]:
    """Mark the cells of land with water, and those with more than a film; how many of these are new, whether all are.

    All arrays have the shape of a tile; those marked before stay so.
    """
    news, others = 0, False
    for i in range(rise.shape[0]):
        row, known, shown = rise[i], reached[i], seen[i]
        for j in range(len(row)):
            known[j] |= row[j] > ZERO
            fresh = (row[j] > film) & (not shown[j])
            shown[j] |= fresh
            news += fresh
            others |= not shown[j]
    return news, others


@jit
def settle(
    tasks: Tasks,
    cells: Floats,
    state: Floats,
    other: Floats,
    ground: Floats,
    awake: Flags,
    peaks: Floats,
    rest: np.float32,
    film: np.float32,
    shores: tuple[Flags, Flags, Flags],
) -> int:
    """Tell which of the tiles that were stepped are awake; set those to rest whose unrest is no more than `rest`.

    `other` is the state that the first stage wrote. `shores`, all kept up to date, are the cells that water has ever
    been in, those in which it has been deeper than `film`, and the tiles that hold others; the number of those that
    are new is returned. The rest as in `flow_through`.
    """
    (reached, seen, tiles), news = shores, 0
    nz, nx = ground.shape[1:]
    for number in range(tasks.shape[0]):
        band = tasks[number, 0]
        for tile in range(tasks[number, 1], tasks[number, 2]):
            rows = slice(band * ROWS, min(band * ROWS + ROWS, nz))
            columns = slice(tile * COLUMNS, min(tile * COLUMNS + COLUMNS, nx))
            if tiles[band, tile]:
                fresh, tiles[band, tile] = _reach(
                    cells[0, rows, columns], film, reached[rows, columns], seen[rows, columns]
                )
                news += fresh
            awake[band, tile] = peaks[UNREST, band, tile] > rest
            if awake[band, tile]:
                continue
            cells[:, rows, columns] = ZERO
            for each in (state, other):
                inside = each[:, GHOSTS : nz + GHOSTS, GHOSTS : nx + GHOSTS][:, rows, columns]
                inside[SURFACE] = ground[1, rows, columns]
                inside[DEPTH] = ground[0, rows, columns]
                inside[ALONG_X] = ZERO
                inside[ALONG_Z] = ZERO
    return news


@jit
def _surround_row(outside: Floats, image: Floats, ground: Floats, border: int, across: int) -> None:
    """Fill one row of cells beyond a border from its mirror image, both of shape (4, n)."""
    for j in range(outside.shape[1]):
        for plane in range(4):
            outside[plane, j] = image[plane, j]
        if border == REFLECTING:
            outside[across, j] = -image[across, j]
            continue
        bed = ground[j]
        level = ZERO if border == OPEN else -image[SURFACE, j]
        outside[DEPTH, j] = max(level - bed, ZERO)
        outside[SURFACE, j] = bed + outside[DEPTH, j]
        if border == OPEN:
            outside[ALONG_X, j] = outside[ALONG_Z, j] = ZERO


@jit
def surround(state: Floats, border: int) -> None:
    """Fill the cells around the grid.

    Args:
        state: as in `flow_through`.
        border: number in `shallow_water.BORDERS`.
    """
    for axis in range(2):
        rows = state if axis == 0 else state.transpose(0, 2, 1)
        last = rows.shape[1] - 1
        for k in range(GHOSTS):
            for outside, image in ((k, 2 * GHOSTS - 1 - k), (last - k, last - 2 * GHOSTS + 1 + k)):
                ground = rows[SURFACE, image] - rows[DEPTH, image]
                _surround_row(rows[:, outside], rows[:, image], ground, border, ALONG_Z if axis == 0 else ALONG_X)

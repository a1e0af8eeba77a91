"""Active tiles: only where water moves is it stepped.

The grid is cut into small tiles. A tile is active while anything moves in it. Stepped are the active tiles and those
beside them, for nothing gets farther within a part of a step. A tile that has come to rest is set to rest exactly, so
that motion which no one can see is not carried along for ever.
"""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from waterview.simd.jit import jit, parallel_jit

from .fluxes import ZERO, Conserved, Primitive, cells_along_x, conserved_row, row_of, to_primitive
from .layout import (
    ACTIVITY,
    DEEPEST,
    DEPTH,
    GHOSTS,
    LAND,
    SPEED,
    STILL,
    SURFACE,
    TILE_COLUMNS,
    TILE_ROWS,
    Stage,
)

LONGEST = 256
"""Most cells of a row that are taken at once; some thirty such rows should fit into the first-level cache."""

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]
Spans = NDArray[np.int64]


@jit
def find_spans(active: Flags, spans: Spans) -> int:
    """List the spans that are to be stepped: tiles of a row that are active or beside one that is.

    Args:
        active: tiles, shape (m, n).
        spans: filled in with row of tiles, first tile and last + 1, shape (m·n, 3).

    Returns:
        How many there are.
    """
    count = 0
    for band in range(active.shape[0]):
        start = -1
        for tile in range(active.shape[1]):
            near = active[max(band - 1, 0) : band + 2, max(tile - 1, 0) : tile + 2].any()
            if start >= 0 and (not near or tile - start == LONGEST // TILE_COLUMNS):
                spans[count, 0], spans[count, 1], spans[count, 2] = band, start, tile
                count, start = count + 1, -1
            if near and start < 0:
                start = tile
        if start >= 0:
            spans[count, 0], spans[count, 1], spans[count, 2] = band, start, active.shape[1]
            count += 1
    return count


@jit
def extent(span: Spans, nz: int, nx: int) -> tuple[int, int, int, int]:
    """First row, last row + 1, first column and number of columns of a span."""
    first = span[1] * TILE_COLUMNS
    return span[0] * TILE_ROWS, min(span[0] * TILE_ROWS + TILE_ROWS, nz), first, min(span[2] * TILE_COLUMNS, nx) - first


@jit
def raise_peaks(peaks: Floats, conserved: Conserved, cells: Primitive, slowness: np.float32) -> None:
    """Raise the peaks of columns, shape (3, n), to the values in one more row of cells.

    A momentum q counts as a rise of q·slowness: the inverse [s/m] of the speed of waves makes it the height of a wave
    that has such a momentum.
    """
    rise, qx, qz = conserved
    _, depth, u, v = cells
    activity, speed, deepest = peaks[ACTIVITY], peaks[SPEED], peaks[DEEPEST]
    for j in range(rise.shape[0]):
        activity[j] = max(activity[j], abs(rise[j]), slowness * max(abs(qx[j]), abs(qz[j])))
        speed[j] = max(speed[j], abs(u[j]), abs(v[j]))
        deepest[j] = max(deepest[j], depth[j])


@jit
def store_peaks(span: Spans, columns: Floats, peaks: Floats) -> None:
    """Reduce the peaks of the columns of a span, shape (3, n), to those of its tiles."""
    for tile in range(span[1], span[2]):
        low = (tile - span[1]) * TILE_COLUMNS
        for kind in range(3):
            highest = ZERO
            for j in range(low, min(low + TILE_COLUMNS, columns.shape[1])):
                highest = max(highest, columns[kind, j])
            peaks[kind, span[0], tile] = highest


@jit
def _find_motion(moving: Floats, conserved: Conserved) -> None:
    """Raise `moving`, shape (n,), above 0 where one more row of cells is not at rest."""
    rise, qx, qz = conserved
    for j in range(rise.shape[0]):
        moving[j] = max(moving[j], abs(rise[j]), abs(qx[j]), abs(qz[j]))


@jit
def _activate_band(
    band: np.int64, conserved: Floats, primitive: Floats, ground: Floats, active: Flags, peaks: Floats, stage: Stage
) -> None:
    nz, nx = ground.shape[1:]
    span = np.array([band, 0, active.shape[1]])
    top, bottom, _, _ = extent(span, nz, nx)
    moving = np.zeros(nx, np.float32)
    for i in range(top, bottom):
        _find_motion(moving, conserved_row(conserved, i, 0, nx))
    for tile in range(active.shape[1]):
        span[1], span[2] = tile, tile + 1
        _, _, first, n = extent(span, nz, nx)
        if not (active[band, tile] or moving[first : first + n].max() > ZERO):
            continue
        active[band, tile] = True
        highest = np.zeros((3, n), np.float32)
        for i in range(top, bottom):
            row = conserved_row(conserved, i, first, n)
            cells = cells_along_x(primitive, GHOSTS + i, GHOSTS + first, n)
            still, land = row_of(ground, STILL, i, first, n), row_of(ground, LAND, i, first, n)
            to_primitive(row, still, land, stage, cells)
            raise_peaks(highest, row, cells, ZERO)
        store_peaks(span, highest, peaks)


@parallel_jit
def activate(
    conserved: Floats,
    primitive: Floats,
    ground: Floats,
    active: Flags,
    peaks: Floats,
    numbers: tuple[np.float32, ...],
) -> None:
    """Activate the tiles in which anything moves, and bring all active ones up to date: anyone may write to cells.

    Tiles whose cells have become 0 stay active for this once. Arrays are as in `layout.Fields`, `numbers` those of a
    `Stage` as a plain tuple.
    """
    stage = Stage(*numbers)
    for band in prange(active.shape[0]):
        _activate_band(np.int64(band), conserved, primitive, ground, active, peaks, stage)


@jit
def _tile_of(band: int, tile: int, nz: int, nx: int) -> tuple[slice, slice]:
    rows = slice(band * TILE_ROWS, min(band * TILE_ROWS + TILE_ROWS, nz))
    return rows, slice(tile * TILE_COLUMNS, min(tile * TILE_COLUMNS + TILE_COLUMNS, nx))


@jit
def flood(spans: Spans, rise: Floats, film: np.float32, reached: Flags, flooded: Flags, shore_tiles: Flags) -> int:
    """Mark the land that water has reached in the tiles that were stepped; returns how many cells are newly flooded.

    Args:
        spans: from `find_spans`.
        rise: depth less that of still water [m], shape (nz, nx).
        film: depth of a film [m].
        reached: cells that any water has ever been in, kept up to date, shape (nz, nx).
        flooded: those in which it has ever been deeper than a film, kept up to date, shape (nz, nx).
        shore_tiles: tiles with cells that were never flooded, kept up to date, shape (m, n).
    """
    newly = 0
    for number in range(spans.shape[0]):
        band = spans[number, 0]
        for tile in range(spans[number, 1], spans[number, 2]):
            if not shore_tiles[band, tile]:
                continue
            shore_tiles[band, tile] = False
            rows, columns = _tile_of(band, tile, rise.shape[0], rise.shape[1])
            for i in range(rows.start, rows.stop):
                for j in range(columns.start, columns.stop):
                    reached[i, j] |= rise[i, j] > ZERO
                    if not flooded[i, j]:
                        flooded[i, j] = rise[i, j] > film
                        newly += flooded[i, j]
                        shore_tiles[band, tile] |= not flooded[i, j]
    return newly


@jit
def settle(
    spans: Spans,
    conserved: Floats,
    primitives: tuple[Floats, Floats],
    ground: Floats,
    active: Flags,
    peaks: Floats,
    rest: np.float32,
) -> None:
    """Tell which of the tiles that were stepped are active, and set the others to rest.

    Args:
        spans: from `find_spans`.
        conserved: conserved variables, shape (3, nz, nx).
        primitives: the primitive variables of both stages, shape (4, nz + 4, nx + 4).
        ground: shape (2, nz, nx).
        active: changed, shape (m, n) of the tiles.
        peaks: shape (3, m, n).
        rest: a tile of no more activity is at rest [m].
    """
    nz, nx = ground.shape[1:]
    for number in range(spans.shape[0]):
        band = spans[number, 0]
        for tile in range(spans[number, 1], spans[number, 2]):
            active[band, tile] = peaks[ACTIVITY, band, tile] > rest
            if active[band, tile]:
                continue
            rows, columns = _tile_of(band, tile, nz, nx)
            conserved[:, rows, columns] = ZERO
            for each in primitives:
                inside = each[:, GHOSTS : nz + GHOSTS, GHOSTS : nx + GHOSTS][:, rows, columns]
                inside[:] = ZERO
                inside[SURFACE] = ground[LAND, rows, columns]
                inside[DEPTH] = ground[STILL, rows, columns]

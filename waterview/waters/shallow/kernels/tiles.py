"""Active tiles: only where water moves is it stepped.

The grid is cut into small tiles. A tile is active while anything moves in it. Stepped are the active tiles and those
beside them, for nothing gets farther within a part of a step. A tile that has come to rest is set to rest exactly, so
that motion which no one can see is not carried along for ever.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import Addresses, Static, call_at, jit, parallel_jit, part, task
from waterview.simd.masks import largest_lane
from waterview.simd.processor import VECTOR_WIDTH
from waterview.simd.vector_tuples import load_each
from waterview.simd.vectors import SIZE, filled, load, width_of

from .fluxes import ZERO, Cells, primitive
from .layout import ACTIVITY, DEEPEST, LACKING, SPEED, TILE_COLUMNS, TILE_ROWS, Fields, Floats, Stage

LONGEST, TALLEST = 256, 64
"""Most columns and rows of a span: some thirty such rows should fit into the first-level cache, and all threads should
have spans to step."""

THREE = Static(3)

Flags = NDArray[np.bool_]
Spans = NDArray[np.int64]


@jit
def find_spans(active: Flags, spans: Spans) -> int:
    """List the spans that are to be stepped: rectangles of tiles that are active or beside one that is.

    Args:
        active: tiles, shape (m, n).
        spans: filled in with first row of tiles, last + 1, first tile and last + 1, shape (m·n, 4).

    Returns:
        How many there are.
    """
    count, above = 0, np.full(active.shape[1], -1)  # the last span that begins at each tile
    for band in range(active.shape[0]):
        start = -1
        for tile in range(active.shape[1] + 1):
            beside = active[max(band - 1, 0) : band + 2, max(tile - 1, 0) : tile + 2]
            near = tile < active.shape[1] and (active[band, tile] or beside.any())
            if start >= 0 and (not near or tile - start == LONGEST // TILE_COLUMNS):
                k = above[start]
                if k < 0 or spans[k, 1] != band or spans[k, 3] != tile or band - spans[k, 0] == TALLEST // TILE_ROWS:
                    k, count = count, count + 1
                    spans[k, 0], spans[k, 2], spans[k, 3], above[start] = band, start, tile, k
                spans[k, 1], start = band + 1, -1
            if near and start < 0:
                start = tile
    return count


@part
def find_activity(width: Any, band: int, tile: int, peaks: Floats, fields: Fields, stage: Stage) -> None:
    """Fill in what a tile of the cells in `fields.new` lacks, and its largest rise; a momentum q counts as q·slowness.

    The slowness, the inverse [s/m] of the speed of waves, makes it the height of a wave that has such a momentum.
    """
    highest = lacking = filled(width, ZERO)
    for i in range(band * TILE_ROWS, min(band * TILE_ROWS + TILE_ROWS, fields.nz)):
        for column in range(tile * TILE_COLUMNS, min(tile * TILE_COLUMNS + TILE_COLUMNS, fields.nx), width_of(width)):
            at = i * fields.row + column * SIZE
            rise, momentum_x, momentum_z = load_each(width, THREE, fields.new + at, fields.plane)
            lacking = max(lacking, min(load(width, fields.bed + at), ZERO) - rise)
            highest = max(highest, abs(rise), stage.slowness * max(abs(momentum_x), abs(momentum_z)))
    peaks[ACTIVITY, band, tile], peaks[LACKING, band, tile] = largest_lane(highest), largest_lane(lacking)


@part
def find_speed(width: Any, band: int, tile: int, peaks: Floats, fields: Fields, stage: Stage) -> None:
    """Fill in the largest speed and depth in a tile of the cells in `fields.new`."""
    fastest = deepest = filled(width, ZERO)
    for i in range(band * TILE_ROWS, min(band * TILE_ROWS + TILE_ROWS, fields.nz)):
        for column in range(tile * TILE_COLUMNS, min(tile * TILE_COLUMNS + TILE_COLUMNS, fields.nx), width_of(width)):
            at = i * fields.row + column * SIZE
            cells = Cells(*load_each(width, THREE, fields.new + at, fields.plane))
            _, depth, u, v = primitive(cells, load(width, fields.bed + at), stage)
            fastest, deepest = max(fastest, abs(u), abs(v)), max(deepest, depth)
    peaks[SPEED, band, tile], peaks[DEEPEST, band, tile] = largest_lane(fastest), largest_lane(deepest)


@task
def activate_band(
    width: Any, band: int, spans: Spans, active: Flags, peaks: Floats, fields: Fields, stage: Stage
) -> None:
    """Activate the tiles of a row of tiles in which anything moves, and find the speed in all active ones."""
    for tile in range(active.shape[1]):
        if not active[band, tile]:
            find_activity(width, band, tile, peaks, fields, stage)
            active[band, tile] = peaks[ACTIVITY, band, tile] > ZERO
        if active[band, tile]:
            find_speed(width, band, tile, peaks, fields, stage)


@parallel_jit
def share(code: int, count: int, spans: Spans, active: Flags, peaks: Floats, fields: Fields, stage: Stage) -> None:
    """Do pieces of work number 0 to `count` − 1 on several threads.

    Args:
        code: address of a `task`, which gets the number of a piece and what follows here.
        count: of pieces.
        spans: from `find_spans`.
        active: tiles, shape (m, n).
        peaks: of the tiles, shape (4, m, n).
        fields: the arrays.
        stage: the numbers.
    """
    for number in numba.prange(count):
        call_at(code, (number, spans, active, peaks, fields, stage))


_activate_band = Addresses(activate_band)


def activate(spans: Spans, active: Flags, peaks: Floats, fields: Fields, stage: Stage, width: int | None) -> None:
    """Activate the tiles in which anything moves: anyone may write to cells between steps.

    Tiles whose cells have become 0 stay active for this once. Arguments as for `share`, and the floats to a vector:
    None for as many as suit the processor.
    """
    arguments = spans, active, peaks, fields, stage
    share(_activate_band.of((width or VECTOR_WIDTH,), (0, *arguments)), active.shape[0], *arguments)


@jit
def _tile_of(band: int, tile: int, nz: int, nx: int) -> tuple[slice, slice]:
    rows = slice(band * TILE_ROWS, min(band * TILE_ROWS + TILE_ROWS, nz))
    return rows, slice(tile * TILE_COLUMNS, min(tile * TILE_COLUMNS + TILE_COLUMNS, nx))


@jit
def _flood_tile(rise: Floats, film: np.float32, reached: Flags, flooded: Flags) -> int:
    newly = 0
    for i in range(rise.shape[0]):
        for j in range(rise.shape[1]):
            reached[i, j] |= rise[i, j] > ZERO
            newly += rise[i, j] > film and not flooded[i, j]
            flooded[i, j] |= rise[i, j] > film
    return newly


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
        for band in range(spans[number, 0], spans[number, 1]):
            for tile in range(spans[number, 2], spans[number, 3]):
                if shore_tiles[band, tile]:
                    rows, columns = _tile_of(band, tile, rise.shape[0], rise.shape[1])
                    here = flooded[rows, columns]
                    newly += _flood_tile(rise[rows, columns], film, reached[rows, columns], here)
                    shore_tiles[band, tile] = not here.all()
    return newly


@jit
def settle(spans: Spans, levels: tuple[Floats, Floats], active: Flags, peaks: Floats, rest: np.float32) -> None:
    """Tell which of the tiles that were stepped are active, and set the others to rest.

    Args:
        spans: from `find_spans`.
        levels: the cells of both stages, shape (3, nz, nx).
        active: changed, shape (m, n) of the tiles.
        peaks: shape (4, m, n).
        rest: a tile of no more activity is at rest [m].
    """
    for number in range(spans.shape[0]):
        for band in range(spans[number, 0], spans[number, 1]):
            for tile in range(spans[number, 2], spans[number, 3]):
                active[band, tile] = peaks[ACTIVITY, band, tile] > rest
                if not active[band, tile]:
                    rows, columns = _tile_of(band, tile, levels[0].shape[1], levels[0].shape[2])
                    for cells in levels:
                        cells[:, rows, columns] = ZERO

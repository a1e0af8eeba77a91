"""A time step of shallow water: Heun's two stages, each of them fluxes through all faces of the cells that are stepped.

Heun's method keeps depths from falling below 0, as Euler's does. Each stage reads one array and writes another. So
spans may be taken in any order, on any number of threads, and the bits stay the same.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from waterview.simd.jit import jit, parallel_jit

from .fluxes import (
    ZERO,
    cells_along_x,
    cells_along_z,
    central_upwind,
    conserved_row,
    fluxes_row,
    reconstruct,
    row_of,
    to_primitive,
    update,
)
from .layout import GHOSTS, LAND, STILL, Fields, Floats, Stage
from .tiles import LONGEST, Spans, extent, raise_peaks, store_peaks


@jit
def _step_span(span: Spans, fields: Fields, stage: Stage) -> None:
    """One span of `take_stage`: row by row, so that the fluxes of a row are still in the cache when they are needed."""
    now, ground = fields.now, fields.ground
    top, bottom, first, n = extent(span, ground.shape[1], ground.shape[2])
    column, highest = GHOSTS + first, np.zeros((3, n), np.float32)
    # Along z: half slopes of a row and the next, fluxes north and south of it. Along x a cell more at each end.
    scratch = np.empty((4, 6, LONGEST + 16), np.float32)
    half, half_next = cells_along_z(scratch, 0, 0, n), cells_along_z(scratch, 1, 0, n)
    north, south = fluxes_row(scratch, 2, 0, n), fluxes_row(scratch, 3, 0, n)
    half_x, faces = cells_along_x(scratch, 4, 0, n + 2), fluxes_row(scratch, 5, 0, n + 1)
    half_left, half_right = cells_along_x(scratch, 4, 0, n + 1), cells_along_x(scratch, 4, 1, n + 1)
    west, east = fluxes_row(scratch, 5, 0, n), fluxes_row(scratch, 5, 1, n)

    row = GHOSTS + top - 2
    here, beyond = cells_along_z(now, row, column, n), cells_along_z(now, row + 1, column, n)
    for i in range(top - 2, bottom):  # the first two rows only make half slopes and the northern fluxes of the third
        row = GHOSTS + i
        before, here, beyond = here, beyond, cells_along_z(now, row + 2, column, n)
        half, half_next = half_next, half
        reconstruct(before, here, beyond, stage, half_next)
        if i >= top - 1:
            central_upwind(before, half, here, half_next, stage, south)
        if i >= top:
            left, right = cells_along_x(now, row, column - 1, n + 2), cells_along_x(now, row, column, n + 2)
            reconstruct(cells_along_x(now, row, column - 2, n + 2), left, right, stage, half_x)
            left, right = cells_along_x(now, row, column - 1, n + 1), cells_along_x(now, row, column, n + 1)
            central_upwind(left, half_left, right, half_right, stage, faces)

            new = conserved_row(fields.new, i, first, n)
            update(new, conserved_row(fields.start, i, first, n), west, east, north, south, stage)
            cells = cells_along_x(fields.after, row, column, n)
            to_primitive(new, row_of(ground, STILL, i, first, n), row_of(ground, LAND, i, first, n), stage, cells)
            if stage.slowness > ZERO:
                raise_peaks(highest, new, cells, stage.slowness)
        north, south = south, north
    if stage.slowness > ZERO:
        store_peaks(span, highest, fields.peaks)


@parallel_jit
def take_stage(spans: Spans, arrays: tuple[Floats, ...], numbers: tuple[np.float32, ...]) -> None:
    """Take one stage in `spans`, which `tiles.find_spans` has found.

    Args:
        spans: shape (m, 3).
        arrays: `Fields` as a plain tuple, which numba looks at in a fifth of the time.
        numbers: `Stage` as a plain tuple.
    """
    fields, stage = Fields(*arrays), Stage(*numbers)
    for number in prange(spans.shape[0]):
        _step_span(spans[number], fields, stage)

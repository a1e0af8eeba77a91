"""A time step of shallow water: Heun's two stages, each of them fluxes through all faces of the cells that are stepped.

Heun's method keeps depths from falling below 0, as Euler's does. Each stage reads one array and writes another. So
spans may be taken in any order, on any number of threads, and the bits stay the same.

A span is swept from row to row, a vector of cells at a time. What the next rows need again stays in buffers so short
that they fit into the first-level cache: primitive variables of three rows, and between rows the fluxes and what
arrives at them from above. Primitive variables are nowhere else, and each row of cells is read from memory once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from waterview.simd.jit import Addresses, Static, part, task
from waterview.simd.layout import LINE
from waterview.simd.masks import first_lanes, where
from waterview.simd.processor import VECTOR_WIDTH
from waterview.simd.vector_tuples import each_left_of, each_right_of, load_each, store_each
from waterview.simd.vectors import SIZE, load, width_of

from .fluxes import (
    ZERO,
    Cells,
    Face,
    Fluxes,
    Water,
    central_upwind_flux,
    primitive,
    reconstruct,
    slowed,
    turned,
)
from .layout import GHOSTS, TILE_COLUMNS, TILE_ROWS, Fields, Floats, Stage
from .tiles import LONGEST, Flags, Spans, find_activity, share

THREE, FOUR, FIVE = Static(3), Static(4), Static(5)
ROW = (LONGEST + 3 * TILE_COLUMNS) * SIZE  # length of a row of a buffer [bytes]
ROWS = 3 * 4 + 5 + 4 + 3  # of all buffers


class Buffers(NamedTuple):
    """Addresses of what is kept of a few rows of a span, each of several planes of `ROW` bytes, at its first column."""

    before: int  # `Water` of three rows
    here: int
    beyond: int
    faces: int  # `Face` of the row `before` as it arrives at its southern faces
    north: int  # `Fluxes` through the northern faces of the row `before`
    change: int  # `Cells` of the row `before`: what flows in through northern and southern faces, less what leaves


@part
def _water(width: Any, row: int, place: int) -> Water:
    return Water(*load_each(width, FOUR, row + place, ROW))


@part
def _fill_water(width: Any, i: int, first: int, stop: int, row: int, fields: Fields, stage: Stage) -> None:
    """Primitive variables of the row i of cells, with a vector more at each end."""
    length = width_of(width) * SIZE
    for place in range(first - length, stop + length, length):
        at = i * fields.row + place
        cells = Cells(*load_each(width, THREE, fields.now + at, fields.plane))
        store_each(row + place - first, ROW, primitive(cells, load(width, fields.bed + at), stage))


@part
def _flow_along_z(width: Any, length: int, buffers: Buffers, stage: Stage) -> None:
    """Fluxes through the northern faces of the row `here`, and with them the change of the row before it."""
    for place in range(0, length, width_of(width) * SIZE):
        before, here = turned(_water(width, buffers.before, place)), turned(_water(width, buffers.here, place))
        low, high = reconstruct(before, here, turned(_water(width, buffers.beyond, place)), stage)
        south = central_upwind_flux(Face(*load_each(width, FIVE, buffers.faces + place, ROW)), low, stage.gravity)
        north = Fluxes(*load_each(width, FOUR, buffers.north + place, ROW))
        change = Cells(north.mass - south.mass, north.tangential - south.tangential, north.entering - south.leaving)
        store_each(buffers.change + place, ROW, change)
        store_each(buffers.faces + place, ROW, high)
        store_each(buffers.north + place, ROW, south)


@part
def _update(width: Any, at: int, inside: Any, change: Cells, fields: Fields, stage: Stage) -> None:
    """Heun's stage for a vector of cells at `at` bytes from the first, of which some are `inside` the grid."""
    start, ratio = Cells(*load_each(width, THREE, fields.start + at, fields.plane)), stage.ratio
    rise = start.rise + ratio * change.rise
    momentum_x, momentum_z = start.momentum_x + ratio * change.momentum_x, start.momentum_z + ratio * change.momentum_z
    if stage.share > ZERO:
        old = Cells(*load_each(width, THREE, fields.new + at, fields.plane))
        rise = rise + stage.share * (old.rise - rise)
        momentum_x = momentum_x + stage.share * (old.momentum_x - momentum_x)
        momentum_z = momentum_z + stage.share * (old.momentum_z - momentum_z)
        rise, momentum_x, momentum_z = slowed(Cells(rise, momentum_x, momentum_z), load(width, fields.bed + at), stage)
    new = Cells(where(inside, rise, ZERO), where(inside, momentum_x, ZERO), where(inside, momentum_z, ZERO))
    store_each(fields.new + at, fields.plane, new)


@part
def _flow_along_x(width: Any, i: int, first: int, stop: int, buffers: Buffers, fields: Fields, stage: Stage) -> None:
    """Fluxes through the western and eastern faces of the row `before`, number i, and the update of its cells."""
    length, row = width_of(width) * SIZE, buffers.before - first
    before, here = _water(width, row, first - length), _water(width, row, first)
    low_before, high_before = reconstruct(each_left_of(before, before), before, each_right_of(before, here), stage)
    after = _water(width, row, first + length)
    low, high = reconstruct(each_left_of(before, here), here, each_right_of(here, after), stage)
    fluxes_before = central_upwind_flux(high_before, each_right_of(low_before, low), stage.gravity)
    for place in range(first, stop, length):
        beyond = _water(width, row, place + 2 * length)
        low_after, high_after = reconstruct(each_left_of(here, after), after, each_right_of(after, beyond), stage)
        east = central_upwind_flux(high, each_right_of(low, low_after), stage.gravity)
        west = each_left_of(fluxes_before, east)
        along_z = Cells(*load_each(width, THREE, buffers.change + place - first, ROW))
        change = Cells(
            (west.mass - east.mass) + along_z.rise,
            (west.entering - east.leaving) + along_z.momentum_x,
            (west.tangential - east.tangential) + along_z.momentum_z,
        )
        inside = first_lanes(width, fields.nx - place // SIZE)
        _update(width, i * fields.row + place, inside, change, fields, stage)
        here, after, low, high, fluxes_before = after, beyond, low_after, high_after, east


@task
def step_span(
    width: Any, number: int, spans: Spans, active: Flags, peaks: Floats, fields: Fields, stage: Stage
) -> None:
    """Take one stage in the span of this number; `width` is a `Static`, the rest as for `tiles.share`."""
    span = spans[number]
    top, bottom = span[0] * TILE_ROWS, min(span[1] * TILE_ROWS, fields.nz)
    first, stop = span[2] * TILE_COLUMNS * SIZE, min(span[3] * TILE_COLUMNS, fields.nx) * SIZE
    memory = np.zeros(ROWS * ROW // SIZE + 2 * LINE, np.float32)
    start = memory.ctypes.data
    start += LINE - start % LINE + width_of(width) * SIZE
    before, here, beyond, faces = start, start + 4 * ROW, start + 8 * ROW, start + 12 * ROW
    for i in range(top, bottom + 2 * GHOSTS):  # two rows behind the one whose primitive variables are made
        before, here, beyond = here, beyond, before
        buffers = Buffers(before, here, beyond, faces, faces + 5 * ROW, faces + 9 * ROW)
        _fill_water(width, i - GHOSTS, first, stop, beyond, fields, stage)
        if i >= top + GHOSTS:
            _flow_along_z(width, stop - first, buffers, stage)
        if i >= top + 2 * GHOSTS:
            _flow_along_x(width, i - 2 * GHOSTS, first, stop, buffers, fields, stage)
    if stage.share > ZERO:
        for band in range(span[0], span[1]):
            for tile in range(span[2], span[3]):
                find_activity(width, band, tile, peaks, fields, stage)
    memory[0] = ZERO  # numba frees it after its last mention: an address does not keep it


_step_span = Addresses(step_span)


def take_stage(spans: Spans, active: Flags, peaks: Floats, fields: Fields, stage: Stage, width: int | None) -> None:
    """Take one stage in `spans`, which `tiles.find_spans` has found.

    Args:
        spans: shape (m, 4).
        active: tiles, shape (m, n).
        peaks: of activity and of what cells lack, filled in after the second stage, shape (4, m, n).
        fields: the arrays.
        stage: the numbers.
        width: floats to a vector; None for as many as suit the processor.
    """
    arguments = spans, active, peaks, fields, stage
    share(_step_span.of((width or VECTOR_WIDTH,), (0, *arguments)), len(spans), *arguments)

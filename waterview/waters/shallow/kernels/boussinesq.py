"""Dispersion of waves that are not long: what the equations of Serre, Green and Naghdi add to shallow water.

Water that speeds up under a short wave also speeds up upwards, and that takes pressure away from what pushes along the
bed. `waterview.waters.shallow.boussinesq` has the equations. Here they are five points for each cell, between cells
whose faces stand half a cell off. Lengths along the grid are in cells.

A row is taken a vector of cells at a time. Beyond the grid all fields are 0, so that it ends in dry cells.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numba import prange
from numpy.typing import NDArray

from waterview.simd.jit import Addresses, Static, call_at, float_pointer, jit, parallel_jit, part, task
from waterview.simd.layout import LINE
from waterview.simd.masks import first_lanes, where
from waterview.simd.processor import VECTOR_WIDTH
from waterview.simd.vector_tuples import each_left_of, load_each, store_each
from waterview.simd.vectors import SIZE, filled, load, load_anywhere, root, store, width_of

from .fluxes import Cells, primitive
from .layout import TILE_COLUMNS, TILE_ROWS, Stage
from .multigrid import (
    ALONG_X,
    ALONG_Z,
    EXCESS,
    INVERSE,
    RIGHT,
    SOLUTION,
    Level,
    Table,
    level_of,
    read,
    read_anywhere,
    write,
)
from .tiles import LONGEST

Floats = NDArray[np.float32]
Spans = NDArray[np.int64]

SURFACE, DEPTH, VELOCITY_X, VELOCITY_Z, SHARE, EARLIER = range(6)
"""Planes of the fields: height of the surface [m], depth h [m], velocities [m/s], the share of dispersion that acts (1
all, 0 none), and the solution one step earlier [m]."""

FIELDS = 6

ALLOWED, CALM, OUTSIDE = range(3)
"""What is given for each column, and the first two for each row: the share of dispersion that may act at most, what is
left of heights and momenta after a push, and the coupling to water beyond the border."""

BAND = 32  # rows that a thread takes at once

STEEP = np.float32(0.35)  # surface slope of a breaking front
BORE = np.float32(0.4)  # rise from a cell to the next, in depths, of a front too steep for the grid
LASTING = np.float32(0.5)  # share of these that is enough where water breaks already
MEMORY = np.float32(4.0)  # times √(h/g) for which water goes on breaking
SHALLOWEST, SHALLOW = np.float32(0.05), np.float32(0.2)  # depths in cells between which dispersion fades in
ROUGH = np.float32(1.5)  # step of the bed from a cell to the next, in depths, over which there is no dispersion
FILM = np.float32(3e-3)  # depth in cells of a cell that counts as dry
PUSH = np.float32(0.1)  # of a cell, that a push may add to what water runs in a part of a step
LEAST = np.float32(0.01)  # share of breaking, or of dispersion, that counts
SHARPEN = np.float32(1.0 / 12.0)
"""The finite volumes let waves of a few cells run too fast, with k(1 + k²Δx²/12) for k in each of their two gradients.
A part of the surface's curvature, this times αΔx²η_xx, takes out one of the two; both would leave the shortest waves
nothing to run on."""

ZERO, HALF, THREE_QUARTERS, ONE = (np.float32(value) for value in (0.0, 0.5, 0.75, 1.0))
TWO, THREE, SEVEN, TWELVE = (np.float32(value) for value in (2.0, 3.0, 7.0, 12.0))
TINY = np.float32(1e-30)
THREE_VECTORS = Static(3)
ROW = (LONGEST + 3 * TILE_COLUMNS) * SIZE  # length of a row of a buffer [bytes]


class Numbers(NamedTuple):
    """The numbers of one push."""

    spacing: np.float32  # Δx [m]
    gravity: np.float32  # g [m/s²], above 0
    seconds: np.float32  # Δt [s]
    alpha: np.float32  # α of Bonneton
    lead: np.float32  # this Δt over the last one
    outside: np.float32  # coupling to water beyond each border: 0 none, 2 to the level of still water, held there
    fades: np.float32  # 1 if anything fades by `CALM`, else 0


class Places(NamedTuple):
    """Where the arrays lie: the address of the first cell of each; all are made by `layout.padded` for one grid."""

    cells: int  # the conserved variables, changed
    bed: int  # height of the ground above still water [m]
    fields: int
    before: int  # how much water breaks (1 wholly) before the push
    after: int  # and after it
    columns: int  # what is given for the columns
    nz: int
    nx: int
    row: int  # bytes from one row to the next; of what is given for the columns, from one plane to the next
    plane: int  # bytes from one plane to the next


@part
def _load(width: Any, places: Places, plane: int, at: int) -> Any:
    return load(width, places.fields + plane * places.plane + at)


@part
def _beside(width: Any, places: Places, plane: int, at: int) -> Any:
    """As `_load`, at any cell."""
    return load_anywhere(width, places.fields + plane * places.plane + at)


@part
def _store(places: Places, plane: int, at: int, vector: Any) -> None:
    store(places.fields + plane * places.plane + at, vector)


@part
def _given(width: Any, places: Places, plane: int, place: int) -> Any:
    """What is given for some columns, `place` bytes from the first."""
    return load(width, places.columns + plane * places.row + place)


# --- the water as the dispersive terms see it


@part
def _fill_fields(width: Any, i: int, places: Places, stage: Stage) -> None:
    """Fill in surface, depth and velocities of row i of cells."""
    for place in range(0, places.nx * SIZE, width_of(width) * SIZE):
        at, inside = i * places.row + place, first_lanes(width, places.nx - place // SIZE)
        conserved = Cells(*load_each(width, THREE_VECTORS, places.cells + at, places.plane))
        water = primitive(conserved, load(width, places.bed + at), stage)
        _store(places, SURFACE, at, where(inside, water.surface, ZERO))
        _store(places, DEPTH, at, where(inside, water.depth, ZERO))
        _store(places, VELOCITY_X, at, where(inside, water.normal, ZERO))
        _store(places, VELOCITY_Z, at, where(inside, water.tangential, ZERO))


# --- where dispersion acts


@part
def _larger_steps(
    width: Any, at: int, to: int, steps: tuple[Any, Any], places: Places, numbers: Numbers
) -> tuple[Any, Any]:
    """Steps of the surface [m] and of the bed [depths], raised to those to the cells `to` bytes on, if both are wet."""
    h, beside = _load(width, places, DEPTH, at), _beside(width, places, DEPTH, at + to)
    lowest, rise = min(h, beside), _beside(width, places, SURFACE, at + to) - _load(width, places, SURFACE, at)
    wet, bed = lowest > FILM * numbers.spacing, abs(rise - (beside - h)) / max(lowest, TINY)
    return max(steps[0], where(wet, abs(rise), ZERO)), max(steps[1], where(wet, bed, ZERO))


@part
def _find_shares(width: Any, i: int, allowed: np.float32, places: Places, numbers: Numbers) -> None:
    """Find where water breaks in row i, and how much of dispersion acts in each cell."""
    dx = numbers.spacing
    for place in range(0, places.nx * SIZE, width_of(width) * SIZE):
        at = i * places.row + place
        steps = filled(width, ZERO), filled(width, ZERO)
        for to in (-places.row, places.row, -SIZE, SIZE):
            steps = _larger_steps(width, at, to, steps, places, numbers)
        h, breaking = _load(width, places, DEPTH, at), load(width, places.before + at)
        near = max(load(width, places.before + at - places.row), load(width, places.before + at + places.row), breaking)
        near = max(
            near, load_anywhere(width, places.before + at - SIZE), load_anywhere(width, places.before + at + SIZE)
        )
        limit = (ONE - (ONE - LASTING) * near) * min(STEEP * dx, BORE * h)
        begins = min(max(-TWO + THREE * (steps[0] / max(limit, TINY)), ZERO), ONE)
        memory = MEMORY * root(h / numbers.gravity)
        lasts = breaking * (memory / max(numbers.seconds + memory, TINY))
        broken = max(begins, where(lasts > LEAST, lasts, ZERO))
        store(places.after + at, broken)
        deep = min(max((-SHALLOWEST + ONE / dx * h) / (SHALLOW - SHALLOWEST), ZERO), ONE)
        even = min(max(ROUGH - steps[1], ZERO), ONE)
        acts = allowed * (deep * even * (ONE - broken) * _given(width, places, ALLOWED, place))
        _store(places, SHARE, at, where(acts > LEAST, acts, ZERO))


# --- the equation for the pressure


class Face(NamedTuple):
    """Some faces, each between a cell and the next."""

    coupling: Any  # k between both
    second: Any  # what the face adds to the diagonal of the cell after it
    pull_second: Any  # and to the right side of it
    first: Any  # the same for the cell before it
    pull_first: Any


@part
def _find_faces(width: Any, places: Places, at: int, to: int, film: np.float32) -> Face:
    """The faces between some cells and those `to` bytes further."""
    wa, ha, ma = (_load(width, places, SURFACE, at), _load(width, places, DEPTH, at), _load(width, places, SHARE, at))
    wb, hb = _beside(width, places, SURFACE, at + to), _beside(width, places, DEPTH, at + to)
    mb = _beside(width, places, SHARE, at + to)
    is_open, rise = min(ha, hb) > film, wb - wa
    bed = THREE_QUARTERS * (rise - (hb - ha))
    a = where(is_open, ma * max(ha - bed, ZERO), ZERO)
    b = where(is_open, mb * max(hb + bed, ZERO), ZERO)
    inverse = TWO / max(ha + hb, TINY)
    return Face(a * b * inverse, b * b * inverse, (ZERO - b) * rise, a * a * inverse, a * rise)


@part
def _sources(width: Any, places: Places, at: int, share: Any, gravity: np.float32) -> Any:
    """What comes from the motion itself: (2h/g)((∇·u)² − det ∇u) + (3/2g) u·(u·∇)∇b, times the share that acts."""
    row = places.row
    u, v, h = (
        _load(width, places, VELOCITY_X, at), _load(width, places, VELOCITY_Z, at), _load(width, places, DEPTH, at)
    )  # fmt: skip
    ux = HALF * (_beside(width, places, VELOCITY_X, at + SIZE) - _beside(width, places, VELOCITY_X, at - SIZE))
    vx = HALF * (_beside(width, places, VELOCITY_Z, at + SIZE) - _beside(width, places, VELOCITY_Z, at - SIZE))
    uz = HALF * (_load(width, places, VELOCITY_X, at + row) - _load(width, places, VELOCITY_X, at - row))
    vz = HALF * (_load(width, places, VELOCITY_Z, at + row) - _load(width, places, VELOCITY_Z, at - row))
    spread, bed = ux + vz, _bed(width, places, at)
    bxx = _bed(width, places, at + SIZE) - TWO * bed + _bed(width, places, at - SIZE)
    bzz = _bed(width, places, at + row) - TWO * bed + _bed(width, places, at - row)
    before = _bed(width, places, at + row - SIZE) - _bed(width, places, at - row - SIZE)
    after = _bed(width, places, at + row + SIZE) - _bed(width, places, at - row + SIZE)
    curved = u * u * bxx + HALF * u * v * (after - before) + v * v * bzz
    source = ONE / gravity * (TWO * h * (spread * spread - (ux * vz - uz * vx)) + THREE * HALF * curved)
    bound = HALF * h * h
    return share * min(max(source, ZERO - bound), bound)


@part
def _bed(width: Any, places: Places, at: int) -> Any:
    return _beside(width, places, SURFACE, at) - _beside(width, places, DEPTH, at)


@part
def _set_up_cells(
    width: Any, at: int, to: int, outside: Any, sides: tuple[Face, Face, Face, Face], level: Level, places: Places,
    numbers: Numbers,
) -> None:  # fmt: skip
    """The equation of some cells, `to` bytes from the first of the finest level, and a first guess at its solution.

    The solution goes on as it went in the last step; it starts from 0 where dispersion has not acted.
    """
    west, east, north, south = sides
    share, depth = _load(width, places, SHARE, at), _load(width, places, DEPTH, at)
    weight = THREE * numbers.spacing * numbers.spacing / numbers.alpha
    diagonal = weight / max(depth, TINY) + outside * share * share * depth
    diagonal = diagonal + ((west.second + east.first) + (north.second + south.first))
    couplings = (west.coupling + east.coupling) + (north.coupling + south.coupling)
    pull = (west.pull_second + east.pull_first) + (north.pull_second + south.pull_first)
    held = outside * share * depth * _load(width, places, SURFACE, at)
    acts, sources = share > ZERO, _sources(width, places, at, share, numbers.gravity)
    write(level, ALONG_X, to, east.coupling)
    write(level, ALONG_Z, to, south.coupling)
    write(level, RIGHT, to, where(acts, sources + pull - held, ZERO))
    write(level, EXCESS, to, where(acts, max(diagonal - couplings, ZERO), ZERO))
    write(level, INVERSE, to, where(acts, ONE / diagonal, ZERO))
    found, earlier = read(width, level, SOLUTION, to), _load(width, places, EARLIER, at)
    write(level, SOLUTION, to, where(acts, found + numbers.lead * (found - earlier), ZERO))
    _store(places, EARLIER, at, found)


@task
def _set_up_band(
    width: Any, band: int, spans: Spans, levels: Floats, table: Table, rows: Floats, places: Places, numbers: Numbers,
    stage: Stage,
) -> None:  # fmt: skip
    """Fill in the fields, find the shares and set up the equation on the finest level, for a band of rows.

    The fields of two rows and the shares of one row beside the band are found, too: twice over, always alike.
    """
    length, film = width_of(width) * SIZE, FILM * numbers.spacing
    level = level_of(levels, table, 0)
    top, bottom = band * BAND, min(band * BAND + BAND, places.nz)
    memory = np.zeros(3 * places.row // SIZE + LINE, np.float32)
    kept = memory.ctypes.data + LINE - memory.ctypes.data % LINE  # of the faces north of a row
    for i in range(top - 3, bottom + 1):  # fields come a row before shares, and these a row before the rest
        if 0 <= i + 1 < places.nz:
            _fill_fields(width, i + 1, places, stage)
        if max(top - 1, 0) <= i < places.nz:
            _find_shares(width, i, rows[ALLOWED, i], places, numbers)
        if i < top:
            continue
        first, beyond = (i - 1) * places.row, numbers.outside * np.float32((i == 1) + (i == places.nz))
        west = _find_faces(width, places, first - length, SIZE, film)
        for place in range(0, places.nx * SIZE, length):
            at = first + place
            south = _find_faces(width, places, at, places.row, film)
            coupling, second, pull = load_each(width, THREE_VECTORS, kept + place, places.row)
            store_each(kept + place, places.row, (south.coupling, south.second, south.pull_second))
            if i > top:
                east = _find_faces(width, places, at, SIZE, film)
                north = Face(coupling, second, pull, south.first, south.pull_first)  # whose first cells are others
                sides, outside = (
                    (each_left_of(west, east), east, north, south),
                    beyond + _given(width, places, OUTSIDE, place),
                )
                _set_up_cells(width, at, (i - 1) * level.row + place, outside, sides, level, places, numbers)
                west = east
    memory[0] = ZERO  # numba frees it after its last mention: an address does not keep it


# --- the push


@part
def _find_pushes(
    width: Any, at: int, step: int, to: int, y_step: int, level: Level, places: Places, numbers: Numbers
) -> Any:
    """What the pressure speeds water up at the faces between some cells and those `step` bytes further, times αΔx/g.

    The solution stands `to` bytes from the first cell of `level`, and `y_step` bytes further; see `SHARPEN`.
    """
    film, sharpen = FILM * numbers.spacing, SHARPEN * numbers.alpha
    wp, hp = _beside(width, places, SURFACE, at - step), _beside(width, places, DEPTH, at - step)
    wa, ha, ma = _load(width, places, SURFACE, at), _load(width, places, DEPTH, at), _load(width, places, SHARE, at)
    wb, hb = _beside(width, places, SURFACE, at + step), _beside(width, places, DEPTH, at + step)
    wn, hn = _beside(width, places, SURFACE, at + 2 * step), _beside(width, places, DEPTH, at + 2 * step)
    mb = _beside(width, places, SHARE, at + step)
    rise = wb - wa
    earlier = where(min(hp, ha) > film, wa - wp, rise)
    later = where(min(hb, hn) > film, wn - wb, rise)
    bed = THREE_QUARTERS * (rise - (hb - ha))
    a, b = ma * max(ha - bed, ZERO), mb * max(hb + bed, ZERO)
    y, y_after = read(width, level, SOLUTION, to), read_anywhere(width, level, SOLUTION, to + y_step)
    pull = a * (y + sharpen * (rise - earlier)) - b * (y_after + sharpen * (later - rise))
    return where(min(ha, hb) > film, pull * (TWO / max(ha + hb, TINY)), ZERO)


@part
def _find_pushes_along_z(
    width: Any, i: int, first: int, stop: int, row: int, level: Level, places: Places, numbers: Numbers
) -> None:
    """The pushes at the faces south of row i, which may be those of the border, into a `row` of a buffer."""
    length = width_of(width) * SIZE
    beside = max(i, 0)  # row of the grid
    sign = numbers.outside if i >= 0 else -numbers.outside
    for place in range(first, stop, length):
        at, to = beside * places.row + place, beside * level.row + place
        pushes = filled(width, ZERO)
        if 0 <= i < places.nz - 1:
            pushes = _find_pushes(width, at, places.row, to, level.row, level, places, numbers)
        elif -1 <= i < places.nz:
            pushes = sign * _load(width, places, SHARE, at) * read(width, level, SOLUTION, to)
        store(row + place - first, pushes)


@part
def _find_pushes_along_x(
    width: Any, i: int, first: int, stop: int, row: int, level: Level, places: Places, numbers: Numbers
) -> None:
    """The pushes at the faces east of the cells in row i, with a vector more at both ends."""
    length = width_of(width) * SIZE
    for place in range(first - length, stop + length, length):
        at, to = i * places.row + place, i * level.row + place
        store(row + place - first, _find_pushes(width, at, SIZE, to, SIZE, level, places, numbers))
    if numbers.outside > ZERO:
        last = (places.nx - 1) * SIZE
        if first == 0:
            _hold_side(row - SIZE, i, 0, -numbers.outside, level, places)
        if last < stop + length:
            _hold_side(row + last - first, i, last, numbers.outside, level, places)


@jit
def _hold_side(face: int, i: int, place: int, outside: np.float32, level: Level, places: Places) -> None:
    """The push at the border beside a cell in row i, by which the level of still water is held."""
    share = _number(places.fields + SHARE * places.plane + i * places.row + place)
    y = _number(level.first + SOLUTION * level.plane + i * level.row + place)
    _number(face)[0] = outside * share[0] * y[0]


@jit
def _number(address: int) -> Floats:
    return numba.carray(float_pointer(address), 1)  # type: ignore[no-any-return]


@part
def _push(momentum: Any, depth: Any, faces: tuple[Any, Any, Any, Any], gain: np.float32, most: np.float32) -> Any:
    """Speed up some cells by what acts on their faces: of fourth order, but of second beside a closed face."""
    far_before, before, after, far_after = faces
    both, far = before + after, far_before + far_after
    is_open = (abs(far_before) > ZERO) & (abs(before) > ZERO) & (abs(after) > ZERO) & (abs(far_after) > ZERO)
    pushed = gain * (SEVEN * both - where(is_open, far, both))
    return momentum + depth * min(max(pushed, -most), most)


@task
def _push_span(
    width: Any, number: int, spans: Spans, levels: Floats, table: Table, rows: Floats, places: Places, numbers: Numbers,
    stage: Stage,
) -> None:  # fmt: skip
    """Let the pressure push the water in a span; faces are kept for as many rows as a cell needs."""
    span, level, length = spans[number], level_of(levels, table, 0), width_of(width) * SIZE
    top, bottom = span[0] * TILE_ROWS, min(span[1] * TILE_ROWS, places.nz)
    first, stop = span[2] * TILE_COLUMNS * SIZE, min(span[3] * TILE_COLUMNS, places.nx) * SIZE
    most = PUSH * numbers.spacing / numbers.seconds
    gain = numbers.gravity * numbers.seconds / (TWELVE * numbers.alpha * numbers.spacing)
    memory = np.zeros(5 * ROW // SIZE + 2 * LINE, np.float32)
    row_x = memory.ctypes.data + LINE - memory.ctypes.data % LINE + length
    far_north, north, south, far_south = row_x + ROW, row_x + 2 * ROW, row_x + 3 * ROW, row_x + 4 * ROW
    for i in range(top - 3, bottom):
        far_north, north, south, far_south = north, south, far_south, far_north
        _find_pushes_along_z(width, i + 1, first, stop, far_south, level, places, numbers)
        if i < top:
            continue
        _find_pushes_along_x(width, i, first, stop, row_x, level, places, numbers)
        for place in range(first, stop, length):
            at, near = i * places.row + place, place - first
            depth = _load(width, places, DEPTH, at)
            rise, momentum_x, momentum_z = load_each(width, THREE_VECTORS, places.cells + at, places.plane)
            along_x = (
                load_anywhere(width, row_x + near - 2 * SIZE),
                load_anywhere(width, row_x + near - SIZE),
                load(width, row_x + near),
                load_anywhere(width, row_x + near + SIZE),
            )
            along_z = (
                load(width, far_north + near), load(width, north + near),
                load(width, south + near), load(width, far_south + near),
            )  # fmt: skip
            momentum_x = _push(momentum_x, depth, along_x, gain, most)
            momentum_z = _push(momentum_z, depth, along_z, gain, most)
            if numbers.fades > ZERO:
                kept = rows[CALM, i] * _given(width, places, CALM, place)
                rise, momentum_x, momentum_z = kept * rise, kept * momentum_x, kept * momentum_z
            store_each(places.cells + at, places.plane, (rise, momentum_x, momentum_z))
    memory[0] = ZERO  # as in `_set_up_band`


# --- shared among threads


@parallel_jit
def _share(
    code: int, count: int, spans: Spans, levels: Floats, table: Table, rows: Floats, places: Places, numbers: Numbers,
    stage: Stage,
) -> None:  # fmt: skip
    for number in prange(count):
        call_at(code, (number, spans, levels, table, rows, places, numbers, stage))


Arguments = tuple[Spans, Floats, Table, Floats, Places, Numbers, Stage]
"""Of each part of a push: what is pushed, from `tiles.find_spans`; levels and table, as in `multigrid.run`; what is
given for the rows, shape (2, nz); where the arrays lie; the numbers; the depth below which velocities are held down."""

_set_up_code, _push_code = Addresses(_set_up_band), Addresses(_push_span)


def set_up(arguments: Arguments, width: int | None) -> None:
    """Find where water breaks, and set up the equation with a first guess at its solution.

    `width` is as in `multigrid.run`.
    """
    bands = -(-arguments[4].nz // BAND)
    _share(_set_up_code.of((width or VECTOR_WIDTH,), (0, *arguments)), bands, *arguments)


def push(arguments: Arguments, width: int | None) -> None:
    """With the solution, let the pressure push the water."""
    _share(_push_code.of((width or VECTOR_WIDTH,), (0, *arguments)), len(arguments[0]), *arguments)

"""Dispersion of waves that are not long: what the equations of Serre, Green and Naghdi add to shallow water.

Water that speeds up under a short wave also speeds up upwards, and that takes pressure away from what pushes along the
bed. `waterview.waters.shallow.boussinesq` has the equations. Here they are five points for each cell, between cells
whose faces stand half a cell off. Lengths along the grid are in cells.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numba
import numpy as np
from numba import prange
from numpy.typing import NDArray

from waterview.simd.jit import float_pointer, jit, parallel_jit

from .layout import MOMENTUM_X, MOMENTUM_Z, RISE
from .multigrid import ALONG_X, ALONG_Z, BAND, EXCESS, INVERSE, RIGHT, SOLUTION, Table, plane_row

Floats = NDArray[np.float32]
Spans = NDArray[np.int64]

SURFACE, DEPTH, VELOCITY_X, VELOCITY_Z, SHARE, EARLIER, BREAKING, BROKEN, PUSH_X, PUSH_Z = range(10)
"""Planes of the fields: height of the surface [m], depth h [m], velocities [m/s], the share of dispersion that acts (1
all, 0 none), the solution one step earlier [m], how much water breaks (1 wholly) before and after, and what speeds it
up at the faces between a cell and the next along x and along z, times αΔx/g [m]."""

FIELDS = 10
BLOCK = 512  # most cells of a row that are set up at once; with fewer, calls take as long as what they do
RING = 2
"""Rows and columns of dry cells along each side of the fields."""

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


class Numbers(NamedTuple):
    """The numbers of one part of a step."""

    spacing: np.float32  # Δx [m]
    gravity: np.float32  # g [m/s²], above 0
    seconds: np.float32  # Δt [s]
    alpha: np.float32  # α of Bonneton
    lead: np.float32  # this Δt over the last one
    west: np.float32  # coupling to water beyond each side: 0 none, 2 to the level of still water, held at the side
    east: np.float32
    north: np.float32
    south: np.float32


@jit
def _row(plane: Floats, i: int, n: int) -> Floats:
    """Row i of an array whose rows are contiguous, but need not follow each other."""
    return numba.carray(float_pointer(plane.ctypes.data + plane.strides[0] * i), n)  # type: ignore[no-any-return]


@jit
def _field(fields: Floats, plane: int, i: int) -> Floats:
    n = fields.shape[2]
    offset = (plane * fields.shape[1] + i) * n
    return numba.carray(float_pointer(fields.ctypes.data + 4 * offset), n)  # type: ignore[no-any-return]


@jit
def _copy_row(values: Floats, row: Floats) -> None:
    for j in range(values.shape[0]):
        row[j] = values[j]


# --- the water as the dispersive terms see it


@jit
def _fill_row(
    rise: Floats,
    momentum_x: Floats,
    momentum_z: Floats,
    still: Floats,
    land: Floats,
    thin: np.float32,
    surface: Floats,
    depth: Floats,
    u: Floats,
    v: Floats,
) -> None:
    for j in range(rise.shape[0]):
        lifted = max(rise[j], -still[j])
        h = still[j] + lifted
        inverse = np.divide(TWO * h, max(h * h + max(h * h, thin * thin), TINY))
        surface[j], depth[j] = lifted + land[j], h
        u[j], v[j] = momentum_x[j] * inverse, momentum_z[j] * inverse


@parallel_jit
def fill_fields(conserved: Floats, still: Floats, land: Floats, thin: np.float32, fields: Floats) -> None:
    """Fill in surface, depth and velocities of all cells.

    Args:
        conserved: conserved variables, shape (3, nz, nx).
        still: depth of still water [m], shape (nz, nx).
        land: height of the ground above still water [m], 0 where it lies below, shape (nz, nx).
        thin: depth below which velocities are held down [m].
        fields: shape (`FIELDS`, rows, columns).
    """
    nz, nx = still.shape
    for band in prange(-(-nz // BAND)):
        for i in range(band * BAND, min(band * BAND + BAND, nz)):
            _fill_row(
                _row(conserved[RISE], i, nx),
                _row(conserved[MOMENTUM_X], i, nx),
                _row(conserved[MOMENTUM_Z], i, nx),
                _row(still, i, nx),
                _row(land, i, nx),
                thin,
                _field(fields, SURFACE, i + RING)[RING : nx + RING],
                _field(fields, DEPTH, i + RING)[RING : nx + RING],
                _field(fields, VELOCITY_X, i + RING)[RING : nx + RING],
                _field(fields, VELOCITY_Z, i + RING)[RING : nx + RING],
            )


# --- where dispersion acts


@jit
def _measure_step(
    w: Floats, h: Floats, w_beside: Floats, h_beside: Floats, film: np.float32, steps: Floats, rough: Floats
) -> None:
    """Raise the greatest steps of the surface [m] and of the bed [depths] to those towards one neighbour each."""
    for j in range(w.shape[0]):
        lowest = min(h[j], h_beside[j])
        rise = w_beside[j] - w[j]
        bed = abs(rise - (h_beside[j] - h[j]))
        wet = lowest > film
        steps[j] = max(steps[j], abs(rise) if wet else ZERO)
        rough[j] = max(rough[j], np.divide(bed, max(lowest, TINY)) if wet else ZERO)


@jit
def _share_row(
    h: Floats,
    steps: Floats,
    rough: Floats,
    before: Floats,
    breaking: Floats,
    after: Floats,
    allowed: Floats,
    allowed_here: np.float32,
    numbers: Numbers,
    broken: Floats,
    share: Floats,
) -> None:
    dx, dt = numbers.spacing, numbers.seconds
    per_cell = np.divide(ONE, dx)
    for j in range(1, h.shape[0] - 1):
        near = max(before[j], after[j], breaking[j - 1], breaking[j], breaking[j + 1])
        limit = (ONE - (ONE - LASTING) * near) * min(STEEP * dx, BORE * h[j])
        begins = min(max(THREE * np.divide(steps[j], max(limit, TINY)) - TWO, ZERO), ONE)
        memory = MEMORY * math.sqrt(np.divide(h[j], numbers.gravity))
        lasts = breaking[j] * np.divide(memory, max(memory + dt, TINY))
        broken[j] = max(begins, lasts if lasts > LEAST else ZERO)
        deep = min(max(np.divide(h[j] * per_cell - SHALLOWEST, SHALLOW - SHALLOWEST), ZERO), ONE)
        even = min(max(ROUGH - rough[j], ZERO), ONE)
        acts = deep * even * (ONE - broken[j]) * allowed[j] * allowed_here
        share[j] = acts if acts > LEAST else ZERO


@jit
def _share_band(band: int, fields: Floats, nz: int, allowed: tuple[Floats, Floats], given: Numbers) -> None:
    film, n = FILM * given.spacing, fields.shape[2]
    steps, rough = np.zeros(n, np.float32), np.zeros(n, np.float32)
    for i in range(RING + band * BAND, RING + min(band * BAND + BAND, nz)):
        steps[:], rough[:] = ZERO, ZERO
        w, h = _field(fields, SURFACE, i), _field(fields, DEPTH, i)
        for k in (i - 1, i + 1):
            _measure_step(w, h, _field(fields, SURFACE, k), _field(fields, DEPTH, k), film, steps, rough)
        _measure_step(w[1:], h[1:], w[:-1], h[:-1], film, steps[1:], rough[1:])
        _measure_step(w[:-1], h[:-1], w[1:], h[1:], film, steps[:-1], rough[:-1])
        _share_row(
            h,
            steps,
            rough,
            _field(fields, BREAKING, i - 1),
            _field(fields, BREAKING, i),
            _field(fields, BREAKING, i + 1),
            allowed[0],
            allowed[1][i - RING],
            given,
            _field(fields, BROKEN, i),
            _field(fields, SHARE, i),
        )


@parallel_jit
def find_shares(
    fields: Floats, shape: tuple[int, int], allowed: tuple[Floats, Floats], numbers: tuple[np.float32, ...]
) -> None:
    """Find where water breaks, and how much of dispersion acts in each cell.

    Args:
        fields: filled in by `fill_fields`; gets the share, and `BROKEN` from `BREAKING`.
        shape: of the grid, (nz, nx).
        allowed: the share that may act at most in each column, shape (nx + 4,), and row, shape (nz,).
        numbers: `Numbers` as a plain tuple.
    """
    for band in prange(-(-shape[0] // BAND)):
        _share_band(band, fields, shape[0], allowed, Numbers(*numbers))


@parallel_jit
def remember_breaking(fields: Floats, shape: tuple[int, int]) -> None:
    """Let what breaks now be what has broken in the next part of a step."""
    for band in prange(-(-shape[0] // BAND)):
        for row in range(RING + band * BAND, RING + min(band * BAND + BAND, shape[0])):
            _copy_row(_field(fields, BROKEN, row), _field(fields, BREAKING, row))


# --- the equation for the pressure


class Cells(NamedTuple):
    """A row of cells."""

    surface: Floats
    depth: Floats
    share: Floats


class Faces(NamedTuple):
    """A row of faces, each between a cell and the next."""

    coupling: Floats  # k between both
    first: Floats  # what the face adds to the diagonal of the cell before it
    second: Floats  # and to that of the cell after it
    pull_first: Floats  # what it adds to the right side of the cell before it
    pull_second: Floats


@jit
def _cells(fields: Floats, i: int, first: int, n: int) -> Cells:
    surface, depth, share = _field(fields, SURFACE, i), _field(fields, DEPTH, i), _field(fields, SHARE, i)
    return Cells(surface[first : first + n], depth[first : first + n], share[first : first + n])


@jit
def _new_faces(n: int) -> Faces:
    room = np.zeros((5, n), np.float32)
    return Faces(room[0], room[1], room[2], room[3], room[4])


@jit
def _find_faces(before: Cells, after: Cells, film: np.float32, faces: Faces) -> None:
    wa, ha, ma = before
    wb, hb, mb = after
    coupling, first, second, pull_first, pull_second = faces
    for j in range(coupling.shape[0]):
        is_open = ONE if min(ha[j], hb[j]) > film else ZERO
        rise = wb[j] - wa[j]
        bed = THREE_QUARTERS * (rise - (hb[j] - ha[j]))
        a, b = is_open * ma[j] * max(ha[j] - bed, ZERO), is_open * mb[j] * max(hb[j] + bed, ZERO)
        inverse = np.divide(TWO, max(ha[j] + hb[j], TINY))
        coupling[j] = a * b * inverse
        first[j], second[j] = a * a * inverse, b * b * inverse
        pull_first[j], pull_second[j] = a * rise, -b * rise


@jit
def _sources_row(
    here: tuple[Floats, Floats, Floats, Floats],
    north: tuple[Floats, Floats, Floats, Floats],
    south: tuple[Floats, Floats, Floats, Floats],
    share: Floats,
    gravity: np.float32,
    sources: Floats,
) -> None:
    """What comes from the motion itself: (2h/g)((∇·u)² − det ∇u) + (3/2g) u·(u·∇)∇b, times the share that acts."""
    w, h, u, v = here
    w_n, h_n, u_n, v_n = north
    w_s, h_s, u_s, v_s = south
    inverse = np.divide(ONE, gravity)
    for j in range(1, h.shape[0] - 1):
        ux, vx = HALF * (u[j + 1] - u[j - 1]), HALF * (v[j + 1] - v[j - 1])
        uz, vz = HALF * (u_s[j] - u_n[j]), HALF * (v_s[j] - v_n[j])
        spread = ux + vz
        bed = w[j] - h[j]
        bxx = (w[j + 1] - h[j + 1]) - TWO * bed + (w[j - 1] - h[j - 1])
        bzz = (w_s[j] - h_s[j]) - TWO * bed + (w_n[j] - h_n[j])
        before = (w_s[j - 1] - h_s[j - 1]) - (w_n[j - 1] - h_n[j - 1])
        after = (w_s[j + 1] - h_s[j + 1]) - (w_n[j + 1] - h_n[j + 1])
        curved = u[j] * u[j] * bxx + HALF * u[j] * v[j] * (after - before) + v[j] * v[j] * bzz
        source = inverse * (TWO * h[j] * (spread * spread - (ux * vz - uz * vx)) + THREE * HALF * curved)
        bound = HALF * h[j] * h[j]
        sources[j - 1] = share[j - 1] * min(max(source, -bound), bound)


@jit
def _equation_row(
    here: Cells,
    west: Faces,
    east: Faces,
    north: Faces,
    south: Faces,
    outside: Floats,
    weight: np.float32,
    sources: Floats,
    right: Floats,
    excess: Floats,
    inverse: Floats,
) -> None:
    surface, depth, share = here
    for j in range(depth.shape[0]):
        acts = share[j] > ZERO
        own = outside[j] * share[j] * share[j] * depth[j]
        diagonal = np.divide(weight, max(depth[j], TINY)) + own
        diagonal += (west.second[j] + east.first[j]) + (north.second[j] + south.first[j])
        couplings = (west.coupling[j] + east.coupling[j]) + (north.coupling[j] + south.coupling[j])
        pull = (west.pull_second[j] + east.pull_first[j]) + (north.pull_second[j] + south.pull_first[j])
        right[j] = sources[j] + pull - outside[j] * share[j] * depth[j] * surface[j] if acts else ZERO
        excess[j] = max(diagonal - couplings, ZERO) if acts else ZERO
        inverse[j] = np.divide(ONE, diagonal) if acts else ZERO


@jit
def _start_row(share: Floats, lead: np.float32, solution: Floats, earlier: Floats) -> None:
    """Go on as the solution went in the last step; it starts from 0 where dispersion has not acted."""
    for j in range(solution.shape[0]):
        found = solution[j]
        solution[j] = found + lead * (found - earlier[j]) if share[j] > ZERO else ZERO
        earlier[j] = found


@jit
def _motion(fields: Floats, row: int, first: int, n: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Surface, depth and velocities of a row."""
    return (
        _field(fields, SURFACE, row)[first : first + n],
        _field(fields, DEPTH, row)[first : first + n],
        _field(fields, VELOCITY_X, row)[first : first + n],
        _field(fields, VELOCITY_Z, row)[first : first + n],
    )


@jit
def _set_up_block(
    top: int, left: int, fields: Floats, levels: Floats, table: Table, shape: tuple[int, int], given: Numbers
) -> None:
    (nz, nx), film = shape, FILM * given.spacing
    n, first = min(BLOCK, nx - left), RING + left
    weight = THREE * given.spacing * given.spacing / given.alpha
    south, north, across = _new_faces(n), _new_faces(n), _new_faces(n + 1)
    west = Faces(
        across.coupling[:-1], across.first[:-1], across.second[:-1], across.pull_first[:-1], across.pull_second[:-1]
    )
    east = Faces(
        across.coupling[1:], across.first[1:], across.second[1:], across.pull_first[1:], across.pull_second[1:]
    )
    sources, outside = np.zeros(n, np.float32), np.zeros(n, np.float32)
    for i in range(top - 1, min(top + BAND, nz)):
        row = i + RING
        here = _cells(fields, row, first, n)
        north, south = south, north
        _find_faces(here, _cells(fields, row + 1, first, n), film, south)
        if i < top:
            continue
        _find_faces(_cells(fields, row, first - 1, n + 1), _cells(fields, row, first, n + 1), film, across)
        outside[:] = (given.north if i == 0 else ZERO) + (given.south if i == nz - 1 else ZERO)
        outside[0] += given.west if left == 0 else ZERO
        outside[n - 1] += given.east if left + n == nx else ZERO
        beside = _motion(fields, row - 1, first - 1, n + 2), _motion(fields, row + 1, first - 1, n + 2)
        _sources_row(_motion(fields, row, first - 1, n + 2), beside[0], beside[1], here.share, given.gravity, sources)
        _copy_row(east.coupling, plane_row(levels, table, 0, ALONG_X, i + 1)[left + 1 : left + n + 1])
        _copy_row(south.coupling, plane_row(levels, table, 0, ALONG_Z, i + 1)[left + 1 : left + n + 1])
        _equation_row(
            here,
            west,
            east,
            north,
            south,
            outside,
            weight,
            sources,
            plane_row(levels, table, 0, RIGHT, i + 1)[left + 1 : left + n + 1],
            plane_row(levels, table, 0, EXCESS, i + 1)[left + 1 : left + n + 1],
            plane_row(levels, table, 0, INVERSE, i + 1)[left + 1 : left + n + 1],
        )
        solution = plane_row(levels, table, 0, SOLUTION, i + 1)[left + 1 : left + n + 1]
        _start_row(here.share, given.lead, solution, _field(fields, EARLIER, row)[first : first + n])


@parallel_jit
def set_up(
    fields: Floats, levels: Floats, table: Table, shape: tuple[int, int], numbers: tuple[np.float32, ...]
) -> None:
    """Set up the equation on the finest level, and a first guess at its solution.

    Args:
        fields: from `fill_fields` and `find_shares`.
        levels: as in `multigrid.run`.
        table: as in `multigrid.run`.
        shape: of the grid, (nz, nx).
        numbers: `Numbers` as a plain tuple.
    """
    across = -(-shape[1] // BLOCK)
    for block in prange(-(-shape[0] // BAND) * across):
        top, left = block // across * BAND, block % across * BLOCK
        _set_up_block(top, left, fields, levels, table, shape, Numbers(*numbers))


# --- the push


@jit
def _find_pushes(
    far_before: Cells,
    before: Cells,
    after: Cells,
    far_after: Cells,
    y: Floats,
    y_after: Floats,
    film: np.float32,
    sharpen: np.float32,
    pushes: Floats,
) -> None:
    """What the pressure speeds water up at a row of faces, times αΔx/g; see `SHARPEN`."""
    wp, hp, _ = far_before
    wa, ha, ma = before
    wb, hb, mb = after
    wn, hn, _ = far_after
    for j in range(pushes.shape[0]):
        is_open = ONE if min(ha[j], hb[j]) > film else ZERO
        rise = wb[j] - wa[j]
        earlier = wa[j] - wp[j] if min(hp[j], ha[j]) > film else rise
        later = wn[j] - wb[j] if min(hb[j], hn[j]) > film else rise
        bed = THREE_QUARTERS * (rise - (hb[j] - ha[j]))
        a, b = ma[j] * max(ha[j] - bed, ZERO), mb[j] * max(hb[j] + bed, ZERO)
        pull = a * (y[j] + sharpen * (rise - earlier)) - b * (y_after[j] + sharpen * (later - rise))
        pushes[j] = is_open * pull * np.divide(TWO, max(ha[j] + hb[j], TINY))


@jit
def _pushes_row(fields: Floats, levels: Floats, table: Table, shape: tuple[int, int], row: int, given: Numbers) -> None:
    """The pushes at the faces east and south of a row of cells, `row` of the fields."""
    (nz, nx), film, sharpen = shape, FILM * given.spacing, SHARPEN * given.alpha
    y, y_south = (
        plane_row(levels, table, 0, SOLUTION, row - 1),
        plane_row(levels, table, 0, SOLUTION, row),
    )
    pushes = _field(fields, PUSH_Z, row)[RING : nx + RING]
    _find_pushes(
        _cells(fields, row - 1, RING, nx),
        _cells(fields, row, RING, nx),
        _cells(fields, row + 1, RING, nx),
        _cells(fields, row + 2, RING, nx),
        y[1:],
        y_south[1:],
        film,
        sharpen,
        pushes,
    )
    share, own = _field(fields, SHARE, row)[RING : nx + RING], y[1:]
    if row == nz + RING - 1:
        for j in range(nx):
            pushes[j] = given.south * share[j] * own[j]
    pushes = _field(fields, PUSH_X, row)[RING - 1 : nx + RING]
    _find_pushes(
        _cells(fields, row, RING - 2, nx + 1),
        _cells(fields, row, RING - 1, nx + 1),
        _cells(fields, row, RING, nx + 1),
        _cells(fields, row, RING + 1, nx + 1),
        y,
        y[1:],
        film,
        sharpen,
        pushes,
    )
    pushes[0], pushes[nx] = -given.west * share[0] * own[0], given.east * share[nx - 1] * own[nx - 1]
    if row == RING:
        first = _field(fields, PUSH_Z, row - 1)[RING : nx + RING]
        for j in range(nx):
            first[j] = -given.north * share[j] * own[j]


@jit
def _push_row(
    momentum: Floats,
    depth: Floats,
    far_before: Floats,
    before: Floats,
    after: Floats,
    far_after: Floats,
    gain: np.float32,
    most: np.float32,
) -> None:
    """Speed up a row of cells by what acts on their faces: of fourth order, but of second beside a closed face."""
    for j in range(momentum.shape[0]):
        both = before[j] + after[j]
        is_open = (far_before[j] != ZERO) & (before[j] != ZERO) & (after[j] != ZERO) & (far_after[j] != ZERO)
        far = far_before[j] + far_after[j] if is_open else both
        momentum[j] += depth[j] * min(max(gain * (SEVEN * both - far), -most), most)


@jit
def _calm_row(values: Floats, along_x: Floats, along_z: np.float32) -> None:
    for j in range(values.shape[0]):
        values[j] *= along_x[j] * along_z


@jit
def _push_span(
    span: NDArray[np.int64],
    tile: tuple[int, int],
    conserved: Floats,
    fields: Floats,
    calm: tuple[Floats, Floats],
    given: Numbers,
) -> None:
    nz, nx = conserved.shape[1:]
    most = PUSH * given.spacing / given.seconds
    gain = given.gravity * given.seconds / (TWELVE * given.alpha * given.spacing)
    left, right = span[2] * tile[1], min(span[3] * tile[1], nx)
    columns = slice(left + RING, right + RING)
    for i in range(span[0] * tile[0], min(span[1] * tile[0], nz)):
        row = i + RING
        depth, pushes = _field(fields, DEPTH, row)[columns], _field(fields, PUSH_X, row)
        _push_row(
            _row(conserved[MOMENTUM_X], i, nx)[left:right],
            depth,
            pushes[left + RING - 2 :],
            pushes[left + RING - 1 :],
            pushes[left + RING :],
            pushes[left + RING + 1 :],
            gain,
            most,
        )
        _push_row(
            _row(conserved[MOMENTUM_Z], i, nx)[left:right],
            depth,
            _field(fields, PUSH_Z, row - 2)[columns],
            _field(fields, PUSH_Z, row - 1)[columns],
            _field(fields, PUSH_Z, row)[columns],
            _field(fields, PUSH_Z, row + 1)[columns],
            gain,
            most,
        )
        if calm[0].shape[0] > 0:
            for plane in range(3):
                _calm_row(_row(conserved[plane], i, nx)[left:right], calm[0][left:right], calm[1][i])


@parallel_jit
def push(
    spans: Spans,
    tile: tuple[int, int],
    conserved: Floats,
    fields: Floats,
    levels: Floats,
    table: Table,
    calm: tuple[Floats, Floats],
    numbers: tuple[np.float32, ...],
) -> None:
    """Let the pressure push the water for a part of a step.

    Args:
        spans: what is stepped, from `tiles.find_spans`.
        tile: rows and columns of a tile.
        conserved: conserved variables, changed, shape (3, nz, nx).
        fields: as in `set_up`.
        levels: with the solution.
        table: as in `multigrid.run`.
        calm: what is left of heights and momenta in each column, shape (nx,), and row, shape (nz,); empty for all.
        numbers: `Numbers` as a plain tuple.
    """
    nz, nx = conserved.shape[1:]
    for band in prange(-(-nz // BAND)):
        for row in range(band * BAND + RING, min(band * BAND + BAND, nz) + RING):
            _pushes_row(fields, levels, table, (nz, nx), row, Numbers(*numbers))
    for number in prange(spans.shape[0]):
        _push_span(spans[number], tile, conserved, fields, calm, Numbers(*numbers))

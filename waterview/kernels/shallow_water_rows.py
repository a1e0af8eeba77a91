"""The compiled rows of `shallow_water`: what flows through faces, and what becomes of the cells between them.

Rows are given by address, as in `wave_rows`, and everything is float32. Depths are kept as what they differ from those
of still water: so a ripple on the deep sea keeps all its digits, and a film on a beach does too.

One thread does it all. Bands of rows on two threads were tried: on a busy machine they waited for each other longer
than they worked.
"""

from __future__ import annotations

import math

import numba
import numpy as np
from numpy.typing import NDArray

from .jit import float_pointer, jit

SIZE = 4  # of a float [bytes]
GHOSTS = 2  # cells around the grid
PIECE = 256  # cells of a row taken at once; some thirty pieces of rows should fit in the first-level cache

# Planes of the state: surface, depth, velocities; and of a set of face rows.
SURFACE, DEPTH, ALONG_X, ALONG_Z = range(4)
MASS, ACROSS, LOW, HIGH = range(4)

ZERO, HALF, ONE, TWO = np.float32(0.0), np.float32(0.5), np.float32(1.0), np.float32(2.0)
STEEPEST = np.float32(1.5)  # θ of the limiter: 1 smears waves, 2 makes steps of them
GENTLE = np.float32(0.1)  # share of the depth, and of the speed of waves
TINY = np.float32(1e-30)  # instead of a division by 0

Floats = NDArray[np.float32]
Numbers = tuple[np.float32, np.float32, np.float32, np.float32]


@jit
def _slope(a: np.float32, b: np.float32, c: np.float32, gentle: np.float32) -> np.float32:
    """Slope at b between its neighbours a and c: central where gentle (1), else limited (0).

    The limiter is the generalised minmod of Kurganov and Petrova (2007, §2).
    """
    low, middle, high = STEEPEST * (b - a), HALF * (c - a), STEEPEST * (c - b)
    limited = max(ZERO, min(low, middle, high)) + min(ZERO, max(low, middle, high))
    return limited + gentle * (middle - limited)


@jit
def _gentle(dw: np.float32, dh: np.float32, du: np.float32, dv: np.float32, h: np.float32, g: np.float32) -> np.float32:
    """1 where surface, bed and velocities change so little, for the depth, that no bore can stand; else 0.

    Bores need limited slopes. But these shave the crests off every wave, and where nothing is steep nothing needs them.
    """
    calm = dw < GENTLE * h and dh < TWO * h and du * du + dv * dv < GENTLE * GENTLE * g * h
    return ONE if calm else ZERO


@jit
def _faces(
    out: int,
    pitch: int,
    state: int,
    plane: int,
    step: int,
    normal: int,
    n: int,
    gravity: np.float32,
    dry: np.float32,
) -> None:
    """What flows through n faces beside each other, each between the cells b and c of four in a line: a, b, c, d.

    Surface, depth and velocities are continued from the cells to the face with limited slopes, put over the higher of
    the two beds that this gives (Audusse et al. 2004), and taken apart there by central-upwind fluxes (Kurganov and
    Petrova 2007, §2). The hydrostatic pressure ½gh² of either side is left out of its momentum flux and the slope of
    its own surface put in instead: so water at rest keeps still to the last bit over the roughest bed.

    Args:
        out: address of four rows: flux of mass; of momentum along the face; momentum taken from b; and given to c.
        pitch: bytes from one of these rows to the next.
        state: address of the first b in the plane of surfaces.
        plane: bytes from one plane of the state to the next.
        step: bytes from a cell to the next one across the face.
        normal: plane of the velocity across the face; the other one is that along it.
        n: number of faces.
        gravity: g.
        dry: cells of no more depth count as dry.
    """
    wa, wb = numba.carray(float_pointer(state - step), n), numba.carray(float_pointer(state), n)
    wc, wd = numba.carray(float_pointer(state + step), n), numba.carray(float_pointer(state + 2 * step), n)
    at = state + plane * DEPTH
    ha, hb = numba.carray(float_pointer(at - step), n), numba.carray(float_pointer(at), n)
    hc, hd = numba.carray(float_pointer(at + step), n), numba.carray(float_pointer(at + 2 * step), n)
    at = state + plane * normal
    ua, ub = numba.carray(float_pointer(at - step), n), numba.carray(float_pointer(at), n)
    uc, ud = numba.carray(float_pointer(at + step), n), numba.carray(float_pointer(at + 2 * step), n)
    at = state + plane * (ALONG_X + ALONG_Z - normal)
    va, vb = numba.carray(float_pointer(at - step), n), numba.carray(float_pointer(at), n)
    vc, vd = numba.carray(float_pointer(at + step), n), numba.carray(float_pointer(at + 2 * step), n)
    mass, across = numba.carray(float_pointer(out), n), numba.carray(float_pointer(out + pitch), n)
    low, high = numba.carray(float_pointer(out + 2 * pitch), n), numba.carray(float_pointer(out + 3 * pitch), n)
    for j in range(n):
        # Beside dry cells there are no slopes: their bed would be taken for a surface.
        left = HALF if min(ha[j], hb[j], hc[j]) > dry else ZERO
        right = HALF if min(hb[j], hc[j], hd[j]) > dry else ZERO
        dw_l, dw_r = max(abs(wb[j] - wa[j]), abs(wc[j] - wb[j])), max(abs(wc[j] - wb[j]), abs(wd[j] - wc[j]))
        g_l = _gentle(dw_l, abs(hc[j] - ha[j]), uc[j] - ua[j], vc[j] - va[j], hb[j], gravity)
        g_r = _gentle(dw_r, abs(hd[j] - hb[j]), ud[j] - ub[j], vd[j] - vb[j], hc[j], gravity)
        rise_l, rise_r = left * _slope(wa[j], wb[j], wc[j], g_l), right * _slope(wb[j], wc[j], wd[j], g_r)
        w_l, w_r = wb[j] + rise_l, wc[j] - rise_r
        h_l, h_r = hb[j] + left * _slope(ha[j], hb[j], hc[j], g_l), hc[j] - right * _slope(hb[j], hc[j], hd[j], g_r)
        u_l, u_r = ub[j] + left * _slope(ua[j], ub[j], uc[j], g_l), uc[j] - right * _slope(ub[j], uc[j], ud[j], g_r)
        v_l, v_r = vb[j] + left * _slope(va[j], vb[j], vc[j], g_l), vc[j] - right * _slope(vb[j], vc[j], vd[j], g_r)
        bed = max(w_l - h_l, w_r - h_r)
        d_l, d_r = max(ZERO, w_l - bed), max(ZERO, w_r - bed)
        # Where both sides are wet their surfaces tell the difference better than their depths.
        rise = w_r - w_l if min(d_l, d_r) > ZERO else d_r - d_l
        c_l, c_r = math.sqrt(gravity * d_l), math.sqrt(gravity * d_r)
        fast = max(ZERO, u_l + c_l, u_r + c_r)
        slow = min(ZERO, u_l - c_l, u_r - c_r)
        per_span = np.divide(ONE, max(fast - slow, TINY))
        q_l, q_r = d_l * u_l, d_r * u_r
        flow = (fast * q_l - slow * q_r + fast * slow * rise) * per_span
        push = q_l * u_l - q_r * u_r - HALF * gravity * rise * (d_l + d_r)
        mixing = fast * slow * (q_r - q_l)
        mass[j] = flow
        across[j] = flow * (v_l if flow > ZERO else v_r)
        low[j] = q_l * u_l + (slow * push + mixing) * per_span + gravity * hb[j] * rise_l
        high[j] = q_r * u_r + (fast * push + mixing) * per_span - gravity * hc[j] * rise_r


@jit
def _update(
    cell: int, saved: int, x_in: int, x_out: int, z_in: int, z_out: int, n: int, ratio: np.float32, share: np.float32
) -> None:
    """Set cell = share·saved + (1 − share)·(cell + ratio·(in − out))."""
    q, q0 = numba.carray(float_pointer(cell), n), numba.carray(float_pointer(saved), n)
    xi, xo = numba.carray(float_pointer(x_in), n), numba.carray(float_pointer(x_out), n)
    zi, zo = numba.carray(float_pointer(z_in), n), numba.carray(float_pointer(z_out), n)
    for j in range(n):
        moved = q[j] + ratio * ((xi[j] - xo[j]) + (zi[j] - zo[j]))
        q[j] = moved + share * (q0[j] - moved)


@jit
def _hold_above(cell: int, still: int, n: int) -> None:
    """Let no depth fall below 0: rounding might, and so might a film that runs off to all sides at once."""
    q, s = numba.carray(float_pointer(cell), n), numba.carray(float_pointer(still), n)
    for j in range(n):
        q[j] = max(q[j], -s[j])


@jit
def flow_through(cells: Floats, saved: Floats, state: Floats, still: Floats, faces: Floats, numbers: Numbers) -> None:
    """Let one stage of a step flow: cells = share·saved + (1 − share)·(cells + Δt·fluxes(state)).

    Args:
        cells: depth less that of still water, and depth times the velocities, shape (3, nz, nx).
        saved: the same before the step.
        state: surface, depth, velocities with `GHOSTS` cells around, shape (4, nz + 4, nx + 4).
        still: depth of still water, shape (nz, nx).
        faces: room for three sets of faces, shape (12, PIECE + 1) or more.
        numbers: Δt/Δx; share; gravity g; depth up to which a cell counts as dry.
    """
    ratio, share, gravity, dry = numbers
    nz, nx = still.shape
    row, plane, field = state.shape[2] * SIZE, state.shape[1] * state.shape[2] * SIZE, nz * nx * SIZE
    pitch = faces.shape[1] * SIZE
    across, low, high = ACROSS * pitch, LOW * pitch, HIGH * pitch
    start = state.ctypes.data + GHOSTS * row + GHOSTS * SIZE
    x = faces.ctypes.data
    for first in range(0, nx, PIECE):
        n = min(PIECE, nx - first)
        above, below = x + 4 * pitch, x + 8 * pitch
        _faces(above, pitch, start - row + first * SIZE, plane, row, ALONG_Z, n, gravity, dry)
        for i in range(nz):
            here, right, cell = start + i * row + first * SIZE, x + SIZE, (i * nx + first) * SIZE
            _faces(below, pitch, here, plane, row, ALONG_Z, n, gravity, dry)
            _faces(x, pitch, here - SIZE, plane, SIZE, ALONG_X, n + 1, gravity, dry)
            q, q0 = cells.ctypes.data + cell, saved.ctypes.data + cell
            _update(q, q0, x, right, above, below, n, ratio, share)
            _hold_above(q, still.ctypes.data + cell, n)
            q, q0 = q + field, q0 + field
            _update(q, q0, x + high, right + low, above + across, below + across, n, ratio, share)
            q, q0 = q + field, q0 + field
            _update(q, q0, x + across, right + across, above + high, below + low, n, ratio, share)
            above, below = below, above


@jit
def _state_row(cell: int, field: int, still: int, land: int, to: int, plane: int, n: int, numbers: Numbers) -> None:
    """One row of `find_state`."""
    thin, keep, drag, _ = numbers
    rise, deep = numba.carray(float_pointer(cell), n), numba.carray(float_pointer(still), n)
    qx, qz = numba.carray(float_pointer(cell + field), n), numba.carray(float_pointer(cell + 2 * field), n)
    ground = numba.carray(float_pointer(land), n)
    w, h = numba.carray(float_pointer(to), n), numba.carray(float_pointer(to + plane * DEPTH), n)
    u, v = numba.carray(float_pointer(to + plane * ALONG_X), n), numba.carray(float_pointer(to + plane * ALONG_Z), n)
    for j in range(n):
        depth = deep[j] + rise[j]
        # 1/h, but never large: near dry ground velocities are held down as by Kurganov and Petrova, without roots.
        inverse = np.divide(TWO * depth, max(depth * depth + max(depth * depth, thin * thin), TINY))
        along_x, along_z = qx[j] * inverse, qz[j] * inverse
        slowed = np.divide(keep, ONE + drag * math.sqrt(along_x * along_x + along_z * along_z) * inverse)
        u[j], v[j] = along_x * slowed, along_z * slowed
        qx[j], qz[j] = depth * u[j], depth * v[j]
        w[j], h[j] = rise[j] + ground[j], depth


@jit
def find_state(cells: Floats, still: Floats, land: Floats, state: Floats, numbers: Numbers) -> None:
    """Surface, depth and velocities of the cells, without those around the grid; slow the water by damping and drag.

    Args:
        cells: as in `flow_through`; momenta are made to agree with the velocities.
        still: depth of still water, shape (nz, nx).
        land: height of the ground above still water, 0 where it lies below, shape (nz, nx).
        state: filled in.
        numbers: depth below which velocities are held down; what damping leaves of them; Δt times the ground's drag
            coefficient; nothing.
    """
    nz, nx = still.shape
    row, plane = state.shape[2] * SIZE, state.shape[1] * state.shape[2] * SIZE
    start = state.ctypes.data + GHOSTS * row + GHOSTS * SIZE
    for i in range(nz):
        at = i * nx * SIZE
        cell, deep, ground = cells.ctypes.data + at, still.ctypes.data + at, land.ctypes.data + at
        _state_row(cell, nz * nx * SIZE, deep, ground, start + i * row, plane, nx, numbers)


@jit
def _fastest_row(h: int, u: int, v: int, n: int, speed: np.float32, depth: np.float32) -> tuple[np.float32, np.float32]:
    hs = numba.carray(float_pointer(h), n)
    us, vs = numba.carray(float_pointer(u), n), numba.carray(float_pointer(v), n)
    for j in range(n):
        speed = max(speed, abs(us[j]), abs(vs[j]))
        depth = max(depth, hs[j])
    return speed, depth


@jit
def fastest(state: Floats) -> tuple[np.float32, np.float32]:
    """The greatest speed along an axis and the greatest depth among the cells."""
    _, rows, columns = state.shape
    row, plane = columns * SIZE, rows * columns * SIZE
    start = state.ctypes.data + GHOSTS * row + GHOSTS * SIZE
    speed, depth = ZERO, ZERO
    for i in range(rows - 2 * GHOSTS):
        here = start + i * row
        at = here + plane * DEPTH, here + plane * ALONG_X, here + plane * ALONG_Z
        speed, depth = _fastest_row(*at, columns - 2 * GHOSTS, speed, depth)
    return speed, depth

"""The compiled rows of `shallow_water`: what flows through faces, and what becomes of the cells between them.

Rows are given by address, as in `wave_rows`, and everything is float32. Depths are kept as what they differ from those
of still water: so a ripple on the deep sea keeps all its digits, and a film on a beach does too.
"""

from __future__ import annotations

import math

import numba
import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import float_pointer, jit

SIZE = 4  # of a float [bytes]
GHOSTS = 2  # cells around the grid

# Planes of the state, and of the rows of `halves_row`: surface, depth, velocities. Rows of `flux_row`.
SURFACE, DEPTH, ALONG_X, ALONG_Z = range(4)
MASS, ACROSS, LOW, HIGH = range(4)

ZERO, HALF, ONE, TWO = np.float32(0.0), np.float32(0.5), np.float32(1.0), np.float32(2.0)
STEEPEST = np.float32(1.5)  # θ of the limiter: 1 smears waves, 2 makes steps of them
GENTLE = np.float32(0.1)  # share of the depth, and of the speed of waves
QUARTER = np.float32(0.25)
TINY = np.float32(1e-30)  # instead of a division by 0

Floats = NDArray[np.float32]


@jit
def _row(address: int, n: int) -> Floats:
    return numba.carray(float_pointer(address), n)  # type: ignore[no-any-return]


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
def halves_row(
    out: int, pitch: int, state: int, plane: int, step: int, normal: int, n: int, gravity: np.float32, dry: np.float32
) -> None:
    """Half of what surface, depth and velocities rise through each of n cells.

    A dry neighbour has no part in slopes, for its bed would be taken for a surface. Beside one the surface follows the
    wet neighbour and the depth the bed; without that a film would not feel how steep its beach is, and hardly ever run
    off (Delestre et al. 2012).

    Args:
        out: address of four rows: of surface, depth, and of the velocities across and along the face.
        pitch: bytes from one of these rows to the next.
        state: address of the first cell in the plane of surfaces.
        plane: bytes from one plane of the state to the next.
        step: bytes from a cell to the next one across the face.
        normal: plane of the velocity across the face; the other one is that along it.
        n: number of cells.
        gravity: g.
        dry: cells of no more depth count as dry.
    """
    at = state
    wa, wb, wc = _row(at - step, n), _row(at, n), _row(at + step, n)
    at = state + plane * DEPTH
    ha, hb, hc = _row(at - step, n), _row(at, n), _row(at + step, n)
    at = state + plane * normal
    ua, ub, uc = _row(at - step, n), _row(at, n), _row(at + step, n)
    at = state + plane * (ALONG_X + ALONG_Z - normal)
    va, vb, vc = _row(at - step, n), _row(at, n), _row(at + step, n)
    w, h, u, v = _row(out, n), _row(out + pitch, n), _row(out + 2 * pitch, n), _row(out + 3 * pitch, n)
    for j in range(n):
        before = ONE if min(ha[j], hb[j]) > dry else ZERO
        after = ONE if min(hb[j], hc[j]) > dry else ZERO
        inside = HALF * before * after
        tip = (HALF - inside) * max(before, after)
        up, on = wb[j] - wa[j], wc[j] - wb[j]
        gentle = _gentle(max(abs(up), abs(on)), abs(hc[j] - ha[j]), uc[j] - ua[j], vc[j] - va[j], hb[j], gravity)
        rise = inside * _slope(wa[j], wb[j], wc[j], gentle) + tip * (before * up + after * on)
        bed = QUARTER * ((wc[j] - hc[j]) - (wa[j] - ha[j]))
        w[j] = rise
        h[j] = inside * _slope(ha[j], hb[j], hc[j], gentle) + TWO * tip * min(max(rise - bed, -hb[j]), hb[j])
        u[j] = inside * _slope(ua[j], ub[j], uc[j], gentle)
        v[j] = inside * _slope(va[j], vb[j], vc[j], gentle)


@jit
def flux_row(
    out: int, left: int, right: int, pitch: int, state: int, plane: int, step: int, normal: int, n: int, g: np.float32
) -> None:
    """What flows through n faces beside each other, each between a cell and the next one.

    Both are continued to the face and stand there on the higher of their beds (Audusse et al. 2004); central-upwind
    fluxes (Kurganov and Petrova 2007, §2) tell what runs from one to the other. The hydrostatic pressure ½gd² of either
    side is left out of its momentum and the slope of its own surface put in instead: so water at rest keeps still to
    the last bit.

    Args:
        out: address of four rows: flux of mass; of momentum along the face; taken from the cell; given to the next.
        left: address of the rows of `halves_row` for the cells.
        right: the same for the next ones.
        pitch: bytes from one of these rows to the next.
        state: address of the first cell in the plane of surfaces.
        plane: bytes from one plane of the state to the next.
        step: bytes from a cell to the next one across the face.
        normal: plane of the velocity across the face; the other one is that along it.
        n: number of faces.
        g: gravity.
    """
    across, along = state + plane * normal, state + plane * (ALONG_X + ALONG_Z - normal)
    wb, hb, ub, vb = _row(state, n), _row(state + plane, n), _row(across, n), _row(along, n)
    wc, hc, uc, vc = (
        _row(state + step, n),
        _row(state + plane + step, n),
        _row(across + step, n),
        _row(along + step, n),
    )
    dwb, dhb, dub, dvb = _row(left, n), _row(left + pitch, n), _row(left + 2 * pitch, n), _row(left + 3 * pitch, n)
    dwc, dhc, duc, dvc = _row(right, n), _row(right + pitch, n), _row(right + 2 * pitch, n), _row(right + 3 * pitch, n)
    mass, beside, low, high = _row(out, n), _row(out + pitch, n), _row(out + 2 * pitch, n), _row(out + 3 * pitch, n)
    for j in range(n):
        w_l, u_l, w_r, u_r = wb[j] + dwb[j], ub[j] + dub[j], wc[j] - dwc[j], uc[j] - duc[j]
        bed = max(w_l - (hb[j] + dhb[j]), w_r - (hc[j] - dhc[j]))
        d_l, d_r = max(ZERO, w_l - bed), max(ZERO, w_r - bed)
        # Where both sides are wet their surfaces tell the difference better than their depths.
        by_surface, by_depth = w_r - w_l, d_r - d_l
        rise = by_surface if min(d_l, d_r) > ZERO else by_depth
        c_l, c_r = math.sqrt(g * d_l), math.sqrt(g * d_r)
        fast, slow = max(ZERO, u_l + c_l, u_r + c_r), min(ZERO, u_l - c_l, u_r - c_r)
        per_span = np.divide(ONE, max(fast - slow, TINY))
        q_l, q_r = d_l * u_l, d_r * u_r
        flow = (fast * q_l - slow * q_r + fast * slow * rise) * per_span
        push = q_l * u_l - q_r * u_r - HALF * g * rise * (d_l + d_r)
        mixing = fast * slow * (q_r - q_l)
        mass[j] = flow
        beside[j] = max(flow, ZERO) * (vb[j] + dvb[j]) + min(flow, ZERO) * (vc[j] - dvc[j])
        low[j] = q_l * u_l + (slow * push + mixing) * per_span + g * hb[j] * dwb[j]
        high[j] = q_r * u_r + (fast * push + mixing) * per_span - g * hc[j] * dwc[j]


@jit
def update_row(
    new: int, now: int, x_in: int, x_out: int, z_in: int, z_out: int, n: int, ratio: np.float32, share: np.float32
) -> None:
    """Set new = share·new + (1 − share)·(now + ratio·(in − out)); all are addresses of rows of n floats."""
    to, q = _row(new, n), _row(now, n)
    xi, xo, zi, zo = _row(x_in, n), _row(x_out, n), _row(z_in, n), _row(z_out, n)
    for j in range(n):
        moved = q[j] + ratio * ((xi[j] - xo[j]) + (zi[j] - zo[j]))
        to[j] = moved + share * (to[j] - moved)


@jit
def state_row(
    cell: int, field: int, still: int, land: int, to: int, plane: int, n: int, slowing: tuple[np.float32, ...]
) -> None:
    """Surface, depth and velocities of n cells; slow the water by damping and drag.

    A film that runs off to all sides at once may leave its cell less than nothing. Such a cell is dry, but what it owes
    stays in its rise: so no water is made, and the next that flows in pays (see `shallow_water_debts`).

    Args:
        cell: address of the rises; momenta, which are made to agree with the velocities, follow in the next fields.
        field: bytes from one field to the next.
        still: address of the depths of still water.
        land: of the heights of the ground above still water, 0 where it lies below.
        to: of the surfaces to be filled in.
        plane: bytes from one plane of the state to the next.
        n: number of cells.
        slowing: depth below which velocities are held down; what damping leaves of them; Δt times the ground's drag
            coefficient.
    """
    thin, keep, drag = slowing
    rise, deep, ground = _row(cell, n), _row(still, n), _row(land, n)
    qx, qz = _row(cell + field, n), _row(cell + 2 * field, n)
    w, h, u, v = _row(to, n), _row(to + plane * DEPTH, n), _row(to + plane * ALONG_X, n), _row(to + plane * ALONG_Z, n)
    for j in range(n):
        lifted = max(rise[j], -deep[j])
        depth = deep[j] + lifted
        # 1/h, but never large: near dry ground velocities are held down as by Kurganov and Petrova, without roots.
        inverse = np.divide(TWO * depth, max(depth * depth + max(depth * depth, thin * thin), TINY))
        along_x, along_z = qx[j] * inverse, qz[j] * inverse
        slowed = np.divide(keep, ONE + drag * math.sqrt(along_x * along_x + along_z * along_z) * inverse)
        u[j], v[j] = along_x * slowed, along_z * slowed
        qx[j], qz[j] = depth * u[j], depth * v[j]
        w[j], h[j] = lifted + ground[j], depth


@jit
def peak_row(
    cell: int, field: int, state: int, plane: int, unrest: int, pitch: int, n: int, slowness: np.float32
) -> None:
    """Raise peaks to those of one more row of n cells: unrest, speed along an axis, depth.

    Args:
        cell: address of the rises, as in `state_row`.
        field: likewise.
        state: address of the surfaces.
        plane: as in `state_row`.
        unrest: address of the first of three rows of peaks.
        pitch: bytes from one of these to the next.
        n: number of cells.
        slowness: by which a momentum counts as a rise [s/m].
    """
    rise, qx, qz = _row(cell, n), _row(cell + field, n), _row(cell + 2 * field, n)
    h, u, v = _row(state + plane * DEPTH, n), _row(state + plane * ALONG_X, n), _row(state + plane * ALONG_Z, n)
    moves, speed, deepest = _row(unrest, n), _row(unrest + pitch, n), _row(unrest + 2 * pitch, n)
    for j in range(n):
        moves[j] = max(moves[j], abs(rise[j]), slowness * max(abs(qx[j]), abs(qz[j])))
        speed[j] = max(speed[j], abs(u[j]), abs(v[j]))
        deepest[j] = max(deepest[j], h[j])


@jit
def unrest_row(cell: int, field: int, unrest: int, n: int) -> None:
    """Raise what is above 0 where any of n cells is not at rest."""
    rise, qx, qz, moves = _row(cell, n), _row(cell + field, n), _row(cell + 2 * field, n), _row(unrest, n)
    for j in range(n):
        moves[j] = max(moves[j], abs(rise[j]), abs(qx[j]), abs(qz[j]))

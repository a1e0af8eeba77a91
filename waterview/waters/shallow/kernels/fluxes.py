"""Finite volumes of shallow water: values at faces, fluxes through them, and what becomes of a cell.

A chapter of Kurganov and Petrova (2007): every function does one thing for a row of cells, in the order in which a step
needs them. All numbers are float32. The depth is kept as its difference from that of still water: so a ripple on the
deep sea keeps all its digits, and so does a film of water on a beach.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import float_pointer, jit, part

from .layout import MOMENTUM_X, MOMENTUM_Z, RISE, Stage

Floats = NDArray[np.float32]

THETA = np.float32(1.5)  # of the limiter: 1 smears waves, 2 turns them into steps
GENTLE = np.float32(0.1)  # share of the depth, and of the speed of waves
ZERO, QUARTER, HALF, ONE, TWO = (np.float32(value) for value in (0.0, 0.25, 0.5, 1.0, 2.0))
TINY = np.float32(1e-30)  # added where a division by 0 threatens


class Conserved(NamedTuple):
    """Conserved variables of a row of n cells, each of shape (n,)."""

    rise: Floats  # depth less that of still water [m]
    momentum_x: Floats  # depth times velocity along x [m²/s]
    momentum_z: Floats


class Primitive(NamedTuple):
    """Primitive variables of a row of n cells, or their change from the middle of each cell to its face."""

    surface: Floats  # height above still water [m]
    depth: Floats  # h [m]
    normal: Floats  # velocity across the faces in question [m/s]
    tangential: Floats  # velocity along these faces [m/s]


class Fluxes(NamedTuple):
    """What flows through a row of n faces, to higher x or z."""

    mass: Floats  # depth times velocity [m²/s]
    tangential: Floats  # momentum along the face [m³/s²]
    leaving: Floats  # momentum across the face, as the cell before it loses it; its sloping bed pushes, too
    entering: Floats  # momentum across the face, as the cell after it gains it


@jit
def row_of(planes: Floats, plane: int, i: int, first: int, n: int) -> Floats:
    """N values of row i of a plane, from column `first` on; `planes` has shape (p, rows, columns).

    A view without a reference: counting references takes as long as a short row.
    """
    offset = (plane * planes.shape[1] + i) * planes.shape[2] + first
    return numba.carray(float_pointer(planes.ctypes.data + 4 * offset), n)  # type: ignore[no-any-return]


@jit
def _four_rows(planes: Floats, i: int, first: int, n: int) -> tuple[Floats, Floats, Floats, Floats]:
    return (
        row_of(planes, 0, i, first, n),
        row_of(planes, 1, i, first, n),
        row_of(planes, 2, i, first, n),
        row_of(planes, 3, i, first, n),
    )


@jit
def conserved_row(planes: Floats, i: int, first: int, n: int) -> Conserved:
    """N cells of row i from column `first` on; `planes` has shape (3, nz, nx)."""
    rise, momentum_x = row_of(planes, RISE, i, first, n), row_of(planes, MOMENTUM_X, i, first, n)
    return Conserved(rise, momentum_x, row_of(planes, MOMENTUM_Z, i, first, n))


@jit
def cells_along_x(planes: Floats, i: int, first: int, n: int) -> Primitive:
    """N cells of row i from column `first` on, for faces between neighbours in x; `planes` has 4 of them."""
    surface, depth, u, v = _four_rows(planes, i, first, n)
    return Primitive(surface, depth, u, v)


@jit
def cells_along_z(planes: Floats, i: int, first: int, n: int) -> Primitive:
    """The same cells for faces between neighbours in z."""
    surface, depth, u, v = _four_rows(planes, i, first, n)
    return Primitive(surface, depth, v, u)


@jit
def fluxes_row(planes: Floats, i: int, first: int, n: int) -> Fluxes:
    """Fluxes through n faces of row i from entry `first` on; `planes` has shape (4, rows, entries)."""
    mass, tangential, leaving, entering = _four_rows(planes, i, first, n)
    return Fluxes(mass, tangential, leaving, entering)


# --- reconstruction


@jit
def _slope(a: np.float32, b: np.float32, c: np.float32, gentle: np.float32) -> np.float32:
    """Slope at b between its neighbours a and c: central where gentle (1), else limited (0).

    The limiter is the generalised minmod of Kurganov and Petrova (2007, §2).
    """
    low, middle, high = THETA * (b - a), HALF * (c - a), THETA * (c - b)
    limited = max(ZERO, min(low, middle, high)) + min(ZERO, max(low, middle, high))
    return limited + gentle * (middle - limited)


@jit
def _gentle(dw: np.float32, dh: np.float32, du: np.float32, dv: np.float32, h: np.float32, g: np.float32) -> np.float32:
    """1 where surface, bed and velocities change so little, for the depth, that no bore can stand; else 0.

    Bores need limited slopes. But these shave the crests off every wave, and where nothing is steep nothing needs them.
    """
    calm = dw < GENTLE * h and dh < TWO * h and du * du + dv * dv < GENTLE * GENTLE * g * h
    return ONE if calm else ZERO


@part
def reconstruct(before: Primitive, here: Primitive, after: Primitive, stage: Stage, half: Primitive) -> None:
    """Half the slopes of a row of cells, times Δx: at its faces a cell has its own value ∓ these.

    A dry neighbour has no part in slopes, for its bed would be taken for a surface. Beside one the surface follows the
    wet neighbour and the depth the bed. Without that a film would not feel how steep its beach is, and hardly ever run
    off (Delestre et al. 2012).

    Args:
        before: the neighbours at lower x or z.
        here: the cells.
        after: the neighbours at higher x or z.
        stage: gravity, and the depth up to which a cell counts as dry.
        half: filled in.
    """
    gravity, dry = stage.gravity, stage.dry
    wa, wb, wc = before.surface, here.surface, after.surface
    ha, hb, hc = before.depth, here.depth, after.depth
    ua, ub, uc = before.normal, here.normal, after.normal
    va, vb, vc = before.tangential, here.tangential, after.tangential
    dw, dh, du, dv = half.surface, half.depth, half.normal, half.tangential
    for j in range(dw.shape[0]):
        wet_before = ONE if min(ha[j], hb[j]) > dry else ZERO
        wet_after = ONE if min(hb[j], hc[j]) > dry else ZERO
        inside = HALF * wet_before * wet_after
        tip = (HALF - inside) * max(wet_before, wet_after)
        up, on = wb[j] - wa[j], wc[j] - wb[j]
        gentle = _gentle(max(abs(up), abs(on)), abs(hc[j] - ha[j]), uc[j] - ua[j], vc[j] - va[j], hb[j], gravity)
        rise = inside * _slope(wa[j], wb[j], wc[j], gentle) + tip * (wet_before * up + wet_after * on)
        bed = QUARTER * ((wc[j] - hc[j]) - (wa[j] - ha[j]))
        dw[j] = rise
        dh[j] = inside * _slope(ha[j], hb[j], hc[j], gentle) + TWO * tip * min(max(rise - bed, -hb[j]), hb[j])
        du[j] = inside * _slope(ua[j], ub[j], uc[j], gentle)
        dv[j] = inside * _slope(va[j], vb[j], vc[j], gentle)


# --- Riemann problems


@part
def central_upwind(
    left: Primitive, left_half: Primitive, right: Primitive, right_half: Primitive, stage: Stage, fluxes: Fluxes
) -> None:
    """The fluxes through a row of faces, each between a cell and the next.

    Both cells are continued to the face and stand there on the higher of their beds (Audusse et al. 2004). The
    central-upwind flux (Kurganov and Petrova 2007, §2) tells what runs from one to the other. The hydrostatic pressure
    ½gd² of each side is left out of its momentum and the slope of its own surface put in instead: so water at rest
    stays at rest to the last bit.

    Args:
        left: the cells at lower x or z.
        left_half: their half slopes from `reconstruct`.
        right: the cells at higher x or z.
        right_half: their half slopes.
        stage: gravity.
        fluxes: filled in.
    """
    g = stage.gravity
    wl, hl, ul, vl = left
    dwl, dhl, dul, dvl = left_half
    wr, hr, ur, vr = right
    dwr, dhr, dur, dvr = right_half
    mass, tangential, leaving, entering = fluxes
    for j in range(mass.shape[0]):
        w_l, u_l, w_r, u_r = wl[j] + dwl[j], ul[j] + dul[j], wr[j] - dwr[j], ur[j] - dur[j]
        bed = max(w_l - (hl[j] + dhl[j]), w_r - (hr[j] - dhr[j]))
        d_l, d_r = max(ZERO, w_l - bed), max(ZERO, w_r - bed)
        # Where both sides are wet their surfaces tell the difference better than their depths.
        by_surface, by_depth = w_r - w_l, d_r - d_l
        rise = by_surface if min(d_l, d_r) > ZERO else by_depth
        c_l, c_r = math.sqrt(g * d_l), math.sqrt(g * d_r)
        fastest, slowest = max(ZERO, u_l + c_l, u_r + c_r), min(ZERO, u_l - c_l, u_r - c_r)
        per_span = np.divide(ONE, max(fastest - slowest, TINY))
        q_l, q_r = d_l * u_l, d_r * u_r
        flow = (fastest * q_l - slowest * q_r + fastest * slowest * rise) * per_span
        push = q_l * u_l - q_r * u_r - HALF * g * rise * (d_l + d_r)
        mixing = fastest * slowest * (q_r - q_l)
        mass[j] = flow
        tangential[j] = max(flow, ZERO) * (vl[j] + dvl[j]) + min(flow, ZERO) * (vr[j] - dvr[j])
        leaving[j] = q_l * u_l + (slowest * push + mixing) * per_span + g * hl[j] * dwl[j]
        entering[j] = q_r * u_r + (fastest * push + mixing) * per_span - g * hr[j] * dwr[j]


# --- cells


@jit
def update(
    new: Conserved, start: Conserved, west: Fluxes, east: Fluxes, north: Fluxes, south: Fluxes, stage: Stage
) -> None:
    """Heun's stage for a row of cells: new = share·new + (1 − share)·(start + Δt/Δx·(fluxes in − fluxes out)).

    The fluxes are those through the faces at lower and higher x, and at lower and higher z.
    """
    ratio, share = stage.ratio, stage.share
    for j in range(new.rise.shape[0]):
        moved = start.rise[j] + ratio * ((west.mass[j] - east.mass[j]) + (north.mass[j] - south.mass[j]))
        new.rise[j] = moved + share * (new.rise[j] - moved)
        along_x, along_z = west.entering[j] - east.leaving[j], north.tangential[j] - south.tangential[j]
        moved = start.momentum_x[j] + ratio * (along_x + along_z)
        new.momentum_x[j] = moved + share * (new.momentum_x[j] - moved)
        along_x, along_z = west.tangential[j] - east.tangential[j], north.entering[j] - south.leaving[j]
        moved = start.momentum_z[j] + ratio * (along_x + along_z)
        new.momentum_z[j] = moved + share * (new.momentum_z[j] - moved)


@jit
def to_primitive(conserved: Conserved, still: Floats, land: Floats, stage: Stage, cells: Primitive) -> None:
    """Surface, depth and velocities of a row of cells, slowed by damping and by the drag c|u|u of the ground.

    A film that runs off to all sides at once may leave its cell with less than nothing. Such a cell is dry, but what it
    lacks stays in its rise: so no water is made, and the next that flows in pays (see `positivity`).

    Args:
        conserved: its momenta are made to agree with the slowed velocities.
        still: depth of still water [m], shape (n,).
        land: height of the ground above still water [m], 0 where it lies below, shape (n,).
        stage: what slows the water.
        cells: filled in; normal is along x.
    """
    rise, momentum_x, momentum_z = conserved
    surface, depth, u, v = cells
    for j in range(rise.shape[0]):
        lifted = max(rise[j], -still[j])
        h = still[j] + lifted
        # 1/h, but never large: near dry ground velocities are held down as by Kurganov and Petrova, without roots.
        inverse = np.divide(TWO * h, max(h * h + max(h * h, stage.thin * stage.thin), TINY))
        along_x, along_z = momentum_x[j] * inverse, momentum_z[j] * inverse
        speed = math.sqrt(along_x * along_x + along_z * along_z)
        slowed = np.divide(stage.damping_factor, ONE + stage.friction * speed * inverse)
        u[j], v[j] = along_x * slowed, along_z * slowed
        momentum_x[j], momentum_z[j] = h * u[j], h * v[j]
        surface[j], depth[j] = lifted + land[j], h

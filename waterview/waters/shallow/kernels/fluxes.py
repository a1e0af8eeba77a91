"""Finite volumes of shallow water: values at faces, fluxes through them, and what becomes of a cell.

A chapter of Kurganov and Petrova (2007): every function is one term of the scheme, in the order in which a step needs
them. Cells are vectors (`waterview.simd.vectors`), so a line here is what happens to 16 of them; cases are masks. The
depth is kept as its difference from that of still water: so a ripple on the deep sea keeps all its digits, and so does
a film of water on a beach.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from waterview.simd.jit import float_pointer, jit, part
from waterview.simd.masks import all_lanes, where
from waterview.simd.vectors import fma, root

from .layout import Floats, Stage

THETA = np.float32(1.5)  # of the limiter: 1 smears waves, 2 turns them into steps
GENTLE = np.float32(0.1)  # share of the depth, and of the speed of waves
GENTLE_SPEED = np.float32(GENTLE * GENTLE)
ZERO, QUARTER, HALF, ONE, TWO = (np.float32(value) for value in (0.0, 0.25, 0.5, 1.0, 2.0))
HALF_THETA = HALF * THETA
STEEPER = np.float32(4.0)  # times as steep as the bed before it is what counts as a wall
TINY = np.float32(1e-30)  # added where a division by 0 threatens


class Cells(NamedTuple):
    """Conserved variables of some cells."""

    rise: Any  # depth less that of still water [m]
    momentum_x: Any  # depth times velocity along x [m²/s]
    momentum_z: Any


class Water(NamedTuple):
    """Primitive variables of some cells, for faces between neighbours in x or in z."""

    surface: Any  # height above still water [m]
    depth: Any  # h [m]
    normal: Any  # velocity across the faces [m/s]
    tangential: Any  # velocity along the faces [m/s]


class Face(NamedTuple):
    """Water as it arrives at some faces from one side."""

    surface: Any  # height above still water [m]
    bed: Any  # height of the ground above still water [m]
    normal: Any  # velocity across the face [m/s]
    tangential: Any  # velocity along the face [m/s]
    push: Any  # of the surface's slope in the half of the cell beside the face, g h Δw [m³/s²]


class Fluxes(NamedTuple):
    """What flows through some faces, to higher x or z."""

    mass: Any  # depth times velocity [m²/s]
    tangential: Any  # momentum along the face [m³/s²]
    leaving: Any  # momentum across the face, as the cell before it loses it; its sloping bed pushes, too
    entering: Any  # momentum across the face, as the cell after it gains it


@jit
def row_of(plane: Floats, i: int, start: int, stop: int) -> Floats:
    """Columns `start` to `stop` − 1 of row i of a plane, whose rows may lie apart.

    The compiler knows that they lie together and makes vectors of loops over them; and no references are counted.
    """
    first = plane.ctypes.data + i * plane.strides[0] + start * plane.itemsize
    return numba.carray(float_pointer(first), stop - start)  # type: ignore[no-any-return]


# --- from conserved variables to primitive ones


@part
def inverse_depth(h: Any, thin: np.float32) -> Any:
    """1/h [1/m], but never large: below `thin` it falls, and is 0 where it is dry.

    So velocities near dry ground are held down as by Kurganov and Petrova (2007, §3.2), without roots.
    """
    square = h * h
    return TWO * h / max(square + max(square, thin * thin), TINY)


@part
def primitive(cells: Cells, bed: Any, stage: Stage) -> Water:
    """Surface, depth, and the velocities along x and z of some cells.

    A film that runs off to all sides at once may leave its cell with less than nothing. Such a cell is dry, but what it
    lacks stays in its rise: so no water is made, and the next that flows in pays (see `positivity`).
    """
    still = max(ZERO - bed, ZERO)
    lifted = max(cells.rise, ZERO - still)
    h = still + lifted
    inverse = inverse_depth(h, stage.thin)
    return Water(lifted + max(bed, ZERO), h, cells.momentum_x * inverse, cells.momentum_z * inverse)


@part
def turned(water: Water) -> Water:
    """The same water for the faces that lie across."""
    return Water(water.surface, water.depth, water.tangential, water.normal)


# --- reconstruction


@part
def _is_gentle(up: Water, on: Water, h: Any, gravity: np.float32) -> Any:
    """Where surface, bed and velocities change so little, for the depth, that no bore can stand."""
    u, v = up.normal + on.normal, up.tangential + on.tangential
    flat = (max(abs(up.surface), abs(on.surface)) < GENTLE * h) & (abs(up.depth + on.depth) < TWO * h)
    return flat & (fma(u, u, v * v) < GENTLE_SPEED * gravity * h)


@part
def _limited(half: Any, up: Any, on: Any) -> Any:
    """Half the slope of a cell limited by the generalised minmod of Kurganov and Petrova (2007, §2).

    That is the smallest of ½θ·up, ¼(up + on) and ½θ·on if all have one sign, and else 0.
    """
    highest, lowest = HALF_THETA * max(min(up, on), ZERO), HALF_THETA * min(max(up, on), ZERO)
    return max(min(half, highest), lowest)


@part
def _half_slopes(before: Water, here: Water, after: Water, stage: Stage) -> Water:
    """Half the slopes of some cells, times Δx; arguments as for `reconstruct`.

    Bores need limited slopes. But these shave the crests off every wave, and where nothing is steep nothing needs them:
    there slopes are central, and in most vectors all of them are.

    A dry neighbour has no part in slopes, for its bed would be taken for a surface. Beside one the surface follows the
    wet neighbour and the depth the bed. Without that a film would not feel how steep its beach is, and hardly ever run
    off (Delestre et al. 2012). But if that is a wall, a step up far steeper than the bed before it and twice as high as
    water stands, the surface is level there, as beside walls of the grid. Else nothing would hold back waves that run
    to and fro in channels of two cells, and Heun's method would let them grow.
    """
    w, h, u, v = here
    up = Water(w - before.surface, h - before.depth, u - before.normal, v - before.tangential)
    on = Water(after.surface - w, after.depth - h, after.normal - u, after.tangential - v)
    dw, dh = QUARTER * (up.surface + on.surface), QUARTER * (up.depth + on.depth)
    du, dv = QUARTER * (up.normal + on.normal), QUARTER * (up.tangential + on.tangential)
    wet_before, wet_after = min(before.depth, h) > stage.dry, min(h, after.depth) > stage.dry
    inside, gentle = wet_before & wet_after, _is_gentle(up, on, h, stage.gravity)
    if not all_lanes(inside & gentle):
        bed = dw - dh
        dw = where(inside, where(gentle, dw, _limited(dw, up.surface, on.surface)), ZERO)
        dh = where(inside, where(gentle, dh, _limited(dh, up.depth, on.depth)), ZERO)
        du = where(inside, where(gentle, du, _limited(du, up.normal, on.normal)), ZERO)
        dv = where(inside, where(gentle, dv, _limited(dv, up.tangential, on.tangential)), ZERO)
        beside_dry, rise = wet_before ^ wet_after, HALF * where(wet_before, up.surface, on.surface)
        bed_up, bed_on = up.surface - up.depth, on.surface - on.depth
        along, step = where(wet_before, bed_up, bed_on), where(wet_before, bed_on, ZERO - bed_up)
        wall = step > max(TWO * h, STEEPER * abs(along))
        rise, bed = where(wall, HALF * rise, rise), where(wall, HALF * along, bed)
        dw = where(beside_dry, rise, dw)
        dh = where(beside_dry, min(max(rise - bed, ZERO - h), h), dh)
    return Water(dw, dh, du, dv)


@part
def reconstruct(before: Water, here: Water, after: Water, stage: Stage) -> tuple[Face, Face]:
    """Some cells as they arrive at their faces at lower and at higher x or z: with a slope in each of them.

    Args:
        before: the neighbours at lower x or z.
        here: the cells.
        after: the neighbours at higher x or z.
        stage: gravity, and the depth up to which a cell counts as dry.
    """
    w, h, u, v = here
    dw, dh, du, dv = _half_slopes(before, here, after, stage)
    push = stage.gravity * h * dw
    low = Face(w - dw, (w - dw) - (h - dh), u - du, v - dv, push)
    return low, Face(w + dw, (w + dw) - (h + dh), u + du, v + dv, push)


# --- Riemann problems


@part
def central_upwind_flux(left: Face, right: Face, gravity: np.float32) -> Fluxes:
    """The fluxes through some faces, from what arrives at lower and at higher x or z.

    Both sides stand on the higher of their beds there (Audusse et al. 2004). The central-upwind flux (Kurganov and
    Petrova 2007, §2) tells what runs from one to the other. The hydrostatic pressure ½gd² of each side is left out of
    its momentum and the slope of its own surface put in instead: so water at rest stays at rest to the last bit.
    """
    bed, u_l, u_r = max(left.bed, right.bed), left.normal, right.normal
    d_l, d_r = max(left.surface - bed, ZERO), max(right.surface - bed, ZERO)
    # Where both sides are wet their surfaces tell the difference better than their depths.
    rise = where(min(d_l, d_r) > ZERO, right.surface - left.surface, d_r - d_l)
    c_l, c_r = root(gravity * d_l), root(gravity * d_r)
    fastest, slowest = max(u_l + c_l, u_r + c_r, ZERO), min(u_l - c_l, u_r - c_r, ZERO)
    per_span = ONE / max(fastest - slowest, TINY)
    q_l, q_r, diffusion = d_l * u_l, d_r * u_r, fastest * slowest
    mass = (fma(diffusion, rise, fastest * q_l) - slowest * q_r) * per_span
    momentum_l, momentum_r = q_l * u_l, q_r * u_r
    difference = (momentum_l - momentum_r) - HALF * gravity * (rise * (d_l + d_r))
    mixing = diffusion * (q_r - q_l)
    return Fluxes(
        mass,
        fma(max(mass, ZERO), left.tangential, min(mass, ZERO) * right.tangential),
        momentum_l + fma(slowest, difference, mixing) * per_span + left.push,
        momentum_r + fma(fastest, difference, mixing) * per_span - right.push,
    )


# --- cells


@part
def slowed(cells: Cells, bed: Any, stage: Stage) -> Cells:
    """The cells after damping and the drag c|u|u of the ground, with momenta that agree with `inverse_depth`."""
    h = max(cells.rise + max(ZERO - bed, ZERO), ZERO)
    inverse = inverse_depth(h, stage.thin)
    u, v = cells.momentum_x * inverse, cells.momentum_z * inverse
    speed = root(fma(u, u, v * v))
    kept = h * (stage.damping_factor / (ONE + stage.friction * (speed * inverse)))
    return Cells(cells.rise, kept * u, kept * v)

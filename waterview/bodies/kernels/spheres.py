"""Forces of water on a sphere: pressure in closed form; drag, lift and friction on faces spread evenly over it.

All faces are treated alike, without branches, and what they give is written side by side, so that the compiler makes
vectors of them. `forces` has the same for meshes, face by face.
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import double_pointer, jit

from .linear_algebra import Vector, less, store, vector
from .local_water import level_at
from .records import SPHERE_POINTS

X, Y, Z = (np.ascontiguousarray(SPHERE_POINTS[:, axis]) for axis in range(3))
COUNT = len(SPHERE_POINTS)

ROOM = 32
"""Numbers from one component to the next: no fewer than there are faces, and a constant, so that none overlap."""

LEAST_WORK = 6 * ROOM // 4
"""Rows of work space that are needed, of four numbers each."""

SLOWEST = 1e-24
"""Squares of speeds below it are taken for it [m²/s²]."""

HEAD_ON = 1e-12
"""Square of the sine between normal and motion below which there is no lift: it would have no direction."""


@jit
def _face_forces(
    out: int, count: int, motion: Vector, turning: Vector, water: Vector, radius: float, half: float, shares: Vector
) -> None:
    """Drag, lift and friction on every face, then their torques around the centre: x, y, z each, `ROOM` apart.

    They are those of `forces.face_force`: with normal N and motion U they lie in one plane, a U + b N.

    Args:
        out: address of room for them [N], [N m].
        count: `COUNT`; as an argument it keeps the compiler from writing the loop out.
        motion: velocity of the centre against the water [m/s].
        turning: velocity of the pole by the spin, radius · spin [m/s].
        water: height of the surface over the centre [m], slopes along x and z.
        radius: of the sphere [m].
        half: half the water's density times a face's area [kg/m].
        shares: coefficients of drag, lift and friction.
    """
    o = numba.carray(double_pointer(out), 6 * ROOM)
    drag, lift, skin = shares
    across = math.sqrt(COUNT / (4.0 * math.pi)) / radius  # one over a face's width
    for k in range(count):
        x, y, z = X[k], Y[k], Z[k]
        ux = motion[0] + turning[1] * z - turning[2] * y
        uy = motion[1] + turning[2] * x - turning[0] * z
        uz = motion[2] + turning[0] * y - turning[1] * x
        wet = 0.5 + (water[0] + radius * (water[1] * x + water[2] * z - y)) * across
        share = half * min(max(wet, 0.0), 1.0)
        square = max(ux * ux + uy * uy + uz * uz, SLOWEST)
        speed = np.sqrt(square)
        along = x * ux + y * uy + z * uz
        into = max(along, 0.0)
        square_across = square - into * into
        # Unlike the operator, the function does not ask whether something is divided by 0, and nothing is.
        lifted = lift * np.true_divide(into, np.sqrt(max(square_across, HEAD_ON * square)))
        lifted = lifted if square_across > HEAD_ON * square else 0.0
        a = share * (lifted * into - drag * into - skin * speed)
        b = share * (skin * speed * along - lifted * square)
        o[k], o[ROOM + k], o[2 * ROOM + k] = a * ux + b * x, a * uy + b * y, a * uz + b * z
        o[3 * ROOM + k] = radius * a * (y * uz - z * uy)
        o[4 * ROOM + k] = radius * a * (z * ux - x * uz)
        o[5 * ROOM + k] = radius * a * (x * uy - y * ux)


@jit
def _sums(out: int, count: int) -> tuple[Vector, Vector]:
    """The sums of what `_face_forces` wrote."""
    o = numba.carray(double_pointer(out), 6 * ROOM)
    a = b = c = d = e = f = 0.0
    for k in range(count):
        a, b, c = a + o[k], b + o[ROOM + k], c + o[2 * ROOM + k]
        d, e, f = d + o[3 * ROOM + k], e + o[4 * ROOM + k], f + o[5 * ROOM + k]
    return (a, b, c), (d, e, f)


@jit
def sphere_forces(body: Any, world: Any, work: NDArray[np.float64]) -> None:
    """Fill force, drag and wet volume of a sphere; `work` has `LEAST_WORK` rows of four numbers or more."""
    radius = 0.5 * body.scale[0]
    x, y, z = vector(body.position)
    slope_x, slope_z = body.surface[1], body.surface[2]
    upright = 1.0 / math.sqrt(1.0 + slope_x * slope_x + slope_z * slope_z)
    over = level_at(body, x, z) - y
    depth = min(max(radius + over * upright, 0.0), 2.0 * radius)
    body.wet_volume = math.pi * depth * depth * (radius - depth / 3.0)
    weight = world.gravity * world.water_density * body.wet_volume
    store(body.force, (-weight * slope_x, weight, -weight * slope_z))
    if depth == 0.0:
        return
    spin = vector(body.spin)
    turning = (radius * spin[0], radius * spin[1], radius * spin[2])
    motion, water = less(vector(body.velocity), vector(body.flow)), (over, slope_x, slope_z)
    half = 0.5 * world.water_density * 4.0 * math.pi * radius * radius / COUNT
    shares = (world.drag, world.lift, world.skin)
    _face_forces(work.ctypes.data, COUNT, motion, turning, water, radius, half, shares)
    drag, torque = _sums(work.ctypes.data, COUNT)
    store(body.drag, drag)
    store(body.drag_torque, torque)

"""Drag, lift and skin friction on the wet faces of a body (Yuksel et al. 2007; Qin and Zeng, §3.2).

A face of area A with outward normal N moves at U against the water of density ρ:

- drag acts where the face moves into the water, N·U > 0, on the area seen along U: −½ρ C_D A (N·U) U;
- lift acts there along the part of N that is square to U: −½ρ C_L A (N·U) |U| of it;
- skin friction acts on every wet face, along it: −½ρ C_F A |U| (U − (N·U) N).
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import callee, double_pointer

from .buoyancy import add_force
from .linear_algebra import Vector, cross, dot, length, minus, plus, scaled, store, vector
from .records import SPHERE_POINTS

TINY = 1e-12


@callee
def face_force(normal: Vector, area: float, motion: Vector, env: Any) -> Vector:
    """Drag, lift and friction on one wet face [N].

    Args:
        normal: unit normal N, outwards.
        area: wet area A [m²].
        motion: velocity U of the face against the water [m/s].
        env: coefficients and density.
    """
    speed = length(motion)
    if speed < TINY:
        return 0.0, 0.0, 0.0
    half = 0.5 * env.water_density * area
    into = dot(normal, motion)
    force = scaled(-half * env.skin_friction * speed, plus(motion, -into, normal))
    if into > 0.0:
        force = plus(force, -half * env.drag * into, motion)
        square = plus(normal, -into / (speed * speed), motion)
        share = length(square)
        if share > 1e-6:
            force = plus(force, -half * env.lift * into * speed / share, square)
    return force


@callee
def triangle_drag(body: Any, env: Any, a: Vector, b: Vector, c: Vector) -> None:
    """Add the forces on a wet triangle, taken at its middle; the corners as in `buoyancy.triangle_buoyancy`."""
    area = cross(minus(b, a), minus(c, a))
    double = length(area)
    normal = (area[0] / double, area[1] / double, area[2] / double)
    middle = ((a[0] + b[0] + c[0]) / 3.0, (a[1] + b[1] + c[1]) / 3.0, (a[2] + b[2] + c[2]) / 3.0)
    motion = plus(minus(vector(body.velocity), vector(body.flow)), 1.0, cross(vector(body.spin), middle))
    add_force(face_force(normal, 0.5 * double, motion, env), middle, body.drag, body.drag_torque)


# --- spheres: faces spread evenly over them, all treated alike and without branches, so that the compiler makes vectors

X, Y, Z = (np.ascontiguousarray(SPHERE_POINTS[:, axis]) for axis in range(3))
FACES = len(SPHERE_POINTS)

ROOM = 32
"""Numbers from one component to the next: no fewer than there are faces, and a constant, so that none overlap."""

LEAST_WORK = 6 * ROOM // 4
"""Rows of work space that are needed, of four numbers each."""

SLOWEST_SQUARED = 1e-24
"""Least square of a speed that is divided by [m²/s²]."""

HEAD_ON = 1e-12
"""Square of the sine between normal and motion below which there is no lift: it would have no direction."""


@callee
def _sphere_face_forces(
    out: int, faces: int, motion: Vector, turning: Vector, water: Vector, radius: float, half: float, env: Any
) -> None:
    """Drag, lift and friction on every face, then their torques around the centre: x, y, z each, `ROOM` apart.

    They are those of `face_force`: with normal N and motion U they lie in one plane, a U + b N.

    Args:
        out: address of room for them [N], [N m].
        faces: `FACES`; as an argument it keeps the compiler from unrolling the loop.
        motion: velocity of the centre against the water [m/s].
        turning: velocity of the pole by the spin, radius · spin [m/s].
        water: height of the surface over the centre [m], slopes along x and z.
        radius: of the sphere [m].
        half: half the water's density times a face's area [kg/m].
        env: coefficients.
    """
    o = numba.carray(double_pointer(out), 6 * ROOM)
    drag, lift, skin_friction = env.drag, env.lift, env.skin_friction
    across = math.sqrt(FACES / (4.0 * math.pi)) / radius  # one over a face's width
    for k in range(faces):
        x, y, z = X[k], Y[k], Z[k]
        ux = motion[0] + turning[1] * z - turning[2] * y
        uy = motion[1] + turning[2] * x - turning[0] * z
        uz = motion[2] + turning[0] * y - turning[1] * x
        wet = 0.5 + (water[0] + radius * (water[1] * x + water[2] * z - y)) * across
        share = half * min(max(wet, 0.0), 1.0)
        square = max(ux * ux + uy * uy + uz * uz, SLOWEST_SQUARED)
        speed = np.sqrt(square)
        along = x * ux + y * uy + z * uz
        into = max(along, 0.0)
        square_across = square - into * into
        # The operator / would check for a divisor of 0 and so prevent vectors; nothing is divided by 0 here.
        lifted = lift * np.true_divide(into, np.sqrt(max(square_across, HEAD_ON * square)))
        lifted = lifted if square_across > HEAD_ON * square else 0.0
        a = share * (lifted * into - drag * into - skin_friction * speed)
        b = share * (skin_friction * speed * along - lifted * square)
        o[k], o[ROOM + k], o[2 * ROOM + k] = a * ux + b * x, a * uy + b * y, a * uz + b * z
        o[3 * ROOM + k] = radius * a * (y * uz - z * uy)
        o[4 * ROOM + k] = radius * a * (z * ux - x * uz)
        o[5 * ROOM + k] = radius * a * (x * uy - y * ux)


@callee
def _sums(out: int, faces: int) -> tuple[Vector, Vector]:
    """The sums of what `_sphere_face_forces` wrote: force and torque."""
    o = numba.carray(double_pointer(out), 6 * ROOM)
    a = b = c = d = e = f = 0.0
    for k in range(faces):
        a, b, c = a + o[k], b + o[ROOM + k], c + o[2 * ROOM + k]
        d, e, f = d + o[3 * ROOM + k], e + o[4 * ROOM + k], f + o[5 * ROOM + k]
    return (a, b, c), (d, e, f)


@callee
def sphere_drag(body: Any, env: Any, above: float, work: NDArray[np.float64]) -> None:
    """Set drag and its torque on a sphere that is wet.

    Args:
        body: which.
        env: coefficients and density.
        above: height of the surface above its centre [m].
        work: `LEAST_WORK` rows of four numbers or more.
    """
    radius = 0.5 * body.scale[0]
    motion = minus(vector(body.velocity), vector(body.flow))
    water = (above, body.surface[1], body.surface[2])
    half = 0.5 * env.water_density * 4.0 * math.pi * radius * radius / FACES
    address = work.ctypes.data
    _sphere_face_forces(address, FACES, motion, scaled(radius, vector(body.spin)), water, radius, half, env)
    drag, torque = _sums(address, FACES)
    store(body.drag, drag)
    store(body.drag_torque, torque)

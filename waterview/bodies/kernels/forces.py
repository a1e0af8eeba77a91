"""Forces of water on a mesh: pressure, drag, lift and skin friction (Yuksel et al. 2007; Qin and Zeng, §3.2).

Pressure is p = ρ g (η − y) below the local surface η: it gives buoyancy, the righting moment and the push of a wave's
slope at once. A mesh is cut along the waterline and integrated exactly over what is wet; spheres, which have a closed
form, are in `spheres`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import jit

from .linear_algebra import Vector, cross, dot, length, less, plus, store, times, vector
from .local_water import height_at

TINY = 1e-12


@jit
def face_force(normal: Vector, area: float, motion: Vector, world: Any) -> Vector:
    """Drag, lift and friction on one wet face [N].

    Drag acts where the face moves into the water, N·U > 0, on its area as seen along U: −½ρ C_D A (N·U) U. Lift acts
    along the part of N that is square to U, −½ρ C_L A (N·U) |U| of it; friction on every wet face, along it.

    Args:
        normal: unit normal N, outwards.
        area: wet area A [m²].
        motion: velocity U of the face against the water [m/s].
        world: coefficients and density.
    """
    speed = length(motion)
    if speed < TINY:
        return 0.0, 0.0, 0.0
    half = 0.5 * world.water_density * area
    into = dot(normal, motion)
    force = plus((0.0, 0.0, 0.0), -half * world.skin * speed, plus(motion, -into, normal))
    if into > 0.0:
        force = plus(force, -half * world.drag * into, motion)
        square = plus(normal, -into / (speed * speed), motion)
        share = length(square)
        if share > 1e-6:
            force = plus(force, -half * world.lift * into * speed / share, square)
    return force


@jit
def add_at(force: Vector, arm: Vector, sum_array: Any, torque_array: Any) -> None:
    """Add a force and its torque around the centre of mass."""
    torque = cross(arm, force)
    for i in range(3):
        sum_array[i] += force[i]
        torque_array[i] += torque[i]


@jit
def _wet_triangle(body: Any, world: Any, a: Vector, b: Vector, c: Vector, deep: Vector) -> None:
    """Add the forces on a triangle that is wholly wet.

    Args:
        body: whose force, torque and drag to add to.
        world: coefficients.
        a: a corner from the centre of mass [m], counter-clockwise from outside.
        b: the next.
        c: the last.
        deep: depths of the corners [m], 0 or more.
    """
    area_vector = cross(less(b, a), less(c, a))
    double = length(area_vector)
    total = deep[0] + deep[1] + deep[2]
    if double < TINY * TINY:
        return
    normal = (area_vector[0] / double, area_vector[1] / double, area_vector[2] / double)
    middle = (
        (a[0] + b[0] + c[0]) / 3.0,
        (a[1] + b[1] + c[1]) / 3.0,
        (a[2] + b[2] + c[2]) / 3.0,
    )
    if total > 0.0:
        # Pressure is linear on the triangle: its force acts at Σ p (x + 3·middle) / 4Σp.
        pressed = plus(plus(plus((0.0, 0.0, 0.0), deep[0], a), deep[1], b), deep[2], c)
        centre = plus((0.0, 0.0, 0.0), 0.25, plus(pressed, 3.0 * total, middle))
        centre = (centre[0] / total, centre[1] / total, centre[2] / total)
        pressure = world.water_density * world.gravity * total / 3.0
        body.wet_volume -= total / 6.0 * area_vector[1]
        add_at(plus((0.0, 0.0, 0.0), -0.5 * pressure, area_vector), centre, body.force, body.torque)
    motion = plus(less(vector(body.velocity), vector(body.flow)), 1.0, cross(vector(body.spin), middle))
    add_at(face_force(normal, 0.5 * double, motion, world), middle, body.drag, body.drag_torque)


@jit
def _cut(a: Vector, b: Vector, deep_a: float, deep_b: float) -> Vector:
    """Where the edge from a (wet) to b (dry) meets the surface."""
    return plus(a, deep_a / (deep_a - deep_b), less(b, a))


@jit
def face_forces(body: Any, world: Any, a: Vector, b: Vector, c: Vector, deep: Vector) -> None:
    """Add the forces on the wet part of a triangle; `deep` are its corners' depths [m], below 0 where they are dry."""
    wet = (deep[0] > 0.0) + (deep[1] > 0.0) + (deep[2] > 0.0)
    if wet == 0:
        return
    if wet == 3:
        _wet_triangle(body, world, a, b, c, deep)
        return
    # Turn the corners so that the odd one, the only wet or the only dry, comes first.
    odd = wet == 1
    if (deep[1] > 0.0) == odd:
        a, b, c, deep = b, c, a, (deep[1], deep[2], deep[0])
    elif (deep[2] > 0.0) == odd:
        a, b, c, deep = c, a, b, (deep[2], deep[0], deep[1])
    if odd:
        ab, ac = _cut(a, b, deep[0], deep[1]), _cut(a, c, deep[0], deep[2])
        _wet_triangle(body, world, a, ab, ac, (deep[0], 0.0, 0.0))
    else:
        ab, ac = _cut(b, a, deep[1], deep[0]), _cut(c, a, deep[2], deep[0])
        _wet_triangle(body, world, ab, b, c, (0.0, deep[1], deep[2]))
        _wet_triangle(body, world, ab, c, ac, (0.0, deep[2], 0.0))


@jit
def mesh_forces(
    body: Any,
    world: Any,
    vertices: NDArray[np.float64],
    faces: NDArray[np.int64],
    work: NDArray[np.float64],
) -> None:
    """Fill force, torque, drag and wet volume of a mesh.

    Args:
        body: whose.
        world: coefficients.
        vertices: of the shape, shape (n, 3).
        faces: of the shape, shape (m, 3).
        work: room for n rows of arm from the centre of mass and depth, shape (n or more, 4).
    """
    x, y, z = vector(body.position)
    scale = vector(body.scale)
    deepest = -1.0
    for k in range(vertices.shape[0]):
        own = (scale[0] * vertices[k, 0], scale[1] * vertices[k, 1], scale[2] * vertices[k, 2])
        arm = times(body.rotation, own)
        store(work[k], arm)
        work[k, 3] = height_at(world, x + arm[0], z + arm[2]) - y - arm[1]
        deepest = max(deepest, work[k, 3])
    body.wet_volume = 0.0
    if deepest <= 0.0:
        return
    for k in range(faces.shape[0]):
        i, j, l = faces[k, 0], faces[k, 1], faces[k, 2]  # noqa: E741
        deep = (work[i, 3], work[j, 3], work[l, 3])
        face_forces(body, world, vector(work[i]), vector(work[j]), vector(work[l]), deep)
    body.wet_volume = min(max(body.wet_volume, 0.0), body.volume)

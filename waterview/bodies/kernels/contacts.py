"""What bodies bump into: an impulse with restitution and friction, and a shift that takes them out of each other.

A contact is one point. Bodies touch the walls around the grid and the ground here; each other in `collisions`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import jit

from .linear_algebra import Vector, arm_to, cross, dot, length, plus, store, times, vector
from .records import BLOCK

Floats = NDArray[np.float32]

SLOP = 1e-3
"""Depth of a contact that is left alone, as a share of the body's reach, so that resting bodies stay in touch."""

NEAR = 0.01
"""Height over the ground at which a vertex already touches it, as a share of the reach: so all feet of a body stand."""

ROLLING = 0.95
"""What a touch of the ground leaves of a mesh's spin."""

MENDED = 0.6
"""Share of a deeper contact that is taken back at once."""

SOFT = 0.05
"""Closing speed below which nothing bounces [m/s], beside what gravity gives in two sub-steps."""

SAMPLES = 8
"""Points of ground looked at from a sphere's middle to its rim, at most."""


@jit
def point_velocity(body: Any, arm: Vector) -> Vector:
    """Velocity of the point `arm` away from the centre of mass [m/s]."""
    return plus(vector(body.velocity), 1.0, cross(vector(body.spin), arm))


@jit
def response(body: Any, arm: Vector, along: Vector) -> float:
    """Change of the velocity of a point along a unit vector by an impulse of 1 N s along it [1/kg]."""
    turning = cross(times(body.inverse, cross(arm, along)), arm)
    return float(1.0 / body.mass + dot(turning, along))


@jit
def strike(body: Any, arm: Vector, impulse: float, along: Vector) -> None:
    """Give a body an impulse [N s] along a unit vector."""
    store(body.velocity, plus(vector(body.velocity), impulse / body.mass, along))
    store(body.spin, plus(vector(body.spin), impulse, times(body.inverse, cross(arm, along))))


@jit
def impulses(world: Any, closing: Vector, normal: Vector, along_normal: float) -> tuple[float, Vector]:
    """Impulse along the normal, and the sideways motion that friction works against; 0 where bodies part.

    Args:
        world: coefficients.
        closing: velocity of the one against the other at the contact.
        normal: unit vector along which they are to part.
        along_normal: sum of both responses along the normal.
    """
    speed = dot(closing, normal)
    if speed >= 0.0:
        return 0.0, (0.0, 0.0, 0.0)
    bounce = world.bounce if speed < -world.soft else 0.0
    return -(1.0 + bounce) * speed / along_normal, plus(closing, -speed, normal)


@jit
def bounce(body: Any, world: Any, arm: Vector, normal: Vector) -> None:
    """Throw a body back from something that does not move.

    Args:
        body: which.
        world: coefficients.
        arm: from its centre of mass to the contact [m].
        normal: unit vector away from the obstacle.
    """
    closing = point_velocity(body, arm)
    impulse, sideways = impulses(world, closing, normal, response(body, arm, normal))
    if impulse > 0.0:
        strike(body, arm, impulse, normal)
        slip = length(sideways)
        if slip > 1e-9:
            along = (sideways[0] / slip, sideways[1] / slip, sideways[2] / slip)
            still = slip / response(body, arm, along)
            strike(body, arm, -min(world.friction * impulse, still), along)


@jit
def take_out(body: Any, normal: Vector, depth: float) -> None:
    """Shift a body out of an obstacle that it is `depth` [m] deep in."""
    excess = depth - SLOP * body.reach
    if excess > 0.0:
        store(body.position, plus(vector(body.position), MENDED * excess, normal))


@jit
def extreme(body: Any, vertices: NDArray[np.float64], along: Vector) -> Vector:
    """The arm of the body's point that lies farthest along a unit vector."""
    if body.form == 0:
        return plus((0.0, 0.0, 0.0), 0.5 * body.scale[0], along)
    best, farthest = (0.0, 0.0, 0.0), -math.inf
    for k in range(vertices.shape[0]):
        arm = arm_to(body, vertices, k)
        if dot(arm, along) > farthest:
            best, farthest = arm, dot(arm, along)
    return best


@jit
def meet_walls(body: Any, world: Any, vertices: NDArray[np.float64]) -> bool:
    """Keep a body inside the four walls around the grid; whether it touched one."""
    x, z, reach, touched = body.position[0], body.position[2], body.reach, False
    far_x, far_z = world.x + (world.columns - 1) * world.spacing, world.z + (world.rows - 1) * world.spacing
    if min(x - world.x, far_x - x) >= reach and min(z - world.z, far_z - z) >= reach:
        return False
    ends = (world.x, far_x, world.z, far_z)
    for wall in range(4):
        axis, side = 2 * (wall // 2), -1.0 if wall % 2 == 0 else 1.0
        if side * (body.position[axis] - ends[wall]) + body.reach <= 0.0:
            continue
        outwards = (side * (axis == 0), 0.0, side * (axis == 2))
        arm = extreme(body, vertices, outwards)
        depth = side * (body.position[axis] + arm[axis] - ends[wall])
        if depth > 0.0:
            inwards = (-outwards[0], 0.0, -outwards[2])
            bounce(body, world, arm, inwards)
            take_out(body, inwards, depth)
            touched = True
    return touched


@jit
def ground_at(bed: Floats, world: Any, x: float, z: float) -> tuple[float, Vector]:
    """Height of the ground [m], bilinear, and its unit normal."""
    nz, nx = bed.shape
    fx = min(max((x - world.x) / world.spacing, 0.0), nx - 1.0)
    fz = min(max((z - world.z) / world.spacing, 0.0), nz - 1.0)
    ix, iz = min(int(fx), nx - 2), min(int(fz), nz - 2)
    tx, tz = fx - ix, fz - iz
    a, b, c, d = bed[iz, ix], bed[iz, ix + 1], bed[iz + 1, ix], bed[iz + 1, ix + 1]
    slope_x = ((1.0 - tz) * (b - a) + tz * (d - c)) / world.spacing
    slope_z = ((1.0 - tx) * (c - a) + tx * (d - b)) / world.spacing
    share = 1.0 / math.sqrt(1.0 + slope_x * slope_x + slope_z * slope_z)
    height = (1.0 - tz) * ((1.0 - tx) * a + tx * b) + tz * ((1.0 - tx) * c + tx * d)
    return height, (-slope_x * share, share, -slope_z * share)


@jit
def near_ground(body: Any, world: Any, tops: Floats) -> bool:
    """Whether the highest ground of the blocks under a body reaches up to it."""
    low = body.position[1] - body.reach
    if world.highest <= low:
        return False
    rows, columns = tops.shape
    size = BLOCK * world.spacing
    first_x = max(int((body.position[0] - body.reach - world.x) / size), 0)
    first_z = max(int((body.position[2] - body.reach - world.z) / size), 0)
    last_x = min(int(max(body.position[0] + body.reach - world.x, 0.0) / size), columns - 1)
    last_z = min(int(max(body.position[2] + body.reach - world.z, 0.0) / size), rows - 1)
    for i in range(min(first_z, rows - 1), last_z + 1):
        for j in range(min(first_x, columns - 1), last_x + 1):
            if tops[i, j] > low:
                return True
    return False


@jit
def _sphere_on_ground(body: Any, world: Any, bed: Floats) -> tuple[float, Vector]:
    """Depth [m] and normal of a sphere's deepest contact with the ground; the depth is 0 or less where there is none.

    Below its centre the ground is taken for the plane that it is there. What stands beside it is found point by point;
    where it stands higher than the centre, it is a wall.
    """
    x, y, z = vector(body.position)
    radius = 0.5 * body.scale[0]
    height, normal = ground_at(bed, world, x, z)
    depth = radius - (y - height) * normal[1]
    if height >= y:
        return depth, normal
    nz, nx = bed.shape
    stride = max(1, int(radius / (SAMPLES * world.spacing)))
    first_x, last_x = math.ceil((x - radius - world.x) / world.spacing), int((x + radius - world.x) / world.spacing)
    first_z, last_z = math.ceil((z - radius - world.z) / world.spacing), int((z + radius - world.z) / world.spacing)
    for i in range(max(first_z, 0), min(last_z, nz - 1) + 1, stride):
        for j in range(max(first_x, 0), min(last_x, nx - 1) + 1, stride):
            away = (x - world.x - j * world.spacing, max(y - bed[i, j], 0.0), z - world.z - i * world.spacing)
            distance = length(away)
            if radius - distance > depth and distance > 0.0:
                depth, normal = radius - distance, (away[0] / distance, away[1] / distance, away[2] / distance)
    return depth, normal


@jit
def way_back(body: Any, world: Any, bed: Floats, arm: Vector, depth: float, normal: Vector) -> tuple[float, Vector]:
    """Depth and normal of a point that is in ground higher than the body's centre: it came in through a wall.

    The way out leads level towards the centre until the ground is below the point; if that does not help, up.
    """
    x, y, z = vector(body.position)
    away = math.sqrt(arm[0] * arm[0] + arm[2] * arm[2])
    steps = min(int(2.0 * away / world.spacing) + 1, 2 * SAMPLES)
    for k in range(1, steps + 1):
        left = 1.0 - k / steps
        if ground_at(bed, world, x + left * arm[0], z + left * arm[2])[0] <= y + arm[1] and away > 0.0:
            return away * k / steps, (-arm[0] / away, 0.0, -arm[2] / away)
    return depth, normal


@jit
def meet_ground(body: Any, world: Any, vertices: NDArray[np.float64], bed: Floats) -> bool:
    """Keep a body out of the ground: a sphere by its deepest point, a mesh by the middle of what touches it.

    Returns whether it touched the ground.

    Vertices count by their depth, so a body that stands level is held in its middle and one that tips is held where it
    tips; vertex by vertex it would never come to rest.
    """
    if body.form == 0:
        depth, normal = _sphere_on_ground(body, world, bed)
        if depth > 0.0:
            bounce(body, world, plus((0.0, 0.0, 0.0), -0.5 * body.scale[0], normal), normal)
            take_out(body, normal, depth)
        return bool(depth > 0.0)
    deepest, pressed = 0.0, 0.0
    place, away = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    x, y, z = vector(body.position)
    for k in range(vertices.shape[0]):
        arm = arm_to(body, vertices, k)
        height, normal = ground_at(bed, world, x + arm[0], z + arm[2])
        depth = (height - y - arm[1]) * normal[1]
        if height > y and depth > 0.0:
            depth, normal = way_back(body, world, bed, arm, depth, normal)
        weight = depth + NEAR * body.reach
        if weight > 0.0:
            pressed += weight
            place, away = plus(place, weight, arm), plus(away, weight, normal)
            deepest = max(deepest, depth)
    size = length(away)
    touched = bool(size > 1e-9 * pressed > 0.0)
    if touched:
        normal = (away[0] / size, away[1] / size, away[2] / size)
        bounce(body, world, (place[0] / pressed, place[1] / pressed, place[2] / pressed), normal)
        store(body.spin, plus((0.0, 0.0, 0.0), ROLLING, vector(body.spin)))
        take_out(body, normal, deepest)
    return touched

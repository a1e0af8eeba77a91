"""Contacts of bodies with the walls around the grid, with the ground and with each other.

A contact is one point. It gives an impulse with restitution and friction, and a shift that separates the bodies. Two
bodies meet with collision spheres and exact boxes: a sphere is one collision sphere, a mesh is filled with them, and a
box has small ones in its corners and edges that meet the sides of another box.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import callee

from .linear_algebra import (
    Vector,
    arm_to,
    cross,
    dot,
    length,
    minus,
    plus,
    scaled,
    store,
    times,
    transpose_times,
    vector,
)
from .records import BLOCK, BOX, SPHERE, Ground

Floats = NDArray[np.float32]
Spheres = NDArray[np.float64]
Contact = tuple[float, Vector, Vector]
"""Depth [m], place in the world and unit normal; a depth of 0 or less is no contact."""

SLOP = 1e-3
"""Depth of a contact that is not corrected, as a share of the bounding radius, so that resting bodies stay in touch."""

NEAR = 0.01
"""Height over the ground at which a vertex already touches it, as a share of the bounding radius, so that a body stands
on all of its feet."""

ROLLING = 0.95
"""What a touch of the ground leaves of a mesh's spin."""

CORRECTION = 0.6
"""Share of a deeper contact that is corrected at once."""

BOUNCE_THRESHOLD = 0.05
"""Closing speed below which nothing bounces [m/s], beside what gravity gives in two sub-steps."""

SAMPLES = 8
"""Most points of ground that are looked at from a sphere's middle to its rim."""

CORNER = 0.1
"""Radius of the collision spheres in a box's corners and edges, as a share of half its shortest side."""

NO_CONTACT = (0.0, (0.0, 0.0, 0.0), (0.0, 1.0, 0.0))


@callee
def point_velocity(body: Any, arm: Vector) -> Vector:
    """Velocity of the point `arm` away from the centre of mass [m/s]."""
    return plus(vector(body.velocity), 1.0, cross(vector(body.spin), arm))


@callee
def velocity_change(body: Any, arm: Vector, along: Vector) -> float:
    """How much an impulse of 1 N s along a unit vector changes the velocity of its point along that vector [1/kg]."""
    rotation = cross(times(body.world_inverse_inertia, cross(arm, along)), arm)
    return float(1.0 / body.mass + dot(rotation, along))


@callee
def apply_impulse(body: Any, arm: Vector, impulse: float, along: Vector) -> None:
    """Give a body an impulse [N s] along a unit vector."""
    store(body.velocity, plus(vector(body.velocity), impulse / body.mass, along))
    store(body.spin, plus(vector(body.spin), impulse, times(body.world_inverse_inertia, cross(arm, along))))


@callee
def impulse_of(env: Any, closing: Vector, normal: Vector, change: float) -> tuple[float, Vector]:
    """Impulse along the normal, 0 where the bodies part, and the tangential motion that friction works against.

    Args:
        env: coefficients.
        closing: velocity of one against the other at the contact.
        normal: unit vector along which they are to part.
        change: `velocity_change` along the normal, summed over both.
    """
    speed = dot(closing, normal)
    if speed >= 0.0:
        return 0.0, (0.0, 0.0, 0.0)
    bounce = env.bounce if speed < -env.bounce_threshold else 0.0
    return -(1.0 + bounce) * speed / change, plus(closing, -speed, normal)


@callee
def bounce(body: Any, env: Any, arm: Vector, normal: Vector) -> None:
    """Let a body bounce off something that does not move.

    Args:
        body: which.
        env: coefficients.
        arm: from its centre of mass to the contact [m].
        normal: unit vector away from the obstacle.
    """
    closing = point_velocity(body, arm)
    impulse, tangential = impulse_of(env, closing, normal, velocity_change(body, arm, normal))
    if impulse > 0.0:
        apply_impulse(body, arm, impulse, normal)
        slip = length(tangential)
        if slip > 1e-9:
            along = (tangential[0] / slip, tangential[1] / slip, tangential[2] / slip)
            stopping = slip / velocity_change(body, arm, along)
            apply_impulse(body, arm, -min(env.friction * impulse, stopping), along)


@callee
def separate(body: Any, normal: Vector, depth: float) -> None:
    """Shift a body out of an obstacle, which it has entered by `depth` [m]."""
    excess = depth - SLOP * body.bounding_radius
    if excess > 0.0:
        store(body.position, plus(vector(body.position), CORRECTION * excess, normal))


@callee
def support_point(body: Any, vertices: NDArray[np.float64], along: Vector) -> Vector:
    """The arm of the support point: the body's point that lies farthest along a unit vector."""
    if body.geometry == SPHERE:
        return scaled(0.5 * body.scale[0], along)
    best, farthest = (0.0, 0.0, 0.0), -math.inf
    for k in range(vertices.shape[0]):
        arm = arm_to(body, vertices, k)
        if dot(arm, along) > farthest:
            best, farthest = arm, dot(arm, along)
    return best


@callee
def meet_walls(body: Any, env: Any, vertices: NDArray[np.float64]) -> bool:
    """Keep a body inside the four walls around the grid; whether it touched one."""
    x, z, reach, touched = body.position[0], body.position[2], body.bounding_radius, False
    far_x, far_z = env.x + (env.columns - 1) * env.spacing, env.z + (env.rows - 1) * env.spacing
    if min(x - env.x, far_x - x) >= reach and min(z - env.z, far_z - z) >= reach:
        return False
    walls = (env.x, far_x, env.z, far_z)
    for wall in range(4):
        axis, side = 2 * (wall // 2), -1.0 if wall % 2 == 0 else 1.0
        if side * (body.position[axis] - walls[wall]) + body.bounding_radius <= 0.0:
            continue
        outwards = (side * (axis == 0), 0.0, side * (axis == 2))
        arm = support_point(body, vertices, outwards)
        depth = side * (body.position[axis] + arm[axis] - walls[wall])
        if depth > 0.0:
            inwards = (-outwards[0], 0.0, -outwards[2])
            bounce(body, env, arm, inwards)
            separate(body, inwards, depth)
            touched = True
    return touched


@callee
def ground_at(bed: Floats, env: Any, x: float, z: float) -> tuple[float, Vector]:
    """Height of the ground [m], bilinear, and its unit normal."""
    nz, nx = bed.shape
    fx = min(max((x - env.x) / env.spacing, 0.0), nx - 1.0)
    fz = min(max((z - env.z) / env.spacing, 0.0), nz - 1.0)
    ix, iz = min(int(fx), nx - 2), min(int(fz), nz - 2)
    tx, tz = fx - ix, fz - iz
    a, b, c, d = bed[iz, ix], bed[iz, ix + 1], bed[iz + 1, ix], bed[iz + 1, ix + 1]
    slope_x = ((1.0 - tz) * (b - a) + tz * (d - c)) / env.spacing
    slope_z = ((1.0 - tx) * (c - a) + tx * (d - b)) / env.spacing
    share = 1.0 / math.sqrt(1.0 + slope_x * slope_x + slope_z * slope_z)
    height = (1.0 - tz) * ((1.0 - tx) * a + tx * b) + tz * ((1.0 - tx) * c + tx * d)
    return height, (-slope_x * share, share, -slope_z * share)


@callee
def near_ground(body: Any, env: Any, ground: Ground) -> bool:
    """Whether the highest ground of the blocks under a body reaches up to it."""
    low = body.position[1] - body.bounding_radius
    rows, columns = ground.highest.shape
    size = BLOCK * env.spacing
    first_x = max(int((body.position[0] - body.bounding_radius - env.x) / size), 0)
    first_z = max(int((body.position[2] - body.bounding_radius - env.z) / size), 0)
    last_x = min(int(max(body.position[0] + body.bounding_radius - env.x, 0.0) / size), columns - 1)
    last_z = min(int(max(body.position[2] + body.bounding_radius - env.z, 0.0) / size), rows - 1)
    for i in range(min(first_z, rows - 1), last_z + 1):
        for j in range(min(first_x, columns - 1), last_x + 1):
            if ground.highest[i, j] > low:
                return True
    return False


@callee
def _sphere_on_ground(body: Any, env: Any, bed: Floats) -> tuple[float, Vector]:
    """Depth [m] and normal of a sphere's deepest contact with the ground; the depth is 0 or less where there is none.

    Below the centre, the ground counts as its tangent plane there. Beside the sphere it is looked at point by point;
    where it is higher than the centre, it is a wall.
    """
    x, y, z = vector(body.position)
    radius = 0.5 * body.scale[0]
    height, normal = ground_at(bed, env, x, z)
    depth = radius - (y - height) * normal[1]
    if height >= y:
        return depth, normal
    nz, nx = bed.shape
    stride = max(1, int(radius / (SAMPLES * env.spacing)))
    first_x, last_x = math.ceil((x - radius - env.x) / env.spacing), int((x + radius - env.x) / env.spacing)
    first_z, last_z = math.ceil((z - radius - env.z) / env.spacing), int((z + radius - env.z) / env.spacing)
    for i in range(max(first_z, 0), min(last_z, nz - 1) + 1, stride):
        for j in range(max(first_x, 0), min(last_x, nx - 1) + 1, stride):
            away = (x - env.x - j * env.spacing, max(y - bed[i, j], 0.0), z - env.z - i * env.spacing)
            distance = length(away)
            if radius - distance > depth and distance > 0.0:
                depth, normal = radius - distance, (away[0] / distance, away[1] / distance, away[2] / distance)
    return depth, normal


@callee
def way_out_of_wall(
    body: Any, env: Any, bed: Floats, arm: Vector, depth: float, normal: Vector
) -> tuple[float, Vector]:
    """Depth and normal of a point in ground that is higher than the body's centre: it came in through a wall.

    The way out leads horizontally towards the centre until the ground is below the point, or else up.
    """
    x, y, z = vector(body.position)
    away = math.sqrt(arm[0] * arm[0] + arm[2] * arm[2])
    steps = min(int(2.0 * away / env.spacing) + 1, 2 * SAMPLES)
    for k in range(1, steps + 1):
        left = 1.0 - k / steps
        if ground_at(bed, env, x + left * arm[0], z + left * arm[2])[0] <= y + arm[1] and away > 0.0:
            return away * k / steps, (-arm[0] / away, 0.0, -arm[2] / away)
    return depth, normal


@callee
def meet_ground(body: Any, env: Any, vertices: NDArray[np.float64], bed: Floats) -> bool:
    """Keep a body out of the ground: a sphere at its deepest point, a mesh at the mean of the vertices that touch it.

    Vertices count by their depth: a body that stands level is supported in its middle, and one that tips where it tips.
    Vertex by vertex it would never come to rest. Returns whether it touched the ground.
    """
    if body.geometry == SPHERE:
        depth, normal = _sphere_on_ground(body, env, bed)
        if depth > 0.0:
            bounce(body, env, scaled(-0.5 * body.scale[0], normal), normal)
            separate(body, normal, depth)
        return bool(depth > 0.0)
    deepest, weights = 0.0, 0.0
    place, outwards = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    x, y, z = vector(body.position)
    for k in range(vertices.shape[0]):
        arm = arm_to(body, vertices, k)
        height, normal = ground_at(bed, env, x + arm[0], z + arm[2])
        depth = (height - y - arm[1]) * normal[1]
        if height > y and depth > 0.0:
            depth, normal = way_out_of_wall(body, env, bed, arm, depth, normal)
        weight = depth + NEAR * body.bounding_radius
        if weight > 0.0:
            weights += weight
            place, outwards = plus(place, weight, arm), plus(outwards, weight, normal)
            deepest = max(deepest, depth)
    size = length(outwards)
    touched = bool(size > 1e-9 * weights > 0.0)
    if touched:
        normal = (outwards[0] / size, outwards[1] / size, outwards[2] / size)
        bounce(body, env, (place[0] / weights, place[1] / weights, place[2] / weights), normal)
        store(body.spin, scaled(ROLLING, vector(body.spin)))
        separate(body, normal, deepest)
    return touched


# --- between bodies


@callee
def sphere_count(body: Any) -> int:
    """Number of collision spheres of a body."""
    return 27 if body.geometry == BOX else int(body.end_sphere - body.first_sphere)


@callee
def collision_sphere(body: Any, spheres: Spheres, k: int) -> tuple[Vector, float]:
    """Centre in the world and radius of a body's k-th collision sphere [m]."""
    scale = vector(body.scale)
    smallest = min(scale[0], scale[1], scale[2])
    if body.geometry == BOX:
        radius = 0.5 * smallest * (1.0 if k == 13 else CORNER)
        steps = (k // 9 - 1.0, k // 3 % 3 - 1.0, k % 3 - 1.0)
        own = (
            steps[0] * (0.5 * scale[0] - radius),
            steps[1] * (0.5 * scale[1] - radius),
            steps[2] * (0.5 * scale[2] - radius),
        )
    else:
        row = spheres[body.first_sphere + k]
        radius = smallest * row[3]
        own = (scale[0] * row[0], scale[1] * row[1], scale[2] * row[2])
    return plus(vector(body.position), 1.0, times(body.rotation, own)), radius


@callee
def _sphere_against_box(box: Any, centre: Vector, radius: float) -> Contact:
    """The contact of a collision sphere with a box; the normal points out of the box."""
    own = transpose_times(box.rotation, minus(centre, vector(box.position)))
    half = (0.5 * box.scale[0], 0.5 * box.scale[1], 0.5 * box.scale[2])
    nearest = (
        min(max(own[0], -half[0]), half[0]),
        min(max(own[1], -half[1]), half[1]),
        min(max(own[2], -half[2]), half[2]),
    )
    away = minus(own, nearest)
    distance = length(away)
    if distance > 1e-12:
        normal = times(box.rotation, (away[0] / distance, away[1] / distance, away[2] / distance))
        return radius - distance, plus(vector(box.position), 1.0, times(box.rotation, nearest)), normal
    # The centre is inside: out through the nearest side.
    axis, gap = 0, math.inf
    for k in range(3):
        if half[k] - abs(own[k]) < gap:
            axis, gap = k, half[k] - abs(own[k])
    side = math.copysign(1.0, own[axis])
    normal = times(box.rotation, (side * (axis == 0), side * (axis == 1), side * (axis == 2)))
    return radius + gap, plus(centre, gap, normal), normal


@callee
def _spheres_against_box(box: Any, other: Any, spheres: Spheres) -> Contact:
    """The deepest contact of the other's collision spheres with a box."""
    best = NO_CONTACT
    for k in range(sphere_count(other)):
        centre, radius = collision_sphere(other, spheres, k)
        found = _sphere_against_box(box, centre, radius)
        if found[0] > best[0]:
            best = found
    return best


@callee
def _spheres_against_spheres(a: Any, b: Any, spheres: Spheres) -> Contact:
    """The deepest contact of the collision spheres of two bodies; the normal points from b to a."""
    best = NO_CONTACT
    for i in range(sphere_count(a)):
        centre, radius = collision_sphere(a, spheres, i)
        for j in range(sphere_count(b)):
            other, other_radius = collision_sphere(b, spheres, j)
            away = minus(centre, other)
            distance = length(away)
            depth = radius + other_radius - distance
            if depth > best[0]:
                normal = (0.0, 1.0, 0.0)
                if distance > 1e-12:
                    normal = (away[0] / distance, away[1] / distance, away[2] / distance)
                best = (depth, plus(other, other_radius - 0.5 * depth, normal), normal)
    return best


@callee
def deepest_contact(a: Any, b: Any, spheres: Spheres) -> Contact:
    """The deepest contact of two bodies; the normal points from b to a."""
    best = NO_CONTACT
    if not (a.geometry == BOX or b.geometry == BOX):  # noqa: PLR1714 (numba knows no such tuple)
        return _spheres_against_spheres(a, b, spheres)
    if b.geometry == BOX:
        best = _spheres_against_box(b, a, spheres)
    if a.geometry == BOX:
        depth, place, normal = _spheres_against_box(a, b, spheres)
        if depth > best[0]:
            best = (depth, place, (-normal[0], -normal[1], -normal[2]))
    return best


@callee
def are_apart(a: Any, b: Any) -> bool:
    """Whether the spheres around two bodies do not touch."""
    x, y, z = a.position[0] - b.position[0], a.position[1] - b.position[1], a.position[2] - b.position[2]
    reach = a.bounding_radius + b.bounding_radius
    return bool(x * x + y * y + z * z >= reach * reach)


@callee
def meet_body(a: Any, b: Any, env: Any, spheres: Spheres) -> bool:
    """Let two bodies bounce off each other; returns whether they touch. The lighter one is shifted more."""
    depth, place, normal = deepest_contact(a, b, spheres)
    if depth <= 0.0:
        return False
    arm_a, arm_b = minus(place, vector(a.position)), minus(place, vector(b.position))
    closing = minus(point_velocity(a, arm_a), point_velocity(b, arm_b))
    along_normal = velocity_change(a, arm_a, normal) + velocity_change(b, arm_b, normal)
    impulse, tangential = impulse_of(env, closing, normal, along_normal)
    if impulse > 0.0:
        apply_impulse(a, arm_a, impulse, normal)
        apply_impulse(b, arm_b, -impulse, normal)
        slip = length(tangential)
        if slip > 1e-9:
            along = (tangential[0] / slip, tangential[1] / slip, tangential[2] / slip)
            stopping = slip / (velocity_change(a, arm_a, along) + velocity_change(b, arm_b, along))
            rubbing = min(env.friction * impulse, stopping)
            apply_impulse(a, arm_a, -rubbing, along)
            apply_impulse(b, arm_b, rubbing, along)
    excess = CORRECTION * (depth - SLOP * min(a.bounding_radius, b.bounding_radius))
    if excess > 0.0:
        share = b.mass / (a.mass + b.mass)
        store(a.position, plus(vector(a.position), excess * share, normal))
        store(b.position, plus(vector(b.position), excess * (share - 1.0), normal))
    return True

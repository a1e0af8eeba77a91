"""Where bodies touch each other: balls against balls and against exact boxes.

A sphere is one ball and a box is a box, so those meet exactly. A mesh is filled with balls; two boxes meet with small
balls in the corners and edges of the one against the other's sides, and the other way round.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import jit

from .contacts import MENDED, SLOP, impulses, point_velocity, response, strike
from .linear_algebra import Vector, length, less, plus, store, times, transposed_times, vector

Balls = NDArray[np.float64]
Contact = tuple[float, Vector, Vector]

CORNER = 0.1
"""Radius of the balls in a box's corners and edges, as a share of half its shortest side."""

NOWHERE = (0.0, (0.0, 0.0, 0.0), (0.0, 1.0, 0.0))


@jit
def ball_count(body: Any) -> int:
    """Number of balls that stand for a body."""
    return 27 if body.form == 1 else int(body.end_ball - body.first_ball)


@jit
def ball(body: Any, balls: Balls, k: int) -> tuple[Vector, float]:
    """Centre in the world and radius of a body's k-th ball [m]."""
    scale = vector(body.scale)
    smallest = min(scale[0], scale[1], scale[2])
    if body.form == 1:
        radius = 0.5 * smallest * (1.0 if k == 13 else CORNER)
        steps = (k // 9 - 1.0, k // 3 % 3 - 1.0, k % 3 - 1.0)
        own = (
            steps[0] * (0.5 * scale[0] - radius),
            steps[1] * (0.5 * scale[1] - radius),
            steps[2] * (0.5 * scale[2] - radius),
        )
    else:
        row = balls[body.first_ball + k]
        radius = smallest * row[3]
        own = (scale[0] * row[0], scale[1] * row[1], scale[2] * row[2])
    return plus(vector(body.position), 1.0, times(body.rotation, own)), radius


@jit
def _ball_in_box(box: Any, centre: Vector, radius: float) -> Contact:
    """Depth, place and normal (out of the box) of a ball's contact with a box; the depth is 0 or less if none."""
    own = transposed_times(box.rotation, less(centre, vector(box.position)))
    half = (0.5 * box.scale[0], 0.5 * box.scale[1], 0.5 * box.scale[2])
    nearest = (
        min(max(own[0], -half[0]), half[0]),
        min(max(own[1], -half[1]), half[1]),
        min(max(own[2], -half[2]), half[2]),
    )
    away = less(own, nearest)
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


@jit
def _balls_in_box(box: Any, other: Any, balls: Balls) -> Contact:
    """The deepest contact of the other's balls with a box."""
    best = NOWHERE
    for k in range(ball_count(other)):
        centre, radius = ball(other, balls, k)
        found = _ball_in_box(box, centre, radius)
        if found[0] > best[0]:
            best = found
    return best


@jit
def _balls_in_balls(a: Any, b: Any, balls: Balls) -> Contact:
    """The deepest contact of the balls of two bodies; the normal points from b to a."""
    best = NOWHERE
    for i in range(ball_count(a)):
        centre, radius = ball(a, balls, i)
        for j in range(ball_count(b)):
            other, other_radius = ball(b, balls, j)
            away = less(centre, other)
            distance = length(away)
            depth = radius + other_radius - distance
            if depth > best[0]:
                normal = (0.0, 1.0, 0.0)
                if distance > 1e-12:
                    normal = (away[0] / distance, away[1] / distance, away[2] / distance)
                best = (depth, plus(other, other_radius - 0.5 * depth, normal), normal)
    return best


@jit
def contact_of(a: Any, b: Any, balls: Balls) -> Contact:
    """Depth [m], place in the world and normal from b to a of the deepest contact of two bodies; depth 0 if none."""
    best = NOWHERE
    if a.form != 1 and b.form != 1:
        return _balls_in_balls(a, b, balls)
    if b.form == 1:
        best = _balls_in_box(b, a, balls)
    if a.form == 1:
        depth, place, normal = _balls_in_box(a, b, balls)
        if depth > best[0]:
            best = (depth, place, (-normal[0], -normal[1], -normal[2]))
    return best


@jit
def are_apart(a: Any, b: Any) -> bool:
    """Whether the spheres around two bodies do not touch."""
    x, y, z = a.position[0] - b.position[0], a.position[1] - b.position[1], a.position[2] - b.position[2]
    reach = a.reach + b.reach
    return bool(x * x + y * y + z * z >= reach * reach)


@jit
def meet(a: Any, b: Any, world: Any, balls: Balls) -> bool:
    """Let two bodies bounce off each other if they touch, which is returned; the lighter one gives way more."""
    depth, place, normal = contact_of(a, b, balls)
    if depth <= 0.0:
        return False
    arm_a, arm_b = less(place, vector(a.position)), less(place, vector(b.position))
    closing = less(point_velocity(a, arm_a), point_velocity(b, arm_b))
    along_normal = response(a, arm_a, normal) + response(b, arm_b, normal)
    impulse, sideways = impulses(world, closing, normal, along_normal)
    if impulse > 0.0:
        strike(a, arm_a, impulse, normal)
        strike(b, arm_b, -impulse, normal)
        slip = length(sideways)
        if slip > 1e-9:
            along = (sideways[0] / slip, sideways[1] / slip, sideways[2] / slip)
            still = slip / (response(a, arm_a, along) + response(b, arm_b, along))
            rubbed = min(world.friction * impulse, still)
            strike(a, arm_a, -rubbed, along)
            strike(b, arm_b, rubbed, along)
    excess = MENDED * (depth - SLOP * min(a.reach, b.reach))
    if excess > 0.0:
        share = b.mass / (a.mass + b.mass)
        store(a.position, plus(vector(a.position), excess * share, normal))
        store(b.position, plus(vector(b.position), excess * (share - 1.0), normal))
    return True

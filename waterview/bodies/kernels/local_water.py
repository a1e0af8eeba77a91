"""The water around a body, as the body feels it: a plane fitted to the surface, and the velocity of the water."""

from __future__ import annotations

import math
from typing import Any

import numba

from waterview.simd.jit import callee, float_pointer

RINGS = (math.sqrt(0.5 - math.sqrt(1.0 / 12.0)), math.sqrt(0.5 + math.sqrt(1.0 / 12.0)))
"""Radii of two rings of six points whose mean is that of the disc for all polynomials up to the fifth degree."""

ALONG = math.sqrt(0.75)
"""How far four points of a ring lie from its middle along z, in radii; along x half a radius. Two lie at its ends."""

STEEPEST = 2.0
"""Largest slope that a body feels. Anything steeper is noise of the grid."""

FLOW_DECAY_RATE = 0.2
"""How fast the horizontal flow under a body decays [1/s], so that no current is left of a wave that is gone."""

AVERAGING_TIME = 0.5
"""Time over which the mean level around a body is averaged [s]."""

FASTEST = 20.0
"""Largest velocity of the water that a body feels [m/s]."""


@callee
def cell_of(points_along: float, points: int) -> tuple[int, float]:
    """The grid point before a place along an axis, and the share of a cell beyond it; clamped to the grid."""
    clamped = min(max(points_along, 0.0), points - 1.0)
    first = min(int(clamped), points - 2)
    return first, clamped - first


@callee
def column_at(env: Any, x: float) -> tuple[int, float]:
    """`cell_of` a world x [m]."""
    return cell_of((x - env.x) * env.points_per_metre, env.columns)


@callee
def row_at(env: Any, z: float) -> tuple[int, float]:
    """`cell_of` a world z [m]."""
    return cell_of((z - env.z) * env.points_per_metre, env.rows)


@callee
def height_in(env: Any, column: tuple[int, float], row: tuple[int, float]) -> float:
    """Height of the surface above still water [m], bilinear."""
    heights = numba.carray(float_pointer(env.heights), (env.rows, env.heights_stride))
    (ix, tx), (iz, tz) = column, row
    near = (1.0 - tx) * heights[iz, ix] + tx * heights[iz, ix + 1]
    far = (1.0 - tx) * heights[iz + 1, ix] + tx * heights[iz + 1, ix + 1]
    return float((1.0 - tz) * near + tz * far)


@callee
def height_at(env: Any, x: float, z: float) -> float:
    """World height of the surface at x, z [m]; beyond the edge that of the edge."""
    return float(env.level + height_in(env, column_at(env, x), row_at(env, z)))


@callee
def fit_plane(env: Any, x: float, z: float, radius: float) -> tuple[float, float, float]:
    """Mean world height [m] and slopes along x and z of the surface on a disc."""
    total = slope_x = slope_z = squares = 0.0
    middle = row_at(env, z)
    for ring in RINGS:
        r = ring * radius
        north, south = row_at(env, z - ALONG * r), row_at(env, z + ALONG * r)
        west, east = column_at(env, x - 0.5 * r), column_at(env, x + 0.5 * r)
        a, b = height_in(env, west, north), height_in(env, east, north)
        c, d = height_in(env, west, south), height_in(env, east, south)
        e, f = height_in(env, column_at(env, x - r), middle), height_in(env, column_at(env, x + r), middle)
        total += a + b + c + d + e + f
        slope_x += r * (0.5 * (b - a + d - c) + f - e)
        slope_z += ALONG * r * (c - a + d - b)
        squares += 3.0 * r * r
    slope_x, slope_z = slope_x / squares, slope_z / squares
    steepness = max(1.0, math.sqrt(slope_x * slope_x + slope_z * slope_z) / STEEPEST)
    return env.level + total / 12.0, slope_x / steepness, slope_z / steepness


@callee
def plane_height(body: Any, x: float, z: float) -> float:
    """World height of the fitted plane at x, z [m]."""
    surface, middle = body.surface, body.middle
    return float(surface[0] + surface[1] * (x - middle[0]) + surface[2] * (z - middle[1]))


@callee
def observe_water(body: Any, env: Any) -> None:
    """Fit the plane around a body. Its change since the last step tells how the water moves.

    The surface rises by ∂η/∂t = dη/dt − v·∇η seen from a body that moves at v; what the body itself has lifted since is
    no motion, so `push_aside` adds it to the plane of the last step. Horizontally, the pressure under the surface
    drives the water by ∂u/∂t = −g ∇η, at any depth of the water, for waves that are not steep.
    """
    dt, last = env.time_step, body.surface[0]
    last_x, last_z = body.surface[1], body.surface[2]
    moved_x, moved_z = body.position[0] - body.middle[0], body.position[2] - body.middle[1]
    x, z = body.position[0], body.position[2]
    height, slope_x, slope_z = fit_plane(env, x, z, body.bounding_radius)
    body.surface[0], body.surface[1], body.surface[2] = height, slope_x, slope_z
    body.middle[0], body.middle[1] = x, z
    if not body.has_history:
        body.flow[:] = 0.0
        body.slope_rate[:] = 0.0
        body.mean_level = height
        return
    body.mean_level += (height - body.mean_level) * env.mean_level_gain
    rise = (height - last - moved_x * slope_x - moved_z * slope_z) / dt
    body.flow[1] = min(max(rise, -FASTEST), FASTEST)
    body.slope_rate[0], body.slope_rate[1] = (slope_x - last_x) / dt, (slope_z - last_z) / dt
    flow_x = env.flow_decay * body.flow[0] - env.gravity * slope_x * dt
    flow_z = env.flow_decay * body.flow[2] - env.gravity * slope_z * dt
    excess = max(1.0, math.sqrt(flow_x * flow_x + flow_z * flow_z) / FASTEST)
    body.flow[0], body.flow[2] = flow_x / excess, flow_z / excess

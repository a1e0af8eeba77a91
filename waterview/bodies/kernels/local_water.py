"""How a body sees the water around it: a plane through the surface, and how plane and water move."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import float_pointer, jit

RINGS = (math.sqrt(0.5 - math.sqrt(1.0 / 12.0)), math.sqrt(0.5 + math.sqrt(1.0 / 12.0)))
"""Radii of two rings of six points whose mean is that of the disc for all polynomials up to the fifth degree."""

ALONG = math.sqrt(0.75)
"""How far four points of a ring lie from its middle along z, in radii; along x half a radius. Two lie at its ends."""

STEEPEST = 2.0
"""Largest slope that a body feels: what is steeper is noise of the grid."""

FADING = 0.2
"""How fast the sideways flow under a body is forgotten [1/s], so that no current is left of a wave that is gone."""

CALMING = 0.5
"""Time over which the mean level around a body is taken [s]."""

FASTEST = 20.0
"""Largest velocity of the water that a body believes [m/s]."""


@jit
def heights_of(world: Any) -> NDArray[np.float32]:
    """The surface's heights above still water [m]; rows may be longer than the grid's."""
    return numba.carray(float_pointer(world.heights[0]), (world.rows, world.heights[1]))  # type: ignore[no-any-return]


@jit
def between(at: float, points: int) -> tuple[int, float]:
    """The grid point before a place along an axis, in points, and how far on that is; beyond the ends, for them."""
    held = min(max(at, 0.0), points - 1.0)
    first = min(int(held), points - 2)
    return first, held - first


@jit
def column_at(world: Any, x: float) -> tuple[int, float]:
    """`between` which points of a row x [m] lies."""
    return between((x - world.x) * world.per_metre, world.columns)


@jit
def row_at(world: Any, z: float) -> tuple[int, float]:
    """`between` which rows z [m] lies."""
    return between((z - world.z) * world.per_metre, world.rows)


@jit
def height_between(world: Any, column: tuple[int, float], row: tuple[int, float]) -> float:
    """Height of the surface above still water [m], bilinear."""
    heights, (ix, tx), (iz, tz) = heights_of(world), column, row
    near = (1.0 - tx) * heights[iz, ix] + tx * heights[iz, ix + 1]
    far = (1.0 - tx) * heights[iz + 1, ix] + tx * heights[iz + 1, ix + 1]
    return float((1.0 - tz) * near + tz * far)


@jit
def height_at(world: Any, x: float, z: float) -> float:
    """World height of the surface at x, z [m]; beyond the edge that of the edge."""
    return float(world.level + height_between(world, column_at(world, x), row_at(world, z)))


@jit
def plane_around(world: Any, x: float, z: float, radius: float) -> tuple[float, float, float]:
    """Mean world height [m] and slopes along x and z of the surface on a disc."""
    total = slope_x = slope_z = squares = 0.0
    middle = row_at(world, z)
    for ring in RINGS:
        r = ring * radius
        north, south = row_at(world, z - ALONG * r), row_at(world, z + ALONG * r)
        west, east = column_at(world, x - 0.5 * r), column_at(world, x + 0.5 * r)
        a, b = height_between(world, west, north), height_between(world, east, north)
        c, d = height_between(world, west, south), height_between(world, east, south)
        e, f = (
            height_between(world, column_at(world, x - r), middle),
            height_between(world, column_at(world, x + r), middle),
        )
        total += a + b + c + d + e + f
        slope_x += r * (0.5 * (b - a + d - c) + f - e)
        slope_z += ALONG * r * (c - a + d - b)
        squares += 3.0 * r * r
    slope_x, slope_z = slope_x / squares, slope_z / squares
    steepness = max(1.0, math.sqrt(slope_x * slope_x + slope_z * slope_z) / STEEPEST)
    return world.level + total / 12.0, slope_x / steepness, slope_z / steepness


@jit
def level_at(body: Any, x: float, z: float) -> float:
    """World height at x, z of the plane that the body takes the surface for [m]."""
    surface, middle = body.surface, body.middle
    return float(surface[0] + surface[1] * (x - middle[0]) + surface[2] * (z - middle[1]))


@jit
def look_at_water(body: Any, world: Any) -> None:
    """Find the plane around the body and, from what it was a step ago, how the water moves.

    What the body itself has lifted since is no motion: `push_aside` adds it to the plane that is remembered. The
    surface rises by ∂η/∂t = dη/dt − v·∇η seen from a body that moves at v. Sideways, pressure under the surface
    drives the water by ∂u/∂t = −g ∇η, at any depth of the water, for waves that are not steep.
    """
    dt, last = world.time_step, body.surface[0]
    last_x, last_z = body.surface[1], body.surface[2]
    moved_x, moved_z = body.position[0] - body.middle[0], body.position[2] - body.middle[1]
    x, z = body.position[0], body.position[2]
    height, slope_x, slope_z = plane_around(world, x, z, body.reach)
    body.surface[0], body.surface[1], body.surface[2] = height, slope_x, slope_z
    body.middle[0], body.middle[1] = x, z
    if not body.remembered:
        body.flow[:] = 0.0
        body.slope_rate[:] = 0.0
        body.mean_level = height
        return
    body.mean_level += (height - body.mean_level) * world.calming
    rise = (height - last - moved_x * slope_x - moved_z * slope_z) / dt
    body.flow[1] = min(max(rise, -FASTEST), FASTEST)
    body.slope_rate[0], body.slope_rate[1] = (slope_x - last_x) / dt, (slope_z - last_z) / dt
    flow_x = world.keeping * body.flow[0] - world.gravity * slope_x * dt
    flow_z = world.keeping * body.flow[2] - world.gravity * slope_z * dt
    excess = max(1.0, math.sqrt(flow_x * flow_x + flow_z * flow_z) / FASTEST)
    body.flow[0], body.flow[2] = flow_x / excess, flow_z / excess

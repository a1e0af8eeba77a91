"""How a body sees the water around it: a plane through the surface, and how plane and water move."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from .jit import float_pointer, jit

RINGS = (math.sqrt(0.5 - math.sqrt(1.0 / 12.0)), math.sqrt(0.5 + math.sqrt(1.0 / 12.0)))
"""Radii of two rings of six points whose mean is that of the disc for all polynomials up to the fifth degree."""

ACROSS = (1.0, 0.5, -0.5, -1.0, -0.5, 0.5)
ALONG = tuple(math.sqrt(0.75) * side for side in (0.0, 1.0, 1.0, 0.0, -1.0, -1.0))

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
def height_at(world: Any, x: float, z: float) -> float:
    """World height of the surface at x, z [m]: bilinear, and beyond the edge that of the edge."""
    heights, nz, nx = heights_of(world), world.rows, world.columns
    fx = min(max((x - world.x) * world.per_metre, 0.0), nx - 1.0)
    fz = min(max((z - world.z) * world.per_metre, 0.0), nz - 1.0)
    ix, iz = min(int(fx), nx - 2), min(int(fz), nz - 2)
    tx, tz = fx - ix, fz - iz
    near = (1.0 - tx) * heights[iz, ix] + tx * heights[iz, ix + 1]
    far = (1.0 - tx) * heights[iz + 1, ix] + tx * heights[iz + 1, ix + 1]
    return float(world.level + (1.0 - tz) * near + tz * far)


@jit
def plane_around(world: Any, x: float, z: float, radius: float) -> tuple[float, float, float]:
    """Mean world height [m] and slopes along x and z of the surface on a disc."""
    total = slope_x = slope_z = squares = 0.0
    for ring in RINGS:
        r = ring * radius
        for k in range(6):
            height = height_at(world, x + r * ACROSS[k], z + r * ALONG[k])
            total += height
            slope_x += height * r * ACROSS[k]
            slope_z += height * r * ALONG[k]
        squares += 3.0 * r * r
    slope_x, slope_z = slope_x / squares, slope_z / squares
    steepness = max(1.0, math.sqrt(slope_x * slope_x + slope_z * slope_z) / STEEPEST)
    return total / 12.0, slope_x / steepness, slope_z / steepness


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

"""Buoyancy: the pressure of the water on a body.

Pressure is p = ρ g (η − y) below the local surface η. Summed over the wet surface it gives Archimedes' buoyancy, the
righting moment and the push of a wave's slope at once. A sphere has a closed form; `forces` cuts a mesh along the
waterline and integrates exactly over every wet triangle.
"""

from __future__ import annotations

import math
from typing import Any

from waterview.simd.jit import callee

from .linear_algebra import Vector, cross, minus, plus, scaled, store
from .local_water import plane_height


@callee
def add_force(force: Vector, arm: Vector, total: Any, total_torque: Any) -> None:
    """Add a force [N] that acts at `arm` from the centre of mass [m], and its torque."""
    torque = cross(arm, force)
    for i in range(3):
        total[i] += force[i]
        total_torque[i] += torque[i]


@callee
def sphere_buoyancy(body: Any, env: Any) -> float:
    """Set wet volume and buoyancy of a sphere: V = πd²(r − d/3) for a cap of depth d, square to the surface.

    Returns the height of the surface above its centre [m].
    """
    radius = 0.5 * body.scale[0]
    slope_x, slope_z = body.surface[1], body.surface[2]
    upright = 1.0 / math.sqrt(1.0 + slope_x * slope_x + slope_z * slope_z)
    above = plane_height(body, body.position[0], body.position[2]) - body.position[1]
    depth = min(max(radius + above * upright, 0.0), 2.0 * radius)
    body.wet_volume = math.pi * depth * depth * (radius - depth / 3.0)
    weight = env.gravity * env.water_density * body.wet_volume
    store(body.force, (-weight * slope_x, weight, -weight * slope_z))
    return float(above)


@callee
def triangle_buoyancy(body: Any, env: Any, a: Vector, b: Vector, c: Vector, depths: Vector) -> None:
    """Add pressure and volume under a wet triangle.

    Pressure is linear on the triangle: its force acts at Σ pᵢ(xᵢ + Σxⱼ)/4Σpᵢ. The volume of water is that of the prism
    from the triangle up to the surface, so the prisms of all triangles add up to the wet volume.

    Args:
        body: whose force, torque and wet volume to add to.
        env: gravity and density.
        a: a corner from the centre of mass [m], counter-clockwise from outside.
        b: the next.
        c: the last.
        depths: of the corners [m], 0 or more.
    """
    total = depths[0] + depths[1] + depths[2]
    if total <= 0.0:
        return
    area = cross(minus(b, a), minus(c, a))  # twice the area, along the outward normal
    middle = ((a[0] + b[0] + c[0]) / 3.0, (a[1] + b[1] + c[1]) / 3.0, (a[2] + b[2] + c[2]) / 3.0)
    weighted = plus(plus(scaled(depths[0], a), depths[1], b), depths[2], c)
    centre = scaled(0.25, plus(weighted, 3.0 * total, middle))
    centre = (centre[0] / total, centre[1] / total, centre[2] / total)
    pressure = env.water_density * env.gravity * total / 3.0
    body.wet_volume -= total / 6.0 * area[1]
    add_force(scaled(-0.5 * pressure, area), centre, body.force, body.torque)

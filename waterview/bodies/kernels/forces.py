"""The forces of water on a body: buoyancy and drag on what of it is wet."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import callee

from .buoyancy import sphere_buoyancy, triangle_buoyancy
from .drag import TINY, sphere_drag, triangle_drag
from .linear_algebra import Vector, arm_to, cross, length, minus, plus, store, vector
from .local_water import height_at
from .records import SPHERE


@callee
def water_forces(
    body: Any, env: Any, vertices: NDArray[np.float64], faces: NDArray[np.int64], work: NDArray[np.float64]
) -> None:
    """Set force, torque, drag and wet volume of a body.

    Args:
        body: whose.
        env: coefficients.
        vertices: of the shape, shape (n, 3).
        faces: of the shape, shape (m, 3).
        work: room, shape (n or `LEAST_WORK` or more, 4).
    """
    body.force[:] = 0.0
    body.torque[:] = 0.0
    body.drag[:] = 0.0
    body.drag_torque[:] = 0.0
    if body.geometry == SPHERE:
        above = sphere_buoyancy(body, env)
        if body.wet_volume > 0.0:
            sphere_drag(body, env, above, work)
    else:
        _mesh_forces(body, env, vertices, faces, work)


@callee
def _mesh_forces(
    body: Any, env: Any, vertices: NDArray[np.float64], faces: NDArray[np.int64], work: NDArray[np.float64]
) -> None:
    """The same for a mesh: `work` takes the vertices' arms from the centre of mass and their depths."""
    x, y, z = vector(body.position)
    deepest = -1.0
    for k in range(vertices.shape[0]):
        arm = arm_to(body, vertices, k)
        store(work[k], arm)
        work[k, 3] = height_at(env, x + arm[0], z + arm[2]) - y - arm[1]
        deepest = max(deepest, work[k, 3])
    body.wet_volume = 0.0
    if deepest <= 0.0:
        return
    for face in range(faces.shape[0]):
        i, j, k = faces[face, 0], faces[face, 1], faces[face, 2]
        depths = (work[i, 3], work[j, 3], work[k, 3])
        _face_forces(body, env, vector(work[i]), vector(work[j]), vector(work[k]), depths)
    body.wet_volume = min(max(body.wet_volume, 0.0), body.volume)


@callee
def _face_forces(body: Any, env: Any, a: Vector, b: Vector, c: Vector, depths: Vector) -> None:
    """Add the forces on the wet part of a triangle; `depths` are its corners' [m], below 0 where they are dry."""
    wet = (depths[0] > 0.0) + (depths[1] > 0.0) + (depths[2] > 0.0)
    if wet == 0:
        return
    if wet == 3:
        _wet_triangle(body, env, a, b, c, depths)
        return
    # Renumber the corners so that the odd one, the only wet or the only dry, comes first.
    odd = wet == 1
    if (depths[1] > 0.0) == odd:
        a, b, c, depths = b, c, a, (depths[1], depths[2], depths[0])
    elif (depths[2] > 0.0) == odd:
        a, b, c, depths = c, a, b, (depths[2], depths[0], depths[1])
    if odd:
        ab, ac = _cut(a, b, depths[0], depths[1]), _cut(a, c, depths[0], depths[2])
        _wet_triangle(body, env, a, ab, ac, (depths[0], 0.0, 0.0))
    else:
        ab, ac = _cut(b, a, depths[1], depths[0]), _cut(c, a, depths[2], depths[0])
        _wet_triangle(body, env, ab, b, c, (0.0, depths[1], depths[2]))
        _wet_triangle(body, env, ab, c, ac, (0.0, depths[2], 0.0))


@callee
def _cut(wet: Vector, dry: Vector, depth_wet: float, depth_dry: float) -> Vector:
    """Where the edge from a wet to a dry corner meets the surface."""
    return plus(wet, depth_wet / (depth_wet - depth_dry), minus(dry, wet))


@callee
def _wet_triangle(body: Any, env: Any, a: Vector, b: Vector, c: Vector, depths: Vector) -> None:
    """Add the forces on a triangle that is wholly wet."""
    if length(cross(minus(b, a), minus(c, a))) < TINY * TINY:
        return
    triangle_buoyancy(body, env, a, b, c, depths)
    triangle_drag(body, env, a, b, c)

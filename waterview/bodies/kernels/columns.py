"""The columns of water that a body displaces: for every grid point, how much of the line through it is body and wet."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import jit

from .linear_algebra import arm_to, vector
from .records import STRIP
from .rows import ZERO, place_in, sphere
from .windows import Floats, Window

SMALL = 2.0
"""Bodies that reach less far than so many cells are a round heap of their volume: they would fall between points."""


@jit
def window_of(world: Any, shape: tuple[int, int], low: tuple[float, float], high: tuple[float, float]) -> Window:
    """First row, first column, rows and columns of the grid points in a rectangle of world x, z [m]; may be empty."""
    nz, nx = shape
    first_x = max(math.ceil((low[0] - world.x) / world.spacing), 0)
    first_z = max(math.ceil((low[1] - world.z) / world.spacing), 0)
    end_x = min(math.floor((high[0] - world.x) / world.spacing) + 1, nx)
    end_z = min(math.floor((high[1] - world.z) / world.spacing) + 1, nz)
    return first_z, first_x, max(end_z - first_z, 0), max(end_x - first_x, 0)


@jit
def place_vertices(body: Any, vertices: NDArray[np.float64], work: NDArray[np.float64]) -> tuple[float, float, float]:
    """World places of a mesh's vertices into `work`; its half width, top and bottom from the centre of mass [m]."""
    x, y, z = vector(body.position)
    half, top, bottom = 0.0, -math.inf, math.inf
    for k in range(vertices.shape[0]):
        arm = arm_to(body, vertices, k)
        work[k, 0], work[k, 1], work[k, 2] = x + arm[0], y + arm[1], z + arm[2]
        half = max(half, abs(arm[0]), abs(arm[2]))
        top, bottom = max(top, arm[1]), min(bottom, arm[1])
    return half, top, bottom


@jit
def sphere_columns(body: Any, world: Any, window: Window, out: Floats) -> None:
    """The columns of a sphere from the first row and column of a window on, into `out`, whose rows are whole strips."""
    radius, spacing = 0.5 * body.scale[0], world.spacing
    squares = np.empty(out.shape[1], np.float32)
    first = world.x + window[1] * spacing - body.position[0]
    for j in range(out.shape[1]):
        squares[j] = np.float32((first + j * spacing) ** 2)
    above = np.float32(body.position[1] - body.mean_level)
    for i in range(out.shape[0]):
        dz = world.z + (window[0] + i) * spacing - body.position[2]
        chord = np.float32(radius * radius - dz * dz)
        sphere(place_in(out, i, 0), squares.ctypes.data, out.shape[1] // STRIP, chord, above)


@jit
def _side(work: NDArray[np.float64], a: int, b: int, x: float, z: float) -> float:
    """On which side of the line from vertex a to b the point lies; to the last bit the opposite from b to a."""
    if a > b:
        return -_side_of(work, b, a, x, z)
    return _side_of(work, a, b, x, z)


@jit
def _side_of(work: NDArray[np.float64], a: int, b: int, x: float, z: float) -> float:
    return float((work[b, 0] - work[a, 0]) * (z - work[a, 2]) - (work[b, 2] - work[a, 2]) * (x - work[a, 0]))


@jit
def _covers(side: float, sign: float, work: NDArray[np.float64], a: int, b: int) -> bool:
    """Whether a triangle's edge has the point on its inner side; of two faces beside it one owns the edge itself."""
    if side != 0.0:
        return side * sign > 0.0
    dx, dz = sign * (work[b, 0] - work[a, 0]), sign * (work[b, 2] - work[a, 2])
    return bool(dz > 0.0 or (dz == 0.0 and dx < 0.0))


@jit
def _add_face(
    body: Any, world: Any, window: Window, work: NDArray[np.float64], face: tuple[int, int, int], out: Floats
) -> None:
    """Add min(y, η) where an upper side lies above a point, subtract it where a lower side does."""
    a, b, c = face
    area = _side(work, a, b, work[c, 0], work[c, 2])
    if area == 0.0:
        return
    sign = math.copysign(1.0, area)
    lowest, highest = min(work[a, 1], work[b, 1], work[c, 1]), max(work[a, 1], work[b, 1], work[c, 1])
    low = (min(work[a, 0], work[b, 0], work[c, 0]), min(work[a, 2], work[b, 2], work[c, 2]))
    high = (max(work[a, 0], work[b, 0], work[c, 0]), max(work[a, 2], work[b, 2], work[c, 2]))
    first_z, first_x, rows, columns = window_of(world, (window[0] + window[2], window[1] + window[3]), low, high)
    for i in range(max(first_z, window[0]), first_z + rows):
        z = world.z + i * world.spacing
        for j in range(max(first_x, window[1]), first_x + columns):
            x = world.x + j * world.spacing
            toward_c, toward_a = _side(work, a, b, x, z), _side(work, b, c, x, z)
            toward_b = _side(work, c, a, x, z)
            if not (_covers(toward_c, sign, work, a, b) and _covers(toward_a, sign, work, b, c)):
                continue
            if not _covers(toward_b, sign, work, c, a):
                continue
            y = toward_a * work[a, 1] + toward_b * work[b, 1] + toward_c * work[c, 1]
            # Rounding may throw a sliver's y anywhere: it lies between its corners.
            y = min(max(y / (toward_a + toward_b + toward_c), lowest), highest)
            # From x to z is clockwise seen from above: a face that looks up has an area below 0.
            out[i - window[0], j - window[1]] -= np.float32(sign * (min(y, body.mean_level) - body.position[1]))


@jit
def mesh_columns(
    body: Any, world: Any, window: Window, work: NDArray[np.float64], faces: NDArray[np.int64], out: Floats
) -> None:
    """The columns of a mesh, convex or not, whose vertices lie at `work`, shape (n, 3 or more), into `out`.

    Beyond the window, whose first row and column are those of `out`, they are 0.
    """
    out[:] = ZERO
    for k in range(faces.shape[0]):
        _add_face(body, world, window, work, (faces[k, 0], faces[k, 1], faces[k, 2]), out)
    longest = np.float32(2.0 * body.reach)
    for i in range(window[2]):
        for j in range(window[3]):
            out[i, j] = min(max(out[i, j], ZERO), longest)


@jit
def heap_columns(body: Any, world: Any, window: Window, radius: float, ends: tuple[float, float], out: Floats) -> None:
    """A round heap (1 − r²/radius²)² for a body too small for the grid, about as large as what is wet of it.

    Args:
        body: whose.
        world: where the grid lies.
        window: where to put it.
        radius: of the heap [m].
        ends: top and bottom of the body from its centre [m].
        out: output [m]; beyond the window 0.
    """
    out[:] = ZERO
    sunk = (body.mean_level - body.position[1] - ends[1]) / (ends[0] - ends[1])
    wet, total = body.volume * min(max(sunk, 0.0), 1.0), 0.0
    for i in range(window[2]):
        dz = world.z + (window[0] + i) * world.spacing - body.position[2]
        for j in range(window[3]):
            dx = world.x + (window[1] + j) * world.spacing - body.position[0]
            share = max(1.0 - (dx * dx + dz * dz) / (radius * radius), 0.0)
            out[i, j] = np.float32(share * share)
            total += share * share
    if total > 0.0:
        factor = np.float32(wet / (total * world.spacing * world.spacing))
        for i in range(window[2]):
            for j in range(window[3]):
                out[i, j] *= factor

"""The columns of water that a body displaces: how much of the vertical line through a grid point is body and wet."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from waterview.simd.choices import greatest, least
from waterview.simd.jit import Static, callee, float_pointer, part
from waterview.simd.vectors import SIZE, filled, give, load_anywhere, root

from .linear_algebra import arm_to, vector
from .records import SPHERE, STRIP, Window

Floats = NDArray[np.float32]

SMALL = 2.0
"""Bodies whose bounding radius is less than so many cells count as a round heap: they would fall between points."""

ZERO = np.float32(0.0)
WIDTH, CACHED = Static(STRIP), Static(0)
"""Vectors are as long on every processor, so that sums have the same bits on all of them. What is written with
`give(CACHED, …)` stays in the caches."""

Extent = tuple[float, float, float]
"""Of a body around its centre of mass: half its width, its top and its bottom [m]."""


@part
def positive(values: Any) -> Any:
    """A vector where it is above 0, and 0 elsewhere."""
    return greatest(values, filled(WIDTH, ZERO))


@part
def place_of(array: Any, i: int) -> int:
    """Address of the i-th float of a contiguous array. It does not keep the array alive: mention the array after it."""
    return int(array.ctypes.data + i * SIZE)


@callee
def whole_strips(columns: int) -> int:
    """A number of columns rounded up to whole strips."""
    return -(-columns // STRIP) * STRIP


@callee
def window_of(env: Any, low: tuple[float, float], high: tuple[float, float]) -> Window:
    """The grid points in a rectangle of world x, z [m]; may be empty."""
    column = max(math.ceil((low[0] - env.x) / env.spacing), 0)
    row = max(math.ceil((low[1] - env.z) / env.spacing), 0)
    end_column = min(math.floor((high[0] - env.x) / env.spacing) + 1, env.columns)
    end_row = min(math.floor((high[1] - env.z) / env.spacing) + 1, env.rows)
    return Window(row, column, max(end_row - row, 0), max(end_column - column, 0))


@callee
def extent_of(body: Any, env: Any, vertices: NDArray[np.float64], work: NDArray[np.float64]) -> Extent:
    """How far the body's columns reach; the world places of a mesh's vertices go into `work`."""
    half = top = 0.5 * body.scale[0]
    bottom = -top
    if body.geometry != SPHERE:
        x, y, z = vector(body.position)
        half, top, bottom = 0.0, -math.inf, math.inf
        for k in range(vertices.shape[0]):
            arm = arm_to(body, vertices, k)
            work[k, 0], work[k, 1], work[k, 2] = x + arm[0], y + arm[1], z + arm[2]
            half = max(half, abs(arm[0]), abs(arm[2]))
            top, bottom = max(top, arm[1]), min(bottom, arm[1])
    if body.bounding_radius < SMALL * env.spacing:
        half = SMALL * env.spacing
    return half, top, bottom


@callee
def columns_in(body: Any, env: Any, window: Window) -> Floats:
    """The body's part of the pool for a window of columns: a view, whose rows are whole strips."""
    start = env.pool + body.pool_start * SIZE
    return numba.carray(float_pointer(start), (window.rows, whole_strips(window.columns)))  # type: ignore[no-any-return]


@callee
def fill_columns(
    body: Any,
    env: Any,
    window: Window,
    extent: Extent,
    faces: NDArray[np.int64],
    work: NDArray[np.float64],
    out: Floats,
) -> None:
    """Write the columns [m] of the body where it is now into `out`, a view of `columns_in`; beyond the window 0.

    They end at the cut level, which stays where it is while waves pass. So waves push nothing aside except by moving
    the body, and what a body takes from them it cannot give back to them twice.

    A body under water lifts the surface less: its columns shrink by e^(−d/R) at a depth d of its top, where R is its
    bounding radius.
    """
    half, top, bottom = extent
    if body.bounding_radius < SMALL * env.spacing:
        heap_columns(body, env, window, half, (top, bottom), out)
    elif body.geometry == SPHERE:
        sphere_columns(body, env, window, out)
    else:
        mesh_columns(body, env, window, work, faces, out)
    depth = body.pose[7] - body.position[1] - top
    if depth > 0.0:
        factor = np.float32(math.exp(-depth / body.bounding_radius))
        for i in range(out.shape[0]):
            for j in range(out.shape[1]):
                out[i, j] *= factor


@callee
def sphere_columns(body: Any, env: Any, window: Window, out: Floats) -> None:
    """The columns of a sphere: from its lower side up to its upper side or the water, whichever is lower."""
    radius, spacing, columns = 0.5 * body.scale[0], env.spacing, out.shape[1]
    squares = np.full(columns, np.float32(math.inf))  # of the distances along x from the centre [m²]
    first = env.x + window.column * spacing - body.position[0]
    for j in range(window.columns):
        squares[j] = np.float32((first + j * spacing) ** 2)
    above = np.float32(body.position[1] - body.pose[7])
    for i in range(window.rows):
        dz = env.z + (window.row + i) * spacing - body.position[2]
        chord = np.float32(radius * radius - dz * dz)  # square of half the sphere's width in this row
        for j in range(0, columns, STRIP):
            half = root(positive(chord - load_anywhere(WIDTH, place_of(squares, j))))
            top = least(above + half, filled(WIDTH, ZERO))
            give(CACHED, place_of(out, i * columns + j), positive(top - (above - half)))


@callee
def _side(work: NDArray[np.float64], a: int, b: int, x: float, z: float) -> float:
    """On which side of the line from vertex a to b the point lies; to the last bit the opposite from b to a."""
    if a > b:
        return -_side_of(work, b, a, x, z)
    return _side_of(work, a, b, x, z)


@callee
def _side_of(work: NDArray[np.float64], a: int, b: int, x: float, z: float) -> float:
    return float((work[b, 0] - work[a, 0]) * (z - work[a, 2]) - (work[b, 2] - work[a, 2]) * (x - work[a, 0]))


@callee
def _covers(side: float, sign: float, work: NDArray[np.float64], a: int, b: int) -> bool:
    """Whether a triangle's edge has the point on its inner side; of two faces beside it one owns the edge itself."""
    if side != 0.0:
        return side * sign > 0.0
    dx, dz = sign * (work[b, 0] - work[a, 0]), sign * (work[b, 2] - work[a, 2])
    return bool(dz > 0.0 or (dz == 0.0 and dx < 0.0))


@callee
def _add_face(
    body: Any, env: Any, window: Window, work: NDArray[np.float64], face: tuple[int, int, int], out: Floats
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
    inside = window_of(env, low, high)
    for i in range(max(inside.row, window.row), min(inside.row + inside.rows, window.row + window.rows)):
        z = env.z + i * env.spacing
        end = min(inside.column + inside.columns, window.column + window.columns)
        for j in range(max(inside.column, window.column), end):
            x = env.x + j * env.spacing
            toward_c, toward_a = _side(work, a, b, x, z), _side(work, b, c, x, z)
            toward_b = _side(work, c, a, x, z)
            if not (_covers(toward_c, sign, work, a, b) and _covers(toward_a, sign, work, b, c)):
                continue
            if not _covers(toward_b, sign, work, c, a):
                continue
            y = toward_a * work[a, 1] + toward_b * work[b, 1] + toward_c * work[c, 1]
            # Rounding may put a sliver's y anywhere; it lies between its corners.
            y = min(max(y / (toward_a + toward_b + toward_c), lowest), highest)
            # From x to z is clockwise seen from above: a face that looks up has an area below 0.
            out[i - window.row, j - window.column] -= np.float32(sign * (min(y, body.pose[7]) - body.position[1]))


@callee
def mesh_columns(
    body: Any, env: Any, window: Window, work: NDArray[np.float64], faces: NDArray[np.int64], out: Floats
) -> None:
    """The columns of a mesh, convex or not, whose vertices lie at `work`, shape (n, 3 or more), into `out`.

    Beyond the window, whose first row and column are those of `out`, they are 0.
    """
    out[:] = ZERO
    for k in range(faces.shape[0]):
        _add_face(body, env, window, work, (faces[k, 0], faces[k, 1], faces[k, 2]), out)
    longest = np.float32(2.0 * body.bounding_radius)
    for i in range(window.rows):
        for j in range(window.columns):
            out[i, j] = min(max(out[i, j], ZERO), longest)


@callee
def heap_columns(body: Any, env: Any, window: Window, radius: float, ends: tuple[float, float], out: Floats) -> None:
    """A round heap (1 − r²/radius²)² for a body too small for the grid, about as large as what is wet of it.

    Args:
        body: whose.
        env: where the grid lies.
        window: where to put it.
        radius: of the heap [m].
        ends: top and bottom of the body from its centre [m].
        out: output [m]; beyond the window 0.
    """
    out[:] = ZERO
    sunk = (body.pose[7] - body.position[1] - ends[1]) / (ends[0] - ends[1])
    wet, total = body.volume * min(max(sunk, 0.0), 1.0), 0.0
    for i in range(window.rows):
        dz = env.z + (window.row + i) * env.spacing - body.position[2]
        for j in range(window.columns):
            dx = env.x + (window.column + j) * env.spacing - body.position[0]
            share = max(1.0 - (dx * dx + dz * dz) / (radius * radius), 0.0)
            out[i, j] = np.float32(share * share)
            total += share * share
    if total > 0.0:
        factor = np.float32(wet / (total * env.spacing * env.spacing))
        for i in range(window.rows):
            for j in range(window.columns):
                out[i, j] *= factor

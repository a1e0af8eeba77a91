"""What lies under the mouse: the first point of water, ground or floating body that a ray meets."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from waterview.core.body import BodyState
from waterview.core.frame import Frame
from waterview.core.grid import Grid

with warnings.catch_warnings():
    # pyrr's docstrings hold backslashes that Python warns of where it compiles them for the first time.
    warnings.filterwarnings("ignore", message=".*invalid escape sequence")
    from pyrr import geometric_tests

Array = NDArray[np.float64]
Kind = Literal["water", "terrain"]
_ITERATIONS = 60


@dataclass(frozen=True)
class Hit:
    """Where a ray meets the scene.

    Attributes:
        kind: what the ray meets.
        x, y, z: the point in the world [m].
        ix, iz: column and row of the nearest grid point, in the frame that it was met in.
    """

    kind: Kind
    x: float
    y: float
    z: float
    ix: int
    iz: int


def pick(frame: Frame, origin: Sequence[float] | Array, direction: Sequence[float] | Array) -> Hit | None:
    """The first point of the waving surface or of the ground that a ray meets; None if it meets neither.

    The ray is marched over the grid from cell to cell, so that it passes over no crest, however thin. A crossing of
    ground or water is then refined; for water the search begins at the still plane (Bressler 2007, §4.6). Ground in
    front of the water hides it. A ray that enters through a cut side of the block meets water where the side shows
    water, and nothing where it shows ground. A ray from under water meets the surface from below. A frame has no sides
    where another one lies around it, which is looked at there.

    Args:
        frame: the scene.
        origin: where the ray begins [m], shape (3,).
        direction: where it goes, of any length above 0, shape (3,).
    """
    start, along = np.asarray(origin, np.float64), np.asarray(direction, np.float64)
    length = float(np.linalg.norm(along))
    if not (math.isfinite(length) and length > 0.0 and np.isfinite(start).all()):
        return None
    along = along / length
    if frame.around is None:
        return _pick(frame, start, along, has_sides=True)
    fine, coarse = _pick(frame, start, along, has_sides=False), pick(frame.around, start, along)
    if fine is None or coarse is None:
        return fine or coarse
    is_shown_finer = frame.grid.nearest(coarse.x, coarse.z) is not None
    near, far = (math.dist(start, (hit.x, hit.y, hit.z)) for hit in (fine, coarse))
    return fine if is_shown_finer or near <= far else coarse


def _pick(frame: Frame, start: Array, along: Array, *, has_sides: bool) -> Hit | None:
    """As `pick`, in a single frame and along a unit vector."""
    span = _span_over(frame.grid, start, along)
    if span is None:
        return None
    t, ground, water = _march(frame, start, along, span)
    if ground[0] < 0.0:
        return None
    if water[0] < 0.0 and span[0] > 0.0:
        if not has_sides:
            return None
        return _hit("water", frame.grid, start + span[0] * along)
    return _first_crossing(frame, start, along, (t, ground, water))


def pick_body(
    bodies: Sequence[BodyState], origin: Sequence[float] | Array, direction: Sequence[float] | Array
) -> tuple[BodyState, Array] | None:
    """The body whose mesh a ray meets first and the point where it does [m], shape (3,); None if it meets none.

    Args:
        bodies: the floating bodies.
        origin: where the ray begins [m], shape (3,).
        direction: where it goes, of any length above 0, shape (3,).
    """
    start, along = np.asarray(origin, np.float64), np.asarray(direction, np.float64)
    best: tuple[float, BodyState] | None = None
    for body in bodies:
        distance = _distance_to_body(body, start, along)
        if distance is not None and (best is None or distance < best[0]):
            best = distance, body
    return None if best is None else (best[1], start + best[0] * along)


def _distance_to_body(body: BodyState, origin: Array, direction: Array) -> float | None:
    """Distance to the first triangle in lengths of `direction`; None if the ray misses (Möller and Trumbore 1997)."""
    # The ray is moved into the mesh's own axes, not the vertices into the world; its parameter stays the same.
    start = body.rotation.T @ (origin - body.position) / body.scale
    along = body.rotation.T @ direction / body.scale
    corner, first, second = (body.mesh.vertices[body.mesh.indices[:, k]].astype(np.float64) for k in range(3))
    edge1, edge2 = first - corner, second - corner
    p = np.cross(along, edge2)
    determinant = np.einsum("ij,ij->i", edge1, p)
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = 1.0 / determinant
        offset = start - corner
        u = np.einsum("ij,ij->i", offset, p) * inverse
        q = np.cross(offset, edge1)
        v = np.einsum("j,ij->i", along, q) * inverse
        t = np.einsum("ij,ij->i", edge2, q) * inverse
        inside = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (t >= 0.0)
    return float(t[inside].min()) if inside.any() else None


def still_plane(frame: Frame, origin: Array, direction: Array) -> float | None:
    """Distance along the unit `direction` to the plane of still water [m]; None if it is behind or parallel."""
    ray = np.array([origin, direction], np.float64)
    plane = np.array([0.0, 1.0, 0.0, frame.grid.level], np.float64)
    point = geometric_tests.ray_intersect_plane(ray, plane)
    if point is None:
        return None
    # pyrr also returns what lies behind the origin.
    distance = float(np.dot(np.asarray(point, np.float64) - origin, direction))
    return distance if distance >= 0.0 else None


def _span_over(grid: Grid, origin: Array, direction: Array) -> tuple[float, float] | None:
    """Interval of the ray over (or under) the grid's rectangle, as distances along it [m]; None if there is none."""
    width, length = grid.size
    reach = 1e3 * (width + length + float(np.abs(origin).sum()) + abs(grid.level))
    begin, end = 0.0, reach
    for axis, low, size in ((0, grid.origin[0], width), (2, grid.origin[2], length)):
        place, slope = origin[axis] - low, direction[axis]
        if abs(slope) < 1e-12:
            if not 0.0 <= place <= size:
                return None
            continue
        near, far = sorted((-place / slope, (size - place) / slope))
        begin, end = max(begin, near), min(end, far)
    return (begin, end) if begin <= end else None


def _march(frame: Frame, origin: Array, direction: Array, span: tuple[float, float]) -> tuple[Array, Array, Array]:
    """Distances along the ray, and its heights above ground and above water there [m].

    Between two lines of the grid a height interpolated bilinearly is a quadratic of the distance. With its turning
    points among the distances, both heights are monotonic from each distance to the next: no crossing is missed.
    """

    def above(t: Array) -> Array:
        x, y, z = origin[:, None] + t * direction[:, None]
        water = frame.grid.level + frame.grid.samples(frame.heights, x, z)
        return np.stack((y - frame.grid.samples(frame.bed, x, z), y - water))

    crossed = [np.array(span)]  # where the ray passes over lines between grid points
    for axis, points in ((0, frame.grid.x), (2, frame.grid.z)):
        if abs(direction[axis]) >= 1e-12:
            t = (points - origin[axis]) / direction[axis]
            crossed.append(t[(t > span[0]) & (t < span[1])])
    lines = np.unique(np.concatenate(crossed))
    length = np.diff(lines)
    first, middle, last = above(lines[:-1]), above(lines[:-1] + 0.5 * length), above(lines[1:])
    bend = first + last - 2.0 * middle
    with np.errstate(divide="ignore", invalid="ignore"):
        turn = (3.0 * first + last - 4.0 * middle) / (4.0 * bend)
    turns = (lines[:-1] + turn * length)[(turn > 0.0) & (turn < 1.0)]  # of the ground and of the water
    t = np.sort(np.concatenate((lines, turns)))
    ground, water = above(t)
    return t, ground, water


def _first_crossing(frame: Frame, origin: Array, direction: Array, marched: tuple[Array, Array, Array]) -> Hit | None:
    """The nearer of the first crossings of the ground and of the water."""
    t, ground, water = marched
    hits: list[tuple[float, Kind]] = []
    kinds: tuple[tuple[Kind, NDArray[np.bool_]], ...] = (("terrain", ground < 0.0), ("water", water < 0.0))
    for kind, signs in kinds:
        changes = np.flatnonzero(signs[1:] != signs[:-1])
        if changes.size:
            height = _height_above(frame, origin, direction, kind)
            guess = still_plane(frame, origin, direction) if kind == "water" else None
            hits.append((_root(height, t[changes[0]], t[changes[0] + 1], guess), kind))
    if not hits:
        return None
    distance, kind = min(hits)
    return _hit(kind, frame.grid, origin + distance * direction)


def _height_above(frame: Frame, origin: Array, direction: Array, kind: str) -> Callable[[float], float]:
    """The ray's height above ground or water [m] as a function of the distance along it [m]."""
    grid = frame.grid
    field, level = (frame.bed, 0.0) if kind == "terrain" else (frame.heights, grid.level)

    def height(t: float) -> float:
        x, y, z = origin + t * direction
        return float(y) - level - grid.sample(field, float(x), float(z))

    return height


def _root(function: Callable[[float], float], low: float, high: float, guess: float | None) -> float:
    """Where `function` changes sign between `low` and `high`, by the Illinois method."""
    at_low, at_high = function(low), function(high)
    if (at_low < 0.0) == (at_high < 0.0):  # rounding has moved the root to one of the ends
        return low if abs(at_low) <= abs(at_high) else high
    for _ in range(_ITERATIONS):
        secant = low - at_low * (high - low) / (at_high - at_low)
        middle, guess = (guess, None) if guess is not None and low < guess < high else (secant, None)
        value = function(middle)
        converged = min(secant - low, high - secant) <= 1e-14 * (abs(low) + abs(high))
        if value == 0.0 or (converged and middle == secant):
            return middle
        if (value < 0.0) == (at_low < 0.0):
            low, at_low, at_high = middle, value, 0.5 * at_high
        else:
            high, at_high, at_low = middle, value, 0.5 * at_low
    return 0.5 * (low + high)


def _hit(kind: Kind, grid: Grid, point: Array) -> Hit:
    x, y, z = (float(value) for value in point)
    fx, fz = grid.to_cell(x, z)
    nz, nx = grid.shape
    return Hit(kind, x, y, z, min(max(round(fx), 0), nx - 1), min(max(round(fz), 0), nz - 1))

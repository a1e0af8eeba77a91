"""Make the bundled bodies: python make.py.

Each body is drawn twice: `NAME.ply` is what one sees, with colours; `NAME.hull.ply` is what the water sees,
closed surfaces of a few hundred triangles. x points forward, y up, z to starboard; the longest side is about 1.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FOLDER = Path(__file__).resolve().parent
Array = NDArray[np.float64]
Colour = tuple[int, int, int]

YELLOW, ORANGE, BLACK = (250, 205, 40), (240, 120, 25), (25, 22, 20)
NAVY, RED, CREAM, OAK, GLASS = (32, 62, 110), (170, 66, 54), (238, 230, 210), (150, 104, 62), (60, 84, 98)
COPPER = (140, 170, 155)  # weathered antifouling paint; red would look black under water


# --- surfaces of implicit shapes: for what is round


def ellipsoid(points: Array, centre: tuple[float, ...], radii: tuple[float, ...], pitch: float = 0.0) -> Array:
    """About the distance of `points`, shape (n, 3), from an ellipsoid, turned by `pitch` [°] about z; < 0 inside."""
    cos, sin = np.cos(np.radians(pitch)), np.sin(np.radians(pitch))
    x, y, z = (points - np.asarray(centre)).T
    q = np.stack((cos * x + sin * y, cos * y - sin * x, z), axis=1) / np.asarray(radii)
    length = np.linalg.norm(q, axis=1)
    return length * (length - 1.0) / np.maximum(np.linalg.norm(q / np.asarray(radii), axis=1), 1e-9)


def blended(a: Array, b: Array, width: float) -> Array:
    """Union of two shapes with a fillet of about `width`."""
    share = np.clip(0.5 + 0.5 * (b - a) / width, 0.0, 1.0)
    return b + (a - b) * share - width * share * (1.0 - share)


def duck_body(points: Array) -> Array:
    """Breast, belly, wings, tail, neck and head."""
    shape = ellipsoid(points, (0.0, 0.0, 0.0), (0.36, 0.21, 0.25))
    shape = blended(shape, ellipsoid(points, (0.12, 0.03, 0.0), (0.22, 0.21, 0.23)), 0.06)
    shape = blended(shape, ellipsoid(points, (-0.34, 0.13, 0.0), (0.17, 0.05, 0.12), 32.0), 0.1)
    for side in (-1.0, 1.0):
        shape = blended(shape, ellipsoid(points, (-0.05, 0.06, side * 0.21), (0.2, 0.11, 0.07), 10.0), 0.06)
    shape = blended(shape, ellipsoid(points, (0.17, 0.2, 0.0), (0.11, 0.13, 0.1)), 0.07)
    shape = blended(shape, ellipsoid(points, (0.2, 0.36, 0.0), (0.16, 0.155, 0.15)), 0.03)
    return -blended(-shape, -(-0.165 - points[:, 1]), 0.03)  # a flat bottom


def duck_beak(points: Array) -> Array:
    """A flat beak, its tip turned up."""
    upper = ellipsoid(points, (0.37, 0.335, 0.0), (0.1, 0.028, 0.075), 12.0)
    return blended(upper, ellipsoid(points, (0.355, 0.305, 0.0), (0.07, 0.02, 0.06), -8.0), 0.012)


def duck(points: Array) -> Array:
    """The whole duck."""
    return blended(duck_body(points), duck_beak(points), 0.01)


def surface_net(shape: Callable[[Array], Array], spacing: float) -> tuple[Array, NDArray[np.int64]]:
    """Vertices and triangles of the surface shape = 0, a vertex in every cell that it passes (Gibson 1998)."""
    axes = [np.arange(low, high + spacing, spacing) for low, high in ((-0.65, 0.6), (-0.35, 0.7), (-0.4, 0.4))]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    values = shape(grid.reshape(-1, 3)).reshape(grid.shape[:3])
    inside = values < 0.0
    corners = [inside[i : i - 1 or None, j : j - 1 or None, k : k - 1 or None] for i, j, k in np.ndindex(2, 2, 2)]
    count = np.sum(corners, axis=0)
    passed = (count > 0) & (count < 8)
    number = np.full(passed.shape, -1)
    number[passed] = np.arange(passed.sum())
    vertices = onto(shape, grid[:-1, :-1, :-1][passed] + 0.5 * spacing, 0.25 * spacing)
    return vertices, _crossing_quads(inside, number)


def onto(shape: Callable[[Array], Array], vertices: Array, most: float) -> Array:
    """Vertices moved down the gradient onto the surface shape = 0, in steps of at most `most` along each axis."""
    for _ in range(12):
        at = shape(vertices)
        steps = [shape(vertices + 1e-4 * unit) - at for unit in np.eye(3)]
        gradient = np.stack(steps, axis=1) / 1e-4
        move = -at[:, None] * gradient / np.maximum((gradient**2).sum(axis=1, keepdims=True), 1e-6)
        vertices = vertices + np.clip(move, -most, most)
    return vertices


def even(shape: Callable[[Array], Array], vertices: Array, triangles: NDArray[np.int64], spacing: float) -> Array:
    """Vertices moved along the surface between their neighbours: thin triangles would have uneven normals."""
    edges = np.concatenate([triangles[:, [i, (i + 1) % 3]] for i in range(3)])
    count = np.bincount(edges[:, 0], minlength=len(vertices))
    for _ in range(4):
        total = np.zeros_like(vertices)
        np.add.at(total, edges[:, 0], vertices[edges[:, 1]])
        vertices = onto(shape, 0.5 * (vertices + total / count[:, None]), 0.25 * spacing)
    return vertices


def _crossing_quads(inside: NDArray[np.bool_], number: NDArray[np.int64]) -> NDArray[np.int64]:
    """Two triangles around every edge of the grid that crosses the surface, counter-clockwise from outside."""
    triangles = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        here, there = (
            np.moveaxis(inside, (axis, u, v), (0, 1, 2))[:-1],
            np.moveaxis(inside, (axis, u, v), (0, 1, 2))[1:],
        )
        cells = np.moveaxis(number, (axis, u, v), (0, 1, 2))
        for out, at in ((False, here & ~there), (True, ~here & there)):
            i, j, k = np.nonzero(at[:, 1:-1, 1:-1])
            quad = [cells[i, j + dj, k + dk] for dj, dk in ((0, 0), (1, 0), (1, 1), (0, 1))]
            a, b, c, d = quad[::-1] if out else quad
            triangles += [np.stack((a, b, c), axis=1), np.stack((a, c, d), axis=1)]
    return np.concatenate(triangles)


def ball(centre: tuple[float, ...], radius: float) -> tuple[Array, NDArray[np.int64]]:
    """A sphere of 80 triangles."""
    golden = (1.0 + 5.0**0.5) / 2.0
    points = [(s, t * golden, 0.0) for s in (-1.0, 1.0) for t in (-1.0, 1.0)]
    points = np.array([np.roll(point, turn) for turn in range(3) for point in points])
    near = np.linalg.norm(points[:, None] - points[None], axis=-1) < 2.1
    triangles = []
    for face in combinations(range(12), 3):
        if not all(near[i, j] for i, j in combinations(face, 2)):
            continue
        a, b, c = (points[index] for index in face)
        if np.dot(np.cross(b - a, c - a), a) < 0.0:
            b, c = c, b
        ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
        triangles += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
    corners = np.array(triangles).reshape(-1, 3)
    unit = corners / np.linalg.norm(corners, axis=1, keepdims=True)
    unique, index = np.unique(unit.round(6), axis=0, return_inverse=True)
    return np.asarray(centre) + radius * unique, index.reshape(-1, 3)


# --- strips between cross-sections: for what has edges


class Parts:
    """Quads and triangles with a colour each, gathered one by one."""

    def __init__(self) -> None:
        self.corners: list[Array] = []
        self.colours: list[Colour] = []

    def quad(self, a: Array, b: Array, c: Array, d: Array, colour: Colour) -> None:
        """A quad, counter-clockwise from outside; where two corners agree, a triangle."""
        for triangle in ((a, b, c), (a, c, d)):
            p, q, r = (np.asarray(corner, np.float64) for corner in triangle)
            if min(np.linalg.norm(q - p), np.linalg.norm(r - q), np.linalg.norm(p - r)) > 1e-6:
                self.corners.append(np.stack((p, q, r)))
                self.colours.append(colour)

    def box(self, low: tuple[float, ...], high: tuple[float, ...], colour: Colour, top: float = 1.0) -> None:
        """A box whose upper side is `top` times as long and wide as the lower one."""
        (x0, y0, z0), (x1, y1, z1) = low, high
        middle, half = np.array([(x0 + x1) / 2, 0, (z0 + z1) / 2]), np.array([(x1 - x0) / 2, 0, (z1 - z0) / 2])
        around = [(-1, -1), (-1, 1), (1, 1), (1, -1)]
        lower = [middle + half * (s, 0, t) + (0, y0, 0) for s, t in around]
        upper = [middle + top * half * (s, 0, t) + (0, y1, 0) for s, t in around]
        for i in range(4):
            j = (i + 1) % 4
            self.quad(lower[i], lower[j], upper[j], upper[i], colour)
        self.quad(*upper, colour)
        self.quad(*lower[::-1], colour)


PAINT = 0.024
"""Upper edge of the red band around the boat's waterline."""


def section(x: float, points: int) -> tuple[Array, Array]:
    """Half-breadths and heights of the boat's side at x from −0.5 (stern) to 0.5 (stem), keel to gunwale."""
    forward = x + 0.5
    fullness = np.sqrt(max(1.0 - max((forward - 0.42) / 0.58, 0.0) ** 2.2, 0.0)) * (
        0.86 + 0.14 * min(forward / 0.4, 1.0)
    )
    beam = 0.19 * max(fullness, 0.03)
    keel = -0.085 + 0.035 * max(1.0 - forward / 0.5, 0.0) ** 2 + 0.11 * max((forward - 0.6) / 0.4, 0.0) ** 3
    sheer = 0.075 + 0.085 * forward**2.2 + 0.015 * (1.0 - forward) ** 2
    # As many points below the paint's edge as above it, so that the edge is straight.
    share = np.clip((PAINT - keel) / (sheer - keel), 0.0, 1.0)
    edge, below = np.arccos(1.0 - share ** (1.0 / 0.9)) / (0.5 * np.pi), points // 2
    t = np.concatenate((np.linspace(0.0, edge, below + 1), np.linspace(edge, 1.0, points - below)[1:]))
    flare = 0.45 + 0.4 * max((forward - 0.5) / 0.5, 0.0)
    return beam * np.sin(0.5 * np.pi * t) ** flare, keel + (sheer - keel) * (1.0 - np.cos(0.5 * np.pi * t)) ** 0.9


def boat_rings(stations: int, points: int, bulwark: bool) -> list[Array]:
    """Closed cross-sections from stern to stem: each goes up the port side and down the starboard side."""
    rings = []
    for number, x in enumerate(0.5 * np.sin(np.linspace(-0.5, 0.5, stations) * np.pi)):
        breadth, height = section(x, points)
        if bulwark:  # a rail 0.012 wide and a deck 0.03 below it, closed by boards at both ends
            rail = max(breadth[-1] - 0.012, 0.4 * breadth[-1])
            deck = 0.03 if 0 < number < stations - 1 else 0.0
            breadth = np.append(breadth, (rail, rail, 0.0))
            height = np.append(height, height[-1] - np.array((0.0, deck, deck)))
        else:
            breadth, height = np.append(breadth, 0.0), np.append(height, height[-1])
        port = np.stack((np.full_like(breadth, x + 0.02 * (height - 0.05) * (x > 0.4)), height, -breadth), axis=1)
        rings.append(np.concatenate((port, (port * (1, 1, -1))[-2:0:-1])))
    return rings


def hull(parts: Parts, stations: int, points: int, bulwark: bool) -> None:
    """The hull: sides between the cross-sections, and caps at stern and stem."""
    rings = boat_rings(stations, points, bulwark)
    count = len(rings[0])
    for aft, fore in pairwise(rings):
        for i in range(count):
            j = (i + 1) % count
            place = min(i, count - 1 - i)  # number of the strip from the keel, on either side
            side = COPPER if place < points // 2 - 1 else RED if place < points // 2 else NAVY
            colour = side if place < points - 1 else CREAM if place < points + 1 else OAK
            parts.quad(aft[i], aft[j], fore[j], fore[i], colour)
    for ring, turned in ((rings[0], False), (rings[-1], True)):
        middle = 0.5 * (ring.min(axis=0) + ring.max(axis=0))
        for i in range(count):
            a, b = ring[i], ring[(i + 1) % count]
            parts.quad(*((middle, a, b, b) if turned else (middle, b, a, a)), NAVY if turned else OAK)


def boat_looks() -> Parts:
    """A small fishing boat with a wheelhouse, a hatch and a funnel."""
    parts = Parts()
    hull(parts, 25, 9, bulwark=True)
    parts.box((-0.24, 0.03, -0.1), (0.06, 0.19, 0.1), CREAM, 0.94)
    parts.box((-0.265, 0.19, -0.115), (0.085, 0.207, 0.115), OAK, 0.96)
    for side in (-1.0, 1.0):
        for x in (-0.2, -0.115, -0.03):
            z = side * 0.0985
            parts.box((x, 0.115, min(z, z - side * 0.02)), (x + 0.06, 0.165, max(z, z - side * 0.02)), GLASS)
    parts.box((0.04, 0.115, -0.075), (0.0575, 0.165, -0.008), GLASS)
    parts.box((0.04, 0.115, 0.008), (0.0575, 0.165, 0.075), GLASS)
    parts.box((-0.2, 0.2, -0.03), (-0.13, 0.27, 0.03), RED, 0.9)
    parts.box((-0.195, 0.27, -0.026), (-0.135, 0.285, 0.026), BLACK, 1.0)
    parts.box((0.15, 0.05, -0.06), (0.29, 0.105, 0.06), OAK, 0.9)
    parts.box((-0.005, 0.2, -0.008), (0.011, 0.36, 0.008), OAK, 0.7)
    return parts


def boat_hull() -> Parts:
    """What the water sees of it: a decked hull with the wheelhouse standing on it."""
    parts = Parts()
    hull(parts, 15, 6, bulwark=False)
    # The house stands clear of the deck by a hair, so that both surfaces are closed and apart.
    parts.box((-0.24, 0.106, -0.1), (0.06, 0.2, 0.1), CREAM, 0.95)
    return parts


# --- files


def creased(corners: Array, colours: Array, angle: float) -> tuple[Array, Array, NDArray[np.int64]]:
    """Vertices, colours and triangles; faces share a vertex where they meet smoothly, at less than `angle` [°].

    Args:
        corners: of the triangles, shape (m, 3, 3).
        colours: of the triangles' corners, shape (m, 3, 3).
        angle: the same.
    """
    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    unit = area / np.linalg.norm(area, axis=1, keepdims=True)
    _, place = np.unique(corners.reshape(-1, 3).round(6), axis=0, return_inverse=True)
    place = place.reshape(-1, 3)
    normals = np.empty_like(corners)
    sharers: list[list[int]] = [[] for _ in range(place.max() + 1)]
    for face, three in enumerate(place):
        for vertex in three:
            sharers[vertex].append(face)
    for face, three in enumerate(place):
        for corner, vertex in enumerate(three):
            smooth = [other for other in sharers[vertex] if unit[other] @ unit[face] > np.cos(np.radians(angle))]
            total = area[smooth].sum(axis=0)
            normals[face, corner] = total / np.linalg.norm(total)
    rows = np.concatenate((corners.reshape(-1, 3), normals.reshape(-1, 3), colours.reshape(-1, 3)), axis=1).round(4)
    unique, index = np.unique(rows, axis=0, return_inverse=True)
    return unique[:, :3], unique[:, 6:], index.reshape(-1, 3)


def write_ply(name: str, vertices: Array, triangles: NDArray[np.int64], colours: Array | None = None) -> None:
    """Write a PLY file in plain text; `colours` are those of the vertices, shape (n, 3)."""
    kinds = ["float x", "float y", "float z"]
    if colours is not None:
        kinds += ["uchar red", "uchar green", "uchar blue"]
    lines = ["ply", "format ascii 1.0", f"element vertex {len(vertices)}", *(f"property {kind}" for kind in kinds)]
    lines += [f"element face {len(triangles)}", "property list uchar int vertex_indices", "end_header"]
    for i, vertex in enumerate(vertices):
        words = [f"{value:.4f}" for value in vertex]
        if colours is not None:
            words += [f"{value:.0f}" for value in colours[i]]
        lines.append(" ".join(words))
    lines += [f"3 {a} {b} {c}" for a, b, c in triangles]
    (FOLDER / name).write_text("\n".join(lines) + "\n", encoding="ascii")


def write_looks(name: str, corners: Array, colours: Array, angle: float) -> None:
    """Write what one sees of a body, `creased` at an angle [°]."""
    vertices, tints, triangles = creased(corners, colours, angle)
    write_ply(name, vertices, triangles, tints)


def write_hull(name: str, corners: Array) -> None:
    """Write what the water sees of a body: corners that agree become one vertex."""
    unique, index = np.unique(corners.reshape(-1, 3).round(4), axis=0, return_inverse=True)
    triangles = index.reshape(-1, 3)
    a, b, c = triangles.T
    write_ply(name, unique, triangles[(a != b) & (b != c) & (c != a)])


def make_duck() -> None:
    """Write duck.ply and duck.hull.ply."""
    parts = []
    for shape, spacing, colour in ((duck_body, 0.032, YELLOW), (duck_beak, 0.016, ORANGE)):
        vertices, triangles = surface_net(shape, spacing)
        parts.append((even(shape, vertices, triangles, spacing)[triangles], colour))
    for side in (-1.0, 1.0):
        points, faces = ball((0.3, 0.405, side * 0.093), 0.026)
        parts.append((points[faces], BLACK))
    colours = np.concatenate([np.broadcast_to(colour, corners.shape) for corners, colour in parts])
    write_looks("duck.ply", np.concatenate([corners for corners, _ in parts]), colours.astype(np.float64), 90.0)
    vertices, triangles = surface_net(duck, 0.1)
    write_hull("duck.hull.ply", vertices[triangles])


def make_boat() -> None:
    """Write boat.ply and boat.hull.ply."""
    parts = boat_looks()
    colours = np.repeat(np.array(parts.colours, np.float64)[:, None], 3, axis=1)
    write_looks("boat.ply", np.array(parts.corners), colours, 40.0)
    write_hull("boat.hull.ply", np.array(boat_hull().corners))


if __name__ == "__main__":
    make_duck()
    make_boat()

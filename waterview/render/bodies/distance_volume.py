"""Signed distances to a mesh on a regular grid of points, for rays that look for bodies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from waterview.core.body import Mesh

POINTS = 64
"""Points along each side of a volume."""

SPHERE, BOX, VOLUME = 0, 1, 2
"""How rays meet a body: as the sphere of diameter 1, as the cube of side 1, or by its volume."""

_TILES = 8
"""Layers along each side of the map of a sphere's surface."""

_MARGIN = 0.1
_MOST_PAIRS = 1 << 15
"""Pairs of a triangle and a point that are looked at together: so few that they stay in the caches of a processor."""

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DistanceVolume:
    """A mesh as rays see it, in the mesh's own units.

    Attributes:
        geometry: `SPHERE`, `BOX` or `VOLUME`.
        low, size: the box of the volume, shape (3,): that of the mesh and a tenth of its longest side around it.
        radius: of the sphere around the origin that holds the mesh.
        texels: at each point the albedo (linear) of the nearest part of the surface and the distance to the surface,
            negative inside, shape (64, 64, 64, 4) float16, x last. Far from the surface the distance is a lower bound
            and the albedo black; of spheres and boxes, whose distances rays do not look up, it is the longest side.
            What is thinner than two points are apart is thickened inwards, or rays would go through it. Of a sphere the
            64 layers hold the albedo of its surface instead, as `ball_place` in bodies.glsl looks it up.
    """

    geometry: int
    low: Array
    size: Array
    radius: float
    texels: NDArray[np.float16]


@lru_cache(maxsize=16)
def distance_volume(mesh: Mesh) -> DistanceVolume:
    """The volume of a mesh; it may be open: a generalised winding number tells the inside (Jacobson et al. 2013)."""
    corners = mesh.vertices.astype(np.float64)[mesh.indices]
    colours = (mesh.colours[mesh.indices] / 255.0) ** 2.2
    margin = _MARGIN * float(np.ptp(mesh.vertices, axis=0).max())
    low = mesh.vertices.min(axis=0).astype(np.float64) - margin
    size = mesh.vertices.max(axis=0).astype(np.float64) + margin - low
    cells = (corners - low) / size * (POINTS - 1)
    geometry = _geometry(mesh)
    if geometry == SPHERE:
        distance, albedo = np.full(3 * (POINTS,), size.max()), _ball_layers(corners, colours)
    else:
        distance, albedo = _near_surface(corners, colours, cells, low, size / (POINTS - 1))
        albedo = _beyond(albedo)
    if geometry == VOLUME:
        distance = _spread(distance, size / (POINTS - 1))
        distance[_winding(cells) > 0.5] *= -1.0
        _thicken(distance, cells, size / (POINTS - 1))
    else:
        # The lowest layer lies on the volume below: weighed with 0, an infinite number still makes no number.
        distance = np.where(np.isfinite(distance), distance, size.max())
    texels = np.concatenate((albedo, distance[..., None]), axis=-1)
    packed: NDArray[np.float16] = np.ascontiguousarray(texels.transpose(2, 1, 0, 3).astype(np.float16))
    radius = float(np.linalg.norm(mesh.vertices, axis=1).max())
    return DistanceVolume(geometry, low, size, radius, packed)


def _geometry(mesh: Mesh) -> int:
    """Whether a mesh is the sphere of diameter 1 or the cube of side 1, judged by its vertices and normals."""
    vertices, normals = mesh.vertices, mesh.normals
    if len(vertices) >= 100 and np.allclose(vertices, 0.5 * normals, atol=1e-4):
        return SPHERE
    on_side = np.isclose((vertices * normals).sum(axis=1), 0.5, atol=1e-4)
    upright = np.isclose(np.abs(normals).max(axis=1), 1.0, atol=1e-4)
    corner = np.allclose(np.abs(vertices).max(axis=0), 0.5, atol=1e-4)
    return BOX if corner and (on_side & upright).all() else VOLUME


def _near_surface(corners: Array, colours: Array, cells: Array, low: Array, spacing: Array) -> tuple[Array, Array]:
    """Distance to the surface at points near it, shape (64, 64, 64), else infinite, and the albedo there; x first."""
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    # As far as across a cell, so that the surface between points is right. All triangles so near are looked at.
    band = float(np.linalg.norm(spacing))
    around = np.ceil(band / spacing).astype(int)
    distance = np.full(POINTS**3, np.inf)
    albedo = np.zeros((POINTS**3, 3))
    first = np.clip(np.floor(cells.min(axis=1)).astype(int) - around, 0, POINTS - 1)
    last = np.clip(np.ceil(cells.max(axis=1)).astype(int) + around, 0, POINTS - 1)
    for boxed, places in _in_boxes(first, last):
        off = low + places * spacing - corners[boxed, 0]
        beside = np.abs(np.einsum("ij,ij->i", off, normals[boxed])) < band
        owner, place = boxed[beside], places[beside]
        shares = _nearest_shares(low + place * spacing, corners[owner])
        near = np.einsum("ij,ijk->ik", shares, corners[owner])
        far = np.linalg.norm(low + place * spacing - near, axis=1)
        number = np.ravel_multi_index(tuple(place.T), 3 * (POINTS,))
        order = np.argsort(-far)  # of several values for a point the last, the least, stays
        order = order[(far[order] <= band) & (far[order] < distance[number[order]])]
        distance[number[order]] = far[order]
        albedo[number[order]] = np.einsum("ij,ijk->ik", shares[order], colours[owner[order]])
    return distance.reshape(3 * (POINTS,)), albedo.reshape(*3 * (POINTS,), 3)


def _ball_layers(corners: Array, colours: Array) -> Array:
    """Albedo of a sphere's surface, shape (64, 64, 64, 3), x first: a map of it in `_TILES` × `_TILES` layers.

    A volume's points are too far apart for the borders of a ball's colours. The map is an octahedron unfolded to a
    square (Engelhardt and Dachsbacher 2008). Layers share the points along their edges, so none needs another one.

    Args:
        corners: of the triangles, shape (m, 3, 3).
        colours: of the corners, linear, shape (m, 3, 3).
    """
    last = POINTS - 1
    half = _TILES * last  # twice as fine as the map
    across = np.arange(-half, half + 1)
    i, j = np.meshgrid(across, across, indexing="ij")
    a, b = np.abs(i), np.abs(j)
    upper = a + b <= half  # the lower half's faces are folded out, beyond the diagonals
    x, z = np.where(upper, a, half - b), np.where(upper, b, half - a)
    ways = np.stack((np.where(i < 0, -x, x), half - a - b, np.where(j < 0, -z, z)), axis=-1).astype(np.float64)
    sides = np.stack([np.cross(corners[:, (k + 1) % 3], corners[:, (k + 2) % 3]) for k in range(3)], axis=1)
    sides *= np.sign(np.einsum("ij,ij->i", corners[:, 0], sides[:, 0]))[:, None, None]
    square = np.broadcast_to(colours.mean(axis=(0, 1)), (*ways.shape[:2], 3)).copy()
    for signs in product((-1, 1), repeat=3):
        facing = corners * signs
        owner = np.flatnonzero((facing.max(axis=1) >= 0.0).all(axis=1))
        along = facing[owner].sum(axis=2)
        flat = facing[owner][..., [0, 2]] / np.maximum(along, 1e-9)[..., None]
        wide = (along < 0.05).any(axis=1)[:, None]
        low = np.where(wide, 0.0, np.clip(flat.min(axis=1), 0.0, 1.0))
        high = np.where(wide, 1.0, np.clip(flat.max(axis=1), 0.0, 1.0))
        if signs[1] < 0:
            low, high = 1.0 - high[:, ::-1], 1.0 - low[:, ::-1]
        first, final = np.floor(half * low).astype(int), np.ceil(half * high).astype(int)
        for number, place in _in_boxes(first, final):
            index = half + place * (signs[0], signs[2])
            way, side = ways[index[:, 0], index[:, 1]], sides[owner[number]]
            shares = np.stack([np.einsum("ij,ij->i", way, side[:, corner]) for corner in range(3)])
            within = (shares.min(axis=0) >= -1e-9) & (shares.max(axis=0) > 0.0)  # not in triangles without area
            shares, index = np.maximum(shares[:, within], 0.0), index[within]
            shares /= shares.sum(axis=0)
            met = colours[owner[number[within]]]
            square[index[:, 0], index[:, 1]] = np.einsum("ji,ijk->ik", shares, met)
    # Each point has the mean of what lies around it, or borders of colours would be stairs. What lies beyond a side of
    # the square is found before its other half.
    for _ in range(2):
        square = np.concatenate((square[1:2, ::-1], square, square[-2:-1, ::-1]))
        square = (0.25 * square[:-2:2] + 0.5 * square[1:-1:2] + 0.25 * square[2::2]).transpose(1, 0, 2)
    tiles = product(range(_TILES), repeat=2)
    return np.stack([square[last * u :, last * v :][:POINTS, :POINTS] for v, u in tiles], axis=2)


def _spread(distance: Array, spacing: Array) -> Array:
    """Finite distances everywhere: elsewhere that to the nearest point that knows its own.

    It is no longer than that to the surface: half a cell's diagonal from the surface, the way there passes within half
    a diagonal of such a point.
    """
    square = np.where(np.isfinite(distance), 0.0, 1e9).astype(np.float32)
    steps = np.arange(POINTS, dtype=np.float32)
    for axis in range(3):
        away = np.square((steps[:, None] - steps) * np.float32(spacing[axis]))
        square = np.moveaxis((np.moveaxis(square, axis, -1)[..., None, :] + away).min(axis=-1), -1, axis)
    return np.where(np.isfinite(distance), distance, np.maximum(np.sqrt(square), np.linalg.norm(spacing)))


def _beyond(albedo: Array) -> Array:
    """Albedo with that of known neighbours, in the mean, at the points next to them."""
    known = (albedo.sum(axis=-1, keepdims=True) > 0.0).astype(np.float64)
    total = np.concatenate((albedo, known), axis=-1)
    for axis in range(3):
        before, after = (np.roll(total, step, axis) for step in (1, -1))
        total = total + before + after
    return np.where(known > 0.0, albedo, total[..., :3] / np.maximum(total[..., 3:], 1.0))


def _nearest_shares(points: Array, corners: Array) -> Array:
    """Barycentric coordinates of the point of each triangle that is nearest to a point, shape (n, 3)."""
    best = np.zeros((len(points), 3))
    least = np.full(len(points), np.inf)
    for one in range(3):
        a, b = corners[:, one], corners[:, (one + 1) % 3]
        along = b - a
        share = np.einsum("ij,ij->i", points - a, along) / np.maximum(np.einsum("ij,ij->i", along, along), 1e-30)
        share = np.clip(share, 0.0, 1.0)
        far = np.square(points - a - share[:, None] * along).sum(axis=1)
        nearer = far < least
        least = np.where(nearer, far, least)
        best[nearer] = 0.0
        best[nearer, one], best[nearer, (one + 1) % 3] = 1.0 - share[nearer], share[nearer]
    ab, ac = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normal = np.cross(ab, ac)
    square = np.maximum(np.einsum("ij,ij->i", normal, normal), 1e-30)
    to = points - corners[:, 0]
    second = np.einsum("ij,ij->i", np.cross(to, ac), normal) / square
    third = np.einsum("ij,ij->i", np.cross(ab, to), normal) / square
    inside = (second >= 0.0) & (third >= 0.0) & (second + third <= 1.0)
    best[inside] = np.stack((1.0 - second - third, second, third), axis=1)[inside]
    return best


def _winding(cells: Array) -> NDArray[np.float64]:
    """How often a surface goes around each point, shape (64, 64, 64), x first: the mean of lines along x, y and z.

    Args:
        cells: the triangles' corners in units of the grid, shape (m, 3, 3).
    """
    total = np.zeros(3 * (POINTS,))
    for axis in range(3):
        crossings = np.zeros((POINTS, POINTS, POINTS + 1))
        for line, where, _, sign in _crossings(cells, axis):
            index = np.clip(np.ceil(where).astype(int), 0, POINTS)
            np.add.at(crossings, (line[:, 0], line[:, 1], index), sign)
        beyond = crossings[..., ::-1].cumsum(axis=-1)[..., ::-1][..., 1:]
        total += np.transpose(beyond, np.argsort((*_across(axis), axis)))
    return total / 3.0


def _thicken(distance: Array, cells: Array, spacing: Array) -> None:
    """Lower the distances behind what lies wholly between two points of a line, so that rays meet it.

    A wall so thin has no point inside, and is nowhere in what the points tell: rays would go through a boat's bulwark.
    It becomes as thick as two points are apart, and as the shortest step of a ray. It grows away from the face that
    looks outwards, seen from the middle of the mesh, so that the outline of a hull stays.

    Args:
        distance: at all points, negative inside, shape (64, 64, 64), x first.
        cells: the triangles' corners in units of the grid, shape (m, 3, 3).
        spacing: of the points along each axis.
    """
    corners = cells * spacing
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    middle = 0.5 * (corners.min(axis=(0, 1)) + corners.max(axis=(0, 1)))
    outside = distance > 1e-3 * spacing.min()  # points on the surface are neither
    for axis in range(3):
        parts = list(_crossings(cells, axis))
        line, where, owner = (np.concatenate([part[i] for part in parts]) for i in range(3))
        upper = np.ceil(where).astype(int)
        order = np.lexsort((where, upper, line[:, 1], line[:, 0]))
        line, where, owner, upper = line[order], where[order], owner[order], upper[order]
        new = np.any(np.diff(np.column_stack((line, upper)), axis=0) != 0, axis=1)
        first, last = np.flatnonzero(np.append(True, new)), np.flatnonzero(np.append(new, True))
        # Where the faces met first and last look the same way or aside, the line passes a corner of what is thick.
        opposed = np.einsum("ij,ij->i", normals[owner[first]], normals[owner[last]]) < -0.5
        within = (upper[first] > 0) & (upper[first] < POINTS)
        first, last = (ends[within & (opposed | (first == last))] for ends in (first, last))
        around = np.zeros((len(first), 3), int)
        around[:, _across(axis)] = line[first]
        below, above = around.copy(), around.copy()
        below[:, axis], above[:, axis] = upper[first] - 1, upper[first]
        free = outside[tuple(below.T)] & outside[tuple(above.T)]
        first, last, around, below, above = (each[free] for each in (first, last, around, below, above))
        around[:, axis] = 0
        at = around * spacing
        at[:, axis] = where[first] * spacing[axis]
        facing = normals[owner[first]]
        outwards = np.sign(np.einsum("ij,ij->i", facing, at - middle) * facing[:, axis])
        face = np.where(outwards > 0.0, where[last], where[first])
        inner = np.where(outwards > 0.0, below[:, axis], above[:, axis])
        slant = np.abs(facing[:, axis])
        thick = np.maximum(slant * spacing[axis], 1.0 / POINTS)
        for step in range(3):
            place = around.copy()
            place[:, axis] = np.clip(inner - step * outwards.astype(int), 0, POINTS - 1)
            depth = np.abs(place[:, axis] - face) * spacing[axis] * slant
            np.minimum.at(distance, tuple(place.T), np.where(depth < thick, -depth, depth - thick))


def _across(axis: int) -> list[int]:
    """The other two axes."""
    return [(axis + 1) % 3, (axis + 2) % 3]


def _crossings(
    cells: Array, axis: int
) -> Iterator[tuple[NDArray[np.intp], Array, NDArray[np.intp], NDArray[np.float64]]]:
    """Where lines of points along an axis cross a surface, a part of them at a time.

    Yields the places of the lines along the other two axes, shape (n, 2), where along the axis in units of the grid,
    which triangle, and whether the line goes out there, 1, or in, -1; shape (n,) each.

    Args:
        cells: the triangles' corners in units of the grid, shape (m, 3, 3).
        axis: the same.
    """
    flat = cells[..., _across(axis)] + (1.3e-4, 2.7e-4)  # so that hardly a line meets an edge
    first = np.clip(np.floor(flat.min(axis=1)).astype(int), 0, POINTS - 1)
    last = np.clip(np.ceil(flat.max(axis=1)).astype(int), 0, POINTS - 1)
    for owner, place in _in_boxes(first, last):
        a, b, c = np.moveaxis(flat[owner] - place[:, None], 1, 0)
        weights = np.stack([p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0] for p, q in ((b, c), (c, a), (a, b))], axis=1)
        double = weights.sum(axis=1)
        hit = ((weights > 0.0).all(axis=1) | (weights < 0.0).all(axis=1)) & (double != 0.0)
        where = (weights[hit] * cells[owner[hit], :, axis]).sum(axis=1) / double[hit]
        yield place[hit], where, owner[hit], np.sign(double[hit])


def _in_boxes(first: NDArray[np.intp], last: NDArray[np.intp]) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Each box with each place in it, many at a time: numbers of boxes, shape (n,), and places, shape (n, k).

    Args:
        first: lowest place of each box, shape (m, k).
        last: highest.
    """
    sides = last - first + 1
    counts = sides.prod(axis=1)
    chunks = np.searchsorted(counts.cumsum(), np.arange(_MOST_PAIRS, counts.sum(), _MOST_PAIRS))
    for part in np.split(np.arange(len(first)), np.unique(chunks)):
        if len(part):
            owner = np.repeat(part, counts[part])
            number = np.arange(len(owner)) - np.repeat(counts[part].cumsum() - counts[part], counts[part])
            place = np.empty((len(owner), first.shape[1]), np.intp)
            for axis in reversed(range(first.shape[1])):
                number, place[:, axis] = np.divmod(number, sides[owner, axis])
            yield owner, first[owner] + place

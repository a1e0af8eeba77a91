"""A closed surface of few triangles around any mesh: what water acts on where a mesh has holes or is too fine.

The generalised winding number of a surface with holes is the mean, over all directions, of how often a ray leaves the
surface; inside it is more than a half (Jacobson, Kavan and Sorkine-Hornung, ACM Trans. Graph. 32, 2013). Here the six
directions along the axes stand for all. The surface around the inside is found by marching tetrahedra on a grid (Doi
and Koide, IEICE Trans. E74, 1991), which leaves no hole.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Faces = NDArray[np.int64]

CELLS = (24, 20, 17, 14, 12, 10)
"""Cells along the longest side that are tried, from fine to coarse, until there are few enough triangles."""

MOST_SEEN = 5_000
"""Most triangles that rays are sent through; in finer meshes those within a cell are joined first."""

_CHUNK = 1_000_000
"""Pairs of a ray and a triangle looked at together."""

_ASIDE = 1.37e-4
"""How far rays pass beside the grid's points, in cells, so that they do not run along edges of the mesh."""

# A cube in six tetrahedra around its diagonal from corner 0 to corner 7; a corner's bits are its x, y and z.
_TETRAHEDRA = np.array([(0, 1, 3, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 6, 4, 7), (0, 4, 5, 7), (0, 5, 1, 7)])


def closed_around(vertices: Array, faces: Faces, most_faces: int, *, is_oriented: bool = True) -> tuple[Array, Faces]:
    """A closed surface of at most `most_faces` triangles around a mesh that may have holes.

    Args:
        vertices: shape (n, 3).
        faces: corners of the triangles, shape (m, 3).
        most_faces: the most allowed.
        is_oriented: whether neighbouring faces look to the same side; if not, sides are counted without a sign.

    Returns:
        Vertices, and faces counter-clockwise from outside; no faces where the mesh has no inside.
    """
    seen = joined(vertices, faces, MOST_SEEN)
    for cells in CELLS:
        found = _marched(*seen, cells, is_oriented)
        if len(found[1]) <= most_faces:
            return found
    return found


def joined(vertices: Array, faces: Faces, most_faces: int) -> tuple[Array, Faces]:
    """A mesh of at most `most_faces` triangles: vertices in one cell of a grid become their mean.

    *Rossignac and Borrel, Multi-resolution 3D approximations, 1993.*

    Args:
        vertices: shape (n, 3 or more): places, and whatever belongs to them, such as colours.
        faces: corners of the triangles, shape (m, 3).
        most_faces: the most allowed.
    """
    if len(faces) <= most_faces:
        return vertices, faces
    spots = vertices[:, :3]
    low, extent = spots.min(axis=0), float(np.ptp(spots, axis=0).max())
    cells = 64
    while True:
        places = np.floor((spots - low) * (cells / extent) * (1.0 - 1e-9)).astype(np.int64)
        _, group = np.unique(places, axis=0, return_inverse=True)
        group = group.reshape(-1)
        counts = np.bincount(group)
        means = np.stack([np.bincount(group, vertices[:, k]) / counts for k in range(vertices.shape[1])], axis=1)
        left = group[faces]
        is_whole = (left[:, 0] != left[:, 1]) & (left[:, 1] != left[:, 2]) & (left[:, 2] != left[:, 0])
        left = left[is_whole]
        if len(left) <= most_faces or cells <= 4:
            return means, left
        cells = max(int(0.8 * cells), 4)


def _marched(vertices: Array, faces: Faces, cells: int, is_oriented: bool) -> tuple[Array, Faces]:
    """The surface on which the winding number is a half, on a grid with `cells` along the longest side."""
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    step = float((high - low).max()) / cells
    counts = np.ceil((high - low) / step).astype(int) + 4
    start = 0.5 * (low + high) - 0.5 * step * (counts - 1)
    inside = np.zeros(tuple(counts))
    for axis in range(3):
        others = [(axis + 1) % 3, (axis + 2) % 3]  # in this order, areas keep their signs
        turned = np.ascontiguousarray(vertices[:, [*others, axis]])
        sides = start[[*others, axis]], counts[[*others, axis]]
        left = _left_by_rays(turned[faces], *sides, step, is_oriented)
        inside += left.transpose(np.argsort([*others, axis]))
    inside = np.abs(inside) / 6.0  # a surface whose faces look inwards counts, too
    # A mean over neighbours turns the steps of the grid into slopes.
    for axis in range(3):
        inside = 0.5 * inside + 0.25 * (np.roll(inside, 1, axis) + np.roll(inside, -1, axis))
    axes = [begin + step * np.arange(count) for begin, count in zip(start, counts, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    return _surface_of(inside - 0.5, points)


def _left_by_rays(corners: Array, start: Array, counts: NDArray[np.int64], step: float, is_oriented: bool) -> Array:
    """How often rays from grid points up and down the third axis leave a surface, both together.

    Args:
        corners: of its triangles, shape (m, 3, 3).
        start: the first grid point, shape (3,).
        counts: numbers of grid points, shape (3,).
        step: from point to point.
        is_oriented: whether to count with signs; if not, an odd number of crossings is one.

    Returns:
        Shape `counts`.
    """
    u = start[0] + step * (np.arange(counts[0]) + _ASIDE)
    v = start[1] + step * (np.arange(counts[1]) + 1.7 * _ASIDE)
    columns = np.stack(np.meshgrid(u, v, indexing="ij"), axis=-1).reshape(-1, 2)
    crossed = np.zeros((len(columns), counts[2] + 1))
    size = max(_CHUNK // len(columns), 1)
    for first in range(0, len(corners), size):
        a, b, c = (corners[first : first + size, k] for k in range(3))
        area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
        seen = area != 0.0
        a, b, c, area = a[seen], b[seen], c[seen], area[seen]
        weights = [_share(columns, p, q, area) for p, q in ((b, c), (c, a), (a, b))]
        triangle, column = np.nonzero((weights[0] >= 0.0) & (weights[1] >= 0.0) & (weights[2] >= 0.0))
        ends = zip(weights, (a, b, c), strict=True)
        height = sum(w[triangle, column] * end[triangle, 2] for w, end in ends)
        level = np.clip(np.ceil((height - start[2]) / step), 0, counts[2]).astype(np.int64)
        np.add.at(crossed, (column, level), np.sign(area[triangle]) if is_oriented else 1.0)
    # A crossing of level k lies between the points k − 1 and k.
    below = np.cumsum(crossed, axis=1)[:, :-1]
    above = crossed.sum(axis=1, keepdims=True) - below
    left = above - below if is_oriented else above % 2.0 + below % 2.0
    return np.asarray(left.reshape(tuple(counts)))


def _share(columns: Array, p: Array, q: Array, area: Array) -> Array:
    """The barycentric coordinate of the third corner for each triangle and column, shape (m, n)."""
    x, y = columns[None, :, 0] - p[:, None, 0], columns[None, :, 1] - p[:, None, 1]
    dx, dy = (q - p)[:, 0, None], (q - p)[:, 1, None]
    return np.asarray((dx * y - dy * x) / area[:, None])


def _surface_of(values: Array, points: Array) -> tuple[Array, Faces]:
    """The surface between grid points with values above 0 and the others, by marching tetrahedra."""
    shape = values.shape
    number = np.arange(values.size).reshape(shape)
    corners = np.stack(
        [
            number[x : x + shape[0] - 1, y : y + shape[1] - 1, z : z + shape[2] - 1].ravel()
            for z, y, x in np.ndindex(2, 2, 2)
        ],
        axis=1,
    )
    flat = values.ravel()
    tetrahedra = corners[:, _TETRAHEDRA].reshape(-1, 4)
    is_in = flat[tetrahedra] > 0.0
    count = is_in.sum(axis=1)
    # Corners inside come first.
    ordered = np.take_along_axis(tetrahedra, np.argsort(~is_in, axis=1, kind="stable"), axis=1)
    a, b, c, d = (ordered[:, k] for k in range(4))
    one, two, three = (count == n for n in (1, 2, 3))
    triangles = [
        _edges(one, (a, b), (a, c), (a, d)),
        _edges(two, (a, c), (a, d), (b, d)),
        _edges(two, (a, c), (b, d), (b, c)),
        _edges(three, (a, d), (b, d), (c, d)),
    ]
    outwards = [points[ordered[mask, -1]] - points[ordered[mask, 0]] for mask in (one, two, two, three)]
    edges = np.concatenate(triangles)  # (m, 3, 2): a vertex of the surface lies on each edge
    if not len(edges):
        return np.empty((0, 3)), np.empty((0, 3), np.int64)
    unique, faces = np.unique(np.sort(edges, axis=2).reshape(-1, 2), axis=0, return_inverse=True)
    faces = faces.reshape(-1, 3)
    first, last = flat[unique[:, 0]], flat[unique[:, 1]]
    share = np.clip(first / (first - last), 0.02, 0.98)[:, None]
    vertices = points[unique[:, 0]] * (1.0 - share) + points[unique[:, 1]] * share
    p, q, r = (vertices[faces[:, k]] for k in range(3))
    turned = np.einsum("ij,ij->i", np.cross(q - p, r - p), np.concatenate(outwards)) < 0.0
    faces[turned] = faces[turned][:, ::-1]
    return vertices, np.ascontiguousarray(faces)


def _edges(mask: NDArray[np.bool_], *ends: tuple[NDArray[np.int64], NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.stack([np.stack((one[mask], other[mask]), axis=-1) for one, other in ends], axis=1)

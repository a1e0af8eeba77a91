"""Triangulations of height fields: an adaptive one, one of straight lines, and the walls around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from waterview.core.grid import Grid

Heights = NDArray[np.floating]
Points = NDArray[np.intp]

_REACH = np.float32(1.21)
"""How far from an edge's middle points may lie that depend on it, in lengths of the edge.

The edges of the halves are shorter by √2, and their middles lie 1/√8 of the edge away: that series adds up to
1/(√8 − 2). A little more, so that rounding tears nothing.
"""

OFFSET_OF_SIDES = -0.01, -4.0
"""Polygon offset (factor, units) of the water's cut sides, and half of that of the ground's.

Both lie in the same planes, and the ground's hide the water's. Without any, bare ground would show in single pixels
along the foot of the water's. It is larger than the errors of graphics cards, and too small to be seen.
"""


def split_errors(heights: Heights, weight: Heights) -> NDArray[np.float32]:
    """The error made at each point of a square of 2^k + 1 points if the edge over it is not split.

    The square is cut into right triangles, which are halved again and again at the middle of their longest edge
    (right-triangulated irregular networks; Evans, Kirkpatrick and Townsend 2001). A point's own error is the distance
    of its height from the middle of that edge, times `weight`. Each point takes on the largest error of the points that
    depend on it, so the points above any limit form a mesh without cracks.

    Args:
        heights: shape (2^k + 1, 2^k + 1).
        weight: importance of each point, same shape.

    Returns:
        The errors, same shape, infinite at the four corners.
    """
    size = heights.shape[0] - 1
    errors = np.zeros(heights.shape, np.float32)
    step = 2
    while step <= size:
        _edge_errors(heights, weight, errors, step)
        _centre_errors(heights, weight, errors, step)
        step *= 2
    errors[::size, ::size] = np.inf
    return errors


def _edge_errors(heights: Heights, weight: Heights, errors: NDArray[np.float32], step: int) -> None:
    """The middles of edges along rows and columns, which are `step` long."""
    half = step // 2
    for rows in (False, True):
        h, w, e = (a if rows else a.T for a in (heights, weight, errors))
        middle = (slice(None, None, step), slice(half, None, step))
        ends = h[::step, ::step]
        own = np.abs(h[middle] - 0.5 * (ends[:, :-1] + ends[:, 1:])) * w[middle]
        if half > 1:
            # The middles of the smaller squares on both sides depend on the edge.
            quarter = half // 2
            hanging = np.maximum(e[quarter::half, quarter::step], e[quarter::half, half + quarter :: step])
            own[1:] = np.maximum(own[1:], hanging[1::2])
            own[:-1] = np.maximum(own[:-1], hanging[::2])
        e[middle] = own


def _centre_errors(heights: Heights, weight: Heights, errors: NDArray[np.float32], step: int) -> None:
    """The middles of squares with sides of `step`, whose longest edge is a diagonal."""
    half = step // 2
    middle = (slice(half, None, step), slice(half, None, step))
    corners = heights[::step, ::step]
    falling = 0.5 * (corners[:-1, :-1] + corners[1:, 1:])
    rising = 0.5 * (corners[:-1, 1:] + corners[1:, :-1])
    row, column = np.indices(falling.shape)
    ends = np.where((row + column) % 2 == 0, falling, rising)
    own = np.abs(heights[middle] - ends) * weight[middle]
    sides = errors[half::step, ::step], errors[::step, half::step]
    hanging = np.maximum(np.maximum(sides[0][:, :-1], sides[0][:, 1:]), np.maximum(sides[1][:-1], sides[1][1:]))
    errors[middle] = np.maximum(own, hanging)


def adaptive_mesh(errors: NDArray[np.float32], most: int) -> tuple[Points, NDArray[np.uint32]]:
    """The mesh of the at most `most` points with the largest errors.

    Args:
        errors: from `split_errors`, shape (n, n).
        most: points allowed, at least 4.

    Returns:
        Row and column of every point, shape (m, 2), and the triangles as point numbers, shape (t, 3),
        counter-clockwise with rows pointing towards the viewer and columns to the right.
    """
    size = errors.shape[0] - 1
    most = max(most, 4)
    limit = 0.0 if errors.size <= most else float(np.partition(errors, -most - 1, axis=None)[-most - 1])
    # Half as large as numpy's usual numbers: there are up to a million of them.
    corner = np.array([[0, 0], [0, size], [size, 0], [size, size]], np.int32)
    # The first cut runs from the first to the last corner: corners a, b of the longest edge, c of the right angle.
    a, b, c = corner[[3, 0]], corner[[0, 3]], corner[[2, 1]]
    leaves: list[NDArray[np.int32]] = []
    while a.size:
        middle = (a + b) // 2
        splits = errors[middle[:, 0], middle[:, 1]] > limit
        splits &= np.abs(a - b).max(axis=1) > 1
        leaves.append(np.stack((a, b, c), axis=1)[~splits])
        a, b, c, middle = a[splits], b[splits], c[splits], middle[splits]
        a, b, c = np.concatenate((c, b)), np.concatenate((a, c)), np.concatenate((middle, middle))
    number = np.concatenate([leaf[..., 0] * (size + 1) + leaf[..., 1] for leaf in leaves])
    leaves.clear()
    used, triangles = np.unique(number, return_inverse=True)
    points = np.stack(np.divmod(used, size + 1), axis=1)
    return points, triangles.reshape(-1, 3).astype(np.uint32)


class FinerNearby:
    """A mesh of `adaptive_mesh` made finer around an eye, where its errors stay below a share of the distance.

    Of all places where a point and those that depend on it may lie, the nearest tells its distance (Lindstrom and
    Pascucci 2001); so it is split before them, and there are no cracks. The heights of added points grow out of the
    edges that they split (Hoppe 1998), so that nothing jumps while the eye moves.

    Args:
        heights: shape (n, n), n = 2^k + 1.
        errors: their `split_errors`.
        mesh: an `adaptive_mesh` of theirs.
        cells: distances of rows and of columns [m].

    Attributes:
        shape: of the heights.
        left: largest error of the mesh, in the unit of the heights.
        reach: how much nearer than itself a point of the mesh may count [m].
    """

    def __init__(
        self,
        heights: NDArray[np.float64],
        errors: NDArray[np.float32],
        mesh: tuple[Points, NDArray[np.uint32]],
        cells: tuple[float, float],
    ) -> None:
        points, self._triangles = mesh
        self.shape, self._side = heights.shape, len(heights)
        self._cells, self._first = cells, len(points)
        self._true, self._errors = heights.ravel(), errors.ravel()
        self._drawn, self._vertex = self._true.copy(), np.empty(self._true.size, np.uint32)
        numbers = points[:, 0].astype(np.intp) * self._side + points[:, 1]
        self._vertex[numbers] = np.arange(len(points))
        self._edges = _Edges.of(numbers[self._triangles], self._side, self._errors)
        self.left = float(self._edges.errors.max())
        self.reach = float(self._edges.reach.max()) * max(cells)

    def around(
        self, row: float, column: float, least: float, share: float
    ) -> tuple[Points, Heights, NDArray[np.uint32]]:
        """The mesh for an eye.

        Args:
            row: row in which the eye is; it may lie outside.
            column: column in which the eye is; it may lie outside.
            least: distance below which no point is taken to be [m].
            share: largest error, as a share of the distance.

        Returns:
            Row and column of each added point, shape (m, 2), their heights, shape (m,), and all triangles, shape
            (t, 3), in which the added points are numbered after those of the mesh.
        """
        added, leaves, edges = list[Points](), list[Points](), self._edges
        allowed = share * edges.distance(row, column, least, self._cells)
        splits = edges.errors > allowed
        kept = self._triangles[~splits]
        while splits.any():
            (a, b, c), middle = edges.corners[splits].T, edges.middle[splits]
            straight = 0.5 * (self._drawn[a] + self._drawn[b])
            grown = np.minimum(edges.errors[splits] / allowed[splits] - 1.0, 1.0)
            self._drawn[middle] = straight + grown * (self._true[middle] - straight)
            added.append(middle)
            halves = np.concatenate((np.stack((c, a, middle), axis=1), np.stack((b, c, middle), axis=1)))
            edges = _Edges.of(halves, self._side, self._errors)
            allowed = share * edges.distance(row, column, least, self._cells)
            splits = edges.errors > allowed
            leaves.append(halves[~splits])
        if not added:
            return np.empty((0, 2), np.intp), np.empty(0), self._triangles
        new = np.unique(np.concatenate(added))
        self._vertex[new] = self._first + np.arange(len(new))
        triangles = np.concatenate((kept, self._vertex[np.concatenate(leaves)]))
        return np.stack(np.divmod(new, self._side), axis=1), self._drawn[new], triangles


@dataclass(frozen=True)
class _Edges:
    """Right triangles and their longest edges.

    Attributes:
        corners: both ends of the longest edge and the corner of the right angle, as numbers of points, shape (t, 3).
        middle: of that edge, a point's number, shape (t,).
        errors: if it is not split, shape (t,); 0 where there is no point to split it.
        place: row and column of its middle, shape (2, t).
        reach: how far from there points may lie that depend on it, in cells, shape (t,).
    """

    corners: Points
    middle: Points
    errors: NDArray[np.float32]
    place: NDArray[np.float32]
    reach: NDArray[np.float32]

    @classmethod
    def of(cls, corners: Points, side: int, errors: NDArray[np.float32]) -> Self:
        """The edges of triangles between points with these errors, numbered row by row of `side` points."""
        ends = np.stack(np.divmod(corners[:, :2].T, side)).astype(np.float32)
        along = ends[:, 0] - ends[:, 1]
        middle = corners[:, :2].sum(axis=1) // 2
        own = np.where(np.abs(along).max(axis=0) > 1.0, errors[middle], np.float32(0.0))
        return cls(corners, middle, own, ends.mean(axis=1), _REACH * np.hypot(*along))

    def distance(self, row: float, column: float, least: float, cells: tuple[float, float]) -> NDArray[np.float32]:
        """Least distance of points that depend on each edge from a place, but not below `least` [m], shape (t,)."""
        away = np.hypot((self.place[0] - np.float32(row)) * cells[0], (self.place[1] - np.float32(column)) * cells[1])
        nearest: NDArray[np.float32] = np.maximum(away - self.reach * np.float32(max(cells)), np.float32(least))
        return nearest


def straight_mesh(heights: Heights, tolerance: float, most: int) -> tuple[Points, NDArray[np.uint32]] | None:
    """The mesh of a field that bends only along a few whole rows and columns, such as a pool with straight walls.

    Args:
        heights: shape (nz, nx), at least 2 × 2.
        tolerance: largest error allowed, in the unit of the heights.
        most: points allowed.

    Returns:
        As `adaptive_mesh`; None if it would take more points.
    """
    rows, columns = (_bent(field, tolerance) for field in (heights, heights.T))
    if len(rows) * len(columns) > most:
        return None
    chosen = heights[np.ix_(rows, columns)]
    twisted = np.abs(chosen[1:, 1:] + chosen[:-1, :-1] - chosen[1:, :-1] - chosen[:-1, 1:]) > tolerance
    twisted &= (np.diff(rows)[:, None] > 1) | (np.diff(columns)[None, :] > 1)
    missed = np.abs(_filled(_filled(chosen, rows).T, columns).T - heights)
    if twisted.any() or missed.max() > tolerance:
        return None
    points = np.stack(np.meshgrid(rows, columns, indexing="ij"), axis=-1).reshape(-1, 2)
    return points, Grid((len(rows), len(columns)), 1.0).triangles()


def _bent(field: Heights, tolerance: float) -> Points:
    """The rows along which `field` bends by more than `tolerance`, and its first and last row."""
    bends = np.diff(field, 2, axis=0)
    bends = np.abs(bends, out=bends).max(axis=1) > tolerance
    return np.flatnonzero(np.pad(bends, 1, constant_values=True))


def _filled(chosen: Heights, rows: Points) -> Heights:
    """All rows from the chosen ones, by linear interpolation."""
    return interpolated(chosen, np.interp(np.arange(rows[-1] + 1), rows, np.arange(len(rows))))


def interpolated(values: Heights, at: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rows of `values` at fractional row numbers, shape (n,), by linear interpolation."""
    low = np.minimum(at.astype(np.intp), len(values) - 2)
    share = (at - low)[:, None]
    # In place: the arrays may be large.
    found, next_rows = np.asarray(values[low], np.float64), np.asarray(values[low + 1], np.float64)
    found *= 1.0 - share
    next_rows *= share
    found += next_rows
    return found


def even_shape(grid: Grid, most: int) -> tuple[int, int]:
    """Points (nz, nx) of a mesh with at most `most` along the longer side, and no more than the grid has."""
    longest = max(grid.shape)
    if longest <= most:
        return grid.shape
    nz, nx = (max(2, round(count * most / longest)) for count in grid.shape)
    return nz, nx


def free_nearby(fixed: NDArray[np.bool_], shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Which squares of a coarser mesh of `shape` points have a free point in or beside them, shape − 1 each."""
    free = np.pad(~fixed, ((0, 1), (0, 1)))
    for count, points in zip(fixed.shape, shape, strict=True):  # first rows, then columns
        edges = np.linspace(0.0, count - 1.0, points)
        low = np.maximum(np.floor(edges[:-1]).astype(np.intp) - 1, 0)
        high = np.minimum(np.ceil(edges[1:]).astype(np.intp) + 2, count)
        free = np.logical_or.reduceat(free, np.column_stack((low, high)).ravel())[::2].T
    return free


SIDES = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""Outward normals (x, z) of the block's four sides."""


def wall_strip(count: int, first: int) -> NDArray[np.uint32]:
    """Triangles of a wall from `count` top points and as many bottom points after them, numbered from `first`.

    The top points run from left to right seen from outside.
    """
    top = first + np.arange(count - 1, dtype=np.uint32)
    bottom = top + np.uint32(count)
    return np.stack((top, bottom, top + 1, top + 1, bottom, bottom + 1), axis=-1).reshape(-1, 3).astype(np.uint32)

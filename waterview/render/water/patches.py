"""Which parts of the water are drawn how finely: square patches, small near the eye and large far from it.

The water is cut into patches of equal meshes; a patch near the eye is cut into four again and again (a quadtree). Every
second point of a patch moves onto its neighbour as the patch comes to the distance where the next larger ones begin, so
neighbours meet without cracks and nothing jumps when a patch is exchanged (Strugar 2010, continuous distance-dependent
level of detail; the moving is done in include/patch.glsl).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from waterview.core.grid import Grid
from waterview.render.ground.mesh import SIDES, wall_strip

QUADS = 8
"""Squares along each side of a patch."""
_DEEPEST = 12
_MOST_ROOTS = 16

Array = NDArray[np.float64]
Numbers = NDArray[np.intp]


@dataclass(frozen=True)
class Patches:
    """Patches of all sizes over one grid.

    Attributes:
        size: of the water along x and z [m].
        roots: largest patches along x and z.
        depth: how often they are halved at most; then squares are as small as the grid's.
    """

    size: tuple[float, float]
    roots: tuple[int, int]
    depth: int

    @classmethod
    def over(cls, grid: Grid) -> Patches:
        """Those that cover `grid`, roughly square."""
        width, length = grid.size
        shorter = min(width, length)
        roots = min(round(width / shorter), _MOST_ROOTS), min(round(length / shorter), _MOST_ROOTS)
        squares = max(width / roots[0], length / roots[1]) / (QUADS * grid.spacing)
        return cls((width, length), roots, int(np.clip(np.ceil(np.log2(max(squares, 1.0))), 0, _DEEPEST)))

    def diagonal(self, depth: int) -> float:
        """Of a patch that has been halved `depth` times [m]."""
        return math.hypot(self.size[0] / self.roots[0], self.size[1] / self.roots[1]) / 2.0**depth

    def seen_from(self, eye: Array, reach: float) -> list[Numbers]:
        """The patches to draw for an eye at some place.

        Args:
            eye: the place, shape (3,), relative to the water's lowest x and z and its level [m].
            reach: a patch is as close as this to the eye, in diagonals of its quarters, before they take its place;
                at least 3, or neighbours would not meet.

        Returns:
            For every depth the column and row of its patches, shape (n, 2); together they cover the water once.
        """
        columns, rows = np.meshgrid(np.arange(self.roots[0]), np.arange(self.roots[1]))
        here = np.stack((columns.ravel(), rows.ravel()), axis=1)
        kept: list[Numbers] = []
        for depth in range(self.depth + 1):
            splits = np.zeros(len(here), bool)
            if depth < self.depth:
                splits = self._distances(here, depth, eye) < reach * self.diagonal(depth + 1)
            kept.append(here[~splits])
            quarters = np.array(((0, 0), (1, 0), (0, 1), (1, 1)))
            here = (2 * here[splits][:, None] + quarters).reshape(-1, 2)
        return kept

    def corners(self, patches: Numbers, depth: int) -> tuple[Array, Array]:
        """Lowest and highest x and z of patches [m], each of shape (n, 2), relative to the water's lowest."""
        side = np.array(self.size) / self.roots / 2**depth
        return patches * side, (patches + 1) * side

    def _distances(self, patches: Numbers, depth: int, eye: Array) -> Array:
        low, high = self.corners(patches, depth)
        flat = eye[[0, 2]]
        across = np.maximum(np.maximum(low - flat, flat - high), 0.0)
        return np.asarray(np.sqrt(np.square(across).sum(axis=1) + eye[1] ** 2))

    def points(self, patches: Numbers, depth: int, reach: float) -> NDArray[np.float32]:
        """The points of patches, row by row, shape (n, QUADS + 1, QUADS + 1, 5).

        Each has its share of the way across the water along x and z, the share it moves to, and the distance from the
        eye at which it has arrived there [m]; the largest patches' points stay.
        """
        count = np.array(self.roots) * QUADS * 2**depth
        along = np.arange(QUADS + 1)
        index = np.empty((len(patches), QUADS + 1, QUADS + 1, 2), np.intp)
        index[..., 0] = QUADS * patches[:, 0, None, None] + along
        index[..., 1] = QUADS * patches[:, 1, None, None] + along[:, None]
        points = np.empty((*index.shape[:3], 5), np.float32)
        points[..., :2] = index / count
        points[..., 2:4] = (index - index % 2) / count if depth else points[..., :2]
        points[..., 4] = reach * self.diagonal(depth)
        return points


def squares(patches: int) -> NDArray[np.uint32]:
    """The triangles of so many patches' squares, shape (patches, QUADS, QUADS, 6), counter-clockwise from above."""
    at = np.arange(QUADS, dtype=np.uint32) + np.uint32(QUADS + 1) * np.arange(QUADS, dtype=np.uint32)[:, None]
    below = at + np.uint32(QUADS + 1)
    # Cut along the way that corners move, or triangles would turn over as they vanish.
    one = np.stack((at, below, below + 1, at, below + 1, at + 1), axis=-1)
    return np.asarray(one + (QUADS + 1) ** 2 * np.arange(patches, dtype=np.uint32)[:, None, None, None], np.uint32)


def sides(
    patches: Numbers, points: NDArray[np.float32], last: tuple[int, int]
) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """The cut sides beneath patches at the water's border.

    Args:
        patches: column and row of each, shape (n, 2).
        points: theirs, from `Patches.points`.
        last: column and row of the last patch.

    Returns:
        Points with, sixth, 1 at the top or 0 at the bottom, shape (m, 6), and triangles, shape (t, 3), that face
        outwards.
    """
    tops: list[NDArray[np.float32]] = []
    for x, z in SIDES:
        there = patches[:, 0 if x else 1] == (last[0 if x else 1] if x + z > 0 else 0)
        at = -1 if x + z > 0 else 0
        edge = points[there][:, at] if z else points[there][:, :, at]
        # From left to right for who stands outside, as `wall_strip` wants it.
        tops.append(edge if z > 0 or x < 0 else edge[:, ::-1])
    top = np.concatenate(tops)
    both = np.concatenate((top, top), axis=1)
    height = np.repeat(np.array((1.0, 0.0), np.float32), QUADS + 1)
    walls = np.concatenate((both, np.broadcast_to(height[:, None], (*both.shape[:2], 1))), axis=2)
    one = wall_strip(QUADS + 1, 0)
    triangles = one + np.uint32(2 * (QUADS + 1)) * np.arange(len(top), dtype=np.uint32)[:, None, None]
    return walls.reshape(-1, 6).astype(np.float32), triangles.reshape(-1, 3)

"""Level of detail of the water: square patches, small near the eye and large far from it.

All patches have the same mesh. A patch near the eye is cut into four, again and again (a quadtree). Towards the
distance where larger patches begin, every second point of a patch moves onto its neighbour (geomorphing, in
include/lod.glsl). So patches of different size meet without cracks, and nothing jumps when they are exchanged
(continuous distance-dependent level of detail; Strugar 2010).
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
class LevelsOfDetail:
    """The quadtree of patches over one grid.

    Attributes:
        size: of the water along x and z [m].
        roots: number of largest patches along x and z.
        depth: how often they are halved at most, until squares are as small as the grid's cells.
    """

    size: tuple[float, float]
    roots: tuple[int, int]
    depth: int

    @classmethod
    def over(cls, grid: Grid) -> LevelsOfDetail:
        """The quadtree that covers `grid`; its patches are roughly square."""
        width, length = grid.size
        shorter = min(width, length)
        roots = min(round(width / shorter), _MOST_ROOTS), min(round(length / shorter), _MOST_ROOTS)
        squares = max(width / roots[0], length / roots[1]) / (QUADS * grid.spacing)
        return cls((width, length), roots, int(np.clip(np.ceil(np.log2(max(squares, 1.0))), 0, _DEEPEST)))

    def diagonal(self, depth: int) -> float:
        """Diagonal of a patch that has been halved `depth` times [m]."""
        return math.hypot(self.size[0] / self.roots[0], self.size[1] / self.roots[1]) / 2.0**depth

    def seen_from(self, eye: Array, reach: float) -> list[Numbers]:
        """The patches to draw.

        Args:
            eye: position of the eye, shape (3,), relative to the water's lowest x and z and its level [m].
            reach: distance within which a patch is cut into quarters, in diagonals of the quarters; at least 3, or
                neighbours would not meet.

        Returns:
            Column and row of the patches of every depth, shape (n, 2); together they cover the water once.
        """
        columns, rows = np.meshgrid(np.arange(self.roots[0]), np.arange(self.roots[1]))
        here = np.stack((columns.ravel(), rows.ravel()), axis=1)
        chosen: list[Numbers] = []
        for depth in range(self.depth + 1):
            splits = np.zeros(len(here), bool)
            if depth < self.depth:
                splits = self._distances(here, depth, eye) < reach * self.diagonal(depth + 1)
            chosen.append(here[~splits])
            quarters = np.array(((0, 0), (1, 0), (0, 1), (1, 1)))
            here = (2 * here[splits][:, None] + quarters).reshape(-1, 2)
        return chosen

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

        Of each: its share of the way across the water along x and z, the share it moves to, and the distance from the
        eye at which it has arrived there [m]. Points of the largest patches do not move.
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
    """Triangles of the squares of so many patches, shape (patches, QUADS, QUADS, 6), counter-clockwise from above."""
    at = np.arange(QUADS, dtype=np.uint32) + np.uint32(QUADS + 1) * np.arange(QUADS, dtype=np.uint32)[:, None]
    below = at + np.uint32(QUADS + 1)
    # The cut runs along the direction in which points move, or triangles would flip as they vanish.
    one = np.stack((at, below, below + 1, at, below + 1, at + 1), axis=-1)
    return np.asarray(one + (QUADS + 1) ** 2 * np.arange(patches, dtype=np.uint32)[:, None, None, None], np.uint32)


def sides(
    patches: Numbers, points: NDArray[np.float32], last: tuple[int, int]
) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """The cut sides below the patches at the water's border.

    Args:
        patches: column and row of each, shape (n, 2).
        points: theirs, from `LevelsOfDetail.points`.
        last: column and row of the last patch.

    Returns:
        Points, shape (m, 6), the sixth number 1 at the top and 0 at the bottom; and triangles that face outwards, shape
        (t, 3).
    """
    tops: list[NDArray[np.float32]] = []
    for x, z in SIDES:
        there = patches[:, 0 if x else 1] == (last[0 if x else 1] if x + z > 0 else 0)
        at = -1 if x + z > 0 else 0
        edge = points[there][:, at] if z else points[there][:, :, at]
        # From left to right seen from outside, as `wall_strip` needs it.
        tops.append(edge if z > 0 or x < 0 else edge[:, ::-1])
    top = np.concatenate(tops)
    both = np.concatenate((top, top), axis=1)
    height = np.repeat(np.array((1.0, 0.0), np.float32), QUADS + 1)
    walls = np.concatenate((both, np.broadcast_to(height[:, None], (*both.shape[:2], 1))), axis=2)
    one = wall_strip(QUADS + 1, 0)
    triangles = one + np.uint32(2 * (QUADS + 1)) * np.arange(len(top), dtype=np.uint32)[:, None, None]
    return walls.reshape(-1, 6).astype(np.float32), triangles.reshape(-1, 3)

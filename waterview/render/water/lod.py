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
OUTWARDS = 4
"""How often the water's largest patches are doubled for the sea around, at most."""
ACROSS = 2
"""Such patches on each side of the water."""
_DEEPEST = 12
_MOST_ROOTS = 16
_QUARTERS = np.array(((0, 0), (1, 0), (0, 1), (1, 1)))

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

    @property
    def finest_squares(self) -> tuple[float, float]:
        """How many squares as small as those near the eye would lie along x and z."""
        columns, rows = self.roots
        return float(QUADS * columns << self.depth), float(QUADS * rows << self.depth)

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
        here = np.stack(np.meshgrid(np.arange(self.roots[0]), np.arange(self.roots[1])), axis=-1).reshape(-1, 2)
        chosen: list[Numbers] = []
        for depth in range(self.depth + 1):
            splits = self._are_near(here, depth, eye, reach)
            chosen.append(here[~splits])
            here = (2 * here[splits][:, None] + _QUARTERS).reshape(-1, 2)
        return chosen

    def around(self, eye: Array, reach: float) -> list[Numbers]:
        """The patches to draw of the sea around, as `seen_from`, down to those as large as the water's largest first.

        Returns:
            Column and row of the patches of every depth from −`OUTWARDS` on, shape (n, 2). Column and row 0 are those
            of the water's first; none lies on the water, which is as large as `roots` of depth 0.
        """
        along = np.arange(-ACROSS, ACROSS)
        here = np.stack(np.meshgrid(along, along), axis=-1).reshape(-1, 2)
        chosen: list[Numbers] = []
        for depth in range(-OUTWARDS, self.depth + 1):
            step = 2.0**-depth
            over = np.asarray(((here * step < self.roots) & ((here + 1) * step > 0)).all(axis=1))
            if depth >= 0:
                here, over = here[~over], over[~over]
            splits = over | self._are_near(here, depth, eye, reach)
            chosen.append(here[~splits])
            here = (2 * here[splits][:, None] + _QUARTERS).reshape(-1, 2)
        return chosen

    def corners(self, patches: Numbers, depth: int) -> tuple[Array, Array]:
        """Lowest and highest x and z of patches [m], each of shape (n, 2), relative to the water's lowest."""
        side = np.array(self.size) / self.roots / 2.0**depth
        return patches * side, (patches + 1) * side

    def _are_near(self, patches: Numbers, depth: int, eye: Array, reach: float) -> NDArray[np.bool_]:
        """Which patches are so near that they are cut into quarters; at the greatest depth none is."""
        if depth == self.depth:
            return np.zeros(len(patches), bool)
        low, high = self.corners(patches, depth)
        flat = eye[[0, 2]]
        across = np.maximum(np.maximum(low - flat, flat - high), 0.0)
        far = np.sqrt(np.square(across).sum(axis=1) + eye[1] ** 2)
        return np.asarray(far < reach * self.diagonal(depth + 1))

    def placed(self, patches: Numbers, depth: int) -> NDArray[np.float32]:
        """What the card needs to know of patches that have been halved `depth` times, shape (n, 3).

        Column and row of the first point of each, counted in its own squares, and the side of these in those of the
        largest patches. The card adds the points of `corners_of_a_patch` (include/lod.glsl).
        """
        placed = np.empty((len(patches), 3), np.float32)
        placed[:, :2] = QUADS * patches
        placed[:, 2] = 0.5**depth
        return placed


def corners_of_a_patch() -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """Column and row of the points of a patch, row by row, shape ((QUADS + 1)², 2), and its triangles.

    Those have shape (QUADS, QUADS, 6) and are counter-clockwise from above. The last corner of both triangles of a
    square is the one in the next column and row, which no other square has as its last.
    """
    along = np.arange(QUADS + 1, dtype=np.float32)
    points = np.stack(np.meshgrid(along, along), axis=-1).reshape(-1, 2)
    at = np.arange(QUADS, dtype=np.uint32) + np.uint32(QUADS + 1) * np.arange(QUADS, dtype=np.uint32)[:, None]
    below = at + np.uint32(QUADS + 1)
    # The cut runs along the direction in which points move, or triangles would flip as they vanish.
    return points, np.stack((at, below, below + 1, at + 1, at, below + 1), axis=-1).astype(np.uint32)


def corners_of_a_side() -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """The points of the cut side below a patch, from left to right seen from outside, and its triangles, shape (t, 3).

    Of each point, shape (2 · (QUADS + 1), 2): squares along the side, and 1 at the top, 0 at the bottom.
    """
    along, top = np.meshgrid(np.arange(QUADS + 1, dtype=np.float32), np.array((1.0, 0.0), np.float32))
    return np.stack((along, top), axis=-1).reshape(-1, 2), wall_strip(QUADS + 1, 0)


def sides(patches: Numbers, placed: NDArray[np.float32], last: tuple[int, int]) -> NDArray[np.float32]:
    """The cut sides below the patches at the water's border, shape (m, 5).

    Of each: column and row of the point farthest left seen from outside, the size of its squares, and the columns and
    rows from each point to the next.

    Args:
        patches: column and row of each, shape (n, 2).
        placed: theirs, from `LevelsOfDetail.placed`.
        last: column and row of the last patch.
    """
    found = []
    for x, z in SIDES:
        there = patches[:, 0 if x else 1] == (last[0 if x else 1] if x + z > 0 else 0)
        first = placed[there] + np.float32(QUADS) * np.array((x > 0 or z < 0, x + z > 0, 0), np.float32)
        found.append(np.pad(first, ((0, 0), (0, 2))) + np.array((0, 0, 0, z, -x), np.float32))
    return np.concatenate(found)

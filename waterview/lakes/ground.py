"""The ground of a lake by windows, so that no machine needs all of it."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from waterview.core.commands import PaintWall
from waterview.core.errors import InputError
from waterview.core.georeference import Georeference
from waterview.core.rectangle import Rectangle
from waterview.waters.common.walls import strokes_in, with_walls, without_puddles

from .blocks import LakeGrid


class Map(Protocol):
    """Ground heights by place: `waterview.terrain.heightmap.Heightmap`, or a file that is read by windows."""

    @property
    def water_level(self) -> float:
        """World height of still water [m]."""

    @property
    def size(self) -> tuple[float, float]:
        """Extent along x and along z [m]; the middle lies at x = z = 0."""

    @property
    def world_place(self) -> Georeference:
        """Coordinates of the file by world x and z [m]."""

    def height_at(self, x: NDArray[np.float64], z: NDArray[np.float64]) -> NDArray[np.float32]:
        """World height [m] at world x, shape (1, nx), and z, shape (nz, 1) [m]; shape (nz, nx)."""


@dataclass(frozen=True)
class Ground:
    """What the water of a lake stands on.

    Attributes:
        heights: the ground.
        grid: the whole grid of the water.
        wraps: whether its rows and its columns go on at the opposite end.
        walls: painted on it, in order.
    """

    heights: Map
    grid: LakeGrid
    wraps: tuple[bool, bool]
    walls: tuple[PaintWall, ...] = ()

    def bed(self, window: Rectangle) -> NDArray[np.float32]:
        """World height of the ground [m], with its walls, in a window that may reach beyond ends where the grid wraps.

        Raises:
            InputError: a height is not finite.
        """
        (top, left), (nz, nx) = (window.top, window.left), self.grid.shape
        rows, columns = np.arange(top, window.bottom) % nz, np.arange(left, window.right) % nx
        bed = np.empty(window.shape, np.float32)
        for z in runs(rows):
            for x in runs(columns):
                at = self.grid.x[None, columns[x]], self.grid.z[rows[z], None]
                bed[z, x] = self.heights.height_at(*at)
                if self.walls:
                    walls = strokes_in(self.grid, self.walls, (_span(rows[z]), _span(columns[x])))
                    bed[z, x] = with_walls(bed[z, x], walls, self.grid)
        if not np.isfinite(bed).all():
            raise InputError("the heightmap gave heights that are not finite: fill its gaps first")
        return bed

    def fixed(self, window: Rectangle) -> NDArray[np.bool_]:
        """Points of a window that stay dry, as `Water.fixed` of the whole grid has them there."""
        (nz, nx), around = self.grid.shape, window.around(1)
        inside = around.and_(
            Rectangle(
                *(around.top, around.bottom) if self.wraps[0] else (0, nz),
                *(around.left, around.right) if self.wraps[1] else (0, nx),
            )
        )
        fixed = np.ones(around.shape, bool)
        fixed[inside.of(around)] = self.bed(inside) > self.grid.level
        # No neighbour is beyond the grid's ends, also where it wraps.
        fixed = self._without_puddles(fixed, around)
        return np.ascontiguousarray(fixed[window.of(around)])

    def _without_puddles(self, fixed: NDArray[np.bool_], around: Rectangle) -> NDArray[np.bool_]:
        (nz, nx), result = self.grid.shape, fixed.copy()
        rows, columns = np.arange(around.top, around.bottom) % nz, np.arange(around.left, around.right) % nx
        for z in runs(rows):
            for x in runs(columns):
                result[z, x] = without_puddles(fixed[z, x])
        return result


def bed_above_still(ground: Ground, window: Rectangle, fixed: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Height of the ground above still water [m] in a window, never below it where it is `fixed`."""
    bed = ground.bed(window).astype(np.float64) - ground.grid.level
    return np.where(fixed, np.maximum(bed, 0.0), bed)


def still_depth(ground: Ground, window: Rectangle, fixed: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Depth of still water [m] in a window."""
    return np.maximum(-bed_above_still(ground, window, fixed), 0.0).astype(np.float32)


def _span(numbers: NDArray[np.intp]) -> slice:
    """Rows or columns that follow each other."""
    return slice(int(numbers[0]), int(numbers[-1]) + 1)


def runs(numbers: NDArray[np.intp]) -> list[slice]:
    """Where in `numbers` rows or columns follow each other without a jump back to the first."""
    cuts = [0, *(np.flatnonzero(np.diff(numbers) != 1) + 1).tolist(), len(numbers)]
    return [slice(start, stop) for start, stop in itertools.pairwise(cuts)]

"""Masks of fixed points: painted walls, and single points of water that are left out."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from waterview.core.commands import PaintWall
from waterview.core.grid import Grid

WALL_HEIGHT = 0.015
"""Height of painted walls above still water, as a share of the water's shorter side."""


def brush(
    grid: Grid,
    x: float,
    z: float,
    radius: float,
    start: tuple[float, float] | None = None,
    window: tuple[slice, slice] = (slice(None), slice(None)),
) -> NDArray[np.bool_]:
    """The points within `radius` [m] of world (x, z) [m], and the nearest point, shape (nz, nx).

    With a `start`, the points near the line from there to (x, z); even the finest brush leaves no gaps. Half a cell
    outside the grid or more there is no nearest point. With a `window`, only its rows and columns of that.
    """
    (top, bottom, _), (left, right, _) = (part.indices(n) for part, n in zip(window, grid.shape, strict=True))
    first_x, first_z = start or (x, z)
    dx, dz = grid.x[None, left:right] - first_x, grid.z[top:bottom, None] - first_z
    length = math.hypot(x - first_x, z - first_z)
    if length > 0.0:
        # The distance from each point to the nearest place of the line.
        along_x, along_z = (x - first_x) / length, (z - first_z) / length
        along = np.clip(dx * along_x + dz * along_z, 0.0, length)
        dx, dz, radius = dx - along * along_x, dz - along * along_z, max(radius, 0.5 * grid.spacing)
    touched = np.hypot(dx, dz) <= radius
    nearest = grid.nearest(x, z)
    if nearest is not None and left <= nearest[0] < right and top <= nearest[1] < bottom:
        touched[nearest[1] - top, nearest[0] - left] = True
    return np.asarray(touched)


def strokes_in(grid: Grid, strokes: Iterable[PaintWall], window: tuple[slice, slice]) -> NDArray[np.bool_]:
    """The walls that some strokes leave in a window of a grid, in order; its shape.

    Args:
        grid: all of it.
        strokes: what is built and removed.
        window: rows and columns, none of them negative.
    """
    rows, columns = window
    walls = np.zeros((rows.stop - rows.start, columns.stop - columns.start), bool)
    for stroke in strokes:
        near = []
        for part, axis, ends in (
            (rows, grid.z, (stroke.z, (stroke.start or (0.0, stroke.z))[1])),
            (columns, grid.x, (stroke.x, (stroke.start or (stroke.x, 0.0))[0])),
        ):
            reach = stroke.radius + grid.spacing
            first, last = np.searchsorted(axis, (min(ends) - reach, max(ends) + reach))
            near.append(slice(max(int(first), part.start), min(int(last), part.stop)))
        if near[0].start < near[0].stop and near[1].start < near[1].stop:
            touched = brush(grid, stroke.x, stroke.z, stroke.radius, stroke.start, (near[0], near[1]))
            inside = tuple(
                slice(each.start - part.start, each.stop - part.start) for each, part in zip(near, window, strict=True)
            )
            walls[inside][touched] = stroke.wall
    return walls


def with_walls(bed: NDArray[np.float32], walls: NDArray[np.bool_], grid: Grid) -> NDArray[np.float32]:
    """The ground [m] with walls that rise out of the water, shape (nz, nx)."""
    top = np.float32(grid.level + WALL_HEIGHT * min(grid.size))
    return np.where(walls, np.maximum(bed, top), bed)


def without_puddles(fixed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """`fixed`, shape (nz, nx), plus every free point whose four neighbours are all fixed or outside the grid.

    No wave can reach such a point; a free one would keep any height that it once got.
    """
    free = np.pad(~fixed, 1)
    beside = free[:-2, 1:-1] | free[2:, 1:-1] | free[1:-1, :-2] | free[1:-1, 2:]
    return np.asarray(fixed | ~beside)


def walls_on(walls: NDArray[np.bool_], shape: tuple[int, int]) -> NDArray[np.bool_]:
    """The same walls on a grid of another `shape` (nz, nx) over the same rectangle; none is lost between points."""
    rows, columns = (
        np.rint(np.linspace(0.0, n - 1.0, new)).astype(int) for n, new in zip(walls.shape, shape, strict=True)
    )
    found = np.array(walls[np.ix_(rows, columns)], bool)
    z, x = np.nonzero(walls)
    scale = [(new - 1) / max(n - 1, 1) for n, new in zip(walls.shape, shape, strict=True)]
    found[np.rint(z * scale[0]).astype(int), np.rint(x * scale[1]).astype(int)] = True
    return found

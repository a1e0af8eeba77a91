"""The shapes of a drop and of a gust of wind on a grid, for every model that drops disturb."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from waterview.core.commands import Drop, Gust
from waterview.core.grid import Grid

RING = 2.0
"""Outer radius of the ring that a neutral drop takes its volume from, in radii of the drop."""

RIPPLES_ACROSS = 3
"""Ripples are a third as long as the gust is wide."""

MAX_ROWS = 128
"""Most crests and troughs along a gust's path; on longer paths ripples are longer."""

_FAR = 1e9  # cells; beyond it a drop has the same height everywhere

Window = tuple[slice, slice]


def drop_heights(drop: Drop, grid: Grid, fixed: NDArray[np.bool_]) -> tuple[Window, NDArray[np.float64]] | None:
    """What `drop` adds to the heights: a window of the grid (rows, columns) and the heights [m] inside it.

    The bump is ½(cos(πd/r) + 1)·height at distance d; r is at least one cell, so that the free point nearest to the
    drop is always disturbed. A neutral drop takes the same volume from the ring between r and 2r, or evenly from all
    free points if that ring would become deeper than the drop is high. Points of `fixed`, shape (nz, nx), get 0.

    Returns:
        None if no free point lies within r: the drop falls on dry ground or outside the water.
    """
    window = drop_window(drop, grid)
    shape = drop_shape(drop, grid, window, ~fixed[window])
    if shape is not None and drop.neutral and not shape.ring_suffices:
        return _from_everywhere(drop.height * shape.bump, window, ~fixed)
    return None if shape is None else (window, shape.heights(drop))


class DropShape(NamedTuple):
    """What a drop of height 1 adds, and where it takes the same volume from.

    Attributes:
        bump: what it adds in its window of the grid.
        ring: the share that each point there gives; zeros if the drop is not neutral.
        bump_sum: sum of `bump`.
        ring_sum: sum of `ring`.
    """

    bump: NDArray[np.float64]
    ring: NDArray[np.float64]
    bump_sum: float
    ring_sum: float

    @property
    def ring_suffices(self) -> bool:
        """Whether the ring can give what the drop adds and becomes no deeper than that is high."""
        return self.ring_sum >= self.bump_sum

    def heights(self, drop: Drop) -> NDArray[np.float64]:
        """What the drop adds in its window [m]."""
        if not drop.neutral:
            return drop.height * self.bump
        heights: NDArray[np.float64] = drop.height * (self.bump - self.ring * (self.bump_sum / self.ring_sum))
        return heights


def drop_window(drop: Drop, grid: Grid) -> Window:
    """The rows and columns of a grid that a drop may change; may be empty."""
    return _window(drop, grid, _radius(drop, grid) * (RING if drop.neutral else 1.0))


def drop_shape(drop: Drop, grid: Grid, window: Window, free: NDArray[np.bool_]) -> DropShape | None:
    """The shape of a drop in a part of its `drop_window`, where some points are `free`; None if none is in its bump."""
    from .kernels.drops import fill_drop_shape

    column, row = grid.to_cell(drop.x, drop.z)
    middle = row - window[0].start, column - window[1].start
    bump, ring = np.empty((2, *free.shape))
    sums = fill_drop_shape(free, *middle, _radius(drop, grid), RING if drop.neutral else 1.0, bump, ring)
    return DropShape(bump, ring, *sums) if sums[0] > 0.0 else None


def _radius(drop: Drop, grid: Grid) -> float:
    """Of the bump [cells]."""
    return min(max(drop.radius / grid.spacing, 1.0), _FAR)


def _from_everywhere(
    added: NDArray[np.float64], window: Window, free: NDArray[np.bool_]
) -> tuple[Window, NDArray[np.float64]]:
    """`added` on the whole grid, minus its mean over the free points."""
    heights = np.where(free, -added.sum() / np.count_nonzero(free), 0.0)
    heights[window] += added
    return (slice(0, free.shape[0]), slice(0, free.shape[1])), heights


def _window(drop: Drop, grid: Grid, reach: float) -> Window:
    """The rows and columns within `reach` cells of the drop; may be empty."""
    fx, fz = grid.to_cell(drop.x, drop.z)
    nz, nx = grid.shape
    return _span(fz, reach, nz), _span(fx, reach, nx)


def _span(middle: float, reach: float, count: int) -> slice:
    # Clipped as floats: a drop may be as far away as a float can express.
    start = min(max(middle - reach, 0.0), float(count))
    stop = min(max(middle + reach + 1.0, 0.0), float(count))
    return slice(math.ceil(start), math.ceil(stop))


def gust_drops(gust: Gust, grid: Grid) -> list[Drop]:
    """The drops that make up `gust`: neutral ones, with as many troughs as crests.

    They lie in rows across the path, crests and troughs in turn, highest in the middle of the path.
    """
    length = math.hypot(gust.dx, gust.dz)
    along = np.array([gust.dx, gust.dz]) / length
    across = np.array([-along[1], along[0]])
    radius = max(gust.width / (2 * RIPPLES_ACROSS), length / (2 * MAX_ROWS), grid.spacing)
    rows = 2 * max(1, round(length / (4.0 * radius)))
    columns = max(1, round(gust.width / (1.5 * radius)))
    drops = []
    for row in range(rows):
        for column in range(columns):
            s, n = (row + 0.5) / rows, (column + 0.5) / columns
            x, z = np.array([gust.x, gust.z]) + s * length * along + (n - 0.5) * gust.width * across
            height = gust.strength * math.sin(math.pi * s) * math.sin(math.pi * n) * (-1.0 if row % 2 else 1.0)
            drops.append(Drop(float(x), float(z), height, radius))
    return drops

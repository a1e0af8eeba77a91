"""The compiled view of shallow water: heights that may be drawn over moving shores, and their slopes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .jit import jit

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]


@jit
def find_shown(rise: Floats, still: Floats, film: np.float32, fixed: Flags, shown: Flags) -> int:
    """Mark the cells that hold more than a film of water; returns how many of them are in `fixed`.

    Args:
        rise: depth less that of still water [m], shape (nz, nx).
        still: depth of still water [m], likewise.
        film: depth of a film [m].
        fixed: cells said to stay dry.
        shown: filled in.
    """
    count = 0
    for i in range(rise.shape[0]):
        for j in range(rise.shape[1]):
            shown[i, j] = still[i, j] + rise[i, j] > film
            if shown[i, j] and fixed[i, j]:
                count += 1
    return count


@jit
def _beside(surface: Floats, shown: Flags, i: int, j: int, otherwise: np.float32) -> np.float32:
    """The highest shown surface among the eight neighbours of a cell."""
    highest, found = otherwise, False
    for k in range(max(i - 1, 0), min(i + 2, shown.shape[0])):
        for m in range(max(j - 1, 0), min(j + 2, shown.shape[1])):
            if shown[k, m] and (not found or surface[k, m] > highest):
                highest, found = surface[k, m], True
    return highest


@jit
def fill_heights(
    surface: Floats, ground: Floats, hair: np.float32, fixed: Flags, shown: Flags, heights: Floats
) -> None:
    """Heights to draw: the surface where there is water, and what lies hidden under dry ground elsewhere.

    A dry cell carries on the surface beside it, or that of still water, but stays below its ground: by a hair, where it
    is the sea floor that lies bare. So a surface drawn from cell to cell dips into the ground where its shore is.

    Args:
        surface: height of the surface above still water [m], shape (nz, nx).
        ground: height of the ground, likewise.
        hair: as said [m].
        fixed: cells that get 0.
        shown: cells with water.
        heights: filled in.
    """
    for i in range(heights.shape[0]):
        for j in range(heights.shape[1]):
            if shown[i, j]:
                heights[i, j] = surface[i, j]
            elif fixed[i, j]:
                heights[i, j] = 0.0
            else:
                most = ground[i, j] - hair if ground[i, j] < 0.0 else ground[i, j]
                heights[i, j] = min(_beside(surface, shown, i, j, np.float32(0.0)), most)


@jit
def _rise(heights: Floats, shown: Flags, i: int, j: int, di: int, dj: int) -> tuple[np.float32, int]:
    """How much the surface rises towards a neighbour, and 1; or zeros where there is no water."""
    k, m = i + di, j + dj
    if 0 <= k < shown.shape[0] and 0 <= m < shown.shape[1] and shown[k, m]:
        return heights[k, m] - heights[i, j], 1
    return np.float32(0.0), 0


@jit
def fill_normals(heights: Floats, shown: Flags, inverse: np.float32, bound: np.float32, normals: Floats) -> None:
    """(−∂h/∂x, −∂h/∂z) from the neighbours that hold water, 0 where the cell itself holds none.

    Args:
        heights: shape (nz, nx).
        shown: cells with water.
        inverse: 1/Δx [1/m].
        bound: largest slope.
        normals: filled in, shape (nz, nx, 2).
    """
    for i in range(heights.shape[0]):
        for j in range(heights.shape[1]):
            normals[i, j, 0] = normals[i, j, 1] = 0.0
            if not shown[i, j]:
                continue
            for axis in range(2):
                di, dj = axis, 1 - axis
                up, sides = _rise(heights, shown, i, j, di, dj)
                down, more = _rise(heights, shown, i, j, -di, -dj)
                slope = np.divide((down - up) * inverse, np.float32(max(sides + more, 1)))
                normals[i, j, axis] = min(max(slope, -bound), bound)

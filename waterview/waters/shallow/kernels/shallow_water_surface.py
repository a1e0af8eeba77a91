"""The compiled view of shallow water: heights that may be drawn over moving shores, and their slopes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import jit
from waterview.waters.common.kernels.slopes import clipped, half_bits

Floats = NDArray[np.float32]
Words = NDArray[np.uint32]
Flags = NDArray[np.bool_]


@jit
def find_shown(rise: Floats, still: Floats, film: np.float32, fixed: Flags, shown: Flags) -> None:
    """Mark the cells that hold more than a film of water and are not fixed.

    Args:
        rise: depth less that of still water [m], shape (nz, nx).
        still: depth of still water [m], likewise.
        film: depth of a film [m].
        fixed: cells that stay dry.
        shown: filled in.
    """
    for i in range(rise.shape[0]):
        up, deep, dry, row = rise[i], still[i], fixed[i], shown[i]
        for j in range(len(up)):
            row[j] = (deep[j] + up[j] > film) & (not dry[j])


@jit
def _beside(rise: Floats, land: Floats, shown: Flags, i: int, j: int) -> np.float32:
    """The highest shown surface among the eight neighbours of a cell; still water's where there is none."""
    highest, found = np.float32(0.0), False
    for k in range(max(i - 1, 0), min(i + 2, shown.shape[0])):
        for m in range(max(j - 1, 0), min(j + 2, shown.shape[1])):
            surface = rise[k, m] + land[k, m]
            if shown[k, m] and (not found or surface > highest):
                highest, found = surface, True
    return highest


@jit
def _surface_row(rise: Floats, land: Floats, fixed: Flags, shown: Flags, heights: Floats) -> int:
    """Heights of cells with water, and 0; returns how many others there are that are not fixed."""
    others = 0
    for j in range(heights.shape[0]):
        heights[j] = rise[j] + land[j] if shown[j] else np.float32(0.0)
        others += not (shown[j] or fixed[j])
    return others


@jit
def fill_heights(
    rise: Floats, still: Floats, land: Floats, hair: np.float32, fixed: Flags, shown: Flags, heights: Floats
) -> None:
    """Heights to draw: the surface where there is water, and what lies hidden under dry ground elsewhere.

    A dry cell carries on the surface beside it, or that of still water, but stays below its ground: by a hair, where it
    is the sea floor that lies bare. So a surface drawn from cell to cell dips into the ground where its shore is.

    Args:
        rise: depth less that of still water [m], shape (nz, nx).
        still: depth of still water [m], likewise.
        land: height of the ground above still water, 0 where it lies below [m], likewise.
        hair: as said [m].
        fixed: cells that get 0.
        shown: cells with water.
        heights: filled in.
    """
    nz, nx = heights.shape
    for i in range(nz):
        if _surface_row(rise[i], land[i], fixed[i], shown[i], heights[i]) == 0:
            continue
        for j in range(nx):
            if not (shown[i, j] or fixed[i, j]):
                most = -still[i, j] - hair if still[i, j] > 0.0 else land[i, j]
                heights[i, j] = min(_beside(rise, land, shown, i, j), most)


@jit
def _slope_row(
    before: Floats,
    here: Floats,
    after: Floats,
    with_before: Floats,
    with_after: Floats,
    inverse: np.float32,
    out: Floats,
) -> None:
    """−∂h/∂x from the neighbours before and after that hold water (1; else 0), one-sided beside others."""
    one, half = np.float32(1.0), np.float32(0.5)
    for j in range(out.shape[0]):
        a, b = with_before[j], with_after[j]
        out[j] = (a * (before[j] - here[j]) - b * (after[j] - here[j])) * (inverse * (one - half * a * b))


@jit
def _pack_row(along_x: Floats, along_z: Floats, shown: Floats, bound: np.float32, out: Words) -> None:
    for j in range(out.shape[0]):
        x, z = clipped(along_x[j], bound) * shown[j], clipped(along_z[j], bound) * shown[j]
        out[j] = half_bits(x) | (half_bits(z) << np.uint32(16))


@jit
def _as_numbers(shown: Flags, out: Floats) -> None:
    for j in range(shown.shape[0]):
        out[j] = np.float32(1.0) if shown[j] else np.float32(0.0)


@jit
def fill_normals(heights: Floats, shown: Flags, inverse: np.float32, bound: np.float32, normals: Words) -> None:
    """(−∂h/∂x, −∂h/∂z) from the neighbours that hold water, 0 where the cell itself holds none.

    Args:
        heights: shape (nz, nx).
        shown: cells with water.
        inverse: 1/Δx [1/m].
        bound: largest slope.
        normals: filled in with pairs of half floats, that along x in the lower half, shape (nz, nx) uint32.
    """
    nz, nx = heights.shape
    wet = np.zeros((3, nx + 2), np.float32)  # of the rows before, here and after; nothing beyond the ends
    slopes, wide = np.zeros((2, nx), np.float32), np.zeros(nx + 2, np.float32)
    _as_numbers(shown[0], wet[1, 1:-1])
    for i in range(nz):
        wet[2] = np.float32(0.0)
        if i + 1 < nz:
            _as_numbers(shown[i + 1], wet[2, 1:-1])
        wide[1:-1] = heights[i]
        _slope_row(wide[:-2], heights[i], wide[2:], wet[1, :-2], wet[1, 2:], inverse, slopes[0])
        before, after = heights[max(i - 1, 0)], heights[min(i + 1, nz - 1)]
        _slope_row(before, heights[i], after, wet[0, 1:-1], wet[2, 1:-1], inverse, slopes[1])
        _pack_row(slopes[0], slopes[1], wet[1, 1:-1], bound, normals[i])
        wet[0], wet[1] = wet[1].copy(), wet[2].copy()

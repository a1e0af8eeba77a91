"""The surface to draw over moving shores: which cells show water, heights that dip into dry ground, slopes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import jit
from waterview.waters.common.kernels.slopes import clipped, half_bits

from .fluxes import row_of

Floats = NDArray[np.float32]
HalfPairs = NDArray[np.uint32]
Flags = NDArray[np.bool_]


@jit
def find_wet(rise: Floats, still: Floats, film: np.float32, fixed: Flags, wet: Flags) -> None:
    """Mark the cells that hold more than a film of water and are not fixed.

    Args:
        rise: depth less that of still water [m], shape (nz, nx), as all arrays.
        still: depth of still water [m].
        film: depth of a film [m].
        fixed: cells that stay dry.
        wet: filled in.
    """
    for i in range(rise.shape[0]):
        up, deep, dry, row = row_of(rise, i, 0, rise.shape[1]), still[i], fixed[i], wet[i]
        for j in range(len(up)):
            row[j] = (deep[j] + up[j] > film) & (not dry[j])


@jit
def _highest_beside(rise: Floats, land: Floats, wet: Flags, i: int, j: int) -> np.float32:
    """The highest surface among the wet ones of the eight neighbours of a cell; 0 where none is wet."""
    highest, found = np.float32(0.0), False
    for k in range(max(i - 1, 0), min(i + 2, wet.shape[0])):
        for m in range(max(j - 1, 0), min(j + 2, wet.shape[1])):
            surface = rise[k, m] + land[k, m]
            if wet[k, m] and (not found or surface > highest):
                highest, found = surface, True
    return highest


@jit
def _wet_heights(rise: Floats, land: Floats, fixed: Flags, wet: Flags, heights: Floats) -> int:
    """Fill in a row of heights, 0 where it is dry; returns how many cells are dry and not fixed."""
    dry = 0
    for j in range(heights.shape[0]):
        heights[j] = rise[j] + land[j] if wet[j] else np.float32(0.0)
        dry += not (wet[j] or fixed[j])
    return dry


@jit
def fill_heights(
    rise: Floats, still: Floats, land: Floats, film: np.float32, fixed: Flags, wet: Flags, heights: Floats
) -> None:
    """Heights to draw: the surface where it is wet, and a surface hidden under the ground where it is dry.

    A dry cell continues the surface beside it, or that of still water, but stays below its ground: by a film, where it
    is the sea floor that lies bare. So a surface drawn from cell to cell dips into the ground where its shore is.

    Args:
        rise: depth less that of still water [m], shape (nz, nx), as all arrays.
        still: depth of still water [m].
        land: height of the ground above still water [m], 0 where it lies below.
        film: depth of a film [m].
        fixed: cells that get 0.
        wet: from `find_wet`.
        heights: filled in.
    """
    nz, nx = heights.shape
    for i in range(nz):
        if _wet_heights(row_of(rise, i, 0, nx), land[i], fixed[i], wet[i], heights[i]) == 0:
            continue
        for j in range(nx):
            if not (wet[i, j] or fixed[i, j]):
                highest = -still[i, j] - film if still[i, j] > 0.0 else land[i, j]
                heights[i, j] = min(_highest_beside(rise, land, wet, i, j), highest)


@jit
def _slope_row(
    before: Floats,
    here: Floats,
    after: Floats,
    wet_before: Floats,
    wet_after: Floats,
    inverse: np.float32,
    slopes: Floats,
) -> None:
    """−∂h/∂x from those of the neighbours before and after that are wet (1; else 0), one-sided beside a dry one."""
    one, half = np.float32(1.0), np.float32(0.5)
    for j in range(slopes.shape[0]):
        a, b = wet_before[j], wet_after[j]
        slopes[j] = (a * (before[j] - here[j]) - b * (after[j] - here[j])) * (inverse * (one - half * a * b))


@jit
def _pack_row(along_x: Floats, along_z: Floats, wet: Floats, bound: np.float32, packed: HalfPairs) -> None:
    for j in range(packed.shape[0]):
        x, z = clipped(along_x[j], bound) * wet[j], clipped(along_z[j], bound) * wet[j]
        packed[j] = half_bits(x) | (half_bits(z) << np.uint32(16))


@jit
def _as_floats(flags: Flags, floats: Floats) -> None:
    for j in range(flags.shape[0]):
        floats[j] = np.float32(1.0) if flags[j] else np.float32(0.0)


@jit
def fill_normals(heights: Floats, wet: Flags, inverse: np.float32, bound: np.float32, normals: HalfPairs) -> None:
    """(−∂h/∂x, −∂h/∂z) from the neighbours that are wet, 0 where the cell itself is dry.

    Args:
        heights: [m], shape (nz, nx).
        wet: cells with water, shape (nz, nx).
        inverse: 1/Δx [1/m].
        bound: largest slope.
        normals: filled in with pairs of half floats, that along x in the lower half, shape (nz, nx) uint32.
    """
    nz, nx = heights.shape
    mask = np.zeros((3, nx + 2), np.float32)  # wet cells of the rows before, here and after; none beyond the ends
    slopes, padded = np.zeros((2, nx), np.float32), np.zeros(nx + 2, np.float32)
    _as_floats(wet[0], mask[1, 1:-1])
    for i in range(nz):
        mask[2] = np.float32(0.0)
        if i + 1 < nz:
            _as_floats(wet[i + 1], mask[2, 1:-1])
        padded[1:-1] = heights[i]
        _slope_row(padded[:-2], heights[i], padded[2:], mask[1, :-2], mask[1, 2:], inverse, slopes[0])
        before, after = heights[max(i - 1, 0)], heights[min(i + 1, nz - 1)]
        _slope_row(before, heights[i], after, mask[0, 1:-1], mask[2, 1:-1], inverse, slopes[1])
        _pack_row(slopes[0], slopes[1], mask[1, 1:-1], bound, normals[i])
        mask[0], mask[1] = mask[1].copy(), mask[2].copy()

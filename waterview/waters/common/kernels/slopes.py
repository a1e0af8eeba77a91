"""Slopes of a height field as half floats, from which the renderer makes its normals, and copies of the heights."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from waterview.simd.layout import LINE, PAD, TwoLevels, address, row_stride

from .awake import Tiles, tiles_of

MAX_SLOPE = 60_000.0
"""Slopes are clipped to ± this, just inside what a half float holds."""

PAST_CACHES = 1 << 21
"""Points from which on surfaces are written past the caches: they would not stay there anyway."""


class Surface(NamedTuple):
    """Room for the slopes and heights of a field, made by `surface_in`.

    Attributes:
        heights: address for a copy of the heights, row after row, or 0 for none.
        slopes: address for a word for each point: −∂h/∂x in its lower half and −∂h/∂z in the upper, as half floats.
        stale: tiles that have to be written, as in `awake.Marks`.
        fresh: rows of tiles in which `wave.advance` has written them, shape (m,).
        nz, nx: points along z and along x.
        stride: bytes from one row of the field's heights to the next.
        half_inverse: 1/(2Δx) [1/m].
        bound: largest slope.
        past: whether to write past the caches: then rows must be whole lines of the cache.
    """

    heights: int
    slopes: int
    stale: Tiles
    fresh: NDArray[np.bool_]
    nz: int
    nx: int
    stride: int
    half_inverse: np.float32
    bound: np.float32
    past: bool


def slopes(field: TwoLevels, spacing: float) -> NDArray[np.float16]:
    """(−∂h/∂x, −∂h/∂z) at every point, shape (nz, nx, 2) float16.

    Central differences inside the grid, one-sided at its edges. A fixed point counts with its height of 0: it is where
    the water's edge is held.

    Args:
        field: its heights h [m] are read.
        spacing: distance of neighbouring points [m].
    """
    out = np.empty((*field.shape, 2), np.float16)
    write(field, surface_in(None, out, spacing))
    return out


def surface_in(heights: NDArray[np.float32] | None, slopes: NDArray[np.float16], spacing: float) -> Surface:
    """A surface that lies in these arrays, all of it stale; they must outlive it.

    Args:
        heights: for a copy of h [m], shape (nz, nx), C-contiguous, or None.
        slopes: for what `slopes` gives, shape (nz, nx, 2), C-contiguous.
        spacing: as there.
    """
    nz, nx = slopes.shape[:2]
    places = 0 if heights is None else address(heights), address(slopes)
    lines = nx % PAD == 0 and not any(place % LINE for place in places)
    tiles = tiles_of((nz, nx))
    marks = np.ones(tiles, bool), np.zeros(tiles[0], bool)
    # Held finite, or 0 heights on an absurdly fine grid would give 0·∞.
    numbers = np.float32(min(0.5 / spacing, 1e30)), np.float32(MAX_SLOPE)
    # Both halves of a point are written as one word: no machine that numba runs on puts the second half first.
    return Surface(*places, *marks, nz, nx, 4 * row_stride(nx), *numbers, lines and nz * nx >= PAST_CACHES)


def write(field: TwoLevels, surface: Surface, lanes: int | None = None) -> None:
    """Write the slopes of a field of a surface's shape, and its heights if asked for, where tiles are stale.

    Args:
        field: its heights h [m] are read.
        surface: where to.
        lanes: floats to a vector; by default what suits the processor.
    """
    from waterview.simd.jit import Static
    from waterview.simd.processor import LANES, PLAIN

    from .slope_rows import write_rows

    width = LANES if lanes is None else lanes
    width = width if width <= surface.nx else PLAIN
    write_rows(Static(width), field.addresses[0], 0, surface.nz, surface)
    surface.stale[:] = False

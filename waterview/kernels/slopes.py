"""Slopes of a height field as half floats, from which the renderer makes its normals, and copies of the heights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .awake import Tiles, tiles_of
from .layout import LINE, PAD, TwoLevels

if TYPE_CHECKING:
    from .slope_rows import Surface

MAX_SLOPE = 60_000.0
"""Slopes are clipped to ± this, just inside what a half float holds."""

PAST_CACHES = 1 << 21
"""Points from which on surfaces are written past the caches: they would not stay there anyway."""


def slopes(field: TwoLevels, spacing: float) -> NDArray[np.float16]:
    """(−∂h/∂x, −∂h/∂z) at every point, shape (nz, nx, 2) float16.

    Central differences inside the grid, one-sided at its edges. A fixed point counts with its height of 0: it is where
    the water's edge is held.

    Args:
        field: its heights h [m] are read.
        spacing: distance of neighbouring points [m].
    """
    out = np.empty((*field.shape, 2), np.float16)
    write(field, spacing, out, None, np.ones(tiles_of(field.shape), bool))
    return out


def write(
    field: TwoLevels,
    spacing: float,
    slopes: NDArray[np.float16],
    heights: NDArray[np.float32] | None,
    stale: Tiles,
    lanes: int | None = None,
) -> None:
    """Write the slopes of a field, and its heights if asked for, where tiles are stale.

    Args:
        field: as in `slopes`.
        spacing: likewise.
        slopes: written as the result there, C-contiguous.
        heights: for a copy of h [m], shape (nz, nx), C-contiguous, or None.
        stale: tiles to write, as in `awake.Marks`.
        lanes: floats to a vector; by default what suits the processor.
    """
    from .jit import Static
    from .slope_rows import write_surface
    from .vectors import HALVES, LANES, PLAIN

    nz, nx = field.shape
    addresses = slopes.ctypes.data, 0 if heights is None else heights.ctypes.data
    width = LANES if lanes is None else lanes
    width = width if HALVES and width <= nx else PLAIN
    lines = nx % PAD == 0 and not any(address % LINE for address in addresses)
    past = int(lines and nz * nx >= PAST_CACHES)
    write_surface(Static(width), Static(past), _surface(field, spacing, *addresses), stale)


def _surface(field: TwoLevels, spacing: float, slopes: int, heights: int) -> Surface:
    from .slope_rows import Surface

    # Held finite, or 0 heights on an absurdly fine grid would give 0·∞.
    numbers = np.float32(min(0.5 / spacing, 1e30)), np.float32(MAX_SLOPE)
    # Both halves of a point are written as one word: no machine that numba runs on puts the second half first.
    stride = field.now.strides[0]
    level = field.now.ctypes.data + stride + PAD * field.now.itemsize
    return Surface(level, stride, slopes, heights, *field.shape, *numbers)

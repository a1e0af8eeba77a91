"""Slopes of a height field as half floats, from which the renderer makes its normals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .layout import TwoLevels

MAX_SLOPE = 60_000.0
"""Slopes are clipped to ± this, just inside what a half float holds."""


def slopes(field: TwoLevels, spacing: float) -> NDArray[np.float16]:
    """(−∂h/∂x, −∂h/∂z) at every point, shape (nz, nx, 2) float16.

    Central differences inside the grid, one-sided at its edges. A fixed point counts with its height of 0: it is where
    the water's edge is held.

    Args:
        field: its heights h [m] are read.
        spacing: distance of neighbouring points [m].
    """
    from .slope_rows import slope_rows

    out = np.empty((*field.shape, 2), np.float16)
    # Held finite, or 0 heights on an absurdly fine grid would give 0·∞.
    half_inverse = np.float32(min(0.5 / spacing, 1e30))
    # Both halves of a point are written as one word: no machine that numba runs on puts the second half first.
    slope_rows(field.now, out.view(np.uint32), field.shape[0], field.shape[1], half_inverse, np.float32(MAX_SLOPE))
    return out

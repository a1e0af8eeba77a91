"""The shape of a drop at every point of a window of the grid, and how it is added to heights."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import jit


@jit
def fill_drop_shape(
    free: NDArray[np.bool_],
    row: float,
    column: float,
    radius: float,
    ring_radius: float,
    bump: NDArray[np.float64],
    ring: NDArray[np.float64],
) -> tuple[float, float]:
    """Fill in what a drop of height 1 adds, and the share that each point of the ring around it gives.

    Args:
        free: points that it may change, shape (m, n).
        row: of the drop's middle, from the first of these.
        column: of the drop's middle, from the first of these.
        radius: of the bump ½(cos(πd/r) + 1) [cells].
        ring_radius: outer radius of the ring sin²(πd/r) [bump radii]; 1 for no ring.
        bump: written to, shape (m, n).
        ring: written to, shape (m, n).

    Returns:
        The sums of `bump` and `ring`.
    """
    whole_bump = whole_ring = 0.0
    for i in range(free.shape[0]):
        for j in range(free.shape[1]):
            bump[i, j] = ring[i, j] = 0.0
            distance = math.hypot(j - column, i - row) / radius
            if free[i, j] and distance < 1.0:
                bump[i, j] = 0.5 * (math.cos(math.pi * distance) + 1.0)
                whole_bump += bump[i, j]
            elif free[i, j] and distance < ring_radius:
                ring[i, j] = math.sin(math.pi * distance) ** 2
                whole_ring += ring[i, j]
    return whole_bump, whole_ring


@jit
def raise_heights(heights: NDArray[np.float32], top: int, left: int, added: NDArray[np.float64], bound: float) -> float:
    """Add to the heights from row `top` and column `left` on, and hold them within ±`bound`; returns the largest."""
    largest = 0.0
    for i in range(added.shape[0]):
        for j in range(added.shape[1]):
            height = min(max(heights[top + i, left + j] + added[i, j], -bound), bound)
            heights[top + i, left + j] = height
            largest = max(largest, abs(height))
    return largest

"""The linear systems of Kass and Miller (1990): what couples neighbours, the right-hand side and the diagonals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import jit

Doubles = NDArray[np.float64]


@jit
def _depth_under(height: float, still: float, bounds: tuple[float, float]) -> float:
    """The depth that a wave runs over, held between `bounds` as shares of that of still water."""
    return min(max(still + height, bounds[0] * still), bounds[1] * still)


@jit
def couple(
    heights: Doubles, still: Doubles, scale: float, bounds: tuple[float, float], along_x: Doubles, along_z: Doubles
) -> None:
    """Couple each point with the next along x and along z by scale·(mean depth), and not at all with land.

    Args:
        heights: h [m], shape (nz, nx), as all arrays.
        still: depth of still water [m], 0 on land.
        scale: gΔt²/Δx² [1/m].
        bounds: least and greatest depth that waves run over, as shares of that of still water.
        along_x: couplings with the next point along x, filled in; those of the last column mean nothing.
        along_z: couplings along z, filled in; those of the last row mean nothing.
    """
    nz, nx = heights.shape
    for i in range(nz):
        k = min(i + 1, nz - 1)
        for j in range(nx):
            m = min(j + 1, nx - 1)
            here = _depth_under(heights[i, j], still[i, j], bounds)
            right = _depth_under(heights[i, m], still[i, m], bounds)
            below = _depth_under(heights[k, j], still[k, j], bounds)
            wet = 0.5 * scale if still[i, j] > 0.0 else 0.0
            along_x[i, j] = wet * (here + right) if still[i, m] > 0.0 else 0.0
            along_z[i, j] = wet * (here + below) if still[k, j] > 0.0 else 0.0


@jit
def set_up(
    right_side: Doubles,
    known: Doubles,
    along_x: Doubles,
    along_z: Doubles,
    new_weight: float,
    diagonal_x: Doubles,
    diagonal_z: Doubles,
) -> None:
    """Add the pull of the known heights to the right-hand side; fill in the diagonals 1 + weight·(sum of couplings).

    Args:
        right_side: changed, shape (nz, nx), as all arrays.
        known: the heights of the known time levels, weighted [m].
        along_x: couplings from `couple`.
        along_z: couplings from `couple`.
        new_weight: weight of the new time level.
        diagonal_x: of the systems along x, filled in.
        diagonal_z: of those along z, filled in.
    """
    nz, nx = right_side.shape
    for i in range(nz):
        for j in range(nx):
            left = along_x[i, j - 1] if j > 0 else 0.0
            right = along_x[i, j] if j < nx - 1 else 0.0
            above = along_z[i - 1, j] if i > 0 else 0.0
            below = along_z[i, j] if i < nz - 1 else 0.0
            here = known[i, j]
            pull = left * (known[i, max(j - 1, 0)] - here) + right * (known[i, min(j + 1, nx - 1)] - here)
            pull += above * (known[max(i - 1, 0), j] - here) + below * (known[min(i + 1, nz - 1), j] - here)
            right_side[i, j] += pull
            diagonal_x[i, j] = 1.0 + new_weight * (left + right)
            diagonal_z[i, j] = 1.0 + new_weight * (above + below)

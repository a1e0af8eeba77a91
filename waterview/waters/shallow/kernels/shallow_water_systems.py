"""The compiled systems of `shallow_water_implicit`: what couples neighbours, and the right-hand side."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import jit

Doubles = NDArray[np.float64]


@jit
def depth_under(now: float, still: float, bounds: tuple[float, float]) -> float:
    """The depth that a wave runs over, held between `bounds` as shares of that of still water."""
    return min(max(still + now, bounds[0] * still), bounds[1] * still)


@jit
def couple(
    now: Doubles, still: Doubles, scale: float, bounds: tuple[float, float], along_x: Doubles, along_z: Doubles
) -> None:
    """Couple each cell with the next one along x and along z by scale·(mean depth), and not at all with land.

    Args:
        now: height [m], shape (nz, nx).
        still: depth of still water [m], 0 on land, likewise.
        scale: gΔt²/Δx².
        bounds: as in `depth_under`.
        along_x: filled in; its last column gets nothing that means anything.
        along_z: filled in; likewise its last row.
    """
    nz, nx = now.shape
    for i in range(nz):
        k = min(i + 1, nz - 1)
        for j in range(nx):
            m = min(j + 1, nx - 1)
            here = depth_under(now[i, j], still[i, j], bounds)
            right = depth_under(now[i, m], still[i, m], bounds)
            below = depth_under(now[k, j], still[k, j], bounds)
            wet = 0.5 * scale if still[i, j] > 0.0 else 0.0
            along_x[i, j] = wet * (here + right) if still[i, m] > 0.0 else 0.0
            along_z[i, j] = wet * (here + below) if still[k, j] > 0.0 else 0.0


@jit
def set_up(
    ahead: Doubles,
    mixed: Doubles,
    along_x: Doubles,
    along_z: Doubles,
    new: float,
    diagonal_x: Doubles,
    diagonal_z: Doubles,
) -> None:
    """Take what neighbours pull from `ahead`, and fill in the diagonals 1 + new·(sum of the couplings).

    Args:
        ahead: becomes the right-hand side, shape (nz, nx).
        mixed: the heights that pull, likewise.
        along_x: couplings from `couple`.
        along_z: likewise.
        new: weight of the new time level.
        diagonal_x: filled in.
        diagonal_z: filled in.
    """
    nz, nx = ahead.shape
    for i in range(nz):
        for j in range(nx):
            left = along_x[i, j - 1] if j > 0 else 0.0
            right = along_x[i, j] if j < nx - 1 else 0.0
            above = along_z[i - 1, j] if i > 0 else 0.0
            below = along_z[i, j] if i < nz - 1 else 0.0
            pull = left * (mixed[i, max(j - 1, 0)] - mixed[i, j]) + right * (mixed[i, min(j + 1, nx - 1)] - mixed[i, j])
            pull += above * (mixed[max(i - 1, 0), j] - mixed[i, j]) + below * (
                mixed[min(i + 1, nz - 1), j] - mixed[i, j]
            )
            ahead[i, j] += pull
            diagonal_x[i, j] = 1.0 + new * (left + right)
            diagonal_z[i, j] = 1.0 + new * (above + below)

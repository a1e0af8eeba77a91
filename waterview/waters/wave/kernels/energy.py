"""The potential energy of waves at every point of a grid, compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import jit

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]

HALF, NOTHING = np.float32(0.5), np.float32(0.0)


@jit
def _share_pairs(
    one: Floats, other: Floats, before: Floats, other_before: Floats, free: Floats, other_free: Floats,
    out: Floats, other_out: Floats,
) -> None:  # fmt: skip
    """Add to each of two rows half the products of their differences now and before, where both are free."""
    for j in range(len(one)):
        pair = (other[j] - one[j]) * (other_before[j] - before[j]) * (free[j] * other_free[j]) * HALF
        out[j] += pair
        other_out[j] += pair


@jit
def _share_with_ghosts(one: Floats, before: Floats, free: Floats, factor: np.float32, out: Floats) -> None:
    """Add to a row `factor` times h·h⁻: the share of its pairs with ghost points, which take none."""
    for j in range(len(one)):
        out[j] += factor * (one[j] * before[j] * free[j])


@jit
def share_pairs(now: Floats, before: Floats, free: Floats, wraps: Flags, ghosts: Floats, out: Floats) -> None:
    """Add to `out` the products of the differences of neighbours along both axes, now and one step before.

    Half of each product goes to each of the two points; that of a point and a ghost point outside goes to the point.
    All arrays have the shape (nz, nx) and are C-contiguous.

    Args:
        now: u [m].
        before: u⁻ [m].
        free: 1 at points whose pairs count, 0 elsewhere.
        wraps: whether rows go on at the opposite end, and columns.
        ghosts: 1 − w for north, east, south and west, where ghost points hold w·h; 0 where none count.
        out: changed in place.
    """
    nz, nx = now.shape
    for i in range(nz - 1):
        k = i + 1
        _share_pairs(now[i], now[k], before[i], before[k], free[i], free[k], out[i], out[k])
    for i in range(nz):
        h, b, f, o = now[i], before[i], free[i], out[i]
        _share_pairs(h[:-1], h[1:], b[:-1], b[1:], f[:-1], f[1:], o[:-1], o[1:])
    last = nz - 1
    if wraps[0]:
        _share_pairs(now[last], now[0], before[last], before[0], free[last], free[0], out[last], out[0])
    for side, i in ((0, 0), (2, last)):
        if ghosts[side] != NOTHING:
            _share_with_ghosts(now[i], before[i], free[i], ghosts[side], out[i])
    for i in range(nz):
        row = slice(nx - 1, nx)
        h, b, f, o = now[i], before[i], free[i], out[i]
        if wraps[1]:
            _share_pairs(h[row], h[:1], b[row], b[:1], f[row], f[:1], o[row], o[:1])
        if ghosts[3] != NOTHING:
            _share_with_ghosts(h[:1], b[:1], f[:1], ghosts[3], o[:1])
        if ghosts[1] != NOTHING:
            _share_with_ghosts(h[row], b[row], f[row], ghosts[1], o[row])

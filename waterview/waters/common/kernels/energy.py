"""The potential energy of waves at every point of a grid, compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import jit

Floats = NDArray[np.float32]

# What lies outside a side, as far as energy is concerned.
LEVEL, ZERO, OPPOSITE = 0, 1, 2
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
def _share_with_zeros(one: Floats, before: Floats, free: Floats, out: Floats) -> None:
    """As `_share_pairs` for an outer row of zeros, which takes no share."""
    for j in range(len(one)):
        out[j] += one[j] * before[j] * free[j]


@jit
def share_pairs(now: Floats, before: Floats, free: Floats, kinds: NDArray[np.int64], out: Floats) -> None:
    """Add to `out` the products of the differences of neighbours along both axes, now and one step before.

    Half of each product goes to each of the two points; that of a point and a zero outside the grid goes to the point.
    All arrays have the shape (nz, nx) and are C-contiguous.

    Args:
        now: u [m].
        before: u⁻ [m].
        free: 1 at points whose pairs count, 0 elsewhere.
        kinds: `LEVEL`, `ZERO` or `OPPOSITE` for north, east, south and west.
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
    if kinds[0] == OPPOSITE:
        _share_pairs(now[last], now[0], before[last], before[0], free[last], free[0], out[last], out[0])
    for side, i in ((0, 0), (2, last)):
        if kinds[side] == ZERO:
            _share_with_zeros(now[i], before[i], free[i], out[i])
    for i in range(nz):
        row = slice(nx - 1, nx)
        h, b, f, o = now[i], before[i], free[i], out[i]
        if kinds[3] == OPPOSITE:
            _share_pairs(h[row], h[:1], b[row], b[:1], f[row], f[:1], o[row], o[:1])
        if kinds[3] == ZERO:
            _share_with_zeros(h[:1], b[:1], f[:1], o[:1])
        if kinds[1] == ZERO:
            _share_with_zeros(h[row], b[row], f[row], o[row])

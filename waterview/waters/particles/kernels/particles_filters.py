"""The compiled field of wave particles: amplitudes dropped onto a grid, and filters along its rows and columns.

Rows are given by address, as in `wave_rows`, for the loops over them to become vector instructions. Holding outputs in
registers, by vector code written out for LLVM, was tried: a tenth faster along rows and a fifth down columns.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import float_pointer, jit

SIZE = 4  # of a float [bytes]
PIECE = 256  # columns filtered at once; the rows that a column filter reads should fit in the first-level cache

Floats = NDArray[np.float32]


@jit
def splat(amplitudes: Floats, margin: int, x: Floats, z: Floats, weight: Floats, count: int) -> None:
    """Share the weights of `count` particles among the four points around each; those outside the grid are left out.

    Args:
        amplitudes: added to; a grid with `margin` more points on the low sides and at least one on the high sides.
        margin: as said.
        x: positions in cells of the grid without margin.
        z: likewise.
        weight: what is shared out.
        count: how many of them.
    """
    rows, columns = amplitudes.shape
    shift = np.float32(margin)
    for i in range(count):
        fx, fz = x[i] + shift, z[i] + shift
        ix, iz = int(fx), int(fz)
        if fx >= 0.0 and fz >= 0.0 and ix < columns - 1 and iz < rows - 1:
            tx, tz = fx - np.float32(ix), fz - np.float32(iz)
            far = tz * weight[i]
            near = weight[i] - far
            amplitudes[iz, ix] += near - tx * near
            amplitudes[iz, ix + 1] += tx * near
            amplitudes[iz + 1, ix] += far - tx * far
            amplitudes[iz + 1, ix + 1] += tx * far


@jit
def _centre_tap(out: int, source: int, n: int, weight: np.float32, adds: bool) -> None:
    o, s = numba.carray(float_pointer(out), n), numba.carray(float_pointer(source), n)
    if adds:
        for j in range(n):
            o[j] += weight * s[j]
    else:
        for j in range(n):
            o[j] = weight * s[j]


@jit
def _four_even_taps(out: int, source: int, n: int, k: int, stride: int, weights: Floats) -> None:
    """Add w_k(s₋ₖ + s₊ₖ) for four k at once: the output row is then loaded and stored once, not four times."""
    o = numba.carray(float_pointer(out), n)
    low, high = source - k * stride, source + k * stride
    a1, b1 = numba.carray(float_pointer(low), n), numba.carray(float_pointer(high), n)
    a2, b2 = numba.carray(float_pointer(low - stride), n), numba.carray(float_pointer(high + stride), n)
    a3, b3 = numba.carray(float_pointer(low - 2 * stride), n), numba.carray(float_pointer(high + 2 * stride), n)
    a4, b4 = numba.carray(float_pointer(low - 3 * stride), n), numba.carray(float_pointer(high + 3 * stride), n)
    w1, w2, w3, w4 = weights[k], weights[k + 1], weights[k + 2], weights[k + 3]
    for j in range(n):
        o[j] += (w1 * (a1[j] + b1[j]) + w2 * (a2[j] + b2[j])) + (w3 * (a3[j] + b3[j]) + w4 * (a4[j] + b4[j]))


@jit
def _four_odd_taps(out: int, source: int, n: int, k: int, stride: int, weights: Floats) -> None:
    """Add w_k(s₋ₖ − s₊ₖ) for four k at once."""
    o = numba.carray(float_pointer(out), n)
    low, high = source - k * stride, source + k * stride
    a1, b1 = numba.carray(float_pointer(low), n), numba.carray(float_pointer(high), n)
    a2, b2 = numba.carray(float_pointer(low - stride), n), numba.carray(float_pointer(high + stride), n)
    a3, b3 = numba.carray(float_pointer(low - 2 * stride), n), numba.carray(float_pointer(high + 2 * stride), n)
    a4, b4 = numba.carray(float_pointer(low - 3 * stride), n), numba.carray(float_pointer(high + 3 * stride), n)
    w1, w2, w3, w4 = weights[k], weights[k + 1], weights[k + 2], weights[k + 3]
    for j in range(n):
        o[j] += (w1 * (a1[j] - b1[j]) + w2 * (a2[j] - b2[j])) + (w3 * (a3[j] - b3[j]) + w4 * (a4[j] - b4[j]))


@jit
def _filter_row(out: int, source: int, n: int, stride: int, weights: Floats, odd: bool, adds: bool) -> None:
    _centre_tap(out, source, n, weights[0], adds)
    for k in range(1, weights.shape[0], 4):
        if odd:
            _four_odd_taps(out, source, n, k, stride, weights)
        else:
            _four_even_taps(out, source, n, k, stride, weights)


@jit
def convolve(
    out: Floats, source: Floats, columns: int, margin: int, down: bool, weights: Floats, odd: bool, adds: bool
) -> None:
    """Filter `source` along one axis into `out`.

    Args:
        out: C-contiguous, like `source`; each may have more columns than are in use.
        source: the same with `margin` more points on both sides of the axis that is filtered; the first point that an
            output stands over is source[0, margin] along rows, source[margin, 0] down columns.
        columns: number of columns of `out` that are computed.
        margin: at least the number of weights less one.
        down: filter down the columns, not along the rows.
        weights: w₀, w₁ …, one more than a multiple of 4; w₋ₖ = w₊ₖ, or −w₊ₖ if `odd`.
        odd: as said; the value beside the output with the lower index counts w₊ₖ.
        adds: add to `out` instead of replacing it.
    """
    out_row, source_row = out.shape[1] * SIZE, source.shape[1] * SIZE
    stride = source_row if down else SIZE
    start = source.ctypes.data + margin * stride
    # Pieces outside, rows inside: from one row to the next a column filter finds all its rows but one in the cache.
    for low in range(0, columns, PIECE):
        n = min(PIECE, columns - low)
        for i in range(out.shape[0]):
            target = out.ctypes.data + i * out_row + low * SIZE
            _filter_row(target, start + i * source_row + low * SIZE, n, stride, weights, odd, adds)

"""The compiled rows of `slopes`."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from .jit import float_pointer, jit, word_pointer
from .layout import PAD

SIZE = 4  # of a float and of a word [bytes]
u32 = np.uint32  # numba widens every sum to 64 bits; narrowing each again lets twice as many fit into a vector


@jit
def half_bits(value: np.float32) -> np.uint32:
    """The bits of `value`, at most 65,504 in size, as a half float, rounded to the nearest, ties to even.

    In integers, because not every processor that numba compiles for has an instruction for it. Half floats below
    2⁻¹⁴ have no leading 1: adding ½ lets the floating-point unit shift and round those.
    """
    bits = np.float32(value).view(np.uint32)
    size = u32(bits & u32(0x7FFFFFFF))
    even = u32(u32(size >> u32(13)) & u32(1))
    usual = u32(u32(u32(size - u32(0x38000000 - 0x0FFF)) + even) >> u32(13))
    small = u32(np.float32(np.float32(abs(value)) + np.float32(0.5)).view(np.uint32) - u32(0x3F000000))
    sign = u32(u32(bits >> u32(16)) & u32(0x8000))
    return u32((small if size < u32(0x38800000) else usual) | sign)


@jit
def clipped(value: np.float32, bound: np.float32) -> np.float32:
    """`value`, held within ±`bound`."""
    return min(max(value, -bound), bound)


@jit
def _slope_row(
    out: int, up: int, row: int, down: int, nx: int, across: np.float32, along: np.float32, bound: np.float32
) -> None:
    """One row: (left − right)·across and (up − down)·along, the first and last point as if a neighbour were missing."""
    o = numba.carray(word_pointer(out), nx)
    u, d = numba.carray(float_pointer(up), nx), numba.carray(float_pointer(down), nx)
    left, right = numba.carray(float_pointer(row - SIZE), nx), numba.carray(float_pointer(row + SIZE), nx)
    centre = numba.carray(float_pointer(row), nx)
    for j in range(nx):
        x = half_bits(clipped((left[j] - right[j]) * across, bound))
        z = half_bits(clipped((u[j] - d[j]) * along, bound))
        o[j] = x | u32(z << u32(16))
    twice, last = across + across, nx - 1
    start = half_bits(clipped((centre[0] - centre[1]) * twice, bound))
    end = half_bits(clipped((centre[last - 1] - centre[last]) * twice, bound))
    o[0] = start | (o[0] & u32(0xFFFF0000))
    o[last] = end | (o[last] & u32(0xFFFF0000))


@jit
def slope_rows(
    heights: NDArray[np.float32],
    out: NDArray[np.uint32],
    nz: int,
    nx: int,
    half_inverse: np.float32,
    bound: np.float32,
) -> None:
    """`slopes.slopes` into `out`, shape (nz, nx, 1): a word a point, its x in the lower half.

    Args:
        heights: a buffer of `layout.padded`.
        out: as said.
        nz: number of rows.
        nx: points a row.
        half_inverse: 1/(2Δx) [1/m].
        bound: largest slope.
    """
    stride = heights.shape[1] * SIZE
    start = heights.ctypes.data + PAD * SIZE
    for i in range(nz):
        row = start + (i + 1) * stride
        up, down = row - stride, row + stride
        along = half_inverse
        if i in (0, nz - 1):
            up, down = (row if i == 0 else up), (down if i == 0 else row)
            along = half_inverse + half_inverse
        _slope_row(out.ctypes.data + i * nx * SIZE, up, row, down, nx, half_inverse, along, bound)

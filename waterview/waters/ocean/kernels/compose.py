"""The surface of the ocean, compiled: the sum of the cascades, faded towards shores, its slopes, shift and foam.

Rows are given by address, so that the loops over them become vector instructions without a cost for each row. Blocks of
rows that share nothing are composed in parallel: the few rows that two blocks need are summed twice, so the number of
threads changes no bit of the result.
"""

from __future__ import annotations

import numba
import numpy as np
from numba import prange
from numpy.typing import NDArray

from waterview.simd.jit import float_pointer, jit, parallel_jit, part, word_pointer
from waterview.waters.common.kernels.slopes import clipped, half_bits
from waterview.waters.common.published_surface import MAX_SLOPE
from waterview.waters.ocean.cascades import FIELDS, HEIGHT, REACH, SHIFT_X, SHIFT_Z, SLOPE_X, SLOPE_Z

from .foam import foam_row

SIZE = 4  # of a float and of a word [bytes]
ZERO, HALF, ONE, EIGHT = np.float32(0.0), np.float32(0.5), np.float32(1.0), np.float32(8.0)
WHOLE = np.float32(255.0)  # foam that covers everything, in a byte
ROWS = 16  # composed by one thread at once
LEAST_AREA = np.float32(0.1)  # of a folded cell of the surface, so that its slope stays finite
STEEPEST = np.float32(MAX_SLOPE)

Floats = NDArray[np.float32]


@part
def _floats(address: int, n: int) -> Floats:
    return numba.carray(float_pointer(address), n)  # type: ignore[no-any-return]


@jit
def _add_row(out: int, row: int, n: int, fresh: bool) -> None:
    """Write a row to `out` if that is `fresh`, or else add it."""
    o, r = _floats(out, n), _floats(row, n)
    if fresh:
        for j in range(n):
            o[j] = r[j]
    else:
        for j in range(n):
            o[j] += r[j]


@jit
def _add_blend(out: int, rows: tuple[int, int, int, int], weights: Floats, n: int, fresh: bool) -> None:
    """Write the weighted sum of four rows to `out` if that is `fresh`, or else add it."""
    o = _floats(out, n)
    a, b, c, d = _floats(rows[0], n), _floats(rows[1], n), _floats(rows[2], n), _floats(rows[3], n)
    wa, wb, wc, wd = weights[0], weights[1], weights[2], weights[3]
    if fresh:
        for j in range(n):
            o[j] = (wa * a[j] + wb * b[j]) + (wc * c[j] + wd * d[j])
    else:
        for j in range(n):
            o[j] += (wa * a[j] + wb * b[j]) + (wc * c[j] + wd * d[j])


@jit
def _add_cascade_row(
    out: int, width: int, field: int, layout: NDArray[np.int64], i: int, weights: Floats, fresh: bool
) -> None:
    """Add row `i` of a field of a periodic cascade to `width` points at `out`, from REACH points left of the grid on.

    Rows between the cascade's own are blended by a cubic B-spline; the cascade's spectrum compensates for its loss.
    """
    rows, length, stretch = layout[1], layout[2], layout[3]
    own, phase = i // stretch, i % stretch
    stride = FIELDS * length * SIZE
    done, start = 0, -REACH % length
    while done < width:
        n = min(length - start, width - done)
        to, at = out + done * SIZE, field + start * SIZE
        row = at + own % rows * stride
        if stretch == 1:
            _add_row(to, row, n, fresh)
        else:
            above, below = at + (own - 1) % rows * stride, at + (own + 1) % rows * stride
            four = above, row, below, at + (own + 2) % rows * stride
            _add_blend(to, four, weights[phase], n, fresh)
        done, start = done + n, 0


@jit
def _sum_cascades(
    block: Floats, row: int, width: int, i: int, first: int, layouts: NDArray[np.int64], store: Floats,
    weights: Floats, choppiness: np.float32, fade: Floats,
) -> None:  # fmt: skip
    """Sum row `i` of the fields from number `first` on into row `row` of `block`; shifts are scaled and faded."""
    for number in range(first, FIELDS):
        out = block.ctypes.data + (row * FIELDS + number) * block.shape[2] * SIZE
        for cascade in range(layouts.shape[0]):
            layout = layouts[cascade]
            field = store.ctypes.data + (layout[0] + number * layout[2]) * SIZE
            _add_cascade_row(out, width, field, layout, i, weights[cascade], cascade == 0)
        if number >= SHIFT_X:
            shift = _floats(out, width)
            for j in range(width):
                shift[j] *= choppiness
            if fade.size:
                share = _floats(fade.ctypes.data + (i + REACH) * fade.shape[1] * SIZE, width)
                for j in range(width):
                    shift[j] *= share[j]


@jit
def _fade_slope(slope: int, height: int, fade: int, step: int, n: int, inverse: np.float32) -> None:
    """∂(f·h) = f·∂h + h·∂f, where neighbours of f are `step` bytes apart."""
    s, h, f = _floats(slope, n), _floats(height, n), _floats(fade, n)
    before, after = _floats(fade - step, n), _floats(fade + step, n)
    for j in range(n):
        s[j] = f[j] * s[j] + h[j] * ((after[j] - before[j]) * inverse)


@jit
def _add_difference(out: int, row: int, step: int, n: int, inverse: np.float32) -> None:
    """Add the central differences of neighbours `step` bytes apart; `inverse` is 1/(2Δx)."""
    o, before, after = _floats(out, n), _floats(row - step, n), _floats(row + step, n)
    for j in range(n):
        o[j] += (after[j] - before[j]) * inverse


@jit
def _difference(o: Floats, row: int, step: int, inverse: np.float32) -> None:
    """Central differences of fourth order of neighbours `step` bytes apart; `inverse` is 1/(12Δx)."""
    n = len(o)
    a, b, c, d = _floats(row - 2 * step, n), _floats(row - step, n), _floats(row + step, n), _floats(row + 2 * step, n)
    for j in range(n):
        o[j] = (EIGHT * (c[j] - b[j]) - (d[j] - a[j])) * inverse


@jit
def _write_slopes(out: int, slope_x: int, slope_z: int, xx: Floats, zz: Floats, xz: Floats) -> None:
    """−J⁻¹∇h as half floats: the slope of the surface after every point has moved sideways."""
    n = len(xx)
    o, sx, sz = numba.carray(word_pointer(out), n), _floats(slope_x, n), _floats(slope_z, n)
    for j in range(n):
        a, b, c = ONE + xx[j], ONE + zz[j], xz[j]
        inverse = -ONE / max(a * b - c * c, LEAST_AREA)
        x = clipped((b * sx[j] - c * sz[j]) * inverse, STEEPEST)
        z = clipped((a * sz[j] - c * sx[j]) * inverse, STEEPEST)
        o[j] = half_bits(x) | (half_bits(z) << np.uint32(16))


@jit
def _write_row(
    block: Floats, row: int, i: int, fade: Floats, ripples: Floats, inverse: np.float32,
    heights: Floats, slopes: NDArray[np.uint32], shift: Floats, halves: NDArray[np.uint32],
    old: Floats, new: Floats, shown: NDArray[np.uint8], threshold: np.float32, decay: np.float32,
) -> None:  # fmt: skip
    """Row `i` of the frame from rows `row` ± REACH of `block`."""
    n, stride = heights.shape[1], block.shape[2] * SIZE
    at = block.ctypes.data + row * FIELDS * stride + REACH * SIZE
    height, slope_x, slope_z = at + HEIGHT * stride, at + SLOPE_X * stride, at + SLOPE_Z * stride
    shift_x, shift_z = at + SHIFT_X * stride, at + SHIFT_Z * stride
    h, half = _floats(height, n), np.float32(6.0) * inverse
    if fade.size:
        across = fade.shape[1] * SIZE
        fade_here = fade.ctypes.data + (i + REACH) * across + REACH * SIZE
        _fade_slope(slope_x, height, fade_here, SIZE, n, half)
        _fade_slope(slope_z, height, fade_here, across, n, half)
        f = _floats(fade_here, n)
        for j in range(n):
            h[j] *= f[j]
    if ripples.size:
        across = ripples.shape[1] * SIZE
        ripple = ripples.ctypes.data + (i + 1) * across + SIZE
        _add_row(height, ripple, n, False)
        _add_difference(slope_x, ripple, SIZE, n, half)
        _add_difference(slope_z, ripple, across, n, half)
    work = np.empty((3, n), np.float32)
    xx, zz, xz = work[0], work[1], work[2]
    _difference(xx, shift_x, SIZE, inverse)
    _difference(zz, shift_z, FIELDS * stride, inverse)
    _difference(xz, shift_z, SIZE, inverse)
    _write_slopes(slopes.ctypes.data + i * n * SIZE, slope_x, slope_z, xx, zz, xz)
    _add_row(heights.ctypes.data + i * n * SIZE, height, n, True)
    pairs, x, z = _floats(shift.ctypes.data + 2 * i * n * SIZE, 2 * n), _floats(shift_x, n), _floats(shift_z, n)
    for j in range(n):
        pairs[2 * j], pairs[2 * j + 1] = x[j], z[j]
    words = halves[i]
    for j in range(n):
        words[j] = half_bits(clipped(x[j], STEEPEST)) | (half_bits(clipped(z[j], STEEPEST)) << np.uint32(16))
    if threshold > ZERO:
        foam_row(new[i], old[i], xx, zz, xz, threshold, decay)
        o, dense = shown[i], new[i]
        for j in range(n):
            o[j] = np.uint8(WHOLE * dense[j] + HALF)


@parallel_jit
def compose(
    store: Floats, layouts: NDArray[np.int64], weights: Floats, choppiness: np.float32, fade: Floats, ripples: Floats,
    inverse: np.float32, heights: Floats, slopes: NDArray[np.uint32], shift: Floats, halves: NDArray[np.uint32],
    old: Floats, new: Floats, shown: NDArray[np.uint8], threshold: np.float32, decay: np.float32,
) -> None:  # fmt: skip
    """`OceanSurface.compose` with checked arguments.

    Args:
        store: the fields of all cascades one after another.
        layouts: offset in `store`, rows, points in a row and stretch of each cascade, shape (cascades, 4).
        weights: of the four rows around a row in between, shape (cascades, largest stretch, 4).
        choppiness: factor of the shift.
        fade: factor of the waves, REACH points wider than the grid on every side, or empty.
        ripples: heights to superpose [m], one point wider than the grid on every side, or empty.
        inverse: 1/(12Δx) [1/m].
        heights: written, shape (nz, nx).
        slopes: written, shape (nz, nx), the slope along x in the lower half of each word.
        shift: written, shape (nz, 2·nx), pairs.
        halves: the same as half floats, shape (nz, nx), the shift along x in the lower half of each word.
        old: foam before, shape (nz, nx), or empty.
        new: foam after, shape (nz, nx), or empty.
        shown: the same in 255ths, or empty.
        threshold: of the foam; 0 for none.
        decay: the share of the old foam that is left.
    """
    nz, nx = heights.shape
    width = nx + 2 * REACH
    for number in prange((nz + ROWS - 1) // ROWS):
        start, stop = number * ROWS, min(nz, (number + 1) * ROWS)
        block = np.empty((ROWS + 2 * REACH, FIELDS, width + 12), np.float32)
        for i in range(start - REACH, stop + REACH):
            first = HEIGHT if start <= i < stop else SHIFT_X
            _sum_cascades(block, i - start + REACH, width, i, first, layouts, store, weights, choppiness, fade)
        for i in range(start, stop):
            _write_row(
                block, i - start + REACH, i, fade, ripples, inverse, heights, slopes, shift, halves,
                old, new, shown, threshold, decay,
            )  # fmt: skip

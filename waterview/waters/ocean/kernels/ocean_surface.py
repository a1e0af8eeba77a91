"""The compiled loops of `ocean` that lead from fields to a frame: sum of the patches, shores, slopes, foam.

Rows are given by address, as in `wave_rows`. What is taken in parallel are blocks of rows that share nothing: the few
rows that two blocks need are summed twice, so the number of threads changes no bit of the result.
"""

from __future__ import annotations

import numba
import numpy as np
from numba import prange
from numpy.typing import NDArray

from waterview.simd.jit import float_pointer, jit, parallel_jit, word_pointer
from waterview.waters.common.kernels.slopes import clipped, half_bits
from waterview.waters.common.published_surface import MAX_SLOPE

from .ocean import FIELDS, REACH
from .ocean_waves import HEIGHT, SHIFT_X, SHIFT_Z, SLOPE_X, SLOPE_Z

SIZE = 4  # of a float and of a word [bytes]
ZERO, HALF, ONE = np.float32(0.0), np.float32(0.5), np.float32(1.0)
ROWS = 16  # taken by one thread at once
LEAST_AREA = np.float32(0.1)  # of a folded patch of surface, so that its slope stays finite
FOAM_RAMP = np.float32(0.15)  # of J's eigenvalue, from no foam to nothing else
STEEPEST = np.float32(MAX_SLOPE)


@jit
def _add_row(out: int, row: int, n: int, fresh: bool) -> None:
    o, r = numba.carray(float_pointer(out), n), numba.carray(float_pointer(row), n)
    if fresh:
        for j in range(n):
            o[j] = r[j]
    else:
        for j in range(n):
            o[j] += r[j]


@jit
def _blend_row(out: int, a: int, b: int, c: int, d: int, weights: NDArray[np.float32], n: int, fresh: bool) -> None:
    o = numba.carray(float_pointer(out), n)
    ra, rb = numba.carray(float_pointer(a), n), numba.carray(float_pointer(b), n)
    rc, rd = numba.carray(float_pointer(c), n), numba.carray(float_pointer(d), n)
    wa, wb, wc, wd = weights[0], weights[1], weights[2], weights[3]
    if fresh:
        for j in range(n):
            o[j] = (wa * ra[j] + wb * rb[j]) + (wc * rc[j] + wd * rd[j])
    else:
        for j in range(n):
            o[j] += (wa * ra[j] + wb * rb[j]) + (wc * rc[j] + wd * rd[j])


@jit
def _add_patch_row(
    out: int, width: int, store: int, patch: NDArray[np.int64], i: int, weights: NDArray[np.float32], fresh: bool
) -> None:
    """Add row `i` of a periodic patch, from REACH columns left of the grid on, to `width` points at `out`.

    Rows between the patch's own are blended by a cubic B-spline, which the patch's spectrum makes up for.
    """
    rows, length, stretch = patch[1], patch[2], patch[3]
    own, phase = i // stretch, i % stretch
    stride = FIELDS * length * SIZE
    done, start = 0, -REACH % length
    while done < width:
        n = min(length - start, width - done)
        to, at = out + done * SIZE, store + start * SIZE
        b = at + own % rows * stride
        if stretch == 1:
            _add_row(to, b, n, fresh)
        else:
            a, c, d = (own - 1) % rows, (own + 1) % rows, (own + 2) % rows
            _blend_row(to, at + a * stride, b, at + c * stride, at + d * stride, weights[phase], n, fresh)
        done, start = done + n, 0


@jit
def _scale_row(row: int, n: int, factor: np.float32) -> None:
    r = numba.carray(float_pointer(row), n)
    for j in range(n):
        r[j] *= factor


@jit
def _fade_row(row: int, fade: int, n: int) -> None:
    r, f = numba.carray(float_pointer(row), n), numba.carray(float_pointer(fade), n)
    for j in range(n):
        r[j] *= f[j]


@jit
def _fade_slope_row(slope: int, height: int, fade: int, before: int, after: int, n: int, inverse: np.float32) -> None:
    """∂(f·h) = f·∂h + h·∂f."""
    s, h = numba.carray(float_pointer(slope), n), numba.carray(float_pointer(height), n)
    f = numba.carray(float_pointer(fade), n)
    b, a = numba.carray(float_pointer(before), n), numba.carray(float_pointer(after), n)
    for j in range(n):
        s[j] = f[j] * s[j] + h[j] * ((a[j] - b[j]) * inverse)


@jit
def _difference_row(out: int, row: int, step: int, n: int, inverse: np.float32) -> None:
    """Central differences of fourth order between places `step` bytes apart; `inverse` is 1/(12Δx)."""
    o = numba.carray(float_pointer(out), n)
    a, b = numba.carray(float_pointer(row - 2 * step), n), numba.carray(float_pointer(row - step), n)
    c, d = numba.carray(float_pointer(row + step), n), numba.carray(float_pointer(row + 2 * step), n)
    for j in range(n):
        o[j] = (np.float32(8.0) * (c[j] - b[j]) - (d[j] - a[j])) * inverse


@jit
def _add_difference_row(out: int, before: int, after: int, n: int, inverse: np.float32) -> None:
    o = numba.carray(float_pointer(out), n)
    b, a = numba.carray(float_pointer(before), n), numba.carray(float_pointer(after), n)
    for j in range(n):
        o[j] += (a[j] - b[j]) * inverse


@jit
def _slope_row(out: int, along_x: int, along_z: int, xx: int, zz: int, xz: int, n: int, bound: np.float32) -> None:
    """−J⁻¹∇h as half floats: the slope of the surface after every point has moved sideways."""
    o = numba.carray(word_pointer(out), n)
    sx, sz = numba.carray(float_pointer(along_x), n), numba.carray(float_pointer(along_z), n)
    jxx, jzz = numba.carray(float_pointer(xx), n), numba.carray(float_pointer(zz), n)
    jxz = numba.carray(float_pointer(xz), n)
    for j in range(n):
        a, b, c = ONE + jxx[j], ONE + jzz[j], jxz[j]
        inverse = -ONE / max(a * b - c * c, LEAST_AREA)
        x = clipped((b * sx[j] - c * sz[j]) * inverse, bound)
        z = clipped((a * sz[j] - c * sx[j]) * inverse, bound)
        o[j] = half_bits(x) | (half_bits(z) << np.uint32(16))


@jit
def _foam_row(out: int, old: int, xx: int, zz: int, xz: int, n: int, threshold: np.float32, keep: np.float32) -> None:
    """Foam where J's smaller eigenvalue falls short of `threshold`, all of it at `FOAM_RAMP` less; the rest decays."""
    o, f = numba.carray(float_pointer(out), n), numba.carray(float_pointer(old), n)
    jxx, jzz = numba.carray(float_pointer(xx), n), numba.carray(float_pointer(zz), n)
    jxz = numba.carray(float_pointer(xz), n)
    for j in range(n):
        difference = HALF * (jxx[j] - jzz[j])
        smaller = ONE + HALF * (jxx[j] + jzz[j]) - np.sqrt(difference * difference + jxz[j] * jxz[j])
        o[j] = max(f[j] * keep, min(max((threshold - smaller) / FOAM_RAMP, ZERO), ONE))


@jit
def _pair_row(out: int, x: int, z: int, n: int) -> None:
    o = numba.carray(float_pointer(out), 2 * n)
    a, b = numba.carray(float_pointer(x), n), numba.carray(float_pointer(z), n)
    for j in range(n):
        o[2 * j] = a[j]
        o[2 * j + 1] = b[j]


@jit
def _sum_row(
    block: NDArray[np.float32],
    row: int,
    width: int,
    i: int,
    first: int,
    patches: NDArray[np.int64],
    store: NDArray[np.float32],
    weights: NDArray[np.float32],
    choppiness: np.float32,
    fade: NDArray[np.float32],
) -> None:
    """Row `i` of the fields from number `first` on, into row `row` of `block`: all patches, choppy and faded."""
    stride = block.shape[2] * SIZE
    out = block.ctypes.data + row * FIELDS * stride
    for number in range(first, FIELDS):
        to = out + number * stride
        for patch in range(patches.shape[0]):
            at = store.ctypes.data + (patches[patch, 0] + number * patches[patch, 2]) * SIZE
            _add_patch_row(to, width, at, patches[patch], i, weights[patch], patch == 0)
        if number >= SHIFT_X:
            _scale_row(to, width, choppiness)
            if fade.size:
                _fade_row(to, fade.ctypes.data + (i + REACH) * fade.shape[1] * SIZE, width)


@jit
def _finish_row(
    block: NDArray[np.float32],
    row: int,
    i: int,
    n: int,
    fade: NDArray[np.float32],
    ripples: NDArray[np.float32],
    inverse: np.float32,
    outputs: tuple[NDArray[np.float32], NDArray[np.uint32], NDArray[np.float32]],
    foam: tuple[NDArray[np.float32], NDArray[np.float32], np.float32, np.float32],
) -> None:
    """Row `i` of the frame from rows `row` ± REACH of `block`."""
    stride = block.shape[2] * SIZE
    at = block.ctypes.data + row * FIELDS * stride + REACH * SIZE
    height, slope_x, slope_z = at + HEIGHT * stride, at + SLOPE_X * stride, at + SLOPE_Z * stride
    half = np.float32(6.0) * inverse
    if fade.size:
        across = fade.shape[1] * SIZE
        f = fade.ctypes.data + (i + REACH) * across + REACH * SIZE
        _fade_slope_row(slope_x, height, f, f - SIZE, f + SIZE, n, half)
        _fade_slope_row(slope_z, height, f, f - across, f + across, n, half)
        _fade_row(height, f, n)
    if ripples.size:
        across = ripples.shape[1] * SIZE
        r = ripples.ctypes.data + (i + 1) * across + SIZE
        _add_row(height, r, n, False)
        _add_difference_row(slope_x, r - SIZE, r + SIZE, n, half)
        _add_difference_row(slope_z, r - across, r + across, n, half)
    work = np.empty((3, n), np.float32)
    xx, zz, xz = work[0].ctypes.data, work[1].ctypes.data, work[2].ctypes.data
    _difference_row(xx, at + SHIFT_X * stride, SIZE, n, inverse)
    _difference_row(zz, at + SHIFT_Z * stride, FIELDS * stride, n, inverse)
    _difference_row(xz, at + SHIFT_Z * stride, SIZE, n, inverse)
    heights, slopes, shift = outputs
    _slope_row(slopes.ctypes.data + i * n * SIZE, slope_x, slope_z, xx, zz, xz, n, STEEPEST)
    _pair_row(shift.ctypes.data + 2 * i * n * SIZE, at + SHIFT_X * stride, at + SHIFT_Z * stride, n)
    _add_row(heights.ctypes.data + i * n * SIZE, height, n, True)
    old, new, threshold, keep = foam
    if threshold > ZERO:
        place = i * n * SIZE
        _foam_row(new.ctypes.data + place, old.ctypes.data + place, xx, zz, xz, n, threshold, keep)


@parallel_jit
def compose(
    store: NDArray[np.float32],
    patches: NDArray[np.int64],
    weights: NDArray[np.float32],
    choppiness: np.float32,
    fade: NDArray[np.float32],
    ripples: NDArray[np.float32],
    inverse: np.float32,
    heights: NDArray[np.float32],
    slopes: NDArray[np.uint32],
    shift: NDArray[np.float32],
    old: NDArray[np.float32],
    new: NDArray[np.float32],
    foam: NDArray[np.float32],
) -> None:
    """`ocean.compose` with everything checked.

    Args:
        store: the fields of all patches one after another, float32.
        patches: offset in `store`, rows, points a row and stretch of each patch, shape (patches, 4) int64.
        weights: of the four rows around a row in between, shape (patches, largest stretch, 4) float32.
        choppiness: factor of the shift, float32.
        fade: factor of the waves, REACH points wider than the grid on every side, or empty.
        ripples: heights to superpose [m], one point wider than the grid on every side, or empty.
        inverse: 1/(12Δx) [1/m], float32.
        heights: output, shape (nz, nx).
        slopes: output, shape (nz, nx) uint32, the slope along x in the lower half.
        shift: output, shape (nz, 2·nx), pairs.
        old: foam before, shape (nz, nx), or empty.
        new: foam after, likewise.
        foam: threshold and the share of old foam that is left, shape (2,) float32; a threshold of 0 means none.
    """
    nz, nx = heights.shape
    width = nx + 2 * REACH
    for number in prange((nz + ROWS - 1) // ROWS):
        first, last = number * ROWS, min(nz, (number + 1) * ROWS)
        block = np.empty((ROWS + 2 * REACH, FIELDS, width + 12), np.float32)
        for i in range(first - REACH, last + REACH):
            wanted = HEIGHT if first <= i < last else SHIFT_X
            _sum_row(block, i - first + REACH, width, i, wanted, patches, store, weights, choppiness, fade)
        for i in range(first, last):
            _finish_row(
                block,
                i - first + REACH,
                i,
                nx,
                fade,
                ripples,
                inverse,
                (heights, slopes, shift),
                (old, new, foam[0], foam[1]),
            )

"""The compiled field of wave particles: splatted onto a grid and filtered along both axes, or summed at single places.

Rows are given by address, so that the loops over them become vector instructions. Holding outputs in registers, by
vector code written out for LLVM, was tried: a tenth faster along rows and a fifth down columns.
"""

from __future__ import annotations

import math

import numba
import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import float_pointer, jit

from .reflection import STRENGTH, UX, UZ, Particles, X, Z

SIZE = 4  # of a float [bytes]
PIECE = 256  # columns filtered at once; the rows that a column filter reads should fit in the first-level cache

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]


# --- on a grid


@jit
def splat(amplitudes: Floats, margin: int, x: Floats, z: Floats, weight: Floats, count: int) -> None:
    """Distribute the weights of `count` particles to the four points around each; those outside the grid are left out.

    Args:
        amplitudes: added to; a grid with `margin` more points on the low sides and at least one on the high sides.
        margin: in points.
        x: positions in cells of the grid without margin.
        z: see `x`.
        weight: of each particle.
        count: number of particles.
    """
    rows, columns = amplitudes.shape
    shift = np.float32(margin)
    for i in range(count):
        fx, fz = x[i] + shift, z[i] + shift
        if 0.0 <= fx < columns - 1 and 0.0 <= fz < rows - 1:  # as floats: they may be as large as floats can be
            ix, iz = int(fx), int(fz)
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
def _four_taps(out: int, source: int, n: int, k: int, stride: int, weights: Floats, odd: bool) -> None:
    """Add w_k(s₋ₖ ± s₊ₖ), − if `odd`, for four k at once: the output row is then loaded and stored once."""
    o = numba.carray(float_pointer(out), n)
    low, high = source - k * stride, source + k * stride
    a1, b1 = numba.carray(float_pointer(low), n), numba.carray(float_pointer(high), n)
    a2, b2 = numba.carray(float_pointer(low - stride), n), numba.carray(float_pointer(high + stride), n)
    a3, b3 = numba.carray(float_pointer(low - 2 * stride), n), numba.carray(float_pointer(high + 2 * stride), n)
    a4, b4 = numba.carray(float_pointer(low - 3 * stride), n), numba.carray(float_pointer(high + 3 * stride), n)
    w1, w2, w3, w4 = weights[k], weights[k + 1], weights[k + 2], weights[k + 3]
    if odd:
        for j in range(n):
            o[j] += (w1 * (a1[j] - b1[j]) + w2 * (a2[j] - b2[j])) + (w3 * (a3[j] - b3[j]) + w4 * (a4[j] - b4[j]))
    else:
        for j in range(n):
            o[j] += (w1 * (a1[j] + b1[j]) + w2 * (a2[j] + b2[j])) + (w3 * (a3[j] + b3[j]) + w4 * (a4[j] + b4[j]))


@jit
def convolve(
    out: Floats, source: Floats, columns: int, margin: int, down: bool, weights: Floats, odd: bool, adds: bool
) -> None:
    """Filter `source` along one axis into `out`.

    Args:
        out: C-contiguous, like `source`; each may have more columns than are in use.
        source: with `margin` more points on both sides of the axis that is filtered; the first output lies over
            source[0, margin] along rows, over source[margin, 0] down columns.
        columns: number of columns of `out` that are computed.
        margin: at least the number of weights minus one.
        down: filter down the columns, not along the rows.
        weights: w₀, w₁ …, one more than a multiple of 4; w₋ₖ = w₊ₖ, or −w₊ₖ if `odd`.
        odd: whether the filter is odd; the value on the side of lower indices is then weighted with w₊ₖ.
        adds: add to `out` instead of replacing it.
    """
    out_row, source_row = out.shape[1] * SIZE, source.shape[1] * SIZE
    stride = source_row if down else SIZE
    start = source.ctypes.data + margin * stride
    # Pieces outside, rows inside: from one row to the next a column filter finds all its rows but one in the cache.
    for low in range(0, columns, PIECE):
        n = min(PIECE, columns - low)
        for i in range(out.shape[0]):
            target, middle = out.ctypes.data + i * out_row + low * SIZE, start + i * source_row + low * SIZE
            _centre_tap(target, middle, n, weights[0], adds)
            for k in range(1, weights.shape[0], 4):
                _four_taps(target, middle, n, k, stride, weights, odd)


# --- at single places, for bodies, which are few


@jit
def _image(place: float, number: int, points: int, beyond: float, flips: bool) -> tuple[float, float, float]:
    """Where image `number` of a particle lies along one axis, its sign, and that of its direction there."""
    if number == 0:
        return place, 1.0, 1.0
    mirror = -beyond if number == 1 else points - 1.0 + beyond
    sign = -1.0 if flips else 1.0
    return 2.0 * mirror - place, sign, -sign


@jit
def _images(place: float, radius: float, points: int, open_ends: bool) -> int:
    """How many images of a particle along one axis can reach a place: those behind mirrors reach no farther than r."""
    far = open_ends or radius <= place <= points - 1.0 - radius
    return 1 if far else 3


@jit
def _waveform(offset: float, radius: float) -> tuple[float, float]:
    """Both f = ½(cos πv + 1) and s = −½ sin πv with v = offset/r; zeros beyond the radius."""
    if abs(offset) >= radius:
        return 0.0, 0.0
    angle = math.pi * offset / radius
    return 0.5 * (math.cos(angle) + 1.0), -0.5 * math.sin(angle)


@jit
def sum_motion(
    out: Doubles, column: Doubles, row: Doubles, particles: Particles, count: int, radius: float,
    size: tuple[int, int], beyond: float, flips: bool, open_ends: bool,
) -> None:  # fmt: skip
    """Compute `out`, shape (m, 3): what `ParticleSet.motion_at` returns.

    Args:
        out: written.
        column: of each place, shape (m,).
        row: of each place, shape (m,).
        particles: the first `count` are in use.
        count: number of particles.
        radius: of the particles [cells].
        size: (nz, nx).
        beyond: how far outside the edge points waves are reflected [cells].
        flips: whether crests become troughs there.
        open_ends: whether waves leave the grid instead.
    """
    x, z, strength = particles.now[X], particles.now[Z], particles.now[STRENGTH]
    ux, uz = particles.state[UX], particles.state[UZ]
    out[:] = 0.0
    for place in range(out.shape[0]):
        images_x = _images(column[place], radius, size[1], open_ends)
        images_z = _images(row[place], radius, size[0], open_ends)
        for i in range(count):
            for across in range(images_x):
                image_x, sign_x, turn_x = _image(x[i], across, size[1], beyond, flips)
                f_x, s_x = _waveform(column[place] - image_x, radius)
                if f_x == 0.0:
                    continue
                for down in range(images_z):
                    image_z, sign_z, turn_z = _image(z[i], down, size[0], beyond, flips)
                    f_z, s_z = _waveform(row[place] - image_z, radius)
                    along_x, along_z = ux[i] * turn_x * sign_z, uz[i] * sign_x * turn_z
                    out[place, 0] += strength[i] * f_x * f_z * along_x
                    out[place, 1] -= strength[i] * (s_x * f_z * along_x + f_x * s_z * along_z)
                    out[place, 2] += strength[i] * f_x * f_z * along_z

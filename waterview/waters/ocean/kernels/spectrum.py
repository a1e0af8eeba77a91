"""From waves to fields, compiled: the spectrum of the sea at a time, and its inverse Fourier transforms.

Each loop runs along one row and reads and writes few arrays, so that the compiler makes vector instructions of it.
Blocks of rows or columns that share nothing run in parallel, so the number of threads changes no bit of the result.
"""

from __future__ import annotations

import numba
import numpy as np
from numba import prange
from numpy.typing import NDArray
from rocket_fft import c2c, c2r

from waterview.simd.jit import float_pointer, jit, parallel_jit
from waterview.waters.ocean.cascades import HEIGHT, SHIFT_X, SHIFT_Z, SLOPE_X, SLOPE_Z

HALF, ONE = np.float32(0.5), np.float32(1.0)
SPECTRA = 4  # of height, ∂z height, ∂z potential and potential
ROWS = 16  # computed by one thread at once
COLUMNS = 32  # transformed by one thread at once

Floats = NDArray[np.float32]


# --- waves at a time


@jit
def _phase_row(turns: NDArray[np.float64], time: float, cosine: Floats, sine: Floats) -> None:
    """Cosine and sine of 2π·turns·time, to 1e-7; whole turns are removed in float64, so that long times do no harm."""
    for j in range(turns.size):
        turn = turns[j] * time
        quarters = np.float32(4.0) * np.float32(turn - np.rint(turn))
        nearest = np.rint(quarters)
        x = (quarters - nearest) * np.float32(0.5 * np.pi)
        y = x * x
        # The Cephes polynomials for ±π/4.
        s = x + x * y * (
            np.float32(-1.6666654611e-1) + y * (np.float32(8.3321608736e-3) + y * np.float32(-1.9515295891e-4))
        )
        c = (ONE - HALF * y) + y * y * (
            np.float32(4.166664568e-2) + y * (np.float32(-1.388731625e-3) + y * np.float32(2.443315711e-5))
        )
        quadrant = np.int32(nearest)
        odd = (quadrant & np.int32(1)) != 0
        first, second = (s, c) if odd else (c, s)
        cosine[j] = -first if ((quadrant + np.int32(1)) & np.int32(2)) != 0 else first
        sine[j] = -second if (quadrant & np.int32(2)) != 0 else second


@jit
def _mix_row(
    p: Floats,
    q: Floats,
    cosine: Floats,
    sine: Floats,
    gain: np.float32,
    out: Floats,
) -> None:
    for j in range(p.size):
        out[j] = gain * (p[j] * cosine[j] + q[j] * sine[j])


@jit
def _divide_row(real: Floats, imaginary: Floats, kx: Floats, kz: np.float32) -> None:
    """Divide by k = |(kx, kz)|; the value at k = 0 is 0 anyway."""
    for j in range(real.size):
        inverse = ONE / np.sqrt(max(kx[j] * kx[j] + kz * kz, np.float32(1e-30)))
        real[j] *= inverse
        imaginary[j] *= inverse


@jit
def _write_row(real: Floats, imaginary: Floats, out: Floats) -> None:
    for j in range(real.size):
        out[2 * j] = real[j]
        out[2 * j + 1] = imaginary[j]


@jit
def _write_row_times_i(real: Floats, imaginary: Floats, k: np.float32, out: Floats) -> None:
    for j in range(real.size):
        out[2 * j] = -k * imaginary[j]
        out[2 * j + 1] = k * real[j]


@jit
def _times_i_row(z: Floats, kx: Floats, out: Floats) -> None:
    for j in range(kx.size):
        real, imaginary = z[2 * j], z[2 * j + 1]
        out[2 * j] = -kx[j] * imaginary
        out[2 * j + 1] = kx[j] * real


@parallel_jit
def waves_at(
    terms: Floats,
    turns: NDArray[np.float64],
    kx: Floats,
    kz: Floats,
    time: float,
    gain: np.float32,
    spectra: Floats,
) -> None:
    """The spectra of height h̃, i·kz·h̃, i·kz·h̃/k and h̃/k at `time` into `spectra`, shape (4, nz, m) complex64.

    Args:
        terms: p, q, u, v of h̃ = (p cos ωt + q sin ωt) + i(u cos ωt + v sin ωt), shape (4, nz, m) float32.
        turns: ω/2π [1/s], shape (nz, m) float64.
        kx: wave numbers of the columns [rad/m], float32.
        kz: wave numbers of the rows [rad/m], float32.
        time: [s].
        gain: factor of every wave.
        spectra: written, as pairs of floats: shape (4, nz, 2m) float32.
    """
    nz, m = turns.shape
    for block in prange((nz + ROWS - 1) // ROWS):
        work = np.empty((4, m), np.float32)
        cosine, sine, real, imaginary = work[0], work[1], work[2], work[3]
        for i in range(block * ROWS, min(nz, (block + 1) * ROWS)):
            _phase_row(turns[i], time, cosine, sine)
            _mix_row(terms[0, i], terms[1, i], cosine, sine, gain, real)
            _mix_row(terms[2, i], terms[3, i], cosine, sine, gain, imaginary)
            _write_row(real, imaginary, spectra[0, i])
            _write_row_times_i(real, imaginary, kz[i], spectra[1, i])
            _divide_row(real, imaginary, kx, kz[i])
            _write_row_times_i(real, imaginary, kz[i], spectra[2, i])
            _write_row(real, imaginary, spectra[3, i])


# --- inverse transforms


@parallel_jit
def transform_columns(spectra: NDArray[np.complex64]) -> None:
    """Unnormalised inverse transforms along z, in place; `spectra` has shape (4, nz, m) complex64."""
    m = spectra.shape[2]
    pieces = (m + COLUMNS - 1) // COLUMNS
    axes = np.zeros(1, np.int64)
    for task in prange(SPECTRA * pieces):
        start = task % pieces * COLUMNS
        columns = spectra[task // pieces, :, start : min(m, start + COLUMNS)]
        c2c(columns, columns, axes, False, 1.0, 1)


@jit
def _transform_block(
    spectra: NDArray[np.complex64],
    halves: Floats,
    kx: Floats,
    fields: Floats,
    first: int,
    last: int,
) -> None:
    m = kx.size
    axes = np.full(1, 2, np.int64)
    derived = np.empty((last - first, 2, m), np.complex64)
    pairs = numba.carray(float_pointer(derived.ctypes.data), 2 * derived.size)
    for i in range(first, last):
        start = 4 * m * (i - first)
        _times_i_row(halves[0, i], kx, pairs[start : start + 2 * m])
        _times_i_row(halves[3, i], kx, pairs[start + 2 * m : start + 4 * m])
    rows = fields[first:last]
    c2r(spectra[first:last, 0:2], rows[:, HEIGHT : SLOPE_Z + 1], axes, False, 1.0, 1)
    c2r(derived, rows[:, SLOPE_X : SHIFT_X + 1], axes, False, 1.0, 1)
    c2r(spectra[first:last, 2:3], rows[:, SHIFT_Z : SHIFT_Z + 1], axes, False, 1.0, 1)


@parallel_jit
def transform_rows(spectra: NDArray[np.complex64], halves: Floats, kx: Floats, fields: Floats) -> None:
    """Unnormalised inverse transforms along x, with ∂/∂x for the fields that need it.

    Args:
        spectra: as `transform_columns` leaves them, transposed to the shape (nz, 4, m).
        halves: the same memory as pairs of floats, shape (4, nz, 2m) float32.
        kx: wave numbers of the columns [rad/m], shape (m,) float32.
        fields: h, ∂h/∂z, ∂h/∂x and the shift's x and z, shape (nz, 5, n) float32. If n is more than 2(m − 1), points in
            between are interpolated exactly.
    """
    nz = fields.shape[0]
    for block in prange((nz + ROWS - 1) // ROWS):
        _transform_block(spectra, halves, kx, fields, block * ROWS, min(nz, (block + 1) * ROWS))

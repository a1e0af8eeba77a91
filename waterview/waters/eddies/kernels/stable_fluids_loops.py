"""The compiled loops of `stable_fluids`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from rocket_fft import c2r, r2c

from waterview.simd.jit import jit
from waterview.waters.common.kernels.slopes import clipped

FARTHEST = np.float32(1e6)  # cells that anything moves in one step; more would only lose the digits that say where to
LONGEST_TRAIL = 16  # deposits of one particle in one step


@jit
def to_spectra(fields: NDArray[np.float32], spectra: NDArray[np.complex64]) -> None:
    """Forward transforms of `fields`, shape (f, n, n), into `spectra`, shape (f, n, n/2 + 1)."""
    axes = np.array([1, 2])
    r2c(fields, spectra, axes, True, 1.0, 1)


@jit
def to_fields(spectra: NDArray[np.complex64], fields: NDArray[np.float32]) -> None:
    """What undoes `to_spectra`; `spectra` keep their values."""
    axes = np.array([1, 2])
    c2r(spectra, fields, axes, False, 1.0 / fields[0].size, 1)


@jit
def _cell(x: np.float32, n: int) -> tuple[int, int, np.float32]:
    """The points before and after the place `x` of a periodic row, and how far it lies between them."""
    left = np.floor(x)
    j = int(left)
    if j < 0 or j >= n:
        j %= n
    return j, (j + 1 if j + 1 < n else 0), x - left


@jit
def sampled(fields: NDArray[np.float32], x: np.float32, z: np.float32) -> tuple[np.float32, np.float32]:
    """Bilinear values of two periodic fields, shape (2, n, n), at column x and row z, which may lie anywhere."""
    n = fields.shape[1]
    j, right, tx = _cell(x, n)
    i, below, tz = _cell(z, n)
    first, second = fields[0], fields[1]
    near = first[i, j] + tx * (first[i, right] - first[i, j])
    far = first[below, j] + tx * (first[below, right] - first[below, j])
    u = near + tz * (far - near)
    near = second[i, j] + tx * (second[i, right] - second[i, j])
    far = second[below, j] + tx * (second[below, right] - second[below, j])
    return u, near + tz * (far - near)


@jit
def advect(velocity: NDArray[np.float32], out: NDArray[np.float32], cells: np.float32) -> None:
    """Carry `velocity`, shape (2, n, n), along itself: what is at a point now was `cells`·velocity upstream of it."""
    n = velocity.shape[1]
    for i in range(n):
        for j in range(n):
            x = np.float32(j) - clipped(velocity[0, i, j] * cells, FARTHEST)
            z = np.float32(i) - clipped(velocity[1, i, j] * cells, FARTHEST)
            out[0, i, j], out[1, i, j] = sampled(velocity, x, z)


@jit
def project(
    spectra: NDArray[np.complex64],
    pressure: NDArray[np.complex64],
    kx: NDArray[np.float32],
    kz: NDArray[np.float32],
    decay: NDArray[np.float32],
) -> None:
    """Take from every wave its part along k, so that no divergence is left, and multiply it by `decay`.

    Args:
        spectra: of the velocity, shape (2, n, n/2 + 1).
        pressure: gets −i(k·û)/k², whose gradient is what was taken, shape (n, n/2 + 1).
        kx: wave numbers of the columns [rad/m].
        kz: wave numbers of the rows [rad/m].
        decay: shape (n, n/2 + 1).
    """
    n, m = decay.shape
    for i in range(n):
        for j in range(m):
            x, z = kx[j], kz[i]
            square = x * x + z * z
            u, w = spectra[0, i, j], spectra[1, i, j]
            if 2 * i == n or j == m - 1:  # Nyquist waves point both ways at once
                u, w = np.complex64(0.0), np.complex64(0.0)
            elif square > np.float32(0.0):
                along = (x * u + z * w) / square
                u -= x * along
                w -= z * along
                pressure[i, j] = np.complex64(complex(along.imag, -along.real))
            spectra[0, i, j] = u * decay[i, j]
            spectra[1, i, j] = w * decay[i, j]


@jit
def trace(
    places: NDArray[np.float32],
    velocity: NDArray[np.float32],
    cells: np.float32,
    trails: NDArray[np.float32],
    weight: np.float32,
) -> None:
    """Move particles with the flow by the midpoint rule, and leave their speed along the way.

    Args:
        places: column and row of each, shape (m, 2); changed.
        velocity: [m/s], shape (2, n, n).
        cells: cells that 1 m/s moves by.
        trails: what is left behind, shape (n, n): each particle adds weight·speed in all; changed.
        weight: as said.
    """
    n = velocity.shape[1]
    half = np.float32(0.5) * cells
    for particle in range(places.shape[0]):
        x, z = places[particle, 0], places[particle, 1]
        u, w = sampled(velocity, x, z)
        mid_x, mid_z = x + clipped(u * half, FARTHEST), z + clipped(w * half, FARTHEST)
        u, w = sampled(velocity, mid_x, mid_z)
        dx, dz = clipped(u * cells, FARTHEST), clipped(w * cells, FARTHEST)
        deposits = min(int(np.sqrt(dx * dx + dz * dz)) + 1, LONGEST_TRAIL)
        amount = weight * np.sqrt(u * u + w * w) / np.float32(deposits)
        for number in range(deposits):
            share = np.float32(number) / np.float32(deposits)
            _deposit(trails, x + share * dx, z + share * dz, amount)
        places[particle, 0] = (x + dx) % np.float32(n)
        places[particle, 1] = (z + dz) % np.float32(n)


@jit
def _deposit(field: NDArray[np.float32], x: np.float32, z: np.float32, amount: np.float32) -> None:
    """Add `amount` to the four points around column x and row z of a periodic field."""
    n = field.shape[0]
    j, right, tx = _cell(x, n)
    i, below, tz = _cell(z, n)
    one = np.float32(1.0)
    field[i, j] += amount * (one - tx) * (one - tz)
    field[i, right] += amount * tx * (one - tz)
    field[below, j] += amount * (one - tx) * tz
    field[below, right] += amount * tx * tz


@jit
def derive(
    spectrum: NDArray[np.complex64],
    kx: NDArray[np.float32],
    kz: NDArray[np.float32],
    filtered: NDArray[np.float32],
    out: NDArray[np.complex64],
) -> None:
    """−∂/∂x and −∂/∂z of a field, every wave times `filtered`, as spectra: `out` has shape (2, n, n/2 + 1)."""
    n, m = filtered.shape
    for i in range(n):
        for j in range(m):
            value = spectrum[i, j] * filtered[i, j]
            turned = np.complex64(complex(value.imag, -value.real))
            out[0, i, j] = kx[j] * turned
            out[1, i, j] = kz[i] * turned

"""Stable fluids: a flow in a periodic square that is stable with any time step.

The method is Stam's (*Stable Fluids*, SIGGRAPH 1999; with transforms, *A Simple Fluid Solver based on the FFT*, J.
Graphics Tools 6(2), 2001). A step of `PeriodicFlow` has his four parts: the flow carries itself along (advect), is
driven (force), thickens (diffuse) and loses its divergence (project).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from rocket_fft import c2c, c2r, r2c

from waterview.simd.jit import jit
from waterview.waters.common.kernels.slopes import clipped

Floats = NDArray[np.float32]
Spectra = NDArray[np.complex64]

MAX_SPEED = 1e6
"""Velocities are held within ± this [m/s], so that the flow stays finite whatever drives it."""

FARTHEST = np.float32(1e6)
"""Cells that anything moves in one step; with more, the digits that say where to would be lost."""

MAX_DEPOSITS = 16
"""Most deposits of one particle in one step."""

_ROWS = 128  # of waves that double precision is used for at a time


class PeriodicFlow:
    """An incompressible flow on n × n points that repeats in x and z; at rest at first.

    Args:
        points: n, even, at least 4.
        size: length of the square's side [m].

    Attributes:
        size: length of the square's side [m].
        velocity: (x, z) [m/s], shape (2, n, n) float32; may be written.
    """

    def __init__(self, points: int, size: float) -> None:
        if points < 4 or points % 2:
            raise ValueError(f"{points} points: an even number from 4 on is needed")
        self.size = size
        self.velocity = np.zeros((2, points, points), np.float32)
        k = 2.0 * math.pi * np.fft.fftfreq(points, size / points)
        k[points // 2] = 0.0  # a Nyquist wave has no slope
        self._k_squared = np.square(k)
        self._kz = k.astype(np.float32)
        self._kx = np.abs(self._kz[: points // 2 + 1])
        # Scratch memory: two fields, and in the same place their transforms. On 2048 points they take 32 MiB.
        self._spectra = np.zeros((2, points, points // 2 + 1), np.complex64)
        self._fields = self._spectra.view(np.float32)[..., :points]
        self._pressure = np.zeros((1, points, points // 2 + 1), np.complex64)
        self._time_step = 1.0

    @property
    def points(self) -> int:
        """Number of points along each side."""
        return int(self.velocity.shape[1])

    @property
    def spacing(self) -> float:
        """Distance of neighbouring points [m]."""
        return self.size / self.points

    def add_force(self, x: float, z: float, vx: float, vz: float, radius: float) -> None:
        """Add the velocity (vx, vz) [m/s] at (x, z) [m], and e^(−d²/radius²) of it at distance d, across edges too."""
        along_x, along_z = (self._distances(at) for at in (x, z))
        share = np.exp(-(along_x[None, :] ** 2 + along_z[:, None] ** 2) / radius**2)
        for component, value in zip(self.velocity, (vx, vz), strict=True):
            component[...] = np.clip(component + value * share, -MAX_SPEED, MAX_SPEED)

    def step(
        self,
        time_step: float,
        viscosity: float = 0.0,
        drag: float = 0.0,
        forces: Sequence[tuple[int, int, complex]] = (),
    ) -> None:
        """Take a step: advect, force, diffuse, project.

        Args:
            time_step: Δt [s], above 0; any.
            viscosity: ν [m²/s]; a wave of wave number k keeps e^(−νk²Δt) of itself, exactly.
            drag: rate at which all of the flow but its mean fades [1/s].
            forces: accelerations [m/s²] of single waves: column and row of the wave vector in units of 2π/size, the
                column above 0, and the amplitude across it. They have no divergence.
        """
        advect(self.velocity, self._fields, np.float32(time_step / self.spacing))
        forward_transform(self._fields, self._spectra)
        for column, row, amplitude in forces:
            across = np.array([-row, column]) / math.hypot(row, column)
            # Half of a wave is in the half of the spectrum that is not stored.
            self._spectra[:, row, column] += 0.5 * self.points**2 * time_step * amplitude * across
        decay = self._of_waves(lambda k_squared: np.exp(-(viscosity * k_squared + drag) * time_step))
        decay[0, 0] = 1.0
        diffuse_and_project(self._spectra, self._pressure[0], self._kx, self._kz, decay)
        inverse_transform(self._spectra, self.velocity)
        self._time_step = time_step

    def set_mean(self, vx: float, vz: float) -> None:
        """Let the whole flow drift at (vx, vz) [m/s] on average."""
        wanted = np.array((vx, vz)) - self.velocity.mean(axis=(1, 2), dtype=np.float64)
        self.velocity += wanted.astype(np.float32)[:, None, None]

    def pressure(self) -> Floats:
        """Pressure over density [m²/s²] that the last step worked against, its mean 0, shape (n, n)."""
        field = np.empty((1, self.points, self.points), np.float32)
        inverse_transform(self._pressure / np.float32(self._time_step), field)
        return np.asarray(field[0])

    def advect_particles(self, particles: Floats, time_step: float, trails: Floats, weight: float) -> None:
        """Move particles with the flow; each leaves weight·speed along its path.

        Args:
            particles: (column, row) of each, shape (m, 2) float32; changed.
            time_step: [s].
            trails: what is left behind, shape (n, n) float32; changed.
            weight: what a particle leaves for each m/s of its speed.
        """
        advect_particles(particles, self.velocity, np.float32(time_step / self.spacing), trails, np.float32(weight))

    def slopes(self, field: Floats, smoothing: float) -> Floats:
        """(−∂/∂x, −∂/∂z) of a periodic field, by its transform and not by differences: so it has no seam.

        Args:
            field: shape (n, n) float32.
            smoothing: width σ of the Gaussian that the field is smoothed by first [m].

        Returns:
            Shape (n, n, 2) float32; not contiguous.
        """
        self._fields[0] = field
        forward_transform(self._fields[:1], self._spectra[:1])
        smooth = self._of_waves(lambda k_squared: np.exp(-0.5 * smoothing**2 * k_squared))
        smooth[self.points // 2] = smooth[:, -1] = 0.0
        negative_gradient(self._spectra[0], self._kx, self._kz, smooth, self._spectra)
        fields = np.empty_like(self.velocity)
        inverse_transform(self._spectra, fields)
        return np.moveaxis(fields, 0, -1)

    def _of_waves(self, function: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> Floats:
        """`function` of every wave's k², shape (n, n/2 + 1); some rows at a time, which takes less memory."""
        values = np.empty(self._spectra.shape[1:], np.float32)
        for i in range(0, len(values), _ROWS):
            rows = slice(i, i + _ROWS)
            values[rows] = function(self._k_squared[None, : values.shape[1]] + self._k_squared[rows, None])
        return values

    def _distances(self, at: float) -> NDArray[np.float64]:
        """Shortest signed distance of every point of a row from `at` [m], the way across the edge included."""
        offset = self.spacing * np.arange(self.points) - at
        return np.asarray(offset - self.size * np.rint(offset / self.size))


# --- transforms


@jit
def forward_transform(fields: Floats, spectra: Spectra) -> None:
    """Transform `fields`, shape (f, n, n), into `spectra`, shape (f, n, n/2 + 1); both may have the same memory."""
    r2c(fields, spectra, np.array([1, 2]), True, 1.0, 1)


@jit
def inverse_transform(spectra: Spectra, fields: Floats) -> None:
    """Undo `forward_transform`; `spectra` lose their values."""
    # Along both axes at once c2r would make a copy of the spectra.
    c2c(spectra, spectra, np.array([1]), False, 1.0, 1)
    c2r(spectra, fields, np.array([2]), False, 1.0 / fields[0].size, 1)


# --- advection


@jit
def _neighbours(x: np.float32, n: int) -> tuple[int, int, np.float32]:
    """The points before and after the place `x` of a periodic row, and how far it lies between them."""
    left = np.floor(x)
    j = int(left)
    if j < 0 or j >= n:
        j %= n
    return j, (j + 1 if j + 1 < n else 0), x - left


@jit
def interpolate(fields: Floats, x: np.float32, z: np.float32) -> tuple[np.float32, np.float32]:
    """Bilinear values of two periodic fields, shape (2, n, n), at column x and row z, which may lie anywhere."""
    n = fields.shape[1]
    j, right, tx = _neighbours(x, n)
    i, below, tz = _neighbours(z, n)
    first, second = fields[0], fields[1]
    near = first[i, j] + tx * (first[i, right] - first[i, j])
    far = first[below, j] + tx * (first[below, right] - first[below, j])
    u = near + tz * (far - near)
    near = second[i, j] + tx * (second[i, right] - second[i, j])
    far = second[below, j] + tx * (second[below, right] - second[below, j])
    return u, near + tz * (far - near)


@jit
def advect(velocity: Floats, advected: Floats, cells: np.float32) -> None:
    """Carry `velocity`, shape (2, n, n), along itself: what is at a point now was `cells`·velocity upstream of it."""
    n = velocity.shape[1]
    for i in range(n):
        for j in range(n):
            x = np.float32(j) - clipped(velocity[0, i, j] * cells, FARTHEST)
            z = np.float32(i) - clipped(velocity[1, i, j] * cells, FARTHEST)
            advected[0, i, j], advected[1, i, j] = interpolate(velocity, x, z)


@jit
def advect_particles(
    particles: Floats, velocity: Floats, cells: np.float32, trails: Floats, weight: np.float32
) -> None:
    """Move particles with the flow by the midpoint rule, and leave their speed along the path.

    Args:
        particles: column and row of each, shape (m, 2); changed.
        velocity: [m/s], shape (2, n, n).
        cells: cells that 1 m/s moves by.
        trails: what is left behind, shape (n, n); changed.
        weight: each particle adds weight·speed in all.
    """
    n = velocity.shape[1]
    half = np.float32(0.5) * cells
    for particle in range(particles.shape[0]):
        x, z = particles[particle, 0], particles[particle, 1]
        u, w = interpolate(velocity, x, z)
        mid_x, mid_z = x + clipped(u * half, FARTHEST), z + clipped(w * half, FARTHEST)
        u, w = interpolate(velocity, mid_x, mid_z)
        dx, dz = clipped(u * cells, FARTHEST), clipped(w * cells, FARTHEST)
        deposits = min(int(np.sqrt(dx * dx + dz * dz)) + 1, MAX_DEPOSITS)
        amount = weight * np.sqrt(u * u + w * w) / np.float32(deposits)
        for number in range(deposits):
            share = np.float32(number) / np.float32(deposits)
            _deposit(trails, x + share * dx, z + share * dz, amount)
        particles[particle, 0] = (x + dx) % np.float32(n)
        particles[particle, 1] = (z + dz) % np.float32(n)


@jit
def _deposit(field: Floats, x: np.float32, z: np.float32, amount: np.float32) -> None:
    """Add `amount` to the four points around column x and row z of a periodic field, by bilinear weights."""
    n = field.shape[0]
    j, right, tx = _neighbours(x, n)
    i, below, tz = _neighbours(z, n)
    one = np.float32(1.0)
    field[i, j] += amount * (one - tx) * (one - tz)
    field[i, right] += amount * tx * (one - tz)
    field[below, j] += amount * (one - tx) * tz
    field[below, right] += amount * tx * tz


# --- in the space of waves


@jit
def diffuse_and_project(spectra: Spectra, pressure: Spectra, kx: Floats, kz: Floats, decay: Floats) -> None:
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
def negative_gradient(spectrum: Spectra, kx: Floats, kz: Floats, smooth: Floats, slopes: Spectra) -> None:
    """Spectra of −∂/∂x and −∂/∂z of a field, every wave times `smooth`.

    Args:
        spectrum: of the field, shape (n, n/2 + 1); may be one of `slopes`.
        kx: wave numbers of the columns [rad/m].
        kz: wave numbers of the rows [rad/m].
        smooth: shape (n, n/2 + 1).
        slopes: shape (2, n, n/2 + 1); overwritten.
    """
    n, m = smooth.shape
    for i in range(n):
        for j in range(m):
            value = spectrum[i, j] * smooth[i, j]
            turned = np.complex64(complex(value.imag, -value.real))
            slopes[0, i, j] = kx[j] * turned
            slopes[1, i, j] = kz[i] * turned

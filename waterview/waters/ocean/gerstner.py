"""The simplest ocean: a sum of a few directional waves by Gerstner's formula (1804), each at its own speed.

Every wave moves the points of the surface in circles. A point at rest at (X, Z) is, with θ = k·X − ωt + φ, at

    x = X − c k̂ a sin θ,    y = a cos θ.

With c = 1 a single wave is Gerstner's exact solution for deep water, and its profile is a trochoid. For a sum no crest
loops as long as c·Σ a|k| ≤ 1 (Finch, GPU Gems, 2004, ch. 1): c is limited to that.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .cascades import FIELDS, REACH
from .ocean_surface import SeaSurface
from .spectra import SPECTRA, Sea, looped, peak_frequency, spreading, variance, wave_number

Array = NDArray[np.float64]


class GerstnerWaves(NamedTuple):
    """Directional waves; all arrays have the shape (n,).

    Attributes:
        amplitude: a [m].
        kx, kz: wave vectors [rad/m].
        frequency: ω [rad/s].
        phase: φ at the first point of the grid at time 0 [rad].
    """

    amplitude: Array
    kx: Array
    kz: Array
    frequency: Array
    phase: Array

    @property
    def steepness(self) -> float:
        """Σ a|k|: how steep the waves are where all their crests meet."""
        return float((self.amplitude * np.hypot(self.kx, self.kz)).sum())

    @property
    def middle_length(self) -> float:
        """Length [m] of the wave in the middle, by length; of an even number of waves the longer one."""
        return 2.0 * math.pi / float(np.sort(np.hypot(self.kx, self.kz))[(len(self.kx) - 1) // 2])

    def choppiness(self, wanted: float) -> float:
        """The factor c of the sideways motion: as `wanted`, or less, so that no crest loops."""
        return min(wanted, 1.0 / max(self.steepness, 1e-30))


def gerstner_waves(number: int, spacing: float, sea: Sea, scale: float, seed: int, loop_period: float) -> GerstnerWaves:
    """Waves of equal energy that stand for the spectrum of `sea`.

    Wave i of n has the frequency below which the share (i + ½)/n of the variance m₀ lies, and a = √(2m₀/n). So are
    their directions, which all run with the wind, drawn from the spreading; a single wave runs as the wind blows.

    Args:
        number: n, 1 or more.
        spacing: of the grid [m of the scene]; waves shorter than two points are left out.
        sea: what the wind raises, in metres of sea.
        scale: metres of the scene for one metre of sea.
        seed: of the phases and of which wave has which direction.
        loop_period: after which the sea repeats [s]; 0 for never.
    """
    random, shares = np.random.default_rng(seed), (np.arange(number) + 0.5) / number
    omega = peak_frequency(sea) * np.geomspace(0.3, 30.0, 4001)
    frequency = _quantiles(shares, omega, SPECTRA[sea.spectrum](omega, sea))
    angle, across = np.empty(number), np.linspace(-0.5 * math.pi, 0.5 * math.pi, 721)
    for i, share in enumerate(random.permutation(shares)):
        angle[i] = _quantiles(share, across, spreading(across, np.full_like(across, frequency[i]), sea))
    angle += sea.wind_direction
    k = wave_number(frequency, sea.depth)
    amplitude = math.sqrt(2.0 * variance(sea) / number) * np.exp(-0.5 * (k * sea.smallest) ** 2)
    amplitude[k * spacing > math.pi * scale] = 0.0
    kx, kz = k * np.cos(angle) / scale, k * np.sin(angle) / scale
    phase = random.uniform(0.0, 2.0 * math.pi, number)
    return GerstnerWaves(amplitude * scale, kx, kz, looped(frequency, loop_period), phase)


def _quantiles(shares: Array | float, places: Array, density: Array) -> Array:
    """The places below which `shares` of the integral of `density` lie."""
    pieces = 0.5 * (density[1:] + density[:-1]) * np.diff(places)
    below = np.concatenate(([0.0], np.cumsum(pieces)))
    return np.asarray(np.interp(np.asarray(shares) * below[-1], below, places))


class GerstnerSurface(SeaSurface):
    """The sum of Gerstner waves over a grid, as one patch that is as large as the grid and `REACH` points beyond.

    Args:
        waves: to be summed.
        shape: (nz, nx) of the grid.
        spacing: Δx [m].
    """

    def __init__(self, waves: GerstnerWaves, shape: tuple[int, int], spacing: float) -> None:
        self.waves = waves
        (nz, nx), wide = shape, 2 * REACH
        super().__init__([(nz + wide, FIELDS, nx + wide)], [1])
        # A patch is periodic: its last points are those before the first.
        x, z = (spacing * np.roll(np.arange(-REACH, n + REACH), -REACH) for n in (nx, nz))
        self._along_x = np.exp(1j * np.outer(waves.kx, x))
        along_z = np.exp(1j * np.outer(waves.kz, z))
        self._along_z = np.concatenate((along_z.real, -along_z.imag)).astype(np.float32)

    def evaluate(self, time: float, gain: float = 1.0) -> None:
        """Bring `fields` to `time` [s]; `gain` multiplies every wave."""
        amplitude, kx, kz, frequency, phase = self.waves
        now = gain * amplitude * np.exp(1j * (phase - np.remainder(frequency * time, 2.0 * math.pi)))
        k = np.hypot(kx, kz)
        # In the order of `cascades.HEIGHT` …: h, its slopes and the shift Σ ik̂h̃e^{ik·x}.
        factors = np.stack((np.ones_like(k), 1j * kz, 1j * kx, 1j * kx / k, 1j * kz / k), axis=1)
        waves = (now[:, None, None] * factors[:, :, None] * self._along_x[:, None, :]).reshape(len(k), -1)
        parts = np.concatenate((waves.real, waves.imag)).astype(np.float32)
        # Not by a matrix product: its last bits may depend on the number of threads.
        fields = self.fields[0]
        np.einsum("kz,kf->zf", self._along_z, parts, out=fields.reshape(len(fields), -1), optimize=False)

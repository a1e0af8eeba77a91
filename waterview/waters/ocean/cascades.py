"""Cascades: periodic patches of sea, each with its own range of wavelengths, whose sum covers a grid.

The points of a cascade lie on those of the grid, on every one or on every second or fourth, so that it is laid over the
grid without a search. Rows in between are blended by a cubic B-spline, points within a row by the transform itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import WavePatch

from .spectra import Sea, frequency, looped, variance, variance_density

HEIGHT, SLOPE_Z, SLOPE_X, SHIFT_X, SHIFT_Z = range(5)
"""The fields of a cascade in their order: h, ∂h/∂z, ∂h/∂x and the sideways shift."""

FIELDS = 5

REACH = 2
"""Points that cascades are summed beyond the grid on every side: differences of fourth order need them."""

SHARES = (1.0, 0.625, 0.375)
"""Length of each cascade as a share of the grid's: the first repeats nowhere inside it, and no two repeat together."""

LEAST_POINTS = 32
"""A cascade of fewer points a side holds too few waves to look like a sea."""

LEAST_SHARE = 0.75
"""With less of the variance in waves that do not repeat, the eye finds those that do."""

Floats = NDArray[np.float32]


# --- how waves are divided among cascades


class Cascade(NamedTuple):
    """The size of a cascade and the range of its waves.

    Attributes:
        shape: points along z and x, both even.
        stretch: grid points from one point of the cascade to the next.
        shortest, longest: range of |k| [rad/m]: longest ≤ |k| < shortest.
    """

    shape: tuple[int, int]
    stretch: int
    longest: float
    shortest: float


def divide(shape: tuple[int, int], spacing: float, count: int, sea: Sea, scale: float) -> list[Cascade]:
    """At most `count` cascades for a grid, those with the longest waves first.

    Every cascade but the last has waves of at least four of its points, which can be blended well in between; the last
    one has the rest, down to waves of two points. There are fewer cascades if these would be small, or if the first,
    which alone does not repeat on the grid, would hold less than `LEAST_SHARE` of the sea's variance.

    Args:
        shape: (nz, nx) of the grid.
        spacing: of the grid [m].
        count: 1 to 3.
        sea: in metres of sea.
        scale: metres of the scene for one metre of sea.
    """
    while count > 1 and not _suits(shape, spacing / scale, count, sea):
        count -= 1
    result, longest = [], 0.0
    for number in range(count):
        stretch = 2 ** (count - 1 - number)
        points = [smooth_size(math.ceil(side * SHARES[number] / stretch)) for side in shape]
        shortest = math.inf if stretch == 1 else _split(spacing, stretch)
        result.append(Cascade((points[0], points[1]), stretch, longest, shortest))
        longest = shortest
    return result


def _suits(shape: tuple[int, int], spacing: float, count: int, sea: Sea) -> bool:
    large = min(shape) * SHARES[count - 1] / 2 ** (count - 1) >= LEAST_POINTS
    unrepeated = variance(sea, below=_split(spacing, 2 ** (count - 1)))
    return large and unrepeated >= LEAST_SHARE * variance(sea)


def _split(spacing: float, stretch: int) -> float:
    """Wave number [rad/m] of waves that are four points of a cascade long."""
    return 0.5 * math.pi / (stretch * spacing)


def smooth_size(least: int) -> int:
    """The smallest even number from `least` on with no prime factor above 5: transforms of such lengths are fast."""
    size = max(2, least + least % 2)
    while True:
        rest = size
        for prime in (2, 3, 5):
            while rest % prime == 0:
                rest //= prime
        if rest == 1:
            return size
        size += 2


# --- the waves of a cascade


class Waves(NamedTuple):
    """The waves of one cascade of nz × nx points, nx even: h̃(k, t) = h₀(k)e^{−iωt} + h₀*(−k)e^{+iωt}.

    Attributes:
        terms: p, q, u, v [m] of h̃ = (p cos ωt + q sin ωt) + i(u cos ωt + v sin ωt), shape (4, nz, nx/2 + 1) float32.
        turns: ω/2π [1/s], shape (nz, nx/2 + 1) float64.
        kx: wave numbers of the columns [rad/m], shape (nx/2 + 1,) float32.
        kz: wave numbers of the rows [rad/m], shape (nz,) float32, in the order of numpy.fft.fftfreq.
        stretch: grid points from one point of the cascade to the next.
    """

    terms: Floats
    turns: NDArray[np.float64]
    kx: Floats
    kz: Floats
    stretch: int


def terms_of(forward: NDArray[np.complexfloating], backward: NDArray[np.complexfloating]) -> Floats:
    """`Waves.terms` from h₀(k) and h₀*(−k) [m], shapes (nz, m) complex."""
    p, u = (forward + backward).real, (forward + backward).imag
    q, v = (forward - backward).imag, (backward - forward).real
    return np.stack((p, q, u, v)).astype(np.float32)


def random_waves(
    cascade: Cascade, spacing: float, sea: Sea, scale: float, seed: list[int], loop_period: float
) -> Waves:
    """Random waves of `sea` in a cascade: h₀ = ½(ξ + iξ')√Ψ Δk with normal ξ, ξ' (Tessendorf 2001).

    Tessendorf prints 1/√2 for ½: his Ψ counts a wave and the one in the opposite direction once, ours counts both.

    Args:
        cascade: see `divide`.
        spacing: of the grid [m].
        sea: what the wind raises, in metres of sea.
        scale: metres of the scene for one metre of sea.
        seed: of the random numbers; the same seed gives the same sea.
        loop_period: after which the sea repeats [s]; 0 for never.
    """
    (nz, nx), step = cascade.shape, spacing * cascade.stretch
    kx = np.asarray(2.0 * math.pi * np.fft.rfftfreq(nx, step), np.float64)
    kz = np.asarray(2.0 * math.pi * np.fft.fftfreq(nz, step), np.float64)
    k = np.hypot(kx[None, :], kz[:, None])
    area = (2.0 * math.pi * scale) ** 2 / (nz * nx * step**2)
    included = (k >= cascade.longest) & (k < cascade.shortest)
    included[0, 0] = included[nz // 2, :] = included[:, nx // 2] = False  # a Nyquist wave has no slope: it has no sign
    noise = np.random.default_rng(seed).standard_normal((2, 2, nz, kx.size))
    amplitudes = []
    for sign, (real, imaginary) in zip((1.0, -1.0), noise, strict=True):
        density = variance_density(sign * scale * kx[None, :], sign * scale * kz[:, None], sea)
        size = 0.5 * scale * np.sqrt(np.where(included, density, 0.0) * area)
        amplitudes.append(size / spline_loss(kz, spacing, cascade.stretch)[:, None] * (real + 1j * imaginary))
    forward, backward = amplitudes[0], np.conj(amplitudes[1])
    # Where kx = 0 a wave and the one in the opposite direction are in the same column.
    backward[:, 0] = np.conj(forward[-np.arange(nz), 0])
    turns = looped(frequency(scale * k, sea.depth), loop_period) / (2.0 * math.pi)
    single = [np.asarray(values, np.float32) for values in (kx, kz)]
    return Waves(terms_of(forward, backward), turns, single[0], single[1], cascade.stretch)


FINEST_PATCH = 128
"""Points along a side of a patch that goes on beyond the grid: waves too short for it are left out there."""


def patch_of(waves: Waves) -> WavePatch:
    """The waves of a cascade that `FINEST_PATCH` points along a side can show, unchanged."""
    nz, m = waves.turns.shape
    columns = min(m - 1, FINEST_PATCH // 2)
    half = min(nz, FINEST_PATCH) // 2
    rows = np.r_[:half, nz - half : nz]
    terms = waves.terms[:, rows, : columns + 1].copy()
    if columns < m - 1:
        terms[:, :, columns] = 0.0  # a Nyquist wave has no slope
    if 2 * half < nz:
        terms[:, half, :] = 0.0
    turns = 2.0 * math.pi * waves.turns[rows, : columns + 1]
    return WavePatch(terms, turns, waves.kx[: columns + 1], waves.kz[rows])


def mean_square_slope(waves: Waves) -> float:
    """The mean square of the slopes of a cascade, over all time."""
    energy = 0.5 * np.square(waves.terms, dtype=np.float64).sum(axis=0)
    energy[:, 1:] *= 2.0  # and the waves with −kx
    square = np.square(waves.kx, dtype=np.float64)[None, :] + np.square(waves.kz, dtype=np.float64)[:, None]
    return float((energy * square).sum())


# --- blending between rows


def spline_weights(stretches: Sequence[int]) -> Floats:
    """Cubic B-spline weights of rows −1 … 2 around a row in between, shape (cascades, largest stretch, 4)."""
    weights = np.zeros((len(stretches), max(stretches), 4))
    for number, stretch in enumerate(stretches):
        t = np.arange(stretch) / stretch
        w = ((1 - t) ** 3, 3 * t**3 - 6 * t**2 + 4, -3 * t**3 + 3 * t**2 + 3 * t + 1, t**3)
        weights[number, :stretch] = np.stack(w, axis=-1) / 6.0
    return weights.astype(np.float32)


def spline_loss(kz: NDArray[np.floating], spacing: float, stretch: int) -> NDArray[np.float64]:
    """The factor by which the spline lowers waves along z at the cascade's own points; h₀ is divided by it.

    Args:
        kz: wave numbers [rad/m].
        spacing: of the grid [m].
        stretch: of the cascade; with 1 nothing is blended and nothing lost.
    """
    if stretch == 1:
        return np.ones(kz.shape)
    return np.asarray((2.0 + np.cos(kz * spacing * stretch)) / 3.0, np.float64)

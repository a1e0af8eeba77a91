"""The waves of a sea, dealt out to periodic patches of different lengths that together cover a grid."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from waterview.waters.ocean.kernels.ocean import Waves, spline_loss, terms_of

from .spectra import Sea, frequency, looped, variance, variance_density

SHARES = (1.0, 0.625, 0.375)
"""Length of each patch as a share of the grid's: the first repeats nowhere inside it, and no two repeat together."""

LEAST_POINTS = 32
"""A patch of fewer points a side holds too few waves to look like a sea."""

LEAST_SHARE = 0.75
"""With less of the variance in waves that do not repeat, the eye finds those that do."""


class Cascade(NamedTuple):
    """One patch and the waves that it holds.

    Attributes:
        shape: points along z and x, both even.
        stretch: grid points from one point of the patch to the next.
        shortest, longest: range of |k| [rad/m]: longest ≤ |k| < shortest.
    """

    shape: tuple[int, int]
    stretch: int
    longest: float
    shortest: float


def cascades(shape: tuple[int, int], spacing: float, count: int, sea: Sea, scale: float) -> list[Cascade]:
    """At most `count` patches for a grid of `shape` (nz, nx) and `spacing` [m], those with the longest waves first.

    Every patch but the last takes waves of at least four of its points, which can be blended well in between; the last
    one takes what is left, down to waves of two points. There are fewer patches where these would be small, or where
    the first, which alone does not repeat on the grid, would hold less than `LEAST_SHARE` of the sea's variance.

    Args:
        shape: as said.
        spacing: as said.
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
    held = variance(sea, below=_split(spacing, 2 ** (count - 1)))
    return large and held >= LEAST_SHARE * variance(sea)


def _split(spacing: float, stretch: int) -> float:
    """Wave number [rad/m] of waves that are four points of a patch long."""
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


def sea_waves(cascade: Cascade, spacing: float, sea: Sea, scale: float, seed: list[int], loop_period: float) -> Waves:
    """Random waves of `sea` on a patch: h₀ = ½(ξ + iξ')√Ψ Δk with normal ξ, ξ' (Tessendorf 2001).

    Tessendorf prints 1/√2 for ½: his Ψ counts a wave and the one against it once, ours twice.

    Args:
        cascade: the patch.
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
    held = (k >= cascade.longest) & (k < cascade.shortest)
    held[0, 0] = held[nz // 2, :] = held[:, nx // 2] = False  # a Nyquist wave has no slope: it has no sign
    noise = np.random.default_rng(seed).standard_normal((2, 2, nz, kx.size))
    amplitudes = []
    for sign, (real, imaginary) in zip((1.0, -1.0), noise, strict=True):
        density = variance_density(sign * scale * kx[None, :], sign * scale * kz[:, None], sea)
        size = 0.5 * scale * np.sqrt(np.where(held, density, 0.0) * area)
        amplitudes.append(size / spline_loss(kz, spacing, cascade.stretch)[:, None] * (real + 1j * imaginary))
    forward, backward = amplitudes[0], np.conj(amplitudes[1])
    # Where kx = 0 a wave and the one against it stand in the same column.
    backward[:, 0] = np.conj(forward[-np.arange(nz), 0])
    turns = looped(frequency(scale * k, sea.depth), loop_period) / (2.0 * math.pi)
    single = [np.asarray(values, np.float32) for values in (kx, kz)]
    return Waves(terms_of(forward, backward), turns, single[0], single[1], cascade.stretch)

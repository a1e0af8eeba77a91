"""Spectra of wind waves: how much wave of which length and direction a wind raises. Everything float64 and exact.

A sea is described by Ψ(k) [m⁴], the variance of its height per area of wave-vector space: ∫Ψ dk = m₀, and the
significant height is 4√m₀. Frequencies are angular [rad/s], wave numbers k angular [rad/m].
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from waterview.core.constants import GRAVITY
from waterview.waters.common import spectra as common

Array = NDArray[np.float64]

EQUILIBRIUM = 0.0081
"""Phillips' constant α of the saturated range, where waves break as fast as the wind feeds them."""

GROWN = 17_500.0
"""χ at which JONSWAP's peak reaches that of a fully grown sea, 0.877 g/U (Pierson & Moskowitz 1964): growth ends."""

HEIGHT = 0.0016
"""Significant height in U²/g over √χ, as long as a sea grows (Hasselmann et al. 1973)."""

GROWTHS = ("measured", "constant-peak")
"""How JONSWAP's sea changes while it grows; see `peakedness` and `peak_scale`."""

MIN_WIND = 0.1
"""Below this wind speed [m/s] the water stays flat: surface tension, which is left out here, rules such ripples."""

SPREADINGS = ("hasselmann", "cosine-squared", "uniform")
"""How directions spread about the wind's; see `spreading`."""


@dataclass(frozen=True)
class Sea:
    """What makes a sea.

    Attributes:
        spectrum: a key of `SPECTRA`.
        wind_speed: 10 m above the water [m/s].
        wind_direction: where the wind blows to [rad], from the x axis towards the z axis.
        fetch: how far the wind has blown over water [m]; Phillips' sea is a fully grown one and has none.
        depth: of the water [m].
        swell: 0 to 1, how much the sea has become long-crested waves of one direction (Horvath 2015).
        spreading: one of `SPREADINGS`; Phillips' spectrum brings its own.
        upwind: share of the energy that is left to waves against the wind, 0 to 1.
        smallest: ℓ [m] of the factor e^(−k²ℓ²) that fades waves much shorter than 2πℓ (Tessendorf 2001); 0 keeps all.
        growth: one of `GROWTHS`, for the spectra jonswap and tma.
    """

    spectrum: str = "jonswap"
    wind_speed: float = 10.0
    wind_direction: float = 0.0
    fetch: float = 100_000.0
    depth: float = 200.0
    swell: float = 0.0
    spreading: str = "hasselmann"
    upwind: float = 1.0
    smallest: float = 0.0
    growth: str = "measured"


# --- dispersion


def frequency(k: Array, depth: float) -> Array:
    """ω [rad/s] of waves of wave number k [rad/m] over `depth` [m]: ω² = g k tanh(k d)."""
    return np.asarray(np.sqrt(GRAVITY * k * np.tanh(np.minimum(k * depth, 30.0))))


def group_speed(k: Array, depth: float) -> Array:
    """dω/dk [m/s] = g(tanh kd + kd/cosh² kd)/2ω, for k above 0."""
    kd = np.minimum(k * depth, 30.0)
    return np.asarray(GRAVITY * (np.tanh(kd) + kd / np.cosh(kd) ** 2) / (2.0 * frequency(k, depth)))


def looped(omega: Array, period: float) -> Array:
    """ω rounded to whole multiples of 2π/period, so that the sea repeats after `period` [s]; 0 leaves it as it is."""
    if period == 0.0:
        return omega
    base = 2.0 * math.pi / max(period, 1e-300)  # finite
    return np.asarray(np.rint(omega / base) * base)


def wave_number(omega: Array, depth: float) -> Array:
    """Wave number k [rad/m] at frequency ω [rad/s], above 0, over `depth` [m]: Newton from Eckart's estimate."""
    deep = omega**2 / GRAVITY
    k = deep / np.sqrt(np.tanh(np.minimum(deep * depth, 30.0)))
    for _ in range(6):
        k = k + (omega - frequency(k, depth)) / group_speed(k, depth)
    return np.asarray(k)


# --- one-dimensional spectra S(ω) [m² s]


def growth(sea: Sea) -> float:
    """χ = gF/U², the fetch in the wind's own measure; no more than what a sea needs to grow up."""
    wind = max(sea.wind_speed, MIN_WIND)
    return min(GRAVITY * sea.fetch / wind**2, GROWN)


def peak_frequency(sea: Sea) -> float:
    """ω_p [rad/s], where S is largest: 2π·3.5(g/U)χ^−0.33 (Hasselmann et al. 1973), for Phillips' sea (g/U)·0.8^¼."""
    scale = GRAVITY / max(sea.wind_speed, MIN_WIND)
    return scale * (0.8**0.25 if sea.spectrum == "phillips" else 2.0 * math.pi * 3.5 * math.pow(growth(sea), -0.33))


def peakedness(sea: Sea) -> float:
    """JONSWAP's γ: the peak's frequency over a grown sea's, at most 3.3: it falls to 1 as the sea grows up.

    With growth "constant-peak" 3.3, the mean of seas that were still growing, at any fetch.
    """
    if sea.growth == "constant-peak":
        return common.PEAKEDNESS
    return min(common.PEAKEDNESS, math.pow(GROWN / growth(sea), 0.33))


def peak_scale(sea: Sea) -> float:
    """JONSWAP's α: what makes the significant height `HEIGHT`·√χ U²/g; it falls to `EQUILIBRIUM` as the sea grows up.

    S without γ has the integral αg²/(5ω_p⁴); γ raises it by 1/(1 − 0.287 ln γ) (DNV-RP-C205), to 0.3 %.
    With growth "constant-peak" 0.076 χ^−0.22 (Hasselmann et al. 1973), with which a grown sea is 28 % too high.
    """
    if sea.growth == "constant-peak":
        return 0.076 * math.pow(growth(sea), -0.22)
    variance_in_winds = (HEIGHT / 4.0) ** 2 * growth(sea)
    peak_in_winds = peak_frequency(sea) * max(sea.wind_speed, MIN_WIND) / GRAVITY
    return 5.0 * variance_in_winds * peak_in_winds**4 * (1.0 - 0.287 * math.log(peakedness(sea)))


def jonswap(omega: Array, sea: Sea) -> Array:
    """JONSWAP's spectrum (Hasselmann et al. 1973), which becomes Pierson and Moskowitz's (1964) as the sea grows up."""
    return common.jonswap(omega, peak_frequency(sea), peak_scale(sea) * GRAVITY**2, peakedness(sea))


def tma(omega: Array, sea: Sea) -> Array:
    """JONSWAP's spectrum in water of finite depth (Kitaigorodskii's factor; Bouws et al. 1985)."""
    return np.asarray(jonswap(omega, sea) * common.depth_factor(omega, sea.depth, GRAVITY))


def phillips(omega: Array, sea: Sea) -> Array:
    """αg²ω⁻⁵ exp(−(g/(Uω))⁴): Tessendorf's k⁻⁴ exp(−1/(kL)²), L = U²/g, as a spectrum over ω of deep water."""
    longest = (GRAVITY / (max(sea.wind_speed, MIN_WIND) * omega)) ** 4
    return np.asarray(EQUILIBRIUM * GRAVITY**2 * omega**-5.0 * np.exp(-longest))


SPECTRA: dict[str, Callable[[Array, Sea], Array]] = {"jonswap": jonswap, "tma": tma, "phillips": phillips}
"""Frequency spectra S(ω) by name; each takes ω [rad/s], above 0, and a `Sea`."""


# --- directions


def spreading(angle: Array, omega: Array, sea: Sea) -> Array:
    """D(θ, ω) [1/rad], the share of a frequency's energy per angle θ [rad] from the wind; ∫D dθ = 1 where upwind is 1.

    "hasselmann": cos^{2s}(θ/2) with s from `sharpness`, narrow at the peak and wide beside it. "cosine-squared":
    cos²θ, in both directions of the wind alike, as Phillips' spectrum has. "uniform": every direction alike.
    Swell narrows the first one only.
    """
    kind = "cosine-squared" if sea.spectrum == "phillips" else sea.spreading
    along = np.cos(angle)
    if kind == "uniform":
        share = np.full(np.broadcast_shapes(angle.shape, omega.shape), 0.5 / math.pi)
    elif kind == "cosine-squared":
        share = along**2 / math.pi
    else:
        s = sharpness(omega, sea)
        # cos^{2s}(θ/2) = ((1 + cos θ)/2)^s has no trouble with signs.
        share = _normalisation(s) * (0.5 * np.maximum(1.0 + along, 0.0)) ** s
    return np.asarray(np.where(along < 0.0, sea.upwind * share, share))


def sharpness(omega: Array, sea: Sea) -> Array:
    """The s of cos^{2s}(θ/2): Hasselmann, Dunckel & Ewing (1980), and 16·tanh(ω_p/ω)·swell² more (Horvath 2015)."""
    peak = peak_frequency(sea)
    ratio = omega / peak
    falling = -2.33 - 1.45 * (sea.wind_speed * peak / GRAVITY - 1.17)
    wind_sea = np.where(ratio <= 1.0, 6.97 * np.minimum(ratio, 1.0) ** 4.06, 9.77 * np.maximum(ratio, 1.0) ** falling)
    return np.asarray(wind_sea + 16.0 * np.tanh(1.0 / ratio) * sea.swell**2)


def _normalisation(s: Array) -> Array:
    """Q with Q∫cos^{2s}(θ/2)dθ = 1: Γ(s + 1)/(2√π Γ(s + ½)), which NumPy has no function for.

    Eight steps of Γ(x + 1) = xΓ(x) lead to where the asymptotic series of the quotient is exact to ten digits.
    """
    quotient, at = np.ones_like(s), s.copy()
    for _ in range(8):
        quotient *= (at + 0.5) / (at + 1.0)
        at += 1.0
    quotient *= np.sqrt(at) * (1.0 + 1.0 / (8.0 * at) * (1.0 + 1.0 / (16.0 * at) * (1.0 - 5.0 / (8.0 * at))))
    return np.asarray(quotient / (2.0 * math.sqrt(math.pi)))


# --- the whole spectrum


def variance_density(kx: Array, kz: Array, sea: Sea) -> Array:
    """Ψ(k) [m⁴] = S(ω)·D(θ, ω)·(dω/dk)/k at the wave vectors (kx, kz) [rad/m], which broadcast; 0 at k = 0."""
    k = np.hypot(kx, kz)
    if sea.wind_speed < MIN_WIND:
        return np.zeros_like(k)
    still = k == 0.0
    k = np.where(still, 1.0, k)
    omega = frequency(k, sea.depth)
    angle = np.arctan2(kz, kx) - sea.wind_direction
    # At the longest waves ω⁻⁵ overflows where the exponential beside it vanishes: 0 is meant.
    with np.errstate(all="ignore"):
        energy = np.nan_to_num(SPECTRA[sea.spectrum](omega, sea), nan=0.0, posinf=0.0)
        density = energy * spreading(angle, omega, sea) * group_speed(k, sea.depth) / k
    density *= np.exp(-((k * sea.smallest) ** 2))
    return np.asarray(np.where(still, 0.0, density))


def variance(sea: Sea, below: float = math.inf) -> float:
    """m₀ [m²], the integral of the frequency spectrum, or the part of waves with k less than `below` [rad/m].

    Without `upwind` and `smallest`, which take a little away.
    """
    if sea.wind_speed < MIN_WIND:
        return 0.0
    peak = peak_frequency(sea)
    last = 100.0 * peak
    if math.isfinite(below):
        last = min(last, float(frequency(np.asarray(below), sea.depth)))
    omega = np.geomspace(min(0.1 * peak, 0.5 * last), last, 5001)
    with np.errstate(over="ignore", under="ignore"):
        return float(np.trapezoid(SPECTRA[sea.spectrum](omega, sea), omega))


def significant_height(sea: Sea) -> float:
    """4√m₀ [m]: about the mean height of the highest third of the waves."""
    return 4.0 * math.sqrt(variance(sea))


def slope_variance(wind_speed: float) -> float:
    """Mean square of all slopes of a sea under wind [m/s], down to its finest ripples (Cox & Munk 1954)."""
    return 0.0 if wind_speed < MIN_WIND else 0.003 + 5.12e-3 * wind_speed


def peak_length(sea: Sea) -> float:
    """Length [m] of the waves at the peak, over the sea's depth."""
    return 2.0 * math.pi / float(wave_number(np.asarray(peak_frequency(sea)), sea.depth))

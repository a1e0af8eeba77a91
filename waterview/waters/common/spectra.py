"""Formulas of wave spectra that families share: what a spectrum looks like over its frequencies. All float64.

Frequencies are angular [rad/s].
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

PEAKEDNESS = 3.3
"""JONSWAP's mean γ: how far a young sea's peak stands above a grown one's (Hasselmann et al. 1973)."""


def jonswap(omega: Array, peak: float, scale: float, peakedness: float = PEAKEDNESS) -> Array:
    """S = scale·ω⁻⁵ exp(−1.25(ω_p/ω)⁴) γ^r, r = exp(−(ω − ω_p)²/(2σ²ω_p²)) (Hasselmann et al. 1973).

    Args:
        omega: above 0.
        peak: ω_p, where S is largest.
        scale: αg² for a sea that a wind has raised [m² s⁻⁴].
        peakedness: γ; 1 for a fully grown sea (Pierson & Moskowitz 1964).
    """
    sigma = np.where(omega <= peak, 0.07, 0.09)
    ridge = np.exp(-0.5 * ((omega - peak) / (sigma * peak)) ** 2)
    return np.asarray(scale * omega**-5.0 * np.exp(-1.25 * (peak / omega) ** 4) * peakedness**ridge)


def depth_factor(omega: Array, depth: float, gravity: float) -> Array:
    """What makes JONSWAP's spectrum that of water of finite depth, TMA (Kitaigorodskii; Bouws et al. 1985)."""
    reduced = np.minimum(omega * math.sqrt(depth / gravity), 2.0)
    return np.asarray(np.where(reduced <= 1.0, 0.5 * reduced**2, 1.0 - 0.5 * (2.0 - reduced) ** 2))

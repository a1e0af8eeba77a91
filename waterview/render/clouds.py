"""One layer of clouds at a height above the sea, which drifts with the wind."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from waterview.render.atmosphere import AIR_SCALE, RAYLEIGH

Array = NDArray[np.float64]

HEIGHT = 1200.0
"""Of the layer above the water [m]."""
TILE = 12_000.0
"""Length after which the clouds repeat [m]."""
SIDES = 0.3
"""Share of the sunlight that falls on the sides of clouds, which a flat layer does not have."""
DIFFUSION = 0.11 / (1.0 + 0.75 * RAYLEIGH * math.exp(-1e-3 * HEIGHT / AIR_SCALE))
"""Of the light on a layer of optical depth τ a share 1 / (1 + DIFFUSION τ) comes through in the end (Schuster's two
streams), shape (3,): ¾ (1 − g) with g = 0.85, the asymmetry of scattering in clouds, over 1 + ¾ τ of the air above.
Some of what clouds send up that air sends down again, most of the blue: overcast skies are no redder than sunlight."""
_WIND = 12.0
SIZE = 1024
"""Texels along a side of a tile."""
_FIELDS = ((1.0, 2.5, 2.1), (-0.5, 8.0, 1.8), (-0.16, 28.0, 1.6))
"""Of the noise that clouds are made of, its weight, lowest frequency and how fast its power falls; where the weight is
negative, heaps are made of it (minus its absolute value)."""


@cache
def _ranks() -> Array:
    """Where clouds form first, 0 to 1, every value as frequent as any other; seamless, shape (1024, 1024)."""
    random = np.random.default_rng(3)
    k = np.hypot(np.fft.fftfreq(SIZE, 1.0 / SIZE)[:, None], np.fft.rfftfreq(SIZE, 1.0 / SIZE)[None, :])
    total = np.zeros((SIZE, SIZE))
    for weight, lowest, steepness in _FIELDS:
        amplitude = np.where((k > lowest) & (k < SIZE / 4), np.maximum(k, 1.0) ** -steepness, 0.0)
        field = np.fft.irfft2(amplitude * np.exp(2j * np.pi * random.random(k.shape)), (SIZE, SIZE))
        field /= field.std()
        total += weight * (np.abs(field) if weight < 0.0 else field)
    ranks = np.empty(total.size)
    ranks[np.argsort(total, axis=None)] = np.linspace(0.0, 1.0, total.size)
    return ranks.reshape(total.shape)


@dataclass(frozen=True)
class Clouds:
    """The layer over one scene.

    Attributes:
        cover: share of the sky that it hides overhead, 0 to 1; at 1 it has no gaps.
        metre: metres of the scene that stand for one of the sea.
        wind: direction that it drifts to, from the x axis towards the z axis [rad].
        lit_every: time for which it drifts as it is before it is lit again [s].
    """

    cover: float
    metre: float = 1.0
    wind: float = 0.5
    lit_every: float = 1.0

    @property
    def height(self) -> float:
        """Above the water, in metres of the scene."""
        return HEIGHT * self.metre

    @cached_property
    def depths(self) -> Array:
        """Vertical optical depth of the layer's tile, shape (1024, 1024), rows along z."""
        over = np.clip((_ranks() - 1.0 + self.cover + 0.4 * self.cover**6) / 0.5, 0.0, 1.0)
        heaped = 1.0 - self.cover**3 * (0.75 - 1.55 * np.square(_ranks()))  # also where there are no gaps
        return np.asarray((7.0 + 33.0 * self.cover**2) * over * over * (3.0 - 2.0 * over) * heaped)

    @cached_property
    def passes(self) -> float:
        """Share of the sunlight that it lets pass straight on, in the mean."""
        return float(np.exp(-self.depths).mean())

    @cached_property
    def diffuses(self) -> Array:
        """Share of the light that falls on it which leaves it downwards, scattered, in the mean, shape (3,)."""
        scattered = 1.0 - np.exp(-self.depths)
        return np.array([(scattered / (1.0 + diffusion * self.depths)).mean() for diffusion in DIFFUSION])

    @property
    def whole(self) -> float:
        """How far it is one layer without gaps, and no longer single clouds, 0 to 1."""
        return max(2.0 * self.cover - 1.0, 0.0)

    @property
    def sides(self) -> float:
        """Share of the sunlight that falls on the sides of single clouds."""
        return SIDES * (1.0 - self.whole)

    def evenness(self, sine: Array) -> Array:
        """Radiance from below over irradiance / π, relative to single clouds, at sines of the height above the horizon.

        A whole layer is three times as bright overhead as at the horizon (Moon and Spencer 1942).
        """
        return np.asarray(1.0 + self.whole * (3.0 / 7.0 * (1.0 + 2.0 * sine) - 1.0))

    def radiance(self, sunlight: Array, towards_sun: Array, sky: Array) -> Array:
        """Mean radiance of the layer from below, where it hides all of the sky, times `diffuses`, shape (3,).

        Args:
            sunlight: irradiance at its height on a surface that faces the sun, shape (3,).
            towards_sun: unit vector, shape (3,).
            sky: irradiance over π of the clear sky on it, shape (3,).
        """
        facing = self.sides + (1.0 - self.sides) * float(towards_sun[1])
        return np.asarray(self.diffuses * (sunlight * facing / math.pi + sky))

    def drift(self, seconds: float) -> Array:
        """How far it has drifted along x and z, in units of its height, shape (2,)."""
        way = _WIND / HEIGHT * seconds / math.sqrt(self.metre)
        return way * np.array((math.cos(self.wind), math.sin(self.wind)))

    def lit_at(self, seconds: float) -> float:
        """When the clouds that are seen at a time were lit [s]."""
        return self.lit_every * math.floor(seconds / self.lit_every)

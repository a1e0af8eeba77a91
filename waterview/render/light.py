"""Sun, air and water as the shaders are given them: colours in linear light."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .bounds import Bounds
from .settings import ViewParams

Colour = NDArray[np.float64]

RAYLEIGH = np.array([0.042, 0.098, 0.238])
"""Vertical optical depth of clear air for red, green and blue light (textbook values at 650, 550 and 445 nm)."""
HAZE = np.array([0.042, 0.045, 0.048])
"""Vertical optical depth of haze."""
SUN_POWER = 18.0
"""Irradiance of the sun above the air, in the picture's own unit: white ground in full sun then lies near 4."""
CLARITY = 0.9
"""Length over which green light in water falls to 1/e, as a share of the mean depth (see `Light.absorption`)."""
_ABSORPTION = np.array([4.0, 1.0, 0.48])
"""Absorption of red, green and blue relative to green: sea water (Pope & Fry 1997), red tamed so that shallows stay
warm."""
_SCATTER = np.array([0.010, 0.085, 0.140])
"""Share of the light that deep water sends back: what is left of it after the red is gone."""


@dataclass(frozen=True, eq=False)
class Light:
    """The light of one scene.

    Attributes:
        towards_sun: unit vector, shape (3,).
        sun: irradiance of the sun at the ground, facing it, shape (3,).
        sun_mass: air that sunlight passes on its way, in vertical atmospheres.
        absorption: of light in water [1/m], shape (3,). It follows the scene: green light falls to 1/e over `CLARITY`
            times the mean depth, so that a pool, a model of a coast and a real coast all show their ground in the
            shallows and their depth in the deep; the user's `clarity` multiplies that length.
        scatter: share of light that deep water sends back, shape (3,).
    """

    towards_sun: Colour
    sun: Colour
    sun_mass: float
    absorption: Colour
    scatter: Colour

    @classmethod
    def of(cls, settings: ViewParams, bounds: Bounds) -> Light:
        """The light that the settings ask for in a scene of these bounds."""
        towards_sun = settings.towards_sun
        mass = air_mass(float(towards_sun[1]))
        sun = SUN_POWER * np.exp(-(RAYLEIGH + HAZE) * mass)
        absorption = _ABSORPTION / (CLARITY * settings.clarity * bounds.depth)
        return cls(towards_sun, sun, mass, absorption, _SCATTER)


def air_mass(sine: float) -> float:
    """Air on the way to a direction whose elevation has this sine, in vertical atmospheres; finite at the horizon.

    The same curve as in include/sky.glsl, so that sun and sky belong together.
    """
    return 1.0 / (max(sine, 0.0) + 0.06)

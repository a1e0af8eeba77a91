"""Sun, air and water as numbers for the shaders; colours are in linear light."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from waterview.render.camera.bounds import Bounds
from waterview.render.settings import ViewParams

from .water_types import water_type

Colour = NDArray[np.float64]

RAYLEIGH = np.array([0.042, 0.098, 0.238])
"""Vertical optical depth of clear air for red, green and blue light (textbook values at 650, 550 and 445 nm)."""
HAZE = np.array([0.021, 0.0225, 0.024])
"""Vertical optical depth of haze at a turbidity of 1."""
OVERCAST = np.array([0.036, 0.040, 0.044])
"""Radiance of an overcast sky at the horizon under a high sun, as a share of the sun's irradiance above the air."""
SUN_POWER = 18.0
"""Irradiance of the sun above the air, in the picture's own unit, in which white ground in full sun is near 4."""
INDEX = 1.333
"""Refractive index of water."""
_GROUND_ALBEDO = 0.18
_DIRECTIONS = 24


@dataclass(frozen=True, eq=False)
class Light:
    """The light of one scene.

    Attributes:
        towards_sun: unit vector, shape (3,).
        sun: irradiance of the sun at the ground on a surface that faces it, shape (3,).
        air_mass: air on the way of sunlight, in vertical atmospheres.
        haze: vertical optical depth of haze, shape (3,).
        sky: light of sky and surroundings on a surface with the unit normal n, irradiance over π:
            sky[0] + n·sky[1:], shape (4, 3).
        refracted_sun: unit vector of sunlight in still water, pointing down, shape (3,).
        sun_transmittance: share of sunlight that enters still water.
        absorption: of light in water [1/m], shape (3,). In models it scales with the scene: green light falls to 1/e
            over a multiple of the mean depth (`water_types.py`), so that a pool and a model of a coast show their
            ground in the shallows. In the sea there is a length that it does not exceed. The user's `clarity`
            multiplies it.
        backscatter: share of light that deep water sends back, shape (3,).
        drawn_foam_life: time in which foam that the renderer makes fades to a third [s].
    """

    towards_sun: Colour
    sun: Colour
    air_mass: float
    haze: Colour
    sky: Colour
    refracted_sun: Colour
    sun_transmittance: float
    absorption: Colour
    backscatter: Colour
    drawn_foam_life: float

    @classmethod
    def of(cls, settings: ViewParams, bounds: Bounds, *, pool: bool = False, metre: float = 1.0) -> Light:
        """The light that the settings ask for in a scene with these bounds.

        Args:
            settings: what the user wants.
            bounds: the scene's.
            pool: whether it is a pool.
            metre: metres of the scene that stand for one of the sea.
        """
        towards_sun = settings.towards_sun
        mass = air_mass(float(towards_sun[1]))
        haze = haze_depth(settings.turbidity)
        sun = SUN_POWER * np.exp(-(RAYLEIGH + haze) * mass)
        water = water_type(settings.water, pool=pool)
        life = water.drawn_foam_life
        absorption = np.array(water.attenuation(bounds.depth, metre)) / settings.clarity
        refracted, transmittance = refracted_sun(towards_sun)
        sky = sky_light(towards_sun, mass, haze, sun)
        return cls(
            towards_sun, sun, mass, haze, sky, refracted, transmittance, absorption, np.array(water.backscatter), life
        )


def haze_depth(turbidity: float) -> Colour:
    """Vertical optical depth of haze, shape (3,): proportional to turbidity on clear days, 3 at a turbidity of 20.

    Preetham et al. (1999) have 1.9 there; their clear days are too hazy for a scene seen from nearby.
    """
    return np.asarray(HAZE * turbidity * (1.0 + ((turbidity - 1.0) / 8.0) ** 2))


def air_mass(sine: float) -> float:
    """Air along a direction whose elevation has this sine, in vertical atmospheres; finite at the horizon.

    It is the curve of include/sky.glsl, so that sun and sky agree.
    """
    return 1.0 / (max(sine, 0.0) + 0.06)


def refracted_sun(towards_sun: Colour) -> tuple[Colour, float]:
    """Direction of sunlight in still water (unit, downwards, shape (3,)), and the share that enters (Fresnel)."""
    cosine = float(towards_sun[1])
    refracted = -towards_sun / INDEX
    below = float(np.sqrt(1.0 - (1.0 - cosine**2) / INDEX**2))
    refracted[1] = -below
    across = ((cosine - INDEX * below) / (cosine + INDEX * below)) ** 2
    along = ((below - INDEX * cosine) / (below + INDEX * cosine)) ** 2
    return refracted, 1.0 - 0.5 * (across + along)


def sky_radiance(directions: Colour, towards_sun: Colour, mass: float, haze: Colour) -> Colour:
    """Radiance of the sky in unit directions of shape (n, 3), shape (n, 3); the same as `sky_radiance` in sky.glsl."""
    mu = (directions @ towards_sun)[:, None]
    air = 1.0 / (np.maximum(directions[:, 1:2], 0.0) + 0.06)
    g = 0.78
    haze_phase = (1.0 - g * g) / (4.0 * np.pi * (1.0 + g * g - 2.0 * g * mu) ** 1.5)
    air_phase = 3.0 / (16.0 * np.pi) * (1.0 + mu * mu)
    both = RAYLEIGH + haze
    once = (RAYLEIGH * air_phase + haze * haze_phase) / both
    often = 0.055 * (0.35 + 0.65 * RAYLEIGH / (RAYLEIGH + 0.5 * haze))
    light = SUN_POWER * np.exp(-both * min(mass, 14.0) * 0.55)
    thick = 1.0 - np.exp(-0.6 * haze * haze)
    upward = 1.0 + 2.0 * np.maximum(directions[:, 1:2], 0.0)
    overcast = OVERCAST * SUN_POWER * (0.3 + 0.7 * float(towards_sun[1])) * upward * thick
    return np.asarray(light * (once + often) * (1.0 - np.exp(-both * air)) + overcast)


def sky_light(towards_sun: Colour, mass: float, haze: Colour, sun: Colour) -> Colour:
    """Irradiance over π from sky above and sunlit ground below, to first order in the normal, shape (4, 3).

    With m the mean radiance over the sphere and v the mean of radiance times direction, spherical harmonics up to the
    first give E(n)/π = m + 2 n·v (Ramamoorthi & Hanrahan 2001).
    """
    sines = (np.arange(_DIRECTIONS) + 0.5) / _DIRECTIONS
    angles = 2.0 * np.pi * (np.arange(2 * _DIRECTIONS) + 0.5) / (2 * _DIRECTIONS)
    sine, angle = (part.ravel() for part in np.meshgrid(sines, angles))
    flat = np.sqrt(1.0 - sine**2)
    directions = np.stack((flat * np.sin(angle), sine, flat * np.cos(angle)), axis=1)
    above = sky_radiance(directions, towards_sun, mass, haze)
    below = _GROUND_ALBEDO / np.pi * sun * float(towards_sun[1])
    mean = 0.5 * (above.mean(axis=0) + below)
    vector = 0.5 * (directions[:, :, None] * above[:, None, :]).mean(axis=0)
    vector[1] -= 0.25 * below
    return np.concatenate((mean[None], 2.0 * vector))

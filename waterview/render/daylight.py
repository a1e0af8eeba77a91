"""Sun, air and water as numbers for the shaders; colours are in linear light."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from waterview.render.camera.bounds import Bounds
from waterview.render.settings import ViewParams

from .atmosphere import AIR_SCALE, HAZE_SCALE, RAYLEIGH, Sky
from .clouds import HEIGHT, Clouds
from .water_types import water_type

Colour = NDArray[np.float64]

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
        clear_sky: the sky without clouds.
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
        clouds: the layer of clouds, or None under a clear sky.
        air: extinction by air and by haze at the water [1/m], shape (2, 3).
        air_scales: heights in which they thin out to 1/e [m], shape (2,).
    """

    towards_sun: Colour
    sun: Colour
    clear_sky: Sky
    haze: Colour
    sky: Colour
    refracted_sun: Colour
    sun_transmittance: float
    absorption: Colour
    backscatter: Colour
    drawn_foam_life: float
    clouds: Clouds | None
    air: Colour
    air_scales: Colour

    @classmethod
    def of(
        cls,
        settings: ViewParams,
        bounds: Bounds,
        *,
        pool: bool = False,
        metre: float = 1.0,
        wind: float = 0.5,
        lit_every: float = 1.0,
    ) -> Light:
        """The light that the settings ask for in a scene with these bounds.

        Args:
            settings: what the user wants.
            bounds: the scene's.
            pool: whether it is a pool.
            metre: metres of the scene that stand for one of the sea.
            wind: direction that clouds drift to, from the x axis towards the z axis [rad].
            lit_every: as `Clouds.lit_every`.
        """
        towards_sun = settings.towards_sun
        haze = haze_depth(settings.turbidity)
        clear_sky = Sky(towards_sun, haze)
        sun = SUN_POWER * clear_sky.sun
        water = water_type(settings.water, pool=pool)
        clouds = Clouds(settings.clouds, metre, wind, lit_every) if settings.clouds > 0.0 else None
        sky = sky_light(clear_sky, towards_sun, haze, sun, clouds)
        scales = 1e3 * metre * np.array((AIR_SCALE, HAZE_SCALE))
        return cls(
            towards_sun,
            sun,
            clear_sky,
            haze,
            sky,
            *refracted_sun(towards_sun),
            np.array(water.attenuation(bounds.depth, metre)) / settings.clarity,
            np.array(water.backscatter),
            water.drawn_foam_life,
            clouds,
            settings.air * np.stack((RAYLEIGH, haze)) / scales[:, None],
            scales,
        )

    def air_dimming(self, height: float) -> Colour:
        """Mean extinction of the air between an eye at a height above the water [m] and the water [1/m], shape (3,)."""
        up = np.maximum(height / self.air_scales, 1e-9)
        return np.asarray((-np.expm1(-up) / up) @ self.air)


def haze_depth(turbidity: float) -> Colour:
    """Vertical optical depth of haze, shape (3,): proportional to turbidity on clear days, 3 at a turbidity of 20.

    Preetham et al. (1999) have 1.9 there; their clear days are too hazy for a scene seen from nearby.
    """
    return np.asarray(HAZE * turbidity * (1.0 + ((turbidity - 1.0) / 8.0) ** 2))


def refracted_sun(towards_sun: Colour) -> tuple[Colour, float]:
    """Direction of sunlight in still water (unit, downwards, shape (3,)), and the share that enters (Fresnel)."""
    cosine = float(towards_sun[1])
    refracted = -towards_sun / INDEX
    below = float(np.sqrt(1.0 - (1.0 - cosine**2) / INDEX**2))
    refracted[1] = -below
    across = ((cosine - INDEX * below) / (cosine + INDEX * below)) ** 2
    along = ((below - INDEX * cosine) / (below + INDEX * cosine)) ** 2
    return refracted, 1.0 - 0.5 * (across + along)


def sky_radiance(clear_sky: Sky, directions: Colour, towards_sun: Colour, haze: Colour) -> Colour:
    """Radiance of the sky in unit directions of shape (n, 3), without the sun's disk, shape (n, 3).

    In thick haze the brightness of an overcast sky is added (CIE; Moon and Spencer 1942).
    """
    thick = 1.0 - np.exp(-0.6 * haze * haze)
    upward = 1.0 + 2.0 * np.maximum(directions[:, 1:2], 0.0)
    overcast = OVERCAST * (0.3 + 0.7 * float(towards_sun[1])) * upward * thick
    return np.asarray(SUN_POWER * (clear_sky.radiance(directions) + overcast))


def sky_map(light: Light, size: int) -> NDArray[np.float16]:
    """Radiance of the upper half of the sky as an octahedral map (`sky_uv` in sky.glsl), shape (size, size, 4)."""
    q = (np.arange(size) + 0.5) / size * 2.0 - 1.0
    x, z = 0.5 * (q[None, :] + q[:, None]), 0.5 * (q[None, :] - q[:, None])
    directions = np.stack((x, 1.0 - np.abs(x) - np.abs(z), z), axis=-1).reshape(-1, 3)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    radiance = sky_radiance(light.clear_sky, directions, light.towards_sun, light.haze)
    return np.pad(radiance, ((0, 0), (0, 1)), constant_values=1.0).reshape(size, size, 4).astype(np.float16)


def sky_light(clear_sky: Sky, towards_sun: Colour, haze: Colour, sun: Colour, clouds: Clouds | None = None) -> Colour:
    """Irradiance over π from sky above and sunlit ground below, to first order in the normal, shape (4, 3).

    With m the mean radiance over the sphere and v the mean of radiance times direction, spherical harmonics up to the
    first give E(n)/π = m + 2 n·v (Ramamoorthi & Hanrahan 2001).
    """
    sines = (np.arange(_DIRECTIONS) + 0.5) / _DIRECTIONS
    angles = 2.0 * np.pi * (np.arange(2 * _DIRECTIONS) + 0.5) / (2 * _DIRECTIONS)
    sine, angle = (part.ravel() for part in np.meshgrid(sines, angles))
    flat = np.sqrt(1.0 - sine**2)
    directions = np.stack((flat * np.sin(angle), sine, flat * np.cos(angle)), axis=1)
    above = sky_radiance(clear_sky, directions, towards_sun, haze)
    if clouds is not None:
        aloft = SUN_POWER * clear_sky.sunlight(1e-3 * HEIGHT)
        over = (2.0 * sine[:, None] * above).mean(axis=0)
        above = above * clouds.passes + clouds.evenness(sine)[:, None] * clouds.radiance(aloft, towards_sun, over)
        sun = sun * clouds.passes
    below = _GROUND_ALBEDO / np.pi * sun * float(towards_sun[1])
    mean = 0.5 * (above.mean(axis=0) + below)
    vector = 0.5 * (directions[:, :, None] * above[:, None, :]).mean(axis=0)
    vector[1] -= 0.25 * below
    return np.concatenate((mean[None], 2.0 * vector))

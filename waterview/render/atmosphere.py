"""Light in the air: the sun as it is seen from the ground, and the sky with multiple scattering and ozone.

The air is that of Hillaire (2020): spherical shells of air, haze and ozone around the earth. Sunlight that is scattered
once is integrated along each ray; what is scattered more often is taken to come evenly from all directions, as much as
an infinite series of equal bounces. Lengths are in kilometres here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

RAYLEIGH = np.array([0.042, 0.098, 0.238])
"""Vertical optical depth of clear air for red, green and blue light (textbook values at 650, 550 and 445 nm)."""
OZONE = np.array([0.0098, 0.0282, 0.0013])
"""Vertical optical depth of ozone, which absorbs (Hillaire 2020): it keeps the zenith blue when the sun is low."""
AIR_SCALE, HAZE_SCALE = 8.0, 1.2
"""Heights in which air and haze thin out to 1/e [km]."""
HAZE_ASYMMETRY = 0.78
"""Of Henyey and Greenstein's phase function for haze."""
_HAZE_SCATTERS = 0.95
"""Share of the light that haze takes from a ray which it does not absorb."""
_EARTH, _TOP, _EYE = 6360.0, 60.0, 0.02
"""Radius of the earth, height of the air above it, and height of the eye [km]."""
_OZONE_MIDDLE, _OZONE_REACH = 25.0, 15.0
_GROUND_ALBEDO = 0.15
_HEIGHTS, _COSINES, _STEPS = 32, 129, 32
_ELEVATIONS, _AZIMUTHS = 40, 17


def _looked_up(table: Array, height: Array, cosine: Array) -> Array:
    """A table over even steps of the root of height and of the signed root of cosine, shape (m, n, k), interpolated.

    `height` [km] and `cosine`, of a zenith angle, have shape (...); returns shape (..., k).
    """
    across = np.sqrt(np.clip(height / _TOP, 0.0, 1.0)) * (table.shape[0] - 1)
    along = (0.5 + 0.5 * np.sign(cosine) * np.sqrt(np.abs(cosine))) * (table.shape[1] - 1)
    return _between(table, across, along)


def _between(table: Array, across: Array, along: Array) -> Array:
    """Bilinear interpolation in a table of shape (m, n, k) at indices of shape (...): shape (..., k)."""
    row = np.clip(across.astype(int), 0, table.shape[0] - 2)
    column = np.clip(along.astype(int), 0, table.shape[1] - 2)
    down, right = (across - row)[..., None], (along - column)[..., None]
    upper = (1.0 - right) * table[row, column] + right * table[row, column + 1]
    lower = (1.0 - right) * table[row + 1, column] + right * table[row + 1, column + 1]
    return np.asarray((1.0 - down) * upper + down * lower)


def _density(height: Array) -> Array:
    """Air, haze and ozone at heights [km], each so that a vertical column of it is 1, shape (..., 3) [1/km]."""
    high = np.maximum(height, 0.0)
    ozone = np.maximum(1.0 - np.abs(high - _OZONE_MIDDLE) / _OZONE_REACH, 0.0) / _OZONE_REACH
    return np.stack((np.exp(-high / AIR_SCALE) / AIR_SCALE, np.exp(-high / HAZE_SCALE) / HAZE_SCALE, ozone), axis=-1)


def _way_out(radius: Array, cosine: Array) -> Array:
    """Length of a ray from a radius to the top of the air [km]."""
    return np.asarray(np.sqrt(np.square(radius * cosine) + (_EARTH + _TOP) ** 2 - np.square(radius)) - radius * cosine)


@cache
def _columns() -> Array:
    """Air, haze and ozone above heights, towards directions, relative to those above the ground (`_looked_up`)."""
    heights = np.square(np.linspace(0.0, 1.0, _HEIGHTS))[:, None] * _TOP
    signed = np.linspace(-1.0, 1.0, _COSINES)[None, :]
    cosines = np.sign(signed) * np.square(signed)
    radius = _EARTH + heights
    way = _way_out(radius, cosines)
    # Steps begin short, as air is densest where most rays begin.
    ends = np.square(np.linspace(0.0, 1.0, 2 * _STEPS + 1))
    middles, lengths = 0.5 * (ends[1:] + ends[:-1]), np.diff(ends)
    far = way[..., None] * middles
    high = np.sqrt(np.square(radius[..., None]) + np.square(far) + 2.0 * radius[..., None] * cosines[..., None] * far)
    return np.asarray((_density(high - _EARTH) * (way[..., None] * lengths)[..., None]).sum(axis=2))


@dataclass(frozen=True, eq=False)
class Air:
    """Air with haze of this vertical optical depth, shape (3,)."""

    haze: Array

    @property
    def depths(self) -> Array:
        """Vertical optical depths by which air, haze and ozone dim light, shape (3 kinds, 3 colours)."""
        return np.stack((RAYLEIGH, self.haze, OZONE))

    @property
    def scatters(self) -> Array:
        """The part of `depths` that is scattered."""
        return np.stack((RAYLEIGH, _HAZE_SCATTERS * self.haze, 0.0 * OZONE))

    def sunlight(self, height: Array, cosine: Array) -> Array:
        """Share of sunlight that reaches heights [km] where the sun's zenith angle has this cosine, shape (..., 3)."""
        horizon = -np.sqrt(np.maximum(1.0 - np.square(_EARTH / (_EARTH + height)), 0.0))
        # The sun sinks below the horizon little by little, as its disk does.
        seen = np.clip((cosine - horizon) / 0.01 + 0.5, 0.0, 1.0)
        columns = _looked_up(_columns(), height, np.maximum(cosine, horizon))
        return np.asarray(seen[..., None] * np.exp(-columns @ self.depths))

    def along(self, height: float, cosine: Array, sun: Array, steps: int) -> tuple[Array, Array, Array, Array]:
        """Points along rays from a height [km] up to the top of the air or down to the ground.

        Args:
            height: of the eye [km].
            cosine: of the rays' zenith angle, shape (n,).
            sun: cosine between ray and sun, and of the sun's zenith angle, shape (2, n).
            steps: points along each ray.

        Returns:
            Heights [km] and cosines of the sun's zenith angle there, shape (n, steps); what is scattered towards the
            eye of light there, for air and haze [1], shape (n, steps, 2, 3); the share of light from beyond that comes
            through, shape (n, 3).
        """
        radius = _EARTH + height
        way = _way_out(np.full_like(cosine, radius), cosine)
        under = np.square(radius * cosine) - (radius**2 - _EARTH**2)
        way = np.where((cosine < 0.0) & (under > 0.0), -radius * cosine - np.sqrt(np.maximum(under, 0.0)), way)
        ends = np.square(np.linspace(0.0, 1.0, steps + 1))
        far, length = way[:, None] * (0.5 * (ends[1:] + ends[:-1])), way[:, None] * np.diff(ends)
        there = np.sqrt(radius**2 + np.square(far) + 2.0 * radius * cosine[:, None] * far)
        sun_there = (radius * sun[1][:, None] + far * sun[0][:, None]) / there
        density = _density(there - _EARTH)
        dimmed = (density @ self.depths) * length[..., None]
        passed = np.cumsum(dimmed, axis=1)
        # Within a step light fades by exp(-dimmed): its mean is exact for even air (Hillaire 2015).
        mean = np.exp(-(passed - dimmed)) * -np.expm1(-dimmed) / np.maximum(dimmed, 1e-12)
        kept = (density[..., :2, None] * self.scatters[:2]) * (length[..., None] * mean)[..., None, :]
        return there - _EARTH, sun_there, kept, np.exp(-passed[:, -1])


@lru_cache(maxsize=8)
def _air(haze: tuple[float, ...]) -> tuple[Air, Array]:
    """Air with this haze, and light that is scattered twice and more in it (see `_often`)."""
    air = Air(np.array(haze))
    return air, _often(air)


def _often(air: Air, heights: int = 8, cosines: int = 17) -> Array:
    """Light scattered twice and more, of a sun of irradiance 1, by height and cosine of the sun's zenith angle.

    Hillaire's (2020) equations 5 to 10: with L the light that arrives after two bounces and f the share that each
    further bounce keeps, all bounces together give L / (1 − f).

    Returns:
        Mean radiance as a table of `_looked_up`, shape (heights, cosines, 3).
    """
    table = np.zeros((heights, cosines, 3))
    signed = np.linspace(-1.0, 1.0, cosines)
    suns = np.sign(signed) * np.square(signed)
    sines, turns = (np.arange(8) + 0.5) / 4.0 - 1.0, 2.0 * np.pi * (np.arange(4) + 0.5) / 4.0
    up, turn = (part.ravel() for part in np.meshgrid(sines, turns))
    cosine, sun = np.tile(up, cosines), np.repeat(suns, up.size)
    towards = np.sqrt(1.0 - np.square(cosine)) * np.sqrt(1.0 - np.square(sun)) * np.cos(np.tile(turn, cosines))
    for row in range(heights):
        height = max((row / (heights - 1.0)) ** 2 * _TOP, _EYE)
        high, sun_there, kept, through = air.along(height, cosine, np.stack((towards + cosine * sun, sun)), 12)
        scattered = kept.sum(axis=2)
        twice = (scattered * air.sunlight(high, sun_there)).sum(axis=1) / (4.0 * np.pi)
        hits = (cosine < -np.sqrt(1.0 - (_EARTH / (_EARTH + height)) ** 2))[:, None]
        lit = np.maximum(sun_there[:, -1:], 0.0) * air.sunlight(np.maximum(high[:, -1], 0.0), sun_there[:, -1])
        twice += np.where(hits, through * lit * _GROUND_ALBEDO / np.pi, 0.0)
        shape = cosines, up.size, 3
        kept_on = scattered.sum(axis=1).reshape(shape).mean(axis=1)
        table[row] = twice.reshape(shape).mean(axis=1) / (1.0 - np.minimum(kept_on, 0.95))
    return table


class Sky:
    """The clear sky over the ground, of a sun of irradiance 1 above the air.

    Args:
        towards_sun: unit vector, shape (3,).
        haze: vertical optical depth of haze, shape (3,).

    Attributes:
        sun: irradiance of the sun at the ground on a surface that faces it, shape (3,).
    """

    def __init__(self, towards_sun: Array, haze: Array) -> None:
        self._towards_sun = towards_sun
        air, often = _air(tuple(float(depth) for depth in haze))
        height = float(towards_sun[1])
        self._air = air
        self.sun = self.sunlight(_EYE)
        elevations = 0.5 * np.pi * np.square(np.linspace(0.0, 1.0, _ELEVATIONS))
        azimuths = np.linspace(0.0, np.pi, _AZIMUTHS)
        elevation, azimuth = (part.ravel() for part in np.meshgrid(elevations, azimuths, indexing="ij"))
        cosine = np.sin(elevation)
        mu = cosine * height + np.cos(elevation) * np.sqrt(max(1.0 - height**2, 0.0)) * np.cos(azimuth)
        high, sun_there, kept, _ = air.along(_EYE, cosine, np.stack((mu, np.full_like(mu, height))), _STEPS)
        once = (kept * air.sunlight(high, sun_there)[:, :, None]).sum(axis=1)
        more = (kept.sum(axis=2) * _looked_up(often, high, sun_there)).sum(axis=1)
        # Phase functions are left out: what remains changes slowly with direction.
        self._table = np.concatenate((once[:, 0], once[:, 1], more), axis=1).reshape(_ELEVATIONS, _AZIMUTHS, 9)

    def sunlight(self, height: float) -> Array:
        """Irradiance of the sun at a height [km] on a surface that faces it, shape (3,)."""
        return self._air.sunlight(np.array(height), np.array(float(self._towards_sun[1])))

    def radiance(self, directions: Array) -> Array:
        """Radiance in unit directions of shape (n, 3), without the sun's disk, shape (n, 3); below is the horizon."""
        sine = np.clip(directions[:, 1], 0.0, 1.0)
        across = np.sqrt(np.arcsin(sine) / (0.5 * np.pi)) * (_ELEVATIONS - 1)
        x, z = (directions[:, axis] for axis in (0, 2))
        sun_x, _, sun_z = self._towards_sun
        azimuth = np.abs(np.arctan2(x * sun_z - z * sun_x, x * sun_x + z * sun_z))
        parts = _between(self._table, across, azimuth / np.pi * (_AZIMUTHS - 1))
        mu = (directions @ self._towards_sun)[:, None]
        g = HAZE_ASYMMETRY
        air_phase = 3.0 / (16.0 * np.pi) * (1.0 + mu * mu)
        haze_phase = (1.0 - g * g) / (4.0 * np.pi * (1.0 + g * g - 2.0 * g * mu) ** 1.5)
        return np.asarray(parts[:, :3] * air_phase + parts[:, 3:6] * haze_phase + parts[:, 6:])

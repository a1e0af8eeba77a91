"""How much detail a picture gets, and how `auto` chooses it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import moderngl


@dataclass(frozen=True)
class Tier:
    """One level of detail.

    Attributes:
        name: what users call it.
        scale: pixels of the scene per pixel of the picture, along one side.
        water_reach: distance from the eye at which the water's mesh grows coarser, in diagonals of its patches.
        ground_points: largest number of vertices of the ground.
        ground_map: pixels along the longer side of the baked ground.
        octaves: octaves of noise in the ground.
        fine: smooth interpolation of the water's slopes, fine ripples and close-up grain of the ground.
        relief: grain of the ground has height where one looks along it.
        edge_filter: smooth edges in the finished picture.
        bloom: bright places shine over what is around them.
        caustic_map: texels along the longer side of the caustic map.
        caustic_rays: rays of the sun along the longer side of the water.
        dispersion: refract red, green and blue sunlight differently.
        reflection_scale: pixels of the reflected picture per pixel of the scene, along one side.
        waves: texels along the longer side of the map that water is shaded with.
        shaft_steps: steps along each ray that light shafts are marched with.
        shaft_scale: pixels of the light shafts per pixel of the scene, along one side.
        spray: number of particles of spray and bubbles.
        clouds: texels along a side of the map of a sky with clouds.
        smooth_mipmaps: blend between mipmap levels; slow in software.
        pool_waves: as `waves` for a pool, whose waves are smooth: there more texels take longer and look the same.
        pool_reflection_scale: as `reflection_scale` for a pool, which mirrors a strip of wall.
        clouds_every: time for which clouds drift as one picture before they are lit and drawn again [s].
    """

    name: str
    scale: float
    water_reach: float
    ground_points: int
    ground_map: int
    octaves: int
    fine: bool
    relief: bool
    edge_filter: bool
    bloom: bool
    caustic_map: int
    caustic_rays: int
    dispersion: bool
    reflection_scale: float
    waves: int
    shaft_steps: int
    shaft_scale: float
    spray: int
    clouds: int
    smooth_mipmaps: bool
    pool_waves: int
    pool_reflection_scale: float
    clouds_every: float

    @property
    def mipmaps(self) -> int:
        """The filter for textures with mipmaps, as a number of moderngl's."""
        return moderngl.LINEAR_MIPMAP_LINEAR if self.smooth_mipmaps else moderngl.LINEAR_MIPMAP_NEAREST


TIERS = {
    "low": Tier(
        *("low", 0.7, 5.0, 4_000, 512, 4, False, False, False, False),
        *(256, 88, False, 0.25, 256, 10, 0.3, 0, 256, False),
        pool_waves=256,
        pool_reflection_scale=0.25,
        clouds_every=1.0,
    ),
    "medium": Tier(
        *("medium", 1.0, 5.2, 16_000, 1024, 5, True, False, True, False),
        *(416, 128, False, 0.33, 416, 20, 0.4, 2048, 512, False),
        pool_waves=384,
        pool_reflection_scale=0.22,
        clouds_every=1.0,
    ),
    "high": Tier(
        *("high", 1.5, 12.0, 60_000, 2048, 6, True, True, True, True),
        *(1024, 384, True, 0.6, 1024, 36, 0.5, 16384, 768, True),
        pool_waves=768,
        pool_reflection_scale=0.4,
        clouds_every=0.25,
    ),
    "ultra": Tier(
        *("ultra", 2.0, 20.0, 120_000, 4096, 6, True, True, True, True),
        *(2048, 640, True, 1.0, 2048, 48, 0.5, 32768, 1024, True),
        pool_waves=1536,
        pool_reflection_scale=1.0,
        clouds_every=0.125,
    ),
}
"""The tiers by name, from the fastest to the finest."""


class TierChooser:
    """Chooses the tier from the time between frames; has no clock of its own, so that it can be tested.

    It goes down when the median of the last frames is too slow, and up when it is so fast that the next tier should
    still be smooth. A tier that proved too slow is tried again only after a wait that doubles each time, so that the
    picture does not alternate between two tiers.

    Args:
        start: name of the first tier.
        slow: a median above this goes down [s].
        fast: a median below this goes up [s]; longer than a frame of a 60 Hz screen, which holds fast frames back.
        window: frames the median is taken over.
    """

    def __init__(self, start: str, *, slow: float = 1 / 24, fast: float = 1 / 50, window: int = 20) -> None:
        self._names = tuple(TIERS)
        self._index = self._names.index(start)
        self._slow, self._fast = slow, fast
        self._times: deque[float] = deque(maxlen=window)
        self._wait = 0
        self._patience = 5 * window

    @property
    def tier(self) -> Tier:
        """The tier to draw with."""
        return TIERS[self._names[self._index]]

    def note(self, seconds: float) -> None:
        """Record the time from one frame to the next [s]; a value that is not above 0 is ignored."""
        self._wait = max(self._wait - 1, 0)
        if not seconds > 0.0:
            return
        self._times.append(seconds)
        if len(self._times) < (self._times.maxlen or 0):
            return
        median = sorted(self._times)[len(self._times) // 2]
        if median > self._slow and self._index > 0:
            self._wait, self._patience = self._patience, 2 * self._patience
            self._move(-1)
        elif median < self._fast and self._index < len(self._names) - 1 and self._wait == 0:
            self._move(+1)

    def _move(self, by: int) -> None:
        self._index += by
        self._times.clear()

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
        scale: pixels of the scene for each pixel of the picture, along one side.
        water_reach: how far from the eye the water's mesh grows coarser, in diagonals of its patches.
        ground_points: most vertices of the ground altogether.
        ground_map: pixels along the longer side of the baked ground.
        octaves: layers of noise in the ground.
        fine: smooth interpolation of the water's slopes, fine ripples and close-up grain of the ground.
        edge_filter: smooth edges in the finished picture.
        light_map: texels along the longer side of the map of sunlight in the water.
        light_points: rays of the sun along the longer side of the water.
        fringes: refract red, green and blue sunlight apart.
        mirror: pixels of the mirrored picture for each of the scene, along one side.
        waves: texels along the longer side of the map that water is shaded with.
        beam_steps: places along each ray where beams of sunlight under water are looked for.
        beam_scale: pixels of the beams' picture for each of the scene, along one side.
        spray: particles of spray and bubbles.
        smooth_mipmaps: blend between mipmaps; dear in software.
    """

    name: str
    scale: float
    water_reach: float
    ground_points: int
    ground_map: int
    octaves: int
    fine: bool
    edge_filter: bool
    light_map: int
    light_points: int
    fringes: bool
    mirror: float
    waves: int
    beam_steps: int
    beam_scale: float
    spray: int
    smooth_mipmaps: bool

    @property
    def mipmaps(self) -> int:
        """The filter for textures with mipmaps, as moderngl numbers them."""
        return moderngl.LINEAR_MIPMAP_LINEAR if self.smooth_mipmaps else moderngl.LINEAR_MIPMAP_NEAREST


TIERS = {
    "low": Tier("low", 0.7, 5.0, 4_000, 512, 4, False, False, 256, 88, False, 0.25, 256, 10, 0.3, 0, False),
    "medium": Tier("medium", 1.0, 5.2, 16_000, 1024, 5, True, True, 416, 112, False, 0.33, 416, 20, 0.4, 2048, False),
    "high": Tier("high", 1.5, 16.0, 60_000, 2048, 6, True, True, 1024, 384, True, 0.6, 1024, 36, 0.5, 16384, True),
}
"""The tiers by name, from the quickest to the finest."""


class TierChooser:
    """Chooses the tier from the time between frames; holds no clock, so it can be tested.

    It goes down when the median of the last frames is too slow, and up when it is so fast that the next tier should
    still be smooth. A tier that proved too slow is tried again only after a wait that doubles each time, so the
    picture does not flicker between two tiers.

    Args:
        start: name of the first tier.
        slow: a median above this goes down [s].
        fast: a median below this goes up [s]; longer than a frame of a 60 Hz screen, which holds quick frames back.
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
        """The tier to draw with now."""
        return TIERS[self._names[self._index]]

    def note(self, seconds: float) -> None:
        """Take in the time from one frame to the next [s]; what is not above 0 is not a measurement and is ignored."""
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

"""Optical water types: how fast each colour of light fades in the water, and how much comes back."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

Colour = tuple[float, float, float]


@dataclass(frozen=True)
class WaterType:
    """The optics of one type of water.

    Attributes:
        absorption: of red, green and blue light, relative to green.
        clarity: length over which green light falls to 1/e, as a multiple of the scene's mean depth.
        length: the most that this length may be [m].
        backscatter: share of daylight that deep water sends back, red, green and blue.
        drawn_foam_life: time in which foam that the renderer makes fades to a third [s]. Foam that a model publishes
            stays at least as long as the model says.
    """

    absorption: Colour
    clarity: float
    backscatter: Colour
    drawn_foam_life: float
    length: float = math.inf

    def attenuation(self, depth: float, metre: float = 1.0) -> Colour:
        """Of red, green and blue light along a ray [1/m], in a scene of this mean depth [m].

        `metre` is how many metres of the scene stand for one of the sea.
        """
        length = min(self.clarity * depth, self.length * metre)
        red, green, blue = (share / length for share in self.absorption)
        return red, green, blue


def _jerlov(fading: Colour, backscatter: Colour, drawn_foam_life: float = 2.0) -> WaterType:
    """A type of Jerlov's (Marine Optics, 1976, table XXVII).

    `fading` is the attenuation of daylight at 650, 550 and 450 nm [1/m]. Along a ray light falls 1/0.65 times as fast
    as on its way down (DOWNWARD in include/light.glsl).
    """
    red, green, blue = fading
    return WaterType((red / green, 1.0, blue / green), math.inf, backscatter, drawn_foam_life, 0.65 / green)


# Pure water absorbs red 6 times as strongly as green, and blue a sixth (Pope & Fry 1997). Red is reduced here so that
# shallows stay warm. Dissolved humus absorbs blue first (lakes); suspended silt scatters all colours (muddy rivers).
# Bubbles merge and burst sooner in fresh water: whitecaps live two thirds as long (Monahan & Zietlow 1969), and less
# in a pool. "auto" takes a sea without terrain for a pool (see `ground_maps.wildness`).
WATER_TYPES = {
    "pool": WaterType((4.2, 1.0, 0.62), 7.0, (0.020, 0.110, 0.140), 0.5),
    "tropical": WaterType((5.0, 1.0, 0.50), 2.2, (0.010, 0.170, 0.210), 2.0),
    "lake": WaterType((1.9, 1.0, 1.75), 1.0, (0.022, 0.062, 0.048), 1.3),
    "sea": WaterType((4.0, 1.0, 0.48), 0.9, (0.010, 0.085, 0.140), 2.0),
    "muddy": WaterType((0.85, 1.0, 1.55), 0.22, (0.230, 0.165, 0.090), 1.3),
    "jerlov-1": _jerlov((0.36, 0.063, 0.019), (0.004, 0.050, 0.135)),
    "jerlov-2": _jerlov((0.40, 0.089, 0.068), (0.008, 0.080, 0.125)),
    "jerlov-3": _jerlov((0.445, 0.12, 0.135), (0.012, 0.098, 0.110)),
    "jerlov-1c": _jerlov((0.45, 0.12, 0.25), (0.020, 0.105, 0.075)),
    "jerlov-5c": _jerlov((0.54, 0.30, 0.56), (0.055, 0.110, 0.060), drawn_foam_life=1.7),
}
"""The types by name."""

_OPEN_SEA = replace(WATER_TYPES["sea"], length=WATER_TYPES["jerlov-2"].length)

WATER_CHOICES = ("auto", *WATER_TYPES)


def water_type(name: str, *, pool: bool) -> WaterType:
    """The type called `name`.

    "auto" is pool water in a pool and the sea elsewhere, as clear as suits its depth but not clearer than Jerlov's
    type II.
    """
    if name == "auto" and not pool:
        return _OPEN_SEA
    return WATER_TYPES["pool" if name == "auto" else name]

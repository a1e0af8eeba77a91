"""Optical water types: how fast each colour of light fades in the water, and how much comes back."""

from __future__ import annotations

from dataclasses import dataclass

Colour = tuple[float, float, float]


@dataclass(frozen=True)
class WaterType:
    """The optics of one type of water.

    Attributes:
        absorption: of red, green and blue light, relative to green.
        clarity: length over which green light falls to 1/e, as a multiple of the scene's mean depth.
        backscatter: share of daylight that deep water sends back, red, green and blue.
        drawn_foam_life: time in which foam that the renderer makes fades to a third [s]. Foam that a model publishes
            stays at least as long as the model says.
    """

    absorption: Colour
    clarity: float
    backscatter: Colour
    drawn_foam_life: float


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
}
"""The types by name."""

WATER_CHOICES = ("auto", *WATER_TYPES)


def water_type(name: str, *, pool: bool) -> WaterType:
    """The type called `name`; "auto" is pool water in a pool and the sea elsewhere."""
    return WATER_TYPES[("pool" if pool else "sea") if name == "auto" else name]

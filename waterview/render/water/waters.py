"""Kinds of water: how each colour of light fades in it, and what it sends back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Colour = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class WaterKind:
    """What light meets in a kind of water.

    Attributes:
        absorption: of red, green and blue light, relative to green, shape (3,).
        clarity: length over which green light falls to 1/e, as a multiple of the scene's mean depth.
        scatter: share of daylight that deep water sends back, shape (3,).
        foam_life: time in which foam that the renderer itself has found fades to a third [s].
    """

    absorption: Colour
    clarity: float
    scatter: Colour
    foam_life: float


def _kind(
    absorption: tuple[float, float, float], clarity: float, scatter: tuple[float, float, float], foam_life: float
) -> WaterKind:
    return WaterKind(np.array(absorption), clarity, np.array(scatter), foam_life)


# Pure water absorbs red 6 times as strongly as green and blue a sixth (Pope & Fry 1997); red is tamed so that shallows
# stay warm. Dissolved humus eats blue first (lakes), suspended silt scatters everything (muddy rivers). Bubbles merge
# and burst sooner in fresh water: whitecaps there live two thirds as long (Monahan & Zietlow 1969); in a pool, less.
WATERS = {
    "pool": _kind((4.2, 1.0, 0.62), 7.0, (0.020, 0.110, 0.140), 0.5),
    "tropical": _kind((5.0, 1.0, 0.50), 2.2, (0.010, 0.170, 0.210), 2.0),
    "lake": _kind((1.9, 1.0, 1.75), 1.0, (0.022, 0.062, 0.048), 1.3),
    "sea": _kind((4.0, 1.0, 0.48), 0.9, (0.010, 0.085, 0.140), 2.0),
    "muddy": _kind((0.85, 1.0, 1.55), 0.22, (0.230, 0.165, 0.090), 1.3),
}
"""The kinds by name."""

WATER_CHOICES = ("auto", *WATERS)


def water_kind(name: str, *, pool: bool) -> WaterKind:
    """The kind called `name`; "auto" is pool water in a pool and the sea elsewhere."""
    return WATERS[("pool" if pool else "sea") if name == "auto" else name]

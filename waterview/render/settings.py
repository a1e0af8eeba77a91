"""The view settings: everything that a user may choose about the picture."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from waterview.core.params import Params, param
from waterview.render.water_types import WATER_CHOICES

_SUN_AZIMUTH = 163.0
DEFAULT_SUN_AZIMUTH = math.radians(_SUN_AZIMUTH)
"""Default azimuth of the sun, from +z towards +x [rad]; the opening view is chosen to suit it."""

QUALITIES = ("auto", "low", "medium", "high", "ultra")
LOOKS = ("auto", "natural", "pool")
SURROUNDINGS = ("auto", "floor", "sea")
GROUTS = {"grey": (0.12, 0.17, 0.19), "black": (0.02, 0.025, 0.03), "white": (0.70, 0.72, 0.70)}
"""Albedos of the joints between a pool's tiles, linear RGB."""


@dataclass(frozen=True, kw_only=True)
class ViewParams(Params):
    """How the scene is drawn."""

    quality: str = param(
        "auto", choices=QUALITIES, doc="Detail of the picture; auto takes what keeps the picture moving smoothly."
    )
    exposure: float = param(
        0.0,
        unit="EV",
        low=-6.0,
        high=6.0,
        step=0.25,
        keys=("o", "p"),
        doc="Brightness of the picture, in photographic stops.",
    )
    auto_exposure: bool = param(True, doc="Let the brightness of the picture follow what it shows, as eyes do.")
    sun_azimuth: float = param(
        _SUN_AZIMUTH,
        unit="°",
        low=0.0,
        high=360.0,
        step=5.0,
        keys=("q", "e"),
        doc="Where the sun stands around the scene, from +z towards +x.",
    )
    sun_elevation: float = param(
        30.0, unit="°", low=2.0, high=90.0, step=2.0, keys=("z", "x"), doc="How high the sun stands above the horizon."
    )
    turbidity: float = param(
        2.0, low=1.0, high=20.0, step=1.25, scale="log", doc="Haze in the air: 1 is the clearest day, 20 is a grey one."
    )
    air: float = param(
        1.0,
        low=0.0,
        high=100.0,
        step=0.25,
        doc="How much air lies before what is far away, relative to nature: it makes distant coasts bluish. 0 leaves "
        "it out; more makes a model look large.",
    )
    clouds: float = param(
        0.0,
        low=0.0,
        high=1.0,
        step=0.1,
        doc="Share of the sky that clouds hide: 0 is a clear sky, 1 an overcast one. They drift with the wind, "
        "darken the sun and throw shadows.",
    )
    look: str = param(
        "auto",
        choices=LOOKS,
        doc="What the ground is made of; auto takes a tiled pool where most of it is level and no land rises, or "
        "only a level rim does.",
    )
    tile_size: float = param(
        0.0,
        unit="m",
        low=0.0,
        high=1000.0,
        step=1.25,
        scale="log",
        smallest=0.01,
        doc="Side of a pool's tiles; 0 takes a round one with which about 44 of them lie along the longer side.",
    )
    grout: str = param("grey", choices=tuple(GROUTS), doc="Colour of the joints between a pool's tiles.")
    ripples: float = param(
        1.0,
        low=0.0,
        high=4.0,
        step=0.25,
        doc="How strong the fine ripples are that a light breeze adds to the water of a pool, relative to the usual "
        "ones; 0 leaves the model's own waves alone. They make a net of small cells on the floor.",
    )
    snow_line: float = param(
        1500.0,
        unit="m",
        low=0.0,
        high=10_000.0,
        step=50.0,
        doc="Height above the water from which on snow covers land that looks natural; 10000 lets none lie anywhere.",
    )
    trees: bool = param(True, doc="Let trees stand on wooded land, in scenes of 100 m and more.")
    surroundings: str = param(
        "auto",
        choices=SURROUNDINGS,
        doc="What lies around the block: a floor that it stands on, or sea to the horizon; auto takes the sea where "
        "water reaches the block's sides all around.",
    )
    water: str = param(
        "auto",
        choices=WATER_CHOICES,
        doc="Kind of water; auto takes pool water in a pool and elsewhere the sea, whose deep parts hide their floor. "
        "Jerlov's types are as clear as in nature, in metres, the others as suits the depth of the scene.",
    )
    clarity: float = param(
        1.0,
        low=0.05,
        high=20.0,
        step=1.25,
        scale="log",
        doc="How far one sees in the water, relative to what suits the depth of the scene.",
    )
    wireframe: bool = param(False, doc="Draw the edges of the triangles only.")

    @property
    def towards_sun(self) -> NDArray[np.float64]:
        """Unit vector to the sun, shape (3,)."""
        azimuth, elevation = math.radians(self.sun_azimuth), math.radians(self.sun_elevation)
        flat = math.cos(elevation)
        return np.array([flat * math.sin(azimuth), math.sin(elevation), flat * math.cos(azimuth)])

    def with_sun_dragged(self, dx: float, dy: float, size: tuple[int, int]) -> Self:
        """The settings after the sun was dragged by (dx, dy) in a window of `size`; its height is half a turn."""
        angle = 180.0 / max(size[1], 1)
        elevation = min(max(self.sun_elevation - 0.5 * dy * angle, 2.0), 90.0)
        return self.changed(sun_azimuth=(self.sun_azimuth - dx * angle) % 360.0, sun_elevation=elevation)

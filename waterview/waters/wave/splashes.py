"""Droplets that big drops throw up: a second level of buffers above the first, after Lew 2012 (§2.3)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from waterview.core.commands import DROP_RADIUS, Drop
from waterview.core.constants import GRAVITY
from waterview.core.grid import Grid
from waterview.core.saved import made_of
from waterview.waters.common.drops import Window, drop_heights

BIG = 0.95
"""Drops at least this many times as wide as the usual one throw a droplet up."""

WIDTH = 0.4
"""Radius of a droplet, as a share of that of the drop that threw it."""

LANDING = 0.5
"""Height of the drop that a landing droplet makes, as a share of how high it flew."""

SMALLEST = 0.1
"""A droplet bounces until its next flight would be lower than this share of its first."""

MOST = 64
"""Most droplets at a time; more drops then throw none."""


@dataclass(eq=False)
class Splash:
    """A droplet: height now and a step before [m], as the water below it has them.

    Attributes:
        x, z: where, in the world [m].
        radius: of the droplet [m].
        peak: how high this flight goes [m].
        lowest: flights below this height [m] are not flown.
        wait: time until it is thrown [s].
        height: now, 0 while it waits [m].
        before: a step before, 0 while it waits [m].
    """

    x: float
    z: float
    radius: float
    peak: float
    lowest: float
    wait: float
    height: float = 0.0
    before: float = 0.0

    def step(self, dt: float) -> bool:
        """Fly on by a step of `dt` [s]; returns whether it has landed.

        Two heights and gravity are all: y⁺ = 2y − y⁻ − gΔt², as the wave step without neighbours.
        """
        if self.wait > 0.0:
            self.wait -= dt
            # Thrown so fast that gravity brings it to rest at its peak.
            self.before = -dt * math.sqrt(2.0 * GRAVITY * self.peak) if self.wait <= 0.0 else 0.0
            return False
        self.height, self.before = 2.0 * self.height - self.before - GRAVITY * dt * dt, self.height
        return self.height <= 0.0


@dataclass(frozen=True, eq=False)
class _Shape:
    """What a droplet of height 1 m adds on a grid with these fixed points."""

    splash: Splash
    grid: Grid
    fixed: NDArray[np.bool_]
    found: tuple[Window, NDArray[np.float64]] | None


class Splashes:
    """All droplets of a water."""

    def __init__(self) -> None:
        self._all: list[Splash] = []
        self._shapes: dict[int, _Shape] = {}

    def __len__(self) -> int:
        return len(self._all)

    def throw(self, drop: Drop, grid: Grid, share: float, wave_speed: float) -> None:
        """Let a big drop throw a droplet `share` of twice its height up; a small one throws none.

        It is thrown when the crater has closed, after the time that a wave takes across the drop's radius.
        """
        if share > 0.0 and drop.radius >= BIG * DROP_RADIUS * max(grid.size) and len(self._all) < MOST:
            peak = 2.0 * share * abs(drop.height)
            wait = drop.radius / max(wave_speed, 1e-3 * drop.radius)
            self._all.append(Splash(drop.x, drop.z, WIDTH * drop.radius, peak, SMALLEST * peak, wait))

    def step(self, dt: float, share: float) -> list[Drop]:
        """Fly on by a step of `dt` [s]; returns the drops that landing droplets make.

        A landed droplet bounces to `share` of its height, unless that is too low.
        """
        landed = [splash for splash in self._all if splash.step(dt)]
        drops = []
        for splash in landed:
            drops.append(Drop(splash.x, splash.z, LANDING * splash.peak, splash.radius))
            splash.peak *= share
            splash.height, splash.wait = 0.0, dt
        self._all = [splash for splash in self._all if splash not in landed or splash.peak >= splash.lowest]
        if len(self._shapes) > len(self._all):
            living = {id(splash) for splash in self._all}
            self._shapes = {number: shape for number, shape in self._shapes.items() if number in living}
        return drops

    def scale_motion(self, ratio: float) -> None:
        """Fly on as fast where steps become `ratio` times as long."""
        for splash in self._all:
            splash.before = splash.height - ratio * (splash.height - splash.before)

    def add_to(self, heights: NDArray[np.float32], grid: Grid, fixed: NDArray[np.bool_]) -> None:
        """Add the droplets in flight to `heights` [m], shape (nz, nx): bumps, and the rings their water came from."""
        for splash in self._all:
            if splash.height > 0.0:
                shape = self._shape(splash, grid, fixed)
                if shape is not None:
                    window, added = shape
                    heights[window] += added

    def clear(self) -> None:
        """Forget them all."""
        self._all.clear()
        self._shapes.clear()

    def saved(self) -> list[dict[str, float]]:
        """All droplets in plain words."""
        return [asdict(splash) for splash in self._all]

    def load(self, words: Sequence[Mapping[str, float]]) -> None:
        """Go on with the droplets that `saved` told of.

        Raises:
            KeyError, ValueError: the words make no sense.
        """
        loaded = [made_of(Splash, each) for each in words]
        if len(loaded) > MOST or not all(each.radius > 0.0 and min(each.peak, each.lowest) >= 0.0 for each in loaded):
            raise ValueError("droplets without sense")
        self._all = loaded

    def _shape(self, splash: Splash, grid: Grid, fixed: NDArray[np.bool_]) -> tuple[Window, NDArray[np.float64]] | None:
        """What a droplet adds: it only grows and shrinks while it flies, so its shape is found once."""
        known = self._shapes.get(id(splash))
        if known is None or known.splash is not splash or known.fixed is not fixed or known.grid is not grid:
            found = drop_heights(Drop(splash.x, splash.z, 1.0, splash.radius), grid, fixed)
            known = self._shapes[id(splash)] = _Shape(splash, grid, fixed, found)
        if known.found is None:
            return None
        window, added = known.found
        return window, splash.height * added

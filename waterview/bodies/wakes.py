"""Waves of bodies on waters that are made of wave particles: fronts where a body has moved (Yuksel 2007)."""

from __future__ import annotations

import math
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from waterview.core.body import BodyState

from .collection import Bodies

STRIDE = 0.25
"""How far a body moves before it sends a front, as a share of its waterline's radius: each front is many particles."""

SWELL = 0.02
"""Change of the volume under water before a body sends a ring, as a share of its whole volume."""

_TELEPORT = 2.0
_DIRECTIONS = 8


@runtime_checkable
class ParticleWater(Protocol):
    """A water that takes fronts of wave particles."""

    def add_sphere(self, x: float, z: float, moved_x: float, moved_z: float, waterline: float) -> None:
        """Fronts of a round body that has moved by (moved_x, moved_z) [m]."""

    def add_faces(
        self,
        positions: NDArray[np.floating],
        normals: NDArray[np.floating],
        volumes: NDArray[np.floating],
        radius: float,
        spread: float = ...,
    ) -> None:
        """A particle at every face that pushes a volume [m³] of water aside."""


class Wakes:
    """Remembers where bodies were, and sends waves when they have moved on; a body that jumps makes none."""

    def __init__(self) -> None:
        self._last: dict[int, tuple[float, float, float]] = {}

    def send(self, bodies: Bodies, water: ParticleWater) -> None:
        """Send what is due after a step of the bodies."""
        last, self._last = self._last, {}
        for body in bodies.states():
            wet = bodies.wet_volume(body.number)
            if wet > 0.0:
                x, _, z = (float(value) for value in body.position)
                self._last[body.number] = self._sent(body, (x, z, wet), last.get(body.number, (x, z, wet)), water)

    def _sent(
        self,
        body: BodyState,
        now: tuple[float, float, float],
        before: tuple[float, float, float],
        water: ParticleWater,
    ) -> tuple[float, float, float]:
        """Send a body's waves; returns what is to be remembered of it."""
        x, z, wet = now
        radius = 0.25 * float(body.scale[0] + body.scale[2])
        moved_x, moved_z = x - before[0], z - before[1]
        distance = math.hypot(moved_x, moved_z)
        if distance > _TELEPORT * radius:
            return now
        place = before[:2]
        if distance > STRIDE * radius:
            water.add_sphere(x, z, moved_x, moved_z, radius)
            place = (x, z)
        swollen = wet - before[2]
        if abs(swollen) <= SWELL * float(np.prod(body.scale)):
            return *place, before[2]
        angles = 2.0 * math.pi * np.arange(_DIRECTIONS) / _DIRECTIONS
        normals = np.stack((np.cos(angles), np.sin(angles)), axis=-1)
        water.add_faces(
            np.array((x, z)) + radius * normals, normals, np.full(_DIRECTIONS, swollen / _DIRECTIONS), radius
        )
        return *place, wet

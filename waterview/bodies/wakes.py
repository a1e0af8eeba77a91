"""Bodies on waters of wave particles: they throw waves back and send their own (Yuksel 2007; Qin and Zeng, §3.2)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from waterview.core.body import BodyState

from .collection import Bodies
from .outlines import Outline, outline_of

STRIDE = 0.25
"""How far a body moves before it sends a front, as a share of the radius of its waterline: each is many particles."""

SWELL = 0.02
"""Change of the volume under water before a body sends a ring, as a share of its whole volume."""

_TELEPORT = 2.0


@runtime_checkable
class ParticleWater(Protocol):
    """A water of wave particles."""

    def level_at(self, x: float, z: float) -> float:
        """World height of the surface at x, z [m]."""
        ...

    def velocity_at(self, x: float, z: float) -> NDArray[np.float32]:
        """Velocity (x, y, z) of the surface at x, z [m/s]."""
        ...

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

    def set_bodies(self, outlines: Sequence[NDArray[np.floating]]) -> None:
        """Let waves be thrown back by these outlines: discs (x, z, radius) [m] or corners (x, z), shape (n, 2)."""


class _Seen(NamedTuple):
    """Where a body was when it last sent waves, and its volume under water then [m³]."""

    x: float
    z: float
    wet: float


class Wakes:
    """Remembers where bodies were, and sends waves when they have moved on; a body that jumps makes none."""

    def __init__(self) -> None:
        self._last: dict[int, _Seen] = {}
        self._water: object = None
        self._particles: ParticleWater | None = None

    def state(self) -> dict[str, list[float]]:
        """What is remembered, by the bodies' numbers."""
        return {str(number): list(seen) for number, seen in self._last.items()}

    def load_state(self, state: Mapping[str, Sequence[float]]) -> None:
        """Remember what `state` told.

        Raises:
            TypeError, ValueError: it makes no sense.
        """
        self._last = {int(number): _Seen(*map(float, seen)) for number, seen in state.items()}

    def send(self, bodies: Bodies, water: object) -> None:
        """Send what is due after a step of the bodies, and let waves meet them where they are now.

        Bodies are carried along as the particles say: from the slope alone they cannot tell how fast these waves run.
        Nothing is done to a water that is not of particles.
        """
        if water is not self._water:  # to ask for a protocol takes as long as half a body's step
            self._water, self._particles = water, water if isinstance(water, ParticleWater) else None
        if self._particles is not None:
            self._send(bodies, self._particles)

    def _send(self, bodies: Bodies, water: ParticleWater) -> None:
        last, self._last = self._last, {}
        outlines = []
        for body in bodies.states():
            x, _, z = (float(value) for value in body.position)
            outline = outline_of(body, water.level_at(x, z))
            if outline is not None:
                bodies._record(body.number)["flow"] = water.velocity_at(x, z)
                now = _Seen(x, z, bodies.wet_volume(body.number))
                self._last[body.number] = _sent(body, outline, now, last.get(body.number, now), water)
                outlines.append(outline.shape)
        water.set_bodies(outlines)


def _sent(body: BodyState, outline: Outline, now: _Seen, before: _Seen, water: ParticleWater) -> _Seen:
    """Send a body's waves; returns what is to be remembered of it."""
    radius = math.sqrt(outline.area / math.pi)
    moved = np.array((now.x - before.x, now.z - before.z))
    distance = float(np.linalg.norm(moved))
    if distance > _TELEPORT * radius:
        return now
    if distance > STRIDE * radius:
        if outline.shape.ndim == 1:
            water.add_sphere(now.x, now.z, float(moved[0]), float(moved[1]), radius)
        else:
            # E = A (v·n) Δt of each side, as deep as the body on average; over all sides that is 0.
            draft = now.wet / outline.area
            _send_from_sides(outline, outline.lengths * draft * (outline.normals @ moved), radius, water)
        before = before._replace(x=now.x, z=now.z)
    swollen = now.wet - before.wet
    if abs(swollen) > SWELL * float(np.prod(body.scale)):
        _send_from_sides(outline, swollen * outline.lengths / outline.lengths.sum(), radius, water)
        before = before._replace(wet=now.wet)
    return before


def _send_from_sides(outline: Outline, volumes: NDArray[np.float64], radius: float, water: ParticleWater) -> None:
    water.add_faces(outline.middles, outline.normals, volumes, radius, 2.0 * math.pi / len(volumes))

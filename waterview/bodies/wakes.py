"""Bodies on waters of wave particles: they reflect waves and send their own (Yuksel 2007; Qin and Zeng, §3.2).

Every body has an account of energy, so that it never gives the waves more than it has lost. What it loses, to drag,
settling and pressure, it may send as waves; what it gains from waves it owes, and takes from those that it throws back.
Bodies that the pointer drags, an engine drives or a command moves bring energy from outside: what they send is not
limited.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from waterview.core.body import BodyState
from waterview.core.grid import Grid
from waterview.core.saved import LARGEST, check_within, declared

from .collection import Bodies

Array = NDArray[np.float64]

STRIDE = 0.25
"""How far a body moves before it sends a front, as a share of the radius of its waterline: each is many particles."""

SWELL = 0.02
"""Change of the volume under water before a body sends a ring, as a share of its whole volume."""

CREDIT_TIME = 1.0
"""Time in which what a body has lost is forgotten [s]: waves carry off what it loses now, not what heat has taken."""

UNLIMITED = 1e300
"""Account of a body that a command has changed [m⁴]: saved files hold finite numbers only."""

_MOST_ENERGY = 1e40  # of a body in a file [J], and of its account [m⁴]
_TELEPORT = 2.0

CORNERS = 16
"""Most corners of an outline. They are the farthest points of the cut in so many directions."""

DISC_SIDES = 8
"""Sides of the polygon that stands for a disc."""


def _directions(angles: Array) -> Array:
    """Unit vectors (x, z) at angles from the x axis, shape (n, 2); read-only."""
    directions = np.stack((np.cos(angles), np.sin(angles)), axis=-1)
    directions.setflags(write=False)
    return directions


_FARTHEST = _directions(2.0 * math.pi * (np.arange(CORNERS) + 0.5) / CORNERS).T.copy()
_DISC_NORMALS = _directions(2.0 * math.pi * np.arange(DISC_SIDES) / DISC_SIDES)


@runtime_checkable
class ParticleWater(Protocol):
    """A water of wave particles; `grid.level` is still water. Energies are divided by ½ρg, so in m⁴."""

    grid: Grid

    @property
    def effective(self) -> Mapping[str, float]:
        """What the solver really uses, with the "wave_speed" [m/s]."""
        ...

    def level_at(self, x: float, z: float) -> float:
        """World height of the surface at x, z [m]."""
        ...

    def velocity_at(self, x: float, z: float) -> NDArray[np.float32]:
        """Velocity (x, y, z) of the surface at x, z [m/s]."""
        ...

    @property
    def owed(self) -> NDArray[np.float64]:
        """What is left of the energies that bodies were to take from the waves that they throw back."""
        ...

    def add_sphere(
        self, x: float, z: float, moved_x: float, moved_z: float, waterline: float, most: float = ...
    ) -> float:
        """Fronts of a round body that has moved by (moved_x, moved_z) [m]; their energy, which is `most` at most."""
        ...

    def add_faces(
        self,
        positions: NDArray[np.floating],
        normals: NDArray[np.floating],
        volumes: NDArray[np.floating],
        radius: float,
        spread: float = ...,
        most: float = ...,
        troughs: bool = ...,
    ) -> float:
        """A particle at every face that pushes a volume [m³] of water aside, with a trough behind it if asked for.

        Returns their energy, which is `most` at most.
        """
        ...

    def set_bodies(self, outlines: Sequence[NDArray[np.floating]], owed: Sequence[float] = ...) -> None:
        """Let these outlines reflect waves, and take energy from them: discs (x, z, radius) [m] or corners (x, z)."""


class _Sent(NamedTuple):
    """The water in which a body last sent waves: where that is by now, and the body's volume below still water then.

    A body that drifts with the water stays in it, and pushes nothing aside.
    """

    x: float
    z: float
    wet: float
    waited: float = 0.0  # time since it last sent fronts [s]
    energy: float = math.nan  # that the body had [J]
    account: float = 0.0  # what it may send, or where below 0 what it owes, over ½ρg [m⁴]


class Wakes:
    """The waves that moving bodies send. A body that jumps sends none."""

    def __init__(self) -> None:
        self._last: dict[int, _Sent] = {}
        self._water: object = None
        self._particles: ParticleWater | None = None
        self._known: tuple[int, object] | None = None  # interventions, and parameters of bodies

    def state(self, bodies: Bodies) -> dict[str, list[float]]:
        """Where every one of `bodies` last sent waves, and its account, by its number.

        If a command has changed them since, accounts are `UNLIMITED`: so are the waves that come next.
        """
        found = self._last.items()
        if self._were_changed(bodies):
            found = {number: sent._replace(account=UNLIMITED) for number, sent in found}.items()
        # A file of an earlier version knows no energy of bodies until they take a step.
        return {str(number): list(sent[:4] if math.isnan(sent.energy) else sent) for number, sent in found}

    def load_state(self, state: Mapping[str, Sequence[float]]) -> None:
        """Continue from what `state` gave.

        Raises:
            ValueError: an entry makes no sense.
        """
        saved = declared(state, dict[str, tuple[float, ...]], "wakes")
        if not all(3 <= len(sent) <= len(_Sent._fields) for sent in saved.values()):  # fewer in files of older versions
            raise ValueError("waves of bodies with too few numbers, or too many")
        last = {int(number): _Sent(*sent) for number, sent in saved.items()}
        for sent in last.values():
            check_within(sent[:4], -LARGEST, LARGEST, "place")
            check_within([sent.wet, sent.waited], 0.0, LARGEST, "volume or time")
            owned = [account for account in sent[4:] if not (math.isnan(account) or account == UNLIMITED)]
            check_within(owned, -_MOST_ENERGY, _MOST_ENERGY, "energy")
        self._last, self._known = last, None

    def send(self, bodies: Bodies, water: object, seconds: float = 0.0) -> None:
        """Send the waves that are due after a step of the bodies, and let waves meet the bodies where they are now.

        The particles give the flow around bodies: the slope alone does not show how fast these waves run.
        Nothing is done to a water that is not of particles.

        Args:
            bodies: that have taken a step.
            water: that they float on.
            seconds: length of the step, in which the water has flowed [s].
        """
        if water is not self._water:  # to ask for a protocol takes as long as half a body's step
            self._water, self._particles = water, water if isinstance(water, ParticleWater) else None
        if self._particles is not None:
            self._send(bodies, self._particles, seconds)

    def _send(self, bodies: Bodies, water: ParticleWater, seconds: float) -> None:
        last, self._last = self._last, {}
        owed = water.owed
        if len(owed) == len(last):  # it is not where the water is a new one
            for (number, sent), rest in zip(last.items(), owed, strict=True):
                last[number] = sent._replace(account=-float(rest)) if sent.account < 0.0 else sent
        params, were_changed = bodies.params, self._were_changed(bodies)
        self._known = bodies.interventions, params
        per_joule = 2.0 * params.displacement / (params.water_density * max(params.gravity, 1e-9))
        outlines = []
        for body in bodies.states():
            x, _, z = (float(value) for value in body.position)
            outline = outline_of(body, water.level_at(x, z))
            if outline is not None:
                flow = water.velocity_at(x, z)
                bodies.set_flow(body.number, flow)
                wet, energy = bodies.in_still_water(body.number, water.grid.level)
                now = _Sent(x, z, wet)
                before = last.get(body.number, now)
                is_driven = were_changed or body.grabbed or body.course is not None or before.account == UNLIMITED
                account = 0.0
                if not is_driven:
                    lost = 0.0 if math.isnan(before.energy) else per_joule * (before.energy - energy)
                    account = before.account + lost
                    account *= math.exp(-seconds / CREDIT_TIME) if account > 0.0 else 1.0
                before = _Sent(
                    before.x + seconds * float(flow[0]),
                    before.z + seconds * float(flow[2]),
                    before.wet,
                    before.waited + seconds,
                )
                most = math.inf if is_driven else max(account, 0.0)
                sent, given = _send_waves(body, outline, now, before, params.displacement, water, most)
                self._last[body.number] = sent._replace(energy=energy, account=0.0 if is_driven else account - given)
                outlines.append(outline.shape)
        water.set_bodies(outlines, [max(-sent.account, 0.0) for sent in self._last.values()])

    def _were_changed(self, bodies: Bodies) -> bool:
        """Whether anything but water and contacts has changed the bodies since they last sent waves."""
        return self._known is not None and self._known != (bodies.interventions, bodies.params)


def _send_waves(
    body: BodyState, outline: Outline, now: _Sent, before: _Sent, share: float, water: ParticleWater, most: float
) -> tuple[_Sent, float]:
    """Send a body's waves, made by a share of what it displaces; returns where it last sent some, and their energy."""
    radius = math.sqrt(outline.area / math.pi)
    moved = np.array((now.x - before.x, now.z - before.z))
    distance = float(np.linalg.norm(moved))
    given = 0.0
    if distance > _TELEPORT * radius:
        return now, given
    if distance > STRIDE * radius:
        # Waves have run on meanwhile: what was pushed aside in longer than they take for a radius is spread over more.
        moved *= share * radius / max(radius, water.effective["wave_speed"] * before.waited)
        if outline.shape.ndim == 1:
            given = water.add_sphere(now.x, now.z, float(moved[0]), float(moved[1]), radius, most)
        else:
            # E = A (v·n) Δt of each side, as deep as the body on average; the sum over all sides is 0.
            draft = now.wet / outline.area
            volumes = outline.lengths * draft * (outline.normals @ moved)
            given = _send_from_sides(outline, volumes, radius, water, most)
        before = before._replace(x=now.x, z=now.z, waited=0.0)
    swollen = now.wet - before.wet
    if abs(swollen) > SWELL * float(np.prod(body.scale)):
        volumes = share * swollen * outline.lengths / outline.lengths.sum()
        given += _send_from_sides(outline, volumes, radius, water, most - given)
        before = before._replace(wet=now.wet)
    return before, given


def _send_from_sides(
    outline: Outline, volumes: NDArray[np.float64], radius: float, water: ParticleWater, most: float
) -> float:
    spread = 2.0 * math.pi / len(volumes)
    return water.add_faces(outline.middles, outline.normals, volumes, radius, spread, most, troughs=True)


# --- waterlines


class Outline(NamedTuple):
    """A convex outline of a body at the surface.

    Attributes:
        shape: x, z and radius of a disc, shape (3,), or corners (x, z) in turn, shape (n, 2) [m].
        middles: a point (x, z) on each side [m], shape (m, 2); a disc has `DISC_SIDES`.
        normals: outward unit normals there, shape (m, 2).
        lengths: of the sides [m], shape (m,).
        area: inside [m²].
    """

    shape: Array
    middles: Array
    normals: Array
    lengths: Array
    area: float


def outline_of(body: BodyState, level: float) -> Outline | None:
    """Where `body` cuts the plane at world height `level` [m]; None where it does not."""
    if body.kind == "sphere":
        radius = 0.5 * float(body.scale[0])
        height = level - float(body.position[1])
        cut = radius * radius - height * height
        return _disc(body.position[[0, 2]], math.sqrt(cut)) if cut > 0.0 else None
    corners = _corners(_cut(body, level))
    return _polygon(corners) if len(corners) >= 3 else None


def _disc(middle: Array, radius: float) -> Outline:
    lengths = np.full(DISC_SIDES, 2.0 * math.pi * radius / DISC_SIDES)
    middles = middle + radius * _DISC_NORMALS
    return Outline(np.array((*middle, radius)), middles, _DISC_NORMALS, lengths, math.pi * radius**2)


def _polygon(corners: Array) -> Outline:
    """Of corners that come one after another from the x axis towards the z axis."""
    after = np.concatenate((corners[1:], corners[:1]))  # np.roll and np.linalg.norm take several times as long
    sides = after - corners
    lengths = np.sqrt((sides * sides).sum(axis=1))
    normals = np.stack((sides[:, 1], -sides[:, 0]), axis=-1) / lengths[:, None]
    area = 0.5 * float((corners[:, 0] * after[:, 1] - corners[:, 1] * after[:, 0]).sum())
    return Outline(corners, 0.5 * (corners + after), normals, lengths, area)


def _cut(body: BodyState, level: float) -> Array:
    """Points (x, z) at which edges of the body's mesh pass the plane, shape (n, 2)."""
    places = (body.mesh.vertices * body.scale) @ body.rotation.T + body.position
    over = places[:, 1] > level
    ends = np.concatenate([body.mesh.indices[:, pair] for pair in ((0, 1), (1, 2), (2, 0))])
    ends = ends[over[ends[:, 0]] & ~over[ends[:, 1]]]  # every edge belongs to two triangles, once each way
    low, high = places[ends[:, 1]], places[ends[:, 0]]
    share = (level - low[:, 1]) / (high[:, 1] - low[:, 1])
    return np.asarray((low + share[:, None] * (high - low))[:, [0, 2]], np.float64)


def _corners(points: Array) -> Array:
    """The farthest of `points`, shape (n, 2), in `CORNERS` directions, each once, in turn."""
    if not len(points):
        return points
    farthest = points[(points @ _FARTHEST).argmax(axis=0)]
    sides = farthest - np.concatenate((farthest[-1:], farthest[:-1]))
    apart = np.sqrt((sides * sides).sum(axis=1))
    return np.asarray(farthest[apart > 1e-6 * (np.ptp(points) + 1e-30)], np.float64)

"""The wavemaker: what comes in by the sides of a grid, waves and a tide, and how both change while it runs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Generic, NamedTuple, TypeVar

from waterview.core.errors import ParameterError
from waterview.core.params import declarations, nearest, param

from .incoming_waves import KINDS, STEPS_PER_PERIOD, IncomingWaves, Tide, series_text, tide_text
from .water import WaterParams

INWARD = {"west": (1.0, 0.0), "east": (-1.0, 0.0), "north": (0.0, 1.0), "south": (0.0, -1.0)}
"""Unit vectors along x and z from each side into the grid: north is lowest z, west lowest x."""

SIDES = tuple(INWARD)
"""The names of the sides."""

TIDE_RAMP = 0.1
"""Time in which a tide begins, in its shortest period."""


def sides_text(text: str) -> str:
    """Names of sides, separated by commas, each at most once.

    Raises:
        ParameterError: there is no such side, or one is named twice.
    """
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in SIDES:
            raise ParameterError(
                f"wavemaker sides '{text}': '{name}' is no side; allowed are {', '.join(SIDES)}, or some of them "
                f"separated by commas{nearest(name, SIDES)}"
            )
    if len(set(names)) < len(names):
        raise ParameterError(f"wavemaker sides '{text}': name each side at most once")
    return ",".join(names)


@dataclass(frozen=True, kw_only=True)
class WavemakerParams(WaterParams):
    """Parameters of a water by whose sides waves and a tide may come in."""

    wavemaker: str = param("none", choices=tuple(KINDS), doc="Which waves come in by a side of the water.")
    wavemaker_sides: str = param(
        "west",
        choices=SIDES,
        parse=sides_text,
        syntax="several, as in west,north",
        doc="Sides by which waves and a tide come in, and all that meets them from inside leaves.",
    )
    wavemaker_height: float = param(
        0.1,
        unit="m",
        low=0.0,
        high=10_000.0,
        step=1.25,
        scale="log",
        smallest=1e-5,
        doc="Height of the waves that come in, from trough to crest; of a spectrum the significant height.",
    )
    wavemaker_period: float = param(
        1.25,
        unit="s",
        low=1e-3,
        high=1e7,
        step=1.25,
        scale="log",
        doc="Period of the waves that come in, of a spectrum that of its peak; changes begin within it.",
    )
    wavemaker_angle: float = param(
        0.0,
        unit="°",
        low=-80.0,
        high=80.0,
        step=5.0,
        doc="Where waves run to: 0 is straight in from the first of the sides, above 0 clockwise on the map.",
    )
    wavemaker_spreading: float = param(
        0.0,
        unit="°",
        low=0.0,
        high=45.0,
        step=5.0,
        doc="Standard deviation of a spectrum's directions.",
    )
    wavemaker_seed: int = param(0, low=0, high=2**31 - 1, step=1, doc="Random seed of a spectrum's waves.")
    wavemaker_time: float = param(
        0.0,
        unit="s",
        low=0.0,
        high=1e7,
        step=1.0,
        doc="When the crest of a solitary wave comes in, counted from its start; 0 as soon as it comes in whole.",
    )
    wavemaker_series: str = param(
        "",
        parse=series_text,
        is_file=True,
        syntax="a .csv file, or its rows TIME SURFACE [FLOW] with semicolons between them",
        doc="A measured wave: time [s], surface [m] and, if known, flow [m²/s]; sessions keep its numbers.",
    )
    tide: str = param(
        "",
        parse=tide_text,
        is_file=True,
        syntax="AMPLITUDE:PERIOD[:PHASE] in m, s and °, several with commas, or a .csv file of times and levels",
        doc="The level of the sea beyond the wavemaker's sides, which rises and falls slowly.",
    )

    def __post_init__(self) -> None:
        """Check what several parameters must agree on.

        Raises:
            ParameterError: a series is missing, or a period is too short for the time steps.
        """
        super().__post_init__()
        if self.wavemaker == "series" and not self.wavemaker_series:
            raise ParameterError("the wavemaker has no series: name a .csv file of times and heights with it")
        shortest = STEPS_PER_PERIOD / self.steps_per_second
        periods = {"tide": Tide(self.tide).period}
        if self.wavemaker in {"sine", "spectrum"}:
            periods["wavemaker"] = self.wavemaker_period
        for name, period in periods.items():
            if period < shortest:
                raise ParameterError(
                    f"{name} period {period:g} s: needed are {STEPS_PER_PERIOD} time steps, {shortest:g} s, or more; "
                    "choose a longer one, or more steps per second"
                )

    @property
    def has_driven_sides(self) -> bool:
        """Whether anything comes in."""
        return self.wavemaker != "none" or bool(self.tide)

    @property
    def driven_sides(self) -> tuple[str, ...]:
        """The sides by which anything comes in."""
        return tuple(self.wavemaker_sides.split(",")) if self.has_driven_sides else ()


WAVEMAKER_NAMES = frozenset(entry.name for entry in declarations(WavemakerParams)) - {"steps_per_second"}
"""The names of the parameters that a water has in addition if waves may come in."""


# --- changes without a jump

_T = TypeVar("_T")


class Part(NamedTuple, Generic[_T]):
    """One of those that share what comes in, and how much of it counted when the last change came."""

    weight: float
    what: _T


class Crossfade(Generic[_T]):
    """Something that changes gently: the old fades while the new comes.

    Args:
        first: what there is in the beginning.
    """

    def __init__(self, first: _T) -> None:
        self.parts: list[Part[_T]] = [Part(1.0, first)]  # the newest comes last
        self.changed_at, self.ramp, self.at_once = 0.0, 0.0, True

    @property
    def newest(self) -> _T:
        """What was asked for last."""
        return self.parts[-1].what

    def begun(self, time: float) -> _T:
        """What was asked for last, before `time` [s]."""
        return self._without_new(self.parts, time)[-1].what

    def _without_new(self, parts: list[Part[_T]], time: float) -> list[Part[_T]]:
        return parts[:-1] if self.changed_at == time and len(parts) > 1 else parts

    def change(self, what: _T, time: float, ramp: float, at_once: bool = False) -> None:
        """Go over to `what` from `time` [s] on, within `ramp` [s]; `at_once` it counts in full from the beginning."""
        old = self._without_new(self.current(time), time)
        # What hardly began, as while a slider is drawn, is left out.
        self.parts = [part for part in old if part.weight > 1e-3] + [Part(0.0, what)]
        self.changed_at, self.ramp, self.at_once = time, ramp, at_once

    def current(self, time: float) -> list[Part[_T]]:
        """All that still count at `time` [s], with their weights."""
        share = min(max((time - self.changed_at) / self.ramp, 0.0), 1.0) if self.ramp > 0.0 else 1.0
        smooth = share * share * (3.0 - 2.0 * share)
        *old, (_, newest) = self.parts
        parts = [Part((1.0 - smooth) * weight, what) for weight, what in old if smooth < 1.0]
        return [*parts, Part(1.0 if self.at_once else smooth, newest)]

    def state(self) -> dict[str, Any]:
        """Everything, as numbers and names; what fades must be a dataclass."""
        parts = [[weight, asdict(what)] for weight, what in self.parts]  # type: ignore[call-overload]
        return {"parts": parts, "changed_at": self.changed_at, "ramp": self.ramp, "at_once": self.at_once}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` gave; raises a KeyError, TypeError or ValueError where it makes no sense."""
        kind = type(self.newest)
        parts = [Part(float(weight), kind(**_with_tuples(values))) for weight, values in state["parts"]]
        numbers = float(state["changed_at"]), float(state["ramp"])
        if not parts or not all(map(math.isfinite, (*numbers, *(part.weight for part in parts)))):
            raise ValueError("a wavemaker without finite numbers")
        self.parts, self.at_once = parts, bool(state["at_once"])
        self.changed_at, self.ramp = numbers


def _with_tuples(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}


class Wavemaker:
    """What comes in, and its clock.

    Attributes:
        time: simulated time [s], as the water has really lived it.
        waves: the waves that come in.
        tide: the level of the sea outside.
    """

    def __init__(self) -> None:
        self.time = 0.0
        self.waves = Crossfade(IncomingWaves())
        self.tide = Crossfade(Tide())

    @property
    def sides(self) -> tuple[str, ...]:
        """The sides by which anything comes in now, what fades too."""
        sides = {side for part in self._waves_now for side in part.what.sides}
        sides |= {side for part in self._tides_now for side in part.what.sides}
        return tuple(side for side in SIDES if side in sides)

    def ask(self, params: WavemakerParams, origin: tuple[float, float], depth: float, gravity: float) -> None:
        """Let what `params` ask for come in from now on; a change takes a period.

        Args:
            params: of the water.
            origin: the middle of the first side, x and z [m].
            depth: mean depth of still water there [m]; without any, no waves come in.
            gravity: g [m/s²].
        """
        before = self.waves.begun(self.time)
        waves = _waves_of(params, origin, depth, gravity, self.time)
        goes_on = waves.same_as(before)
        if goes_on:
            waves = replace(waves, start=before.start)
        if waves != self.waves.newest:
            self.waves.change(waves, self.time, params.wavemaker_period, waves.begins_at_once and not goes_on)
        tide = Tide(params.tide, params.driven_sides if params.tide else ())
        if tide != self.tide.newest:
            tide_before = self.tide.begun(self.time)
            ramp = TIDE_RAMP * min(tide.period, tide_before.period)
            ramp = ramp if math.isfinite(ramp) else params.wavemaker_period
            self.tide.change(tide, self.time, ramp, tide.begins_at_once and not tide_before.text)

    def level(self, side: str) -> float:
        """Level of the sea beyond a side now [m]."""
        return sum(weight * tide.level(self.time) for weight, tide in self._tides_now if side in tide.sides)

    def waves_by(self, side: str) -> list[Part[IncomingWaves]]:
        """The waves beyond a side now, with their weights.

        The sea beyond every driven side has them, also where they run outwards: by such a side they leave unhindered,
        at any angle.
        """
        return [part for part in self._waves_now if side in part.what.sides]

    def state(self) -> dict[str, Any]:
        """Everything that changes."""
        return {"time": self.time, "waves": self.waves.state(), "tide": self.tide.state()}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` gave; raises a KeyError, TypeError or ValueError where it makes no sense."""
        self.waves.load_state(state["waves"])
        self.tide.load_state(state["tide"])
        self.time = float(state["time"])

    @property
    def _waves_now(self) -> list[Part[IncomingWaves]]:
        return self.waves.current(self.time)

    @property
    def _tides_now(self) -> list[Part[Tide]]:
        return self.tide.current(self.time)


def _waves_of(
    params: WavemakerParams, origin: tuple[float, float], depth: float, gravity: float, start: float
) -> IncomingWaves:
    sides = params.driven_sides
    if params.wavemaker == "none" or not (depth > 0.0 and gravity > 0.0):
        return IncomingWaves()
    (x, z), angle = INWARD[sides[0]], math.radians(params.wavemaker_angle)
    return IncomingWaves(
        kind=params.wavemaker,
        height=params.wavemaker_height,
        period=params.wavemaker_period,
        spreading=params.wavemaker_spreading,
        seed=params.wavemaker_seed,
        crest_time=params.wavemaker_time,
        series=params.wavemaker_series if params.wavemaker == "series" else "",
        direction=(x * math.cos(angle) - z * math.sin(angle), x * math.sin(angle) + z * math.cos(angle)),
        origin=origin,
        depth=depth,
        gravity=gravity,
        start=start,
        sides=sides,
    )

"""The wavemaker: what comes in by the sides of a grid, waves and a tide, and how both change while it runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from waterview.core.errors import ParameterError
from waterview.core.grid import Grid
from waterview.core.params import declarations, nearest, param
from waterview.core.saved import LARGEST, entry_of, made_of

from .incoming_waves import (
    KINDS,
    STEPS_PER_PERIOD,
    Array,
    Incoming,
    IncomingWaves,
    Signal,
    Tide,
    picked,
    series_text,
    tide_text,
)
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
    """Parameters of a water by whose sides waves may come in."""

    wavemaker: str = param("none", choices=tuple(KINDS), doc="Which waves come in by a side of the water.")
    wavemaker_sides: str = param(
        "west",
        choices=SIDES,
        parse=sides_text,
        syntax="several, as in west,north",
        doc="Sides by which waves come in, and all that meets them from inside leaves.",
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

    def __post_init__(self) -> None:
        """Check what several parameters must agree on.

        Raises:
            ParameterError: a series is missing, or a period is too short for the time steps.
        """
        super().__post_init__()
        if self.wavemaker == "series" and not self.wavemaker_series:
            raise ParameterError("the wavemaker has no series: name a .csv file of times and heights with it")
        if self.wavemaker in {"sine", "spectrum"}:
            _check_period("wavemaker", self.wavemaker_period, self.steps_per_second)

    @property
    def has_driven_sides(self) -> bool:
        """Whether anything comes in."""
        return self.wavemaker != "none"

    @property
    def driven_sides(self) -> tuple[str, ...]:
        """The sides by which anything comes in."""
        return tuple(self.wavemaker_sides.split(",")) if self.has_driven_sides else ()


@dataclass(frozen=True, kw_only=True)
class TidalParams(WavemakerParams):
    """Parameters of a water by whose sides waves and a tide may come in."""

    tide: str = param(
        "",
        parse=tide_text,
        is_file=True,
        syntax="AMPLITUDE:PERIOD[:PHASE] in m, s and °, several with commas, or a .csv file of times and levels",
        doc="The level of the sea beyond the wavemaker's sides, which rises and falls slowly.",
    )

    def __post_init__(self) -> None:
        """As `WavemakerParams`.

        Raises:
            ParameterError: a period is too short for the time steps.
        """
        super().__post_init__()
        _check_period("tide", Tide(self.tide).period, self.steps_per_second)

    @property
    def has_driven_sides(self) -> bool:
        """Whether anything comes in."""
        return super().has_driven_sides or bool(self.tide)


def _check_period(name: str, period: float, steps_per_second: float) -> None:
    shortest = STEPS_PER_PERIOD / steps_per_second
    if period < shortest:
        raise ParameterError(
            f"{name} period {period:g} s: needed are {STEPS_PER_PERIOD} time steps, {shortest:g} s, or more; "
            "choose a longer one, or more steps per second"
        )


WAVEMAKER_NAMES = frozenset(entry.name for entry in declarations(TidalParams)) - {"steps_per_second"}
"""The names of the parameters that a water has in addition if waves may come in."""


SINES_OUTSIDE = 32
"""Most sines by which the sea outside is drawn; those of a random sea are that many of its highest."""


# --- changes without a jump


class _Told(Protocol):
    """What may change gently: waves or a tide."""

    def check(self) -> None:
        """Raises a ParameterError or ValueError if it makes no sense."""


_T = TypeVar("_T", bound=_Told)


class Change(NamedTuple, Generic[_T]):
    """Something that was asked for.

    Attributes:
        what: was asked for.
        time: when [s].
        ramp: time within which what was before fades [s].
        at_once: whether it counts in full from the beginning; if not, it comes as the other fades.
    """

    what: _T
    time: float
    ramp: float
    at_once: bool

    def share(self, time: Array) -> Array:
        """How far it has come at times [s]: 0 to 1, without a kink."""
        share = np.clip((time - self.time) / self.ramp, 0.0, 1.0) if self.ramp > 0.0 else np.float64(time >= self.time)
        return np.asarray(share * share * (3.0 - 2.0 * share))


class Crossfade(Generic[_T]):
    """Something that changes gently: the old fades while the new comes.

    Args:
        first: what there is in the beginning.

    Attributes:
        changes: all that still count somewhere; the newest comes last.
        lag: longest time after which a change is known everywhere [s].
    """

    def __init__(self, first: _T) -> None:
        self.changes = [Change(first, 0.0, 0.0, True)]
        self.lag = 0.0

    @property
    def newest(self) -> _T:
        """What was asked for last."""
        return self.changes[-1].what

    def begun(self, time: float) -> _T:
        """What was asked for last, before `time` [s]."""
        return self.changes[-2 if self._is_new(time) else -1].what

    def _is_new(self, time: float) -> bool:
        return self.changes[-1].time == time and len(self.changes) > 1

    def change(self, what: _T, time: float, ramp: float, at_once: bool = False) -> None:
        """Go over to `what` from `time` [s] on, within `ramp` [s]; `at_once` it counts in full from the beginning."""
        # What hardly began, as while a slider is drawn, is left out.
        newest = self.changes[-1]
        if self._is_new(time) or (len(self.changes) > 1 and not newest.at_once and newest.share(np.array(time)) < 1e-3):
            del self.changes[-1]
        self.changes.append(Change(what, time, ramp, at_once))

    def settle(self, time: float) -> None:
        """Forget what has faded everywhere at `time` [s]."""
        settled = [change.time + change.ramp + self.lag <= time for change in self.changes]
        last = max((number for number, is_settled in enumerate(settled) if is_settled), default=0)
        del self.changes[:last]

    def weight(self, number: int, time: Array) -> Array:
        """How much change `number` counts at times [s] of any shape."""
        change, *later = self.changes[number:]
        weight = np.ones_like(time) if change.at_once or number == 0 else change.share(time)
        for other in later:
            weight = weight * (1.0 - other.share(time))
        return np.asarray(weight)

    def state(self) -> dict[str, Any]:
        """Everything, as numbers and names; what fades must be a dataclass."""
        changes = [[asdict(what), *rest] for what, *rest in self.changes]  # type: ignore[call-overload]
        return {"changes": changes, "lag": self.lag}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` gave; raises a KeyError or ValueError where it makes no sense."""
        kind = type(self.newest)
        changes = [
            Change(made_of(kind, values), time, ramp, at_once)
            for values, time, ramp, at_once in entry_of(state, "changes", list[tuple[Any, float, float, bool]])
        ]
        for change in changes:
            change.what.check()
        lag = entry_of(state, "lag", float, low=0.0)
        # The time since is divided by the ramp.
        if not changes or not all(change.ramp == 0.0 or change.ramp >= 1.0 / LARGEST for change in changes):
            raise ValueError("a wavemaker that changes to nothing, or within no time")
        self.changes, self.lag = changes, lag


class Places:
    """Places where waves come in.

    Args:
        x, z: in the world [m]; they broadcast.
        chosen: which of them are meant, as indices into both together laid out flat, of any shape; all if None. There
            waves have the bits that they have among all.

    Attributes:
        shape: of both together, or of `chosen`.
    """

    def __init__(self, x: Array, z: Array, chosen: NDArray[np.intp] | None = None) -> None:
        self.shape = np.broadcast_shapes(x.shape, z.shape) if chosen is None else chosen.shape
        self._xz, self._chosen = (x, z), chosen
        self._known: dict[IncomingWaves, tuple[Signal, Array]] = {}

    @classmethod
    def along(cls, side: str, grid: Grid, rows: Sequence[float], part: slice = slice(None)) -> Self:
        """Rows of places along a part of a side, shape (rows, n).

        Args:
            side: its name.
            grid: whose side it is.
            rows: in cells from the outermost points into the grid.
            part: which columns, or rows, of the grid.
        """
        across = {"west": grid.x[0], "east": grid.x[-1], "north": grid.z[0], "south": grid.z[-1]}[side]
        lines = across + sum(INWARD[side]) * grid.spacing * np.array(rows, float)[:, None]
        x, z = (grid.x[None, :], lines) if side in {"north", "south"} else (lines, grid.z[None, :])
        numbers = np.arange(x.size * z.size).reshape(np.broadcast_shapes(x.shape, z.shape))[:, part]
        return cls(x, z) if part == slice(None) else cls(x, z, numbers)

    def signals(self, wanted: Iterable[IncomingWaves]) -> Mapping[IncomingWaves, tuple[Signal, Array]]:
        """Waves at these places, and how much later than at their origin they come there [s].

        Both are remembered until they are not wanted any more.
        """
        self._known = {waves: self._known.get(waves) or self._signal(waves) for waves in wanted}
        return self._known

    def _signal(self, waves: IncomingWaves) -> tuple[Signal, Array]:
        return waves.signal(*self._xz, self._chosen), waves.delay(*picked(*self._xz, self._chosen))


def inwards(cells: NDArray[Any], side: str) -> NDArray[Any]:
    """A view of cells whose last axes are z and x: its last axes lead into the grid from a side, and along the side."""
    turned = cells if side in {"north", "south"} else cells.swapaxes(-2, -1)
    return turned if side in {"north", "west"} else turned[..., ::-1, :]


def middle(grid: Grid, side: str) -> tuple[float, float]:
    """The middle of a side, x and z [m]."""
    x, z = (grid.x[0] + grid.x[-1]) / 2.0, (grid.z[0] + grid.z[-1]) / 2.0
    across = {"west": (grid.x[0], z), "east": (grid.x[-1], z), "north": (x, grid.z[0]), "south": (x, grid.z[-1])}
    return float(across[side][0]), float(across[side][1])


def mean_depth(edge: NDArray[np.floating]) -> float:
    """Mean depth of still water along a side [m], where there is any; 0 if it is all land.

    Args:
        edge: depth of still water [m] at the outermost points along it, shape (n,).
    """
    wet = edge[edge > 0.0]
    return float(wet.mean(dtype=np.float64)) if len(wet) else 0.0


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
    def moment(self) -> tuple[object, ...]:
        """All that `level` and `waves_at` depend on: while it is the same, so are they."""
        return self.time, tuple(self.waves.changes), tuple(self.tide.changes)

    @property
    def sides(self) -> tuple[str, ...]:
        """The sides by which anything comes in now, what fades too."""
        self.waves.settle(self.time)
        self.tide.settle(self.time)
        sides = {side for change in self.waves.changes for side in change.what.sides}
        sides |= {side for change in self.tide.changes for side in change.what.sides}
        return tuple(side for side in SIDES if side in sides)

    def ask(
        self,
        params: WavemakerParams,
        origin: tuple[float, float],
        depth: float,
        gravity: float,
        reach: float = 0.0,
        dispersion: float = 0.0,
    ) -> None:
        """Let what `params` ask for come in from now on; a change takes a period.

        Args:
            params: of the water.
            origin: the middle of the first side, x and z [m].
            depth: mean depth of still water there [m]; without any, no waves come in.
            gravity: g [m/s²].
            reach: the longest way that waves run on the grid [m].
            dispersion: α of the scheme, 0 where all waves are long; see `IncomingWaves`.
        """
        before = self.waves.begun(self.time)
        waves = replace(_waves_of(params, origin, depth, gravity, self.time), dispersion=dispersion)
        goes_on = waves.same_as(before)
        if goes_on:
            waves = replace(waves, start=before.start)
        if waves != self.waves.newest:
            self.waves.change(waves, self.time, params.wavemaker_period, waves.begins_at_once and not goes_on)
            self.waves.lag = max(self.waves.lag, reach / waves.speed if waves.sides else 0.0)
        text = params.tide if isinstance(params, TidalParams) else ""
        tide = Tide(text, params.driven_sides if text else ())
        if tide != self.tide.newest:
            tide_before = self.tide.begun(self.time)
            ramp = TIDE_RAMP * min(tide.period, tide_before.period)
            ramp = ramp if math.isfinite(ramp) else params.wavemaker_period
            self.tide.change(tide, self.time, ramp, tide.begins_at_once and not tide_before.text)

    def level(self, side: str) -> float:
        """Level of the sea beyond a side now [m]."""
        fade, now = self.tide, np.array(self.time)
        tides = [(change.what, fade.weight(number, now)) for number, change in enumerate(fade.changes)]
        return float(sum(weight * tide.level(self.time) for tide, weight in tides if side in tide.sides))

    def waves_at(self, places: Places, side: str | None = None) -> Incoming:
        """The waves now, those beyond a side or all.

        The sea beyond every driven side has them, also where they run outwards: by such a side they leave unhindered,
        at any angle. A change runs with the waves.
        """
        total = Incoming(*np.zeros((3, *places.shape)))
        every = ((number, change.what) for number, change in enumerate(self.waves.changes) if change.what.sides)
        coming = [(number, waves) for number, waves in every if side is None or side in waves.sides]
        known = places.signals(waves for _, waves in coming)
        for number, waves in coming:
            signal, delay = known[waves]
            weight = self.waves.weight(number, self.time - delay)
            total = total.plus(signal(self.time).times(weight))
        return total

    def sines(self, most: int) -> NDArray[np.float32] | None:
        """The `most` highest sines of the sea outside now, as `Frame.incoming`; None without any.

        Solitary waves and series have none. A change counts as far as it has come at the origin.
        """
        found = []
        for number, change in enumerate(self.waves.changes):
            if change.what.sides:
                sines = change.what.sines(self.time)
                sines[:, 2] *= self.waves.weight(number, np.array(self.time))
                found.append(sines)
        sines = np.concatenate(found or [np.zeros((0, 4))])
        highest = np.sort(np.argsort(-sines[:, 2], kind="stable")[:most])
        return sines[highest].astype(np.float32) if len(highest) else None

    def state(self) -> dict[str, Any]:
        """Everything that changes."""
        return {"time": self.time, "waves": self.waves.state(), "tide": self.tide.state()}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` gave; raises a KeyError or ValueError where it makes no sense."""
        self.waves.load_state(entry_of(state, "waves", dict))
        self.tide.load_state(entry_of(state, "tide", dict))
        self.time = entry_of(state, "time", float)


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

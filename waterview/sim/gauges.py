"""Gauges: what the water does at chosen places, read at fixed simulated times."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waterview.core.commands import AddGauge, RemoveGauge, SetMeasured
from waterview.core.errors import InputError
from waterview.core.gauges import QUANTITIES, GaugeSeries, MeasuredSeries
from waterview.core.params import Params, nearest
from waterview.core.saved import array_of, entry_of
from waterview.waters.common.water import Observation, Water

from .interval import IntervalTimer, interval_param

MAX_GAUGES = 256
"""Most gauges in a world."""

CAPACITY = 1 << 17
"""Most readings that are kept of a gauge. When there are as many, every other one is dropped, and from then on half as
many are taken: so memory stays bounded, and the whole run stays in sight."""

_FIRST_ROOM = 256


@dataclass(frozen=True, kw_only=True)
class GaugeParams(Params):
    """How gauges measure."""

    interval: float = interval_param(
        0.0, smallest=0.01, doc="Simulated time between two readings of all gauges; 0 reads them at every step."
    )


@dataclass(eq=False)
class _Gauge:
    """A gauge: its name, its place, its readings, and which reading of all is its first."""

    name: str
    x: float
    z: float
    values: NDArray[np.float32]
    first: int
    measured: MeasuredSeries | None = None


class Gauges:
    """All gauges of a world, which are read together. Indexed by name they give what they have measured.

    Args:
        params: how they measure; None means the defaults.

    Attributes:
        params: how they measure; may be replaced between two steps.
    """

    def __init__(self, params: GaugeParams | None = None) -> None:
        self.params = params or GaugeParams()
        self._gauges: list[_Gauge] = []
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._times = np.empty(_FIRST_ROOM)
        self._count = 0  # readings that are kept
        self._timer = IntervalTimer()
        self._stride, self._due = 1, 0  # one of so many due readings is kept; how many were due since one was kept

    def __len__(self) -> int:
        return len(self._gauges)

    def __iter__(self) -> Iterator[GaugeSeries]:
        return map(self._series, self._gauges)

    def __getitem__(self, name: str) -> GaugeSeries:
        return self._series(self._named(name))

    def _series(self, gauge: _Gauge) -> GaugeSeries:
        kept = slice(gauge.first, self._count)
        surface, depth, velocity_x, velocity_z = gauge.values[:, kept]
        series = surface, depth, velocity_x, velocity_z
        return GaugeSeries(gauge.name, gauge.x, gauge.z, self._times[kept], *series, gauge.measured)

    def _named(self, name: str) -> _Gauge:
        for gauge in self._gauges:
            if gauge.name == name:
                return gauge
        names = [gauge.name for gauge in self._gauges]
        there = f"there are {', '.join(names)}{nearest(name, names)}" if names else "there are none"
        raise InputError(f"no gauge is called '{name}': {there}")

    # --- commands

    def apply(self, command: AddGauge | RemoveGauge | SetMeasured, water: Water) -> None:
        """Carry out a command; a new gauge is read at once.

        Raises:
            InputError: it cannot be done; nothing has changed.
        """
        match command:
            case AddGauge():
                self._add(command, water)
            case RemoveGauge(name):
                self._gauges.remove(self._named(name))
                if not self._gauges:
                    self._begin_anew()
            case SetMeasured(name, times, surface):
                measured = MeasuredSeries(np.array(times, np.float64), np.array(surface, np.float64))
                self._named(name).measured = measured if times else None

    def _add(self, asked: AddGauge, water: Water) -> None:
        name, x, z = asked.name, asked.x, asked.z
        if any(gauge.name == name for gauge in self._gauges):
            raise InputError(f"there are two gauges called '{name}': give each a name of its own")
        if len(self._gauges) >= MAX_GAUGES:
            raise InputError(f"the gauge '{name}': there are {MAX_GAUGES} already, the most allowed; remove one")
        point = water.grid.nearest(x, z)
        if point is None:
            left, near, (width, length) = water.grid.origin[0], water.grid.origin[2], water.grid.size
            raise InputError(
                f"the gauge '{name}' at {x:g}, {z:g} lies outside the map: allowed are x from {left:g} to "
                f"{left + width:g} m and z from {near:g} to {near + length:g} m"
            )
        if water.fixed[point[1], point[0]]:
            raise InputError(
                f"the gauge '{name}' at {x:g}, {z:g} lies on land: choose a place in the water or raise the level"
            )
        self._gauges.append(_Gauge(name, x, z, self._empty_values(), 0))
        if not self._count or self._times[self._count - 1] != water.time:
            self._read(water)
        else:  # the others were read at this time already
            self._gauges[-1].values[:, self._count - 1] = read_gauge(water, x, z)
        self._gauges[-1].first = self._count - 1

    # --- measuring

    def steps_until_due(self, steps: int, time_step: float) -> int:
        """How many of the next `steps` of `time_step` [s] come up to and with the next reading; all if none is due."""
        if not self._gauges:
            return steps
        return self._timer.steps_until_due(steps, time_step, self.params.interval)

    def note(self, water: Water, steps: int, time_step: float) -> None:
        """`steps` of `time_step` [s] were taken, no more than `steps_until_due`: read the gauges if that is due."""
        timer, interval = self._timer, self.params.interval
        if not self._gauges or not timer.count(steps, time_step, interval):
            return
        timer.elapsed = max(timer.elapsed - interval, 0.0) if timer.elapsed < 2.0 * interval else 0.0
        self._due += 1
        if self._due >= self._stride:
            self._read(water)

    def _read(self, water: Water) -> None:
        self._make_room()
        self._times[self._count] = water.time
        for gauge in self._gauges:
            gauge.values[:, self._count] = read_gauge(water, gauge.x, gauge.z)
        self._count, self._due = self._count + 1, 0

    def _make_room(self) -> None:
        """Let there be room for one more reading. Arrays that were given away are left as they are."""
        if self._count < len(self._times):
            return
        if self._count < CAPACITY:
            kept, room = slice(None), min(2 * len(self._times), CAPACITY)
        else:
            kept, room, self._stride = slice(None, None, 2), CAPACITY, 2 * self._stride
            for gauge in self._gauges:
                gauge.first = -(-gauge.first // 2)
        times = self._times[kept]
        self._times, self._count = np.concatenate((times, np.empty(room - len(times)))), len(times)
        for gauge in self._gauges:
            values = gauge.values[:, kept]
            empty = np.full((len(values), room - values.shape[1]), np.nan, np.float32)
            gauge.values = np.concatenate((values, empty), axis=1)

    def move_to(self, water: Water, *, keep: bool) -> None:
        """Go on in another water, whose time begins anew: at the same places if they are to be kept and on its map."""
        before, self._gauges = self._gauges, []
        self._begin_anew()
        for gauge in before if keep else ():
            if water.grid.nearest(gauge.x, gauge.z) is not None:
                gauge.values, gauge.first = self._empty_values(), 0
                self._gauges.append(gauge)
        if self._gauges:
            self._read(water)

    def _empty_values(self) -> NDArray[np.float32]:
        return np.full((len(QUANTITIES), len(self._times)), np.nan, np.float32)

    # --- saving

    def state(self) -> dict[str, Any]:
        """Gauges and readings as numbers, names and arrays."""
        return {
            "times": self._times[: self._count].copy(),
            "elapsed": self._timer.elapsed,
            "stride": self._stride,
            "due": self._due,
            "gauges": [
                {
                    "name": gauge.name,
                    "x": gauge.x,
                    "z": gauge.z,
                    "first": gauge.first,
                    "values": gauge.values[:, : self._count].copy(),
                    "measured": None
                    if gauge.measured is None
                    else {"times": gauge.measured.times, "surface": gauge.measured.surface},
                }
                for gauge in self._gauges
            ],
        }

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` gave.

        Raises:
            KeyError, ValueError, InputError: it makes no sense.
        """
        times, elapsed = array_of(state, "times", np.float64, (-1,)), entry_of(state, "elapsed", float, low=0.0)
        stride, due = entry_of(state, "stride", int, low=1), entry_of(state, "due", int, low=0)
        gauges = [_loaded(saved, times) for saved in entry_of(state, "gauges", list)]
        if len(times) > CAPACITY or len(gauges) > MAX_GAUGES:
            raise ValueError(f"{len(gauges)} gauges with times of shape {times.shape}")
        if len({gauge.name for gauge in gauges}) != len(gauges):
            raise ValueError("two gauges have one name")
        self._times, self._count, self._gauges = times, len(times), gauges
        self._timer.elapsed, self._stride, self._due = elapsed, stride, due
        if not self._count:
            self._begin_anew()


def _loaded(saved: object, times: NDArray[np.float64]) -> _Gauge:
    place = AddGauge(entry_of(saved, "name", str), entry_of(saved, "x", float), entry_of(saved, "z", float))
    values = array_of(saved, "values", np.float32, (len(QUANTITIES), len(times)), may_lack=True)
    first = entry_of(saved, "first", int)
    if not 0 <= first < len(times):
        raise ValueError(f"readings of shape {values.shape} from number {first} on")
    measured = entry_of(saved, "measured", dict | None)
    if measured is not None:
        # These come from anywhere, and may be any that the command allows.
        arrays = (
            array_of(measured, name, np.float64, (-1,), low=-math.inf, high=math.inf) for name in ("times", "surface")
        )
        checked = SetMeasured(place.name, *(tuple(array.tolist()) for array in arrays))
        measured = MeasuredSeries(np.array(checked.times), np.array(checked.surface))
    return _Gauge(place.name, place.x, place.z, values, first, measured)


def read_gauge(water: Water, x: float, z: float) -> tuple[float, float, float, float]:
    """Height of the surface above still water and depth [m], and velocities along x and z [m/s], at world x, z [m].

    Bilinear between those of the four points around that are wet; points beside a shore or a wall that are dry do not
    count. Where the ground stands above that surface, or no point is wet, the place is dry: the height is then that of
    the ground, depth and velocities are 0. Velocities are NaN for a model that has none.
    """
    grid = water.grid
    ground = grid.sample(water.ground, x, z) - grid.level
    ix, iz, tx, tz = grid.cell(*map(float, water.undisplaced(x, z)))
    return reading(water.observe((slice(iz, iz + 2), slice(ix, ix + 2))), ground, tx, tz)


def reading(seen: Observation, ground: float, tx: float, tz: float) -> tuple[float, float, float, float]:
    """What `read_gauge` gives, of four points.

    Args:
        seen: what is measured at them, shape (2, 2).
        ground: its height there above still water [m].
        tx: how far along the columns the gauge stands between them, 0 to 1.
        tz: how far along the rows.
    """
    along_x, along_z = np.array((1.0 - tx, tx)), np.array((1.0 - tz, tz))
    weights = np.outer(along_z, along_x) * seen.wet
    total = float(weights.sum())
    velocity = np.zeros(2) if seen.velocity is not None else np.full(2, np.nan)
    if total <= 0.0:
        return ground, 0.0, *velocity.tolist()
    surface = float((weights * np.where(seen.wet, seen.heights, 0.0)).sum()) / total
    if surface <= ground:
        return ground, 0.0, *velocity.tolist()
    if seen.velocity is not None:
        velocity = (weights * seen.velocity).sum(axis=(1, 2), dtype=np.float64) / total
    return surface, surface - ground, *velocity.tolist()

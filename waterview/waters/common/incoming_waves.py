"""Waves that come in from outside the grid, and tides: what the sea beyond a side does, as numbers over time.

A wave is told by its surface η(t, x, z) and, for its velocity, by η times the direction in which it runs. For waves
of many directions these products are summed. Everything is float64.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from waterview.core.commands import MAX_FLOW, MAX_HEIGHT
from waterview.core.errors import ParameterError

from .spectra import depth_factor, jonswap

Array = NDArray[np.float64]

COMPONENTS = 96
"""Number of sine waves that make up a random sea."""

SLOWEST, FASTEST = 0.5, 3.0
"""Lowest and highest frequency of a random sea, in frequencies of its peak."""

SOLITARY_REACH = 5.0
"""Phase of a solitary wave from its crest to where 2·10⁻⁴ of its height is left."""

LATEST = 1e10
"""Latest time of a series, and earliest below 0 [s]: three centuries."""

FASTEST_FLOW = 1e3
"""Largest velocity that a series' flow brings in [m/s], far above any on Earth: over dry ground it has no bound."""

STEPS_PER_PERIOD = 4
"""Fewest time steps in the period of a wave that comes in."""


class Incoming(NamedTuple):
    """A wave at some places at one time; all arrays have the shape of the places.

    Attributes:
        surface: its height above still water η [m].
        along_x, along_z: η times the direction in which it runs, a unit vector [m]. Where the flow is given, what takes
            the place of η gives this flow in `long_wave_velocity`.
    """

    surface: Array
    along_x: Array
    along_z: Array

    def times(self, weight: Array) -> Incoming:
        """The wave, `weight` times as high; that broadcasts."""
        return Incoming(weight * self.surface, weight * self.along_x, weight * self.along_z)

    def plus(self, other: Incoming) -> Incoming:
        """Both waves, one on the other."""
        return Incoming(*(one + two for one, two in zip(self, other, strict=True)))


@dataclass(frozen=True, kw_only=True)
class IncomingWaves:
    """Waves that are asked for, over water of an even depth.

    Attributes:
        kind: one of `KINDS`.
        height: from trough to crest [m]; of a random sea the significant height 4√m₀.
        period: of a sine wave, or of a random sea's peak [s].
        spreading: standard deviation of a random sea's directions [°].
        seed: of a random sea.
        crest_time: when the crest of a solitary wave passes the origin [s]; 0 is as soon as it comes in whole.
        series: the table of a series as text, see `series_text`.
        direction: unit vector along x and z in which the waves run.
        origin: place x, z at which their time is told [m].
        depth: of still water [m].
        gravity: g [m/s²].
        dispersion: α of a scheme in which short waves run more slowly, as ω² = gk²d(1 + (α − 1)k²d²/3)/(1 + αk²d²/3);
            0 where all waves are long. Such a scheme lets dispersion fade in inside the side (see `entering`).
        start: when they begin, in the water's time [s]; their own time is counted from it.
        sides: by which they come in.
    """

    kind: str = "none"
    height: float = 0.0
    period: float = 1.0
    spreading: float = 0.0
    seed: int = 0
    crest_time: float = 0.0
    series: str = ""
    direction: tuple[float, float] = (1.0, 0.0)
    origin: tuple[float, float] = (0.0, 0.0)
    depth: float = 1.0
    gravity: float = 9.81
    dispersion: float = 0.0
    start: float = 0.0
    sides: tuple[str, ...] = ()

    def check(self) -> None:
        """Refuse waves from a file that make no sense.

        Raises:
            ValueError: there is no such kind, a series is no table, depth, gravity or period are not above 0, or the
                dispersion is none of a scheme.
        """
        if self.kind not in KINDS or not min(self.height, self.crest_time, self.seed) >= 0.0:
            raise ValueError(f"waves of the kind {self.kind[:40]}, {self.height:g} m high")
        if not (min(self.depth, self.gravity, self.period) >= 1e-9 and math.hypot(*self.direction) <= 1.1):
            raise ValueError(f"waves of {self.period:g} s over {self.depth:g} m")
        # With 1 no wave of a high frequency has a length, see `numbers`.
        if self.dispersion and not 1.1 <= self.dispersion <= 10.0:
            raise ValueError(f"a dispersion of {self.dispersion:g}")
        if self.kind == "series" or self.series:
            _checked_series(self.series)

    @property
    def begins_at_once(self) -> bool:
        """Whether it begins as it is told, and not gently within a period."""
        return self.kind in {"none", "solitary", "series"}

    def same_as(self, other: IncomingWaves) -> bool:
        """Whether their time may be counted from the same moment: regular waves of any height, but just one series."""
        told = operator.attrgetter("height", "crest_time", "series")
        return self.kind == other.kind and (not self.begins_at_once or told(self) == told(other))

    @property
    def speed(self) -> float:
        """Speed c of the waves [m/s]: √(gd) for long ones, that of its period for a sine or a peak where it differs."""
        long_waves = math.sqrt(self.gravity * self.depth)
        if not self.dispersion or self.kind in {"none", "series"}:
            return long_waves
        if self.kind == "solitary":
            return math.sqrt(self.gravity * (self.depth + self.height))
        frequency = 2.0 * math.pi / self.period
        return frequency / float(self.numbers(np.array(frequency)))

    def numbers(self, frequency: Array) -> Array:
        """Wave numbers k [rad/m] at frequencies ω [rad/s]."""
        if not self.dispersion:
            return np.asarray(frequency / math.sqrt(self.gravity * self.depth))
        # A quadratic equation for k²d².
        square = frequency**2 * self.depth / self.gravity
        a, b = (self.dispersion - 1.0) / 3.0, 1.0 - self.dispersion * square / 3.0
        return np.asarray(np.sqrt(2.0 * square / (b + np.sqrt(b * b + 4.0 * a * square))) / self.depth)

    def entering(self, frequency: Array) -> Array:
        """How high waves of a frequency ω [rad/s] come in, of what they are to be inside: √(c_g/√(gd)).

        Dispersion fades in beside the side. By it they come in as long waves, and their flow of energy, which is
        proportional to the square of the height times the group velocity c_g, remains on the way.
        """
        if not self.dispersion:
            return np.ones_like(frequency)
        square = (self.numbers(frequency) * self.depth) ** 2 / 3.0
        above, below = 1.0 + (self.dispersion - 1.0) * square, 1.0 + self.dispersion * square
        group = np.sqrt(above / below) * (1.0 + (above - 1.0) / above - (below - 1.0) / below)
        return np.asarray(np.sqrt(group))

    def delay(self, x: Array, z: Array) -> Array:
        """How much later than at the origin they come to places x, z [m], which broadcast [s]."""
        along = self.direction[0] * (x - self.origin[0]) + self.direction[1] * (z - self.origin[1])
        return np.asarray(along / self.speed)

    def signal(self, x: Array, z: Array, chosen: NDArray[np.intp] | None = None) -> Signal:
        """The waves at places x, z [m], which broadcast, or at those `chosen` of them; see `picked`."""
        if chosen is not None and self.kind == "spectrum":
            return _spectrum(self, x, z, chosen)
        return KINDS[self.kind](self, *picked(x, z, chosen))

    def sines(self, time: float) -> Array:
        """The sines of a regular wave or a random sea at a time [s], as `Frame.incoming`, float64; none of others."""
        passed = time - self.start
        if self.kind == "sine":
            frequency = np.array([2.0 * math.pi / self.period])
            amplitude = 0.5 * self.height * self.entering(frequency)
            number, along = frequency / self.speed, np.array(self.direction)[:, None]
            phase = 0.5 * math.pi - frequency * passed
        elif self.kind == "spectrum":
            frequency, number, amplitude, ahead, along = _sines(self)
            phase = -ahead - frequency * passed
        else:
            return np.zeros((0, 4))
        kx, kz = number * along
        phase = phase - kx * self.origin[0] - kz * self.origin[1]
        return np.stack((kx, kz, amplitude, np.remainder(phase, 2.0 * math.pi)), axis=1)


def picked(x: Array, z: Array, chosen: NDArray[np.intp] | None) -> tuple[Array, Array]:
    """The `chosen` of places x, z [m], which broadcast, by their flat indices; all of them if None."""
    if chosen is None:
        return x, z
    shape = np.broadcast_shapes(x.shape, z.shape)
    there = np.unravel_index(chosen, shape)
    return np.broadcast_to(x, shape)[there], np.broadcast_to(z, shape)[there]


class Signal(Protocol):
    """Waves at given places."""

    def __call__(self, time: float) -> Incoming:
        """The waves at a time [s]."""


def _still(waves: IncomingWaves, x: Array, z: Array) -> Signal:
    nothing = np.zeros(np.broadcast_shapes(x.shape, z.shape))
    return lambda time: Incoming(nothing, nothing, nothing)


def _plane(waves: IncomingWaves, x: Array, z: Array, surface: Callable[[Array], Array]) -> Signal:
    """A wave of one direction whose `surface` depends on the time since it has passed the origin [s]."""
    (along_x, along_z), delay = waves.direction, waves.delay(x, z)

    def at(time: float) -> Incoming:
        height = surface(time - waves.start - delay)
        return Incoming(height, along_x * height, along_z * height)

    return at


def _sine(waves: IncomingWaves, x: Array, z: Array) -> Signal:
    frequency = 2.0 * math.pi / waves.period
    amplitude = 0.5 * waves.height * float(waves.entering(np.array(frequency)))
    return _plane(waves, x, z, lambda time: np.asarray(amplitude * np.sin(frequency * time)))


def _solitary(waves: IncomingWaves, x: Array, z: Array) -> Signal:
    """η = a sech²(√(3a/4d³)·c·t), c = √(g(d + a)), first order in a/d.

    With dispersion it comes in as η + d²/4 η_xx, which is `IncomingWaves.entering` for waves that are nearly long.
    """
    rate = math.sqrt(0.75 * waves.height * waves.gravity * (waves.depth + waves.height) / waves.depth**3)
    if waves.dispersion:  # as these equations have it, Serre's exact solution
        rate = math.sqrt(0.75 * waves.height * waves.gravity) / waves.depth
    curved = 0.75 * waves.height / waves.depth if waves.dispersion else 0.0
    crest_time = waves.crest_time or SOLITARY_REACH / max(rate, 1e-30)

    def surface(time: Array) -> Array:
        phase = np.minimum(rate * np.abs(time - crest_time), 300.0)
        shape = 1.0 / np.cosh(phase) ** 2
        return np.asarray(waves.height * shape * (1.0 + curved * (1.0 - 1.5 * shape)))

    return _plane(waves, x, z, surface)


def _series(waves: IncomingWaves, x: Array, z: Array) -> Signal:
    """A table's surface, interpolated; where it tells the flow too, the water moves so and not as in a long wave."""
    table = series_table(waves.series)
    times, surfaces = _with_end(table[:, 0], table[:, 1])
    if table.shape[1] < 3:
        return _plane(waves, x, z, lambda time: np.interp(time, times, surfaces, left=0.0, right=0.0))
    _, flows = _with_end(table[:, 0], table[:, 2])
    (along_x, along_z), delay = waves.direction, waves.delay(x, z)
    depth, gravity = waves.depth, waves.gravity

    def at(time: float) -> Incoming:
        passed = time - waves.start - delay
        surface = np.interp(passed, times, surfaces, left=0.0, right=0.0)
        total = np.maximum(depth + surface, 1e-3 * depth)
        velocity = np.interp(passed, times, flows, left=0.0, right=0.0) / total
        velocity = np.clip(velocity, -FASTEST_FLOW, FASTEST_FLOW)
        as_long = as_long_wave(velocity, total, depth, gravity)
        return Incoming(surface, along_x * as_long, along_z * as_long)

    return at


def long_wave_velocity(along: Array, surface: Array, depth: Array | float, gravity: float) -> Array:
    """The velocity u = 2(√(g(d + η)) − √(gd)) [m/s] of a long wave that runs one way, a simple wave.

    No wave is deeper than the water, and none moves at more than `FASTEST_FLOW`: where a tide has taken the water away,
    a flow that is given has no bound.

    Args:
        along: the surface η, or η times a component of the direction in which it runs [m].
        surface: η [m].
        depth: of the water without the wave, d [m].
        gravity: g [m/s²].
    """
    roots = np.sqrt(np.maximum(depth + surface, 0.0)) + np.sqrt(np.maximum(depth, 0.0))
    share = np.where(surface < -depth, -depth / np.minimum(surface, -1e-30), 1.0)  # of a trough, down to the floor
    velocity = 2.0 * math.sqrt(gravity) * share * along / np.maximum(roots, 1e-30)
    return np.asarray(np.clip(velocity, -FASTEST_FLOW, FASTEST_FLOW))


def as_long_wave(velocity: Array, total: Array, depth: float, gravity: float) -> Array:
    """What gives `velocity` [m/s] in the place of the surface in `long_wave_velocity`, with a total depth H [m]."""
    return np.asarray(velocity * (math.sqrt(depth) + np.sqrt(total)) / (2.0 * math.sqrt(gravity)))


def _with_end(times: Array, values: Array) -> tuple[Array, Array]:
    """A series that returns to 0 within a twentieth of its length, so that its end makes no step."""
    end = times[-1] + 0.05 * (times[-1] - times[0])
    return np.append(times, end), np.append(values, 0.0)


class _Sines(NamedTuple):
    """Sine waves of a random sea: frequency ω [rad/s], wave number k [rad/m], amplitude [m], phase [rad], shape (n,).

    `direction` is a unit vector for each, shape (2, n).
    """

    frequency: Array
    number: Array
    amplitude: Array
    phase: Array
    direction: Array


def _sines(waves: IncomingWaves) -> _Sines:
    """The waves of a random sea: a JONSWAP spectrum in water of finite depth (TMA; Bouws et al. 1985).

    Each frequency has a direction of its own, or waves of one frequency and two directions would stand still together.
    """
    random = np.random.default_rng(waves.seed)
    peak = 2.0 * math.pi / waves.period
    edges = peak * np.linspace(SLOWEST, FASTEST, COMPONENTS + 1)
    frequency = edges[:-1] + random.random(COMPONENTS) * np.diff(edges)
    energy = jonswap(frequency, peak, 1.0) * depth_factor(frequency, waves.depth, waves.gravity)
    amplitude = np.sqrt(energy / energy.sum()) * waves.height / math.sqrt(8.0)
    phase = random.uniform(0.0, 2.0 * math.pi, COMPONENTS)
    main = math.atan2(waves.direction[1], waves.direction[0])
    angle = main + math.radians(waves.spreading) * np.clip(random.standard_normal(COMPONENTS), -2.0, 2.0)
    direction = np.stack((np.cos(angle), np.sin(angle)))
    return _Sines(frequency, waves.numbers(frequency), amplitude * waves.entering(frequency), phase, direction)


def _spectrum(waves: IncomingWaves, x: Array, z: Array, chosen: NDArray[np.intp] | None = None) -> Signal:
    """A random sea: the sum of `_sines`.

    Places on one crest take their wave from the first of them. So those that are `chosen` of all places can have the
    same bits only if all are known.
    """
    frequency, number, amplitude, phase, direction = _sines(waves)
    shape, away = np.broadcast_shapes(x.shape, z.shape), (x - waves.origin[0], z - waves.origin[1])
    places, back = np.stack([np.broadcast_to(each, shape).ravel() for each in away]), np.arange(math.prod(shape))
    first = None
    if waves.spreading == 0.0:  # along a crest all is alike
        _, first, back = np.unique(np.round(direction[:, 0] @ places, 9), return_index=True, return_inverse=True)
    if chosen is not None:
        shape, (used, back) = chosen.shape, np.unique(back[chosen.ravel()], return_inverse=True)
        places = np.take(places, used, axis=1) if first is None else places[:, first[used]]
    elif first is not None:
        places = places[:, first]
    there = amplitude[:, None] * np.exp(
        1j * (phase[:, None] - number[:, None] * np.einsum("dk,dp->kp", direction, places))
    )
    weights = np.stack((np.ones(COMPONENTS), *direction))

    def at(time: float) -> Incoming:
        turned = np.exp(1j * (frequency * (time - waves.start)))
        # Not by matrix products: their last bits may depend on the number of threads.
        sums = np.einsum("wk,kp->wp", weights * turned, there, optimize=False).real
        return Incoming(*(each[back].reshape(shape) for each in sums))

    return at


KINDS: dict[str, Callable[[IncomingWaves, Array, Array], Signal]] = {
    "none": _still,
    "sine": _sine,
    "spectrum": _spectrum,
    "solitary": _solitary,
    "series": _series,
}
"""Kinds of waves that come in, by the name that users call them."""


# --- series and tides as text, so that sessions and recordings hold their numbers


def series_table(text: str) -> Array:
    """The rows of a series' text: time [s], surface [m] and perhaps flow [m²/s]."""
    return np.array([[float(value) for value in row.split()] for row in text.split(";")])


def series_text(text: str) -> str:
    """The numbers of a series as "TIME SURFACE [FLOW];…", from such a text or from the file of this name.

    Raises:
        InputError: the file cannot be read, or makes no sense (`waterview.core.series.read_series`).
        ParameterError: the numbers make no sense.
    """
    if not text.strip():
        return ""
    if ";" in text:
        return _checked_series(text)
    from waterview.core.series import read_series

    table = read_series(text)
    columns = (table.times, *list(table.columns.values())[:2])
    return _checked_series(_as_text(np.stack(columns, axis=1)))


def _checked_series(text: str) -> str:
    short = text if len(text) <= 30 else f"{text[:30]}…"
    try:
        table = series_table(text)
    except ValueError:
        table = np.empty((0, 0))
    if table.ndim != 2 or len(table) < 2 or table.shape[1] not in (2, 3):
        raise ParameterError(
            f"series '{short}': needed is a .csv file, or two or more rows TIME SURFACE [FLOW] in seconds, metres and "
            "m²/s, separated by semicolons"
        )
    for name, column, most in zip(("time", "surface", "flow"), table.T, (LATEST, MAX_HEIGHT, MAX_FLOW), strict=False):
        if not (np.abs(column) <= most).all():  # false for NaN, too
            raise ParameterError(f"series '{short}': every {name} must be a number from −{most:g} to {most:g}")
    if not (np.diff(table[:, 0]) > 0.0).all():
        late = int(np.argmax(np.diff(table[:, 0]) <= 0.0)) + 1
        raise ParameterError(
            f"series '{short}', row {late + 1}: time {table[late, 0]:g} s does not come after {table[late - 1, 0]:g} s"
        )
    return _as_text(table)


def _as_text(table: Array) -> str:
    return ";".join(" ".join(repr(float(value)) for value in row) for row in table)


@dataclass(frozen=True)
class Tide:
    """A level of the sea outside that changes slowly.

    Attributes:
        text: its constituents or its series, see `tide_text`.
        sides: beyond which the sea has this level.
    """

    text: str = ""
    sides: tuple[str, ...] = ()

    def check(self) -> None:
        """Refuse a tide from a file that makes no sense.

        Raises:
            ParameterError, ValueError: its text is no tide.
        """
        if self.text and not self._constituents:
            _checked_series(self.text)
        elif tide_text(self.text) != self.text:
            raise ValueError(f"a tide of {self.text[:40]}")

    @property
    def period(self) -> float:
        """Shortest period of its constituents [s]; infinite for a series, and without a tide."""
        return min((period for _, period, _ in self._constituents), default=math.inf)

    @property
    def begins_at_once(self) -> bool:
        """Whether it begins as it is told."""
        return not self._constituents

    def level(self, time: float) -> float:
        """Height above still water [m] at a time [s]: Σ a sin(2πt/T + φ), or a series' value; its last one remains."""
        if ";" in self.text:
            table = series_table(self.text)
            return float(np.interp(time, table[:, 0], table[:, 1]))
        return sum(a * math.sin(2.0 * math.pi * time / t + math.radians(phi)) for a, t, phi in self._constituents)

    @property
    def _constituents(self) -> list[tuple[float, float, float]]:
        return [] if ";" in self.text else _constituents(self.text)


def _constituents(text: str) -> list[tuple[float, float, float]]:
    """Amplitude [m], period [s] and phase [°] of each; raises a ValueError where they are no numbers."""
    found = []
    for part in text.split(",") if text else ():
        amplitude, period, *phase = (float(number) for number in part.split(":"))
        found.append((amplitude, period, *(phase or (0.0,))))
    return found


def tide_text(text: str) -> str:
    """A tide in its usual form: "AMPLITUDE:PERIOD:PHASE,…", or a series as `series_text`.

    Raises:
        InputError: as `series_text`.
        ParameterError: the numbers make no sense.
    """
    if ";" in text or not text.strip():
        return series_text(text)
    if ":" not in text:
        return series_text(text)
    try:
        constituents = _constituents(text)
        fine = all(
            len(each) == 3 and all(map(math.isfinite, each)) and each[1] >= 1e-3 and abs(each[0]) <= 1e4
            for each in constituents
        )
    except ValueError:
        fine = False
    if not fine:
        raise ParameterError(
            f"tide '{text}': needed are constituents AMPLITUDE:PERIOD[:PHASE] in metres, seconds and degrees "
            "with commas between them, as in 1.2:44712,0.4:43200:90, or a .csv file"
        )
    return ",".join(":".join(f"{value:.12g}" for value in each) for each in constituents)

"""Fields over a run: how high the water rose at every point, when it came, how fast it ran, what land it flooded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from waterview.core.diagnostics import FieldMap
from waterview.core.params import Params, param
from waterview.core.saved import LARGEST, array_of, entry_of
from waterview.waters.common.water import Observation, Water

from .interval import IntervalTimer, interval_param

Floats = NDArray[np.float32]

_FASTEST = 1e15  # in a file [m/s]: a thin film of water may seem to run at any speed

_ALWAYS, _WITH_FLOW = ("largest surface", "arrival time"), ("largest speed", "flooded")


@dataclass(frozen=True, kw_only=True)
class MaximaParams(Params):
    """How fields over the run are gathered."""

    interval: float = interval_param(
        0.05, smallest=0.001, doc="Simulated time between two looks at the whole water; 0 looks at every step."
    )
    threshold: float = param(
        0.01,
        unit="m",
        low=1e-6,
        high=1e3,
        step=2.0,
        scale="log",
        doc="Height above or below still water at which a wave has arrived.",
    )


class Observed(Protocol):
    """Water that can be looked at: a `Water`, or a part of one."""

    @property
    def time(self) -> float:
        """Simulated time [s]."""

    def observe(self) -> Observation:
        """What is measured at all its points now."""


class Maxima:
    """The largest values so far, looked at in fixed intervals of simulated time.

    Args:
        water: what is measured from now on.
        params: how; None means the defaults.

    Attributes:
        params: how they are gathered; may be replaced between two steps.
        surface: largest height of the surface above still water [m], shape (nz, nx) float32; NaN where there was never
            water.
        arrival: time when a wave first arrived [s], shape (nz, nx) float32: when the surface was first more than the
            threshold above or below still water, or water first reached dry ground. NaN where none came.
        flooded: points that were dry at first and that water has reached, shape (nz, nx) bool.
    """

    def __init__(self, water: Observed, params: MaximaParams | None = None) -> None:
        self.params = params or MaximaParams()
        seen = water.observe()
        shape = seen.wet.shape
        self.surface, self.arrival = np.full((2, *shape), np.nan, np.float32)
        self._squared_speed: Floats | None = None if seen.velocity is None else np.zeros(shape, np.float32)
        self.flooded = np.zeros(shape, bool)
        self._wet_at_first = np.array(seen.wet)
        self._timer = IntervalTimer()
        self.look(water)

    @property
    def speed(self) -> Floats | None:
        """Largest horizontal speed [m/s], shape (nz, nx) float32, a copy; None for a model without velocities."""
        return None if self._squared_speed is None else np.sqrt(self._squared_speed)

    # --- gathering

    def steps_until_due(self, steps: int, time_step: float) -> int:
        """How many of the next `steps` of `time_step` [s] come up to and with the next look; all if none is due."""
        return self._timer.steps_until_due(steps, time_step, self.params.interval)

    def note(self, water: Water, steps: int, time_step: float) -> None:
        """`steps` of `time_step` [s] were taken, no more than `steps_until_due`: look at the water if that is due."""
        if self._timer.count(steps, time_step, self.params.interval):
            self._timer.elapsed = 0.0
            self.look(water)

    def look(self, water: Observed) -> None:
        """Look at the water now."""
        seen = water.observe()
        np.fmax(self.surface, seen.heights, out=self.surface, where=seen.wet)
        new = seen.wet & ~self._wet_at_first
        self.flooded |= new
        come = (np.abs(seen.heights) > self.params.threshold) & seen.wet
        come |= new
        come &= np.isnan(self.arrival)
        self.arrival[come] = water.time
        if self._squared_speed is not None and seen.velocity is not None:
            along_x, along_z = seen.velocity
            np.maximum(self._squared_speed, along_x * along_x + along_z * along_z, out=self._squared_speed)

    # --- what is seen

    def field_maps(self) -> dict[str, FieldMap]:
        """The maps by name, as key V shows them."""
        maps = [
            FieldMap(_ALWAYS[0], self.surface.copy(), "m", diverging=False),
            FieldMap(_ALWAYS[1], self.arrival.copy(), "s", diverging=False),
        ]
        if self.speed is not None:
            maps.append(FieldMap(_WITH_FLOW[0], self.speed, "m/s", diverging=False))
            maps.append(FieldMap(_WITH_FLOW[1], self.flooded.copy(), "", diverging=False))
        return {field.name: field for field in maps}

    # --- saving

    def state(self) -> dict[str, Any]:
        """The fields and when they are looked at next, as numbers and arrays."""
        return {
            "surface": self.surface.copy(),
            "arrival": self.arrival.copy(),
            "squared speed": None if self._squared_speed is None else self._squared_speed.copy(),
            "flooded": self.flooded.copy(),
            "wet at first": self._wet_at_first.copy(),
            "elapsed": self._timer.elapsed,
        }

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` gave for the same water.

        Raises:
            KeyError, ValueError: it makes no sense.
        """
        arrays = {
            "surface": self.surface,
            "arrival": self.arrival,
            "flooded": self.flooded,
            "wet at first": self._wet_at_first,
        }
        if self._squared_speed is not None:
            arrays["squared speed"] = self._squared_speed
        for name, array in arrays.items():
            # Where no water or wave ever came, and there alone, nothing is known.
            low, high = (0.0, _FASTEST**2) if array is self._squared_speed else (-LARGEST, LARGEST)
            may_lack = name in ("surface", "arrival")
            array[...] = array_of(state, name, array.dtype.type, array.shape, low=low, high=high, may_lack=may_lack)
        self._timer.elapsed = entry_of(state, "elapsed", float, low=0.0)


def maxima_names(water: Water) -> tuple[str, ...]:
    """The names of the maps that `Maxima` of this water would have; none for one that cannot be looked at."""
    if not water.can_be_coupled:
        return ()
    has_flow = water.observe((slice(0, 1), slice(0, 1))).velocity is not None
    return (*_ALWAYS, *_WITH_FLOW) if has_flow else _ALWAYS


def inundation_line(maxima: Maxima, water: Water) -> NDArray[np.float64]:
    """How far the water came: world x, z and height of the ground above still water [m], shape (n, 3).

    A point lies half-way between each two neighbours along x and along z of which water has reached one; row by row.
    The largest of these heights is the run-up, but for half a cell.
    """
    grid, reached = water.grid, ~np.isnan(maxima.surface)
    ground = water.ground - grid.level
    x, z = np.broadcast_arrays(grid.x[None, :], grid.z[:, None])
    found = []
    for one, other in (((slice(None), slice(-1)), (slice(None), slice(1, None))), ((slice(-1),), (slice(1, None),))):
        ends = reached[one] != reached[other]
        middles = [0.5 * (field[one][ends] + field[other][ends].astype(np.float64)) for field in (x, z, ground)]
        found.append(np.stack(middles, axis=1))
    line = np.concatenate(found)
    return np.asarray(line[np.lexsort((line[:, 0], line[:, 1]))], np.float64)

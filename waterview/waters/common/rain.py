"""Rain: drops at random times and places, which do not depend on steps and frames."""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from waterview.core.commands import DROP_RADIUS, DROP_STEEPNESS, MAX_HEIGHT, MAX_RAIN, Drop
from waterview.core.errors import ParameterError
from waterview.core.grid import Grid

SIZE = 0.214
"""Mean radius of a rain drop, as a multiple of the usual drop's."""

SIZES = (0.3, 3.0)
"""Smallest and largest radius as multiples of the mean; their density falls like e^(−radius) (Marshall and Palmer)."""

MIN_CELLS = 2.0
"""Smallest radius [cells]: rings of finer drops would not be round."""

SPAN = 0.25
"""Simulated time [s] whose drops are drawn together, with a random generator of their own."""

_Numbers = NDArray[np.float64]


class Rain:
    """Random drops that depend on the seed alone.

    Every drop is a crest and, a little later, a trough at the same place, like a crater and its rebound: no mean motion
    is left, and rings have both signs.

    Args:
        rate: drops per second on the whole water, 0 to `MAX_RAIN`; those that fall on land have no effect.
        seed: of the random numbers.
        delay: time from a drop's crest to its trough [s]; 0 for no troughs.
        neutral: whether each drop conserves the volume of the water.

    Raises:
        ParameterError: rate or delay is not allowed.
    """

    def __init__(self, rate: float, seed: int = 0, *, delay: float = 0.1, neutral: bool = True) -> None:
        if not 0.0 <= rate <= MAX_RAIN:
            raise ParameterError(f"rain of {rate:g} drops a second: allowed are 0 to {MAX_RAIN:g}")
        if not (math.isfinite(delay) and delay >= 0.0):
            raise ParameterError(f"a delay of {delay:g} s between crest and trough: allowed are finite values from 0")
        if seed < 0:
            raise ParameterError(f"rain of the seed {seed}: allowed are whole numbers from 0")
        self.rate = rate
        self.seed = seed
        self.delay = delay
        self.neutral = neutral

    def due(self, time: float, dt: float, grid: Grid, fixed: NDArray[np.bool_]) -> list[Drop]:
        """The drops that fall from `time` to just before `time` + `dt` [s], in order.

        It has no state: the same times give the same drops, and two halves of a step those of the whole.

        Args:
            time: simulated time [s].
            dt: length of the step that begins there [s].
            grid: drops are distributed evenly over it.
            fixed: points of land, shape (nz, nx).
        """
        if self.rate == 0.0:
            return []
        found = self._between(time, time + dt, 1.0, grid, fixed)
        if self.delay > 0.0:
            found += self._between(time - self.delay, time + dt - self.delay, -1.0, grid, fixed)
            found.sort(key=lambda timed: timed[0])
        return [drop for _, drop in found]

    def _between(
        self, start: float, stop: float, sign: float, grid: Grid, fixed: NDArray[np.bool_]
    ) -> list[tuple[float, Drop]]:
        """Times after `start` at which drops of `sign` fall before `stop`, and the drops."""
        out = []
        for number in range(max(math.floor(start / SPAN), 0), math.floor(stop / SPAN) + 1):
            times, along_x, along_z, sizes = _drawn(self.seed, number, self.rate)
            for k in np.flatnonzero((times >= start) & (times < stop)):
                drop = self._drop(grid, float(along_x[k]), float(along_z[k]), sign * float(sizes[k]))
                ix, iz = grid.nearest(drop.x, drop.z) or (0, 0)
                if not fixed[iz, ix]:
                    out.append((float(times[k]) - start, drop))
        return out

    def _drop(self, grid: Grid, along_x: float, along_z: float, size: float) -> Drop:
        """A crest, or for a negative size a trough; drops finer than the grid can show are made wider, not higher."""
        x, z = grid.origin[0] + along_x * grid.size[0], grid.origin[2] + along_z * grid.size[1]
        radius = size * SIZE * DROP_RADIUS * max(grid.size)
        height = min(max(DROP_STEEPNESS * radius, -MAX_HEIGHT), MAX_HEIGHT)
        return Drop(x, z, height, max(abs(radius), MIN_CELLS * grid.spacing), self.neutral)


@functools.lru_cache(maxsize=8)
def _drawn(seed: int, number: int, rate: float) -> tuple[_Numbers, _Numbers, _Numbers, _Numbers]:
    """Times [s], places (shares of the grid along x and z) and relative sizes of the drops of one span, by time."""
    rng = np.random.default_rng([seed, number])
    times = SPAN * (number + np.sort(rng.random(rng.poisson(rate * SPAN))))
    return times, rng.random(len(times)), rng.random(len(times)), np.clip(rng.exponential(1.0, len(times)), *SIZES)

"""How many fixed steps are due, by the clock and by what steps cost on this machine."""

from __future__ import annotations

from waterview.waters.common.real_time import MAX_CATCH_UP

LONGEST_TURN = 1.0 / 30.0
"""Longest time that steps may take before the next frame [s]; a slow machine then shows slow motion, but smoothly."""

RATE_WINDOW = 0.5
"""Time over which a rate is measured [s]."""


class StepClock:
    """Turns elapsed time into fixed steps; the rest is carried over.

    After a stall, or on a machine slower than real time, at most as many steps are due as fit into `LONGEST_TURN` at
    their measured cost. Time beyond that is dropped. A fast machine catches up `MAX_CATCH_UP` steps.
    """

    def __init__(self) -> None:
        self._accumulated = 0.0
        self._costs = (0.0, 0.0)

    def steps(self, elapsed: float, time_step: float, time_scale: float = 1.0) -> int:
        """Number of steps of `time_step` [s] that are due after `elapsed` more seconds of simulated time.

        Args:
            elapsed: time that the water has to go through [s].
            time_step: of the water [s].
            time_scale: how much faster than the clock that time runs; fast forward may take more steps in a turn.
        """
        self._accumulated += elapsed
        due, most = int(self._accumulated / time_step + 1e-6), self._most(time_step, time_scale)
        if due > most:
            self._accumulated = 0.0
            return most
        self._accumulated = max(self._accumulated - due * time_step, 0.0)
        return due

    def took(self, steps: int, seconds: float) -> None:
        """Report how long `steps` took [s]."""
        if steps > 0:
            self._costs = self._costs[1], seconds / steps

    @property
    def cost(self) -> float:
        """What a step takes [s]; 0 before it is known."""
        return min(self._costs)  # a single turn may include compiling, or waiting for the processor

    def _most(self, time_step: float, time_scale: float) -> int:
        wanted, cost = max(MAX_CATCH_UP, int(max(time_scale, 1.0) * LONGEST_TURN / time_step)), self.cost
        return wanted if cost * wanted <= LONGEST_TURN else max(int(LONGEST_TURN / cost), 1)

    def until_next(self, time_step: float) -> float:
        """Time until the next step is due [s]."""
        return max(time_step - self._accumulated, 0.0)


class Meter:
    """Measures the rate of events over the last `RATE_WINDOW`."""

    def __init__(self) -> None:
        self.rate = 0.0
        self._count = 0
        self._since = 0.0

    def count(self, events: int, now: float) -> None:
        """Add `events` at time `now` [s]."""
        self._count += events
        if now - self._since >= RATE_WINDOW:
            self.rate = self._count / (now - self._since) if self._since else 0.0
            self._count, self._since = 0, now

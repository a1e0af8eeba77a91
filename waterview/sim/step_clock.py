"""How many steps are due, by the clock and by what steps cost on this machine; and how many were taken."""

from __future__ import annotations

from waterview.waters.common.real_time import MAX_CATCH_UP

LONGEST_TURN = 1.0 / 30.0
"""Longest time that steps may take until the next frame [s]: on a slow machine time runs slower, but smoothly."""

RATE_WINDOW = 0.5
"""Time over which a rate is told [s]."""


class StepClock:
    """Turns elapsed time into whole fixed steps.

    After a stall, and where the machine is slower than time, no more are taken at once than `LONGEST_TURN` allows, by
    what steps have cost so far; what is due beyond that is let go. A machine that is quick catches up `MAX_CATCH_UP`.
    """

    def __init__(self) -> None:
        self._banked = 0.0
        self._costs = (0.0, 0.0)

    def steps(self, elapsed: float, time_step: float) -> int:
        """Number of steps of `time_step` [s] that are due after `elapsed` more seconds."""
        self._banked += elapsed
        due, most = int(self._banked / time_step + 1e-6), self._most(time_step)
        if due > most:
            self._banked = 0.0
            return most
        self._banked = max(self._banked - due * time_step, 0.0)
        return due

    def took(self, steps: int, seconds: float) -> None:
        """Note what `steps` have cost [s]."""
        if steps > 0:
            self._costs = self._costs[1], seconds / steps

    def _most(self, time_step: float) -> int:
        wanted = max(MAX_CATCH_UP, int(LONGEST_TURN / time_step))
        cost = min(self._costs)  # one turn may have had to compile, or to wait for the processor
        return wanted if cost * wanted <= LONGEST_TURN else max(int(LONGEST_TURN / cost), 1)

    def until_next(self, time_step: float) -> float:
        """Time until the next step is due [s]."""
        return max(time_step - self._banked, 0.0)


class Meter:
    """Counts events and tells their rate over the last half second."""

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

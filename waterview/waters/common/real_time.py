"""A water that runs in real time in a thread of the caller (Bressler 2007, §4.5).

The viewer does not use it: `waterview.sim.loop` steps a whole world and never makes the window wait.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from threading import Event

from waterview.core.errors import ParameterError

MAX_CATCH_UP = 8
"""Most steps that are taken at once after a stall."""

_LONGEST_REST = 0.1


class RealTime(ABC):
    """Turns time into fixed steps: a given time, or the time that passes until `kill`."""

    def __init__(self) -> None:
        self._banked = 0.0
        self._killed = Event()
        self._ended = Event()
        self._ended.set()

    @property
    @abstractmethod
    def time_step(self) -> float:
        """Length Δt of one step [s]."""

    @abstractmethod
    def advance(self, steps: int) -> None:
        """Take `steps` fixed time steps."""

    def simulate(self, seconds: float) -> int:
        """Add `seconds` to the time that is not simulated yet, and take the fixed steps that fit; returns their number.

        Raises:
            ParameterError: `seconds` is negative or not finite.
        """
        if not (math.isfinite(seconds) and seconds >= 0.0):
            raise ParameterError(f"{seconds} s to simulate: allowed are finite values of 0 or more")
        self._banked += seconds
        # A thousandth of a step may be missing, or sums of decimal fractions would lose a step now and then.
        steps = int(self._banked / self.time_step + 1e-3)
        self.advance(steps)
        self._banked = max(self._banked - steps * self.time_step, 0.0)
        return steps

    def run(self) -> None:
        """Simulate in real time until `kill`; meant to be a thread's target.

        After a stall of any length at most `MAX_CATCH_UP` steps are caught up. Errors of a step are raised here.
        """
        self._ended.clear()
        last = self.time_stamp()
        try:
            while not self._killed.is_set():
                now = self.time_stamp()
                self.acquire_lock()
                try:
                    steps = self.simulate(min(now - last, MAX_CATCH_UP * self.time_step))
                finally:
                    self.release_lock()
                last = now
                if steps:
                    self.slowdown()
        finally:
            self._killed.clear()
            self._ended.set()

    def kill(self) -> None:
        """End `run`; when this returns, `run` has left its loop and the water may be used freely.

        A `run` that another thread is about to enter ends at once.
        """
        self._killed.set()
        self._ended.wait()

    def acquire_lock(self) -> None:
        """Acquire the mutex between `run` and other threads; does nothing unless a subclass has one."""

    def release_lock(self) -> None:
        """Release the mutex of `acquire_lock`."""

    def slowdown(self) -> None:
        """Called by `run` after steps, to spare the processor: waits for the next step, for 0.1 s at most.

        `kill` ends the wait.
        """
        self._killed.wait(min(max(self.time_step - self._banked, 0.0), _LONGEST_REST))

    def time_stamp(self) -> float:
        """The present time [s], from a clock that never runs backwards."""
        return time.monotonic()

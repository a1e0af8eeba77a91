"""The simulation's loop without a thread: it turns between the window's pictures, where the card can be used."""

from __future__ import annotations

import math

from waterview.core.commands import Command
from waterview.core.frame import Frame
from waterview.gpu.water import GpuWaveWater
from waterview.sim.loop import Preparation, RunningWorld, Simulation


class FrameLoop(Simulation):
    """A `Simulation` that goes on whenever its newest frame is asked for, on the thread that asks.

    Args as `Simulation`. Waters that hold something on the card are freed when others take their place, and at the end.
    """

    _last: float | None = None

    def start(self) -> None:
        """Let time go on from here."""
        self._last = self._clock()

    def kill(self, patience: float = math.inf) -> bool:
        """Take no more steps; there is nothing to wait for."""
        if self._last is not None:
            self._last = None
            for running in self._running:
                if isinstance(running.world.water, GpuWaveWater):
                    running.world.water.release()
        return True

    def prepare(self, work: Preparation) -> None:
        """Let nothing wait: there are no bodies on the card."""

    def latest(self, water: int = 0) -> Frame:
        """Take the steps that are due; the newest frame.

        Raises:
            SimulationError: a model failed, which is the cause of this one.
        """
        if self._last is not None and self._error is None:
            try:
                self._last = self.turn(self._last)
            except Exception as error:
                self._error = error
        return super().latest(water)

    def _apply(self, running: RunningWorld, command: Command) -> None:
        was = running.world.water
        super()._apply(running, command)
        if running.world.water is not was and isinstance(was, GpuWaveWater):
            was.release()

"""What is done again and again in fixed intervals of simulated time, whatever the time step."""

from __future__ import annotations

from typing import Any

from waterview.core.params import param


def interval_param(default: float, *, smallest: float, doc: str) -> Any:
    """Declare an interval of simulated time [s] among the `Params` of what is done in it; 0 stands for every step.

    Args:
        default: the interval if none is given [s].
        smallest: the shortest that the panel offers above 0 [s].
        doc: what happens in it.
    """
    return param(default, unit="s", low=0.0, high=3600.0, step=2.0, scale="log", smallest=smallest, doc=doc)


class IntervalTimer:
    """Counts simulated time until something is due.

    Attributes:
        elapsed: simulated time since it was due [s]; whoever has done what was due sets it back.
    """

    def __init__(self) -> None:
        self.elapsed = 0.0

    def steps_until_due(self, steps: int, time_step: float, interval: float) -> int:
        """How many of the next `steps` of `time_step` [s] come up to and with the next that is due; all if none is."""
        elapsed = self.elapsed
        for taken in range(1, steps):
            elapsed += time_step
            if _is_due(elapsed, interval):
                return taken
        return steps

    def count(self, steps: int, time_step: float, interval: float) -> bool:
        """`steps` of `time_step` [s] were taken, no more than `steps_until_due`: whether it is due now."""
        for _ in range(steps):  # one by one: so sums have the same bits however many steps are taken together
            self.elapsed += time_step
        return _is_due(self.elapsed, interval)


def _is_due(elapsed: float, interval: float) -> bool:
    # A millionth of an interval may be missing, or sums of decimal fractions would lose a step now and then.
    return elapsed >= interval * (1.0 - 1e-6)

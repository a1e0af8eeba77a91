"""How fast the wave step is beside the naive numba loop, in one process.

Run it as `python benchmarks/wave_step.py`. The work is the damped nine-point step in float32 with some 6 % fixed
points and zeros outside, on one thread. The programs take turns, so that a machine that slows down slows them all;
ratios hold better than figures. GCUPS are thousand millions of points stepped a second.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numba
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from waterview.kernels.layout import TwoLevels
from waterview.kernels.wave import advance, free_points

KAPPA, COURANT = 0.002, 0.4
WORK = 3e7  # points a turn, so that a turn takes some milliseconds


@numba.njit(nogil=True)
def naive_step(h, before, fixed, keep, gain):  # type: ignore[no-untyped-def]
    """The step as one would first write it: two plain loops over arrays with one row and column of zeros around."""
    half, six, zero = np.float32(0.5), np.float32(6.0), np.float32(0.0)
    for i in range(1, h.shape[0] - 1):
        for j in range(1, h.shape[1] - 1):
            c = h[i, j]
            sides = h[i, j - 1] + h[i, j + 1] + h[i - 1, j] + h[i + 1, j]
            corners = h[i - 1, j - 1] + h[i - 1, j + 1] + h[i + 1, j - 1] + h[i + 1, j + 1]
            after = c + keep * (c - before[i, j]) + gain * (sides + half * corners - six * c)
            before[i, j] = zero if fixed[i - 1, j - 1] else after


def start(n: int) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Random heights and a few islands with smooth shores on n × n points."""
    z, x = np.mgrid[:n, :n] / n
    fixed = np.sin(9.0 * x) + np.sin(7.0 * z) + 0.3 * np.sin(40.0 * x * z) > 1.75
    heights = np.where(fixed, 0.0, np.random.default_rng(0).uniform(-0.1, 0.1, (n, n)))
    return heights.astype(np.float32), fixed


class Naive:
    """The naive loop, one call a step."""

    def __init__(self, n: int) -> None:
        heights, self.fixed = start(n)
        self.now = np.pad(heights, 1)
        self.before = self.now.copy()

    def run(self, steps: int) -> None:
        """Take `steps` steps."""
        keep, gain = np.float32(1.0 - KAPPA), np.float32(COURANT**2)
        for _ in range(steps):
            naive_step(self.now, self.before, self.fixed, keep, gain)
            self.now, self.before = self.before, self.now

    def heights(self) -> NDArray[np.float32]:
        """The newest heights, shape (n, n)."""
        return self.now[1:-1, 1:-1]


class Ours:
    """waterview's step, `together` steps a call."""

    def __init__(self, n: int, together: int) -> None:
        heights, fixed = start(n)
        self.field, self.free, self.together = TwoLevels((n, n)), free_points(fixed), together
        self.field.heights[...] = self.field.heights_before[...] = heights

    def run(self, steps: int) -> None:
        """Take `steps` steps, a multiple of `together`."""
        n = self.together
        for _ in range(steps // n):
            advance(self.field, self.free, stencil="nine-point", border="zero", kappa=KAPPA, courant=COURANT, steps=n)

    def heights(self) -> NDArray[np.float32]:
        """The newest heights, shape (n, n)."""
        return self.field.heights


def seconds(work: Callable[[], None]) -> float:
    """How long `work` takes [s]."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def measure(n: int, turns: int) -> list[float]:
    """Median GCUPS of the naive loop, ours a step a call, and ours eight steps a call, on n × n points."""
    programs: list[Naive | Ours] = [Naive(n), Ours(n, 1), Ours(n, 8)]
    steps = max(8, round(WORK / n**2 / 8) * 8)
    times: list[list[float]] = [[] for _ in programs]
    for turn in range(turns + 1):
        for program, taken in zip(programs, times, strict=True):
            elapsed = seconds(lambda program=program: program.run(steps))  # type: ignore[misc]
            if turn:  # the first compiles and warms up
                taken.append(elapsed)
    for program in programs[1:]:
        np.testing.assert_allclose(program.heights(), programs[0].heights(), atol=1e-4)
    return [n * n * steps / statistics.median(taken) / 1e9 for taken in times]


def main() -> None:
    """Measure the sizes asked for and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[256, 512, 1024, 2048], metavar="N")
    parser.add_argument("--turns", type=int, default=9, help="turns each; the median is printed")
    options = parser.parse_args()
    table = Table(title=f"damped nine-point step, float32, one thread, median of {options.turns} turns, GCUPS")
    for heading in ("points", "naive loop", "waterview", "ratio", "8 steps a call", "ratio"):
        table.add_column(heading, justify="right")
    for n in options.sizes:
        naive, single, eight = measure(n, options.turns)
        cells = f"{n} × {n}", f"{naive:.2f}", f"{single:.2f}", f"{single / naive:.2f}", f"{eight:.2f}"
        table.add_row(*cells, f"{eight / naive:.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()

"""How fast the wave step is beside the naive numba loop, and what still water, ragged coasts and memory cost.

Run it as `python benchmarks/wave_step.py`. The work is the damped nine-point step in float32 with some 6 % fixed
points and zeros outside. The programs take turns, so that a machine that slows down slows them all; ratios hold better
than figures. GCUPS are thousand millions of points stepped a second.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tracemalloc

import numba
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from waterview.simd.layout import TwoLevels
from waterview.tools.bench import scene, seconds
from waterview.waters import WaveEquationWater
from waterview.waters.common.active_tiles import ActiveTiles
from waterview.waters.common.borders import Sides
from waterview.waters.common.published_surface import PublishedSurfaces
from waterview.waters.wave.domain import Domain
from waterview.waters.wave.step import advance

DAMPING, COURANT = 0.002, 0.4
RULES = {"stencil": "nine-point", "damping": DAMPING, "courant": COURANT}
STILL_WATER = Sides(*["zero"] * 4)
WORK = 3e7  # points a turn, so that a turn takes some milliseconds
BLOCK = 32  # steps a call at the most
SHOWN_STEPS = 2  # steps to a frame, as at 120 steps and 60 frames a second


# --- beside the naive loop


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


class Naive:
    """The naive loop, one call a step."""

    def __init__(self, n: int) -> None:
        heights, self.fixed = scene(n)
        self.now = np.pad(heights, 1)
        self.before = self.now.copy()

    def run(self, steps: int) -> None:
        """Take `steps` steps."""
        keep, gain = np.float32(1.0 - DAMPING), np.float32(COURANT**2)
        for _ in range(steps):
            naive_step(self.now, self.before, self.fixed, keep, gain)
            self.now, self.before = self.before, self.now

    def heights(self) -> NDArray[np.float32]:
        """The newest heights, shape (n, n)."""
        return self.now[1:-1, 1:-1]


class Ours:
    """waterview's step on n × n points, `together` steps a call; fixed points at 0 or walls."""

    def __init__(
        self, n: int, together: int, threads: int, fixed: NDArray[np.bool_] | None = None, shore: str = "zero"
    ) -> None:
        heights, usual = scene(n)
        fixed = usual if fixed is None else fixed
        self.field, self.together, self.threads = TwoLevels((n, n)), together, threads
        self.domain, self.tiles = Domain(fixed, STILL_WATER, shore), ActiveTiles((n, n))
        self.field.heights[...] = self.field.heights_before[...] = np.where(fixed, 0.0, heights)

    def run(self, steps: int) -> None:
        """Take `steps` steps."""
        for taken in range(0, steps, self.together):
            together = min(self.together, steps - taken)
            advance(self.field, self.domain, **RULES, steps=together, threads=self.threads, tiles=self.tiles)  # type: ignore[arg-type]

    def heights(self) -> NDArray[np.float32]:
        """The newest heights, shape (n, n)."""
        return self.field.heights


def medians(programs: list[Naive | Ours], steps: int, turns: int) -> list[float]:
    """Median time of each for `steps` steps [s]; they take turns, and the first, which compiles, does not count."""
    times = [[seconds(lambda program=program: program.run(steps)) for program in programs] for _ in range(turns + 1)]  # type: ignore[misc]
    return [statistics.median(taken) for taken in zip(*times[1:], strict=True)]


def rates(n: int, turns: int, threads: int) -> list[float]:
    """GCUPS of the naive loop and of ours, 1, 8 and 32 steps a call, on n × n points."""
    programs: list[Naive | Ours] = [Naive(n), *(Ours(n, together, threads) for together in (1, 8, BLOCK))]
    steps = max(BLOCK, round(WORK / n**2 / BLOCK) * BLOCK)
    taken = medians(programs, steps, turns)
    for program in programs[1:]:
        np.testing.assert_allclose(program.heights(), programs[0].heights(), atol=1e-4)
    return [n * n * steps / each / 1e9 for each in taken]


def print_rates(console: Console, sizes: list[int], turns: int, threads: int) -> None:
    """A table of `rates`."""
    table = Table(title=f"damped nine-point step, float32, {threads} thread(s), median of {turns} turns, GCUPS")
    headings = [cell for together in (1, 8, BLOCK) for cell in (f"{together} a call", "ratio")]
    for heading in ("points", "naive loop", *headings):
        table.add_column(heading, justify="right")
    for n in sizes:
        naive, *ours = rates(n, turns, threads)
        table.add_row(f"{n}²", f"{naive:.2f}", *(f"{each:.2f}" for rate in ours for each in (rate, rate / naive)))
    console.print(table)


# --- frames


class Shown(Ours):
    """As `Ours`, with a surface after every so many steps: with the last of them, in a pass of its own, or none."""

    def __init__(self, n: int, threads: int, how: str) -> None:
        super().__init__(n, SHOWN_STEPS, threads, np.zeros((n, n), bool))
        self.how, self.surfaces = how, PublishedSurfaces((n, n), 1.0 / n, self.tiles)

    def run(self, steps: int) -> None:
        """Take `steps` steps."""
        rules = {**RULES, "steps": SHOWN_STEPS, "threads": self.threads, "tiles": self.tiles}
        for _ in range(0, steps, SHOWN_STEPS):
            if self.how == "with":
                with self.surfaces.written_ahead() as surface:
                    advance(self.field, self.domain, **rules, surface=surface)  # type: ignore[arg-type]
            else:
                advance(self.field, self.domain, **rules)  # type: ignore[arg-type]
            if self.how != "none":
                self.surfaces.copy(self.field)


def print_frames(console: Console, sizes: list[int], turns: int) -> None:
    """A table of what a frame costs beside its steps, in a pass of its own and with the last step."""
    table = Table(title=f"heights and slopes of a frame every {SHOWN_STEPS} steps, median of {turns} turns, ms a frame")
    for heading in ("points", "threads", "steps alone", "and a pass", "with the last", "ratio"):
        table.add_column(heading, justify="right")
    for n in sizes:
        frames = max(3, round(WORK / n**2))
        for threads in range(1, numba.config.NUMBA_NUM_THREADS + 1):
            programs: list[Naive | Ours] = [Shown(n, threads, how) for how in ("none", "apart", "with")]
            alone, apart, together = (1e3 * taken / frames for taken in medians(programs, SHOWN_STEPS * frames, turns))
            figures = (f"{each:.3f}" for each in (alone, apart, together))
            table.add_row(f"{n}²", str(threads), *figures, f"{together / apart:.2f}")
    console.print(table)


# --- where little moves, where land is ragged, and memory


def resting_share(n: int, turns: int, threads: int) -> float:
    """Time of a step where 1 % of n × n points move, as a share of one where all do."""
    moving, resting = Ours(n, BLOCK, threads), Ours(n, BLOCK, threads)
    inside = slice(int(0.45 * n), int(0.55 * n))
    patch = moving.field.heights[inside, inside].copy()
    times = []
    for _ in range(turns + 1):
        # Anew each time: waves run on, and more and more water would move.
        for level in (resting.field.heights, resting.field.heights_before):
            level[...] = 0.0
        resting.tiles.wake()
        resting.run(BLOCK)  # sees that nothing moves
        for level in (resting.field.heights, resting.field.heights_before):
            level[inside, inside] = patch
        resting.tiles.wake(inside, inside)
        times.append((seconds(lambda: moving.run(BLOCK)), seconds(lambda: resting.run(BLOCK))))
    full, still = (statistics.median(taken) for taken in zip(*times[1:], strict=True))
    return still / full


def islands(n: int) -> NDArray[np.bool_]:
    """A thousand ragged islands on n × n points, 30 % of them: where blurred noise is highest."""
    noise = np.random.default_rng(0).standard_normal((n, n))
    waves = np.hypot(np.fft.fftfreq(n)[:, None], np.fft.rfftfreq(n)[None, :])
    blurred = np.fft.irfft2(np.fft.rfft2(noise) * np.exp(-((waves * n / 40.0) ** 2)), (n, n))
    blurred += 0.15 * blurred.std() * noise
    return np.asarray(blurred > np.quantile(blurred, 0.7), bool)


def islands_shares(n: int, turns: int, threads: int) -> list[float]:
    """Rates with a thousand ragged islands as shares of that of open water: fixed points at 0, and walls."""
    programs: list[Naive | Ours] = [Ours(n, BLOCK, threads, np.zeros((n, n), bool))]
    programs += [Ours(n, BLOCK, threads, islands(n), shore) for shore in ("zero", "no-flux")]
    free, *ragged = medians(programs, BLOCK * 4, turns)
    return [free / each for each in ragged]


def print_memory(n: int) -> None:
    """Print what a wave equation of n × n points keeps, in float32 fields, and the peak of this process."""
    water = WaveEquationWater(1.0, 1.0, n)
    water.advance(1)  # compiles
    del water  # one at a time: the peak is to be that of one
    tracemalloc.start()
    water = WaveEquationWater(1.0, 1.0, n)
    water.set_ground(water.ground + np.float32(0.5) * scene(n)[1], water.walls)
    water.set_height(n // 2, n // 2, 1e-4)
    water.advance(2 * BLOCK)
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    water.advance(1, shown=True)
    water.publish(1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"memory at {n}²: the water keeps {kept / (4 * n * n):.2f} float32 fields (allowed 4), and a process")
    print(f"that steps it and publishes a frame has a peak of {peak:.0f} MB (allowed 700)")


def main() -> None:
    """Measure what is asked for and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[256, 512, 1024, 2048], metavar="N")
    parser.add_argument("--large", type=int, default=4096, metavar="N", help="size for still water and memory")
    parser.add_argument("--threads", type=int, default=1, metavar="N")
    parser.add_argument("--turns", type=int, default=9, help="turns each; the median is printed")
    parser.add_argument("--frames", action="store_true", help="print frames only")
    parser.add_argument("--memory", action="store_true", help="print memory only")
    options = parser.parse_args()
    if options.memory:
        print_memory(options.large)
        return
    console, turns, threads = Console(), options.turns, options.threads
    if options.frames:
        print_frames(console, [*options.sizes, options.large], turns)
        return
    print_rates(console, options.sizes, turns, threads)
    print_frames(console, [*options.sizes, options.large], turns)
    resting = resting_share(options.large, turns, threads)
    console.print(f"1 % of {options.large}² moving: {100 * resting:.1f} % of the full cost (allowed 4 %)")
    held, walls = islands_shares(1024, turns, threads)
    console.print(
        f"a thousand islands, 30 % of 1024²: {100 * held:.0f} % of the open water's rate (at least 70 %), ", end=""
    )
    console.print(f"and {100 * walls:.0f} % where they are walls")
    subprocess.run([sys.executable, __file__, "--memory", "--large", str(options.large)], check=True)


if __name__ == "__main__":
    main()

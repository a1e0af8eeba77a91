"""What each optimisation of the wave step brings: the speed with all of them, and with each one left out.

Run it as `python benchmarks/ablation.py` on an idle machine. The work is the damped nine-point step in float32 with
some 6 % fixed points and the border `zero`. All variants of a table run in one process and take turns; the table shows
medians. A share of 0.5 means: without this optimisation the step is half as fast. `docs/performance.md` has the figures
and says which optimisations were removed because they brought too little.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numba
import numpy as np
from rich.console import Console
from rich.table import Table
from wave_step import BLOCK, RULES, SHOWN_STEPS, Naive, Ours, Shown, resting_share

from waterview.simd.layout import TwoLevels
from waterview.simd.processor import WIDTHS
from waterview.tools.bench import seconds
from waterview.waters.common.active_tiles import ActiveTiles
from waterview.waters.common.borders import Sides
from waterview.waters.wave import domain
from waterview.waters.wave.domain import Domain
from waterview.waters.wave.step import advance

PAGE = Path(__file__).resolve().parent.parent / "docs" / "performance.md"
WORK = 6e7
"""Points stepped a turn, so that a turn takes several milliseconds."""


class Variant(Ours):
    """The step with other arguments than usual.

    Args:
        n: points along a side.
        threads: how many to use.
        together: steps a call.
        tiles: whether tiles at rest are left out.
        sides: the kinds of the borders: north, south, west, east.
        rules: arguments of `advance`: `depth`, `vector_width`.
    """

    def __init__(
        self,
        n: int,
        threads: int,
        together: int = BLOCK,
        tiles: bool = True,
        sides: tuple[str, str, str, str] = ("zero",) * 4,
        **rules: Any,
    ) -> None:
        super().__init__(n, together, threads)
        self.domain = Domain(self.domain.fixed, Sides(*sides), "zero")
        self.rules = {**RULES, **rules, "threads": threads, "tiles": self.tiles if tiles else None}

    def run(self, steps: int) -> None:
        """Take `steps` steps."""
        for taken in range(0, steps, self.together):
            advance(self.field, self.domain, **self.rules, steps=min(self.together, steps - taken))


class OneRow:
    """The step without `ROWS` rows at once: in a process of its own, for the number is a constant of compiled code.

    Args:
        n: points along a side.
        threads: how many to use.
    """

    def __init__(self, n: int, threads: int) -> None:
        program = [sys.executable, __file__, "--one-row", str(n), str(threads)]
        kept = tempfile.mkdtemp()  # or the kernels of every other program would be compiled for one row
        self.process = subprocess.Popen(
            program,
            env=os.environ | {"NUMBA_CACHE_DIR": kept},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, steps: int) -> None:
        """Take `steps` steps."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(f"{steps}\n")
        self.process.stdin.flush()
        self.process.stdout.readline()


def serve_one_row(n: int, threads: int) -> None:
    """What the process of `OneRow` does: take as many steps as each line asks for, and answer when they are taken."""
    domain.ROWS = 1
    program = Variant(n, threads)
    for line in sys.stdin:
        program.run(int(line))
        print(flush=True)


def variants(n: int, threads: int) -> dict[str, Naive | Ours | OneRow]:
    """Every variant of the step by what the table calls it; the first has everything."""
    widest = max(WIDTHS)
    return {
        "everything": Variant(n, threads),
        **{f"temporal blocking: {depth} steps a sweep": Variant(n, threads, depth=depth) for depth in (16, 8, 4, 2)},
        "no temporal blocking: 1 step a sweep": Variant(n, threads, depth=1),
        **{f"{steps} steps a call": Variant(n, threads, together=steps) for steps in (8, 2)},
        "1 step a call": Variant(n, threads, together=1),
        **{f"vectors of {width} floats": Variant(n, threads, vector_width=width) for width in WIDTHS if width < widest},
        "one row at a time": OneRow(n, threads),
        "numba, naive loops on one thread: nothing of all this": Naive(n),
        "no sleeping tiles, all water moving": Variant(n, threads, tiles=False),
        "open sides (perfectly matched layers)": Variant(n, threads, sides=("open",) * 4),
    }


Clock = Callable[[], float]


def medians(programs: Sequence[Naive | Ours | OneRow], steps: int, turns: int, clock: Clock) -> list[float]:
    """Median time of each for `steps` steps [s]; they take turns, and the first, which compiles, does not count."""
    times: list[list[float]] = [[] for _ in programs]
    for _ in range(turns + 1):
        for program, taken in zip(programs, times, strict=True):
            start = clock()
            program.run(steps)
            taken.append(clock() - start)
    return [statistics.median(taken[1:]) for taken in times]


def step_shares(n: int, threads: int, turns: int, clock: Clock) -> tuple[float, dict[str, float]]:
    """The speed with everything [10⁹ points a second], and that of every variant as a share of it."""
    programs = variants(n, threads)
    if clock is not time.perf_counter:
        del programs["one row at a time"]  # another process, of whose time this one's clock knows nothing
    steps = max(BLOCK, round(WORK / n**2 / BLOCK) * BLOCK)
    times = dict(zip(programs, medians(list(programs.values()), steps, turns, clock), strict=True))
    return n * n * steps / times["everything"] / 1e9, {name: times["everything"] / each for name, each in times.items()}


def surface_share(n: int, threads: int, turns: int, clock: Clock) -> float:
    """Speed of two steps and a frame where the frame's surface takes a pass of its own, as a share of the usual."""
    frames = max(3, round(WORK / n**2 / SHOWN_STEPS))
    apart, together = medians([Shown(n, threads, how) for how in ("apart", "with")], frames * SHOWN_STEPS, turns, clock)
    return together / apart


def call_cost(turns: int) -> float:
    """Time of a call that takes one step of 16 × 16 points on one thread [s]: hardly more than the call itself."""
    field, domain, tiles = (
        TwoLevels((16, 16)),
        Domain(np.zeros((16, 16), bool), Sides(*["zero"] * 4)),
        ActiveTiles((16, 16)),
    )

    def calls() -> None:
        for _ in range(1000):
            advance(field, domain, **RULES, threads=1, tiles=tiles)  # type: ignore[arg-type]

    calls()
    return float(np.median([seconds(calls) for _ in range(turns)])) / 1000


def main() -> None:
    """Measure and print what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[512, 2048], metavar="N")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], metavar="N")
    parser.add_argument("--turns", type=int, default=9, help="turns each; the median is printed")
    parser.add_argument("--docs", action="store_true", help=f"write the table into {PAGE.name}")
    parser.add_argument("--busy", action="store_true", help="count processor time, on one thread: for a busy machine")
    parser.add_argument("--one-row", type=int, nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one_row:
        serve_one_row(*options.one_row)
        return
    clock = time.thread_time if options.busy else time.perf_counter
    threads = [1] if options.busy else [each for each in options.threads if each <= numba.config.NUMBA_NUM_THREADS]
    columns = [(n, each) for n in options.sizes for each in threads]
    rows: dict[str, list[str]] = {}
    for n, each in columns:
        speed, shares = step_shares(n, each, options.turns, clock)
        rows.setdefault("everything: 10⁹ points a second", []).append(f"{speed:.1f}")
        for name, share in list(shares.items())[1:]:
            rows.setdefault(name, []).append(f"{share:.2f}")
        rows.setdefault("surface in a pass of its own, every two steps", []).append(
            f"{surface_share(n, each, options.turns, clock):.2f}"
        )
        gain = 1.0 / resting_share(n, options.turns, each)
        rows.setdefault("sleeping tiles, 1 % of the water moving: times as fast", []).append(f"{gain:.0f} ×")
    headings = [f"{n}², {each} thread{'s' * (each > 1)}" for n, each in columns]
    table = Table(title=f"share of the full speed, medians of {options.turns} turns")
    table.add_column()
    for heading in headings:
        table.add_column(heading, justify="right")
    for name, cells in rows.items():
        table.add_row(name, *cells)
    console = Console(width=120)
    console.print(table)
    call = f"A call that takes one step of 16 × 16 points: {1e6 * call_cost(options.turns):.0f} µs."
    console.print(call)
    if options.docs:
        lines = ["| left out | " + " | ".join(headings) + " |", "|---|" + "---|" * len(headings)]
        lines += ["| " + " | ".join((name, *cells)) + " |" for name, cells in rows.items()]
        text = "\n".join([*lines, "", call, ""])
        page = re.sub(
            r"(?<=<!-- ablation -->\n).*?(?=<!-- end of ablation -->)", text, PAGE.read_text("utf-8"), flags=re.S
        )
        PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()

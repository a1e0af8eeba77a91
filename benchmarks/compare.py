"""How fast waterview is beside other libraries, in one run in which all of them take turns.

Run it as `python benchmarks/compare.py`, with the extra `bench` installed; `--what` takes a part of it: the wave step,
or shallow water beside ANUGA (`anuga_peer.py`). Each number of threads has a process of its own, for libraries take it
from the environment when they are loaded. All wave steps start from the same heights, and what they make of them must
agree. Medians; GCUPS are 10⁹ points stepped a second. `--docs` puts tables and plot into the documentation's page on
speed.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import anuga_peer
import numpy as np
from kernel_peers import Taichi, Warp
from peers import PEERS, bind

ROOT = Path(__file__).parent.parent
PAGE, PICTURE = ROOT / "docs" / "performance.md", ROOT / "docs" / "pictures" / "performance" / "compare.png"

OURS, MEMORY = "waterview", "memory, one pass a step"
PROGRAMS: dict[str, Any] = PEERS | {"Warp, one thread": Warp, "Taichi": Taichi}

TURN = 0.1
"""How long a turn of each program takes at the least [s]."""

BLOCK = 32
"""Steps a call at the most, and a multiple of what programs that are fast enough take in a turn."""

Figures = dict[str, dict[int, float | None]]  # GCUPS by program and grid; None where a library is missing


# --- one number of threads, in a process of its own


def measure(grids: list[int], threads: int, turns: int) -> Figures:
    """Median GCUPS, by name and grid."""
    from waterview.tools.bench import memory_limit, scene

    figures: Figures = {name: {} for name in (*PROGRAMS, MEMORY)}
    for n in grids:
        programs = start(*scene(n), threads)
        rates = take_turns(n, programs, turns)
        for name in PROGRAMS:
            figures[name][n] = rates.get(name)
        figures[MEMORY][n] = memory_limit(n, threads, turns)
    return figures


def start(heights: Any, fixed: Any, threads: int) -> dict[str, Any]:
    """The programs whose libraries are installed, compiled, all with the same heights after eight steps."""
    programs: dict[str, Any] = {}
    for name, program in PROGRAMS.items():
        try:
            made = program(heights, fixed, threads)
        except ImportError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
            continue
        made.run(8)
        programs[name] = made
        np.testing.assert_allclose(made.heights(), programs[OURS].heights(), atol=5e-6, err_msg=name)
    return programs


def take_turns(n: int, programs: dict[str, Any], turns: int) -> dict[str, float]:
    """Median GCUPS of programs that take turns."""
    steps = {name: _steps_a_turn(program) for name, program in programs.items()}
    times: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(turns):
        for name, program in programs.items():
            times[name].append(_seconds(program, steps[name]))
    return {name: n * n * steps[name] / statistics.median(taken) / 1e9 for name, taken in times.items()}


def _steps_a_turn(program: Any) -> int:
    """An even number, so that a turn is long enough."""
    enough = TURN / (min(_seconds(program, 2) for _ in range(2)) / 2)
    return BLOCK * math.ceil(enough / BLOCK) if enough > BLOCK / 2 else 2 * math.ceil(enough / 2)


def _seconds(program: Any, steps: int) -> float:
    began = time.perf_counter()
    program.run(steps)
    return time.perf_counter() - began


def in_a_process_of_its_own(grids: list[int], threads: int, turns: int) -> Figures:
    """As `measure`."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "figures.json"
        numbers = ["--grids", *map(str, grids), "--threads", str(threads), "--turns", str(turns)]
        subprocess.run([sys.executable, __file__, *numbers, "--alone", str(file)], check=True)
        read: dict[str, dict[str, float | None]] = json.loads(file.read_text())
    return {name: {int(n): rate for n, rate in rates.items()} for name, rates in read.items()}


# --- what is printed


def table(runs: dict[int, Figures], turns: int, load: float) -> str:
    """Markdown: GCUPS of each program by grid, and how many times as fast waterview is, for each number of threads.

    `load` is how many programs were running before; if they were in the way, the page says so.
    """
    first = next(iter(runs.values()))
    grids = list(first[OURS])
    crews = f"{' / '.join(map(str, runs))} thread{'s' * (list(runs) != [1])}"
    lines = [f"10⁹ points stepped a second on {crews}, medians of {turns}{_busy(load)}:", ""]
    lines += ["| |" + "".join(f" {n}² |" for n in grids), "|---|" + "---|" * len(grids)]
    for name in first:
        cells = [" / ".join(_cell(run[name][n]) for run in runs.values()) for n in grids]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += ["", f"{OURS} is so many times as fast:", "", *lines[2:4]]
    for name in first:
        if name != OURS:
            cells = [" / ".join(_ratio(run[OURS][n], run[name][n]) for run in runs.values()) for n in grids]
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _cell(rate: float | None) -> str:
    return "–" if rate is None else f"{rate:.2g}" if rate < 1.0 else f"{rate:.2f}"


def _ratio(ours: float | None, rate: float | None) -> str:
    return "–" if ours is None or rate is None else f"{ours / rate:.1f}"


def _style(name: str) -> dict[str, Any]:
    if name == OURS:
        return {"color": "#00695c", "linewidth": 3, "marker": "o"}
    if name == MEMORY:
        return {"color": "black", "linewidth": 1.5, "linestyle": "--"}
    return {"color": f"C{list(PROGRAMS).index(name) % 10}", "linewidth": 1.2, "marker": "o", "markersize": 3}


def draw(runs: dict[int, Figures], file: Path) -> None:
    """Grid against GCUPS, both logarithmic, a panel for each number of threads; what memory allows is dashed."""
    import matplotlib.pyplot as plt
    from matplotlib.ticker import NullLocator

    plot, panels = plt.subplots(1, len(runs), figsize=(5.5 * len(runs), 5), sharey=True, squeeze=False)
    for panel, (threads, figures) in zip(panels[0], runs.items(), strict=True):
        for name, rates in figures.items():
            points = [(n, rate) for n, rate in rates.items() if rate is not None]
            if points:
                panel.loglog(*zip(*points, strict=True), label=name, **_style(name))
        grids = list(figures[OURS])
        panel.set(title=f"{threads} thread{'s' * (threads > 1)}", xlabel="points along a side", xticks=grids)
        panel.set_xticklabels(map(str, grids))
        panel.yaxis.set_major_formatter("{x:g}")
        panel.xaxis.set_minor_locator(NullLocator())
        panel.grid(alpha=0.3)
    panels[0][0].set_ylabel("10⁹ points stepped a second")
    panels[0][-1].legend(loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False)
    file.parent.mkdir(parents=True, exist_ok=True)
    plot.savefig(file, dpi=110, bbox_inches="tight")


# --- shallow water

CELLS = 512  # along a side
LEAST_TURNS = 9  # of a second each


def shallow_water(threads: list[int], turns: int, load: float) -> str:
    """Markdown: shallow water beside ANUGA for each number of threads."""
    lines = [f"Medians of {turns} turns of a second{_busy(load)}:", ""]
    lines += ["| threads | waterview, million cells a second | ANUGA, million triangles a second | times as fast |"]
    lines += ["|---|---|---|---|"]
    for count in threads:
        ours, theirs, ratio = anuga_peer.compare(CELLS, count, turns, sys.executable)
        lines.append(f"| {count} | {1e-6 * ours:.1f} | {1e-6 * theirs:.2f} | {ratio:.1f} |")
    return "\n".join(lines) + "\n"


def _busy(load: float) -> str:
    """What the page says of other programs that were in the way."""
    return (
        f", on a machine that {load:.0f} other programs kept busy (ratios hold better than rates)" if load > 0.5 else ""
    )


def _write(mark: str, text: str) -> None:
    """Put text between two marks of the page."""
    begins = f"<!-- {mark} -->\n"
    before, rest = PAGE.read_text(encoding="utf-8").split(begins)
    PAGE.write_text(before + begins + text + rest[rest.index("<!-- end -->") :], encoding="utf-8")


def main() -> None:
    """Measure, print, and write what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = ["wave-step", "shallow-water"]
    parser.add_argument("--what", nargs="+", choices=parts, default=parts)
    parser.add_argument("--grids", type=int, nargs="+", default=[256, 512, 1024, 2048, 4096], metavar="N")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], metavar="N")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--docs", action="store_true", help=f"write into {PAGE.name} and {PICTURE.name}")
    parser.add_argument("--alone", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        bind(options.threads[0])
        options.alone.write_text(json.dumps(measure(options.grids, options.threads[0], options.turns)))
        return
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    if "wave-step" in options.what:
        runs = {n: in_a_process_of_its_own(options.grids, n, options.turns) for n in options.threads}
        text = table(runs, options.turns, load)
        print(text)
        if options.docs:
            _write("compare", text)
            draw(runs, PICTURE)
    if "shallow-water" in options.what:
        text = shallow_water(options.threads, max(options.turns, LEAST_TURNS), load)
        print(text)
        if options.docs:
            _write("anuga", text)


if __name__ == "__main__":
    main()

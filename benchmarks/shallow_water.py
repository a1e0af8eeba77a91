"""How long shallow water takes on the real coast: a step, and a frame, as the waves of a drop spread.

Run it as `python benchmarks/shallow_water.py`. Only water that moves is stepped, so a step takes longer and longer
until all of the sea is in motion; each row tells one moment.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence

import numba
from rich.console import Console
from rich.table import Table

from waterview.core.commands import Drop
from waterview.scene.scene import Scene, SceneParams
from waterview.terrain.library import resolve
from waterview.waters.common.water import Water

MOMENTS = (0.3, 3.0, 10.0)
"""Simulated times [s]."""

TURNS = 21


def coast(points: int) -> Water:
    """Shallow water on the real coast after a drop."""
    water = Scene(resolve("coast").load(), SceneParams().changed(model="shallow-water", grid=points)).make_water()
    water.disturb(Drop(-135.0, 90.0, 3.0, 12.0))
    return water


def milliseconds(work: Callable[[], object]) -> float:
    """Median of the time that `work` takes [ms]."""
    times = []
    for _ in range(TURNS):
        began = time.perf_counter()
        work()
        times.append(1e3 * (time.perf_counter() - began))
    return statistics.median(times)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the sizes asked for and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, nargs="+", default=[256, 512, 1024], help="along the longer side")
    table = Table(title=f"shallow water on the real coast, median of {TURNS}, ms")
    for heading in ("points", "threads", "after", "parts", "in motion", "a step", "a step and its frame"):
        table.add_column(heading, justify="right")
    for points in parser.parse_args(arguments).points:
        for threads in sorted({1, min(2, numba.config.NUMBA_NUM_THREADS)}):
            numba.set_num_threads(threads)
            water = coast(points)
            for moment in MOMENTS:
                while water.time < moment:
                    water.step()
                step = milliseconds(water.step)
                both = milliseconds(lambda water=water: water.step() or water.publish(0))  # type: ignore[misc]
                effective = water.publish(0).effective
                moves = f"{100 * (water.height != 0.0).mean():.0f} %"
                cells = str(points), str(threads), f"{moment:g} s", f"{effective['substeps']:.0f}", moves
                table.add_row(*cells, f"{step:.2f}", f"{both:.2f}")
    Console(width=120).print(table)


if __name__ == "__main__":
    main()

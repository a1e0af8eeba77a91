"""How long shallow water takes: in the bay as the waves of a drop spread, and where all of it is in motion.

Run it as `python benchmarks/shallow_water.py`. In the bay only water that moves is stepped, so a step takes longer
and longer until all of the sea is in motion; each row tells one moment. In a basin of the default depth all of it
moves, with and without dispersion; above 1 the water there runs faster than real time. The shortest time is that of a
machine with nothing else to do.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence

import numba
import numpy as np
from rich.console import Console
from rich.table import Table

from waterview.core.commands import Drop
from waterview.scene.scene import CROSSING_SECONDS, Scene, SceneParams
from waterview.terrain.library import resolve
from waterview.waters import MODELS
from waterview.waters.common.water import Water

MOMENTS = (0.3, 3.0, 10.0)
"""Simulated times [s]."""

TURNS = 21
WARM_UP = 60  # steps


def bay(points: int) -> Water:
    """Shallow water in the bay after a drop."""
    water = Scene(resolve("bay").load(), SceneParams().changed(model="shallow-water", grid=points)).make_water()
    water.disturb(Drop(-62.0, 112.0, 3.0, 12.0))
    return water


def basin(points: int, scheme: str) -> Water:
    """Shallow water of the default depth after many drops."""
    size = 12.0
    water = MODELS["shallow-water"](
        size, size, points, (-0.5 * size, 0.0, -0.5 * size), scheme=scheme, wave_speed=size / CROSSING_SECONDS
    )
    for x in size * np.linspace(-0.45, 0.45, 10):
        for z in size * np.linspace(-0.45, 0.45, 10):
            water.disturb(Drop(float(x), float(z), 2e-3 * size, 0.03 * size))
    for _ in range(WARM_UP):
        water.step()
    return water


def basin_table(points: int) -> Table:
    """Steps of the basin with each explicit scheme."""
    table = Table(title=f"shallow water of the default depth, {points}², all in motion")
    for heading in ("scheme", "threads", "a step, ms: median", "shortest", "times real time: median", "shortest"):
        table.add_column(heading, justify="right")
    for scheme in ("kurganov-petrova", "boussinesq"):
        water = basin(points, scheme)
        for threads in sorted({1, min(2, numba.config.NUMBA_NUM_THREADS)}):
            numba.set_num_threads(threads)
            # Dispersion acts in every other step.
            times = [0.5 * each for each in all_milliseconds(lambda water=water: water.step() or water.step())]  # type: ignore[misc]
            chosen = statistics.median(times), min(times)
            rates = (1e3 * water.time_step / each for each in chosen)
            table.add_row(scheme, str(threads), *(f"{each:.2f}" for each in (*chosen, *rates)))
    return table


def milliseconds(work: Callable[[], object]) -> float:
    """Median of the time that `work` takes [ms]."""
    return statistics.median(all_milliseconds(work))


def all_milliseconds(work: Callable[[], object]) -> list[float]:
    """The times that `work` takes in several turns [ms]."""
    times = []
    for _ in range(TURNS):
        began = time.perf_counter()
        work()
        times.append(1e3 * (time.perf_counter() - began))
    return times


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the sizes asked for and print tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, nargs="+", default=[256, 512, 1024], help="along the longer side")
    table = Table(title=f"shallow water in the bay, median of {TURNS}, ms")
    for heading in ("points", "threads", "after", "parts", "in motion", "a step", "a step and its frame"):
        table.add_column(heading, justify="right")
    sizes = parser.parse_args(arguments).points
    for points in sizes:
        for threads in sorted({1, min(2, numba.config.NUMBA_NUM_THREADS)}):
            numba.set_num_threads(threads)
            water = bay(points)
            for moment in MOMENTS:
                while water.time < moment:
                    water.step()
                step = milliseconds(water.step)
                both = milliseconds(lambda water=water: water.step() or water.publish(0))  # type: ignore[misc]
                effective = water.publish(0).effective
                moves = f"{100 * (water.height != 0.0).mean():.0f} %"
                cells = str(points), str(threads), f"{moment:g} s", f"{effective['substeps']:.0f}", moves
                table.add_row(*cells, f"{step:.2f}", f"{both:.2f}")
    console = Console(width=120)
    console.print(table)
    for points in sizes:
        console.print(basin_table(points))


if __name__ == "__main__":
    main()

"""What floating bodies cost beside the step of the water that they float on, in one process.

Run it as `python benchmarks/bodies.py`. Ten moving spheres on a pool of 512² points: the plain step and the step with
bodies take turns, so that a machine that slows down slows both, and the ratio holds better than the figures. Drops fall
into both pools, for still water is cheaper than waves. Waves of 1 m/s need one sub-step, which is the cheapest step;
20 m/s is the usual speed and needs eight. `--minutes 10` also runs fifty bodies of all kinds in a pool of 256² points
at sixty steps a second, and says what still moves.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np
from rich.console import Console
from rich.table import Table

from waterview.bodies.collection import Bodies
from waterview.core.commands import usual_drop
from waterview.models.wave_equation import WaveEquationWater

SIDE = 12.0  # of the pool [m]
STEPS = 40  # a turn; a sixth of a bob, so that the spheres move all the time
MARK = 25.0  # what ten spheres may cost [%]


def pool(points: int, wave_speed: float, rate: float) -> WaveEquationWater:
    """A closed pool of so many points a side."""
    return WaveEquationWater(SIDE, SIDE, points, border="reflecting", wave_speed=wave_speed, steps_per_second=rate)


def spheres(water: WaveEquationWater, count: int, size: float) -> Bodies:
    """So many spheres in rows."""
    bodies = Bodies()
    for k in range(count):
        bodies.add(water, "sphere", 500.0, 1.2 + k % 5 * 2.4, 3.0 + k // 5 * 3.0, size, y=0.1)
    return bodies


def stir(bodies: Bodies, turn: int) -> None:
    """Push all bodies to and fro, so that none lies still."""
    for number in bodies.numbers:
        bodies.set_velocity(number, (0.3 * (-1) ** turn, 0.4, 0.2 * (-1) ** turn))


def seconds(water: WaveEquationWater, bodies: Bodies | None) -> float:
    """Time of a step [s], mean over a turn."""
    began = time.perf_counter()
    for _ in range(STEPS):
        water.step()
        if bodies is not None:
            bodies.step(water, water.time_step)
    return (time.perf_counter() - began) / STEPS


def measure(size: float, wave_speed: float, turns: int) -> tuple[float, float, int]:
    """Medians of the plain step and of the step with ten spheres [s], and the water's sub-steps."""
    plain, moved = pool(512, wave_speed, 120.0), pool(512, wave_speed, 120.0)
    bodies = spheres(moved, 10, size)
    times: tuple[list[float], list[float]] = [], []
    for turn in range(turns + 1):
        stir(bodies, turn)
        for water in (plain, moved):
            water.disturb(usual_drop(water.grid, 2.0 + turn % 9, 6.0))
        taken = seconds(plain, None), seconds(moved, bodies)
        if turn:  # the first compiles
            for one, all_of_them in zip(taken, times, strict=True):
                all_of_them.append(one)
    return statistics.median(times[0]), statistics.median(times[1]), plain.plan.substeps


def endure(minutes: float) -> None:
    """Fifty bodies of all kinds; prints once a minute how fast they still are and how the volume has drifted."""
    water, bodies, rng = pool(256, 3.0, 60.0), Bodies(), np.random.default_rng(3)
    for k in range(50):
        kind = ("sphere", "box", "sphere", "duck", "boat")[k % 5]
        density = 2500.0 if k % 7 == 0 else rng.uniform(100.0, 900.0)
        x, z = rng.uniform(1.0, SIDE - 1.0, 2)
        y, size, rotation = rng.uniform(0.2, 3.0), rng.uniform(0.3, 0.9), rng.normal(size=4)
        bodies.add(water, kind, density, x, z, size, y=y, rotation=rotation)
    began = time.perf_counter()
    for minute in range(1, round(minutes) + 1):
        for _ in range(3600):
            water.step()
            bodies.step(water, water.time_step)
        fastest = max(float(np.linalg.norm(bodies.motion(number)[0])) for number in bodies.numbers)
        drift = float(water.height.mean(dtype=float))
        print(
            f"{minute:3d} min: fastest body {fastest:.4f} m/s, highest wave {np.abs(water.height).max():.5f} m, "
            f"mean level {drift:+.1e} m, {time.perf_counter() - began:.0f} s"
        )


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=41, help="turns each; the median is printed")
    parser.add_argument("--minutes", type=float, default=0.0, help="minutes that fifty bodies are to endure")
    options = parser.parse_args()
    table = Table(title=f"ten spheres on 512 × 512 points, median of {options.turns} turns; the mark is {MARK:g} %")
    for heading in ("diameter", "in cells", "wave speed", "sub-steps", "plain step", "with spheres", "more"):
        table.add_column(heading, justify="right")
    for size in (0.36, 0.6):
        for wave_speed in (1.0, 5.0, 20.0):
            plain, moved, substeps = measure(size, wave_speed, options.turns)
            cells = f"{size:g} m", f"{size / SIDE * 511:.0f}", f"{wave_speed:g} m/s", str(substeps)
            costs = f"{plain * 1e6:.0f} µs", f"{moved * 1e6:.0f} µs", f"{(moved / plain - 1.0) * 100.0:.0f} %"
            table.add_row(*cells, *costs)
    Console().print(table)
    if options.minutes:
        endure(options.minutes)


if __name__ == "__main__":
    main()

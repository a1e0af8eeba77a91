"""What floating bodies and borders cost beside the plain step of the water, in one process.

Run it as `python benchmarks/bodies.py`. Ten spheres on a pool of 512² points: without them and with still water around
it, which is the plain step; with other borders; and with spheres, just dropped or afloat. Steps are taken one by one
and in pairs: the viewer asks for all that are due for a picture at once, two of them at 120 steps a second. All of them
take turns, so that a machine that slows down slows all, and ratios hold better than figures. Drops fall into every
pool, for still water is cheaper than waves. Waves of 1, 5 and 20 m/s need one, two and eight sub-steps; the scenes of
the program choose a speed that needs one.

`--minutes 10` also runs fifty bodies of all kinds in a pool of 256² points at sixty steps a second, and says what still
moves.
"""

from __future__ import annotations

import argparse
import statistics
import time
from dataclasses import dataclass, field

import numba
import numpy as np
from rich.console import Console
from rich.table import Table

from waterview.bodies.collection import Bodies
from waterview.core.commands import Drop, usual_drop
from waterview.sim.world import World
from waterview.simd.threads import ThreadChoice
from waterview.waters.wave.wave_equation import WaveEquationWater

SIDE = 12.0  # of the pool [m]
STEPS = 44  # a turn, one by one and in pairs; short enough that dropped spheres move all the time
GROUP = 4  # steps that are timed together: in two of them bodies move, in one they push water aside
SWELL = 0.01  # height of a wave as wide as the pool, so that all of its tiles are active [m]
TOGETHER = (1, 2)  # steps that are asked for at once
MARK = 25.0  # what ten spheres and borders may cost [%]


def pool(points: int, wave_speed: float, rate: float, border: str = "reflecting") -> WaveEquationWater:
    """A pool of so many points a side."""
    return WaveEquationWater(SIDE, SIDE, points, border=border, wave_speed=wave_speed, steps_per_second=rate)


def spheres(water: WaveEquationWater, count: int, size: float, y: float | None = None) -> Bodies:
    """So many spheres in rows, as high as they float or with their middles `y` above the water [m]."""
    bodies = Bodies()
    for k in range(count):
        bodies.add(water, "sphere", 500.0, 1.2 + k % 5 * 2.4, 3.0 + k // 5 * 3.0, size, y=y)
    return bodies


def stir(bodies: Bodies, turn: int) -> None:
    """Push all bodies up and to and fro, so that they drop and bob."""
    for number in bodies.numbers:
        bodies.set_velocity(number, (0.3 * (-1) ** turn, 0.4, 0.2 * (-1) ** turn))


class FixedThreads(ThreadChoice):
    """The same number of threads in every step. Left to choose, some pools would use more of them than others."""

    def __init__(self, threads: int) -> None:
        super().__init__(0)
        self._threads = threads

    def begin(self) -> int:
        """The number of threads."""
        return self._threads


@dataclass
class Case:
    """A pool that takes turns with others."""

    water: WaveEquationWater
    bodies: Bodies | None = None
    stirred: bool = False
    times: dict[int, list[float]] = field(default_factory=lambda: {together: [] for together in TOGETHER})

    def __post_init__(self) -> None:
        self.world = World(self.water)
        self.world.bodies = self.bodies
        self.water.disturb(Drop(0.5 * SIDE, 0.5 * SIDE, SWELL, SIDE, neutral=True))

    def take_turn(self, turn: int) -> None:
        """Take `STEPS` steps each way and note the mean time of every `GROUP` [s]; the first turn compiles."""
        for together, times in self.times.items():
            self.water.disturb(usual_drop(self.water.grid, 2.0 + turn % 9, 6.0))
            if self.bodies is not None and self.stirred:
                stir(self.bodies, turn)
            for _ in range(STEPS // GROUP):
                began = time.perf_counter()
                for _ in range(GROUP // together):
                    self.world.advance(together) if together > 1 else self.world.step()
                if turn:
                    times.append((time.perf_counter() - began) / GROUP)

    def median(self, together: int) -> float:
        """Of its groups of steps [s]: what interrupts one of them now and then does not count."""
        return statistics.median(self.times[together])


def cases(wave_speed: float, threads: int) -> dict[tuple[str, str], Case]:
    """Pools by border and by what floats on them, all stepped on as many threads; the plain one is ("zero", "")."""
    found = {("zero", ""): Case(pool(512, wave_speed, 120.0, "zero"))}
    for border in ("reflecting", "open"):
        waters = [pool(512, wave_speed, 120.0, border) for _ in range(5)]
        found[border, ""] = Case(waters[0])
        for size, dropped, afloat in ((0.36, *waters[1:3]), (0.6, *waters[3:])):
            cells = f"{size / SIDE * 511:.0f} cells"
            found[border, f"{cells}, dropped"] = Case(dropped, spheres(dropped, 10, size, 0.1), stirred=True)
            found[border, f"{cells}, afloat"] = Case(afloat, spheres(afloat, 10, size))
    for case in found.values():
        case.water.thread_choice = FixedThreads(threads)
    return found


def show(by_speed: dict[float, dict[tuple[str, str], Case]], turns: int, threads: int, together: int) -> None:
    """Print medians and what they are more than those of the plain step; then a line for each border."""
    way = "one by one" if together == 1 else f"{together} at once"
    title = f"ten spheres, 512 × 512 points, {threads} threads, steps {way}, {turns} turns; the mark is {MARK:g} %"
    table = Table(title=title)
    for heading in ("sub-steps", "border", "spheres", "step", "spheres cost", "of plain", "with border"):
        table.add_column(heading, justify="right")
    for found in by_speed.values():
        plain = found["zero", ""]
        plain_step = plain.median(together)
        for (border, floating), case in found.items():
            cost = case.median(together) - found[border, ""].median(together)
            cells = f"{plain.water.plan.substeps}", border, floating, f"{case.median(together) * 1e6:.0f} µs"
            shares = (f"{100.0 * part / plain_step:.0f} %" for part in (cost, case.median(together) - plain_step))
            table.add_row(*cells, *((f"{cost * 1e6:.0f} µs", *shares) if floating else ("", "", [*shares][1])))
        table.add_section()
    console = Console(width=100)
    console.print(table)
    for found in by_speed.values():
        for border in dict.fromkeys(border for border, _ in found if border != "zero"):
            console.print(summary(found, border, together))


def summary(found: dict[tuple[str, str], Case], border: str, together: int) -> str:
    """A line that says what a border, and ten spheres with it, cost on top of the plain step."""
    plain = found["zero", ""].median(together)
    over = {key: 100.0 * (case.median(together) / plain - 1.0) for key, case in found.items()}
    both = [more for (kind, floating), more in over.items() if kind == border and floating]
    steps = found[border, ""].water.plan.substeps
    return (
        f"{steps} sub-steps, {border}: {over[border, '']:.0f} %, with ten spheres {min(both):.0f} to {max(both):.0f} %"
    )


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
    parser.add_argument("--turns", type=int, default=21, help="turns each; the median is printed")
    parser.add_argument("--minutes", type=float, default=0.0, help="minutes that fifty bodies are to endure")
    everyone = numba.get_num_threads()
    parser.add_argument("--threads", type=int, default=everyone, help="on which every pool is stepped; all by default")
    options = parser.parse_args()
    by_speed = {wave_speed: cases(wave_speed, options.threads) for wave_speed in (1.0, 5.0, 20.0)}
    for turn in range(options.turns + 1):
        for found in by_speed.values():
            for case in found.values():
                case.take_turn(turn)
    for together in TOGETHER:
        show(by_speed, options.turns, options.threads, together)
    if options.minutes:
        endure(options.minutes)


if __name__ == "__main__":
    main()

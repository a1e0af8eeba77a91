"""How far the volume of a closed basin drifts in rain, with floating bodies, at settings that should conserve it.

Run it as `python benchmarks/volume.py`: an hour of simulated time for every model whose water has a volume, undamped,
where rounding adds up most, and with the usual damping. The basin is 8 m × 10 m and 2 m deep, with a ball, a box and a
duck in it; 40 drops fall per second. Shallow water also runs up a beach and over thin water. The benchmark prints the
largest change of the volume at the end of any minute, as a share of the volume. (Wave particles have none: each adds
its crest or trough.)
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from waterview.core.commands import AddBody
from waterview.core.params import Value
from waterview.sim.world import World
from waterview.waters import MODELS
from waterview.waters.common.water import Water
from waterview.waters.shallow.shallow_water import ShallowWater

MARK = 1e-6
WALLS: Mapping[str, Value] = {"border": "reflecting"}
Heights = NDArray[np.floating]


def basin(x: Heights, z: Heights) -> Heights:
    """2 m deep everywhere."""
    return np.full(np.broadcast_shapes(x.shape, z.shape), -2.0)


def beach(x: Heights, z: Heights) -> Heights:
    """A beach with horns, 1 in 4, its shore near x = 5 m."""
    return np.maximum(0.25 * (x - 5.0) + 0.15 * np.sin(3.0 * z), -2.0)


def lagoon(x: Heights, z: Heights) -> Heights:
    """Water that is nowhere 0.1 m deep."""
    return -0.05 + 0.04 * np.sin(5.0 * x) * np.cos(4.0 * z)


@dataclass(frozen=True)
class Case:
    """A model over some ground, with parameters that close its basin and leave waves undamped, and with rain."""

    model: str
    closed: Mapping[str, Value]
    undamped: Mapping[str, Value]
    height_at: Callable[[Heights, Heights], Heights] = basin
    rain: float = 40.0


RUNNING: Mapping[str, Value] = {"damping": 0.0}
CASES: Mapping[str, Case] = {
    "wave-equation": Case("wave-equation", WALLS, RUNNING),
    "dual-buffer": Case("dual-buffer", {}, {"damping_factor": 1.0}),
    "height-field": Case("height-field", {}, RUNNING),
    "ocean": Case("ocean", {}, {}, rain=0.0),
    "layered": Case("layered", WALLS, RUNNING),
    "shallow-water": Case("shallow-water", WALLS, RUNNING),
    "shallow-water, beach": Case("shallow-water", WALLS, RUNNING, beach),
    "shallow-water, lagoon": Case("shallow-water", WALLS, RUNNING, lagoon),
    "shallow-water, implicit": Case("shallow-water", {**WALLS, "scheme": "kass-miller"}, RUNNING),
}


def make_world(case: Case, points: int, parameters: Mapping[str, Value]) -> World:
    """The basin with rain and bodies, with so many points along x."""
    water = MODELS[case.model](8.0, 10.0, points, **parameters)
    water.set_height_map(case)
    world = World(water, rain=case.rain, seed=3)
    for kind, x, z in (("sphere", 2.0, 3.0), ("box", 6.0, 4.0), ("duck", 4.0, 7.5)):
        world.apply(AddBody(kind, 400.0, x, z))
    return world


def drift(water: Water) -> float:
    """The volume above that of still water, as a share of it."""
    still = np.maximum(water.grid.level - water.bed, 0.0).sum(dtype=np.float64)
    if isinstance(water, ShallowWater):
        return water.volume / water.grid.spacing**2 / float(still)
    return float(water.height.sum(dtype=np.float64) / still)


def measure(case: Case, points: int, minutes: int, parameters: Mapping[str, Value]) -> float:
    """The largest change of the volume at the end of any minute."""
    world = make_world(case, points, parameters)
    first, most = drift(world.water), 0.0
    for _ in range(minutes):
        for _ in range(round(60.0 / world.time_step)):
            world.step()
        most = max(most, abs(drift(world.water) - first))
    return most


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=int, default=60, help="simulated")
    parser.add_argument("--points", type=int, default=64, help="of the grid along x")
    parser.add_argument("--models", nargs="+", choices=list(CASES), default=list(CASES))
    options = parser.parse_args()
    table = Table(title=f"drift of the volume in {options.minutes} minutes; the mark is {MARK:g}")
    for heading in ("model", "undamped", "as usual", "taken"):
        table.add_column(heading, justify="right")
    for name in options.models:
        case, began = CASES[name], time.perf_counter()
        settings = {**case.closed, **case.undamped}, case.closed
        drifts = [f"{measure(case, options.points, options.minutes, each):.1e}" for each in settings]
        table.add_row(name, *drifts, f"{time.perf_counter() - began:.0f} s")
    Console().print(table)


if __name__ == "__main__":
    main()

"""How far the volume of a closed tank drifts in rain, with bodies afloat, at settings that should keep it.

Run it as `python benchmarks/volume.py`: an hour of simulated time for every model of waves on a grid, undamped, where
rounding adds up most, and as usual. The tank is 8 m × 10 m and 2 m deep and holds a ball, a box and a duck; 40 drops
fall a second. Printed is the largest change of the volume at the end of any minute, as a share of the volume.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping

import numpy as np
from rich.console import Console
from rich.table import Table

from waterview.core.commands import AddBody
from waterview.core.params import Value
from waterview.models import MODELS
from waterview.models.base import Water
from waterview.tank import Tank

MARK = 1e-6
UNDAMPED: Mapping[str, Mapping[str, Value]] = {
    "wave-equation": {"damping": 0.0, "border": "reflecting"},
    "dual-buffer": {"damping_factor": 1.0},
    "height-field": {"damping": 0.0},
    "shallow-water": {"damping": 0.0},
}
USUAL: Mapping[str, Mapping[str, Value]] = {
    **{name: {} for name in UNDAMPED},
    "wave-equation": {"border": "reflecting"},
}


def tank(name: str, points: int, parameters: Mapping[str, Value]) -> Tank:
    """The tank, with water of the model `name` on so many points along x."""
    water = MODELS[name](8.0, 10.0, points, **parameters)
    filled = Tank(water, rain=40.0, seed=3)
    for kind, x, z in (("sphere", 2.0, 3.0), ("box", 6.0, 4.0), ("duck", 4.0, 7.5)):
        filled.obey(AddBody(kind, 400.0, x, z))
    return filled


def volume(water: Water) -> float:
    """Mean height of the water over its mean depth."""
    depth = water.grid.level - water.bed
    return float(water.height.mean(dtype=np.float64) / depth.mean(dtype=np.float64))


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=int, default=60, help="simulated")
    parser.add_argument("--points", type=int, default=64, help="of the grid along x")
    parser.add_argument("--models", nargs="+", choices=list(UNDAMPED), default=list(UNDAMPED))
    options = parser.parse_args()
    table = Table(title=f"drift of the volume in {options.minutes} minutes; the mark is {MARK:g}")
    for heading in ("model", "undamped", "as usual", "taken"):
        table.add_column(heading, justify="right")
    for name in options.models:
        began, drifts = time.perf_counter(), []
        for parameters in (UNDAMPED[name], USUAL[name]):
            filled = tank(name, options.points, parameters)
            first, most = volume(filled.water), 0.0
            for _ in range(options.minutes):
                for _ in range(round(60.0 / filled.time_step)):
                    filled.step()
                most = max(most, abs(volume(filled.water) - first))
            drifts.append(f"{most:.1e}")
        table.add_row(name, *drifts, f"{time.perf_counter() - began:.0f} s")
    Console().print(table)


if __name__ == "__main__":
    main()

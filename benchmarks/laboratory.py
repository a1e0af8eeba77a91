"""Measured waves: how near the program comes to laboratories and to an exact solution, problem by problem.

Run it as `make laboratory`, or as `python benchmarks/laboratory.py`. The data are benchmark problems of the US National
Tsunami Hazard Mitigation Program, whose sources `assets/laboratory/README.md` names, and amplitudes from a report of
Delft Hydraulics. Everything goes through what users have: models by name, `set_state`, the wavemaker, and gauges.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from waterview.core.commands import AddGauge
from waterview.core.files import data_path
from waterview.core.params import declarations
from waterview.core.series import read_series
from waterview.sim.world import World
from waterview.terrain.heightmap import Heightmap
from waterview.waters import MODELS
from waterview.waters.common.water import Water

GRAVITY = 9.81
FRICTION = 0.003
"""Drag of the ground, the program's default, in every problem that was measured; the exact solution has none."""

DATA = data_path("assets") / "laboratory"
Doubles = NDArray[np.float64]
Curves = Mapping[str, tuple[Doubles, Doubles]]
"""Curves of a plot by their names: x and y."""


@dataclass(frozen=True)
class Result:
    """One number of a problem.

    Attributes:
        problem, quantity: what was compared.
        error: in per cent, of what `quantity` says.
        allowed: the largest error that is good enough [%].
        note: the numbers behind it.
    """

    problem: str
    quantity: str
    error: float
    allowed: float
    note: str = ""

    @property
    def passed(self) -> bool:
        """Whether the error is as small as is asked for."""
        return abs(self.error) <= self.allowed


@dataclass
class Run:
    """What one problem gave with one scheme: results, and curves to draw by the name of their panel."""

    results: list[Result] = field(default_factory=list)
    panels: dict[str, Curves] = field(default_factory=dict)


def make_water(ground: Heightmap, points: int, scheme: str, wave_speed: float, **parameters: float | str) -> Water:
    """Shallow water on a heightmap, undamped; in a step the fastest wave runs one and a half cells."""
    x_size, z_size = ground.size
    spacing = x_size / (points - 1)
    given: dict[str, float | str] = {
        "scheme": scheme,
        "gravity": GRAVITY,
        "damping": 0.0,
        "border": "reflecting",
        "steps_per_second": min(max(math.ceil(wave_speed / (1.5 * spacing)), 20), 1000),
    }
    origin = (-0.5 * x_size, ground.water_level, -0.5 * z_size)
    water = MODELS["shallow-water"](x_size, z_size, points, origin, **(given | parameters))
    water.set_height_map(ground)
    return water


def solitary(along: Doubles, height: float, depth: float) -> Doubles:
    """The surface of a solitary wave [m] at distances `along` from its crest [m]: H sech²(γ·along/d), γ = √(3H/4d)."""
    return np.asarray(height / np.cosh(math.sqrt(0.75 * height / depth) * along / depth) ** 2)


class Shoreline:
    """The largest surface that was ever seen at each point, and with it how far up the ground water has come."""

    def __init__(self, water: Water) -> None:
        self._water = water
        self.largest = np.full(water.grid.shape, -np.inf)

    def look(self) -> None:
        """Take in the surface as it is now; points without more than a film of water do not count."""
        wet = self._water.wet  # type: ignore[attr-defined]
        np.maximum(self.largest, np.where(wet, self._water.height, -np.inf), out=self.largest)

    def at(self, x: float, z: float, radius: float) -> float:
        """The highest place that water has reached within `radius` [m] of world (x, z) [m]."""
        grid = self._water.grid
        near = np.hypot(grid.x[None, :] - x, grid.z[:, None] - z) <= radius
        return float(self.largest[near].max())

    def along(self, points: Iterable[tuple[float, float]]) -> float:
        """The largest surface at the first of some world points (x, z) [m] that water has ever reached."""
        for x, z in points:
            ix, iz = self._water.grid.nearest(x, z) or (0, 0)
            if math.isfinite(self.largest[iz, ix]):
                return float(self.largest[iz, ix])
        return math.nan


# --- problems 1 and 4: a plane beach

BEACH = 19.85
"""Cotangent of the beach; its toe lies that many depths off the shore."""


def numbers(path: Path) -> Doubles:
    """The rows of a table that hold nothing but numbers, as many as the last one has, shape (n, m)."""
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            rows.append([float(word) for word in re.split(r"[\s,]+", line.strip()) if word])
        except ValueError:
            continue
    count = max(len(row) for row in rows[-3:])
    return np.array([row for row in rows if len(row) == count])


def beach_water(height: float, scheme: str, cells: float, friction: float) -> Water:
    """A solitary wave of `height` in water 1 m deep that runs to a beach in the west; `cells` to a metre."""
    reach = math.acosh(math.sqrt(20.0)) / math.sqrt(0.75 * height)
    crest = BEACH + reach
    left, right = -max(4.0, BEACH * min(6.0 * height, 0.8)), crest + 1.6 * reach
    points = round((right - left) * cells) + 1
    x = left + np.arange(points) / cells
    bed = np.where(x < BEACH, -x / BEACH, -1.0)
    ground = Heightmap.from_array(np.tile(bed, (2, 1)), cell=1.0 / cells)
    water = make_water(ground, points, scheme, math.sqrt(GRAVITY * (1.0 + height)), friction=friction)
    heights = np.tile(np.where(bed < 0.0, solitary(x - crest, height, 1.0), 0.0), (2, 1))
    speed = -math.sqrt(GRAVITY) * heights
    water.set_state(heights, np.array([(np.maximum(-bed, 0.0) + heights) * speed, 0.0 * heights]))
    return water


def beach_profiles(
    height: float, scheme: str, cells: float, friction: float, times: Sequence[float]
) -> list[tuple[Doubles, Doubles]]:
    """Distance from the shore and surface [depths] where there is water, at `times` [√(d/g)]."""
    water = beach_water(height, scheme, cells, friction)
    x = water.grid.x - water.grid.x[0] - max(4.0, BEACH * min(6.0 * height, 0.8))
    profiles = []
    for moment in times:
        while water.time * math.sqrt(GRAVITY) < moment:
            water.step()
        wet = water.wet[0]  # type: ignore[attr-defined]
        profiles.append((x[wet], water.height[0][wet].astype(np.float64)))
    return profiles


def run_up(height: float, scheme: str, cells: float) -> float:
    """How high a solitary wave runs up the beach [depths]."""
    water = beach_water(height, scheme, cells, FRICTION)
    shoreline = Shoreline(water)
    # The crest needs its way to the toe and twice the slope's length, for depth shrinks; then it takes time to rise.
    reach = math.acosh(math.sqrt(20.0)) / math.sqrt(0.75 * height)
    until = (reach + 2.0 * BEACH + 0.6 * reach + 12.0) / math.sqrt(GRAVITY)
    while water.time < until:
        water.step()
        shoreline.look()
    return float(shoreline.largest[0][np.isfinite(shoreline.largest[0])][0])


def plane_beach(scheme: str, fineness: float) -> Run:
    """A non-breaking wave against the exact solution, and against profiles that were measured."""
    run, cells = Run(), 20.0 * fineness
    table = numbers(DATA / "beach" / "analytic_profiles.txt")
    times = [35.0 + 5.0 * number for number in range(8)]
    largest = float(np.nanmax(np.abs(table[:, 1:])))
    worst = 0.0
    for moment, exact, (x, surface) in zip(
        times, table[:, 1:].T, beach_profiles(0.019, scheme, cells, 0.0, times), strict=True
    ):
        wet = np.isfinite(exact)
        worst = max(worst, float(np.abs(np.interp(table[wet, 0], x, surface) - exact[wet]).max()))
        if moment in (40.0, 55.0, 70.0):
            run.panels[f"t = {moment:g} √(d/g)"] = {"exact": (table[wet, 0], exact[wet]), scheme: (x, surface)}
    run.results.append(
        Result("plane beach, exact", "surface, of the largest height", 100.0 * worst / largest, 5.0, f"{worst:.4f} d")
    )
    for height, moments in ((0.0185, (30, 40, 50, 60, 70)), (0.3, (15, 20, 25, 30))):
        errors = []
        profiles = beach_profiles(height, scheme, cells, FRICTION, moments)
        for moment, (x, surface) in zip(moments, profiles, strict=True):
            measured = numbers(DATA / "beach" / f"profile_{height}_t{moment}.txt")
            errors.append(np.interp(measured[:, 0], x, surface) - measured[:, 1])
            if height == 0.3:
                run.panels[f"H = 0.3 d, t = {moment} √(d/g)"] = {
                    "measured": (measured[:, 0], measured[:, 1]),
                    scheme: (x, surface),
                }
        rms = math.sqrt(float(np.mean(np.concatenate(errors) ** 2)))
        note = "breaking" if height > 0.045 else "not breaking"
        run.results.append(
            Result(f"plane beach, H = {height} d", "surface, rms of H", 100.0 * rms / height, 20.0, note)
        )
    return run


def run_ups(scheme: str, fineness: float) -> Run:
    """Every run-up of solitary waves that was measured on the beach."""
    measured = numbers(DATA / "beach" / "runup.txt")
    heights = np.unique(measured[:, 0])
    if fineness < 1.0:
        heights = heights[::8]
    computed = {height: run_up(height, scheme, 12.0 * fineness) for height in heights}
    chosen = measured[np.isin(measured[:, 0], heights)]
    errors = np.array([computed[row[0]] / row[1] - 1.0 for row in chosen])
    mean = 100.0 * float(np.abs(errors).mean())
    note = f"{len(chosen)} waves, {100.0 * errors.min():+.0f} to {100.0 * errors.max():+.0f} %"
    curve = heights, np.array([computed[height] for height in heights])
    panel = {"measured": (chosen[:, 0], chosen[:, 1]), scheme: curve}
    return Run([Result("plane beach, run-up", "mean over all waves", mean, 10.0, note)], {"run-up": panel})


# --- problem 6: a conical island

ISLAND, ISLAND_DEPTH = (12.96, 13.80), 0.32
ISLAND_GAUGES = {"6": (9.36, 13.80), "9": (10.36, 13.80), "16": (12.96, 16.38), "22": (15.56, 13.80)}
"""Places of gauges [m]; gauge 16 stood at the mirror image of the place given, on the other side of the island."""

WAVE_LINE = {"a": 5.76, "b": 6.82}
"""Where gauges 1 to 4 stood in a line across the basin and measured the wave that came in [m]."""


def incoming(case: str) -> tuple[Doubles, Doubles]:
    """Times [s] and surface [m] of the wave that came in, before anything of the island came back to the gauges."""
    table = read_series(DATA / "conical_island" / f"gauges_{case}.csv")
    surface = np.mean([table.columns[name] for name in "1234"], axis=0)
    surface = surface - surface[:100].mean()
    crest = int(surface.argmax())
    first, last = max(crest - 150, 0), crest + 125  # 6 s before, 5 s after
    fade = np.clip((last - np.arange(first, last)) / 25.0, 0.0, 1.0)
    return table.times[first:last] - table.times[first], surface[first:last] * fade


def island_water(case: str, scheme: str, cells: float) -> tuple[Water, float]:
    """Half of the basin, whose middle is a line of symmetry, from the gauges of the incoming wave on; its west x."""
    west, depth = WAVE_LINE[case], 14.2
    columns, rows = round((25.0 - west) * cells) + 1, round(depth * cells) + 1
    x, y = np.meshgrid(west + np.arange(columns) / cells, ISLAND[1] + np.arange(rows) / cells)
    away = np.hypot(x - ISLAND[0], y - ISLAND[1])
    ground = Heightmap.from_array(np.clip(0.25 * (3.6 - away), 0.0, 0.625) - ISLAND_DEPTH, cell=1.0 / cells)
    series = ";".join(f"{t:.3f} {eta:.6f}" for t, eta in zip(*incoming(case), strict=True))
    wave = {"wavemaker": "series", "wavemaker_series": series, "wavemaker_sides": "west"}
    return make_water(ground, columns, scheme, 2.0, friction=FRICTION, **wave), west


def conical_island(case: str, scheme: str, fineness: float) -> Run:
    """A wave around an island: how high it runs up at 24 angles, and gauges before, beside and behind it."""
    run = Run()
    water, west = island_water(case, scheme, 20.0 * fineness)
    world, shoreline = World(water), Shoreline(water)
    left, near = water.grid.origin[0], water.grid.origin[2]
    for name, (x, y) in ISLAND_GAUGES.items():
        world.apply(AddGauge(name, left + x - west, near + y - ISLAND[1]))
    while water.time < 14.5:
        world.step()
        shoreline.look()

    measured = numbers(DATA / "conical_island" / f"runup_{case}.csv")
    found = []
    for angle in np.radians(measured[:, 0]):
        # 270° looks towards the wave. Both halves of the basin are alike.
        ray = (
            (left + ISLAND[0] - west + r * math.sin(angle), near + r * abs(math.cos(angle)))
            for r in np.arange(1.1, 3.6, 0.25 * water.grid.spacing)
        )
        found.append(100.0 * shoreline.along(ray))
    largest, errors = measured[:, 1].max(), np.array(found) - measured[:, 1]
    note = f"{max(found):.2f} cm, measured {largest:.2f} cm"
    title = f"conical island, wave {case}"
    run.results.append(Result(title, "largest run-up", 100.0 * (max(found) / largest - 1.0), 10.0, note))
    mean = 100.0 * float(np.abs(errors).mean()) / largest
    own = f"of the run-up at each angle {100.0 * float(np.abs(errors / measured[:, 1]).mean()):.0f} %"
    run.results.append(Result(title, "run-up, mean over angles, of the largest", mean, 15.0, own))
    run.panels["run-up [cm] by angle [°]"] = {
        "measured": (measured[:, 0], measured[:, 1]),
        scheme: (measured[:, 0], np.array(found)),
    }
    table = read_series(DATA / "conical_island" / f"gauges_{case}.csv")
    wave = np.mean([table.columns[number] for number in "1234"], axis=0)
    start = table.times[max(int(wave.argmax()) - 150, 0)]
    for name in ISLAND_GAUGES:
        gauge, surface = world.gauges[name], table.columns[name] - table.columns[name][:50].mean()
        shown = (table.times >= start) & (table.times < start + 14.5)
        run.panels[f"gauge {name} [m]"] = {
            "measured": (table.times[shown] - start, surface[shown]),
            scheme: (np.asarray(gauge.times), np.asarray(gauge.surface)),
        }
    return run


# --- problem 7: Monai

MONAI_GAUGES = {"ch5": (4.521, 1.196), "ch7": (4.521, 1.696), "ch9": (4.521, 2.196)}
GULLY = (5.158, 1.880)
MONAI_SECONDS = 25.0
"""As long as is compared [s]: the tank of the laboratory was longer, and later its reflections come back."""


def monai(scheme: str, fineness: float) -> Run:
    """The tsunami of 1993 in the valley of Monai, 1:400: three gauges, and the run-up in a gully."""
    run, title = Run(), "Monai"
    ground = Heightmap.load(DATA / "monai" / "bathymetry.npz")
    points = round((ground.heights.shape[1] - 1) * fineness) + 1
    wave = {"wavemaker": "series", "wavemaker_series": str(DATA / "monai" / "input.csv"), "wavemaker_sides": "west"}
    world = World(make_water(ground, points, scheme, 1.2, friction=FRICTION, **wave))
    for name, place in MONAI_GAUGES.items():
        x, z = ground.to_world(*place)
        world.apply(AddGauge(name, float(x), float(z)))
    shoreline = Shoreline(world.water)
    while world.water.time < MONAI_SECONDS:
        world.step()
        shoreline.look()
    table = read_series(DATA / "monai" / "gauges.csv")
    for name in MONAI_GAUGES:
        gauge, surface = world.gauges[name], table.columns[name]
        compared = table.times <= MONAI_SECONDS
        times, measured = table.times[compared], surface[compared]
        error = np.interp(times, gauge.times, gauge.surface) - measured
        rms = 100.0 * math.sqrt(float(np.mean(error**2))) / float(np.ptp(measured))
        run.results.append(Result(title, f"gauge {name[2:]}, rms of the range", rms, 12.0))
        curve = np.asarray(gauge.times), np.asarray(gauge.surface)
        run.panels[f"gauge {name[2:]} [m]"] = {"measured": (times, measured), scheme: curve}
    x, z = ground.to_world(*GULLY)
    height = 100.0 * shoreline.at(float(x), float(z), 0.06)
    outside = max(8.0 - height, height - 10.0, 0.0)
    run.results.append(
        Result(title, "run-up in the gully, outside 8 to 10 cm", 10.0 * outside, 0.0, f"{height:.1f} cm")
    )
    return run


# --- waves over a submerged bar

BAR = ((0.0, 0.0), (11.01, 0.0), (23.04, 0.6), (27.04, 0.6), (33.07, 0.0), (90.0, 0.0))
"""Distance [m] and height of the bottom [m]. The flume is longer than the laboratory's: no wave comes back in time."""

BAR_DEPTH, BAR_HEIGHT, BAR_PERIOD = 0.8, 0.04, 2.02 * math.sqrt(2.0)

BAR_HARMONICS = {
    3.04: (20.7, 0.9, 0.1, 0.1),
    9.44: (19.8, 0.8, 0.2, 0.0),
    20.04: (24.9, 3.5, 0.8, 0.4),
    26.04: (18.7, 12.3, 11.5, 5.7),
    30.44: (12.1, 18.5, 8.6, 2.9),
    37.04: (12.2, 15.2, 10.8, 2.1),
}
"""Amplitudes of the first four harmonics [mm] by distance [m] in the curves of M. W. Dingemans (*Comparison of
computations with Boussinesq-like models and laboratory measurements*, Delft Hydraulics, report H1684.12, 1994), as
`harmonics` finds them."""


def harmonics(times: Doubles, surface: Doubles) -> Doubles:
    """Amplitudes of the first four harmonics over five periods, from 44 s on, by least squares."""
    chosen = (times >= 44.0) & (times < 44.0 + 5.0 * BAR_PERIOD)
    phase = 2.0 * math.pi / BAR_PERIOD * times[chosen]
    waves = [shape(number * phase) for shape in (np.cos, np.sin) for number in range(1, 5)]
    found = np.linalg.lstsq(np.stack([*waves, np.ones_like(phase)], axis=1), surface[chosen], rcond=None)[0]
    return np.hypot(found[:4], found[4:8])


def bar(scheme: str, fineness: float) -> Run:
    """Regular waves over a bar, on which they steepen, and behind which their harmonics run each at its own speed."""
    run, cells = Run(), 25.0 * fineness
    x, heights = np.array(BAR).T
    points = round(x[-1] * cells) + 1
    bed = np.interp(np.arange(points) / cells, x, heights) - BAR_DEPTH
    ground = Heightmap.from_array(np.tile(bed, (2, 1)), cell=1.0 / cells)
    wave: dict[str, float | str] = {"wavemaker": "sine", "wavemaker_sides": "west", "wavemaker_height": BAR_HEIGHT}
    speed = math.sqrt(GRAVITY * BAR_DEPTH)
    world = World(make_water(ground, points, scheme, speed, friction=FRICTION, wavemaker_period=BAR_PERIOD, **wave))
    left, _, near = world.water.grid.origin
    for place in BAR_HARMONICS:
        world.apply(AddGauge(f"{place}", left + place, near))
    while world.water.time < 44.0 + 5.0 * BAR_PERIOD + 0.1:
        world.step()
    found = {}
    for place in BAR_HARMONICS:
        gauge = world.gauges[f"{place}"]
        found[place] = 1e3 * harmonics(np.asarray(gauge.times), np.asarray(gauge.surface))
    for where, places in (("up to its top", (9.44, 20.04, 26.04)), ("behind it", (30.44, 37.04))):
        measured = np.array([BAR_HARMONICS[place] for place in places])
        errors = np.array([found[place] for place in places]) - measured
        share = 100.0 * float(np.linalg.norm(errors) / np.linalg.norm(measured))
        note = f"at {places[-1]} m " + " ".join(f"{amplitude:.1f}" for amplitude in found[places[-1]]) + " mm"
        run.results.append(Result("submerged bar", f"four harmonics {where}, rms of them", share, 15.0, note))
    for number in range(4):
        run.panels[f"harmonic {number + 1} [mm]"] = {
            name: (np.array(list(BAR_HARMONICS)), np.array([row[number] for row in rows.values()]))
            for name, rows in (("measured", BAR_HARMONICS), (scheme, found))
        }
    return run


PROBLEMS: Mapping[str, Callable[[str, float], Run]] = {
    "beach": plane_beach,
    "run-ups": run_ups,
    "island-a": lambda scheme, fineness: conical_island("a", scheme, fineness),
    "island-b": lambda scheme, fineness: conical_island("b", scheme, fineness),
    "monai": monai,
    "bar": bar,
}


def schemes() -> list[str]:
    """The schemes of shallow water that run up beaches."""
    (entry,) = (entry for entry in declarations(MODELS["shallow-water"].Params) if entry.name == "scheme")
    return [name for name in entry.choices if name != "kass-miller"]


# --- table and plots

PAGE = Path(__file__).resolve().parent.parent / "docs" / "laboratory.md"
PICTURES = PAGE.parent / "pictures" / "laboratory"
COLOURS = ("#0072b2", "#d55e00", "#009e73")  # distinguishable with any colour vision


def table_of(runs: Mapping[str, Mapping[str, Run]], names: Sequence[str]) -> list[list[str]]:
    """Rows of a table: problem, quantity, what is allowed, and for each scheme its error and the numbers behind it."""
    rows = []
    for by_scheme in runs.values():
        for number, first in enumerate(next(iter(by_scheme.values())).results):
            row = [first.problem, first.quantity, f"{first.allowed:g} %"]
            for name in names:
                result = by_scheme[name].results[number]
                row += [f"{result.error:.1f} %{'' if result.passed else ' missed'}", result.note]
            rows.append(row)
    return rows


def headings(names: Sequence[str]) -> list[str]:
    """The headings of `table_of`."""
    return ["problem", "error in", "allowed", *(text for name in names for text in (name, ""))]


def write_page(runs: Mapping[str, Mapping[str, Run]], names: Sequence[str]) -> None:
    """Put the table between the marks of the page."""
    rows = [headings(names), ["---"] * (3 + 2 * len(names)), *table_of(runs, names)]
    lines = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    before, rest = PAGE.read_text(encoding="utf-8").split("<!-- laboratory -->\n")
    after = rest.split("<!-- end of laboratory -->")[1]
    text = f"{before}<!-- laboratory -->\n{lines}\n<!-- end of laboratory -->{after}"
    PAGE.write_text(text, encoding="utf-8")


def draw(name: str, by_scheme: Mapping[str, Run]) -> None:
    """Draw the panels of a problem into one picture: measured in black, each scheme in its colour."""
    import matplotlib.pyplot as plt
    from PIL import Image

    first = next(iter(by_scheme.values()))
    columns = min(len(first.panels), 3)
    rows = -(-len(first.panels) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(4.0 * columns, 2.8 * rows), squeeze=False, layout="constrained")
    for axis in axes.flat[len(first.panels) :]:
        axis.set_axis_off()
    for axis, panel in zip(axes.flat, first.panels, strict=False):
        for colour, run in zip(COLOURS, by_scheme.values(), strict=False):
            for label, (x, y) in run.panels[panel].items():
                is_given = label in ("measured", "exact")
                if is_given and run is not first:
                    continue
                dots = is_given and len(x) < 200
                style = {"marker": "o", "linestyle": "", "markersize": 3} if dots else {"linewidth": 1.2}
                axis.plot(
                    x, y, color="black" if is_given else colour, label=label, zorder=1 if is_given else 2, **style
                )
        axis.set_title(panel, fontsize=9)
        axis.tick_params(labelsize=7)
        axis.grid(alpha=0.3)
        if panel == "run-up":
            axis.set(xscale="log", yscale="log")
    axes.flat[0].legend(fontsize=7)
    PICTURES.mkdir(parents=True, exist_ok=True)
    path = PICTURES / f"{name}.png"
    figure.savefig(path, dpi=90, metadata={"Software": None})
    plt.close(figure)
    Image.open(path).convert("RGB").quantize(64).save(path, optimize=True)


def compute(name: str, scheme: str, fineness: float) -> tuple[Run, float]:
    """A problem by its name on one thread, for their grids are small, and the processor time that it took [s]."""
    import numba

    numba.set_num_threads(1)
    began = time.process_time()
    return PROBLEMS[name](scheme, fineness), time.process_time() - began


def main(arguments: Sequence[str] | None = None) -> None:
    """Compute what is asked for, print a table, and write page and plots with `--docs`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", nargs="+", choices=list(PROBLEMS), default=list(PROBLEMS))
    parser.add_argument("--schemes", nargs="+", choices=schemes(), default=schemes())
    parser.add_argument("--fineness", type=float, default=1.0, help="cells along a side, as a multiple of the usual")
    parser.add_argument("--docs", action="store_true", help=f"write into {PAGE.name} and its pictures")
    parser.add_argument("--processes", type=int, help="problems that are computed at once (default: one a core)")
    options = parser.parse_args(arguments)
    if options.docs:
        import matplotlib as mpl  # before minutes of computing, if it is missing

        mpl.use("Agg")
    with ProcessPoolExecutor(options.processes, multiprocessing.get_context("spawn")) as processes:
        jobs = {
            (name, scheme): processes.submit(compute, name, scheme, options.fineness)
            for name in options.problems
            for scheme in options.schemes
        }
        runs: dict[str, dict[str, Run]] = {name: {} for name in options.problems}
        for (name, scheme), job in jobs.items():
            runs[name][scheme], seconds = job.result()
            print(f"{name} with {scheme}: {seconds:.0f} s of processor time", file=sys.stderr)
    table = Table(title="measured waves")
    for heading in headings(options.schemes):
        table.add_column(heading)
    for row in table_of(runs, options.schemes):
        table.add_row(*row)
    Console(width=max(120, Console().width)).print(table)
    if options.docs:
        write_page(runs, options.schemes)
        for name, by_scheme in runs.items():
            draw(name, by_scheme)


if __name__ == "__main__":
    main()

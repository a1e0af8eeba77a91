"""How fast this machine steps, publishes and draws water: what `waterview bench` prints."""

from __future__ import annotations

import itertools
import json
import math
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from waterview.core.errors import DisplayError, InputError
from waterview.output.atomic import write_atomically

GRIDS = (512, 1024, 2048)

LEAST, MOST = 16, 8192
"""Fewest and most points along a side."""

BLOCK = 32
"""Steps a call."""

TURN = 0.02
"""Shortest duration of one measurement [s]; the work is repeated to fill it."""

DAMPING, COURANT = 0.002, 0.4

MODELS = ("wave-equation", "dual-buffer", "height-field")
"""Models whose steps are the measured kernels."""

TURNS, MOST_TURNS = 5, 1000

PICTURE = (1280, 720)
"""Size of the drawn picture [pixels]."""

Case = dict[str, Any]


def run(
    grids: Sequence[int] | None = None,
    threads: Sequence[int] | None = None,
    json_file: Path | None = None,
    turns: int = TURNS,
) -> Case:
    """Measure every stencil, border and shore on square grids, print tables, and return the figures.

    Args:
        grids: points along a side; those of `GRIDS` by default.
        threads: numbers of threads; 1 and all that numba may use by default.
        json_file: where to write what is returned, or None.
        turns: repetitions of each measurement, of which the median counts.

    Returns:
        `results`: for each case its grid, threads, stencil, border, shore and motion (state as previous heights or as
        velocities), gcups (10⁹ points a second), and roofline, the ratio to the limit of memory at one pass over the
        grid a step. `memory`: that limit by grid and threads. `models`: for each grid and model the points a second of
        complete steps on all threads. `frames`: for each grid the times to publish a moving surface, and to upload and
        draw it [ms].

    Raises:
        InputError: a number is not allowed, or the file cannot be written.
    """
    grids = grids or GRIDS
    counts = _checked(grids, threads, turns)
    console = Console()
    with console.status("measuring"):
        limits = {(n, count): memory_limit(n, count, turns) for n, count in product(grids, counts)}
        results = []
        for case in cases(grids, counts):
            gcups = step_rate(**case, turns=turns)
            results.append(case | {"gcups": gcups, "roofline": gcups / limits[case["grid"], case["threads"]]})
        models = [{"grid": n, "model": name, "gcups": model_rate(n, name, turns)} for n in grids for name in MODELS]
        frames = [frame_costs(n, turns) for n in grids]
    memory = [{"grid": n, "threads": count, "gcups": limit} for (n, count), limit in limits.items()]
    figures = {"results": results, "memory": memory, "models": models, "frames": frames}
    console.print(_table(results, limits))
    for n in grids:
        rates = ", ".join(f"{each['model']} {each['gcups']:.2f}" for each in models if each["grid"] == n)
        console.print(f"whole steps of {n}², 10⁹ points a second: {rates}")
    for frame in frames:
        draw = "no OpenGL here" if frame["draw_ms"] is None else f"upload and draw {frame['draw_ms']:.1f} ms"
        console.print(f"frame of {frame['grid']}²: publish {frame['publish_ms']:.2f} ms, {draw}")
    if json_file is not None:
        text = json.dumps(figures, indent=1) + "\n"
        write_atomically(json_file, "figures", lambda place: place.write_text(text, encoding="utf-8"))
    return figures


def _checked(grids: Sequence[int], threads: Sequence[int] | None, turns: int) -> list[int]:
    """The numbers of threads, once all arguments are checked."""
    from waterview.simd.about import most_threads

    most = most_threads()
    for n in grids:
        if not LEAST <= n <= MOST:
            raise InputError(f"--grid {n}: allowed are whole numbers from {LEAST} to {MOST}")
    for count in threads or ():
        if not 1 <= count <= most:
            raise InputError(f"--threads {count}: allowed are whole numbers from 1 to {most} on this machine")
    if not 1 <= turns <= MOST_TURNS:
        raise InputError(f"--turns {turns}: allowed are whole numbers from 1 to {MOST_TURNS}")
    return sorted(set(threads or (1, most)))


def cases(grids: Sequence[int], threads: Sequence[int]) -> Iterator[Case]:
    """The cases: zero shores with every border, reflecting shores, and velocities, for each stencil."""
    from waterview.waters.common.borders import BORDER_KINDS
    from waterview.waters.wave.step import STENCILS

    for n, count, stencil in product(grids, threads, STENCILS):
        for border, shore in (*((kind, "zero") for kind in BORDER_KINDS), ("zero", "no-flux")):
            yield _case(n, count, stencil, border, shore)
        yield _case(n, count, stencil, "reflecting", "zero", "velocity")


def _case(n: int, threads: int, stencil: str, border: str, shore: str, motion: str = "heights") -> Case:
    return {"grid": n, "threads": threads, "stencil": stencil, "border": border, "shore": shore, "motion": motion}


def scene(n: int) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Random heights and a few islands with smooth shores, about 6 % of n × n points."""
    z, x = np.ogrid[:n, :n]
    fixed = np.sin(9.0 * x / n) + np.sin(7.0 * z / n) + 0.3 * np.sin(40.0 * x * z / n**2) > 1.75
    heights = np.random.default_rng(0).uniform(-0.1, 0.1, (n, n)).astype(np.float32)
    return np.where(fixed, np.float32(0.0), heights), fixed


# --- measurements


def step_rate(grid: int, threads: int, stencil: str, border: str, shore: str, motion: str, turns: int) -> float:
    """Points stepped a second [10⁹]."""
    from waterview.simd.layout import TwoLevels, padded
    from waterview.waters.common.borders import Sides
    from waterview.waters.wave.domain import Domain
    from waterview.waters.wave.step import Velocity, advance

    field = TwoLevels((grid, grid))
    heights, fixed = scene(grid)
    field.heights[...] = field.heights_before[...] = heights
    domain = Domain(fixed, Sides(border, border, border, border), shore)
    rules: Case = {"stencil": stencil, "damping": DAMPING, "courant": COURANT, "steps": BLOCK, "threads": threads}
    rules["velocity"] = Velocity(padded(field.shape), 0.01) if motion == "velocity" else None
    return grid**2 * BLOCK / median_time(lambda: advance(field, domain, **rules), turns) / 1e9


def memory_limit(n: int, threads: int, turns: int) -> float:
    """Points a second [10⁹] at which memory passes over the grid once a step."""
    from waterview.simd.about import pass_over

    levels = np.ones((2, n * n), np.float32)
    return n * n / median_time(lambda: pass_over(levels, threads), turns) / 1e9


def model_rate(n: int, name: str, turns: int) -> float:
    """Points stepped a second [10⁹] by a model on n × n points with waves everywhere."""
    from waterview import waters as models

    water = models.MODELS[name](0.1 * n, 0.1 * n, n, border="reflecting", steps_per_second=120.0)
    z, x = np.ogrid[:n, :n]
    waves = 0.02 * np.sin(0.05 * x) * np.cos(0.07 * z)

    def work() -> None:
        for level in water.time_levels:
            level[...] = waves
        water.advance(BLOCK)

    return n**2 * BLOCK / median_time(work, turns) / 1e9


def frame_costs(n: int, turns: int) -> Case:
    """Times [ms] to publish a surface of n × n points that moves everywhere, and to upload and draw it.

    The latter is None where there is no OpenGL.
    """
    from waterview.waters import WaveEquationWater

    water = WaveEquationWater(1.0, 1.0, n, border="reflecting")
    for level in water.time_levels:
        level[...] = 1e-3 * scene(n)[0]
    serials = itertools.count(1)

    def publish() -> None:
        assert water.time_levels  # all of it counts as written
        water.publish(next(serials))

    return {"grid": n, "publish_ms": 1e3 * median_time(publish, turns), "draw_ms": _drawing_time(water, turns)}


def _drawing_time(water: Any, turns: int) -> float | None:
    from waterview.render.camera.camera import OrbitCamera
    from waterview.render.offscreen import opengl
    from waterview.render.renderer import Renderer

    frames = map(water.publish, itertools.count(1))
    try:
        with opengl() as ctx:
            renderer, target = Renderer(ctx), ctx.simple_framebuffer(PICTURE)
            camera = OrbitCamera.framing(water.publish(0), PICTURE[0] / PICTURE[1])

            def draw() -> None:
                renderer.render(next(frames), camera, PICTURE, target)
                ctx.finish()

            try:
                return 1e3 * median_time(draw, turns)
            finally:
                renderer.release()
    except DisplayError:
        return None


def median_time(work: Callable[[], object], turns: int) -> float:
    """Median time that `work` takes [s]; each turn repeats it to fill `TURN`."""
    work()  # compiles
    often = max(1, math.ceil(TURN / max(seconds(work), 1e-6)))
    return statistics.median(seconds(lambda: [work() for _ in range(often)]) for _ in range(turns)) / often


def seconds(work: Callable[[], object]) -> float:
    """How long `work` takes [s]."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _table(results: list[Case], limits: dict[tuple[int, int], float]) -> Table:
    table = Table(title="points stepped a second, 10⁹ (and times what memory allows at a pass over the grid a step)")
    for heading in (
        "stencil",
        "border",
        "shore",
        "motion by",
        *(f"{n}², {c} thread{'s' * (c > 1)}" for n, c in limits),
    ):
        table.add_column(heading, justify="right")
    rows: dict[tuple[str, ...], list[str]] = {}
    for each in results:
        row = rows.setdefault((each["stencil"], each["border"], each["shore"], each["motion"]), [])
        row.append(f"{each['gcups']:.2f} ({each['roofline']:.1f})")
    for names, cells in rows.items():
        table.add_row(*names, *cells)
    table.add_row("memory", "", "", "", *(f"{limit:.2f}" for limit in limits.values()))
    return table

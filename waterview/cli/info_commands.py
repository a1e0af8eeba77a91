"""The commands that print information: inspect, presets, models, doctor, bench."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from waterview.core.params import Value, declarations
from waterview.terrain.options import TerrainOptions

from .options import with_options_of
from .scene_setup import find_terrain


@with_options_of(*declarations(TerrainOptions))
def inspect(
    heightmap: Annotated[
        str, typer.Argument(metavar="FILE", help="A heightmap file, or the name of a bundled terrain.")
    ],
    *,
    declared: dict[str, Value],
) -> None:
    """Print what a heightmap holds: size, cells, range, gaps, land and water."""
    from waterview.terrain.inspect import inspect_file

    terrain = find_terrain(heightmap, declared)
    for line in inspect_file(terrain.path, terrain.options).lines():
        print(line)


def presets() -> None:
    """List the presets: whole scenes for --preset NAME."""
    from waterview.scene.presets import preset_lines

    for line in preset_lines():
        print(line)


def models() -> None:
    """List the water models: names for --model NAME."""
    from waterview.waters import MODELS

    for name, model in MODELS.items():
        print(f"{name:16} {model.summary}")


def doctor() -> None:
    """Print versions, the OpenGL renderer, numba's threading layer and the places of caches."""
    from waterview.tools.doctor import report

    for name, value in report():
        print(f"{name:24} {value}")


def bench(
    *,
    grid: Annotated[
        list[int] | None,
        typer.Option(
            "--grid", metavar="N", help="Points along a side; may be given several times. Default: 512 to 2048."
        ),
    ] = None,
    threads: Annotated[
        list[int] | None,
        typer.Option(
            "--threads", metavar="N", help="Number of threads; may be given several times. Default: 1 and all."
        ),
    ] = None,
    turns: Annotated[int, typer.Option("--turns", metavar="N", help="Turns of each measurement [1 to 1000].")] = 5,
    json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Also write the figures to this file.")
    ] = None,
) -> None:
    """Measure how fast this machine steps, publishes and draws water."""
    from waterview.tools.bench import run

    run(grid, threads, json, turns)

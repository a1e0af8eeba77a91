"""The commands that only tell: inspect, presets, models, doctor."""

from __future__ import annotations

from typing import Annotated

import typer

from waterview.core.params import Value
from waterview.models import MODELS, in_a_line
from waterview.presets import preset_lines

from .declared import with_declared_options
from .scene_options import terrain_from


@with_declared_options()
def inspect(heightmap: Annotated[str, typer.Argument(metavar="FILE")], *, declared: dict[str, Value]) -> None:
    """Say what a heightmap holds: size, cells, range, gaps, land and water."""
    from waterview.terrain.inspect import inspect_file

    terrain = terrain_from(heightmap, declared)
    for line in inspect_file(terrain.path, terrain.options).lines():
        print(line)


def presets() -> None:
    """List the presets: whole scenes for --preset NAME."""
    for line in preset_lines():
        print(line)


def models() -> None:
    """List the water models: names for --model NAME."""
    for name, model in MODELS.items():
        print(f"{name:16} {in_a_line(model)}")


def doctor() -> None:
    """Print versions, the OpenGL renderer, numba's threading layer and the places of caches."""
    from waterview.doctor import report

    for name, value in report():
        print(f"{name:24} {value}")

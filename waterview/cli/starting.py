"""From what was asked for to the scene, and how it is looked at; without the command line's own machinery."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from waterview.core.errors import ParameterError, TerrainError
from waterview.core.params import Params, Value, declarations, nearest
from waterview.render.settings import ViewParams
from waterview.render.shot import Shot
from waterview.scene.arguments import parse_camera, parse_size
from waterview.scene.scene import Scene, split_settings
from waterview.terrain.library import TerrainSource, resolve
from waterview.terrain.options import TerrainOptions
from waterview.waters import MODELS

if TYPE_CHECKING:
    from waterview.core.commands import AddBody, Drop
    from waterview.render.camera.camera_path import Flight
    from waterview.scene.presets import Preset

DEFAULT_TERRAIN = "coast"
SOLVERS = ("cpu", "gpu")


@dataclass(frozen=True)
class Start:
    """The scene that a command begins with."""

    terrain: TerrainSource
    scene: Scene
    settings: Mapping[str, Value]
    preset: Preset | None
    keeps_place: bool

    @property
    def drops(self) -> tuple[Drop, ...]:
        """Those of the preset, which belong to its place; none for a model that feels none."""
        feels = MODELS[self.scene.params.model].can_be_disturbed
        return self.preset.drops if self.preset is not None and self.keeps_place and feels else ()


def start_from(
    heightmap: str | None, preset_name: str | None, bodies: Sequence[str] | None, declared: Mapping[str, Value]
) -> Start:
    """The scene that the arguments of a command ask for; what is given there goes before a preset's.

    Raises:
        InputError: a name, a file or a value is not allowed.
    """
    added = _bodies(bodies) if bodies else ()
    preset = _preset(preset_name) if preset_name is not None else None
    keeps_place = preset is not None and heightmap is None
    settings = declared if preset is None else preset.under(declared, keeps_place)
    source = preset.terrain() if preset is not None and keeps_place else None
    try:
        terrain = terrain_from(heightmap, settings, source)
    except TerrainError as error:
        raise TerrainError(f"{error}{_meant(heightmap or '')}") from error
    scene = _scene(terrain, settings)
    if preset is not None and keeps_place:
        scene = replace(scene, walls=preset.walls)
    return Start(terrain, replace(scene, bodies=added), settings, preset, keeps_place)


def _bodies(texts: Sequence[str]) -> tuple[AddBody, ...]:
    from waterview.bodies.parse import parse_body

    return tuple(parse_body(text) for text in texts)


def _meant(name: str) -> str:
    """What to add to a complaint about a terrain that is none, if a preset has that name."""
    from waterview.scene.presets import preset_paths

    return f"; did you mean '--preset {name}'?" if name in preset_paths() else ""


def _preset(name: str) -> Preset:
    from waterview.scene.presets import find_preset

    return find_preset(name)


def terrain_from(name: str | None, declared: Mapping[str, Value], source: TerrainSource | None = None) -> TerrainSource:
    """The terrain called `name`, or `source`, with the terrain options among `declared`."""
    source = source or resolve(name or DEFAULT_TERRAIN)
    return source.with_options(source.options.changed(**part(TerrainOptions, declared)))


def _scene(terrain: TerrainSource, declared: Mapping[str, Value]) -> Scene:
    params, wanted = split_settings(declared)  # a wrong value is told before the terrain is read
    heightmap = terrain.load()
    hint = heightmap.relief_hint()
    if hint:
        print(f"waterview: {hint}", file=sys.stderr)
    return Scene(heightmap, params, wanted)


def shot_from(flag: str, size: str, camera: str | None, start: Start, path: str | None) -> Shot:
    """How pictures of the scene are made: size (the text of `flag`), view settings, first camera and its path."""
    aim = start.preset.camera if start.preset is not None and start.keeps_place else None
    if camera is not None:
        aim = parse_camera(camera).of
    view = ViewParams().changed(**part(ViewParams, start.settings))
    return Shot(parse_size(flag, size), view, aim, flight=None if path is None else _flight(path))


def _flight(path: str) -> Flight:
    from waterview.render.camera.camera_path import parse_path

    return parse_path(path)


def check_replay(replay: Path | None, *added: Sequence[str] | None) -> None:
    """Refuse drops and bodies that are `added` to a recording: it has its own, and would not be done again to the bit.

    Raises:
        ParameterError: it is so.
    """
    if replay is not None and any(added):
        raise ParameterError("--replay: a recording has drops and bodies of its own; leave --drop and --body away")


def check_solver(solver: str, start: Start, *recordings: Path | None) -> None:
    """Refuse a `--solver` that is none, or that cannot do what is asked for.

    Raises:
        ParameterError: it is so.
    """
    if solver not in SOLVERS:
        raise ParameterError(f"--solver '{solver}': allowed are {', '.join(SOLVERS)}{nearest(solver, SOLVERS)}")
    if solver == "gpu" and any(recordings):
        raise ParameterError("--solver gpu: cards differ in the last digits, so runs are neither recorded nor replayed")
    if solver == "gpu" and (start.scene.bodies or start.scene.params.detail):
        raise ParameterError("--solver gpu: the graphics card's solver knows no bodies and no fine detail; use cpu")


@contextmanager
def solved_without_window(solver: str, scene: Scene, shot: Shot) -> Iterator[tuple[Scene, Shot]]:
    """`scene` computed by `solver`, and `shot` drawn where it can be seen."""
    if solver == "cpu":
        yield scene, shot
        return
    from waterview.gpu.water import card_models
    from waterview.render.offscreen import opengl

    with opengl() as ctx:
        yield replace(scene, models=card_models(ctx)), replace(shot, ctx=ctx)


def check(flag: str, value: float, low: float, high: float) -> None:
    """Refuse a `value` of `flag` outside low … high.

    Raises:
        ParameterError: it is.
    """
    if not (math.isfinite(value) and low <= value <= high):
        raise ParameterError(f"{flag} {value:g}: allowed are {low:g} to {high:g}; choose a value in that range")


def part(params: type[Params], declared: Mapping[str, Value]) -> dict[str, Value]:
    """Those of the values given that belong to `params`, by name."""
    return {entry.name: declared[entry.name] for entry in declarations(params) if entry.name in declared}

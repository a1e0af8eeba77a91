"""From the arguments of a command to a scene and the shot of it, without importing typer."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from waterview.core.commands import AddBody
from waterview.core.errors import ParameterError, TerrainError
from waterview.core.params import Value, nearest, values_for
from waterview.render.settings import ViewParams
from waterview.render.shot import Shot
from waterview.scene.arguments import parse_camera, parse_gauge, parse_size
from waterview.scene.given_start import GivenStart
from waterview.scene.scene import Scene, split_settings
from waterview.terrain.library import TerrainSource, resolve
from waterview.terrain.options import TerrainOptions
from waterview.waters import MODELS

if TYPE_CHECKING:
    from waterview.core.commands import Drop
    from waterview.scene.presets import Preset

DEFAULT_TERRAIN = "coast"
SOLVERS = ("cpu", "gpu")


@dataclass(frozen=True)
class SceneSetup:
    """The scene that a command starts with.

    Attributes:
        terrain: the terrain, its file read already.
        scene: the scene on it.
        settings: declared parameters by name, of the preset and the command line.
        preset: the preset that was asked for, or None.
        keeps_place: whether the scene lies on the preset's own terrain.
    """

    terrain: TerrainSource
    scene: Scene
    settings: Mapping[str, Value]
    preset: Preset | None
    keeps_place: bool

    @property
    def files(self) -> tuple[Path | None, ...]:
        """The files that the scene is made from; None for what has no file."""
        start = self.scene.start
        return self.terrain.path, start.surface, start.flow_x, start.flow_z, start.fault

    @property
    def drops(self) -> tuple[Drop, ...]:
        """Drops of the preset; none on another terrain, or where the model has no drops."""
        has_drops = MODELS[self.scene.params.model].can_be_disturbed
        return self.preset.drops if self.preset is not None and self.keeps_place and has_drops else ()


def set_up_scene(
    heightmap: str | None,
    preset_name: str | None,
    bodies: Sequence[str] | None,
    declared: Mapping[str, Value],
    start: GivenStart | None = None,
    gauges: Sequence[str] | None = None,
) -> SceneSetup:
    """The scene that the arguments of a command ask for; they override those of a preset.

    Raises:
        InputError: a name, a file or a value is not allowed.
    """
    preset, added = None, tuple[AddBody, ...]()
    if bodies:
        from waterview.bodies.kinds import parse_body

        added = tuple(parse_body(text) for text in bodies)
    if preset_name is not None:
        from waterview.scene.presets import find_preset

        preset = find_preset(preset_name)
    keeps_place = preset is not None and heightmap is None
    settings = declared if preset is None else preset.overridden_by(declared, keeps_place)
    source = preset.terrain() if preset is not None and keeps_place else None
    try:
        terrain = find_terrain(heightmap, settings, source)
    except TerrainError as error:
        raise TerrainError(f"{error}{_preset_hint(heightmap or '')}") from error
    params, values = split_settings(settings)  # a wrong value is reported before the terrain is read
    ground = terrain.load()
    if hint := ground.relief_hint():
        print(f"waterview: {hint}", file=sys.stderr)
    walls, starts = ((), GivenStart()) if preset is None or not keeps_place else (preset.walls, preset.start)
    if start is not None:
        starts = starts.overridden_by(start)
    measuring = preset.gauges if preset is not None and keeps_place else ()
    scene = Scene(ground, params, values, walls, added, starts, (*measuring, *map(parse_gauge, gauges or ())))
    return SceneSetup(terrain, scene, settings, preset, keeps_place)


def _preset_hint(name: str) -> str:
    """What to add to an error about an unknown terrain, if a preset has that name."""
    from waterview.scene.presets import preset_paths

    return f"; did you mean '--preset {name}'?" if name in preset_paths() else ""


def find_terrain(name: str | None, declared: Mapping[str, Value], source: TerrainSource | None = None) -> TerrainSource:
    """The terrain called `name`, or `source`, with the terrain options among `declared`."""
    source = source or resolve(name or DEFAULT_TERRAIN)
    return source.with_options(source.options.changed(**values_for(TerrainOptions, declared)))


def set_up_shot(flag: str, size: str, camera: str | None, setup: SceneSetup, path: str | None) -> Shot:
    """How pictures of the scene are made: size (the text of `flag`), view settings, first camera and its path."""
    flight = None
    if path is not None:
        from waterview.render.camera.camera_path import parse_path

        flight = parse_path(path)
    aim = setup.preset.camera if setup.preset is not None and setup.keeps_place else None
    if camera is not None:
        aim = parse_camera(camera).of
    return Shot(
        parse_size(flag, size), ViewParams().changed(**values_for(ViewParams, setup.settings)), aim, flight=flight
    )


def check_replay(replay: Path | None, start: GivenStart | None, *added: Sequence[str] | None) -> None:
    """Refuse a start, drops, bodies and gauges that are `added` to a recording, which is replayed as it was.

    Raises:
        ParameterError: there are some.
    """
    if replay is not None and start:
        raise ParameterError(
            "--replay: a recording has a start of its own; leave --surface, --flow-x and the like away"
        )
    if replay is not None and any(added):
        raise ParameterError(
            "--replay: a recording has drops, bodies and gauges of its own; leave --drop, --body and --gauge away"
        )


def check_keeps(flag: str, out: Path, *inputs: Path | str | None) -> None:
    """Refuse to write `out`, the path given with `flag`, over a file that is read, or over a folder with one in it.

    Raises:
        ParameterError: it would be lost.
    """
    before, number, after = out.name.partition("%")
    written = [out]
    if number and out.parent.is_dir():
        after = after.partition("d")[2]
        found = [path for path in out.parent.iterdir() if path.name.startswith(before) and path.name.endswith(after)]
        numbers = {path: path.name[len(before) : len(path.name) - len(after)] for path in found}
        written = [path for path, text in numbers.items() if text.isdecimal() and out.name % int(text) == path.name]
    for read in (Path(path) for path in inputs if path is not None and os.path.exists(path)):
        for path in written:
            if path.exists() and (path.samefile(read) or path.resolve() in read.resolve().parents):
                raise ParameterError(f"{flag} {out}: {read} is read for it and would be lost; choose another name")


def check_solver(solver: str, setup: SceneSetup, *recordings: Path | None) -> None:
    """Refuse a `--solver` that is unknown or lacks what the scene needs.

    Raises:
        ParameterError: it is refused.
    """
    if solver not in SOLVERS:
        raise ParameterError(f"--solver '{solver}': allowed are {', '.join(SOLVERS)}{nearest(solver, SOLVERS)}")
    if solver == "gpu" and any(recordings):
        raise ParameterError("--solver gpu: cards differ in the last digits, so runs are neither recorded nor replayed")
    if solver == "gpu" and (setup.scene.bodies or setup.scene.params.detail or setup.scene.gauges):
        raise ParameterError("--solver gpu: the graphics card's solver knows no bodies, fine detail or gauges; use cpu")


@contextmanager
def offscreen_solver(solver: str, scene: Scene, shot: Shot) -> Iterator[tuple[Scene, Shot]]:
    """`scene` with the models of `solver`, and `shot` with the OpenGL context that they share."""
    if solver == "cpu":
        yield scene, shot
        return
    from waterview.gpu.water import gpu_models
    from waterview.render.offscreen import opengl

    with opengl() as ctx:
        yield replace(scene, models=gpu_models(ctx)), replace(shot, ctx=ctx)


def check_range(flag: str, value: float, low: float, high: float) -> None:
    """Refuse a `value` of `flag` outside low … high.

    Raises:
        ParameterError: it lies outside.
    """
    if not (math.isfinite(value) and low <= value <= high):
        raise ParameterError(f"{flag} {value:g}: allowed are {low:g} to {high:g}; choose a value in that range")

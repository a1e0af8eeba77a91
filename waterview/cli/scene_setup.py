"""From the arguments of a command to a scene and the shot of it, without importing typer."""

from __future__ import annotations

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
from waterview.terrain.drape import read_drape
from waterview.terrain.library import TerrainSource, resolve
from waterview.terrain.options import TerrainOptions
from waterview.waters import MODELS

from .arguments import SceneArguments

if TYPE_CHECKING:
    from waterview.bodies.mesh_files import BodyFile
    from waterview.core.commands import Drop
    from waterview.output.recording import Recording
    from waterview.scene.presets import Preset
    from waterview.sim.world import World

DEFAULT_TERRAIN = "bay"
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
        floating: the preset's bodies, the first of the scene's; none on another terrain, or on water that carries none.
        drape: the file of the picture over the land.
    """

    terrain: TerrainSource
    scene: Scene
    settings: Mapping[str, Value]
    preset: Preset | None
    keeps_place: bool
    floating: tuple[AddBody, ...] = ()
    drape: Path | None = None

    @property
    def files(self) -> tuple[Path | None, ...]:
        """The files that the scene is made from; None for what has no file."""
        start = self.scene.start
        return self.terrain.path, self.drape, start.surface, start.flow_x, start.flow_z, start.fault

    @property
    def drops(self) -> tuple[Drop, ...]:
        """Drops of the preset; none on another terrain, or where the model has no drops."""
        has_drops = MODELS[self.scene.params.model].can_be_disturbed
        return self.preset.drops if self.preset is not None and self.keeps_place and has_drops else ()


def set_up_scene(arguments: SceneArguments) -> SceneSetup:
    """The scene that the arguments of a command ask for; they override those of a preset.

    Raises:
        InputError: a name, a file or a value is not allowed.
    """
    preset, added = None, tuple[AddBody, ...]()
    if arguments.body:
        from waterview.bodies.kinds import parse_body

        added = tuple(parse_body(text, read_mesh) for text in arguments.body)
    if arguments.preset is not None:
        from waterview.scene.presets import find_preset

        preset = find_preset(arguments.preset)
    heightmap, settings = arguments.heightmap, arguments.declared
    keeps_place = preset is not None and heightmap is None
    settings = settings if preset is None else preset.overridden_by(settings, keeps_place)
    source = preset.terrain() if preset is not None and keeps_place else None
    try:
        terrain = find_terrain(heightmap, settings, source)
    except TerrainError as error:
        raise TerrainError(f"{error}{_preset_hint(heightmap or '')}") from error
    params, values = split_settings(settings)  # a wrong value is reported before the terrain is read
    if arguments.maxima_out is not None:
        params = params.changed(maxima=True)
    ground = terrain.load(params.grid)
    photo = arguments.drape or (preset.drape if preset is not None and keeps_place else None)
    drape = None if photo is None else read_drape(photo, ground)
    left_out = "" if preset is None or keeps_place else _left_out(preset)
    for note in (*ground.notes, ground.relief_hint(), left_out, *(() if drape is None else drape.notes)):
        if note:
            print(f"waterview: {note}", file=sys.stderr)
    walls, starts = ((), GivenStart()) if preset is None or not keeps_place else (preset.walls, preset.start)
    starts = starts.overridden_by(start_of(arguments))
    measuring, floating = ((), ()) if preset is None or not keeps_place else (preset.gauges, preset.bodies)
    carries = MODELS[params.model].can_be_coupled and arguments.solver == "cpu"
    floating = floating if carries else ()
    added = (*floating, *added)
    gauges = (*measuring, *map(parse_gauge, arguments.gauge or ()))
    scene = Scene(ground, params, values, walls, added, starts, gauges, drape)
    return SceneSetup(terrain, scene, settings, preset, keeps_place, floating, photo)


def read_mesh(path: Path) -> BodyFile:
    """The mesh in a file; what was done about it is told."""
    from waterview.bodies.mesh_files import MeshReading

    found = MeshReading(path).result()
    if found.note:
        print(f"waterview: {found.note}", file=sys.stderr)
    return found


def _left_out(preset: Preset) -> str:
    """What to say of a preset's things that belong to its own terrain, where another is asked for."""
    has = {"drops": preset.drops, "bodies": preset.bodies, "walls": preset.walls, "gauges": preset.gauges}
    names = ", ".join(name for name, things in has.items() if things)
    what_to_do = "add others by a click, by --body or, in render, by --drop"
    told = f"{names} of the preset {preset.name} belong to its own terrain and are left out: {what_to_do}"
    return told if names else ""


def _preset_hint(name: str) -> str:
    """What to add to an error about an unknown terrain, if a preset has that name."""
    from waterview.scene.presets import preset_paths

    return f"; did you mean '--preset {name}'?" if name in preset_paths() else ""


def find_terrain(name: str | None, declared: Mapping[str, Value], source: TerrainSource | None = None) -> TerrainSource:
    """The terrain called `name`, or `source`, with the terrain options among `declared`."""
    source = source or resolve(name or DEFAULT_TERRAIN)
    return source.with_options(source.options.changed(**values_for(TerrainOptions, declared)))


def start_of(arguments: SceneArguments) -> GivenStart:
    """The files that the water starts from."""
    return GivenStart(arguments.surface, arguments.flow_x, arguments.flow_z, arguments.fault)


def set_up_shot(flag: str, size: str, arguments: SceneArguments, setup: SceneSetup) -> Shot:
    """How pictures of the scene are made: size (the text of `flag`), view settings, first camera and its path."""
    flight = None
    if arguments.camera_path is not None:
        from waterview.render.camera.camera_path import parse_path

        flight = parse_path(arguments.camera_path)
    aim = setup.preset.camera if setup.preset is not None and setup.keeps_place else None
    if arguments.camera is not None:
        aim = parse_camera(arguments.camera).of
    return Shot(
        parse_size(flag, size), ViewParams().changed(**values_for(ViewParams, setup.settings)), aim, flight=flight
    )


def check_added(arguments: SceneArguments, drops: Sequence[str] | None = None) -> None:
    """Refuse a start, drops, bodies and gauges that are added to a recording, which is replayed as it was.

    Also refuse a file of gauges or of fields over the run that could not be written.

    Raises:
        InputError: there are some, or it could not.
    """
    if arguments.gauges_out is not None:
        from waterview.output.gauge_files import check_gauges_out

        check_gauges_out(arguments.gauges_out)
    if arguments.maxima_out is not None:
        from waterview.output.maxima_files import check_maxima_out

        check_maxima_out(arguments.maxima_out)
    if arguments.replay is not None and (start_of(arguments) or arguments.drape is not None):
        raise ParameterError(
            "--replay: a recording has a start of its own; leave --surface, --flow-x, --drape and the like away"
        )
    if arguments.replay is not None and (drops or arguments.body or arguments.gauge):
        raise ParameterError(
            "--replay: a recording has drops, bodies and gauges of its own; leave --drop, --body and --gauge away"
        )


def check_keeps(flag: str, out: Path | None, arguments: SceneArguments, setup: SceneSetup) -> None:
    """Refuse to write `out`, given with `flag`, gauges or fields over what is read, or over a folder with that in it.

    Raises:
        ParameterError: it would be lost.
    """
    inputs = *setup.files, arguments.preset, arguments.camera_path, arguments.replay
    # os.path.exists takes names of any length, unlike Path.exists.
    read = [Path(path) for path in inputs if path is not None and os.path.exists(path)]
    for name, place in ((flag, out), ("--gauges-out", arguments.gauges_out), ("--maxima-out", arguments.maxima_out)):
        for path in () if place is None else _written(place):
            for each in read if os.path.exists(path) else ():
                if path.samefile(each) or path.resolve() in each.resolve().parents:
                    raise ParameterError(
                        f"{name} {place}: {each} is read for it and would be lost; choose another name"
                    )


@contextmanager
def telling_new_folders(out: Path | None, arguments: SceneArguments) -> Iterator[None]:
    """Say in the end which folders were made for what was written: one with a mistyped name would not be found."""
    places = [place for place in (out, arguments.gauges_out, arguments.maxima_out) if place is not None]
    missing = [folder for folder in dict.fromkeys(place.parent for place in places) if not os.path.exists(folder)]
    yield
    for folder in missing:
        if os.path.exists(folder):
            print(f"waterview: made the folder {folder}", file=sys.stderr)


def _written(out: Path) -> list[Path]:
    """The files that `out` names; where it has a place for a number, those that are there already."""
    before, number, after = out.name.partition("%")
    if not number or not out.parent.is_dir():
        return [out]
    after = after.partition("d")[2]
    found = [path for path in out.parent.iterdir() if path.name.startswith(before) and path.name.endswith(after)]
    numbers = {path: path.name[len(before) : len(path.name) - len(after)] for path in found}
    return [path for path, text in numbers.items() if text.isdecimal() and out.name % int(text) == path.name]


def check_solver(arguments: SceneArguments, setup: SceneSetup, record: Path | None = None) -> None:
    """Refuse a `--solver` that is unknown or lacks what the scene needs.

    Raises:
        ParameterError: it is refused.
    """
    solver = arguments.solver
    if solver not in SOLVERS:
        raise ParameterError(f"--solver '{solver}': allowed are {', '.join(SOLVERS)}{nearest(solver, SOLVERS)}")
    if solver == "gpu" and (record or arguments.replay):
        raise ParameterError("--solver gpu: cards differ in the last digits, so runs are neither recorded nor replayed")
    scene = setup.scene
    if solver == "gpu" and (scene.bodies or scene.gauges or scene.params.detail or scene.params.maxima):
        raise ParameterError(
            "--solver gpu: the graphics card's solver knows no bodies, fine detail, gauges or maxima; use cpu"
        )


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


def replayed_world(recording: Recording, arguments: SceneArguments) -> World:
    """The world that a recording begins with; fields over the run are gathered if they are to be written.

    Raises:
        InputError: the recording makes no sense.
    """
    from waterview.scene.serialise import world_from_dict

    world = world_from_dict(recording.world)
    if arguments.maxima_out is not None and world.maxima is None:
        world.gather_maxima()
    return world


def write_measurements(world: World, arguments: SceneArguments) -> None:
    """Write gauges and fields over the run, where that is asked for."""
    if arguments.gauges_out is not None:
        from waterview.output.gauge_files import save_gauges

        save_gauges(tuple(world.gauges), arguments.gauges_out, world.water.place)
        print(arguments.gauges_out)
    if arguments.maxima_out is not None:
        from waterview.output.maxima_files import save_maxima

        save_maxima(world, arguments.maxima_out)
        print(arguments.maxima_out)


def check_range(flag: str, value: float, low: float, high: float) -> None:
    """Refuse a `value` of `flag` outside low … high.

    Raises:
        ParameterError: it lies outside.
    """
    if not low <= value <= high:  # true for NaN, too
        given = f"{value:g}" if isinstance(value, float) else value
        raise ParameterError(f"{flag} {given}: allowed are {low:g} to {high:g}; choose a value in that range")

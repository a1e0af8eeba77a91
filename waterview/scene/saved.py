"""A world in plain words, and a world made from them: what recordings and sessions keep."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waterview.core.commands import Command, ReplaceWater
from waterview.core.errors import InputError
from waterview.core.frame import Frame
from waterview.output.recording import Entry, Recording, RecordingFile
from waterview.output.session import read_session, save_session
from waterview.render.settings import ViewParams
from waterview.sim.loop import Simulation
from waterview.sim.world import World
from waterview.ui.hand import HandParams
from waterview.waters import MODELS, Models, maker
from waterview.waters.common.water import Water
from waterview.waters.eddies.detail import Detail

from .scene import Scene
from .scene_cycle import Opened

if TYPE_CHECKING:
    from waterview.render.camera.camera import OrbitCamera

_NONSENSE = (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError)
"""What words raise where they are not what was written."""

_PLACE = ("distance", "azimuth", "elevation", "fov")


def water_words(water: Water) -> dict[str, Any]:
    """All that makes a water as it is: model, size, parameters, ground, walls, and what moves.

    Raises:
        InputError: its model cannot be saved.
    """
    return {
        "model": water.name,
        "extent": list(water.extent),
        "points": water.grid.shape[1],
        "origin": list(water.grid.origin),
        "params": asdict(water.params),
        "ground": water.ground,
        "walls": water.walls,
        "state": water.state(),
    }


def make_water(words: Mapping[str, Any], models: Models = MODELS) -> Water:
    """The water that `water_words` told of, made by one of `models`.

    Raises:
        InputError: the words make no sense.
    """
    try:
        x, y, z = words["origin"]
        width, depth = words["extent"]
        water = maker(models, words["model"])(width, depth, words["points"], (x, y, z), **words["params"])
        water.set_ground(words["ground"], words["walls"])
        water.load_state(words["state"])
    except _NONSENSE as error:
        raise InputError(f"a saved water makes no sense ({error}): choose another file") from error
    return water


def world_to_dict(world: World) -> dict[str, Any]:
    """All that makes a world as it is: its water, rain, bodies and detail, and the map that is shown.

    Raises:
        InputError: a body or the water cannot be saved.
    """
    return {
        "water": water_words(world.water),
        "rain": world.rain.rate,
        "seed": world.rain.seed,
        "detail": None if world.detail is None else asdict(world.detail.params),
        "beside": world.state(),
    }


def make_world(words: Mapping[str, Any], models: Models = MODELS) -> World:
    """The world that `world_to_dict` told of, its water made by one of `models`.

    Raises:
        InputError: the words make no sense.
    """
    try:
        goes_on = words.get("detail_goes_on", False)
        detail = None if goes_on or words["detail"] is None else Detail(**words["detail"])
        water = make_water(words["water"], models)
        world = World(water, rain=float(words["rain"]), detail=detail, seed=int(words["seed"]))
        world.load_state(words["beside"])
    except _NONSENSE as error:
        raise InputError(f"a saved scene makes no sense ({error}): choose another file") from error
    return world


class Recorder:
    """Writes down what a simulation does; give its `note` to the simulation.

    Args:
        file: where to.
        world: what is simulated, as it is in the beginning.
    """

    def __init__(self, file: RecordingFile, world: World) -> None:
        self._file = file
        self._detail = world.detail

    def note(self, step: int, command: Command, world: World) -> None:
        """`command` was done by `world` before its step `step`.

        Raises:
            InputError: the disk is full.
        """
        if not isinstance(command, ReplaceWater):
            self._file.note(step, command)
            return
        # Fine detail goes on over another water, unless that brought its own.
        words = world_to_dict(world) | {"detail_goes_on": world.detail is self._detail}
        if world.detail is self._detail:
            words["beside"]["detail"] = None
        if command.keep_bodies:
            words["beside"]["bodies"] = None
        self._detail = world.detail
        self._file.note_water(step, words, command.keep_bodies)


def script_of(recording: Recording, world: World) -> dict[int, list[Command]]:
    """The commands of a recording for `world`, by the step before which they are done."""
    script: dict[int, list[Command]] = {}
    for entry in recording.entries:
        script.setdefault(entry.step, []).append(_command_of(entry, world))
    return script


def _command_of(entry: Entry, world: World) -> Command:
    words = entry.water
    if words is None:
        assert entry.command is not None
        return entry.command

    def make() -> World:
        made = make_world(words)
        if words["detail_goes_on"]:
            made.detail = world.detail
        return made

    return ReplaceWater(make, entry.keep_bodies)


@contextmanager
def simulating(
    scene: Scene, record: Path | None, recording: Recording | None, kind: type[Simulation] = Simulation
) -> Iterator[Simulation]:
    """A simulation, not yet started, of a scene or of a recording instead.

    Args:
        scene: what to simulate.
        record: where to write down what happens in it, or None.
        recording: what to do again, or None.
        kind: of simulation.

    Raises:
        InputError: the recording makes no sense, or the place cannot be written to.
    """
    world = scene.make_world() if recording is None else make_world(recording.world)
    script = {} if recording is None else script_of(recording, world)
    if record is None:
        yield kind(world, script=script)
        return
    with RecordingFile(record, world_to_dict(world)) as file:
        recorder = Recorder(file, world)
        for body in scene.bodies if recording is None else ():
            recorder.note(0, body, world)
        simulation = kind(world, note=recorder.note, script=script)
        try:
            yield simulation
        finally:
            file.end(simulation.steps)


def play(
    recording: Recording,
    frames_per_second: float = 30.0,
    progress: Callable[[], None] = lambda: None,
    last: float | None = None,
) -> Iterator[Frame]:
    """Replay to the bit and yield a frame for every 1/frames_per_second [s], the first before any step.

    Args:
        recording: what to replay.
        frames_per_second: of simulated time, which does not begin anew with another water.
        progress: called after every step.
        last: yield only those of so many seconds before the end, and the end itself.

    Raises:
        InputError: the recording makes no sense.
    """
    world = make_world(recording.world)
    script = script_of(recording, world)
    elapsed, number = 0.0, 0
    for step in range(recording.steps + 1):
        for command in script.get(step, ()):
            world.apply(command)
        while number / frames_per_second < elapsed + 0.5 * world.time_step:
            if last is None or 0.0 < (recording.steps - step) * world.time_step <= last:
                yield world.publish(number)
            number += 1
        if step < recording.steps:
            elapsed += world.time_step
            world.step()
            progress()
    if last is not None:
        yield world.publish(number)


def keep(path: Path, world: World, seen: Mapping[str, Any]) -> None:
    """Write a session: the world, and how it is seen.

    Raises:
        InputError: something in the world cannot be saved, or the place cannot be written to.
    """
    save_session(path, {"tank": world_to_dict(world), "seen": seen})


def seen_words(view: ViewParams, hand: HandParams, camera: OrbitCamera) -> dict[str, Any]:
    """How a world is seen, and what the hand would do to it."""
    place = {name: getattr(camera, name) for name in _PLACE}
    camera_words = place | {"target": list(camera.target), "dive": camera.dive}
    return {"view": asdict(view), "hand": asdict(hand), "camera": camera_words}


def reopened(path: Path, models: Models = MODELS) -> tuple[World, Opened]:
    """The world of the session in a file, its water made by one of `models`, and what goes on with it.

    Raises:
        InputError: it cannot be read, or makes no sense.
    """
    words = read_session(path)
    try:
        world, seen = make_world(words["tank"], models), words["seen"]
        view = asdict(ViewParams().changed(**seen["view"]))
        hand = asdict(HandParams().changed(**seen["hand"])) | {"rain": world.rain.rate}
        place = {name: float(seen["camera"][name]) for name in _PLACE}
        x, y, z = map(float, seen["camera"]["target"])
        dive = bool(seen["camera"]["dive"])
    except _NONSENSE as error:
        raise InputError(f"the session {path} makes no sense ({error}): choose another file") from error

    def camera(frame: Frame) -> OrbitCamera:
        from waterview.render.camera.camera import OrbitCamera

        found = OrbitCamera.framing(frame)
        found.target, found.dive = (x, y, z), dive
        for name, value in place.items():
            setattr(found, name, value)
        found.keep_above(frame)
        return found

    return world, Opened(f"session {path.name}", (ReplaceWater(lambda: world),), view=view, hand=hand, camera=camera)

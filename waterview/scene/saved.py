"""A tank in plain words, and a tank made from them: what recordings and sessions keep."""

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
from waterview.sim.simulation import Simulation
from waterview.sim.tank import Tank
from waterview.ui.hand import HandParams
from waterview.waters import MODELS, Models, maker
from waterview.waters.common.base import Water
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


def tank_words(tank: Tank) -> dict[str, Any]:
    """All that makes a tank as it is: its water, rain, bodies and detail, and the map that is shown.

    Raises:
        InputError: a body or the water cannot be saved.
    """
    return {
        "water": water_words(tank.water),
        "rain": tank.rain.rate,
        "seed": tank.rain.seed,
        "detail": None if tank.detail is None else asdict(tank.detail.params),
        "beside": tank.state(),
    }


def make_tank(words: Mapping[str, Any], models: Models = MODELS) -> Tank:
    """The tank that `tank_words` told of, its water made by one of `models`.

    Raises:
        InputError: the words make no sense.
    """
    try:
        goes_on = words.get("detail_goes_on", False)
        detail = None if goes_on or words["detail"] is None else Detail(**words["detail"])
        water = make_water(words["water"], models)
        tank = Tank(water, rain=float(words["rain"]), detail=detail, seed=int(words["seed"]))
        tank.load_state(words["beside"])
    except _NONSENSE as error:
        raise InputError(f"a saved scene makes no sense ({error}): choose another file") from error
    return tank


class Recorder:
    """Writes down what a simulation does; give its `note` to the simulation.

    Args:
        file: where to.
        tank: what is simulated, as it is in the beginning.
    """

    def __init__(self, file: RecordingFile, tank: Tank) -> None:
        self._file = file
        self._detail = tank.detail

    def note(self, step: int, command: Command, tank: Tank) -> None:
        """`command` was done by `tank` before its step `step`.

        Raises:
            InputError: the disk is full.
        """
        if not isinstance(command, ReplaceWater):
            self._file.note(step, command)
            return
        # Fine detail goes on over another water, unless that brought its own.
        words = tank_words(tank) | {"detail_goes_on": tank.detail is self._detail}
        if tank.detail is self._detail:
            words["beside"]["detail"] = None
        if command.keep_bodies:
            words["beside"]["bodies"] = None
        self._detail = tank.detail
        self._file.note_water(step, words, command.keep_bodies)


def script_of(recording: Recording, tank: Tank) -> dict[int, list[Command]]:
    """The commands of a recording for `tank`, by the step before which they are done."""
    script: dict[int, list[Command]] = {}
    for entry in recording.entries:
        script.setdefault(entry.step, []).append(_command_of(entry, tank))
    return script


def _command_of(entry: Entry, tank: Tank) -> Command:
    words = entry.water
    if words is None:
        assert entry.command is not None
        return entry.command

    def make() -> Tank:
        made = make_tank(words)
        if words["detail_goes_on"]:
            made.detail = tank.detail
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
    tank = scene.make_tank() if recording is None else make_tank(recording.tank)
    script = {} if recording is None else script_of(recording, tank)
    if record is None:
        yield kind(tank, script=script)
        return
    with RecordingFile(record, tank_words(tank)) as file:
        recorder = Recorder(file, tank)
        for body in scene.bodies if recording is None else ():
            recorder.note(0, body, tank)
        simulation = kind(tank, note=recorder.note, script=script)
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
    tank = make_tank(recording.tank)
    script = script_of(recording, tank)
    elapsed, number = 0.0, 0
    for step in range(recording.steps + 1):
        for command in script.get(step, ()):
            tank.obey(command)
        while number / frames_per_second < elapsed + 0.5 * tank.time_step:
            if last is None or 0.0 < (recording.steps - step) * tank.time_step <= last:
                yield tank.publish(number)
            number += 1
        if step < recording.steps:
            elapsed += tank.time_step
            tank.step()
            progress()
    if last is not None:
        yield tank.publish(number)


def keep(path: Path, tank: Tank, seen: Mapping[str, Any]) -> None:
    """Write a session: the tank, and how it is seen.

    Raises:
        InputError: something in the tank cannot be saved, or the place cannot be written to.
    """
    save_session(path, {"tank": tank_words(tank), "seen": seen})


def seen_words(view: ViewParams, hand: HandParams, camera: OrbitCamera) -> dict[str, Any]:
    """How a tank is seen, and what the hand would do to it."""
    place = {name: getattr(camera, name) for name in _PLACE}
    camera_words = place | {"target": list(camera.target), "dive": camera.dive}
    return {"view": asdict(view), "hand": asdict(hand), "camera": camera_words}


def reopened(path: Path, models: Models = MODELS) -> tuple[Tank, Opened]:
    """The tank of the session in a file, its water made by one of `models`, and what goes on with it.

    Raises:
        InputError: it cannot be read, or makes no sense.
    """
    words = read_session(path)
    try:
        tank, seen = make_tank(words["tank"], models), words["seen"]
        view = asdict(ViewParams().changed(**seen["view"]))
        hand = asdict(HandParams().changed(**seen["hand"])) | {"rain": tank.rain.rate}
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

    return tank, Opened(f"session {path.name}", (ReplaceWater(lambda: tank),), view=view, hand=hand, camera=camera)

"""Recordings of a running simulation, and their replay to the bit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from waterview.core.commands import Command, ReplaceWater, SetParameter
from waterview.core.errors import InputError
from waterview.core.frame import Frame
from waterview.output.recording import Entry, Recording, RecordingFile
from waterview.sim.loop import Simulation
from waterview.sim.world import World

from .scene import Scene
from .serialise import check_names_no_file, world_from_dict, world_to_dict


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
        """`command` was applied by `world` before its step `step`.

        Raises:
            InputError: the disk is full.
        """
        if not isinstance(command, ReplaceWater):
            self._file.note(step, _with_content(command, world))
            return
        # Fine detail goes on over another water, unless that brought its own.
        data = world_to_dict(world) | {"detail_goes_on": world.detail is self._detail}
        if world.detail is self._detail:
            data["beside"]["detail"] = None
        if command.keep_bodies:
            data["beside"]["bodies"] = None
        self._detail = world.detail
        self._file.note_water(step, data, command.keep_bodies)


def _with_content(command: Command, world: World) -> Command:
    """The command with the content of a file in place of its name, so that a recording needs no other file."""
    if isinstance(command, SetParameter) and isinstance(command.value, str):
        return replace(command, value=getattr(world.water.params, command.name, command.value))
    return command


def commands_by_step(recording: Recording, world: World) -> dict[int, list[Command]]:
    """The commands of a recording for `world`, by the step before which they are applied."""
    script: dict[int, list[Command]] = {}
    for entry in recording.entries:
        script.setdefault(entry.step, []).append(_command_of(entry, world))
    return script


def _command_of(entry: Entry, world: World) -> Command:
    data = entry.water
    if data is None:
        assert entry.command is not None
        if isinstance(entry.command, SetParameter):
            try:
                check_names_no_file({entry.command.name: entry.command.value})
            except ValueError as error:
                raise InputError(f"a recording makes no sense ({error}): choose another file") from error
        return entry.command

    def make() -> World:
        made = world_from_dict(data)
        if data.get("detail_goes_on", False):
            made.detail = world.detail
        return made

    return ReplaceWater(make, entry.keep_bodies)


@contextmanager
def simulating(
    scene: Scene, record: Path | None, recording: Recording | None, kind: type[Simulation] = Simulation
) -> Iterator[Simulation]:
    """A simulation, not yet started, of a scene or of a recording.

    Args:
        scene: what to simulate where there is no recording.
        record: the file that everything done in it is recorded to, or None.
        recording: what to replay, or None.
        kind: class of the simulation.

    Raises:
        InputError: the recording makes no sense, or the place cannot be written to.
    """
    world = scene.make_world() if recording is None else world_from_dict(recording.world)
    script = {} if recording is None else commands_by_step(recording, world)
    if record is None:
        yield kind(world, script=script)
        return
    with RecordingFile(record, world_to_dict(world)) as file:
        recorder = Recorder(file, world)
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
    world: World | None = None,
) -> Iterator[Frame]:
    """Replay to the bit and yield a frame for every 1/frames_per_second [s], the first before any step.

    Args:
        recording: what to replay.
        frames_per_second: of simulated time, which does not begin anew with another water.
        progress: called after every step.
        last: yield only the frames of the last `last` seconds, and the end itself.
        world: that of the recording's beginning, if the caller wants to have it; nobody else may step it.

    Raises:
        InputError: the recording makes no sense.
    """
    world = world_from_dict(recording.world) if world is None else world
    script = commands_by_step(recording, world)
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

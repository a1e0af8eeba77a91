"""Recordings on disk: every command and the step before which it was applied, as lines of JSON."""

from __future__ import annotations

import base64
import itertools
import json
import math
import zlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self, get_args

import numpy as np

from waterview.core.commands import Command, Pause, ReplaceWater, SaveWorld, StepOnce
from waterview.core.errors import InputError, ParameterError
from waterview.core.files import read_text
from waterview.core.saved import declared, entry_of, fields_of

from .atomic import place_beside, put_in_place, write_atomically

VERSION = 1
"""To be raised when older programs cannot read the format any more."""

MOST_STEPS = 1 << 62
"""Most steps that a recording counts."""

_COMMANDS = {kind.__name__: kind for kind in get_args(Command) if kind not in (SaveWorld, ReplaceWater)}


class Entry(NamedTuple):
    """One line of a recording.

    Attributes:
        step: number of steps taken before it was applied.
        command: what was applied; None at the end and for a new water.
        water: state of the new water that replaced the old one, see `waterview.scene.serialise`; else None.
        keep_bodies: whether floating bodies stayed on the new water.
    """

    step: int
    command: Command | None = None
    water: Mapping[str, Any] | None = None
    keep_bodies: bool = False


class Recording(NamedTuple):
    """The content of a recording.

    Attributes:
        world: state of the world at the beginning, see `waterview.scene.serialise`.
        entries: the commands, in order.
        steps: total number of steps.
    """

    world: Mapping[str, Any]
    entries: tuple[Entry, ...]
    steps: int


class RecordingFile:
    """Writes a recording line by line, each to the disk at once, so that a crash loses none. A context manager.

    Where a recording has that name already, it stays until the new one is complete; until then that is beside it, as
    NAME.part.END (see `atomic.place_beside`).

    Args:
        path: the file; an existing one is replaced.
        world: state of the world at the beginning.

    Raises:
        InputError: the place cannot be written to. All methods raise it, too.
    """

    def __init__(self, path: Path, world: Mapping[str, Any]) -> None:
        self.path = path
        # The first line holds the whole world: no file begins with a part of it.
        head = _line({"waterview recording": VERSION, "tank": world})
        try:
            self._place = place_beside(path)
            if path.is_file() or not path.exists():
                write_atomically(self._place, "recording", lambda place: place.write_bytes(head))
                self._file = self._place.open("ab", buffering=0)
            else:  # a pipe or a device
                self._file = path.open("wb", buffering=0)
                self._write(head)
        except OSError as error:
            raise self._refusal(error) from error

    def note(self, step: int, command: Command) -> None:
        """Write that `command` was applied before step `step`. Pauses and captures change no water and are left out."""
        assert not isinstance(command, ReplaceWater), "note_water writes these"
        if not isinstance(command, Pause | StepOnce | SaveWorld):
            self._write(_line({"step": step, type(command).__name__: _plain_fields(command)}))

    def note_water(self, step: int, water: Mapping[str, Any], keep_bodies: bool) -> None:
        """Write that the water was replaced before step `step` by one with the state `water`."""
        self._write(_line({"step": step, "ReplaceWater": {"water": water, "keep_bodies": keep_bodies}}))

    def end(self, steps: int) -> None:
        """Write the total number of steps and close the file, which then takes the place of an earlier one."""
        if not self._file.closed:
            self._write(_line({"step": steps}))
            self._file.close()
            try:
                put_in_place(self._place, self.path)
            except OSError as error:
                raise self._refusal(error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def _write(self, line: bytes) -> None:
        try:
            self._file.write(line)
        except OSError as error:
            self._file.close()
            raise self._refusal(error) from error

    def _refusal(self, error: OSError) -> InputError:
        return InputError(
            f"cannot write the recording {self.path}: {error.strerror or error}; choose a place with room that can "
            "be written to"
        )


def read_recording(path: Path) -> Recording:
    """The recording in a file, without a last line that a crash cut short.

    Raises:
        InputError: it cannot be read, is not a recording, or was written by a later version.
    """
    try:
        lines = read_text(path).split("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise InputError(f"cannot read the recording {path}: {reason}; choose one made with --record") from error
    head = _parsed(lines[0], path, 1)
    version = head.get("waterview recording")
    if version is None or not isinstance(head.get("tank"), dict):
        raise InputError(f"{path} is no recording: choose one made with --record")
    if version != VERSION:
        raise InputError(f"the recording {path} has version {version}, this program reads {VERSION}: use a newer one")
    # A complete line ends with a line feed, so the last piece is empty or was cut short.
    entries = [_entry(_parsed(line, path, number), path, number) for number, line in enumerate(lines[1:-1], 2)]
    if any(later.step < earlier.step for earlier, later in itertools.pairwise(entries)):
        raise InputError(f"the recording {path} is damaged: its steps go back; choose another one")
    commands = tuple(entry for entry in entries if entry.command is not None or entry.water is not None)
    return Recording(head["tank"], commands, max((entry.step for entry in entries), default=0))


def _parsed(line: str, path: Path, number: int) -> dict[str, Any]:
    try:
        return declared(json.loads(line, object_hook=_unpacked), dict, "line")
    except (KeyError, ValueError, RecursionError, zlib.error) as error:
        raise _damaged(path, number) from error


def _entry(line: dict[str, Any], path: Path, number: int) -> Entry:
    try:
        step = entry_of(line, "step", int, low=0, high=MOST_STEPS)
        if len(line) > 2:
            raise ValueError(f"step {step} with {len(line) - 1} commands")
        for name in line.keys() - {"step"}:
            values = entry_of(line, name, dict)
            if name == "ReplaceWater":
                return Entry(step, None, entry_of(values, "water", dict), entry_of(values, "keep_bodies", bool))
            return Entry(step, _COMMANDS[name](**fields_of(_COMMANDS[name], values)))
    except (KeyError, ValueError, ParameterError) as error:
        raise _damaged(path, number) from error
    return Entry(step)


def _damaged(path: Path, number: int) -> InputError:
    return InputError(f"the recording {path} is damaged in line {number}: choose another one")


# Values as JSON


def _plain_fields(command: Command) -> dict[str, Any]:
    assert is_dataclass(command)
    return {entry.name: getattr(command, entry.name) for entry in fields(command)}


def _line(content: Mapping[str, Any]) -> bytes:
    return (json.dumps(content, default=_packed) + "\n").encode()


def _packed(value: object) -> object:
    """JSON for arrays and numbers of NumPy."""
    if isinstance(value, np.ndarray):
        data = base64.b64encode(zlib.compress(np.ascontiguousarray(value).tobytes(), 6)).decode("ascii")
        return {"array": value.dtype.str, "shape": value.shape, "zlib": data}
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be recorded")


def _unpacked(found: dict[str, Any]) -> object:
    if found.keys() != {"array", "shape", "zlib"}:
        return found
    dtype, shape = _DTYPES[entry_of(found, "array", str)], entry_of(found, "shape", list[int])
    numbers = np.frombuffer(zlib.decompress(base64.b64decode(entry_of(found, "zlib", str), validate=True)), dtype)
    if min(shape, default=0) < 0 or math.prod(shape) != len(numbers):
        raise ValueError(f"{len(numbers)} numbers for an array of shape {shape}")
    return numbers.reshape(shape).copy()


_DTYPES = {dtype.str: dtype for order in "<>" for dtype in (np.dtype(order + kind) for kind in "?bhiqBHIQefdFD")}
"""Types of arrays in recordings, by their names: numbers alone, no objects."""

"""Checkpoints of a bake: the state of every block, kept beside the store until the lake is done."""

from __future__ import annotations

import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from waterview.core.errors import InputError

from .blocks import Number
from .remote import RemotePath, StorePath, read_errors, reason_of, writing


class Checkpoints(ABC):
    """What lets a run go on: the state of every block at a frame, whole or not at all.

    It lies beside the store, in `NAME.checkpoint`, and is removed when the lake is done.

    Attributes:
        folder: where it lies.
    """

    folder: StorePath

    @abstractmethod
    def place(self, frame: int) -> StorePath:
        """The folder to save blocks in; `complete` makes it count."""

    @abstractmethod
    def complete(self, frame: int) -> None:
        """Let what was saved at a frame take the place of what was saved before."""

    @abstractmethod
    def newest(self) -> int | None:
        """The frame that can be gone on from; None if there is none."""

    def saved(self, frame: int) -> StorePath:
        """The folder of the blocks of a frame that can be gone on from."""
        return self.folder / _frame_name(frame)

    @abstractmethod
    def remove(self) -> None:
        """Remove all of it."""


class LocalCheckpoints(Checkpoints):
    """Checkpoints in a folder: one counts when it has its name.

    Args:
        path: of the store.
    """

    def __init__(self, path: Path) -> None:
        self.folder: Path = path.with_name(f"{path.name}.checkpoint")

    def place(self, frame: int) -> Path:
        """A folder that does not count yet."""
        place = self.folder / f"{_frame_name(frame)}.part"
        place.mkdir(parents=True, exist_ok=True)
        return place

    def complete(self, frame: int) -> None:
        """Give it its name, and remove the others."""
        place = self.folder / f"{_frame_name(frame)}.part"
        whole = place.with_suffix("")
        if whole.exists():
            shutil.rmtree(whole)
        os.replace(place, whole)
        for other in self.folder.iterdir():
            if other != whole:
                shutil.rmtree(other, ignore_errors=True)

    def newest(self) -> int | None:
        """The last that has its name."""
        if not self.folder.is_dir():
            return None
        found = [each.name.removeprefix("frame-") for each in self.folder.iterdir() if not each.suffix]
        return max((int(number) for number in found if number.isdecimal()), default=None)

    def remove(self) -> None:
        """Remove all of it."""
        shutil.rmtree(self.folder, ignore_errors=True)


class RemoteCheckpoints(Checkpoints):
    """Checkpoints where nothing can be renamed: one counts when the object `newest` tells its frame.

    Args:
        path: of the store.
    """

    def __init__(self, path: RemotePath) -> None:
        self.folder: RemotePath = path.with_name(f"{path.name}.checkpoint")
        self._newest = self.folder / "newest"

    def place(self, frame: int) -> RemotePath:
        """Where objects that count once `newest` tells of them are put."""
        return self.folder / _frame_name(frame)

    def complete(self, frame: int) -> None:
        """Tell of it, and remove the one before."""
        before = self.newest()
        self._newest.write_text(str(frame))
        if before is not None and before != frame:
            (self.folder / _frame_name(before)).remove()

    def newest(self) -> int | None:
        """The frame that `newest` tells, or None."""
        try:
            return int(self._newest.read_text())
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise InputError(f"the checkpoint {self._newest} is damaged: begin anew with another --out") from error

    def remove(self) -> None:
        """Remove all of it, `newest` first: without it the rest does not count."""
        self._newest.remove()
        self.folder.remove()


def checkpoints_of(path: StorePath) -> Checkpoints:
    """The checkpoints of a store."""
    return RemoteCheckpoints(path) if isinstance(path, RemotePath) else LocalCheckpoints(path)


def _frame_name(frame: int) -> str:
    return f"frame-{frame}"


def save_block(folder: StorePath, number: Number, parts: int, state: Mapping[str, NDArray[Any]]) -> None:
    """Save the state of a block after so many parts of steps.

    Raises:
        InputError: the disk is full, or gone.
    """
    arrays: dict[str, Any] = {f"state {name}": array for name, array in state.items()}
    with writing(folder), _file_of(folder, number).open("wb") as file:
        np.savez(file, parts=np.array(parts), **arrays)


def _damage(folder: StorePath) -> tuple[type[Exception], ...]:
    """What may be raised where a block is damaged."""
    return KeyError, EOFError, BadZipFile, *read_errors(folder)


def read_block(folder: StorePath, number: Number) -> tuple[int, dict[str, NDArray[Any]]]:
    """What `save_block` saved: the parts and the state.

    Raises:
        InputError: it is damaged.
    """
    path = _file_of(folder, number)
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as saved:
            state = {name.removeprefix("state "): saved[name] for name in saved.files if name != "parts"}
            return int(saved["parts"]), state
    except _damage(folder) as error:
        why = reason_of(error)
        raise InputError(f"the checkpoint {path} is damaged ({why}): begin anew with another --out") from error


def _file_of(folder: StorePath, number: Number) -> StorePath:
    return folder / f"block-{number[0]}-{number[1]}.npz"

"""How files are written: whole or not at all, and piece by piece beside the good file that they replace."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import io
import logging
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from waterview.core.errors import InputError
from waterview.core.lock import lock_file

_log = logging.getLogger(__name__)

_LOCK = "lock"
_PRIVATE = 0o777 if sys.platform == "win32" else 0o700
"""Rights of a temporary folder. On Windows files would keep a private folder's rights when they are moved out of it."""
_HERE = -100  # AT_FDCWD: names are relative to the working directory
_EXCHANGE = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS


def write_atomically(path: Path, what: str, write: Callable[[Path], object]) -> None:
    """Let `write` write to a temporary file, then rename it to `path`; an existing file is replaced.

    Args:
        path: where the file goes.
        what: its name in messages, such as "mesh".
        write: writes to the path that it is given.

    Raises:
        InputError: the place cannot be written to, or is full; an existing file is unchanged.
    """
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"cannot write the {what} {path}: no file has that name; choose another one")
        path.parent.mkdir(parents=True, exist_ok=True)
        # In a folder of its own, unlike one from `tempfile`, the file gets the usual rights of this user's files.
        with _temporary_folder(path) as folder:
            place = folder / path.name
            write(place)
            put_in_place(place, path)
    except OSError as error:
        raise InputError(
            f"cannot write the {what} {path}: {error.strerror or error}; choose a folder that can be written to"
        ) from error


@contextmanager
def _temporary_folder(path: Path) -> Iterator[Path]:
    """A hidden folder beside `path`, removed even if a signal comes while it is made, unlike that of `tempfile`.

    Its name follows from that of `path`: what a killed program has left there is removed when `path` is written again.
    A lock, which the system releases, tells it from that of a program that is still writing.
    """
    folder = path.with_name(f".waterview-{hashlib.sha256(os.fsencode(path.name)).hexdigest()[:16]}")
    lock: IO[bytes] | None = None
    _remove_left_behind(folder)
    if os.path.lexists(folder):
        folder = folder.with_name(f"{folder.name}-{os.urandom(8).hex()}")
    try:
        folder.mkdir(_PRIVATE)
        with contextlib.suppress(OSError):  # there are file systems without locks
            lock = lock_file(folder / _LOCK)
        yield folder
    finally:
        if lock is not None:
            lock.close()
        shutil.rmtree(folder, ignore_errors=True)


def _remove_left_behind(folder: Path) -> None:
    """Remove a temporary folder whose program was killed; another one's stays, and so does all that is no folder."""
    if folder.is_symlink() or not (folder / _LOCK).is_file():
        return
    with contextlib.suppress(OSError):
        lock = lock_file(folder / _LOCK)
        if lock is not None:
            lock.close()
            shutil.rmtree(folder, ignore_errors=True)


def place_beside(path: Path) -> Path:
    """Where to write piece by piece what shall be at `path`: there, or beside what is there already, as NAME.part.END.

    `put_in_place` ends it. Until then what was there stays, and a program that is killed leaves both.
    """
    is_good = path.is_dir() or (path.is_file() and path.stat().st_size > 0)
    return path.with_name(f"{path.stem}.part{path.suffix}") if is_good else path


def put_in_place(place: Path, path: Path) -> None:
    """Let the complete file or folder at `place` take the place of `path`, once all of it is on the disk.

    Raises:
        OSError: the disk is full, or gone; `path` is unchanged.
    """
    if place.is_dir() and place != path:
        _replace_folder(place, path)
    elif place != path:
        with place.open("r+b") as file:
            os.fsync(file.fileno())
        os.replace(place, path)
    _log.info("wrote %s", path)


def _replace_folder(place: Path, path: Path) -> None:
    if _swap(place, path):
        shutil.rmtree(place, ignore_errors=True)
        return
    # In two goes: a program that is killed between them leaves the new folder whole beside its name.
    with _temporary_folder(path) as folder:
        os.replace(path, folder / path.name)
        try:
            os.replace(place, path)
        except BaseException:  # a signal, too
            os.replace(folder / path.name, path)
            raise


def _swap(one: Path, other: Path) -> bool:
    """Let two folders change their names in one go, where the system can: Linux and macOS on most file systems."""
    names = os.fsencode(one), os.fsencode(other)
    library: Any = None if sys.platform == "win32" else ctypes.CDLL(None)
    if hasattr(library, "renameat2"):
        return bool(library.renameat2(_HERE, names[0], _HERE, names[1], _EXCHANGE) == 0)
    if hasattr(library, "renamex_np"):
        return bool(library.renamex_np(*names, _EXCHANGE) == 0)
    return False


class KeepsError(io.FileIO):
    """A file that, after a failed write, drops everything and keeps the error as `failure`.

    Libraries that write through it never meet the error, so what they wrote before stays a clean beginning.
    """

    failure: OSError | None = None

    def write(self, data: Any) -> int:
        """Write all of `data`, or as much as there is room for."""
        rest = memoryview(data).cast("B")
        while self.failure is None and len(rest):
            try:
                rest = rest[super().write(rest) :]
            except OSError as error:
                self.failure = error
        return len(data)

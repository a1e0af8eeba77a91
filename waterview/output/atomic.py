"""Files that are written completely or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from waterview.core.errors import InputError


def write_atomically(path: Path, what: str, write: Callable[[Path], None]) -> None:
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
        with _temporary_folder(path.parent) as folder:
            place = folder / path.name
            write(place)
            os.replace(place, path)
    except OSError as error:
        raise InputError(
            f"cannot write the {what} {path}: {error.strerror or error}; choose a folder that can be written to"
        ) from error


@contextmanager
def _temporary_folder(parent: Path) -> Iterator[Path]:
    """A folder that is removed even if a signal comes while it is made, unlike that of `tempfile`."""
    folder = parent / f".waterview-{os.urandom(8).hex()}"
    try:
        folder.mkdir(0o700)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)

"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from waterview.core.errors import InputError


def write_atomically(path: Path, what: str, write: Callable[[Path], None]) -> None:
    """Let `write` write a file beside its place and then rename it; a file of that name is replaced.

    Args:
        path: the place.
        what: what it is called in messages, such as "mesh".
        write: writes to the path that it is given.

    Raises:
        InputError: the place cannot be written to, or is full; what was there before is still there.
    """
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"cannot write the {what} {path}: no file has that name; choose another one")
        path.parent.mkdir(parents=True, exist_ok=True)
        # In a folder of its own, the file has the rights that any other file of this user begins with.
        with _folder_in(path.parent) as folder:
            place = folder / path.name
            write(place)
            os.replace(place, path)
    except OSError as error:
        raise InputError(
            f"cannot write the {what} {path}: {error.strerror or error}; choose a folder that can be written to"
        ) from error


@contextmanager
def _folder_in(parent: Path) -> Iterator[Path]:
    """A folder for a while; gone again at whatever moment a signal comes, as `tempfile`'s is not while it is made."""
    folder = parent / f".waterview-{secrets.token_hex(8)}"
    try:
        folder.mkdir(0o700)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)

"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from waterview.core.errors import InputError


def write_whole(path: Path, what: str, write: Callable[[Path], None]) -> None:
    """Let `write` write a file beside its place and then rename it; a file of that name is replaced.

    Args:
        path: the place.
        what: what it is called in messages, such as "mesh".
        write: writes to the path that it is given.

    Raises:
        InputError: the place cannot be written to, or is full; what was there before is still there.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(suffix=path.suffix, dir=path.parent)
        os.close(handle)
        try:
            write(Path(name))
            os.chmod(name, 0o644)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise InputError(
            f"cannot write the {what} {path}: {error.strerror or error}; choose a folder that can be written to"
        ) from error

"""A file lock, which the system releases when the program ends, however it ends."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO

if sys.platform == "win32":
    import msvcrt

    _LOCKED = PermissionError

    def _lock(number: int) -> None:
        msvcrt.locking(number, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    _LOCKED = BlockingIOError

    def _lock(number: int) -> None:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)


def lock_file(path: Path) -> IO[bytes] | None:
    """Open the file `path`, created if it is missing, and lock it until it is closed; None if it is locked already.

    Raises:
        OSError: it cannot be written to, or the file system has no locks.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("ab")
    try:
        _lock(file.fileno())
    except _LOCKED:
        file.close()
        return None
    except OSError:
        file.close()
        raise
    return file

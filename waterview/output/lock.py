"""A lock that lasts as long as the program that holds it, however that ends."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO

if sys.platform == "win32":
    import msvcrt

    _HELD = PermissionError

    def _lock(number: int) -> None:
        msvcrt.locking(number, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    _HELD = BlockingIOError

    def _lock(number: int) -> None:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)


def locked(path: Path) -> IO[bytes] | None:
    """The file `path`, made where there is none, locked until it is closed; None where it is locked already.

    Raises:
        OSError: it cannot be written to, or files cannot be locked there.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("ab")
    try:
        _lock(file.fileno())
    except _HELD:
        file.close()
        return None
    except OSError:
        file.close()
        raise
    return file

"""Files that somebody names: only ordinary ones are opened, for nothing else is sure to end."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def check_ordinary(path: Path) -> None:
    """Make sure that an ordinary file is at `path`.

    Raises:
        OSError: there is none, or it is a folder, a pipe, a socket or a device. To open a pipe waits until somebody
            writes to it, perhaps for ever.
        ValueError: there is a zero byte in the name.
    """
    status = os.stat(path)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is a pipe, socket or device, no ordinary file", str(path))


def read_text(path: Path) -> str:
    """The text in the ordinary file at `path`, which must be UTF-8.

    Raises:
        OSError: as `check_ordinary`, or it may not be read.
        ValueError: it is no text, or there is a zero byte in its name.
    """
    check_ordinary(path)
    return path.read_text(encoding="utf-8")

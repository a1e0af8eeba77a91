"""Files: the folders of data that come with the program, and files that a user names."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from .errors import WaterviewError

_PACKAGE = Path(__file__).resolve().parents[1]


def data_path(folder: str) -> Path:
    """The folder "shaders" or "assets": inside an installed package, else beside it in a working copy.

    Raises:
        WaterviewError: neither exists, so the installation is incomplete.
    """
    places = (_PACKAGE / "_data" / folder, _PACKAGE.parent / folder)
    for place in places:
        if place.is_dir():
            return place
    looked = " and ".join(str(place) for place in places)
    raise WaterviewError(f"the folder '{folder}' is missing: looked for {looked}; install waterview again")


def check_ordinary(path: Path) -> None:
    """Refuse anything but an ordinary file.

    Raises:
        OSError: there is no file, or it is a folder, a pipe, a socket or a device. To open a pipe could wait for ever.
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

"""Pictures on disk."""

from __future__ import annotations

import os
import tempfile
from datetime import datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from platformdirs import user_pictures_path

from waterview.core.errors import InputError


def save_picture(picture: NDArray[np.uint8], path: Path) -> None:
    """Write a picture, shape (height, width, 3), top row first, sRGB, as PNG; a file of that name is replaced.

    It is written beside its place and then renamed, so that a full disk never leaves half a picture.

    Raises:
        InputError: the place cannot be written to.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(suffix=".png", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                Image.fromarray(picture).save(file, format="PNG")
            os.chmod(name, 0o644)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise InputError(
            f"cannot write the picture {path}: {error.strerror or error}; choose a folder that can be written to"
        ) from error


def save_screenshot(picture: NDArray[np.uint8], folder: Path | None = None) -> Path:
    """Write a picture under the present date into `folder` (by default the user's pictures); returns its path.

    Raises:
        InputError: the folder cannot be written to.
    """
    folder = folder or user_pictures_path() / "waterview"
    stamp = datetime.now().astimezone().strftime("%Y-%m-%d %H.%M.%S")
    path = folder / f"waterview {stamp}.png"
    number = 1
    while path.exists():
        number += 1
        path = folder / f"waterview {stamp} {number}.png"
    save_picture(picture, path)
    return path

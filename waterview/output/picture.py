"""Pictures on disk."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from platformdirs import user_pictures_path

from waterview.core.frame import Frame
from waterview.render.settings import ViewParams

from .atomic import write_atomically

_NONE: Mapping[str, str] = MappingProxyType({})


def settings_of(frame: Frame, view: ViewParams) -> dict[str, str]:
    """What a picture shows, in words to be kept in its file: by name, values as JSON."""
    grid = frame.grid
    return {
        "Software": f"waterview {version('waterview')}",
        "waterview model": type(frame.params).__name__.removesuffix("Params"),
        "waterview parameters": json.dumps(asdict(frame.params)),
        "waterview view": json.dumps(asdict(view)),
        "waterview grid": json.dumps({"shape": grid.shape, "spacing": grid.spacing, "origin": grid.origin}),
        "waterview time": f"{frame.time:.6g} s",
    }


def save_picture(picture: NDArray[np.uint8], path: Path, settings: Mapping[str, str] = _NONE) -> None:
    """Write a picture, shape (height, width, 3), top row first, sRGB, as PNG; a file of that name is replaced.

    It is written beside its place and then renamed, so that a full disk never leaves half a picture. `settings` are
    kept in the file as text, see `settings_of`.

    Raises:
        InputError: the place cannot be written to.
    """
    texts = PngInfo()
    for name, text in settings.items():
        texts.add_itxt(name, text)
    write_atomically(path, "picture", lambda place: Image.fromarray(picture).save(place, format="PNG", pnginfo=texts))


def dated_path(folder: Path, ending: str) -> Path:
    """A name that is still free in `folder`, with the present date and the `ending` such as ".png"."""
    stamp = datetime.now().astimezone().strftime("%Y-%m-%d %H.%M.%S")
    path = folder / f"waterview {stamp}{ending}"
    number = 1
    while path.exists():
        number += 1
        path = folder / f"waterview {stamp} {number}{ending}"
    return path


def save_screenshot(
    picture: NDArray[np.uint8], settings: Mapping[str, str] = _NONE, folder: Path | None = None
) -> Path:
    """Write a picture under the present date into `folder` (by default the user's pictures); returns its path.

    Raises:
        InputError: the folder cannot be written to.
    """
    path = dated_path(folder or user_pictures_path() / "waterview", ".png")
    save_picture(picture, path, settings)
    return path

"""Pictures on disk, as PNG with the settings they were drawn with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from waterview import __version__
from waterview.core.frame import Frame
from waterview.render.settings import ViewParams

from .atomic import write_atomically

_NONE: Mapping[str, str] = MappingProxyType({})


def settings_of(frame: Frame, view: ViewParams) -> dict[str, str]:
    """Texts for the file of a picture: model, parameters, view, grid and time, by name, with values as JSON."""
    grid = frame.grid
    return {
        "Software": f"waterview {__version__}",
        "waterview model": type(frame.params).__name__.removesuffix("Params"),
        "waterview parameters": json.dumps(asdict(frame.params)),
        "waterview view": json.dumps(asdict(view)),
        "waterview grid": json.dumps({"shape": grid.shape, "spacing": grid.spacing, "origin": grid.origin}),
        "waterview time": f"{frame.time:.6g} s",
    }


def save_picture(picture: NDArray[np.uint8], path: Path, settings: Mapping[str, str] = _NONE) -> None:
    """Write a picture, shape (height, width, 3), top row first, sRGB, as PNG; an existing file is replaced.

    `settings` are stored in the file as texts, see `settings_of`. The file is written atomically.

    Raises:
        InputError: the place cannot be written to.
    """
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    texts = PngInfo()
    for name, text in settings.items():
        texts.add_itxt(name, text)
    write_atomically(path, "picture", lambda place: Image.fromarray(picture).save(place, format="PNG", pnginfo=texts))


def dated_path(folder: Path, ending: str) -> Path:
    """An unused name in `folder` with the present date and the `ending`, such as ".png"."""
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
    """Write a picture into `folder`, by default the user's pictures, named by the present date; returns its path.

    Raises:
        InputError: the folder cannot be written to.
    """
    from platformdirs import user_pictures_path

    path = dated_path(folder or user_pictures_path() / "waterview", ".png")
    save_picture(picture, path, settings)
    return path

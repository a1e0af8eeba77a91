"""Where the files that come with the program lie: shaders and assets, installed or in a working copy."""

from __future__ import annotations

from pathlib import Path

from .errors import WaterviewError

_PACKAGE = Path(__file__).resolve().parents[1]


def data_path(room: str) -> Path:
    """The folder `room`, "shaders" or "assets": inside an installed package, else beside it in a working copy.

    Raises:
        WaterviewError: neither exists, so the installation is incomplete.
    """
    places = (_PACKAGE / "_data" / room, _PACKAGE.parent / room)
    for place in places:
        if place.is_dir():
            return place
    looked = " and ".join(str(place) for place in places)
    raise WaterviewError(f"the folder '{room}' is missing: looked for {looked}; install waterview again")

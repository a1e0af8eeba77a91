"""Files that come with the program: shaders and assets."""

from __future__ import annotations

from pathlib import Path

from waterview.core.errors import WaterviewError

_PACKAGE = Path(__file__).resolve().parent


def data_path(room: str) -> Path:
    """The folder `room` ("shaders" or "assets"): inside an installed package, else beside it in the repository.

    Raises:
        WaterviewError: neither place has it, so the installation is incomplete.
    """
    places = (_PACKAGE / "_data" / room, _PACKAGE.parent / room)
    for place in places:
        if place.is_dir():
            return place
    looked = " and ".join(map(str, places))
    raise WaterviewError(f"the folder '{room}' is missing, looked for at {looked}: install waterview again")

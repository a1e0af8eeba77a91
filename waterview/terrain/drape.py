"""An aerial picture that is laid over the land: which files there are, and how one is brought onto a map."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from waterview.core.extras import extra

from .heightmap import Heightmap
from .raster import one_line, refusal
from .readers import READERS, check_file

MAX_SIDE = 4096
"""Most pixels that are kept on the longer side; larger pictures are thinned."""

_JPEG = "JPEG", (".jpg", ".jpeg"), (b"\xff\xd8\xff",)
_FORMATS = ("GTiff", "PNG", "JP2OpenJPEG", "WEBP", "VRT")
_KINDS = (_JPEG, *((each.format, each.endings, each.signatures) for each in READERS if each.format in _FORMATS))
PHOTOGRAPHS = _JPEG[1]
"""Endings of pictures that are never heightmaps."""

ENDINGS = tuple(ending for _, endings, _ in _KINDS for ending in endings)
"""Usual endings of pictures."""


@dataclass(frozen=True, eq=False)
class Drape:
    """A picture on a map.

    Attributes:
        colours: sRGB colours and how opaque they are, shape (n, m, 4) uint8, read-only. They cover the map from its
            first sample to its last, northernmost row first.
        notes: what was assumed about it, a sentence each.
    """

    colours: NDArray[np.uint8]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.colours.setflags(write=False)


def read_drape(path: str | os.PathLike[str], ground: Heightmap) -> Drape:
    """Read an aerial picture and warp it to the coordinates of a map, whatever system its own are in.

    Without coordinates of either it covers the whole map, which a note says. Where it does not reach, or is
    transparent, the land looks as without it.

    Raises:
        TerrainError: the file cannot be read, is no picture, or does not overlap the map; the message is one line.
    """
    path = Path(path)
    allowed = f"{', '.join(ENDINGS[:-1])} and {ENDINGS[-1]}"
    check_file(path, allowed)
    try:
        with path.open("rb") as stream:
            head = stream.read(32)
    except OSError as error:
        raise refusal(path, "may not be read", "give yourself the right to read it and its folder") from error
    driver = next((name for name, _, signatures in _KINDS if head.startswith(signatures)), None)
    if driver is None:
        raise refusal(path, "is no picture of a known kind", f"allowed are {allowed}; convert it to one of them")
    with extra("geo", f"{one_line(path.name)}: laying a picture over the land"):
        import rasterio  # noqa: F401  # the other process needs it
    from .readers.apart import ReadingError
    from .readers.picture_reader import read_picture

    try:
        return Drape(*read_picture(path, driver, MAX_SIDE, ground.place, ground.heights.shape))
    except ReadingError as error:
        reason = one_line(str(error)).replace(str(path.absolute()), "it")[:160]
        raise refusal(path, f"is damaged or cut short ({reason})", "write or download it again") from error

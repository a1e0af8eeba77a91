"""The files that frames can be written to: one table, by the ending of the name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from waterview.core.errors import InputError
from waterview.core.extras import extra
from waterview.core.frame import Frame
from waterview.core.grid import Grid

from .dataset import check_series, save_series_netcdf
from .film import FILM_ENDINGS, Film, check_film
from .gauge_files import GAUGE_WRITERS
from .geotiff import save_geotiff
from .mesh import save_mesh
from .npz import check_npz_room, save_npz
from .picture import save_picture
from .zarr_store import save_zarr


class PictureWriter(NamedTuple):
    """Draws frames, each into a file of its own: `save` takes the picture, its path, and texts to keep in the file."""

    save: Callable[[NDArray[np.uint8], Path, Mapping[str, str]], None]
    kind: str = "pictures"


class FilmWriter(NamedTuple):
    """Draws all frames into one film: `open` takes its path, the size of the pictures, and frames a second."""

    open: Callable[[Path, tuple[int, int], float], Film]
    kind: str = "films"


class SeriesWriter(NamedTuple):
    """Writes the numbers of all frames into one file: `save` takes the frames, their count, their grid, and a path.

    `check` takes the same without the frames, and raises an InputError if there is no room for them. Heights in such a
    file are `Frame.heights`: above still water, 0 on land.
    """

    save: Callable[[Iterable[Frame], int, Grid, Path], None]
    kind: str
    check: Callable[[int, Grid, Path], None] = lambda count, grid, path: None


class FrameWriter(NamedTuple):
    """Writes the numbers of frames, each into a file of its own: `save` takes a frame and a path.

    Heights in such a file are world heights, `grid.level` + `Frame.heights`; a map has NaN on land.
    """

    save: Callable[[Frame, Path], None]
    kind: str


Writer = PictureWriter | FilmWriter | SeriesWriter | FrameWriter
"""What writes files of one ending; `kind` is the plural name of such files, for messages."""

WRITERS: dict[str, Writer] = {
    ".png": PictureWriter(save_picture),
    **dict.fromkeys(FILM_ENDINGS, FilmWriter(Film)),
    ".npz": SeriesWriter(save_npz, "heights", check_npz_room),
    ".zarr": SeriesWriter(save_zarr, "heights"),
    ".nc": SeriesWriter(save_series_netcdf, "heights", check_series),
    ".tif": FrameWriter(save_geotiff, "maps"),
    **dict.fromkeys((".glb", ".obj", ".ply", ".stl"), FrameWriter(save_mesh, "meshes")),
}
"""Every ending that can be written."""

_LIBRARIES = {
    **dict.fromkeys(FILM_ENDINGS, ("film", "av")),
    ".tif": ("geo", "rasterio"),
}
"""The extra and the library that an ending needs, where not every installation has it."""

_ONE_FRAME_A_FILE = (PictureWriter, FrameWriter)
_NUMBERED_NAME = re.compile(r"[^%]*%0?[0-9]{0,2}d[^%]*")


def writer_for(out: Path, frames_per_second: float) -> Writer:
    """What writes `out`. Ask this before any work is done: it refuses what could not be written.

    Raises:
        InputError: the ending is unknown, its library is not installed, the number in the name cannot be used, or the
            film is too fast for its kind.
    """
    writer = WRITERS.get(out.suffix)
    if writer is None:
        hint = "; what gauges measure is written with --gauges-out" if out.suffix in GAUGE_WRITERS else ""
        raise InputError(f"cannot write {out}: allowed endings are {allowed_endings()}{hint}")
    if isinstance(writer, FilmWriter):
        check_film(out, frames_per_second)
    if out.suffix in _LIBRARIES:
        name, library = _LIBRARIES[out.suffix]
        with extra(name, f"writing {out.suffix}"):
            import_module(library)
    if is_numbered(out) and not isinstance(writer, _ONE_FRAME_A_FILE):
        raise InputError(f"{out}: all frames go into one {out.suffix}; leave the number out of its name")
    return writer


def is_numbered(out: Path) -> bool:
    """Whether a file name has a place for a number, such as frame_%04d.png.

    Raises:
        InputError: it has a malformed one, or more than one.
    """
    if "%" not in out.name:
        return False
    if _NUMBERED_NAME.fullmatch(out.name) is None:
        raise InputError(f"{out.name}: one number such as %04d is allowed in the name, as in frame_%04d.png")
    return True


def allowed_endings() -> str:
    """The endings in words, by kind: ".png, %04d.png (pictures), .mp4, .webm, .gif (films), …"."""
    kinds: dict[str, list[str]] = {}
    for ending, writer in WRITERS.items():
        numbered = [f"%04d{ending}"] if isinstance(writer, _ONE_FRAME_A_FILE) else []
        kinds.setdefault(writer.kind, []).extend([ending, *numbered])
    return ", ".join(f"{', '.join(endings)} ({kind})" for kind, endings in kinds.items())

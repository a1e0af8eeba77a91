"""Heights of the surface over time as NumPy's .npz."""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from waterview.core.errors import InputError
from waterview.core.frame import Frame
from waterview.core.grid import Grid

from .atomic import write_atomically


def save_npz(frames: Iterable[Frame], count: int, grid: Grid, path: Path) -> None:
    """Write `count` frames of a water on `grid` as .npz, one at a time, so that memory does not grow with their number.

    The file holds `heights` (frames, nz, nx) float32 [m], `times` (frames,) [s], `bed` (nz, nx) float32 [m], `fixed`
    (nz, nx) bool, `spacing` [m] and `origin` (3,) [m]. The same frames give the same bytes.

    Raises:
        InputError: the place cannot be written to, or has too little room.
    """

    def write(place: Path) -> None:
        check_npz_room(count, grid, path)
        with zipfile.ZipFile(place, "w") as archive:
            _write_arrays(archive, frames, count)

    write_atomically(path, "heights", write)


def check_npz_room(count: int, grid: Grid, path: Path) -> None:
    """Refuse a file that the disk has too little room for, before it is computed; arguments as `save_npz`.

    Raises:
        InputError: there is too little room.
    """
    needed = 4 * count * grid.shape[0] * grid.shape[1]
    room = shutil.disk_usage(next(folder for folder in path.absolute().parents if os.path.exists(folder)))
    if needed > room.free and room.total > 0:  # what is no disk, such as /proc, has none at all
        raise InputError(
            f"the heights {path} would take {_size(needed)} and {_size(room.free)} are free: "
            "choose fewer seconds or frames, or a smaller grid"
        )


def _size(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e8 else f"{size / 1e6:.1f} MB"


def _write_arrays(archive: zipfile.ZipFile, frames: Iterable[Frame], count: int) -> None:
    times: list[float] = []
    last: Frame | None = None
    # Entries opened by name get zip's earliest date, so the bytes do not depend on the day.
    with archive.open("heights.npy", "w", force_zip64=True) as entry:
        for frame in frames:
            if last is None:
                shape = (count, *frame.heights.shape)
                header = {"descr": "<f4", "fortran_order": False, "shape": shape}
                np.lib.format.write_array_header_2_0(entry, header)
            entry.write(np.ascontiguousarray(frame.heights, "<f4").data)
            times.append(frame.time)
            last = frame
    assert last is not None and len(times) == count, f"{len(times)} frames instead of {count}"
    _write_array(archive, "times", np.array(times))
    _write_array(archive, "bed", last.bed)
    _write_array(archive, "fixed", last.fixed)
    _write_array(archive, "spacing", np.float64(last.grid.spacing))
    _write_array(archive, "origin", np.array(last.grid.origin))


def _write_array(archive: zipfile.ZipFile, name: str, array: NDArray[np.generic] | np.generic) -> None:
    with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
        np.lib.format.write_array(entry, np.asarray(array), allow_pickle=False)

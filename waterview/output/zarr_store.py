"""Heights of the surface over time as a Zarr store, version 2: a folder of compressed chunks."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waterview.core.errors import InputError
from waterview.core.frame import Frame
from waterview.core.grid import Grid

from .atomic import place_beside, put_in_place

_ARRAYS = "(heights|time|x|z|bed|fixed)"
_OWN_NAMES = re.compile(rf"{_ARRAYS}|({_ARRAYS}/)?(\.z(group|attrs|array|metadata)|\d+(\.\d+)*|\..*\.part)")
_COMPRESSION_LEVEL = 1  # of zlib; higher ones take twice as long and save a few percent


def save_zarr(frames: Iterable[Frame], count: int, grid: Grid, path: Path) -> None:
    """Write `count` frames of a water on `grid` into the folder `path`, each as soon as it is computed.

    The store holds `heights` (time, z, x) float32 [m], one chunk a frame; `time` [s]; `x`, `z` [m]; and of the last
    frame `bed` (z, x) float32 [m] and `fixed` (z, x) bool. Its attributes are `spacing` and `level` [m]. It can be read
    while it is written and after an interruption; missing frames are NaN. Only an existing store is replaced, and only
    when the new one is complete, which is beside it until then (see `atomic.place_beside`).

    Raises:
        InputError: the place cannot be written to or is full, or something other than a store has that name.
    """
    try:
        place = place_beside(path)
        for each in {path, place}:
            _check_ours(each)
        if place.exists():
            shutil.rmtree(place)
        place.mkdir(parents=True)
        _write_store(frames, count, grid, place)
        put_in_place(place, path)
    except OSError as error:
        raise InputError(
            f"cannot write the heights {path}: {error.strerror or error}; choose a place with room"
        ) from error


def _check_ours(path: Path) -> None:
    """Refuse to replace anything but a store that `save_zarr` wrote."""
    if not os.path.lexists(path):
        return
    if path.is_symlink() or not (path / ".zgroup").is_file():
        raise InputError(f"cannot write the heights {path}: something else has that name; choose another one")
    for inside in path.rglob("*"):
        name = inside.relative_to(path).as_posix()
        if _OWN_NAMES.fullmatch(name) is None:
            raise InputError(f"cannot write the heights {path}: {name} in it would be lost; choose another name")


def _write_store(frames: Iterable[Frame], count: int, grid: Grid, path: Path) -> None:
    _write_json(path / ".zgroup", {"zarr_format": 2})
    _write_json(path / ".zattrs", {"spacing": grid.spacing, "level": grid.level, "units": "m"})
    heights, time = path / "heights", path / "time"
    _declare(heights, (count, *grid.shape), (1, *grid.shape), np.dtype("<f4"), ("time", "z", "x"), "m")
    _declare(time, (count,), (1,), np.dtype("<f8"), ("time",), "s")
    _write_array(path / "x", np.asarray(grid.x, "<f8"), ("x",))
    _write_array(path / "z", np.asarray(grid.z, "<f8"), ("z",))
    last: Frame | None = None
    for number, frame in enumerate(frames):
        _write_chunk(heights / f"{number}.0.0", np.asarray(frame.heights, "<f4"))
        _write_chunk(time / f"{number}", np.array([frame.time], "<f8"))
        last = frame
    if last is not None:
        _write_array(path / "bed", np.asarray(last.bed, "<f4"), ("z", "x"))
        _write_array(path / "fixed", np.asarray(last.fixed, "|b1"), ("z", "x"), units="")


def _declare(
    folder: Path,
    shape: Sequence[int],
    chunks: Sequence[int],
    dtype: np.dtype[Any],
    dimensions: Sequence[str],
    units: str,
) -> None:
    """Write the metadata of an array; xarray looks for the names of its dimensions there."""
    folder.mkdir()
    metadata = {
        "zarr_format": 2,
        "shape": list(shape),
        "chunks": list(chunks),
        "dtype": dtype.str,
        "compressor": {"id": "zlib", "level": _COMPRESSION_LEVEL},
        "fill_value": False if dtype.kind == "b" else "NaN",
        "order": "C",
        "filters": None,
    }
    _write_json(folder / ".zarray", metadata)
    _write_json(folder / ".zattrs", {"_ARRAY_DIMENSIONS": list(dimensions), "units": units})


def _write_array(folder: Path, array: NDArray[Any], dimensions: Sequence[str], units: str = "m") -> None:
    _declare(folder, array.shape, array.shape, array.dtype, dimensions, units)
    _write_chunk(folder / ".".join("0" * array.ndim), array)


def _write_chunk(path: Path, array: NDArray[Any]) -> None:
    """Write to a temporary file and rename it, so that a reader never finds half a chunk."""
    assert math.prod(array.shape) > 0
    temporary = path.with_name(f".{path.name}.part")
    temporary.write_bytes(zlib.compress(np.ascontiguousarray(array).data, _COMPRESSION_LEVEL))
    os.replace(temporary, path)


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=1, sort_keys=True), encoding="utf-8")

"""Surfaces as a Zarr store: a folder of compressed pieces that other programs read one by one (Zarr, version 2)."""

from __future__ import annotations

import json
import math
import os
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

_LEVEL = 1  # of zlib: higher ones take twice the time for a few hundredths less


def save_zarr(frames: Iterable[Frame], count: int, grid: Grid, path: Path) -> None:
    """Write `count` frames of a water on `grid` into the folder `path`, each as it comes.

    The store holds `heights` (time, z, x) float32 [m], a piece for each frame; `time` [s]; `x`, `z` [m]; and of the
    last frame `bed` (z, x) float32 [m] and `fixed` (z, x) bool. The attributes tell `spacing` and `level` [m]. Stopped
    half way it can be read; frames that never came are NaN. A store of that name is replaced, nothing else is.

    Raises:
        InputError: the place cannot be written to or is full, or something that is no store lies there.
    """
    try:
        _make_room(path)
        _write(frames, count, grid, path)
    except OSError as error:
        raise InputError(
            f"cannot write the heights {path}: {error.strerror or error}; choose a place with room"
        ) from error


def _make_room(path: Path) -> None:
    if path.exists() and not (path / ".zgroup").is_file():
        raise InputError(f"cannot write the heights {path}: something else has that name; choose another one")
    if path.exists():
        shutil.rmtree(path)
    path.mkdir(parents=True)


def _write(frames: Iterable[Frame], count: int, grid: Grid, path: Path) -> None:
    _write_json(path / ".zgroup", {"zarr_format": 2})
    _write_json(path / ".zattrs", {"spacing": grid.spacing, "level": grid.level, "units": "m"})
    heights, time = path / "heights", path / "time"
    _declare(heights, (count, *grid.shape), (1, *grid.shape), np.dtype("<f4"), ("time", "z", "x"), "m")
    _declare(time, (count,), (1,), np.dtype("<f8"), ("time",), "s")
    _write_whole(path / "x", np.asarray(grid.x, "<f8"), ("x",))
    _write_whole(path / "z", np.asarray(grid.z, "<f8"), ("z",))
    last: Frame | None = None
    for number, frame in enumerate(frames):
        _write_piece(heights / f"{number}.0.0", np.asarray(frame.heights, "<f4"))
        _write_piece(time / f"{number}", np.array([frame.time], "<f8"))
        last = frame
    if last is not None:
        _write_whole(path / "bed", np.asarray(last.bed, "<f4"), ("z", "x"))
        _write_whole(path / "fixed", np.asarray(last.fixed, "|b1"), ("z", "x"), units="")


def _declare(
    folder: Path,
    shape: Sequence[int],
    pieces: Sequence[int],
    dtype: np.dtype[Any],
    dimensions: Sequence[str],
    units: str,
) -> None:
    """Say what an array is; names of dimensions are where xarray looks for them."""
    folder.mkdir()
    words = {
        "zarr_format": 2,
        "shape": list(shape),
        "chunks": list(pieces),
        "dtype": dtype.str,
        "compressor": {"id": "zlib", "level": _LEVEL},
        "fill_value": False if dtype.kind == "b" else "NaN",
        "order": "C",
        "filters": None,
    }
    _write_json(folder / ".zarray", words)
    _write_json(folder / ".zattrs", {"_ARRAY_DIMENSIONS": list(dimensions), "units": units})


def _write_whole(folder: Path, array: NDArray[Any], dimensions: Sequence[str], units: str = "m") -> None:
    _declare(folder, array.shape, array.shape, array.dtype, dimensions, units)
    _write_piece(folder / ".".join("0" * array.ndim), array)


def _write_piece(path: Path, array: NDArray[Any]) -> None:
    """Written beside its place and then renamed, so that a reader never finds half a piece."""
    assert math.prod(array.shape) > 0
    beside = path.with_name(f".{path.name}.part")
    beside.write_bytes(zlib.compress(np.ascontiguousarray(array).data, _LEVEL))
    os.replace(beside, path)


def _write_json(path: Path, words: dict[str, Any]) -> None:
    path.write_text(json.dumps(words, indent=1, sort_keys=True), encoding="utf-8")

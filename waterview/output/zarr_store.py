"""Fields of the water over time as a Zarr store, version 3: a folder of compressed chunks."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waterview.core.errors import InputError
from waterview.core.frame import Frame
from waterview.core.grid import Grid

from .atomic import place_beside, put_in_place
from .dataset import attributes_of, moving_variables, still_variables, stored
from .netcdf import Variable

_ARRAYS = "(heights|u|v|time|x|y|z|world_x|world_z|spatial_ref|bed|fixed|(largest|arrival)_[a-z]+|flooded)"
_FILES = r"zarr\.json|c(/\d+)*(/\..*\.part)?|\.z(group|attrs|array|metadata)|\d+(\.\d+)*|\.[^/]*\.part"
_OWN_NAMES = re.compile(rf"{_ARRAYS}|({_ARRAYS}/)?({_FILES})")
_COMPRESSION_LEVEL = 1  # of gzip; higher ones take twice as long and save a few percent
_GZIP = 31  # zlib's code for a window of 32 KiB with gzip's header
_TILE = 256
"""Longest side of a chunk [points]."""
_MOST_STEPS = 32
"""Most frames in a chunk: a series at one point needs one chunk for all of these."""
_BUFFER_BYTES = 64 << 20
"""Most memory for frames that wait until their chunks are full."""


def save_zarr(frames: Iterable[Frame], count: int, grid: Grid, path: Path) -> None:
    """Write `count` frames of a water on `grid` into the folder `path`, some at a time.

    The store holds the variables of `waterview.output.dataset`, with consolidated metadata. Chunks span up to 32
    frames and 256 × 256 points. It can be read while it is written and after an interruption; missing frames are NaN.
    Only an existing store is replaced, and only when the new one is complete, which is beside it until then (see
    `atomic.place_beside`).

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
        _write_store(frames, count, place)
        put_in_place(place, path)
    except OSError as error:
        raise InputError(
            f"cannot write the heights {path}: {error.strerror or error}; choose a place with room"
        ) from error


def _check_ours(path: Path) -> None:
    """Refuse to replace anything but a store that `save_zarr` wrote, also that of an earlier version."""
    if not os.path.lexists(path):
        return
    if path.is_symlink() or not any((path / name).is_file() for name in ("zarr.json", ".zgroup")):
        raise InputError(f"cannot write the heights {path}: something else has that name; choose another one")
    for inside in path.rglob("*"):
        name = inside.relative_to(path).as_posix()
        if _OWN_NAMES.fullmatch(name) is None:
            raise InputError(f"cannot write the heights {path}: {name} in it would be lost; choose another name")


def _write_store(frames: Iterable[Frame], count: int, path: Path) -> None:
    waiting: list[dict[str, Variable]] = []
    steps = written = 0
    last: Frame | None = None
    try:
        for frame in frames:
            moving = moving_variables(frame)
            if last is None:
                steps = _declare(path, frame, moving, count)
            waiting.append(moving)
            last = frame
            if len(waiting) == steps:
                _write_moving(path, waiting, written, steps)
                written, waiting = written + steps, []
    finally:  # also of a run that is stopped
        if waiting:
            _write_moving(path, waiting, written, steps)
    if last is not None:
        for name, variable in still_variables(last).items():
            _write_chunks(path / name, variable.values, variable.values.shape)


def _declare(path: Path, frame: Frame, moving: Mapping[str, Variable], count: int) -> int:
    """Write the metadata of all arrays; returns the number of frames in a chunk."""
    size = sum(variable.values.nbytes for variable in moving.values())
    steps = max(1, min(_MOST_STEPS, count, _BUFFER_BYTES // size))
    arrays = {}
    for name, variable in moving.items():
        shape = variable.values.shape[1:]
        arrays[name] = _metadata(variable, (count, *shape), (steps, *(min(side, _TILE) for side in shape)))
    for name, variable in still_variables(frame).items():
        arrays[name] = _metadata(variable, variable.values.shape, variable.values.shape)
    for name, metadata in arrays.items():
        (path / name).mkdir()
        _write_json(path / name / "zarr.json", metadata)
    whole = {"kind": "inline", "must_understand": False, "metadata": arrays}
    group = {"zarr_format": 3, "node_type": "group", "attributes": attributes_of(frame)}
    _write_json(path / "zarr.json", group | {"consolidated_metadata": whole})
    return steps


def _metadata(variable: Variable, shape: tuple[int, ...], chunk: tuple[int, ...]) -> dict[str, Any]:
    """The metadata of an array (Zarr specification, version 3)."""
    dtype, attributes = variable.values.dtype, dict(stored(variable).attributes)
    fill: Any = "NaN" if dtype.kind == "f" else False if dtype.kind == "b" else 0
    order = {} if dtype.itemsize == 1 else {"configuration": {"endian": "little"}}
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(shape),
        "data_type": dtype.name,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(chunk)}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": fill,
        "codecs": [{"name": "bytes", **order}, {"name": "gzip", "configuration": {"level": _COMPRESSION_LEVEL}}],
        "attributes": attributes,
        "dimension_names": list(variable.dimensions),
    }


def _write_moving(path: Path, frames: list[dict[str, Variable]], first: int, steps: int) -> None:
    """Write the chunks of `frames`, the first of which is number `first`, a whole number of `steps`."""
    for name in frames[0]:
        values = np.concatenate([frame[name].values for frame in frames])
        chunk = (steps, *(min(side, _TILE) for side in values.shape[1:]))
        _write_chunks(path / name, values, chunk, first // steps)


def _write_chunks(folder: Path, values: NDArray[Any], chunk: tuple[int, ...], first: int = 0) -> None:
    """Write an array in chunks, the first of them number `first` along the first axis; those at the edge are filled."""
    fill = np.nan if values.dtype.kind == "f" else 0
    for place in itertools.product(*(range(-(-side // size)) for side, size in zip(values.shape, chunk, strict=True))):
        part = values[tuple(slice(k * size, (k + 1) * size) for k, size in zip(place, chunk, strict=True))]
        whole = np.full(chunk, fill, values.dtype.newbyteorder("<"))
        whole[tuple(slice(side) for side in part.shape)] = part
        names = [str(k + (first if axis == 0 else 0)) for axis, k in enumerate(place)]
        _write_chunk(folder.joinpath("c", *names), whole)


def _write_chunk(path: Path, array: NDArray[Any]) -> None:
    """Write to a temporary file and rename it, so that a reader never finds half a chunk."""
    packer = zlib.compressobj(_COMPRESSION_LEVEL, zlib.DEFLATED, _GZIP)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.part")
    temporary.write_bytes(packer.compress(array.tobytes()) + packer.flush())
    os.replace(temporary, path)


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")

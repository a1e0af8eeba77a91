"""A baked lake where it is kept: a Zarr store, version 3, whose shards are the blocks of the lake."""

from __future__ import annotations

import functools
import json
import math
import operator
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from waterview import __version__
from waterview.core.errors import InputError
from waterview.core.gauges import QUANTITIES
from waterview.core.georeference import LOCAL
from waterview.core.rectangle import Rectangle
from waterview.output.atomic import write_atomically
from waterview.output.dataset import coordinates_of
from waterview.output.netcdf import Variable
from waterview.sim.maxima import Maxima

from .blocks import LakeGrid, Number
from .lake import Lake
from .remote import RemotePath, StorePath, remove, writing, zarr_place
from .shallow_block import ShallowLaw

if TYPE_CHECKING:
    import zarr

MOST_CHUNK = 256
"""Longest side of a chunk [points]: what is looked at is read in such pieces."""

COARSEST = 128
"""Levels are added until neither side has more points than this."""

PACKED = 0.8
"""Share of float32 that a lively sea takes packed; measured 0.78 on a thousand rings."""

ABOUT = "bake"
"""The attribute that holds what a store is of."""
COMPLETE = "complete"
"""The attribute that is true once all frames are there."""


FRAME_ARRAYS = {
    "heights": {"long_name": "height of the surface above still water", "units": "m"},
    "flow_x": {"long_name": "depth times velocity along world x", "units": "m2 s-1"},
    "flow_z": {"long_name": "depth times velocity along world z", "units": "m2 s-1"},
}
"""What may be kept of each frame, and what is said of it."""


def frame_arrays(keeps_flow: bool) -> tuple[str, ...]:
    """Names of the arrays that have a field for each frame."""
    return tuple(FRAME_ARRAYS) if keeps_flow else ("heights",)


MAXIMA_ARRAYS = {
    "largest_surface": {"long_name": "largest surface over the run", "units": "m"},
    "arrival_time": {"long_name": "arrival time over the run", "units": "s"},
    "largest_speed": {"long_name": "largest speed over the run", "units": "m s-1"},
    "flooded": {"long_name": "flooded over the run", "units": "1"},
}
"""Fields over the run, and what is said of them; the last two only of shallow water."""

GAUGES, MEASURED = "gauges", "measured"
"""The group of what gauges have measured, and in it that of the series to compare with, by the number of the gauge."""


def maxima_arrays(lake: Lake) -> tuple[str, ...]:
    """Names of the arrays of fields over the run."""
    if lake.maxima is None:
        return ()
    return tuple(MAXIMA_ARRAYS)[: 4 if isinstance(lake.law, ShallowLaw) else 2]


def level_name(level: int) -> str:
    """The group with every 2^level-th point; "" is the store itself, with all of them."""
    return f"level_{level}" if level else ""


def level_count(shape: tuple[int, int], side: int) -> int:
    """Number of levels, that with all points among them: each halves a block's side as long as it is even."""
    levels = 1
    while max(shape) >> (levels - 1) > COARSEST and side % (2 << (levels - 1)) == 0 and side >> levels >= 16:
        levels += 1
    return levels


def level_shape(shape: tuple[int, int], level: int) -> tuple[int, int]:
    """(nz, nx) of a level."""
    return -(-shape[0] // (1 << level)), -(-shape[1] // (1 << level))


def needed_bytes(lake: Lake) -> int:
    """About how much a lake takes on disk if all of it moves [bytes]: frames with their levels, ground, checkpoints."""
    points = lake.blocks.shape[0] * lake.blocks.shape[1]
    fields, state = (3 if lake.keeps_flow else 1), (14 if isinstance(lake.law, ShallowLaw) else 8)
    state += 14 if lake.maxima is not None else 0
    return int(points * (lake.frames * fields * 4 * PACKED * 4 / 3 + 6 + 2 * state))


def coarser(field: NDArray[np.float32]) -> NDArray[np.float32]:
    """The means of squares of four points, of fewer at the ends; shape (⌈nz/2⌉, ⌈nx/2⌉)."""
    nz, nx = field.shape
    even = np.pad(field, ((0, nz % 2), (0, nx % 2)), mode="edge")
    return np.asarray((even[::2, ::2] + even[::2, 1::2] + even[1::2, ::2] + even[1::2, 1::2]) * np.float32(0.25))


def create_store(path: StorePath, lake: Lake) -> None:
    """Make a store with all its arrays and coordinates, and none of its frames.

    Raises:
        InputError: something has that name, there is no room for it, or the place cannot be written to.
    """
    if path.exists() if isinstance(path, RemotePath) else os.path.lexists(path):
        raise InputError(f"{path} exists already: choose another --out, or go on with it by --resume")
    zarr = zarr_library()
    if isinstance(path, Path):
        _check_room(path, lake)
    with writing(path):
        if isinstance(path, Path):
            path.mkdir(parents=True)
        root = zarr.create_group(zarr_place(path, read_only=False), attributes=_attributes(lake))
        for level in range(level_count(lake.blocks.shape, lake.blocks.side)):
            group = root.create_group(level_name(level)) if level else root
            _create_level(group, lake, level)
        _create_gauges(root, lake)
        _consolidate(root)


def _open(path: StorePath, name: str) -> zarr.Group:
    """A group to be written to."""
    group: zarr.Group = zarr_library().open_group(zarr_place(path / name, read_only=False), mode="r+")
    return group


def _create_level(group: zarr.Group, lake: Lake, level: int) -> None:
    from zarr.codecs import BloscCodec, Crc32cCodec

    shape, side = level_shape(lake.blocks.shape, level), lake.blocks.side >> level
    chunk = min(MOST_CHUNK, math.gcd(side, MOST_CHUNK))
    codecs = BloscCodec(cname="zstd", clevel=1, shuffle="shuffle"), Crc32cCodec()
    still = coordinates_of(grid_of_level(lake.ground.grid, level), lake.place)
    about = {"long_name": "simulated time", "units": "s", "axis": "T"}
    for name, variable in {"time": Variable(("time",), np.array(lake.times), about), **still}.items():
        _create_filled(group, name, variable)
    coordinates = "world_x world_z" + (" spatial_ref" if "spatial_ref" in still else "")
    mapped = {"coordinates": coordinates} | ({"grid_mapping": "spatial_ref"} if "spatial_ref" in still else {})
    land = {"long_name": "points that stay dry", "units": "1", "standard_name": "land_binary_mask"}
    ground = {"long_name": "height of the ground", "units": "m", "standard_name": "height_above_mean_sea_level"}
    for name, dtype, about in (("bed", "f4", ground), ("fixed", "bool", land)):
        group.create_array(
            name,
            shape=shape,
            chunks=(chunk, chunk),
            shards=(side, side),
            dtype=dtype,
            compressors=codecs,
            fill_value=0,
            dimension_names=("y", "x"),
            attributes={**about, **mapped},
        )
    for name in maxima_arrays(lake):
        group.create_array(
            name,
            shape=shape,
            chunks=(chunk, chunk),
            shards=(side, side),
            dtype="bool" if name == "flooded" else "f4",
            compressors=codecs,
            fill_value=False if name == "flooded" else math.nan,
            dimension_names=("y", "x"),
            attributes={**MAXIMA_ARRAYS[name], **mapped},
        )
    for name in frame_arrays(lake.keeps_flow):
        group.create_array(
            name,
            shape=(lake.frames, *shape),
            chunks=(1, chunk, chunk),
            shards=(1, side, side),
            dtype="f4",
            compressors=codecs,
            fill_value=0.0,
            dimension_names=("time", "y", "x"),
            attributes={**FRAME_ARRAYS[name], **mapped},
        )


def _create_filled(group: zarr.Group, name: str, variable: Variable) -> None:
    array = group.create_array(
        name,
        shape=variable.values.shape,
        dtype=variable.values.dtype,
        dimension_names=variable.dimensions,
        attributes=_json(variable.attributes),
    )
    array[...] = variable.values


def _create_gauges(root: zarr.Group, lake: Lake) -> None:
    """The group `gauges`, if there are any: an array (station, time) for each quantity."""
    if not lake.gauges:
        return
    names = [gauge.name for gauge in lake.gauges]
    group = root.create_group(GAUGES, attributes={"featureType": "timeSeries", "names": names})
    away = "of the middle of the map"
    x, z = (np.array(values) for values in zip(*((gauge.x, gauge.z) for gauge in lake.gauges), strict=True))
    simulated = {"long_name": "simulated time", "units": "s", "axis": "T"}
    for name, variable in {
        "time": Variable(("time",), np.array(lake.reading_times), simulated),
        "x": Variable(("station",), x, {"long_name": f"distance to the east {away}", "units": "m"}),
        "z": Variable(("station",), z, {"long_name": f"distance to the south {away}", "units": "m"}),
    }.items():
        _create_filled(group, name, variable)
    for number, gauge in enumerate(lake.gauges):
        if gauge.measured is not None:
            told = group.create_group(f"{MEASURED}/{number}")
            _create_filled(told, "time", Variable(("time",), gauge.measured.times, simulated))
            about = {"long_name": "height of the surface above still water, as measured", "units": "m"}
            _create_filled(told, "surface", Variable(("time",), gauge.measured.surface, about))
    count, times = len(names), len(lake.reading_times)
    for quantity in QUANTITIES:
        group.create_array(
            quantity.name,
            shape=(count, times),
            chunks=(count, min(times, 1024)),
            dtype="f4",
            fill_value=math.nan,
            dimension_names=("station", "time"),
            attributes={
                "long_name": quantity.doc,
                "standard_name": quantity.standard_name,
                "units": quantity.unit.replace("m/s", "m s-1"),
                "coordinates": "x z",
            },
        )


def write_readings(path: StorePath, readings: Sequence[tuple[int, int, Sequence[float]]]) -> None:
    """Write what gauges have measured: number of the gauge, number of the reading, and values as of `QUANTITIES`.

    Raises:
        InputError: the disk is full, or gone.
    """
    if not readings:
        return
    first, last = min(each[1] for each in readings), max(each[1] for each in readings)
    group: Any = _open(path, GAUGES)
    table = np.full((len(QUANTITIES), group["surface"].shape[0], last + 1 - first), np.nan, np.float32)
    for gauge, number, values in readings:
        table[:, gauge, number - first] = values
    with writing(path):
        for quantity, values in zip(QUANTITIES, table, strict=True):
            group[quantity.name][:, first : last + 1] = values


def _json(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return dict(attributes)


def grid_of_level(grid: LakeGrid, level: int) -> LakeGrid:
    """Where the means of a level lie."""
    shape = level_shape(grid.shape, level)
    (x, y, z), size = grid.origin, 1 << level
    shift = 0.5 * (size - 1) * grid.spacing
    return LakeGrid(shape, grid.spacing * size, (x + shift, y, z + shift)) if level else grid


def _attributes(lake: Lake) -> dict[str, Any]:
    grid = lake.ground.grid
    return {
        "Conventions": "CF-1.8",
        "source": f"waterview {__version__}",
        "units": "m",
        "spacing": float(grid.spacing),
        "level": float(grid.level),
        "title": lake.title,
        ABOUT: {
            "scene": dict(lake.about),
            "side": lake.blocks.side,
            "levels": level_count(lake.blocks.shape, lake.blocks.side),
            "frames": lake.frames,
            "place": None if lake.place == LOCAL else asdict(lake.place),
        },
    }


def check_is_of(path: StorePath, lake: Lake) -> None:
    """Refuse a store that is not the one of a lake.

    Raises:
        InputError: it is not there, is no store of a baked lake or only half of one, or is of another scene.
    """
    try:
        about = json.loads((path / "zarr.json").read_text(encoding="utf-8"))
        found = about["attributes"][ABOUT]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} is no store of a baked lake: leave --resume away to begin one") from error
    if not about.get("consolidated_metadata"):  # the last that is written where a store is made
        raise InputError(f"{path} was ended while it was made, and has no frames: remove it, and begin anew")
    asked = json.loads(json.dumps(_attributes(lake)[ABOUT]))
    if found == asked:
        return
    scenes = found.get("scene", {}), asked["scene"]
    names = [name for name in asked["scene"] if scenes[0].get(name) != scenes[1][name]] or ["blocks"]
    raise InputError(f"{path} is of another scene ({', '.join(names)} differ): give the options it was begun with")


def mark_complete(path: StorePath) -> None:
    """Note in a store that all of its frames are there.

    Raises:
        InputError: the disk is full, or gone.
    """
    place = path / "zarr.json"
    about = json.loads(place.read_text(encoding="utf-8"))
    about["attributes"][COMPLETE] = True
    text = json.dumps(about, indent=2)
    if isinstance(place, Path):
        write_atomically(place, "lake", lambda beside: beside.write_text(text, encoding="utf-8"))
    else:
        place.write_text(text)


def is_complete(path: StorePath) -> bool:
    """Whether `mark_complete` has been called for a store, which must be there."""
    about = json.loads((path / "zarr.json").read_text(encoding="utf-8"))
    return bool(about["attributes"].get(COMPLETE, False))


def _check_room(path: Path, lake: Lake) -> None:
    there = next(folder for folder in (path, *path.absolute().parents) if folder.exists())
    needed, free = needed_bytes(lake), shutil.disk_usage(there).free
    if needed > free:
        raise InputError(
            f"{lake.frames} frames of {lake.blocks.shape[1]} × {lake.blocks.shape[0]} points take about "
            f"{needed / 1e9:.1f} GB, and {free / 1e9:.1f} GB are free at {there}: choose a longer --every, fewer "
            "--seconds, a smaller --grid or another disk"
        )


class StoreWriter:
    """Writes what blocks own; several at a time may, for a block is a shard.

    Args:
        path: of the store.
        lake: what it is of.
    """

    def __init__(self, path: StorePath, lake: Lake) -> None:
        self._path, self._blocks = path, lake.blocks
        groups: list[Any] = [
            _open(path, level_name(level)) for level in range(level_count(lake.blocks.shape, lake.blocks.side))
        ]
        names = *frame_arrays(lake.keeps_flow), *maxima_arrays(lake), "bed", "fixed"
        self._arrays = [{name: group[name] for name in names} for group in groups]

    def write_ground(self, number: Number, bed: NDArray[np.float32], level: float) -> None:
        """Write the world height of the ground [m] that a block owns, and which points `fixed` are above a level.

        Raises:
            InputError: the disk is full, or gone.
        """
        for k in range(len(self._arrays)):
            self._write(number, k, {"bed": bed, "fixed": bed > np.float32(level)})
            bed = coarser(bed)

    def write_fixed(self, number: Number, fixed: NDArray[np.bool_]) -> None:
        """Write which points that a block owns stay dry.

        Raises:
            InputError: the disk is full, or gone.
        """
        self._write(number, 0, {"fixed": fixed})

    def write_frame(
        self, number: Number, frame: int, heights: NDArray[np.float32], flow: NDArray[np.float32] | None = None
    ) -> None:
        """Write what is kept of the points that a block owns, at all levels; nothing need be written where all is 0.

        Args:
            number: the block.
            frame: its number.
            heights: above still water [m], shape (nz, nx).
            flow: depth times velocity along x and z [m²/s], shape (2, nz, nx); None where it is not kept.

        Raises:
            InputError: the disk is full, or gone.
        """
        fields = {"heights": heights} | ({} if flow is None else {"flow_x": flow[0], "flow_z": flow[1]})
        for k in range(len(self._arrays)):
            self._write(number, k, fields, frame)
            fields = {name: coarser(field) for name, field in fields.items()}

    def write_maxima(self, number: Number, maxima: Maxima) -> None:
        """Write the fields over the run of what a block owns: at coarser levels the largest of four, or the earliest.

        Raises:
            InputError: the disk is full, or gone.
        """
        fields = {name.replace(" ", "_"): field.values for name, field in maxima.field_maps().items()}
        for k in range(len(self._arrays)):
            self._write(number, k, fields)
            fields = {name: _coarser_extremes(field, name == "arrival_time") for name, field in fields.items()}

    def _write(self, number: Number, level: int, fields: Mapping[str, NDArray[Any]], *first: int) -> None:
        """Write fields of a block, each of them a shard, whose number begins with `first`."""
        place = *first, *_at_level(self._blocks.owned(number), level)
        for name, field in fields.items():
            array = self._arrays[level][name]
            with writing(self._path):
                try:
                    array[place] = field
                except (ValueError, RuntimeError):
                    # zarr reads a shard before it writes it. One that a run was ended in is damaged: it goes.
                    names = level_name(level), name, "c", *map(str, (*first, *number))
                    remove(functools.reduce(operator.truediv, names, self._path))
                    array[place] = field


def _coarser_extremes(field: NDArray[Any], is_least: bool) -> NDArray[Any]:
    """The least or largest of squares of four points, of fewer at the ends; NaN counts only where all are."""
    nz, nx = field.shape
    even = np.pad(field, ((0, nz % 2), (0, nx % 2)), mode="edge")
    pick = np.logical_or if field.dtype == bool else np.fmin if is_least else np.fmax
    return np.asarray(pick(pick(even[::2, ::2], even[::2, 1::2]), pick(even[1::2, ::2], even[1::2, 1::2])))


def _at_level(owned: Rectangle, level: int) -> tuple[slice, slice]:
    half = 1 << level
    return slice(owned.top // half, -(-owned.bottom // half)), slice(owned.left // half, -(-owned.right // half))


def _consolidate(root: zarr.Group) -> None:
    import warnings

    zarr = zarr_library()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Consolidated metadata")  # which xarray reads all the same
        zarr.consolidate_metadata(root.store)


def zarr_library() -> Any:
    """The module zarr.

    Raises:
        InputError: it is not installed.
    """
    try:
        import zarr
    except ImportError as error:
        raise InputError("zarr is not installed: run pip install 'waterview[bake]'") from error
    return zarr

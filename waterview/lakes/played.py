"""What can be played: baked lakes, and heights that `waterview render` wrote, read by parts and levels.

Each is a `waterview.core.playback.Recorded`. A baked lake has its levels on disk; those of the others are every 2nd,
4th, … point.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from waterview.core.diagnostics import FieldMap
from waterview.core.errors import InputError
from waterview.core.frame import Frame
from waterview.core.gauges import GaugeSeries
from waterview.core.georeference import LOCAL, Georeference
from waterview.core.grid import Grid
from waterview.core.params import Value
from waterview.core.playback import Part, Recorded
from waterview.core.rectangle import Rectangle
from waterview.sim.playback import PlayedWater

from .blocks import LakeGrid
from .recorded import POINTS, RecordedLake, is_lake
from .remote import RemotePath, StorePath, read_errors, store_path, zarr_place
from .store import COARSEST, zarr_library

if TYPE_CHECKING:
    from waterview.render.shot import Shot

Floats = NDArray[np.float32]

_NPZ = {"heights", "times", "bed", "fixed", "spacing", "origin"}
_ZARR = {"heights", "time", "bed", "fixed", "world_x", "world_z"}
_TILE = 256
"""Where something is damaged it is read in squares of so many points, so that little of it is lost."""
_MAPS = {"largest surface": "m", "arrival time": "s", "largest speed": "m/s", "flooded": ""}
_PATIENCE = 60.0
"""How long a read is waited for before it is asked for again [s]."""
_CACHE = 128.0
"""Memory for frames that were read where pictures are drawn without a window [MiB]."""
_MOST_PACKED = 256 << 20
"""Largest packed array that is unpacked into memory [bytes]."""


def is_playable(path: StorePath) -> bool:
    """Whether `open_recording` can open a file or folder: frames, not a heightmap."""
    if isinstance(path, Path) and path.suffix.lower() == ".npz":
        try:
            with zipfile.ZipFile(path) as archive:
                return {f"{name}.npy" for name in _NPZ} <= set(archive.namelist())
        except (OSError, zipfile.BadZipFile):
            return False
    return is_lake(path) or _arrays_of(path) >= _ZARR


def _arrays_of(path: StorePath) -> set[str]:
    """The arrays of a Zarr store, version 3."""
    try:
        if isinstance(path, RemotePath):
            return set(zarr_library().open_group(zarr_place(path), mode="r").array_keys())
        if json.loads((path / "zarr.json").read_text(encoding="utf-8"))["node_type"] == "group":
            return {entry.name for entry in os.scandir(path) if (path / entry.name / "zarr.json").is_file()}
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return set()


def open_recording(path: str | StorePath) -> Recorded:
    """Open what can be played. Nothing of it is read but what is asked for.

    Raises:
        InputError: it cannot be played, or makes no sense.
    """
    path = store_path(path)
    if isinstance(path, Path) and path.suffix.lower() == ".npz":
        return PlayedNpz(path)
    if is_lake(path):
        return PlayedLake(RecordedLake(path))
    if _arrays_of(path) >= _ZARR:
        return PlayedZarr(path)
    raise InputError(
        f"{path} cannot be played: needed is a lake of waterview bake, or a .npz or .zarr of waterview render"
    )


class _ByLevels(ABC):
    """What reads of all kinds have in common: damaged squares are taken from coarser levels.

    Attributes:
        title: the name of the file or folder.
        times: of every frame [s].
        levels: number of levels.
        place: coordinates of the terrain's file.
        model, settings: of the water, as far as they are known.
        gauges, map_names: what was measured over the run.
        damage: what could not be read of that.
    """

    title: str
    times: Sequence[float]
    levels: int
    place: Georeference = LOCAL
    model: str = "wave-equation"
    settings: Mapping[str, Value]
    gauges: tuple[GaugeSeries, ...] = ()
    map_names: tuple[str, ...] = ()
    damage: str = ""

    @abstractmethod
    def grid(self, level: int) -> Grid:
        """All points of a level."""

    def incoming(self, time: float) -> Floats | None:
        """As `Recorded.incoming`."""
        return None

    @abstractmethod
    def _heights(self, numbers: range, part: Part) -> Floats:
        """Heights as they are there; raises an InputError where something is damaged."""

    @abstractmethod
    def ground(self, part: Part) -> tuple[Floats, NDArray[np.bool_]]:
        """As `Recorded.ground`."""

    def together(self, number: int) -> range:
        """As `Recorded.together`."""
        return range(number, number + 1)

    def flow(self, number: int, part: Part) -> Floats | None:
        """As `Recorded.flow`."""
        return None

    def field_map(self, name: str, part: Part) -> FieldMap:
        """As `Recorded.field_map`."""
        raise InputError(f"{self.title} has no map '{name}': it has {', '.join(self.map_names) or 'none'}")

    def heights(self, numbers: range, part: Part) -> tuple[Floats, str]:
        """As `Recorded.heights`."""
        try:
            return self._heights(numbers, part), ""
        except InputError as damage:
            if len(numbers) > 1:
                each = [self.heights(range(number, number + 1), part) for number in numbers]
                return np.concatenate([heights for heights, _ in each]), each[0][1] or str(damage)
            return self._mended(numbers, part), str(damage)

    def _mended(self, numbers: range, part: Part) -> Floats:
        """What is left of a damaged part, square by square; the rest is coarser."""
        found, all_of_it = np.zeros((1, *part.shape), np.float32), part.rectangle
        for top in range(all_of_it.top - all_of_it.top % _TILE, all_of_it.bottom, _TILE):
            for left in range(all_of_it.left - all_of_it.left % _TILE, all_of_it.right, _TILE):
                rectangle = Rectangle(top, top + _TILE, left, left + _TILE).and_(all_of_it)
                square, (rows, columns) = Part(part.level, rectangle), rectangle.of(all_of_it)
                try:
                    found[:, rows, columns] = self._heights(numbers, square)
                except InputError:
                    if part.level < self.levels - 1:
                        found[:, rows, columns] = self._coarser(numbers, square)
        return found

    def _coarser(self, numbers: range, square: Part) -> Floats:
        """A square as the next coarser level has it."""
        level = square.level + 1
        nz, nx = self.grid(level).shape
        top, bottom, left, right = square.rectangle
        rows = np.minimum(np.arange(top, bottom) // 2, nz - 1)
        columns = np.minimum(np.arange(left, right) // 2, nx - 1)
        around = Rectangle(int(rows[0]), int(rows[-1]) + 1, int(columns[0]), int(columns[-1]) + 1)
        coarse, _ = self.heights(numbers, Part(level, around))
        return coarse[:, rows[:, None] - around.top, columns[None, :] - around.left]


class PlayedLake(_ByLevels):
    """A baked lake.

    Args:
        lake: its store.
    """

    def __init__(self, lake: RecordedLake) -> None:
        self._lake, self._has_sea = lake, False
        self.title, self.times, self.levels = lake.path.name, lake.times, lake.levels
        self.place, self.model, self.settings = lake.place, lake.model, asdict(lake.params)
        self.map_names = tuple(name.replace("_", " ") for name in lake.maxima_names)
        try:
            self.gauges = lake.gauges
            self._has_sea = lake.incoming(0.0) is not None
        except InputError as damage:  # the rest can be played
            self.damage = str(damage)

    def grid(self, level: int) -> Grid:
        """All points of a level."""
        return self._lake.level_grid(level)

    def ground(self, part: Part) -> tuple[Floats, NDArray[np.bool_]]:
        """As `Recorded.ground`."""
        return self._lake.ground(part.level, part.rectangle)

    def incoming(self, time: float) -> Floats | None:
        """As `Recorded.incoming`."""
        return self._lake.incoming(time) if self._has_sea else None

    def flow(self, number: int, part: Part) -> Floats | None:
        """As `Recorded.flow`."""
        return self._lake.flow(number, part.level, part.rectangle) if self._lake.keeps_flow else None

    def field_map(self, name: str, part: Part) -> FieldMap:
        """As `Recorded.field_map`."""
        if name not in self.map_names:
            return super().field_map(name, part)
        values = self._lake.maxima(name.replace(" ", "_"), part.level, part.rectangle)
        return FieldMap(name, values, _MAPS[name], diverging=False)

    def _heights(self, numbers: range, part: Part) -> Floats:
        return np.stack([self._lake.heights(number, part.level, part.rectangle) for number in numbers])


class _Thinned(_ByLevels):
    """Arrays without levels of their own: a level is every 2^level-th point of them.

    Args:
        path: of the file or folder.
        grid: all points.
        times: of every frame [s].
        heights: shape (frames, nz, nx).
        bed, fixed: the ground, shape (nz, nx).
    """

    def __init__(self, path: StorePath, grid: Grid, times: Sequence[float], heights: Any, bed: Any, fixed: Any) -> None:
        self.title, self.times, self._grid = path.name, times, grid
        self._path, self._frames, self._bed, self._fixed = path, heights, bed, fixed
        self.settings = {}
        self.levels = 1
        while max(grid.shape) >> (self.levels - 1) > COARSEST and min(grid.shape) >> self.levels >= 2:
            self.levels += 1
        _check(path, grid.shape, times, heights.shape, bed.shape, fixed.shape)

    def grid(self, level: int) -> Grid:
        """All points of a level."""
        step, (nz, nx) = 1 << level, self._grid.shape
        return LakeGrid((-(-nz // step), -(-nx // step)), self._grid.spacing * step, self._grid.origin)

    def ground(self, part: Part) -> tuple[Floats, NDArray[np.bool_]]:
        """As `Recorded.ground`."""
        return np.array(self._read(self._bed, part), np.float32), np.array(self._read(self._fixed, part), bool)

    def _heights(self, numbers: range, part: Part) -> Floats:
        found = np.array(self._read(self._frames, part, slice(numbers.start, numbers.stop)), np.float32)
        return np.nan_to_num(found, copy=False, nan=0.0)

    def _read(self, array: Any, part: Part, *first: slice) -> NDArray[Any]:
        step = 1 << part.level
        top, bottom, left, right = part.rectangle
        rows = slice(top * step, (bottom - 1) * step + 1, step)
        columns = slice(left * step, (right - 1) * step + 1, step)
        try:
            return np.asarray(array[(*first, rows, columns)])
        except read_errors(self._path) as error:
            where = f"frame {first[0].start}" if first else "the ground"
            raise InputError(f"{self._path}: {where} is damaged ({error}); make it again") from error


class PlayedNpz(_Thinned):
    """Heights in a .npz, which are mapped into memory: only what is looked at is read.

    Args:
        path: of the file.

    Raises:
        InputError: it makes no sense, or is packed and large.
    """

    def __init__(self, path: Path) -> None:
        try:
            with zipfile.ZipFile(path) as archive:
                small = {name: _unpacked(archive, name) for name in _NPZ - {"heights"}}
                heights = _mapped(path, archive)
            spacing, origin = float(small["spacing"]), tuple(map(float, small["origin"]))
            nz, nx = small["bed"].shape
            grid = LakeGrid((nz, nx), spacing, origin)  # type: ignore[arg-type]  # it checks how many there are
            times = [float(time) for time in small["times"]]
            super().__init__(path, grid, times, heights, small["bed"], small["fixed"])
        except InputError as error:
            raise InputError(f"{path} cannot be played: {error}") from error
        except (OSError, ValueError, TypeError, KeyError, zipfile.BadZipFile) as error:
            raise InputError(f"{path} cannot be played ({error}): write it again with waterview render") from error


def _unpacked(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    info = archive.getinfo(f"{name}.npy")
    if info.file_size > 4 * _MOST_PACKED:
        raise InputError(f"'{name}' takes {info.file_size / 1e9:.1f} GB; heights so large are written as .zarr")
    with archive.open(info) as stream:
        return np.asarray(np.lib.format.read_array(stream, allow_pickle=False))


def _mapped(path: Path, archive: zipfile.ZipFile) -> NDArray[Any]:
    """The heights, as they lie in the file; unpacked if they are packed and not too large."""
    info = archive.getinfo("heights.npy")
    if info.compress_type != zipfile.ZIP_STORED:
        if info.file_size > _MOST_PACKED:
            raise InputError(
                "its heights are packed and too large to unpack; write it with waterview render or np.savez"
            )
        return _unpacked(archive, "heights")
    with path.open("rb") as file:
        # The name and the extra field of the entry stand before its content; the archive's index may differ in them.
        file.seek(info.header_offset + 26)
        name, extra = (int.from_bytes(file.read(2), "little") for _ in range(2))
        file.seek(info.header_offset + 30 + name + extra)
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, fortran, dtype = read(file)
        if fortran or dtype.kind != "f" or file.tell() + math.prod(shape) * dtype.itemsize > path.stat().st_size:
            raise ValueError("its heights are no rows of numbers, or cut short")
        return np.memmap(path, dtype, "r", file.tell(), shape)


class PlayedZarr(_Thinned):
    """Heights in a .zarr of `waterview render`, with the flow and the fields over the run where it has them.

    Args:
        path: of the store.

    Raises:
        InputError: it makes no sense.
    """

    def __init__(self, path: StorePath) -> None:
        try:
            group = zarr_library().open_group(zarr_place(path), mode="r")
            x, z = (np.asarray(group[name][...]) for name in ("world_x", "world_z"))
            level = float(group.attrs["level"])
            grid = LakeGrid((len(z), len(x)), float(group.attrs["spacing"]), (float(x[0]), level, float(z[0])))
            times = np.asarray(group["time"][...], np.float64)
            # A store can be read while it is written: what is not there yet has no time.
            there = int(np.argmax(np.isnan(times))) if np.isnan(times).any() else len(times)
            frames = group["heights"]
            super().__init__(path, grid, times[:there].tolist(), frames, group["bed"], group["fixed"])
            self._chunk = int(frames.chunks[0])
            self.place = _place(group, x, z)
            self._group = group
        except InputError:
            raise
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise InputError(f"{path} cannot be played ({error}): write it again with waterview render") from error
        self.map_names = tuple(name for name in _MAPS if name.replace(" ", "_") in group)
        if "u" in group and "v" in group:
            self.model = "shallow-water"

    def together(self, number: int) -> range:
        """The frames of a chunk."""
        first = number - number % self._chunk
        return range(first, min(first + self._chunk, len(self.times)))

    def flow(self, number: int, part: Part) -> Floats | None:
        """As `Recorded.flow`; what flows to the north flows against z."""
        if self.model != "shallow-water":
            return None
        when = slice(number, number + 1)
        east, north = (np.nan_to_num(self._read(self._group[name], part, when)[0]) for name in ("u", "v"))
        depth = self._heights(range(number, number + 1), part)[0] + np.float32(self._grid.level)
        depth = np.maximum(depth - self.ground(part)[0], 0.0)
        return np.asarray(np.stack((east, -north)) * depth, np.float32)

    def field_map(self, name: str, part: Part) -> FieldMap:
        """As `Recorded.field_map`."""
        if name not in self.map_names:
            return super().field_map(name, part)
        values = np.array(self._read(self._group[name.replace(" ", "_")], part))
        return FieldMap(name, values, _MAPS[name], diverging=False)


def _place(group: Any, x: NDArray[Any], z: NDArray[Any]) -> Georeference:
    """Where the world of a store lies."""
    if "spatial_ref" not in group:
        return LOCAL
    easting, northing = (np.asarray(group[name][...], np.float64) for name in ("x", "y"))
    east = float((easting[-1] - easting[0]) / (x[-1] - x[0]))
    south = -float((northing[-1] - northing[0]) / (z[-1] - z[0]))
    west, north = float(easting[0]) - east * float(x[0]), float(northing[0]) + south * float(z[0])
    return Georeference(str(group["spatial_ref"].attrs["crs_wkt"]), west, north, east, south)


def _check(path: StorePath, shape: tuple[int, int], times: Sequence[float], heights: Any, bed: Any, fixed: Any) -> None:
    """Refuse arrays that do not belong together.

    Raises:
        InputError: they do not, or there is no frame.
    """
    if len(heights) != 3 or heights[1:] != shape or bed != shape or fixed != shape or not 0 < len(times) <= heights[0]:
        raise InputError(
            f"{path} cannot be played: heights {heights}, ground {bed} and {len(times)} times do not agree"
        )
    if any(after <= before for before, after in itertools.pairwise(times)):
        raise InputError(f"{path} cannot be played: its times do not rise")


# --- without a window


def write_recording(
    recorded: Recorded,
    out: Path,
    shot: Shot,
    frames_per_second: float = 30.0,
    progress: Callable[[], None] = lambda: None,
    warn: Callable[[str], None] = lambda problem: None,
) -> list[Path]:
    """Write a film, pictures or heights of all frames, at most `POINTS` points a side; returns the paths.

    Pictures show what the camera sees as fine as it can be seen, and `warn` is called where something is damaged and
    taken from a coarser level. Heights are those of the whole.

    Raises:
        InputError: the ending is unknown, the place cannot be written to, or heights that are asked for are damaged.
        DisplayError: pictures are asked for and there is no OpenGL.
    """
    from waterview.output.offline import Output
    from waterview.output.writers import FilmWriter, PictureWriter, writer_for

    if not isinstance(writer_for(out, frames_per_second), PictureWriter | FilmWriter):
        frames = _frames(recorded, None, frames_per_second, _fail)
        return Output(out, shot, frames_per_second, 1, len(recorded.times), progress).write(frames)
    from waterview.render.camera.bounds import Bounds

    whole = PlayedWater(recorded, _CACHE, POINTS).publish(0)
    first = shot.camera(whole)
    seen = replace(shot, aim=lambda frame: replace(first, bounds=Bounds.of(frame)))
    frames = _frames(recorded, seen, frames_per_second, warn)
    return Output(out, seen, frames_per_second, 1, len(recorded.times), progress).write(frames)


def _fail(problem: str) -> None:
    raise InputError(problem)


def _frames(
    recorded: Recorded, shot: Shot | None, frames_per_second: float, warn: Callable[[str], None]
) -> Iterator[Frame]:
    """Every frame: of the whole, or as fine as the camera of a shot can see it."""
    water, warned = PlayedWater(recorded, _CACHE, POINTS), ""
    frame = water.publish(0)
    for number in range(len(recorded.times)):
        water.show(number)
        if shot is not None:
            camera = shot.camera(frame)
            camera = camera if shot.flight is None else shot.flight(camera, frame, number / frames_per_second)
            water.look_at(camera.target[0], camera.target[2], camera.distance)
        frame = water.publish(number)
        while frame.playback is not None and not frame.playback.is_finest:
            water.wait(_PATIENCE)
            frame = water.publish(number)
        if frame.playback is not None and frame.playback.problem not in ("", warned):
            warned = frame.playback.problem
            warn(warned)
        yield frame

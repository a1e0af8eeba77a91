"""A baked lake, read again: frames of any part of it at any level, pictures and films of it, and xarray."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from waterview.core.errors import InputError, ParameterError
from waterview.core.frame import Frame
from waterview.core.gauges import QUANTITIES, GaugeSeries, MeasuredSeries
from waterview.core.georeference import LOCAL, Georeference
from waterview.core.rectangle import Rectangle
from waterview.waters import MODELS
from waterview.waters.common.published_surface import MAX_SLOPE
from waterview.waters.common.wavemaker import SINES_OUTSIDE, Wavemaker, inwards
from waterview.waters.shallow.shallow_params import ShallowWaterParams
from waterview.waters.wave.wave_equation import WaveEquationParams, WaveEquationWater

from .blocks import LakeGrid
from .driven import beside, wavemaker_of
from .remote import StorePath, read_errors, store_path, zarr_place
from .store import ABOUT, GAUGES, MAXIMA_ARRAYS, MEASURED, grid_of_level, level_name, zarr_library

if TYPE_CHECKING:
    import xarray
    import zarr

    from waterview.render.shot import Shot

FLOW = ("flow_x", "flow_z")
"""Arrays of a store that keeps the flow."""

POINTS = 2048
"""Most points along the longer side of a frame, unless a level is asked for."""


def is_lake(path: StorePath) -> bool:
    """Whether there is the store of a baked lake."""
    return _attributes(path) is not None


def _attributes(path: StorePath) -> dict[str, Any] | None:
    try:
        found = json.loads((path / "zarr.json").read_text(encoding="utf-8"))["attributes"]
        return found if isinstance(found[ABOUT]["scene"]["grid"], list) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def open_lake(path: str | StorePath) -> RecordedLake:
    """Open the store of a baked lake. Nothing of it is read but what is asked for.

    Args:
        path: of the store, or a URL that fsspec reaches, such as "s3://bucket/lake.zarr".

    Raises:
        InputError: there is none, it cannot be reached, or it makes no sense.
    """
    return RecordedLake(store_path(path))


def _measured(gauges: zarr.Group, number: int) -> MeasuredSeries | None:
    """What a gauge is to be compared with."""
    if f"{MEASURED}/{number}" not in gauges:
        return None
    times, surface = (np.asarray(gauges[f"{MEASURED}/{number}/{name}"], np.float64) for name in ("time", "surface"))
    return MeasuredSeries(times, surface)


class RecordedLake:
    """The store of a baked lake.

    Attributes:
        path: where it is.
        grid: of all its points.
        times: simulated time of every frame [s].
        model: name of the model that it was baked with.
        levels: number of levels; each has half as many points along a side as the one before.
        params: parameters of the model that it was baked with.
        place: coordinates of the terrain's file by world x and z [m].
    """

    def __init__(self, path: StorePath) -> None:
        attributes = _attributes(path)
        if attributes is None:
            raise InputError(f"{path} is no store of a baked lake: make one with waterview bake")
        zarr = zarr_library()
        try:
            nz, nx, spacing, x, y, z = attributes[ABOUT]["scene"]["grid"]
            self.grid = LakeGrid((int(nz), int(nx)), float(spacing), (x, y, z))
            self.levels = int(attributes[ABOUT]["levels"])
            self._groups = [
                zarr.open_group(zarr_place(path / level_name(level)), mode="r") for level in range(self.levels)
            ]
            self.times = [float(time) for time in self._groups[0]["time"][...]]
            place = attributes[ABOUT]["place"]
            scene = attributes[ABOUT]["scene"]
            self.model = str(scene.get("model", WaveEquationWater.name))
            self.params = MODELS[self.model].Params().changed(**scene["params"])
        except InputError:
            raise
        except (KeyError, TypeError, ValueError, OSError) as error:
            raise InputError(f"{path} is a damaged store of a baked lake ({error}): bake it again") from error
        self.path, self.place = path, Georeference(**place) if place else LOCAL

    def __len__(self) -> int:
        """Number of frames."""
        return len(self.times)

    def level_for(self, points: int = POINTS) -> int:
        """The finest level with at most so many points along the longer side."""
        level = 0
        while level < self.levels - 1 and max(self.grid.shape) >> level > points:
            level += 1
        return level

    def heights(self, number: int, level: int = 0, window: Rectangle | None = None) -> NDArray[np.float32]:
        """Heights above still water [m] in a window of a level, or all of it, shape (nz, nx).

        Raises:
            InputError: there is no such frame or level, or chunks there are damaged; others can still be read.
        """
        self._check_frame(number)
        return np.asarray(self._read("heights", level, window, number), np.float32)

    def flow(self, number: int, level: int = 0, window: Rectangle | None = None) -> NDArray[np.float32]:
        """Depth times velocity along x and z [m²/s] in a window of a level, or all of it, shape (2, nz, nx).

        Raises:
            InputError: the flow was not kept, or as `heights`.
        """
        if not self.keeps_flow:
            raise InputError(f"{self.path} keeps no flow: bake shallow water with --keep-flow")
        self._check_frame(number)
        return np.stack([np.asarray(self._read(name, level, window, number), np.float32) for name in FLOW])

    @property
    def keeps_flow(self) -> bool:
        """Whether there is `flow`."""
        return all(name in self._groups[0] for name in FLOW)

    def maxima(self, name: str, level: int = 0, window: Rectangle | None = None) -> NDArray[Any]:
        """A field over the run in a window of a level, or all of it: a name of `store.MAXIMA_ARRAYS`, shape (nz, nx).

        Raises:
            InputError: it was not gathered, or as `heights`.
        """
        if name not in MAXIMA_ARRAYS or name not in self._groups[0]:
            there = ", ".join(self.maxima_names)
            raise InputError(f"{self.path} has no field over the run called '{name}': it has {there or 'none'}")
        return self._read(name, level, window)

    @property
    def maxima_names(self) -> tuple[str, ...]:
        """Names of the fields over the run that were gathered, for `maxima`."""
        return tuple(name for name in MAXIMA_ARRAYS if name in self._groups[0])

    def save_maxima(self, path: Path) -> None:
        """Write the fields over the run as `output.maxima_files.save_maxima_maps` does, some rows at a time.

        Raises:
            InputError: none were gathered, chunks are damaged, or the place cannot be written to.
        """
        from waterview.output.atomic import write_atomically
        from waterview.output.geotiff import Rows, write_rasters

        if not self.maxima_names:
            raise InputError(f"{self.path} has no fields over the run: bake with --maxima")
        columns = self.grid.shape[1]

        def rows_of(name: str) -> Rows:
            return lambda rows: self.maxima(name, 0, Rectangle(rows.start, rows.stop, 0, columns))

        units = {name: MAXIMA_ARRAYS[name]["units"].replace("m s-1", "m/s").strip("1") for name in self.maxima_names}
        bands = [(name.replace("_", " "), unit, rows_of(name)) for name, unit in units.items()]
        time = self.times[-1]
        write_atomically(path, "map", lambda place: write_rasters(place, bands, self.grid, time, self.place))

    @property
    def gauges(self) -> tuple[GaugeSeries, ...]:
        """What its gauges have measured so far.

        Raises:
            InputError: it is damaged.
        """
        if GAUGES not in self._groups[0]:
            return ()
        group = self._groups[0][GAUGES]
        try:
            times, x, z = (np.asarray(group[name][...]) for name in ("time", "x", "z"))
            values = np.stack([np.asarray(group[quantity.name][...]) for quantity in QUANTITIES])
            names = [str(name) for name in group.attrs["names"]]
            measured = [_measured(group, number) for number in range(len(names))]
        except (OSError, ValueError, RuntimeError, KeyError) as error:
            raise InputError(f"{self.path}: what gauges have measured is damaged ({error})") from error
        read = ~np.isnan(values[0]).all(axis=0)
        places = zip(names, x.tolist(), z.tolist(), np.moveaxis(values[..., read], 1, 0), measured, strict=True)
        return tuple(
            GaugeSeries(name, east, south, times[read], surface, depth, along_x, along_z, told)
            for name, east, south, (surface, depth, along_x, along_z), told in places
        )

    def level_grid(self, level: int) -> LakeGrid:
        """Where the points of a level lie.

        Raises:
            ParameterError: there is no such level.
        """
        self._check_level(level)
        return grid_of_level(self.grid, level)

    def ground(self, level: int = 0, window: Rectangle | None = None) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """World height of the ground [m], and points that stay dry, in a window of a level, or all of it.

        Raises:
            InputError: there is no such level, or chunks there are damaged.
        """
        return self._read("bed", level, window), self._read("fixed", level, window)

    def incoming(self, time: float) -> NDArray[np.float32] | None:
        """The sea beyond the sides by which waves come in, at a simulated time [s]: as `Frame.incoming`.

        Raises:
            InputError: the ground along the first of these sides is damaged.
        """
        if self._wavemaker is None:
            return None
        self._wavemaker.time = time
        return self._wavemaker.sines(SINES_OUTSIDE)

    @cached_property
    def _wavemaker(self) -> Wavemaker | None:
        params = self.params
        if not isinstance(params, WaveEquationParams | ShallowWaterParams) or not params.has_driven_sides:
            return None
        side = params.driven_sides[0]
        bed, _ = self.ground(0, beside(side, self.grid.shape, 1))
        return wavemaker_of(params, inwards(np.float32(self.grid.level) - bed, side)[0], self.grid)

    def frame(self, number: int, level: int | None = None, window: Rectangle | None = None) -> Frame:
        """A frame as the renderer takes it: of a window of a level, or all of the level for at most `POINTS` points.

        Raises:
            InputError: as `heights`.
        """
        level = self.level_for() if level is None else level
        heights = self.heights(number, level, window)
        # Land that shallow water has reached has heights of its own: it is no longer dry for good.
        bed, fixed = self.ground(level, window)
        fixed = fixed & (heights == 0.0)
        whole = grid_of_level(self.grid, level)
        place = window or Rectangle(0, whole.shape[0], 0, whole.shape[1])
        origin = float(whole.x[place.left]), whole.level, float(whole.z[place.top])
        grid = LakeGrid(place.shape, whole.spacing, origin)
        slopes = [-np.gradient(heights, grid.spacing, axis=axis) for axis in (1, 0)]
        normals = np.clip(np.stack(slopes, axis=-1), -MAX_SLOPE, MAX_SLOPE).astype(np.float16)
        time = self.times[number]
        incoming = self.incoming(time) if window is None else None
        surface = grid, heights, normals, bed, fixed, self.params
        return Frame(number, time, *surface, place=self.place, incoming=incoming)

    def frames(self, level: int | None = None) -> Iterator[Frame]:
        """All frames in turn, of all of a level; see `frame`."""
        bed: Frame | None = None
        for number in range(len(self)):
            frame = self.frame(number, level)
            # The renderer knows by the array that the ground is the same.
            bed = bed or frame
            same = np.array_equal(frame.fixed, bed.fixed)
            yield frame.changed(bed=bed.bed, fixed=bed.fixed if same else frame.fixed)

    def write(
        self, out: Path, shot: Shot, frames_per_second: float = 30.0, progress: Callable[[], None] = lambda: None
    ) -> list[Path]:
        """Write a film, pictures or heights of all frames, at most `POINTS` points a side; returns the paths.

        Raises:
            InputError: the ending is unknown, or the place cannot be written to.
            DisplayError: pictures are asked for and there is no OpenGL.
        """
        from waterview.output.offline import Output

        return Output(out, shot, frames_per_second, 1, len(self), progress).write(self.frames())

    def to_xarray(self, level: int = 0) -> xarray.Dataset:
        """A level as an xarray Dataset, whose arrays are read when they are used.

        Raises:
            InputError: xarray is not installed, or there is no such level.
        """
        try:
            import xarray
        except ImportError as error:
            raise InputError("xarray is not installed: run pip install xarray") from error
        self._check_level(level)
        found: xarray.Dataset = xarray.open_zarr(zarr_place(self.path), group=level_name(level) or None, chunks=None)
        return found

    def _check_frame(self, number: int) -> None:
        if not 0 <= number < len(self):
            raise ParameterError(f"frame {number} of {self.path}: it has {len(self)}, counted from 0")

    def _check_level(self, level: int) -> None:
        if not 0 <= level < self.levels:
            raise ParameterError(f"level {level} of {self.path}: it has {self.levels}, counted from 0")

    def _read(self, name: str, level: int, window: Rectangle | None, *first: int) -> NDArray[Any]:
        self._check_level(level)
        shape = grid_of_level(self.grid, level).shape
        whole = Rectangle(0, shape[0], 0, shape[1])
        asked = window or whole
        if asked.and_(whole) != asked or asked.is_empty:
            raise ParameterError(f"rows and columns {tuple(asked)} of level {level}: it has {shape[0]} × {shape[1]}")
        try:
            return np.asarray(self._groups[level][name][(*first, *asked.of(whole))])
        except read_errors(self.path) as error:
            where = f"{name} of frame {first[0]}" if first else name
            raise InputError(
                f"{self.path}: {where}, level {level}, is damaged in rows {asked.top} to {asked.bottom} and columns "
                f"{asked.left} to {asked.right} ({error}); bake it again, or look at other frames"
            ) from error

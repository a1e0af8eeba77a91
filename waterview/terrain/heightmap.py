"""A heightmap: ground heights in metres over a rectangle of the world."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from waterview.core.commands import MAX_HEIGHT
from waterview.core.errors import ParameterError
from waterview.core.extras import extra
from waterview.core.georeference import Georeference

from .options import TerrainOptions
from .placed_map import PlacedMap
from .raster import DEFAULT_POINTS, Raster, one_line, refusal
from .readers import read_raster
from .resampling import catmull_rom, fill_gaps, smooth

if TYPE_CHECKING:
    import xarray

__all__ = ["Heightmap", "TerrainOptions"]

PICTURE_RELIEF = 0.25
"""Range of the heights of a plain picture, as a share of its shorter side."""

FLAT_RELIEF = 0.03
"""Relief below this share of the longer side is hardly visible."""

_log = logging.getLogger(__name__)
_DEFAULTS = TerrainOptions()
_CELL_RANGE = (1e-6, 1e7)


@dataclass(frozen=True, eq=False)
class Heightmap(PlacedMap):
    """Heights of the ground over a rectangle centred on x = z = 0; its first and last samples lie on the edges.

    Row 0 has the lowest z and is the north edge of a file. So north is −z: with x to the east and y up, maps are not
    mirrored, and a camera that looks along −z looks north.

    Attributes:
        heights: world heights [m], shape (nz, nx) float32, read-only.
        cell: spacing of the samples along x and along z [m].
        source: path or name of its source.
        title: its name for people.
        nodata_count: number of samples without data, which were filled from their neighbours.
        water_level: world height of still water [m].
        place: where its samples lie in the coordinates of the file; None if that has none.
        notes: what was assumed about its file, a sentence each.

    Raises:
        TerrainError: heights or cells are not finite or out of bounds, or a side has fewer than 2 samples.
    """

    heights: NDArray[np.float32]
    cell: tuple[float, float]
    source: str = "array"
    title: str = ""
    nodata_count: int = 0
    water_level: float = 0.0
    place: Georeference | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        low, high = _CELL_RANGE
        if self.heights.ndim != 2 or min(self.heights.shape) < 2:
            raise refusal(self.source, f"has shape {self.heights.shape}", "a 2-D array with 2 or more a side is needed")
        if not all(low <= cell <= high for cell in self.cell):  # false for NaN too
            raise refusal(
                self.source,
                f"has cells of {self.cell[0]:g} × {self.cell[1]:g} m",
                f"allowed are {low:g} to {high:g} m; set the size of the map",
            )
        extreme = float(np.abs(self.heights).max())
        if not extreme <= MAX_HEIGHT:
            raise refusal(
                self.source,
                f"has heights up to {extreme:g} m",
                f"allowed are ±{MAX_HEIGHT:g} m; choose a smaller vertical scale",
            )
        self.heights.setflags(write=False)
        if not self.title:
            object.__setattr__(self, "title", one_line(Path(self.source).name))

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, max_points: int = DEFAULT_POINTS, options: TerrainOptions = _DEFAULTS
    ) -> Self:
        """Read a heightmap of any format in `waterview.terrain.readers`; at most `max_points` samples a side are kept.

        Heights are metres. Cells are measured on the ground if the file is georeferenced; else they are 1 m, or as
        `options.size_m` says. In a plain picture (8 or 16-bit unsigned, not georeferenced) grey has no unit: the range
        from its darkest to its brightest sample is a quarter of its shorter side, and 0 is the middle of that range.

        Raises:
            TerrainError: the file is missing, unreadable, damaged or not a heightmap; the message is one line.
        """
        return cls.from_raster(read_raster(path, max_points, options), options)

    @classmethod
    def from_array(
        cls,
        heights: ArrayLike,
        *,
        cell: float | tuple[float, float] | None = None,
        size: tuple[float, float] | None = None,
        options: TerrainOptions = _DEFAULTS,
        source: str = "array",
    ) -> Self:
        """A heightmap of `heights` [m], shape (nz, nx), row 0 at the lowest z. Masked and non-finite values are filled.

        Args:
            heights: real numbers, or a masked array as rasterio returns it; they are copied.
            cell: spacing of the samples [m], or its x and z; 1 m if neither this nor `size` is given.
            size: extent along x and z [m], instead of `cell`.
            options: as for a file.
            source: its name in messages.

        Raises:
            TerrainError: the array is not a 2-D array of real numbers with 2 or more a side.
            ParameterError: both `cell` and `size` are given, or one is not a number or a pair of numbers.
        """
        array = _array(heights, source)
        if array.dtype.kind not in "fiub" or array.ndim != 2 or min(array.shape) < 2:
            what = f"is an array of {array.dtype} with shape {array.shape}"
            raise refusal(source, what, "a 2-D array of real numbers with 2 or more a side is needed")
        if cell is not None and size is not None:
            raise ParameterError("a heightmap's cell and size are both given: allowed is one of them")
        if size is not None:
            x, z = _along_x_and_z("size", size)
            cell = (x / (array.shape[1] - 1), z / (array.shape[0] - 1))
        cell = 1.0 if cell is None else cell
        spacing = _along_x_and_z("cell", (cell, cell) if np.ndim(cell) == 0 else cell)
        with np.errstate(over="ignore", invalid="ignore"):
            values = array.astype(np.float32)
        shape = (array.shape[0], array.shape[1])
        valid = np.isfinite(values) & ~np.ma.getmask(heights)
        return cls.from_raster(Raster(source, "array", values, valid, spacing, shape), options)

    @classmethod
    def from_xarray(
        cls,
        data: xarray.DataArray | xarray.Dataset,
        *,
        max_points: int = DEFAULT_POINTS,
        options: TerrainOptions = _DEFAULTS,
    ) -> Self:
        """A heightmap of an array of xarray, which heeds its coordinates, their units and direction, and its reference.

        Longitudes and latitudes become metres, as those of a file do; the array may also be one of rioxarray or dask
        (see `waterview.terrain.readers.xarray_reader.read_xarray`). At most `max_points` samples a side are kept.

        Raises:
            TerrainError: it is no map, or its coordinates are not evenly spaced.
        """
        with extra("geo", "an array of xarray"):
            from .readers.xarray_reader import read_xarray

        return cls.from_raster(read_xarray(data, max_points, options), options)

    @classmethod
    def from_raster(cls, raster: Raster, options: TerrainOptions = _DEFAULTS) -> Self:
        """The heightmap in `raster`: its gaps filled, smoothed and scaled as `options` say.

        Raises:
            TerrainError: no sample is valid, or the heights are out of bounds.
        """
        if not raster.valid.any():
            raise refusal(raster.source, "has no data in any sample", "at least one must be a finite height")
        heights = fill_gaps(raster.values, raster.valid)
        cell = _scaled_cell(raster, options.size_m)
        is_down = options.depth_positive_down or raster.depth_positive_down
        scale = options.vertical_scale * (-1.0 if is_down else 1.0)
        if raster.relative:
            low, high = float(heights.min()), float(heights.max())
            side = min(size * (n - 1) for size, n in zip(cell, heights.shape[::-1], strict=True))
            heights = heights - np.float32(0.5 * (low + high))
            scale *= PICTURE_RELIEF * side / (high - low) if high > low else 0.0
        heights = smooth(heights, options.smoothing)
        with np.errstate(over="ignore"):
            world = np.ascontiguousarray(heights * np.float32(scale), np.float32)
        gaps = int(raster.valid.size - np.count_nonzero(raster.valid))
        level, notes = options.world_level, raster.notes
        if raster.values.shape != raster.full_shape:
            (nz, nx), (full_z, full_x) = raster.values.shape, raster.full_shape
            name = one_line(Path(raster.source).name)
            notes += (
                f"{name} has {full_x:,} × {full_z:,} samples and is read as {nx:,} × {nz:,}: "
                f"a --grid above {DEFAULT_POINTS:,} reads as many as it has points",
            )
        (nz, nx), reference = world.shape, raster.place.crs if raster.place else ""
        told = (nx, nz, *cell, gaps, one_line(reference) or "no reference")
        _log.info("%s: %d × %d samples, %.6g × %.6g m apart, %d gaps filled, %s", one_line(raster.source), *told)
        for note in notes:
            _log.warning("%s", note)
        return cls(world, cell, raster.source, nodata_count=gaps, water_level=level, place=raster.place, notes=notes)

    @property
    def sample_shape(self) -> tuple[int, int]:
        """(nz, nx)."""
        nz, nx = self.heights.shape
        return nz, nx

    @property
    def range(self) -> tuple[float, float]:
        """Lowest and highest world height [m]."""
        return float(self.heights.min()), float(self.heights.max())

    @property
    def land_share(self) -> float:
        """Share of the samples above still water, 0–1; water is fixed there."""
        return float(np.count_nonzero(self.heights > self.water_level)) / self.heights.size

    def height_at(self, x: ArrayLike, z: ArrayLike) -> NDArray[np.float32]:
        """World height [m] at world x and z [m]; arrays broadcast, the result has their shape.

        Interpolated by `waterview.terrain.resampling.catmull_rom`; outside, the height of the edge. Fastest for x of
        shape (1, nx) and z of shape (nz, 1).

        Raises:
            ParameterError: a coordinate is NaN.
        """
        x, z = np.asarray(x, np.float64), np.asarray(z, np.float64)
        if np.isnan(x).any() or np.isnan(z).any():
            raise ParameterError("a height was asked for at NaN: allowed are numbers")
        nz, nx = self.heights.shape
        return catmull_rom(self.heights, x / self.cell[0] + 0.5 * (nx - 1), z / self.cell[1] + 0.5 * (nz - 1))

    def relief_hint(self) -> str:
        """Advice, in one line, about relief that is too flat to be seen; "" if it is not."""
        low, high = self.range
        longer = max(self.size)
        if high - low >= FLAT_RELIEF * longer:
            return ""
        if high == low:
            return f"{one_line(self.source)} is perfectly flat"
        factor = float(f"{0.1 * longer / (high - low):.1g}")
        return (
            f"the relief is only {100.0 * (high - low) / longer:.2g} % of the width: "
            f"a --vertical-scale {factor:g} times larger would show it"
        )


def _array(heights: ArrayLike, source: str) -> NDArray[Any]:
    try:
        return np.asarray(heights)
    except ValueError as error:
        raise refusal(source, "has rows of different lengths", "a 2-D array of real numbers is needed") from error


def _along_x_and_z(name: str, lengths: Any) -> tuple[float, float]:
    try:
        x, z = map(float, lengths)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"a heightmap's {name} of {lengths}: needed are two numbers, along x and along z [m]"
        ) from error
    return x, z


def _scaled_cell(raster: Raster, size_m: float) -> tuple[float, float]:
    nz, nx = raster.values.shape
    longer = max((nx - 1) * raster.cell[0], (nz - 1) * raster.cell[1])
    factor = size_m / longer if size_m else 1.0
    return raster.cell[0] * factor, raster.cell[1] * factor

"""A raster too large for memory as ground: GeoTIFF, COG and virtual rasters, read by windows at full resolution."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.errors import NotGeoreferencedWarning, RasterioError
from rasterio.windows import Window

from waterview.core.georeference import Georeference

from .georeference import georeference, ground_cell
from .options import TerrainOptions
from .placed_map import PlacedMap
from .raster import VERTICAL_UNITS, one_line, refusal
from .readers import check_file, recognise
from .readers.vrt import checked_content
from .resampling import catmull_rom

_MARGIN = 3
"""Samples around a window that heights inside it may depend on, and one for rounding."""

_CACHE_BYTES = 64 << 20

_VOID = -32768  # of int16 where the file declares no other


@dataclass(frozen=True)
class WindowedHeightmap(PlacedMap):
    """Heights of a large raster over a rectangle centred on x = z = 0, as a `Heightmap` of all its samples has them.

    Nothing of it is in memory but what is asked for. It has no gaps that could be filled, for these need the whole.

    Attributes:
        path: the file.
        band: number of the band, from 1.
        shape: (nz, nx) of the file.
        cell: spacing of the samples along x and along z [m].
        factor, offset: from the file's numbers to heights in its datum [m].
        scale: from these to world heights.
        water_level: world height of still water [m].
        place: where its samples lie in the coordinates of the file.
        source: the file as it was named.
    """

    path: Path
    band: int
    shape: tuple[int, int]
    cell: tuple[float, float]
    factor: float
    offset: float
    scale: float
    water_level: float
    place: Georeference
    source: str

    @classmethod
    def open(cls, path: Path, options: TerrainOptions) -> Self:
        """Read the header of a file.

        Raises:
            TerrainError: it is no GeoTIFF or virtual raster whose rows run along x, northernmost first, or an option
                needs the whole of it.
        """
        for name in ("smoothing", "encoding", "units"):
            if getattr(options, name) != getattr(TerrainOptions(), name):
                what = f"is read by windows, and --{name} needs the whole of it"
                raise refusal(path, what, "leave it away, or change the file with GDAL first")
        with _opened(path) as dataset:
            band = int(options.variable) if options.variable.isdigit() else 1
            transform, shape = dataset.transform, (int(dataset.height), int(dataset.width))
            is_upright = not (transform.b or transform.d) and transform.a > 0.0 > transform.e
            if not is_upright or not 1 <= band <= dataset.count or (dataset.count > 1 and not options.variable):
                what = "is turned, has no georeference, or has several bands of which none is chosen"
                raise refusal(path, what, "warp it first (gdalwarp), or choose a band with --variable 1")
            crs = dataset.crs
            cell = ground_cell(transform, crs, shape)
            longer = max((shape[1] - 1) * cell[0], (shape[0] - 1) * cell[1])
            grown = options.size_m / longer if options.size_m else 1.0
            tags, unit = dataset.tags(band), (dataset.units[band - 1] or "").strip().lower()
            metres = VERTICAL_UNITS.get(unit, 1.0)
            is_down = options.depth_positive_down or tags.get("positive") == "down"
            return cls(
                path.absolute(),
                band,
                shape,
                (cell[0] * grown, cell[1] * grown),
                dataset.scales[band - 1] * metres,
                dataset.offsets[band - 1] * metres,
                options.vertical_scale * (-1.0 if is_down else 1.0),
                options.world_level,
                georeference(transform, crs.to_wkt() if crs else "", shape, shape),
                str(path),
            )

    @property
    def sample_shape(self) -> tuple[int, int]:
        """(nz, nx) of the file."""
        return self.shape

    def height_at(self, x: NDArray[np.float64], z: NDArray[np.float64]) -> NDArray[np.float32]:
        """World height [m] at world x, shape (1, nx), and z, shape (nz, 1) [m], as `Heightmap.height_at`.

        Raises:
            TerrainError: the file cannot be read any more, or has a gap there.
        """
        nz, nx = self.shape
        columns, rows = x / self.cell[0] + 0.5 * (nx - 1), z / self.cell[1] + 0.5 * (nz - 1)
        (left, right), (top, bottom) = _reach(columns, nx), _reach(rows, nz)
        samples = self._samples(top, bottom, left, right)
        return catmull_rom(samples, columns - left, rows - top)

    def _samples(self, top: int, bottom: int, left: int, right: int) -> NDArray[np.float32]:
        with _opened(self.path) as dataset:
            read = dataset.read(self.band, window=Window(left, top, right - left, bottom - top), masked=True)
            is_void = dataset.nodata is None and dataset.dtypes[self.band - 1] == "int16"
        raw = read.data
        with np.errstate(over="ignore", invalid="ignore"):
            gaps = np.ma.getmaskarray(read) | ~(np.abs(raw.astype(np.float64)) < 1e30)
        if gaps.any() or (is_void and (raw == _VOID).any()):
            what = f"has gaps, which need the whole of it to be filled, near column {left:,} and row {top:,}"
            raise refusal(self.path, what, "fill them first (gdal_fillnodata)")
        plain = (self.factor, self.offset) == (1.0, 0.0)
        values = np.asarray(raw if plain else raw * self.factor + self.offset, np.float32)
        return np.ascontiguousarray(values * np.float32(self.scale), np.float32)


def samples_of(path: Path) -> tuple[int, int]:
    """(nz, nx) of a file that can be read by windows; (0, 0) of any other.

    Raises:
        TerrainError: it is missing, or damaged.
    """
    check_file(path)
    if recognise(path).format not in ("GTiff", "VRT"):
        return 0, 0
    with _opened(path) as dataset:
        return int(dataset.height), int(dataset.width)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    check_file(path)
    kind = recognise(path).format
    if kind not in ("GTiff", "VRT"):
        raise refusal(
            path, "is read by windows", "allowed are GeoTIFF and virtual rasters; make one with gdal_translate"
        )
    settings = {
        "GDAL_CACHEMAX": _CACHE_BYTES,
        "GDAL_DISABLE_READDIR_ON_OPEN": "EMPTY_DIR",
        "CPL_VSIL_CURL_ALLOWED_EXTENSIONS": "{none}",
    }
    name = checked_content(path) if kind == "VRT" else str(path.absolute())
    try:
        with warnings.catch_warnings(), rasterio.Env(**settings):
            warnings.simplefilter("ignore", NotGeoreferencedWarning)
            with rasterio.open(name, driver=kind, OVERVIEW_LEVEL="NONE") as dataset:
                yield dataset
    except RasterioError as error:
        reason = one_line(str(error))[:160]
        raise refusal(path, f"is damaged or cut short ({reason})", "write or download it again") from error


def _reach(positions: NDArray[np.float64], count: int) -> tuple[int, int]:
    """First sample that heights at these positions depend on, and the one after the last; at least four."""
    low = min(max(int(np.floor(positions.min())) - _MARGIN, 0), max(count - 4, 0))
    return low, max(min(int(np.ceil(positions.max())) + _MARGIN + 1, count), min(low + 4, count))

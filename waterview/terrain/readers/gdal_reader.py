"""Any raster that GDAL knows, read through rasterio; `GdalFormat` says what is particular about its format."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.enums import ColorInterp, Resampling
from rasterio.errors import NotGeoreferencedWarning

from waterview.core.errors import TerrainError
from waterview.terrain.georeference import describe_crs, georeference, ground_cell
from waterview.terrain.raster import Raster, check_shape, decimated, refusal

if TYPE_CHECKING:
    from . import GdalFormat

MAX_BLOCK_BYTES = 256 << 20
"""Largest strip or tile, unpacked: GDAL holds one in memory at a time."""

_SIDE_FILES = (".msk", ".MSK", ".ovr", ".OVR")  # masks and overviews
_CACHE_BYTES = 64 << 20  # GDAL's own default is a share of the machine's memory
_VERTICAL_UNITS = {
    "ft": 0.3048,
    "foot": 0.3048,
    "feet": 0.3048,
    "us survey foot": 1200 / 3937,
    "ftus": 1200 / 3937,
    "us-ft": 1200 / 3937,
    "km": 1000.0,
    "dm": 0.1,
    "cm": 0.01,
    "mm": 0.001,
}


def read_gdal(path: Path, kind: GdalFormat, max_points: int) -> Raster:
    """Read the file `path`, which is of the given `kind`, decimated to at most `max_points` samples a side.

    No other file is opened but those that say where the map lies, such as a.prj. Decimation averages, and GDAL does it
    strip by strip. Grey may be stored as equal red, green and blue, or as a grey palette. Transparent samples are gaps.

    Raises:
        TerrainError: the file is too large, rotated, in colour, complex, or has several bands; or its name is no text.
        Exception: of any type, if it is damaged.
    """
    place = str(path.absolute())
    try:
        place.encode()
    except UnicodeEncodeError as error:
        raise refusal(path, "has a name that is not UTF-8, which GDAL needs", "rename the file or folder") from error
    # Masks and overviews beside it may be of any format, also of one that names further files: they are not opened.
    names_others = any(Path(place + ending).exists() for ending in _SIDE_FILES)
    settings = {
        "GDAL_CACHEMAX": _CACHE_BYTES,
        "GDAL_DISABLE_READDIR_ON_OPEN": "EMPTY_DIR" if names_others else "TRUE",
        # GDAL's fast path for whole 8-bit PNGs is off: it checks nothing, and accepts a truncated picture silently.
        "GDAL_PNG_WHOLE_IMAGE_OPTIM": "NO",
        "CPL_VSIL_CURL_ALLOWED_EXTENSIONS": "{none}",
    }
    with warnings.catch_warnings(), rasterio.Env(**settings):
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        with rasterio.open(place, driver=kind.driver) as dataset:
            if "OVERVIEW_FILE" not in dataset.tags(ns="OVERVIEWS"):
                return _read(path, kind, dataset, max_points)
        # The file names another one, or an address on the network, for its overviews.
        with rasterio.open(place, driver=kind.driver, OVERVIEW_LEVEL="NONE") as dataset:
            return _read(path, kind, dataset, max_points)


def _read(path: Path, kind: GdalFormat, dataset: Any, max_points: int) -> Raster:
    full = (int(dataset.height), int(dataset.width))
    _check_dataset(path, dataset)
    transform, plain = dataset.transform, dataset.transform.is_identity
    shape = decimated(full, max_points)
    void = kind.voids.get(dataset.dtypes[0]) if dataset.nodata is None else None
    samples = _grey_samples(path, dataset, shape, void)
    values, valid = _in_metres(dataset, samples, void)
    if not plain:
        # Turn the rows north first and the columns west first. Without georeference row 0 is the north edge.
        flip = (slice(None, None, -1 if transform.e > 0 else 1), slice(None, None, -1 if transform.a < 0 else 1))
        values, valid = values[flip], valid[flip]
    try:
        cell = ground_cell(transform, dataset.crs, full, guess=kind.guesses_degrees)
    except TerrainError as error:
        raise refusal(path, str(error), "correct its georeference") from error
    return Raster(
        source=str(path),
        format=kind.title if plain else kind.georeferenced_title or kind.title,
        values=np.ascontiguousarray(values),
        valid=np.ascontiguousarray(valid),
        cell=(cell[0] * full[1] / shape[1], cell[1] * full[0] / shape[0]),
        full_shape=full,
        relative=kind.grey_levels and plain and dataset.crs is None and dataset.dtypes[0] in {"uint8", "uint16"},
        crs=describe_crs(dataset.crs),
        place=None if plain else georeference(transform, dataset.crs, full, shape, guess=kind.guesses_degrees),
    )


def _check_dataset(path: Path, dataset: Any) -> None:
    """Refuse what cannot be read, by the header alone."""
    check_shape(path, dataset.width, dataset.height)
    kind = dataset.dtypes[0]
    if "complex" in kind:
        raise refusal(path, f"holds {kind} numbers", "heights must be integers or floating-point numbers")
    t = dataset.transform
    if t.b or t.d:
        raise refusal(path, "is rotated or sheared", "warp it to a north-up grid first, such as with gdalwarp")
    if not (all(map(math.isfinite, t[:6])) and t.a and t.e):
        raise refusal(path, f"has cells of {t.a:g} × {t.e:g}", "correct its georeference")
    rows, columns = dataset.block_shapes[0]
    if rows * columns * np.dtype(kind).itemsize * dataset.count > MAX_BLOCK_BYTES:
        raise refusal(
            path,
            f"is stored in strips of {columns:,} × {rows:,} samples, which must be unpacked at once",
            f"allowed are {MAX_BLOCK_BYTES >> 20} MiB a strip; write it in tiles (gdal_translate -co TILED=YES)",
        )


def _grey_samples(path: Path, dataset: Any, shape: tuple[int, int], void: int | None) -> np.ma.MaskedArray:
    """The channel that holds the heights, with the given shape, masked where the file declares that it has no data."""
    bands = [i for i, meaning in zip(dataset.indexes, dataset.colorinterp, strict=True) if meaning != ColorInterp.alpha]
    if len(bands) == 1 and dataset.colorinterp[bands[0] - 1] == ColorInterp.palette:
        return _through_palette(path, dataset, bands[0], shape)
    if len(bands) not in {1, 3}:
        raise refusal(path, f"has {len(bands)} bands", "one band of heights is needed; extract it first")
    resampling = Resampling.average if void is None else Resampling.nearest
    first: np.ma.MaskedArray = dataset.read(bands[0], out_shape=shape, masked=True, resampling=resampling)
    for other in bands[1:]:
        if not np.array_equal(first.data, dataset.read(other, out_shape=shape, resampling=resampling)):
            raise refusal(path, "is a colour picture", "heights must be one grey channel; convert it to grey first")
    return first


def _through_palette(path: Path, dataset: Any, band: int, shape: tuple[int, int]) -> np.ma.MaskedArray:
    table = np.zeros((256, 4), np.uint8)
    for index, colour in dataset.colormap(band).items():
        if 0 <= index < 256:
            table[index] = colour
    if not (table[:, :1] == table[:, 1:3]).all():
        raise refusal(path, "is a colour picture with a palette", "heights must be grey; convert it to grey first")
    # The mean of two palette indices is meaningless, so the nearest sample is used.
    numbers = dataset.read(band, out_shape=shape, masked=True, resampling=Resampling.nearest)
    return np.ma.MaskedArray(table[np.minimum(numbers.data, 255), 0], mask=np.ma.getmaskarray(numbers))


def _in_metres(
    dataset: Any, samples: np.ma.MaskedArray, void: int | None
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Values [m] and where they are valid; the file's scale, offset and unit are applied."""
    raw = samples.data
    with np.errstate(all="ignore"):
        valid = ~np.ma.getmaskarray(samples) & np.isfinite(raw) & (np.abs(raw.astype(np.float64)) < 1e30)
        if void is not None:
            valid &= raw != void
        unit = _VERTICAL_UNITS.get((dataset.units[0] or "").strip().lower(), 1.0)
        factor, offset = dataset.scales[0] * unit, dataset.offsets[0] * unit
        values = np.asarray(raw if (factor, offset) == (1.0, 0.0) else raw * factor + offset, np.float32)
    return values, valid & np.isfinite(values)

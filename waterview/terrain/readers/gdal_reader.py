"""Any raster that GDAL knows, read through rasterio; `GdalFormat` says what is particular about its format."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.crs import CRS
from rasterio.enums import ColorInterp, MaskFlags, Resampling
from rasterio.errors import NotGeoreferencedWarning
from rasterio.vrt import WarpedVRT
from rasterio.windows import Window

from waterview.core.errors import TerrainError
from waterview.terrain.georeference import (
    DEGREES,
    LEAST_STEP,
    MAX_COORDINATE,
    describe_crs,
    georeference,
    ground_cell,
)
from waterview.terrain.options import ENCODINGS, TerrainOptions
from waterview.terrain.raster import (
    FREE_BYTES,
    VERTICAL_UNITS,
    Raster,
    check_expansion,
    check_shape,
    chosen,
    decimated_shape,
    in_units,
    one_line,
    refusal,
)

from .native_words import without_native_words

if TYPE_CHECKING:
    from . import GdalFormat

MAX_BLOCK_BYTES = 256 << 20
"""Largest strip or tile, unpacked: GDAL holds one in memory at a time."""

_FREE_BLOCK_BYTES = 64 << 20
"""Strips and tiles of any file may be so large; larger ones, as for `check_expansion`."""

_FREE_BLOCKS = 100_000
"""A GeoTIFF of any size may claim so many strips or tiles; more only if their places, of 4 bytes each, fit into it."""

_SPARSE = 0.5
"""A large GeoTIFF of which less is stored is read in pieces: GDAL takes as long for what is left out as for others."""

_PIECE = 64
"""Side of the pieces that a sparse raster is read in [samples that are kept]."""

_HDF5 = b"\x89HDF\r\n\x1a\n"  # NetCDF 4 is a kind of HDF5

_SIDE_FILES = (".msk", ".MSK", ".ovr", ".OVR")  # masks and overviews
_METRES = 'LOCAL_CS["unknown",UNIT["metre",1]]'
_LOST = "marks no coordinates (by standard_name, axis or the names lon and lat): cells are taken as 1 m (see --size-m)"
_GREY = {"uint8", "uint16"}
_FEWEST_JUMPS = 8
_CACHE_BYTES = 64 << 20  # GDAL's own default is a share of the machine's memory


def read_gdal(
    path: Path, kind: GdalFormat, max_points: int, options: TerrainOptions, content: str | None = None
) -> Raster:
    """Read the file `path`, which is of the given `kind`, decimated to at most `max_points` samples a side.

    No other file is opened but those that say where the map lies, such as a.prj. Decimation averages, and GDAL does it
    strip by strip; what a sparse GeoTIFF leaves out is left out. Grey may be stored as equal red, green and blue, or as
    a grey palette. Transparent samples are gaps.
    A rotated or sheared raster is resampled to a north-up one. `content` is what a virtual raster describes, checked.

    Raises:
        TerrainError: the file is too large, in colour, complex, or has several bands or variables and none was chosen;
            or its name is no text.
        Exception: of any type, if it is damaged.
    """
    place = checked_name(path)
    if kind.driver == "netCDF":
        _check_links(path)
    with without_native_words(), warnings.catch_warnings(), environment(path, content):
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        warnings.simplefilter("ignore", RuntimeWarning)  # rasterio's own, where a value has no room in its type
        name = content or place
        with rasterio.open(name, driver=kind.driver) as dataset:
            if not dataset.count and dataset.subdatasets:
                by_name = {each.rpartition(":")[2]: each for each in dataset.subdatasets}
                name = by_name[chosen(path, "variable", by_name, options.variable.partition(":")[0])]
            elif "OVERVIEW_FILE" not in dataset.tags(ns="OVERVIEWS"):
                return _read(path, kind, dataset, max_points, options)
        # The file names another one, or an address on the network, for its overviews; or it holds several variables.
        with rasterio.open(name, driver=kind.driver, OVERVIEW_LEVEL="NONE") as dataset:
            return _read(path, kind, dataset, max_points, options)


def checked_name(path: Path) -> str:
    """The full name of a file, as GDAL takes it.

    Raises:
        TerrainError: it is no text.
    """
    place = str(path.absolute())
    try:
        place.encode()
    except UnicodeEncodeError as error:
        raise refusal(path, "has a name that is not UTF-8, which GDAL needs", "rename the file or folder") from error
    return place


def environment(path: Path, content: str | None = None) -> rasterio.Env:
    """GDAL's settings for reading `path`, or the checked `content` of a virtual raster: no other file is opened."""
    # Masks and overviews beside it may be of any format, also of one that names further files: they are not opened.
    names_others = content is not None or any(Path(f"{path.absolute()}{ending}").exists() for ending in _SIDE_FILES)
    return rasterio.Env(
        GDAL_CACHEMAX=_CACHE_BYTES,
        GDAL_DISABLE_READDIR_ON_OPEN="EMPTY_DIR" if names_others else "TRUE",
        # GDAL's fast path for whole 8-bit PNGs is off: it checks nothing, and accepts a truncated picture silently.
        GDAL_PNG_WHOLE_IMAGE_OPTIM="NO",
        CPL_VSIL_CURL_ALLOWED_EXTENSIONS="{none}",
    )


def _read(path: Path, kind: GdalFormat, dataset: Any, max_points: int, options: TerrainOptions) -> Raster:
    check_dataset(path, dataset)
    void = kind.voids.get(dataset.dtypes[0]) if dataset.nodata is None else None
    transform = dataset.transform
    if not (transform.b or transform.d):
        return _read_upright(path, kind, dataset, dataset, max_points, options, void)
    crs = dataset.crs or _METRES
    # Without its scales GDAL takes the ratio of the widths for a change of resolution, and blurs.
    how = {
        "XSCALE": 1,
        "YSCALE": 1,
        "src_nodata": dataset.nodata if void is None else void,
        "nodata": math.nan,
        "dtype": "float32",
    }
    with WarpedVRT(dataset, src_crs=crs, crs=crs, resampling=Resampling.bilinear, **how) as upright:
        return _read_upright(path, kind, dataset, upright, max_points, options, None)


def _read_upright(
    path: Path,
    kind: GdalFormat,
    source: Any,
    dataset: Any,
    max_points: int,
    options: TerrainOptions,
    void: int | None,
) -> Raster:
    """Read `dataset`, whose rows run along x; it is `source`, or resampled from it."""
    full = (int(dataset.height), int(dataset.width))
    transform, plain = dataset.transform, dataset.transform.is_identity
    shape = decimated_shape(full, max_points)
    band, samples, encoding = _grey_samples(path, dataset, shape, void, options)
    values, valid = _in_metres(source, band, samples, void)
    if not plain:
        # Turn the rows north first and the columns west first. Without georeference row 0 is the north edge.
        flip = (slice(None, None, -1 if transform.e > 0 else 1), slice(None, None, -1 if transform.a < 0 else 1))
        values, valid = values[flip], valid[flip]
    crs, tags = source.crs, source.tags(band)
    if crs is None and any(key.endswith("#units") and unit.startswith("degree") for key, unit in source.tags().items()):
        crs = CRS.from_user_input(DEGREES)  # NetCDF's coordinates, which seldom name a datum
    try:
        cell = ground_cell(transform, crs, full)
    except TerrainError as error:
        raise refusal(path, str(error), "correct its georeference") from error
    title = kind.title if plain else kind.georeferenced_title or kind.title
    named = tags.get("NETCDF_VARNAME") or (source.descriptions[band - 1] if source.count > 1 else "")
    lost = plain and "NETCDF_VARNAME" in tags
    raster = Raster(
        source=str(path),
        format=title
        + (f", variable '{one_line(named)}'" if named else "")
        + (f", {encoding} tile" if encoding else ""),
        values=np.ascontiguousarray(values),
        valid=np.ascontiguousarray(valid),
        cell=(cell[0] * full[1] / shape[1], cell[1] * full[0] / shape[0]),
        full_shape=full,
        relative=kind.grey_levels and plain and crs is None and source.dtypes[0] in _GREY and not encoding,
        crs=describe_crs(crs),
        place=None if plain else georeference(transform, crs.to_wkt() if crs else "", full, shape),
        depth_positive_down=tags.get("positive") == "down" or "depth_below" in tags.get("standard_name", ""),
        notes=(f"{one_line(path.name)} {_LOST}",) if lost else (),
    )
    return in_units(raster, options.units, kind.guesses_degrees)


def _check_links(path: Path) -> None:
    """Refuse a NetCDF file that takes anything from another file, which GDAL would open."""
    with path.open("rb") as stream:
        if stream.read(len(_HDF5)) != _HDF5:
            return
    from .hdf5_links import link_outwards

    outwards = link_outwards(path)
    if outwards:
        raise refusal(path, f"takes {outwards} from another file", "save all of it in one file, such as with nccopy")


def check_dataset(path: Path, dataset: Any) -> None:
    """Refuse what cannot be read, by the header alone."""
    check_shape(path, dataset.width, dataset.height)
    kind = dataset.dtypes[0]
    if "complex" in kind:
        raise refusal(path, f"holds {kind} numbers", "heights must be integers or floating-point numbers")
    t = dataset.transform
    steps = math.hypot(t.a, t.d), math.hypot(t.b, t.e)
    if not (all(map(math.isfinite, t[:6])) and t.determinant and min(steps) >= LEAST_STEP):
        raise refusal(path, f"has cells of {t.a:g} × {t.e:g}", "correct its georeference")
    rows, columns = dataset.height, dataset.width
    farthest = max(abs(t.c) + abs(t.a) * columns + abs(t.b) * rows, abs(t.f) + abs(t.d) * columns + abs(t.e) * rows)
    if farthest >= MAX_COORDINATE:
        what = f"has coordinates up to {farthest:g}"
        raise refusal(path, what, f"allowed are up to {MAX_COORDINATE:g}; correct its georeference")
    beside = str(path.absolute().with_suffix(""))
    others = [] if dataset.driver == "VRT" else [each for each in dataset.files if not each.startswith(beside)]
    if others:
        raise refusal(path, f"is continued in {others[0]}", "save it in one file, such as with gdal_translate")
    rows, columns = dataset.block_shapes[0]
    block = rows * columns * np.dtype(kind).itemsize * dataset.count
    if block > MAX_BLOCK_BYTES:
        raise refusal(
            path,
            f"is stored in strips of {columns:,} × {rows:,} samples, which must be unpacked at once",
            f"allowed are {MAX_BLOCK_BYTES >> 20} MiB a strip; write it in tiles (gdal_translate -co TILED=YES)",
        )
    if dataset.driver != "VRT":
        check_expansion(path, block, _FREE_BLOCK_BYTES)
    blocks, stored = -(-dataset.height // rows) * -(-dataset.width // columns), path.stat().st_size
    if dataset.driver == "GTiff" and blocks > max(_FREE_BLOCKS, stored // 4):
        raise refusal(
            path,
            f"claims {blocks:,} tiles of {columns:,} × {rows:,} samples in {stored:,} bytes",
            "it is damaged, or nearly empty; write it in larger tiles (gdal_translate -co TILED=YES)",
        )


def _grey_samples(
    path: Path, dataset: Any, shape: tuple[int, int], void: int | None, options: TerrainOptions
) -> tuple[int, np.ma.MaskedArray, str]:
    """Number of the band with the heights, its samples, masked where the file declares no data, and its encoding."""
    meanings = dict(zip(dataset.indexes, dataset.colorinterp, strict=True))
    bands = [band for band, meaning in meanings.items() if meaning != ColorInterp.alpha]
    is_colour = [meanings[band] for band in bands] == [ColorInterp.red, ColorInterp.green, ColorInterp.blue]
    variable, _, wanted = options.variable.partition(":")
    name = dataset.tags(1).get("NETCDF_VARNAME")
    if name is None or (variable.isdigit() and not wanted):
        wanted = options.variable
    elif variable:
        chosen(path, "variable", [name], variable)
    if wanted or (len(bands) > 1 and not is_colour):
        names = {dataset.descriptions[band - 1] or str(band): band for band in bands}
        numbers = {str(band): band for band in bands}
        bands = [numbers[wanted] if wanted in numbers else names[chosen(path, "band", names, wanted)]]
    elif is_colour:
        colours = _samples(path, dataset, bands, shape, Resampling.nearest)
        if not (colours.data[0] == colours.data[1:]).all():
            heights, encoding = _decoded(path, colours.data, options.encoding)
            return bands[0], np.ma.MaskedArray(heights, np.ma.getmaskarray(colours)[0]), encoding
    if options.encoding != "auto":
        raise refusal(path, "is no colour picture", "leave --encoding away")
    if meanings[bands[0]] == ColorInterp.palette:
        return bands[0], _through_palette(path, dataset, bands[0], shape), ""
    resampling = Resampling.average if void is None else Resampling.nearest
    return bands[0], _samples(path, dataset, bands[:1], shape, resampling)[0], ""


def _samples(
    path: Path, dataset: Any, bands: list[int], shape: tuple[int, int], resampling: Resampling
) -> np.ma.MaskedArray:
    """Samples of `bands`, (bands, *shape), masked where there is no data. The file is unpacked once for all of them.

    Raises:
        TerrainError: far more would be unpacked than the file holds, see `raster.check_expansion`.
    """
    block_rows, block_columns = dataset.block_shapes[0]
    block = block_rows * block_columns * np.dtype(dataset.dtypes[0]).itemsize * dataset.count
    down, across = -(-dataset.height // block_rows), -(-dataset.width // block_columns)
    there = np.ones((down, across), bool)
    if dataset.driver == "GTiff" and block * down * across > FREE_BYTES:
        there = np.array([[_is_stored(dataset, x, y) for x in range(across)] for y in range(down)])
    if dataset.driver != "VRT":  # the samples of a mosaic are in other files
        check_expansion(path, block * int(np.count_nonzero(there)))
    if there.mean() < _SPARSE:
        return _in_pieces(dataset, bands, shape, resampling, there)
    kept = (len(bands), *shape)
    samples: np.ma.MaskedArray = dataset.read(bands, out_shape=kept, masked=True, resampling=resampling)
    return samples


def _is_stored(dataset: Any, x: int, y: int) -> bool:
    return dataset.get_tag_item(f"BLOCK_OFFSET_{x}_{y}", "TIFF", bidx=1) is not None


def _in_pieces(
    dataset: Any, bands: list[int], shape: tuple[int, int], resampling: Resampling, there: NDArray[np.bool_]
) -> np.ma.MaskedArray:
    """`_samples` of a raster, of which only the blocks are stored that are `there`, by row and column."""
    block_rows, block_columns = dataset.block_shapes[0]
    down, across = dataset.height / shape[0], dataset.width / shape[1]
    has_gaps = dataset.mask_flag_enums[bands[0] - 1] != [MaskFlags.all_valid]
    values = np.full((len(bands), *shape), 0 if dataset.nodata is None else dataset.nodata, dataset.dtypes[0])
    mask = np.full(values.shape, has_gaps)
    for top in range(0, shape[0], _PIECE):
        bottom = min(top + _PIECE, shape[0])
        rows = slice(int(top * down) // block_rows, -(-math.ceil(bottom * down) // block_rows))
        for left in range(0, shape[1], _PIECE):
            right = min(left + _PIECE, shape[1])
            columns = slice(int(left * across) // block_columns, -(-math.ceil(right * across) // block_columns))
            if there[rows, columns].any():
                window = Window(left * across, top * down, (right - left) * across, (bottom - top) * down)
                piece = (len(bands), bottom - top, right - left)
                read = dataset.read(bands, window=window, out_shape=piece, masked=True, resampling=resampling)
                here = (slice(None), slice(top, bottom), slice(left, right))
                values[here], mask[here] = read.data, np.ma.getmaskarray(read)
    return np.ma.MaskedArray(values, mask=mask)


def _decoded(path: Path, colours: NDArray[np.uint8], encoding: str) -> tuple[NDArray[np.float32], str]:
    """Heights [m], shape (nz, nx), in a picture of red, green and blue, shape (3, nz, nx), and what encoded them."""
    for number, (name, (*factors, black)) in enumerate(ENCODINGS.items() if colours.dtype == np.uint8 else ()):
        heights = np.tensordot(factors, colours, 1) + black
        if name == encoding or (encoding == "auto" and _is_encoded(heights, *colours[number : number + 2])):
            return heights.astype(np.float32), name
    encoded = f"heights must be grey, or be encoded: --encoding {' or '.join(ENCODINGS)}"
    advice = f"{encoded}; an aerial picture is laid over a terrain with --drape"
    raise refusal(path, "is a colour picture", advice)


def _is_encoded(heights: NDArray[np.float64], upper: NDArray[np.uint8], lower: NDArray[np.uint8]) -> bool:
    """Whether these are heights on Earth with `upper` and `lower` digits in two colours.

    Where the upper digit of a height changes by one, the lower one jumps. Colours of a photograph change together.
    """
    if not (heights.min() > -11_500.0 and heights.max() < 9_000.0):
        return False
    jumps = [
        np.abs(np.diff(lower.astype(np.int16), axis=axis))[np.abs(np.diff(upper.astype(np.int16), axis=axis)) == 1]
        for axis in (0, 1)
    ]
    found = np.concatenate(jumps)
    return found.size >= _FEWEST_JUMPS and float(np.median(found)) > 64.0


def _through_palette(path: Path, dataset: Any, band: int, shape: tuple[int, int]) -> np.ma.MaskedArray:
    table = np.zeros((256, 4), np.uint8)
    for index, colour in dataset.colormap(band).items():
        if 0 <= index < 256:
            table[index] = colour
    if not (table[:, :1] == table[:, 1:3]).all():
        raise refusal(path, "is a colour picture with a palette", "heights must be grey; convert it to grey first")
    # The mean of two palette indices is meaningless, so the nearest sample is used.
    numbers = _samples(path, dataset, [band], shape, Resampling.nearest)[0]
    return np.ma.MaskedArray(table[np.minimum(numbers.data, 255), 0], mask=np.ma.getmaskarray(numbers))


def _in_metres(
    dataset: Any, band: int, samples: np.ma.MaskedArray, void: int | None
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Values [m] and where they are valid; the file's scale, offset and unit are applied."""
    raw = samples.data
    with np.errstate(all="ignore"):
        valid = ~np.ma.getmaskarray(samples) & np.isfinite(raw) & (np.abs(raw.astype(np.float64)) < 1e30)
        if void is not None:
            valid &= raw != void
        unit = VERTICAL_UNITS.get((dataset.units[band - 1] or "").strip().lower(), 1.0)
        factor, offset = dataset.scales[band - 1] * unit, dataset.offsets[band - 1] * unit
        values = np.asarray(raw if (factor, offset) == (1.0, 0.0) else raw * factor + offset, np.float32)
    return values, valid & np.isfinite(values)

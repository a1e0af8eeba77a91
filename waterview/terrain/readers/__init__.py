"""The formats of heightmap files, in one table, and the function that reads any of them."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from waterview.core.errors import TerrainError
from waterview.core.extras import MissingError, extra
from waterview.terrain.options import TerrainOptions
from waterview.terrain.raster import DEFAULT_POINTS, Raster, one_line, refusal

__all__ = ["ALLOWED", "READERS", "GdalFormat", "Reader", "check_file", "read_raster", "recognise"]

Read = Callable[[Path, int, TerrainOptions], Raster]
_DEFAULTS = TerrainOptions()


@dataclass(frozen=True)
class Reader:
    """One file format.

    Attributes:
        format: its short name.
        endings: usual endings of the file name, in lower case.
        signatures: the first bytes of such a file, one of these. A format without any is recognised by its ending.
        read: reads a file that was recognised, given its path, the most samples to keep on a side, and the options. It
            may raise any exception about a damaged file; `read_raster` makes a TerrainError of it.
        ignores_case: whether capital letters in the signature do not matter.
        advice: what to do about a damaged file.
    """

    format: str
    endings: tuple[str, ...]
    signatures: tuple[bytes, ...]
    read: Read
    ignores_case: bool = False
    advice: str = "write or download it again"

    def recognises(self, head: bytes) -> bool:
        """Whether a file that begins with `head` has this format."""
        return (head.lower() if self.ignores_case else head).startswith(self.signatures)


@dataclass(frozen=True, eq=False, kw_only=True)
class GdalFormat:
    """What GDAL does not say about a format that it reads; no default could be wrong unnoticed.

    Attributes:
        driver: GDAL's name of the format.
        title: its name for people.
        georeferenced_title: its name for people if the file has a georeference, where that differs.
        grey_levels: whether 8 and 16-bit unsigned samples without a georeference are grey levels without a unit.
        guesses_degrees: whether small cells without a coordinate reference system are degrees, as `raster.in_units`
            guesses for a format that cannot name one.
        voids: the value that means "no data" where the file declares none, by the type of the samples.
        is_safe: whether its library survives damaged files in silence; otherwise it works in a process of its own.
    """

    driver: str
    title: str
    georeferenced_title: str = ""
    grey_levels: bool
    guesses_degrees: bool
    voids: Mapping[str, int]
    is_safe: bool = True

    def read(self, path: Path, max_points: int, options: TerrainOptions) -> Raster:
        """Read a file of this format, as `Reader.read`."""
        if not self.is_safe:
            with extra("geo", f"{one_line(path.name)}: reading {self.title}"):
                import h5py  # noqa: F401  # the other process needs both
                import rasterio  # noqa: F401

            from .apart import read_apart

            return read_apart(path, self, max_points, options)
        # Imported when used: GDAL is slow to load, and heightmaps made of arrays do not need it.
        with extra("geo", f"{one_line(path.name)}: reading {self.title}"):
            from .gdal_reader import read_gdal

        return read_gdal(path, self, max_points, options)


def _gdal(
    driver: str, title: str, *, grey_levels: bool = False, guesses_degrees: bool = False, is_safe: bool = True
) -> GdalFormat:
    """A format whose files say where they have no data."""
    return GdalFormat(
        driver=driver,
        title=title,
        grey_levels=grey_levels,
        guesses_degrees=guesses_degrees,
        voids=MappingProxyType({}),
        is_safe=is_safe,
    )


_TIFF = GdalFormat(
    driver="GTiff",
    title="TIFF",
    georeferenced_title="GeoTIFF",
    grey_levels=True,
    guesses_degrees=False,
    voids={"int16": -32768},
)
_PNG = _gdal("PNG", "PNG", grey_levels=True)
_JPEG_2000_FORMAT = _gdal("JP2OpenJPEG", "JPEG 2000", grey_levels=True, is_safe=False)
_ASCII_GRID = GdalFormat(
    driver="AAIGrid",
    title="Arc/Info grid",
    grey_levels=False,
    guesses_degrees=True,
    voids=dict.fromkeys(("int32", "float32", "float64"), -9999),  # Esri's default
)


def _png(path: Path, max_points: int, options: TerrainOptions) -> Raster:
    try:
        return _PNG.read(path, max_points, options)
    except MissingError:
        from .png_reader import is_plain_grey, read_png

        if not is_plain_grey(path):
            raise
        return read_png(path, max_points, options)


def _npy(path: Path, max_points: int, options: TerrainOptions) -> Raster:
    from .numpy_reader import read_npy

    return read_npy(path, max_points, options)


def _zip(path: Path, max_points: int, options: TerrainOptions) -> Raster:
    from .archives import read_zip

    return read_zip(path, max_points, options)


def _gzip(path: Path, max_points: int, options: TerrainOptions) -> Raster:
    from .archives import read_gzip

    return read_gzip(path, max_points, options)


def _vrt(path: Path, max_points: int, options: TerrainOptions) -> Raster:
    from .vrt import read_vrt

    return read_vrt(path, max_points, options)


def _points(path: Path, max_points: int, options: TerrainOptions) -> Raster:
    raise refusal(path, "is a cloud of points (LAS)", "make a raster of it first, such as with PDAL's writers.gdal")


_ASCII_GRID_KEYS = (b"ncols", b"nrows", b"xll", b"yll", b"dx", b"dy", b"cellsize", b"nodata_value")
_SRTM_ADVICE = "an SRTM tile has 1201² or 3601² samples and is named after its corner, such as N48W124.hgt"
_TABLE_ADVICE = "needed are columns x, y and height of a complete grid, line by line; rasterise scattered points first"
_NETCDF = (b"CDF\x01", b"CDF\x02", b"\x89HDF\r\n\x1a\n")
_JPEG_2000 = (b"\0\0\0\x0cjP  \r\n\x87\n", b"\xff\x4f\xff\x51")

READERS = (
    Reader("PNG", (".png",), (b"\x89PNG\r\n\x1a\n",), _png),
    Reader("GTiff", (".tif", ".tiff"), (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"), _TIFF.read),
    Reader("AAIGrid", (".asc",), _ASCII_GRID_KEYS, _ASCII_GRID.read, ignores_case=True),
    Reader("netCDF", (".nc", ".grd"), _NETCDF, _gdal("netCDF", "NetCDF", guesses_degrees=True, is_safe=False).read),
    Reader("SRTMHGT", (".hgt",), (), _gdal("SRTMHGT", "SRTM tile").read, advice=_SRTM_ADVICE),
    Reader("HFA", (".img",), (b"EHFA_HEADER_TAG",), _gdal("HFA", "Erdas Imagine", is_safe=False).read),
    Reader("JP2OpenJPEG", (".jp2", ".j2k"), _JPEG_2000, _JPEG_2000_FORMAT.read),
    Reader("WEBP", (".webp",), (b"RIFF",), _gdal("WEBP", "WebP", grey_levels=True).read),
    Reader("VRT", (".vrt",), (b"<VRTDataset", b"<?xml"), _vrt),
    Reader("XYZ", (".xyz", ".csv"), (), _gdal("XYZ", "table", guesses_degrees=True).read, advice=_TABLE_ADVICE),
    Reader("npy", (".npy",), (b"\x93NUMPY",), _npy),
    Reader("zip", (".npz", ".zip"), (b"PK\x03\x04",), _zip),
    Reader("gzip", (".gz",), (b"\x1f\x8b",), _gzip),
    Reader("LAS", (".las", ".laz"), (b"LASF",), _points),
)
"""Every format that can be read. A format that GDAL reads needs no file of its own, only a `GdalFormat`."""

ENDINGS = tuple(ending for reader in READERS if reader.format != "LAS" for ending in reader.endings)
"""Usual endings of heightmap files."""

ALLOWED = f"{', '.join(ENDINGS[:-1])} and {ENDINGS[-1]}"
"""`ENDINGS` in words."""


def read_raster(
    path: str | os.PathLike[str], max_points: int = DEFAULT_POINTS, options: TerrainOptions = _DEFAULTS
) -> Raster:
    """Read a heightmap file, decimated so that its longer side has at most `max_points` samples (2 or more).

    Of the `options` those count that say how to read: `variable`, `encoding` and `units`. Memory is bounded by
    `max_points`, not by the file: rows and tiles are read one at a time.

    Raises:
        TerrainError: the file is missing, unreadable, damaged, too large, or not a heightmap.
    """
    path = Path(path)
    check_file(path)
    reader = recognise(path)
    try:
        return reader.read(path, max_points, options)
    except (TerrainError, MissingError):
        raise
    except MemoryError as error:
        raise refusal(path, "needs more memory than there is", "cut it into tiles or make it smaller") from error
    # Damaged files were seen to raise nine types of exception from GDAL, zipfile, zlib, numpy and Python's tokenizer.
    except Exception as error:
        raise refusal(path, f"is damaged or cut short ({_reason(error, path)})", reader.advice) from error


def check_file(path: Path, allowed: str = ALLOWED) -> None:
    """Make sure that `path` is an ordinary file with something in it, before it is opened; `allowed` are endings.

    Raises:
        TerrainError: it is missing, unreadable, empty, a directory, or a pipe or device, which could block for ever.
    """
    try:
        status = os.stat(path)
    except PermissionError as error:
        raise _unreadable(path) from error
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        raise refusal(path, "there is no such file", f"allowed are {allowed} files; check the path") from error
    if stat.S_ISDIR(status.st_mode) and (path / "zarr.json").is_file():
        raise refusal(path, "is a Zarr store, no heightmap", "where it is a baked lake, waterview render draws it")
    if stat.S_ISDIR(status.st_mode):
        raise refusal(path, "is a directory", f"name a file in it; allowed are {allowed}")
    if not stat.S_ISREG(status.st_mode):
        raise refusal(path, "is a pipe, socket or device", "copy its content into an ordinary file first")
    if status.st_size == 0:
        raise refusal(path, "is empty", "write or download it again")


def recognise(path: Path) -> Reader:
    """The reader for the ordinary file `path`: by its first bytes, or by its ending where the format has no signature.

    Raises:
        TerrainError: it cannot be read, or has no known format.
    """
    try:
        with path.open("rb") as stream:
            head = stream.read(32)
    except OSError as error:
        raise _unreadable(path) from error
    ending = path.suffix.lower()
    for reader in READERS:
        if reader.recognises(head):
            return reader
    for reader in READERS:
        if not reader.signatures and ending in reader.endings:
            return reader
    if ending in ENDINGS:
        raise refusal(
            path,
            f"does not begin as a {ending} file does, so it is damaged or of another kind",
            f"allowed are {ALLOWED}; write or download it again",
        )
    raise refusal(path, "is no heightmap of a known kind", f"allowed are {ALLOWED}; convert it to one of them")


def _unreadable(path: Path) -> TerrainError:
    return refusal(path, "may not be read", "give yourself the right to read it and its folder")


def _reason(error: BaseException, path: Path) -> str:
    """The innermost message, which is GDAL's own, without the path."""
    while error.__cause__ is not None:
        error = error.__cause__
    text = " ".join(str(error).split()) or type(error).__name__
    if "not recognized as being in a supported file format" in text:
        return "its header is not understood"
    for name in (str(path.absolute()), str(path), path.name):
        text = text.replace(f"{name}: ", "").replace(f"{name}, ", "").replace(f"{name}:", "").replace(name, "file")
    return text[:160]

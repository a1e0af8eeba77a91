"""Heightmaps that are packed: what they are is decided by what is in them."""

from __future__ import annotations

import gzip
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import IO

from waterview.core.errors import TerrainError
from waterview.terrain.options import TerrainOptions
from waterview.terrain.raster import Raster, one_line, refusal

MAX_UNPACKED = 16 << 30
"""Largest heightmap in an archive [bytes]: beyond it a file is mistaken or forged."""

_PLACES = {".prj", ".wld", ".tfw", ".pgw", ".jgw", ".j2w"}
"""Endings of files that say where another one lies."""

_ARCHIVES = {"zip", "gzip"}


def read_zip(path: Path, max_points: int, options: TerrainOptions) -> Raster:
    """Read the NumPy arrays in the ZIP file `path`, or else the one heightmap in it, whatever its format.

    Raises:
        TerrainError: it holds none or several, or what it holds cannot be read.
    """
    with zipfile.ZipFile(path) as archive:
        files = {PurePosixPath(info.filename.replace("\\", "/")).name: info for info in archive.infolist()}
        if any(name.endswith(".npy") for name in files):
            from .numpy_reader import read_npz

            return read_npz(path, max_points, options)
        name = _heightmap_among(path, files)
        beside = [each for each in files if _stem(each) == _stem(name) and Path(each).suffix.lower() in _PLACES]
        with _folder(path) as folder:
            for each in (name, *beside):
                with archive.open(files[each]) as packed:
                    _unpack(path, packed, folder / each)
            return _read(path, folder / name, max_points, options)


def read_gzip(path: Path, max_points: int, options: TerrainOptions) -> Raster:
    """Read the file that `path` holds packed by gzip; its name is that of the archive without its ending."""
    with _folder(path) as folder, gzip.open(path) as packed:
        _unpack(path, packed, folder / path.stem)
        return _read(path, folder / path.stem, max_points, options)


def _heightmap_among(path: Path, names: Iterable[str]) -> str:
    from . import ENDINGS

    found = [name for name in names if Path(name).suffix.lower() in ENDINGS]
    if len(found) != 1:
        what = f"holds several heightmaps: {', '.join(found[:8])}" if found else "holds no heightmap of a known kind"
        raise refusal(path, what, "unpack it and name the one that you want")
    return found[0]


def _stem(name: str) -> str:
    return Path(name).stem.lower()


@contextmanager
def _folder(path: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="waterview-") as folder:
        try:
            yield Path(folder)
        except OSError as error:
            if error.errno is None:  # gzip's and GDAL's own
                raise
            raise refusal(path, f"cannot be unpacked ({error.strerror})", "make room, or unpack it yourself") from error


def _unpack(path: Path, packed: IO[bytes] | gzip.GzipFile, place: Path) -> None:
    left = MAX_UNPACKED
    with place.open("wb") as file:
        while data := packed.read(1 << 20):
            left -= len(data)
            if left < 0:
                raise refusal(path, f"holds more than {MAX_UNPACKED >> 30} GiB", "unpack it yourself and cut it")
            file.write(data)


def _read(path: Path, place: Path, max_points: int, options: TerrainOptions) -> Raster:
    from . import read_raster, recognise

    try:
        if recognise(place).format in _ARCHIVES:  # an archive can hold itself
            raise refusal(path, "is packed more than once", "unpack it and name the heightmap that is in it")
        raster = read_raster(place, max_points, options)
    except TerrainError as error:
        raise TerrainError(str(error).replace(one_line(str(place)), one_line(str(path)))) from error
    return replace(raster, source=str(path), format=f"{raster.format}, packed as {one_line(place.name)}")

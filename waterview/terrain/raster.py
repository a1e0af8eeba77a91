"""What every reader hands over, whatever the file's format: samples, gaps, and how large a cell is on the ground."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from waterview.core.errors import TerrainError

from .files import Format, check_file, refusal, sniff

DEFAULT_POINTS = 2048
"""Largest number of samples on the longer side that is kept: twice what a fine water grid needs."""

_SRTM_ADVICE = "an SRTM tile has 1201² or 3601² samples and is named after its corner, such as N48W124.hgt"


@dataclass(frozen=True, eq=False)
class Raster:
    """Samples as a file gives them, north row first.

    Attributes:
        source: path or name.
        format: the file's format in words.
        values: shape (nz, nx) float32, metres unless `relative`; meaningless where not `valid`.
        valid: False where the file has no data, or a number that is not finite; shape (nz, nx) bool.
        cell: spacing (x, z) of `values` on the ground [m].
        full_shape: (nz, nx) of the file; more than `values` has if it was read decimated.
        relative: the values are grey levels without a unit.
        crs: coordinate reference system in words, "" if the file names none.
    """

    source: str
    format: str
    values: NDArray[np.float32]
    valid: NDArray[np.bool_]
    cell: tuple[float, float]
    full_shape: tuple[int, int]
    relative: bool = False
    crs: str = ""


def read_raster(path: str | os.PathLike[str], max_points: int = DEFAULT_POINTS) -> Raster:
    """Read a heightmap file, decimated so that its longer side has at most `max_points` samples (2 or more).

    Memory is bounded by `max_points`, not by the file: rows and tiles are taken one by one.

    Raises:
        TerrainError: the file is missing, unreadable, damaged, too large, or holds no heightmap.
    """
    place = Path(path)
    check_file(place)
    kind = sniff(place)
    try:
        return _reader(kind)(place, kind, max_points)
    except TerrainError:
        raise
    except MemoryError as error:
        raise refusal(place, "needs more memory than there is", "cut it into tiles or make it smaller") from error
    # Damaged files were seen to raise nine types of exception from GDAL, zipfile, zlib, numpy and Python's tokenizer.
    except Exception as error:
        advice = _SRTM_ADVICE if kind == "SRTMHGT" else "write or download it again"
        raise refusal(place, f"is damaged or cut short ({_reason(error, place)})", advice) from error


def _reader(kind: Format) -> Callable[[Path, Format, int], Raster]:
    # Late, because GDAL takes its time: whoever only makes heightmaps of arrays should not pay for it.
    if kind in {"npy", "npz"}:
        from waterview.terrain.readers.numpy_reader import read_numpy

        return read_numpy
    from waterview.terrain.readers.gdal_reader import read_gdal

    return read_gdal


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


def decimated(shape: tuple[int, int], max_points: int) -> tuple[int, int]:
    """`shape` brought down in proportion until the longer side has at most `max_points`; no side goes below 2."""
    factor = max(max(shape) / max(max_points, 2), 1.0)
    return max(round(shape[0] / factor), 2), max(round(shape[1] / factor), 2)

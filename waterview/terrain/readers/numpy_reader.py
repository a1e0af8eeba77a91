"""NumPy's .npy and .npz, read line by line and never unpickled."""

from __future__ import annotations

import math
import warnings
import zipfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from waterview.core.errors import TerrainError
from waterview.terrain.georeference import DEGREES, Georeference, along_axes, are_even
from waterview.terrain.options import TerrainOptions
from waterview.terrain.raster import Raster, check_expansion, check_shape, chosen, in_units, one_line, refusal

AXIS_KEYS = (("longitude", "latitude"), ("lon", "lat"), ("x", "y"))
"""Names of 1-D coordinates in an .npz, along columns and rows. The last pair is in metres, the others in degrees."""

_MAX_HEADER_BYTES = 16_384  # more than numpy allows


@dataclass(frozen=True)
class _Array:
    """A stored array: the content of its header, and how to open the stream that holds it."""

    shape: tuple[int, ...]
    fortran: bool
    dtype: np.dtype
    offset: int
    open: Callable[[], AbstractContextManager[IO[bytes]]]

    @property
    def end(self) -> int:
        """Position in the stream at which the array ends [bytes]."""
        return self.offset + math.prod(self.shape) * self.dtype.itemsize


def read_npy(path: Path, max_points: int, options: TerrainOptions) -> Raster:
    """Read the .npy file `path`; only every n-th sample where it has more than `max_points` a side.

    Row 0 is the north edge and samples are 1 m apart. Booleans count as 0 and 1; NaN and infinities are gaps.

    Raises:
        TerrainError: the file is cut short, holds Python objects, complex numbers, text, dates or records, or no 2-D
            array of at most `waterview.terrain.raster.MAX_SIDE` a side.
        Exception: of any type, if it is damaged.
    """
    array = _described(lambda: path.open("rb"))
    _check(path, array)
    if path.stat().st_size < array.end:
        raise refusal(path, "is cut short", f"its header promises {array.end:,} bytes; write or download it again")
    values, steps = _strided(array, max_points)
    raster = _raster(path, "NumPy array", values, array.shape, (float(steps[1]), float(steps[0])))
    return in_units(raster, options.units, False)


def read_npz(path: Path, max_points: int, options: TerrainOptions) -> Raster:
    """Read the heights in the .npz file `path`, and their coordinates (`AXIS_KEYS`) if it has any.

    They are the array that the options name, or `raster.chosen` finds. Far more than the archive holds is not unpacked,
    see `raster.check_expansion`. All else is as in `read_npy`.
    """
    with zipfile.ZipFile(path) as archive:
        arrays = {
            info.filename.removesuffix(".npy"): _described(partial(archive.open, info))
            for info in archive.infolist()
            if info.filename.endswith(".npy")
        }
        flat = [name for name, array in arrays.items() if len(array.shape) == 2]
        name = chosen(path, "array", flat or arrays, options.variable)
        array = arrays[name]
        _check(path, array)
        check_expansion(path, array.end)
        values, steps = _strided(array, max_points)
        cell, flip, place = _axes(path, arrays, array.shape, steps)
    cell = (cell[0] * steps[1], cell[1] * steps[0])
    raster = _raster(path, f"NumPy archive, array '{one_line(name[:40])}'", values[flip], array.shape, cell, place)
    return in_units(raster, options.units, False)


def _raster(
    path: Path,
    kind: str,
    raw: NDArray[Any],
    shape: tuple[int, ...],
    cell: tuple[float, float],
    place: Georeference | None = None,
) -> Raster:
    with np.errstate(over="ignore", invalid="ignore"):
        values = np.ascontiguousarray(raw, np.float32)
    valid = np.isfinite(values) & (np.abs(values) < 1e30)
    return Raster(str(path), kind, values, valid, cell, (shape[0], shape[1]), place=place)


def _described(opened: Callable[[], AbstractContextManager[IO[bytes]]]) -> _Array:
    """Read the header only: a forged one may claim gigabytes."""
    with opened() as stream:
        prefix = BytesIO(stream.read(_MAX_HEADER_BYTES))
    version = np.lib.format.read_magic(prefix)
    if version not in {(1, 0), (2, 0), (3, 0)}:
        raise ValueError(f"version {version[0]}.{version[1]} of the format is unknown")
    # 3.0 differs from 2.0 only in the encoding of field names, and heights have no fields.
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about headers by Python 2, and about damaged ones
        shape, fortran, dtype = read(prefix)
    return _Array(shape, fortran, dtype, prefix.tell(), opened)


def _check(path: Path, array: _Array) -> None:
    if array.dtype.hasobject:
        raise refusal(path, "holds pickled Python objects", "these are never loaded; save an array of numbers")
    if array.dtype.kind not in "fiub":
        raise refusal(path, f"holds values of type {array.dtype}", "heights must be real numbers; convert them")
    if len(array.shape) != 2:
        raise refusal(path, f"has {len(array.shape)} dimensions", "heights must have 2: rows and columns")
    check_shape(path, array.shape[1], array.shape[0])


def _strided(array: _Array, max_points: int) -> tuple[NDArray[Any], tuple[int, int]]:
    """Every n-th sample, and n along rows and along columns; one line of the file is in memory at a time."""
    factor = max(-(-max(array.shape) // max(max_points, 2)), 1)
    steps = (min(factor, array.shape[0] - 1), min(factor, array.shape[1] - 1))  # at least two lines remain
    count, length = array.shape[::-1] if array.fortran else array.shape
    outer, inner = steps[::-1] if array.fortran else steps
    line = length * array.dtype.itemsize
    lines = []
    with array.open() as stream:
        for number in range(0, count, outer):
            stream.seek(array.offset + number * line)
            data = stream.read(line)
            if len(data) < line:
                raise EOFError(f"line {number} of {count} is missing")
            lines.append(np.frombuffer(data, array.dtype)[::inner].copy())
    values = np.stack(lines)
    return (values.T if array.fortran else values), steps


def _axes(
    path: Path, arrays: dict[str, _Array], shape: tuple[int, ...], steps: tuple[int, int]
) -> tuple[tuple[float, float], tuple[slice, slice], Georeference | None]:
    """Cell (x, z) [m] from the coordinates in the archive, slices that put north and west first, and the place.

    The place is that of every n-th sample, n in `steps` (along rows, along columns).
    """
    for names in AXIS_KEYS:
        lengths = [arrays[name].shape if name in arrays else None for name in names]
        if lengths != [(shape[1],), (shape[0],)]:
            continue
        x, y = (_coordinates(path, name, arrays[name]) for name in names)
        try:
            cell, order, place = along_axes(x, y, "" if names == AXIS_KEYS[-1] else DEGREES)
        except TerrainError as error:
            raise refusal(path, str(error), f"correct '{names[1]}'") from error
        kept = float(x[:: steps[1]].min()), float(y[:: steps[0]].max())
        return cell, order, Georeference(place.crs, *kept, place.x_step * steps[1], place.y_step * steps[0])
    return (1.0, 1.0), (slice(None), slice(None)), None


def _coordinates(path: Path, name: str, array: _Array) -> NDArray[np.float64]:
    if array.dtype.kind not in "fiu" or array.shape[0] > 65_536:
        raise refusal(path, f"holds coordinates '{name}' of type {array.dtype}", "they must be real numbers")
    with array.open() as stream:
        stream.seek(array.offset)
        data = stream.read(array.shape[0] * array.dtype.itemsize)
    values = np.frombuffer(data, array.dtype, array.shape[0]).astype(np.float64)
    if not are_even(values):
        raise refusal(path, f"has coordinates '{name}' that are not evenly spaced", "resample it to a regular grid")
    return values

"""Reading in a process of its own: the libraries for some formats crash on damaged files, or print what they like."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from waterview.core.apart import Question, serve
from waterview.core.errors import TerrainError
from waterview.core.georeference import Georeference
from waterview.terrain.options import TerrainOptions
from waterview.terrain.raster import Raster, one_line

if TYPE_CHECKING:
    from . import GdalFormat

PROCESSOR_SECONDS = 1.5
"""Processor time that reading a small raster may take [s]: damaged files take longer."""

BYTES_A_SECOND = 1 << 20

_REFUSED, _FAILED = 2, 3
_ARRAYS = ("values", "valid")


class ReadingError(Exception):
    """The process that read a file ended without an answer, or the library met an error."""


def read_apart(path: Path, kind: GdalFormat, max_points: int, options: TerrainOptions) -> Raster:
    """Read `path`, which is of the given `kind`, in a process of its own; otherwise as `gdal_reader.read_gdal`.

    Raises:
        TerrainError: the file is refused.
        ReadingError: it is damaged.
    """
    given = {each.name: getattr(kind, each.name) for each in fields(kind)} | {"voids": dict(kind.voids)}
    found = ask(__name__, path, [given, max_points, asdict(options)], PROCESSOR_SECONDS)
    return replace(_unpacked(found), source=str(path))


def ask(module: str, path: Path, request: Sequence[Any], processor_seconds: float) -> bytes:
    """What `module`, whose `answer` ends with `answered`, makes of the file `path` in a process of its own.

    Args:
        module: its name.
        path: of the file.
        request: what it is told after the file's absolute path; JSON can hold it.
        processor_seconds: that it may take for a small file [s], and one more for each of `BYTES_A_SECOND`.

    Raises:
        TerrainError: the file is refused.
        ReadingError: it is damaged.
    """
    full = str(path.absolute())
    seconds = processor_seconds + path.stat().st_size / BYTES_A_SECOND
    code, found = Question(module, json.dumps([full, *request]), seconds).answer()
    if code == _REFUSED:
        raise TerrainError(found.decode().replace(one_line(full), one_line(str(path))))
    if code == _FAILED:
        raise ReadingError(found.decode())
    if code:
        raise ReadingError("reading it crashed, or did not end")
    return found


def main() -> None:
    """Run in the process."""
    from . import gdal_reader  # noqa: F401  # what is imported is not counted

    serve(answer)


def answer(request: str) -> tuple[int, bytes]:
    """Read what `request` names: a path, the fields of its `GdalFormat`, the most points and the options, as JSON.

    Returns:
        0 and a raster, or another number and why there is none.
    """
    from . import GdalFormat
    from .gdal_reader import read_gdal

    name, kind, max_points, options = json.loads(request)

    def packed() -> bytes:
        return _packed(read_gdal(Path(name), GdalFormat(**kind), max_points, TerrainOptions(**options)))

    return answered(packed)


def answered(read: Callable[[], bytes]) -> tuple[int, bytes]:
    """0 and what `read` gives, or another number and why there is nothing: what `ask` understands."""
    try:
        return 0, read()
    except TerrainError as refused:
        return _REFUSED, str(refused).encode("utf-8", "replace")
    except Exception as error:  # the library raises whatever it likes
        cause: BaseException = error
        while cause.__cause__ is not None:
            cause = cause.__cause__
        return _FAILED, str(cause).encode("utf-8", "replace")


def _packed(raster: Raster) -> bytes:
    told = {name: value for name, value in vars(raster).items() if name not in (*_ARRAYS, "place")}
    told["place"] = None if raster.place is None else asdict(raster.place)
    stream = io.BytesIO()
    np.savez(stream, told=np.frombuffer(json.dumps(told).encode(), np.uint8), values=raster.values, valid=raster.valid)
    return stream.getvalue()


def _unpacked(data: bytes) -> Raster:
    with np.load(io.BytesIO(data)) as arrays:
        told: dict[str, Any] = json.loads(arrays["told"].tobytes())
        told |= {name: arrays[name] for name in _ARRAYS}
    place = told["place"]
    told["place"] = None if place is None else Georeference(**place)
    tuples = {name: tuple(told[name]) for name in ("cell", "full_shape", "notes")}
    return Raster(**{**told, **tuples})

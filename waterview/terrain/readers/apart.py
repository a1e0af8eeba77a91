"""Reading in a process of its own: the libraries for some formats crash on damaged files, or print what they like."""

from __future__ import annotations

import io
import json
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
"""Processor time that reading may take [s], and one more for each of `BYTES_A_SECOND`: damaged files take longer."""

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
    full, given = path.absolute(), {each.name: getattr(kind, each.name) for each in fields(kind)}
    request = json.dumps([str(full), given | {"voids": dict(kind.voids)}, max_points, asdict(options)])
    seconds = PROCESSOR_SECONDS + path.stat().st_size / BYTES_A_SECOND
    code, answered = Question(__name__, request, seconds).answer()
    if code == _REFUSED:
        raise TerrainError(answered.decode().replace(one_line(str(full)), one_line(str(path))))
    if code == _FAILED:
        raise ReadingError(answered.decode())
    if code:
        raise ReadingError("reading it crashed, or did not end")
    return replace(_unpacked(answered), source=str(path))


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
    try:
        return 0, _packed(read_gdal(Path(name), GdalFormat(**kind), max_points, TerrainOptions(**options)))
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

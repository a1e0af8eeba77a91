"""Reading in a process of its own: the libraries for some formats crash on damaged files, or print what they like."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from waterview.core.errors import TerrainError
from waterview.core.georeference import Georeference
from waterview.terrain.options import TerrainOptions
from waterview.terrain.raster import Raster, one_line

if TYPE_CHECKING:
    from . import GdalFormat

PROCESSOR_SECONDS = 1.5
"""Processor time that reading may take [s], and one more for each of `BYTES_A_SECOND`: damaged files take longer."""

BYTES_A_SECOND = 1 << 20

_WAIT_SECONDS = 60.0
"""How long the answer may take on a busy machine, and so many times the processor time [s]."""
_WAIT_FACTOR = 20.0
_REFUSED, _FAILED, _KILLED = 2, 3, -9
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
    code, answered = ask(request, PROCESSOR_SECONDS + path.stat().st_size / BYTES_A_SECOND)
    if code == _REFUSED:
        raise TerrainError(answered.decode().replace(one_line(str(full)), one_line(str(path))))
    if code == _FAILED:
        raise ReadingError(answered.decode())
    if code:
        raise ReadingError("reading it crashed, or did not end")
    return replace(_unpacked(answered), source=str(path))


def ask(request: str, seconds: float) -> tuple[int, bytes]:
    """Let a new process `answer`; returns its exit code, −9 after too long, and what it answered.

    Args:
        request: see `answer`.
        seconds: processor time that it may take [s].
    """
    command = [sys.executable, "-c", "from waterview.terrain.readers.apart import main; main()", request, str(seconds)]
    place = {**os.environ, "PYTHONPATH": os.pathsep.join(each or os.getcwd() for each in sys.path)}
    listening, held = os.pipe()  # the process ends with the other end, which is open as long as this program lives
    try:
        done = subprocess.run(  # noqa: S603  # the command is ours, what the file holds is not in it
            command,
            stdin=listening,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=place,
            timeout=_WAIT_SECONDS + _WAIT_FACTOR * seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return _KILLED, b""
    finally:
        os.close(listening)
        os.close(held)
    return done.returncode, done.stdout


def main() -> None:
    """Run in the process: answer the request on the command line, and end with the program that asked."""
    from . import gdal_reader  # noqa: F401  # what is imported is not counted

    threading.Thread(target=_end_with_parent, daemon=True).start()
    limit_processor(float(sys.argv[2]))
    code, answered = answer(sys.argv[1])
    sys.stdout.buffer.write(answered)
    sys.stdout.flush()
    os._exit(code)


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


def limit_processor(seconds: float) -> None:
    """Let the system end this process after so much more processor time [s], where it can."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, seconds)


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

"""Sessions on disk: a zip file with plain data as JSON and arrays as .npy, with checksums, written atomically."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waterview import __version__
from waterview.core.errors import InputError
from waterview.core.files import check_ordinary
from waterview.core.saved import declared, entry_of

from .atomic import write_atomically

VERSION = 1
"""To be raised when older programs cannot read the format any more."""

_HEAD = "session.json"
_ARRAY = "array"


def save_session(path: str | Path, state: Mapping[str, Any]) -> None:
    """Write `state`, nested dictionaries and lists of numbers, strings and arrays; an existing file is replaced.

    Raises:
        InputError: the place cannot be written to, or is full; an existing file is unchanged.
    """

    def write(place: Path) -> None:
        with zipfile.ZipFile(place, "w") as archive:
            _write(archive, state)

    write_atomically(Path(path), "session", write)


def _write(archive: zipfile.ZipFile, state: Mapping[str, Any]) -> None:
    arrays: list[NDArray[Any]] = []

    def packed(value: object) -> object:
        if isinstance(value, np.ndarray):
            arrays.append(value)
            return {_ARRAY: len(arrays) - 1}
        if isinstance(value, np.generic):
            return value.item()
        raise TypeError(f"{type(value).__name__} cannot be saved")

    text = json.dumps(state, default=packed)
    checksums = []
    for number, array in enumerate(arrays):
        data = io.BytesIO()
        np.lib.format.write_array(data, np.asarray(array), allow_pickle=False)
        checksums.append(_checksum(data.getvalue()))
        archive.writestr(zipfile.ZipInfo(_name(number)), data.getvalue())
    head = {
        "waterview session": VERSION,
        "program": __version__,
        "words": text,
        "checksum": _checksum(text.encode()),
        "arrays": checksums,
    }
    archive.writestr(zipfile.ZipInfo(_HEAD), json.dumps(head))


def read_session(path: str | Path) -> dict[str, Any]:
    """The state that `save_session` wrote.

    Raises:
        InputError: the file cannot be read, is not a session, is damaged, or was written by a later version.
    """
    path = Path(path)
    try:
        check_ordinary(path)
        with zipfile.ZipFile(path) as archive:
            return _read(archive, path)
    except OSError as error:
        raise InputError(f"cannot read the session {path}: {error.strerror or error}; choose another file") from error
    except InputError:
        raise
    # Damaged files were seen to raise eight types of exception from zipfile, its decompressors, numpy and json.
    except Exception as error:
        raise InputError(f"{path} is no session or damaged: choose another file") from error


def _read(archive: zipfile.ZipFile, path: Path) -> dict[str, Any]:
    head = declared(json.loads(archive.read(_HEAD)), dict, _HEAD)
    found = entry_of(head, "waterview session", int)
    if found != VERSION:
        raise InputError(f"the session {path} has version {found}, this program reads {VERSION}: use a newer one")
    words = entry_of(head, "words", str)
    if _checksum(words.encode()) != entry_of(head, "checksum", str):
        raise ValueError("the state has another checksum")
    arrays = []
    for number, checksum in enumerate(entry_of(head, "arrays", list[str])):
        data = archive.read(_name(number))
        if _checksum(data) != checksum:
            raise ValueError("an array has another checksum")
        arrays.append(np.lib.format.read_array(io.BytesIO(data), allow_pickle=False))

    def unpacked(value: dict[str, Any]) -> object:
        return arrays[entry_of(value, _ARRAY, int)] if value.keys() == {_ARRAY} else value

    return declared(json.loads(words, object_hook=unpacked), dict, "state")


def _checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _name(number: int) -> str:
    return f"{number:04d}.npy"

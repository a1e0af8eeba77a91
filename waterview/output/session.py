"""Sessions on disk: words as JSON and arrays as .npy in one zip file, with checksums, never half written."""

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

from .atomic import write_atomically

VERSION = 1
"""Rises when older programs could not read what is written."""

_HEAD = "session.json"
_ARRAY = "array"


def save_session(path: Path, words: Mapping[str, Any]) -> None:
    """Write words: dictionaries, lists, numbers, texts and arrays, nested at will; a file of that name is replaced.

    It is written beside its place and then renamed, so that a full disk or a crash leaves the old file as it was.

    Raises:
        InputError: the place cannot be written to, or is full.
    """

    def write(place: Path) -> None:
        with zipfile.ZipFile(place, "w") as archive:
            _write(archive, words)

    write_atomically(path, "session", write)


def _write(archive: zipfile.ZipFile, words: Mapping[str, Any]) -> None:
    arrays: list[NDArray[Any]] = []

    def packed(value: object) -> object:
        if isinstance(value, np.ndarray):
            arrays.append(value)
            return {_ARRAY: len(arrays) - 1}
        if isinstance(value, np.generic):
            return value.item()
        raise TypeError(f"{type(value).__name__} cannot be saved")

    text = json.dumps(words, default=packed)
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


def read_session(path: Path) -> dict[str, Any]:
    """The words that `save_session` wrote.

    Raises:
        InputError: the file cannot be read, is no session, is damaged, or was written by a later version.
    """
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
    head = json.loads(archive.read(_HEAD))
    found = head["waterview session"]
    if found != VERSION:
        raise InputError(f"the session {path} has version {found}, this program reads {VERSION}: use a newer one")
    if _checksum(head["words"].encode()) != head["checksum"]:
        raise ValueError("other words than were written")
    arrays = []
    for number, checksum in enumerate(head["arrays"]):
        data = archive.read(_name(number))
        if _checksum(data) != checksum:
            raise ValueError("another array than was written")
        arrays.append(np.lib.format.read_array(io.BytesIO(data), allow_pickle=False))

    def unpacked(value: dict[str, Any]) -> object:
        return arrays[value[_ARRAY]] if value.keys() == {_ARRAY} else value

    words = json.loads(head["words"], object_hook=unpacked)
    if not isinstance(words, dict):
        raise ValueError("no dictionary")
    return words


def _checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _name(number: int) -> str:
    return f"{number:04d}.npy"

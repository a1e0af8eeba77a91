"""NetCDF's classic format with 64-bit offsets: arrays with names, dimensions, units and attributes in one file.

The layout is that of the NetCDF User's Guide, appendix "NetCDF Classic Format" (Unidata): a header of dimensions,
attributes and variables, then the arrays one after another, all numbers big-endian and padded to four bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .atomic import write_atomically

_DIMENSIONS, _VARIABLES, _ATTRIBUTES = 10, 11, 12
_CHAR = 2
_TYPES = {"i1": 1, "S1": _CHAR, "i4": 4, "f4": 5, "f8": 6}
"""NetCDF's numbers of the types, by NumPy's names."""


Attribute = str | float | np.number[Any]
"""A text or a number; NumPy's numbers keep their type."""


class Variable(NamedTuple):
    """An array in a file.

    Attributes:
        dimensions: a name for each of its axes.
        values: float32, float64, int32, int8, or single bytes ("S1").
        attributes: texts and numbers by name, such as "units".
    """

    dimensions: tuple[str, ...]
    values: NDArray[Any]
    attributes: Mapping[str, Attribute]


def characters(texts: Sequence[str]) -> NDArray[np.bytes_]:
    """Texts as an array of bytes in UTF-8, shape (texts, longest), for a variable with the attribute _Encoding."""
    encoded = np.array([text.encode() for text in texts])
    return encoded.view("S1").reshape(len(texts), -1)


def save_netcdf(variables: Mapping[str, Variable], attributes: Mapping[str, Attribute], path: Path) -> None:
    """Write variables by name, and attributes of the whole; an existing file is replaced.

    Raises:
        InputError: the place cannot be written to.
    """
    sizes = {
        name: size for each in variables.values() for name, size in zip(each.dimensions, each.values.shape, strict=True)
    }
    numbers = {name: number for number, name in enumerate(sizes)}
    arrays = {name: _big_endian(each.values) for name, each in variables.items()}

    def header(begins: Mapping[str, int]) -> bytes:
        parts = [b"CDF\x02", _number(0), _list(_DIMENSIONS, [_name(name) + _number(n) for name, n in sizes.items()])]
        parts.append(_attributes(attributes))
        entries = []
        for name, each in variables.items():
            axes = b"".join(_number(numbers[axis]) for axis in each.dimensions)
            kind, size = _TYPES[arrays[name].dtype.str[1:]], len(_padded(arrays[name].tobytes()))
            entry = _name(name) + _number(len(each.dimensions)) + axes + _attributes(each.attributes)
            entries.append(entry + _number(kind) + struct.pack(">Iq", min(size, 2**32 - 1), begins[name]))
        return b"".join([*parts, _list(_VARIABLES, entries)])

    begins, place = {}, len(header(dict.fromkeys(variables, 0)))
    for name, array in arrays.items():
        begins[name] = place
        place += len(_padded(array.tobytes()))

    def write(place: Path) -> None:
        with place.open("wb") as file:
            file.write(header(begins))
            for array in arrays.values():
                file.write(_padded(array.tobytes()))

    write_atomically(path, "NetCDF file", write)


def _big_endian(values: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(values, values.dtype.newbyteorder(">"))


def _number(value: int) -> bytes:
    return struct.pack(">i", value)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def _name(text: str) -> bytes:
    data = text.encode()
    return _number(len(data)) + _padded(data)


def _list(tag: int, entries: Sequence[bytes]) -> bytes:
    return (_number(tag) + _number(len(entries)) if entries else bytes(8)) + b"".join(entries)


def _attributes(attributes: Mapping[str, Attribute]) -> bytes:
    entries = []
    for name, value in attributes.items():
        if isinstance(value, str):
            data = value.encode()
            entries.append(_name(name) + _number(_CHAR) + _number(len(data)) + _padded(data))
        else:  # in the type of its variable, as the attribute _FillValue must be
            array = _big_endian(np.asarray(value))
            entries.append(_name(name) + _number(_TYPES[array.dtype.str[1:]]) + _number(1) + _padded(array.tobytes()))
    return _list(_ATTRIBUTES, entries)

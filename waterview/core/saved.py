"""Plain data from files: what it must be before anything is made of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, fields
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints, overload

import numpy as np
from numpy.typing import NDArray

from .params import Params, declaration

_T = TypeVar("_T")
_P = TypeVar("_P", bound=Params)
_S = TypeVar("_S", bound=np.generic)

LARGEST = 1e12
"""Bound of numbers in a file, in any unit, where none of their own is declared: no water, body or gauge has larger."""

LARGEST_INT = 1 << 128
"""Bound of whole numbers: random generators have states as large as this."""


def made_of(kind: type[_T], values: object) -> _T:
    """The dataclass `kind` of values from a file; see `fields_of`.

    Raises:
        ValueError: as `fields_of`, or a number is larger than `LARGEST`.
        KeyError: a field is unknown.
    """
    found = fields_of(kind, values)
    for name, value in found.items():
        check_within(value, -LARGEST, LARGEST, f"{name} of {kind.__name__}")
    return kind(**found)


def fields_of(kind: type, values: object) -> dict[str, Any]:
    """Values from a file for all fields of the dataclass `kind` that have no default, and any others; see `declared`.

    Raises:
        ValueError: `values` is no table, a field is missing, or one has another type than is declared.
        KeyError: a field is unknown.
    """
    hints, given = _hints(kind), declared(values, dict, kind.__name__)
    found = {name: declared(value, hints[name], f"{name} of {kind.__name__}") for name, value in given.items()}
    for name in _needed(kind) - found.keys():
        raise ValueError(f"{name} of {kind.__name__} is missing")
    return found


_hints = cache(get_type_hints)


@cache
def _needed(kind: Any) -> frozenset[str]:
    return frozenset(e.name for e in fields(kind) if e.default is MISSING and e.default_factory is MISSING)


@overload
def entry_of(
    state: object, name: str, kind: type[_T], default: _T | None = None, *, low: float = ..., high: float = ...
) -> _T: ...
@overload
def entry_of(
    state: object, name: str, kind: UnionType, default: object = None, *, low: float = ..., high: float = ...
) -> Any: ...
def entry_of(
    state: object, name: str, kind: Any, default: Any = None, *, low: float = -LARGEST, high: float = LARGEST
) -> Any:
    """What a saved table holds under `name`, as the type and within the bounds that are declared for it.

    Args:
        state: the table; what comes from a file may be anything.
        name: of the entry.
        kind: see `declared`.
        default: stands for an entry that files of earlier versions lack; None where it must be there.
        low: smallest that a number may be, alone or in a list.
        high: largest that it may be.

    Raises:
        KeyError: the entry is missing.
        ValueError: `state` is no table, or the entry has another type, or a number lies outside its bounds.
    """
    found = _given(state, name, kind, default)
    check_within(found, low, high, name)
    return found


def _given(state: object, name: str, kind: Any, default: Any) -> Any:
    """As `entry_of`, without bounds."""
    if not isinstance(state, Mapping):
        raise ValueError(f"no table with '{name}'")
    if name in state:
        return declared(state[name], kind, name)
    if default is None:
        raise KeyError(f"{name} is missing")
    return default


@overload
def declared(value: object, kind: type[_T], what: str) -> _T: ...
@overload
def declared(value: object, kind: UnionType, what: str) -> Any: ...
def declared(value: object, kind: Any, what: str) -> Any:
    """A saved value as the type that is declared for it.

    Args:
        value: from a file, or from a state that was never written: there it may be a tuple or a number of NumPy's.
        kind: float, which an int may stand for, int, bool, str, dict, list, np.ndarray for one of real numbers, Any;
            dict, list and tuple may say of what, such as list[tuple[int, float]]. Of X | Y | None the value is what it
            is exactly, or else stands for X.
        what: is named in the error.

    Raises:
        ValueError: it has another type.
    """
    if isinstance(kind, UnionType):
        return declared(value, next((one for one in get_args(kind) if type(value) is one), get_args(kind)[0]), what)
    origin, kinds = get_origin(kind) or kind, get_args(kind)
    if origin is dict and isinstance(value, Mapping):
        return {key: declared(one, kinds[1], what) for key, one in value.items()} if kinds else value
    if origin in (list, tuple) and isinstance(value, list | tuple):
        if not kinds:
            return origin(value)
        each = kinds[:1] * len(value) if origin is list or kinds[-1] is Ellipsis else kinds
        if len(each) == len(value):
            return origin(declared(one, of, what) for one, of in zip(value, each, strict=True))
    is_array = isinstance(value, np.ndarray) and value.dtype.kind in "fiub"
    # Since NumPy 2.5 NDArray is an origin of its own.
    if origin is Any or origin is type(value) is NoneType or (is_array and origin in (np.ndarray, NDArray)):
        return value
    if _is_plain(value, origin):
        return origin(value)
    raise ValueError(f"'{what}' is no {origin.__name__}")


_PLAIN: dict[Any, tuple[type, ...]] = {
    str: (str,),
    bool: (bool, np.bool_),
    int: (int, np.integer),
    float: (float, np.floating, int, np.integer),
}


def _is_plain(value: object, kind: Any) -> bool:
    """Whether `kind` can be made of a text, a truth value or a number without another being meant."""
    if kind is float and isinstance(value, int) and abs(value) >= 1 << 1023:
        return False
    return isinstance(value, _PLAIN.get(kind, ())) and (kind is bool or not isinstance(value, bool))


def check_within(value: object, low: float, high: float, what: str) -> None:
    """Refuse a number outside `low` to `high`, alone, in a list or in an array; a table holds bounds of its own.

    Raises:
        ValueError: there is one, or one that is none.
    """
    if isinstance(value, list | tuple):
        for each in value:
            check_within(each, low, high, what)
    elif isinstance(value, np.ndarray):
        parts = (value.real, value.imag) if value.dtype.kind == "c" else (value,)
        with np.errstate(invalid="ignore"):  # what is no number is refused without a warning
            ends = [float(end) for part in parts if part.size for end in (part.min(), part.max())]
        if value.dtype.kind != "b" and not all(low <= end <= high for end in ends):
            raise ValueError(f"{what} has numbers outside {low:g} to {high:g}")
    elif isinstance(value, int | float) and not low <= value <= high:
        raise ValueError(f"{what} is {str(value)[:40]}, outside {low:g} to {high:g}")


def array_of(
    state: object,
    name: str,
    dtype: type[_S],
    shape: tuple[int, ...],
    default: NDArray[Any] | None = None,
    *,
    low: float = -LARGEST,
    high: float = LARGEST,
    may_lack: bool = False,
) -> NDArray[_S]:
    """A copy of the array of real numbers that a saved table holds under `name`.

    Args:
        state: the table.
        name: of the entry.
        dtype: of the copy.
        shape: of the array; −1 stands for any length.
        default: as in `entry_of`.
        low: smallest that a number may be.
        high: largest that it may be.
        may_lack: whether NaN may stand for what is not known.

    Raises:
        KeyError: the entry is missing.
        ValueError: it is no array of real numbers, has another shape, or a number lies outside its bounds.
    """
    found = _given(state, name, np.ndarray, default)
    if found.ndim != len(shape) or any(needed not in (has, -1) for has, needed in zip(found.shape, shape, strict=True)):
        raise ValueError(f"'{name}' has shape {found.shape} where {shape} is needed")
    check_within(found[~np.isnan(found)] if may_lack else found, low, high, name)
    return np.array(found, dtype)


def params_of(state: object, name: str, kind: type[_P], default: dict[str, Any] | None = None) -> _P:
    """Declared parameters, of which a saved table holds a table under `name`; those that it lacks have their defaults.

    Raises:
        KeyError, ValueError: there is no such table.
        ParameterError: a parameter is unknown, or its value is not allowed.
    """
    values = entry_of(state, name, dict, default)
    for each in values:
        declaration(kind, each)
    return kind().changed(**values)


def random_state(state: object, name: str) -> dict[str, Any]:
    """The state of a random generator of NumPy's usual kind that a saved table holds under `name`.

    Raises:
        KeyError, ValueError: it is none.
    """
    found = entry_of(state, name, dict)
    numbers = entry_of(found, "state", dict)
    bits = ((numbers, "state", 128), (numbers, "inc", 128), (found, "has_uint32", 1), (found, "uinteger", 32))
    if entry_of(found, "bit_generator", str) != "PCG64" or any(
        not 0 <= entry_of(table, key, int, high=math.inf) < 1 << count for table, key, count in bits
    ):
        raise ValueError(f"'{name}' is no state of a random generator")
    return found


def check_numbers(data: object) -> None:
    """Refuse data with a number that is not finite, or too large to be one that was saved.

    Arrays are checked by those who take them up: some may hold NaN.

    Raises:
        ValueError: there is such a number, or an array of objects, or of truth values that are neither.
    """
    if isinstance(data, Mapping):
        for key, value in data.items():
            if not (key == "calmed_at" and value == -math.inf):  # a sea that was never calmed
                check_numbers(value)
    elif isinstance(data, list | tuple):
        for value in data:
            check_numbers(value)
    elif isinstance(data, np.ndarray):
        if data.dtype.hasobject:
            raise ValueError("an array of objects")
        if data.dtype.kind == "b" and (np.ascontiguousarray(data).view(np.uint8) > 1).any():
            raise ValueError("truth values that are neither true nor false")
    elif isinstance(data, float) and not math.isfinite(data):
        raise ValueError(f"the number {data}")
    elif isinstance(data, int) and abs(data) >= LARGEST_INT:
        raise ValueError("a whole number of too many digits")

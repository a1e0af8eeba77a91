"""Plain data from files: what it must be before anything is made of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import is_dataclass
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

_T = TypeVar("_T")

LARGEST = 1e12
"""Bound of the numbers that waves, gauges or bodies may have in a file, in any unit."""

_LARGEST_INT = 1 << 128
"""Bound of whole numbers: random generators have states as large as this."""


def is_of(value: object, kind: Any) -> bool:
    """Whether a value read from a file has the type that is declared; an int that fits is accepted for a float."""
    if get_origin(kind) in (np.ndarray, NDArray):  # since NumPy 2.5 the latter has an origin of its own
        return isinstance(value, np.ndarray)
    if isinstance(kind, UnionType):
        return any(is_of(value, one) for one in get_args(kind))
    if get_origin(kind) is tuple:
        kinds = get_args(kind)
        if kinds[-1] is Ellipsis:
            return isinstance(value, tuple) and all(is_of(one, kinds[0]) for one in value)
        return isinstance(value, tuple) and len(value) == len(kinds) and all(map(is_of, value, kinds))
    return type(value) is kind or (kind is float and type(value) is int and abs(value) < 1 << 1023)


def with_tuples(values: Mapping[str, Any]) -> dict[str, Any]:
    """`values` with tuples for lists: JSON knows no tuples."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}


def made_of(kind: type[_T], values: Mapping[str, Any]) -> _T:
    """The dataclass `kind` of values from a file; lists become tuples.

    Raises:
        ValueError: a value has another type than its field declares, or a number is larger than `LARGEST`.
        TypeError, KeyError: a field is missing or unknown.
    """
    assert is_dataclass(kind)
    hints = get_type_hints(kind)
    values = with_tuples(values)
    for name, value in values.items():
        numbers = value if isinstance(value, tuple) else (value,)
        if not is_of(value, hints[name]) or any(isinstance(n, int | float) and not abs(n) <= LARGEST for n in numbers):
            raise ValueError(f"{name} of {kind.__name__} is {str(value)[:40]}")
    return kind(**values)


def check_numbers(data: object) -> None:
    """Refuse data with a number that is not finite, or too large to be one that was saved.

    Arrays are checked by those who take them up: some may hold NaN.

    Raises:
        ValueError: there is such a number, or an array of objects.
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
    elif isinstance(data, float) and not math.isfinite(data):
        raise ValueError(f"the number {data}")
    elif isinstance(data, int) and abs(data) >= _LARGEST_INT:
        raise ValueError("a whole number of too many digits")

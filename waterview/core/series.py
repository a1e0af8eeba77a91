"""Tables of values over time from text files: time in the first column, in the others what was measured."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .errors import InputError
from .files import read_text

MAX_ROWS = 1_000_000
"""Most rows that are read."""

_UNITS = {"": 1.0, "s": 1.0, "m": 1.0, "m/s": 1.0, "m2/s": 1.0, "cm": 0.01, "mm": 0.001, "cm/s": 0.01, "min": 60.0}
"""What values in a unit are multiplied by to be in metres and seconds."""
_UNIT = re.compile(r"^(.*?)\s*[\[(]([^\])]*)[\])]\s*$")
_SEPARATORS = (";", "\t", ",")


@dataclass(frozen=True, eq=False)
class SeriesTable:
    """Values over time; the arrays are read-only.

    Attributes:
        source: the file.
        times: rising without a gap in the file [s], shape (n,) with n of 2 or more.
        columns: the other columns in metres and seconds, by their names without units, each of shape (n,).
    """

    source: str
    times: NDArray[np.float64]
    columns: dict[str, NDArray[np.float64]]

    def column(self, *names: str) -> NDArray[np.float64]:
        """The first column that has one of these names; the first of all if none has."""
        found = (self.columns[name] for name in names if name in self.columns)
        return next(found, next(iter(self.columns.values())))


def read_series(path: str | Path) -> SeriesTable:
    """Read a table of numbers: a row for each time, time first, separated by commas, semicolons, tabs or spaces.

    Lines that begin with # are left out. A first line that holds no numbers names the columns, with units in brackets
    such as "[m]" or "(cm)"; without it they are called "1", "2" and so on, in metres.

    Raises:
        InputError: the file cannot be read or is no such table, or time does not rise from row to row; the message
            names the line.
    """
    path = Path(path)
    try:
        lines = read_text(path).splitlines()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no text in UTF-8"
        raise InputError(f"cannot read the series {path}: {reason}; give a .csv file") from error
    rows = [(number, line) for number, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]
    if not rows:
        raise InputError(f"the series {path} is empty: needed are rows of a time [s] and a value [m]")
    separator = next((sign for sign in _SEPARATORS if sign in rows[0][1]), None)
    heads = [part.strip().strip('"') for part in rows[0][1].split(separator)]
    names, factors = [str(number) for number in range(len(heads))], [1.0] * len(heads)
    if not _is_number(heads[0]):
        names, factors = _named(path, heads, len(rows[1][1].split(separator)) if len(rows) > 1 else len(heads))
        rows = rows[1:]
    if len(names) < 2 or len(rows) < 2:
        raise InputError(f"the series {path}: needed are two or more rows of a time [s] and a value [m]")
    if len(rows) > MAX_ROWS:
        raise InputError(f"the series {path} has {len(rows):,} rows: at most {MAX_ROWS:,} are allowed; thin it out")
    with np.errstate(over="ignore"):
        table = np.array(list(_numbers(path, rows, separator, len(names)))) * factors
    if not np.isfinite(table).all():
        raise InputError(f"the series {path} holds numbers too large for their unit; correct them")
    for (number, _), (before, after) in zip(rows[1:], pairwise(table[:, 0]), strict=True):
        if not after > before:
            raise InputError(
                f"the series {path}, line {number}: time {after:g} s does not come after {before:g} s; "
                "each row needs a later time"
            )
    table.setflags(write=False)
    return SeriesTable(str(path), table[:, 0], {name: table[:, place] for place, name in enumerate(names) if place})


def _named(path: Path, heads: Sequence[str], count: int) -> tuple[list[str], list[float]]:
    """Names and factors of the columns from the parts of a head; those of a time and a value if it does not fit."""
    if len(heads) != count:
        heads = ["time", *[str(number) for number in range(1, count)]]
    names, factors = [], []
    for head in heads:
        match = _UNIT.match(head)
        name, unit = (match[1], match[2].strip().replace("²", "2")) if match else (head, "")
        if unit not in _UNITS:
            allowed = ", ".join(filter(None, _UNITS))
            raise InputError(f"the series {path}: the unit of '{head}' is unknown; allowed are {allowed}")
        names.append(name)
        factors.append(_UNITS[unit])
    return names, factors


def _numbers(path: Path, rows: Sequence[tuple[int, str]], separator: str | None, count: int) -> Iterator[list[float]]:
    for number, line in rows:
        parts = [part.strip() for part in line.split(separator)]
        if len(parts) != count:
            raise InputError(f"the series {path}, line {number}: {len(parts)} values where {count} are needed")
        for part in parts:
            if not _is_number(part) or not math.isfinite(float(part)):
                raise InputError(f"the series {path}, line {number}: '{part[:40]}' is no finite number; fill the gap")
        yield [float(part) for part in parts]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True

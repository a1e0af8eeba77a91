"""Bodies as users write them: KIND[:DENSITY[:X,Z]]."""

from __future__ import annotations

import math

from waterview.core.commands import AddBody
from waterview.core.errors import ParameterError

from .kinds import check_kind
from .records import HIGHEST_DENSITY, LOWEST_DENSITY


def parse_body(text: str) -> AddBody:
    """A body from "KIND[:DENSITY[:X,Z]]", such as "duck", "sphere:300" or "boat::2.5,-1".

    Raises:
        InputError: no kind has that name; the nearest is named.
        ParameterError: density or place are no numbers that are allowed.
    """
    kind, *rest = (part.strip() for part in text.split(":"))
    check_kind(kind, f"--body '{text}'")
    if len(rest) > 2:
        raise ParameterError(f"--body '{text}': needed is KIND[:DENSITY[:X,Z]], for example {kind}:300:0,0")
    density = _density(rest[0], text) if rest and rest[0] else None
    x, z = _place(rest[1], text) if len(rest) == 2 else (None, None)
    return AddBody(kind, density, x, z)


def _density(word: str, text: str) -> float:
    value = _number(word)
    if value is None or not LOWEST_DENSITY <= value <= HIGHEST_DENSITY:
        raise ParameterError(
            f"--body '{text}': density '{word}' is not allowed; allowed are {LOWEST_DENSITY:g} to "
            f"{HIGHEST_DENSITY:g} kg/m³, and 1000 is water"
        )
    return value


def _place(word: str, text: str) -> tuple[float, float]:
    values = [_number(part) for part in word.split(",")]
    if len(values) != 2 or values[0] is None or values[1] is None:
        raise ParameterError(
            f"--body '{text}': place '{word}' is not allowed; needed is X,Z in metres, for example 0,1.5"
        )
    return values[0], values[1]


def _number(word: str) -> float | None:
    try:
        value = float(word)
    except ValueError:
        return None
    return value if math.isfinite(value) else None

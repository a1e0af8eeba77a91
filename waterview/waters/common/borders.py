"""Borders as users name them: one name for all four sides, or a name for each."""

from __future__ import annotations

from typing import Any

from waterview.core.errors import ParameterError
from waterview.core.params import nearest, param
from waterview.waters.common.kernels.borders import KINDS, Sides

_FORM = "sides that differ, as in north=open,south=zero (the others are reflecting, or as a name that stands first)"
"""What `border_text` allows beside a name alone, for a parameter's help."""


def border_sides(text: str) -> Sides:
    """The kinds of the four sides that `text` names.

    Args:
        text: one of `KINDS` for all sides, or "SIDE=KIND" for some, separated by commas. Sides that are not named
            are reflecting, or of the kind that stands first: "open,west=reflecting".

    Raises:
        ParameterError: a side or a kind is unknown, a side is named twice, or one side wraps and the opposite does not.
    """
    base, named = "reflecting", dict[str, str]()
    for number, part in enumerate(text.split(",")):
        side, equals, kind = (word.strip() for word in part.rpartition("="))
        if kind not in KINDS:
            hint = nearest(kind, KINDS)
            raise ParameterError(
                f"border '{text}': '{kind}' is no border; allowed are {', '.join(KINDS)}, or {_FORM}{hint}"
            )
        if not equals and number == 0:
            base = kind
        elif side in Sides._fields and side not in named:
            named[side] = kind
        else:
            raise ParameterError(
                f"border '{text}': needed is each of north, east, south and west at most once, as in north={kind}"
            )
    sides = Sides(*(named.get(side, base) for side in Sides._fields))
    for one, other in (("north", "south"), ("east", "west")):
        if (getattr(sides, one) == "wrapping") != (getattr(sides, other) == "wrapping"):
            raise ParameterError(f"border '{text}': {one} and {other} must both be wrapping, or neither")
    return sides


def border_text(text: str) -> str:
    """`text` in its usual form: one name where all sides are alike, else all four sides.

    Raises:
        ParameterError: as `border_sides`.
    """
    sides = border_sides(text)
    if len(set(sides)) == 1:
        return sides.north
    return ",".join(f"{side}={kind}" for side, kind in zip(Sides._fields, sides, strict=True))


def border_param(default: str) -> Any:
    """What lies outside the grid, on all sides or on each."""
    return param(
        default,
        choices=KINDS,
        parse=border_text,
        form=_FORM,
        doc="What lies outside the grid: still water, a wall, the opposite edge, or open water (open-ghost: roughly).",
    )

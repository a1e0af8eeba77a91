"""The kinds of bodies by name."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from functools import cache, partial

from waterview.core.errors import InputError

from .meshes import bundled, bundled_shape
from .shapes import Shape, box, sphere


@cache
def kinds() -> dict[str, Callable[[], Shape]]:
    """What makes the shape of each kind, by name: spheres, boxes and the meshes that come with the program."""
    return {"sphere": cache(sphere), "box": cache(box)} | {name: partial(bundled_shape, name) for name in bundled()}


def check_kind(kind: str, where: str = "") -> None:
    """Say what is wrong with a name that is no kind.

    Args:
        kind: the name.
        where: where it was given, such as a flag and its value.

    Raises:
        InputError: no kind has that name; the nearest is named.
    """
    known = kinds()
    if kind in known:
        return
    close = difflib.get_close_matches(kind.lower(), known, 1, 0.3)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    start = f"{where}: " if where else ""
    raise InputError(f"{start}no body is called '{kind}'; allowed are {', '.join(known)}{hint}")


def shape_of(kind: str) -> Shape:
    """The shape of a kind; always the same object.

    Raises:
        InputError: no kind has that name.
    """
    check_kind(kind)
    return kinds()[kind]()

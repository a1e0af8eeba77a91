"""The kinds of bodies by name, and bodies as users write them: KIND[@SIZE][:DENSITY[:X,Z[:HEADING@SPEED]]]."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from waterview.core.commands import AddBody, check_course
from waterview.core.errors import InputError, ParameterError

from .mesh_files import BodyFile, is_mesh_file
from .meshes import bundled, bundled_shape
from .shapes import HIGHEST_DENSITY, LOWEST_DENSITY, Shape, box, sphere

BODY_SYNTAX = "KIND[@SIZE][:DENSITY[:X,Z[:HEADING@SPEED]]]"
"""How users write a body; in place of a kind they may name a mesh file."""

_DRIVE = re.compile(r"^(\s*[A-Za-z]):(?=[\\/])")
"""The drive that a path on Windows begins with."""


@cache
def kinds() -> dict[str, Callable[[], Shape]]:
    """Functions that make the shape of each kind, by name: spheres, boxes and the meshes that come with the program."""
    return {"sphere": cache(sphere), "box": cache(box)} | {name: partial(bundled_shape, name) for name in bundled()}


def check_kind(kind: str, where: str = "") -> None:
    """Raise an error for a name that is no kind.

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


def parse_body(text: str, read: Callable[[Path], BodyFile] | None = None) -> AddBody:
    """A body from "KIND[@SIZE][:DENSITY[:X,Z[:HEADING@SPEED]]]", such as "duck", "sphere:300" or "boat@3::2.5,-1:90@2".

    Args:
        text: the body.
        read: reads a mesh file that stands in place of a kind; None allows none.

    Raises:
        InputError: no kind has that name; the nearest is named. Or the mesh cannot be read.
        ParameterError: size, density, place or course are not allowed.
    """
    name, *rest = _DRIVE.sub(r"\1\0", text).split(":")
    kind, at, size_word = name.replace("\0", ":").strip().rpartition("@")
    if not at or (read is not None and is_mesh_file(size_word)):  # a file's name may hold an @
        kind, size_word = f"{kind}{at}{size_word}", ""
    rest = [part.strip() for part in rest]
    if len(rest) > 3:
        raise ParameterError(f"--body '{text}': needed is {BODY_SYNTAX}, for example {kind}:300:0,0")
    size = _size(size_word, text) if at and size_word else None
    density = _density(rest[0], text) if rest and rest[0] else None
    is_placed = len(rest) == 2 or (len(rest) == 3 and rest[1] != "")
    x, z = _place(rest[1], text) if is_placed else (None, None)
    heading, speed = _course(rest[2], text) if len(rest) == 3 else (None, 0.0)
    mesh = None
    if read is not None and is_mesh_file(kind):
        found = read(Path(kind))
        kind, mesh = found.name, found.mesh
    else:
        check_kind(kind, f"--body '{text}'")
    return AddBody(kind, density, x, z, heading, speed, size, mesh)


def _size(word: str, text: str) -> float:
    value = _number(word)
    if value is None or value <= 0.0:
        raise ParameterError(
            f"--body '{text}': size '{word}' is not allowed; needed is its longest side in metres, above 0"
        )
    return value


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


def _course(word: str, text: str) -> tuple[float, float]:
    values = [_number(part) for part in word.split("@")]
    if len(values) != 2 or values[0] is None or values[1] is None:
        raise ParameterError(
            f"--body '{text}': course '{word}' is not allowed; needed is HEADING@SPEED in degrees clockwise from north "
            "and m/s, for example 90@2"
        )
    try:
        check_course(values[0], values[1])
    except ParameterError as error:
        raise ParameterError(f"--body '{text}': {error}") from error
    return values[0], values[1]


def _number(word: str) -> float | None:
    try:
        value = float(word)
    except ValueError:
        return None
    return value if math.isfinite(value) else None

"""Keys that change the border on one side: the next kind for the north, east, south or west."""

from __future__ import annotations

from waterview.core.params import Declaration, Params, declarations
from waterview.waters.common.borders import BORDER_KINDS

SIDES = ("north", "east", "south", "west")
"""Sides as on a map: north is the lowest z, east the highest x."""

_OPPOSITE = {"north": "south", "south": "north", "east": "west", "west": "east"}


def next_border(params: Params, side: str) -> tuple[str | None, str]:
    """The value of the parameter `border` with the next kind on one side, and a message for the user.

    If all sides of a model must have the same kind, all of them change. Water that wraps around does so on two opposite
    sides, so these change together.

    Args:
        params: those of the water.
        side: one of `SIDES`.

    Returns:
        The new value, None if the water has no borders; and the message.
    """
    found = [entry for entry in declarations(type(params)) if entry.name == "border"]
    if not found:
        return None, "this water goes on beyond its edges: it has no borders to choose"
    entry, text = found[0], str(params.border)  # type: ignore[attr-defined]
    if not entry.syntax:
        kind = _next_kind(entry, text)
        return kind, f"border {kind}"
    kinds = kinds_of(text)
    before, kinds[side] = kinds[side], _next_kind(entry, kinds[side])
    if BORDER_KINDS[before].wraps or BORDER_KINDS[kinds[side]].wraps:
        kinds[_OPPOSITE[side]] = kinds[side]
    return ",".join(f"{name}={kind}" for name, kind in kinds.items()), f"border in the {side}: {kinds[side]}"


def kinds_of(text: str) -> dict[str, str]:
    """The kind of each side in a value of `border`: one name, or "SIDE=KIND" for all four."""
    if "=" not in text:
        return dict.fromkeys(SIDES, text)
    named = dict(part.split("=") for part in text.split(","))
    return {side: named[side] for side in SIDES}


def _next_kind(entry: Declaration, kind: str) -> str:
    return entry.choices[(entry.choices.index(kind) + 1) % len(entry.choices)]

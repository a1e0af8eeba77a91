"""What may lie beyond the sides of a grid: the kinds of borders, and how users name them.

A kind of border is one object in `BORDER_KINDS`. The kernels, the graphics card's shader, the parameters' choices, the
panel, the keys and `waterview bench` all follow from that list.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from waterview.core.errors import ParameterError
from waterview.core.params import nearest, param


@dataclass(frozen=True)
class BorderKind:
    """What lies beyond a side of a grid.

    A step reads one point beyond each point at the edge, the ghost point. Where a kind remembers nothing, the ghost
    point holds `weight`·h, where h is the height of its source: the edge point beside it, or, where the grid wraps, the
    edge point of the opposite side. The shader of the graphics card takes `weight` and `wraps` as uniforms of these
    names, so it knows every kind without a memory.

    Attributes:
        name: what users call the kind.
        doc: what waves meet there.
        weight: of the source's height in the ghost point. Layers and ghost points that end at this side see it so, too.
        wraps: whether the source is the opposite edge; then both sides wrap.
        memory: what the kind remembers: nothing, one "ghost" point for each edge point, which follows it, or a "layer"
            of several points, which absorbs waves.
        keeps_energy: whether waves lose no energy there.
        keeps_volume: whether no water passes.
    """

    name: str
    doc: str
    weight: float = 0.0
    wraps: bool = False
    memory: Literal["none", "ghost", "layer"] = "none"
    keeps_energy: bool = False
    keeps_volume: bool = False

    @property
    def on_gpu(self) -> bool:
        """Whether the graphics card can step beside it."""
        return self.memory == "none"


BORDER_KINDS: dict[str, BorderKind] = {
    kind.name: kind
    for kind in (
        BorderKind("zero", "a surface held at 0 (Bressler 2007, §3.1)", keeps_energy=True),
        BorderKind("reflecting", "a wall", weight=1.0, keeps_energy=True, keeps_volume=True),
        BorderKind("wrapping", "the opposite edge", weight=1.0, wraps=True, keeps_energy=True, keeps_volume=True),
        BorderKind(
            "open-ghost",
            "open water, roughly: a ghost point that follows the edge (Müller 2008; Riehm, eq. 7)",
            weight=1.0,
            memory="ghost",
        ),
        BorderKind("open", "open water: a perfectly matched layer (Bérenger 1994)", memory="layer"),
    )
}
"""Every kind, by name, in the order in which users see them."""


class Sides(NamedTuple):
    """The names of the kinds of the four sides: north is the row with the lowest z, west the column of lowest x."""

    north: str
    east: str
    south: str
    west: str

    @property
    def kinds(self) -> tuple[BorderKind, BorderKind, BorderKind, BorderKind]:
        """The kinds of north, east, south and west."""
        return tuple(BORDER_KINDS[name] for name in self)  # type: ignore[return-value]

    @property
    def closed(self) -> bool:
        """Whether no water passes any side, so that volume is kept."""
        return all(kind.keeps_volume for kind in self.kinds)

    @property
    def wraps(self) -> tuple[bool, bool]:
        """Whether rows go on at the opposite end (north with south), and columns (west with east)."""
        return BORDER_KINDS[self.north].wraps, BORDER_KINDS[self.west].wraps


def check_sides(sides: Sides) -> None:
    """Raise a ValueError where a kind is unknown, or where a side wraps and the opposite one does not."""
    for name in sides:
        if name not in BORDER_KINDS:
            raise ValueError(f"border '{name}': allowed are {', '.join(BORDER_KINDS)}")
    north, east, south, west = sides.kinds
    if north.wraps != south.wraps or east.wraps != west.wraps:
        raise ValueError(f"borders {sides}: opposite sides must both be wrapping or neither")


# --- as users name them

_SYNTAX = "sides that differ, as in north=open,south=zero (the others are reflecting, or as a name that stands first)"
"""What `border_text` allows beside a name alone, for a parameter's help."""


def border_sides(text: str) -> Sides:
    """The kinds of the four sides that `text` names.

    Args:
        text: one of `BORDER_KINDS` for all sides, or "SIDE=KIND" for some, separated by commas. Sides that are not
            named are reflecting, or of the kind that stands first: "open,west=reflecting".

    Raises:
        ParameterError: a side or a kind is unknown, a side is named twice, or one side wraps and the opposite does not.
    """
    base, named = "reflecting", dict[str, str]()
    for number, part in enumerate(text.split(",")):
        side, equals, kind = (word.strip() for word in part.rpartition("="))
        if kind not in BORDER_KINDS:
            hint = nearest(kind, tuple(BORDER_KINDS))
            raise ParameterError(
                f"border '{text}': '{kind}' is no border; allowed are {', '.join(BORDER_KINDS)}, or {_SYNTAX}{hint}"
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
        if BORDER_KINDS[getattr(sides, one)].wraps != BORDER_KINDS[getattr(sides, other)].wraps:
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
        choices=tuple(BORDER_KINDS),
        parse=border_text,
        syntax=_SYNTAX,
        doc="What lies outside the grid: still water, a wall, the opposite edge, or open water (open-ghost: roughly).",
    )

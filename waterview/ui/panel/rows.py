"""The content of the panel as plain values: a row for every declared parameter, without a window."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from waterview.core.frame import Frame
from waterview.core.params import Declaration, Params, Value, declaration, declarations
from waterview.scene.sections import ACTIONS, ELSEWHERE, MODEL, OF_WORLD, SCENE, VIEW, WAVES
from waterview.terrain.options import TerrainOptions
from waterview.ui.hud.text import effective_value, plain_number
from waterview.ui.keys import ON_MAC, key_label
from waterview.ui.viewer import Owner, Viewer
from waterview.waters.common.wavemaker import WAVEMAKER_NAMES, WavemakerParams

Kind = Literal["check", "choice", "text", "whole", "number", "typed"]

_WIDEST_SLIDER = 2**30
_MAX_DECIMALS = 6


@dataclass(frozen=True)
class Row:
    """One parameter in the panel.

    Attributes:
        owner: what it is a parameter of: see `Owner`; "params" are those of the water.
        entry: its declaration.
        value: as requested.
        effective: the value that the solver uses, if that differs, or None.
        slow: whether a change needs new water, so that it waits until the slider is released.
    """

    owner: Owner
    entry: Declaration
    value: Value
    effective: float | None = None
    slow: bool = False

    @property
    def key(self) -> str:
        """A unique name."""
        return f"{self.owner}.{self.entry.name}"

    @property
    def label(self) -> str:
        """Its name for people."""
        return self.entry.label

    @property
    def kind(self) -> Kind:
        """Its widget: a checkbox, a list, a line of text, a slider of numbers, or a field to type in."""
        if self.entry.kind is bool:
            return "check"
        if self.entry.kind is str:
            return "choice" if self.entry.choices else "text"
        low, high = self.bounds
        if max(abs(low), abs(high)) > _WIDEST_SLIDER:
            return "typed"
        return "whole" if self.entry.kind is int else "number"

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and highest number allowed."""
        low, high = self.entry.low, self.entry.high
        return (-math.inf if low is None else low), (math.inf if high is None else high)

    @property
    def logarithmic(self) -> bool:
        """Whether the slider is logarithmic."""
        return self.entry.scale == "log"

    @property
    def pattern(self) -> str:
        """The printf format of the number; on a log scale that includes 0 the smallest value can be seen."""
        unit = f" {self.entry.unit}".rstrip().replace("%", "%%")
        if self.entry.kind is int:
            return f"%d{unit}"
        if self.entry.smallest is None:
            return f"%.4g{unit}"
        # For ImGui the last decimal shown is the smallest step away from 0.
        decimals = min(max(0, math.ceil(-math.log10(self.entry.smallest))), _MAX_DECIMALS)
        return f"%.{decimals}f{unit}"

    def number_text(self, value: Value) -> str:
        """A number as it stands beside its slider."""
        assert not isinstance(value, str)
        return (
            f"{value:.6g} {self.entry.unit}".rstrip()
            if self.entry.kind is int
            else f"{plain_number(value)} {self.entry.unit}".rstrip()
        )

    @property
    def effective_text(self) -> str:
        """The effective value as text, if it differs; else ""."""
        return "" if self.effective is None else f"effective {plain_number(self.effective)} {self.entry.unit}".rstrip()

    @property
    def tooltip(self) -> str:
        """Its meaning, the values allowed, its default and its keys."""
        default = "yes" if self.entry.default is True else "no" if self.entry.default is False else self.entry.default
        lines = [self.entry.doc]
        if self.kind == "text":
            lines.append(f"{self.entry.allowed}; empty for none.")
        elif self.kind not in {"choice", "check"}:
            lines.append(f"{self.entry.allowed}; Ctrl+click to type a number, double-click for {default}.")
        elif default != "":
            lines.append(f"At first: {default}.")
        if self.entry.keys is not None:
            less, more = self.entry.keys
            lines.append(f"Keys: {key_label(less, ON_MAC)} / {key_label(more, ON_MAC)}")
        return "\n".join(lines)

    def corrected(self, wanted: Value) -> tuple[Value, str]:
        """The allowed value nearest to `wanted`, and a message if it is another one, else ""."""
        if isinstance(wanted, str | bool):
            return wanted, ""
        low, high = self.bounds
        if not math.isfinite(wanted):
            return self.value, f"{self.label}: that is no number; allowed are {self.entry.allowed}"
        value: float = min(max(wanted, low), high)
        if self.entry.kind is int:
            value = round(value)
        elif low < value < high:
            value = min(max(float(f"{value:.5g}"), low), high)
        if low == 0.0 and value < 0.999 * (self.entry.smallest or 0.0):
            value = 0.0
        # Sliders have single precision: their ends may lie beyond the bounds by a rounding.
        if low <= wanted <= high or math.isclose(wanted, value, rel_tol=1e-6):
            return value, ""
        return value, f"{self.label} {wanted:g}: corrected to {value:g}, allowed are {self.entry.allowed}"


@dataclass(frozen=True)
class Group:
    """Rows under a common title."""

    title: str
    rows: tuple[Row, ...]


def describe(viewer: Viewer) -> list[Group]:
    """The groups of the panel for `viewer`."""
    scene = [_scene_row(entry, value, viewer.frame) for entry, value in viewer.scene_settings() if entry.name != "rain"]
    model = [row for row in scene if row.entry.name == "model"]
    place = [row for row in scene if row.entry.name != "model" and row.entry.name not in ELSEWHERE]
    rows = (
        Row("params", entry, getattr(viewer.params, entry.name), effective_value(entry, viewer.params, viewer.frame))
        for entry in declarations(type(viewer.params))
    )
    params, waves = _split(rows, isinstance(viewer.params, WavemakerParams))
    interaction = list(_rows("interaction", viewer.interaction))

    def of_world(owner: Owner) -> tuple[Row, ...]:
        own = _rows(owner, viewer.world_params[owner]) if owner in viewer.world_params else ()
        return (*(row for row in (*scene, *interaction) if ELSEWHERE.get(row.entry.name) == owner), *own)

    world = ((title, of_world(owner)) for owner, title in OF_WORLD.items())
    view = (*_rows("view", viewer.view), *(row for row in interaction if ELSEWHERE.get(row.entry.name) == "view"))
    return [
        Group(SCENE, tuple(sorted(place, key=_order))),
        Group(MODEL, (*model, *params)),
        *([Group(WAVES, waves)] if waves else ()),
        Group(ACTIONS, tuple(row for row in interaction if row.entry.name not in ELSEWHERE)),
        *(Group(title, rows) for title, rows in world if rows),
        Group(VIEW, view),
    ]


def _split(rows: Iterable[Row], has_waves: bool) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
    """The rows of a water without and with those of waves that come in."""
    rows = tuple(rows)
    waves = tuple(row for row in rows if has_waves and row.entry.name in WAVEMAKER_NAMES)
    return tuple(row for row in rows if row not in waves), waves


def _order(row: Row) -> int:
    first = ("preset", "terrain", "water_level", "grid")
    return first.index(row.entry.name) if row.entry.name in first else len(first)


def _rows(owner: Owner, params: Params) -> Iterable[Row]:
    # Another number of points or another seed needs new detail.
    return (
        Row(owner, entry, getattr(params, entry.name), slow=owner == "detail" and entry.kind is int)
        for entry in declarations(type(params))
    )


def _scene_row(entry: Declaration, value: Value, frame: Frame) -> Row:
    if entry.name == "water_level":
        return Row("scene", world_level(frame), frame.grid.level)
    return Row("scene", entry, value, slow=True)


def world_level(frame: Frame) -> Declaration:
    """The declaration of the water level in a running scene: a world height, with a range that suits the ground."""
    low, high = float(frame.bed.min()), float(frame.bed.max())
    reach = high - low or max(frame.grid.size)
    level = frame.grid.level
    entry = declaration(TerrainOptions, "water_level")
    doc = "World height of still water."
    return replace(entry, default=0.0, low=min(low, level), high=max(high + 0.5 * reach, level), doc=doc)

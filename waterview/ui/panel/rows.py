"""What the panel shows, as plain values: rows made from the declared parameters and the state, with no window."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, Protocol

import numpy as np

from waterview.core.frame import Frame
from waterview.core.params import Declaration, Params, Value, declaration, declarations
from waterview.terrain.options import TerrainOptions
from waterview.ui.keys import sign

Owner = Literal["scene", "params", "interaction", "bodies", "detail", "view"]
Kind = Literal["check", "choice", "whole", "number", "typed"]

_WIDEST_SLIDER = 2**30
_MAX_DECIMALS = 6
_TEXT = "text_scale"
SCENE = "Scene and terrain"
"""Title of the group that files are opened in."""

WORLD_GROUPS: tuple[tuple[Owner, str], ...] = (("bodies", "Floating bodies"), ("detail", "Fine detail"))
"""Groups of what acts on the water: whose they are, and their titles."""

SPAN = 240
"""How many frames the plots look back."""


@dataclass(frozen=True)
class Row:
    """One parameter in the panel.

    Attributes:
        owner: whose it is: of scene, water ("params"), interaction, "bodies", "detail" or view.
        entry: its declaration.
        value: as requested.
        effective: what the solver really uses where that differs, or None.
        slow: whether a change makes the water anew, so that it waits until the slider is let go.
    """

    owner: Owner
    entry: Declaration
    value: Value
    effective: float | None = None
    slow: bool = False

    @property
    def key(self) -> str:
        """A name that no other row has."""
        return f"{self.owner}.{self.entry.name}"

    @property
    def label(self) -> str:
        """What people read beside it."""
        return self.entry.label

    @property
    def kind(self) -> Kind:
        """What it is changed with: a checkbox, a list, a slider over whole or other numbers, or a field to type in."""
        if self.entry.kind is bool:
            return "check"
        if self.entry.kind is str:
            return "choice"
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
        """Whether equal ways on the slider are equal factors."""
        return self.entry.scale == "log"

    @property
    def pattern(self) -> str:
        """How the number is written, in printf's words; on a log scale with 0 the decimals show the smallest value."""
        unit = f" {self.entry.unit}".rstrip().replace("%", "%%")
        if self.entry.kind is int:
            return f"%d{unit}"
        if self.entry.smallest is None:
            return f"%.4g{unit}"
        # ImGui takes the last decimal written for the smallest step away from 0.
        decimals = min(max(0, math.ceil(-math.log10(self.entry.smallest))), _MAX_DECIMALS)
        return f"%.{decimals}f{unit}"

    @property
    def effective_text(self) -> str:
        """What is really used, where it differs; else empty."""
        return "" if self.effective is None else f"effective {self.effective:.4g} {self.entry.unit}".rstrip()

    @property
    def tooltip(self) -> str:
        """What it means, what is allowed, its default and its keys."""
        default = "yes" if self.entry.default is True else "no" if self.entry.default is False else self.entry.default
        lines = [self.entry.doc]
        if self.kind not in {"choice", "check"}:
            lines.append(f"{self.entry.allowed}; Ctrl+click to type a number, double-click for {default}.")
        elif default != "":
            lines.append(f"At first: {default}.")
        if self.entry.keys is not None:
            less, more = self.entry.keys
            lines.append(f"Keys: {sign(less)} / {sign(more)}")
        return "\n".join(lines)

    def corrected(self, wish: Value) -> tuple[Value, str]:
        """The allowed value nearest to `wish`, and a note where it is another; "" where it is not."""
        if isinstance(wish, str | bool):
            return wish, ""
        low, high = self.bounds
        if not math.isfinite(wish):
            return self.value, f"{self.label}: that is no number; allowed are {self.entry.allowed}"
        kept: float = min(max(wish, low), high)
        if self.entry.kind is int:
            kept = round(kept)
        elif low < kept < high:
            kept = min(max(float(f"{kept:.5g}"), low), high)
        if low == 0.0 and kept < 0.999 * (self.entry.smallest or 0.0):
            kept = 0.0
        note = f"{self.label} {wish:g}: corrected to {kept:g}, allowed are {self.entry.allowed}"
        return kept, note if not low <= wish <= high else ""


@dataclass(frozen=True)
class Group:
    """Rows that belong together, under a title."""

    title: str
    rows: tuple[Row, ...]


class State(Protocol):
    """What the panel looks at; a `waterview.ui.viewer.Viewer` is one."""

    @property
    def frame(self) -> Frame:
        """The newest frame."""
        ...

    @property
    def params(self) -> Params:
        """The water's parameters as requested."""
        ...

    @property
    def view(self) -> Params:
        """Those of the view."""
        ...

    @property
    def interaction(self) -> Params:
        """How keys and mouse act on the water."""
        ...

    @property
    def world_params(self) -> Mapping[str, Params]:
        """Those of "bodies" and "detail"."""
        ...

    def scene_settings(self) -> list[tuple[Declaration, Value]]:
        """What may be chosen of scene and terrain, each with its value."""
        ...


def describe(state: State) -> list[Group]:
    """The groups of the panel for `state`."""
    scene = [_scene_row(entry, value, state.frame) for entry, value in state.scene_settings() if entry.name != "rain"]
    model = [row for row in scene if row.entry.name == "model"]
    place = [row for row in scene if row.entry.name != "model"]
    params = (
        Row("params", entry, getattr(state.params, entry.name), effective_value(entry, state.params, state.frame))
        for entry in declarations(type(state.params))
    )
    interaction = list(_rows("interaction", state.interaction))
    return [
        Group(SCENE, tuple(sorted(place, key=_what_is_wanted_first))),
        Group("Water model", (*model, *params)),
        Group("Drops, rain, bodies", tuple(row for row in interaction if row.entry.name != _TEXT)),
        *(
            Group(title, tuple(_rows(owner, state.world_params[owner])))
            for owner, title in WORLD_GROUPS
            if owner in state.world_params
        ),
        Group(
            "View and light",
            (*_rows("view", state.view), *(row for row in interaction if row.entry.name == _TEXT)),
        ),
    ]


def _what_is_wanted_first(row: Row) -> int:
    first = ("preset", "terrain", "water_level", "grid")
    return first.index(row.entry.name) if row.entry.name in first else len(first)


def _rows(owner: Owner, params: Params) -> Iterable[Row]:
    # Another number of points or other chance makes the detail anew.
    return (
        Row(owner, entry, getattr(params, entry.name), slow=owner == "detail" and entry.kind is int)
        for entry in declarations(type(params))
    )


def _scene_row(entry: Declaration, value: Value, frame: Frame) -> Row:
    if entry.name == "water_level":
        return Row("scene", world_level(frame), frame.grid.level)
    return Row("scene", entry, value, slow=True)


def world_level(frame: Frame) -> Declaration:
    """The water level of a running scene: a world height, from the deepest ground to well above the highest."""
    low, high = float(frame.bed.min()), float(frame.bed.max())
    reach = high - low or max(frame.grid.size)
    level = frame.grid.level
    entry = declaration(TerrainOptions, "water_level")
    doc = "World height of still water."
    return replace(entry, default=0.0, low=min(low, level), high=max(high + 0.5 * reach, level), doc=doc)


def effective_value(entry: Declaration, params: Params, frame: Frame) -> float | None:
    """What the solver uses instead of the value that `params` ask for, or None where it uses that."""
    requested, effective = getattr(params, entry.name), frame.effective.get(entry.name)
    # A frame published before the last change still tells of the old request: then there is nothing to compare.
    if effective is None or getattr(frame.params, entry.name, None) != requested:
        return None
    return effective if abs(effective - requested) > 1e-4 * max(abs(requested), 1e-12) else None


@dataclass(frozen=True)
class Plot:
    """A curve over the last frames: its title, which says the newest value, and its values, oldest first."""

    title: str
    values: np.ndarray


class History:
    """Notes what the plots show, frame by frame."""

    def __init__(self) -> None:
        self._frame_time: deque[float] = deque(maxlen=SPAN)
        self._step_rate: deque[float] = deque(maxlen=SPAN)
        self._level: deque[float] = deque(maxlen=SPAN)
        self._energy: deque[float] = deque(maxlen=SPAN)
        self._serial: int | None = None

    def note(self, frame: Frame, seconds: float, steps_per_second: float) -> None:
        """Take down one drawn frame that took `seconds`; sums over the water only where it publishes them."""
        self._frame_time.append(1e3 * seconds)
        self._step_rate.append(steps_per_second)
        if frame.totals is None:
            self._level.clear()
            self._energy.clear()
        elif frame.serial != self._serial:
            self._level.append(frame.totals.mean_level)
            parts = [part for part in (frame.totals.kinetic, frame.totals.potential) if part is not None]
            if parts:
                self._energy.append(sum(parts))
        self._serial = frame.serial

    def plots(self) -> list[Plot]:
        """Every curve that has two values or more."""
        curves = (
            ("time of a frame {:.1f} ms", self._frame_time),
            ("steps a second {:.0f}", self._step_rate),
            ("mean level {:.3g} m", self._level),
            ("energy {:.3g} J", self._energy),
        )
        return [
            Plot(title.format(values[-1]), np.array(values, np.float32)) for title, values in curves if len(values) > 1
        ]

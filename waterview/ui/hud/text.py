"""The text of the HUD: the line of figures, the list of keys, and messages."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Sequence

from waterview.core.diagnostics import Totals
from waterview.core.frame import Frame
from waterview.core.params import Declaration, Params, declarations
from waterview.ui.dear_imgui import imgui
from waterview.ui.keys import ACTIONS, MOUSE, ON_MAC, key_label
from waterview.waters.common.water import WaterParams

from .boxes import MARGIN, PADDING, table_box, text_box
from .dock import Area

_log = logging.getLogger(__name__)

SLOW = 0.8
"""Below this share of the pace that is asked for the line of figures says so: too fine a grid, or too much rain."""

_MESSAGE_SECONDS = 6.0

NARROW = 14.0
"""Least width of messages beside the panel, in heights of the font; where there is less they stand below it."""
MESSAGE_LINES = 5.5
"""Height that is left for them there, in heights of the font."""


def figures(frame: Frame, params: Params, steps_per_second: float, time_scale: float = 1.0) -> list[str]:
    """The line of figures for people: every parameter that has keys, and the pace of time where it is not that of life.

    Args:
        frame: the newest frame, with the values that the solver uses.
        params: as requested.
        steps_per_second: steps taken a second; 0 if none are, or it is not known yet.
        time_scale: how fast time is to run, 1 as in life.
    """
    parts = [
        _requested_and_effective(entry, params, frame) for entry in declarations(type(params)) if entry.keys is not None
    ]
    return [*parts, *_shown_pace(params, steps_per_second, time_scale)]


def _shown_pace(params: Params, steps_per_second: float, time_scale: float) -> list[str]:
    wanted = params.steps_per_second if isinstance(params, WaterParams) else 0.0
    pace = steps_per_second / wanted if wanted > 0.0 and steps_per_second > 0.0 else time_scale
    pace = pace if pace < SLOW * time_scale else time_scale
    return [] if pace == 1.0 else [f"{pace:.2g} × real time"]


def solver_lines(frame: Frame) -> list[str]:
    """What the solver says of itself, for those who look under Plots: Courant number, sub-steps, level and energies."""
    lines = []
    if "courant" in frame.effective:
        lines.append(f"Courant number {frame.effective['courant']:.3f}")
    if frame.effective.get("substeps", 1) > 1:
        lines.append(f"{frame.effective['substeps']:.0f} sub-steps")
    return lines if frame.totals is None else [*lines, *totals_lines(frame.totals)]


def place_text(longitude: float, latitude: float) -> str:
    """A place on Earth [degrees] as text, such as "48.12345° N 123.45678° W": the last digit is a metre."""
    east = (longitude + 180.0) % 360.0 - 180.0
    return f"{abs(latitude):.5f}° {'N' if latitude >= 0 else 'S'} {abs(east):.5f}° {'E' if east >= 0 else 'W'}"


def totals_lines(totals: Totals) -> list[str]:
    """Mean level and energies as text, a line for each."""
    parts = [f"mean level {totals.mean_level:.3g} m"]
    if totals.potential is not None:
        parts.append(f"potential energy {totals.potential:.3g} J")
    if totals.kinetic is not None:
        parts.append(f"kinetic energy {totals.kinetic:.3g} J")
    return parts


def plain_number(value: float) -> str:
    """A number for people, of four digits: tens of thousands and millions are written out."""
    return f"{value:.0f}" if 1e4 <= abs(value) < 1e7 else f"{value:.4g}"


def _requested_and_effective(entry: Declaration, params: Params, frame: Frame) -> str:
    text = f"{entry.label} {plain_number(getattr(params, entry.name))} {entry.unit}".rstrip()
    effective = effective_value(entry, params, frame)
    return text if effective is None else f"{text} (effective {plain_number(effective)})"


def effective_value(entry: Declaration, params: Params, frame: Frame) -> float | None:
    """The value that the solver uses, if it differs from the one in `params`, or None."""
    requested, effective = getattr(params, entry.name), frame.effective.get(entry.name)
    # A frame published before the last change belongs to the old request, so there is nothing to compare.
    if effective is None or getattr(frame.params, entry.name, None) != requested:
        return None
    return effective if abs(effective - requested) > 1e-4 * max(abs(requested), 1e-12) else None


def help_lines(parameter_sets: Iterable[type[Params]]) -> list[tuple[str, str]]:
    """(keys, what they do) for the mouse, every parameter with keys, and every action."""
    lines = list(MOUSE)
    for params in parameter_sets:
        for entry in declarations(params):
            if entry.keys is not None:
                less, more = entry.keys
                change = "next / last" if entry.choices else "up / down (Shift: finely)"
                lines.append((f"{key_label(more, ON_MAC)} / {key_label(less, ON_MAC)}", f"{entry.label} {change}"))
    return lines + [(", ".join(key_label(key, ON_MAC) for key in action.keys), action.doc) for action in ACTIONS]


class Hud:
    """Draws figures, help and messages.

    Attributes:
        help_shown: whether the list of keys is shown.
        bottom: height at the bottom of the window that something else takes; messages are above it.
        top: height at which the line of figures ends.
        end: height at which messages begin.
        taken: height that messages take with the gap above them; 0 if there are none.
    """

    def __init__(self) -> None:
        self.help_shown = False
        self.bottom = self.top = self.end = self.taken = 0.0
        self._messages: deque[tuple[str, float]] = deque(maxlen=4)

    @property
    def messages(self) -> list[str]:
        """The messages that are shown, oldest first."""
        return [text for text, _ in self._messages]

    def notify(self, message: str) -> None:
        """Show a message for a few seconds."""
        _log.info("%s", message)
        self._messages.append((message, _MESSAGE_SECONDS))

    def draw(
        self,
        line: Sequence[str],
        keys: Sequence[tuple[str, str]],
        seconds: float,
        area: Area | None = None,
        dock: Callable[[float], float] = lambda top: top,
        lowest: float | None = None,
    ) -> None:
        """Draw everything.

        Args:
            line: the figures.
            keys: what the help lists, if it is shown.
            seconds: since the last call.
            area: where messages stand, at its lower left; None is the whole window.
            dock: draws what stands above the figures, which may need another line at any time, below a height in the
                window; returns where the figures begin.
            lowest: where messages that stand below the panel end; None is the lower edge of the window.
        """
        size = imgui.get_io().display_size
        area = area or Area.beside((size.x, size.y), None)
        self._messages = deque(((text, left - seconds) for text, left in self._messages if left > seconds), maxlen=4)
        hint = [] if self.help_shown else ["H: help", "F2: settings"]
        top = dock(MARGIN)
        self.top = top + text_box("figures", (MARGIN, top), "   ".join([*line, *hint]), size.x - 2 * MARGIN)
        self.end, self.taken = area.bottom - self.bottom, 0.0
        if self._messages:
            messages = self.messages
            if area.width < NARROW * imgui.get_font_size():  # below the panel, which leaves a few lines there
                area = Area.beside((size.x, size.y), None)
                messages, self.end = messages[-1:], area.bottom if lowest is None else lowest
            place = area.left, self.end
            height = text_box("messages", place, "\n".join(messages), area.width, pivot=(0.0, 1.0), in_front=True)
            self.taken = height + PADDING
            self.end -= self.taken
        if self.help_shown:
            table_box("keys", self.top + PADDING, keys, self.end)

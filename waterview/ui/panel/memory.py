"""What the panel remembers from one run to the next, in the user's folder of settings."""

from __future__ import annotations

import json
import logging
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from platformdirs import user_config_path

from waterview.core.errors import InputError, ParameterError
from waterview.core.files import read_text
from waterview.output.atomic import write_atomically
from waterview.scene.interaction import InteractionParams

_log = logging.getLogger(__name__)
_LARGEST = 1000.0

HABITS = ("text_scale", "pivot", "left_drag")
"""Parameters of interaction that are remembered."""


@dataclass(frozen=True)
class PanelMemory:
    """How the panel is shown; lengths are in heights of the font.

    Attributes:
        shown: whether it is shown.
        x, y: its upper left corner.
        width, height: its size; a height of 0 fits the window.
        closed: titles of the collapsed groups.
        text_scale: size of all text in the window, 1 suits the screen.
        toolbar: whether the toolbar is shown.
        pivot, left_drag: how the mouse turns the view, see `InteractionParams`.
    """

    shown: bool = False
    x: float = 0.7
    y: float = 4.8
    width: float = 24.0
    height: float = 0.0
    closed: tuple[str, ...] = (
        "Presets",
        "Incoming waves",
        "Drops, rain, bodies",
        "Floating bodies",
        "Fine detail",
        "Gauges",
        "Fields over the run",
        "View and light",
        "Plots",
    )
    text_scale: float = 1.0
    toolbar: bool = True
    pivot: str = InteractionParams.pivot
    left_drag: str = InteractionParams.left_drag


def memory_path() -> Path:
    """The file of the memory."""
    return user_config_path("waterview", appauthor=False) / "panel.json"


def write_memory(memory: PanelMemory, path: Path) -> bool:
    """Write `memory`; returns whether that succeeded, because a failure is no error to report."""
    text = json.dumps(asdict(memory), indent=1)
    try:
        write_atomically(path, "panel's memory", lambda place: place.write_text(text, encoding="utf-8"))
    except InputError as error:
        _log.warning("%s", error)
        return False
    return True


def read_memory(path: Path) -> PanelMemory:
    """The memory in a file; the defaults if there is none, or if it makes no sense."""
    try:
        content = json.loads(read_text(path))
        numbers: dict[str, Any] = {name: float(content[name]) for name in ("x", "y", "width", "height")}
        closed = tuple(str(title) for title in content["closed"])
        # Missing in files of older versions.
        checked = InteractionParams(**{name: content[name] for name in HABITS if name in content})
        toolbar = bool(content.get("toolbar", True))
        habits: dict[str, Any] = {name: getattr(checked, name) for name in HABITS}
        memory = PanelMemory(bool(content["shown"]), **numbers, closed=closed, toolbar=toolbar, **habits)
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError, ParameterError):
        return PanelMemory()
    return memory if all(math.isfinite(n) and 0.0 <= n <= _LARGEST for n in numbers.values()) else PanelMemory()

"""What meets a new user: the presets along the bottom of the running scene, and the advice to touch the water."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from platformdirs import user_config_path

from waterview.core.errors import InputError
from waterview.core.files import read_text
from waterview.output.atomic import write_atomically
from waterview.scene.presets import PresetPreview
from waterview.ui.dear_imgui import imgui

from .hud.boxes import MARGIN, text_box
from .panel.gallery import Gallery

ADVICE = "Click the water: a drop falls. Drag: a wake."
"""What is shown until someone has clicked the water."""

ADVICE_LINES = 5.0
"""Height that it takes where the window is narrow, in heights of the font."""

NAME = "Choose a world###worlds"
"""ImGui's name of the window with the presets."""

_CARD = 7.4
"""Width of a preset's picture, in heights of the font; fewer columns where the window is narrower."""


@dataclass(frozen=True)
class WelcomeMemory:
    """What a user has met before: the gallery of presets, and that a click lets a drop fall."""

    gallery: bool = False
    click: bool = False


def memory_path() -> Path:
    """The file of the memory."""
    return user_config_path("waterview", appauthor=False) / "welcome.json"


def read_memory(path: Path) -> WelcomeMemory:
    """The memory in a file; that of a new user if there is none, or if it makes no sense."""
    try:
        content = json.loads(read_text(path))
        return WelcomeMemory(content["gallery"] is True, content["click"] is True)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return WelcomeMemory()


class Welcome:
    """Shows the gallery of presets over the scene, and advice to those who have not yet clicked the water.

    Args:
        path: file of what the user has met before; None remembers nothing and gives no advice.
        opens_gallery: whether the gallery is open at the user's first start.

    Attributes:
        shown: whether the gallery is shown.
        top: height in the window at which it began when it was last drawn.
        memory: what the user has met.
    """

    def __init__(self, path: Path | None = None, *, opens_gallery: bool = False) -> None:
        self._path = path
        self.memory = WelcomeMemory(True, True) if path is None else read_memory(path)
        self.shown = opens_gallery and not self.memory.gallery
        self.top = float("inf")

    def toggle(self) -> None:
        """Show or hide the gallery."""
        self.shown = not self.shown

    def advice(self, can_be_clicked: bool) -> str:
        """The advice, as long as nobody has clicked the water; "" then, and where a click does nothing."""
        return "" if self.memory.click or not can_be_clicked else ADVICE

    def note_click(self) -> None:
        """Someone has clicked the water."""
        self._remember(replace(self.memory, click=True))

    def draw(self, gallery: Gallery, previews: Sequence[PresetPreview], chosen: str, top: float) -> str | None:
        """Draw the gallery, if it is shown, at the lower edge and not above `top`; returns the preset clicked."""
        if not self.shown:
            return None
        self._remember(replace(self.memory, gallery=True))
        screen, em, style = imgui.get_io().display_size, imgui.get_font_size(), imgui.get_style()
        card = _CARD * em + style.item_spacing.x + 2.0 * style.frame_padding.x
        columns = max(1, min(len(previews), int((screen.x - 2.0 * MARGIN) / card)))
        while columns > 1 and -(-len(previews) // (columns - 1)) == -(-len(previews) // columns):
            columns -= 1  # rows of equal length
        place, pivot = imgui.ImVec2(0.5 * screen.x, screen.y - MARGIN), imgui.ImVec2(0.5, 1.0)
        imgui.set_next_window_pos(place, imgui.Cond_.always, pivot)
        imgui.set_next_window_size(imgui.ImVec2(min(columns * card + 2.0 * style.window_padding.x, screen.x), 0.0))
        most = max(screen.y - MARGIN - top, 1.0)
        imgui.set_next_window_size_constraints(imgui.ImVec2(0.0, 0.0), imgui.ImVec2(screen.x, most))
        flags = imgui.WindowFlags_
        fixed = flags.no_saved_settings | flags.no_resize | flags.no_collapse | flags.no_move
        is_open, stays = imgui.begin(NAME, True, fixed | flags.no_focus_on_appearing)
        clicked = gallery.draw(previews, chosen, columns) if is_open else None
        self.top = screen.y - MARGIN - float(imgui.get_window_size().y)
        imgui.end()
        self.shown = self.shown and bool(stays)
        return clicked

    def draw_advice(self, text: str, top: float) -> float:
        """Draw the advice `text`, if there is any, in the middle below `top`; returns where it ends."""
        if not text:
            return top
        width = imgui.get_io().display_size.x
        return top + text_box("advice", (0.5 * width, top), text, width - 2.0 * MARGIN, pivot=(0.5, 0.0))

    def _remember(self, memory: WelcomeMemory) -> None:
        """Keep what the user has met for the next start; that it cannot be written is no error to report."""
        if memory == self.memory:
            return
        self.memory = memory
        if self._path is not None:
            text = json.dumps(asdict(memory))
            try:
                write_atomically(self._path, "memory of the welcome", lambda p: p.write_text(text, encoding="utf-8"))
            except InputError:
                return

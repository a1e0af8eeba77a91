"""Which program a window has here."""

from __future__ import annotations

from .dear_imgui import imgui
from .plain_window import PlainWindow


def window_program() -> type[PlainWindow]:
    """The program for a window: with an interface where Dear ImGui is installed."""
    if imgui is None:
        return PlainWindow
    from .window import WindowProgram

    return WindowProgram

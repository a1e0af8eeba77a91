"""The window: events become commands, frames become pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .plain_window import PlainWindow


def window_program() -> type[PlainWindow]:
    """The program for a window: with an interface where Dear ImGui is installed, which may take seconds to load."""
    from .dear_imgui import imgui

    if imgui is None:
        from .plain_window import PlainWindow

        return PlainWindow
    from .window import WindowProgram

    return WindowProgram

"""The button that ends a wait for the compiler."""

from __future__ import annotations

from collections.abc import Callable

from waterview.ui.dear_imgui import imgui

from .boxes import MARGIN, PADDING

NAME = "cancel"
"""ImGui's name of its box."""


def draw_cancel(top: float, cancel: Callable[[], None]) -> float:
    """Draw the button at the left below `top`, which calls `cancel`; returns where its box ends."""
    flags = imgui.WindowFlags_
    imgui.set_next_window_pos(imgui.ImVec2(MARGIN, top + PADDING), imgui.Cond_.always)
    fixed = flags.no_decoration | flags.no_saved_settings | flags.no_move | flags.always_auto_resize
    imgui.begin(NAME, None, fixed | flags.no_focus_on_appearing)
    if imgui.button("Cancel (Esc): back to the water before"):
        cancel()
    end = top + PADDING + float(imgui.get_window_size().y)
    imgui.end()
    return end

"""The box that asks for size and density of a body from a mesh file."""

from __future__ import annotations

from collections.abc import Callable

from waterview.ui.dear_imgui import imgui
from waterview.ui.hud.boxes import MARGIN, PADDING
from waterview.ui.own_body import OwnBody

NAME = "own body"
"""ImGui's name of the box."""


def draw_body_box(own: OwnBody, top: float, add: Callable[[], None], close: Callable[[], None]) -> float:
    """Draw the box in the middle below `top`, if there is a mesh; returns where it ends.

    Args:
        own: the mesh, whose size and density the sliders change.
        top: height in the window.
        add: adds a body in the middle of the water.
        close: makes no more of them.
    """
    if own.found is None:
        return top
    width, em, flags = imgui.get_io().display_size.x, imgui.get_font_size(), imgui.WindowFlags_
    imgui.set_next_window_pos(imgui.ImVec2(0.5 * width, top + PADDING), imgui.Cond_.always, imgui.ImVec2(0.5, 0.0))
    fixed = flags.no_decoration | flags.no_saved_settings | flags.no_move | flags.always_auto_resize
    imgui.begin(NAME, None, fixed | flags.no_focus_on_appearing)
    room = min(width - 2.0 * MARGIN, 32.0 * em)
    imgui.push_text_wrap_pos(room)
    imgui.text_unformatted(own.found.note or f"{own.found.name}: {own.found.extent:.4g} long in its file")
    imgui.text_unformatted("Click the water to put it there.")
    imgui.pop_text_wrap_pos()
    imgui.push_item_width(min(14.0 * em, 0.6 * room))
    _draw_slider(own, "size", "longest side", "m", "Ctrl+click to type a number.")
    _draw_slider(own, "density", "density", "kg/m³", "Water has 1000 kg/m³: what has less floats.")
    imgui.pop_item_width()
    if imgui.button("Put it in the middle"):
        add()
    imgui.same_line()
    if imgui.button("Done"):
        close()
    end = top + PADDING + float(imgui.get_window_size().y)
    imgui.end()
    return end


def _draw_slider(own: OwnBody, name: str, label: str, unit: str, tooltip: str) -> None:
    """Draw a slider of size or density, with its number beside it, where no knob covers it.

    A number that is typed is taken when it is whole.
    """
    low, high = own.range(name)
    shown = own.typed.get(name, getattr(own, name))
    changed, value = imgui.slider_float(f"##{name}", shown, low, high, "", imgui.SliderFlags_.logarithmic)
    if changed:
        own.typed[name] = value
    if name in own.typed and not (imgui.is_item_active() and imgui.get_io().want_text_input):
        own.choose(name, own.typed.pop(name), label)
    imgui.set_item_tooltip(tooltip)
    imgui.same_line()
    imgui.text_unformatted(f"{label} {getattr(own, name):.4g} {unit}")

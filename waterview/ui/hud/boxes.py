"""Boxes of the HUD: windows of ImGui over the picture. All but those with a button take no input."""

from __future__ import annotations

from collections.abc import Sequence

from waterview.ui.dear_imgui import imgui

MARGIN = 12.0
"""Distance of a box from the edge of the window, in window units."""

PADDING = 8.0
"""Distance of a text from the edge of its box."""


def begin_box(
    name: str, position: tuple[float, float], pivot: tuple[float, float], fits: bool = True, cover: float = 0.45
) -> None:
    """Begin a box; `imgui.end` ends it.

    Args:
        name: ImGui's name of the window.
        position: in the window.
        pivot: the point of the box that lies there, from (0, 0), its upper left corner, to (1, 1).
        fits: whether the box takes the size of its content.
        cover: opacity of its background.
    """
    flags = imgui.WindowFlags_
    resize = flags.always_auto_resize if fits else flags.none
    imgui.set_next_window_pos(imgui.ImVec2(*position), imgui.Cond_.always, imgui.ImVec2(*pivot))
    imgui.set_next_window_bg_alpha(cover)
    imgui.begin(
        name,
        None,
        flags.no_decoration
        | flags.no_inputs
        | flags.no_nav
        | flags.no_saved_settings
        | flags.no_focus_on_appearing  # that would close a list that is open
        | resize,
    )


def text_box(
    name: str,
    position: tuple[float, float],
    text: str,
    width: float,
    pivot: tuple[float, float] = (0.0, 0.0),
    in_front: bool = False,
) -> float:
    """Draw a text wrapped at `width`; returns the height of its box."""
    # Measured here, because ImGui by itself takes the size of the last frame's text.
    wrap = max(width - 2.0 * PADDING, 1.0)
    size = imgui.calc_text_size(text, wrap_width=wrap)
    imgui.set_next_window_size(imgui.ImVec2(size.x + 2.0 * PADDING, size.y + 2.0 * PADDING))
    imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(PADDING, PADDING))
    begin_box(name, position, pivot, fits=False)
    if in_front:
        imgui.internal.bring_window_to_display_front(imgui.internal.get_current_window())
    imgui.push_text_wrap_pos(wrap + PADDING)
    imgui.text_unformatted(text)
    imgui.pop_text_wrap_pos()
    imgui.end()
    imgui.pop_style_var()
    return float(size.y) + 2.0 * PADDING


def button_box(name: str, top: float, label: str) -> tuple[bool, float]:
    """Draw a button at the left below `top`; returns whether it was pressed, and where its box ends."""
    flags = imgui.WindowFlags_
    imgui.set_next_window_pos(imgui.ImVec2(MARGIN, top + PADDING), imgui.Cond_.always)
    fixed = flags.no_decoration | flags.no_saved_settings | flags.no_move | flags.always_auto_resize
    imgui.begin(name, None, fixed | flags.no_focus_on_appearing)
    is_pressed = bool(imgui.button(label))
    end = top + PADDING + float(imgui.get_window_size().y)
    imgui.end()
    return is_pressed, end


def table_box(name: str, top: float, rows: Sequence[tuple[str, str]], bottom: float | None = None) -> None:
    """Draw rows of two texts, in two halves side by side; the font shrinks if there is not enough room below `top`.

    `bottom` is where the room ends, a margin above the lower edge of the window if it is None.
    """
    half, screen, style = -(-len(rows) // 2), imgui.get_io().display_size, imgui.get_style()
    parts = rows[:half], [*rows[half:], *[("", "")] * (2 * half - len(rows))]
    columns = [[f"{words[k]}   " for words in part] for part in parts for k in range(2)]
    width = sum(max(imgui.calc_text_size(text).x for text in column) for column in columns)
    height, end = half * imgui.get_text_line_height(), screen.y - MARGIN if bottom is None else bottom
    around = 2.0 * style.window_padding.x + 8.0 * style.cell_padding.x + 2.0 * MARGIN
    between = 2.0 * style.window_padding.y + 2.0 * half * style.cell_padding.y
    share = min((screen.x - around) / width, (end - top - between) / height, 1.0)
    begin_box(name, (0.5 * screen.x, 0.5 * (top + end)), (0.5, 0.5), cover=0.75)
    imgui.push_font(None, max(share * style.font_size_base, 1.0))
    if imgui.begin_table(name, 4, imgui.TableFlags_.sizing_fixed_fit):
        for texts in zip(*columns, strict=True):
            for text in texts:
                imgui.table_next_column()
                imgui.text_unformatted(text)
        imgui.end_table()
    imgui.pop_font()
    imgui.end()

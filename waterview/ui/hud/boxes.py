"""Boxes of the HUD: windows of ImGui over the picture. All but those with a button take no input."""

from __future__ import annotations

from collections.abc import Sequence

from waterview.ui.dear_imgui import imgui

MARGIN = 12.0
"""Distance of a box from the edge of the window, in window units."""

PADDING = 8.0
"""Distance of a text from the edge of its box."""

_READABLE = 0.75
"""Least size of the font of a table, as a share of the usual one; a table that needs a smaller one is scrolled."""

_WEIGHTS = (0.38, 0.62)
"""Shares of the width for the two texts of a row that wrap."""


def begin_box(
    name: str,
    position: tuple[float, float],
    pivot: tuple[float, float],
    fits: bool = True,
    cover: float = 0.45,
    takes_mouse: bool = False,
) -> None:
    """Begin a box; `imgui.end` ends it.

    Args:
        name: ImGui's name of the window.
        position: in the window.
        pivot: the point of the box that lies there, from (0, 0), its upper left corner, to (1, 1).
        fits: whether the box takes the size of its content.
        cover: opacity of its background.
        takes_mouse: whether clicks and the wheel go to the box.
    """
    flags = imgui.WindowFlags_
    resize = flags.always_auto_resize if fits else flags.none
    inputs = flags.no_move if takes_mouse else flags.no_inputs
    imgui.set_next_window_pos(imgui.ImVec2(*position), imgui.Cond_.always, imgui.ImVec2(*pivot))
    imgui.set_next_window_bg_alpha(cover)
    imgui.begin(
        name,
        None,
        flags.no_decoration
        | inputs
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
    # Else a line of large text gets a box that is higher than measured.
    imgui.push_style_var(imgui.StyleVar_.window_min_size, imgui.ImVec2(1.0, 1.0))
    begin_box(name, position, pivot, fits=False)
    if in_front:
        imgui.internal.bring_window_to_display_front(imgui.internal.get_current_window())
    imgui.push_text_wrap_pos(wrap + PADDING)
    imgui.text_unformatted(text)
    imgui.pop_text_wrap_pos()
    imgui.end()
    imgui.pop_style_var(2)
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
    """Draw rows of two texts below `top`, in two halves side by side, or below each other where that is narrow.

    The font shrinks if there is not enough room, but stays readable: then the wheel scrolls the table.

    Args:
        name: ImGui's name of the box.
        top: where the room begins.
        rows: the texts.
        bottom: where the room ends; None is a margin above the lower edge of the window.
    """
    screen, style = imgui.get_io().display_size, imgui.get_style()
    end = screen.y - MARGIN if bottom is None else bottom
    around = 2.0 * style.window_padding.x + 2.0 * MARGIN
    shares = {}
    for halves in (2, 1):
        columns = _columns(rows, halves)
        width = sum(max(imgui.calc_text_size(text).x for text in column) for column in columns)
        height, padding = len(columns[0]) * imgui.get_text_line_height(), 2.0 * len(columns[0]) * style.cell_padding.y
        across = (screen.x - around - 4.0 * halves * style.cell_padding.x) / width
        upward = (end - top - 2.0 * style.window_padding.y - padding) / height
        shares[halves] = across, min(across, upward, 1.0)
    for halves, (_, share) in shares.items():
        if share >= _READABLE:
            begin_box(name, (0.5 * screen.x, 0.5 * (top + end)), (0.5, 0.5), cover=0.75)
            _draw_table(name, _columns(rows, halves), share)
            imgui.end()
            return
    halves = 2 if shares[2][0] >= _READABLE else 1
    imgui.set_next_window_size(imgui.ImVec2(screen.x - 2.0 * MARGIN, max(end - top, 1.0)))
    begin_box(name, (MARGIN, top), (0.0, 0.0), fits=False, cover=0.75, takes_mouse=True)
    if imgui.begin_child(f"{name} scrolled"):
        _draw_table(name, _columns(rows, halves), min(max(shares[halves][0], _READABLE), 1.0), wraps=halves == 1)
    imgui.end_child()
    imgui.end()


def _columns(rows: Sequence[tuple[str, str]], halves: int) -> list[list[str]]:
    """The columns of rows of two texts: two of each half."""
    count = -(-len(rows) // halves)
    filled = [*rows, *[("", "")] * (halves * count - len(rows))]
    parts = [filled[half * count : (half + 1) * count] for half in range(halves)]
    return [[f"{words[k]}   " for words in part] for part in parts for k in range(2)]


def _draw_table(name: str, columns: Sequence[Sequence[str]], share: float, wraps: bool = False) -> None:
    """Draw columns of text with a font of a `share` of the usual size; a text that does not wrap has a line."""
    sizing = imgui.TableFlags_.sizing_stretch_prop if wraps else imgui.TableFlags_.sizing_fixed_fit
    imgui.push_font(None, max(share * imgui.get_style().font_size_base, 1.0))
    if imgui.begin_table(name, len(columns), sizing):
        for number in range(len(columns) if wraps else 0):
            imgui.table_setup_column(f"##{number}", init_width_or_weight=_WEIGHTS[number % 2])
        imgui.push_text_wrap_pos(0.0 if wraps else -1.0)
        for texts in zip(*columns, strict=True):
            for text in texts:
                imgui.table_next_column()
                imgui.text_unformatted(text)
        imgui.pop_text_wrap_pos()
        imgui.end_table()
    imgui.pop_font()

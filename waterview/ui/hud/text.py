"""The line of figures, the list of keys and passing messages: text made from state, then drawn with ImGui."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from imgui_bundle import imgui
from numpy.typing import NDArray

from waterview.core.diagnostics import FieldMap, Totals
from waterview.core.frame import Frame
from waterview.core.params import Declaration, Params, declarations
from waterview.ui.keys import ACTIONS, MOUSE, sign
from waterview.ui.panel.rows import effective_value

from .plots import Probe
from .row_view import Columns, RowView, columns_of

_MARGIN = 12.0
_PADDING = 8.0
_MESSAGE_SECONDS = 6.0
_ROW_SIZE = (0.6, 0.24)
_GROUND, _WATER, _STILL = (0.55, 0.45, 0.33, 1.0), (0.30, 0.62, 0.78, 1.0), (1.0, 1.0, 1.0, 0.45)
_VELOCITY = (1.0, 0.74, 0.36, 1.0)


def figures(frame: Frame, params: Params, steps_per_second: float, frames_per_second: float) -> list[str]:
    """What the HUD line says: every parameter that has keys, then what the solver makes of them.

    Where the solver had to use another value than the one requested, both are given.
    """
    parts = [
        _requested_and_effective(entry, params, frame) for entry in declarations(type(params)) if entry.keys is not None
    ]
    if "courant" in frame.effective:
        parts.append(f"Courant {frame.effective['courant']:.3f}")
    if frame.effective.get("substeps", 1) > 1:
        parts.append(f"{frame.effective['substeps']:.0f} sub-steps")
    return [*parts, f"{steps_per_second:.0f} steps/s", f"{frames_per_second:.0f} frames/s"]


def totals_line(totals: Totals) -> str:
    """Mean level and energies in words."""
    parts = [f"mean level {totals.mean_level:.3g} m"]
    if totals.potential is not None:
        parts.append(f"potential energy {totals.potential:.3g} J")
    if totals.kinetic is not None:
        parts.append(f"kinetic energy {totals.kinetic:.3g} J")
    return "   ".join(parts)


def range_lines(view: FieldMap) -> tuple[str, str, str]:
    """Name, highest and lowest value of a map in words."""
    low, high = (value + 0.0 for value in view.range)  # −0 becomes 0
    return view.name, f"{high:.3g} {view.unit}".rstrip(), f"{low:.3g} {view.unit}".rstrip()


def _requested_and_effective(entry: Declaration, params: Params, frame: Frame) -> str:
    text = f"{entry.label} {getattr(params, entry.name):.4g} {entry.unit}".rstrip()
    effective = effective_value(entry, params, frame)
    return text if effective is None else f"{text} (effective {effective:.4g})"


def help_lines(parameter_sets: Iterable[type[Params]]) -> list[tuple[str, str]]:
    """(keys, what they do) for the mouse, every parameter with keys, and every action."""
    lines = list(MOUSE)
    for params in parameter_sets:
        for entry in declarations(params):
            if entry.keys is not None:
                less, more = entry.keys
                change = "next / last" if entry.choices else "up / down (Shift: finely)"
                lines.append((f"{sign(more)} / {sign(less)}", f"{entry.label} {change}"))
    return lines + [(sign(action.key), action.doc) for action in ACTIONS]


class Hud:
    """Draws figures, help and messages into an ImGui frame.

    Attributes:
        help_shown: whether the list of keys is shown.
        floor: height at the bottom of the window that something else takes, so that messages stand above it.
    """

    def __init__(self) -> None:
        self.help_shown = False
        self.floor = 0.0
        self._messages: deque[tuple[str, float]] = deque(maxlen=4)

    @property
    def tells(self) -> bool:
        """Whether a message is shown."""
        return bool(self._messages)

    def tell(self, message: str) -> None:
        """Show a message for a few seconds."""
        self._messages.append((message, _MESSAGE_SECONDS))

    def draw(self, line: Sequence[str], keys: Sequence[tuple[str, str]], seconds: float) -> None:
        """Describe the interface to ImGui; `seconds` have passed since the last frame."""
        size = imgui.get_io().display_size
        self._messages = deque(((text, left - seconds) for text, left in self._messages if left > seconds), maxlen=4)
        hint = [] if self.help_shown else ["H: help", "F2: settings"]
        height = _text_box("figures", (_MARGIN, _MARGIN), "   ".join([*line, *hint]), size.x - 2 * _MARGIN)
        if self._messages:
            text = "\n".join(text for text, _ in self._messages)
            place = _MARGIN, size.y - _MARGIN - self.floor
            _text_box("messages", place, text, size.x - 2 * _MARGIN, pivot=(0.0, 1.0), in_front=True)
        if self.help_shown:
            _table_box("keys", 2 * _MARGIN + height, keys)


def draw_field(view: FieldMap, texture: int, bar: int, aspect: float) -> None:
    """A map in the lower right corner with its colour bar.

    Args:
        view: what is shown.
        texture: the map's texture, see `ImGuiLayer.picture`.
        bar: the colour bar's.
        aspect: width of the map over its height.
    """
    screen = imgui.get_io().display_size
    height = 0.32 * screen.y
    name, highest, lowest = range_lines(view)
    _begin("field", (screen.x - _MARGIN, screen.y - _MARGIN), (1.0, 1.0))
    imgui.text_unformatted(f"{name}: {lowest} to {highest}")
    imgui.image(imgui.ImTextureRef(texture), imgui.ImVec2(height * aspect, height))
    imgui.same_line()
    imgui.image(imgui.ImTextureRef(bar), imgui.ImVec2(16.0, height))
    imgui.end()


def draw_probe(probe: Probe) -> None:
    """The height at the probe over time, in the upper right corner."""
    screen = imgui.get_io().display_size
    heights = np.array(probe.heights, np.float32)
    if heights.size < 2:
        return
    bound = float(np.abs(heights).max()) or 1.0
    _begin("probe", (screen.x - _MARGIN, 4.0 * _MARGIN), (1.0, 0.0))
    imgui.text_unformatted(f"height at {probe.x:.4g}, {probe.z:.4g}: {heights[-1]:.3g} m, up to {bound:.3g} m")
    size = imgui.ImVec2(0.3 * screen.x, 0.18 * screen.y)
    imgui.plot_lines("##probe", heights, scale_min=-bound, scale_max=bound, graph_size=size)
    imgui.end()


def row_words(view: RowView, columns: Columns) -> tuple[str, str, str]:
    """Which row it is, its heights and its velocities, in words."""
    highest = float(np.abs(view.heights).max())
    magnified = f", drawn × {columns.magnified:g}" if columns.magnified > 1.0 else ""
    velocity = "v not known yet" if columns.velocity is None else f"v up to {columns.fastest:.3g} m/s"
    return view.title, f"u up to {highest:.3g} m{magnified}", velocity


def draw_row(view: RowView) -> float:
    """The columns of a row with their velocities in the lower left corner; returns the height that it takes."""
    screen = imgui.get_io().display_size
    width, height = _ROW_SIZE[0] * screen.x, _ROW_SIZE[1] * screen.y
    columns = columns_of(view, width, height)
    _begin("row", (_MARGIN, screen.y - _MARGIN), (0.0, 1.0))
    for number, words in enumerate(row_words(view, columns)):
        if number:
            imgui.same_line(spacing=1.5 * imgui.get_font_size())
        imgui.text_colored(imgui.ImVec4(*((1.0, 1.0, 1.0, 1.0), _WATER, _VELOCITY)[number]), words)
    corner = imgui.get_cursor_screen_pos()
    imgui.dummy(imgui.ImVec2(width, height))
    _draw_columns(columns, corner.x, corner.y, height)
    taken = imgui.get_window_size().y + _PADDING
    imgui.end()
    return float(taken)


def _draw_columns(columns: Columns, left: float, top: float, height: float) -> None:
    paint, point = imgui.get_window_draw_list(), imgui.ImVec2
    ground, water, still, velocity = (
        imgui.color_convert_float4_to_u32(imgui.ImVec4(*colour)) for colour in (_GROUND, _WATER, _STILL, _VELOCITY)
    )
    gap = 1.0 if columns.right[0] - columns.left[0] > 4.0 else 0.0
    sides = columns.left + left, columns.right + left - gap, columns.ground + top, columns.surface + top
    for start, stop, bottom, surface in np.stack(sides, axis=1):
        paint.add_rect_filled(point(start, bottom), point(stop, top + height), ground)
        if surface < bottom:
            paint.add_rect_filled(point(start, surface), point(stop, bottom), water)
    end = left + float(columns.right[-1])
    paint.add_line(point(left, top + columns.still), point(end, top + columns.still), still)
    if columns.velocity is not None:
        middles = 0.5 * (columns.left + columns.right) + left
        _draw_line(paint, np.stack((middles, columns.velocity + top), axis=1), velocity)


def draw_line_in_scene(places: NDArray[np.float64]) -> None:
    """A thin line over the scene and under everything else, through places of the window, shape (n, 2)."""
    _draw_line(imgui.get_background_draw_list(), places, imgui.color_convert_float4_to_u32(imgui.ImVec4(*_VELOCITY)))


def _draw_line(paint: imgui.ImDrawList, places: NDArray[np.float64], colour: int) -> None:
    """A line through the places; broken where one is not a number."""
    points = [imgui.ImVec2(x, y) if np.isfinite(x + y) else None for x, y in places]
    for one, other in pairwise(points):
        if one is not None and other is not None:
            paint.add_line(one, other, colour, 1.5)


def _begin(
    name: str, position: tuple[float, float], pivot: tuple[float, float], fits: bool = True, cover: float = 0.45
) -> None:
    flags = imgui.WindowFlags_
    resize = flags.always_auto_resize if fits else flags.none
    imgui.set_next_window_pos(imgui.ImVec2(*position), imgui.Cond_.always, imgui.ImVec2(*pivot))
    imgui.set_next_window_bg_alpha(cover)
    imgui.begin(
        name,
        None,
        flags.no_decoration | flags.no_inputs | flags.no_nav | flags.no_saved_settings | resize,
    )


def _text_box(
    name: str,
    position: tuple[float, float],
    text: str,
    width: float,
    pivot: tuple[float, float] = (0.0, 0.0),
    in_front: bool = False,
) -> float:
    """A text that is broken into lines of a width; returns the height of its box."""
    # Measured here: the size that ImGui finds by itself is that of the last frame's text.
    wrap = max(width - 2.0 * _PADDING, 1.0)
    size = imgui.calc_text_size(text, wrap_width=wrap)
    imgui.set_next_window_size(imgui.ImVec2(size.x + 2.0 * _PADDING, size.y + 2.0 * _PADDING))
    imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(_PADDING, _PADDING))
    _begin(name, position, pivot, fits=False)
    if in_front:
        imgui.internal.bring_window_to_display_front(imgui.internal.get_current_window())
    imgui.push_text_wrap_pos(wrap + _PADDING)
    imgui.text_unformatted(text)
    imgui.pop_text_wrap_pos()
    imgui.end()
    imgui.pop_style_var()
    return float(size.y) + 2.0 * _PADDING


def _table_box(name: str, top: float, rows: Sequence[tuple[str, str]]) -> None:
    """Keys and what they do, in two halves side by side; in smaller letters where there is not the room below `top`."""
    half, screen, style = -(-len(rows) // 2), imgui.get_io().display_size, imgui.get_style()
    parts = rows[:half], [*rows[half:], *[("", "")] * (2 * half - len(rows))]
    columns = [[f"{words[k]}   " for words in part] for part in parts for k in range(2)]
    width = sum(max(imgui.calc_text_size(text).x for text in column) for column in columns)
    height, end = half * imgui.get_text_line_height(), screen.y - _MARGIN
    around = 2.0 * style.window_padding.x + 8.0 * style.cell_padding.x + 2.0 * _MARGIN
    between = 2.0 * style.window_padding.y + 2.0 * half * style.cell_padding.y
    share = min((screen.x - around) / width, (end - top - between) / height, 1.0)
    _begin(name, (0.5 * screen.x, 0.5 * (top + end)), (0.5, 0.5), cover=0.75)
    imgui.push_font(None, max(share * style.font_size_base, 1.0))
    if imgui.begin_table(name, 4, imgui.TableFlags_.sizing_fixed_fit):
        for texts in zip(*columns, strict=True):
            for text in texts:
                imgui.table_next_column()
                imgui.text_unformatted(text)
        imgui.end_table()
    imgui.pop_font()
    imgui.end()

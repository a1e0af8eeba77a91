"""The panel drawn with ImGui, from the rows of `waterview.ui.panel.rows`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from waterview.core.errors import InputError
from waterview.core.params import Value
from waterview.scene.interaction import InteractionParams
from waterview.scene.sections import GAUGES, SCENE
from waterview.ui.dear_imgui import imgui
from waterview.ui.hud.boxes import PADDING
from waterview.ui.hud.dock import Area
from waterview.ui.hud.text import MESSAGE_LINES, NARROW, solver_lines
from waterview.ui.viewer import Viewer

from .file_dialog import FileDialog
from .gallery import Gallery, Show
from .gauge_list import GaugeList
from .memory import HABITS, read_memory, write_memory
from .plots import History, draw_plot
from .rows import Group, Row, describe

_LABEL_WIDTH = 9.0
_NUMBER_WIDTH = 6.0
_PLOTS, _PRESETS = "Plots", "Presets"
_LONGEST = 24
_ROUNDED = 1.5
"""Dear ImGui rounds places and sizes: what differs more from those given was moved or resized [window units]."""
_GRID = "scene.grid"
"""The row of the grid, whose cost is told before it is made."""
NAME = "Settings###panel"
"""ImGui's name of the panel's window."""

_EFFECTIVE_COLOUR = (0.98, 0.76, 0.40, 1.0)


class Panel:
    """A window of sliders, lists and plots; F2 shows it.

    Args:
        path: file of its memory.
        notify: shows a message to the user.
        show: makes a texture of a picture, for the gallery of presets.

    Attributes:
        memory: where and how it is shown.
        history: values of its plots.
        gallery: its presets.
        dialog: opens files.
        gauges: the list of gauges.
        places: x, y, width and height on the screen of the rows' widgets, by the rows' keys.
        area: where it lies in the window; None before it was first drawn.
        has_keyboard: whether keys act on the panel, for use without a mouse.
    """

    def __init__(self, path: Path, notify: Callable[[str], None], show: Show) -> None:
        self._path, self._notify = path, notify
        self._saved_memory = self.memory = read_memory(path)
        self._is_placed = False
        self._around: tuple[float, ...] = ()
        self._wanted = self.memory.x, self.memory.y  # where the user put it; a small window may have no room there
        self._given = (0.0,) * 4
        self.area: Area | None = None
        self.dialog = FileDialog()
        self.gauges = GaugeList(notify)
        self._pending: dict[str, Value] = {}
        self._reset: str | None = None
        self._typed = ""
        self._asked_grid: int | None = None
        self.history = History()
        self.gallery = Gallery(show)
        self.has_keyboard = self._needs_focus = False
        self.places: dict[str, tuple[float, float, float, float]] = {}

    @property
    def shown(self) -> bool:
        """Whether it is shown."""
        return self.memory.shown

    def toggle(self) -> None:
        """Show or hide it."""
        self.memory = replace(self.memory, shown=not self.shown)
        self._is_placed = False
        self.has_keyboard = self.has_keyboard and self.shown
        self.save()

    @property
    def habits(self) -> dict[str, Any]:
        """The parameters of interaction that are remembered, by name."""
        return {name: getattr(self.memory, name) for name in HABITS}

    def note_habits(self, interaction: InteractionParams) -> None:
        """Remember them as they are now."""
        self.memory = replace(self.memory, **{name: getattr(interaction, name) for name in HABITS})

    @property
    def toolbar(self) -> bool:
        """Whether the toolbar is shown."""
        return self.memory.toolbar

    def toggle_toolbar(self) -> None:
        """Show the toolbar or hide it."""
        self.memory = replace(self.memory, toolbar=not self.toolbar)
        self.save()

    def take_keyboard(self) -> None:
        """Let keys act on the panel, which is shown for that, or on the water again."""
        self.has_keyboard = self._needs_focus = not self.has_keyboard
        if self.has_keyboard and not self.shown:
            self.toggle()

    def save(self) -> None:
        """Save its memory for the next start, if it has changed."""
        memory = replace(self.memory, x=self._wanted[0], y=self._wanted[1])
        if memory != self._saved_memory:
            write_memory(memory, self._path)
            self._saved_memory = memory

    @property
    def is_waiting(self) -> bool:
        """Whether a file dialog is open; it is polled when the panel is drawn."""
        return self.dialog.is_open or self.gauges.dialog.is_open

    def draw(self, viewer: Viewer, top: float = 0.0, bottom: float | None = None, *, is_covered: bool = False) -> None:
        """Draw the panel, make the changes that the user asks for, and poll an open dialog.

        Args:
            viewer: what it shows and changes.
            top: where what stands at the top of the window ends; the panel opens below.
            bottom: where its room ends; None is the lower edge of the window.
            is_covered: whether something else takes the whole window, so that the panel waits.
        """
        path = self.dialog.chosen()
        if path is not None:
            viewer.open(path)
        self.gauges.poll(viewer)
        if is_covered or not self.shown:
            return
        self._place(top, imgui.get_io().display_size.y if bottom is None else bottom)
        if self._needs_focus:
            imgui.set_next_window_focus()
            imgui.set_nav_cursor_visible(True)
            self._needs_focus = False
        is_open, stays = imgui.begin(NAME, True, imgui.WindowFlags_.no_saved_settings)
        if is_open:
            self._draw_content(viewer)
        self._remember_place()
        imgui.end()
        if not stays:
            self.toggle()

    def _place(self, top: float, bottom: float) -> None:
        """Place the panel where it was, inside the window: that may be smaller now, or the text larger."""
        screen, em, memory = imgui.get_io().display_size, imgui.get_font_size(), self.memory
        around = (em, screen.x, top, bottom)
        if self._is_placed and (around == self._around or self._is_held(around)):
            return
        self._around = around
        width = min(memory.width * em, screen.x)
        x = max(min(self._wanted[0] * em, screen.x - width), 0.0)
        y = max(min(self._wanted[1] * em, bottom - 8.0 * em), top + PADDING)
        is_narrow = screen.x - width < (NARROW + 2.5) * em
        room = max(bottom - y - (MESSAGE_LINES * em if is_narrow else 0.0), 4.0 * em)
        height = min(memory.height * em or (room if is_narrow else max(room - 4.0 * em, 8.0 * em)), room)
        imgui.set_next_window_pos(imgui.ImVec2(x, y), imgui.Cond_.always)
        imgui.set_next_window_size(imgui.ImVec2(width, height), imgui.Cond_.always)
        imgui.set_next_window_collapsed(False, imgui.Cond_.always)
        self._is_placed, self._given = True, (x, y, width, height)

    def _is_held(self, around: tuple[float, ...]) -> bool:
        """Whether the panel stays under the pointer though a line above it came or went: clicks would miss rows."""
        em, width, top, bottom = around
        mouse, area = imgui.get_io().mouse_pos, self.area
        if (
            area is None
            or (em, width, bottom) != (*self._around[:2], self._around[3])
            or top > self._around[2] + 1.5 * em
        ):
            return False
        is_over = area.left <= mouse.x <= area.right and area.top <= mouse.y <= area.bottom
        return bool(is_over or imgui.is_any_item_active())

    def _remember_place(self) -> None:
        place, size, em = imgui.get_window_pos(), imgui.get_window_size(), imgui.get_font_size()
        self.area = Area(place.x, place.y, place.x + size.x, place.y + size.y)
        if imgui.is_window_collapsed():
            return
        x, y = round(max(place.x, 0.0) / em, 2), round(max(place.y, 0.0) / em, 2)
        self.memory = replace(self.memory, x=x, y=y)
        # What the user did not move or resize comes back when the window is larger again.
        if max(abs(place.x - self._given[0]), abs(place.y - self._given[1])) > _ROUNDED:
            self._wanted = x, y
        if max(abs(size.x - self._given[2]), abs(size.y - self._given[3])) > _ROUNDED:
            self.memory = replace(self.memory, width=round(size.x / em, 2), height=round(size.y / em, 2))

    def _draw_content(self, viewer: Viewer) -> None:
        self.places.clear()
        if self._header(_PRESETS):
            self._draw_gallery(viewer)
        for group in describe(viewer):
            if self._header(group.title):
                if group.title == SCENE:
                    self._draw_open_button()
                self._draw_group(group, viewer)
                if group.title == GAUGES:
                    self.gauges.draw(viewer)
        if self._header(_PLOTS):
            for line in solver_lines(viewer.frame):
                imgui.text_unformatted(line)
            for plot in self.history.plots():
                draw_plot(plot)

    def _header(self, title: str) -> bool:
        closed = self.memory.closed
        imgui.set_next_item_open(title not in closed, imgui.Cond_.once)
        is_open = bool(imgui.collapsing_header(title))
        if is_open == (title in closed):
            closed = tuple(other for other in closed if other != title) if is_open else (*closed, title)
            self.memory = replace(self.memory, closed=closed)
        return is_open

    def _draw_gallery(self, viewer: Viewer) -> None:
        chosen = next((str(value) for entry, value in viewer.scene_settings() if entry.name == "preset"), "")
        preset = self.gallery.draw(viewer.gallery(), chosen)
        if preset is not None:
            viewer.change("scene", "preset", preset)

    def _draw_open_button(self) -> None:
        if imgui.button("Open a file…"):
            problem = self.dialog.show()
            if problem:
                self._notify(problem)
        imgui.set_item_tooltip(
            "A heightmap, a preset (.toml), a session (.waterview), a recording (.npz) or a mesh that floats (.stl, "
            ".glb, .obj, .ply); or drop one into the window. A folder such as a baked lake is opened by its zarr.json."
        )

    def _draw_group(self, group: Group, viewer: Viewer) -> None:
        flags = imgui.TableFlags_.sizing_stretch_prop
        if not imgui.begin_table(group.title, 2, flags):
            return
        imgui.table_setup_column("name", imgui.TableColumnFlags_.width_fixed, _LABEL_WIDTH * imgui.get_font_size())
        imgui.table_setup_column("value", imgui.TableColumnFlags_.width_stretch)
        for row in group.rows:
            self._draw_row(row, viewer)
        imgui.end_table()

    def _draw_row(self, row: Row, viewer: Viewer) -> None:
        imgui.table_next_row()
        imgui.table_next_column()
        imgui.align_text_to_frame_padding()
        imgui.text_unformatted(row.label)
        is_over = imgui.is_item_hovered()
        imgui.set_item_tooltip(row.tooltip.replace("%", "%%"))
        imgui.table_next_column()
        beside = row.kind in {"whole", "number"}
        imgui.set_next_item_width(-_NUMBER_WIDTH * imgui.get_font_size() if beside else -1.0)
        is_typed = self._typed == row.key
        if beside and not is_typed:  # the number stands beside the knob, which would cover it
            imgui.push_style_color(imgui.Col_.text, imgui.ImVec4(0.0, 0.0, 0.0, 0.0))
        value_now = self._pending.get(row.key, row.value)
        changed, value = _widget(row, value_now)
        if beside and not is_typed:
            imgui.pop_style_color()
        if imgui.is_item_active() and imgui.get_io().want_text_input:
            self._typed = row.key
        elif is_typed:
            self._typed = ""
        self._handle(row, changed, value, is_over, viewer)
        if beside:
            imgui.same_line(spacing=0.5 * imgui.get_font_size())
            imgui.text_unformatted(row.number_text(self._pending.get(row.key, value)))
        if row.key == _GRID:
            self._draw_cost(row, viewer)
        if row.effective_text:
            imgui.text_colored(imgui.ImVec4(*_EFFECTIVE_COLOUR), row.effective_text)

    def _draw_cost(self, row: Row, viewer: Viewer) -> None:
        """What the grid would cost that is being chosen, with buttons where it is a large one."""
        grid = self._pending.get(row.key, self._asked_grid)
        if grid is None:
            return
        imgui.push_text_wrap_pos(0.0)
        imgui.text_colored(imgui.ImVec4(*_EFFECTIVE_COLOUR), viewer.grid_cost(int(grid)).words)
        imgui.pop_text_wrap_pos()
        if self._asked_grid is None or row.key in self._pending:
            return
        wanted = self._asked_grid
        if imgui.button(f"Take {wanted}##grid"):
            self._asked_grid = None
            viewer.change("scene", "grid", wanted)
        self._note_place("take grid")
        imgui.same_line()
        if imgui.button("Cancel##grid"):
            self._asked_grid = None
        self._note_place("cancel grid")

    def _note_place(self, key: str) -> None:
        corner, size = imgui.get_item_rect_min(), imgui.get_item_rect_size()
        self.places[key] = (corner.x, corner.y, size.x, size.y)

    def _handle(self, row: Row, changed: bool, value: Value, is_over: bool, viewer: Viewer) -> None:
        """Make the change asked for with the widget drawn last, whose new value is `value`."""
        self._note_place(row.key)
        is_over = imgui.is_item_hovered() or is_over
        imgui.set_item_tooltip(row.tooltip.replace("%", "%%"))
        if is_over and imgui.is_mouse_double_clicked(0) and row.kind not in {"choice", "check", "text"}:
            self._reset, self._pending = row.key, {}
            self._set(row, row.entry.default, viewer)
        elif self._reset == row.key and imgui.is_mouse_down(0):
            return  # or the slider would move at once to where the double-click was
        else:
            self._reset = None if self._reset == row.key else self._reset
            self._set_when_done(row, changed, value, viewer)

    def _set_when_done(self, row: Row, changed: bool, value: Value, viewer: Viewer) -> None:
        """Make a change at once; if it needs new water or is being typed, only when the widget is released."""
        waits = row.kind in {"whole", "number", "typed"} and (row.slow or imgui.get_io().want_text_input)
        if changed and not waits:
            self._set(row, value, viewer)
        elif changed:
            self._pending[row.key] = value
        if imgui.is_item_deactivated_after_edit() and row.key in self._pending:
            self._set(row, self._pending.pop(row.key), viewer)
        elif not imgui.is_item_active():
            self._pending.pop(row.key, None)

    def _set(self, row: Row, wanted: Value, viewer: Viewer) -> None:
        value, note = row.corrected(wanted)
        if note:
            self._notify(note)
        self._asked_grid = None if row.key == _GRID else self._asked_grid
        if value == row.value:
            return
        if row.key == _GRID and int(value) > int(row.value) and viewer.grid_cost(int(value)).is_large:
            self._asked_grid = int(value)
            return
        try:
            viewer.change(row.owner, row.entry.name, value)
        except InputError as error:  # a file that cannot be read, or values that do not agree
            self._notify(str(error))


def apply_style() -> None:
    """Set colours and shapes of the current ImGui context: calm, slightly transparent, readable on sliders."""
    style = imgui.get_style()
    style.window_rounding, style.frame_rounding, style.grab_rounding = 6.0, 4.0, 4.0
    style.window_border_size, style.grab_min_size = 0.0, 8.0
    colours = imgui.Col_
    for colour, value in (
        (colours.window_bg, (0.06, 0.09, 0.11, 0.86)),
        (colours.popup_bg, (0.06, 0.09, 0.11, 0.96)),
        (colours.title_bg, (0.08, 0.20, 0.26, 0.92)),
        (colours.title_bg_active, (0.10, 0.28, 0.36, 0.96)),
        (colours.header, (0.14, 0.36, 0.44, 0.55)),
        (colours.header_hovered, (0.18, 0.46, 0.56, 0.70)),
        (colours.header_active, (0.20, 0.52, 0.62, 0.80)),
        (colours.frame_bg, (0.21, 0.30, 0.35, 0.95)),
        (colours.frame_bg_hovered, (0.25, 0.36, 0.42, 0.98)),
        (colours.frame_bg_active, (0.27, 0.40, 0.46, 1.00)),
        (colours.slider_grab, (0.20, 0.50, 0.60, 0.90)),
        (colours.slider_grab_active, (0.26, 0.62, 0.74, 1.00)),
        (colours.button, (0.14, 0.36, 0.44, 0.80)),
        (colours.button_hovered, (0.18, 0.46, 0.56, 0.90)),
        (colours.button_active, (0.20, 0.52, 0.62, 1.00)),
        (colours.check_mark, (0.40, 0.82, 0.92, 1.00)),
        (colours.plot_lines, (0.40, 0.82, 0.92, 1.00)),
    ):
        style.set_color_(colour, imgui.ImVec4(*value))


def _widget(row: Row, value: Value) -> tuple[bool, Value]:
    """Draw the widget of a row; returns whether it was changed, and its value."""
    name, flags = f"##{row.key}", imgui.SliderFlags_
    low, high = row.bounds
    result: tuple[Any, Any]
    match row.kind:
        case "check":
            result = imgui.checkbox(name, bool(value))
        case "choice":
            result = _choice(name, row, str(value))
        case "text":
            # Long texts, such as series, are shown by their beginning; what is typed replaces them.
            hint = str(value) if len(str(value)) <= _LONGEST else f"{str(value)[:_LONGEST]}…"
            entered = imgui.InputTextFlags_.enter_returns_true
            result = imgui.input_text_with_hint(name, hint or "none", "", entered)
        case "typed":
            result = imgui.input_int(name, int(value), 1, 100)
        case "whole":
            scale = flags.logarithmic if row.logarithmic else flags.none
            result = imgui.slider_int(name, int(value), int(low), int(high), row.pattern, scale)
        case _:
            scale = flags.logarithmic if row.logarithmic else flags.none
            result = imgui.slider_float(name, float(value), low, high, row.pattern, scale | flags.no_round_to_format)
    return bool(result[0]), result[1]


def _choice(name: str, row: Row, value: str) -> tuple[bool, str]:
    """A drop-down list; it shows `value` even if that is none of the choices."""
    chosen = value
    if imgui.begin_combo(name, value):
        for choice in row.entry.choices:
            if imgui.selectable(choice, choice == value)[0]:
                chosen = choice
        imgui.end_combo()
    return chosen != value, chosen

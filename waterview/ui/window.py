"""The program in its window with its interface: figures, toolbar, panel and gallery over the water."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import glfw
from imgui_bundle import imgui
from moderngl_window.context.glfw.window import Window as GlfwWindow

from waterview.core.diagnostics import FieldMap
from waterview.render.settings import ViewParams
from waterview.scene.interaction import InteractionParams
from waterview.sim.playback import PlaybackParams

from .glfw_window import (
    content_scale,
    meant_modifiers,
    open_window,
    pointer_position,
    pressed_modifiers,
    read_clipboard,
    title_of,
    write_clipboard,
)
from .hud.boxes import MARGIN, PADDING, button_box
from .hud.dock import Area
from .hud.field_map import colour_bar, colours, draw_field
from .hud.gauges import draw_gauges, draw_marks, gauge_marks
from .hud.probe import draw_probe
from .hud.row_view import draw_line_in_scene, draw_row, line_in_scene
from .hud.text import MESSAGE_LINES, NARROW, Hud, figures, help_lines
from .hud.timeline import Timeline
from .hud.toolbar import Button, Toolbar
from .imgui_layer import ImGuiLayer
from .keys import key_name
from .panel.body_box import draw_body_box
from .panel.memory import memory_path
from .panel.view import Panel, apply_style
from .plain_window import PlainWindow
from .welcome import ADVICE_LINES

__all__ = ["WindowProgram", "open_window"]

_PANEL_KEYS = ("f2", "f6", "esc")
"""Keys that act on the panel even while it has the keyboard; while a text is typed, Esc ends only that."""
SMALLEST = (400, 320)
"""Width and height of the smallest window in which text of the usual size leaves room for all that stands there."""
LEAST_PANEL = 8.0
"""Least height of the panel above the gallery, in heights of the font; where there is less, the gallery covers it."""
USUAL_RAIN = 80.0
"""Drops a second that the toolbar's button lets fall."""
_ICONS = "Font_Awesome_6_Free-Solid-900.otf"


class WindowProgram(PlainWindow):
    """Shows a running simulation in a window until it is closed; arguments as for `PlainWindow`.

    Attributes:
        hud, panel, welcome: drawn over the picture.
    """

    def __init__(self, window: GlfwWindow, *arguments: Any, **options: Any) -> None:
        self.hud = Hud()
        super().__init__(window, *arguments, **options)
        fonts = _fonts()
        self.imgui = ImGuiLayer(window.ctx, fonts)
        has_icons = any(path.endswith(_ICONS) for path in fonts)
        self.toolbar, self.timeline = Toolbar(has_icons), Timeline(has_icons)
        self._map_top = 0.0
        self._limited: tuple[float, tuple[int, int]] | None = None
        self.imgui.use_clipboard(read_clipboard, write_clipboard)
        self.panel = Panel(memory_path(), self.notify, self.imgui.picture)
        self.viewer.interaction = self.viewer.interaction.changed(**self.panel.habits)
        apply_style()
        window.unicode_char_entered_func = self.imgui.character

    def notify(self, message: str) -> None:
        """Show a message to the user."""
        self.hud.notify(message)

    def title(self) -> str:
        """What the title of the window says; "" leaves it as it is."""
        return title_of(self.viewer.title) if self.viewer.title else ""

    def _state(self) -> tuple[object, ...]:
        viewer = self.viewer
        return (
            *super()._state(),
            self.hud.help_shown,
            bool(self.hud.messages),
            self._takes_input and self.imgui.inputs,
            self.welcome.shown,
            viewer.pointer.has_disturbed,
            self._is_over_bars,
            self.timeline.asked,
            self.panel.toolbar,
            viewer.pointer.tool,
        )

    def is_changing(self) -> bool:
        """Whether the next picture may differ from the one shown."""
        # The file dialog sends no event when it is answered; drawing the panel asks it.
        return super().is_changing() or self.panel.is_waiting

    @property
    def _takes_input(self) -> bool:
        """Whether something is shown that the pointer or the keyboard changes."""
        is_asked = self.viewer.own_body.found is not None or self.loop.can_cancel
        is_shown = self.panel.shown or self.welcome.shown or self.hud.help_shown
        return is_asked or is_shown or self._is_over_bars

    @property
    def _is_over_bars(self) -> bool:
        at = self.viewer.pointer.position
        return at is not None and (self.toolbar.contains(at.x, at.y) or self.timeline.contains(at.x, at.y))

    def release(self) -> None:
        """Free the graphics resources, end a film, and save the state of the panel."""
        self.panel.save()
        self.imgui.release()
        super().release()

    def hud_line(self) -> list[str]:
        """The line of figures."""
        viewer = self.viewer
        rate = 0.0 if self.loop.paused else self.loop.steps_per_second
        line = figures(viewer.frame, viewer.params, rate, viewer.interaction.time_scale)
        if viewer.frame.playback is not None:  # the timeline says the rest
            more = "" if viewer.frame.playback.is_finest else " …"
            line = [f"points {viewer.frame.grid.spacing:.4g} m apart{more}"]
        line = [*viewer.names(), *line]
        line = [*line, viewer.pointed] if viewer.pointed else line
        line = ["PAUSED", *line] if self.loop.paused else line
        return [*filter(None, (self.loop.preparing, viewer.own_body.note)), *line]

    # --- drawing

    def _draw_over(self, size: tuple[int, int], pixels: tuple[int, int]) -> None:
        viewer = self.viewer
        self.imgui.set_scale(self._text_scale(size))
        self.panel.note_habits(viewer.interaction)
        self.imgui.navigate(self.panel.has_keyboard)
        rate = 0.0 if self.loop.paused else self.loop.steps_per_second
        self.panel.history.note(viewer.frame, self._seconds, rate)
        self.imgui.frame(size, pixels, self._seconds, self._draw_interface)

    def _text_scale(self, size: tuple[int, int]) -> float:
        """Size of text that was chosen, or the largest that leaves room in a window of `size`."""
        wanted = content_scale(self.window) * self.viewer.interaction.text_scale
        most = max(min(size[0] / SMALLEST[0], size[1] / SMALLEST[1]), 1.0)
        asked = (wanted, size)
        if wanted > most and asked != self._limited:
            self.notify(f"text of {wanted:.0%} stays at {most:.0%} in a window of this size")
        self._limited = asked
        return min(wanted, most)

    def _draw_interface(self) -> None:
        """Every overlay in a part of the window of its own: none lies over another."""
        viewer, size = self.viewer, self.window.size
        keys = help_lines((type(viewer.params), ViewParams, InteractionParams)) if self.hud.help_shown else ()
        bottom = self._draw_timeline(self._draw_gallery())
        is_covered = self.hud.help_shown or (
            self.welcome.shown and bottom - self.hud.top < LEAST_PANEL * imgui.get_font_size()
        )
        has_panel = self.panel.shown and not is_covered
        area = Area.beside(size, self.panel.area if has_panel else None).above(bottom)
        em = imgui.get_font_size()
        if has_panel and area.width < NARROW * em:  # messages take the lowest lines of the window
            area = area.above(bottom - MESSAGE_LINES * em)
        self.hud.bottom, self._map_top = 0.0, area.bottom + PADDING
        left = area if self.hud.help_shown else self._draw_lower(area.below(self.hud.top + self.hud.taken + PADDING))
        self.hud.draw(self.hud_line(), keys, self._seconds, left, self._draw_dock, bottom)
        if not self.hud.help_shown:
            self.hud.top = self._draw_advice(self.hud.top, bottom)
            add, end = viewer.put_own_body_in_the_middle, viewer.end_own_body
            self.hud.top = draw_body_box(viewer.own_body, self.hud.top, add, end)
        self.panel.draw(viewer, self.hud.top, bottom, is_covered=is_covered)
        draw_marks(gauge_marks(viewer.frame, viewer.camera, size))
        if self.hud.help_shown:  # it takes the whole window
            return
        area = area.below(self.hud.top + PADDING).above(min(self.hud.end, self._map_top - PADDING))
        if viewer.probe is not None:
            area = area.below(draw_probe(viewer.probe, area) + PADDING)
        draw_gauges(viewer.frame.gauges, viewer.interaction.gauge_span, area)

    def _draw_lower(self, area: Area) -> Area:
        """Draw the map and the row at the lower edge of `area`; returns the room for messages."""
        viewer, left = self.viewer, area
        if viewer.frame.field_map is not None:
            found = self._draw_field(viewer.frame.field_map, area)
            if found is not None:
                left, self._map_top = area.left_of(found.left - PADDING), found.top
        if viewer.row is not None:
            line = line_in_scene(viewer.row, viewer.frame.grid.level, viewer.camera, self.window.size)
            draw_line_in_scene(line)
            self.hud.bottom = draw_row(viewer.row, left)
        if left.width < NARROW * imgui.get_font_size():  # messages stand above map and row
            left = area.above(min(self._map_top - PADDING, area.bottom - self.hud.bottom))
            self.hud.bottom = 0.0
        return left

    def _draw_dock(self, top: float) -> float:
        """Draw toolbar and Cancel below `top`; returns where they end. Figures that grow move neither."""
        top = self._draw_toolbar(top)
        if self.hud.help_shown or not self.loop.can_cancel:
            return top
        return self._draw_cancel(top - PADDING) + PADDING

    def _draw_toolbar(self, top: float) -> float:
        if not self.panel.toolbar:
            self.toolbar.hide()
            return top
        viewer = self.viewer
        states = {
            "rain": viewer.interaction.rain > 0.0,
            "field": viewer.frame.field_map is not None,
            "film": self.film.on,
            "panel": self.panel.shown,
            "pause": self.loop.paused,
        }
        chosen = {viewer.pointer.tool, *(name for name, is_on in states.items() if is_on)}
        area = Area.beside(self.window.size, None).below(top)
        return self.toolbar.draw(area, chosen, self.loop.paused, self._press_button) + PADDING

    def _draw_gallery(self) -> float:
        """Draw the presets at the lower edge, if they are shown; returns where the room for all else ends."""
        viewer, bottom = self.viewer, float(self.window.size[1] - MARGIN)
        if not self.welcome.shown or self.hud.help_shown:
            return bottom
        chosen = next((str(value) for entry, value in viewer.scene_settings() if entry.name == "preset"), "")
        top = self.hud.top + self.hud.taken + PADDING
        preset = self.welcome.draw(self.panel.gallery, viewer.gallery(), chosen, top)
        if preset is not None:
            viewer.change("scene", "preset", preset)
        return float(min(bottom, self.welcome.top - PADDING))

    def _draw_timeline(self, bottom: float) -> float:
        """Draw the timeline of a recording above `bottom`, or the way back to it; returns where all else ends."""
        viewer, playback = self.viewer, self.viewer.frame.playback
        room = Area.beside(self.window.size, None).above(bottom)
        if self.hud.help_shown or (playback is None and not viewer.recording_left):
            self.timeline.hide()
            return bottom
        if playback is None:
            return self.timeline.draw_way_back(room, viewer.recording_left, viewer.act) - PADDING
        params, times = viewer.frame.params, playback.recorded.times
        assert isinstance(params, PlaybackParams)
        rate = params.steps_per_second * viewer.interaction.time_scale
        begin = self.timeline.draw(
            room,
            playback,
            paused=self.loop.paused,
            loop=params.loop,
            speed=rate * (times[-1] - times[0]) / max(len(times) - 1, 1),
            act=lambda name: viewer.change("params", "loop", not params.loop) if name == "loop" else viewer.act(name),
            show=viewer.show_frame,
        )
        return begin - PADDING

    def _draw_advice(self, top: float, bottom: float) -> float:
        """Draw the advice to a new user, if there is any and room for it, below `top`; returns where it ends."""
        if self.viewer.pointer.has_disturbed:
            self.welcome.note_click()
        advice = self.welcome.advice(self.viewer.can_be_disturbed)
        has_room = bottom - top > ADVICE_LINES * imgui.get_font_size()
        return self.welcome.draw_advice(advice, top + PADDING) if advice and has_room else top

    def _draw_cancel(self, top: float) -> float:
        is_pressed, end = button_box("cancel", top, "Cancel (Esc): back to the water before")
        if is_pressed:
            self.loop.cancel()
        return end

    def _press_button(self, button: Button) -> None:
        viewer = self.viewer
        if button.tool:
            viewer.pointer.tool = button.name
            self.notify(button.tooltip)
        elif button.name == "rain":
            viewer.change("interaction", "rain", 0.0 if viewer.interaction.rain > 0.0 else USUAL_RAIN)
        else:
            viewer.act(button.name)

    def _draw_field(self, field_map: FieldMap, area: Area) -> Area | None:
        picture = colours(field_map)
        texture = self.imgui.picture("field", picture)
        bar = self.imgui.picture("colour bar", colour_bar(field_map.diverging, 64))
        return draw_field(field_map, texture, bar, picture.shape[1] / picture.shape[0], area)

    def _window_actions(self) -> dict[str, Callable[[], None]]:
        return super()._window_actions() | {
            "panel": self.panel.toggle,
            "gallery": self.welcome.toggle,
            "toolbar": self.panel.toggle_toolbar,
            "keyboard": self.panel.take_keyboard,
            "open": self._show_dialog,
            "help": lambda: setattr(self.hud, "help_shown", not self.hud.help_shown),
        }

    def _close(self) -> None:
        """Close what lies on top: a list, a wait for the compiler, help, a mesh's box, panel, map, film.

        With nothing left a second call ends the program.
        """
        if self.imgui.close_list():
            return
        if self.loop.can_cancel:
            self.loop.cancel()
        elif self.welcome.shown:
            self.welcome.toggle()
        elif self.hud.help_shown:
            self.hud.help_shown = False
        elif self.viewer.own_body.found is not None:
            self.viewer.end_own_body()
        elif self.panel.shown:
            self.panel.toggle()
        elif self.viewer.frame.field_map is not None:
            self.viewer.act("close field")
        else:
            super()._close()

    # --- events

    def _on_key(self, code: int, action: int, modifiers: Any) -> None:
        pressed = pressed_modifiers(self.window, modifiers)
        self.imgui.key(code, action != glfw.RELEASE, pressed)
        name = None if action == glfw.RELEASE else key_name(code)
        goes_to_panel = name not in _PANEL_KEYS and (self.imgui.wants_keyboard or self.panel.has_keyboard)
        goes_to_panel = goes_to_panel or (name == "esc" and self.imgui.takes_text)
        if name is not None and not goes_to_panel:
            self.viewer.key(name, meant_modifiers(pressed), repeated=action == glfw.REPEAT)

    def _on_press(self, x: float, y: float, button: int) -> None:
        self.imgui.mouse_button(button, True)
        if not self.imgui.lies_at(x, y):
            held = meant_modifiers(pressed_modifiers(self.window, self.window.modifiers))
            self.viewer.pointer.press(button, x, y, self.window.size, held)

    def _on_release(self, x: float, y: float, button: int) -> None:
        self.imgui.mouse_button(button, False)
        self.viewer.pointer.release()

    def _on_move(self, x: float, y: float, dx: float, dy: float) -> None:
        self.imgui.mouse_moved(x, y)
        self.viewer.pointer.move(x, y, self.window.size)

    def _on_drag(self, x: float, y: float, dx: float, dy: float) -> None:
        self.imgui.mouse_moved(x, y)
        self.viewer.pointer.drag(x, y, dx, dy, self.window.size)

    def _on_scroll(self, dx: float, dy: float) -> None:
        self.imgui.wheel(dx, dy)
        if not self.imgui.lies_at(*pointer_position(self.window)):
            super()._on_scroll(dx, dy)

    def _show_dialog(self) -> None:
        problem = self.panel.dialog.show()
        if problem:
            self.notify(problem)


def _fonts() -> tuple[str, ...]:
    """Readable fonts that come with imgui-bundle; the second has the arrows that the first lacks, the third icons."""
    folder = Path(str(files("imgui_bundle"))) / "assets" / "fonts"
    paths = (folder / "DroidSans.ttf", folder / "Inconsolata-Medium.ttf", folder / _ICONS)
    return tuple(str(path) for path in paths if path.is_file())

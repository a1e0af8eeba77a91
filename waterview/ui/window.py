"""The program in its window: frames of the simulation are drawn, events are passed on, until it is closed."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import glfw
import numpy as np
from imgui_bundle import imgui
from moderngl_window.context.glfw.window import Window as GlfwWindow
from numpy.typing import NDArray

from waterview.core.diagnostics import FieldMap
from waterview.core.errors import WaterviewError
from waterview.core.frame import Frame
from waterview.output.picture import save_screenshot, settings_of
from waterview.render.camera.camera import OrbitCamera
from waterview.render.camera.camera_path import Flight
from waterview.render.renderer import Renderer
from waterview.render.settings import ViewParams
from waterview.scene.interaction import InteractionParams
from waterview.scene.serialise import view_to_dict, write_session

from .capture.autosave import Autosave
from .capture.film import FilmCapture
from .capture.flight import FlightCapture
from .glfw_window import (
    content_scale,
    meant_modifiers,
    on_files_dropped,
    open_window,
    pointer_position,
    pressed_modifiers,
    read_clipboard,
    title_of,
    write_clipboard,
)
from .hud.boxes import MARGIN, PADDING
from .hud.dock import Area
from .hud.field_map import colour_bar, colours, draw_field
from .hud.gauges import draw_gauges, draw_marks, gauge_marks
from .hud.probe import draw_probe
from .hud.row_view import draw_line_in_scene, draw_row, line_in_scene
from .hud.text import MESSAGE_LINES, NARROW, Hud, figures, help_lines
from .hud.toolbar import Button, Toolbar
from .imgui_layer import ImGuiLayer
from .keys import key_name
from .panel.body_box import draw_body_box
from .panel.memory import memory_path
from .panel.view import Panel, apply_style
from .viewer import Viewer
from .welcome import Welcome

if TYPE_CHECKING:
    from waterview.scene.navigator import Navigator
    from waterview.sim.loop import Simulation

__all__ = ["WindowProgram", "open_window"]

_HIDDEN_SECONDS = 0.1
"""Shortest time from frame to frame while the window is hidden [s]."""
_IDLE_SECONDS = 1.0 / 30.0
"""How long to wait for events where nothing changes [s]."""
_SETTLE_FRAMES = 20
"""Frames drawn after the last change, for both buffers of the window and for running means."""
_PANEL_KEYS = ("f2", "f6", "esc")
"""Keys that act on the panel even while it has the keyboard; while a text is typed, Esc ends only that."""
USUAL_RAIN = 20.0
"""Drops a second that the toolbar's button lets fall."""
_ICONS = "Font_Awesome_6_Free-Solid-900.otf"
QUIT_SECONDS = 2.0
"""Within this time a second Esc ends the program [s]."""


class WindowProgram:
    """Shows a running simulation in a window until it is closed.

    Args:
        window: an open window, see `open_window`.
        loop: the running simulation.
        view: the first settings of the view.
        scenes: the scenes to choose from.
        aim: makes the first camera from the first frame; None shows the whole scene.
        frames_per_second: most frames drawn a second.
        exit_after: time after which it closes by itself [s]; None stays open.
        check: called every frame; an exception that it raises ends the program.
        flight: moves the camera until the user moves it; None does not.
        welcome: what meets a new user; None welcomes nobody.

    Attributes:
        viewer: what is shown, and what keys and pointer do to it.
        hud, panel, welcome: drawn over the picture.
        film, flight, autosave: what is written to disk.
    """

    def __init__(
        self,
        window: GlfwWindow,
        loop: Simulation,
        view: ViewParams,
        scenes: Navigator,
        aim: Callable[[Frame], OrbitCamera] | None = None,
        frames_per_second: float = 60.0,
        exit_after: float | None = None,
        check: Callable[[], None] = lambda: None,
        flight: Flight | None = None,
        welcome: Welcome | None = None,
    ) -> None:
        self.window = window
        self.loop = loop
        self.hud = Hud()
        self.welcome = welcome or Welcome()
        notify = self.hud.notify
        self.viewer = Viewer(loop, view, scenes, notify, self._perform)
        if aim is not None:
            self.viewer.camera = aim(self.viewer.frame)
        self.film = FilmCapture(notify)
        self.flight = FlightCapture(notify, flight)
        if flight is not None:
            self.flight.toggle(self.viewer.camera, time.monotonic())
        self.autosave = Autosave(loop, write_session, notify)
        self._renderer = Renderer(window.ctx)
        fonts = _fonts()
        self.imgui = ImGuiLayer(window.ctx, fonts)
        self.toolbar = Toolbar(has_icons=any(path.endswith(_ICONS) for path in fonts))
        self._map_top = 0.0
        self.imgui.use_clipboard(read_clipboard, write_clipboard)
        self.panel = Panel(memory_path(), notify, self.imgui.picture)
        self.viewer.interaction = self.viewer.interaction.changed(text_scale=self.panel.text_scale)
        apply_style()
        self._check = check
        self._asked_to_quit: float | None = None
        self._end = None if exit_after is None else time.monotonic() + exit_after
        self._frame_seconds = 1.0 / frames_per_second
        self._seconds = self._frame_seconds  # running mean
        self._last = time.monotonic()
        self._picture_wanted = False
        self._shown: tuple[object, ...] = ()
        self._unchanged_frames = 0
        self._listen()

    def run(self) -> None:
        """Draw until the window is closed; the graphics resources are freed in any case."""
        try:
            with self.autosave:
                self._run()
                self.window.visible = False
                if self.viewer.is_touched:
                    self.autosave.keep_last(self._view_state())
        finally:
            # The window disappears at once, though the simulation may still wait for a compiler.
            self.window.visible = False
            self.release()

    def _run(self) -> None:
        while not self.window.is_closing:
            self.frame()
            self._check()
            if self._end is not None and time.monotonic() >= self._end:
                self.window.close()

    def frame(self) -> None:
        """Draw if anything has changed, handle the events that have come, and wait for the next frame."""
        self._update()
        if self.is_changing():
            self._draw()
            self.window.swap_buffers()
        else:
            glfw.wait_events_timeout(_IDLE_SECONDS)
        self._wait()

    def _update(self) -> None:
        """Take the newest frame of the simulation, move the camera, save, and show errors."""
        viewer, now = self.viewer, time.monotonic()
        viewer.update()
        if viewer.title and self.window.title != title_of(viewer.title):
            self.window.title = title_of(viewer.title)
        viewer.camera = self.flight.camera(viewer.camera, viewer.frame, now)
        self.autosave.update(now, self._view_state)
        problem = self.loop.take_problem()
        if problem is not None:
            self.hud.notify(str(problem))

    def is_changing(self) -> bool:
        """Whether the next picture may differ from the one shown: a window at rest costs next to nothing."""
        viewer = self.viewer
        shown = (
            *self._moving(),
            repr(viewer.camera),
            viewer.view,
            viewer.interaction,
            viewer.probe,
            viewer.row,
            viewer.pointed,
            self.window.size,
            self.window.buffer_size,
            self.window.visible,
            self.hud.help_shown,
            bool(self.hud.messages),
            self.loop.paused,
            self.loop.preparing,
            self._picture_wanted,
            viewer.own_body.note,
            viewer.own_body.found,
            self._takes_input and self.imgui.inputs,
            self.welcome.shown,
            viewer.pointer.has_disturbed,
            self._is_over_toolbar,
            self.panel.toolbar,
            viewer.pointer.tool,
            self.film.on,
        )
        # The file dialog sends no event when it is answered; drawing the panel asks it.
        is_unchanged = shown == self._shown and not self.panel.is_waiting
        self._unchanged_frames = self._unchanged_frames + 1 if is_unchanged else 0
        self._shown = shown
        return self._unchanged_frames < _SETTLE_FRAMES

    @property
    def _takes_input(self) -> bool:
        """Whether something is shown that the pointer or the keyboard changes."""
        return self.panel.shown or self.welcome.shown or self._is_over_toolbar or self.viewer.own_body.found is not None

    @property
    def _is_over_toolbar(self) -> bool:
        at = self.viewer.pointer.position
        return at is not None and self.toolbar.contains(at.x, at.y)

    def _moving(self) -> tuple[object, ...]:
        """What the simulation may change in the picture; at rest only what the user changes."""
        frame = self.viewer.frame
        if frame.at_rest and not self.film.on:
            gauges = tuple((gauge.name, gauge.measured) for gauge in frame.gauges)
            return id(frame.bed), id(frame.fixed), frame.grid, frame.params, frame.field_map is not None, gauges
        return frame.serial, round(self.loop.steps_per_second)

    def release(self) -> None:
        """Free the graphics resources, end a film, and save the state of the panel."""
        self.panel.save()
        self.viewer.own_body.close()
        self.film.end(time.monotonic())
        self.imgui.release()
        self._renderer.release()

    def picture(self) -> NDArray[np.uint8]:
        """What the window shows next, with HUD and panel, shape (height, width, 3), top row first."""
        # Drawn anew, because the content of a double buffer is undefined once it was shown.
        self._update()
        self._draw()
        return self._renderer.snapshot(self.window.ctx.screen, self.window.buffer_size)

    def hud_line(self) -> list[str]:
        """The line of figures."""
        viewer = self.viewer
        rate = 0.0 if self.loop.paused else self.loop.steps_per_second
        line = figures(viewer.frame, viewer.params, rate, viewer.interaction.time_scale)
        line = [*viewer.names(), *line]
        line = [*line, viewer.pointed] if viewer.pointed else line
        line = ["PAUSED", *line] if self.loop.paused else line
        return [*filter(None, (self.loop.preparing, viewer.own_body.note)), *line]

    # --- drawing

    def _draw(self) -> None:
        size, pixels, screen = self.window.size, self.window.buffer_size, self.window.ctx.screen
        if not self.window.visible or min(*size, *pixels) < 1:
            return
        viewer = self.viewer
        self._renderer.render(viewer.frame, viewer.camera, pixels, screen, viewer.view, self._seconds)
        if self._picture_wanted:
            self._save_picture(self._renderer.snapshot(screen, pixels))
        self.film.offer(lambda: self._renderer.snapshot(screen, pixels), pixels, time.monotonic())
        screen.use()
        self.window.ctx.viewport = (0, 0, *pixels)
        self.imgui.set_scale(content_scale(self.window) * viewer.interaction.text_scale)
        self.panel.text_scale = viewer.interaction.text_scale
        self.imgui.navigate(self.panel.has_keyboard)
        rate = 0.0 if self.loop.paused else self.loop.steps_per_second
        self.panel.history.note(viewer.frame, self._seconds, rate)
        self.imgui.frame(size, pixels, self._seconds, self._draw_interface)

    def _draw_interface(self) -> None:
        """Every overlay in a part of the window of its own: none lies over another."""
        viewer, size = self.viewer, self.window.size
        keys = help_lines((type(viewer.params), ViewParams, InteractionParams)) if self.hud.help_shown else ()
        has_panel = self.panel.shown and not self.hud.help_shown
        bottom = self._draw_gallery()
        area = Area.beside(size, self.panel.area if has_panel else None).above(bottom)
        em = imgui.get_font_size()
        if has_panel and area.width < NARROW * em:  # messages take the lowest lines of the window
            area = area.above(bottom - MESSAGE_LINES * em)
        self.hud.bottom, self._map_top = 0.0, area.bottom + PADDING
        left = area if self.hud.help_shown else self._draw_lower(area.below(self.hud.top + PADDING))
        self.hud.draw(self.hud_line(), keys, self._seconds, left, self._draw_toolbar, bottom)
        if not self.hud.help_shown:
            self.hud.top = self._draw_advice(self.hud.top)
            add, end = viewer.put_own_body_in_the_middle, viewer.end_own_body
            self.hud.top = draw_body_box(viewer.own_body, self.hud.top, add, end)
        self.panel.draw(viewer, self.hud.top, bottom, is_covered=self.hud.help_shown)
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
        preset = self.welcome.draw(self.panel.gallery, viewer.gallery(), chosen, 0.0)
        if preset is not None:
            viewer.change("scene", "preset", preset)
        return float(min(bottom, self.welcome.top - PADDING))

    def _draw_advice(self, top: float) -> float:
        """Draw the advice to a new user, if there is any, below `top`; returns where it ends."""
        if self.viewer.pointer.has_disturbed:
            self.welcome.note_click()
        advice = self.welcome.advice(self.viewer.can_be_disturbed)
        return self.welcome.draw_advice(advice, top + PADDING) if advice else top

    def _press_button(self, button: Button) -> None:
        viewer = self.viewer
        if button.tool:
            viewer.pointer.tool = button.name
            self.hud.notify(button.tooltip)
        elif button.name == "rain":
            viewer.change("interaction", "rain", 0.0 if viewer.interaction.rain > 0.0 else USUAL_RAIN)
        else:
            viewer.act(button.name)

    def _draw_field(self, field_map: FieldMap, area: Area) -> Area | None:
        picture = colours(field_map)
        texture = self.imgui.picture("field", picture)
        bar = self.imgui.picture("colour bar", colour_bar(field_map.diverging, 64))
        return draw_field(field_map, texture, bar, picture.shape[1] / picture.shape[0], area)

    def _wait(self) -> None:
        """Wait until the next frame is due: software OpenGL ignores vsync and would take a whole core."""
        shortest = self._frame_seconds if self.window.visible else _HIDDEN_SECONDS
        rest = self._last + shortest - time.monotonic()
        if rest > 0.0:
            time.sleep(rest)  # glfw's own wait is as coarse as the system's ticks, 16 ms on Windows
            glfw.poll_events()  # so that the next picture shows what the user did meanwhile
        now = time.monotonic()
        # A running mean over about ten frames can be read in the HUD.
        self._seconds += 0.1 * (now - self._last - self._seconds)
        self._last = now

    def _save_picture(self, picture: NDArray[np.uint8]) -> None:
        self._picture_wanted = False
        try:
            path = save_screenshot(picture, settings_of(self.viewer.frame, self.viewer.view))
            self.hud.notify(f"saved {path}")
        except WaterviewError as error:
            self.hud.notify(str(error))

    def _view_state(self) -> dict[str, Any]:
        return view_to_dict(self.viewer.view, self.viewer.interaction, self.viewer.camera)

    def _perform(self, action: str) -> None:
        self._actions[action]()

    @cached_property
    def _actions(self) -> dict[str, Callable[[], None]]:
        """The window's actions by their names in `waterview.ui.keys.ACTIONS`; the others are the viewer's."""
        viewer, now = self.viewer, time.monotonic
        return {
            "fullscreen": lambda: setattr(self.window, "fullscreen", not self.window.fullscreen),
            "screenshot": lambda: setattr(self, "_picture_wanted", True),
            "panel": self.panel.toggle,
            "gallery": self.welcome.toggle,
            "toolbar": self.panel.toggle_toolbar,
            "keyboard": self.panel.take_keyboard,
            "film": lambda: self.film.toggle(self.window.buffer_size, now()),
            "keyframe": lambda: self.flight.add(viewer.camera),
            "new path": self.flight.begin_anew,
            "fly": lambda: self.flight.toggle(viewer.camera, now()),
            "save": lambda: self.autosave.save(self._view_state()),
            "open": self._show_dialog,
            "load": lambda: viewer.open(self.autosave.saved),
            "rescue": lambda: viewer.open(self.autosave.rescued),
            "help": lambda: setattr(self.hud, "help_shown", not self.hud.help_shown),
            "close": self._close,
        }

    def _close(self) -> None:
        """Close what lies on top: a list, help, a mesh's box, panel, film.

        With nothing left a second call ends the program.
        """
        now, asked = time.monotonic(), self._asked_to_quit
        if self.imgui.close_list():
            return
        if self.welcome.shown:
            self.welcome.toggle()
        elif self.hud.help_shown:
            self.hud.help_shown = False
        elif self.viewer.own_body.found is not None:
            self.viewer.end_own_body()
        elif self.panel.shown:
            self.panel.toggle()
        elif self.film.on:
            self.film.end(now)
        elif asked is not None and now - asked <= QUIT_SECONDS:
            self.window.close()
        else:
            self._asked_to_quit = now
            self.hud.notify("Esc once more ends the program; Shift+F9 goes on here the next time")

    # --- events

    def _listen(self) -> None:
        window = self.window
        window.key_event_func = self._on_key
        window.exit_key = None
        window.mouse_press_event_func = self._on_press
        window.mouse_release_event_func = self._on_release
        window.mouse_drag_event_func = self._on_drag
        window.mouse_position_event_func = self._on_move
        window.mouse_scroll_event_func = self._on_scroll
        window.unicode_char_entered_func = self.imgui.character
        on_files_dropped(window, self._on_drop)

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
        if not self.imgui.wants_mouse:
            self.viewer.pointer.scroll(dy, *pointer_position(self.window), self.window.size)

    def _show_dialog(self) -> None:
        problem = self.panel.dialog.show()
        if problem:
            self.hud.notify(problem)

    def _on_drop(self, paths: list[Path]) -> None:
        if len(paths) > 1:
            self.hud.notify(f"{len(paths)} files: the first one is opened")
        if paths:
            self.viewer.open(paths[0])


def _fonts() -> tuple[str, ...]:
    """Readable fonts that come with imgui-bundle; the second has the arrows that the first lacks, the third icons."""
    folder = Path(str(files("imgui_bundle"))) / "assets" / "fonts"
    paths = (folder / "DroidSans.ttf", folder / "Inconsolata-Medium.ttf", folder / _ICONS)
    return tuple(str(path) for path in paths if path.is_file())

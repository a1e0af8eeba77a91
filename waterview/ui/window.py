"""The real window: moderngl-window on glfw, its events, its frame limit and its end."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

import glfw
import numpy as np
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
from waterview.ui.capture.autosave import Autosave
from waterview.ui.capture.film import FilmCapture
from waterview.ui.capture.flight import FlightCapture
from waterview.ui.hud.field_map import colour_bar, colours
from waterview.ui.hud.row_view import RowView, line_in_scene
from waterview.ui.hud.text import (
    Hud,
    draw_field,
    draw_line_in_scene,
    draw_probe,
    draw_row,
    figures,
    help_lines,
    totals_line,
)
from waterview.ui.panel.memory import memory_path
from waterview.ui.panel.view import Panel, dress

from .glfw_window import open_window, title_of
from .imgui_layer import ImGuiLayer
from .interfaces import Loop, Scenes
from .keys import key_name
from .viewer import Viewer

__all__ = ["WindowProgram", "open_window"]

_UNSEEN_SECONDS = 0.1
_IDLE_SECONDS = 1.0 / 30.0
_SETTLE_FRAMES = 20
_WAYS_OUT = ("f2", "f6")  # keys that the panel does not keep when it has the keyboard


class WindowProgram:
    """Shows a running simulation in a window until it is closed.

    Args:
        window: an open window, see `open_window`.
        loop: the running simulation.
        view: the first settings of the view.
        scenes: the terrains and models that keys step through.
        aim: makes the first camera from the first frame; None frames the whole scene.
        frames_per_second: most frames drawn a second.
        exit_after: close by itself after so many seconds [s]; None stays open.
        check: called every frame; what it raises ends the program.
        flight: moves the camera until a hand takes it; None leaves it.
    """

    def __init__(
        self,
        window: GlfwWindow,
        loop: Loop,
        view: ViewParams,
        scenes: Scenes,
        aim: Callable[[Frame], OrbitCamera] | None = None,
        frames_per_second: float = 60.0,
        exit_after: float | None = None,
        check: Callable[[], None] = lambda: None,
        flight: Flight | None = None,
    ) -> None:
        self.window = window
        self.loop = loop
        self.hud = Hud()
        self.viewer = Viewer(loop, view, scenes, self.hud.tell, self._perform)
        if aim is not None:
            self.viewer.camera = aim(self.viewer.frame)
        self._frame_seconds = 1.0 / frames_per_second
        self._check = check
        self._end = None if exit_after is None else time.monotonic() + exit_after
        self.filming = FilmCapture(self.hud.tell)
        self.flying = FlightCapture(self.hud.tell, flight)
        if flight is not None:
            self.flying.toggle(self.viewer.camera, time.monotonic())
        self.keeping = Autosave(loop, write_session, self.hud.tell)
        self._renderer = Renderer(window.ctx)
        self._imgui = ImGuiLayer(window.ctx, _fonts())
        self._imgui.use_clipboard(_from_clipboard, _put_on_clipboard)
        self.panel = Panel(memory_path(), self.hud.tell, self._imgui.picture)
        self.viewer.interaction = self.viewer.interaction.changed(text_scale=self.panel.text_scale)
        dress()
        self._last = time.monotonic()
        self._seconds = self._frame_seconds
        self._picture_wanted = False
        self._seen: tuple[object, ...] = ()
        self._settled = 0
        self._listen()

    def run(self) -> None:
        """Draw until the window is closed; every way out leaves the graphics resources freed."""
        try:
            with self.keeping:
                self._run()
        finally:
            # What goes on in the simulation, such as a compiler that cannot be stopped, is not waited for by the eye.
            self.window.visible = False
            self.release()

    def _run(self) -> None:
        while not self.window.is_closing:
            self.frame()
            self._check()
            if self._end is not None and time.monotonic() >= self._end:
                self.window.close()

    def frame(self) -> None:
        """Draw once if there is anything new to see, take the events that have come, and wait for the next turn."""
        self._look_around()
        if self._has_something_new():
            self._draw()
            self.window.swap_buffers()
        else:
            glfw.wait_events_timeout(_IDLE_SECONDS)
        self._keep_time()

    def _look_around(self) -> None:
        """Take the newest frame, and tell of what could not be done."""
        viewer = self.viewer
        viewer.update()
        if viewer.title and self.window.title != title_of(viewer.title):
            self.window.title = title_of(viewer.title)
        viewer.camera = self.flying.camera(viewer.camera, viewer.frame, time.monotonic())
        self.keeping.update(time.monotonic(), self._view_to_dict)
        problem = self.loop.take_problem()
        if problem is not None:
            self.hud.tell(str(problem))

    def _has_something_new(self) -> bool:
        """Whether the next picture differs from what is shown: paused or at rest the viewer costs next to nothing.

        After a change a few more frames are drawn, for both buffers of the window and for running means to settle.
        """
        viewer = self.viewer
        seen = (
            *self._moving(),
            repr(viewer.camera),
            viewer.view,
            viewer.interaction,
            viewer.probe,
            viewer.row,
            self.window.size,
            self.window.buffer_size,
            self.window.visible,
            self.hud.help_shown,
            self.hud.tells,
            self.loop.paused,
            self.loop.preparing,
            self._picture_wanted,
            self.panel.shown and self._imgui.inputs,
        )
        # A dialog of the system sends no event when it is answered: `draw` asks it.
        self._settled = self._settled + 1 if seen == self._seen and not self.panel.is_waiting else 0
        self._seen = seen
        return self._settled < _SETTLE_FRAMES

    def _moving(self) -> tuple[object, ...]:
        """What makes a frame look unlike the one before; at rest that is only what a hand has changed."""
        frame = self.viewer.frame
        if frame.at_rest and not self.filming.on:
            return id(frame.bed), id(frame.fixed), frame.grid, frame.params, frame.field_map is not None
        return frame.serial, round(self.loop.steps_per_second)

    def release(self) -> None:
        """Free what is held on the graphics card; the panel remembers where it was."""
        self.panel.save()
        self.filming.end(time.monotonic())
        self._imgui.release()
        self._renderer.release()

    def picture(self) -> NDArray[np.uint8]:
        """What the window shows next, HUD and all, shape (height, width, 3), top row first."""
        # Once shown, a double buffer's content is undefined: draw anew.
        self._look_around()
        self._draw()
        return self._renderer.snapshot(self.window.ctx.screen, self.window.buffer_size)

    def hud_line(self) -> list[str]:
        """The figures that the HUD shows."""
        viewer = self.viewer
        line = figures(viewer.frame, viewer.params, self.loop.steps_per_second, 1.0 / self._seconds)
        line = ["PAUSED", *line] if self.loop.paused else line
        line = [self.loop.preparing, *line] if self.loop.preparing else line
        totals = viewer.frame.totals
        return line if totals is None else [*line, totals_line(totals)]

    def _draw(self) -> None:
        size, pixels = self.window.size, self.window.buffer_size
        if not self.window.visible or min(*size, *pixels) < 1:
            return
        viewer = self.viewer
        self._renderer.render(viewer.frame, viewer.camera, pixels, self.window.ctx.screen, viewer.view, self._seconds)
        if self._picture_wanted:
            self._save_picture(self._renderer.snapshot(self.window.ctx.screen, pixels))
        self.filming.offer(lambda: self._renderer.snapshot(self.window.ctx.screen, pixels), pixels, time.monotonic())
        self.window.ctx.screen.use()
        self.window.ctx.viewport = (0, 0, *pixels)
        self._imgui.set_scale(_scale(self.window) * viewer.interaction.text_scale)
        self.panel.text_scale = viewer.interaction.text_scale
        self._imgui.navigate(self.panel.has_keyboard)
        self.panel.history.note(viewer.frame, self._seconds, self.loop.steps_per_second)
        self._imgui.frame(size, pixels, self._seconds, self._draw_hud)

    def _draw_hud(self) -> None:
        viewer = self.viewer
        keys = help_lines((type(viewer.params), ViewParams, InteractionParams)) if self.hud.help_shown else ()
        self.hud.floor = self._draw_row(viewer.row) if viewer.row is not None else 0.0
        self.hud.draw(self.hud_line(), keys, self._seconds)
        self.panel.draw(viewer)
        if viewer.frame.field_map is not None:
            self._draw_field(viewer.frame.field_map)
        if viewer.probe is not None:
            draw_probe(viewer.probe)

    def _draw_row(self, row: RowView) -> float:
        viewer = self.viewer
        draw_line_in_scene(line_in_scene(row, viewer.frame.grid.level, viewer.camera, self.window.size))
        return draw_row(row)

    def _draw_field(self, view: FieldMap) -> None:
        picture = colours(view)
        texture = self._imgui.picture("field", picture)
        bar = self._imgui.picture("colour bar", colour_bar(view.diverging, 64))
        draw_field(view, texture, bar, picture.shape[1] / picture.shape[0])

    def _keep_time(self) -> None:
        """Wait for the next frame's turn: software OpenGL ignores vsync and would take a whole core."""
        shortest = self._frame_seconds if self.window.visible else _UNSEEN_SECONDS
        rest = self._last + shortest - time.monotonic()
        if rest > 0.0:
            time.sleep(rest)  # glfw's own wait is as coarse as the system's ticks, 16 ms on Windows
            glfw.poll_events()  # so that the next picture shows what hands did meanwhile
        now = time.monotonic()
        # A running mean over about ten frames: what the HUD shows should be readable.
        self._seconds += 0.1 * (now - self._last - self._seconds)
        self._last = now

    def _save_picture(self, picture: NDArray[np.uint8]) -> None:
        self._picture_wanted = False
        try:
            path = save_screenshot(picture, settings_of(self.viewer.frame, self.viewer.view))
            self.hud.tell(f"saved {path}")
        except WaterviewError as error:
            self.hud.tell(str(error))

    def _view_to_dict(self) -> dict[str, Any]:
        return view_to_dict(self.viewer.view, self.viewer.interaction, self.viewer.camera)

    def _perform(self, action: str) -> None:
        self._actions[action]()

    @cached_property
    def _actions(self) -> dict[str, Callable[[], None]]:
        """What the window does, by the names of its actions."""
        viewer, now = self.viewer, time.monotonic
        return {
            "fullscreen": lambda: setattr(self.window, "fullscreen", not self.window.fullscreen),
            "screenshot": lambda: setattr(self, "_picture_wanted", True),
            "panel": self.panel.toggle,
            "keyboard": self.panel.take_keyboard,
            "film": lambda: self.filming.toggle(self.window.buffer_size, now()),
            "keyframe": lambda: self.flying.add(viewer.camera),
            "new path": self.flying.begin_anew,
            "fly": lambda: self.flying.toggle(viewer.camera, now()),
            "save": lambda: self.keeping.save(self._view_to_dict()),
            "load": lambda: viewer.open(self.keeping.saved),
            "rescue": lambda: viewer.open(self.keeping.rescued),
            "help": lambda: setattr(self.hud, "help_shown", not self.hud.help_shown),
            "quit": self.window.close,
        }

    # --- events

    def _listen(self) -> None:
        window = self.window
        window.key_event_func = self._on_key
        window.mouse_press_event_func = self._on_press
        window.mouse_release_event_func = self._on_release
        window.mouse_drag_event_func = self._on_drag
        window.mouse_position_event_func = self._on_move
        window.mouse_scroll_event_func = self._on_scroll
        window.unicode_char_entered_func = self._imgui.character
        glfw.set_drop_callback(window._window, self._on_drop)  # type: ignore[arg-type]

    def _on_key(self, code: int, action: int, modifiers: Any) -> None:
        self._imgui.key(code, action != glfw.RELEASE, _held(modifiers))
        name = None if action == glfw.RELEASE else key_name(code)
        is_panels = name not in _WAYS_OUT and (self._imgui.wants_keyboard or self.panel.has_keyboard)
        if name is not None and not is_panels:
            self.viewer.key(name, modifiers=_held(modifiers), repeated=action == glfw.REPEAT)

    def _on_press(self, x: float, y: float, button: int) -> None:
        self._imgui.mouse_button(button, True)
        if not self._imgui.wants_mouse:
            self.viewer.pointer.press(button, x, y, self.window.size, _held(self.window.modifiers))

    def _on_release(self, x: float, y: float, button: int) -> None:
        self._imgui.mouse_button(button, False)
        self.viewer.pointer.release()

    def _on_move(self, x: float, y: float, dx: float, dy: float) -> None:
        self._imgui.mouse_moved(x, y)
        self.viewer.pointer.move(x, y, self.window.size)

    def _on_drag(self, x: float, y: float, dx: float, dy: float) -> None:
        self._imgui.mouse_moved(x, y)
        self.viewer.pointer.drag(x, y, dx, dy, self.window.size)

    def _on_drop(self, window: Any, paths: Sequence[str]) -> None:
        """Files were dropped into the window: the first is opened."""
        if len(paths) > 1:
            self.hud.tell(f"{len(paths)} files: the first one is opened")
        if paths:
            self.viewer.open(Path(paths[0]))

    def _on_scroll(self, dx: float, dy: float) -> None:
        self._imgui.wheel(dx, dy)
        if self._imgui.wants_mouse:
            return
        x, y = glfw.get_cursor_pos(self.window._window)
        self.viewer.pointer.scroll(dy, x, y, self.window.size)


def _held(modifiers: Any) -> set[str]:
    return {name for name in ("shift", "ctrl", "alt") if getattr(modifiers, name)}


def _from_clipboard() -> str:
    clipboard: Any = glfw
    text = clipboard.get_clipboard_string(None)  # its window is no longer asked for
    return text.decode("utf-8", "replace") if text else ""


def _put_on_clipboard(text: str) -> None:
    clipboard: Any = glfw
    clipboard.set_clipboard_string(None, text)


def _scale(window: GlfwWindow) -> float:
    """How much larger than on a common screen text has to be, in window units.

    Where the system counts window units in points, as on macOS, they are that much larger already.
    """
    wanted, _ = glfw.get_window_content_scale(window._window)
    done = window.buffer_size[0] / max(window.size[0], 1)
    return float(min(max(wanted / max(done, 1.0), 1.0), 4.0))


def _fonts() -> tuple[str, ...]:
    """Readable typefaces that come with imgui-bundle, the second for the arrows that the first lacks."""
    folder = Path(str(files("imgui_bundle"))) / "assets" / "fonts"
    paths = (folder / "DroidSans.ttf", folder / "Inconsolata-Medium.ttf")
    return tuple(str(path) for path in paths if path.is_file())

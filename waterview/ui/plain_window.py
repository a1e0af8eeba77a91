"""The program in its window without an interface: the water, keys, mouse and files; messages stand in the title."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import glfw
import numpy as np
from moderngl_window.context.glfw.window import Window as GlfwWindow
from numpy.typing import NDArray

from waterview.core.errors import WaterviewError
from waterview.core.frame import Frame
from waterview.output.picture import save_screenshot, settings_of
from waterview.render.camera.camera import OrbitCamera
from waterview.render.camera.camera_path import Flight
from waterview.render.gl.shaders import is_software
from waterview.render.renderer import Renderer
from waterview.render.settings import ViewParams
from waterview.scene.interaction import InteractionParams
from waterview.scene.serialise import view_to_dict, write_session
from waterview.sim.playback import USUAL_CACHE

from .capture.autosave import Autosave
from .capture.film import FilmCapture
from .capture.flight import FlightCapture
from .glfw_window import (
    held_modifiers,
    meant_modifiers,
    on_files_dropped,
    pointer_position,
    pressed_modifiers,
    title_of,
)
from .hud.text import help_lines
from .keys import key_name
from .viewer import Viewer
from .welcome import Welcome

if TYPE_CHECKING:
    from waterview.scene.navigator import Navigator
    from waterview.sim.loop import Simulation

_HIDDEN_SECONDS = 0.1
"""Shortest time from frame to frame while the window is hidden [s]."""
_IDLE_SECONDS = 1.0 / 30.0
"""How long to wait for events where nothing changes [s]."""
_SETTLE_FRAMES = 20
"""Frames drawn after the last change, for both buffers of the window and for running means."""
_MESSAGE_SECONDS = 6.0
GROUND_TURNS = 10
"""Pictures that the making of new ground is spread over where OpenGL is software, so that none takes much longer."""
QUIT_SECONDS = 2.0
"""Within this time a second Esc ends the program [s]."""


class PlainWindow:
    """Shows a running simulation in a window until it is closed; `WindowProgram` adds the interface of Dear ImGui.

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
        cache: memory for recordings that are played [MiB].

    Attributes:
        viewer: what is shown, and what keys and pointer do to it.
        film, flight, autosave: what is written to disk.
        welcome: what meets a new user.
        message: the last message, for a while; else "".
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
        cache: float = USUAL_CACHE,
    ) -> None:
        self.window = window
        self.loop = loop
        self.welcome = welcome or Welcome()
        self.message, self._message_end = "", 0.0
        self.viewer = Viewer(loop, view, scenes, self.notify, self._perform, cache)
        if aim is not None:
            self.viewer.camera = aim(self.viewer.frame)
        self.film = FilmCapture(self.notify)
        self.flight = FlightCapture(self.notify, flight)
        if flight is not None:
            self.flight.toggle(self.viewer.camera, time.monotonic())
        self.autosave = Autosave(loop, write_session, self.notify)
        loop.awaits_pictures = True
        self._renderer = Renderer(window.ctx)
        self._is_software = is_software(window.ctx)
        self._renderer.turns = GROUND_TURNS if self._is_software else 2
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

    def notify(self, message: str) -> None:
        """Show a message to the user."""
        sys.stderr.write(f"waterview: {message}\n")
        self.message, self._message_end = message, time.monotonic() + _MESSAGE_SECONDS

    def title(self) -> str:
        """What the title of the window says: the scene, or a message."""
        if time.monotonic() > self._message_end:
            self.message = ""
        return title_of(self.message or self.viewer.title or "press H for the keys, which appear in the terminal")

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
        self.loop.note_seen(viewer.frame)  # the last picture showed it
        viewer.update()
        title = self.title()
        if title and self.window.title != title:
            self.window.title = title
        viewer.camera = self.flight.camera(viewer.camera, viewer.frame, now)
        self.autosave.update(now, self._view_state)
        problem = self.loop.take_problem()
        if problem is not None:
            self.notify(str(problem))

    def is_changing(self) -> bool:
        """Whether the next picture may differ from the one shown.

        A graphics card draws water at rest until it is paused, as ripples move with time alone. On software OpenGL,
        where each picture would take all cores, they stand still until something else moves.
        """
        shown = self._state()
        self._unchanged_frames = self._unchanged_frames + 1 if shown == self._shown else 0
        self._shown = shown
        return self._unchanged_frames < _SETTLE_FRAMES or not self._renderer.is_complete

    def _state(self) -> tuple[object, ...]:
        """What the next picture depends on."""
        viewer = self.viewer
        return (
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
            self.loop.paused,
            self.loop.preparing,
            self.loop.can_cancel,
            viewer.own_body.note,
            viewer.own_body.found,
            self._picture_wanted,
            self.film.on,
        )

    def _moving(self) -> tuple[object, ...]:
        """What time may change in the picture."""
        frame = self.viewer.frame
        if frame.at_rest and self._is_software and not self.film.on:
            gauges = tuple((gauge.name, gauge.measured) for gauge in frame.gauges)
            return id(frame.bed), id(frame.fixed), frame.grid, frame.params, frame.field_map is not None, gauges
        return frame.serial, round(self.loop.steps_per_second)

    def release(self) -> None:
        """Free the graphics resources and end a film."""
        self.viewer.own_body.close()
        self.film.end(time.monotonic())
        self._renderer.release()

    def picture(self) -> NDArray[np.uint8]:
        """What the window shows next, with HUD and panel, shape (height, width, 3), top row first."""
        # Drawn anew, because the content of a double buffer is undefined once it was shown.
        self._update()
        self._draw()
        return self._renderer.snapshot(self.window.ctx.screen, self.window.buffer_size)

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
        self._draw_over(size, pixels)

    def _draw_over(self, size: tuple[int, int], pixels: tuple[int, int]) -> None:
        """Draw what lies over the scene, in a window of `size` with a framebuffer of `pixels`."""

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
            self.notify(f"saved {path}")
        except WaterviewError as error:
            self.notify(str(error))

    def _view_state(self) -> dict[str, Any]:
        return view_to_dict(self.viewer.view, self.viewer.interaction, self.viewer.camera)

    def _perform(self, action: str) -> None:
        self._actions[action]()

    @cached_property
    def _actions(self) -> dict[str, Callable[[], None]]:
        """The window's actions by their names in `waterview.ui.keys.ACTIONS`; the others are the viewer's."""
        return self._window_actions()

    def _window_actions(self) -> dict[str, Callable[[], None]]:
        viewer, now = self.viewer, time.monotonic
        needs_panel = ("panel", "gallery", "toolbar", "keyboard", "open")
        return dict.fromkeys(needs_panel, self._say_what_is_missing) | {
            "fullscreen": lambda: setattr(self.window, "fullscreen", not self.window.fullscreen),
            "screenshot": lambda: setattr(self, "_picture_wanted", True),
            "film": lambda: self.film.toggle(self.window.buffer_size, now()),
            "keyframe": lambda: self.flight.add(viewer.camera),
            "new path": self.flight.begin_anew,
            "fly": lambda: self.flight.toggle(viewer.camera, now()),
            "save": lambda: self.autosave.save(self._view_state()),
            "load": lambda: viewer.open(self.autosave.saved),
            "rescue": lambda: viewer.open(self.autosave.rescued),
            "help": self._print_help,
            "close": self._close,
        }

    def _say_what_is_missing(self) -> None:
        self.notify("there is no panel without imgui-bundle: pip install 'waterview[panel]'; files can be dropped here")

    def _print_help(self) -> None:
        for line in help_lines((type(self.viewer.params), ViewParams, InteractionParams)):
            sys.stderr.write("  ".join(line) + "\n")

    def _close(self) -> None:
        """End a film; where there is none, a second call ends the program."""
        now, asked = time.monotonic(), self._asked_to_quit
        if self.film.on:
            self.film.end(now)
        elif asked is not None and now - asked <= QUIT_SECONDS:
            self.window.close()
        else:
            self._asked_to_quit = now
            self.notify("Esc once more ends the program; Shift+F9 goes on here the next time")

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
        on_files_dropped(window, self._on_drop)

    def _on_key(self, code: int, action: int, modifiers: Any) -> None:
        name = None if action == glfw.RELEASE else key_name(code)
        if name is not None:
            pressed = pressed_modifiers(self.window, modifiers)
            self.viewer.key(name, meant_modifiers(pressed), repeated=action == glfw.REPEAT)

    def _on_press(self, x: float, y: float, button: int) -> None:
        held = meant_modifiers(pressed_modifiers(self.window, self.window.modifiers))
        self.viewer.pointer.press(button, x, y, self.window.size, held)

    def _on_release(self, x: float, y: float, button: int) -> None:
        self.viewer.pointer.release()

    def _on_move(self, x: float, y: float, dx: float, dy: float) -> None:
        self.viewer.pointer.move(x, y, self.window.size)

    def _on_drag(self, x: float, y: float, dx: float, dy: float) -> None:
        self.viewer.pointer.drag(x, y, dx, dy, self.window.size)

    def _on_scroll(self, dx: float, dy: float) -> None:
        held = meant_modifiers(held_modifiers(self.window))
        self.viewer.pointer.scroll(dy, *pointer_position(self.window), self.window.size, dx, held)

    def _on_drop(self, paths: list[Path]) -> None:
        if len(paths) > 1:
            self.notify(f"{len(paths)} files: the first one is opened")
        if paths:
            self.viewer.open(paths[0])

"""An open window, and what is asked of glfw: it is imported alone, so that the window opens at once."""

from __future__ import annotations

import sys
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

import glfw
import moderngl_window
from moderngl_window.context.glfw.window import Window as GlfwWindow

from waterview.core.errors import DisplayError

from .keys import MODIFIERS


def title_of(scene: str) -> str:
    """The title of the window that shows the scene called `scene`."""
    return f"waterview — {scene}"


def open_window(title: str, size: tuple[int, int]) -> GlfwWindow:
    """A window with an OpenGL 3.3 core context, current on this thread.

    Raises:
        DisplayError: there is no display, or it offers no OpenGL 3.3.
    """
    glfw.ERROR_REPORTING = "ignore"  # failures are raised below; glfw would print them as warnings
    if not glfw.init():
        raise DisplayError(
            "no display to open a window on: set DISPLAY or WAYLAND_DISPLAY, or draw without one: waterview render"
        )
    try:
        window = GlfwWindow(
            title=title, size=size, gl_version=(3, 3), resizable=True, vsync=True, aspect_ratio=None, samples=0
        )
    except Exception as error:  # glfw, moderngl and the driver each have their own kinds
        glfw.terminate()
        raise DisplayError(
            f"no window with OpenGL 3.3 can be had here ({error}): update the graphics driver or install Mesa (libgl1)"
        ) from error
    moderngl_window.activate_context(window=window)
    window.exit_key = glfw.KEY_ESCAPE  # until the program listens to keys itself
    window.fullscreen_key = None
    return window


def take_events() -> None:
    """Take the events of all windows that have come."""
    glfw.poll_events()


def content_scale(window: GlfwWindow) -> float:
    """Size of text in window units, relative to a common screen.

    Where the system counts window units in points, as on macOS, they are larger already.
    """
    wanted, _ = glfw.get_window_content_scale(window._window)
    done = window.buffer_size[0] / max(window.size[0], 1)
    return float(min(max(wanted / max(done, 1.0), 1.0), 4.0))


def pointer_position(window: GlfwWindow) -> tuple[float, float]:
    """Where the pointer is, in window units from the upper left corner."""
    x, y = glfw.get_cursor_pos(window._window)
    return float(x), float(y)


def pressed_modifiers(window: GlfwWindow, modifiers: Any) -> set[str]:
    """Names of the pressed modifier keys: "shift", "ctrl", "alt", and "super", which is macOS's command key.

    Args:
        window: that the keys are pressed in.
        modifiers: moderngl-window's, which knows the first three.
    """
    pressed = {name for name in ("shift", "ctrl", "alt") if getattr(modifiers, name)}
    return pressed | (held_modifiers(window) & {"super"})


def held_modifiers(window: GlfwWindow) -> set[str]:
    """Names of the modifier keys that are down now, as `pressed_modifiers` has them.

    For the wheel, of which nobody tells the modifiers: those of the last key are, on X11, those before it.
    """
    return {name for name, codes in MODIFIERS.items() for code in codes if glfw.get_key(window._window, code)}


def meant_modifiers(pressed: AbstractSet[str], on_mac: bool = sys.platform == "darwin") -> set[str]:
    """The modifiers "shift", "ctrl", "alt" that are meant by the pressed ones: on macOS the command key is "ctrl"."""
    return {"ctrl" if on_mac and name == "super" else name for name in pressed if on_mac or name != "super"}


def on_files_dropped(window: GlfwWindow, opened: Callable[[list[Path]], None]) -> None:
    """Call `opened` with the paths of files that are dropped into the window."""

    def dropped(_: Any, names: list[str]) -> None:
        opened([Path(name) for name in names])

    glfw.set_drop_callback(window._window, dropped)  # type: ignore[arg-type]


def read_clipboard() -> str:
    """The text in the clipboard."""
    clipboard: Any = glfw
    text = clipboard.get_clipboard_string(None)  # glfw no longer needs a window for it
    return text.decode("utf-8", "replace") if text else ""


def write_clipboard(text: str) -> None:
    """Put a text into the clipboard."""
    clipboard: Any = glfw
    clipboard.set_clipboard_string(None, text)

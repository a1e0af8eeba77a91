"""A window to draw in, without any of what is shown in it."""

from __future__ import annotations

import glfw
import moderngl_window
from moderngl_window.context.glfw.window import Window as GlfwWindow

from waterview.core.errors import DisplayError


def title_of(scene: str) -> str:
    """What the window is called that shows the scene called `scene`."""
    return f"waterview — {scene}"


def open_window(title: str, size: tuple[int, int]) -> GlfwWindow:
    """A window with an OpenGL 3.3 core context, current on this thread.

    Raises:
        DisplayError: there is no display, or it offers no OpenGL 3.3.
    """
    glfw.ERROR_REPORTING = "ignore"  # failures come back as exceptions below; the library would print them as warnings
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
    window.exit_key = None
    window.fullscreen_key = None
    return window

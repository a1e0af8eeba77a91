"""Dear ImGui in the window: it gets the window's events, and its own OpenGL backend draws the interface."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import glfw
import moderngl
import numpy as np
from imgui_bundle import imgui, implot
from numpy.typing import NDArray

from waterview.render.gl.targets import free

from .keys import MODIFIERS

_FONT_SIZE = 17.0
_DOUBLE_CLICK_SECONDS = 0.45

_RENAMED = {
    "left": "left_arrow",
    "right": "right_arrow",
    "up": "up_arrow",
    "down": "down_arrow",
    "left_control": "left_ctrl",
    "right_control": "right_ctrl",
    **{str(digit): f"_{digit}" for digit in range(10)},
    **{
        f"kp_{name}": f"keypad_{name}"
        for name in ("add", "decimal", "divide", "enter", "equal", "multiply", "subtract")
    },
    **{f"kp_{digit}": f"keypad{digit}" for digit in range(10)},
}


def _known_keys() -> dict[int, imgui.Key]:
    names = {name.removeprefix("KEY_").lower(): code for name, code in vars(glfw).items() if name.startswith("KEY_")}
    keys = {code: getattr(imgui.Key, _RENAMED.get(name, name), None) for name, code in names.items()}
    return {code: key for code, key in keys.items() if isinstance(key, imgui.Key) and code != glfw.KEY_UNKNOWN}


KEYS: dict[int, imgui.Key] = _known_keys()
"""ImGui's key by glfw's code."""


class ImGuiLayer:
    """One ImGui context drawn over the picture.

    Args:
        ctx: the window's OpenGL context.
        fonts: paths of TrueType fonts; each adds glyphs missing in those before it. Without any, ImGui has its own.

    Attributes:
        inputs: number of events so far; while it stays the same, the interface does, too.
    """

    def __init__(self, ctx: moderngl.Context, fonts: Sequence[str] = ()) -> None:
        self._ctx = ctx
        self._context = imgui.create_context()
        imgui.set_current_context(self._context)
        self._plots = implot.create_context()
        self._io = imgui.get_io()
        self._io.set_ini_filename("")
        self._io.mouse_double_click_time = _DOUBLE_CLICK_SECONDS
        imgui.backends.opengl3_init("#version 330")
        for number, font in enumerate(fonts):
            config = imgui.ImFontConfig()
            config.merge_mode = number > 0
            self._io.fonts.add_font_from_file_ttf(font, _FONT_SIZE, config)
        self.inputs = 0
        self._sizes: dict[str, Any] = {}
        self._pictures: dict[str, moderngl.Texture] = {}

    def frame(
        self, size: tuple[int, int], buffer_size: tuple[int, int], seconds: float, draw: Callable[[], None]
    ) -> None:
        """Let `draw` describe the interface, then paint it into the bound framebuffer.

        Args:
            size: the window in its own units.
            buffer_size: the framebuffer in pixels; larger than `size` on hi-DPI screens.
            seconds: time since the last frame [s].
            draw: calls ImGui's functions.
        """
        imgui.set_current_context(self._context)
        implot.set_current_context(self._plots)
        self._io.display_size = imgui.ImVec2(*size)
        self._io.display_framebuffer_scale = imgui.ImVec2(buffer_size[0] / size[0], buffer_size[1] / size[1])
        self._io.delta_time = max(seconds, 1e-4)
        imgui.backends.opengl3_new_frame()
        imgui.new_frame()
        draw()
        imgui.render()
        imgui.backends.opengl3_render_draw_data(imgui.get_draw_data())

    def picture(self, name: str, pixels: NDArray[np.uint8]) -> int:
        """The texture called `name`, for `imgui.image`, with new `pixels`, shape (height, width, 4)."""
        size = (pixels.shape[1], pixels.shape[0])
        known = self._pictures.get(name)
        if known is None or known.size != size:
            if known is not None:
                known.release()
            known = self._pictures[name] = self._ctx.texture(size, 4)
        known.write(np.ascontiguousarray(pixels))
        return known.glo

    def use_clipboard(self, get: Callable[[], str], put: Callable[[str], None]) -> None:
        """Use these functions to paste and copy text."""
        imgui.set_current_context(self._context)
        platform = imgui.get_platform_io()
        platform.platform_get_clipboard_text_fn = lambda _: get()
        platform.platform_set_clipboard_text_fn = lambda _, text: put(text)

    def navigate(self, on: bool) -> None:
        """Let arrow keys navigate the interface, or not."""
        flag = imgui.ConfigFlags_.nav_enable_keyboard
        flags = self._io.config_flags
        self._io.config_flags = flags | flag if on else flags & ~flag

    def set_scale(self, scale: float) -> None:
        """Draw text and frames `scale` times as large as on a common screen."""
        imgui.set_current_context(self._context)
        style = imgui.get_style()
        if abs(style.font_scale_dpi - scale) > 1e-3:
            # Always from the original sizes: scaled sizes are rounded to whole pixels.
            self._sizes = self._sizes or _sizes(style)
            for name, size in self._sizes.items():
                setattr(style, name, size)
            style.scale_all_sizes(scale)
            style.font_scale_dpi = scale

    def key(self, code: int, is_down: bool, modifiers: Collection[str]) -> None:
        """Pass on that glfw's key `code` went down or up with the `modifiers`, keys of `MODIFIERS`, held."""
        self.inputs += 1
        for name, codes in MODIFIERS.items():
            # X11 reports the modifiers before the event, Wayland and Windows those after it.
            self._io.add_key_event(getattr(imgui.Key, f"mod_{name}"), is_down if code in codes else name in modifiers)
        if code in KEYS:
            self._io.add_key_event(KEYS[code], is_down)

    def character(self, text: str) -> None:
        """Pass on that `text` was typed."""
        self.inputs += 1
        self._io.add_input_characters_utf8(text)

    def wheel(self, dx: float, dy: float) -> None:
        """Pass on that the wheel turned by dx, dy notches."""
        self.inputs += 1
        self._io.add_mouse_wheel_event(dx, dy)

    @property
    def wants_keyboard(self) -> bool:
        """Whether the interface uses the keyboard, so that the water must not react to keys."""
        return bool(self._io.want_capture_keyboard)

    @property
    def takes_text(self) -> bool:
        """Whether a text or a number is being typed into a field."""
        return bool(self._io.want_text_input)

    def close_list(self) -> bool:
        """Close the list that is open, if there is one; whether there was."""
        imgui.set_current_context(self._context)
        if not imgui.is_popup_open("", imgui.PopupFlags_.any_popup):
            return False
        imgui.internal.close_popup_to_level(0, True)
        self.inputs += 1
        return True

    def mouse_moved(self, x: float, y: float) -> None:
        """Pass on where the pointer is, in window units."""
        self.inputs += 1
        self._io.add_mouse_pos_event(x, y)

    def mouse_button(self, button: int, pressed: bool) -> None:
        """Pass on that a mouse button was pressed or released: 1 left, 2 right, 3 middle."""
        self._io.add_mouse_button_event(button - 1, pressed)

    @property
    def wants_mouse(self) -> bool:
        """Whether the pointer is over the interface, so that the water must not react."""
        return bool(self._io.want_capture_mouse)

    def lies_at(self, x: float, y: float) -> bool:
        """Whether the interface takes a press of the mouse at x, y, also before a frame has seen the pointer there."""
        if self.wants_mouse and (self._io.mouse_pos.x, self._io.mouse_pos.y) == (x, y):
            return True
        if imgui.is_popup_open("", imgui.PopupFlags_.any_popup) or imgui.is_any_item_active():
            return self.wants_mouse
        no_inputs = imgui.WindowFlags_.no_mouse_inputs
        for window in imgui.get_current_context().windows:
            left, top, size = window.pos.x, window.pos.y, window.size
            is_there = left <= x <= left + size.x and top <= y <= top + size.y
            if is_there and window.was_active and not window.hidden and not window.flags & no_inputs:
                return True
        return False

    def release(self) -> None:
        """Free the context and its OpenGL resources."""
        imgui.set_current_context(self._context)
        imgui.backends.opengl3_shutdown()
        implot.destroy_context(self._plots)
        imgui.destroy_context(self._context)
        free(*self._pictures.values())


def _sizes(style: Any) -> dict[str, Any]:
    """Copies of all sizes in a style, by name."""
    found = {name: getattr(style, name) for name in dir(style)}
    vectors = {name: imgui.ImVec2(value.x, value.y) for name, value in found.items() if isinstance(value, imgui.ImVec2)}
    return {name: value for name, value in found.items() if isinstance(value, float)} | vectors

"""Dear ImGui on moderngl: feeds it the window's events and draws what it asks for (imgui-bundle 1.92 and later)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Collection, Sequence
from typing import Any

import moderngl
import numpy as np
from imgui_bundle import imgui
from numpy.typing import NDArray

from waterview.render.gl.shaders import Shader
from waterview.render.gl.targets import free
from waterview.ui.panel.keys import KEYS, MODIFIERS

_FONT_SIZE = 17.0
_DOUBLE_CLICK_SECONDS = 0.45


class ImGuiLayer:
    """One ImGui context drawn over the picture.

    Args:
        ctx: the window's OpenGL context.
        fonts: paths of TrueType fonts; each fills the gaps of those before it. Without any ImGui takes its own.

    Attributes:
        inputs: rises with every event, so that what rests can tell whether the interface may have changed.
    """

    def __init__(self, ctx: moderngl.Context, fonts: Sequence[str] = ()) -> None:
        self._ctx = ctx
        self._context = imgui.create_context()
        self._io = imgui.get_io()
        self._io.set_ini_filename("")
        self._io.mouse_double_click_time = _DOUBLE_CLICK_SECONDS
        self._io.backend_flags |= imgui.BackendFlags_.renderer_has_textures
        for number, font in enumerate(fonts):
            config = imgui.ImFontConfig()
            config.merge_mode = number > 0
            self._io.fonts.add_font_from_file_ttf(font, _FONT_SIZE, config)
        self.inputs = 0
        self._sizes: dict[str, Any] = {}
        self._program = Shader(ctx, "imgui").program
        self._textures: dict[int, moderngl.Texture] = {}
        self._pictures: dict[str, moderngl.Texture] = {}
        self._vertices = ctx.buffer(reserve=1 << 16, dynamic=True)
        self._elements = ctx.buffer(reserve=1 << 15, dynamic=True)
        self._vao = self._vertex_array()

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
        self._io.display_size = imgui.ImVec2(*size)
        self._io.display_framebuffer_scale = imgui.ImVec2(buffer_size[0] / size[0], buffer_size[1] / size[1])
        self._io.delta_time = max(seconds, 1e-4)
        imgui.new_frame()
        draw()
        imgui.render()
        self._paint(imgui.get_draw_data(), buffer_size)

    def picture(self, name: str, pixels: NDArray[np.uint8]) -> int:
        """The texture called `name`, made or filled anew from `pixels`, shape (height, width, 4); for `imgui.image`."""
        size = (pixels.shape[1], pixels.shape[0])
        known = self._pictures.get(name)
        if known is None or known.size != size:
            if known is not None:
                del self._textures[known.glo]
                known.release()
            known = self._pictures[name] = self._ctx.texture(size, 4)
            self._textures[known.glo] = known
        known.write(np.ascontiguousarray(pixels))
        return known.glo

    def use_clipboard(self, get: Callable[[], str], put: Callable[[str], None]) -> None:
        """Let text be copied to and pasted from elsewhere."""
        imgui.set_current_context(self._context)
        platform = imgui.get_platform_io()
        platform.platform_get_clipboard_text_fn = lambda _: get()
        platform.platform_set_clipboard_text_fn = lambda _, text: put(text)

    def navigate(self, on: bool) -> None:
        """Let arrow keys go through the interface, or not."""
        flag = imgui.ConfigFlags_.nav_enable_keyboard
        flags = self._io.config_flags
        self._io.config_flags = flags | flag if on else flags & ~flag

    def set_scale(self, scale: float) -> None:
        """Draw text and frames `scale` times as large as on a common screen."""
        imgui.set_current_context(self._context)
        style = imgui.get_style()
        if abs(style.font_scale_dpi - scale) > 1e-3:
            # From the first sizes each time: scaled ones are whole pixels, and would not come back.
            self._sizes = self._sizes or _sizes(style)
            for name, size in self._sizes.items():
                setattr(style, name, size)
            style.scale_all_sizes(scale)
            style.font_scale_dpi = scale

    def key(self, code: int, is_down: bool, held: Collection[str]) -> None:
        """Tell ImGui that glfw's key `code` went down or up while `held` ("shift", "ctrl", "alt") were."""
        self.inputs += 1
        for name, codes in MODIFIERS.items():
            # X11 tells which modifiers were held before the event, Wayland and Windows those after it.
            self._io.add_key_event(getattr(imgui.Key, f"mod_{name}"), is_down if code in codes else name in held)
        if code in KEYS:
            self._io.add_key_event(KEYS[code], is_down)

    def character(self, text: str) -> None:
        """Tell ImGui that `text` was typed."""
        self.inputs += 1
        self._io.add_input_characters_utf8(text)

    def wheel(self, dx: float, dy: float) -> None:
        """Tell ImGui that the wheel turned by so many notches."""
        self.inputs += 1
        self._io.add_mouse_wheel_event(dx, dy)

    @property
    def wants_keyboard(self) -> bool:
        """Whether something is being typed or held in the interface, so that the water must not react to keys."""
        return bool(self._io.want_capture_keyboard)

    def mouse_moved(self, x: float, y: float) -> None:
        """Tell ImGui where the pointer is, in window units."""
        self.inputs += 1
        self._io.add_mouse_pos_event(x, y)

    def mouse_button(self, button: int, pressed: bool) -> None:
        """Tell ImGui of a mouse button: 1 left, 2 right, 3 middle."""
        self._io.add_mouse_button_event(button - 1, pressed)

    @property
    def wants_mouse(self) -> bool:
        """Whether the pointer is over the interface, so that the water must not react."""
        return bool(self._io.want_capture_mouse)

    def release(self) -> None:
        """Free the context and what it holds on the graphics card."""
        imgui.set_current_context(self._context)
        for texture in imgui.get_platform_io().textures:
            self._destroy_texture(texture)
        imgui.destroy_context(self._context)
        free(*self._pictures.values(), self._vao, self._vertices, self._elements, self._program)

    # --- painting

    def _vertex_array(self) -> moderngl.VertexArray:
        content = [(self._vertices, "2f 2f 4f1", "in_position", "in_uv", "in_color")]
        return self._ctx.vertex_array(
            self._program, content, index_buffer=self._elements, index_element_size=imgui.INDEX_SIZE
        )

    def _paint(self, data: Any, buffer_size: tuple[int, int]) -> None:
        for texture in imgui.get_platform_io().textures:
            self._serve_texture(texture)
        scale = self._io.display_framebuffer_scale
        data.scale_clip_rects(scale)
        self._ctx.enable_only(moderngl.BLEND)
        self._ctx.blend_func = moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA
        self._program["display_size"] = self._io.display_size.x, self._io.display_size.y
        self._program["font_texture"] = 0
        for commands in data.cmd_lists:
            self._upload(commands)
            for command in commands.cmd_buffer:
                self._draw(command, buffer_size)
        self._ctx.scissor = None
        self._ctx.enable_only(moderngl.NOTHING)

    def _upload(self, commands: Any) -> None:
        vertices = _memory(commands.vtx_buffer, imgui.VERTEX_SIZE)
        elements = _memory(commands.idx_buffer, imgui.INDEX_SIZE)
        if len(vertices) > self._vertices.size or len(elements) > self._elements.size:
            self._vertices.orphan(max(2 * len(vertices), self._vertices.size))
            self._elements.orphan(max(2 * len(elements), self._elements.size))
            self._vao.release()
            self._vao = self._vertex_array()
        self._vertices.write(vertices)
        self._elements.write(elements)

    def _draw(self, command: Any, buffer_size: tuple[int, int]) -> None:
        left, top, right, bottom = (round(value) for value in command.clip_rect)
        if right <= left or bottom <= top:
            return
        self._ctx.scissor = left, buffer_size[1] - bottom, right - left, bottom - top
        self._textures[command.tex_ref.get_tex_id()].use(0)
        self._vao.render(moderngl.TRIANGLES, vertices=command.elem_count, first=command.idx_offset)

    # --- textures: since 1.92 ImGui asks for them to be made, updated and destroyed

    def _serve_texture(self, texture: Any) -> None:
        status = imgui.ImTextureStatus
        if texture.status == status.want_create:
            made = self._ctx.texture((texture.width, texture.height), 4, texture.get_pixels_array())
            self._textures[made.glo] = made
            texture.set_tex_id(made.glo)
            texture.status = status.ok
        elif texture.status == status.want_updates:
            # The whole texture again: it is small, changes are rare, and moderngl has no row length for a part of one.
            self._textures[texture.tex_id].write(texture.get_pixels_array())
            texture.status = status.ok
        elif texture.status == status.want_destroy:
            self._destroy_texture(texture)

    def _destroy_texture(self, texture: Any) -> None:
        made = self._textures.pop(texture.tex_id, None)
        if made is not None:
            made.release()
        texture.set_tex_id(0)
        texture.status = imgui.ImTextureStatus.destroyed


def _memory(vector: Any, item_size: int) -> Any:
    """The bytes of one of ImGui's own vectors, not copied."""
    return (ctypes.c_char * (vector.size() * item_size)).from_address(vector.data_address())


def _sizes(style: Any) -> dict[str, Any]:
    """Copies of all lengths of a style by name."""
    found = {name: getattr(style, name) for name in dir(style)}
    vectors = {name: imgui.ImVec2(value.x, value.y) for name, value in found.items() if isinstance(value, imgui.ImVec2)}
    return {name: value for name, value in found.items() if isinstance(value, float)} | vectors

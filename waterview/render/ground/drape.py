"""An aerial picture over the land, as a texture of the ground's colours."""

from __future__ import annotations

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.render.gl.shaders import Fill
from waterview.render.gl.targets import free

_SRGB8_ALPHA8 = 0x8C43
_FRAMEBUFFER_SRGB = 0x8DB9


class Drape:
    """The colours of the ground with a picture laid over what is dry.

    Args:
        ctx: the OpenGL context.
        picture: as `Frame.drape`.

    Attributes:
        picture: as given.
    """

    def __init__(self, ctx: moderngl.Context, picture: NDArray[np.uint8]) -> None:
        self._ctx, self.picture = ctx, picture
        self._shader = Fill(ctx, "drape_map")
        limit = int(ctx.info["GL_MAX_TEXTURE_SIZE"])
        step = -(-max(picture.shape[:2]) // limit)
        pixels = np.ascontiguousarray(picture[::step, ::step])
        self._source = self._texture((pixels.shape[1], pixels.shape[0]))
        self._source.write(pixels)
        self._laid = self._texture((1, 1))
        self._framebuffer = ctx.framebuffer([self._laid])

    def _texture(self, size: tuple[int, int]) -> moderngl.Texture:
        texture = self._ctx.texture(size, 4, internal_format=_SRGB8_ALPHA8)
        texture.repeat_x = texture.repeat_y = False
        return texture

    def lay(self, bed: moderngl.Texture, colours: moderngl.Texture) -> moderngl.Texture:
        """The texture of the ground's `colours` under the picture; the view must be in use."""
        size = max(self._source.size, colours.size)
        if self._laid.size != size:
            free(self._framebuffer, self._laid)
            self._laid = self._texture(size)
            self._framebuffer = self._ctx.framebuffer([self._laid])
        self._framebuffer.use()
        self._ctx.enable_direct(_FRAMEBUFFER_SRGB)
        self._shader.draw({"bed": bed, "ground_colour": colours, "drape": self._source})
        self._ctx.disable_direct(_FRAMEBUFFER_SRGB)
        return self._laid

    def release(self) -> None:
        """Free everything."""
        free(self._framebuffer, self._source, self._laid, self._shader)

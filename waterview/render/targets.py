"""Framebuffers that the scene is drawn into before it becomes a picture."""

from __future__ import annotations

import moderngl


def clamped_size(ctx: moderngl.Context, size: tuple[int, int], scale: float = 1.0) -> tuple[int, int]:
    """`size` times `scale` in whole pixels: at least 1 (a minimised window has 0), at most what a texture holds."""
    limit = int(ctx.info["GL_MAX_TEXTURE_SIZE"])
    width, height = (min(max(round(side * scale), 1), limit) for side in size)
    return width, height


class Target:
    """A picture in memory: half-float or 8-bit colour, with or without depth.

    Args:
        ctx: the OpenGL context.
        dtype: "f2" for linear light, "f1" for finished pictures.
        depth: whether it has a depth texture, readable by shaders.

    Attributes:
        colour: its colour texture, RGBA.
        depth: its depth texture, or None.
        framebuffer: what is drawn into.
    """

    def __init__(self, ctx: moderngl.Context, dtype: str, *, depth: bool = False) -> None:
        self._ctx, self._dtype, self._has_depth = ctx, dtype, depth
        self._allocate((1, 1))

    @property
    def size(self) -> tuple[int, int]:
        """Width and height [pixels]."""
        width, height = self.colour.size
        return width, height

    def resize(self, size: tuple[int, int]) -> None:
        """Have `size` from now on; what was drawn is lost if it changes."""
        if size != self.size:
            self.release()
            self._allocate(size)

    def _allocate(self, size: tuple[int, int]) -> None:
        self.colour = self._ctx.texture(size, 4, dtype=self._dtype)
        self.colour.filter = moderngl.LINEAR, moderngl.LINEAR
        self.colour.repeat_x = self.colour.repeat_y = False
        self.depth = self._ctx.depth_texture(size) if self._has_depth else None
        if self.depth is not None:
            # Shaders read the depth itself, not the outcome of a comparison.
            self.depth.compare_func = ""
            self.depth.filter = moderngl.NEAREST, moderngl.NEAREST
            self.depth.repeat_x = self.depth.repeat_y = False
        self.framebuffer = self._ctx.framebuffer([self.colour], self.depth)

    def release(self) -> None:
        """Free the framebuffer and its textures."""
        self.framebuffer.release()
        self.colour.release()
        if self.depth is not None:
            self.depth.release()

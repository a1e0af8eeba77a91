"""The textures that follow the water: heights and slopes of the newest frame."""

from __future__ import annotations

import moderngl
import numpy as np

from waterview.core.errors import InputError
from waterview.core.frame import Frame


class Surface:
    """Heights (R32F) and slopes (RG16F) of the water, uploaded once for every new frame.

    Args:
        ctx: the OpenGL context.

    Attributes:
        heights: above still water [m], one texel a grid point.
        slopes: −∂h/∂x and −∂h/∂z, one texel a grid point.
        uploads: how often frames were uploaded.
    """

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._taken: Frame | None = None
        self.uploads = 0
        self._allocate((1, 1))

    def take(self, frame: Frame) -> None:
        """Upload `frame` unless it is the one that is there.

        Raises:
            InputError: the grid is larger than the graphics card's textures.
        """
        last = self._taken
        # Two simulations may count alike: the arrays tell them apart.
        if last is not None and frame.serial == last.serial and frame.heights is last.heights:
            return
        if self.heights.size != frame.grid.shape[::-1]:
            check_texture_size(self._ctx, frame.grid.shape[::-1])
            self.release()
            self._allocate(frame.grid.shape[::-1])
        self.heights.write(np.ascontiguousarray(frame.heights, np.float32))
        self.slopes.write(np.ascontiguousarray(frame.normals, np.float16))
        self._taken = frame
        self.uploads += 1

    def _allocate(self, size: tuple[int, int]) -> None:
        self.heights = self._ctx.texture(size, 1, dtype="f4")
        self.slopes = self._ctx.texture(size, 2, dtype="f2")
        for texture in (self.heights, self.slopes):
            texture.repeat_x = texture.repeat_y = False
            texture.filter = moderngl.LINEAR, moderngl.LINEAR

    def release(self) -> None:
        """Free the textures."""
        self.heights.release()
        self.slopes.release()


def check_texture_size(ctx: moderngl.Context, size: tuple[int, int]) -> None:
    """Raise an InputError where a texture of `size` is more than the graphics card can hold."""
    limit = int(ctx.info["GL_MAX_TEXTURE_SIZE"])
    if max(size) > limit:
        raise InputError(
            f"a grid of {size[0]} × {size[1]} points cannot be drawn here: the graphics card allows {limit} "
            "along a side; choose a smaller --grid"
        )

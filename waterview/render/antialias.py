"""Smooth edges in a finished picture."""

from __future__ import annotations

import moderngl

from .shaders import Shader


class AntialiasPass:
    """Smooths edges along their direction."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._shader = Shader(ctx, "antialias", vertex="screen")
        self._vao = ctx.vertex_array(self._shader.program, [])

    def draw(self, picture: moderngl.Texture) -> None:
        """Fill the bound framebuffer with `picture`, whose alpha is its luma."""
        self._ctx.enable_only(moderngl.NOTHING)
        self._shader.use(picture=picture)
        self._shader.set(pixel=(1.0 / picture.width, 1.0 / picture.height))
        self._vao.render(moderngl.TRIANGLES, vertices=3)

    def release(self) -> None:
        """Free everything."""
        self._vao.release()
        self._shader.release()

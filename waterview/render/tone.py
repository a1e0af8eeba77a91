"""From linear light to a picture."""

from __future__ import annotations

import moderngl

from .shaders import Shader

_BASE_EXPOSURE = 0.44
"""What a scene is multiplied by at 0 EV: puts sunlit grass near middle grey."""


class TonePass:
    """Applies exposure, a filmic curve, sRGB and a dither."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._shader = Shader(ctx, "tone", vertex="screen")
        self._vao = ctx.vertex_array(self._shader.program, [])

    def draw(self, scene: moderngl.Texture, stops: float) -> None:
        """Fill the bound framebuffer with `scene`, exposed by `stops` [EV]."""
        self._ctx.enable_only(moderngl.NOTHING)
        self._shader.use(scene=scene)
        self._shader.set(exposure=_BASE_EXPOSURE * 2.0**stops)
        self._vao.render(moderngl.TRIANGLES, vertices=3)

    def release(self) -> None:
        """Free everything."""
        self._vao.release()
        self._shader.release()

"""The sky, baked for all that mirrors it."""

from __future__ import annotations

import moderngl
import numpy as np

from .light import Light
from .shaders import Shader

_MAP_SIZE = 128


class SkyMap:
    """The upper half of the sky without the sun's disk.

    Attributes:
        map: laid out as in include/sky.glsl, with mipmaps.
    """

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._shader = Shader(ctx, "sky_map", vertex="screen")
        self._vao = ctx.vertex_array(self._shader.program, [])
        self.map = ctx.texture((_MAP_SIZE, _MAP_SIZE), 4, dtype="f2")
        self.map.repeat_x = self.map.repeat_y = False
        self._framebuffer = ctx.framebuffer([self.map])
        self._baked_for: bytes | None = None

    def bake(self, light: Light) -> None:
        """Bring `map` up to date; the view must have been written with the same light."""
        wanted = np.concatenate((light.towards_sun, light.haze)).tobytes()
        if wanted == self._baked_for:
            return
        self._framebuffer.use()
        self._ctx.disable(moderngl.DEPTH_TEST | moderngl.CULL_FACE | moderngl.BLEND)
        self._vao.render(moderngl.TRIANGLES, vertices=3)
        self.map.build_mipmaps()
        self.map.filter = moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR
        self._baked_for = wanted

    def release(self) -> None:
        """Free everything."""
        for resource in (self._vao, self._shader, self._framebuffer, self.map):
            resource.release()

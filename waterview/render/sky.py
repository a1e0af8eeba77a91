"""The sky: behind the scene, and baked for all that mirrors it or is lit by it."""

from __future__ import annotations

import moderngl

from .light import Light
from .shaders import Shader

_MAP_SIZE = 128


class SkyPass:
    """Draws the sky, the sun and the floor that the block stands on.

    Attributes:
        map: the upper half of the sky without the sun's disk, laid out as in include/sky.glsl, with mipmaps.
    """

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._shader = Shader(ctx, "sky", vertex="screen")
        self._map_shader = Shader(ctx, "sky_map", vertex="screen")
        self._vao = ctx.vertex_array(self._shader.program, [])
        self._map_vao = ctx.vertex_array(self._map_shader.program, [])
        self.map = ctx.texture((_MAP_SIZE, _MAP_SIZE), 4, dtype="f2")
        self.map.repeat_x = self.map.repeat_y = False
        self._framebuffer = ctx.framebuffer([self.map])
        self._baked_for: tuple[float, ...] | None = None

    def bake(self, light: Light) -> None:
        """Bring `map` up to date; the view must have been written with the same light."""
        wanted = tuple(light.towards_sun)
        if wanted == self._baked_for:
            return
        self._framebuffer.use()
        self._ctx.disable(moderngl.DEPTH_TEST | moderngl.CULL_FACE | moderngl.BLEND)
        self._map_vao.render(moderngl.TRIANGLES, vertices=3)
        self.map.build_mipmaps()
        self.map.filter = moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR
        self._baked_for = wanted

    def draw(self) -> None:
        """Fill what nothing else has been drawn on."""
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        self._ctx.depth_func = "<="
        self._shader.use(sky_map=self.map)
        self._vao.render(moderngl.TRIANGLES, vertices=3)

    def release(self) -> None:
        """Free everything."""
        for resource in (self._vao, self._map_vao, self._shader, self._map_shader, self._framebuffer, self.map):
            resource.release()

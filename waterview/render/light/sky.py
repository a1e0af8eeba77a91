"""The sky and the floor around the block, baked for all that shows them."""

from __future__ import annotations

import moderngl

from waterview.render.camera.bounds import Bounds
from waterview.render.gl.shaders import Fill
from waterview.render.gl.targets import field_texture, free
from waterview.render.settings import ViewParams

from .light import Light

_MAP_SIZE = 128
_FLOOR_SIZE = 256
FLOOR_REACH = 3.0
"""How far the map of the floor reaches from the block's middle, in units of its longer side."""


def sea_around(settings: ViewParams, bounds: Bounds, *, pool: bool) -> bool:
    """Whether the sea goes on around the block to the horizon, instead of a floor that the block stands on."""
    if settings.surroundings == "auto":
        return bounds.flooded and not pool
    return settings.surroundings == "sea"


class SkyMap:
    """The upper half of the sky without the sun's disk, and how much of sun and sky the floor sees.

    Attributes:
        map: the sky, laid out as in include/sky.glsl, with mipmaps.
        floor: shares of the sun and of the sky.
    """

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._shader = Fill(ctx, "sky_map")
        self._floor_shader = Fill(ctx, "floor", defines={"FLOOR_REACH": FLOOR_REACH})
        self.map = field_texture(ctx, (_MAP_SIZE, _MAP_SIZE), 4, "f2")
        self.floor = field_texture(ctx, (_FLOOR_SIZE, _FLOOR_SIZE), 2, "f2")
        self._framebuffer, self._floor_framebuffer = (ctx.framebuffer([texture]) for texture in (self.map, self.floor))
        self._baked_for: tuple[object, ...] | None = None

    def bake(self, light: Light, bounds: Bounds) -> None:
        """Bring the maps up to date; the view must have been written with the same light and bounds."""
        wanted = (bounds, *light.towards_sun, *light.haze)
        if wanted == self._baked_for:
            return
        self._ctx.disable(moderngl.DEPTH_TEST | moderngl.CULL_FACE | moderngl.BLEND)
        self._floor_framebuffer.use()
        self._floor_shader.draw({})
        self._framebuffer.use()
        self._shader.draw({})
        self.map.build_mipmaps()
        self.map.filter = moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR
        self._baked_for = wanted

    def release(self) -> None:
        """Free everything."""
        free(self._shader, self._floor_shader, self._framebuffer, self._floor_framebuffer, self.map, self.floor)

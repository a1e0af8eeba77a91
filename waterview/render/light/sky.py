"""The sky and the floor around the block, baked into textures."""

from __future__ import annotations

import moderngl

from waterview.render.camera.bounds import Bounds
from waterview.render.daylight import sky_map
from waterview.render.gl.shaders import Fill
from waterview.render.gl.targets import Target, field_texture
from waterview.render.render_pass import FrameContext, RenderPass, Setup
from waterview.render.settings import ViewParams

_MAP_SIZE = 128
_FLOOR_SIZE = 256


def sea_around(settings: ViewParams, bounds: Bounds, *, pool: bool) -> bool:
    """Whether the sea continues around the block to the horizon, instead of a floor that the block stands on."""
    if settings.surroundings == "auto":
        return bounds.flooded and not pool
    return settings.surroundings == "sea"


class SkyPass(RenderPass):
    """Bakes the sky without the sun's disk, upper hemisphere, and the shares of sun and sky that reach the floor."""

    name, shaders = "sky", ("floor_map",)
    writes = ("sky_map", "floor_map")

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        ctx = setup.ctx
        self._floor_shader = self._own(Fill(ctx, "floor_map"))
        self._map = self._own(field_texture(ctx, (_MAP_SIZE, _MAP_SIZE), 4, "f2"))
        self._floor = self._own(Target(ctx, "2f2", size=(_FLOOR_SIZE, _FLOOR_SIZE)))
        self._baked_for: tuple[object, ...] | None = None

    def update(self, context: FrameContext) -> None:
        """Bake both if the scene's box, the sun or the haze have changed."""
        context.textures.update(sky_map=self._map, floor_map=self._floor.colour)
        light = context.view.light
        wanted = (context.view.bounds, *light.towards_sun, *light.haze)
        if wanted == self._baked_for:
            return
        self._ctx.disable(moderngl.DEPTH_TEST | moderngl.CULL_FACE | moderngl.BLEND)
        self._floor.framebuffer.use()
        self._floor_shader.draw({})
        self._map.write(sky_map(light, _MAP_SIZE))
        self._map.build_mipmaps()
        self._map.filter = moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR
        self._baked_for = wanted

"""The sky and the floor around the block, baked into textures."""

from __future__ import annotations

import math

import moderngl
import numpy as np

from waterview.render.atmosphere import AIR_SCALE, HAZE_SCALE, RAYLEIGH
from waterview.render.camera.bounds import Bounds
from waterview.render.clouds import DIFFUSION, HEIGHT, SIZE, TILE, Clouds
from waterview.render.daylight import SUN_POWER, Light, sky_light, sky_map
from waterview.render.gl.shaders import Fill, Uniform
from waterview.render.gl.targets import Owner, Target, field_texture
from waterview.render.quality import Tier
from waterview.render.render_pass import FrameContext, RenderPass, Setup
from waterview.render.settings import ViewParams

_MAP_SIZE = 128
_FLOOR_SIZE = 256
_EARTH = 6.36e6
_STEPS, _FEW_STEPS = 16, 10
"""Through the layer of clouds along a ray, with fine detail and without."""
_CLEAR = {"CLOUDS": 0, "AIR": 0}


def sea_around(settings: ViewParams, bounds: Bounds, *, pool: bool) -> bool:
    """Whether the sea continues around the block to the horizon, instead of a floor that the block stands on."""
    if settings.surroundings == "auto":
        return bounds.flooded and not pool
    return settings.surroundings == "sea"


class SkyPass(RenderPass):
    """Bakes the sky without the sun's disk, upper hemisphere, and the shares of sun and sky that reach the floor.

    Where there are clouds the sky is a finer map, drawn from the clear one as often as they are lit anew.
    """

    name, shaders = "sky", ("floor_map", "clouds")
    writes = ("sky_map", "floor_map")

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        ctx = setup.ctx
        self._floor_shader = self._own(Fill(ctx, "floor_map", defines=_CLEAR))
        self._map = self._own(field_texture(ctx, (_MAP_SIZE, _MAP_SIZE), 4, "f2"))
        self._floor = self._own(Target(ctx, "2f2", size=(_FLOOR_SIZE, _FLOOR_SIZE)))
        self._baked_for: tuple[object, ...] | None = None
        self._clouds: _CloudedSky | None = None

    def update(self, context: FrameContext) -> None:
        """Bake both if the scene's box, the sun or the haze have changed."""
        sky, light = self._map, context.view.light
        wanted = (context.view.bounds, *light.towards_sun, *light.haze)
        if wanted != self._baked_for:
            self._ctx.disable(moderngl.DEPTH_TEST | moderngl.CULL_FACE | moderngl.BLEND)
            self._floor.framebuffer.use()
            self._floor_shader.draw({})
            self._map.write(sky_map(light, _MAP_SIZE))
            self._map.build_mipmaps()
            self._map.filter = moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR
            self._baked_for = wanted
        if light.clouds is not None:
            self._clouds = self._clouds or self._own(_CloudedSky(self._ctx, self._tier))
            sky = self._clouds.draw(light, light.clouds, context.view.time, self._map)
        context.textures.update(sky_map=sky, floor_map=self._floor.colour)


class _CloudedSky(Owner):
    """The sky with clouds in it, lit anew as often as the quality says.

    While the scene's time runs on, the next map is drawn in strips, one with each picture, so that no
    picture takes much longer than others.
    """

    def __init__(self, ctx: moderngl.Context, tier: Tier) -> None:
        super().__init__()
        self._ctx = ctx
        self._shade, self._shader = (
            self._own(Fill(ctx, "clouds", defines=_CLEAR | {"SHADE": shade})) for shade in (1, 0)
        )
        self._steps = _STEPS if tier.fine else _FEW_STEPS
        size = tier.clouds, tier.clouds
        self._shown, self._next = (self._own(Target(ctx, "4f2", size=size)) for _ in range(2))
        self._thickness = self._own(ctx.texture((SIZE, SIZE), 1))
        self._tile = self._own(Target(ctx, "4f1", size=(SIZE, SIZE)))
        self._thickness_of: Clouds | None = None
        self._shaded_for: tuple[object, ...] = ()
        self._shown_for: tuple[object, ...] = ()
        self._next_for: tuple[object, ...] = ()
        self._lighting: dict[str, Uniform] = {}  # of the next map
        self._rows = 0  # of the next map, that are drawn
        self._seconds = math.inf

    def draw(self, light: Light, clouds: Clouds, seconds: float, clear: moderngl.Texture) -> moderngl.Texture:
        """The map of a sky that is `clear` behind the clouds, at a time [s]."""
        lit_at = clouds.lit_at(seconds)
        if _key(light, clouds, lit_at) != self._shown_for:
            self._draw_next(light, clouds, lit_at, clear, 1.0)
            self._shown, self._next = self._next, self._shown
            self._shown_for, self._next_for = self._next_for, ()
            self._shown.colour.build_mipmaps()
            self._shown.colour.filter = moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR
        elif 0.0 < seconds - self._seconds < clouds.lit_every:  # not where time stands, jumps or runs back
            share = (seconds - lit_at) / clouds.lit_every
            self._draw_next(light, clouds, lit_at + clouds.lit_every, clear, share)
        self._seconds = seconds
        return self._shown.colour

    def _draw_next(self, light: Light, clouds: Clouds, lit_at: float, clear: moderngl.Texture, share: float) -> None:
        """Draw such a share of the next map, that of a time [s], as far as it is not there yet."""
        key = _key(light, clouds, lit_at)
        if key != self._next_for:
            self._shade_clouds(light, clouds)
            self._next_for, self._rows, self._lighting = key, 0, _lighting(light, clouds, lit_at)
        across, size = self._next.size
        begun, self._rows = self._rows, max(self._rows, round(share * size))
        if begun < self._rows:
            self._next.framebuffer.use()
            self._ctx.scissor = 0, begun, across, self._rows - begun
            self._shader.draw({"sky_map": clear, "clouds": self._tile.colour}, **self._lighting, steps=self._steps)
            self._ctx.scissor = None

    def _shade_clouds(self, light: Light, clouds: Clouds) -> None:
        """Fill the tile of clouds, with how much cloud is towards the sun, unless it is that already."""
        if clouds != self._thickness_of:
            thickness = np.sqrt(clouds.depths / clouds.depths.max())
            self._thickness.write(np.rint(255.0 * thickness).astype(np.uint8).tobytes())
            self._thickness.build_mipmaps()
            self._thickness_of = clouds
        shaded = clouds, *light.towards_sun
        if shaded != self._shaded_for:
            self._tile.framebuffer.use()
            self._shade.draw({"thickness": self._thickness}, tile=TILE / HEIGHT)
            self._tile.colour.build_mipmaps()
            self._tile.colour.filter = moderngl.LINEAR_MIPMAP_NEAREST, moderngl.LINEAR
            self._tile.colour.repeat_x = self._tile.colour.repeat_y = True
            self._shaded_for = shaded


def _key(light: Light, clouds: Clouds, lit_at: float) -> tuple[object, ...]:
    """What a map of the sky with clouds depends on."""
    return clouds, lit_at, *light.towards_sun, *light.haze


def _lighting(light: Light, clouds: Clouds, lit_at: float) -> dict[str, Uniform]:
    """What the shader of the map is told of the clouds and their light at a time [s]."""
    high, clear_light = 1e-3 * HEIGHT, sky_light(light.clear_sky, light.towards_sun, light.haze, light.sun)
    air = RAYLEIGH * -math.expm1(-high / AIR_SCALE) + light.haze * -math.expm1(-high / HAZE_SCALE)
    aloft, around = SUN_POWER * light.clear_sky.sunlight(high), clear_light[0] + clear_light[2]
    return {
        "sunlight": tuple(aloft),
        "around": tuple(around),
        "air": tuple(air),
        "begin": tuple(np.mod(-clouds.drift(lit_at) * (HEIGHT / TILE), 1.0)),
        "earth": _EARTH / HEIGHT,
        "diffusion": tuple(DIFFUSION),
        "whole": clouds.whole,
        "sides": clouds.sides,
        "below": tuple(clouds.radiance(aloft, light.towards_sun, around)),
        "lit": clouds.passes,
        "tile": TILE / HEIGHT,
        "deepest": float(clouds.depths.max()),
    }

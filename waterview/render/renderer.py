"""A frame becomes a picture."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import Frame

from .antialias import AntialiasPass
from .bounds import Bounds
from .camera import OrbitCamera
from .ground import GroundMaps
from .light import Light
from .noise import noise_texture
from .quality import TIERS, Tier, TierChooser
from .settings import ViewParams
from .sky import SkyPass
from .surface import Surface
from .targets import Target, clamped_size
from .terrain import TerrainPass
from .tone import TonePass
from .view import View, ViewBlock
from .water import WaterPass

_SOFTWARE = ("llvmpipe", "softpipe", "swiftshader", "software")


class Renderer:
    """Draws frames; owns everything it needs on the graphics card until `release`.

    Args:
        ctx: an OpenGL context of version 3.3 or later.
        settings: used by `render` where it is given none.

    Raises:
        ShaderError: a shader is missing or does not compile.

    Attributes:
        settings: used by `render` where it is given none.
        surface: the textures that follow the water.
    """

    def __init__(self, ctx: moderngl.Context, settings: ViewParams | None = None) -> None:
        self._ctx = ctx
        self.settings = settings or ViewParams()
        software = any(name in ctx.info["GL_RENDERER"].lower() for name in _SOFTWARE)
        self._chooser = TierChooser("low" if software else "high")
        self._noise = noise_texture(ctx)
        self._view = ViewBlock(ctx)
        self._sky = SkyPass(ctx)
        self._tone = TonePass(ctx)
        self._antialias = AntialiasPass(ctx)
        self.surface = Surface(ctx)
        self._opaque = Target(ctx, "f2", depth=True)
        self._scene = Target(ctx, "f2", depth=True)
        self._picture = Target(ctx, "f1")
        self._bounds: Bounds | None = None
        self._bounded: tuple[object, ...] = ()
        self._set_tier(self._tier_for(self.settings))

    @property
    def tier(self) -> Tier:
        """The level of detail drawn with."""
        return self._tier

    def render(
        self,
        frame: Frame,
        camera: OrbitCamera,
        size: tuple[int, int],
        target: moderngl.Framebuffer,
        settings: ViewParams | None = None,
        seconds: float = 0.0,
    ) -> None:
        """Draw one picture.

        Args:
            frame: what to draw; uploaded if its serial is new.
            camera: from where.
            size: the picture's width and height [pixels]; sides of 0 are taken as 1.
            target: what to draw into, from its lower left corner.
            settings: how to draw; else the renderer's own.
            seconds: time since the last frame [s], for the quality `auto`; 0 if unknown.

        Raises:
            InputError: the grid is larger than the graphics card's textures.
        """
        settings = settings or self.settings
        # moderngl binds anew what was bound before it makes a framebuffer: let that be one that surely exists.
        target.use()
        self._choose_tier(settings, seconds)
        bounds = self._bounds_of(frame)
        light = Light.of(settings, bounds)
        self._resize(size)
        self._view.write(View(camera, frame.grid, bounds, light, self._scene.size, frame.time))
        self._take(frame, bounds, light)
        self._draw_opaque(settings)
        self._draw_water(settings)
        self._develop(size, target, settings)

    def snapshot(self, target: moderngl.Framebuffer, size: tuple[int, int]) -> NDArray[np.uint8]:
        """What `target` shows, shape (height, width, 3), top row first."""
        width, height = size
        pixels = target.read(viewport=(0, 0, width, height), components=3, alignment=1)
        return np.frombuffer(pixels, np.uint8).reshape(height, width, 3)[::-1].copy()

    # --- the verbs -------------------------------------------------------------------------------------------------

    def _take(self, frame: Frame, bounds: Bounds, light: Light) -> None:
        """Bring everything on the graphics card up to the frame; what has not changed costs nothing."""
        self.surface.take(frame)
        self._sky.bake(light)
        self._ground.bake(frame, bounds, light, self._noise)
        self._terrain.take(frame, bounds)
        self._water.take(frame)

    def _draw_opaque(self, settings: ViewParams) -> None:
        """Everything but the water, nearest first: what is hidden then costs little."""
        self._opaque.framebuffer.use()
        self._opaque.framebuffer.clear(depth=1.0)
        with _wireframe(self._ctx, settings.wireframe):
            self._terrain.draw(self._ground, self._sky.map, self._noise)
        self._sky.draw()

    def _draw_water(self, settings: ViewParams) -> None:
        """The water, over a copy of the opaque scene that it refracts."""
        self._ctx.copy_framebuffer(self._scene.framebuffer, self._opaque.framebuffer)
        self._scene.framebuffer.use()
        with _wireframe(self._ctx, settings.wireframe):
            self._water.draw(self.surface, self._opaque, self._ground, self._sky.map, self._noise)

    def _develop(self, size: tuple[int, int], target: moderngl.Framebuffer, settings: ViewParams) -> None:
        """Light becomes a picture in the target."""
        viewport = (0, 0, max(size[0], 1), max(size[1], 1))
        if self._tier.edge_filter:
            self._picture.resize(self._scene.size)
            self._picture.framebuffer.use()
            self._tone.draw(self._scene.colour, settings.exposure)
            target.use()
            self._ctx.viewport = viewport
            self._antialias.draw(self._picture.colour)
        else:
            target.use()
            self._ctx.viewport = viewport
            self._tone.draw(self._scene.colour, settings.exposure)

    # --- what they need --------------------------------------------------------------------------------------------

    def _tier_for(self, settings: ViewParams) -> Tier:
        return self._chooser.tier if settings.quality == "auto" else TIERS[settings.quality]

    def _choose_tier(self, settings: ViewParams, seconds: float) -> None:
        if settings.quality == "auto":
            self._chooser.note(seconds)
        if self._tier_for(settings) is not self._tier:
            self._release_tier()
            self._set_tier(self._tier_for(settings))

    def _set_tier(self, tier: Tier) -> None:
        self._tier = tier
        self._ground = GroundMaps(self._ctx, tier)
        self._terrain = TerrainPass(self._ctx, tier)
        self._water = WaterPass(self._ctx, tier)

    def _bounds_of(self, frame: Frame) -> Bounds:
        if self._bounds is None or self._bounded[0] is not frame.bed or self._bounded[1] != frame.grid:
            self._bounds = Bounds.of(frame)
            self._bounded = (frame.bed, frame.grid)
        return self._bounds

    def _resize(self, size: tuple[int, int]) -> None:
        scaled = clamped_size(self._ctx, size, self._tier.scale)
        self._opaque.resize(scaled)
        self._scene.resize(scaled)

    def _release_tier(self) -> None:
        for part in (self._ground, self._terrain, self._water):
            part.release()

    def release(self) -> None:
        """Free everything on the graphics card; the renderer cannot be used afterwards."""
        self._release_tier()
        parts = (self._sky, self._tone, self._antialias, self.surface, self._opaque, self._scene, self._picture)
        for part in (*parts, self._view, self._noise):
            part.release()


@contextmanager
def _wireframe(ctx: moderngl.Context, on: bool) -> Iterator[None]:
    """Draw edges only, where `on`."""
    ctx.wireframe = on
    try:
        yield
    finally:
        ctx.wireframe = False

"""A frame becomes a picture."""

from __future__ import annotations

from collections.abc import Callable

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import Frame
from waterview.render.camera.camera import OrbitCamera
from waterview.render.camera.near_origin import NearOrigin
from waterview.render.gl.shaders import is_software
from waterview.render.gl.targets import clamped_size, free
from waterview.render.water.surface import Surface

from .develop import DevelopPass
from .passes import Passes
from .quality import TIERS, Tier, TierChooser
from .settings import ViewParams


class Renderer:
    """Draws frames; owns everything it needs on the graphics card until `release`.

    Args:
        ctx: an OpenGL context of version 3.3 or later.
        settings: used by `render` where it is given none.

    Raises:
        ShaderError: a shader is missing or does not compile.

    Attributes:
        settings: used by `render` where it is given none.
        lap: called with a pass's name when it has been drawn; for benchmarks.
    """

    def __init__(self, ctx: moderngl.Context, settings: ViewParams | None = None) -> None:
        self._ctx = ctx
        self.settings = settings or ViewParams()
        self.lap: Callable[[str], None] = lambda name: None
        self._chooser = TierChooser("low" if is_software(ctx) else "high")
        self._developer = DevelopPass(ctx)
        self._near_origin = NearOrigin()
        self._set_tier(self._tier_for(self.settings))

    @property
    def tier(self) -> Tier:
        """The level of detail drawn with."""
        return self._tier

    @property
    def surface(self) -> Surface:
        """The textures that follow the water."""
        return self._passes.surface

    @property
    def light_map(self) -> moderngl.Texture:
        """Sunlight in the water as of the last picture (see `LightMap.map`)."""
        return self._passes.light_map

    @property
    def textures(self) -> dict[str, moderngl.Texture]:
        """What passes have left for each other, by the shaders' names for it, as of the last picture."""
        return self._passes.textures

    def marks(self) -> NDArray[np.float32]:
        """The kind of surface in each pixel of the last picture (kinds.py), shape (height, width), lowest row first."""
        return self._passes.marks()

    def particles(self) -> NDArray[np.float32]:
        """Spray and bubbles as of the last picture (see `SprayPass.read`)."""
        return self._passes.particles()

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
        self._passes.lap = self.lap
        near, seen_from = self._near_origin.bring(frame, camera)
        self._passes.draw(near, seen_from, clamped_size(self._ctx, size, self._tier.scale), settings)
        self._develop(size, target, settings, seconds)

    def follow(self, frame: Frame, camera: OrbitCamera, settings: ViewParams | None = None) -> None:
        """Take in a frame that is not shown: foam and spray of later pictures begin in it; else as `render`."""
        settings = settings or self.settings
        self._passes.light.framebuffer.use()
        self._choose_tier(settings, 0.0)
        self._passes.follow(*self._near_origin.bring(frame, camera), settings)

    def snapshot(self, target: moderngl.Framebuffer, size: tuple[int, int]) -> NDArray[np.uint8]:
        """What `target` shows, shape (height, width, 3), top row first."""
        width, height = size
        pixels = target.read(viewport=(0, 0, width, height), components=3, alignment=1)
        return np.frombuffer(pixels, np.uint8).reshape(height, width, 3)[::-1].copy()

    def _develop(
        self, size: tuple[int, int], target: moderngl.Framebuffer, settings: ViewParams, seconds: float
    ) -> None:
        """Light becomes a picture in the target."""
        light = self._passes.light.colour
        if settings.auto_exposure:
            self._developer.meter(light, seconds)
            self.lap("meter")
        target.use()
        self._ctx.viewport = (0, 0, max(size[0], 1), max(size[1], 1))
        self._developer.draw(light, settings.exposure, automatic=settings.auto_exposure, smooth=self._tier.edge_filter)
        self.lap("develop")

    def _tier_for(self, settings: ViewParams) -> Tier:
        return self._chooser.tier if settings.quality == "auto" else TIERS[settings.quality]

    def _choose_tier(self, settings: ViewParams, seconds: float) -> None:
        if settings.quality == "auto":
            self._chooser.note(seconds)
        if self._tier_for(settings) is not self._tier:
            self._passes.release()
            self._set_tier(self._tier_for(settings))

    def _set_tier(self, tier: Tier) -> None:
        self._tier = tier
        self._passes = Passes(self._ctx, tier)

    def release(self) -> None:
        """Free everything on the graphics card; the renderer cannot be used afterwards."""
        free(self._passes, self._developer)

"""A frame becomes a picture."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.core.allocator import keep_freed_memory
from waterview.core.frame import Frame
from waterview.render.camera.camera import OrbitCamera
from waterview.render.camera.near_origin import NearOrigin
from waterview.render.gl.shaders import is_software
from waterview.render.gl.targets import clamped_size, free

from .materials import LevelMap
from .passes import Passes
from .quality import TIERS, Tier, TierChooser
from .render_pass import P, Textures
from .settings import ViewParams
from .tone_map import ToneMap
from .view import ViewBlock

_log = logging.getLogger(__name__)


class Renderer:
    """Draws frames; owns its GPU resources until `release`.

    Args:
        ctx: an OpenGL context of version 3.3 or later.
        settings: used by `render` if it is given none.

    Raises:
        ShaderError: a shader is missing or does not compile.

    Attributes:
        settings: used by `render` if it is given none.
        lap: called with a pass's name when it has been drawn; for benchmarks.
        turns: how many pictures the making of new ground may be spread over, for parts that coarser levels of detail
            surround: these are shown until it is there.
        is_complete: whether the last picture shows every level of detail of its frame.
    """

    def __init__(self, ctx: moderngl.Context, settings: ViewParams | None = None) -> None:
        self._ctx = ctx
        self.settings = settings or ViewParams()
        self.lap: Callable[[str], None] = lambda name: None
        software = is_software(ctx)
        if software:
            keep_freed_memory()
        self._chooser = TierChooser("low" if software else "high")
        self._tone_map, self._view_block = ToneMap(ctx), ViewBlock(ctx)
        self._near_origin = NearOrigin()
        self._passes = Passes(ctx, self._tier_for(self.settings), self._view_block)
        self._finer: list[Passes] = []
        self._level_map: LevelMap | None = None
        self.turns, self.is_complete = 1, True
        if _log.isEnabledFor(logging.INFO):  # to ask takes some hundred calls
            told = ctx.info
            _log.info("OpenGL %s on %s, quality %s", told["GL_VERSION"], told["GL_RENDERER"], self.tier.name)

    @property
    def tier(self) -> Tier:
        """The level of detail."""
        return self._passes.tier

    @property
    def textures(self) -> Textures:
        """What passes have written for the last picture, by the shaders' names, and the scene's `light`."""
        return self._passes.textures

    def find(self, kind: type[P]) -> P:
        """The pass of a kind, as of the last picture."""
        return self._passes.find(kind)

    def render(
        self,
        frame: Frame,
        camera: OrbitCamera,
        size: tuple[int, int],
        target: moderngl.Framebuffer,
        settings: ViewParams | None = None,
        seconds: float = 0.0,
        adapts_in: float | None = None,
    ) -> None:
        """Draw one picture.

        Args:
            frame: what to draw; uploaded if it is new.
            camera: where to look from.
            size: the picture's width and height [pixels]; sides of 0 count as 1.
            target: what to draw into, from its lower left corner.
            settings: how to draw; else the renderer's own.
            seconds: time that the last picture took [s], for the quality `auto`; 0 if unknown.
            adapts_in: time in which the exposure adapts [s], if it is not `seconds`; in 0 it adapts wholly.

        Raises:
            InputError: the grid is larger than the graphics card's textures.
        """
        settings = settings or self.settings
        # When moderngl makes a framebuffer it binds the one before again, which must not have been released: bind ours.
        target.use()
        self._choose_tier(settings, seconds)
        self._passes.light.resize(clamped_size(self._ctx, size, self.tier.scale))
        self._draw(self._update(*self._near_origin.move(frame, camera), settings))
        self._expose(settings, seconds if adapts_in is None else adapts_in)
        self._map_tones(size, target, settings)

    def follow(self, frame: Frame, camera: OrbitCamera, settings: ViewParams | None = None) -> None:
        """Take in a frame without drawing it, so that later pictures show its foam and spray; else as `render`."""
        settings = settings or self.settings
        self._passes.light.framebuffer.use()
        self._choose_tier(settings, 0.0)
        self._update(*self._near_origin.move(frame, camera), settings)

    def _update(self, frame: Frame, camera: OrbitCamera, settings: ViewParams) -> list[Passes]:
        """Bring the passes of every level of detail up to a frame; returns those that can be drawn, coarsest first."""
        frames = [frame]
        while frames[-1].around is not None:
            frames.append(frames[-1].around)
        frames.reverse()
        levels = self._levels(len(frames))
        self.is_complete = len(frames) == 1
        if self.is_complete:
            self._passes.update(frame, camera, settings)
            return levels
        camera, grain = replace(camera, whole=self._passes.bounds(frames[0])), max(frame.grid.size)
        drawn: list[Passes] = []
        for each, passes in zip(frames, levels, strict=True):
            around, turns = (drawn[-1].context, self.turns) if drawn else (None, 1)
            if not passes.update(each, camera, settings, around, grain, turns):
                break
            drawn.append(passes)
        self.is_complete = len(drawn) == len(frames)
        for passes in drawn[:-1]:
            passes.leave_out("UNDERWATER")
        # An eye under water sees nothing of what is far away.
        return drawn[-1:] if "UNDERWATER" in drawn[-1].context.features else drawn

    def _levels(self, count: int) -> list[Passes]:
        """The passes of so many levels of detail, coarsest first."""
        while len(self._finer) < count - 1:
            self._finer.append(Passes(self._ctx, self.tier, self._view_block, light=self._passes.light))
        levels = [self._passes, *self._finer[: count - 1]]
        for passes in levels:
            passes.lap = self.lap
        return levels

    def _draw(self, levels: list[Passes]) -> None:
        """Draw the scene from the passes of its levels of detail, coarsest first."""
        if len(levels) == 1:
            levels[0].draw()
            return
        for passes in levels:
            passes.draw_geometry()
        self._level_map = self._level_map or LevelMap(self._ctx)
        self._level_map.draw([passes.context for passes in levels])
        for passes in levels:
            passes.shade()

    def snapshot(self, target: moderngl.Framebuffer, size: tuple[int, int]) -> NDArray[np.uint8]:
        """What `target` shows, shape (height, width, 3), top row first."""
        width, height = size
        pixels = target.read(viewport=(0, 0, width, height), components=3, alignment=1)
        return np.frombuffer(pixels, np.uint8).reshape(height, width, 3)[::-1].copy()

    def _expose(self, settings: ViewParams, seconds: float) -> None:
        """Let the exposure follow the brightness of the scene, if wanted."""
        if settings.auto_exposure:
            self._tone_map.meter(self._passes.light.colour, seconds)
            self.lap("exposure")

    def _map_tones(self, size: tuple[int, int], target: moderngl.Framebuffer, settings: ViewParams) -> None:
        """Light becomes a picture in the target."""
        light, smooth = self._passes.light.colour, self.tier.edge_filter
        scattered = self._tone_map.scatter(light) if self.tier.bloom else None
        target.use()
        self._ctx.viewport = (0, 0, max(size[0], 1), max(size[1], 1))
        trees, automatic = "TREES" in self._passes.context.features, settings.auto_exposure
        self._tone_map.draw(
            light, settings.exposure, automatic=automatic, smooth=smooth, trees=trees, scattered=scattered
        )
        self.lap("tone map")

    def _tier_for(self, settings: ViewParams) -> Tier:
        return self._chooser.tier if settings.quality == "auto" else TIERS[settings.quality]

    def _choose_tier(self, settings: ViewParams, seconds: float) -> None:
        if settings.quality == "auto":
            self._chooser.note(seconds)
        tier = self._tier_for(settings)
        if tier is not self.tier:
            free(*self._finer, self._passes)
            self._finer.clear()
            self._passes = Passes(self._ctx, tier, self._view_block)

    def release(self) -> None:
        """Free everything on the GPU; the renderer cannot be used afterwards."""
        levels = [] if self._level_map is None else [self._level_map]
        free(*levels, *self._finer, self._passes, self._tone_map, self._view_block)

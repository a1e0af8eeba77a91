"""The ground as maps, baked when terrain, water level or sun change: colour, inclination, light that reaches it."""

from __future__ import annotations

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import Frame
from waterview.render.gl.shaders import Fill
from waterview.render.gl.targets import check_texture_size, field_texture, free, scaled
from waterview.render.light.light import Light
from waterview.render.quality import Tier

_SHADE_LIMIT = 512
_RIM_SHARE = 0.1
"""Share of a basin's ground that its rim has at least."""


class GroundMaps:
    """Textures that cover the block, for all that is drawn on the ground.

    Args:
        ctx: the OpenGL context.
        tier: how fine they are.

    Attributes:
        bed: height of the ground [m], and the share of the sun that reaches it or still water above it; one texel a
            grid point.
        albedo: colour, and in alpha how rocky it is.
        relief: slopes of the ground along x and z, and the shares of the sun and of the sky that reach it.
    """

    def __init__(self, ctx: moderngl.Context, tier: Tier) -> None:
        self._ctx, self._tier = ctx, tier
        self._shade_shader, self._shore_shader = Fill(ctx, "shade"), Fill(ctx, "shore")
        self._ground_shader = Fill(ctx, "ground", defines={"OCTAVES": tier.octaves})
        self._taken: object = None
        self._baked_for: tuple[object, ...] | None = None
        self._allocate((1, 1))

    def bake(self, frame: Frame, wild: float, light: Light, noise: moderngl.Texture) -> None:
        """Bring the maps up to date; the view must have been written for the same frame and light.

        `wild` is the frame's `wildness`.
        """
        wanted = (frame.grid, *light.towards_sun)
        if frame.bed is self._taken and wanted == self._baked_for:
            return
        if frame.bed is not self._taken:
            self._take(frame)
        self._ctx.disable(moderngl.DEPTH_TEST | moderngl.CULL_FACE | moderngl.BLEND)
        self._shade_framebuffer.use()
        self._shade_shader.draw({"bed": self._heights})
        self._shore_framebuffer.use()
        self._shore_shader.draw({"bed": self._heights, "shade": self._shade})
        self._ground_framebuffer.use()
        textures = {"bed": self._heights, "shade": self._shade, "noise": noise}
        self._ground_shader.draw(textures, steep=_steep(frame), wild=wild)
        for texture in (self.albedo, self.relief):
            texture.build_mipmaps()
            texture.filter = self._tier.mipmaps, moderngl.LINEAR
        self._baked_for = wanted

    def _take(self, frame: Frame) -> None:
        size = frame.grid.shape[::-1]
        check_texture_size(self._ctx, size)
        self._release_maps()
        self._allocate(size)
        self._heights.write(np.ascontiguousarray(frame.bed, np.float32))
        self._taken = frame.bed

    def _allocate(self, size: tuple[int, int]) -> None:
        ctx = self._ctx
        self._heights, self.bed = field_texture(ctx, size, 1, "f4"), field_texture(ctx, size, 2, "f4")
        self._shade = field_texture(ctx, scaled(size, _SHADE_LIMIT), 2, "f1")
        fine = scaled(size, self._tier.ground_map)
        self.albedo, self.relief = field_texture(ctx, fine, 4, "f1"), field_texture(ctx, fine, 4, "f2")
        self._shore_framebuffer = ctx.framebuffer([self.bed])
        self._shade_framebuffer = ctx.framebuffer([self._shade])
        self._ground_framebuffer = ctx.framebuffer([self.albedo, self.relief])

    def _release_maps(self) -> None:
        free(self._shade_framebuffer, self._shore_framebuffer, self._ground_framebuffer)
        free(self._heights, self.bed, self._shade, self.albedo, self.relief)

    def release(self) -> None:
        """Free everything."""
        self._release_maps()
        free(self._shade_shader, self._shore_shader, self._ground_shader)


def _slopes(frame: Frame) -> NDArray[np.float32]:
    """Steepness of the ground, shape (nz, nx)."""
    dz, dx = np.gradient(frame.bed, frame.grid.spacing)
    return np.asarray(np.hypot(dx, dz), np.float32)


def _steep(frame: Frame) -> float:
    """The slope that counts as steep: what little of the dry ground, if any, exceeds, within what reads as steep."""
    slopes, dry = _slopes(frame), frame.bed > frame.grid.level
    return min(max(float(np.quantile(slopes[dry] if dry.any() else slopes, 0.96)), 0.15), 2.0)


def wildness(frame: Frame) -> float:
    """1 for landscapes, which carry soil, grass and snow; 0 for basins and pools.

    More than half of their ground is level and nothing rises above the water by more than 6 % of the longer side; or
    else, where they are drained, the highest ground is a level rim.
    """
    lowest, rim, highest = map(float, np.quantile(frame.bed, (0.0, 1.0 - _RIM_SHARE, 1.0)))
    low = highest - frame.grid.level < 0.06 * max(frame.grid.size)
    rimmed = highest - rim < 0.05 * (highest - lowest)
    level = float(np.mean(_slopes(frame) < 0.01)) > 0.5
    return 0.0 if level and (low or rimmed) else 1.0

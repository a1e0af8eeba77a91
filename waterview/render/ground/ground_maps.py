"""The ground as textures, baked when terrain, water level or sun change; and whether it is a landscape or a pool."""

from __future__ import annotations

import math
from collections.abc import Iterator

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import Frame
from waterview.render.gl.shaders import Fill
from waterview.render.gl.targets import Target, check_texture_size, field_texture, scaled
from waterview.render.ground.drape import Drape
from waterview.render.ground.free_space import free_space
from waterview.render.ground.land import land_heights
from waterview.render.render_pass import FrameContext, RenderPass, Setup

_VISIBILITY_SIZE = 512
_RIM_SHARE = 0.1
"""Smallest share of a basin's ground that its rim takes up."""
_TILES_ALONG = 44.0
_ROWS = 128
"""Rows of the ground that are uploaded at once."""
FLAT = 0.004
"""Rise of the ground that counts as none, as a share of the mean depth."""


class GroundMapsPass(RenderPass):
    """Bakes the textures that cover the block, for everything that is drawn on the ground.

    `bed`: height of the ground [m], share of the sun on it or on still water above it, and `free_space`, one texel per
    grid point.
    `albedo_map`: colour, and in alpha how rocky it is. `relief_map`: slopes along x and z, shares of sun and sky seen.

    Attributes:
        baked: how many times the maps were made.
    """

    name, shaders = "ground maps", ("ground_visibility", "bed_map", "ground_maps", "drape_map")
    reads, writes = ("noise",), ("bed", "albedo_map", "relief_map")

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self._visibility_shader = self._own(Fill(setup.ctx, "ground_visibility"))
        self._bed_shader = self._own(Fill(setup.ctx, "bed_map"))
        self._ground_shader = self._own(Fill(setup.ctx, "ground_maps", defines={"OCTAVES": setup.tier.octaves}))
        self._uploaded: tuple[object, ...] | None = None
        self._baked_for: tuple[object, ...] | None = None
        self._baking: tuple[object, ...] = ()
        self._pieces: Iterator[None] = iter(())
        self._visibility = self._own(Target(setup.ctx, "4f1"))
        self._bed = self._own(Target(setup.ctx, "4f4"))
        self._maps = self._own(Target(setup.ctx, "4f1", "4f2"))
        self._drape: Drape | None = None
        self._grown: moderngl.Texture | None = None
        self.baked = 0

    def update(self, context: FrameContext) -> None:
        """Bake all if the ground, the water level, the sun or the snow line have changed."""
        self.bake(context, 1)

    def bake(self, context: FrameContext, turns: int) -> bool:
        """Bake a piece of what `update` bakes, or all of it in a single turn; returns whether it was all there before.

        Args:
            context: of the picture.
            turns: how many calls what takes longest is spread over.
        """
        frame = context.frame
        self._note_drape(frame.drape if "DRAPE" in context.features else None)
        wanted = (frame.grid, *context.view.light.towards_sun, context.settings.snow_line, self._drape, frame.land)
        wanted += ("TREES" in context.features, "POOL" in context.features)  # trees' shade lies on the maps
        if self._uploaded is not None and frame.bed is self._uploaded[0] and wanted == self._baked_for:
            return True
        if self._baking[1:] != (wanted, turns) or self._baking[0] is not frame.bed:
            self._baking, self._baked_for = (frame.bed, wanted, turns), None
            self._pieces = self._bake(context, turns)
        for _ in self._pieces:
            if turns > 1:
                return False
        self._baked_for, self._baking = wanted, ()
        return True

    def _bake(self, context: FrameContext, turns: int) -> Iterator[None]:
        """Bakes all, piece by piece."""
        frame = context.frame
        uploaded = frame.bed, frame.land, frame.land and frame.grid.level
        if self._uploaded is None or self._uploaded[0] is not frame.bed or self._uploaded[1:] != uploaded[1:]:
            self._upload(frame, context.view.bounds.depth)
            yield
        # What is seen of the sun and the sky takes longest.
        width, height = self._visibility.size
        for turn in range(turns):
            self._ctx.disable(moderngl.DEPTH_TEST | moderngl.CULL_FACE | moderngl.BLEND)
            first, last = (height * k // turns for k in (turn, turn + 1))
            self._visibility.framebuffer.use()
            self._ctx.scissor = (0, first, width, last - first)
            self._visibility_shader.draw({"land": self._land})
            self._ctx.scissor = None
            yield
        self._ctx.disable(moderngl.DEPTH_TEST | moderngl.CULL_FACE | moderngl.BLEND)
        self._bake_maps(context)
        yield

    def _bake_maps(self, context: FrameContext) -> None:
        self.baked += 1
        albedo, relief = self._maps.colours
        context.textures.update(bed=self._bed.colour, albedo_map=albedo, relief_map=relief)
        on_ground = {"bed": self._bed.colour, "land": self._land, "visibility": self._visibility.colour}
        self._bed.framebuffer.color_mask = False, True, False, False
        self._bed.framebuffer.use()
        self._bed_shader.draw({"visibility": self._visibility.colour})
        self._bed.framebuffer.color_mask = True, True, True, True
        self._maps.framebuffer.use()
        values = {"steep": context.steep, "wild": context.wildness, "snow_line": context.settings.snow_line}
        values["tiled"] = "POOL" in context.features
        values["clefts"] = 0.0 if "POOL" in context.features else context.wildness
        values["whole"] = context.outermost.view.bounds.extent
        values["grown"] = context.frame.land is not None
        self._ground_shader.draw({**on_ground, "noise": context.textures["noise"]}, **values)
        if self._drape is not None:
            albedo = self._drape.lay(self._bed.colour, albedo)
            context.textures["albedo_map"] = albedo
        for texture in (albedo, relief):
            texture.build_mipmaps()
            texture.filter = self._tier.mipmaps, moderngl.LINEAR

    def _note_drape(self, picture: NDArray[np.uint8] | None) -> None:
        if self._drape is not None and self._drape.picture is not picture:
            self._drape.release()
            self._drape = None
        if picture is not None and self._drape is None:
            self._drape = Drape(self._ctx, picture)

    def release(self) -> None:
        """Free everything."""
        self._note_drape(None)
        if self._grown is not None:
            self._grown.release()
        super().release()

    def _upload(self, frame: Frame, depth: float) -> None:
        size = frame.grid.shape[::-1]
        check_texture_size(self._ctx, size)
        self._visibility.resize(scaled(size, _VISIBILITY_SIZE))
        self._bed.resize(size)
        self._maps.resize(scaled(size, self._tier.ground_map))
        known = frame.prepared
        free = free_space(frame.bed, frame.grid.spacing, FLAT * depth) if known is None else known.free
        for top in range(0, size[1], _ROWS):  # all at once would take as much memory again as the texture
            rows = slice(top, min(top + _ROWS, size[1]))
            texels = np.zeros((*frame.bed[rows].shape, 4), np.float32)
            texels[..., 0], texels[..., 2:] = frame.bed[rows], free[rows]
            self._bed.colour.write(texels, viewport=(0, top, *texels.shape[1::-1]))
        self._uploaded = frame.bed, frame.land, frame.land and frame.grid.level
        self._grow(frame)

    @property
    def _land(self) -> moderngl.Texture:
        """Height of the ground as it is drawn in r, and how water gathers on it in g if it was grown."""
        return self._bed.colour if self._grown is None else self._grown

    def _grow(self, frame: Frame) -> None:
        if self._grown is not None:
            self._grown.release()
            self._grown = None
        if frame.land is not None:
            texels = np.stack([land_heights(frame), frame.land.detail.flow], axis=-1)
            check_texture_size(self._ctx, texels.shape[1::-1])
            self._grown = field_texture(self._ctx, texels.shape[1::-1], 2, "f4")
            self._grown.write(np.ascontiguousarray(texels))


def _slopes(frame: Frame) -> NDArray[np.float32]:
    """Steepness of the ground, shape (nz, nx)."""
    dz, dx = np.gradient(frame.bed, frame.grid.spacing)
    return np.asarray(np.hypot(dx, dz), np.float32)


def steep_slope(frame: Frame) -> float:
    """The slope that counts as steep: little of the dry ground is steeper, and it lies between 0.15 and 2."""
    slopes, dry = _slopes(frame), frame.bed > frame.grid.level
    return min(max(float(np.quantile(slopes[dry] if dry.any() else slopes, 0.96)), 0.15), 2.0)


def wildness(frame: Frame) -> float:
    """1 for landscapes, which have soil, grass and snow; 0 for basins and pools.

    In a basin more than half of the ground is level, and either nothing rises above the water by more than 6 % of the
    longer side, or the highest ground is a level rim (a drained basin).
    """
    lowest, rim, highest = map(float, np.quantile(frame.bed, (0.0, 1.0 - _RIM_SHARE, 1.0)))
    low = highest - frame.grid.level < 0.06 * max(frame.grid.size)
    rimmed = highest - rim < 0.05 * (highest - lowest)
    level = float(np.mean(_slopes(frame) < 0.01)) > 0.5
    return 0.0 if level and (low or rimmed) else 1.0


def tile_size(frame: Frame, look: str, wild: float, chosen: float = 0.0) -> float:
    """Side of the pool's tiles [m]; 0 where the ground is drawn as nature.

    With the look "auto" a scene is a pool where `wild`, its `wildness`, is 0. Unless a side is `chosen`, tiles measure
    1, 2 or 5 times a power of ten metres, whichever puts about 44 of them along the longer side.
    """
    if look == "natural" or (look == "auto" and wild > 0.0):
        return 0.0
    if chosen > 0.0:
        return chosen
    wanted = max(frame.grid.size) / _TILES_ALONG
    power = 10.0 ** math.floor(math.log10(wanted))
    return power * min((1.0, 2.0, 5.0, 10.0), key=lambda step: abs(math.log(step * power / wanted)))

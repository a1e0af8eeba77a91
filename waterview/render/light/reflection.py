"""Planar reflection: what stands above the water, seen by a camera mirrored at still water."""

from __future__ import annotations

import math

import moderngl

from waterview.render.camera.bounds import Bounds
from waterview.render.gbuffer import GBufferPass
from waterview.render.gl.shaders import Fill
from waterview.render.gl.targets import Target, clamped_size
from waterview.render.materials import GROUND, TERRAIN, MaterialDepth, MaterialShader
from waterview.render.quality import Tier
from waterview.render.render_pass import FrameContext, RenderPass, Setup
from waterview.render.view import ViewBlock

_LIFT_SHARE = 0.4
COARSEST = 40.0
"""Texels across a pool's picture at the coarsest mipmap level that it looks up, as in include/mirror.glsl."""
ROWS = 4
"""Rows of the picture that become one, where waves draw out what they mirror."""


def reflection_lift(bounds: Bounds, tier: Tier) -> float:
    """Height above still water at which reflected rays are looked up in the picture [m]; 0 if nothing is reflected.

    Rays that waves tilt meet higher things farther away, so the plane lies at a part of their height.
    """
    height = bounds.high[1] - bounds.level
    return max(_LIFT_SHARE * height, 1e-3 * bounds.extent) if height > 0.0 and tier.reflection_scale > 0.0 else 0.0


class ReflectionPass(RenderPass):
    """Draws the reflected picture of the ground, with mipmaps; its alpha is 0 where only sky is reflected."""

    name, shaders = "reflection", ("mirrored_ground", "material_depth", "terrain", "drawn_out")
    reads = (*GROUND, "bed", "sky_map", "noise", "wet_ground")
    writes = ("reflection", "reflection_depth")

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        ctx, tier = setup.ctx, setup.tier
        self._ground, self._trees = setup.find(GBufferPass).ground, setup.find(GBufferPass).trees
        self._view = self._own(ViewBlock(ctx))
        self._material_depth = self._own(MaterialDepth(ctx))
        self._terrain = self._own(MaterialShader(ctx, "terrain", TERRAIN, tier, FINE=0))
        self._gbuffer = self._own(Target(ctx, "1f2", depth=True, nearest=True))
        self._picture = self._own(Target(ctx, "4f2", depth=True))
        self._rows, self._drawn_out = self._own(Fill(ctx, "drawn_out")), self._own(Target(ctx, "4f2", "1f4"))
        self._shown = self._picture

    def draw(self, context: FrameContext) -> None:
        """Draw it, unless nothing is high enough to be reflected, or a coarser level of detail has all of it."""
        if context.around is not None:
            coarser = context.outermost.textures
            context.textures.update({name: coarser[name] for name in self.writes})
            return
        self._show(context)
        if "REFLECTION" not in context.features:
            return
        self._view.write(context.view, mirrored=True)
        level, features = context.view.bounds.level, context.features
        pool, tier = "POOL" in features, self._tier
        scale = tier.pool_reflection_scale if pool else tier.reflection_scale
        size = clamped_size(self._ctx, context.view.size, scale)
        self._gbuffer.resize(size)
        self._picture.resize(size)
        self._gbuffer.framebuffer.use()
        self._gbuffer.framebuffer.clear(depth=1.0)
        self._ground.draw_above(level, None if pool else self.inputs(context)["bed"])
        if self._trees is not None and "TREES" in features:
            self._trees.draw(context)
        self._material_depth.fill(self._gbuffer.as_gbuffer, self._picture, clear=True)
        self._terrain.shade(features - {"UNDERWATER"}, self.inputs(context) | self._gbuffer.as_gbuffer)
        self._shown = self._picture if pool else self._draw_out()
        # A pool looks up no level coarser than this.
        coarsest = {"max_level": math.ceil(math.log2(max(size[0] / COARSEST, 1.0)))} if pool else {}
        self._shown.colour.build_mipmaps(**coarsest)
        self._shown.colour.filter = self._tier.mipmaps, moderngl.LINEAR
        self._show(context)
        context.view_block.use()

    def _draw_out(self) -> Target:
        """The picture with fewer rows, and how near the land in it is."""
        full, size = self._picture.colour, self._picture.size
        full.filter = moderngl.LINEAR, moderngl.LINEAR
        # Powers of two: of other sizes drivers make mipmaps that leave rows out.
        width, rows = (1 << round(math.log2(side)) for side in (size[0], max(size[1] / ROWS, 1.0)))
        self._drawn_out.resize((width, rows))
        self._drawn_out.framebuffer.use()
        self._ctx.enable_only(moderngl.NOTHING)
        self._rows.draw({"full": full, "full_depth": self._gbuffer.as_gbuffer["gbuffer_depth"]}, row=1.0 / rows)
        return self._drawn_out

    def _show(self, context: FrameContext) -> None:
        context.textures.update(reflection=self._shown.colour, reflection_depth=self._drawn_out.colours[1])

"""The materials that a picture shows, and the passes that shade the pixels of one material each.

Meshes first write the material of each pixel into the geometry buffer (`gbuffer.py`). `MaterialDepthPass` turns it into
a depth, so that the depth test picks the pixels of one material and all others cost nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import moderngl

from waterview.render.gl.shaders import Fill, Uniform, Variants
from waterview.render.gl.targets import Owner, Target

from .quality import Tier
from .render_pass import FEATURES, FrameContext, RenderPass, Setup, Textures

_GBUFFER = "gbuffer", "gbuffer_depth"

BACKGROUND, TERRAIN, GROUND_SIDE, WATER, WATER_SIDE, BODY, FOAMY_WATER = range(7)
"""Sky and surroundings, ground, its cut sides, water, its cut sides, floating bodies, water with foam."""


class MaterialDepth(Fill):
    """Writes the materials of a geometry buffer into the depth of a target.

    Args:
        ctx: the OpenGL context.
        nested: only where the level of detail is the one that a `LevelMap` shows.
    """

    def __init__(self, ctx: moderngl.Context, *, nested: bool = False) -> None:
        super().__init__(ctx, "material_depth", defines={"NESTED": int(nested)})

    def fill(self, textures: Textures, target: Target, *, clear: bool, level: int = 0) -> None:
        """Fill the depth of `target` and leave it bound.

        Args:
            textures: `gbuffer`, and `level_map` if nested.
            target: whose depth it is.
            clear: make its colour black.
            level: number of the level of detail.
        """
        # Software OpenGL would load and store colours, even if a mask keeps them as they are.
        (target.framebuffer if clear else target.depth_alone).use()
        self.ctx.enable_only(moderngl.DEPTH_TEST)
        self.ctx.depth_func = "1"
        self.draw(textures, level=level)
        target.framebuffer.use()


class MaterialShader(Variants):
    """Shades the pixels of one material in the bound target, whose depth `MaterialDepth` has filled.

    Args:
        ctx: the OpenGL context.
        name: of the shader.
        material: which pixels.
        tier: the level of detail.
        defines: names and values for the shader beyond those of the tier.
    """

    def __init__(self, ctx: moderngl.Context, name: str, material: int, tier: Tier, **defines: float) -> None:
        made_for = {"FINE": int(tier.fine), "GRAIN_RELIEF": int(tier.relief), "MATERIAL": material}
        made_for["DIRECT_VIEW"] = int(material == TERRAIN)  # other materials show ground through the water's surface
        super().__init__(ctx, name, "material", made_for | defines, FEATURES)

    def shade(self, features: frozenset[str], inputs: Textures, **values: Uniform) -> None:
        """Shade, with the variant that has these features, and with these uniforms."""
        self.ctx.enable_only(moderngl.DEPTH_TEST)
        self.ctx.depth_func = "=="
        self.render(features, inputs, **values)


class MaterialDepthPass(RenderPass):
    """Prepares the scene's target for the passes that shade."""

    name, shaders = "material depth", ("material_depth",)
    reads, writes = ("gbuffer",), ("light",)

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self._shader = self._own(MaterialDepth(setup.ctx))
        self._nested: MaterialDepth | None = None

    def draw(self, context: FrameContext) -> None:
        """Write each pixel's material as its depth, where this level of detail is shown."""
        shader = self._shader
        if "level_map" in context.textures:
            self._nested = self._nested or self._own(MaterialDepth(self._ctx, nested=True))
            shader = self._nested
        shader.fill(context.textures, context.light, clear=False, level=context.level)


class LevelMap(Owner):
    """Which of several nested levels of detail each pixel shows; 0 is the coarsest."""

    def __init__(self, ctx: moderngl.Context) -> None:
        super().__init__()
        self._ctx = ctx
        self._shader = self._own(Fill(ctx, "level_map"))
        self._target = self._own(Target(ctx, "1f1", depth=True))

    def draw(self, contexts: Sequence[FrameContext]) -> None:
        """Draw the map from the geometry buffers of all levels, coarsest first, and give it to them."""
        self._target.resize(contexts[0].view.size)
        self._target.framebuffer.use()
        self._target.framebuffer.clear(depth=1.0)
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        self._ctx.depth_func = "<"
        for level, (context, finer) in enumerate(zip(contexts, [*contexts[1:], None], strict=True)):
            inside, other = (1.0, 1.0, -1.0, -1.0), context
            if finer is not None:
                low, high, other = finer.view.bounds.low, finer.view.bounds.high, finer
                inside = low[0], low[2], high[0], high[2]
            textures = {name: context.textures[name] for name in _GBUFFER} | {"finer": other.textures["gbuffer"]}
            self._shader.draw(textures, inside=inside, level=level)
            context.textures["level_map"] = self._target.colour


class MaterialPass(RenderPass):
    """Shades the pixels of one material.

    Attributes:
        material: which. Its shader is the one in `shaders`.
    """

    material: ClassVar[int]
    writes = ("light",)

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self._shader = self._own(MaterialShader(setup.ctx, self.shaders[0], self.material, setup.tier))

    def features(self, context: FrameContext) -> frozenset[str] | None:
        """The features that its shader is compiled with; None if the picture does not show the material."""
        return context.features

    def draw(self, context: FrameContext) -> None:
        """Shade, if the material may be seen."""
        features = self.features(context)
        if features is not None:
            context.light.framebuffer.use()
            self._shader.shade(features, self.inputs(context), wild=context.wildness)


GROUND = "albedo_map", "relief_map", "caustic_map", "body_table", "body_volumes"
_THROUGH_WATER = ("bed", *GROUND, "sky_map")
_SURFACE = "waves", "detail", "noise", "trains", "foam_pattern"


class BackgroundPass(MaterialPass):
    """Sky and sun, and below the horizon the floor that the block stands on or the sea around it."""

    name, shaders, material = "background", ("background",), BACKGROUND
    reads = (
        *(*_GBUFFER, "floor_map", "heights", "sea", "swell", "near_water"),
        *(*_THROUGH_WATER, *_SURFACE, "reflection", "reflection_depth"),
    )

    def features(self, context: FrameContext) -> frozenset[str] | None:
        """From under water the sea's mirror image of land is not seen, and textures are scarce."""
        return context.features - {"REFLECTION"} if "UNDERWATER" in context.features else context.features


class TerrainPass(MaterialPass):
    """The ground where it is not seen through the water's surface."""

    name, shaders, material = "terrain", ("terrain",), TERRAIN
    reads = (*_GBUFFER, *GROUND, "sky_map", "noise", "foam_pattern", "heights", "near_water", "wet_ground")


class GroundSidePass(MaterialPass):
    """The cut sides of the block of ground."""

    name, shaders, material = "ground sides", ("ground_side",), GROUND_SIDE
    reads = (*_GBUFFER, "bed", "caustic_map", "sky_map", "noise", "heights", "near_water")

    def draw(self, context: FrameContext) -> None:
        """Shade where there may be sides: software takes up to a third of the pass to find that no pixel shows one."""
        seen = context.view.sides_in_picture()
        if seen is not None:
            context.light.framebuffer.use()
            self._ctx.scissor = seen
            try:
                super().draw(context)
            finally:
                self._ctx.scissor = None


class BodyPass(MaterialPass):
    """Floating bodies where they are not seen through the water's surface."""

    name, shaders, material = "bodies", ("body_composite",), BODY
    reads = (*_GBUFFER, "body_colour", "heights", "sky_map", "near_water")

    def features(self, context: FrameContext) -> frozenset[str] | None:
        """Only what lies between the eye and the bodies matters."""
        return context.features & {"UNDERWATER", "SEA", "AIR", "CLOUDS"} if "BODIES" in context.features else None


class WaterSidePass(MaterialPass):
    """The water's cut sides."""

    name, shaders, material = "water sides", ("water_side",), WATER_SIDE
    reads = (*_GBUFFER, *_THROUGH_WATER, "heights", "noise")

    def features(self, context: FrameContext) -> frozenset[str] | None:
        """There are none where the block's sides are dry, or where the sea goes on around it."""
        return context.features if "OPEN_SIDES" in context.features and "SEA" not in context.features else None


class WaterPass(MaterialPass):
    """The water's surface from above, without foam."""

    name, shaders, material = "water", ("water",), WATER
    reads = (*_GBUFFER, *_THROUGH_WATER, *_SURFACE, "reflection", "reflection_depth")


class FoamyWaterPass(WaterPass):
    """The water's surface from above, with foam."""

    name, material = "foamy water", FOAMY_WATER

    def features(self, context: FrameContext) -> frozenset[str] | None:
        """The shader draws foam as well."""
        return context.features | {"FOAM"}

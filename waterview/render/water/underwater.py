"""Looking from under water: the surface from below, light shafts, and the waterline on a half-submerged lens."""

from __future__ import annotations

from typing import Any

import moderngl

from waterview.core.frame import Frame
from waterview.render.camera.bounds import Bounds
from waterview.render.camera.camera import OrbitCamera
from waterview.render.gl.gpu_frame import highest
from waterview.render.gl.shaders import Variants
from waterview.render.gl.targets import Target, clamped_size
from waterview.render.ground.ground_maps import tile_size, wildness
from waterview.render.materials import FOAMY_WATER, WATER, MaterialShader, WaterPass
from waterview.render.render_pass import FEATURES, FrameContext, RenderPass, Setup
from waterview.render.settings import ViewParams
from waterview.render.water_types import water_type

from .lod import LevelsOfDetail

_NEAR_WATER = 0.25
"""Texels of the map of where the near plane lies under water, per pixel of the scene, along one side."""


def may_be_underwater(camera: OrbitCamera, frame: Frame, *, sea: bool = False) -> bool:
    """Whether part of the picture may be seen from under water: the camera may dive, and its near plane is that low.

    Beside the block there is water if the `sea` continues there.
    """
    bounds, eye = camera.bounds, camera.eye
    near, _ = camera.near_far()
    inside = sea or all(bounds.low[i] - near <= eye[i] <= bounds.high[i] + near for i in (0, 2))
    return camera.dive and inside and float(eye[1]) - 2.0 * near < frame.grid.level + highest(frame)


def sight(frame: Frame, settings: ViewParams) -> float:
    """Length over which green light falls to 1/e in the water [m]; about how far one sees there."""
    bounds, pool = Bounds.of(frame), tile_size(frame, settings.look, wildness(frame)) > 0.0
    metre = 1.0 if frame.sea is None else frame.sea.scale
    return settings.clarity / water_type(settings.water, pool=pool).attenuation(bounds.depth, metre)[1]


class NearWaterPass(RenderPass):
    """Finds out where the near plane lies under the waves."""

    name, shaders = "near water", ("near_water",)
    reads, writes = ("heights", "shift", "waves", "bed", "sea", "swell", "noise"), ("near_water",)

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self._shader = self._own(Variants(setup.ctx, "near_water", "screen", {}, FEATURES))
        self._target = self._own(Target(setup.ctx, "1f4"))

    def draw(self, context: FrameContext) -> None:
        """Draw the map, for an eye that may be under water."""
        if "UNDERWATER" in context.features:
            self._target.resize(clamped_size(self._ctx, context.light.size, _NEAR_WATER))
            self._ctx.enable_only(moderngl.NOTHING)
            self._target.framebuffer.use()
            finest = LevelsOfDetail.over(context.frame.grid).finest_squares
            self._shader.render(context.features, self.inputs(context), finest_squares=finest)
        context.textures["near_water"] = self._target.colour


class UnderwaterPass(RenderPass):
    """Draws over the pixels that are seen from under water what only such an eye sees."""

    name, shaders = "underwater", ("underwater_surface", "light_shafts", "waterline")
    reads = (*(name for name in WaterPass.reads if not name.startswith("reflection")), "heights", "near_water")
    writes = ("light", "light_shafts")

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        ctx, tier = setup.ctx, setup.tier
        self._surface, self._foamy = (
            self._own(MaterialShader(ctx, "underwater_surface", material, tier)) for material in (WATER, FOAMY_WATER)
        )
        self._shafts = self._own(Variants(ctx, "light_shafts", "screen", {"STEPS": tier.shaft_steps}, FEATURES))
        self._waterline = self._own(Variants(ctx, "waterline", "screen", {}, FEATURES))
        self._target = self._own(Target(ctx, "4f2"))

    def draw(self, context: FrameContext) -> None:
        """Draw the surface from below, then the light shafts and the rim of the waterline."""
        features = context.features
        context.textures["light_shafts"] = self._target.colour
        if "UNDERWATER" not in features:
            return
        inputs, scene = self.inputs(context), context.light
        self._target.resize(clamped_size(self._ctx, scene.size, self._tier.shaft_scale))
        context.textures["light_shafts"] = inputs["light_shafts"] = self._target.colour
        scene.framebuffer.use()
        self._surface.shade(features, inputs)
        self._foamy.shade(features | {"FOAM"}, inputs)
        self._ctx.enable_only(moderngl.NOTHING)
        self._target.framebuffer.use()
        self._shafts.render(features, inputs)
        scene.framebuffer.use()
        self._ctx.enable(moderngl.BLEND)
        # Alpha stays as it is. moderngl's types know one function for colour and alpha.
        dimmed: Any = (moderngl.ONE, moderngl.SRC_ALPHA, moderngl.ZERO, moderngl.ONE)
        self._ctx.blend_func = dimmed
        self._waterline.render(features, inputs)
        self._ctx.disable(moderngl.BLEND)

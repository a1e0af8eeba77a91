"""Looking from under water: the surface from below, beams of sunlight, and the waterline on a half-sunken lens."""

from __future__ import annotations

from collections.abc import Mapping

import moderngl

from waterview.core.frame import Frame
from waterview.render.camera.camera import OrbitCamera
from waterview.render.gl.shaders import Variants
from waterview.render.gl.targets import Target, clamped_size, free
from waterview.render.kinds import FLAGS, FOAMY, WATER, KindPass
from waterview.render.quality import Tier


def may_be_under(camera: OrbitCamera, frame: Frame, *, sea: bool = False) -> bool:
    """Whether some of the picture may be seen from under water: the camera may dive, and its lens is that low.

    Beside the block there is water where the `sea` goes on.
    """
    bounds, eye = camera.bounds, camera.eye
    near, _ = camera.near_far()
    inside = sea or all(bounds.low[i] - near <= eye[i] <= bounds.high[i] + near for i in (0, 2))
    return camera.dive and inside and float(eye[1]) - 2.0 * near < frame.grid.level + float(frame.heights.max())


class DivingPass:
    """Adds to a scene what only an eye under water sees."""

    def __init__(self, ctx: moderngl.Context, tier: Tier) -> None:
        self._ctx, self._tier = ctx, tier
        self._surface = KindPass(ctx, "under", WATER, tier, STEEP=1, DIRECT=0)
        self._foamy = KindPass(ctx, "under", FOAMY, tier, STEEP=1, DIRECT=0)
        self._beams = Variants(ctx, "beams", "screen", {"STEPS": tier.beam_steps}, FLAGS)
        self._lens = Variants(ctx, "lens", "screen", {}, FLAGS)
        self._light = Target(ctx, "f2")

    @property
    def beams(self) -> moderngl.Texture:
        """Beams of sunlight as of the last dive; a single texel before the first."""
        return self._light.colour

    def draw(self, scene: Target, inputs: Mapping[str, moderngl.Texture], flags: frozenset[str]) -> None:
        """Draw over the pixels of `scene` that are seen from under water, else as `KindPass.draw`."""
        self._light.resize(clamped_size(self._ctx, scene.size, self._tier.beam_scale))
        scene.framebuffer.use()
        self._surface.draw(inputs, flags)
        self._foamy.draw(inputs, flags | {"FOAM"})
        self._ctx.enable_only(moderngl.NOTHING)
        self._light.framebuffer.use()
        self._beams.render(flags, inputs)
        scene.framebuffer.use()
        self._ctx.enable(moderngl.BLEND)
        self._ctx.blend_func = moderngl.ONE, moderngl.SRC_ALPHA
        self._lens.render(flags, {**inputs, "beams": self._light.colour})
        self._ctx.disable(moderngl.BLEND)

    def release(self) -> None:
        """Free everything."""
        free(self._surface, self._foamy, self._beams, self._lens, self._light)

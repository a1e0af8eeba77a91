"""Spray thrown up where foam is born, landing as foam, and the bubbles that it drags down."""

from __future__ import annotations

from collections.abc import Mapping

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.core.constants import GRAVITY
from waterview.render.gl.shaders import Shader
from waterview.render.gl.targets import free
from waterview.render.kinds import FLAGS
from waterview.render.quality import Tier

from .surface import Surface

_PLACE, _MOTION = "4f 4f", ("in_place", "in_motion")
_DROPS, _BUBBLES = 1.0, 2.0


class SprayPass:
    """Moves and draws particles; they stay on the graphics card.

    Particles depend on the frames drawn before, as foam does; where time jumps they are gone.
    """

    def __init__(self, ctx: moderngl.Context, tier: Tier) -> None:
        self._ctx, self._count = ctx, tier.spray
        self._step = Shader(ctx, "spray_step", varyings=("out_place", "out_motion"))
        self._landed = Shader(ctx, "landed")
        none = dict.fromkeys(FLAGS, 0)
        self._dry, self._wet = (Shader(ctx, "spray", defines=none | {"DIVED": dived}) for dived in (0, 1))
        self._shaders = (self._step, self._landed, self._dry, self._wet)
        size = 32 * max(self._count, 1)
        self._buffers = [ctx.buffer(reserve=size) for _ in range(2)]
        self._vaos = {
            (shader, side): ctx.vertex_array(shader.program, [_layout(shader, buffer)])
            for side, buffer in enumerate(self._buffers)
            for shader in self._shaders
        }
        self._now = 0
        self._seen = 0
        self.clear()

    def clear(self) -> None:
        """Let nothing be in the air or in the water."""
        self._buffers[self._now].write(np.zeros(8 * max(self._count, 1), np.float32).tobytes())

    def step(self, surface: Surface, inputs: Mapping[str, moderngl.Texture]) -> None:
        """Go on to the frame that `surface` has taken, and leave foam where drops have fallen."""
        if not self._count or surface.uploads == self._seen:
            return
        self._seen = surface.uploads
        if surface.elapsed <= 0.0:
            self.clear()
            return
        self._step.use(**inputs, waves_before=surface.waves_before)
        self._step.set(elapsed=surface.elapsed, moment=surface.uploads, gravity=GRAVITY)
        vao = self._vaos[self._step, self._now]
        self._now = 1 - self._now
        vao.transform(self._buffers[self._now], moderngl.POINTS, vertices=self._count)
        self._ctx.enable_only(moderngl.BLEND | moderngl.PROGRAM_POINT_SIZE)
        self._ctx.blend_func = moderngl.ONE, moderngl.ONE
        surface.draw_foam(lambda: self._render(self._landed))
        self._ctx.disable(moderngl.BLEND)

    def draw(self, inputs: Mapping[str, moderngl.Texture], *, dived: bool) -> None:
        """Draw drops over the bound scene, and bubbles where the eye may see them, from under water (`dived`)."""
        if not self._count:
            return
        self._ctx.enable_only(moderngl.BLEND | moderngl.PROGRAM_POINT_SIZE)
        self._ctx.blend_func = moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA
        for shader, kind in ((self._dry, _DROPS), (self._wet, _BUBBLES))[: 1 + dived]:
            shader.use(**inputs)
            shader.set(shown=kind)
            self._render(shader)
        self._ctx.disable(moderngl.BLEND)

    def read(self) -> NDArray[np.float32]:
        """Place, kind, velocity and seconds left of every particle, shape (n, 8); waits for the graphics card."""
        return np.frombuffer(self._buffers[self._now].read(), np.float32).reshape(-1, 8)[: self._count].copy()

    def _render(self, shader: Shader) -> None:
        self._vaos[shader, self._now].render(moderngl.POINTS, vertices=self._count)

    def release(self) -> None:
        """Free everything."""
        free(*self._vaos.values(), *self._shaders, *self._buffers)


def _layout(shader: Shader, buffer: moderngl.Buffer) -> tuple[moderngl.Buffer, str, *tuple[str, ...]]:
    """The particles' attributes, those that the shader does not read passed over."""
    used = [name for name in _MOTION if name in shader.program]
    return buffer, _PLACE if len(used) == 2 else "4f 16x", *used

"""Spray thrown up where foam is born, which lands as foam, and the bubbles that it drags down."""

from __future__ import annotations

import math
from itertools import product

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import OpenSea
from waterview.render.gl.shaders import Shader, Variants
from waterview.render.gl.targets import Target
from waterview.render.render_pass import FEATURES, FrameContext, RenderPass, Setup

from .surface import SurfacePass

_ATTRIBUTES = "in_place", "in_motion"
_DROP, _BUBBLE = 1.0, 2.0  # states of a particle, as in spray_step.vert
_PUFFS = 6
"""How many puffs of drops are drawn for a particle in the air at most."""
_TEARING = 15.0, 25.0
"""Speeds of the wind from which on it tears drops off crests, and all of them [m/s]: Beaufort 7 and 10."""


def spindrift(sea: OpenSea | None) -> tuple[tuple[float, float], float]:
    """Velocity of the wind along x and z, in metres of the scene a second; share of the drops that it carries along."""
    if sea is None:
        return (0.0, 0.0), 0.0
    first, last = _TEARING
    speed = sea.scale * sea.wind_speed
    share = min(max((sea.wind_speed - first) / (last - first), 0.0), 1.0)
    return (speed * math.cos(sea.wind), speed * math.sin(sea.wind)), share


class SprayPass(RenderPass):
    """Moves and draws spray and bubbles; the particles stay on the GPU.

    Like foam, they depend on the frames drawn before. Where time jumps, all of them vanish.
    """

    name, shaders = "spray", ("spray_births", "spray_step", "spray_landing", "spray")
    reads = (
        *("waves", "waves_before", "drift", "heights", "shift"),
        *("bed", "gbuffer_depth", "sky_map", "near_water", "noise"),
    )
    writes = ("waves", "light")

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        ctx, self._count = setup.ctx, setup.tier.spray
        self._surface = setup.find(SurfacePass)
        # About as many places where drops may be thrown up as there are particles, in a square that halves evenly.
        self._levels = math.ceil(math.log2(max(self._count, 1)) / 2)
        self._side = 2**self._levels
        self._find_births = self._own(Variants(ctx, "spray_births", "screen", {}, ("BODIES",)))
        self._births = self._own(Target(ctx, "4f2", size=(self._side, self._side)))
        self._step = self._own(Shader(ctx, "spray_step", varyings=("out_place", "out_motion", "out_drawn")))
        self._landing = self._own(Shader(ctx, "spray_landing"))
        none = dict.fromkeys(FEATURES, 0) | {"AIR": 1, "BUBBLES": 0}
        self._drops = {
            (under, clouds): self._own(
                Shader(ctx, "spray", defines=none | {"UNDERWATER": under, "SEA": under, "CLOUDS": clouds})
            )
            for under, clouds in product((0, 1), repeat=2)
        }
        in_water = {"UNDERWATER": 1, "SEA": 1, "CLOUDS": 1, "BUBBLES": 1}
        self._bubbles = self._own(Shader(ctx, "spray", defines=none | in_water))
        # Behind the last particle is one that is always at rest. Drops are drawn through indices, which name it for
        # all others at rest: for many equal indices a vertex is computed once, and most particles are at rest.
        self._buffers = [
            tuple(self._own(ctx.buffer(reserve=16 * (self._count + 1))) for _ in ("place", "motion")) for _ in range(2)
        ]
        self._drawn = self._own(ctx.buffer(np.full(max(self._count, 1), self._count, np.uint32)))
        self._vaos = {
            (shader, side): self._own(ctx.vertex_array(shader.program, _layout(shader, *buffers), index_buffer=indices))
            for side, buffers in enumerate(self._buffers)
            for shader, indices in (
                (self._step, None),
                (self._landing, None),
                *((drops, self._drawn) for drops in self._drops.values()),
                (self._bubbles, None),
            )
        }
        self._now = 0
        self._seen = 0
        self._clear()

    def update(self, context: FrameContext) -> None:
        """Move the particles on to a new frame, and leave foam where drops land."""
        surface = self._surface
        if not self._count or surface.uploads == self._seen:
            return
        self._seen = surface.uploads
        if surface.elapsed <= 0.0:
            self._clear()
            return
        inputs = self.inputs(context)
        self._ctx.enable_only(moderngl.NOTHING)
        self._births.framebuffer.use()
        wind, torn = spindrift(context.frame.sea)
        found = {"moment": surface.uploads, "elapsed": surface.elapsed, "torn": torn}
        self._find_births.render(context.features & {"BODIES"}, inputs, side=self._side, **found)
        self._births.colour.build_mipmaps()
        self._births.colour.filter = moderngl.NEAREST_MIPMAP_NEAREST, moderngl.NEAREST
        self._step.use(**inputs, births=self._births.colour)
        self._step.set(levels=self._levels, count=self._count, wind=wind, **found)
        vao = self._vaos[self._step, self._now]
        self._now = 1 - self._now
        vao.transform([*self._buffers[self._now], self._drawn], moderngl.POINTS, vertices=self._count)
        self._ctx.enable_only(moderngl.BLEND | moderngl.PROGRAM_POINT_SIZE)
        self._ctx.blend_func = moderngl.ONE, moderngl.ONE
        surface.draw_foam(lambda: self._render(self._landing))
        self._ctx.disable(moderngl.BLEND)

    def draw(self, context: FrameContext) -> None:
        """Draw drops over what is seen from the air, and bubbles if the eye may be under water."""
        if not self._count:
            return
        context.light.framebuffer.use()
        self._ctx.enable_only(moderngl.BLEND | moderngl.PROGRAM_POINT_SIZE)
        self._ctx.blend_func = moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA
        under = "UNDERWATER" in context.features
        drops = self._drops[under, "CLOUDS" in context.features], _DROP, _PUFFS
        _, torn = spindrift(context.frame.sea)
        for shader, state, copies in (drops, (self._bubbles, _BUBBLE, 1))[: 1 + under]:
            shader.use(**self.inputs(context))
            shader.set(shown=state, torn=torn, copies=copies)
            self._render(shader, copies)
        self._ctx.disable(moderngl.BLEND)

    def particles(self) -> NDArray[np.float32]:
        """Position, state, velocity and seconds left of every particle, shape (n, 8); waits for the GPU."""
        parts = [np.frombuffer(buffer.read(), np.float32).reshape(-1, 4) for buffer in self._buffers[self._now]]
        return np.concatenate(parts, axis=1)[: self._count]

    def _clear(self) -> None:
        for buffers in self._buffers:
            for buffer in buffers:
                buffer.clear()

    def _render(self, shader: Shader, copies: int = 1) -> None:
        self._vaos[shader, self._now].render(moderngl.POINTS, vertices=self._count, instances=copies)


def _layout(shader: Shader, *buffers: moderngl.Buffer) -> list[tuple[moderngl.Buffer, str, str]]:
    """The attributes of the particles that the shader reads."""
    named = zip(buffers, _ATTRIBUTES, strict=True)
    return [(buffer, "4f", name) for buffer, name in named if name in shader.program]

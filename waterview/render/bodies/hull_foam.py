"""Foam where the hulls of moving bodies meet the water."""

from __future__ import annotations

import math
from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.core.body import BodyState
from waterview.core.constants import GRAVITY
from waterview.render.gl.shaders import Shader
from waterview.render.render_pass import FrameContext, RenderPass, Setup
from waterview.render.water.surface import SurfacePass

from .bodies import BodyMeshPass

_FOAMS = 0.1, 0.4
"""Froude numbers of a hull at which foam begins, and from which on there is as much as there can be."""
_GROWTH = 3.0
"""Most foam that grows at a hull in a second, as a density."""
_REACH = 0.05
"""How far from the hull foam is half as dense as at it, as a share of the body's size; at least most of a texel."""


class HullFoamPass(RenderPass):
    """Lets moving bodies leave foam in the map of waves, which carries it on and lets it fade.

    Most is left behind the hull, as a wake that lasts; at the bow foam breaks and is thrown aside, and fades as all
    foam. How much is a matter of the Froude number v/√(gL), with the horizontal speed v through the water and the size
    L: what drifts with the water leaves none.
    """

    name, shaders = "hull foam", ("hull_foam",)
    reads, writes = ("heights", "shift", "body_table", "body_volumes"), ("waves", "drift", "wet_ground")

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self._surface, self._bodies = setup.find(SurfacePass), setup.find(BodyMeshPass)
        self._shader = self._own(Shader(setup.ctx, "hull_foam"))
        self._hulls = self._own(setup.ctx.buffer(reserve=36, dynamic=True))
        layout = (self._hulls, "4f 2f 3f/i", "in_place", "in_hull", "in_motion")
        self._vao = self._own(setup.ctx.vertex_array(self._shader.program, [layout]))
        self._seen = 0
        self._before: dict[int, BodyState] = {}

    def update(self, context: FrameContext) -> None:
        """Add the foam of a new frame, if it follows the last one."""
        surface = self._surface
        if surface.uploads == self._seen:
            return
        self._seen = surface.uploads
        before, self._before = self._before, {body.number: body for body in context.frame.bodies}
        texel = context.frame.grid.size[0] / surface.waves.width
        hulls = moving_hulls(self._bodies.listed, before, surface.elapsed, texel)
        if not len(hulls):
            return
        if self._hulls.size < hulls.nbytes:
            self._hulls.orphan(2 * hulls.nbytes)
        self._hulls.write(hulls.tobytes())
        self._shader.use(**self.inputs(context))
        self._shader.set(elapsed=surface.elapsed)
        self._ctx.enable_only(moderngl.BLEND)
        # The velocity takes the place of what was there, by its own alpha; foam is added to foam.
        # moderngl's types know one function for colour and alpha.
        by_share: Any = (moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA, moderngl.ONE, moderngl.ONE)
        self._ctx.blend_func = by_share
        count = len(hulls)
        surface.draw_foam(lambda: self._vao.render(moderngl.TRIANGLE_STRIP, vertices=4, instances=count), drifts=True)
        self._ctx.disable(moderngl.BLEND)


def moving_hulls(
    bodies: tuple[BodyState, ...], before: dict[int, BodyState], elapsed: float, texel: float
) -> NDArray[np.float32]:
    """What is drawn of bodies that leave foam.

    Args:
        bodies: in the order of the table of bodies.
        before: the bodies of the frame before, by their numbers.
        elapsed: simulated time since then [s]; 0 if the frames do not follow each other.
        texel: of the map of waves [m].

    Returns:
        For each of them x, z, half a side of the square around it [m], foam, row in the table, reach [m], the unit
        vector along which it moves through the water (x, z), and its speed [m/s]; shape (n, 9).
    """
    hulls = []
    for row, body in enumerate(bodies):
        last = before.get(body.number)
        if last is None or elapsed <= 0.0:
            continue
        size = float(body.scale.max())
        (x, _, z), velocity = body.position, (body.position - last.position) / elapsed
        if body.flow is not None:
            velocity -= body.flow
        speed = math.hypot(velocity[0], velocity[2])
        first, full = _FOAMS
        share = min((speed / math.sqrt(GRAVITY * size) - first) / (full - first), 1.0)
        reach = max(_REACH * size, 0.75 * texel)
        if share > 0.0:
            hulls.append((x, z, size + reach, _GROWTH * elapsed * share, row, reach, *velocity[[0, 2]] / speed, speed))
    return np.array(hulls, np.float32).reshape(-1, 9)

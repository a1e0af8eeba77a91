"""Floating bodies: their meshes, their tops in the path of sunlight, and the picture that shows them lit."""

from __future__ import annotations

from dataclasses import dataclass

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.core.body import BodyState, Mesh
from waterview.render.gl.shaders import Shader
from waterview.render.gl.targets import CLIP_DISTANCE, Target, free, scaled
from waterview.render.materials import BODY
from waterview.render.render_pass import FEATURES, FrameContext, RenderPass, Setup, Textures

_NO_BODY = -1.0


@dataclass(eq=False)
class _Group:
    """All bodies with the same mesh. The mesh is uploaded once, the bodies' places in every frame."""

    mesh: Mesh
    places: moderngl.Buffer
    arrays: dict[str, moderngl.VertexArray]
    buffers: list[moderngl.Buffer]
    count: int = 0

    def release(self) -> None:
        """Free everything."""
        free(*self.arrays.values(), *self.buffers, self.places)


class BodyMeshPass(RenderPass):
    """Keeps the bodies' meshes, and draws the height of their tops for the caustics.

    `body_top` is their height above still water as a share of the scene's longer side, −1 where there is no body.
    """

    name, shaders = "body tops", ("body_top",)
    writes = ("body_top",)

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        lit = {"BODIES": 1} | {feature: 0 for feature in FEATURES if feature != "BODIES"}
        self._shaders = {
            "gbuffer": self._own(Shader(setup.ctx, "gbuffer", vertex="gbuffer_body")),
            "lit": self._own(Shader(setup.ctx, "body", defines=lit)),
            "top": self._own(Shader(setup.ctx, "body_top")),
        }
        self._groups: list[_Group] = []
        self._top = self._own(Target(setup.ctx, "4f2"))
        self._none = self._own(setup.ctx.texture((1, 1), 1, np.float32(_NO_BODY).tobytes(), dtype="f4"))

    def update(self, context: FrameContext) -> None:
        """Upload new meshes and all places."""
        wanted: dict[int, list[BodyState]] = {}
        for body in context.frame.bodies:
            wanted.setdefault(id(body.mesh), []).append(body)
        for group in [group for group in self._groups if id(group.mesh) not in wanted]:
            self._groups.remove(group)
            group.release()
        known = {id(group.mesh): group for group in self._groups}
        for number, members in wanted.items():
            group = known.get(number) or self._add(members[0].mesh)
            places = np.concatenate([body_matrix(body) for body in members])
            if group.places.size < places.nbytes:
                group.places.orphan(2 * places.nbytes)
            group.places.write(places.tobytes())
            group.count = len(members)

    def draw(self, context: FrameContext) -> None:
        """Draw the tops, where sunlight that they stop would pass still water in the caustic map."""
        if not self._groups:
            context.textures["body_top"] = self._none
            return
        self._top.resize(scaled(context.frame.grid.size, self._tier.caustic_map))
        self._top.framebuffer.use()
        self._top.framebuffer.clear(_NO_BODY, _NO_BODY, _NO_BODY, _NO_BODY)
        self._ctx.enable_only(moderngl.BLEND)
        self._ctx.blend_equation = moderngl.MAX, moderngl.MAX
        self._render("top")
        self._ctx.blend_equation = moderngl.FUNC_ADD, moderngl.FUNC_ADD
        self._ctx.disable(moderngl.BLEND)
        context.textures["body_top"] = self._top.colour

    def draw_gbuffer(self) -> None:
        """Draw into the bound geometry buffer."""
        self._ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        self._ctx.depth_func = "<"
        self._shaders["gbuffer"].set(material=BODY, lowest=-1e30)
        self._render("gbuffer")

    def draw_gbuffer_above(self, level: float) -> None:
        """Draw what rises above a height [m] into the bound geometry buffer, seen by a mirrored camera."""
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        self._ctx.depth_func = "<"
        self._ctx.enable_direct(CLIP_DISTANCE)
        self._shaders["gbuffer"].set(material=BODY, lowest=level)
        self._render("gbuffer")
        self._ctx.disable_direct(CLIP_DISTANCE)

    def draw_lit(self, target: Target, size: tuple[int, int], inputs: Textures) -> None:
        """Draw the bodies in the light of `caustic_map` and `sky_map` into `target`, which takes on `size` [pixels]."""
        target.resize(size)
        target.framebuffer.use()
        target.framebuffer.clear(depth=1.0)
        # A mirrored camera turns triangles around, so both faces are drawn; the nearer one wins.
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        self._ctx.depth_func = "<"
        self._shaders["lit"].use(**inputs)
        self._render("lit")

    def _render(self, name: str) -> None:
        for group in self._groups:
            group.arrays[name].render(moderngl.TRIANGLES, instances=group.count)

    def _add(self, mesh: Mesh) -> _Group:
        ctx = self._ctx
        vertices, normals, colours, corners = (
            ctx.buffer(np.ascontiguousarray(array).tobytes())
            for array in (mesh.vertices, mesh.normals, mesh.colours, mesh.indices)
        )
        places = ctx.buffer(reserve=48)
        placed = [(vertices, "3f", "in_position"), (places, "4f 4f 4f/i", "in_x", "in_y", "in_z")]
        lit = [*placed, (normals, "3f", "in_normal"), (colours, "3f1", "in_colour")]
        arrays = {
            name: ctx.vertex_array(shader.program, lit if name == "lit" else placed, corners)
            for name, shader in self._shaders.items()
        }
        self._groups.append(_Group(mesh, places, arrays, [vertices, normals, colours, corners]))
        return self._groups[-1]

    def release(self) -> None:
        """Free everything."""
        free(*self._groups)
        super().release()


class BodyLightPass(RenderPass):
    """Draws the bodies alone and lit, as if there were no water in front of them."""

    name, shaders = "body light", ("body",)
    reads, writes = ("caustic_map", "sky_map"), ("body_colour", "body_depth")

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self._bodies = setup.find(BodyMeshPass)
        self._target = self._own(Target(setup.ctx, "4f2", depth=True))

    def draw(self, context: FrameContext) -> None:
        """Draw them, if there are any."""
        if "BODIES" in context.features:
            self._bodies.draw_lit(self._target, context.view.size, self.inputs(context))
        assert self._target.depth is not None, "made with depth"
        context.textures.update(body_colour=self._target.colour, body_depth=self._target.depth)


def body_matrix(body: BodyState) -> NDArray[np.float32]:
    """Rows of the matrix from a body's own axes to the world, with its position in the last column, shape (3, 4)."""
    return np.column_stack((body.rotation * body.scale, body.position)).astype(np.float32)

"""Floating bodies: their marks, their light, and their shadow in the sunlight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.core.body import BodyState, Mesh
from waterview.render.gl.shaders import Shader
from waterview.render.gl.targets import Target, free
from waterview.render.kinds import BODY, FLAGS

_CLIP_DISTANCE = 0x3000  # GL_CLIP_DISTANCE0
_NOTHING = -1.0


@dataclass(eq=False)
class _Kind:
    """All bodies of one mesh: it is uploaded once, the places they have in every frame."""

    mesh: Mesh
    places: moderngl.Buffer
    arrays: dict[str, moderngl.VertexArray]
    buffers: list[moderngl.Buffer]
    count: int = 0


class BodyPass:
    """Draws floating bodies.

    Attributes:
        picture: the bodies alone, lit, as if there were no water in front of them.
        top: height of their tops in the light map above still water, as a share of the scene's longer side; −1 where
            there are none.
    """

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        lit = {"BODIES": 1} | {flag: 0 for flag in FLAGS if flag != "BODIES"}
        self._shaders = {
            "mark": Shader(ctx, "mark", vertex="body_mark"),
            "light": Shader(ctx, "body", defines=lit),
            "top": Shader(ctx, "body_top"),
        }
        self._kinds: list[_Kind] = []
        self.picture = Target(ctx, "f2", depth=True)
        self.top = Target(ctx, "f2")

    def take(self, bodies: Sequence[BodyState]) -> None:
        """Bring meshes and places up to the bodies of a frame."""
        groups: dict[int, list[BodyState]] = {}
        for body in bodies:
            groups.setdefault(id(body.mesh), []).append(body)
        for kind in [kind for kind in self._kinds if id(kind.mesh) not in groups]:
            self._kinds.remove(kind)
            _release(kind)
        known = {id(kind.mesh): kind for kind in self._kinds}
        for number, group in groups.items():
            kind = known.get(number) or self._add(group[0].mesh)
            places = np.concatenate([body_matrix(body) for body in group])
            if kind.places.size < places.nbytes:
                kind.places.orphan(2 * places.nbytes)
            kind.places.write(places.tobytes())
            kind.count = len(group)

    def mark(self) -> None:
        """Leave marks of the bodies."""
        self._ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        self._ctx.depth_func = "<"
        self._shaders["mark"].set(kind=BODY, lowest=-1e30)
        self._render("mark")

    def mark_above(self, level: float) -> None:
        """Leave marks of what rises above a height [m], seen by a mirrored camera."""
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        self._ctx.depth_func = "<"
        self._ctx.enable_direct(_CLIP_DISTANCE)
        self._shaders["mark"].set(kind=BODY, lowest=level)
        self._render("mark")
        self._ctx.disable_direct(_CLIP_DISTANCE)

    def cast(self, size: tuple[int, int]) -> None:
        """Draw `top` for a light map of `size`."""
        self.top.resize(size)
        self.top.framebuffer.use()
        self.top.framebuffer.clear(_NOTHING, _NOTHING, _NOTHING, _NOTHING)
        self._ctx.enable_only(moderngl.BLEND)
        self._ctx.blend_equation = moderngl.MAX, moderngl.MAX
        self._render("top")
        self._ctx.blend_equation = moderngl.FUNC_ADD, moderngl.FUNC_ADD
        self._ctx.disable(moderngl.BLEND)

    def draw(self, target: Target, size: tuple[int, int], inputs: Mapping[str, moderngl.Texture]) -> None:
        """Draw the lit bodies into `target`, which takes on `size`, with textures by the shaders' names for them."""
        target.resize(size)
        target.framebuffer.use()
        target.framebuffer.clear(depth=1.0)
        # A mirrored camera sees triangles the other way round: draw both sides, the nearest wins.
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        self._ctx.depth_func = "<"
        self._shaders["light"].use(**inputs)
        self._render("light")

    def _render(self, name: str) -> None:
        for kind in self._kinds:
            kind.arrays[name].render(moderngl.TRIANGLES, instances=kind.count)

    def _add(self, mesh: Mesh) -> _Kind:
        ctx = self._ctx
        vertices, normals, colours, corners = (
            ctx.buffer(np.ascontiguousarray(array).tobytes())
            for array in (mesh.vertices, mesh.normals, mesh.colours, mesh.indices)
        )
        places = ctx.buffer(reserve=48)
        placed = [(vertices, "3f", "in_position"), (places, "4f 4f 4f/i", "in_x", "in_y", "in_z")]
        lit = [*placed, (normals, "3f", "in_normal"), (colours, "3f1", "in_colour")]
        arrays = {
            name: ctx.vertex_array(shader.program, lit if name == "light" else placed, corners)
            for name, shader in self._shaders.items()
        }
        kind = _Kind(mesh, places, arrays, [vertices, normals, colours, corners])
        self._kinds.append(kind)
        return kind

    def release(self) -> None:
        """Free everything."""
        for kind in self._kinds:
            _release(kind)
        free(*self._shaders.values(), self.picture, self.top)


def body_matrix(body: BodyState) -> NDArray[np.float32]:
    """Rows of the matrix from a body's own axes to the world, with its position in the last column, shape (3, 4)."""
    return np.column_stack((body.rotation * body.scale, body.position)).astype(np.float32)


def _release(kind: _Kind) -> None:
    free(*kind.arrays.values(), *kind.buffers, kind.places)

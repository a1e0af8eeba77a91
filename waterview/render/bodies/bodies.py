"""Floating bodies: their meshes, what rays know of them, and the picture that shows them lit."""

from __future__ import annotations

from dataclasses import dataclass, field

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.core.body import BodyState, Mesh
from waterview.render.gl.shaders import Shader
from waterview.render.gl.targets import Target, free
from waterview.render.materials import BODY
from waterview.render.render_pass import FEATURES, FrameContext, RenderPass, Setup, Textures

from .distance_volume import BOX, POINTS, SPHERE, VOLUME, DistanceVolume, distance_volume

_COLUMNS = 8
_LIT = "POOL", "WIND"
"""Features that the light of bodies depends on."""
LIT_UNDER_WATER = *_LIT, "UNDERWATER", "SEA", "OPEN_SIDES"
"""The same under water."""
_HIDES = {SPHERE: 1.0, BOX: 0.7, VOLUME: 0.6}
"""Radius of a ball that hides about as much as a body, at its foot too, over that of the ball around it."""


_Attribute = tuple[moderngl.Buffer, str, str] | tuple[moderngl.Buffer, str, str, str, str]


@dataclass(eq=False)
class _Group:
    """All bodies with the same mesh. The mesh is uploaded once, the bodies' places in every frame."""

    mesh: Mesh
    places: moderngl.Buffer
    attributes: list[_Attribute]
    corners: moderngl.Buffer
    buffers: list[moderngl.Buffer]
    count: int = 0
    arrays: dict[Shader, moderngl.VertexArray] = field(default_factory=dict)

    def render(self, shader: Shader) -> None:
        """Draw all of them with `shader`, which takes those of the vertices' attributes that it knows."""
        if shader not in self.arrays:
            known = [given for given in self.attributes if given[2] in shader.program]
            self.arrays[shader] = self.places.ctx.vertex_array(shader.program, known, self.corners)
        self.arrays[shader].render(moderngl.TRIANGLES, instances=self.count)

    def release(self) -> None:
        """Free everything."""
        free(*self.arrays.values(), *self.buffers, self.places)


class BodyMeshPass(RenderPass):
    """Keeps the bodies' meshes, and what rays know of bodies (include/bodies.glsl).

    `body_table`: a row for each body, RGBA32F, as `table_row`. `body_volumes`: the `DistanceVolume.texels` of all
    meshes, one above the other along the third axis.

    Attributes:
        listed: the bodies in the table, in its order.
    """

    name, shaders = "bodies for rays", ()
    writes = ("body_table", "body_volumes")

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self._fine = int(setup.tier.fine)
        self._gbuffer = self._own(Shader(setup.ctx, "gbuffer", vertex="gbuffer_body"))
        self._lit: dict[frozenset[str], Shader] = {}
        self._groups: list[_Group] = []
        self._drawn: tuple[BodyState, ...] = ()
        self._meshes: list[Mesh] = []
        self.listed: tuple[BodyState, ...] = ()
        self._table = setup.ctx.texture((_COLUMNS, 1), 4, dtype="f4")
        self._volumes = setup.ctx.texture3d((1, 1, 1), 4, dtype="f2")

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
        self._describe(context.frame.bodies)
        context.textures.update(body_table=self._table, body_volumes=self._volumes)

    def _describe(self, bodies: tuple[BodyState, ...]) -> None:
        """Tell rays of the bodies."""
        if bodies == self._drawn:
            return
        self._drawn = bodies
        most = int(self._ctx.info["GL_MAX_3D_TEXTURE_SIZE"]) // POINTS
        meshes = list({id(body.mesh): body.mesh for body in bodies}.values())[:most]
        if meshes and meshes != self._meshes:
            texels = np.concatenate([distance_volume(mesh).texels for mesh in meshes])
            free(self._volumes)
            self._volumes = self._ctx.texture3d((POINTS, POINTS, POINTS * len(meshes)), 4, texels.tobytes(), dtype="f2")
            self._volumes.repeat_x = self._volumes.repeat_y = self._volumes.repeat_z = False
            self._volumes.filter = moderngl.LINEAR, moderngl.LINEAR
            self._meshes = meshes
        self.listed = tuple(body for body in bodies if body.mesh in meshes)
        rows = [table_row(body, distance_volume(body.mesh), meshes.index(body.mesh)) for body in self.listed]
        if rows:
            if self._table.height != len(rows):
                free(self._table)
                self._table = self._ctx.texture((_COLUMNS, len(rows)), 4, dtype="f4")
            self._table.write(np.stack(rows).tobytes())

    def draw_gbuffer(self) -> None:
        """Draw into the bound geometry buffer."""
        self._ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        self._ctx.depth_func = "<"
        self._gbuffer.set(material=BODY)
        self._render(self._gbuffer)

    def draw_lit(self, target: Target, size: tuple[int, int], inputs: Textures, features: frozenset[str]) -> None:
        """Draw the bodies in the light of `caustic_map` and `sky_map` into `target`, which takes on `size` [pixels]."""
        target.resize(size)
        target.framebuffer.use()
        target.framebuffer.clear(depth=1.0)
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        self._ctx.depth_func = "<"
        shader = self._lit_for(features.intersection(LIT_UNDER_WATER if "UNDERWATER" in features else _LIT))
        shader.use(**inputs)
        self._render(shader)

    def _lit_for(self, features: frozenset[str]) -> Shader:
        if features not in self._lit:
            has = dict.fromkeys(FEATURES, 0) | {"FINE": self._fine} | dict.fromkeys(("BODIES", "CLOUDS", *features), 1)
            self._lit[features] = self._own(Shader(self._ctx, "body", defines=has))
        return self._lit[features]

    def _render(self, shader: Shader) -> None:
        for group in self._groups:
            group.render(shader)

    def _add(self, mesh: Mesh) -> _Group:
        ctx = self._ctx
        vertices, normals, colours, corners = (
            ctx.buffer(np.ascontiguousarray(array).tobytes())
            for array in (mesh.vertices, mesh.normals, mesh.colours, mesh.indices)
        )
        places = ctx.buffer(reserve=48)
        attributes: list[_Attribute] = [
            *((vertices, "3f", "in_position"), (places, "4f 4f 4f/i", "in_x", "in_y", "in_z")),
            *((normals, "3f", "in_normal"), (colours, "3f1", "in_colour")),
        ]
        self._groups.append(_Group(mesh, places, attributes, corners, [vertices, normals, colours, corners]))
        return self._groups[-1]

    def release(self) -> None:
        """Free everything."""
        free(*self._groups, self._table, self._volumes)
        super().release()


class BodyLightPass(RenderPass):
    """Draws the bodies alone and lit, as if there were no water in front of them."""

    name, shaders = "body light", ("body",)
    reads = (
        *("bed", "caustic_map", "sky_map", "body_table", "body_volumes", "heights", "shift", "near_water"),
        *("noise", "waves", "foam_pattern"),
    )
    writes = ("body_colour",)

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self._bodies = setup.find(BodyMeshPass)
        self._target = self._own(Target(setup.ctx, "4f2", depth=True))

    def draw(self, context: FrameContext) -> None:
        """Draw them, if there are any."""
        if "BODIES" in context.features:
            self._bodies.draw_lit(self._target, context.view.size, self.inputs(context), context.features)
        context.textures["body_colour"] = self._target.colour


def body_matrix(body: BodyState) -> NDArray[np.float32]:
    """Rows of the matrix from a body's own axes to the world, with its position in the last column, shape (3, 4)."""
    return np.column_stack((body.rotation * body.scale, body.position)).astype(np.float32)


def table_row(body: BodyState, volume: DistanceVolume, layer: int) -> NDArray[np.float32]:
    """What rays know of a body, shape (8, 4).

    Rows of the matrix from the world to the mesh's own axes and units; geometry and the volume's number among all;
    centre and radius of a sphere that holds the body; lowest corner and size of the volume; centre and radius of a
    sphere that hides about as much light.

    Args:
        body: where it is.
        volume: that of its mesh.
        layer: the volume's number.
    """
    turned = body.rotation.T / body.scale[:, None]
    row = np.zeros((_COLUMNS, 4))
    row[:3] = np.column_stack((turned, -turned @ body.position))
    row[3, :2] = volume.geometry, layer
    row[4] = *body.position, 1.01 * volume.radius * body.scale.max()
    row[5, :3], row[6, :3] = volume.low, volume.size
    row[7] = *body.position, _HIDES[volume.geometry] * volume.radius * body.scale.max()
    return row.astype(np.float32)

"""The water as meshes: its waving surface, and its cut sides at the block's border; finer near the eye."""

from __future__ import annotations

import math

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import Frame
from waterview.render.gl.shaders import Shader
from waterview.render.gl.targets import free
from waterview.render.ground.mesh import free_nearby
from waterview.render.materials import FOAMY_WATER, WATER
from waterview.render.quality import Tier
from waterview.render.render_pass import Textures
from waterview.render.view import View

from .lod import QUADS, LevelsOfDetail, Numbers, sides, squares

_MARGIN = 0.05
"""How far waves may rise from still water where patches out of sight are culled, in units of the longer side."""
_FINEST_MASK = 512
_BEHIND = 0.01, 4.0
"""Polygon offset (factor, units) that puts the water's cut sides behind the ground's, whose planes they share. It is
larger than the errors of graphics cards, but so small that the ground's surface does not show beside the cut."""

Mask = NDArray[np.bool_]


class WaterMesh:
    """The water's surface and cut sides, drawn into a geometry buffer."""

    def __init__(self, ctx: moderngl.Context, tier: Tier) -> None:
        self._ctx, self._tier = ctx, tier
        square = 1.0 / (math.sqrt(2.0) * QUADS * tier.water_reach)  # side of a square for each metre of its reach
        defines = {"WATER": WATER, "FOAMY_WATER": FOAMY_WATER, "SQUARE": square}
        self._shader = Shader(ctx, "gbuffer_water", defines=defines)
        self._side_shader = Shader(ctx, "gbuffer", vertex="gbuffer_water_side")
        self._top = _Triangles(ctx, self._shader, "4f 1f", ("in_places", "in_morph_end"))
        self._sides = _Triangles(ctx, self._side_shader, "4f 1f 1f", ("in_places", "in_morph_end", "in_top"))
        self._known: tuple[object, ...] | None = None

    def update(self, frame: Frame) -> None:
        """Prepare for a new grid or new ground."""
        if self._known is not None and self._known[0] is frame.fixed and self._known[1] == frame.grid:
            return
        self._levels = LevelsOfDetail.over(frame.grid)
        self._wet = wet_squares(frame.fixed, self._levels)
        self._known = (frame.fixed, frame.grid)
        self._built_from: list[bytes] | None = None
        self._seen_from: tuple[object, ...] = ()

    def draw(self, surface: Textures, view: View, *, side: int | None, both: bool) -> None:
        """Draw into the bound geometry buffer.

        Args:
            surface: the textures `heights`, `shift` and `waves`.
            view: where the eye is.
            side: material of the cut sides; None leaves them out.
            both: draw both faces of the surface, for an eye under water.
        """
        self._choose(view)
        self._ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        self._ctx.depth_func = "<"
        if side is not None:
            self._side_shader.set(material=side)
            self._side_shader.use(**surface)
            self._ctx.polygon_offset = _BEHIND
            self._sides.draw()
            self._ctx.polygon_offset = 0.0, 0.0
        if both:
            self._ctx.disable(moderngl.CULL_FACE)
        self._shader.use(**surface)
        self._top.draw()

    def _choose(self, view: View) -> None:
        """Build new meshes if other patches than before are in sight."""
        moment = view.matrix.tobytes(), view.bounds
        if moment == self._seen_from:
            return
        self._seen_from = moment
        seen = self._in_sight(view)
        known = [patches.tobytes() for patches in seen]
        if known == self._built_from:
            return
        self._built_from = known
        reach = self._tier.water_reach
        points = [self._levels.points(patches, depth, reach) for depth, patches in enumerate(seen)]
        wet = np.concatenate([self._wet_of(patches, depth) for depth, patches in enumerate(seen)])
        self._top.write(np.concatenate(points).reshape(-1, 5), squares(len(wet))[wet])
        roots = np.array(self._levels.roots)
        walls = [
            sides(patches, own, tuple(roots * 2**depth - 1))
            for depth, (patches, own) in enumerate(zip(seen, points, strict=True))
        ]
        first = np.cumsum([0, *(len(own) for own, _ in walls)])[:-1]
        triangles = [own + np.uint32(start) for (_, own), start in zip(walls, first, strict=True)]
        self._sides.write(np.concatenate([own for own, _ in walls]), np.concatenate(triangles))

    def _in_sight(self, view: View) -> list[Numbers]:
        """The patches to draw, by depth, without those out of sight (frustum culling)."""
        bounds = view.bounds
        lowest = np.array((bounds.low[0], bounds.level, bounds.low[2]))
        chosen = self._levels.seen_from(view.camera.eye - lowest, self._tier.water_reach)
        margin = _MARGIN * bounds.extent
        heights = min(bounds.low[1], bounds.level - margin), bounds.level + margin
        seen = []
        for depth, patches in enumerate(chosen):
            low, high = (corner + lowest[[0, 2]] for corner in self._levels.corners(patches, depth))
            seen.append(patches[in_sight(view.matrix, low - margin, high + margin, heights)])
        return seen

    def _wet_of(self, patches: Numbers, depth: int) -> Mask:
        """Which squares of patches have water in or beside them, shape (n, QUADS, QUADS)."""
        finer = min(depth, len(self._wet) - 1)
        along = np.arange(QUADS)
        column = (QUADS * patches[:, 0, None] + along) >> (depth - finer)
        row = (QUADS * patches[:, 1, None] + along) >> (depth - finer)
        return np.asarray(self._wet[finer][row[:, :, None], column[:, None, :]])

    def release(self) -> None:
        """Free everything."""
        free(self._top, self._sides, self._shader, self._side_shader)


class _Triangles:
    """A mesh whose content is replaced from time to time."""

    def __init__(self, ctx: moderngl.Context, shader: Shader, layout: str, names: tuple[str, ...]) -> None:
        self._points, self._elements = ctx.buffer(reserve=4, dynamic=True), ctx.buffer(reserve=4, dynamic=True)
        self._vao = ctx.vertex_array(shader.program, [(self._points, layout, *names)], self._elements)
        self._count = 0

    def write(self, points: NDArray[np.float32], triangles: NDArray[np.uint32]) -> None:
        """Replace points and triangles."""
        self._count = triangles.size
        for buffer, values in ((self._points, points), (self._elements, triangles)):
            if values.size:
                buffer.orphan(values.nbytes)
                buffer.write(np.ascontiguousarray(values))

    def draw(self) -> None:
        """Draw them."""
        if self._count:
            self._vao.render(moderngl.TRIANGLES, vertices=self._count)

    def release(self) -> None:
        """Free everything."""
        free(self._vao, self._points, self._elements)


def wet_squares(fixed: Mask, levels: LevelsOfDetail) -> list[Mask]:
    """Which squares of the patches have a free point in or beside them, shape (rows, columns), for every depth.

    The list ends at the depth from which on finer squares are not worth their memory.
    """
    columns, rows = (QUADS * count for count in levels.roots)
    depth = 0
    while depth < levels.depth and max(columns, rows) << (depth + 1) <= _FINEST_MASK:
        depth += 1
    masks = [free_nearby(fixed, ((rows << depth) + 1, (columns << depth) + 1))]
    for _ in range(depth):
        fine = masks[-1]
        masks.append(fine[::2, ::2] | fine[1::2, ::2] | fine[::2, 1::2] | fine[1::2, 1::2])
    return masks[::-1]


def in_sight(
    matrix: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    heights: tuple[float, float],
) -> Mask:
    """Which boxes may be in the picture, shape (n,).

    Args:
        matrix: world to clip space, shape (4, 4).
        low: lowest x and z of each, shape (n, 2).
        high: highest, shape (n, 2).
        heights: lowest and highest y of all.
    """
    ends, one = (low, high), np.ones(len(low))
    corners = np.array([(x[:, 0], y * one, z[:, 1], one) for x in ends for y in heights for z in ends])
    clip = np.einsum("ij,cjn->cin", matrix, corners)
    beyond = np.concatenate((clip[:, :3] < -clip[:, 3:], clip[:, :3] > clip[:, 3:]), axis=1)
    return np.asarray(~beyond.all(axis=0).any(axis=0))

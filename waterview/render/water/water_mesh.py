"""The water as meshes: its waving surface, and its cut sides at the block's border; finer near the eye."""

from __future__ import annotations

import math

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import Frame
from waterview.render.gl.shaders import Shader, Uniform
from waterview.render.gl.targets import Owner
from waterview.render.ground.mesh import OFFSET_OF_SIDES, free_nearby
from waterview.render.materials import BACKGROUND, FOAMY_WATER, WATER
from waterview.render.quality import Tier
from waterview.render.render_pass import Textures
from waterview.render.view import View, in_sight

from .lod import OUTWARDS, QUADS, LevelsOfDetail, Numbers, corners_of_a_patch, corners_of_a_side, sides

_MARGIN = 0.05
"""How far waves may rise from still water where patches out of sight are culled, in units of the longer side."""
_SEA_REACH = 8.0
"""The reach of the sea around the block, if that of the water is larger: there is much of it."""
_FINEST_MASK = 512
Mask = NDArray[np.bool_]


class WaterMesh(Owner):
    """The water's surface and cut sides, drawn into a geometry buffer."""

    def __init__(self, ctx: moderngl.Context, tier: Tier) -> None:
        super().__init__()
        self._ctx, self._reach = ctx, tier.water_reach
        self._sea_reach = min(tier.water_reach, _SEA_REACH)
        defines = {"WATER": WATER, "FOAMY_WATER": FOAMY_WATER, "SQUARE": _square(self._reach), "LARGEST": 1.0}
        surface = defines | {"QUADS": QUADS}
        side = Shader(ctx, "gbuffer", vertex="gbuffer_water_side", defines={"LARGEST": 1.0})
        defines = {"SQUARE": _square(self._sea_reach), "LARGEST": 2.0**OUTWARDS}
        beyond = (Shader(ctx, "gbuffer", vertex="gbuffer_sea", defines=defines | {"SWELL": flag}) for flag in (0, 1))
        patch, wall = ("in_corner", corners_of_a_patch()), ("in_place", corners_of_a_side())
        self._surfaces = tuple(self._surface(surface | {"FLOODED": flag}) for flag in (0, 1))
        self._sides = self._own(_Instances(ctx, side, *wall, "3f 2f/i", ("in_patch", "in_along")))
        self._seas = tuple(self._own(_Instances(ctx, shader, *patch, "3f/i", ("in_patch",))) for shader in beyond)
        self._known: tuple[object, ...] | None = None
        self._flooded_ground: object = None

    def _surface(self, defines: dict[str, float]) -> tuple[_Instances, _Instances]:
        """The patches that are wet all over, and those on a shore."""
        wet, shore = (Shader(self._ctx, "gbuffer_water", defines=defines | {"PARTLY_DRY": flag}) for flag in (0, 1))
        patch = "in_corner", corners_of_a_patch()
        return (
            self._own(_Instances(self._ctx, wet, *patch, "3f 8x/i", ("in_patch",))),
            self._own(_Instances(self._ctx, shore, *patch, "3f 2u/i", ("in_patch", "in_wet"))),
        )

    def update(self, frame: Frame) -> None:
        """Prepare for a new grid or new ground."""
        if self._known is not None and self._known[0] is frame.fixed and self._known[1] == frame.grid:
            return
        self._levels = LevelsOfDetail.over(frame.grid)
        is_known = frame.prepared is not None and frame.prepared.fixed is frame.fixed
        self._wet_squares = frame.prepared.wet if is_known else wet_squares(frame.fixed, self._levels)
        # Land that water has once covered stays free, so that no more is looked for.
        if self._flooded_ground is not frame.bed and (~frame.fixed & (frame.bed > frame.grid.level)).any():
            self._flooded_ground = frame.bed
        self._wet, self._shore = self._surfaces[self._flooded_ground is frame.bed]
        self._known = (frame.fixed, frame.grid)
        self._built_from: list[bytes] | None = None
        self._seen_from: tuple[object, ...] = ()

    def draw(self, surface: Textures, view: View, *, side: int | None, both: bool) -> None:
        """Draw into the bound geometry buffer.

        Args:
            surface: the textures `heights`, `shift`, `waves` and `bed`.
            view: where the eye is.
            side: material of the cut sides; None leaves them out.
            both: draw both faces of the surface, for an eye under water.
        """
        self._choose(view)
        self._ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        self._ctx.depth_func = "<"
        roots = self._levels.roots
        whole = (QUADS * roots[0], QUADS * roots[1])
        place: dict[str, Uniform] = {"squares": whole, "farthest": self._reach * self._levels.diagonal(0)}
        if side is not None:
            self._ctx.polygon_offset = OFFSET_OF_SIDES
            self._sides.draw(surface, **place, material=side)
            self._ctx.polygon_offset = 0.0, 0.0
        if both:
            self._ctx.disable(moderngl.CULL_FACE)
        for patches in (self._wet, self._shore):
            patches.draw(surface, **place)

    def draw_sea(self, surface: Textures, view: View, *, swell: bool) -> None:
        """Draw the sea around the block into the bound geometry buffer, from above.

        Args:
            surface: the textures of the sea and of the block's water.
            view: where the eye is.
            swell: whether waves are known that come in from out there.
        """
        levels, roots = self._levels, self._levels.roots
        low = np.array((view.bounds.low[0], view.bounds.level, view.bounds.low[2]))
        placed = []
        for number, patches in enumerate(levels.around(view.camera.eye - low, self._sea_reach)):
            depth = number - OUTWARDS
            seen = in_sight(view.matrix, *_room(levels, patches, depth, view))
            placed.append(levels.placed(patches[seen], depth))
        sea = self._seas[int(swell)]
        sea.write(np.concatenate(placed))
        self._ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        self._ctx.depth_func = "<"
        whole = (QUADS * roots[0], QUADS * roots[1])
        # It has no material of its own: the background shades it.
        sea.draw(surface, squares=whole, farthest=self._sea_reach * levels.diagonal(0), material=BACKGROUND)

    def _choose(self, view: View) -> None:
        """Tell the card which patches are in sight if they are others than before."""
        moment = view.matrix.tobytes(), view.bounds
        if moment == self._seen_from:
            return
        self._seen_from = moment
        seen = self._in_sight(view)
        known = [patches.tobytes() for patches in seen]
        if known == self._built_from:
            return
        self._built_from = known
        placed = [self._levels.placed(patches, depth) for depth, patches in enumerate(seen)]
        wet = np.concatenate([self._wet_of(patches, depth) for depth, patches in enumerate(seen)])
        bits = np.packbits(wet.reshape(-1, QUADS**2), axis=1, bitorder="little").view("<u4")
        patches = np.concatenate((np.concatenate(placed).view(np.uint32), bits), axis=1)
        wholly, partly = (each(axis=(1, 2)) for each in (wet.all, wet.any))
        self._wet.write(patches[wholly])
        self._shore.write(patches[partly & ~wholly])
        roots = np.array(self._levels.roots)
        borders = (roots * 2**depth - 1 for depth in range(len(seen)))
        self._sides.write(np.concatenate([sides(*each) for each in zip(seen, placed, borders, strict=True)]))

    def _in_sight(self, view: View) -> list[Numbers]:
        """The patches to draw, by depth, without those out of sight (frustum culling)."""
        bounds = view.bounds
        lowest = np.array((bounds.low[0], bounds.level, bounds.low[2]))
        chosen = self._levels.seen_from(view.camera.eye - lowest, self._reach)
        rooms = (_room(self._levels, patches, depth, view) for depth, patches in enumerate(chosen))
        return [patches[in_sight(view.matrix, *room)] for patches, room in zip(chosen, rooms, strict=True)]

    def _wet_of(self, patches: Numbers, depth: int) -> Mask:
        """Which squares of patches have water in or beside them, shape (n, QUADS, QUADS)."""
        finer = min(depth, len(self._wet_squares) - 1)
        along = np.arange(QUADS)
        column = (QUADS * patches[:, 0, None] + along) >> (depth - finer)
        row = (QUADS * patches[:, 1, None] + along) >> (depth - finer)
        return np.asarray(self._wet_squares[finer][row[:, :, None], column[:, None, :]])


class _Instances(Owner):
    """One mesh that is drawn in many places, which are replaced from time to time.

    Args:
        ctx: the OpenGL context.
        shader: draws it, and is freed with it.
        name: of the input that tells its points apart.
        mesh: its points, shape (n, 2), and triangles.
        layout: of what is known of each place, a row of `write`.
        names: of its inputs.
    """

    def __init__(
        self,
        ctx: moderngl.Context,
        shader: Shader,
        name: str,
        mesh: tuple[NDArray[np.float32], NDArray[np.uint32]],
        layout: str,
        names: tuple[str, ...],
    ) -> None:
        super().__init__()
        self._shader, self._count = self._own(shader), 0
        points, elements = (self._own(ctx.buffer(np.ascontiguousarray(each).tobytes())) for each in mesh)
        self._places = self._own(ctx.buffer(reserve=4, dynamic=True))
        content = [(points, "2f", name), (self._places, layout, *names)]
        self._vao = self._own(ctx.vertex_array(shader.program, content, elements))

    def write(self, places: NDArray[np.generic]) -> None:
        """Replace the places, shape (n, m)."""
        self._count = len(places)
        if self._count:
            self._places.orphan(places.nbytes)
            self._places.write(np.ascontiguousarray(places))

    def draw(self, textures: Textures, **uniforms: Uniform) -> None:
        """Draw all of them."""
        if self._count:
            self._shader.set(**uniforms)
            self._shader.use(**textures)
            self._vao.render(moderngl.TRIANGLES, instances=self._count)


def _square(reach: float) -> float:
    """Side of the squares of a patch for each metre of the distance at which it is exchanged."""
    return 1.0 / (math.sqrt(2.0) * QUADS * reach)


def _room(
    levels: LevelsOfDetail, patches: Numbers, depth: int, view: View
) -> tuple[NDArray[np.float64], NDArray[np.float64], tuple[float, float]]:
    """Lowest and highest x and z of patches, and heights, that their waves stay within [m]."""
    bounds = view.bounds
    margin = _MARGIN * bounds.extent
    lowest = np.array((bounds.low[0], bounds.low[2]))
    low, high = (corner + lowest for corner in levels.corners(patches, depth))
    return low - margin, high + margin, (min(bounds.low[1], bounds.level - margin), bounds.level + margin)


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

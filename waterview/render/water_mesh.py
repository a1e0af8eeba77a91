"""The water's meshes: its waving surface, and its cut sides where the block ends."""

from __future__ import annotations

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import Frame
from waterview.core.grid import Grid

from .kinds import CURTAIN, FOAMY, WATER
from .mesh import SIDES, even_mesh, even_shape, side_points, wall_strip
from .quality import Tier
from .shaders import Shader
from .surface import Surface


class WaterMesh:
    """The water as meshes that leave marks."""

    def __init__(self, ctx: moderngl.Context, tier: Tier) -> None:
        self._ctx, self._tier = ctx, tier
        self._shader = Shader(ctx, "water_mark", vertex="water_mesh", defines={"WATER": WATER, "FOAMY": FOAMY})
        self._side_shader = Shader(ctx, "mark", vertex="curtain_mesh", defines={"KIND": CURTAIN})
        self._taken: tuple[object, ...] | None = None
        self._resources: list[moderngl.Buffer | moderngl.VertexArray] = []

    def take(self, frame: Frame) -> None:
        """Build the mesh anew if the dry points have changed."""
        if self._taken is not None and self._taken[0] is frame.fixed and self._taken[1] == frame.grid.shape:
            return
        for resource in self._resources:
            resource.release()
        most = self._tier.water_points
        surface, triangles = even_mesh(frame.grid, frame.fixed, most)
        walls, wall_triangles = water_walls(frame.grid, most)
        ctx = self._ctx
        buffers = [ctx.buffer(array.tobytes()) for array in (surface, walls, wall_triangles)]
        layout = (buffers[1], "2f 1f", "in_share", "in_top")
        self._side_vao = ctx.vertex_array(self._side_shader.program, [layout], buffers[2])
        self._resources = [self._side_vao, *buffers]
        self._vao = None
        if triangles.size:
            elements = ctx.buffer(triangles.tobytes())
            self._vao = ctx.vertex_array(self._shader.program, [(buffers[0], "2f", "in_share")], elements)
            self._resources += [self._vao, elements]
        self._taken = (frame.fixed, frame.grid.shape)

    def draw(self, surface: Surface, *, sides: bool, both: bool) -> None:
        """Leave marks of the surface and, with `sides`, of the cut sides; `both` shows the surface from below, too."""
        if self._vao is None:
            return
        self._ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        self._ctx.depth_func = "<"
        if sides:
            self._side_shader.use(heights=surface.heights, shift=surface.shift)
            self._side_vao.render(moderngl.TRIANGLES)
        if both:
            self._ctx.disable(moderngl.CULL_FACE)
        self._shader.use(heights=surface.heights, shift=surface.shift, waves=surface.waves)
        self._vao.render(moderngl.TRIANGLES)

    def release(self) -> None:
        """Free everything."""
        for resource in (*self._resources, self._shader, self._side_shader):
            resource.release()


def water_walls(grid: Grid, most: int) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """The cut sides, with the same points along the border as the surface's mesh.

    Returns:
        Shares of the way across (x, z), and 1 at the top or 0 at the bottom, shape (m, 3); and triangles, shape (t, 3).
    """
    nz, nx = even_shape(grid, most)
    parts: list[NDArray[np.float64]] = []
    triangles: list[NDArray[np.uint32]] = []
    count = 0
    for side in SIDES:
        shares = side_points(np.linspace(0.0, 1.0, nx if side[1] else nz), side)
        for top in (1.0, 0.0):
            parts.append(np.column_stack((shares, np.full(len(shares), top))))
        triangles.append(wall_strip(len(shares), count))
        count += 2 * len(shares)
    return np.concatenate(parts).astype(np.float32), np.concatenate(triangles)

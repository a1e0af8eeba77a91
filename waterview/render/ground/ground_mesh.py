"""The ground as meshes: its surface, adaptively refined, and the cut sides of its block."""

from __future__ import annotations

from collections.abc import Iterable

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import Frame
from waterview.render.camera.bounds import Bounds
from waterview.render.gl.shaders import Shader
from waterview.render.gl.targets import CLIP_DISTANCE, free
from waterview.render.materials import GROUND_SIDE, TERRAIN
from waterview.render.quality import Tier

from .land import land_heights
from .mesh import OFFSET_OF_SIDES, SIDES, adaptive_mesh, interpolated, split_errors, straight_mesh, wall_strip

Mesh = tuple[NDArray[np.float32], NDArray[np.uint32]]
"""World positions of its points [m], shape (m, 3), and triangles, shape (t, 3)."""

_FINEST = 1024
_LEAST_PREPARED = 16_000
"""Vertices of ground that was worked out beforehand, also where less is asked for: it is the ground of lakes with long
shores, which fewer vertices draw as polygons, other ones in each level of detail."""
_TOLERANCE = 1e-5
"""Largest error of a mesh of straight lines, as a share of the scene's longer side."""
_SHORE_WEIGHT = 6.0
"""How much more an error counts at the shoreline, where half a metre of height moves the water's edge by many."""


class GroundMesh:
    """The ground and the cut sides of its block, drawn into a geometry buffer."""

    def __init__(self, ctx: moderngl.Context, tier: Tier) -> None:
        self._ctx, self._tier = ctx, tier
        self._shader = Shader(ctx, "gbuffer", vertex="gbuffer_ground")
        self._built_for: tuple[object, ...] | None = None
        self._resources: list[moderngl.Buffer | moderngl.VertexArray] = []

    def update(self, frame: Frame, bounds: Bounds) -> None:
        """Build new meshes if the ground or the water level has changed."""
        built = self._built_for
        if built is not None and built[0] is frame.bed and built[1:] == (frame.grid, frame.land):
            return
        free(*self._resources)
        most, known = self._tier.ground_points, frame.prepared
        if known is not None and max(most, _LEAST_PREPARED) in known.meshes:
            most = max(most, _LEAST_PREPARED)
        is_known = known is not None and most in known.meshes
        vertices, triangles = known.meshes[most] if is_known else ground_mesh(frame, bounds, most)
        walls, wall_triangles = ground_walls(vertices, bounds)
        ctx = self._ctx
        buffers = [ctx.buffer(array.tobytes()) for array in (vertices, triangles, walls, wall_triangles)]
        self._vao = ctx.vertex_array(self._shader.program, [(buffers[0], "3f", "in_position")], buffers[1])
        self._side_vao = ctx.vertex_array(self._shader.program, [(buffers[2], "3f", "in_position")], buffers[3])
        self._resources = [self._vao, self._side_vao, *buffers]
        self._built_for = (frame.bed, frame.grid, frame.land)

    def draw(self, sides_above: float) -> None:
        """Draw the ground, and of its sides what is above a height [m]."""
        self._ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        self._ctx.depth_func = "<"
        self._shader.set(material=TERRAIN, lowest=-1e30)
        self._vao.render(moderngl.TRIANGLES)
        self._shader.set(material=GROUND_SIDE, lowest=sides_above)
        self._ctx.enable_direct(CLIP_DISTANCE)
        self._ctx.polygon_offset = 2.0 * OFFSET_OF_SIDES[0], 2.0 * OFFSET_OF_SIDES[1]
        self._side_vao.render(moderngl.TRIANGLES)
        self._ctx.polygon_offset = 0.0, 0.0
        self._ctx.disable_direct(CLIP_DISTANCE)

    def draw_above(self, level: float) -> None:
        """Draw the ground above a height [m] as a mirrored camera sees it, which turns triangles around."""
        self._ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        self._ctx.depth_func = "<"
        self._ctx.front_face = "cw"
        self._ctx.enable_direct(CLIP_DISTANCE)
        self._shader.set(material=TERRAIN, lowest=level)
        self._vao.render(moderngl.TRIANGLES)
        self._ctx.disable_direct(CLIP_DISTANCE)
        self._ctx.front_face = "ccw"

    def release(self) -> None:
        """Free everything."""
        free(*self._resources, self._shader)


def ground_mesh(frame: Frame, bounds: Bounds, most: int) -> Mesh:
    """The surface of the ground with at most `most` vertices, densest where it is rough and along the shore.

    Returns:
        World positions [m], shape (m, 3), and triangles, shape (t, 3), counter-clockwise seen from above.
    """
    return ground_meshes(frame, bounds, [most])[most]


def ground_meshes(frame: Frame, bounds: Bounds, numbers: Iterable[int]) -> dict[int, Mesh]:
    """As `ground_mesh`, for several largest numbers of vertices; what they have in common is worked out once."""
    ground, meshes = land_heights(frame), dict[int, Mesh]()
    rough: tuple[NDArray[np.float64], NDArray[np.float32]] | None = None
    for most in numbers:
        straight = straight_mesh(ground.astype(np.float64), _TOLERANCE * bounds.extent, most)
        if straight is not None:
            meshes[most] = _placed(frame, bounds, ground, straight)
            continue
        rough = rough or _rough(ground, frame.grid.level, bounds)
        heights, errors = rough
        meshes[most] = _placed(frame, bounds, heights, adaptive_mesh(errors, most))
    return meshes


def _rough(
    ground: NDArray[np.float32], level: float, bounds: Bounds
) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """Heights of the ground [m] on a square of 2^k + 1 points a side, and its `split_errors`."""
    nz, nx = ground.shape
    side = 1 << min(max(max(nz, nx) - 1, 2) - 1, _FINEST - 1).bit_length()
    shares = np.linspace(0.0, 1.0, side + 1)
    heights = interpolated(interpolated(ground.astype(np.float64), shares * (nz - 1)).T, shares * (nx - 1)).T
    weight = _shore_weight(heights - level, 0.15 * bounds.depth)
    return heights, split_errors(heights, weight)


def _placed(
    frame: Frame,
    bounds: Bounds,
    heights: NDArray[np.floating],
    mesh: tuple[NDArray[np.integer], NDArray[np.uint32]],
) -> Mesh:
    """A mesh in the world; its points are rows and columns of `heights`, which reach over all of the ground."""
    (points, triangles), (width, length) = mesh, frame.grid.size
    positions = np.empty((len(points), 3), np.float32)
    positions[:, 0] = bounds.low[0] + points[:, 1] * (width / (heights.shape[1] - 1))
    positions[:, 1] = heights[points[:, 0], points[:, 1]]
    positions[:, 2] = bounds.low[2] + points[:, 0] * (length / (heights.shape[0] - 1))
    return positions, triangles


def _shore_weight(above: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """How much an error counts at each height above the water [m], in place of these."""
    above /= scale
    np.square(above, out=above)
    np.negative(above, out=above)
    np.exp(above, out=above)
    above *= _SHORE_WEIGHT
    above += 1.0
    return above


def ground_walls(surface: NDArray[np.float32], bounds: Bounds) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """The four cut sides below the surface's border.

    Returns:
        World positions [m], shape (m, 3), and triangles, shape (t, 3).
    """
    parts: list[NDArray[np.float32]] = []
    triangles: list[NDArray[np.uint32]] = []
    count = 0
    for x, z in SIDES:
        along, across = (0, 2) if z else (2, 0)
        edge = np.float32(bounds.high[across] if x + z > 0 else bounds.low[across])
        border = surface[np.abs(surface[:, across] - edge) < 1e-6 * bounds.extent]
        # From left to right seen from outside, as `wall_strip` needs it.
        top = border[np.argsort(border[:, along] * (1 if z > 0 or x < 0 else -1))]
        bottom = top.copy()
        bottom[:, 1] = bounds.base
        parts += [top, bottom]
        triangles.append(wall_strip(len(border), count))
        count += 2 * len(border)
    return np.concatenate(parts).astype(np.float32), np.concatenate(triangles)

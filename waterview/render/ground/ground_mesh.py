"""The ground as meshes: its surface, adaptively refined, and the cut sides of its block."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import Frame
from waterview.render.camera.bounds import Bounds
from waterview.render.gl.shaders import AnyTexture, Shader
from waterview.render.gl.targets import CLIP_DISTANCE, free
from waterview.render.materials import GROUND_SIDE, TERRAIN
from waterview.render.quality import Tier

from .land import land_heights
from .mesh import (
    OFFSET_OF_SIDES,
    SIDES,
    FinerNearby,
    adaptive_mesh,
    interpolated,
    split_errors,
    straight_mesh,
    wall_strip,
)

Mesh = tuple[NDArray[np.float32], NDArray[np.uint32]]
"""World positions of its points [m], shape (m, 3), and triangles, shape (t, 3)."""

_FINEST = 1024
_LEAST_PREPARED = 16_000
"""Vertices of ground that was worked out beforehand, also where less is asked for: it is the ground of lakes with long
shores, which fewer vertices draw as polygons, other ones in each level of detail."""
_NEARBY = 2.0
"""Largest error near the eye, as a share of the distance, times the square root of the largest number of vertices."""
_TOLERANCE = 1e-5
"""Largest error of a mesh of straight lines, as a share of the scene's longer side."""
_SHORE_WEIGHT = 6.0
"""How much more an error counts at the shoreline, where half a metre of height moves the water's edge by many."""


class GroundMesh:
    """The ground and the cut sides of its block, drawn into a geometry buffer."""

    def __init__(self, ctx: moderngl.Context, tier: Tier) -> None:
        self._ctx, self._tier = ctx, tier
        self._shader = Shader(ctx, "gbuffer", vertex="gbuffer_ground")
        self._mirrored = Shader(ctx, "mirrored_ground", vertex="gbuffer_ground")
        self._built_for: tuple[object, ...] | None = None
        self._nearby: NearbyGround | None = None
        self._resources: list[moderngl.Buffer | moderngl.VertexArray] = []

    def update(self, frame: Frame, bounds: Bounds, eye: NDArray[np.float64]) -> None:
        """Build new meshes if the ground or the water level has changed, or where the eye has moved near grown land."""
        built = self._built_for
        if built is None or built[0] is not frame.bed or built[1:] != (frame.grid, frame.land):
            most, known = self._tier.ground_points, frame.prepared
            if known is not None and max(most, _LEAST_PREPARED) in known.meshes:
                most = max(most, _LEAST_PREPARED)
            self._nearby = None if frame.land is None else NearbyGround(frame, bounds, most)
            if self._nearby is not None:
                mesh = self._nearby.seen_from(eye)
            elif known is not None and most in known.meshes:
                mesh = known.meshes[most]
            else:
                mesh = ground_mesh(frame, bounds, most)
            self._send(mesh, bounds)
            self._built_for = (frame.bed, frame.grid, frame.land)
        elif self._nearby is not None and (mesh := self._nearby.seen_from(eye)) is not self._mesh:
            self._send(mesh, bounds)

    def _send(self, mesh: Mesh, bounds: Bounds) -> None:
        """Take a mesh to the graphics card, and the cut sides below its border."""
        free(*self._resources)
        vertices, triangles = self._mesh = mesh
        walls, wall_triangles = ground_walls(vertices, bounds)
        ctx = self._ctx
        buffers = [ctx.buffer(array.tobytes()) for array in (vertices, triangles, walls, wall_triangles)]
        self._vao = ctx.vertex_array(self._shader.program, [(buffers[0], "3f", "in_position")], buffers[1])
        self._side_vao = ctx.vertex_array(self._shader.program, [(buffers[2], "3f", "in_position")], buffers[3])
        self._mirrored_vao = ctx.vertex_array(self._mirrored.program, [(buffers[0], "3f", "in_position")], buffers[1])
        self._resources = [self._vao, self._side_vao, self._mirrored_vao, *buffers]

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

    def draw_above(self, level: float, bed: AnyTexture | None) -> None:
        """Draw the ground above a height [m] as a mirrored camera sees it, which turns triangles around.

        Args:
            level: the height [m].
            bed: the map of the ground, to leave out what is seen through other land from below; None draws that, too.
        """
        self._ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        self._ctx.depth_func = "<"
        self._ctx.front_face = "cw"
        self._ctx.enable_direct(CLIP_DISTANCE)
        shader, vao = (self._shader, self._vao) if bed is None else (self._mirrored, self._mirrored_vao)
        if bed is not None:
            shader.use(bed=bed)
        shader.set(material=TERRAIN, lowest=level)
        vao.render(moderngl.TRIANGLES)
        self._ctx.disable_direct(CLIP_DISTANCE)
        self._ctx.front_face = "ccw"

    def release(self) -> None:
        """Free everything."""
        free(*self._resources, self._shader, self._mirrored)


class NearbyGround:
    """The mesh of grown land for an eye, near which it is finer.

    Only land that was grown has one; other ground is drawn as it is from everywhere (`ground_mesh`).

    Args:
        frame: with the ground.
        bounds: of the scene.
        most: largest number of vertices far from the eye; near it there may be about as many again.
    """

    def __init__(self, frame: Frame, bounds: Bounds, most: int) -> None:
        self._shape, self._bounds, self._share = _Shape(frame, bounds), bounds, _NEARBY / math.sqrt(most)
        self._eye, self._finer = np.full(3, np.nan), None
        self._plain, rough = self._shape.mesh(most)
        if rough is not None:
            heights, errors = self._shape.rough
            self._finer = FinerNearby(heights, errors, rough, self._shape.cells(heights.shape))
        self._mesh = self._plain

    def seen_from(self, eye: NDArray[np.float64]) -> Mesh:
        """As `ground_mesh`, for an eye at a place in the world [m], shape (3,); the same object for the same mesh."""
        if self._finer is not None and not np.array_equal(eye, self._eye):
            self._eye, self._mesh = eye.copy(), self._seen_from(self._finer, eye)
        return self._mesh

    def _seen_from(self, finer: FinerNearby, eye: NDArray[np.float64]) -> Mesh:
        low, high = np.array(self._bounds.low), np.array(self._bounds.high)
        outside = np.maximum(np.maximum(low - eye, eye - high), 0.0)
        least = max(self._bounds.clearance, float(eye[1]) - self._bounds.drawn_top)
        if finer.left <= self._share * max(least, float(np.hypot(outside[0], outside[2])) - finer.reach):
            return self._plain
        row, column = (eye - low)[[2, 0]] / self._shape.cells(finer.shape)
        points, heights, triangles = finer.around(row, column, least, self._share)
        if not len(points):
            return self._plain
        return np.concatenate((self._plain[0], self._shape.placed(points, heights, finer.shape))), triangles


def ground_mesh(frame: Frame, bounds: Bounds, most: int) -> Mesh:
    """The surface of the ground with at most `most` vertices, densest where it is rough and along the shore.

    Returns:
        World positions [m], shape (m, 3), and triangles, shape (t, 3), counter-clockwise seen from above.
    """
    return ground_meshes(frame, bounds, [most])[most]


def ground_meshes(frame: Frame, bounds: Bounds, numbers: Iterable[int]) -> dict[int, Mesh]:
    """As `ground_mesh`, for several largest numbers of vertices; what they have in common is worked out once."""
    shape = _Shape(frame, bounds)
    return {most: shape.mesh(most)[0] for most in numbers}


class _Shape:
    """The ground of a frame as it is drawn, and where rows and columns of it lie in the world."""

    def __init__(self, frame: Frame, bounds: Bounds) -> None:
        self._ground, self._grid, self._bounds = land_heights(frame), frame.grid, bounds

    @cached_property
    def rough(self) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """Heights on a square of 2^k + 1 points a side [m], and their `split_errors`."""
        nz, nx = self._ground.shape
        side = 1 << min(max(max(nz, nx) - 1, 2) - 1, _FINEST - 1).bit_length()
        shares = np.linspace(0.0, 1.0, side + 1)
        heights = interpolated(interpolated(self._ground.astype(np.float64), shares * (nz - 1)).T, shares * (nx - 1)).T
        # An error counts more the nearer its height is to the water level.
        from_shore = (heights - self._grid.level) / (0.15 * self._bounds.depth)
        weight = 1.0 + _SHORE_WEIGHT * np.exp(-np.square(from_shore))
        return heights, split_errors(heights, weight)

    def mesh(self, most: int) -> tuple[Mesh, tuple[NDArray[np.intp], NDArray[np.uint32]] | None]:
        """A mesh of straight lines, or else an adaptive one, of which points and triangles are returned as well."""
        straight = straight_mesh(self._ground.astype(np.float64), _TOLERANCE * self._bounds.extent, most)
        if straight is not None:
            points, triangles = straight
            return (self.placed(points, self._ground[tuple(points.T)], self._ground.shape), triangles), None
        heights, errors = self.rough
        points, triangles = adaptive_mesh(errors, most)
        return (self.placed(points, heights[tuple(points.T)], heights.shape), triangles), (points, triangles)

    def cells(self, shape: tuple[int, int]) -> tuple[float, float]:
        """Distances of rows and of columns [m], where `shape` of them reach over all of the ground."""
        return self._grid.size[1] / (shape[0] - 1), self._grid.size[0] / (shape[1] - 1)

    def placed(
        self, points: NDArray[np.integer], heights: NDArray[np.floating], shape: tuple[int, int]
    ) -> NDArray[np.float32]:
        """World positions of points [m], shape (m, 3); their rows and columns are of `shape` in all."""
        positions, cells = np.empty((len(points), 3), np.float32), self.cells(shape)
        positions[:, 0] = self._bounds.low[0] + points[:, 1] * cells[1]
        positions[:, 1] = heights
        positions[:, 2] = self._bounds.low[2] + points[:, 0] * cells[0]
        return positions


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

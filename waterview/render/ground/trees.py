"""Trees on wooded ground: where they stand, and their mesh, drawn once for each."""

from __future__ import annotations

import math
from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import Frame
from waterview.render.camera.bounds import Bounds
from waterview.render.gl.shaders import Shader
from waterview.render.gl.targets import Owner, free
from waterview.render.materials import TERRAIN
from waterview.render.quality import Tier
from waterview.render.render_pass import FrameContext

from .land import land_heights

Floats = NDArray[np.float32]

SMALLEST = 100.0
"""Longer side of the smallest scene with trees [m]."""

MOST = {"low": 0, "medium": 0, "high": 4000, "ultra": 8000}
"""Most trees that are drawn, by the quality; with 0 there is not even their shade."""

_SPACING = 5.5
_MOST_PLACES = 400_000
_HEIGHTS = (4.5, 10.0)
_ABOVE = 1.0
_STEEPEST = 0.9
_INLAND = 9.0
"""Trees have dry ground so far around them, so that none stand on moles [m]."""
_PIXELS = 5.0
"""Trees that are lower are not drawn [pixels]: their canopy is part of the ground's colour."""
_RING = 8
_PROFILE = ((0.035, 0.0), (0.03, 0.2), (0.3, 0.22), (0.47, 0.36), (0.5, 0.55), (0.38, 0.78), (0.18, 0.94))
"""Points around a tree, and radius and height of each ring of them, where it is 1 high and ends in a point."""


def has_room_for_trees(frame: Frame, bounds: Bounds, wild: float, tier: Tier) -> bool:
    """Whether trees may stand in a scene: on a whole landscape with land, and not on an aerial picture of others."""
    is_whole = frame.around is None and frame.drape is None
    return (
        MOST[tier.name] > 0 and is_whole and wild > 0.0 and bounds.extent >= SMALLEST and bounds.high[1] > bounds.level
    )


def tree_mesh() -> tuple[Floats, NDArray[np.uint32]]:
    """A tree of height and width 1 with its foot at the origin: positions and normals, shape (n, 6), and triangles."""
    angles = 2.0 * math.pi * np.arange(_RING) / _RING
    vertices = []
    for radius, height in _PROFILE:
        lean = (height - 0.42) / 0.5
        for angle in angles + 7.0 * height:
            x, z = math.cos(angle), math.sin(angle)
            normal = np.array([x, lean, z]) / math.hypot(1.0, lean)
            vertices.append([radius * x, height, radius * z, *normal])
    vertices.append([0.0, 1.0, 0.0, 0.0, 1.0, 0.0])
    triangles, top = [], len(vertices) - 1
    for level in range(len(_PROFILE)):
        for k in range(_RING):
            a, b = level * _RING + k, level * _RING + (k + 1) % _RING
            last = level == len(_PROFILE) - 1
            triangles += [[a, top, b]] if last else [[a, a + _RING, b], [b, a + _RING, b + _RING]]
    return np.array(vertices, np.float32), np.array(triangles, np.uint32)


def planted(context: FrameContext, colours: NDArray[np.uint8], relief: NDArray[np.float16]) -> Floats:
    """Where trees stand and how they look: x, y, z and height [m], width, turn and share of the sun; shape (n, 7).

    They stand where the ground is wooded and not steep, at even distances that chance disturbs: the same ground has
    the same trees.

    Args:
        context: of the picture.
        colours: of the ground over the block, shape (n, m, 4); how rocky it is in the last.
        relief: slopes along x and z, shares of sun and sky seen, shape (n, m, 4).
    """
    bounds, frame = context.view.bounds, context.frame
    width, length = (bounds.high[axis] - bounds.low[axis] for axis in (0, 2))
    spacing = max(_SPACING, math.sqrt(width * length / _MOST_PLACES))
    rows, columns = max(int(length / spacing), 1), max(int(width / spacing), 1)
    chance = np.random.default_rng(0)
    z, x = np.indices((rows, columns), np.float32)
    wander = chance.uniform(0.0, 1.0, (7, rows, columns)).astype(np.float32)
    u, v = (x + wander[0]) / columns, (z + wander[1]) / rows
    colour, slopes = (_at(each, u, v) for each in (colours, relief))
    ground = land_heights(frame)
    y = _at(ground, u, v)
    above = y - frame.grid.level
    red, green = colour[..., 0] / 255.0, colour[..., 1] / 255.0
    wooded = np.clip((0.72 - red / np.maximum(green, 1e-3)) / 0.12, 0.0, 1.0) * np.clip((0.16 - green) / 0.05, 0.0, 1.0)
    stands = (wander[2] < wooded) & (np.hypot(slopes[..., 0], slopes[..., 1]) < _STEEPEST) & (above > _ABOVE)
    stands &= (colour[..., 3] < 90.0) & (above < 0.8 * context.settings.snow_line)
    for du, dv in ((_INLAND, 0.0), (-_INLAND, 0.0), (0.0, _INLAND), (0.0, -_INLAND)):
        beside = np.clip(u + du / width, 0.0, 1.0), np.clip(v + dv / length, 0.0, 1.0)
        stands &= _at(ground, *beside) > frame.grid.level
    low, high = _HEIGHTS
    height = low + (high - low) * wander[3] ** 1.5
    look = 0.5 + 0.35 * wander[4], 2.0 * np.pi * wander[5], slopes[..., 2]
    trees = np.stack([bounds.low[0] + u * width, y - 0.04 * height, bounds.low[2] + v * length, height, *look], axis=-1)
    return np.ascontiguousarray(trees[stands], np.float32)


def _at(field: NDArray[Any], u: Floats, v: Floats) -> Floats:
    """The nearest samples of a field over the block."""
    rows, columns = field.shape[:2]
    found = field[(v * (rows - 1) + 0.5).astype(np.intp), (u * (columns - 1) + 0.5).astype(np.intp)]
    return np.asarray(found, np.float32)


class Trees(Owner):
    """Draws trees into a geometry buffer, and their shade into the map of the ground."""

    def __init__(self, ctx: moderngl.Context, tier: Tier) -> None:
        super().__init__()
        self._ctx, self._most = ctx, MOST[tier.name]
        self._mipmaps = tier.mipmaps
        self._shader, self._shade = (self._own(Shader(ctx, name)) for name in ("gbuffer_tree", "tree_shade"))
        vertices, triangles = (self._own(ctx.buffer(array.tobytes())) for array in tree_mesh())
        self._places = self._own(ctx.buffer(reserve=28 * max(self._most, 1), dynamic=True))
        mesh = (vertices, "3f 3f", "in_position", "in_normal")
        placed = (self._places, "4f 3f/i", "in_place", "in_look")
        self._vao = self._own(ctx.vertex_array(self._shader.program, [mesh, placed], triangles))
        self._trees = np.zeros((0, 7), np.float32)
        self._planted_for: object = None
        self._seen_from: tuple[float, ...] = ()
        self._count = 0

    def plant(self, context: FrameContext, baked: int) -> None:
        """Plant anew if the maps of the ground were baked anew, `baked` times by now, and shade them."""
        if baked == self._planted_for:
            return
        self._planted_for, self._seen_from = baked, ()
        albedo, relief = context.textures["albedo_map"], context.textures["relief_map"]
        assert isinstance(albedo, moderngl.Texture) and isinstance(relief, moderngl.Texture)
        colours = np.frombuffer(albedo.read(alignment=1), np.uint8).reshape(*albedo.size[::-1], 4)
        slopes = np.frombuffer(relief.read(alignment=1), np.float16).reshape(*relief.size[::-1], 4)
        self._trees = planted(context, colours, slopes)
        if not len(self._trees):
            return
        ctx, framebuffer = self._ctx, self._ctx.framebuffer([relief])
        places = ctx.buffer(self._trees.tobytes())
        vao = ctx.vertex_array(self._shade.program, [(places, "4f 3f/i", "in_place", "in_look")])
        framebuffer.use()
        ctx.enable_only(moderngl.BLEND)
        ctx.blend_func = moderngl.DST_COLOR, moderngl.ZERO
        vao.render(moderngl.TRIANGLE_STRIP, vertices=4, instances=len(self._trees))
        relief.build_mipmaps()
        relief.filter = self._mipmaps, moderngl.LINEAR
        context.light.framebuffer.use()
        free(vao, places, framebuffer)

    def draw(self, context: FrameContext) -> None:
        """Draw those that are near enough, into the geometry buffer that is bound."""
        view = context.view
        eye = np.asarray(view.camera.eye, np.float32)
        if self._seen_from != (key := (*map(float, eye), float(view.size[1]), view.camera.fov)):
            self._seen_from = key
            self._choose(eye, 2.0 * math.tan(0.5 * view.camera.fov) / view.size[1])
        if self._count:
            self._ctx.enable_only(moderngl.DEPTH_TEST)
            self._ctx.depth_func = "<"
            self._shader.set(material=TERRAIN, reach=(0.8 * self._reach, self._reach))
            self._vao.render(moderngl.TRIANGLES, instances=self._count)

    def _choose(self, eye: Floats, pixel: float) -> None:
        """Choose the nearest trees that are large enough, as seen from an eye whose pixels cover so many radians."""
        self._reach = _HEIGHTS[1] / (_PIXELS * pixel)
        far = np.linalg.norm(self._trees[:, :3] - eye, axis=1)
        chosen = np.flatnonzero(far < self._reach)
        if len(chosen) > self._most:
            chosen = chosen[np.argpartition(far[chosen], self._most - 1)[: self._most]]
            self._reach = float(far[chosen].max())
        self._count = len(chosen)
        if self._count:
            self._places.write(self._trees[chosen].tobytes())

"""Trees on wooded ground: where they stand, of which form they are, and how they are drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
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
from .tree_forms import BROAD, BUSH, CONIFER, FORMS, HIGHEST, TALL, Form, tree_mesh

Floats = NDArray[np.float32]

SMALLEST = 100.0
"""Longer side of the smallest scene with trees [m]."""

MOST = {"low": 0, "medium": 0, "high": 4000, "ultra": 8000}
"""Most trees that are drawn, by the quality; with 0 there is not even their shade."""

_SPACING = 5.5
_MOST_PLACES = 400_000
_ABOVE = 1.0
_STEEPEST = 0.9
_INLAND = 9.0
"""Trees have dry ground so far around them, so that none stand on moles [m]."""
_BUSHY = 0.25
"""How wooded ground is that has a bush if no tree stands on it or beside it."""
_PIXELS = 5.0
"""Trees that are lower are not drawn [pixels]: their canopy is part of the ground's colour."""
_FINE_PIXELS = 60.0
"""Trees from this height on have the fine mesh [pixels]."""
_PLACED = 9
"""Numbers of each tree that its shader reads."""


def has_room_for_trees(frame: Frame, bounds: Bounds, wild: float, tier: Tier) -> bool:
    """Whether trees may stand in a scene: on a whole landscape with land, and not on an aerial picture of others."""
    is_whole = frame.around is None and frame.drape is None
    return (
        MOST[tier.name] > 0 and is_whole and wild > 0.0 and bounds.extent >= SMALLEST and bounds.high[1] > bounds.level
    )


def planted(context: FrameContext, colours: NDArray[np.uint8], relief: NDArray[np.float16]) -> Floats:
    """Where trees stand and how they look: shape (n, 10).

    They stand where the ground is wooded and not steep, at even distances that chance disturbs: the same ground has
    the same trees. Conifers are likelier high up and on slopes, bushes at the edge of a wood, and where a wood would
    have no tree.

    Of each: x, y, z and height [m], width as a share of the height, turn [rad], share of the sun, lean as a share of
    the height, tint from 0 to 1, and place of its form in `FORMS`.

    Args:
        context: of the picture.
        colours: of the ground over the block, shape (n, m, 4); how rocky it is in the last.
        relief: slopes along x and z, shares of sun and sky seen, shape (n, m, 4).
    """
    bounds, frame = context.view.bounds, context.frame
    across, length = (bounds.high[axis] - bounds.low[axis] for axis in (0, 2))
    spacing = max(_SPACING, math.sqrt(across * length / _MOST_PLACES))
    rows, columns = max(int(length / spacing), 1), max(int(across / spacing), 1)
    chance = np.random.default_rng(0)
    z, x = np.indices((rows, columns), np.float32)
    wander = chance.uniform(0.0, 1.0, (11, rows, columns)).astype(np.float32)
    u, v = (x + wander[0]) / columns, (z + wander[1]) / rows
    colour, slopes = (_at(each, u, v) for each in (colours, relief))
    ground = land_heights(frame)
    y = _at(ground, u, v)
    above = y - frame.grid.level
    red, green = colour[..., 0] / 255.0, colour[..., 1] / 255.0
    wooded = np.clip((0.72 - red / np.maximum(green, 1e-3)) / 0.12, 0.0, 1.0) * np.clip((0.16 - green) / 0.05, 0.0, 1.0)
    slope = np.hypot(slopes[..., 0], slopes[..., 1])
    fit = (slope < _STEEPEST) & (above > _ABOVE)
    fit &= (colour[..., 3] < 90.0) & (above < 0.8 * context.settings.snow_line)
    for du, dv in ((_INLAND, 0.0), (-_INLAND, 0.0), (0.0, _INLAND), (0.0, -_INLAND)):
        beside = np.clip(u + du / across, 0.0, 1.0), np.clip(v + dv / length, 0.0, 1.0)
        fit &= _at(ground, *beside) > frame.grid.level
    stands = fit & (wander[2] < wooded)
    # The floor of a wood too small for a tree would be a dark patch in the grass.
    alone = fit & (wooded > _BUSHY) & ~_dilated(stands)
    stands |= alone
    share = above / max(bounds.high[1] - bounds.level, 1e-3)
    slender = 0.1 + 0.9 * np.clip(1.2 * share - 0.2, 0.0, 0.6) + 0.6 * np.clip(slope - 0.3, 0.0, 0.4)
    form = np.where(wander[6] < 0.4, TALL, BROAD)
    form[wander[7] < slender] = CONIFER
    form[alone | (wander[8] < 0.9 * (1.0 - wooded))] = BUSH
    height = _between([each.heights for each in FORMS], form, wander[3] ** 1.5)
    width = _between([each.widths for each in FORMS], form, wander[4])
    tint = _between([each.tints for each in FORMS], form, wander[9])
    look = width, 2.0 * np.pi * wander[5], slopes[..., 2], 0.08 * wander[10], tint, form
    place = bounds.low[0] + u * across, y - 0.04 * height, bounds.low[2] + v * length, height
    return np.ascontiguousarray(np.stack([*place, *look], axis=-1)[stands], np.float32)


def _dilated(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Where it is true, or is so at one of the eight neighbours."""
    wide = np.pad(mask, 1)
    wide = wide[:-2] | wide[1:-1] | wide[2:]
    return np.asarray(wide[:, :-2] | wide[:, 1:-1] | wide[:, 2:])


def _between(limits: Sequence[tuple[float, float]], form: NDArray[np.int64], share: Floats) -> Floats:
    """Values at a share of the way between the limits of each form."""
    low, high = np.array(limits, np.float32).T
    return np.asarray(low[form] + (high - low)[form] * share, np.float32)


def _at(field: NDArray[Any], u: Floats, v: Floats) -> Floats:
    """The nearest samples of a field over the block."""
    rows, columns = field.shape[:2]
    found = field[(v * (rows - 1) + 0.5).astype(np.intp), (u * (columns - 1) + 0.5).astype(np.intp)]
    return np.asarray(found, np.float32)


class _Drawn(Owner):
    """Trees of one form at one distance: their mesh, and the places where it is drawn."""

    def __init__(self, ctx: moderngl.Context, program: moderngl.Program, form: Form, most: int, *, fine: bool) -> None:
        super().__init__()
        vertices, triangles = (self._own(ctx.buffer(array.tobytes())) for array in tree_mesh(form, fine=fine))
        self._places = self._own(ctx.buffer(reserve=4 * _PLACED * most, dynamic=True))
        mesh = (vertices, "3f 3f 1f", "in_position", "in_normal", "in_light")
        placed = (self._places, "4f 4f 1f/i", "in_place", "in_look", "in_tint")
        self._vao = self._own(ctx.vertex_array(program, [mesh, placed], triangles))
        self._count = 0

    def place(self, trees: Floats) -> None:
        """Place it where these trees are, shape (n, 10)."""
        self._count = len(trees)
        if self._count:
            self._places.write(trees[:, :_PLACED].tobytes())

    def draw(self) -> None:
        """Draw them with the program."""
        if self._count:
            self._vao.render(moderngl.TRIANGLES, instances=self._count)


class Trees(Owner):
    """Draws trees into a geometry buffer, and their shade into the map of the ground."""

    def __init__(self, ctx: moderngl.Context, tier: Tier) -> None:
        super().__init__()
        self._ctx, self._most = ctx, MOST[tier.name]
        self._mipmaps = tier.mipmaps
        self._shader, self._shade = (self._own(Shader(ctx, name)) for name in ("gbuffer_tree", "tree_shade"))
        program, most = self._shader.program, max(self._most, 1)
        self._drawn = {
            (number, fine): self._own(_Drawn(ctx, program, form, most, fine=fine))
            for number, form in enumerate(FORMS)
            for fine in (True, False)
        }
        self._trees = np.zeros((0, 10), np.float32)
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
        places = ctx.buffer(self._trees[:, :8].tobytes())
        vao = ctx.vertex_array(self._shade.program, [(places, "4f 4f/i", "in_place", "in_look")])
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
            self._shader.use(bed=context.textures["bed"])
            self._shader.set(material=TERRAIN, reach=(0.8 * self._reach, self._reach))
            for drawn in self._drawn.values():
                drawn.draw()

    def _choose(self, eye: Floats, pixel: float) -> None:
        """Choose the nearest trees that are large enough, as seen from an eye whose pixels cover so many radians."""
        self._reach = HIGHEST / (_PIXELS * pixel)
        far = np.linalg.norm(self._trees[:, :3] - eye, axis=1)
        chosen = np.flatnonzero(far < self._reach)
        if len(chosen) > self._most:
            chosen = chosen[np.argpartition(far[chosen], self._most - 1)[: self._most]]
            self._reach = float(far[chosen].max())
        self._count = len(chosen)
        trees = self._trees[chosen]
        is_fine = trees[:, 3] > _FINE_PIXELS * pixel * far[chosen]
        for (form, fine), drawn in self._drawn.items():
            drawn.place(trees[(trees[:, 9] == form) & (is_fine == fine)])

"""Sunlight in the water: a mesh of rays from the real surface, drawn where they land."""

from __future__ import annotations

from collections.abc import Mapping

import moderngl

from waterview.core.grid import Grid
from waterview.render.camera.bounds import Bounds
from waterview.render.gl.shaders import Fill, Shader, Variants
from waterview.render.gl.targets import field_texture, free, scaled
from waterview.render.kinds import FLAGS
from waterview.render.quality import Tier

from .light import Light

_MOST_MARGIN = 0.15


def lit_area(bounds: Bounds, light: Light) -> tuple[float, float, float, float]:
    """Lowest x and z of the light map, and its sides along x and z [m].

    A place in the map stands for a ray of the sun through still water, by where it passes the surface. The map covers
    the block; where the block is open it also covers, towards the sun, the water beyond through which light comes in.
    """
    west, north = bounds.low[0], bounds.low[2]
    across, along = bounds.high[0] - west, bounds.high[2] - north
    if not bounds.open:
        return west, north, across, along
    deepest = bounds.level - bounds.low[1]
    slant_x, slant_z = (float(light.sunk[axis] / -light.sunk[1]) * deepest for axis in (0, 2))
    most = _MOST_MARGIN * bounds.extent
    margin_x, margin_z = min(abs(slant_x), most), min(abs(slant_z), most)
    west -= margin_x if slant_x > 0.0 else 0.0
    north -= margin_z if slant_z > 0.0 else 0.0
    return west, north, across + margin_x, along + margin_z


class LightMap:
    """Draws the light map.

    Each node of an even mesh refracts the sun and lands on ground or body; each triangle between nodes carries the
    sunlight that entered within it and is drawn, additively, where its corners land: its brightness is the ratio of
    its areas before and after, so no light is lost or won (caustics by change of area; Wallace 2011).

    Attributes:
        map: rgb sunlight relative to that under still water; a height of the top of what floats in the light's way,
            above still water, as a share of the scene's longer side, −1 for nothing. With mipmaps.
    """

    def __init__(self, ctx: moderngl.Context, tier: Tier) -> None:
        self._ctx, self._tier = ctx, tier
        fringes = {"FRINGES": int(tier.fringes)}
        self._landing = Variants(ctx, "landing", "screen", {"FINE": int(tier.fine), "STEEP": 1} | fringes, FLAGS)
        self._mesh_shader = Shader(ctx, "caustics", defines=fringes)
        self._map_shader = Fill(ctx, "light_map", defines=fringes)
        self._cast_for: tuple[object, ...] | None = None
        self._allocate((1, 1), (2, 2))

    def fit(self, grid: Grid) -> tuple[int, int]:
        """Have textures and mesh of the proportions of `grid`; returns the map's size."""
        size, nodes = scaled(grid.size, self._tier.light_map), scaled(grid.size, self._tier.light_points)
        if (self._landings[0].size, self.map.size) != (nodes, size):
            self._release_maps()
            self._allocate(size, nodes)
            self._cast_for = None
        return size

    def cast(
        self,
        inputs: Mapping[str, moderngl.Texture],
        flags: frozenset[str],
        moment: tuple[object, ...],
    ) -> None:
        """Draw the map with textures by the shaders' names, unless it was last drawn for the same `moment`.

        It must have been made to `fit`; `flags` as in `KindPass.draw`.
        """
        if moment == self._cast_for:
            return
        self._ctx.enable_only(moderngl.NOTHING)
        self._landing_framebuffer.use()
        self._landing.render(flags, inputs, nodes=tuple(float(count) for count in self._landings[0].size))
        self._draw_mesh()
        self._map_framebuffer.use()
        self._map_shader.draw({"caustics": self._light, "body_top": inputs["body_top"]})
        self.map.build_mipmaps()
        self.map.filter = self._tier.mipmaps, moderngl.LINEAR
        self._cast_for = moment

    def _draw_mesh(self) -> None:
        ctx, framebuffer = self._ctx, self._light_framebuffer
        framebuffer.use()
        framebuffer.clear()
        ctx.enable(moderngl.BLEND)
        ctx.blend_func = moderngl.ONE, moderngl.ONE
        self._mesh_shader.use(**dict(zip(("green_source", "share", "red_blue"), self._landings, strict=False)))
        self._mesh_shader.set(map_size=tuple(float(side) for side in self.map.size))
        if self._tier.fringes:
            for colour in range(3):
                framebuffer.color_mask = colour == 0, colour == 1, colour == 2, False
                framebuffer.use()  # only now does the mask hold
                self._mesh_shader.set(colour=colour)
                self._mesh_vao.render(moderngl.TRIANGLES)
            framebuffer.color_mask = True, True, True, True
        else:
            self._mesh_vao.render(moderngl.TRIANGLES)
        ctx.disable(moderngl.BLEND)

    def _allocate(self, size: tuple[int, int], nodes: tuple[int, int]) -> None:
        ctx = self._ctx
        self._landings = [ctx.texture(nodes, 4, dtype="f4") for _ in range(2 + self._tier.fringes)]
        self._landing_framebuffer = ctx.framebuffer(self._landings)
        self._elements = ctx.buffer(Grid(nodes[::-1], 1.0).triangles().tobytes())
        self._mesh_vao = ctx.vertex_array(self._mesh_shader.program, [], self._elements)
        # Without fringes all colours are alike.
        self._light = field_texture(ctx, size, 4 if self._tier.fringes else 1, "f2")
        self.map = field_texture(ctx, size, 4, "f2")
        self._light_framebuffer = ctx.framebuffer([self._light])
        self._map_framebuffer = ctx.framebuffer([self.map])

    def _release_maps(self) -> None:
        free(self._landing_framebuffer, self._light_framebuffer, self._map_framebuffer)
        free(self._mesh_vao, self._elements, *self._landings, self._light, self.map)

    def release(self) -> None:
        """Free everything."""
        self._release_maps()
        free(self._landing, self._map_shader, self._mesh_shader)

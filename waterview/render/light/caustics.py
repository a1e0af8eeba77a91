"""Caustics: a mesh of sun rays, refracted at the waving surface and drawn where they land."""

from __future__ import annotations

import moderngl
import numpy as np

from waterview.core.grid import Grid
from waterview.render.camera.bounds import Bounds
from waterview.render.daylight import Light
from waterview.render.gl.shaders import Fill, Shader, Variants, light_type
from waterview.render.gl.targets import CLIP_DISTANCE, Target, free, scaled
from waterview.render.render_pass import FEATURES, FrameContext, RenderPass, Setup, Textures
from waterview.render.water.surface import SurfacePass

_MOST_MARGIN = 0.4
"""Of the block's longer side: deep blocks under a low sun get light from that far beyond their sides."""
_EXPOSURE = 1.0 / 23.0
"""Longest time between two pictures over which light is averaged [s]; films have at least 24 a second."""
_STRIP = 32
"""Columns of cells that are drawn before those beside them: nodes that two of their rows share are computed once."""


def caustic_area(bounds: Bounds, light: Light) -> tuple[float, float, float, float]:
    """Lowest x and z of the caustic map, and its sides along x and z [m].

    A place in the map stands for the ray of the sun that passes still water there. The map covers the block. Where
    water reaches the block's sides, the map extends towards the sun, over the water through which light comes in.
    """
    west, north = bounds.low[0], bounds.low[2]
    across, along = bounds.high[0] - west, bounds.high[2] - north
    if not bounds.open:
        return west, north, across, along
    deepest = bounds.level - bounds.low[1]
    slant_x, slant_z = (float(light.refracted_sun[axis] / -light.refracted_sun[1]) * deepest for axis in (0, 2))
    most = _MOST_MARGIN * bounds.extent
    margin_x, margin_z = min(abs(slant_x), most), min(abs(slant_z), most)
    west -= margin_x if slant_x > 0.0 else 0.0
    north -= margin_z if slant_z > 0.0 else 0.0
    return west, north, across + margin_x, along + margin_z


class CausticsPass(RenderPass):
    """Draws the caustic map.

    Each node of a regular mesh refracts a ray of the sun, which lands on ground or body. Each triangle between nodes
    carries the light that entered within it and is drawn where its corners land, added to the others. It is as bright
    as its area has shrunk, so no light is lost or gained (Wallace 2011). It is drawn for green light; with
    dispersion the map moves red and blue by as much as the colours of a ray land apart that would land there from
    still water.

    Triangles thinner than a texel hit texels by chance. In the finest tiers what they are brighter than others is kept
    apart, and the map spreads it over more texels, so that a bright line is no row of beads.

    Light that focuses moves on by more than its own width between two pictures. So the map shows the mean of this
    moment and that of the picture before, as a film would, if hardly any simulated time lies between them.

    `caustic_map` has mipmaps. It holds sunlight relative to that under still water, rgb on the ground and a on floating
    bodies.
    """

    name, shaders = "caustics", ("caustics_rays", "caustics_mesh", "caustic_map")
    reads = ("heights", "shift", "waves", "detail", "noise", "trains", "bed", "body_table", "body_volumes")
    writes = ("caustic_map",)

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        ctx, tier = setup.ctx, setup.tier
        self._surface = setup.find(SurfacePass)
        dispersion = {"DISPERSION": int(tier.dispersion)}
        defines = {"FINE": int(tier.fine)} | dispersion
        self._rays_shader = self._own(Variants(ctx, "caustics_rays", "screen", defines, FEATURES))
        self._mesh_shaders = [
            self._own(Shader(ctx, "caustics_mesh", defines=dispersion | {"BODIES": bodies, "ON_BODIES": on_bodies}))
            for bodies, on_bodies in ((0, 0), (1, 0), (1, 1))
        ]
        self._map_shaders = [
            self._own(Fill(ctx, "caustic_map", defines=dispersion | {"BODIES": bodies})) for bodies in (0, 1)
        ]
        self._drawn_for: tuple[object, ...] | None = None
        self._time = 0.0
        numbers = light_type(ctx)
        self._light = self._own(Target(ctx, f"{1 + tier.dispersion}{numbers}"))
        self._on_bodies = self._own(Target(ctx, f"1{numbers}", nearest=True))
        # The map looks up light twice: texel by texel, and interpolated in coarser levels.
        nearest = moderngl.NEAREST, moderngl.NEAREST
        self._texels = self._own(ctx.sampler(repeat_x=False, repeat_y=False, filter=nearest))
        self._map, self._before = (self._own(Target(ctx, "4f2", "4f2")) for _ in range(2))
        self._landings = self._own(Target(ctx, "4f4", "4f4", *["2f4"] * tier.dispersion, size=(2, 2)))
        self._connect((2, 2))

    def draw(self, context: FrameContext) -> None:
        """Draw the map, unless water, bodies and sun are those it was last drawn for."""
        frame, view = context.frame, context.view
        size, nodes = (scaled(frame.grid.size, count) for count in (self._tier.caustic_map, self._tier.caustic_rays))
        if (self._landings.size, self._map.size) != (nodes, size):
            free(*self._mesh_vaos, self._elements)
            self._connect(nodes)
            self._landings.resize(nodes)
            for target in (self._light, self._on_bodies, self._map, self._before):
                target.resize(size)
            self._drawn_for = None
        lit = (view.caustic_area, *view.light.towards_sun, frame.grid)
        wanted = (self._surface.drawn, frame.bodies, lit)
        context.textures["caustic_map"] = self._map.colour
        if wanted == self._drawn_for:
            return
        self._map, self._before = self._before, self._map
        context.textures["caustic_map"] = self._map.colour
        inputs = self.inputs(context)
        self._ctx.enable_only(moderngl.NOTHING)
        self._landings.framebuffer.use()
        self._rays_shader.render(context.features, inputs, nodes=tuple(float(count) for count in nodes))
        bodies = "BODIES" in context.features
        self._draw_mesh(inputs, bodies=bodies)
        self._map.framebuffer.use()
        same = self._drawn_for is not None and self._drawn_for[-1] == lit
        follows = same and 0.0 < frame.time - self._time <= _EXPOSURE
        lights = {"caustics": self._light.colour, "before": self._before.colours[1], "mipmaps": self._light.colour}
        lights["before"].filter = moderngl.NEAREST, moderngl.NEAREST
        if self._tier.dispersion:
            lights["parted"] = self._landings.colours[2]
        self._texels.use(0)  # the unit of `caustics`, the first texture
        if bodies:
            lights["on_bodies"] = self._on_bodies.colour
        self._map_shaders[bodies].draw(lights, before_share=0.5 * follows)
        self._texels.clear(0)
        self._map.colour.build_mipmaps()
        self._map.colour.filter = self._tier.mipmaps, moderngl.LINEAR
        self._drawn_for, self._time = wanted, frame.time

    def _draw_mesh(self, inputs: Textures, *, bodies: bool) -> None:
        ctx = self._ctx
        self._light.framebuffer.clear()
        ctx.enable(moderngl.BLEND)
        ctx.blend_func = moderngl.ONE, moderngl.ONE
        if bodies:
            self._on_bodies.framebuffer.clear()
            ctx.enable_direct(CLIP_DISTANCE)
        targets = (self._light, self._light, self._on_bodies)
        meshes = list(zip(self._mesh_shaders, self._mesh_vaos, targets, strict=True))
        for shader, mesh, target in meshes[: 3 if bodies else 1]:
            target.framebuffer.use()
            shader.use(**inputs, **dict(zip(("green_source", "share"), self._landings.colours[:2], strict=True)))
            shader.set(map_size=tuple(float(side) for side in self._map.size))
            mesh.render(moderngl.TRIANGLES)
        ctx.disable_direct(CLIP_DISTANCE)
        if self._tier.dispersion:
            self._light.colour.build_mipmaps(max_level=2)  # the map looks up no coarser ones
            self._light.colour.filter = moderngl.LINEAR_MIPMAP_NEAREST, moderngl.LINEAR
        ctx.disable(moderngl.BLEND)

    def _connect(self, nodes: tuple[int, int]) -> None:
        """Make the triangles between the nodes."""
        across, down = nodes[0] - 1, nodes[1] - 1
        cells = Grid(nodes[::-1], 1.0).triangles().reshape(down, across, 6)
        strips = [cells[:, first : first + _STRIP].ravel() for first in range(0, across, _STRIP)]
        self._elements = self._ctx.buffer(np.concatenate(strips).tobytes())
        self._mesh_vaos = [self._ctx.vertex_array(each.program, [], self._elements) for each in self._mesh_shaders]

    def release(self) -> None:
        """Free everything."""
        free(*self._mesh_vaos, self._elements)
        super().release()

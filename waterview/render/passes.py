"""The passes that make linear light of a frame, in their order, and what they are told of each picture.

To add a pass, write its class (see `render_pass.py`) and its shader, and put the class into `PASSES`. A pass reads only
what passes before it write, which is checked. `table` lists all passes with inputs and outputs. Auto exposure meters
`light` after the last of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import moderngl
import numpy as np

from waterview.core.frame import Frame, OpenSea
from waterview.render.bodies.bodies import BodyLightPass, BodyMeshPass
from waterview.render.bodies.hull_foam import HullFoamPass
from waterview.render.camera.bounds import Bounds
from waterview.render.camera.camera import OrbitCamera
from waterview.render.daylight import Light
from waterview.render.gl.shaders import light_type
from waterview.render.gl.targets import Target, free
from waterview.render.ground.free_space import LEVEL_RISE, level_rectangle
from waterview.render.ground.ground_maps import GroundMapsPass, steep_slope, tile_size, wildness
from waterview.render.ground.trees import has_room_for_trees
from waterview.render.light.caustics import CausticsPass, caustic_area
from waterview.render.light.reflection import ReflectionPass, reflection_lift
from waterview.render.light.sky import SkyPass, sea_around
from waterview.render.noise import NoisePass
from waterview.render.water.foam import FoamPatternPass
from waterview.render.water.open_sea import OpenSeaPass, sea_of
from waterview.render.water.spray import SprayPass
from waterview.render.water.surface import SurfacePass
from waterview.render.water.underwater import NearWaterPass, UnderwaterPass, may_be_underwater

from . import materials
from .gbuffer import GBufferPass
from .quality import Tier
from .render_pass import FrameContext, P, RenderPass, Setup, Textures
from .settings import GROUTS, ViewParams
from .tone_map import ToneMap
from .view import NO_FLOOR, View, ViewBlock, sea_planes

PASSES: tuple[type[RenderPass], ...] = (
    # Textures and meshes that follow the frame.
    NoisePass,
    FoamPatternPass,
    SkyPass,
    GroundMapsPass,
    SurfacePass,
    OpenSeaPass,
    BodyMeshPass,
    CausticsPass,
    NearWaterPass,
    # What each pixel shows.
    GBufferPass,
    ReflectionPass,
    BodyLightPass,
    # Light for every pixel, one material after the other.
    materials.MaterialDepthPass,
    materials.BackgroundPass,
    materials.TerrainPass,
    materials.GroundSidePass,
    materials.BodyPass,
    materials.WaterSidePass,
    materials.WaterPass,
    materials.FoamyWaterPass,
    # What lies between the surfaces and the eye.
    UnderwaterPass,
    SprayPass,
    HullFoamPass,  # after spray, which is thrown up where foam is born
)

THIN_AIR = 0.04
"""Optical depth of the air across a scene below which it is left out."""


class Passes:
    """Draws the scene in linear light, at one level of detail.

    Args:
        ctx: the OpenGL context.
        tier: the level of detail.
        view_block: receives the view of each picture.
        kinds: the passes.
        light: what the scene is drawn into, if others draw into it, too.

    Raises:
        ValueError: a pass reads what no pass before it writes.

    Attributes:
        tier: the level of detail.
        light: the finished scene.
        textures: everything that passes have written, by the shaders' names.
        lap: called with a pass's name when it has been drawn; for benchmarks.
        context: what is known of the picture, after `update`.
    """

    context: FrameContext

    def __init__(
        self,
        ctx: moderngl.Context,
        tier: Tier,
        view_block: ViewBlock,
        kinds: Sequence[type[RenderPass]] = PASSES,
        light: Target | None = None,
    ) -> None:
        check_order(kinds)
        self.tier, self._view_block = tier, view_block
        self.light, self._owns_light = light or Target(ctx, f"4{light_type(ctx)}", depth=True), light is None
        self.lap: Callable[[str], None] = lambda name: None
        self.textures: Textures = {}
        self._measured: tuple[object, ...] = ()
        self._lit_for: tuple[object, ...] = ()
        self._passes: dict[type[RenderPass], RenderPass] = {}
        self._setup = Setup(ctx, tier, self._passes)
        for kind in kinds:
            self._passes[kind] = kind(self._setup)
        self._shading = list(kinds).index(GBufferPass) + 1 if GBufferPass in kinds else len(kinds)

    def find(self, kind: type[P]) -> P:
        """The pass of a kind."""
        return self._setup.find(kind)

    def update(
        self,
        frame: Frame,
        camera: OrbitCamera,
        settings: ViewParams,
        around: FrameContext | None = None,
        grain: float = 0.0,
        turns: int = 1,
    ) -> bool:
        """Bring all passes up to a frame, seen by `camera`, whose view is then in use.

        Args:
            frame: to be drawn.
            camera: where it is seen from.
            settings: how to draw.
            around: of the next coarser level of detail, if this is a part of it.
            grain: as `View.grain`.
            turns: how many calls the making of new ground is spread over.

        Returns:
            Whether all is there, so that it can be drawn.

        Raises:
            InputError: the grid is larger than the graphics card's textures.
        """
        self.textures.pop("level_map", None)
        self.context = context = self._describe(frame, camera, settings, around, grain)
        for kind, each in self._passes.items():
            if turns > 1 and kind is GroundMapsPass and not self.find(GroundMapsPass).bake(context, turns):
                return False
            each.update(context)
        self.lap("update")
        return True

    def bounds(self, frame: Frame) -> Bounds:
        """As `Bounds.of`, which reads the whole ground; known for the ground of the last picture."""
        self._measure(frame)
        return self._bounds

    def leave_out(self, feature: str) -> None:
        """Draw the scene without a feature, until the next `update`."""
        self.context = replace(self.context, features=self.context.features - {feature})

    def draw(self) -> None:
        """Draw the scene into `light`, after `update`."""
        self.draw_geometry()
        self.shade()

    def draw_geometry(self) -> None:
        """Draw what comes before the scene's light, such as the geometry buffer, after `update`."""
        self._draw(list(self._passes)[: self._shading])

    def shade(self) -> None:
        """Draw the scene into `light`, after `draw_geometry`."""
        self._draw(list(self._passes)[self._shading :])
        self.textures["light"] = self.light.colour

    def _draw(self, kinds: Sequence[type[RenderPass]]) -> None:
        self._view_block.write(self.context.view)
        for kind in kinds:
            self._passes[kind].draw(self.context)
            self.lap(kind.name)

    def _describe(
        self, frame: Frame, camera: OrbitCamera, settings: ViewParams, around: FrameContext | None, grain: float
    ) -> FrameContext:
        """What the passes need to know of the picture: bounds, light, view and features."""
        self._measure(frame)
        if around is None:
            bounds, tile = self._bounds, tile_size(frame, settings.look, self._wildness, settings.tile_size)
            pool, sea = tile > 0.0, sea_around(settings, bounds, pool=tile > 0.0)
            light, lift = self._light_of(settings, frame.sea, pool=pool), reflection_lift(bounds, self.tier)
            planes = sea_planes(camera, bounds) if sea else None
            # Around a model there is a room; the air is that within the block.
            outside = np.maximum(np.maximum(np.subtract(bounds.low, camera.eye), camera.eye - bounds.high), 0.0)
            begins, extent = 0.0 if sea else float(np.linalg.norm(outside)), bounds.extent
            wild, steep = self._wildness, self._steep
        else:  # a part looks as the whole does, and has no sides
            whole = around.outermost
            high = self._bounds.high[0], whole.view.bounds.high[1], self._bounds.high[2]
            bounds = replace(self._bounds, high=high, open=False, flooded=False)
            tile, light, lift = whole.view.tile, whole.view.light, whole.view.reflection_lift
            planes, begins, extent = whole.view.planes, whole.view.air_begins, whole.view.bounds.extent
            pool, sea, wild, steep = tile > 0.0, False, whole.wildness, whole.steep
        fine = frame.detail.size if frame.detail is not None else 1.0
        size, area = self.light.size, caustic_area(bounds, light)
        beyond = sea_of(frame.sea, bounds.extent)
        known = beyond is frame.sea
        view = View(
            *(camera, frame.grid, bounds, light, size, frame.time, area, tile, fine, lift, grain),
            beyond,
            frame.sea_gain if known else 1.0,
            known,
            planes,
            begins,
            GROUTS[settings.grout],
            # Rows that the user chooses are dark as a whole.
            0.0 if settings.tile_size > 0.0 else 0.5,
            self._level_floor(frame) if pool else NO_FLOOR,
        )
        self._view_block.write(view)
        wooded = settings.trees and around is None and not pool
        has = {
            "POOL": pool,
            "OPEN_SIDES": bounds.open,
            "BODIES": bool(frame.bodies),
            "SHIFTED": frame.shift is not None,
            "DETAIL": frame.detail is not None,
            "UNDERWATER": may_be_underwater(camera, frame, sea=sea),
            "REFLECTION": lift > 0.0,
            "SHORE": self._has_land and not pool,
            "SEA": sea,
            "SWELL": sea and frame.incoming is not None,
            "WIND": frame.sea is not None and frame.detail is None,
            "DRAPE": frame.drape is not None and not pool,
            "TREES": wooded and has_room_for_trees(frame, bounds, wild, self.tier),
            "CLOUDS": light.clouds is not None,
            "AIR": float(light.air_dimming(0.0).max()) * extent > THIN_AIR,
        }
        features = frozenset(feature for feature, there in has.items() if there)
        block, textures = self._view_block, self.textures
        return FrameContext(frame, view, settings, features, wild, steep, self.light, block, textures, around)

    def _measure(self, frame: Frame) -> None:
        if not self._measured or self._measured[0] is not frame.bed or self._measured[1] != frame.grid:
            known = frame.prepared
            self._bounds = Bounds.of(frame)
            self._wildness = wildness(frame) if known is None else known.wildness
            self._steep = steep_slope(frame) if known is None else known.steep
            self._has_land = bool(frame.fixed.any())
            self._floor: tuple[float, float, float, float] | None = None
            self._measured = (frame.bed, frame.grid)

    def _level_floor(self, frame: Frame) -> tuple[float, float, float, float]:
        if self._floor is None:
            north, west, south, east = level_rectangle(frame.bed, LEVEL_RISE * self._bounds.depth)
            x, z = frame.grid.x, frame.grid.z
            self._floor = float(x[west]), float(z[north]), float(x[east]), float(z[south])
        return self._floor

    def _light_of(self, settings: ViewParams, sea: OpenSea | None, *, pool: bool) -> Light:
        metre, wind = (1.0, 0.5) if sea is None else (sea.scale, sea.wind)
        wanted = settings, self._bounds, pool, metre, wind
        if wanted != self._lit_for:
            every = self.tier.clouds_every
            self._light = Light.of(settings, self._bounds, pool=pool, metre=metre, wind=wind, lit_every=every)
            self._lit_for = wanted
        return self._light

    def release(self) -> None:
        """Free everything on the GPU."""
        free(*self._passes.values(), *([self.light] if self._owns_light else []))


def check_order(kinds: Sequence[type[RenderPass]]) -> None:
    """Raise a ValueError if a pass reads what no pass before it writes."""
    written: set[str] = set()
    for kind in kinds:
        missing = set(kind.reads) - written
        if missing:
            names = ", ".join(sorted(missing))
            fault = f"the pass '{kind.name}' reads {names}, which no pass before it writes"
            raise ValueError(f"{fault}: move it down the list")
        written.update(kind.writes)


def table() -> str:
    """All passes in Markdown: name, module, shaders, what they read and what they write."""
    rows: list[tuple[str, ...]] = [("pass", "module", "shaders", "reads", "writes"), ("---",) * 5]
    kinds: tuple[type[RenderPass] | type[ToneMap], ...] = (*PASSES, ToneMap)
    for kind in kinds:
        lists = (", ".join(names) for names in (kind.shaders, kind.reads, kind.writes))
        rows.append((kind.name, kind.__module__.removeprefix("waterview.render."), *lists))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)

"""The passes that make linear light of a frame, in their order, and what they are told of each picture.

To add a pass, write its class (see `render_pass.py`) and its shader, and put the class into `PASSES`. A pass reads only
what passes before it write, which is checked. `table` lists all passes with inputs and outputs. Auto exposure meters
`light` after the last of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import moderngl

from waterview.core.frame import Frame
from waterview.render.bodies.bodies import BodyLightPass, BodyMeshPass
from waterview.render.camera.bounds import Bounds
from waterview.render.camera.camera import OrbitCamera
from waterview.render.daylight import Light
from waterview.render.gl.targets import Target, free
from waterview.render.ground.ground_maps import GroundMapsPass, tile_size, wildness
from waterview.render.light.caustics import CausticsPass, caustic_area
from waterview.render.light.reflection import ReflectionPass, reflection_lift
from waterview.render.light.sky import SkyPass, sea_around
from waterview.render.noise import NoisePass
from waterview.render.water.foam import FoamPatternPass
from waterview.render.water.spray import SprayPass
from waterview.render.water.surface import SurfacePass
from waterview.render.water.underwater import UnderwaterPass, may_be_underwater

from . import materials
from .gbuffer import GBufferPass
from .quality import Tier
from .render_pass import FrameContext, P, RenderPass, Setup, Textures
from .settings import ViewParams
from .tone_map import ToneMap
from .view import View, ViewBlock

PASSES: tuple[type[RenderPass], ...] = (
    # Textures and meshes that follow the frame.
    NoisePass,
    FoamPatternPass,
    SkyPass,
    GroundMapsPass,
    SurfacePass,
    BodyMeshPass,
    CausticsPass,
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
)


class Passes:
    """Draws the scene in linear light, at one level of detail.

    Args:
        ctx: the OpenGL context.
        tier: the level of detail.
        view_block: receives the view of each picture.
        kinds: the passes.

    Raises:
        ValueError: a pass reads what no pass before it writes.

    Attributes:
        tier: the level of detail.
        light: the finished scene.
        textures: everything that passes have written, by the shaders' names.
        lap: called with a pass's name when it has been drawn; for benchmarks.
    """

    def __init__(
        self, ctx: moderngl.Context, tier: Tier, view_block: ViewBlock, kinds: Sequence[type[RenderPass]] = PASSES
    ) -> None:
        check_order(kinds)
        self.tier, self._view_block = tier, view_block
        self.light = Target(ctx, "4f2", depth=True)
        self.lap: Callable[[str], None] = lambda name: None
        self.textures: Textures = {}
        self._measured: tuple[object, ...] = ()
        self._lit_for: tuple[object, ...] = ()
        self._passes: dict[type[RenderPass], RenderPass] = {}
        self._setup = Setup(ctx, tier, self._passes)
        for kind in kinds:
            self._passes[kind] = kind(self._setup)

    def find(self, kind: type[P]) -> P:
        """The pass of a kind."""
        return self._setup.find(kind)

    def update(self, frame: Frame, camera: OrbitCamera, settings: ViewParams) -> None:
        """Bring all passes up to a frame, seen by `camera`, whose view is then in use.

        Raises:
            InputError: the grid is larger than the graphics card's textures.
        """
        self._context = context = self._describe(frame, camera, settings)
        for each in self._passes.values():
            each.update(context)
        self.lap("update")

    def draw(self) -> None:
        """Draw the scene into `light`, after `update`."""
        for each in self._passes.values():
            each.draw(self._context)
            self.lap(each.name)
        self.textures["light"] = self.light.colour

    def _describe(self, frame: Frame, camera: OrbitCamera, settings: ViewParams) -> FrameContext:
        """What the passes need to know of the picture: bounds, light, view and features."""
        self._measure(frame)
        bounds, tile = self._bounds, tile_size(frame, settings.look, self._wildness)
        pool, sea = tile > 0.0, sea_around(settings, bounds, pool=tile > 0.0)
        light = self._light_of(settings, pool=pool)
        lift = reflection_lift(bounds, self.tier)
        fine = frame.detail.size if frame.detail is not None else 1.0
        size, area = self.light.size, caustic_area(bounds, light)
        view = View(camera, frame.grid, bounds, light, size, frame.time, area, tile, fine, lift)
        self._view_block.write(view)
        has = {
            "POOL": pool,
            "OPEN_SIDES": bounds.open,
            "BODIES": bool(frame.bodies),
            "SHIFTED": frame.shift is not None,
            "DETAIL": frame.detail is not None,
            "UNDERWATER": may_be_underwater(camera, frame, sea=sea),
            "REFLECTION": lift > 0.0,
            "SEA": sea,
            "SWELL": sea and frame.incoming is not None,
        }
        features = frozenset(feature for feature, there in has.items() if there)
        block, textures = self._view_block, self.textures
        return FrameContext(frame, view, settings, features, self._wildness, self.light, block, textures)

    def _measure(self, frame: Frame) -> None:
        if not self._measured or self._measured[0] is not frame.bed or self._measured[1] != frame.grid:
            self._bounds, self._wildness = Bounds.of(frame), wildness(frame)
            self._measured = (frame.bed, frame.grid)

    def _light_of(self, settings: ViewParams, *, pool: bool) -> Light:
        wanted = settings, self._bounds, pool
        if wanted != self._lit_for:
            self._light, self._lit_for = Light.of(settings, self._bounds, pool=pool), wanted
        return self._light

    def release(self) -> None:
        """Free everything on the GPU."""
        free(*self._passes.values(), self.light)


def check_order(kinds: Sequence[type[RenderPass]]) -> None:
    """Raise a ValueError if a pass reads what no pass before it writes."""
    written: set[str] = set()
    for kind in kinds:
        missing = set(kind.reads) - written
        if missing:
            names = ", ".join(sorted(missing))
            raise ValueError(
                f"the pass '{kind.name}' reads {names}, which no pass before it writes: move it down the list"
            )
        written.update(kind.writes)


def table() -> str:
    """All passes in Markdown: name, module, shaders, what they read and what they write."""
    rows: list[tuple[str, ...]] = [("pass", "module", "shaders", "reads", "writes"), ("---",) * 5]
    kinds: tuple[type[RenderPass] | type[ToneMap], ...] = (*PASSES, ToneMap)
    for kind in kinds:
        lists = (", ".join(names) for names in (kind.shaders, kind.reads, kind.writes))
        rows.append((kind.name, kind.__module__.removeprefix("waterview.render."), *lists))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)

"""The passes that make linear light of a frame, in their order.

To add a pass, write its class (see `render_pass.py`) and its shader, and put the class into `PASSES`. A pass reads only
what passes before it write, which is checked. `table` lists all passes with inputs and outputs. Auto exposure meters
`light` after the last of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import moderngl

from waterview.render.bodies.bodies import BodyLightPass, BodyMeshPass
from waterview.render.gl.targets import Target, free
from waterview.render.ground.ground_maps import GroundMapsPass
from waterview.render.light.caustics import CausticsPass
from waterview.render.light.reflection import ReflectionPass
from waterview.render.light.sky import SkyPass
from waterview.render.noise import NoisePass
from waterview.render.water.foam import FoamPatternPass
from waterview.render.water.spray import SprayPass
from waterview.render.water.surface import SurfacePass
from waterview.render.water.underwater import UnderwaterPass

from . import materials
from .gbuffer import GBufferPass
from .quality import Tier
from .render_pass import FrameContext, P, RenderPass, Setup, Textures
from .tone_map import ToneMap

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
        kinds: the passes.

    Raises:
        ValueError: a pass reads what no pass before it writes.

    Attributes:
        light: the finished scene.
        textures: everything that passes have written, by the shaders' names.
        lap: called with a pass's name when it has been drawn; for benchmarks.
    """

    def __init__(self, ctx: moderngl.Context, tier: Tier, kinds: Sequence[type[RenderPass]] = PASSES) -> None:
        check_order(kinds)
        self.light = Target(ctx, "4f2", depth=True)
        self.lap: Callable[[str], None] = lambda name: None
        self.textures: Textures = {}
        self._passes: dict[type[RenderPass], RenderPass] = {}
        self._setup = Setup(ctx, tier, self._passes)
        for kind in kinds:
            self._passes[kind] = kind(self._setup)

    def find(self, kind: type[P]) -> P:
        """The pass of a kind."""
        return self._setup.find(kind)

    def update(self, context: FrameContext) -> None:
        """Bring all passes up to a frame.

        Raises:
            InputError: the grid is larger than the graphics card's textures.
        """
        for each in self._passes.values():
            each.update(context)
        self.lap("update")

    def draw(self, context: FrameContext) -> None:
        """Draw the scene into `light`, after `update`."""
        for each in self._passes.values():
            each.draw(context)
            self.lap(each.name)
        self.textures["light"] = self.light.colour

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

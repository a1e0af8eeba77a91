"""What a pass is: one step of a picture, which owns its GPU resources and declares what it reads and writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, TypeVar, cast

import moderngl

from waterview.core.frame import Frame
from waterview.render.gl.shaders import AnyTexture
from waterview.render.gl.targets import Owner, Target

from .quality import Tier
from .settings import ViewParams
from .view import View, ViewBlock

FEATURES = (
    *("POOL", "OPEN_SIDES", "BODIES", "SHIFTED", "DETAIL", "UNDERWATER", "REFLECTION", "FOAM"),
    *("SHORE", "SEA", "SWELL", "WIND", "DRAPE", "TREES", "CLOUDS", "AIR"),
)
"""What a scene may have. Shaders are compiled without what is missing: in software OpenGL an `if` would not skip it."""

Textures = dict[str, AnyTexture]
P = TypeVar("P", bound="RenderPass")


@dataclass(frozen=True, eq=False)
class FrameContext:
    """What every pass knows about one picture.

    Attributes:
        frame: what is drawn.
        view: camera, bounds and light.
        settings: how the user wants it drawn.
        features: those of `FEATURES` that the scene has.
        wildness: 1 for a landscape, 0 for a basin (see `ground_maps.wildness`).
        steep: the slope of the ground that counts as steep.
        light: the target that the scene is drawn into, in linear light.
        view_block: the view as uniforms, which are in use unless a pass draws from elsewhere.
        textures: what passes have written, by the shaders' names; a pass puts its own here when it draws.
        around: of the next coarser of several nested levels of detail, or None.
    """

    frame: Frame
    view: View
    settings: ViewParams
    features: frozenset[str]
    wildness: float
    steep: float
    light: Target
    view_block: ViewBlock
    textures: Textures
    around: FrameContext | None = None

    @property
    def level(self) -> int:
        """How many coarser levels of detail there are."""
        return 0 if self.around is None else self.around.level + 1

    @property
    def outermost(self) -> FrameContext:
        """That of the coarsest level of detail."""
        return self if self.around is None else self.around.outermost


@dataclass(frozen=True, eq=False)
class Setup:
    """What a pass is made from.

    Attributes:
        ctx: the OpenGL context.
        tier: the level of detail.
        earlier: the passes before it.
    """

    ctx: moderngl.Context
    tier: Tier
    earlier: Mapping[type[RenderPass], RenderPass] = field(default_factory=dict)

    def find(self, kind: type[P]) -> P:
        """The earlier pass of a kind, for what cannot be handed on as a texture, such as meshes."""
        return cast(P, self.earlier[kind])


class RenderPass(Owner):
    """One step of a picture. It owns its GPU resources until `release`.

    Attributes:
        name: what benchmarks and the table of passes call it.
        shaders: its programs, as files in the folder `shaders`.
        reads: names of the textures that it reads, which are the names of its shaders' samplers.
        writes: names of the textures that it writes; `light` is the scene itself. A pass that blends into `light`
            writes it and does not read it. Its alpha is 0 on trees and 1 elsewhere, and stays within 0 and 1; edges
            are smoothed by it (`tone_map.frag`).
    """

    name: ClassVar[str]
    shaders: ClassVar[tuple[str, ...]] = ()
    reads: ClassVar[tuple[str, ...]] = ()
    writes: ClassVar[tuple[str, ...]] = ()

    def __init__(self, setup: Setup) -> None:
        super().__init__()
        self._ctx, self._tier = setup.ctx, setup.tier

    def update(self, context: FrameContext) -> None:
        """Bring its resources up to a frame, whether or not the frame is drawn; what has not changed costs nothing."""

    def draw(self, context: FrameContext) -> None:
        """Draw its part of the picture."""

    def inputs(self, context: FrameContext) -> Textures:
        """The textures that it has declared to read, as far as they have been written."""
        return {name: context.textures[name] for name in self.reads if name in context.textures}

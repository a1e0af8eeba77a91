"""The geometry buffer: which material each pixel shows and how far away it is, before anything is shaded."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from waterview.render.bodies.bodies import BodyMeshPass
from waterview.render.gl.targets import Target
from waterview.render.ground.ground_maps import GroundMapsPass
from waterview.render.ground.ground_mesh import GroundMesh
from waterview.render.ground.trees import MOST, Trees
from waterview.render.water.water_mesh import WaterMesh

from .materials import BACKGROUND, WATER_SIDE
from .render_pass import FrameContext, RenderPass, Setup


class GBufferPass(RenderPass):
    """Draws all meshes into the geometry buffer. No light is computed yet, so small triangles cost little.

    Attributes:
        ground: the mesh of the ground, which the planar reflection draws as well.
        trees: the trees, which it draws, too; None where the quality has none.
    """

    name, shaders = "geometry buffer", ("gbuffer", "gbuffer_water", "gbuffer_sea", "gbuffer_tree")
    reads, writes = ("heights", "shift", "waves", "bed", "sea", "swell", "noise"), ("gbuffer", "gbuffer_depth")

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self._bodies = setup.find(BodyMeshPass)
        self.ground = self._own(GroundMesh(setup.ctx, setup.tier))
        self.trees = self._own(Trees(setup.ctx, setup.tier)) if MOST[setup.tier.name] else None
        self._maps = setup.find(GroundMapsPass)
        self._water = self._own(WaterMesh(setup.ctx, setup.tier))
        self._target = self._own(Target(setup.ctx, "4f2", depth=True, nearest=True))

    def update(self, context: FrameContext) -> None:
        """Build new meshes where ground or water level have changed."""
        self.ground.update(context.frame, context.view.bounds, context.view.camera.eye)
        if self.trees is not None and "TREES" in context.features:
            self.trees.plant(context, self._maps.baked)
        self._water.update(context.frame)

    def draw(self, context: FrameContext) -> None:
        """Draw water, ground and bodies."""
        view, features = context.view, context.features
        # Without displacement the material is all there is: a quarter of the memory to write.
        self._target.resize(view.size, "4f2" if features & {"SHIFTED", "TREES"} else "1f2")
        self._target.framebuffer.use()
        self._target.framebuffer.clear(depth=1.0)
        self._ctx.wireframe = context.settings.wireframe
        # The water comes first because it hides much of the ground.
        self._water.draw(self.inputs(context), view, side=_side_material(context), both="UNDERWATER" in features)
        if "SEA" in features:
            self._water.draw_sea(self.inputs(context), view, swell="SWELL" in features)
        sides_above = view.bounds.level if "SEA" in features and "POOL" not in features else -1e30
        self.ground.draw(sides_above if context.around is None else 1e30)
        if self.trees is not None and "TREES" in features:
            self.trees.draw(context)
        if "BODIES" in features:
            self._bodies.draw_gbuffer()
        self._ctx.wireframe = False
        context.textures.update(self._target.as_gbuffer)

    def materials(self) -> NDArray[np.float32]:
        """The material of each pixel, shape (height, width), lowest row first; waits for the GPU."""
        colour = self._target.colour
        values = np.frombuffer(colour.read(alignment=1), np.float16).reshape(*colour.size[::-1], colour.components)
        return values[..., 0].astype(np.float32)


def _side_material(context: FrameContext) -> int | None:
    """What the block's sides under water show; None for nothing.

    From above, the sea in front of them hides what is inside the block.
    """
    view = context.view
    if "SEA" in context.features:
        return BACKGROUND if view.camera.eye[1] > view.bounds.level else None
    return WATER_SIDE if view.bounds.open else None

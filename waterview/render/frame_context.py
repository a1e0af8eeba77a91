"""What follows from frame, camera and settings before anything is drawn: bounds, light, and features."""

from __future__ import annotations

from waterview.core.frame import Frame
from waterview.render.camera.bounds import Bounds
from waterview.render.camera.camera import OrbitCamera
from waterview.render.daylight import Light
from waterview.render.ground.ground_maps import tile_size, wildness
from waterview.render.light.caustics import caustic_area
from waterview.render.light.reflection import reflection_lift
from waterview.render.light.sky import sea_around
from waterview.render.water.underwater import may_be_underwater

from .passes import Passes
from .quality import Tier
from .render_pass import FrameContext
from .settings import ViewParams
from .view import View, ViewBlock


class ContextBuilder:
    """Works out the context of each picture, and remembers what depends on ground, water level and settings alone.

    Args:
        tier: the level of detail.
        passes: draw the pictures.
        view_block: receives the view of each picture.
    """

    def __init__(self, tier: Tier, passes: Passes, view_block: ViewBlock) -> None:
        self._tier, self._passes, self._view_block = tier, passes, view_block
        self._ground: tuple[object, ...] = ()
        self._lit_for: tuple[object, ...] = ()

    def build(self, frame: Frame, camera: OrbitCamera, settings: ViewParams) -> FrameContext:
        """The context of one picture, whose view is then in use."""
        self._measure(frame)
        bounds, tile = self._bounds, tile_size(frame, settings.look, self._wildness)
        pool, sea = tile > 0.0, sea_around(settings, bounds, pool=tile > 0.0)
        light = self._light_of(settings, pool=pool)
        lift = reflection_lift(bounds, self._tier, bodies=bool(frame.bodies))
        fine = frame.detail.size if frame.detail is not None else 1.0
        size, area = self._passes.light.size, caustic_area(bounds, light)
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
        }
        features = frozenset(feature for feature, there in has.items() if there)
        passes = self._passes
        return FrameContext(
            frame, view, settings, features, self._wildness, passes.light, self._view_block, passes.textures
        )

    def _measure(self, frame: Frame) -> None:
        if not self._ground or self._ground[0] is not frame.bed or self._ground[1] != frame.grid:
            self._bounds, self._wildness = Bounds.of(frame), wildness(frame)
            self._ground = (frame.bed, frame.grid)

    def _light_of(self, settings: ViewParams, *, pool: bool) -> Light:
        wanted = settings, self._bounds, pool
        if wanted != self._lit_for:
            self._light, self._lit_for = Light.of(settings, self._bounds, pool=pool), wanted
        return self._light

"""Light for every pixel of the scene: the passes that make linear light of a frame, and what they share."""

from __future__ import annotations

from collections.abc import Callable

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import Frame
from waterview.render.bodies.bodies import BodyPass
from waterview.render.camera.bounds import Bounds
from waterview.render.camera.camera import OrbitCamera
from waterview.render.gl.targets import Target, free
from waterview.render.ground.ground import GroundMaps, wildness
from waterview.render.ground.pool import tile_size
from waterview.render.ground.terrain import GroundMesh
from waterview.render.light.caustics import LightMap, lit_area
from waterview.render.light.light import Light
from waterview.render.light.mirror import MirrorPass
from waterview.render.light.noise import lace_texture, noise_texture
from waterview.render.light.sky import FLOOR_REACH, SkyMap, sea_around
from waterview.render.water.diving import DivingPass, may_be_under
from waterview.render.water.spray import SprayPass
from waterview.render.water.surface import Surface
from waterview.render.water.water_mesh import WaterMesh

from .kinds import BODY, CURTAIN, FOAMY, SIDE, STAGE, TERRAIN, WATER, KindPass, SortPass
from .quality import Tier
from .settings import ViewParams
from .view import View, ViewBlock


class Passes:
    """Draws the scene in linear light, at one level of detail.

    Args:
        ctx: the OpenGL context.
        tier: the level of detail.

    Attributes:
        surface: the textures that follow the water.
        light: the finished picture in linear light.
        lap: called with a pass's name when it has been drawn; for benchmarks.
    """

    def __init__(self, ctx: moderngl.Context, tier: Tier) -> None:
        self._ctx = ctx
        self.lap: Callable[[str], None] = lambda name: None
        self._noise, self._lace = noise_texture(ctx), lace_texture(ctx)
        for texture in (self._noise, self._lace):
            texture.filter = tier.mipmaps, moderngl.LINEAR
        self._nothing = ctx.texture((1, 1), 4, np.array((-1.0, 0.0, 0.0, 0.0), np.float32).tobytes(), dtype="f4")
        self._view, self._mirrored_view = ViewBlock(ctx), ViewBlock(ctx)
        self.surface = Surface(ctx, tier.waves, tier.mipmaps, fine=tier.fine)
        self._sky = SkyMap(ctx)
        self._ground = GroundMaps(ctx, tier)
        self._ground_mesh, self._water_mesh = GroundMesh(ctx, tier), WaterMesh(ctx, tier)
        self._light_map = LightMap(ctx, tier)
        self._bodies = BodyPass(ctx)
        self._mirror = MirrorPass(ctx, tier)
        self._geometry = Target(ctx, "f2", depth=True)
        self.light = Target(ctx, "f2", depth=True)
        self._sort = SortPass(ctx)
        self._stage = KindPass(ctx, "stage", STAGE, tier, FLOOR_REACH=FLOOR_REACH, STEEP=1, DIRECT=0)
        self._terrain = KindPass(ctx, "terrain", TERRAIN, tier, DIRECT=1)
        self._side = KindPass(ctx, "side", SIDE, tier)
        self._water = KindPass(ctx, "water", WATER, tier, STEEP=1, DIRECT=0)
        self._foamy = KindPass(ctx, "water", FOAMY, tier, STEEP=1, DIRECT=0)
        self._body = KindPass(ctx, "body_shown", BODY, tier)
        self._diving = DivingPass(ctx, tier)
        self._spray = SprayPass(ctx, tier)
        self._curtain = KindPass(ctx, "curtain", CURTAIN, tier, STEEP=0, DIRECT=0)
        self._known: tuple[object, ...] = ()
        self._lit_for: tuple[object, ...] = ()
        self._flags: frozenset[str] = frozenset()

    @property
    def light_map(self) -> moderngl.Texture:
        """Sunlight in the water as of the last picture (see `LightMap.map`)."""
        return self._light_map.map

    def marks(self) -> NDArray[np.float32]:
        """The kind of surface in each pixel of the last picture; waits for the graphics card."""
        colour = self._geometry.colour
        values = np.frombuffer(colour.read(alignment=1), np.float16).reshape(*colour.size[::-1], colour.components)
        return values[..., 0].astype(np.float32)

    @property
    def textures(self) -> dict[str, moderngl.Texture]:
        """What passes have left for each other, by the shaders' names for it, and the finished light."""
        return {**self._inputs(), "beams": self._diving.beams, "light": self.light.colour}

    def particles(self) -> NDArray[np.float32]:
        """Spray and bubbles as of the last picture (see `SprayPass.read`)."""
        return self._spray.read()

    def draw(self, frame: Frame, camera: OrbitCamera, size: tuple[int, int], settings: ViewParams) -> None:
        """Draw into `light`, which takes on `size` [pixels].

        Raises:
            InputError: the grid is larger than the graphics card's textures.
        """
        # Where nothing moves sideways, marks are kinds alone, and a quarter of the memory to write.
        self._geometry.resize(size, components=1 if frame.shift is None else 4)
        self.light.resize(size)
        if frame.bodies:
            self._bodies.picture.resize(size)
        view = self._look(frame, camera, settings)
        self._take(frame, view)
        self._cast_light(frame, view)
        self._draw_mirrored(view)
        self._mark(view, settings)
        self._shade(view)

    def follow(self, frame: Frame, camera: OrbitCamera, settings: ViewParams) -> None:
        """Bring everything up to a frame without drawing it.

        Raises:
            InputError: the grid is larger than the graphics card's textures.
        """
        self._take(frame, self._look(frame, camera, settings))

    # --- the verbs -------------------------------------------------------------------------------------------------

    def _look(self, frame: Frame, camera: OrbitCamera, settings: ViewParams) -> View:
        """The moment as the shaders are told of it."""
        self._get_to_know(frame)
        bounds = self._bounds
        tile = tile_size(frame, settings.look, self._wild)
        light = self._light_of(settings, pool=tile > 0.0)
        area, lift = lit_area(bounds, light), self._mirror.lift(bounds, bodies=bool(frame.bodies))
        fine = frame.detail.size if frame.detail is not None else 1.0
        view = View(camera, frame.grid, bounds, light, self.light.size, frame.time, area, tile, fine, lift)
        self._view.write(view)
        sea = sea_around(settings, bounds, pool=tile > 0.0)
        has = {
            "DIVED": may_be_under(camera, frame, sea=sea),
            "POOL": tile > 0.0,
            "OPEN": bounds.open,
            "BODIES": bool(frame.bodies),
            "SHIFTED": frame.shift is not None,
            "DETAIL": frame.detail is not None,
            "MIRROR": lift > 0.0,
            "SEA": sea,
        }
        self._flags = frozenset(flag for flag, there in has.items() if there)
        return view

    def _take(self, frame: Frame, view: View) -> None:
        """Bring everything on the graphics card up to the frame; what has not changed costs nothing."""
        self._sky.bake(view.light, view.bounds)
        self._ground.bake(frame, self._wild, view.light, self._noise)
        calm_pool = "POOL" in self._flags and "DETAIL" not in self._flags
        self.surface.take(frame, self._ground.bed, view.light.foam_life, self._noise if calm_pool else None)
        self._ground_mesh.take(frame, view.bounds)
        self._water_mesh.take(frame)
        self._bodies.take(frame.bodies)
        self._spray.step(self.surface, self._inputs())
        self.surface.finish()
        self.lap("take")

    def _cast_light(self, frame: Frame, view: View) -> None:
        """Sunlight through the water onto what lies beneath."""
        size = self._light_map.fit(frame.grid)
        if frame.bodies:
            self._bodies.cast(size)
        moment = (self.surface.uploads, view.lit_area, *view.light.towards_sun, frame.grid, frame.bodies)
        self._light_map.cast(self._inputs(), self._flags, moment)
        self.lap("caustics")

    def _draw_mirrored(self, view: View) -> None:
        """What stands above the water, as the water mirrors it."""
        if view.mirror_lift > 0.0:
            self._mirrored_view.write(view, mirrored=True)
            self._mirror.draw(self._ground_mesh, self._bodies, view.bounds, view.size, self._inputs(), self._flags)
            self._view.use()
        self.lap("mirror")

    def _mark(self, view: View, settings: ViewParams) -> None:
        """What is seen in every pixel, and how far away: no light yet, so small triangles cost little."""
        self._geometry.framebuffer.use()
        self._geometry.framebuffer.clear(depth=1.0)
        self._ctx.wireframe = settings.wireframe
        # The water first: it hides much of the ground.
        self._water_mesh.draw(self.surface, view, cut=self._cut(view), both="DIVED" in self._flags)
        self._ground_mesh.draw(view.bounds.level if "SEA" in self._flags else -1e30)
        if "BODIES" in self._flags:
            self._bodies.mark()
        self._ctx.wireframe = False
        self.lap("meshes")

    def _cut(self, view: View) -> int | None:
        """What the block's sides under water are seen as: from above, the sea in front of them hides what is within."""
        if "SEA" in self._flags:
            return STAGE if view.camera.eye[1] > view.bounds.level else None
        return CURTAIN if view.bounds.open else None

    def _shade(self, view: View) -> None:
        """Light for every pixel, once."""
        inputs, flags = self._inputs(), self._flags
        if "BODIES" in flags:
            self._bodies.draw(self._bodies.picture, view.size, inputs)
        self._sort.draw(self._geometry.colour, self.light, clear=False)
        self.lap("sort")
        self._stage.draw(inputs, flags)
        self.lap("stage")
        self._terrain.draw(inputs, flags)
        self._side.draw(inputs, flags)
        if "BODIES" in flags:
            self._body.draw(inputs, flags & {"DIVED", "SEA"})
        self.lap("ground")
        if view.bounds.open and "SEA" not in flags:
            self._curtain.draw(inputs, flags)
        self._water.draw(inputs, flags)
        self._foamy.draw(inputs, flags | {"FOAM"})
        self.lap("water")
        if "DIVED" in flags:
            self._diving.draw(self.light, inputs, flags)
            self.lap("diving")
        self._spray.draw(inputs, dived="DIVED" in flags)
        self.lap("spray")

    # --- what they need --------------------------------------------------------------------------------------------

    def _inputs(self) -> dict[str, moderngl.Texture]:
        """Every texture that shaders read, by their name for it."""
        bodies = self._bodies
        assert bodies.picture.depth is not None, "bodies leave their distance"
        return {
            **self._geometry.left,
            "sky_map": self._sky.map,
            "floor_map": self._sky.floor,
            "light_map": self._light_map.map,
            "bed": self._ground.bed,
            "albedo_map": self._ground.albedo,
            "relief_map": self._ground.relief,
            "heights": self.surface.heights,
            "shift": self.surface.shift,
            "waves": self.surface.waves,
            "noise": self._noise,
            "lace": self._lace,
            "mirror": self._mirror.picture.colour,
            "detail": self.surface.detail,
            "body_top": bodies.top.colour if "BODIES" in self._flags else self._nothing,
            "body_colour": bodies.picture.colour,
            "body_depth": bodies.picture.depth,
        }

    def _light_of(self, settings: ViewParams, *, pool: bool) -> Light:
        """Sun, air and water, which rarely change from one picture to the next."""
        wanted = settings, self._bounds, pool
        if wanted != self._lit_for:
            self._light, self._lit_for = Light.of(settings, self._bounds, pool=pool), wanted
        return self._light

    def _get_to_know(self, frame: Frame) -> None:
        """What follows from ground and water level alone."""
        known = self._known
        if not known or known[0] is not frame.bed or known[1] != frame.grid:
            self._bounds, self._wild = Bounds.of(frame), wildness(frame)
            self._known = (frame.bed, frame.grid)

    def release(self) -> None:
        """Free everything on the graphics card."""
        free(self.surface, self._sky, self._ground, self._ground_mesh, self._water_mesh)
        free(self._light_map, self._bodies, self._mirror, self._geometry, self.light, self._sort)
        free(self._stage, self._terrain, self._side, self._body, self._water, self._foamy, self._curtain)
        free(self._diving, self._spray, self._view, self._mirrored_view, self._noise, self._lace, self._nothing)

"""A scene: a terrain, a water model on it, and the resolution it is computed with."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waterview.bodies.params import BodyParams
from waterview.core.commands import MAX_RAIN, AddBody, PaintWall
from waterview.core.errors import ParameterError
from waterview.core.grid import Grid
from waterview.core.params import Params, Value, declarations, param, unprefixed_values, values_for
from waterview.sim.gauges import GaugeParams
from waterview.sim.maxima import MaximaParams
from waterview.sim.world import World, world_declarations
from waterview.terrain.drape import Drape
from waterview.terrain.heightmap import Heightmap
from waterview.waters import MODELS, Models, maker
from waterview.waters.common.water import Water, WaterParams
from waterview.waters.common.wavemaker import SIDES, WavemakerParams, inwards, mean_depth
from waterview.waters.eddies.detail import Detail, DetailParams

from .arguments import GaugePlace
from .cost import check_memory
from .given_start import GivenStart
from .landscape import grown_land

_log = logging.getLogger(__name__)

CROSSING_SECONDS = 10.0
"""Time in which waves cross the longer side of the water [s], unless a wave speed is given: a pool, a bay and a coast
are then equally lively. The true speed of a long wave over depth d would be √(g d)."""

WAVE_SHARE = 0.005
"""Height of waves that come in, as a share of the water's longer side."""

DEPTH_SHARE = 0.3
"""Most height of waves that come in, as a share of the mean depth by their side, unless it is given."""

SIZED = frozenset({"wave_speed", "wavemaker_height"})
"""Parameters that are chosen to suit the terrain, unless they are given: a preset's are those of its own terrain."""

DETAIL_SHARE = 0.05
"""Period of the fine detail, as a share of the water's longer side."""

USUAL = {
    "wave_speed": "what crosses the longer side in ten seconds",
    "wavemaker_height": "a two-hundredth of the longer side",
    "detail_size": "a twentieth of the longer side",
    "detail_seed": "the seed of the scene",
}
"""What a scene takes for these parameters instead of their declared defaults."""


@dataclass(frozen=True, kw_only=True)
class SceneParams(Params):
    """How a scene is computed."""

    model: str = param("wave-equation", choices=tuple(MODELS), doc="The water model.")
    grid: int = param(512, low=2, high=8192, scale="log", doc="Grid points along the longer side of the water.")
    rain: float = param(0.0, unit="1/s", low=0.0, high=MAX_RAIN, doc="Drops of rain a second on the whole water.")
    detail: bool = param(False, doc="Lay the fine streamlines of a stirred surface over the water.")
    maxima: bool = param(
        False, doc="Gather fields over the run: largest surface, arrival time, largest speed, flooded land."
    )
    seed: int = param(0, low=0, high=2**31 - 1, doc="Chance: the same seed gives the same rain, sea and gusts.")


def split_settings(settings: Mapping[str, Value]) -> tuple[SceneParams, dict[str, Value]]:
    """The scene's parameters, and the values for its model, bodies and detail, out of settings by name.

    Other settings are ignored.

    Raises:
        ParameterError: a value is not allowed, or a parameter belongs to another model than the one chosen.
    """
    own = {entry.name for entry in declarations(SceneParams)}
    params = SceneParams().changed(**values_for(SceneParams, settings))
    model = MODELS[params.model].Params
    known = {entry.name for entry in declarations(model)}
    values = values_for(model, settings)
    every = {entry.name for other in MODELS.values() for entry in declarations(other.Params)}
    for name in settings.keys() & (every - known - own):
        raise ParameterError(
            f"--{name.replace('_', '-')} does not belong to the model {params.model}, but to {_owners(name)}; "
            f"it knows {', '.join(entry.flag for entry in declarations(model))}"
        )
    checked = model().changed(**values)  # reports a wrong value before the terrain is read
    values = {name: getattr(checked, name) for name in values}
    others = [entry for entry in world_declarations() if entry.name in settings]
    return params, values | {entry.name: entry.check(settings[entry.name]) for entry in others}


def suited_height(grid: Grid, edges: Iterable[NDArray[np.floating]]) -> float:
    """Height of the waves that come in where none is given [m], from trough to crest.

    Args:
        grid: of the water.
        edges: depth of still water [m] along each of the sides that they come in by, shape (n,).
    """
    depth, height = max(map(mean_depth, edges), default=0.0), max(grid.size) * WAVE_SHARE
    return min(height, DEPTH_SHARE * depth) if depth > 0.0 else height


def check_driven_sides(params: WaterParams, is_land: Callable[[str], bool]) -> None:
    """Refuse waves that are to come in by sides that are all land.

    Args:
        params: of the water.
        is_land: whether all of a side is land.

    Raises:
        ParameterError: they are.
    """
    sides = params.driven_sides if isinstance(params, WavemakerParams) else ()
    if sides and all(map(is_land, sides)):
        seas = [side for side in SIDES if not is_land(side)]
        choose = f"choose {' or '.join(seas)} (--wavemaker-sides)" if seas else "choose another terrain"
        raise ParameterError(f"nothing can come in by the {' and '.join(sides)}, which is land: {choose}")


def _owners(name: str) -> str:
    """The models that know a parameter."""
    return ", ".join(owner for owner, model in MODELS.items() if name in settable(owner))


def settable(model: str) -> set[str]:
    """Names of the parameters of this model, of bodies and of detail."""
    return {entry.name for entry in (*declarations(MODELS[model].Params), *world_declarations())}


@dataclass(frozen=True)
class Scene:
    """A terrain with a water model on it.

    Attributes:
        heightmap: the ground [m].
        params: model and grid.
        model_params: values of the model's parameters, and of bodies and detail ("bodies_drag"), by name; the others
            keep their defaults.
        walls: walls painted on it.
        bodies: what floats on it at the start.
        start: the surface and flow that it starts with; still water if no file is named.
        gauges: those that it begins with.
        drape: an aerial picture over the land.
        models: classes of waters by name: `waterview.waters.MODELS`, or those that the graphics card computes.
    """

    heightmap: Heightmap
    params: SceneParams = field(default_factory=SceneParams)
    model_params: Mapping[str, Value] = field(default_factory=dict)
    walls: tuple[PaintWall, ...] = ()
    bodies: tuple[AddBody, ...] = ()
    start: GivenStart = field(default_factory=GivenStart)
    gauges: tuple[GaugePlace, ...] = ()
    drape: Drape | None = None
    models: Models = field(default_factory=lambda: MODELS)

    @property
    def grid(self) -> Grid:
        """The water's grid: it covers the heightmap, square cells, the longer side has `params.grid` points."""
        x_size, z_size = self.heightmap.size
        points = self.params.grid
        x_res = points if x_size >= z_size else max(2, round((points - 1) * x_size / z_size) + 1)
        origin = (-0.5 * x_size, self.heightmap.water_level, -0.5 * z_size)
        return Grid.from_size(x_size, z_size, x_res, origin)

    def make_water(self) -> Water:
        """The water over the terrain, at rest or as it is to start.

        Raises:
            ParameterError: a value is not allowed, or the grid needs more memory than is free.
            InputError: the water cannot start so.
        """
        make = maker(self.models, self.params.model)
        grid = self.grid
        check_memory(MODELS[self.params.model], grid.shape)
        known = {entry.name for entry in declarations(MODELS[self.params.model].Params)}
        others = {entry.name for entry in world_declarations()} - known
        values: dict[str, Any] = {name: value for name, value in self.model_params.items() if name not in others}
        if "wave_speed" in known:
            values.setdefault("wave_speed", max(grid.size) / CROSSING_SECONDS)
        is_suited = "wavemaker_height" in known - values.keys()
        if is_suited:
            values["wavemaker_height"] = max(grid.size) * WAVE_SHARE
        water = self._on_ground(make, values)
        if is_suited and isinstance(water.params, WavemakerParams):
            depth, sides = grid.level - water.bed, water.params.wavemaker_sides.split(",")
            height = suited_height(grid, (inwards(depth, side)[0] for side in sides))
            if height < values["wavemaker_height"]:
                water = self._on_ground(make, values | {"wavemaker_height": height})
        check_driven_sides(water.params, lambda side: bool(inwards(water.fixed, side)[0].all()))
        if self.start:
            self.start.give(water, self.heightmap)
        (nz, nx), spacing = grid.shape, water.grid.spacing
        _log.info("%s on %d × %d points, %.6g m apart: %s", self.params.model, nx, nz, spacing, water.effective)
        return water

    def _on_ground(self, make: Callable[..., Water], values: Mapping[str, Any]) -> Water:
        """The water with these parameters over the terrain and its walls, at rest."""
        grid = self.grid
        water = make(*self.heightmap.size, grid.shape[1], grid.origin, **values)
        water.set_height_map(self.heightmap)
        water.drape = None if self.drape is None else self.drape.colours
        water.land = grown_land(self.heightmap, water)
        for wall in self.walls:
            water.paint_wall(wall.x, wall.z, wall.radius, wall.wall, wall.start)
        return water

    def make_world(self) -> World:
        """The water with its rain, detail, bodies and gauges.

        Raises:
            InputError: a value is not allowed, the water cannot start as the scene asks, or a body or a gauge cannot be
                where it is asked for.
        """
        water, params = self.make_water(), self.params
        usual = {"size": max(water.grid.size) * DETAIL_SHARE, "seed": params.seed}
        detail_params = DetailParams().changed(**(usual | unprefixed_values("detail", self.model_params)))
        world = World(
            water,
            rain=params.rain,
            detail=Detail(**asdict(detail_params)) if params.detail else None,
            seed=params.seed,
            body_params=BodyParams().changed(**unprefixed_values("bodies", self.model_params)),
            detail_params=detail_params,
            gauge_params=GaugeParams().changed(**unprefixed_values("gauges", self.model_params)),
            maxima_params=MaximaParams().changed(**unprefixed_values("maxima", self.model_params)),
        )
        for body in self.bodies:
            world.apply(body)
        for gauge in self.gauges:
            for command in gauge.commands(self.heightmap):
                world.apply(command)
        if params.maxima:
            world.gather_maxima()
        return world

"""A scene is what the command line asks for: a terrain, a model on it, and how finely it is computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from waterview.core.commands import MAX_RAIN, ReplaceWater
from waterview.core.grid import Grid
from waterview.core.params import Params, Value, declarations, param
from waterview.models import MODELS
from waterview.models.base import Water
from waterview.models.detail import Detail
from waterview.tank import Tank
from waterview.terrain.heightmap import Heightmap
from waterview.terrain.library import TerrainSource

CROSSING_SECONDS = 10.0
"""Unless a wave speed is asked for, waves cross the longer side of the water in this time [s]: a pool, a bay and a
whole coast are then equally lively. The true speed of a long wave over depth d would be √(g d)."""

DETAIL_SHARE = 0.05
"""Length that the fine detail repeats after, as a share of the water's longer side."""


@dataclass(frozen=True, kw_only=True)
class SceneParams(Params):
    """How a scene is computed."""

    model: str = param("wave-equation", choices=tuple(MODELS), doc="The water model.")
    grid: int = param(512, low=2, high=8192, doc="Grid points along the longer side of the water.")
    rain: float = param(0.0, unit="1/s", low=0.0, high=MAX_RAIN, doc="Drops of rain a second on the whole water.")
    detail: bool = param(False, doc="Lay the fine streamlines of a stirred surface over the water.")
    seed: int = param(0, low=0, high=2**31 - 1, doc="Chance: the same seed gives the same rain, sea and gusts.")


@dataclass(frozen=True)
class Scene:
    """A terrain with a water model on it.

    Attributes:
        heightmap: the ground [m].
        params: model and grid.
        model_params: values asked for, by parameter name; the others keep their defaults.
    """

    heightmap: Heightmap
    params: SceneParams = field(default_factory=SceneParams)
    model_params: Mapping[str, Value] = field(default_factory=dict)

    @property
    def grid(self) -> Grid:
        """The water's grid: it covers the heightmap, square cells, the longer side has `params.grid` points."""
        x_size, z_size = self.heightmap.size
        points = self.params.grid
        x_res = points if x_size >= z_size else max(2, round((points - 1) * x_size / z_size) + 1)
        origin = (-0.5 * x_size, self.heightmap.water_level, -0.5 * z_size)
        return Grid.from_size(x_size, z_size, x_res, origin)

    def make_water(self) -> Water:
        """The water at rest over the terrain.

        Raises:
            ParameterError: a value is not allowed.
        """
        model = MODELS[self.params.model]
        grid = self.grid
        values: dict[str, Any] = dict(self.model_params)
        if any(entry.name == "wave_speed" for entry in declarations(model.Params)):
            values.setdefault("wave_speed", max(grid.size) / CROSSING_SECONDS)
        water = model(*self.heightmap.size, grid.shape[1], grid.origin, **values)
        water.set_height_map(self.heightmap)
        return water

    def make_tank(self) -> Tank:
        """The water with its rain and detail.

        Raises:
            ParameterError: a value is not allowed.
        """
        water, params = self.make_water(), self.params
        detail = Detail(size=max(water.grid.size) * DETAIL_SHARE, seed=params.seed) if params.detail else None
        return Tank(water, rain=params.rain, detail=detail, seed=params.seed)


class SceneCycle:
    """The scenes that keys step through: every terrain with every model.

    Args:
        scene: the scene shown first.
        terrains: where the terrains come from, the first one being the scene's own.
    """

    def __init__(self, scene: Scene, terrains: Sequence[TerrainSource]) -> None:
        self._scene = scene
        self._terrains = list(terrains)
        self._models = list(MODELS)
        self._models = self._models[self._models.index(scene.params.model) :] + self._models
        self._terrain = self._model = 0

    def next_terrain(self) -> tuple[str, ReplaceWater]:
        """The next terrain's title, and the command that goes on there; obeying it reads the file.

        Obeying it raises a TerrainError where the file cannot be read.
        """
        self._terrain = (self._terrain + 1) % len(self._terrains)
        return self._terrains[self._terrain].title, ReplaceWater(self._make(level=None))

    def next_model(self, level: float) -> tuple[str, ReplaceWater]:
        """The next model's name, and the command that goes on with it over the same terrain, still water at `level`."""
        self._model = (self._model + 1) % len(MODELS)
        return self._models[self._model], ReplaceWater(self._make(level), keep_bodies=True)

    def _make(self, level: float | None) -> Callable[[], Water]:
        terrain, model = self._terrains[self._terrain], self._models[self._model]

        def make() -> Water:
            known = {entry.name for entry in declarations(MODELS[model].Params)}
            values = {name: value for name, value in self._scene.model_params.items() if name in known}
            water = Scene(terrain.load(), self._scene.params.changed(model=model), values).make_water()
            if level is not None:
                water.set_water_level(level)
            return water

        return make

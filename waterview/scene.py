"""A scene is what the command line asks for: a terrain, a model on it, and how finely it is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from waterview.core.commands import ReplaceWater
from waterview.core.grid import Grid
from waterview.core.params import Params, Value, declarations, param
from waterview.models import MODELS
from waterview.models.base import Water
from waterview.terrain.heightmap import Heightmap
from waterview.terrain.library import TerrainSource

CROSSING_SECONDS = 10.0
"""Unless a wave speed is asked for, waves cross the longer side of the water in this time [s]: a pool, a bay and a
whole coast are then equally lively. The true speed of a long wave over depth d would be √(g d)."""


@dataclass(frozen=True, kw_only=True)
class SceneParams(Params):
    """How a scene is computed."""

    model: str = param("wave-equation", choices=tuple(MODELS), doc="The water model.")
    grid: int = param(512, low=2, high=8192, doc="Grid points along the longer side of the water.")


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


class TerrainCycle:
    """The terrains that a key steps through.

    Args:
        scene: the scene shown first; its model and grid are kept for every terrain.
        terrains: where the terrains come from, the first one being the scene's own.
    """

    def __init__(self, scene: Scene, terrains: Sequence[TerrainSource]) -> None:
        self._scene = scene
        self._terrains = terrains
        self._position = 0

    def next(self) -> ReplaceWater:
        """The command that goes on with the next terrain; it is read on the simulation's thread.

        Obeying it raises a TerrainError where the file cannot be read.
        """
        self._position = (self._position + 1) % len(self._terrains)
        terrain = self._terrains[self._position]

        def make() -> Water:
            return replace(self._scene, heightmap=terrain.load()).make_water()

        return ReplaceWater(make)

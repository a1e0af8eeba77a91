"""What a running program goes through: scene after scene, as keys, the panel and files ask for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from waterview.core.commands import Command, PaintWall, ReplaceWater
from waterview.core.errors import InputError, TerrainError
from waterview.core.params import Declaration, Params, Value, declarations, param, prefixed_values
from waterview.render.settings import ViewParams
from waterview.sim.world import World
from waterview.terrain.heightmap import Heightmap
from waterview.terrain.library import TerrainSource, resolve
from waterview.terrain.options import TerrainOptions
from waterview.terrain.raster import one_line
from waterview.waters import MODELS
from waterview.waters.common.water import Water

from .interaction import InteractionParams
from .scene import Scene, SceneParams, settable, split_settings

if TYPE_CHECKING:
    from waterview.core.frame import Frame
    from waterview.render.camera.camera import OrbitCamera

    from .presets import PresetPreview

NO_PRESET = "none"
"""What stands for no preset among the names of presets."""

_DETAIL_FOLLOWS = {"seed": "detail_seed", "size_m": "detail_size"}
"""What of the fine detail is as usual again when a setting of the scene changes."""


@dataclass(frozen=True, kw_only=True)
class PlaceParams(Params):
    """What a scene is begun from; terrains and presets are filled in where they are known."""

    preset: str = param(NO_PRESET, choices=(NO_PRESET,), doc="A whole scene with all its settings.")
    terrain: str = param("", choices=("",), doc="The ground under the water; files dropped into the window join in.")


@dataclass(frozen=True)
class Opened:
    """Another scene to go on with.

    Attributes:
        title: what people call it.
        commands: what brings it; the first one replaces the water.
        view: settings of the view that belong to it, by parameter name.
        interaction: settings of `InteractionParams` that belong to it.
        camera: makes its camera from its first frame; None looks at the whole scene.
        is_new_place: whether it is another piece of the world, so that the camera has to move.
    """

    title: str
    commands: tuple[Command, ...]
    view: Mapping[str, Value] = field(default_factory=dict)
    interaction: Mapping[str, Value] = field(default_factory=dict)
    camera: Callable[[Frame], OrbitCamera] | None = None
    is_new_place: bool = True


@dataclass(frozen=True)
class SavedTerrain(TerrainSource):
    """The ground of a session, which needs no file any more.

    Attributes:
        ground: as it was saved, in metres of the world.
    """

    ground: Heightmap = field(kw_only=True)

    def load(self) -> Heightmap:
        """The ground, understood as the options say; those that it was read with are in it already."""
        return replace(
            Heightmap.from_array(self.ground.heights, cell=self.ground.cell, options=self.options), title=self.title
        )


@dataclass(frozen=True)
class _Place:
    """What is shown, or wanted next."""

    terrain: TerrainSource
    params: SceneParams
    values: Mapping[str, Value]
    walls: tuple[PaintWall, ...] = ()
    preset: str = NO_PRESET

    @property
    def settings(self) -> dict[str, Value]:
        """Every setting by name."""
        own = {"preset": self.preset, "terrain": self.terrain.title}
        return own | asdict(self.params) | asdict(self.terrain.options)


class Navigator:
    """The scenes that keys and the panel go through: every terrain with every model, files, and presets.

    Args:
        scene: the scene shown first.
        terrains: where the terrains come from, the first one being the scene's own.
        preset: the name of the preset that the scene comes from, if from any.
    """

    def __init__(self, scene: Scene, terrains: Sequence[TerrainSource], preset: str | None = None) -> None:
        self._terrains = list(terrains)
        self._models = scene.models
        first = _Place(self._terrains[0], scene.params, scene.model_params, scene.walls, preset or NO_PRESET)
        # A place that cannot be loaded, which shows when the simulation makes its water, is wanted no longer.
        self._shown = self._wanted = first

    def next_terrain(self) -> Opened:
        """The next terrain; obeying its command reads the file.

        Obeying it raises a TerrainError where the file cannot be read.
        """
        titles = [terrain.title for terrain in self._terrains]
        place = titles.index(self._wanted.terrain.title) if self._wanted.terrain.title in titles else -1
        terrain = self._terrains[(place + 1) % len(titles)]
        return self._open_terrain(terrain)

    def next_model(self) -> tuple[str, ReplaceWater]:
        """The next model's name, and the command that goes on with it over the same terrain and level."""
        models = list(MODELS)
        model = models[(models.index(self._wanted.params.model) + 1) % len(models)]
        params = self._wanted.params.changed(model=model)
        wanted = replace(self._wanted, params=params)
        return model, self._replacing(wanted, keep_bodies=True, keep_walls=True, keep_level=True)

    def settings(self) -> list[tuple[Declaration, Value]]:
        """What a panel offers of scene and terrain, each with its value."""
        entries = list(declarations(PlaceParams)) + list(declarations(SceneParams)) + list(declarations(TerrainOptions))
        choices = {"preset": (NO_PRESET, *self._presets), "terrain": tuple(t.title for t in self._terrains)}
        entries = [replace(entry, choices=choices.get(entry.name, entry.choices)) for entry in entries]
        return [(entry, self._wanted.settings[entry.name]) for entry in entries]

    def gallery(self) -> tuple[PresetPreview, ...]:
        """The presets for the panel: those that come along and the user's own; one that makes no sense is left out."""
        return self._gallery

    @cached_property
    def _gallery(self) -> tuple[PresetPreview, ...]:
        from .presets import preset_previews

        return tuple(preset_previews())

    @cached_property
    def _presets(self) -> dict[str, Path]:
        from .presets import preset_paths

        return preset_paths()

    def open(self, path: Path) -> Opened:
        """The heightmap, preset (.toml) or session (.waterview) in the file `path`.

        Raises:
            InputError: there is no such file, or the preset makes no sense. A heightmap that cannot be read is told
                when the command is obeyed; the water goes on as it was then.
        """
        if path.suffix.lower() == ".toml":
            return self._open_preset(path)
        if path.suffix.lower() == ".waterview":
            return self._open_session(path)
        return self._open_terrain(self._joined(resolve(path.absolute())))

    def _joined(self, terrain: TerrainSource) -> TerrainSource:
        """`terrain` as one of those that are gone through; titles tell them apart."""
        for known in self._terrains:
            if known.path.absolute() == terrain.path:
                return known
        if terrain.title in {known.title for known in self._terrains}:
            terrain = replace(terrain, title=one_line(f"{terrain.title} in {terrain.path.parent}"))
        self._terrains = [*self._terrains, terrain]
        return terrain

    def change(self, name: str, value: Value, now: Mapping[str, Value]) -> Opened:
        """The scene with one of `settings` changed, while all else is as `now`.

        Raises:
            InputError: the value is not allowed.
        """
        if name == "preset":
            if value == NO_PRESET:
                return self._open_terrain(self._wanted.terrain)
            return self._open_preset(self._presets[str(value)])
        if name == "terrain":
            return self._open_terrain(next((t for t in self._terrains if t.title == value), self._wanted.terrain))
        wanted = self._wanted
        anew = _DETAIL_FOLLOWS.get(name, "")
        if name in asdict(wanted.terrain.options):
            options = wanted.terrain.options.changed(**{name: value})
            wanted = replace(wanted, terrain=wanted.terrain.with_options(options))
            is_new_place = name in {"size_m", "vertical_scale"}
            return self._opened(wanted, now, anew, is_new_place=is_new_place, keep_level=False)
        wanted = replace(wanted, params=wanted.params.changed(**{name: value}))
        return self._opened(wanted, now, anew, is_new_place=False, keep_level=True)

    def _open_session(self, path: Path) -> Opened:
        from .serialise import open_session

        session = open_session(path, self._models)
        world, title = session.world, f"session {path.name}"
        water = world.water
        ground = Heightmap(np.array(water.ground), (water.grid.spacing, water.grid.spacing), str(path), title)
        terrain = SavedTerrain(title, title, path, TerrainOptions(water_level=water.grid.level), ground=ground)
        self._terrains = [known for known in self._terrains if known.path != path] + [terrain]
        params = SceneParams(
            model=water.name,
            grid=max(water.grid.shape),
            rain=world.rain.rate,
            detail=world.detail is not None,
            seed=world.rain.seed,
        )
        wanted = self._wanted = _Place(terrain, params, asdict(water.params) | prefixed_values(world.params))

        def make() -> World:
            self._shown = wanted
            return world

        commands = (ReplaceWater(make, replaces_all=True),)
        return Opened(title, commands, session.view, session.interaction, session.camera)

    def _open_terrain(self, terrain: TerrainSource) -> Opened:
        wanted = replace(self._wanted, terrain=terrain, walls=(), preset=NO_PRESET)
        return Opened(terrain.title, (self._replacing(wanted),))

    def _open_preset(self, path: Path) -> Opened:
        from .presets import load_preset

        preset = load_preset(path)
        params, values = split_settings(preset.settings)
        wanted = _Place(preset.terrain(), params, values, preset.walls, preset.name)
        view = {entry.name: preset.settings.get(entry.name, entry.default) for entry in declarations(ViewParams)}
        known = {entry.name for entry in declarations(InteractionParams)}
        interaction = {name: value for name, value in preset.settings.items() if name in known}
        commands: tuple[Command, ...] = (self._replacing(wanted, replaces_all=True), *preset.drops)
        return Opened(preset.title, commands, view, interaction | {"rain": params.rain}, preset.camera)

    def _opened(
        self, wanted: _Place, now: Mapping[str, Value], anew: str, *, is_new_place: bool, keep_level: bool
    ) -> Opened:
        """`wanted` with parameters and rain as they are `now`, but the one called `anew` as is usual there."""
        model = MODELS[wanted.params.model]
        known = settable(wanted.params.model)
        values = {**wanted.values, **{name: value for name, value in now.items() if name in known}}
        values.pop(anew, None)
        rain = float(now.get("rain", 0.0)) if model.can_be_disturbed else 0.0
        wanted = replace(wanted, params=wanted.params.changed(rain=rain), values=values)
        keeps = {"keep_bodies": not is_new_place, "keep_walls": True, "keep_level": keep_level}
        command = self._replacing(wanted, replaces_all=True, **keeps)
        return Opened(wanted.terrain.title, (command,), interaction={"rain": rain}, is_new_place=is_new_place)

    def _replacing(self, wanted: _Place, *, replaces_all: bool = False, **keeps: bool) -> ReplaceWater:
        """What goes on with the water of `wanted`, with its rain and detail where it is to be `whole`."""
        self._wanted = wanted

        def make() -> Water | World:
            known = settable(wanted.params.model)
            values = {name: value for name, value in wanted.values.items() if name in known}
            try:
                scene = Scene(wanted.terrain.load(), wanted.params, values, wanted.walls, models=self._models)
                made = scene.make_world() if replaces_all else scene.make_water()
            except InputError as error:
                if self._wanted is wanted:
                    self._wanted = self._shown
                if isinstance(error, TerrainError) and wanted.terrain.path != self._shown.terrain.path:
                    self._terrains = [known for known in self._terrains if known.path != wanted.terrain.path]
                raise
            self._shown = wanted
            return made

        return ReplaceWater(make, replaces_all=replaces_all, **keeps)

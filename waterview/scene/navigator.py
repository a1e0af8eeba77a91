"""From scene to scene in a running program, by keys, panel and files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from waterview.core.commands import Command, PaintWall, ReplaceWater
from waterview.core.errors import InputError, TerrainError
from waterview.core.georeference import Georeference
from waterview.core.params import Declaration, Params, Value, declarations, param, prefixed_values, values_for
from waterview.core.playback import Part, Recorded
from waterview.render.settings import ViewParams
from waterview.sim.world import World
from waterview.terrain.drape import PHOTOGRAPHS, Drape, read_drape
from waterview.terrain.heightmap import Heightmap
from waterview.terrain.library import TerrainSource, resolve
from waterview.terrain.options import TerrainOptions
from waterview.terrain.raster import one_line
from waterview.waters import MODELS
from waterview.waters.common.water import Water

from .arguments import GaugePlace
from .given_start import GivenStart
from .interaction import InteractionParams
from .scene import SIZED, Scene, SceneParams, settable, split_settings

if TYPE_CHECKING:
    from waterview.core.frame import Frame
    from waterview.render.camera.camera import OrbitCamera

    from .presets import PresetPreview

NO_PRESET = "none"
"""The choice among preset names that means none."""

_RESET_BY = {"seed": "detail_seed", "size_m": "detail_size"}
"""Parameters of the detail that return to their usual value when a setting of the scene changes."""


@dataclass(frozen=True, kw_only=True)
class StartParams(Params):
    """What a scene starts from; `Navigator.settings` fills in the choices."""

    preset: str = param(NO_PRESET, choices=(NO_PRESET,), doc="A whole scene with all its settings.")
    terrain: str = param("", choices=("",), doc="The ground under the water; files dropped into the window join in.")


@dataclass(frozen=True)
class SceneChange:
    """The change to another scene.

    Attributes:
        title: of the scene.
        commands: what brings it; the first one replaces the water.
        view: settings of the view that belong to it, by parameter name.
        interaction: settings of `InteractionParams` that belong to it.
        camera: makes its camera from its first frame; None looks at the whole scene.
        is_new_place: whether the terrain is another one, so that the camera has to move.
        note: what is said once it is there; "" for nothing.
    """

    title: str
    commands: tuple[Command, ...]
    view: Mapping[str, Value] = field(default_factory=dict)
    interaction: Mapping[str, Value] = field(default_factory=dict)
    camera: Callable[[Frame], OrbitCamera] | None = None
    is_new_place: bool = True
    note: Callable[[], str] = str


@dataclass(frozen=True)
class SavedTerrain(TerrainSource):
    """The terrain of a session, which needs no heightmap file.

    Attributes:
        ground: as it was saved [m].
    """

    ground: Heightmap = field(kw_only=True)

    def load(self, points: int = 0) -> Heightmap:
        """The ground under the options; those of its first reading are already part of it."""
        ground = Heightmap.from_array(self.ground.heights, cell=self.ground.cell, options=self.options)
        return replace(ground, title=self.title, place=self.ground.place)


@dataclass(frozen=True)
class _Selection:
    """A choice of terrain, model and settings."""

    terrain: TerrainSource
    params: SceneParams
    values: Mapping[str, Value]
    walls: tuple[PaintWall, ...] = ()
    preset: str = NO_PRESET
    start: GivenStart = field(default_factory=GivenStart)
    drape: Drape | Path | None = None

    @property
    def settings(self) -> dict[str, Value]:
        """Every setting by name."""
        own = {"preset": self.preset, "terrain": self.terrain.title}
        return own | asdict(self.params) | asdict(self.terrain.options)


class Navigator:
    """Goes through terrains, models, presets and files, as keys and the panel ask.

    Args:
        scene: the first scene.
        terrains: all terrains; the first is the scene's own.
        preset: name of the preset of the scene, if any.
    """

    def __init__(self, scene: Scene, terrains: Sequence[TerrainSource], preset: str | None = None) -> None:
        self._terrains = list(terrains)
        self._models = scene.models
        settings = scene.params, scene.model_params, scene.walls, preset or NO_PRESET, scene.start, scene.drape
        first = _Selection(self._terrains[0], *settings)
        # Whether a selection can be loaded is known when the simulation makes its water; if not, it is undone.
        self._current = self._selected = first

    def next_terrain(self) -> SceneChange:
        """The next terrain. Its command reads the file when it is applied, and may then raise a TerrainError."""
        titles = [terrain.title for terrain in self._terrains]
        place = titles.index(self._selected.terrain.title) if self._selected.terrain.title in titles else -1
        terrain = self._terrains[(place + 1) % len(titles)]
        return self._open_terrain(terrain)

    def next_model(self) -> tuple[str, ReplaceWater]:
        """The name of the next model, and the command that replaces the water by it, on the same terrain and level."""
        models = list(MODELS)
        model = models[(models.index(self._selected.params.model) + 1) % len(models)]
        params = self._selected.params.changed(model=model)
        selected = replace(self._selected, params=params)
        return model, self._replacement(selected, keep_bodies=True, keep_walls=True, keep_level=True)

    def settings(self) -> list[tuple[Declaration, Value]]:
        """The settings of scene and terrain for a panel, each with its value."""
        entries = list(declarations(StartParams)) + list(declarations(SceneParams)) + list(declarations(TerrainOptions))
        choices = {"preset": (NO_PRESET, *self._presets), "terrain": tuple(t.title for t in self._terrains)}
        entries = [replace(entry, choices=choices.get(entry.name, entry.choices)) for entry in entries]
        return [(entry, self._selected.settings[entry.name]) for entry in entries]

    @property
    def names(self) -> tuple[str, str]:
        """The model's name, and that of the preset; `NO_PRESET` where there is none."""
        return self._selected.params.model, self._selected.preset

    def gallery(self) -> tuple[PresetPreview, ...]:
        """Previews of all presets that can be used."""
        return self._gallery

    @cached_property
    def _gallery(self) -> tuple[PresetPreview, ...]:
        from .presets import preset_previews

        return tuple(preset_previews())

    @cached_property
    def _presets(self) -> dict[str, Path]:
        from .presets import preset_paths

        return preset_paths()

    def open(self, path: Path) -> SceneChange:
        """The heightmap, preset (.toml) or session (.waterview) in the file `path`; a photograph is laid over the land.

        Raises:
            InputError: there is no such file, or the preset makes no sense. A heightmap that cannot be read raises its
                error when the command is applied; the water then stays as it was.
        """
        if path.suffix.lower() == ".toml":
            return self._open_preset(path)
        if path.suffix.lower() == ".waterview":
            return self._open_session(path)
        if path.suffix.lower() in PHOTOGRAPHS:
            selected, notes = replace(self._selected, drape=path.absolute()), list[str]()
            kept = self._replacement(selected, notes=notes, keep_bodies=True, keep_walls=True, keep_level=True)
            title = f"{selected.terrain.title} with {one_line(path.name)}"
            return SceneChange(title, (kept,), is_new_place=False, note=lambda: "; ".join(notes))
        return self._open_terrain(self._added(resolve(path.absolute())))

    def _added(self, terrain: TerrainSource) -> TerrainSource:
        """`terrain`, added to the list unless it is there, with a title of its own."""
        for known in self._terrains:
            if known.path.absolute() == terrain.path:
                return known
        if terrain.title in {known.title for known in self._terrains}:
            terrain = replace(terrain, title=one_line(f"{terrain.title} in {terrain.path.parent}"))
        self._terrains = [*self._terrains, terrain]
        return terrain

    def change(self, name: str, value: Value, now: Mapping[str, Value]) -> SceneChange:
        """The scene with one of `settings` changed; other settings are as `now`.

        Raises:
            InputError: the value is not allowed.
        """
        if name == "preset":
            if value == NO_PRESET:
                return self._open_terrain(self._selected.terrain)
            return self._open_preset(self._presets[str(value)])
        if name == "terrain":
            return self._open_terrain(next((t for t in self._terrains if t.title == value), self._selected.terrain))
        selected = self._selected
        reset = _RESET_BY.get(name, "")
        if name in asdict(selected.terrain.options):
            options = selected.terrain.options.changed(**{name: value})
            selected = replace(selected, terrain=selected.terrain.with_options(options))
            is_new_place = name in {"size_m", "vertical_scale"}
            return self._with_settings(selected, now, reset, is_new_place=is_new_place, keep_level=False)
        selected = replace(selected, params=selected.params.changed(**{name: value}))
        return self._with_settings(selected, now, reset, is_new_place=False, keep_level=True)

    def _open_session(self, path: Path) -> SceneChange:
        from .serialise import open_session

        session = open_session(path, self._models)
        world, title = session.world, f"session {path.name}"
        water = world.water
        cell = (water.grid.spacing, water.grid.spacing)
        west, north = map(float, water.place.coordinates(water.grid.origin[0], water.grid.origin[2]))
        steps = water.place.x_step * cell[0], water.place.y_step * cell[1]
        place = Georeference(water.place.crs, west, north, *steps)
        ground = Heightmap(np.array(water.ground), cell, str(path), title, place=place)
        commands = (self._replacing(self._selection_of(world, ground, path), lambda: world, replaces_all=True),)
        return SceneChange(title, commands, session.view, session.interaction, session.camera)

    def _selection_of(self, world: World, ground: Heightmap, path: Path) -> _Selection:
        """What is chosen with a world that is there; its ground joins the terrains in place of another of `path`."""
        water, title = world.water, ground.title
        terrain = SavedTerrain(title, title, path, TerrainOptions(water_level=water.grid.level), ground=ground)
        self._terrains = [known for known in self._terrains if known.path != path] + [terrain]
        params = SceneParams(
            model=water.name,
            grid=max(water.grid.shape),
            rain=world.rain.rate,
            detail=world.detail is not None,
            maxima=world.maxima is not None,
            seed=world.rain.seed,
        )
        return _Selection(terrain, params, asdict(water.params) | prefixed_values(world.params))

    def go_live(
        self, recorded: Recorded, number: int, part: Part, camera: Callable[[Frame], OrbitCamera]
    ) -> SceneChange:
        """A part of a recording at one of its frames as the start of a scene, seen by `camera` (see `scene.cut_out`).

        It is read when the command is applied, which may then raise an InputError.
        """
        title, notes = f"{recorded.title} from {recorded.times[number]:.6g} s", [""]
        before = list[tuple[_Selection, _Selection]]()

        def make() -> World:
            from .cut_out import cut_out

            cut = cut_out(recorded, number, part)
            notes.append(cut.note)
            world = World(cut.water)
            before.append((self._selected, self._current))
            self._selected = self._current = self._selection_of(world, replace(cut.ground, title=title), Path(title))
            return world

        def cancelled() -> None:
            self._selected, self._current = before[-1]

        commands = (ReplaceWater(make, cancelled=cancelled, replaces_all=True),)
        return SceneChange(title, commands, camera=camera, note=lambda: notes[-1])

    def _open_terrain(self, terrain: TerrainSource) -> SceneChange:
        chosen = self._selected
        own = SIZED if chosen.preset != NO_PRESET and terrain.path != chosen.terrain.path else frozenset[str]()
        values = {name: value for name, value in chosen.values.items() if name not in own}
        selected = replace(
            chosen, terrain=terrain, values=values, walls=(), preset=NO_PRESET, start=GivenStart(), drape=None
        )
        return SceneChange(terrain.title, (self._replacement(selected),))

    def _open_preset(self, path: Path) -> SceneChange:
        from .presets import load_preset

        preset = load_preset(path)
        params, values = split_settings(preset.settings)
        selected = _Selection(preset.terrain(), params, values, preset.walls, preset.name, preset.start, preset.drape)
        view = {entry.name: preset.settings.get(entry.name, entry.default) for entry in declarations(ViewParams)}
        interaction = values_for(InteractionParams, preset.settings)
        commands: tuple[Command, ...] = (
            self._replacement(selected, preset.gauges, replaces_all=True),
            *preset.drops,
            *preset.bodies,
        )
        return SceneChange(preset.title, commands, view, interaction | {"rain": params.rain}, preset.camera)

    def _with_settings(
        self, selected: _Selection, now: Mapping[str, Value], reset: str, *, is_new_place: bool, keep_level: bool
    ) -> SceneChange:
        """`selected` with parameters and rain as they are `now`, except that `reset` gets its usual value."""
        model = MODELS[selected.params.model]
        known = settable(selected.params.model)
        values = {**selected.values, **{name: value for name, value in now.items() if name in known}}
        values.pop(reset, None)
        rain = float(now.get("rain", 0.0)) if model.can_be_disturbed else 0.0
        selected = replace(selected, params=selected.params.changed(rain=rain), values=values)
        command = self._replacement(
            selected, replaces_all=True, keep_bodies=not is_new_place, keep_walls=True, keep_level=keep_level
        )
        return SceneChange(selected.terrain.title, (command,), interaction={"rain": rain}, is_new_place=is_new_place)

    def _replacement(
        self,
        selected: _Selection,
        gauges: tuple[GaugePlace, ...] = (),
        *,
        replaces_all: bool = False,
        notes: list[str] | None = None,
        **keeps: bool,
    ) -> ReplaceWater:
        """The command that brings the water of `selected`; with rain, detail and `gauges` if `replaces_all`."""

        def make() -> Water | World:
            known = settable(selected.params.model)
            values = {name: value for name, value in selected.values.items() if name in known}
            try:
                # A model that cannot start so is shown at rest: Tab goes through all of them.
                start = selected.start if MODELS[selected.params.model].can_be_given_state else GivenStart()
                ground = selected.terrain.load(selected.params.grid)
                drape = selected.drape
                if isinstance(drape, Path):
                    drape = read_drape(drape, ground)
                    if notes is not None:
                        notes.extend(drape.notes)
                chosen = selected.params, values, selected.walls, (), start, gauges, drape, self._models
                scene = Scene(ground, *chosen)
                made = scene.make_world() if replaces_all else scene.make_water()
            except InputError as error:
                if self._selected is selected:
                    self._selected = self._current
                if isinstance(error, TerrainError) and selected.terrain.path != self._current.terrain.path:
                    self._terrains = [known for known in self._terrains if known.path != selected.terrain.path]
                raise
            return made

        return self._replacing(selected, make, replaces_all=replaces_all, **keeps)

    def _replacing(self, selected: _Selection, make: Callable[[], Water | World], **options: bool) -> ReplaceWater:
        """The command that brings what `make` makes of `selected`, which is shown as chosen from now on."""
        self._selected, before = selected, list[_Selection]()

        def made() -> Water | World:
            water = make()
            before.append(self._current)
            self._current = selected
            return water

        def cancelled() -> None:
            if self._selected is selected:
                self._selected = before[-1]
            self._current = before[-1]

        return ReplaceWater(made, cancelled=cancelled, **options)

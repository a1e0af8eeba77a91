"""What the window shows and how keys and the panel change it: events become commands and movements of the camera."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from waterview.bodies.course import heading_of, usual_speed
from waterview.bodies.mesh_files import is_mesh_file
from waterview.core.commands import (
    AddBody,
    AddGauge,
    Command,
    LookAt,
    Pause,
    RaiseWaterLevel,
    RemoveBodies,
    RemoveBody,
    RemoveGauge,
    ReplaceWater,
    Reset,
    SetCourse,
    SetParameter,
    SetWaterLevel,
    ShowField,
    ShowFrame,
    ShowNextField,
    StepOnce,
    usual_drop,
    usual_gust,
)
from waterview.core.errors import InputError
from waterview.core.frame import Frame
from waterview.core.grid import widest_water
from waterview.core.params import Declaration, Params, Value, declaration, declarations, prefixed_values
from waterview.core.playback import Part, PlaybackState, Recorded
from waterview.render.camera.bounds import Bounds
from waterview.render.camera.camera import OrbitCamera
from waterview.render.camera.picking import pick
from waterview.render.ground.ground_maps import wildness
from waterview.render.prepared_ground import prepare_ground
from waterview.render.settings import ViewParams
from waterview.render.water.underwater import sight
from waterview.scene.arguments import measured_series
from waterview.scene.cost import GridCost
from waterview.scene.interaction import INTERACTION_COMMANDS, InteractionParams
from waterview.scene.navigator import NO_PRESET
from waterview.sim.playback import USUAL_CACHE, PlayedWater
from waterview.sim.world import World
from waterview.terrain.georeference import longitude_latitude
from waterview.waters import MODELS
from waterview.waters.common.water import WaterParams

from .border_keys import SIDES, next_border
from .edits import TOGETHER_SECONDS, Edits, Swap
from .hud.gauges import gauge_marks, mark_at
from .hud.probe import Probe
from .hud.row_view import RowView, RowWatch
from .hud.text import effective_value, place_text
from .keys import ACTIONS
from .own_body import OwnBody
from .pending_scenes import PendingScenes
from .pointer import Pointer

if TYPE_CHECKING:
    from waterview.scene.navigator import Navigator, SceneChange
    from waterview.scene.presets import PresetPreview
    from waterview.sim.loop import Simulation

Owner = Literal["scene", "params", "interaction", "bodies", "detail", "gauges", "maxima", "view"]
"""What a parameter belongs to: the scene, the water, its disturbances, an owner in `WORLD_PARAMS`, or the view."""

BACK = "back to the recording"
"""What the way back from a live scene to the recording that it was made of is called."""

PLAYED = "a recording is played as it was computed: S makes a live scene of what is seen"
"""What is said of settings that it cannot have."""

_LEVEL_STEP = 0.01
"""Change of the water level by a key, as a share of the relief."""

_DEPTH_STEP = 0.1
"""Change of the eye's depth under water by a key, as a share of the depth of the water."""

_REPEATING = {"step", "back", "drop", "raise", "lower", "deeper", "shallower"}
"""Actions that go on while their key stays down."""


@dataclass(frozen=True)
class _WayBack:
    """How the user comes back from a scene that was asked for.

    Attributes:
        scene: that was asked for; None where only the model changes.
        label: what was changed, for people.
        go: asks for what was before.
        is_undo: whether undoing asked for the scene.
    """

    scene: SceneChange | None
    label: str
    go: Swap
    is_undo: bool


@dataclass(frozen=True)
class _Left:
    """A recording that was left for a live scene of a part of it.

    Attributes:
        recorded, number: what was played, and the frame.
        part: that became the scene.
        camera: where it was seen from.
    """

    recorded: Recorded
    number: int
    part: Part
    camera: OrbitCamera


class Viewer:
    """The state of what is shown, and what keys, panel and pointer do to it.

    Args:
        loop: the running simulation.
        view: the first settings of the view.
        scenes: the scenes to choose from.
        notify: shows a message to the user.
        perform: does an action of the window itself, such as "fullscreen".
        cache: memory for recordings that are played [MiB].

    Attributes:
        frame: the newest frame.
        params: of the water, as requested.
        world_params: of bodies, detail, gauges and fields over the run, by owner.
        view, interaction: of the view, and of what clicks and keys do.
        camera: where the scene is seen from.
        title: of the scene; "" for the first one.
        probe: the gauge in the water, or None.
        pointer: the mouse over the scene.
        pointed: longitude and latitude under the pointer as text; "" where there are none.
        edits: what can be undone.
        own_body: the mesh file that bodies are made of.
        is_touched: whether the user has done anything to the water.
    """

    def __init__(
        self,
        loop: Simulation,
        view: ViewParams,
        scenes: Navigator,
        notify: Callable[[str], None],
        perform: Callable[[str], None],
        cache: float = USUAL_CACHE,
    ) -> None:
        self._loop = loop
        self._cache = cache
        self._looked_at: LookAt | None = None
        self._problem = ""
        self._has_chosen_look = False
        self._scenes = scenes
        self._notify = notify
        self._perform = perform
        self.frame: Frame = loop.latest()
        self.params: Params = self.frame.params
        self.world_params = dict(self.frame.world_params)
        self.view = view
        self.interaction = InteractionParams()
        self.camera = OrbitCamera.framing(self.frame)
        self.title = ""
        self.probe: Probe | None = None
        self._dry_camera: OrbitCamera | None = None
        self._home = replace(self.camera)
        self.is_touched = False
        self.edits = Edits(self.post, notify)
        self.pointer = Pointer(self)
        self.own_body = OwnBody(notify)
        self.pointed = ""
        self._pointed_by: tuple[object, ...] = ()
        self._pending = PendingScenes()
        self._names: tuple[str, ...] = ()
        self._row_watch = RowWatch()
        self._places = np.random.default_rng(0)  # of drops by the key
        self._way_back: _WayBack | None = None
        self._leaving: tuple[SceneChange, _Left] | None = None
        self._left: _Left | None = None
        self._settle(self.frame)

    def update(self) -> None:
        """Take the newest frame, and with the first frame of another scene its parameters, title and camera."""
        frame = self._loop.latest()
        arrived = self._pending.arrived(frame, self.frame)
        for scene in arrived:
            self._take_up(scene, frame)
        if type(frame.params) is not type(self.params):
            self.params = frame.params
        if frame.grid.level != self.frame.grid.level and not arrived:
            self._notify(f"water level {frame.grid.level:.3g} m")
        if frame.playback is not None:
            self._follow(frame, frame.playback)
        self.frame = frame
        self._loop.time_scale = self.interaction.time_scale
        if self.own_body.update(frame.grid):
            self.pointer.tool = "body"
        self._note_pointed()
        if self.probe is not None:
            self.probe.note(frame)
        if self.interaction.columns:
            watched = self.pointer.place() if self.probe is None else (self.probe.x, self.probe.z)
            self._row_watch.update(frame, watched)

    def _follow(self, frame: Frame, playback: PlaybackState) -> None:
        """Ask for what the camera sees of a recording, and keep the camera to the part that is shown."""
        if frame.bed is not self.frame.bed:
            self.camera.bounds = Bounds.of(frame)
        x, _, z = self.camera.target
        look = LookAt(x, z, self.camera.distance)
        if look != self._looked_at:
            self._looked_at = look
            self._loop.post(look)
        if playback.problem != self._problem:
            self._problem = playback.problem
            self._notify(playback.problem)

    def _note_pointed(self) -> None:
        """Find where on Earth the pointer is, when it, the camera or the scene has moved: that takes milliseconds."""
        place = self.frame.place
        by = (self.pointer.position, repr(self.camera), place, self.frame.grid)
        if by == self._pointed_by:
            return
        self._pointed_by = by
        hit = self.pointer.hit() if place.crs else None
        degrees = None if hit is None else longitude_latitude(place, hit.x, hit.z)
        found = () if degrees is None else tuple(map(float, degrees))
        self.pointed = place_text(*found) if found and all(map(math.isfinite, found)) else ""

    @property
    def row(self) -> RowView | None:
        """The row of water that is shown from the side, or None; the same object as long as it has not changed."""
        return self._row_watch.view if self.interaction.columns else None

    def _take_up(self, scene: SceneChange | None, frame: Frame) -> None:
        """Take up what belongs to `scene`, which arrived with `frame`; None where only the model has changed."""
        self.params, self.world_params = frame.params, dict(frame.world_params)
        self.edits.forget()
        way = self._way_back
        if way is not None and way.scene is scene:
            self._way_back = None
            self.edits.restart(way.label, way.go, is_undone=way.is_undo)
        if scene is None:
            return
        if self._leaving is not None and self._leaving[0] is scene:
            self._left = self._leaving[1]
        elif scene.is_new_place:
            self._left = None
        self.title = scene.title
        if scene.note():
            self._notify(scene.note())
        self.view, self.interaction = self.view.changed(**scene.view), self.interaction.changed(**scene.interaction)
        if scene.is_new_place:
            self.camera = (scene.camera or OrbitCamera.framing)(frame)
            # A recording is first shown whole, but may be come back to at a part of it.
            self._home = replace(self.camera) if frame.playback is None else OrbitCamera.framing(frame)
        self._settle(frame)

    def _settle(self, frame: Frame) -> None:
        """Decide for a recording as a whole what its ground is made of: parts of it may look otherwise."""
        self._looked_at, self._problem = None, ""
        if self._has_chosen_look:
            self.view = self.view.changed(look="auto")
        self._has_chosen_look = frame.playback is not None and self.view.look == "auto"
        if self._has_chosen_look:
            self.view = self.view.changed(look="natural" if wildness(frame) > 0.0 else "pool")

    def post(self, command: Command) -> None:
        """Send a command to the simulation; for a value that the viewer holds too, such as rain, use `change`."""
        self.is_touched = True
        self._loop.post(command)

    def edit(self, label: str, *commands: Command, key: Hashable = None, within: float = math.inf) -> None:
        """Send commands that make one change, which can be undone; arguments as for `Edits.begin`."""
        self.edits.begin(label, key, within=within)
        for command in commands:
            self.edits.send(command)

    def lay_over(self, gauge: str, path: Path) -> None:
        """Lay the measurements in a file over a gauge; the user is notified if that is impossible."""
        try:
            self.post(measured_series(gauge, path))
        except InputError as error:
            self._notify(str(error))

    # --- settings

    def scene_settings(self) -> list[tuple[Declaration, Value]]:
        """The settings of scene and terrain, each with its value."""
        return self._scenes.settings()

    def names(self) -> list[str]:
        """The names of the model and, if there is one, the preset; of the recording while one is played.

        While another scene is awaited they are still those of the one that is shown.
        """
        if self.frame.playback is not None:
            return [f"playing {self.frame.playback.recorded.title}"]
        if not (self._names and self._pending.is_awaited):
            self._names = tuple(name for name in self._scenes.names if name != NO_PRESET)
        return list(self._names)

    @property
    def can_be_disturbed(self) -> bool:
        """Whether drops fall into this water."""
        return any(model.Params is type(self.params) and model.can_be_disturbed for model in MODELS.values())

    def grid_cost(self, grid: int) -> GridCost:
        """What a grid of `grid` points along its longer side would cost with the present model."""
        values = {entry.name: value for entry, value in self.scene_settings()}
        model, params = MODELS[str(values["model"])], self.params
        wanted = params.steps_per_second if isinstance(params, WaterParams) else 0.0
        return GridCost.of(model, self.frame.grid.shape, grid, self._loop.step_seconds, wanted)

    def gallery(self) -> Sequence[PresetPreview]:
        """The presets."""
        return self._scenes.gallery()

    def change(self, owner: Owner, name: str, value: Value) -> None:
        """Give the parameter `name` of `owner` a value; the user is notified if the scene cannot have it.

        Raises:
            ParameterError: the value is not allowed.
        """
        if owner == "scene":
            self._change_scene(name, value)
            return
        changed = self._settings(owner).changed(**{name: value})
        label = declaration(type(changed), name).label
        self.edits.begin(label, (owner, name), self._swap_of(owner, name))
        self._keep(owner, changed)
        if owner in self.world_params:
            self.edits.send(SetParameter(f"{owner}_{name}", value))
        elif owner == "params":
            # As the parameters have it: with the content of a file in place of its name.
            self.edits.send(SetParameter(name, getattr(self.params, name)))
        elif owner == "interaction" and isinstance(value, float) and name in INTERACTION_COMMANDS:
            self.edits.send(INTERACTION_COMMANDS[name](value))

    def _settings(self, owner: Owner) -> Params:
        """The settings of an owner that is not the scene."""
        found: Params = self.world_params[owner] if owner in self.world_params else getattr(self, owner)
        return found

    def _keep(self, owner: Owner, settings: Params) -> None:
        if owner in self.world_params:
            self.world_params[owner] = settings
        else:
            setattr(self, owner, settings)

    def _swap_of(self, owner: Owner, name: str) -> Swap:
        """Gives a setting of the window back its present value."""
        kept = [getattr(self._settings(owner), name)]

        def swap() -> None:
            before = self._settings(owner)
            self._keep(owner, before.changed(**{name: kept[0]}))
            kept[0] = getattr(before, name)

        return swap

    def change_view(self, view: ViewParams) -> None:
        """Give the view other settings, such as those that a drag of the sun asks for."""
        kept = [self.view]

        def swap() -> None:
            kept[0], self.view = self.view, kept[0]

        self.edits.begin("sun", "view", swap)
        self.view = view

    def _change_scene(self, name: str, value: Value) -> None:
        if self.frame.playback is not None and name not in {"preset", "terrain"}:
            self._notify(PLAYED)
            return
        if name == "water_level":
            self.edit("water level", SetWaterLevel(float(value)), key="level", within=TOGETHER_SECONDS)
            return
        now = asdict(self.params) | prefixed_values(self.world_params) | {"rain": self.interaction.rain}
        self._go_to(lambda: self._scenes.change(name, value, now), name)

    def open(self, path: Path) -> None:
        """Go to the heightmap, preset, session or recording in a file, or make bodies of the mesh in it.

        The user is notified if that is impossible.
        """
        if is_mesh_file(path.name):
            self.own_body.open(path)
            return
        from waterview.lakes.played import is_playable

        # Dialogs choose files: a folder such as a lake is chosen by the one that describes it.
        path = path.parent if path.name == "zarr.json" else path
        self._go_to(lambda: self._recording(path) if is_playable(path) else self._scenes.open(path))

    def _recording(self, path: Path) -> SceneChange:
        from waterview.lakes.played import open_recording
        from waterview.scene.navigator import SceneChange

        def make() -> World:
            return World(PlayedWater(open_recording(path), self._cache, prepare=prepare_ground))

        return SceneChange(path.name, (ReplaceWater(make, replaces_all=True),))

    def show_frame(self, number: int) -> None:
        """Go to a frame of the recording that is played."""
        self._loop.post(ShowFrame(number))

    @property
    def recording_left(self) -> str:
        """The title of the recording that the live scene was made of; "" where it was not."""
        return "" if self._left is None else self._left.recorded.title

    def _go_live_or_back(self) -> None:
        """Make a live scene of the part of a recording that is shown, or go back to the recording."""
        playback = self.frame.playback
        if playback is not None:
            from waterview.scene.cut_out import part_around

            part = part_around(playback.recorded, self.frame.grid, self.interaction.live_points)
            self._go_live(_Left(playback.recorded, playback.number, part, replace(self.camera)))
        elif self._left is not None:
            self._return_to(self._left)
        else:
            self._notify("this is a live scene already: open a baked lake, .npz or .zarr to play it")

    def _go_live(self, left: _Left, *, is_undo: bool = False) -> None:
        there = left.part.grid(left.recorded.grid(left.part.level))
        middle = there.origin[0] + 0.5 * there.size[0], there.origin[2] + 0.5 * there.size[1]
        seen = left.camera

        def camera(frame: Frame) -> OrbitCamera:
            x, y, z = seen.target
            return replace(seen, bounds=Bounds.of(frame), target=(x - middle[0], y, z - middle[1]))

        scene = self._scenes.go_live(left.recorded, left.number, left.part, camera)
        self._leaving = scene, left
        label = BACK if is_undo else "simulate from here"
        self._request_scene(scene, _WayBack(scene, label, partial(self._return_to, left, is_undo=not is_undo), is_undo))

    def _return_to(self, left: _Left, *, is_undo: bool = False) -> None:
        """Go back to a recording as it was when it was left."""
        from waterview.scene.navigator import SceneChange

        recorded, number, seen = left.recorded, left.number, left.camera

        def make() -> World:
            water = PlayedWater(recorded, self._cache, prepare=prepare_ground)
            water.show(number)
            return World(water)

        def camera(frame: Frame) -> OrbitCamera:
            return replace(seen, bounds=Bounds.of(frame))

        title = f"{recorded.title} at {recorded.times[number]:.6g} s"
        scene = SceneChange(title, (ReplaceWater(make, replaces_all=True),), camera=camera)
        label = "simulate from here" if is_undo else BACK
        self._request_scene(scene, _WayBack(scene, label, partial(self._go_live, left, is_undo=not is_undo), is_undo))

    def _step_back(self) -> None:
        playback = self.frame.playback
        if playback is None:
            self._notify("water is computed forwards: only the frames of a recording can be gone back through")
        else:
            self.show_frame((playback.number - 1) % len(playback.recorded.times))

    def _calm(self) -> None:
        if self.frame.playback is not None:
            self.show_frame(0)
        else:
            self.edit("calm", Reset())

    def _go_to(self, make: Callable[[], SceneChange], setting: str = "terrain", *, is_undo: bool = False) -> None:
        """Go to the scene that `make` gives, which differs from this one by a `setting`."""
        values = {entry.name: value for entry, value in self.scene_settings()}
        if setting in {"terrain", "preset"}:
            setting = "terrain" if values.get("preset", NO_PRESET) == NO_PRESET else "preset"
        try:
            scene = make()
        except InputError as error:
            self._notify(str(error))
            return
        way = None
        if setting in values:
            back = partial(self._go_back, setting, values[setting], is_undo=not is_undo)
            way = _WayBack(scene, setting, back, is_undo)
        self._request_scene(scene, way)

    def _request_scene(self, scene: SceneChange, way: _WayBack | None) -> None:
        self._way_back = way
        self._request(scene, scene.commands)
        self._notify(scene.title)

    def _go_back(self, setting: str, value: Value, *, is_undo: bool) -> None:
        """Undo a change of the scene, or do it again: its setting gets its earlier value, with calm water."""
        now = asdict(self.params) | prefixed_values(self.world_params) | {"rain": self.interaction.rain}
        self._go_to(partial(self._scenes.change, setting, value, now), setting, is_undo=is_undo)

    def _request(self, scene: SceneChange | None, commands: Iterable[Command]) -> None:
        for command in self._pending.expect(scene, commands):
            self.post(command)

    # --- keys

    def key(self, name: str, modifiers: AbstractSet[str] = frozenset(), *, repeated: bool = False) -> None:
        """A key was pressed with the `modifiers` "shift", "ctrl", "alt" held; `repeated` while it stays down.

        A key declared with its modifier, such as "ctrl+up", takes precedence over the plain key. With a plain key of a
        parameter, Shift makes fine steps.
        """
        together = "+".join(modifier for modifier in ("ctrl", "alt", "shift") if modifier in modifiers)
        names = [f"{together}+{name}"] if together else []
        names += [f"{modifier}+{name}" for modifier in ("ctrl", "alt", "shift") if modifier in modifiers]
        names += [] if modifiers & {"ctrl", "alt"} else [name]
        fine = "shift" in modifiers and name != "+"  # many layouts type the plus sign with Shift
        for wanted in names:
            if self._step_parameter(wanted, fine=fine) or self._act_on(wanted, repeated):
                return

    def _step_parameter(self, key: str, *, fine: bool) -> bool:
        """Change the parameter that declares `key` by one step; whether there is one."""
        owners: tuple[Owner, ...] = ("params", "view", "interaction")
        for owner in owners:
            params: Params = getattr(self, owner)
            for entry in declarations(type(params)):
                if entry.keys is not None and key in entry.keys:
                    direction = +1 if key == entry.keys[1] else -1
                    value, most = self._stepped(entry, params, direction, fine=fine)
                    self.change(owner, entry.name, value)
                    if most:
                        self._notify(f"{entry.label} {value:.4g} {entry.unit} is the {most}".replace("  ", " "))
                    elif owner != "params":  # these are in the line of figures
                        shown = f"{value:.3g}" if isinstance(value, float) else str(value)
                        self._notify(f"{entry.label} {shown} {entry.unit}".rstrip())
                    return True
        return False

    def _stepped(self, entry: Declaration, params: Params, direction: int, *, fine: bool) -> tuple[Value, str]:
        """The value one step on, and why it goes no further; "" if it does.

        A request beyond what the solver can do stops there, and a step back begins there: else the keys would seem dead
        until the request is in range again.
        """
        value: Value = getattr(params, entry.name)
        effective = effective_value(entry, params, self.frame)
        if effective is not None and isinstance(value, float) and effective < value:
            if direction > 0:
                return effective, "most that this grid and step allow"
            value = effective
        stepped = entry.stepped(value, direction, fine=fine)
        if stepped != value or not isinstance(value, float):
            return stepped, ""
        return stepped, "highest that is allowed" if direction > 0 else "lowest that is allowed"

    def _act_on(self, key: str, repeated: bool) -> bool:
        """Do the action of `key`; whether there is one."""
        for action in ACTIONS:
            if key in action.keys:
                if not repeated or action.name in _REPEATING:
                    self.act(action.name)
                return True
        return False

    def act(self, name: str) -> None:
        """Do the action called `name` in `waterview.ui.keys.ACTIONS`; what the viewer cannot do, the window does."""
        if name in self._actions:
            self._actions[name]()
        else:
            self._perform(name)

    @cached_property
    def _actions(self) -> dict[str, Callable[[], None]]:
        return {
            "pause": lambda: self.post(Pause()),
            "step": lambda: self.post(StepOnce()),
            "back": self._step_back,
            "live": self._go_live_or_back,
            "calm": self._calm,
            "raise": lambda: self._raise_level(+_LEVEL_STEP),
            "lower": lambda: self._raise_level(-_LEVEL_STEP),
            "drop": self._drop_somewhere,
            "body": self._add_body,
            "course": self._begin_or_end_course,
            "delete": self._delete_body,
            "clear": lambda: self.edit("bodies taken away", RemoveBodies()),
            "undo": self.edits.undo,
            "redo": self.edits.redo,
            "gust": self._blow,
            "gauge": self._add_or_remove_gauge,
            "field": lambda: self.post(ShowNextField()),
            "close field": lambda: self.post(ShowField(None)),
            "terrain": lambda: self._go_to(self._scenes.next_terrain),
            "model": self._next_model,
            "view": self._frame_scene,
            "dive": self._toggle_dive,
            "deeper": lambda: self._sink(+_DEPTH_STEP),
            "shallower": lambda: self._sink(-_DEPTH_STEP),
            "wireframe": lambda: self.change("view", "wireframe", not self.view.wireframe),
            "columns": lambda: self.change("interaction", "columns", not self.interaction.columns),
            **{side: partial(self._next_border, side) for side in SIDES},
        }

    def _raise_level(self, share: float) -> None:
        relief = float(np.ptp(self.frame.bed)) or max(self.frame.grid.size)
        self.edit("water level", RaiseWaterLevel(share * relief), key="level", within=TOGETHER_SECONDS)

    def drop(self, x: float, z: float) -> None:
        """Let a drop of the size that was chosen fall at world x, z [m]; paused water goes on, if that was chosen."""
        self.post(usual_drop(self.frame.grid, x, z, self.interaction.drop_size))
        if self.interaction.click_starts and self._loop.paused:
            self.post(Pause(False))

    def _drop_somewhere(self) -> None:
        wet = np.flatnonzero(~self.frame.fixed)
        if not (self.can_be_disturbed and wet.size):
            self._notify("no water here that a drop disturbs")
            return
        iz, ix = divmod(int(self._places.choice(wet)), self.frame.grid.shape[1])
        self.drop(float(self.frame.grid.x[ix]), float(self.frame.grid.z[iz]))

    def _add_body(self) -> None:
        place, own = self._pointed_place(), self.own_body
        if own.found is not None:
            self.edit(own.found.name, own.body(*place))
            return
        kind, density = self.interaction.body_kind, self.interaction.density
        self.edit(kind, AddBody(kind, density, *place))

    def put_own_body_in_the_middle(self) -> None:
        """Add a body of the mesh file in the middle of the widest water."""
        own = self.own_body
        if own.found is not None:
            self.edit(own.found.name, own.body(*widest_water(self.frame.grid, self.frame.fixed)))

    def end_own_body(self) -> None:
        """Make no more bodies of the mesh file."""
        self.own_body.close()
        self.pointer.tool = "drop"

    def _delete_body(self) -> None:
        body = self.pointer.body()
        if body is None:
            self._notify("no body under the pointer to take away; Backspace takes all away")
            return
        self.edit(f"{body.kind} {body.number} taken away", RemoveBody(body.number))

    def _begin_or_end_course(self) -> None:
        chosen = self.pointer.body() or (self.frame.bodies[-1] if self.frame.bodies else None)
        if chosen is None:
            self._notify("no body to give a course to: add one with B")
            return
        name = f"{chosen.kind} {chosen.number}"
        if chosen.course is not None:
            self.edit(f"course of {name}", SetCourse(chosen.number, None))
            self._notify(f"{name} is adrift")
            return
        east, _, south = -self.camera.backward
        place = self.pointer.place()
        if place is not None and self.pointer.body() is None:
            east, south = place[0] - chosen.position[0], place[1] - chosen.position[2]
        heading, speed = heading_of(float(east), float(south)), usual_speed(float(chosen.scale.max()))
        self.edit(f"course of {name}", SetCourse(chosen.number, heading, speed))
        self._notify(f"{name} goes {heading:.0f}° at {speed:.3g} m/s")

    def _blow(self) -> None:
        self.post(usual_gust(self.frame.grid, *self._pointed_place(), -math.pi / 2.0 - self.camera.azimuth))

    def _add_or_remove_gauge(self) -> None:
        at, gauges = self.pointer.position, self.frame.gauges
        marked = None if at is None else mark_at(gauge_marks(self.frame, self.camera, at.size), at.x, at.y)
        place = self.pointer.place()
        if marked is not None:
            self.post(RemoveGauge(marked))
            self._notify(f"gauge {marked} removed")
        elif place is None:
            self._notify("no water under the pointer for a gauge")
        else:
            names = {gauge.name for gauge in gauges}
            name = next(name for name in map("G{}".format, itertools.count(1)) if name not in names)
            self.post(AddGauge(name, *place))
            self._notify(f"gauge {name} at {place[0]:.4g}, {place[1]:.4g}")

    def _pointed_place(self) -> tuple[float, float]:
        """World x, z of the water under the pointer; of the widest water if there is none."""
        return self.pointer.place() or widest_water(self.frame.grid, self.frame.fixed)

    def _next_model(self) -> None:
        if self.frame.playback is not None:
            self._notify(PLAYED)
            return
        before = [value for entry, value in self.scene_settings() if entry.name == "model"]
        name, command = self._scenes.next_model()
        if before:
            back = partial(self._go_back, "model", before[0], is_undo=True)
        self._way_back = _WayBack(None, "model", back, False) if before else None
        self._request(None, (command,))
        self._notify(name)

    def _frame_scene(self) -> None:
        # Of a recording the frame may be a part.
        home = OrbitCamera.framing(self.frame) if self.frame.playback is None else replace(self._home)
        self.camera = home

    def _toggle_dive(self) -> None:
        """Put the eye into the water near what is looked at, or back to where it was before."""
        if self.camera.dive:
            self.camera = replace(self._dry_camera or OrbitCamera.framing(self.frame), dive=False)
            self.camera.keep_above(self.frame)
            self._notify("the camera stays above water")
            return
        self._dry_camera = replace(self.camera)
        middle = pick(self.frame, *self.camera.ray(0.5, 0.5, (1, 1)))
        places = [(middle.x, middle.z)] if middle is not None and middle.kind == "water" else []
        if not self.frame.fixed.all():
            places.append(widest_water(self.frame.grid, self.frame.fixed))
        x, _, z = self.camera.target
        light = sight(self.frame, self.view), math.radians(self.view.sun_azimuth)
        dived = any(self.camera.dive_at(self.frame, *place, *light) for place in places)
        if dived or self.camera.dive_near(self.frame, x, z, *light):
            self._sink(0.0)
        else:
            self._notify("there is no water deep enough to dive into")

    def _sink(self, share: float) -> None:
        """Take the eye down by a share of the depth, or up."""
        if not self.camera.dive:
            self._notify("dive first: D")
            return
        depth = self.camera.sink(self.frame, share)
        self._notify(f"{depth:.3g} m under water; Shift+D goes deeper, Alt+D up, D out of the water")

    def _next_border(self, side: str) -> None:
        border, message = next_border(self.params, side)
        if border is not None:
            self.change("params", "border", border)
        self._notify(message)

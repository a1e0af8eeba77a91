"""What hands do: events with the names of keys and buttons become commands and movements of the camera."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from waterview.core.commands import (
    DROP_RADIUS,
    DROP_STEEPNESS,
    AddBody,
    Command,
    DragBody,
    GrabBody,
    PaintWall,
    Pause,
    RaiseWaterLevel,
    ReleaseBody,
    RemoveBodies,
    Reset,
    SetParameter,
    SetWaterLevel,
    ShowNextField,
    StepOnce,
    usual_drop,
    usual_gust,
)
from waterview.core.errors import InputError
from waterview.core.frame import Frame
from waterview.core.params import Declaration, Params, Value, declarations, prefixed_values
from waterview.core.shore import widest_water
from waterview.render.camera.camera import OrbitCamera
from waterview.render.camera.picking import Hit, pick, pick_body
from waterview.render.settings import ViewParams
from waterview.scene.interaction import INTERACTION_COMMANDS, InteractionParams
from waterview.ui.hud.plots import Probe
from waterview.ui.hud.row_view import RowView, RowWatch
from waterview.ui.panel.rows import Owner

from .border_keys import next_border
from .held import BodyDrag
from .interfaces import Loop, Scenes
from .keys import ACTIONS
from .pending_scenes import PendingScenes
from .pointer import hit_in_stroke, way

if TYPE_CHECKING:
    from waterview.scene.navigator import Opened
    from waterview.scene.presets import PresetPreview

LEFT, RIGHT, MIDDLE = 1, 2, 3
"""Mouse buttons as moderngl-window numbers them."""

_LEVEL_STEP = 0.01
_WAKE_SPACING = 0.5
_WAKE_HEIGHT = 0.3
_WALL_RADIUS = 0.008
_WALL_SPACING = 0.5


class Viewer:
    """Keeps what the user sees and holds: camera, parameters, the pressed button.

    Args:
        loop: the running simulation.
        view: the first settings of the view.
        scenes: the terrains and models that keys step through.
        tell: shows a message to the user.
        perform: does an action of the window itself: "fullscreen", "screenshot", "help", "quit".
    """

    def __init__(
        self,
        loop: Loop,
        view: ViewParams,
        scenes: Scenes,
        tell: Callable[[str], None],
        perform: Callable[[str], None],
    ) -> None:
        self._loop = loop
        self._scenes = scenes
        self._tell = tell
        self._perform = perform
        self.frame = loop.latest()
        self.params: Params = self.frame.params
        self.world_params = dict(self.frame.world_params)
        self.view = view
        self.interaction = InteractionParams()
        self.camera = OrbitCamera.framing(self.frame)
        self.title = ""  # of the scene gone on to; empty where it still is the first
        self._coming = PendingScenes()
        self._button: int | None = None
        self._pans = False
        self._moves_sun = False
        self._last: Hit | None = None
        self._held: BodyDrag | None = None
        self._pointer: tuple[float, float, tuple[int, int]] | None = None
        self._paints: bool | None = None
        self.probe: Probe | None = None
        self._watch = RowWatch()

    def update(self) -> None:
        """Take the newest frame; another water brings its own parameters, another terrain is looked at as a whole."""
        frame = self._loop.latest()
        arrived = self._coming.take(frame, self.frame)
        for brings in arrived:
            self._arrive(brings, frame)
        if type(frame.params) is not type(self.params):
            self.params = frame.params
        if frame.grid.level != self.frame.grid.level and not arrived:
            self._tell(f"water level {frame.grid.level:.3g} m")
        self.frame = frame
        if self.probe is not None:
            self.probe.note(frame)
        if self.interaction.columns:
            self._watch.look(frame, self._place_watched())

    @property
    def row(self) -> RowView | None:
        """The row of water that is shown from the side, or None; the same object as long as it has not changed."""
        return self._watch.view if self.interaction.columns else None

    def _arrive(self, brings: Opened | None, frame: Frame) -> None:
        """Other water is there: take up what belongs to it."""
        self.params, self.world_params = frame.params, dict(frame.world_params)
        if brings is None:
            return
        self.title = brings.title
        self.view, self.interaction = self.view.changed(**brings.view), self.interaction.changed(**brings.interaction)
        if brings.is_new_place:
            self.camera = (brings.camera or OrbitCamera.framing)(frame)

    # --- settings

    def scene_settings(self) -> list[tuple[Declaration, Value]]:
        """What may be chosen of scene and terrain, each with its value."""
        return self._scenes.settings()

    def gallery(self) -> Sequence[PresetPreview]:
        """The presets, for the panel."""
        return self._scenes.gallery()

    def change(self, owner: Owner, name: str, value: Value) -> None:
        """Give the parameter `name` a value: of scene, water ("params"), interaction, "bodies", "detail" or view.

        What the scene cannot be is told to the user.

        Raises:
            ParameterError: the value is not allowed.
        """
        if owner == "scene":
            self._set_scene(name, value)
            return
        if owner in self.world_params:
            self.world_params[owner] = self.world_params[owner].changed(**{name: value})
            self._loop.post(SetParameter(f"{owner}_{name}", value))
            return
        setattr(self, owner, getattr(self, owner).changed(**{name: value}))
        if owner == "params":
            self._loop.post(SetParameter(name, value))
        elif isinstance(value, float) and name in INTERACTION_COMMANDS:
            self._loop.post(INTERACTION_COMMANDS[name](value))

    def _set_scene(self, name: str, value: Value) -> None:
        if name == "water_level":
            self._loop.post(SetWaterLevel(float(value)))
            return
        now = asdict(self.params) | prefixed_values(self.world_params) | {"rain": self.interaction.rain}
        self._go_on(lambda: self._scenes.change(name, value, now))

    def open(self, path: Path) -> None:
        """Go on with the heightmap, preset or session in a file; where that cannot be, the user is told."""
        self._go_on(lambda: self._scenes.open(path))

    def _go_on(self, make: Callable[[], Opened]) -> None:
        try:
            opened = make()
        except InputError as error:
            self._tell(str(error))
            return
        self._ask_for(opened, opened.commands)
        self._tell(opened.title)

    # --- keys

    def key(self, name: str, held: frozenset[str] | set[str] = frozenset(), *, repeated: bool = False) -> None:
        """A key was pressed while the modifiers `held` ("shift", "ctrl", "alt") were; `repeated` while it stays down.

        A key declared with its modifier, such as "ctrl+up", goes before the plain one, of which Shift makes fine steps.
        """
        names = [f"{modifier}+{name}" for modifier in ("ctrl", "alt", "shift") if modifier in held]
        names += [] if held & {"ctrl", "alt"} else [name]
        for wanted in names:
            if self._do(wanted, "shift" in held, repeated):
                return

    def _do(self, name: str, fine: bool, repeated: bool) -> bool:
        """Whether anything is declared for the key `name`; if so it is done."""
        owners: tuple[Owner, ...] = ("params", "view", "interaction")
        for owner in owners:
            params: Params = getattr(self, owner)
            for entry in declarations(type(params)):
                if entry.keys is not None and name in entry.keys:
                    self._change(owner, entry, +1 if name == entry.keys[1] else -1, fine)
                    return True
        for action in ACTIONS:
            if action.key == name:
                if not repeated or action.name in {"step", "raise", "lower"}:
                    self.act(action.name)
                return True
        return False

    def _change(self, owner: Owner, entry: Declaration, direction: int, fine: bool) -> None:
        value = entry.stepped(getattr(getattr(self, owner), entry.name), direction, fine=fine)
        self.change(owner, entry.name, value)
        if owner == "params":
            return
        shown = f"{value:.3g}" if isinstance(value, float) else str(value)
        self._tell(f"{entry.label} {shown} {entry.unit}".rstrip())

    def act(self, name: str) -> None:
        """Do the action called `name` (see `waterview.ui.keys.ACTIONS`)."""
        match name:
            case "pause":
                self._loop.post(Pause())
            case "step":
                self._loop.post(StepOnce())
            case "calm":
                self._loop.post(Reset())
            case "raise" | "lower":
                relief = float(np.ptp(self.frame.bed)) or max(self.frame.grid.size)
                self._loop.post(RaiseWaterLevel((_LEVEL_STEP if name == "raise" else -_LEVEL_STEP) * relief))
            case "terrain":
                self._go_on(self._scenes.next_terrain)
            case "model":
                name, command = self._scenes.next_model()
                self._ask_for(None, (command,))
                self._tell(name)
            case "view":
                self.camera = OrbitCamera.framing(self.frame)
            case "dive":
                self.camera.dive = not self.camera.dive
                self.camera.keep_above(self.frame)
                self._tell("turn the view down to dive" if self.camera.dive else "the camera stays above water")
            case "wireframe" | "columns":
                owner: Owner = "view" if name == "wireframe" else "interaction"
                self.change(owner, name, not getattr(getattr(self, owner), name))
            case "north" | "east" | "south" | "west":
                self._change_border(name)
            case "body" | "clear" | "gust" | "field":
                self._loop.post(self._wish(name))
            case _:
                self._perform(name)

    def _change_border(self, side: str) -> None:
        border, words = next_border(self.params, side)
        if border is not None:
            self.change("params", "border", border)
        self._tell(words)

    def _wish(self, name: str) -> Command:
        """The command of an action that asks something of the water where the pointer is."""
        x, z = self._place_of_pointer()
        match name:
            case "body":
                return AddBody(self.interaction.body_kind, self.interaction.density, x, z)
            case "clear":
                return RemoveBodies()
            case "gust":
                return usual_gust(self.frame.grid, x, z, -math.pi / 2.0 - self.camera.azimuth)
            case _:
                return ShowNextField()

    def _ask_for(self, brings: Opened | None, commands: Sequence[Command]) -> None:
        for command in self._coming.expect(brings, commands):
            self._loop.post(command)

    # --- mouse: positions are in window units from the top left, `size` is the window's

    def press(
        self, button: int, x: float, y: float, size: tuple[int, int], held: frozenset[str] | set[str] = frozenset()
    ) -> None:
        """A button went down while the modifier keys `held` ("shift", "ctrl", "alt") were."""
        self._button, self._last = button, None
        self._pointer = (x, y, size)
        self._paints = button == LEFT if "ctrl" in held and button in (LEFT, RIGHT) else None
        self._pans = button == MIDDLE or (button == LEFT and "shift" in held)
        self._moves_sun = button == RIGHT and "alt" in held
        if self._paints is not None:
            self._paint(x, y, size)
        elif "alt" in held and button == LEFT:
            self._probe(x, y, size)
        elif button == LEFT and not self._pans and not self._grab(x, y, size):
            self._drop(x, y, size)

    def move(self, x: float, y: float, size: tuple[int, int]) -> None:
        """The pointer moved to x, y with no button down."""
        self._pointer = (x, y, size)

    def release(self) -> None:
        """The button went up."""
        if self._held is not None:
            self._loop.post(ReleaseBody())
        self._button = self._last = self._held = self._paints = None

    def drag(self, x: float, y: float, dx: float, dy: float, size: tuple[int, int]) -> None:
        """The pointer moved by dx, dy to x, y while a button was down."""
        self._pointer = (x, y, size)
        if self._paints is not None:
            self._paint(x, y, size)
        elif self._held is not None:
            self._loop.post(DragBody(self._held.point_under(*self.camera.ray(x, y, size))))
        elif self._pans:
            self.camera.pan(dx, dy, size)
            self.camera.keep_above(self.frame)
        elif self._moves_sun:
            self.view = self.view.with_sun_dragged(dx, dy, size)
        elif self._button == RIGHT:
            self.camera.orbit(dx, dy, size)
            self.camera.keep_above(self.frame)
        elif self._button == LEFT:
            self._draw_wake(self._water_under(x, y, size))

    def scroll(self, amount: float, x: float, y: float, size: tuple[int, int]) -> None:
        """The wheel turned by `amount` notches with the pointer at x, y."""
        hit = pick(self.frame, *self.camera.ray(x, y, size))
        self.camera.zoom(amount, (x, y), size, None if hit is None else (hit.x, hit.y, hit.z))
        self.camera.keep_above(self.frame)

    def _water_under(self, x: float, y: float, size: tuple[int, int]) -> Hit | None:
        """The water under the pointer; None where there is none or terrain stands before it."""
        hit = pick(self.frame, *self.camera.ray(x, y, size))
        return hit if hit is not None and hit.kind == "water" else None

    def _drop(self, x: float, y: float, size: tuple[int, int]) -> None:
        hit = self._water_under(x, y, size)
        if hit is not None:
            self._loop.post(usual_drop(self.frame.grid, hit.x, hit.z, self.interaction.drop_size))
            self._last = hit

    def _grab(self, x: float, y: float, size: tuple[int, int]) -> bool:
        """Take hold of the body under the pointer, if there is one; land in front of it hides it."""
        origin, direction = self.camera.ray(x, y, size)
        found = pick_body(self.frame.bodies, origin, direction)
        if found is None:
            return False
        body, point = found
        hit = pick(self.frame, origin, direction)
        distance = float(np.linalg.norm(point - origin))
        if hit is not None and hit.kind == "terrain" and math.dist((hit.x, hit.y, hit.z), origin) < distance:
            return False
        self._held = BodyDrag(point, self.camera.backward)
        self._loop.post(GrabBody(body.number, (float(point[0]), float(point[1]), float(point[2]))))
        return True

    def _paint(self, x: float, y: float, size: tuple[int, int]) -> None:
        """Raise a wall along the pointer's way, or take it away."""
        hit = hit_in_stroke(self._last, self.frame, *self.camera.ray(x, y, size))
        # A pointer on a wall is on its near side: so wide, a stroke takes away the far side, too.
        radius = _WALL_RADIUS * (1.0 if self._paints else 3.0) * self.interaction.drop_size * max(self.frame.grid.size)
        if hit is not None and self._paints is not None:
            start = None if self._last is None else (self._last.x, self._last.z)
            if start is not None and math.dist(start, (hit.x, hit.z)) < _WALL_SPACING * radius:
                return  # quick mice send a thousand events a second
            self._loop.post(PaintWall(hit.x, hit.z, radius, self._paints, start))
        self._last = hit

    def _probe(self, x: float, y: float, size: tuple[int, int]) -> None:
        """Watch the height of the water under the pointer; away from water, watch no longer."""
        hit = self._water_under(x, y, size)
        self.probe = None if hit is None else Probe(hit.x, hit.z)

    def _place_watched(self) -> tuple[float, float] | None:
        """World x, z of the probe, or of the water under the pointer; None where there is neither."""
        if self.probe is not None:
            return self.probe.x, self.probe.z
        hit = self._water_under(*self._pointer) if self._pointer is not None else None
        return None if hit is None else (hit.x, hit.z)

    def _place_of_pointer(self) -> tuple[float, float]:
        """World x, z of the water under the pointer; of the widest water where there is none."""
        hit = self._water_under(*self._pointer) if self._pointer is not None else None
        return (hit.x, hit.z) if hit is not None else widest_water(self.frame.grid, self.frame.fixed)

    def _draw_wake(self, hit: Hit | None) -> None:
        """Drops along the pointer's way, closer than a drop is wide, so that they join to a wake."""
        spacing = _WAKE_SPACING * self.interaction.drop_size * DROP_RADIUS * max(self.frame.grid.size)
        places = way(self._last, hit, spacing)
        for x, z in places:
            drop = usual_drop(self.frame.grid, x, z, self.interaction.drop_size, DROP_STEEPNESS * _WAKE_HEIGHT)
            self._loop.post(drop)
        if places or hit is None or self._last is None:
            self._last = hit

"""What hands do: events with the names of keys and buttons become commands and movements of the camera."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from waterview.core.commands import (
    DROP_RADIUS,
    DROP_STEEPNESS,
    Command,
    Pause,
    Reset,
    SetParameter,
    SetWaterLevel,
    StepOnce,
    usual_drop,
)
from waterview.core.frame import Frame
from waterview.core.params import Declaration, Params, declarations, param
from waterview.render.camera import OrbitCamera
from waterview.render.picking import Hit, pick
from waterview.render.settings import ViewParams

from .keys import ACTIONS

LEFT, RIGHT, MIDDLE = 1, 2, 3
"""Mouse buttons as moderngl-window numbers them."""

_LEVEL_STEP = 0.01
_WAKE_SPACING = 0.5
_WAKE_HEIGHT = 0.3


@dataclass(frozen=True, kw_only=True)
class HandParams(Params):
    """What the hand does to the water."""

    drop_size: float = param(
        1.0, low=0.1, high=10.0, step=1.25, scale="log", keys=("-", "+"), doc="Size of drops, 1 is the usual one."
    )


class Loop(Protocol):
    """The part of the simulation that hands need."""

    def post(self, command: Command) -> None:
        """Ask something of the water."""

    def latest(self) -> Frame:
        """The newest frame."""
        ...

    @property
    def paused(self) -> bool:
        """Whether time stands still."""
        ...


class Scenes(Protocol):
    """What keys step through."""

    def next_terrain(self) -> tuple[str, Command]:
        """The next terrain's title and the command that goes on there."""
        ...

    def next_model(self, level: float) -> tuple[str, Command]:
        """The next model's name and the command that goes on with it, still water at `level` [m]."""
        ...


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
        self.view = view
        self.hand = HandParams()
        self.camera = OrbitCamera.framing(self.frame)
        self._coming: str | None = None
        self._button: int | None = None
        self._pans = False
        self._last_drop: Hit | None = None

    def update(self) -> None:
        """Take the newest frame; another water brings its own parameters, another terrain is looked at as a whole."""
        frame = self._loop.latest()
        if self._coming is not None and frame.bed is not self.frame.bed:
            self.params = frame.params
            if self._coming == "terrain":
                self.camera = OrbitCamera.framing(frame)
            self._coming = None
        self.frame = frame

    # --- keys

    def key(self, name: str, *, fine: bool = False, repeated: bool = False) -> None:
        """A key was pressed; `fine` while Shift is held, `repeated` while it is held down."""
        for owner in ("params", "view", "hand"):
            params: Params = getattr(self, owner)
            for entry in declarations(type(params)):
                if entry.keys is not None and name in entry.keys:
                    self._change(owner, entry, +1 if name == entry.keys[1] else -1, fine)
                    return
        for action in ACTIONS:
            if action.key == name and (not repeated or action.name in {"step", "raise", "lower"}):
                self.act(action.name)

    def _change(self, owner: str, entry: Declaration, direction: int, fine: bool) -> None:
        params: Params = getattr(self, owner)
        value = entry.stepped(getattr(params, entry.name), direction, fine=fine)
        setattr(self, owner, params.changed(**{entry.name: value}))
        if owner == "params":
            self._loop.post(SetParameter(entry.name, value))
        else:
            self._tell(f"{entry.label} {value:.3g} {entry.unit}".rstrip())

    def act(self, name: str) -> None:
        """Do the action called `name` (see `waterview.ui.keys.ACTIONS`)."""
        match name:
            case "pause":
                self._loop.post(Pause(not self._loop.paused))
            case "step":
                self._loop.post(StepOnce())
            case "calm":
                self._loop.post(Reset())
            case "raise" | "lower":
                self._change_level(+1 if name == "raise" else -1)
            case "terrain":
                self._go_to("terrain", *self._scenes.next_terrain())
            case "model":
                self._go_to("model", *self._scenes.next_model(self.frame.grid.level))
            case "view":
                self.camera = OrbitCamera.framing(self.frame)
            case "wireframe":
                self.view = self.view.changed(wireframe=not self.view.wireframe)
            case _:
                self._perform(name)

    def _go_to(self, what: str, name: str, command: Command) -> None:
        self._coming = what
        self._loop.post(command)
        self._tell(name)

    def _change_level(self, direction: int) -> None:
        bed = self.frame.bed
        relief = float(np.ptp(bed)) or max(self.frame.grid.size)
        level = self.frame.grid.level + direction * _LEVEL_STEP * relief
        self._loop.post(SetWaterLevel(level))
        self._tell(f"water level {level:.3g} m")

    # --- mouse: positions are in window units from the top left, `size` is the window's

    def press(self, button: int, x: float, y: float, size: tuple[int, int], *, shift: bool = False) -> None:
        """A button went down."""
        self._button = button
        self._pans = button == MIDDLE or (button == LEFT and shift)
        self._last_drop = None
        if button == LEFT and not self._pans:
            hit = self._water_under(x, y, size)
            if hit is not None:
                self._loop.post(usual_drop(self.frame.grid, hit.x, hit.z, self.hand.drop_size))
                self._last_drop = hit

    def release(self) -> None:
        """The button went up."""
        self._button, self._last_drop = None, None

    def drag(self, x: float, y: float, dx: float, dy: float, size: tuple[int, int]) -> None:
        """The pointer moved by dx, dy to x, y while a button was down."""
        if self._pans:
            self.camera.pan(dx, dy, size)
            self.camera.keep_above(self.frame)
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

    def _draw_wake(self, hit: Hit | None) -> None:
        """Drops along the pointer's way, closer than a drop is wide, so that they join to a wake."""
        start = self._last_drop
        if hit is None or start is None:
            self._last_drop = hit
            return
        spacing = _WAKE_SPACING * self.hand.drop_size * DROP_RADIUS * max(self.frame.grid.size)
        count = int(math.hypot(hit.x - start.x, hit.z - start.z) / spacing)
        for number in range(1, count + 1):
            share = number / count
            x, z = start.x + share * (hit.x - start.x), start.z + share * (hit.z - start.z)
            drop = usual_drop(self.frame.grid, x, z, self.hand.drop_size, DROP_STEEPNESS * _WAKE_HEIGHT)
            self._loop.post(drop)
        if count:
            self._last_drop = hit

"""What the window needs of the simulation and of the scenes, without depending on either."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from waterview.core.commands import Command
from waterview.core.errors import InputError
from waterview.core.frame import Frame
from waterview.core.params import Declaration, Value

if TYPE_CHECKING:
    from waterview.scene.navigator import SceneChange
    from waterview.scene.presets import PresetPreview


class Loop(Protocol):
    """A running simulation; see `waterview.sim.loop.Simulation`."""

    def post(self, command: Command) -> None:
        """Send a command; it is applied before the next step."""

    def latest(self) -> Frame:
        """The newest frame."""
        ...

    @property
    def paused(self) -> bool:
        """Whether time stands still."""
        ...

    @property
    def steps_per_second(self) -> float:
        """Steps really taken a second."""
        ...

    @property
    def preparing(self) -> str:
        """What the simulation is waiting for, in words; "" if for nothing."""
        ...

    def take_problem(self) -> InputError | None:
        """The oldest error of a command that was not taken yet, or None."""


class Scenes(Protocol):
    """The scenes to choose from; see `waterview.scene.navigator.Navigator`."""

    def next_terrain(self) -> SceneChange:
        """The next terrain."""
        ...

    def next_model(self) -> tuple[str, Command]:
        """The name of the next model, and the command that replaces the water by it."""
        ...

    def settings(self) -> list[tuple[Declaration, Value]]:
        """The settings of scene and terrain, each with its value."""
        ...

    def gallery(self) -> Sequence[PresetPreview]:
        """The presets."""
        ...

    def change(self, name: str, value: Value, now: Mapping[str, Value]) -> SceneChange:
        """The scene with the setting `name` changed, and all others as they are `now`."""
        ...

    def open(self, path: Path) -> SceneChange:
        """The heightmap, preset or session in a file."""
        ...

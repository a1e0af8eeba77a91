"""What hands need of the simulation and of the scenes, without knowing either."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from waterview.core.commands import Command
from waterview.core.frame import Frame
from waterview.core.params import Declaration, Value

if TYPE_CHECKING:
    from waterview.scene.navigator import Opened
    from waterview.scene.presets import PresetPreview


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

    def next_terrain(self) -> Opened:
        """The next terrain."""
        ...

    def next_model(self) -> tuple[str, Command]:
        """The next model's name and the command that goes on with it."""
        ...

    def settings(self) -> list[tuple[Declaration, Value]]:
        """What may be chosen of scene and terrain, each with its value."""
        ...

    def gallery(self) -> Sequence[PresetPreview]:
        """The presets, for the panel."""
        ...

    def change(self, name: str, value: Value, now: Mapping[str, Value]) -> Opened:
        """The scene with one of its settings changed, all else as it is `now`."""
        ...

    def open(self, path: Path) -> Opened:
        """The heightmap, preset or session in a file."""
        ...

"""Scenes that were asked for, until their water is there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from waterview.core.commands import Command, ReplaceWater
from waterview.core.errors import InputError
from waterview.core.frame import Frame

if TYPE_CHECKING:
    from waterview.scene.navigator import SceneChange


@dataclass
class _Pending:
    """A scene whose water may not be made yet; None where only the model changes."""

    scene: SceneChange | None
    is_made: bool = False
    has_failed: bool = False

    def make(self, make: Callable[[], Any]) -> Any:
        """What `make` makes; noted here."""
        try:
            made = make()
        except InputError:
            self.has_failed = True
            raise
        self.is_made = True
        return made

    def cancel(self, cancelled: Callable[[], None]) -> None:
        """Note that the water was taken away again."""
        self.has_failed = True
        cancelled()


class PendingScenes:
    """Keeps what belongs to a scene, such as its camera, until the first frame of its water.

    The water is made on the simulation's thread. Meanwhile other scenes may be asked for or may fail, and painted walls
    change the ground, too. A scene whose water cannot be made never arrives. One that is superseded before its water is
    made arrives together with the later one.
    """

    def __init__(self) -> None:
        self._pending: list[_Pending] = []

    def expect(self, scene: SceneChange | None, commands: Iterable[Command]) -> list[Command]:
        """Expect `scene`, or None where only the model changes; returns `commands` in the form to be posted."""
        pending = _Pending(scene)
        self._pending.append(pending)
        return [
            replace(
                command,
                make=partial(pending.make, command.make),
                cancelled=partial(pending.cancel, command.cancelled),
            )
            if isinstance(command, ReplaceWater)
            else command
            for command in commands
        ]

    @property
    def is_awaited(self) -> bool:
        """Whether a scene was asked for that is not there yet."""
        return any(not pending.has_failed for pending in self._pending)

    def arrived(self, frame: Frame, before: Frame) -> list[SceneChange | None]:
        """The scenes that arrived with `frame`, oldest first, where `before` is the frame of the last call."""
        if frame.bed is before.bed:
            return []
        count = max((number for number, pending in enumerate(self._pending, 1) if pending.is_made), default=0)
        arrived, self._pending = self._pending[:count], self._pending[count:]
        return [pending.scene for pending in arrived if not pending.has_failed]

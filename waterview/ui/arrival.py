"""Other water that was asked for, from the wish until it is seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from waterview.core.commands import Command, ReplaceWater
from waterview.core.frame import Frame

if TYPE_CHECKING:
    from waterview.scene import Opened


class Arrival:
    """What comes with other water, kept until that is there.

    The water is made on the simulation's thread, and only there it is learned that it was: meanwhile other requests may
    fail, and walls that are painted change the ground, too. If it cannot be made, it is never there.

    Args:
        brings: a scene with its settings, or "terrain" or "model", which come without.
    """

    def __init__(self, brings: Opened | str) -> None:
        self.brings = brings
        self._is_made = False

    def watched(self, command: Command) -> Command:
        """`command`, to be posted in its place: if it makes the water, it is noted here when that is done."""
        if not isinstance(command, ReplaceWater):
            return command
        return replace(command, make=lambda: self._make(command.make))

    def _make(self, make: Callable[[], Any]) -> Any:
        made = make()
        self._is_made = True
        return made

    def is_in(self, frame: Frame, before: Frame) -> bool:
        """Whether `frame` shows the water, when `before` was the last one that was looked at."""
        return self._is_made and frame.bed is not before.bed

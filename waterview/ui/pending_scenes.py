"""Other waters that were asked for, from the wish until they are seen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from waterview.core.commands import Command, ReplaceWater
from waterview.core.errors import InputError
from waterview.core.frame import Frame

if TYPE_CHECKING:
    from waterview.scene.navigator import Opened

    Brings = Opened | None


class _Arrival:
    """One water and what it `brings`."""

    def __init__(self, brings: Brings) -> None:
        self.brings = brings
        self.is_made = self.has_failed = False

    def make(self, make: Callable[[], Any]) -> Any:
        """Make the water and note whether that could be done."""
        try:
            made = make()
        except InputError:
            self.has_failed = True
            raise
        self.is_made = True
        return made


class PendingScenes:
    """What comes with other waters, kept until they are there.

    A water is made on the simulation's thread, and only there it is learned that it was: meanwhile other requests may
    fail, and walls that are painted change the ground, too. If it cannot be made, it is never there. If another
    supersedes it before it is made, what it was to bring comes with the other: the place to be looked at, say.
    """

    def __init__(self) -> None:
        self._coming: list[_Arrival] = []

    def expect(self, brings: Brings, commands: Iterable[Command]) -> list[Command]:
        """Keep what is brought: a scene with its settings, or None where only the model is another.

        Returns `commands`, to be posted in their place: of the one that makes the water it is noted when that is done.
        """
        arrival = _Arrival(brings)
        self._coming.append(arrival)
        return [_watched(command, arrival) for command in commands]

    def take(self, frame: Frame, before: Frame) -> Sequence[Brings]:
        """What has come with `frame`, in the order of the wishes, when `before` was the last one that was looked at."""
        if frame.bed is before.bed:
            return ()
        come = max((number for number, coming in enumerate(self._coming, 1) if coming.is_made), default=0)
        arrived, self._coming = self._coming[:come], self._coming[come:]
        return [arrival.brings for arrival in arrived if not arrival.has_failed]


def _watched(command: Command, arrival: _Arrival) -> Command:
    if not isinstance(command, ReplaceWater):
        return command
    return replace(command, make=lambda: arrival.make(command.make))

"""What the user has changed, in order, so that it can be undone and redone.

The world keeps what its commands have replaced (`waterview.sim.history`). What only the window knows, such as the
settings of the view, is kept here. Both have the number of their change in common.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable

from waterview.core.commands import BeginChange, Command, RedoChange, UndoChange

MOST_EDITS = 200
"""Most changes that are kept."""

TOGETHER_SECONDS = 0.8
"""Changes of the same setting that follow each other so soon are one change: a drag of a slider, a key held down."""

Swap = Callable[[], None]
"""Gives back what was replaced, and keeps what is there now in its place."""


class Edit:
    """One change.

    Attributes:
        number: that the world knows it by.
        label: what was changed, for people.
        key: what it is a change of; changes of one key in quick succession are one.
        swaps: of what the window keeps, oldest first.
        is_in_world: whether commands of it were posted.
    """

    def __init__(self, number: int, label: str, key: Hashable) -> None:
        self.number, self.label, self.key = number, label, key
        self.swaps: list[Swap] = []
        self.is_in_world = False


class Edits:
    """All changes, and where in them the user is.

    Args:
        post: sends a command to the simulation.
        notify: shows a message to the user.
        clock: seconds that never run backwards.
    """

    def __init__(
        self,
        post: Callable[[Command], None],
        notify: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._post, self._notify, self._clock = post, notify, clock
        self._done: list[Edit] = []
        self._undone: list[Edit] = []
        self._number = 0
        self._last = 0.0

    def begin(
        self, label: str, key: Hashable = None, swap: Swap | None = None, within: float = TOGETHER_SECONDS
    ) -> None:
        """A change begins, or goes on where the last one has the same `key` and is at most `within` [s] old.

        Args:
            label: what is changed, for people.
            key: what it is a change of; None makes it a change of its own.
            swap: of what the window keeps; of a change that goes on only the first one counts.
            within: how long it may go on [s].
        """
        now, last = self._clock(), self._done[-1] if self._done else None
        goes_on = last is not None and key is not None and last.key == key and now - self._last <= within
        self._last, self._undone = now, []
        if goes_on:
            return
        self._number += 1
        edit = Edit(self._number, label, key)
        edit.swaps += [] if swap is None else [swap]
        self._done = [*self._done, edit][-MOST_EDITS:]

    def send(self, command: Command) -> None:
        """Send a command that belongs to the change that has begun."""
        if self._done and not self._done[-1].is_in_world:
            self._done[-1].is_in_world = True
            self._post(BeginChange(self._done[-1].number))
        self._post(command)

    def forget(self) -> None:
        """Forget all changes: another scene has come."""
        self._done, self._undone = [], []

    def restart(self, label: str, swap: Swap, *, is_undone: bool) -> None:
        """Forget all changes but one, which has brought another scene; `is_undone`: by being undone."""
        self._number += 1
        edit = Edit(self._number, label.replace("_", " "), None)
        edit.swaps.append(swap)
        self._done, self._undone = ([], [edit]) if is_undone else ([edit], [])

    def undo(self) -> None:
        """Undo the last change; the user is told which."""
        self._move(self._done, self._undone, UndoChange, "undone", "nothing to undo")

    def redo(self) -> None:
        """Redo the change undone last; the user is told which."""
        self._move(self._undone, self._done, RedoChange, "done again", "nothing to redo")

    def _move(
        self,
        here: list[Edit],
        there: list[Edit],
        command: type[UndoChange] | type[RedoChange],
        verb: str,
        nothing: str,
    ) -> None:
        if not here:
            self._notify(nothing)
            return
        edit = here.pop()
        there.append(edit)
        self._last = -TOGETHER_SECONDS  # what comes next is a change of its own
        for swap in reversed(edit.swaps):
            swap()
        if edit.is_in_world:
            self._post(command(edit.number))
        self._notify(f"{verb}: {edit.label}")

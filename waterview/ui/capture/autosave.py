"""Saving what is seen, by hand and every half minute, so that a crash costs little."""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from platformdirs import user_data_path

from waterview.core.commands import Capture
from waterview.core.errors import InputError
from waterview.output.lock import lock_file
from waterview.ui.interfaces import Loop

AUTOSAVE_SECONDS = 30.0
"""How often a session is saved by itself."""

_SAVED, _RESCUED = "session.waterview", "rescued.waterview"
_RUNNING = ("running.waterview", *(f"running-{number}.waterview" for number in range(2, 10)))


class Autosave:
    """Saves sessions, and finds the one that a crash left behind; a context manager for the time that it runs.

    While the program runs, its session is saved again and again into a file that is removed at a clean end: if it is
    there at the start, the program before ended otherwise, and that file is kept as `rescued`. Programs that run at
    the same time have a file each, held by a lock.

    Args:
        loop: the running simulation.
        save: writes a session of a world to a path, given what else belongs to it; see
            `waterview.scene.serialise.write_session`.
        tell: shows a message to the user.
        folder: where sessions are kept; None means the user's data.
    """

    def __init__(
        self,
        loop: Loop,
        save: Callable[[Path, Any, dict[str, Any]], None],
        tell: Callable[[str], None],
        folder: Path | None = None,
    ) -> None:
        self._loop = loop
        self._save = save
        self._tell = tell
        self._folder = folder or user_data_path("waterview", appauthor=False)
        self._messages: deque[str] = deque()
        self._next: float | None = None
        self._wrote = self._ended = False
        self._running = self._folder / _RUNNING[0]
        self._lock: IO[bytes] | None = None

    @property
    def saved(self) -> Path:
        """Where `save` writes to."""
        return self._folder / _SAVED

    @property
    def rescued(self) -> Path:
        """What a crash left behind, if it exists."""
        return self._folder / _RESCUED

    def _rescue(self, running: Path) -> None:
        try:
            os.replace(running, self.rescued)
        except OSError:
            return  # nothing was left behind, or nothing can be done about it
        self._tell("waterview did not end well the last time: Shift+F9 goes on where it was")

    def save(self, seen: dict[str, Any]) -> None:
        """Save the session with how it is `seen`; the user is told when it is done, or why it cannot be."""

        def take(world: Any) -> None:
            self._save(self.saved, world, seen)
            self._messages.append(f"saved {self.saved}; F9 goes back to it")

        self._loop.post(Capture(take))

    def update(self, now: float, seen: Callable[[], dict[str, Any]]) -> None:
        """Tell what has been done, and save by itself where it is time, at `now` [s]."""
        while self._messages:
            self._tell(self._messages.popleft())
        if self._next is None:
            self._next = now + AUTOSAVE_SECONDS
        if now >= self._next:
            self._next = now + AUTOSAVE_SECONDS
            self._loop.post(Capture(self._autosaver(seen())))

    def _autosaver(self, seen: dict[str, Any]) -> Callable[[Any], None]:
        def take(world: Any) -> None:
            # Nobody asked for it: a water that cannot be saved, or a full disk, is told when somebody does.
            with contextlib.suppress(InputError):
                self._save(self._running, world, seen)
                self._wrote = True
            if self._ended:
                self._forget()

        return take

    def _forget(self) -> None:
        """Remove what was saved by itself; where that cannot be done, the next start offers it, which does no harm."""
        with contextlib.suppress(OSError):
            self._running.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        """Hold the first file that no other program holds; what lies in files that nobody holds was left behind."""
        try:
            for name in _RUNNING:
                if self._lock is None or (self._folder / name).exists():
                    self._look_after(self._folder / name)
        except OSError:  # where nothing can be locked, there is one file for all
            self._rescue(self._running)
        return self

    def _look_after(self, running: Path) -> None:
        lock = lock_file(running.with_suffix(".lock"))
        if lock is None:
            return
        self._rescue(running)
        if self._lock is None:
            self._running, self._lock = running, lock
        else:
            lock.close()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """The program ends; as it should, unless by an error."""
        if kind is None or not issubclass(kind, Exception):
            self._ended = True
            if self._wrote:
                self._forget()
        if self._lock is not None:
            self._lock.close()

"""Sessions saved by a key, and every half minute, so that a crash costs little."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Self

from platformdirs import user_data_path

from waterview.core.commands import SaveWorld
from waterview.core.errors import InputError
from waterview.core.lock import lock_file

if TYPE_CHECKING:
    from waterview.sim.loop import Simulation

_log = logging.getLogger(__name__)

AUTOSAVE_SECONDS = 30.0
"""Time between two automatic saves [s]."""

END_SECONDS = 1.0
"""Longest time that the end of the program waits for its session to be saved [s]."""

_SAVED, _RESCUED, _LAST = "session.waterview", "rescued.waterview", "last.waterview"
_TOLD = "shift-f9-is-known"
"""An empty file: that a normal end can be gone on from is told once, and not at every start."""

_RUNNING = ("running.waterview", *(f"running-{number}.waterview" for number in range(2, 10)))


class Autosave:
    """Saves sessions, and finds the one that a crash left behind. A context manager around the run of the program.

    While the program runs, its session is saved every `AUTOSAVE_SECONDS` into a file that is removed at a clean end. If
    a program finds such a file at its start, the last one crashed, and the file is moved to `rescued`. Programs that
    run at the same time have a file each, and each locks its own.

    Args:
        loop: the running simulation.
        save: writes a world and the state of its view to a path; see
            `waterview.scene.serialise.write_session`.
        notify: shows a message to the user.
        folder: where sessions are saved; None is the user's folder of data.
    """

    def __init__(
        self,
        loop: Simulation,
        save: Callable[[Path, Any, dict[str, Any]], None],
        notify: Callable[[str], None],
        folder: Path | None = None,
    ) -> None:
        self._loop = loop
        self._save = save
        self._notify = notify
        self._folder = folder or user_data_path("waterview", appauthor=False)
        self._messages: deque[str] = deque()
        self._next_save: float | None = None
        self._wrote = self._ended = self._has_rescued = False
        self._running = self._folder / _RUNNING[0]
        self._lock: IO[bytes] | None = None

    @property
    def saved(self) -> Path:
        """The file that `save` writes."""
        return self._folder / _SAVED

    @property
    def rescued(self) -> Path:
        """The session that the last end of the program left behind, by a crash or not, if this file exists."""
        found = [path for path in (self._folder / _RESCUED, self._folder / _LAST) if path.exists()]
        return max(found, key=lambda path: path.stat().st_mtime, default=self._folder / _RESCUED)

    def _rescue(self, running: Path) -> None:
        try:
            os.replace(running, self._folder / _RESCUED)
            os.utime(self._folder / _RESCUED)  # newer than what an earlier end has left
        except OSError:
            return  # nothing was left behind, or it cannot be moved
        self._has_rescued = True
        self._notify("waterview did not end well the last time: Shift+F9 goes on where it was")

    def keep_last(self, seen: dict[str, Any], patience: float = END_SECONDS) -> None:
        """The program ends: keep the session to go on with the next time; waits at most `patience` [s] for the water.

        Nobody asked for this: what cannot be saved is not kept.
        """
        done = threading.Event()

        def take(world: Any) -> None:
            try:
                self._save(self._folder / _LAST, world, seen)
            except InputError as error:
                _log.warning("the session is not kept for the next start: %s", error)
            finally:
                done.set()

        self._loop.post(SaveWorld(take))
        end = time.monotonic() + patience
        while not done.is_set() and time.monotonic() < end:
            self._loop.latest()  # a loop without a thread of its own works only then
            done.wait(0.01)

    def save(self, seen: dict[str, Any]) -> None:
        """Save the session with the state of its view, `seen`; the user is notified of success or the error."""

        def take(world: Any) -> None:
            self._save(self.saved, world, seen)
            self._messages.append(f"saved {self.saved}; F9 goes back to it")

        self._loop.post(SaveWorld(take))

    def update(self, now: float, seen: Callable[[], dict[str, Any]]) -> None:
        """Show messages of what was saved, and save automatically if it is time, at `now` [s]."""
        while self._messages:
            self._notify(self._messages.popleft())
        if self._next_save is None:
            self._next_save = now + AUTOSAVE_SECONDS
        if now >= self._next_save:
            self._next_save = now + AUTOSAVE_SECONDS
            self._loop.post(SaveWorld(self._autosaver(seen())))

    def _autosaver(self, seen: dict[str, Any]) -> Callable[[Any], None]:
        def take(world: Any) -> None:
            # Nobody asked for this save. If the user does, `save` reports the full disk or the unsavable water.
            try:
                self._save(self._running, world, seen)
                self._wrote = True
            except InputError as error:
                _log.warning("no automatic save: %s", error)
            if self._ended:
                self._forget()

        return take

    def _forget(self) -> None:
        """Remove the automatic save; if that fails, the next start offers it, which does no harm."""
        with contextlib.suppress(OSError):
            self._running.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        """Lock the first file that is not locked; further files without a lock were left behind by crashes."""
        try:
            for name in _RUNNING:
                if self._lock is None or (self._folder / name).exists():
                    self._claim(self._folder / name)
        except OSError:  # where there are no locks, there is one file for all programs
            self._rescue(self._running)
        if not self._has_rescued and (self._folder / _LAST).exists() and not (self._folder / _TOLD).exists():
            self._notify("Shift+F9 goes on where you were the last time")
            with contextlib.suppress(OSError):
                (self._folder / _TOLD).touch()
        return self

    def _claim(self, running: Path) -> None:
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
        """The program ends: cleanly, or by an error, after which the session stays."""
        if kind is None or not issubclass(kind, Exception):
            self._ended = True
            if self._wrote:
                self._forget()
        if self._lock is not None:
            self._lock.close()

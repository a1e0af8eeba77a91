"""What numba is compiling in this process, as it tells."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any, Self

from numba.core import event

from waterview.core.errors import CompilationCancelled

_EVENT = "numba:compile"  # sent when a kernel was not found on disk, before and after it is compiled


class Compiling(event.Listener):  # type: ignore[misc]
    """Listens to numba as a context manager, on the thread that compiles.

    Kernels that are kept on disk count, one for each kind of arguments. Functions that become part of them do not.

    Attributes:
        begun: number of kernels whose compilation has begun.
        parts: number of functions that have become part of the newest kernel so far, or of one that it calls.
    """

    def __init__(self) -> None:
        self.begun = 0
        self.parts = 0
        self._under_way = 0
        self._is_cancelled = False
        self._thread = 0

    @property
    def is_under_way(self) -> bool:
        """Whether a kernel is being compiled now."""
        return self._under_way > 0

    def __enter__(self) -> Self:
        self._thread = threading.get_ident()
        event.register(_EVENT, self)
        return self

    def cancel(self) -> None:
        """Let the next part of a kernel that this thread compiles raise `CompilationCancelled`; for other threads."""
        self._is_cancelled = True

    def go_on(self) -> None:
        """Forget a `cancel` that came too late."""
        self._is_cancelled = False

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        event.unregister(_EVENT, self)

    def on_start(self, event: Any) -> None:
        """A compilation begins.

        Raises:
            CompilationCancelled: it is not wanted any more.
        """
        if self._is_cancelled and threading.get_ident() == self._thread:
            self._is_cancelled = False
            raise CompilationCancelled
        if _is_kept(event):
            self.begun += 1
            self._under_way += 1
            self.parts = 0
        else:
            self.parts += 1

    def on_end(self, event: Any) -> None:
        """It has ended, or was cancelled before it began."""
        if _is_kept(event) and self._under_way:
            self._under_way -= 1


def _is_kept(event: Any) -> bool:
    return event.data["dispatcher"].stats.cache_path is not None

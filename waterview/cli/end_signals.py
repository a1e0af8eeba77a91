"""Signals that end the program: in order where that is possible, and within a second in any case."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from types import FrameType, TracebackType
from typing import NoReturn, Self

END_SECONDS = 0.7
"""How long an orderly end may take after a signal [s]; then the process ends as it is."""

END_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)  # Windows has no SIGHUP
"""Ctrl-C, the request to end, and the terminal that is closed."""

_SHOW_CURSOR = b"\x1b[?25h"  # a progress bar has hidden it


class EndSignals:
    """Lets `END_SIGNALS` end the program, with the exit code 128 + the signal's number. A context manager.

    An exception is raised, so that every `finally` runs. Python raises it between two of its own instructions: native
    code, such as a compiler or a decoder, delays it. Therefore a thread hears of the signal through a pipe, too, and
    ends the process after `END_SECONDS`. Files stay readable: they are written beside, or piece by piece.

    Args:
        raises: whether the exception is raised at once. If not, `check` raises it: in a window Python code is called
            from native code, such as an import of ImGui, which an exception would abort.
    """

    def __init__(self, *, raises: bool = True) -> None:
        self._raises = raises
        self._received = 0
        self._over = threading.Event()

    def __enter__(self) -> Self:
        listening, heard = os.pipe()
        os.set_blocking(heard, False)
        self._pipe = heard
        self._before = {number: signal.signal(number, self._receive) for number in END_SIGNALS}
        self._pipe_before = signal.set_wakeup_fd(heard, warn_on_full_buffer=False)
        self._listener = threading.Thread(target=self._listen, args=(listening,), name="end signals", daemon=True)
        self._listener.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.set_wakeup_fd(self._pipe_before)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._over.set()
        os.close(self._pipe)
        self._listener.join()

    def check(self) -> None:
        """End the program if a signal asked for it.

        Raises:
            SystemExit: a signal came.
        """
        if self._received:
            raise SystemExit(128 + self._received)

    def _receive(self, number: int, _frame: FrameType | None) -> None:
        is_first, self._received = not self._received, number
        if self._raises and is_first:  # a second one must not cut short what the first began
            self.check()

    def _listen(self, pipe: int) -> None:
        """Wait for a signal, then for the end."""
        while number := os.read(pipe, 1):
            if number[0] in END_SIGNALS and not self._over.wait(END_SECONDS):
                end_at_once(128 + number[0])
        os.close(pipe)


def end_at_once(code: int) -> NoReturn:
    """End the process without waiting for anything: threads in native code would never end, or crash."""
    if sys.stderr is not None and sys.stderr.isatty():
        os.write(sys.stderr.fileno(), _SHOW_CURSOR)
    os._exit(code)


def leave(code: int) -> NoReturn:
    """End the program with `code` when all is written.

    The interpreter's own end would wait for threads that are still in native code, and would take compiler and graphics
    driver down piece by piece, which takes up to two seconds. The system does both at once.
    """
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with suppress(OSError):  # a failed write to standard output has been reported, and nobody reads the other
                stream.flush()
    os._exit(code)

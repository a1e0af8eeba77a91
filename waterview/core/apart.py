"""Work in a process of its own: the libraries for some files crash on damaged ones, or print what they like.

What is asked is a line of text and what is answered are bytes, so nothing that a file holds runs in the program.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from typing import IO

_WAIT_SECONDS = 60.0
"""How long the answer may take on a busy machine, and so many times the processor time [s]."""
_WAIT_FACTOR = 20.0
_KILLED = -9


class Question:
    """A process that answers one question while the program goes on.

    Args:
        module: one with a function `main` that calls `serve`.
        request: what is asked.
        seconds: processor time that the answer may take [s].
    """

    def __init__(self, module: str, request: str, seconds: float) -> None:
        self._answer: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # open until the answer is read
        self._process = subprocess.Popen(  # noqa: S603  # the command is ours, what the file holds is not in it
            [sys.executable, "-c", f"from {module} import main; main()", request, str(seconds)],
            stdin=subprocess.PIPE,  # open as long as this program lives, and the process ends with it
            stdout=self._answer,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(each or os.getcwd() for each in sys.path)},
        )
        self._latest = time.monotonic() + _WAIT_SECONDS + _WAIT_FACTOR * seconds

    @property
    def is_answered(self) -> bool:
        """Whether the process has ended; one that takes too long is ended here."""
        if time.monotonic() > self._latest:
            self._process.kill()
        return self._process.poll() is not None

    def answer(self) -> tuple[int, bytes]:
        """Wait for the answer.

        Returns:
            Exit code of the process, −9 after too long, and what it answered.
        """
        try:
            code = self._process.wait(max(self._latest - time.monotonic(), 0.0))
            self._answer.seek(0)
            return code, self._answer.read()
        except subprocess.TimeoutExpired:
            return _KILLED, b""
        finally:
            self.end()

    def end(self) -> None:
        """End the process, if it still runs; there is no answer then."""
        self._process.kill()
        self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._answer.close()


def serve(answer: Callable[[str], tuple[int, bytes]], memory: int | None = None) -> None:
    """Run in the process: answer the request on the command line, and end with the program that asked.

    Args:
        answer: gives exit code and answer to a request.
        memory: that it may take [bytes], where the system can limit it; None does not limit it.
    """
    threading.Thread(target=_end_with_parent, daemon=True).start()
    limit_processor(float(sys.argv[2]))
    if memory is not None:
        _limit_memory(memory)
    code, answered = answer(sys.argv[1])
    sys.stdout.buffer.write(answered)
    sys.stdout.flush()
    os._exit(code)


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


def limit_processor(seconds: float) -> None:
    """Let the system end this process after so much more processor time [s], where it can."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _limit_memory(most: int) -> None:
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (most, most))

"""How Ctrl-C and SIGTERM end the program."""

from __future__ import annotations

import signal
from types import FrameType


class EndSignals:
    """Lets Ctrl-C and SIGTERM end the program through every `finally`, with exit codes 130 and 143.

    The exception that a signal raises can be lost: Python drops it where it falls into a callback from C or into a
    destructor. So the signal is also remembered, and `check` raises it again.
    """

    def __init__(self) -> None:
        self._received = 0
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._receive)

    def _receive(self, number: int, _frame: FrameType | None) -> None:
        self._received = number
        self.check()

    def check(self) -> None:
        """End the program if it was asked to.

        Raises:
            SystemExit: a signal came.
        """
        if self._received:
            raise SystemExit(128 + self._received)

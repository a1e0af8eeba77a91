"""The entry point `waterview`, which is `python -m waterview`."""

from __future__ import annotations

import os
import signal
from types import FrameType


def main() -> None:
    """Run the program. Nothing is imported before a signal would end it without a word."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):  # Windows has no SIGHUP
            signal.signal(getattr(signal, name), _end)

    from waterview.cli import main as program

    program()


def _end(number: int, _frame: FrameType | None) -> None:
    os._exit(128 + number)


if __name__ == "__main__":
    main()

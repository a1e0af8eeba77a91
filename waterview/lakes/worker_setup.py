"""What Dask loads into every worker on this machine, before it has anything to do."""

from __future__ import annotations

import signal
from typing import Any


def dask_setup(worker: Any) -> None:
    """Leave Ctrl-C, which a terminal sends to all processes, to the program that leads: it ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

"""The compiled code of bodies, made ready before it is needed: to compile it takes ten seconds or more.

It is compiled in a process of its own, which leaves it on disk: in a thread beside the window it would make the window
stutter, and a program cannot end in the middle of it.
"""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np

from waterview.core.grid import Grid

from .collection import Bodies

NICENESS = 5
"""How far the process stands back behind others."""


class _Pond:
    """The smallest water that a body can be stepped on."""

    def __init__(self) -> None:
        self.grid = Grid((16, 16), 0.1)
        self.bed = np.full(self.grid.shape, -1.0, np.float32)
        self.fixed = np.zeros(self.grid.shape, bool)
        self.height = np.zeros(self.grid.shape, np.float32)
        self.neutral_levels = (self.height, self.height.copy())

    def on_pushed(self, rows: slice, columns: slice) -> None:
        """Nothing has to be known."""


def compile_all() -> None:
    """Step a body on a small pond: afterwards everything is compiled, and kept on disk where that can be."""
    pond, bodies = _Pond(), Bodies()
    bodies.add(pond, "sphere", x=0.8, z=0.8, size=0.5)
    bodies.step(pond, 0.01)


class BodyKernels:
    """Makes the code ready; `waterview.sim.loop.Simulation.prepare` takes it.

    Attributes:
        note: what is happening, in words.
    """

    note = "preparing floating bodies, once on this machine …"

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Begin, if there is anything to be done; where nothing can be kept on disk it is left to the first body."""
        from waterview.bodies.kernels.calls import is_compiled_on_disk

        if not is_compiled_on_disk():
            self._process = subprocess.Popen(
                [sys.executable, "-c", "from waterview.bodies.precompile import main; main()"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )

    @property
    def is_done(self) -> bool:
        """Whether a body may come."""
        return self._process is None or self._process.poll() is not None

    def end(self) -> None:
        """Give up what is not done."""
        if self._process is not None and not self.is_done:
            self._process.kill()
            self._process.wait()


def main() -> None:
    """What the process does."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    compile_all()

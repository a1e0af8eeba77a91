"""Compiling the kernels of bodies before they are needed: it takes ten seconds or more.

A process of its own does it and leaves the result on disk. A thread beside the window would make the window stutter,
and the program could not end in the middle of it.
"""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
from numpy.typing import NDArray

from waterview.core.grid import Grid
from waterview.core.params import Params
from waterview.simd.layout import interior, padded

from .collection import Bodies

NICENESS = 5
"""Added to the niceness of the process, so that others go first."""


class _Pond:
    """The smallest water that a body can be stepped on.

    Args:
        heights: of shape (16, 16).
        levels: as large.
    """

    def __init__(self, heights: NDArray[np.float32], *levels: NDArray[np.float32]) -> None:
        self.grid, self.params, self.effective = Grid((16, 16), 0.1), Params(), {"wave_speed": 1.0}
        self.bed = np.full(self.grid.shape, -1.0, np.float32)
        self.fixed = np.zeros(self.grid.shape, bool)
        self.height = heights
        self.neutral_levels = levels

    def on_pushed(self, rows: slice, columns: slice) -> None:
        """Do nothing."""


def compile_all() -> None:
    """Step a body on a pond: then everything is compiled and kept on disk, for waters with all kinds of arrays."""
    heights = interior(padded((16, 16)), (16, 16))
    pond, bodies = _Pond(heights, heights), Bodies()
    bodies.add(pond, "sphere", x=0.8, z=0.8, size=0.5)
    bodies.step(pond, 0.01)


def is_compiled() -> bool:
    """Whether `step_bodies` has been compiled on this machine, or compiled code cannot be kept on disk anyway."""
    from waterview.bodies.kernels.step import step_bodies
    from waterview.simd.jit import cache_place, is_kept

    return cache_place(step_bodies) is None or is_kept(step_bodies)


class BodyKernels:
    """Compiles the kernels in the background; `waterview.sim.loop.Simulation.prepare` takes it.

    Attributes:
        note: says what is happening.
    """

    note = "preparing floating bodies, once on this machine …"

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Begin, if there is anything to do. Where nothing can be kept on disk, the first body compiles later."""
        if not is_compiled():
            self._process = subprocess.Popen(
                [sys.executable, "-c", "from waterview.bodies.precompile import main; main()"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )

    @property
    def is_done(self) -> bool:
        """Whether bodies can be stepped without delay."""
        return self._process is None or self._process.poll() is not None

    def end(self) -> None:
        """Stop the process if it still runs."""
        if self._process is not None and not self.is_done:
            self._process.kill()
            self._process.wait()


def main() -> None:
    """Run in the process."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    compile_all()

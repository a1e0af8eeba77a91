"""What memory allows: the traffic of one wave step a pass over the grid, with next to no arithmetic."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from .jit import jit, parallel_jit
from .threads import shared_turn

Floats = NDArray[np.float32]

FACTOR = np.float32(0.5)


@jit
def _one_pass(h: Floats, before: Floats, factor: np.float32) -> None:
    for i in range(h.size):
        before[i] = h[i] + factor * before[i]


@parallel_jit
def _one_pass_shared(h: Floats, before: Floats, factor: np.float32) -> None:
    for i in numba.prange(h.size):
        before[i] = h[i] + factor * before[i]


def pass_over(levels: Floats, threads: int) -> None:
    """Read two arrays and write one of them, as a step does at the least.

    Args:
        levels: the arrays, shape (2, n), each C-contiguous.
        threads: how many to use, at most as many as numba may.
    """
    everyone = numba.get_num_threads()
    with shared_turn(threads) as number:
        numba.set_num_threads(number)
        try:
            (_one_pass_shared if number > 1 else _one_pass)(levels[0], levels[1], FACTOR)
        finally:
            numba.set_num_threads(everyone)

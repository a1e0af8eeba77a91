"""What this machine offers to kernels: threads, a place for their cache, and what its memory allows."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from .jit import cache_place, jit, parallel_jit
from .threads import shared_turn

Floats = NDArray[np.float32]

FACTOR = np.float32(0.5)


@numba.njit(parallel=True)  # type: ignore[untyped-decorator]
def _anything_parallel(numbers: int) -> int:
    total = 0
    for number in numba.prange(numbers):
        total += number
    return total


@jit
def _anything_cached(number: int) -> int:
    return number


def threading_layer() -> str:
    """The name of the layer that parallel kernels run on: "omp", "tbb" or "workqueue"; compiles a small kernel."""
    _anything_parallel(2)
    return str(numba.threading_layer())


def threads() -> int:
    """How many threads parallel kernels may use."""
    return int(numba.get_num_threads())


def most_threads() -> int:
    """How many threads parallel kernels may be given."""
    return int(numba.config.NUMBA_NUM_THREADS)


def cache_folder() -> str | None:
    """The folder that compiled kernels are kept in; None where no place could be written to."""
    return cache_place(_anything_cached)


@jit
def _one_pass(h: Floats, before: Floats, factor: np.float32) -> None:
    for i in range(h.size):
        before[i] = h[i] + factor * before[i]


@parallel_jit
def _one_pass_shared(h: Floats, before: Floats, factor: np.float32) -> None:
    for i in numba.prange(h.size):
        before[i] = h[i] + factor * before[i]


def pass_over(levels: Floats, threads: int) -> None:
    """Read two arrays and write one of them, with next to no arithmetic: one wave step at a pass over the grid.

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

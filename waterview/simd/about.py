"""What numba found on this machine."""

from __future__ import annotations

import numba

from .jit import cache_place, jit


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

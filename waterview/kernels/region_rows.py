"""The compiled part of `regions`."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from .jit import float_pointer, jit

Floats = NDArray[np.float32]

SIZE = 4  # of a float [bytes]
ZERO = np.float32(0.0)


@jit
def _sum(start: int, n: int) -> float:
    """Sum of `n` floats, four by four: a single sum would wait for each addition before the next."""
    row = numba.carray(float_pointer(start), n)
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    whole = n - n % 4
    for j in range(0, whole, 4):
        a += row[j]
        b += row[j + 1]
        c += row[j + 2]
        d += row[j + 3]
    for j in range(whole, n):
        a += row[j]
    return (a + b) + (c + d)


@jit
def _add(start: int, n: int, amount: np.float32) -> None:
    row = numba.carray(float_pointer(start), n)
    for j in range(n):
        row[j] += amount


@jit
def sum_by_region(array: Floats, runs: NDArray[np.int64], sums: NDArray[np.float64]) -> None:
    """Add the values of `array` to the sums of their regions.

    Args:
        array: shape (nz, nx), rows without gaps between their points.
        runs: as in `regions.Regions`.
        sums: one for each region.
    """
    for k in range(len(runs)):
        row, first, stop, label = runs[k]
        sums[label] += _sum(array.ctypes.data + row * array.strides[0] + first * SIZE, stop - first)


@jit
def add_by_region(array: Floats, runs: NDArray[np.int64], amounts: Floats) -> None:
    """Add to every value of `array` the amount of its region; arguments are those of `sum_by_region`."""
    for k in range(len(runs)):
        row, first, stop, label = runs[k]
        if amounts[label] != ZERO:
            _add(array.ctypes.data + row * array.strides[0] + first * SIZE, stop - first, amounts[label])

"""The compiled part of `regions`."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import float_pointer, jit
from waterview.simd.vector_sums import sum_of
from waterview.simd.vectors import SIZE

Floats = NDArray[np.float32]

ZERO = np.float32(0.0)


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
        sums[label] += sum_of(array.ctypes.data + row * array.strides[0] + first * SIZE, stop - first)


@jit
def add_by_region(array: Floats, runs: NDArray[np.int64], amounts: Floats) -> None:
    """Add to every value of `array` the amount of its region; arguments are those of `sum_by_region`."""
    for k in range(len(runs)):
        row, first, stop, label = runs[k]
        if amounts[label] != ZERO:
            _add(array.ctypes.data + row * array.strides[0] + first * SIZE, stop - first, amounts[label])

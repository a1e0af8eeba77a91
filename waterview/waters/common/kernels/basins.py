"""Connected components of water (basins), and sums over them: no wave can run from a lake to the sea."""

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
def _root(parents: NDArray[np.int32], label: int) -> int:
    while parents[label] != label:
        parents[label] = parents[parents[label]]
        label = parents[label]
    return label


@jit
def _first_labels(land: NDArray[np.bool_], labels: NDArray[np.int32], parents: NDArray[np.int32]) -> int:
    """Give each point the label of its neighbour above or before it; where both have one, join the two labels."""
    count = 0
    nz, nx = land.shape
    for i in range(nz):
        for j in range(nx):
            if land[i, j]:
                continue
            above = _root(parents, labels[i - 1, j]) if i > 0 else 0
            before = _root(parents, labels[i, j - 1]) if j > 0 else 0
            if above == 0 and before == 0:
                count += 1
                parents[count] = count
                labels[i, j] = count
            else:
                labels[i, j] = max(above, before)
                if above != 0 and before != 0:
                    labels[i, j] = min(above, before)
                    parents[max(above, before)] = min(above, before)
    return count


@jit
def fill_labels(land: NDArray[np.bool_], labels: NDArray[np.int32], scratch: NDArray[np.int32]) -> None:
    """Fill in `labels`; `scratch` are zeros, shape (2, m) with m above half the number of points by 2 or more."""
    parents, numbers = scratch[0], scratch[1]
    count = _first_labels(land, labels, parents)
    basins = 0
    for label in range(1, count + 1):
        root = _root(parents, label)  # never later than the label itself, so it has its number already
        if root == label:
            basins += 1
            numbers[label] = basins
        else:
            numbers[label] = numbers[root]
    for i in range(labels.shape[0]):
        for j in range(labels.shape[1]):
            labels[i, j] = numbers[labels[i, j]]


def label_basins(land: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Number the basins from 1 in the order of their first points; 0 on land.

    Two points are in the same basin if a path along rows and columns connects them. Both arrays have the shape
    (nz, nx).
    """
    labels = np.zeros(land.shape, np.int32)
    # A copy: to numba a read-only array has another type, and the kernel would be compiled again for it.
    fill_labels(np.array(land, np.bool_), labels, np.zeros((2, land.size // 2 + 3), np.int32))
    return labels


@jit
def _add(start: int, n: int, amount: np.float32) -> None:
    row = numba.carray(float_pointer(start), n)
    for j in range(n):
        row[j] += amount


@jit
def sum_by_basin(array: Floats, runs: NDArray[np.int64], sums: NDArray[np.float64]) -> None:
    """Add the values of `array` to the sums of their basins.

    Args:
        array: shape (nz, nx), the points of a row next to each other in memory.
        runs: see `basins.Basins`.
        sums: one for each label.
    """
    for k in range(len(runs)):
        row, first, stop, label = runs[k]
        sums[label] += sum_of(array.ctypes.data + row * array.strides[0] + first * SIZE, stop - first)


@jit
def add_by_basin(array: Floats, runs: NDArray[np.int64], amounts: Floats) -> None:
    """Add to every value of `array` the amount of its basin; the arguments are those of `sum_by_basin`."""
    for k in range(len(runs)):
        row, first, stop, label = runs[k]
        if amounts[label] != ZERO:
            _add(array.ctypes.data + row * array.strides[0] + first * SIZE, stop - first, amounts[label])

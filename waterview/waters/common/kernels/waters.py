"""Which points lie in the same water: no wave can run from a lake to the sea."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import jit


@jit
def _root(parents: NDArray[np.int32], label: int) -> int:
    while parents[label] != label:
        parents[label] = parents[parents[label]]
        label = parents[label]
    return label


@jit
def _first_labels(land: NDArray[np.bool_], labels: NDArray[np.int32], parents: NDArray[np.int32]) -> int:
    """Give each point the label of its neighbour above or before it; where both have one, remember they are one."""
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
def _number(land: NDArray[np.bool_], labels: NDArray[np.int32], room: NDArray[np.int32]) -> None:
    """Fill in `labels`; `room` are zeros, shape (2, m) with m above half the number of points by 2 or more."""
    parents, numbers = room[0], room[1]
    count = _first_labels(land, labels, parents)
    waters = 0
    for label in range(1, count + 1):
        root = _root(parents, label)  # never later than the label itself, so it has its number already
        if root == label:
            waters += 1
            numbers[label] = waters
        else:
            numbers[label] = numbers[root]
    for i in range(labels.shape[0]):
        for j in range(labels.shape[1]):
            labels[i, j] = numbers[labels[i, j]]


def number_waters(land: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Numbers from 1 for the waters that `land` keeps apart, in the order of their first points; 0 on land.

    Two points are in the same water where a way along rows and columns leads from one to the other. Both arrays have
    the shape (nz, nx).
    """
    labels = np.zeros(land.shape, np.int32)
    # A copy: to numba an array that may not be written is of another type, to be compiled for anew.
    _number(np.array(land, np.bool_), labels, np.zeros((2, land.size // 2 + 3), np.int32))
    return labels

"""The compiled part of `regions`."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from .jit import float_pointer, jit

Floats = NDArray[np.float32]
Labels = NDArray[np.int32]

SIZE = 4  # of a float [bytes]
FOUR, HALF, ZERO = np.float32(4.0), np.float32(0.5), np.float32(0.0)


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


@jit
def _steep_points(row: int, up: int, down: int, nx: int, most: np.float32, step: np.float32) -> int:
    """Number of points of a row that may be spikes, without those at its ends."""
    n = nx - 2
    c, left = numba.carray(float_pointer(row + SIZE), n), numba.carray(float_pointer(row), n)
    right = numba.carray(float_pointer(row + 2 * SIZE), n)
    above, below = numba.carray(float_pointer(up + SIZE), n), numba.carray(float_pointer(down + SIZE), n)
    count = np.int32(0)
    for j in range(n):
        lowest = min(left[j], right[j], above[j], below[j])
        bend = (left[j] + right[j]) + (above[j] + below[j]) - FOUR * c[j]
        count += np.int32((abs(bend) > most) | (c[j] - lowest > step))
    return int(count)


@jit
def _neighbour(heights: Floats, labels: Labels, i: int, j: int, own: np.float32) -> np.float32:
    """Height of a point, or `own` on land and outside the grid."""
    nz, nx = heights.shape
    if 0 <= i < nz and 0 <= j < nx and labels[i, j] > 0:
        return np.float32(heights[i, j])
    return own


@jit
def _breaking(c: np.float32, behind: np.float32, ahead: np.float32, depth: np.float32, step: np.float32) -> np.float32:
    """What a whole share would change of a wave that breaks towards `ahead`."""
    if c - behind > step and c > ahead:
        deep = depth + c
        return max(ZERO, HALF * (deep + depth + ahead)) - deep
    return ZERO


@jit
def _stronger(a: np.float32, b: np.float32) -> np.float32:
    return a if abs(a) >= abs(b) else b


@jit
def _change(
    heights: Floats,
    depth: Floats,
    labels: Labels,
    i: int,
    j: int,
    most: np.float32,
    step: np.float32,
    share: np.float32,
) -> np.float32:
    """What to add to the height of a point of water."""
    c = heights[i, j]
    left, right = _neighbour(heights, labels, i, j - 1, c), _neighbour(heights, labels, i, j + 1, c)
    above, below = _neighbour(heights, labels, i - 1, j, c), _neighbour(heights, labels, i + 1, j, c)
    bend = ((left + right) + (above + below)) / FOUR - c
    if bend > most:
        return np.float32(bend - most)
    if bend < -most:
        return np.float32(bend + most)
    deep = depth[i, j]
    along_x = _stronger(_breaking(c, left, right, deep, step), _breaking(c, right, left, deep, step))
    along_z = _stronger(_breaking(c, above, below, deep, step), _breaking(c, below, above, deep, step))
    return share * _stronger(along_x, along_z)


@jit
def _clamp(
    heights: Floats,
    velocity: Floats,
    depth: Floats,
    labels: Labels,
    i: int,
    j: int,
    most: np.float32,
    step: np.float32,
    share: np.float32,
    lost: NDArray[np.float64],
) -> int:
    """Change one point, which stops if it moved the other way, and note what its region loses; 1 if it has changed."""
    if labels[i, j] == 0:
        return 0
    before = heights[i, j]
    heights[i, j] = before + _change(heights, depth, labels, i, j, most, step, share)
    if (heights[i, j] - before) * velocity[i, j] < ZERO:
        velocity[i, j] = ZERO
    lost[labels[i, j]] += np.float64(before) - np.float64(heights[i, j])
    return 1 if heights[i, j] != before else 0


@jit
def clamp_points(
    heights: Floats,
    velocity: Floats,
    depth: Floats,
    labels: Labels,
    most: np.float32,
    step: np.float32,
    share: np.float32,
    lost: NDArray[np.float64],
) -> int:
    """`regions.clamp_spikes` without giving back; returns the number of points changed.

    Args:
        heights: shape (nz, nx), rows without gaps between their points.
        velocity: likewise.
        depth: likewise.
        labels: of the regions, 0 on land.
        most: as there.
        step: likewise.
        share: likewise.
        lost: what each region has lost is added to it.
    """
    nz, nx = heights.shape
    stride, start = heights.strides[0], heights.ctypes.data
    steep = np.zeros(nz, np.bool_)
    for i in range(nz):
        row = start + i * stride
        up, down = row - (stride if i > 0 else 0), row + (stride if i < nz - 1 else 0)
        steep[i] = nx > 2 and _steep_points(row, up, down, nx, FOUR * most, step) > 0
    count = 0
    # Like a chessboard: points of one colour are no neighbours, so their order does not matter. Changed all at once,
    # each by what its neighbours were before, the points of rough water swing past each other, and ever higher.
    for colour in range(2):
        for i in range(nz):
            if steep[i]:
                for j in range((i + colour) % 2, nx, 2):
                    count += _clamp(heights, velocity, depth, labels, i, j, most, step, share, lost)
            else:
                for j in (0, nx - 1):
                    if (i + j + colour) % 2 == 0:
                        count += _clamp(heights, velocity, depth, labels, i, j, most, step, share, lost)
    return count

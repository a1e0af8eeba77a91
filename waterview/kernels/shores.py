"""Shores without flux: which points lie beside land, and which neighbours act on each of them.

A fixed neighbour takes the value of the point itself, so nothing flows there and waves come back upright. For a
stencil with corners that alone would slow waves that run along a wall. So the corner's share goes to the neighbour
along the wall: then straight walls are exactly the reflecting border. Nothing flows between two points that touch only
at a corner of land.

Each square of four points adds (½ − w)(hᵢ − hⱼ)² to −h·L(h) for its pairs of water points side by side and w(hᵢ − hⱼ)²
for those across, w being the weight of the stencil's corners, or ½ (hᵢ − hⱼ)² where only two side by side are water.
None of these is more than what the square gives in open water at most, so the largest symbol of the stencil, and with
it the stable time step, is that of open water for every shape of land.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .layout import address, aligned_zeros

NEIGHBOURS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
"""Offsets (row, column) of the eight neighbours, in the order of `Shores.weights`."""


GROUP = 16
"""Points that are stepped together."""

MASKS = 6
"""Bit masks of a group: its four corners, the points beside land, and the others."""

OPEN, LAND = -1, -2
"""What stands for groups without a point beside land: with water, and with none."""


class Groups(NamedTuple):
    """The points beside land in groups of 16, each with all that lie between, for steps in vectors.

    Attributes:
        numbers: for each 16 points of a row the number of their group, or `OPEN` or `LAND`; shape
            (nz, ⌈nx / 16⌉) int32.
        sides: weights of the sides above, left, right and below, in units of the corners' weight, or of their own where
            corners have none; shape (4·n, 16) float32.
        masks: a bit for each point, the lowest for the first: four set where a corner acts, in the order of
            `NEIGHBOURS`, one where the point lies beside land, and one where it does not; shape (n, 6) uint16.
    """

    numbers: NDArray[np.int32]
    sides: NDArray[np.float32]
    masks: NDArray[np.uint16]

    @property
    def places(self) -> tuple[int, int, int, int]:
        """The address of `numbers`, the bytes from one row of them to the next, and the addresses of the others."""
        return address(self.numbers), self.numbers.strides[0], address(self.sides), address(self.masks)


class Shores(NamedTuple):
    """Water points beside land, row by row.

    Attributes:
        first: number of the first such point of each row and, at the end, of all, shape (nz + 1,) int64.
        columns: their columns, shape (m,) int64.
        weights: weights w of L = Σ w·(h_neighbour − h), shape (m, 8) float32.
        groups: the same for steps in vectors.
    """

    first: NDArray[np.int64]
    columns: NDArray[np.int64]
    weights: NDArray[np.float32]
    groups: Groups


def shores_of(fixed: NDArray[np.bool_], corner: float, wraps: tuple[bool, bool] = (False, False)) -> Shores:
    """The shores of `fixed`, shape (nz, nx) bool, where fixed points are walls.

    Args:
        fixed: as said; outside the grid land goes on as it is at the edge.
        corner: weight w of the stencil's corners, L = (1 − 2w)·sides + w·corners − (4 − 4w)·h; 0 for four neighbours.
        wraps: whether the grid's rows, and its columns, go on at the opposite end.
    """
    around = fixed
    for axis, wrap in enumerate(wraps):
        width = [(1, 1) if axis == each else (0, 0) for each in (0, 1)]
        around = np.pad(around, width, mode="wrap" if wrap else "edge")
    rows, columns = np.nonzero(_beside_land(fixed, around))
    free = {(dz, dx): ~around[rows + 1 + dz, columns + 1 + dx] for dz, dx in NEIGHBOURS}
    weights = np.stack(list(_weights(free, corner)), axis=1).astype(np.float32)
    first = np.zeros(len(fixed) + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=len(fixed)), out=first[1:])
    return Shores(first, np.ascontiguousarray(columns, np.int64), weights, _groups(rows, columns, around, corner))


def _groups(rows: NDArray[np.int64], columns: NDArray[np.int64], around: NDArray[np.bool_], corner: float) -> Groups:
    """The groups of these points of a grid; `around` is its land and that outside, one point on each side."""
    nz, nx = around.shape[0] - 2, around.shape[1] - 2
    width = -(-nx // GROUP)
    if width * GROUP > nx:
        around = np.pad(around, ((0, 0), (0, width * GROUP - nx)), constant_values=True)
    numbers = np.empty((nz, width), np.int32)
    for row_of_numbers, land in zip(numbers, around[1:-1, 1 : 1 + width * GROUP], strict=True):
        row_of_numbers[:] = np.where(land.reshape(width, GROUP).all(axis=1), LAND, OPEN)
    numbers[rows, columns // GROUP] = 0
    row, column = np.nonzero(numbers == 0)
    numbers[row, column] = np.arange(len(row))
    i, j = row[:, None] + 1, column[:, None] * GROUP + np.arange(GROUP) + 1
    free = {(dz, dx): ~around[i + dz, j + dx] for dz, dx in NEIGHBOURS}
    sides, masks = aligned_zeros(4 * len(row), GROUP), np.zeros((len(row), MASKS), np.uint16)
    sides_done = corners_done = 0
    for offset, weights in zip(NEIGHBOURS, _weights(free, corner), strict=True):
        if 0 in offset:
            sides[sides_done::4] = np.rint(weights / (corner or 1.0))
            sides_done += 1
        else:
            masks[:, corners_done] = _bits(weights > 0.0)
            corners_done += 1
    beside = np.zeros((len(row), GROUP), bool)
    beside[numbers[rows, columns // GROUP], columns % GROUP] = True
    masks[:, 4], masks[:, 5] = _bits(beside), _bits(~beside)
    return Groups(numbers, sides, masks)


def _bits(points: NDArray[np.bool_]) -> NDArray[np.uint16]:
    """A number for each row of 16 points, the lowest bit for the first."""
    return np.packbits(points, axis=1, bitorder="little").view("<u2")[:, 0]


def _weights(free: dict[tuple[int, int], NDArray[np.bool_]], corner: float) -> Iterator[NDArray[np.float64]]:
    """The weights w of L, for each of `NEIGHBOURS`, of points whose neighbours are `free`."""
    for dz, dx in NEIGHBOURS:
        if dz and dx:
            yield np.where(free[dz, dx] & (free[dz, 0] | free[0, dx]), corner, 0.0)
        else:
            # On either side of this link: is there a wall along it, two fixed points beside both its ends?
            walls = sum(~free[dx * t, dz * t] & ~free[dz + dx * t, dx + dz * t] for t in np.array([-1, 1]))
            yield np.where(free[dz, dx], 1.0 - 2.0 * corner + corner * walls, 0.0)


def no_shores(shape: tuple[int, int]) -> Shores:
    """For fixed points that hold the water at 0: no point beside them needs weights of its own."""
    nowhere = np.zeros(0, np.int64)
    nothing = np.zeros((0, len(NEIGHBOURS)), np.float32)
    groups = Groups(np.zeros((0, 0), np.int32), np.zeros((0, GROUP), np.float32), np.zeros((0, MASKS), np.uint16))
    return Shores(np.zeros(shape[0] + 1, np.int64), nowhere, nothing, groups)


def _beside_land(fixed: NDArray[np.bool_], around: NDArray[np.bool_]) -> NDArray[np.bool_]:
    nz, nx = fixed.shape
    near = np.zeros(fixed.shape, bool)
    for dz, dx in NEIGHBOURS:
        near |= around[1 + dz : 1 + dz + nz, 1 + dx : 1 + dx + nx]
    return near & ~fixed

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

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .layout import address

NEIGHBOURS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
"""Offsets (row, column) of the eight neighbours, in the order of `Shores.weights`."""


class Shores(NamedTuple):
    """Water points beside land, row by row.

    Attributes:
        first: number of the first such point of each row and, at the end, of all, shape (nz + 1,) int64.
        rows: their rows, shape (m,) int64.
        columns: their columns, likewise.
        weights: weights w of L = Σ w·(h_neighbour − h), shape (m, 8) float32.
        room: what a step needs besides, shape (m,) float32.
    """

    first: NDArray[np.int64]
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    weights: NDArray[np.float32]
    room: NDArray[np.float32]

    @property
    def addresses(self) -> tuple[int, ...]:
        """Where these arrays lie in memory."""
        return tuple(address(array) for array in (self.first, self.rows, self.columns, self.weights, self.room))


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
    side = 1.0 - 2.0 * corner
    weights = np.empty((len(rows), len(NEIGHBOURS)), np.float32)
    for k, (dz, dx) in enumerate(NEIGHBOURS):
        if dz and dx:
            weights[:, k] = np.where(free[dz, dx] & (free[dz, 0] | free[0, dx]), corner, 0.0)
        else:
            # On either side of this link: is there a wall along it, two fixed points beside both its ends?
            walls = sum(~free[dx * t, dz * t] & ~free[dz + dx * t, dx + dz * t] for t in np.array([-1, 1]))
            weights[:, k] = np.where(free[dz, dx], side + corner * walls, 0.0)
    first = np.zeros(len(fixed) + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=len(fixed)), out=first[1:])
    rows, columns = np.ascontiguousarray([rows, columns], np.int64)
    return Shores(first, rows, columns, weights, np.zeros(len(columns), np.float32))


def no_shores(shape: tuple[int, int]) -> Shores:
    """For fixed points that hold the water at 0: no point beside them needs weights of its own."""
    nowhere = np.zeros(0, np.int64)
    none = np.zeros((0, len(NEIGHBOURS)), np.float32)
    return Shores(np.zeros(shape[0] + 1, np.int64), nowhere, nowhere, none, np.zeros(0, np.float32))


def _beside_land(fixed: NDArray[np.bool_], around: NDArray[np.bool_]) -> NDArray[np.bool_]:
    nz, nx = fixed.shape
    near = np.zeros(fixed.shape, bool)
    for dz, dx in NEIGHBOURS:
        near |= around[1 + dz : 1 + dz + nz, 1 + dx : 1 + dx + nx]
    return near & ~fixed

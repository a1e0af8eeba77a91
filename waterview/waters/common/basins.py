"""Basins: connected bodies of water that land keeps apart, which of them keep their volume, and means over them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .borders import Sides

ROWS_AT_ONCE = 128
"""Rows that are searched at a time, so that temporary arrays stay small."""

_NEIGHBOURS = ((-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


class Basins(NamedTuple):
    """The basins of a grid. Two points are in the same basin if a path along rows and columns connects them.

    Attributes:
        labels: number of the basin at each point, 0 on land, shape (nz, nx) int32.
        runs: points of one basin next to each other in a row: row, first column, column after the last and label,
            shape (m, 4).
        sizes: number of points of each basin, shape (count + 1,); the first entry is that of land.
        closed: whether the volume of each basin is constant, shape (count + 1,); False for land.
    """

    labels: NDArray[np.int32]
    runs: NDArray[np.int64]
    sizes: NDArray[np.int64]
    closed: NDArray[np.bool_]


def find_basins(fixed: NDArray[np.bool_], sides: Sides, flowing: bool) -> Basins:
    """The basins between the fixed points.

    Args:
        fixed: shape (nz, nx).
        sides: kinds of the four borders; a basin that touches a side that neither reflects nor wraps is not closed.
        flowing: whether fixed points are walls; if they hold the water at 0, a basin next to any of them is not closed.
    """
    from .kernels.basins import label_basins

    labels = label_basins(fixed)
    wraps_z, wraps_x = sides.wraps
    if wraps_z:
        labels = _joined(labels, labels[0], labels[-1])
    if wraps_x:
        labels = _joined(labels, labels[:, 0], labels[:, -1])
    count = int(labels.max()) + 1
    sizes = np.zeros(count, np.int64)
    for rows in _blocks_of_rows(labels):
        sizes += np.bincount(labels[rows].ravel(), minlength=count)
    closed = np.ones(len(sizes), bool)
    closed[0] = False
    edges = (labels[0], labels[:, -1], labels[-1], labels[:, 0])
    for kind, edge in zip(sides.kinds, edges, strict=True):
        if not kind.keeps_volume:
            closed[edge] = False
    if not flowing:
        closed[_next_to_land(labels, sides)] = False
    runs = np.concatenate([_runs(labels[rows], rows.start) for rows in _blocks_of_rows(labels)])
    return Basins(labels, runs, sizes, closed)


def _runs(labels: NDArray[np.int32], first: int) -> NDArray[np.int64]:
    """`Basins.runs` of some rows, of which the first is row number `first` of the grid."""
    edge = np.diff(np.pad(labels, ((0, 0), (1, 1))), axis=1) != 0
    rows, starts = np.nonzero(edge[:, :-1] & (labels > 0))
    _, stops = np.nonzero(edge[:, 1:] & (labels > 0))
    return np.ascontiguousarray(np.stack((rows + first, starts, stops + 1, labels[rows, starts]), axis=1), np.int64)


def _blocks_of_rows(labels: NDArray[np.int32]) -> Iterator[slice]:
    """All rows, `ROWS_AT_ONCE` at a time."""
    return (slice(start, start + ROWS_AT_ONCE) for start in range(0, len(labels), ROWS_AT_ONCE))


def _joined(labels: NDArray[np.int32], one: NDArray[np.int32], other: NDArray[np.int32]) -> NDArray[np.int32]:
    """`labels` after joining basins that meet where two edges of the grid are connected; labels stay consecutive."""
    names = np.arange(labels.max() + 1)
    for a, b in zip(one, other, strict=True):
        if a and b and names[a] != names[b]:
            names[names == max(names[a], names[b])] = min(names[a], names[b])
    _, numbers = np.unique(np.append(0, names), return_inverse=True)
    return np.asarray(numbers[1:][labels], np.int32)


def _next_to_land(labels: NDArray[np.int32], sides: Sides) -> NDArray[np.int32]:
    """The labels of all points that have land among their eight neighbours."""
    around = np.pad(labels, ((1, 1), (0, 0)), mode="wrap" if sides.wraps[0] else "edge")
    around = np.pad(around, ((0, 0), (1, 1)), mode="wrap" if sides.wraps[1] else "edge")
    nz, nx = labels.shape
    near = np.zeros(labels.shape, bool)
    for dz, dx in _NEIGHBOURS:
        near |= around[1 + dz : 1 + dz + nz, 1 + dx : 1 + dx + nx] == 0
    return labels[near]


def remove_means(array: NDArray[np.float32], basins: Basins, base: NDArray[np.float32] | None = None) -> None:
    """Subtract from `array` its mean over each closed basin, or the mean of `array` − `base`; others stay as they are.

    Args:
        array: changed in place, shape (nz, nx); may be a view of a larger buffer.
        basins: where its means are taken.
        base: shape (nz, nx).
    """
    if basins.closed.any():
        means = basin_means(array, basins)
        if base is not None:
            means -= basin_means(base, basins)
        add_to_basins(array, basins, np.where(basins.closed, -means, 0.0))


def basin_means(array: NDArray[np.float32], basins: Basins) -> NDArray[np.float64]:
    """The mean of `array`, shape (nz, nx), over each basin, in the order of `basins.sizes`; 0 for land."""
    from .kernels.basins import sum_by_basin

    sums = np.zeros(len(basins.sizes))
    sum_by_basin(array, basins.runs, sums)
    return np.asarray(sums / np.maximum(basins.sizes, 1), np.float64)


def add_to_basins(array: NDArray[np.float32], basins: Basins, amounts: NDArray[np.float64]) -> None:
    """Add to `array`, shape (nz, nx), in place an amount for each basin, in the order of `basins.sizes`."""
    from .kernels.basins import add_by_basin

    add_by_basin(array, basins.runs, np.asarray(amounts, np.float32))

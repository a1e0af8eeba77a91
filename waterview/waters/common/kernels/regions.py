"""The waters that land keeps apart: which points belong together, which waters keep their volume, sums over each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .borders import Sides

ROWS_AT_ONCE = 128
"""Rows that are looked through at a time: what is needed beside them stays small."""

_NEIGHBOURS = ((-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


class Regions(NamedTuple):
    """The connected waters of a grid; two points are connected where a way along rows and columns leads between them.

    Attributes:
        labels: number of the water at each point, 0 on land, shape (nz, nx) int32.
        runs: points of one water beside each other: row, first column, column after the last and label, shape (m, 4).
        sizes: number of points of each water, shape (count + 1,); that of land comes first.
        closed: whether each keeps its volume, likewise; False for land.
    """

    labels: NDArray[np.int32]
    runs: NDArray[np.int64]
    sizes: NDArray[np.int64]
    closed: NDArray[np.bool_]


def regions_of(fixed: NDArray[np.bool_], sides: Sides, flowing: bool) -> Regions:
    """The waters between the fixed points.

    Args:
        fixed: shape (nz, nx).
        sides: kinds of the four borders; a water that touches one that is neither a wall nor wrapping is not closed.
        flowing: whether fixed points are walls; if they hold the water at 0, a water beside any is not closed.
    """
    from .waters import number_waters

    labels = number_waters(fixed)
    if sides.north == "wrapping":
        labels = _joined(labels, labels[0], labels[-1])
    if sides.west == "wrapping":
        labels = _joined(labels, labels[:, 0], labels[:, -1])
    count = int(labels.max()) + 1
    sizes = np.zeros(count, np.int64)
    for rows in _some_rows(labels):
        sizes += np.bincount(labels[rows].ravel(), minlength=count)
    closed = np.ones(len(sizes), bool)
    closed[0] = False
    edges = (labels[0], labels[:, -1], labels[-1], labels[:, 0])
    for kind, edge in zip(sides, edges, strict=True):
        if kind not in ("reflecting", "wrapping"):
            closed[edge] = False
    if not flowing:
        closed[_beside_land(labels, sides)] = False
    return Regions(labels, _runs(labels), sizes, closed)


def _runs(labels: NDArray[np.int32]) -> NDArray[np.int64]:
    """The runs of equal labels along the rows, without those of land."""
    return np.concatenate([_runs_of_some(labels[rows], rows.start) for rows in _some_rows(labels)])


def _runs_of_some(labels: NDArray[np.int32], first: int) -> NDArray[np.int64]:
    """As `_runs`, of rows the first of which has the number `first`."""
    edge = np.diff(np.pad(labels, ((0, 0), (1, 1))), axis=1) != 0
    rows, starts = np.nonzero(edge[:, :-1] & (labels > 0))
    _, stops = np.nonzero(edge[:, 1:] & (labels > 0))
    return np.ascontiguousarray(np.stack((rows + first, starts, stops + 1, labels[rows, starts]), axis=1), np.int64)


def _some_rows(labels: NDArray[np.int32]) -> Iterator[slice]:
    """All rows, `ROWS_AT_ONCE` at a time."""
    return (slice(start, start + ROWS_AT_ONCE) for start in range(0, len(labels), ROWS_AT_ONCE))


def _joined(labels: NDArray[np.int32], one: NDArray[np.int32], other: NDArray[np.int32]) -> NDArray[np.int32]:
    """`labels` with those waters made one that lie at the same place of two edges; numbers stay without gaps."""
    names = np.arange(labels.max() + 1)
    for a, b in zip(one, other, strict=True):
        if a and b and names[a] != names[b]:
            names[names == max(names[a], names[b])] = min(names[a], names[b])
    _, numbers = np.unique(np.append(0, names), return_inverse=True)
    return np.asarray(numbers[1:][labels], np.int32)


def _beside_land(labels: NDArray[np.int32], sides: Sides) -> NDArray[np.int32]:
    """The labels of all points that have land among their eight neighbours."""
    around = np.pad(labels, ((1, 1), (0, 0)), mode="wrap" if sides.north == "wrapping" else "edge")
    around = np.pad(around, ((0, 0), (1, 1)), mode="wrap" if sides.west == "wrapping" else "edge")
    nz, nx = labels.shape
    near = np.zeros(labels.shape, bool)
    for dz, dx in _NEIGHBOURS:
        near |= around[1 + dz : 1 + dz + nz, 1 + dx : 1 + dx + nx] == 0
    return labels[near]


def remove_means(array: NDArray[np.float32], regions: Regions, base: NDArray[np.float32] | None = None) -> None:
    """Take from `array` the mean over each closed water of `array` − `base`, or of `array`; others stay as they are.

    Args:
        array: changed in place, shape (nz, nx); a view of a buffer will do.
        regions: the waters.
        base: as said, same shape.
    """
    if regions.closed.any():
        means = means_of(array, regions)
        if base is not None:
            means -= means_of(base, regions)
        add_to_waters(array, regions, np.where(regions.closed, -means, 0.0))


def means_of(array: NDArray[np.float32], regions: Regions) -> NDArray[np.float64]:
    """The mean of `array`, shape (nz, nx), over each water, in the order of `regions.sizes`; 0 for land."""
    from .region_rows import sum_by_region

    sums = np.zeros(len(regions.sizes))
    sum_by_region(array, regions.runs, sums)
    return np.asarray(sums / np.maximum(regions.sizes, 1), np.float64)


def add_to_waters(array: NDArray[np.float32], regions: Regions, amounts: NDArray[np.float64]) -> None:
    """Add to `array`, shape (nz, nx), in place an amount for each water, in the order of `regions.sizes`."""
    from .region_rows import add_by_region

    add_by_region(array, regions.runs, np.asarray(amounts, np.float32))

"""Fixed points as runs along the rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class FixedRuns(NamedTuple):
    """Fixed points as runs along the rows: cheaper to zero than to skip, and no second array is read.

    Attributes:
        shape: (nz, nx) of the field.
        first: number of the first run of each row and, at the end, of all runs, shape (nz + 1,) int64.
        ends: first column of each run and the column after its last, shape (m, 2) int64.
    """

    shape: tuple[int, int]
    first: NDArray[np.int64]
    ends: NDArray[np.int64]


def fixed_runs(fixed: NDArray[np.bool_]) -> FixedRuns:
    """The runs of `fixed`, shape (nz, nx) bool."""
    nz, nx = fixed.shape
    edges = np.diff(np.pad(fixed, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    rows, starts = np.nonzero(edges == 1)
    _, stops = np.nonzero(edges == -1)
    first = np.zeros(nz + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=nz), out=first[1:])
    return FixedRuns((nz, nx), first, np.ascontiguousarray(np.stack((starts, stops), axis=1), np.int64))

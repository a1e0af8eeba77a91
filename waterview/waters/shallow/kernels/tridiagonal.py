"""Many symmetric tridiagonal systems at once, along the rows or down the columns of an array (Thomas' algorithm).

For matrices that are diagonally dominant, as those of implicit waves are, no pivots are needed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import jit

Doubles = NDArray[np.float64]

NOTHING = 1e-60  # solutions die away exponentially; numbers beside 0 that few processors handle fast become 0


@jit
def _flushed(value: float) -> float:
    return value if abs(value) > NOTHING else 0.0


@jit
def solve_rows(diagonal: Doubles, beside: Doubles, right: Doubles, scratch: Doubles) -> None:
    """Solve one system a row: diagonal[i, j]·y[j] + beside[i, j]·y[j + 1] + beside[i, j − 1]·y[j − 1] = right[i, j].

    Args:
        diagonal: shape (nz, nx); greater than the sum of the sizes beside it.
        beside: couples each place with the next one, shape (nz, nx); the last column is not read.
        right: replaced by the solutions y, shape (nz, nx).
        scratch: room, shape (nz, nx).
    """
    nz, nx = right.shape
    for i in range(nz):
        inverse = np.divide(1.0, diagonal[i, 0])
        right[i, 0] *= inverse
        for j in range(1, nx):
            scratch[i, j] = beside[i, j - 1] * inverse
            inverse = np.divide(1.0, diagonal[i, j] - beside[i, j - 1] * scratch[i, j])
            right[i, j] = _flushed((right[i, j] - beside[i, j - 1] * right[i, j - 1]) * inverse)
        for j in range(nx - 2, -1, -1):
            right[i, j] = _flushed(right[i, j] - scratch[i, j + 1] * right[i, j + 1])


@jit
def _eliminate(
    diagonal: Doubles, above: Doubles, right: Doubles, right_above: Doubles, factor: Doubles, inverse: Doubles
) -> None:
    """One row of the way down of `solve_columns`; `inverse` holds that of the row above and gets that of this one."""
    for j in range(right.shape[0]):
        factor[j] = above[j] * inverse[j]
        inverse[j] = np.divide(1.0, diagonal[j] - above[j] * factor[j])
        right[j] = _flushed((right[j] - above[j] * right_above[j]) * inverse[j])


@jit
def solve_columns(diagonal: Doubles, beside: Doubles, right: Doubles, scratch: Doubles) -> None:
    """Solve one system a column, all columns side by side; else as `solve_rows`.

    Args:
        diagonal: shape (nz, nx).
        beside: couples each place with the one below it, shape (nz, nx); the last row is not read.
        right: replaced by the solutions, shape (nz, nx).
        scratch: room, shape (nz, nx).
    """
    nz, nx = right.shape
    inverse = np.divide(1.0, diagonal[0])
    for j in range(nx):
        right[0, j] *= inverse[j]
    for i in range(1, nz):
        _eliminate(diagonal[i], beside[i - 1], right[i], right[i - 1], scratch[i], inverse)
    for i in range(nz - 2, -1, -1):
        for j in range(nx):
            right[i, j] = _flushed(right[i, j] - scratch[i + 1, j] * right[i + 1, j])

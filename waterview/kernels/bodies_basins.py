"""Numbers for the connected parts of a water, so that nothing is carried across a dry wall."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .jit import jit


@jit
def number_basins(free: NDArray[np.bool_]) -> NDArray[np.int32]:
    """1, 2, … for the points of each part of `free` that is connected by sides, 0 elsewhere, shape (nz, nx) int32."""
    nz, nx = free.shape
    basins = np.zeros((nz, nx), np.int32)
    waiting = np.empty(nz * nx, np.int64)
    count = 0
    for seed in range(nz * nx):
        if not free[seed // nx, seed % nx] or basins[seed // nx, seed % nx] != 0:
            continue
        count += 1
        basins[seed // nx, seed % nx] = count
        waiting[0], size = seed, 1
        while size > 0:
            size -= 1
            i, j = waiting[size] // nx, waiting[size] % nx
            for k in range(4):
                a, b = i + (k == 0) - (k == 1), j + (k == 2) - (k == 3)
                if 0 <= a < nz and 0 <= b < nx and free[a, b] and basins[a, b] == 0:
                    basins[a, b] = count
                    waiting[size] = a * nx + b
                    size += 1
    return basins

"""Which tiles of a surface have changed from one frame to the next, found by comparing the two.

For models that write all of their surface anew for each frame, whether or not it has moved.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import Changes

from .active_tiles import TILE_COLUMNS, TILE_ROWS, tiles_of


class ComparedSurface(NamedTuple):
    """A surface and what is known of its tiles.

    Attributes:
        heights: [m], shape (nz, nx) float32.
        normals: as `Frame.normals`.
        changes: when each tile last changed.
    """

    heights: NDArray[np.float32]
    normals: NDArray[np.float16]
    changes: Changes


class ComparedSurfaces:
    """Compares each surface of `shape` (nz, nx) with the one before, to the bit."""

    def __init__(self, shape: tuple[int, int]) -> None:
        self._source, self._count = object(), 0
        self._changed_at = np.zeros(tiles_of(shape), np.int64)
        self._last: ComparedSurface | None = None

    def surface(self, heights: NDArray[np.float32], normals: NDArray[np.float16]) -> ComparedSurface:
        """The next surface, in arrays that nobody writes any more."""
        self._count += 1
        if self._last is None:
            self._changed_at[...] = self._count
        else:
            for old, new in ((self._last.heights, heights), (self._last.normals, normals)):
                self._changed_at[_differing_tiles(_words(old), _words(new))] = self._count
        tile = TILE_ROWS, TILE_COLUMNS
        changes = Changes(self._source, self._count, self._changed_at.copy(), tile, heights)
        self._last = ComparedSurface(heights, normals, changes)
        return self._last


def _words(values: NDArray[np.floating]) -> NDArray[np.uint32]:
    """One word for each point, shape (nz, nx)."""
    values = np.ascontiguousarray(values)
    return values.view(np.uint32).reshape(values.shape[:2])


def _differing_tiles(old: NDArray[np.uint32], new: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """The tiles in which any point differs; row of tiles by row of tiles, so that what is in between stays cached."""
    nz, nx = old.shape
    differing, starts = np.zeros(tiles_of(old.shape), bool), np.arange(0, nx, TILE_COLUMNS)
    for number, row in enumerate(range(0, nz, TILE_ROWS)):
        both = old[row : row + TILE_ROWS] ^ new[row : row + TILE_ROWS]
        differing[number] = np.bitwise_or.reduceat(np.bitwise_or.reduce(both, axis=0), starts) != 0
    return differing

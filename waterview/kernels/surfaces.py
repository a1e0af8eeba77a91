"""Published surfaces: copies of a field's heights and slopes that are written only where water has moved."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .awake import AwakeTiles, tiles_of
from .layout import TwoLevels, aligned_zeros
from .slopes import write

Mend = Callable[[NDArray[np.float16], NDArray[np.float32]], None]

SPARE = 2
"""Copies that are kept although nobody holds them: one is written while another may still be shown."""


class _Copy:
    """Room for the heights and slopes of a field, and which of its tiles are no longer as the field is."""

    def __init__(self, shape: tuple[int, int]) -> None:
        self.stale = np.ones(tiles_of(shape), bool)
        self._shape = shape
        self._memory = aligned_zeros(2, shape[0] * shape[1])
        # What all views of this memory refer to, and how many references there are while nobody has one.
        self._owner = self._memory.base
        self._unheld = sys.getrefcount(self._owner)

    @property
    def held(self) -> bool:
        """Whether anyone has an array in this memory, or a part of one."""
        return sys.getrefcount(self._owner) > self._unheld

    def arrays(self) -> tuple[NDArray[np.float32], NDArray[np.float16]]:
        """The heights, shape (nz, nx), and slopes, shape (nz, nx, 2): new views."""
        heights, slopes = self._memory
        return heights.reshape(self._shape), slopes.view(np.float16).reshape(*self._shape, 2)


class Surfaces:
    """Hands out copies of the heights and slopes of a field of `shape` (nz, nx).

    An array that was handed out does not change as long as anything refers to it. When nothing does any more its memory
    is used again: no new memory need be fetched, and only tiles that have moved since it was written are written anew.

    Args:
        shape: as said.
        spacing: distance of neighbouring points [m].
        tiles: which tiles move; the field's own.
    """

    def __init__(self, shape: tuple[int, int], spacing: float, tiles: AwakeTiles) -> None:
        self._shape, self._spacing, self._tiles = shape, spacing, tiles
        self._copies: list[_Copy] = []  # the newest last

    def copy(self, field: TwoLevels, mend: Mend | None = None) -> tuple[NDArray[np.float32], NDArray[np.float16]]:
        """The heights of `field` [m], shape (nz, nx), and its slopes as `slopes.slopes`.

        Whenever slopes have been written, `mend(slopes, heights)` is called to change what it likes in them.
        """
        changed = _with_neighbours(self._tiles.take_changed())
        for each in self._copies:
            each.stale |= changed
        copy = self._next()
        heights, slopes = copy.arrays()
        if copy.stale.any():
            write(field, self._spacing, slopes, heights, copy.stale)
            copy.stale[:] = False
            if mend is not None:
                mend(slopes, heights)
        return heights, slopes

    def _next(self) -> _Copy:
        """A copy to write, or one in which nothing is stale; it becomes the newest."""
        free = [copy for copy in self._copies if not copy.held]
        chosen = next((copy for copy in reversed(self._copies) if not copy.stale.any()), None)
        chosen = chosen or (free[0] if free else _Copy(self._shape))
        useless = free[:-SPARE]
        self._copies = [copy for copy in self._copies if copy is not chosen and copy not in useless] + [chosen]
        return chosen


def _with_neighbours(tiles: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The tiles and those around them, whose slopes take heights from them."""
    around = np.zeros((tiles.shape[0] + 2, tiles.shape[1] + 2), bool)  # np.pad takes ten times as long
    around[1:-1, 1:-1] = tiles
    along = around[:, :-2] | around[:, 1:-1] | around[:, 2:]
    return np.asarray(along[:-2] | along[1:-1] | along[2:])

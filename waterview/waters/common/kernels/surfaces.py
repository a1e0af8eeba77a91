"""Published surfaces: copies of a field's heights and slopes that are written only where water has moved."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from waterview.simd.layout import TwoLevels, aligned_zeros

from .awake import AwakeTiles
from .slopes import Surface, surface_in, write

Mend = Callable[[NDArray[np.float16], NDArray[np.float32]], None]

SPARE = 2
"""Copies that are kept although nobody holds them: one is written while another may still be shown."""


class _Copy:
    """Room for the heights and slopes of a field.

    Attributes:
        surface: what is written there, and which of its tiles are no longer as the field is.
        mended: whether nothing was written since slopes were mended.
    """

    def __init__(self, shape: tuple[int, int], spacing: float) -> None:
        self._shape = shape
        self._memory = aligned_zeros(2, shape[0] * shape[1])
        self.surface = surface_in(*self.arrays(), spacing)
        self.mended = False
        # What all views of this memory refer to, and how many references there are while nobody has one.
        self._owner = self._memory.base
        self._unheld = sys.getrefcount(self._owner)

    @property
    def held(self) -> bool:
        """Whether anyone has an array in this memory, or a part of one."""
        return sys.getrefcount(self._owner) > self._unheld

    @property
    def stale(self) -> int:
        """The number of tiles that have to be written."""
        return int(np.count_nonzero(self.surface.stale))

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

    @contextmanager
    def written_ahead(self) -> Iterator[Surface]:
        """Room for the surface that `copy` will be asked for; steps taken within this may write it, in part or whole.

        What they have left, and what is changed afterwards, `copy` writes.
        """
        self._note_changes()
        copy = self._next()
        copy.surface.fresh[:] = False
        yield copy.surface
        self._note_changes()
        copy.surface.stale[copy.surface.fresh] = False
        copy.mended &= not copy.surface.fresh.any()

    def copy(self, field: TwoLevels, mend: Mend | None = None) -> tuple[NDArray[np.float32], NDArray[np.float16]]:
        """The heights of `field` [m], shape (nz, nx), and its slopes as `slopes.slopes`.

        Whenever slopes have been written, `mend(slopes, heights)` is called to change what it likes in them.
        """
        self._note_changes()
        unchanged = (copy for copy in reversed(self._copies) if not copy.stale)
        copy = next(unchanged, None) or self._next()
        if copy.stale:
            write(field, copy.surface)
            copy.mended = False
        heights, slopes = copy.arrays()
        if mend is not None and not copy.mended:
            mend(slopes, heights)
        copy.mended = True
        return heights, slopes

    def _note_changes(self) -> None:
        changed = self._tiles.take_changed()
        if changed.any():
            stale = _with_neighbours(changed)
            for copy in self._copies:
                copy.surface.stale[...] |= stale

    def _next(self) -> _Copy:
        """The copy to write next: of those that nobody holds the one with the least to write, or a new one."""
        free = sorted((copy for copy in self._copies if not copy.held), key=lambda copy: copy.stale)
        chosen = free[0] if free else _Copy(self._shape, self._spacing)
        useless = free[SPARE:]
        self._copies = [copy for copy in self._copies if copy is not chosen and copy not in useless] + [chosen]
        return chosen


def _with_neighbours(tiles: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The tiles and those around them, whose slopes take heights from them."""
    around = np.zeros((tiles.shape[0] + 2, tiles.shape[1] + 2), bool)  # np.pad takes ten times as long
    around[1:-1, 1:-1] = tiles
    along = around[:, :-2] | around[:, 1:-1] | around[:, 2:]
    return np.asarray(along[:-2] | along[1:-1] | along[2:])

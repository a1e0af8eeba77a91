"""The surface that a model publishes: copies of a field's heights and slopes, written only where water has moved.

Slopes are pairs of half floats, from which the renderer makes its normals. The compiled part is in `kernels/slopes`.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import Changes
from waterview.simd.layout import LINE, PAD, TwoLevels, address, aligned_zeros, row_stride

from .active_tiles import TILE_COLUMNS, TILE_ROWS, ActiveTiles, Tiles, tiles_of

MAX_SLOPE = 60_000.0
"""Slopes are clipped to ± this, just inside what a half float holds."""

PAST_CACHES = 1 << 21
"""Points from which on surfaces are written past the caches: they would not stay there anyway."""


class PublishedSurface(NamedTuple):
    """Room for the slopes and heights of a field, made by `surface_in`.

    Attributes:
        heights: address for a copy of the heights, row after row, or 0 for none.
        slopes: address for a word for each point: −∂h/∂x in its lower half and −∂h/∂z in the upper, as half floats.
        stale: tiles that have to be written, as in `active_tiles.Marks`.
        fresh: rows of tiles in which `step.advance` has written them, shape (m,).
        nz, nx: points along z and along x.
        stride: bytes from one row of the field's heights to the next.
        half_inverse: 1/(2Δx) [1/m].
        bound: largest slope.
        past: whether to write past the caches: then rows must be whole lines of the cache.
    """

    heights: int
    slopes: int
    stale: Tiles
    fresh: NDArray[np.bool_]
    nz: int
    nx: int
    stride: int
    half_inverse: np.float32
    bound: np.float32
    past: bool


def slopes(field: TwoLevels, spacing: float) -> NDArray[np.float16]:
    """(−∂h/∂x, −∂h/∂z) at every point, shape (nz, nx, 2) float16.

    Central differences inside the grid, one-sided at its edges. A fixed point counts with its height of 0: it is where
    the water's edge is held.

    Args:
        field: its heights h [m] are read.
        spacing: distance of neighbouring points [m].
    """
    out = np.empty((*field.shape, 2), np.float16)
    write(field, surface_in(None, out, spacing))
    return out


def slopes_of_part(
    heights: NDArray[np.float32], walls: NDArray[np.bool_], spacing: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """As `slopes`, without a field: −∂h/∂x and −∂h/∂z, one-sided at the part's edges, shape (nz, nx) each.

    Args:
        heights: [m], shape (nz, nx), 2 × 2 or more.
        walls: points that count as high as the point beside them, shape (nz, nx).
        spacing: distance of neighbouring points [m].
    """
    along = []
    for axis in (1, 0):
        last = heights.shape[axis] - 1
        at = np.arange(last + 1)
        sides = []
        for beside in (np.maximum(at - 1, 0), np.minimum(at + 1, last)):
            sides.append(np.where(walls.take(beside, axis), heights, heights.take(beside, axis)))
        scale = np.where((at == 0) | (at == last), 1.0, 0.5) * min(1.0 / spacing, 1e30)
        slope = (sides[0] - sides[1]) * np.expand_dims(scale.astype(np.float32), 1 - axis)
        along.append(np.clip(slope, -MAX_SLOPE, MAX_SLOPE))
    return along[0], along[1]


def surface_in(heights: NDArray[np.float32] | None, slopes: NDArray[np.float16], spacing: float) -> PublishedSurface:
    """A surface that lies in these arrays, all of it stale; they must outlive it.

    Args:
        heights: for a copy of h [m], shape (nz, nx), C-contiguous, or None.
        slopes: for what `slopes` gives, shape (nz, nx, 2), C-contiguous.
        spacing: as there.
    """
    nz, nx = slopes.shape[:2]
    places = 0 if heights is None else address(heights), address(slopes)
    lines = nx % PAD == 0 and not any(place % LINE for place in places)
    tiles = tiles_of((nz, nx))
    marks = np.ones(tiles, bool), np.zeros(tiles[0], bool)
    # Held finite, or 0 heights on an absurdly fine grid would give 0·∞.
    numbers = np.float32(min(0.5 / spacing, 1e30)), np.float32(MAX_SLOPE)
    # Both halves of a point are written as one word: no machine that numba runs on puts the second half first.
    return PublishedSurface(*places, *marks, nz, nx, 4 * row_stride(nx), *numbers, lines and nz * nx >= PAST_CACHES)


def write(field: TwoLevels, surface: PublishedSurface, vector_width: int | None = None) -> None:
    """Write the slopes of a field of a surface's shape, and its heights if asked for, where tiles are stale.

    Args:
        field: its heights h [m] are read.
        surface: where to.
        vector_width: floats to a vector; by default what suits the processor.
    """
    from waterview.simd.jit import Static
    from waterview.simd.processor import VECTOR_WIDTH

    from .kernels.slopes import write_rows

    width = VECTOR_WIDTH if vector_width is None else vector_width
    width = width if width <= surface.nx else 1
    write_rows(Static(width), field.addresses[0], 0, surface.nz, surface)
    surface.stale[:] = False


# --- copies that are handed out

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


class PublishedSurfaces:
    """Hands out copies of the heights and slopes of a field of `shape` (nz, nx).

    An array that was handed out does not change as long as anything refers to it. When nothing does any more its memory
    is used again: no new memory need be fetched, and only tiles that have moved since it was written are written anew.

    Args:
        shape: of the field.
        spacing: distance of neighbouring points [m].
        tiles: which tiles move; the field's own.
    """

    def __init__(self, shape: tuple[int, int], spacing: float, tiles: ActiveTiles) -> None:
        self._shape, self._spacing, self._tiles = shape, spacing, tiles
        self._copies: list[_Copy] = []  # the newest last
        self._source, self._count = object(), 0
        self._changed_at = np.ones(tiles_of(shape), np.int64)
        self._handed_out: weakref.ref[NDArray[np.float32]] | None = None  # it must not hold the memory itself

    @contextmanager
    def written_ahead(self) -> Iterator[PublishedSurface]:
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
        self._count += 1
        self._handed_out = weakref.ref(heights)
        return heights, slopes

    def changes(self, heights: NDArray[np.float32]) -> Changes | None:
        """Which tiles have changed since earlier copies, if `heights` are those handed out last; else None."""
        if self._handed_out is None or self._handed_out() is not heights:
            return None
        return Changes(self._source, self._count, self._changed_at.copy(), (TILE_ROWS, TILE_COLUMNS), heights)

    def _note_changes(self) -> None:
        changed = self._tiles.take_changed()
        if changed.any():
            stale = _with_neighbours(changed)
            self._changed_at[stale] = self._count + 1
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


# --- next to land, whose height of 0 is not the water's


class ShoreSlopes:
    """Corrects slopes at the points next to land: a fixed neighbour counts as high as the point itself.

    Args:
        fixed: points of land, shape (nz, nx).
        spacing: distance of neighbouring points [m].
    """

    def __init__(self, fixed: NDArray[np.bool_], spacing: float) -> None:
        land = np.pad(fixed, 1)  # outside the grid is no land: one-sided slopes need nothing from there
        beside = land[:-2, 1:-1] | land[2:, 1:-1] | land[1:-1, :-2] | land[1:-1, 2:]
        rows, columns = np.nonzero(beside & ~fixed)
        ends, scales = [], []
        for axis, index in ((1, columns), (0, rows)):
            last = fixed.shape[axis] - 1
            low, high = np.maximum(index - 1, 0), np.minimum(index + 1, last)
            # One-sided at the grid's edges, as everywhere there.
            scales.append(np.where((index == 0) | (index == last), 1.0, 0.5) * min(1.0 / spacing, 1e30))
            at = [(rows, each) if axis else (each, columns) for each in (low, high)]
            ends.append([np.where(fixed[place], index, each) for place, each in zip(at, (low, high), strict=True)])
        self._places = np.ascontiguousarray([rows, columns, *ends[0], *ends[1]], np.int64)
        self._scales = np.ascontiguousarray(scales, np.float32)

    def mend(self, normals: NDArray[np.float16], heights: NDArray[np.float32]) -> None:
        """Write the slopes (−∂h/∂x, −∂h/∂z) of `heights` [m] at these points into `normals`, shape (nz, nx, 2)."""
        from .kernels.slopes import write_at_points

        write_at_points(normals.view(np.uint16), heights, self._places, self._scales, np.float32(MAX_SLOPE))

"""Sleeping water: which tiles of a field may move, so that a step costs nothing where nothing does.

The compiled part is in `wave/kernels/active_tiles`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from waterview.simd.layout import address

from .borders import Sides

Tiles = NDArray[np.bool_]
Indices = NDArray[np.int64]

# Compiled code holds these as constants.
TILE_ROWS, TILE_COLUMNS = 16, 64
REST_PERIOD = 64
"""Steps from one search for tiles whose heights are too small to matter to the next, counted from the field's first."""

HORIZON = 16
"""Steps for which the tiles to step are found at a time; waves get no farther in them than the next tile."""
PATIENCE = 64
"""Steps between two looks for tiles that have come to rest where all of them are awake."""

_FOR_EVER = 1 << 62


class Marks(NamedTuple):
    """What is known of a field's tiles, of which there are m × n.

    Attributes:
        awake: tiles that held anything but zeros when last looked at, shape (m, n).
        busy: tiles that waves may have reached since, which are stepped, shape (m, n).
        changed: tiles that were stepped or written since `ActiveTiles.take_changed`, shape (m, n).
        first: of each row of tiles the number of its first span of busy columns; at the end, of all; shape (m + 1,).
            A row's spans also cover what is busy in the next one.
        ends: columns where each span starts and stops, shape (m·n, 2).
        left: number of steps for which this holds, shape (1,).
    """

    awake: Tiles
    busy: Tiles
    changed: Tiles
    first: Indices
    ends: Indices
    left: Indices


def tiles_of(shape: tuple[int, int]) -> tuple[int, int]:
    """How many tiles a field of `shape` (nz, nx) has along z and along x."""
    return -(-shape[0] // TILE_ROWS), -(-shape[1] // TILE_COLUMNS)


class ActiveTiles:
    """The tiles of a field of `shape` (nz, nx) that may hold anything but zeros; all of them at first.

    A tile sleeps when both time levels are +0 to the last bit. Waves run no farther than one point a step, and zeros
    among zeros give +0 again, so stepping only what waves can reach gives the same bits as stepping everything.
    Beside layers and ghost points, which remember waves, none sleeps.

    Whoever writes heights other than by steps must say so: `wake`.

    Args:
        shape: of the field.
        sleepless: step every tile, without ever looking whether it moves.

    Attributes:
        marks: see `Marks`.
        addresses: of `marks.first` and `marks.ends`.
        sides: the borders that waves were last thought to meet.
        surrounded_by: the borders that the field's halo is filled for, or None if it is not known to be.
    """

    def __init__(self, shape: tuple[int, int], sleepless: bool = False) -> None:
        self._shape = shape
        m, n = tiles_of(shape)
        ends = np.zeros((m * n, 2), np.int64)
        ends[:m, 1] = n * TILE_COLUMNS  # everything is busy: a span for each row of tiles
        left = np.full(1, _FOR_EVER if sleepless else 0, np.int64)
        self._sleepless, self.sides = sleepless, Sides("zero", "zero", "zero", "zero")
        self._all_marks = np.ones((3, m, n), bool)
        awake, busy, changed = self._all_marks
        self.marks = Marks(awake, busy, changed, np.arange(m + 1), ends, left)
        self.addresses = address(self.marks.first), address(self.marks.ends)
        self.surrounded_by: Sides | None = None

    def check(self) -> None:
        """Make sure that marks from a file make sense: compiled code does not check where it reads.

        Raises:
            ValueError: spans are not those of the busy tiles.
        """
        busy, (first, ends) = self.marks.busy, _spans(self.marks.busy)
        saved = self.marks.ends[: len(ends)]
        if not ((self.marks.first == first).all() and (saved == ends).all()):
            raise ValueError(f"spans of tiles that are not those of the {np.count_nonzero(busy)} busy ones")
        if not 0 <= self.marks.left[0] <= _FOR_EVER:
            raise ValueError(f"spans of tiles that hold for {self.marks.left[0]} steps")

    def wake(self, rows: slice = slice(None), columns: slice = slice(None), *, shown: bool = True) -> None:
        """Say that heights in these rows and columns, of either level, were or will be written before the next step.

        Where all of these tiles were awake already, what is known of the others still holds.

        Args:
            rows: all of them by default.
            columns: all of them by default.
            shown: whether h is among what is written, and not only h⁻ or velocities, which nobody sees.
        """
        if 0 in self._all_marks.tobytes():  # where everything moves, which is to be quick, nothing has to be noted
            written = _tiles(rows, TILE_ROWS), _tiles(columns, TILE_COLUMNS)
            awake = self.marks.awake[written]
            if 0 in awake.tobytes():  # a fifth of the time that all() takes
                awake[...] = True
                self.marks.left[0] = 0
            if shown:
                self.marks.changed[written] = True
        if _at_edge(rows, self._shape[0]) or _at_edge(columns, self._shape[1]):
            self.surrounded_by = None

    def surround(self, sides: Sides) -> bool:
        """Say what lies outside the field from now on; returns whether its halo was filled for that already."""
        filled = self.surrounded_by == sides
        if sides != self.sides and not self._sleepless:
            self.marks.left[0] = 0  # waves may get elsewhere than was thought
            awake = self.marks.awake
            for kind, edge in zip(sides.kinds, (awake[0], awake[:, -1], awake[-1], awake[:, 0]), strict=True):
                np.logical_or(edge, kind.memory != "none", out=edge)
        self.surrounded_by = self.sides = sides
        return filled

    def take_changed(self) -> Tiles:
        """The tiles in which heights may have changed since the last call, shape (m, n)."""
        changed = self.marks.changed.copy()
        self.marks.changed[:] = False
        return changed


def _spans(busy: Tiles) -> tuple[Indices, Indices]:
    """`Marks.first`, and as many of `Marks.ends` as are in use, for busy tiles, shape (m, n)."""
    padded = np.zeros((len(busy), busy.shape[1] + 2), bool)
    padded[:, 1:-1] = busy
    padded[:-1, 1:-1] |= busy[1:]
    row, column = np.nonzero(padded[:, 1:] != padded[:, :-1])  # where spans start and stop in turn
    first = np.searchsorted(row[::2], np.arange(len(busy) + 1))
    return first, column.reshape(-1, 2) * TILE_COLUMNS


def _tiles(points: slice, size: int) -> slice:
    start, stop = points.start, points.stop
    return slice(None if start is None else start // size, None if stop is None else -(-stop // size))


def _at_edge(points: slice, count: int) -> bool:
    return not points.start or points.stop is None or points.stop >= count

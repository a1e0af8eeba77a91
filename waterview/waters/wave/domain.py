"""What a field of waves lies in: its land, its borders, and its coast.

The coast is where water is beside land, and where a shore without flux changes which neighbours act on a point.
A fixed neighbour takes the value of the point itself, so nothing flows there and waves come back upright. For a
stencil with corners that alone would slow waves that run along a wall. So the corner's share goes to the neighbour
along the wall: then straight walls are exactly the reflecting border. Nothing flows between two points that touch only
at a corner of land.

Each square of four points adds (½ − w)(hᵢ − hⱼ)² to −h·L(h) for its pairs of water points side by side and w(hᵢ − hⱼ)²
for those across, w being the weight of the stencil's corners, or ½ (hᵢ − hⱼ)² where only two side by side are water.
None of these is more than what the square gives in open water at most, so the largest symbol of the stencil, and with
it the stable time step, is that of open water for every shape of land.

All of this follows from where there is water, which a few bits a point say: `kernels/rows` has the sums.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from waterview.simd.layout import PAD, address, row_stride
from waterview.waters.common.borders import Sides

from .border_memory import BorderMemory

SHORES = ("no-flux", "zero")
"""What water meets at fixed points: a wall, which throws waves back upright, or a surface held at 0 (Bressler 2007)."""


class Domain:
    """What a field of the shape of `fixed` lies in: its land, its coast and its borders, with what these remember.

    Args:
        fixed: fixed points, shape (nz, nx) bool.
        sides: kinds of the four borders.
        shore: one of `SHORES`.

    Attributes:
        shape: (nz, nx).
        fixed, sides, shore: as given.
        water: a bit for each point, set where there is water: point (i, j) is bit j % 8, counted from the lowest, of
            byte j // 8 in row i. The rest of each row is 0. Shape (nz, row_stride(nx) / 8) uint8.
        border_memory: what the borders remember.

    Raises:
        ValueError: the shore is unknown or the borders do not fit together.
    """

    def __init__(self, fixed: NDArray[np.bool_], sides: Sides, shore: str = "no-flux") -> None:
        if shore not in SHORES:
            raise ValueError(f"shore '{shore}': allowed are {', '.join(SHORES)}")
        self.shape = fixed.shape
        self.sides = sides
        self.shore = shore
        self.fixed = fixed
        self.border_memory = BorderMemory(sides, fixed, walls=shore == "no-flux")
        nz, nx = fixed.shape
        self.water = np.zeros((nz, row_stride(nx) // 8), np.uint8)
        self.water[:, : -(-nx // 8)] = np.packbits(~fixed, axis=1, bitorder="little")

    def refitted(self, fixed: NDArray[np.bool_], sides: Sides, shore: str) -> Domain:
        """A domain of the same shape with other land, borders or shore; borders that stay keep what they remember.

        Raises:
            ValueError: as when it is made.
        """
        domain = Domain(fixed, sides, shore)
        domain.border_memory.take_over(self.border_memory)
        return domain

    @functools.cached_property
    def coast(self) -> Coast | None:
        """Where walls are, if there are any; found when first asked for."""
        if self.shore == "zero" or not self.fixed.any():
            return None
        return coast_of(self.fixed, self.sides.wraps)

    @functools.cached_property
    def places(self) -> tuple[float, ...]:
        """What compiled code is told of it: the attributes `north` to `west_remembers` of `sweep.Step`."""
        (nz, nx), stride = self.shape, row_stride(self.shape[1]) * np.dtype(np.float32).itemsize
        remembers = tuple(kind.memory != "none" for kind in self.sides.kinds)
        weights = (np.float32(0.0 if kind.memory != "none" else kind.weight) for kind in self.sides.kinds)
        water = address(self.water), self.water.strides[0]
        coast = (0,) * 4 if self.coast is None else self.coast.places
        return *weights, *self.sides.wraps, nz, nx, -(-nx // PAD) * PAD, stride, *water, *coast, *remembers


# --- the coast

BLOCK = 16
"""Points of a row that are looked at together."""

FREE, LEFT, RIGHT, CROSS_LEFT, CROSS_RIGHT, INSIDE = range(6)
"""The numbers of a block: where there is water; where there is on the left, too, or on the right; where there is below,
too, but on the left only in one of the two rows, or on the right; and where water is that is not outside the grid."""

OPEN, BESIDE, LAND = range(3)
"""Kinds of runs: water beside no land, anything, and nothing but land."""

ROWS = 4
"""Rows that are stepped together."""

BAND = 64
"""Rows that are looked at together, for the memory that it takes."""


class Coast(NamedTuple):
    """Where walls are, for steps beside them.

    Attributes:
        bits: eight numbers for each block, of which `FREE` to `INSIDE` hold a bit for each point, the lowest for the
            first. The grid is surrounded by a row above and one below, a block on the left and one on the right;
            shape (nz + 2, n, 8) uint16.
        first: number of the first run of each row and, at the end, of all, shape (nz + 1,) int64.
        runs: column after the last and kind of runs that say what there is in a row and the three below it, from left
            to right; shape (m, 2) int64.
    """

    bits: NDArray[np.uint16]
    first: NDArray[np.int64]
    runs: NDArray[np.int64]

    @property
    def places(self) -> tuple[int, int, int, int]:
        """The address of the bits of the first point, the bytes from one row to the next, and the other addresses."""
        inside = self.bits[1:, 1:]
        return address(inside), self.bits.strides[0], address(self.first), address(self.runs)


def coast_of(fixed: NDArray[np.bool_], wraps: tuple[bool, bool] = (False, False)) -> Coast:
    """The shores of `fixed`, shape (nz, nx) bool, where fixed points are walls.

    Args:
        fixed: fixed points; outside the grid land goes on as it is at the edge.
        wraps: whether the grid's rows, and its columns, go on at the opposite end.
    """
    nz, nx = fixed.shape
    water = ~fixed
    for axis, wrap in enumerate(wraps):
        ends = [(1, 1) if axis == each else (0, 0) for each in (0, 1)]
        water = np.pad(water, ends, mode="wrap" if wrap else "edge")
    width = -(-nx // PAD) * PAD
    water = np.pad(water, ((1, 1), (PAD - 1, width - nx + PAD - 1)))
    bits = np.zeros((nz + 2, width // BLOCK + 2, 8), np.uint16)
    kinds = np.zeros((nz + 2, width // BLOCK), np.uint8)
    for top in range(0, nz + 2, BAND):
        rows = slice(top, min(top + BAND, nz + 2))
        band = water[rows.start : rows.stop + 2]
        for kind, points in enumerate(_kinds_of_points(band[1:])):
            bits[rows, :, kind] = np.packbits(points, axis=1, bitorder="little").view("<u2")
        kinds[rows] = _kinds_of_blocks(band)[:, 1:-1]
    bits[1:-1, 1:-1, INSIDE] = bits[1:-1, 1:-1, FREE]
    bits[1:-1, -2, INSIDE] &= (1 << (nx - width + BLOCK)) - 1
    return Coast(bits, *_runs(kinds[1:-1]))


def _kinds_of_points(water: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
    """What the bytes of a block say, of all rows but the last."""
    left, right = np.zeros((2, *water.shape), bool)
    left[:, 1:] = right[:, :-1] = water[:, :-1] & water[:, 1:]
    both = water[:-1] & water[1:]
    crosses = [both & (side[:-1] ^ side[1:]) for side in (left, right)]
    return [water[:-1], left[:-1], right[:-1], *crosses]


def _kinds_of_blocks(water: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """What there is in each block, of all rows but the first and the last: 1 for water, 3 for water beside land."""
    here = water[1:-1]
    inside = water[:-2] & here & water[2:]
    inside[:, 1:-1] &= inside[:, :-2] & inside[:, 2:]
    shore = here & ~inside
    by_block = (len(here), -1, BLOCK)
    kinds = np.zeros((len(here), here.shape[1] // BLOCK), np.uint8)
    kinds[here.reshape(by_block).any(axis=2)] = 1
    kinds[shore.reshape(by_block).any(axis=2)] = 3
    return kinds


def _runs(kinds: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First run of each row and all runs, from `_kinds_of_blocks` of all rows; a row tells of those below it, too."""
    together = kinds.copy()
    for below in range(1, ROWS):
        together[:-below] |= kinds[below:]
    table = np.array([LAND, OPEN, LAND, BESIDE])[together]
    between = (table[:, :-2] == BESIDE) & (table[:, 2:] == BESIDE)
    table[:, 1:-1][between] = BESIDE  # to begin and end a run costs more than to step a block in vain
    ends = np.ones(table.shape, bool)
    ends[:, :-1] = table[:, 1:] != table[:, :-1]
    row, block = np.nonzero(ends)
    first = np.zeros(len(kinds) + 1, np.int64)
    np.cumsum(np.bincount(row, minlength=len(kinds)), out=first[1:])
    return first, np.stack([(block + 1) * BLOCK, table[row, block]], axis=1)

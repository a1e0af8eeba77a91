"""A grid cut into blocks: which points each of them owns, which it holds, and what it sends to the others.

A block owns a rectangle of points, and holds a halo around it that others own. A step reaches one point. So a halo of
n + 1 points lets a block take n steps alone, after which what it owns, and one point beyond, is still right to the
bit. Then the owners exchange halos (domain decomposition with deep halos: Ding and He, SC 2001).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from waterview.core.grid import Grid
from waterview.core.rectangle import Rectangle
from waterview.waters.common.active_tiles import TILE_COLUMNS, TILE_ROWS
from waterview.waters.common.borders import Sides

BLOCK_UNIT = max(TILE_ROWS, TILE_COLUMNS)
"""Sides of blocks are multiples of this: then every tile of the grid that falls asleep as a whole has one owner."""

INSIDE = "zero"
"""The border that a block has where it ends inside the grid. What it makes wrong there has not yet got through the halo
when the halo is filled anew, whichever kind it is; this one remembers nothing."""

Number = tuple[int, int]
"""Row and column of a block."""


class LakeGrid(Grid):
    """A grid with so many points that no machine need hold them all."""

    most_points: ClassVar[int] = 1 << 40


class HaloTransfer(NamedTuple):
    """Points that one block owns and another holds in its halo.

    Attributes:
        sender, receiver: the blocks.
        sent: the points, as the sender knows them.
        received: the same points, as the receiver knows them; beyond the grid's end where it wraps.
    """

    sender: Number
    receiver: Number
    sent: Rectangle
    received: Rectangle


@dataclass(frozen=True)
class Blocks:
    """The blocks of a grid.

    Attributes:
        shape: (nz, nx) of the grid.
        side: points along each side of a block, a multiple of `BLOCK_UNIT`; the last ones are smaller.
        halo: points around a block that it holds, too.
        sides: the kinds of the grid's borders.
    """

    shape: tuple[int, int]
    side: int
    halo: int
    sides: Sides

    def __post_init__(self) -> None:
        if self.side < BLOCK_UNIT or self.side % BLOCK_UNIT:
            raise ValueError(f"blocks of {self.side} points a side: needed are multiples of {BLOCK_UNIT}")
        if self.halo < 1:
            raise ValueError(f"a halo of {self.halo} points: needed is at least one")

    @property
    def count(self) -> Number:
        """Rows and columns of blocks."""
        return -(-self.shape[0] // self.side), -(-self.shape[1] // self.side)

    @property
    def numbers(self) -> list[Number]:
        """All blocks, row by row."""
        rows, columns = self.count
        return [(i, j) for i in range(rows) for j in range(columns)]

    @property
    def ends(self) -> Rectangle:
        """The whole grid; where it wraps it has no ends, and they lie where no block is."""
        (nz, nx), (wraps_z, wraps_x), far = self.shape, self.sides.wraps, 1 << 60
        return Rectangle(*(-far, far) if wraps_z else (0, nz), *(-far, far) if wraps_x else (0, nx))

    def owned(self, number: Number) -> Rectangle:
        """The points that a block owns; every point of the grid has one owner."""
        top, left = number[0] * self.side, number[1] * self.side
        return Rectangle(top, min(top + self.side, self.shape[0]), left, min(left + self.side, self.shape[1]))

    def held(self, number: Number) -> Rectangle:
        """The points that a block holds: its own and the halo, which ends at the grid's sides unless it wraps."""
        return self.owned(number).around(self.halo).and_(self.ends)

    def sides_of(self, number: Number) -> Sides:
        """The kinds of a block's borders: the grid's where it holds the grid's edge, else `INSIDE`."""
        at_end = (mine == end for mine, end in zip(self.held(number), self.ends, strict=True))
        north, south, west, east = at_end
        there = north, east, south, west
        return Sides(*(kind if is_end else INSIDE for kind, is_end in zip(self.sides, there, strict=True)))

    def transfers_to(self, receiver: Number) -> Iterator[HaloTransfer]:
        """All that fills a block's halo; in a grid that wraps a block may receive its own points."""
        held, (nz, nx) = self.held(receiver), self.shape
        wraps_z, wraps_x = self.sides.wraps
        rows = range(-_turns(self.halo, nz), _turns(self.halo, nz) + 1) if wraps_z else range(1)
        columns = range(-_turns(self.halo, nx), _turns(self.halo, nx) + 1) if wraps_x else range(1)
        for sender in self.numbers:
            for down, right in itertools.product(rows, columns):
                if sender == receiver and (down, right) == (0, 0):
                    continue
                received = self.owned(sender).moved(down * nz, right * nx).and_(held)
                if not received.is_empty:
                    yield HaloTransfer(sender, receiver, received.moved(-down * nz, -right * nx), received)


def _turns(halo: int, points: int) -> int:
    """How often a grid of so many points must be laid beside itself to fill a halo."""
    return -(-halo // points)

"""A rectangle of grid points."""

from __future__ import annotations

from typing import NamedTuple


class Rectangle(NamedTuple):
    """Rows `top` to `bottom` − 1 and columns `left` to `right` − 1 of a grid; where it wraps also beyond its ends."""

    top: int
    bottom: int
    left: int
    right: int

    @property
    def shape(self) -> tuple[int, int]:
        """(nz, nx)."""
        return self.bottom - self.top, self.right - self.left

    @property
    def points(self) -> int:
        """Number of points."""
        return self.shape[0] * self.shape[1]

    @property
    def is_empty(self) -> bool:
        """Whether there is no point in it."""
        return self.top >= self.bottom or self.left >= self.right

    def of(self, other: Rectangle) -> tuple[slice, slice]:
        """Rows and columns of this rectangle in an array of `other`, which contains it."""
        rows = slice(self.top - other.top, self.bottom - other.top)
        return rows, slice(self.left - other.left, self.right - other.left)

    def moved(self, down: int, right: int) -> Rectangle:
        """The rectangle so many rows and columns farther on."""
        return Rectangle(self.top + down, self.bottom + down, self.left + right, self.right + right)

    def and_(self, other: Rectangle) -> Rectangle:
        """The points of both; it may be empty."""
        top, left = max(self.top, other.top), max(self.left, other.left)
        return Rectangle(top, min(self.bottom, other.bottom), left, min(self.right, other.right))

    def around(self, points: int) -> Rectangle:
        """The rectangle with so many more points on every side."""
        return Rectangle(self.top - points, self.bottom + points, self.left - points, self.right + points)

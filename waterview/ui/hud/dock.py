"""Where overlays stand: beside the panel, below the top lines, each in a part of the window of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from .boxes import MARGIN, PADDING


@dataclass(frozen=True)
class Area:
    """A part of the window, in window units from its upper left corner."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """Its width; 0 where nothing is left."""
        return max(self.right - self.left, 0.0)

    @property
    def height(self) -> float:
        """Its height; 0 where nothing is left."""
        return max(self.bottom - self.top, 0.0)

    @classmethod
    def beside(cls, size: tuple[float, float], panel: Area | None) -> Self:
        """The window of `size` without its margins, and without the side on which the panel lies."""
        whole = cls(MARGIN, MARGIN, size[0] - MARGIN, size[1] - MARGIN)
        if panel is None:
            return whole
        if panel.left - whole.left > whole.right - panel.right:
            return replace(whole, right=max(panel.left - PADDING, whole.left))
        return replace(whole, left=min(panel.right + PADDING, whole.right))

    def below(self, y: float) -> Self:
        """What lies below the height `y` in the window."""
        return replace(self, top=min(max(self.top, y), self.bottom))

    def above(self, y: float) -> Self:
        """What lies above the height `y` in the window."""
        return replace(self, bottom=max(min(self.bottom, y), self.top))

    def left_of(self, x: float) -> Self:
        """What lies left of `x` in the window."""
        return replace(self, right=max(min(self.right, x), self.left))


def in_rows(widths: list[float], gap: float, room: float) -> list[list[int]]:
    """The numbers of the things of these `widths` in each row, so that a row fits into `room` if a single one does."""
    rows: list[list[int]] = [[]]
    used = 0.0
    for number, width in enumerate(widths):
        if rows[-1] and used + gap + width > room:
            rows.append([])
            used = 0.0
        used += width + (gap if rows[-1] else 0.0)
        rows[-1].append(number)
    return rows

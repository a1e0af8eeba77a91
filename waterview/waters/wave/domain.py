"""What a field of waves lies in: its land, its coast, and what its borders remember."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from waterview.simd.layout import row_stride
from waterview.waters.common.borders import Sides

from .border_memory import BorderMemory
from .coast import Coast, coast_of

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

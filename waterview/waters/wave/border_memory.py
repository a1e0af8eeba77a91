"""What lies outside a grid: zeros, walls, the other end, ghost points or open water, for each side on its own.

`BorderMemory` keeps what the open sides remember. The compiled step moves it on and fills the halo of the field's
buffer with what lies outside (`kernels/halo`, `kernels/pml`), so that rows need not know where the grid ends.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from waterview.simd.layout import PAD, address
from waterview.waters.common.borders import BORDER_KINDS, Sides, check_sides

from .pml_arrays import BEYOND, REPEATED, make_layers, profile

KINDS = tuple(BORDER_KINDS)

MOST_JOINED = 8
"""Sets of numbers for compiled code that are remembered: the same two come in turns, and to find one takes as long as a
layer's step."""


class BorderMemory:
    """What lies outside a field of `shape` (nz, nx); at rest at first.

    Args:
        sides: their kinds.
        fixed: fixed points, shape (nz, nx); those at the edge go on outwards.
        walls: whether fixed points are walls; if not they hold the water beside them at 0.

    Attributes:
        sides: as given.
        is_shown: whether the halo of the field shows what is remembered now; steps see to it that it does.

    Raises:
        ValueError: a side wraps and the opposite one does not, or a kind is unknown.
    """

    def __init__(self, sides: Sides, fixed: NDArray[np.bool_], walls: bool = False) -> None:
        check_sides(sides)
        self.sides = sides
        self._shape = fixed.shape
        self._ghosts = np.zeros((4, max(fixed.shape)), np.float32)
        layers = make_layers(sides, fixed, walls)
        self._layers, self._turned_layers = layers, layers.turned()
        self._is_clear = {sides.east, sides.west} <= {"zero", "open"} and not fixed[:, [0, -1]].any()
        self._remembers = any(kind.memory != "none" for kind in sides.kinds)
        self._joined: dict[tuple[float, ...], tuple[int, NDArray[np.int64], NDArray[np.float32]]] = {}
        self._is_turned = False
        self.is_shown = False

    def join(self, level: int, stride: int, *, keep: float, corner: float, gain: float, pull: float = 0.0) -> int:
        """Get ready for steps h⁺ = h + keep·(h − h⁻) + gain·L(h) + pull·h with L(h) = Δx²·∇²h, those of the field.

        Args:
            level: address of the first point of h.
            stride: bytes from one row of h to the next.
            keep: 1 − κ.
            corner: the weight of the corners in L; 0 if it takes four neighbours only.
            gain: λ², of the true wave speed.
            pull: 0 for the wave equation.

        Returns:
            The address of the numbers of `absorbing.Memory`, which hold until the next call; 0 where no side
            remembers anything.
        """
        if not self._remembers:
            return 0
        key = level, stride, self._is_turned, keep, gain, pull, corner
        if key not in self._joined:
            if len(self._joined) >= MOST_JOINED:
                self._joined.clear()
            courant = math.sqrt(gain)
            factors = np.array((keep, gain, pull, corner, courant / (1.0 + courant)), np.float32)
            retained = (np.tile(each, REPEATED) for each in profile(courant))
            factors = np.concatenate((*retained, factors))
            memory = self._memory(level, stride, factors)
            self._joined[key] = address(memory), memory, factors
        return self._joined[key][0]

    def _memory(self, level: int, stride: int, factors: NDArray[np.float32]) -> NDArray[np.int64]:
        """The numbers of `absorbing.Memory`."""
        layers, (nz, nx) = self._layers, self._shape
        rows = (address(array) + PAD * array.itemsize for array in (*layers.rows, *layers.row_land))
        columns = (address(array) + BEYOND * array.strides[1] for array in (*layers.columns, *layers.column_land))
        places = *rows, layers.row_land.wet.strides[0], *columns, nz + 2 * BEYOND, address(layers.corners)
        ghosts = address(self._ghosts), self._ghosts.strides[0]
        kinds = map(KINDS.index, self.sides)
        return np.array((level, *places, *ghosts, address(factors), nz, nx, stride, *kinds, self._is_clear), np.int64)

    def leave(self, steps: int) -> None:
        """Say how many steps were taken since `join`."""
        self.is_shown = True
        if steps % 2:
            self._layers, self._turned_layers = self._turned_layers, self._layers
            self._is_turned = not self._is_turned

    def scale_motion(self, ratio: float) -> None:
        """Multiply h − h⁻ by `ratio`, as must be done where the length of a step or the wave speed changes."""
        self.is_shown = False
        for now, before, *_ in (self._layers.rows, self._layers.columns):
            before[...] = now - np.float32(ratio) * (now - before)

    def clip(self, bound: float) -> None:
        """Hold all heights within ±`bound` [m]."""
        self.is_shown = False
        for array in (self._ghosts, *self._layers.rows[:2], *self._layers.columns[:2]):
            np.clip(array, -bound, bound, out=array)

    def take_over(self, other: BorderMemory) -> None:
        """Go on with what `other`, of the same shape, remembers on those sides that are alike; new land becomes 0."""
        self.is_shown = False
        self._ghosts[...] = other._ghosts
        alike = [mine == its == "open" for mine, its in zip(self.sides, other.sides, strict=True)]
        self._layers.take_over(other._layers, alike)

    @property
    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """All that moves outside, by name: the arrays themselves, with which another of its kind goes on to the bit."""
        self.is_shown = False  # whoever asks may write
        return {"ghosts": self._ghosts} | self._layers.memory

    def calm(self) -> None:
        """Let everything outside be at rest at 0."""
        for array in self.arrays.values():
            array.fill(0.0)

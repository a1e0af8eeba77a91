"""What lies outside a grid: zeros, walls, the other end, ghost points or open water, for each side on its own.

`Outside` keeps what the open sides remember and, before each step, fills the halo of the field's buffer. The step
itself reads the halo like any other points, so every kernel on `layout.padded` buffers can have every border.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .layers import make_layers, profile

KINDS = ("zero", "reflecting", "wrapping", "open-ghost", "open")
"""What may lie beyond a side: zeros (Bressler 2007, §3.1); at each place the edge point beside it, a wall; the opposite
edge; one ghost point that follows the edge (Müller 2008; Riehm, eq. 7); or a perfectly matched layer."""


class Sides(NamedTuple):
    """The kinds of the four sides, each of `KINDS`: north is the row with the lowest z, west the column of lowest x."""

    north: str
    east: str
    south: str
    west: str

    @property
    def closed(self) -> bool:
        """Whether no water passes any side, so that volume is kept."""
        return all(kind in ("reflecting", "wrapping") for kind in self)


def check_opposite(sides: Sides) -> None:
    """Raise a ValueError where a side wraps and the opposite one does not."""
    for one, other in ((sides.north, sides.south), (sides.east, sides.west)):
        if (one == "wrapping") != (other == "wrapping"):
            raise ValueError(f"borders {sides}: opposite sides must both be wrapping or neither")


class Outside:
    """What lies outside a field of `shape` (nz, nx); at rest at first.

    Args:
        sides: their kinds.
        fixed: fixed points, shape (nz, nx); those at the edge go on outwards.
        flowing: whether fixed points are walls; if not they hold the water beside them at 0.

    Raises:
        ValueError: a side wraps and the opposite one does not, or a kind is unknown.
    """

    def __init__(self, sides: Sides, fixed: NDArray[np.bool_], flowing: bool = False) -> None:
        check_opposite(sides)
        self.sides = sides
        self._shape = fixed.shape
        self._kinds = np.array([KINDS.index(kind) for kind in sides], np.int64)
        self._ghosts = np.zeros((4, max(fixed.shape)), np.float32)
        self._layers = make_layers(sides, fixed, flowing)

    def surround(
        self, buffer: NDArray[np.float32], *, corner: float, keep: float, gain: float, pull: float = 0.0
    ) -> None:
        """Fill the halo of `buffer` with what lies outside now, and move that on by a step.

        The step is the field's own: h⁺ = h + keep·(h − h⁻) + gain·L(h) + pull·h with L(h) = Δx²·∇²h. To be called
        before each; the halo may be read until the next call.

        Args:
            buffer: h in a buffer of `layout.padded`.
            corner: the weight of the corners in L; 0 if it takes four neighbours only.
            keep: 1 − κ for Bressler's step.
            gain: λ², of the true wave speed.
            pull: 0 for the wave equation.
        """
        from .absorbing_rows import advance_layers
        from .border_rows import fill_halos, move_ghosts

        nz, nx = self._shape
        courant = math.sqrt(gain)
        if "open-ghost" in self.sides:
            move_ghosts(buffer, self._ghosts, self._kinds, nz, nx, np.float32(courant))
        fill_halos(buffer, self._ghosts, self._layers, self._kinds, nz, nx)
        if "open" in self.sides:
            numbers = np.float32(corner), np.float32(keep), np.float32(gain), np.float32(pull)
            advance_layers(self._layers, self._kinds, profile(courant), *numbers)
            self._layers = self._layers._replace(now=self._layers.before, before=self._layers.now)

    def scale_motion(self, ratio: float) -> None:
        """Multiply h − h⁻ by `ratio`, as must be done where the length of a step or the wave speed changes."""
        now, before = self._layers.now, self._layers.before
        before[...] = now - np.float32(ratio) * (now - before)

    def clip(self, bound: float) -> None:
        """Hold all heights within ±`bound` [m]."""
        for array in (self._ghosts, self._layers.now, self._layers.before):
            np.clip(array, -bound, bound, out=array)

    def take_over(self, other: Outside) -> None:
        """Go on with what `other`, of the same shape, remembers on those sides that are alike; new land becomes 0."""
        self._ghosts[...] = other._ghosts
        mine, its = self._layers, other._layers
        for side in range(4):
            alike = mine.starts[side] == its.starts[side] and mine.lengths[side] == its.lengths[side]
            if alike and self.sides[side] == other.sides[side] == "open":
                states = zip(mine[:5], its[:5], strict=True)
                for new, old in states:
                    new[side, ..., : old.shape[-1]] = old[side, ..., : new.shape[-1]]
                for level in (mine.now, mine.before):
                    level[side] *= mine.wet[side]

    @property
    def memory(self) -> dict[str, NDArray[np.float32]]:
        """All that moves outside, by name: the arrays themselves, with which another of its kind goes on to the bit."""
        layers = self._layers
        return {"ghosts": self._ghosts} | {name: getattr(layers, name) for name in layers._fields[:5]}

    def calm(self) -> None:
        """Let everything outside be at rest at 0."""
        for array in (self._ghosts, *self._layers[:5]):
            array.fill(0.0)

"""What lies outside a grid: zeros, walls, the other end, ghost points or open water, for each side on its own.

`Outside` keeps what the open sides remember and, before each step, fills the halo of the field's buffer. The step
itself reads the halo like any other points, so every kernel on `layout.padded` buffers can have every border.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .layout import aligned_zeros, row_stride

if TYPE_CHECKING:
    from .absorbing_rows import Layers

KINDS = ("zero", "reflecting", "wrapping", "open-ghost", "open")
"""What may lie beyond a side: zeros (Bressler 2007, §3.1); at each place the edge point beside it, a wall; the opposite
edge; one ghost point that follows the edge (Müller 2008; Riehm, eq. 7); or a perfectly matched layer."""

PROFILE_POWER = 2.0
PROFILE_SUM = 4.0
"""σ of an open border rises with this power of the depth in its layer; its integral over the layer, divided by the
wave speed, is this sum. Found by trying at a depth of four cells: less than 2e-4 of the energy of waves of 8 to 64
cells comes back at 0° to 60°, and less than a hundredth at 80°. Six cells return a hundredth of that, unseen."""


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
        for one, other in ((sides.north, sides.south), (sides.east, sides.west)):
            if (one == "wrapping") != (other == "wrapping"):
                raise ValueError(f"borders {sides}: opposite sides must both be wrapping or neither")
        self.sides = sides
        self._shape = fixed.shape
        self._kinds = np.array([KINDS.index(kind) for kind in sides], np.int64)
        self._ghosts = np.zeros((4, max(fixed.shape)), np.float32)
        self._layers = _make_layers(sides, fixed, flowing)

    def surround(
        self, buffer: NDArray[np.float32], *, corners: bool, keep: float, gain: float, pull: float = 0.0
    ) -> None:
        """Fill the halo of `buffer` with what lies outside now, and move that on by a step.

        The step is the field's own: h⁺ = h + keep·(h − h⁻) + gain·L(h) + pull·h with L(h) = Δx²·∇²h. To be called
        before each; the halo may be read until the next call.

        Args:
            buffer: h in a buffer of `layout.padded`.
            corners: whether L takes all eight neighbours.
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
            weight = np.float32(0.25 if corners else 0.0)
            numbers = np.float32(keep), np.float32(gain), np.float32(pull)
            advance_layers(self._layers, self._kinds, _profile(courant), weight, *numbers)
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

    def calm(self) -> None:
        """Let everything outside be at rest at 0."""
        for array in (self._ghosts, *self._layers[:5]):
            array.fill(0.0)


@functools.lru_cache(maxsize=64)
def _profile(courant: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The factors b = e^(−σΔt) at the rows of a layer and between them and the next, shape (DEPTH + 1,) each.

    σ is 0 halfway between the grid's edge and the layer's row 1.
    """
    from .absorbing_rows import DEPTH

    def retained(depth: NDArray[np.float64]) -> NDArray[np.float32]:
        sigma = PROFILE_SUM * (PROFILE_POWER + 1.0) / DEPTH * (np.maximum(depth, 0.0) / DEPTH) ** PROFILE_POWER
        return np.asarray(np.exp(-courant * sigma), np.float32)

    rows = np.arange(DEPTH + 1.0)
    return retained(rows - 0.5), retained(rows)


def _make_layers(sides: Sides, fixed: NDArray[np.bool_], flowing: bool) -> Layers:
    from .absorbing_rows import DEPTH, Layers

    nz, nx = fixed.shape
    corners = [DEPTH if kind == "open" else 0 for kind in (sides.west, sides.east)]
    starts = np.array([corners[0], 0, corners[0], 0])
    lengths = np.array([nx + sum(corners), nz] * 2)
    # Without open sides compiled code still wants arrays of this kind, but none with room.
    stride = row_stride(lengths.max()) if "open" in sides else 0
    now, before, outer, inner = aligned_zeros(16 * (DEPTH + 2), stride).reshape(4, 4, DEPTH + 2, stride)
    links, wet = aligned_zeros(4, stride), aligned_zeros(4, stride)
    if stride:
        _mark_water(sides, fixed, flowing, corners, links, wet)
    corner = np.zeros((4, 2, 2, DEPTH + 2, DEPTH + 1), np.float32)
    return Layers(now, before, outer, inner, corner, links, wet, starts, lengths, aligned_zeros(6, stride))


def _mark_water(
    sides: Sides,
    fixed: NDArray[np.bool_],
    flowing: bool,
    corners: list[int],
    links: NDArray[np.float32],
    wet: NDArray[np.float32],
) -> None:
    """Write where the points along each side are water, and where water goes from one to the next."""
    from .layout import PAD

    for side, edge in enumerate((fixed[0], fixed[:, -1], fixed[-1], fixed[:, 0])):
        along = side % 2 == 0
        free = np.pad(~edge, corners, mode="edge") if along else ~edge
        wet[side, PAD : PAD + len(free)] = free
        wraps = (sides.west if along else sides.north) == "wrapping"
        around = np.pad(free, 1, mode="wrap" if wraps else "edge")
        links[side, PAD : PAD + len(free) + 1] = (around[1:] & around[:-1]) if flowing else 1.0

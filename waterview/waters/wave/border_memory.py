"""What the borders of a field remember: ghost points that follow the edge, and perfectly matched layers.

The compiled part is in `kernels/pml`: each step of some rows takes along what lies beside them.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waterview.core.saved import array_of, declared
from waterview.simd.layout import PAD, address, aligned_zeros, row_stride
from waterview.waters.common.borders import Sides, check_sides
from waterview.waters.common.water import restore

Floats = NDArray[np.float32]

# Compiled code holds these as constants.
DEPTH = 4
"""Depth of a layer [cells]."""

STATES = ("now", "before", "outer", "inner", "along outer", "along inner")
"""The arrays of a layer that move, in their order: h and h⁻ (which is which changes with every step); ψ of the
differences between one depth and the next, and of the differences of those; and both ψ along the side, in corners."""

_DIFFERENCES = (1.0, 1.0, 2.0, 8.0, 2.0, 8.0)
"""Largest of each of the `STATES`, in units of the largest height: −ψ is a mean of past differences, and that of the
differences of these plus ψ."""

LINKS, WET = 0, 1
"""Rows of a layer's last array."""

BETWEEN, AT_DEPTH = 0, DEPTH
LOW_CORNER, HIGH_CORNER = 2 * DEPTH, 5 * DEPTH
"""Where b lies in the array of factors: between the depths and at them; and, for the columns of the corner at the low
end of a side and for those at the high end, between each and the one before, between it and the next, and at it."""

PROFILE_POWER = 2.0
PROFILE_SUM = 4.0
"""σ of an open border rises with this power of the depth in its layer; its integral over the layer, divided by the
wave speed, is this sum. Found by trying at a depth of four cells: less than 2e-4 of the energy of waves of 8 to 64
cells comes back at 0° to 60°, and less than a hundredth at 80°. Six cells return a hundredth of that, unseen."""

SIDE = np.dtype(
    [("layer", "i8"), ("line", "i8"), ("ghosts", "i8"), ("weight", "f4"), ("wraps", "?"), ("remembers", "?")],
    align=True,
)
"""A side, for compiled code: the address of the first point of its layer's first row and the bytes from one row to
the next, the address of its ghost points, and what `halo.Side` has. An address is 0 where there is no such thing.
`weight` counts for layers that end at this side, too."""

BORDERS = np.dtype(
    [
        ("level", "i8"), ("sides", "i8"), ("factors", "i8"), ("nz", "i8"), ("nx", "i8"), ("stride", "i8"),
        ("damping", "f8"), ("gain", "f4"), ("pull", "f4"), ("corner", "f4"), ("share", "f4"),
    ],
    align=True,
)  # fmt: skip
"""What compiled code takes along beside the grid's rows: the address of the first point of the field's level that the
first array of each layer goes with; addresses of four `SIDE` and of the factors; points along z and x, and bytes from
one row of heights to the next; and the step h⁺ = h + (1 − damping)(h − h⁻) + gain·L(h) + pull·h, with L's weight of
corners, and the share of its edge that a ghost point takes on."""


@functools.lru_cache(maxsize=64)
def absorption(courant: float) -> tuple[Floats, Floats]:
    """The factors b = e^(−σΔt) at the depths of a layer and between them and the next, shape (DEPTH,) each.

    σ is 0 halfway between the grid's edge and the layer's first depth.
    """

    def retained(depth: NDArray[np.float64]) -> Floats:
        sigma = PROFILE_SUM * (PROFILE_POWER + 1.0) / DEPTH * (depth / DEPTH) ** PROFILE_POWER
        return np.asarray(np.exp(-courant * sigma), np.float32)

    depths = np.arange(1.0, DEPTH + 1.0)
    return retained(depths - 0.5), retained(depths)


def factors(courant: float) -> Floats:
    """All of `absorption`, in the order that compiled code reads them in."""
    at, between = absorption(courant)
    inwards = np.concatenate(([np.float32(1.0)], between[:-1]))  # between a depth and the one nearer to the grid
    return np.concatenate((between, at, between[::-1], inwards[::-1], at[::-1], inwards, between, at))


class Layer:
    """A perfectly matched layer beside a side of n points, at rest at first.

    Point j of the side is at `PAD` + j along the layer, and its depths are rows: row 0 is a copy of the grid's edge,
    rows 1 to `DEPTH` lie outwards, and the last row is zeros. Beyond both ends of the side lie either the columns of a
    corner, where this layer and another meet, or one column of what lies beyond that end.

    Args:
        edge: fixed points of the grid's edge, shape (n,); they go on outwards.
        walls: whether fixed points are walls; if not they hold the water beside them at 0.
        wraps: whether the side goes on at its other end.

    Attributes:
        states: what moves, by `STATES`, shape (6, DEPTH + 2, m).
        land: `LINKS`, 1 where water goes from point j − 1 to point j and 0 where land is between; and `WET`, 1 at
            points of water and 0 at fixed ones; shape (2, m).
    """

    def __init__(self, edge: NDArray[np.bool_], walls: bool, wraps: bool) -> None:
        self.n = len(edge)
        length = row_stride(self.n)
        arrays = aligned_zeros((len(STATES) + 1) * (DEPTH + 2), length).reshape(-1, DEPTH + 2, length)
        self.states, self.land = arrays[:-1], arrays[-1, :2]
        free = np.pad(~edge, (PAD, length - PAD - self.n), mode="wrap" if wraps else "edge")
        self.land[WET] = free
        self.land[LINKS, 1:] = free[1:] & free[:-1] if walls else 1.0

    @property
    def place(self) -> int:
        """The address of point 0 in the first row."""
        return address(self.states) + PAD * self.states.itemsize

    @property
    def corners(self) -> tuple[slice, slice]:
        """The columns of the corners at the low and the high end."""
        return slice(PAD - DEPTH, PAD), slice(PAD + self.n, PAD + self.n + DEPTH)

    def take_over(self, other: Layer, corners: tuple[bool, bool]) -> None:
        """Go on with what `other` remembers, and with its corners where told; new land becomes 0."""
        for columns, is_alike in zip((slice(PAD, PAD + self.n), *self.corners), (True, *corners), strict=True):
            if is_alike:
                self.states[:, :, columns] = other.states[:, :, columns]
        self.states[:2] *= self.land[WET]


class BorderMemory:
    """What the borders of a field remember; at rest at first.

    Args:
        sides: their kinds.
        fixed: fixed points of the field, shape (nz, nx); those at the edge go on outwards.
        walls: whether fixed points are walls; if not they hold the water beside them at 0.

    Attributes:
        sides: as given.
        remembers: whether any side remembers anything.
        is_shown: whether the halo of the field shows what is remembered now; steps see to it that it does.

    Raises:
        ValueError: a side wraps and the opposite one does not, or a kind is unknown.
    """

    def __init__(self, sides: Sides, fixed: NDArray[np.bool_], walls: bool = False) -> None:
        check_sides(sides)
        self.sides = sides
        self._shape = fixed.shape
        self._ghosts = np.zeros((4, max(fixed.shape)), np.float32)
        edges = fixed[0], fixed[:, -1], fixed[-1], fixed[:, 0]
        wraps = sides.wraps[::-1] * 2  # along the north rows wrap as columns do
        self._layers = [
            Layer(edge, walls, wrap) if kind.memory == "layer" else None
            for kind, edge, wrap in zip(sides.kinds, edges, wraps, strict=True)
        ]
        self.remembers = any(kind.memory != "none" for kind in sides.kinds)
        self._newest = 0  # the place of h among the states of a layer; h⁻ is the other of the first two
        self._record: tuple[tuple[float, ...], NDArray[np.void], tuple[object, ...]] | None = None
        self.is_shown = False

    def record(
        self, levels: tuple[int, int], stride: int, *, damping: float, corner: float, gain: float, pull: float = 0.0
    ) -> int:
        """Get ready for steps h⁺ = h + (1 − damping)(h − h⁻) + gain·L(h) + pull·h with L(h) = Δx²·∇²h, the field's.

        Args:
            levels: addresses of the first points of h and h⁻.
            stride: bytes from one row of h to the next.
            damping: of a step.
            corner: the weight of the corners in L; 0 if it takes four neighbours only.
            gain: λ², of the true wave speed.
            pull: 0 for the wave equation.

        Returns:
            The address of a record `BORDERS`, which holds until the next call; 0 where no side remembers anything.
        """
        if not self.remembers:
            return 0
        numbers = levels[self._newest], stride, damping, gain, pull, corner
        if self._record is None or self._record[0] != numbers:
            courant = math.sqrt(gain)
            sides, table = np.zeros(4, SIDE), factors(courant)
            for side, kind, layer, ghosts in zip(sides, self.sides.kinds, self._layers, self._ghosts, strict=True):
                side["weight"], side["wraps"], side["remembers"] = kind.weight, kind.wraps, kind.memory != "none"
                if layer is not None:
                    side["layer"], side["line"] = layer.place, layer.states.strides[1]
                elif kind.memory == "ghost":
                    side["ghosts"] = address(ghosts)
            places = numbers[0], address(sides), address(table), *self._shape, stride
            share = courant / (1.0 + courant)
            borders = np.array([(*places, damping, gain, pull, corner, share)], BORDERS)
            self._record = numbers, borders, (sides, table)  # which the record has the addresses of
        return address(self._record[1])

    def leave(self, steps: int) -> None:
        """Say how many steps were taken since `record`."""
        self.is_shown = True
        self._newest ^= steps % 2

    def scale_motion(self, ratio: float) -> None:
        """Multiply h − h⁻ by `ratio`, as must be done where the length of a step or the wave speed changes."""
        self.is_shown = False
        for layer in filter(None, self._layers):
            now, before = layer.states[self._newest], layer.states[1 - self._newest]
            before[...] = now - np.float32(ratio) * (now - before)

    def clip(self, bound: float) -> None:
        """Hold all heights within ±`bound` [m], and ψ within what such heights make of it.

        A ψ left alone would lift the heights again in the next step, and might be larger each time.
        """
        self.is_shown = False
        np.clip(self._ghosts, -bound, bound, out=self._ghosts)
        for layer in filter(None, self._layers):
            for state, differences in zip(layer.states, _DIFFERENCES, strict=True):
                np.clip(state, -differences * bound, differences * bound, out=state)

    def take_over(self, other: BorderMemory) -> None:
        """Go on with what `other`, of the same shape, remembers on those sides that are alike; new land becomes 0."""
        self.is_shown = False
        self._newest = other._newest
        self._ghosts[...] = other._ghosts
        north, east, south, west = both = [
            mine is not None and its is not None for mine, its in zip(self._layers, other._layers, strict=True)
        ]
        ends = (west, east), (north, south), (west, east), (north, south)
        for mine, its, is_alike, corners in zip(self._layers, other._layers, both, ends, strict=True):
            if is_alike and mine is not None and its is not None:
                mine.take_over(its, corners)

    @property
    def arrays(self) -> dict[str, Floats]:
        """All that moves, by name: views, to be saved or written."""
        self.is_shown = False  # whoever asks may write
        arrays = {"ghosts": self._ghosts}
        order = (self._newest, 1 - self._newest, 2, 3, 4, 5)
        for side, layer in zip(Sides._fields, self._layers, strict=True):
            if layer is not None:
                arrays |= {f"{side} {name}": layer.states[k] for name, k in zip(STATES, order, strict=True)}
        return arrays

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Take over what `arrays` was when it was saved; what is not among it is at rest.

        Raises:
            ValueError: an array has another shape or kind, or is not finite.
        """
        self.calm()
        saved = declared(saved, dict[str, np.ndarray], "outside")
        if "columns now" in saved and saved["columns now"].size:  # by version 0.1, with open sides
            saved = _of_version_0_1(saved, self._shape)
        for name, array in self.arrays.items():
            if name in saved:
                restore(array, saved[name])

    def calm(self) -> None:
        """Let everything outside be at rest at 0."""
        for array in self.arrays.values():
            array.fill(0.0)


def _of_version_0_1(saved: Mapping[str, NDArray[Any]], shape: tuple[int, int]) -> dict[str, NDArray[Any]]:
    """What version 0.1 saved, as it is saved now.

    It had the layers of the north and south as "rows", shape (2, DEPTH, m); those of the east and west as "columns", a
    row for each of the grid's with the depths side by side, and the corners as further rows of these, shape
    (2, nz + 2(DEPTH + 1), DEPTH); and ψ across the rows of the corners as "corners", shape (2, 2, 2, DEPTH, DEPTH).
    """
    (nz, nx), beyond, now = shape, DEPTH + 1, dict[str, NDArray[Any]]()
    corners = array_of(saved, "corners", np.float32, (2, 2, 2, DEPTH, DEPTH))
    outwards = slice(1, DEPTH + 1)
    inside = slice(PAD, PAD + nx)
    for state in STATES[:4]:
        rows = array_of(saved, f"rows {state}", np.float32, (2, DEPTH, -1))
        columns = array_of(saved, f"columns {state}", np.float32, (2, nz + 2 * beyond, DEPTH))
        for k, side in enumerate(("east", "west")):
            now[f"{side} {state}"] = np.zeros((DEPTH + 2, row_stride(nz)), np.float32)
            now[f"{side} {state}"][outwards, PAD : PAD + nz] = columns[k, beyond : beyond + nz].T
        for k, side in enumerate(("north", "south")):
            layer = now[f"{side} {state}"] = np.zeros((DEPTH + 2, row_stride(nx)), np.float32)
            along = now.setdefault(f"{side} along {state}", np.zeros_like(layer))
            layer[outwards, inside] = rows[k, :, inside]
            corner_rows = slice(beyond - 1, None, -1) if k == 0 else slice(beyond + nz, None)
            for which, corner in enumerate((slice(PAD + nx, PAD + nx + DEPTH), slice(PAD - 1, PAD - 1 - DEPTH, -1))):
                of_corner = columns[which, corner_rows][:DEPTH]
                if state in ("now", "before"):
                    layer[outwards, corner] = of_corner
                    continue
                layer[outwards, corner] = corners[k, which, int(state == "inner")]
                if state == "outer" and which == 1:  # between a point and the one west of it, whose difference turns
                    along[outwards, PAD - 2 : PAD - 2 - DEPTH : -1] = -of_corner
                else:
                    along[outwards, corner] = of_corner
    return now | {"ghosts": saved["ghosts"]}

"""The layers of open borders: the arrays that the compiled steps work on, and how strongly they absorb."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from waterview.simd.layout import PAD, aligned_zeros, row_stride

Floats = NDArray[np.float32]

# Compiled code holds these as constants.
DEPTH = 4
"""Depth of a layer [cells]."""

BEYOND = DEPTH + 1
"""Rows of a layer in the west or east before the grid's first: those of the corner, and one more."""

FACTORS = "keep", "gain", "pull", "corner", "share"
"""Numbers of a step h⁺ = h + keep·(h − h⁻) + gain·L(h) + pull·h for layers and ghost points, in this order: L takes
corners with the weight `corner`, a ghost point takes on a `share` of its edge."""

REPEATED = 4
"""How often the factors of a layer's depths follow one another, for vectors that hold all depths of some rows."""

PROFILE_POWER = 2.0
PROFILE_SUM = 4.0
"""σ of an open border rises with this power of the depth in its layer; its integral over the layer, divided by the
wave speed, is this sum. Found by trying at a depth of four cells: less than 2e-4 of the energy of waves of 8 to 64
cells comes back at 0° to 60°, and less than a hundredth at 80°. Six cells return a hundredth of that, unseen."""


class States(NamedTuple):
    """What moves in two layers that face each other, as arrays of one shape.

    Attributes:
        now: h.
        before: h⁻.
        outer: ψ of the differences between a depth and the next.
        inner: ψ of the differences of those.
    """

    now: Floats
    before: Floats
    outer: Floats
    inner: Floats


class Land(NamedTuple):
    """Where the points beside two sides that face each other are water; land at the edge goes on outwards.

    Attributes:
        links: 1 where water goes from point j − 1 to point j of a side and 0 where land is between.
        wet: 1 at points of water and 0 at fixed ones.
    """

    links: Floats
    wet: Floats


class Layers(NamedTuple):
    """The layers of the four sides; those of sides that are not open lie idle, and without any there is no room.

    The depths of a layer are counted from the grid outwards. In the north and south they are rows as those of the grid;
    in the west and east those beside a row of the grid lie side by side, and the corners of open sides are further rows
    above and below.

    Attributes:
        rows: of the north and the south, shape (2, DEPTH, stride), the first point of a row at `layout.PAD`.
        columns: of the east and the west, shape (2, nz + 2·BEYOND, DEPTH), the grid's first row at `BEYOND`.
        corners: both ψ across the rows of the corners, shape (2, 2, 2, DEPTH, DEPTH): by north and south, by east and
            west, outer and inner, by their depth outside the grid's rows.
        row_land: of the north and the south, shape (2, stride), as `rows`.
        column_land: of the east and the west, shape (2, nz + 2·BEYOND), as `columns`.
    """

    rows: States
    columns: States
    corners: Floats
    row_land: Land
    column_land: Land

    def turned(self) -> Layers:
        """The same arrays with h and h⁻ exchanged."""
        rows, columns = (each._replace(now=each.before, before=each.now) for each in (self.rows, self.columns))
        return self._replace(rows=rows, columns=columns)

    @property
    def memory(self) -> dict[str, Floats]:
        """All that moves, by name."""
        states = {"rows": self.rows, "columns": self.columns}
        named = {f"{name} {kind}": array for name, state in states.items() for kind, array in state._asdict().items()}
        return named | {"corners": self.corners}

    def take_over(self, other: Layers, alike: Sequence[bool]) -> None:
        """Go on with the layers of `other` on those of the four sides that are open in both; new land becomes 0."""
        north, east, south, west = alike
        for k, side in enumerate((north, south)):
            for mine, its in zip(self.rows, other.rows, strict=True):
                mine[k] = its[k] if side else mine[k]
        kept = slice(0 if north else BEYOND, None if south else -BEYOND)
        for k, side in enumerate((east, west)):
            for mine, its in zip(self.columns, other.columns, strict=True):
                mine[k, kept] = its[k, kept] if side else mine[k, kept]
        both = np.logical_and.outer((north, south), (east, west))
        self.corners[both] = other.corners[both]
        for level in self.rows[:2]:
            np.multiply(level, self.row_land.wet[:, np.newaxis], out=level)
        for level in self.columns[:2]:
            np.multiply(level, self.column_land.wet[..., np.newaxis], out=level)


@functools.lru_cache(maxsize=64)
def profile(courant: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The factors b = e^(−σΔt) at the depths of a layer and between them and the next, shape (DEPTH,) each.

    σ is 0 halfway between the grid's edge and the layer's first depth.
    """

    def retained(depth: NDArray[np.float64]) -> NDArray[np.float32]:
        sigma = PROFILE_SUM * (PROFILE_POWER + 1.0) / DEPTH * (depth / DEPTH) ** PROFILE_POWER
        return np.asarray(np.exp(-courant * sigma), np.float32)

    depths = np.arange(1.0, DEPTH + 1.0)
    return retained(depths - 0.5), retained(depths)


def make_layers(sides: Sequence[str], fixed: NDArray[np.bool_], flowing: bool) -> Layers:
    """The layers, at rest.

    Args:
        sides: kinds of the four borders, of `borders.KINDS`; those that are "open" have a layer.
        fixed: fixed points of the field, shape (nz, nx); those at its edge go on outwards.
        flowing: whether fixed points are walls; if not they hold the water beside them at 0.
    """
    # Without open sides compiled code still wants arrays of these kinds.
    nz, nx = fixed.shape if "open" in sides else (0, 0)
    stride, height = (row_stride(nx), nz + 2 * BEYOND) if nx else (0, 0)
    rows = States(*aligned_zeros(8 * DEPTH, stride).reshape(4, 2, DEPTH, stride))
    columns = States(*aligned_zeros(8, height * DEPTH).reshape(4, 2, height, DEPTH))
    corners = np.zeros((2, 2, 2, DEPTH, DEPTH), np.float32)
    row_land, column_land = (Land(*aligned_zeros(4, length).reshape(2, 2, length)) for length in (stride, height))
    if nx:
        north, _, _, west = sides
        _mark(row_land, (fixed[0], fixed[-1]), PAD, west == "wrapping", flowing)
        row_land.wet[:, PAD + nx :] = 0.0  # whole vectors are stepped
        _mark(column_land, (fixed[:, -1], fixed[:, 0]), BEYOND, north == "wrapping", flowing)
    return Layers(rows, columns, corners, row_land, column_land)


def _mark(land: Land, edges: Sequence[NDArray[np.bool_]], start: int, wraps: bool, flowing: bool) -> None:
    """Write where water is along two edges of the grid, which begin at `start`."""
    length = land.wet.shape[1]
    for edge, links, wet in zip(edges, land.links, land.wet, strict=True):
        free = np.pad(~edge, (start, length - start - len(edge)), mode="wrap" if wraps else "edge")
        wet[:] = free
        links[1:] = free[1:] & free[:-1] if flowing else 1.0

"""The layers of open borders: the arrays that `absorbing_rows` works on, and how strongly they absorb."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .layout import PAD, aligned_zeros, row_stride

Floats = NDArray[np.float32]

# Compiled code holds these as constants: after a change, touch `absorbing_rows` and `open_levels` too.
DEPTH = 4
"""Depth of a layer [cells]."""

OPEN = 4
"""Code of an open side, its place in `borders.KINDS`."""

FACTORS = "keep", "gain", "pull", "corner", "share"
"""Numbers of a step h⁺ = h + keep·(h − h⁻) + gain·L(h) + pull·h for layers and ghost points, in this order: L takes
corners with the weight `corner`, a ghost point takes on a `share` of its edge."""

PROFILE_POWER = 2.0
PROFILE_SUM = 4.0
"""σ of an open border rises with this power of the depth in its layer; its integral over the layer, divided by the
wave speed, is this sum. Found by trying at a depth of four cells: less than 2e-4 of the energy of waves of 8 to 64
cells comes back at 0° to 60°, and less than a hundredth at 80°. Six cells return a hundredth of that, unseen."""


class Layers(NamedTuple):
    """The layers of the four sides in the order north, east, south, west; those of sides that are not open lie idle.

    A layer's rows run along its side, row 1 beside the grid and row `DEPTH` outermost, as in `layout.padded`. Layers
    in the north and south also hold the corners to open sides in the west and east; `starts` is where the grid begins.

    Attributes:
        now: h, shape (4, DEPTH + 2, stride).
        before: h⁻, likewise.
        outer: ψ of the differences between rows i and i + 1, shape (4, DEPTH + 2, stride).
        inner: ψ of the differences of those, likewise.
        corner: both ψ along the layer in its corners, shape (4, 2 ends, 2, DEPTH + 2, DEPTH + 1).
        links: 1 where water goes from point j − 1 to point j and 0 where land is between, shape (4, stride).
        wet: 1 at points of water and 0 at fixed ones, shape (4, stride).
        starts: number of corner points before the grid's first point, shape (4,).
        lengths: points along each layer, shape (4,).
        scratch: room for six rows, for the north and for the south, shape (12, stride).
    """

    now: Floats
    before: Floats
    outer: Floats
    inner: Floats
    corner: Floats
    links: Floats
    wet: Floats
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    scratch: Floats


@functools.lru_cache(maxsize=64)
def profile(courant: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The factors b = e^(−σΔt) at the rows of a layer and between them and the next, shape (DEPTH + 1,) each.

    σ is 0 halfway between the grid's edge and the layer's row 1.
    """

    def retained(depth: NDArray[np.float64]) -> NDArray[np.float32]:
        sigma = PROFILE_SUM * (PROFILE_POWER + 1.0) / DEPTH * (np.maximum(depth, 0.0) / DEPTH) ** PROFILE_POWER
        return np.asarray(np.exp(-courant * sigma), np.float32)

    rows = np.arange(DEPTH + 1.0)
    return retained(rows - 0.5), retained(rows)


def make_layers(sides: Sequence[str], fixed: NDArray[np.bool_], flowing: bool) -> Layers:
    """The layers, at rest.

    Args:
        sides: kinds of the four borders, of `borders.KINDS`; those that are "open" have a layer.
        fixed: fixed points of the field, shape (nz, nx); those at its edge go on outwards.
        flowing: whether fixed points are walls; if not they hold the water beside them at 0.
    """
    nz, nx = fixed.shape
    _, east, _, west = sides
    corners = [DEPTH if kind == "open" else 0 for kind in (west, east)]
    starts = np.array([corners[0], 0, corners[0], 0])
    lengths = np.array([nx + sum(corners), nz] * 2)
    # Without open sides compiled code still wants arrays of this kind, but none with room.
    stride = row_stride(lengths.max()) if "open" in sides else 0
    now, before, outer, inner = aligned_zeros(16 * (DEPTH + 2), stride).reshape(4, 4, DEPTH + 2, stride)
    links, wet = aligned_zeros(4, stride), aligned_zeros(4, stride)
    if stride:
        _mark_water(sides, fixed, flowing, corners, links, wet)
    corner = np.zeros((4, 2, 2, DEPTH + 2, DEPTH + 1), np.float32)
    return Layers(now, before, outer, inner, corner, links, wet, starts, lengths, aligned_zeros(12, stride))


def _mark_water(
    sides: Sequence[str],
    fixed: NDArray[np.bool_],
    flowing: bool,
    corners: list[int],
    links: NDArray[np.float32],
    wet: NDArray[np.float32],
) -> None:
    """Write where the points along each side are water, and where water goes from one to the next."""
    north, _, _, west = sides
    for side, edge in enumerate((fixed[0], fixed[:, -1], fixed[-1], fixed[:, 0])):
        along = side % 2 == 0
        free = np.pad(~edge, corners, mode="edge") if along else ~edge
        wet[side, PAD : PAD + len(free)] = free
        wraps = (west if along else north) == "wrapping"
        around = np.pad(free, 1, mode="wrap" if wraps else "edge")
        links[side, PAD : PAD + len(free) + 1] = (around[1:] & around[:-1]) if flowing else 1.0

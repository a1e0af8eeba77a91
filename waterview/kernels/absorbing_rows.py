"""The compiled rows of open borders: a perfectly matched layer on each open side, outside the grid.

A layer stretches the coordinate across it, ∂/∂n → ∂/∂n divided by 1 + σ/(iω), so that waves enter it without an echo at
any angle and fade inside (Bérenger 1994; in this recursive form Roden and Gedney 2000). In steps of time the division
is a memory ψ of its own for every difference f across the layer, with b = e^(−σΔt): f becomes g = b(ψ + f), and ψ
becomes g − f. The step inside the layer is otherwise that of the grid, so layer and grid match whatever the stencil,
damping and Courant number. Along the layer the differences are links that land may cut; in the corners, where two
layers meet, both coordinates are stretched.

Rows are given by address, as in `wave_rows`, for the loops over them to become vector instructions.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from .jit import float_pointer, jit
from .layers import DEPTH, OPEN, Layers
from .layout import PAD

Floats = NDArray[np.float32]

SIZE = 4  # of a float [bytes]


@jit
def _along(across: int, smooth: int, row: int, links: int, n: int, weight: np.float32) -> None:
    """Second differences along a row into `across`, and the row plus `weight` times them into `smooth`."""
    a, s = numba.carray(float_pointer(across), n), numba.carray(float_pointer(smooth), n)
    left, centre = numba.carray(float_pointer(row - SIZE), n), numba.carray(float_pointer(row), n)
    right = numba.carray(float_pointer(row + SIZE), n)
    before, after = numba.carray(float_pointer(links), n), numba.carray(float_pointer(links + SIZE), n)
    for j in range(n):
        c = centre[j]
        a[j] = after[j] * (right[j] - c) - before[j] * (c - left[j])
        s[j] = c + weight * a[j]


@jit
def _difference(out: int, memory: int, near: int, far: int, n: int, b: np.float32) -> None:
    """Stretched differences `far` − `near`."""
    o, m = numba.carray(float_pointer(out), n), numba.carray(float_pointer(memory), n)
    inside, outside = numba.carray(float_pointer(near), n), numba.carray(float_pointer(far), n)
    for j in range(n):
        f = outside[j] - inside[j]
        g = b * (m[j] + f)
        m[j] = g - f
        o[j] = g


@jit
def _step_row(
    out: int,
    row: int,
    across: int,
    normal: int,
    wet: int,
    n: int,
    keep: np.float32,
    gain: np.float32,
    pull: np.float32,
) -> None:
    """The step of one row from its second differences along (`across`) and through the layer (`normal`)."""
    o, centre = numba.carray(float_pointer(out), n), numba.carray(float_pointer(row), n)
    a, m = numba.carray(float_pointer(across), n), numba.carray(float_pointer(normal), n)
    w = numba.carray(float_pointer(wet), n)
    for j in range(n):
        c = centre[j]
        o[j] = w[j] * (c + (keep * (c - o[j]) + gain * (m[j] + a[j]) + pull * c))


@jit
def _stretch_corner(
    across: Floats, row: Floats, memory: Floats, i: int, edge: int, towards: int, points: Floats, halves: Floats
) -> None:
    """Second differences along row `i` in a corner, stretched; `edge` is the grid's last column, `towards` is ±1."""
    outer, inner = memory[0, i], memory[1, i]
    before = row[edge + towards] - row[edge]
    for d in range(1, DEPTH + 1):
        j = edge + towards * d
        f = row[j + towards] - row[j]
        after = halves[d] * (outer[d] + f)
        outer[d] = after - f
        f = after - before
        g = points[d] * (inner[d] + f)
        inner[d] = g - f
        across[j] = g
        before = after


@jit
def _advance_layer(
    layers: Layers,
    side: int,
    ends: tuple[bool, bool],
    profile: tuple[Floats, Floats],
    weight: np.float32,
    keep: np.float32,
    gain: np.float32,
    pull: np.float32,
) -> None:
    n, stride = layers.lengths[side], layers.now.shape[2] * SIZE
    points, halves = profile
    size = (DEPTH + 2) * stride
    first = side * size + PAD * SIZE
    now, before = layers.now.ctypes.data + first, layers.before.ctypes.data + first
    outer, inner = layers.outer.ctypes.data + first, layers.inner.ctypes.data + first
    links = layers.links.ctypes.data + side * stride + PAD * SIZE
    wet = layers.wet.ctypes.data + side * stride + PAD * SIZE
    scratch = layers.scratch.ctypes.data + PAD * SIZE
    smooth, next_smooth = scratch, scratch + stride
    flux, next_flux = scratch + 2 * stride, scratch + 3 * stride
    across, next_across = 4, 5  # rows of the scratch array
    _along(scratch + across * stride, smooth, now, links, n, weight)
    _along(scratch + across * stride, next_smooth, now + stride, links, n, weight)
    # The grid computes the difference between its edge and row 1 unstretched, so the layer does too.
    _difference(flux, outer, smooth, next_smooth, n, np.float32(1.0))
    for i in range(1, DEPTH + 1):
        row = now + i * stride
        smooth, next_smooth = next_smooth, smooth
        _along(scratch + next_across * stride, next_smooth, row + stride, links, n, weight)
        _difference(next_flux, outer + i * stride, smooth, next_smooth, n, halves[i])
        _difference(smooth, inner + i * stride, flux, next_flux, n, points[i])
        for end in range(2):
            if ends[end]:
                edge = PAD + (n - 1 - DEPTH if end else DEPTH)
                corner = layers.corner[side, end]
                towards = 1 if end else -1
                _stretch_corner(layers.scratch[across], layers.now[side, i], corner, i, edge, towards, points, halves)
        _step_row(before + i * stride, row, scratch + across * stride, smooth, wet, n, keep, gain, pull)
        flux, next_flux = next_flux, flux
        across, next_across = next_across, across


@jit
def advance_layers(
    layers: Layers,
    kinds: NDArray[np.int64],
    profile: tuple[Floats, Floats],
    weight: np.float32,
    keep: np.float32,
    gain: np.float32,
    pull: np.float32,
) -> None:
    """One step h⁺ = h + keep·(h − h⁻) + gain·L(h) + pull·h of every layer, from `now` into `before`.

    Args:
        layers: surrounded by `border_rows.fill_halos`.
        kinds: of the four sides; `OPEN` ones have a layer.
        profile: b at the rows 0 to DEPTH and between them and the next, shape (DEPTH + 1,) each.
        weight: of the stencil's corners, or 0: L = δ_n(1 + weight·δ_t) + δ_t.
        keep: as in the step.
        gain: likewise.
        pull: likewise.
    """
    for side in range(4):
        if kinds[side] == OPEN:
            along = side % 2 == 0
            ends = (along and kinds[3] == OPEN, along and kinds[1] == OPEN)
            _advance_layer(layers, side, ends, profile, weight, keep, gain, pull)

"""The compiled rows of open borders: a perfectly matched layer on each open side, outside the grid.

A layer stretches the coordinate across it, ∂/∂n → ∂/∂n divided by 1 + σ/(iω), so that waves enter it without an echo at
any angle and fade inside (Bérenger 1994; in this recursive form Roden and Gedney 2000). In steps of time the division
is a memory ψ of its own for every difference f across the layer, with b = e^(−σΔt): f becomes g = b(ψ + f), and ψ
becomes g − f. The step inside the layer is otherwise that of the grid, so layer and grid match whatever the stencil,
damping and Courant number. Along the layer the differences are links that land may cut; in the corners, where two
layers meet, both coordinates are stretched.

Layers in the north and south are stepped row by row, those in the west and east a few of the grid's rows at a time.
Rows are given by address, as in `wave_rows`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from .jit import Static, callee, float_pointer, index_pointer, part
from .layers import DEPTH, OPEN
from .layout import PAD
from .shores import ROWS
from .vectors import SIZE, load_anywhere, store_anywhere

SOUTH = 2
FOUR_LANES, ONE_LANE = Static(4), Static(1)
ONE = np.float32(1.0)


class Memory(NamedTuple):
    """Where all that lies which open sides and ghost points remember, as addresses and bytes; see `layers.Layers`.

    Attributes:
        level: of the first point of the field's level that `now` goes with.
        now, before: of the layers' heights h and h⁻; which is which changes with every step.
        outer, inner, links, wet, corner, scratch: of the other arrays.
        line: from one row of a layer to the next.
        ghosts: of the ghost points.
        ghost_line: from those of one side to the next.
        factors: of gain, pull, the weight of the stencil's corners, the share of a ghost point, and of b at the rows of
            a layer and between them (`layers.profile`).
    """

    level: int
    now: int
    before: int
    outer: int
    inner: int
    links: int
    wet: int
    corner: int
    scratch: int
    line: int
    ghosts: int
    ghost_line: int
    factors: int


GAIN, PULL, WEIGHT, SHARE, AT_ROWS, BETWEEN = 0, 1, 2, 3, 4, 5 + DEPTH  # where they stand among the factors


@part
def memory_of(rule: Any) -> Memory:
    """The memory that a `wave_levels.Rule` has the address of."""
    m = numba.carray(index_pointer(rule.memory), 13)
    return Memory(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], m[9], m[10], m[11], m[12])


@part
def factors_of(memory: Memory) -> Any:
    """The numbers of `Memory.factors`."""
    return numba.carray(float_pointer(memory.factors), BETWEEN + DEPTH + 1)


@part
def line_at(levels: int, side: int, row: int, memory: Memory) -> int:
    """The address of the first point of a layer's row, in one of the arrays of rows."""
    return levels + (side * (DEPTH + 2) + row) * memory.line + PAD * SIZE


# --- layers in the north and south


@callee
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


@callee
def _difference(out: int, memory: int, near: int, far: int, n: int, b: np.float32) -> None:
    """Stretched differences `far` − `near`."""
    o, m = numba.carray(float_pointer(out), n), numba.carray(float_pointer(memory), n)
    inside, outside = numba.carray(float_pointer(near), n), numba.carray(float_pointer(far), n)
    for j in range(n):
        f = outside[j] - inside[j]
        g = b * (m[j] + f)
        m[j] = g - f
        o[j] = g


@callee
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


@callee
def _stretch_corner(across: int, row: int, memory: int, i: int, edge: int, towards: int, factors: Any) -> None:
    """Second differences along row `i` in a corner, stretched; `edge` is the grid's last column, `towards` is ±1."""
    n = DEPTH + 2
    first = min(edge, edge + towards * (n - 1))
    a = numba.carray(float_pointer(across + first * SIZE), n)
    h = numba.carray(float_pointer(row + first * SIZE), n)
    outer = numba.carray(float_pointer(memory + i * (DEPTH + 1) * SIZE), DEPTH + 1)
    inner = numba.carray(float_pointer(memory + (n + i) * (DEPTH + 1) * SIZE), DEPTH + 1)
    j = edge - first
    before = h[j + towards] - h[j]
    for d in range(1, DEPTH + 1):
        j += towards
        f = h[j + towards] - h[j]
        after = factors[BETWEEN + d] * (outer[d] + f)
        outer[d] = after - f
        f = after - before
        g = factors[AT_ROWS + d] * (inner[d] + f)
        inner[d] = g - f
        a[j] = g
        before = after


@callee
def advance_layer(side: int, near: int, far: int, memory: Memory, rule: Any) -> None:
    """One step h⁺ = h + keep·(h − h⁻) + gain·L(h) + pull·h of the layer in the north or south.

    L = δ_n(1 + weight·δ_t) + δ_t, with the second differences through the layer and along it.

    Args:
        side: 0 or `SOUTH`.
        near: address of h of the layers.
        far: likewise of h⁻; h⁺ takes its place.
        memory: where the rest lies.
        rule: a `wave_levels.Rule`.
    """
    factors, line = factors_of(memory), memory.line
    corners = DEPTH * int(rule.west == OPEN), DEPTH * int(rule.east == OPEN)
    n = corners[0] + rule.nx + corners[1]
    links, wet = memory.links + side * line + PAD * SIZE, memory.wet + side * line + PAD * SIZE
    scratch = memory.scratch + (6 * line if side == SOUTH else 0) + PAD * SIZE
    smooth, next_smooth, flux, next_flux = scratch, scratch + line, scratch + 2 * line, scratch + 3 * line
    across, next_across = scratch + 4 * line, scratch + 5 * line
    _along(across, smooth, line_at(near, side, 0, memory), links, n, factors[WEIGHT])
    _along(across, next_smooth, line_at(near, side, 1, memory), links, n, factors[WEIGHT])
    # The grid computes the difference between its edge and row 1 unstretched, so the layer does too.
    _difference(flux, line_at(memory.outer, side, 0, memory), smooth, next_smooth, n, ONE)
    for i in range(1, DEPTH + 1):
        row, out = line_at(near, side, i, memory), line_at(far, side, i, memory)
        smooth, next_smooth = next_smooth, smooth
        _along(next_across, next_smooth, row + line, links, n, factors[WEIGHT])
        between, at_row = factors[BETWEEN + i], factors[AT_ROWS + i]
        _difference(next_flux, line_at(memory.outer, side, i, memory), smooth, next_smooth, n, between)
        _difference(smooth, line_at(memory.inner, side, i, memory), flux, next_flux, n, at_row)
        for end in range(2):
            if corners[end]:
                corner = memory.corner + (2 * side + end) * 2 * (DEPTH + 2) * (DEPTH + 1) * SIZE
                edge, towards = (n - 1 - DEPTH, 1) if end else (DEPTH, -1)
                _stretch_corner(across, row, corner, i, edge, towards, factors)
        _step_row(out, row, across, smooth, wet, n, rule.keep, factors[GAIN], factors[PULL])
        flux, next_flux = next_flux, flux
        across, next_across = next_across, across


# --- layers in the west and east


@part
def _sums(lanes: Any, row: int, links: int, weight: np.float32) -> Any:
    """Points of a layer's row, their second differences along it, and the points plus `weight` times these."""
    c, before, after = load_anywhere(lanes, row), load_anywhere(lanes, links), load_anywhere(lanes, links + SIZE)
    across = after * (load_anywhere(lanes, row + SIZE) - c) - before * (c - load_anywhere(lanes, row - SIZE))
    return c, across, c + weight * across


@part
def _stretched(lanes: Any, memory: int, difference: Any, b: np.float32) -> Any:
    stretched = b * (load_anywhere(lanes, memory) + difference)
    store_anywhere(memory, stretched - difference)
    return stretched


@part
def _advance_lines(lanes: Any, side: int, near: int, far: int, at: int, memory: Memory, rule: Any) -> None:
    """Step some points beside each other of every row of a layer; `at` is how far they are from the first [bytes]."""
    factors = factors_of(memory)
    links, wet = memory.links + side * memory.line + PAD * SIZE + at, memory.wet + side * memory.line + PAD * SIZE + at
    _, _, edge = _sums(lanes, line_at(near, side, 0, memory) + at, links, factors[WEIGHT])
    c, across, smooth = _sums(lanes, line_at(near, side, 1, memory) + at, links, factors[WEIGHT])
    flux = smooth - edge
    for i in range(1, DEPTH + 1):
        c_next, across_next, smooth_next = _sums(lanes, line_at(near, side, i + 1, memory) + at, links, factors[WEIGHT])
        outer, inner = line_at(memory.outer, side, i, memory) + at, line_at(memory.inner, side, i, memory) + at
        flux_next = _stretched(lanes, outer, smooth_next - smooth, factors[BETWEEN + i])
        through = _stretched(lanes, inner, flux_next - flux, factors[AT_ROWS + i])
        out = line_at(far, side, i, memory) + at
        change = rule.keep * (c - load_anywhere(lanes, out)) + factors[GAIN] * (through + across)
        store_anywhere(out, load_anywhere(lanes, wet) * (c + (change + factors[PULL] * c)))
        c, across, smooth, flux = c_next, across_next, smooth_next, flux_next


@callee
def advance_columns(side: int, near: int, far: int, top: int, bottom: int, memory: Memory, rule: Any) -> None:
    """As `advance_layer` for the layer in the west or east, beside the rows `top` to `bottom` − 1 of the grid."""
    if bottom - top == ROWS:
        _advance_lines(FOUR_LANES, side, near, far, top * SIZE, memory, rule)
        return
    for i in range(top, bottom):
        _advance_lines(ONE_LANE, side, near, far, i * SIZE, memory, rule)

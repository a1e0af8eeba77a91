"""The compiled rows of open borders: a perfectly matched layer on each open side, outside the grid.

A layer stretches the coordinate across it, ∂/∂n → ∂/∂n divided by 1 + σ/(iω), so that waves enter it without an echo at
any angle and fade inside (Bérenger 1994; in this recursive form Roden and Gedney 2000). In steps of time the division
is a memory ψ of its own for every difference f across the layer, with b = e^(−σΔt): f becomes g = b(ψ + f), and ψ
becomes g − f. The step inside the layer is otherwise that of the grid, so layer and grid match whatever the stencil,
damping and Courant number. Along the layer the differences are links that land may cut; in the corners, where two
layers meet, both coordinates are stretched.

Points beside each other are stepped together, through all rows of the layer: in the north and south a vector of them,
in the west and east those beside a few of the grid's rows; corners are stepped row by row. Rows are given by address,
as in `wave_rows`, and so is what is remembered: to hand that on by numbers takes longer than a step of four points.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from .jit import Static, callee, float_pointer, index_pointer, part
from .layers import DEPTH, FACTORS, OPEN
from .layout import PAD
from .shores import ROWS
from .vectors import SIZE, load_anywhere, store_anywhere

SOUTH = 2
WIDE = 16
WIDE_LANES, FOUR_LANES, ONE_LANE = Static(WIDE), Static(4), Static(1)
ONE = np.float32(1.0)


class Memory(NamedTuple):
    """Where all that lies which open sides and ghost points remember, as addresses and bytes; see `layers.Layers`.

    The last ones are as in `wave_levels.Rule`.

    Attributes:
        level: of the first point of the field's level that `now` goes with.
        now, before: of the layers' heights h and h⁻; which is which changes with every step.
        outer, inner, links, wet, corner, scratch: of the other arrays.
        line: from one row of a layer to the next.
        ghosts: of the ghost points.
        ghost_line: from those of one side to the next.
        factors: of `layers.FACTORS`, and then of b at the rows of a layer and between them (`layers.profile`).
        nz, nx: points along z and along x.
        stride: bytes from one row of heights to the next.
        north, east, south, west: what lies outside a side.
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
    nz: int
    nx: int
    stride: int
    north: int
    east: int
    south: int
    west: int


KEEP, GAIN, PULL, WEIGHT, SHARE = range(len(FACTORS))
AT_ROWS = len(FACTORS)
BETWEEN = AT_ROWS + DEPTH + 1


@part
def memory_of(address: int) -> Memory:
    """The memory whose numbers lie at an address."""
    m = numba.carray(index_pointer(address), 20)
    places = m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], m[9], m[10], m[11], m[12]
    return Memory(*places, m[13], m[14], m[15], m[16], m[17], m[18], m[19])


@part
def factors_of(memory: Memory) -> Any:
    """The numbers of `Memory.factors`."""
    return numba.carray(float_pointer(memory.factors), BETWEEN + DEPTH + 1)


@part
def line_at(levels: int, side: int, row: int, memory: Memory) -> int:
    """The address of the first point of a layer's row, in one of the arrays of rows."""
    return levels + (side * (DEPTH + 2) + row) * memory.line + PAD * SIZE


# --- along the sides


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
def _advance_lines(lanes: Any, side: int, near: int, far: int, at: int, memory: Memory) -> None:
    """One step h⁺ = h + keep·(h − h⁻) + gain·L(h) + pull·h of points beside each other, in every row of a layer.

    L = δ_n(1 + weight·δ_t) + δ_t, with the second differences through the layer and along it.

    Args:
        lanes: number of points, a `Static`.
        side: which layer.
        near: address of h of the layers.
        far: likewise of h⁻; h⁺ takes its place.
        at: how far the points are from the first [bytes].
        memory: where the rest lies.
    """
    factors = factors_of(memory)
    links, wet = memory.links + side * memory.line + PAD * SIZE + at, memory.wet + side * memory.line + PAD * SIZE + at
    _, _, edge = _sums(lanes, line_at(near, side, 0, memory) + at, links, factors[WEIGHT])
    c, across, smooth = _sums(lanes, line_at(near, side, 1, memory) + at, links, factors[WEIGHT])
    # The grid computes the difference between its edge and row 1 unstretched, so the layer does too.
    flux = smooth - edge
    for i in range(1, DEPTH + 1):
        c_next, across_next, smooth_next = _sums(lanes, line_at(near, side, i + 1, memory) + at, links, factors[WEIGHT])
        outer, inner = line_at(memory.outer, side, i, memory) + at, line_at(memory.inner, side, i, memory) + at
        flux_next = _stretched(lanes, outer, smooth_next - smooth, factors[BETWEEN + i])
        through = _stretched(lanes, inner, flux_next - flux, factors[AT_ROWS + i])
        out = line_at(far, side, i, memory) + at
        change = factors[KEEP] * (c - load_anywhere(lanes, out)) + factors[GAIN] * (through + across)
        store_anywhere(out, load_anywhere(lanes, wet) * (c + (change + factors[PULL] * c)))
        c, across, smooth, flux = c_next, across_next, smooth_next, flux_next


@callee
def advance_columns(side: int, near: int, far: int, top: int, bottom: int, address: int) -> None:
    """Take a step of the layer in the west or east, beside the rows `top` to `bottom` − 1 of the grid.

    Args:
        side: which layer.
        near: address of h of the layers.
        far: likewise of h⁻; h⁺ takes its place.
        top: as said.
        bottom: likewise.
        address: of the numbers of a `Memory`.
    """
    memory = memory_of(address)
    if bottom - top == ROWS:
        _advance_lines(FOUR_LANES, side, near, far, top * SIZE, memory)
        return
    for i in range(top, bottom):
        _advance_lines(ONE_LANE, side, near, far, i * SIZE, memory)


@callee
def advance_layer(side: int, near: int, far: int, address: int) -> None:
    """As `advance_columns` for the whole layer in the north or south, with its corners."""
    memory = memory_of(address)
    start, n = DEPTH * int(memory.west == OPEN), memory.nx
    for j in range(0, n - n % WIDE, WIDE):
        _advance_lines(WIDE_LANES, side, near, far, (start + j) * SIZE, memory)
    for j in range(n - n % WIDE, n):
        _advance_lines(ONE_LANE, side, near, far, (start + j) * SIZE, memory)
    if memory.west == OPEN:
        _advance_corner(side, 0, near, far, address)
    if memory.east == OPEN:
        _advance_corner(side, 1, near, far, address)


# --- corners of the layers in the north and south, where both coordinates are stretched


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
def _advance_corner(side: int, end: int, near: int, far: int, address: int) -> None:
    """As `advance_columns` for a corner: `end` is 0 in the west and 1 in the east."""
    memory = memory_of(address)
    factors, line, n = factors_of(memory), memory.line, DEPTH
    at = SIZE * (DEPTH * int(memory.west == OPEN) + memory.nx) * end
    edge, towards = (-1, 1) if end else (DEPTH, -1)  # the grid's last column, and the way outwards
    links, wet = memory.links + side * line + PAD * SIZE + at, memory.wet + side * line + PAD * SIZE + at
    scratch = memory.scratch + (6 * line if side == SOUTH else 0) + PAD * SIZE
    smooth, next_smooth, flux, next_flux = scratch, scratch + line, scratch + 2 * line, scratch + 3 * line
    across, next_across = scratch + 4 * line, scratch + 5 * line
    corner = memory.corner + (2 * side + end) * 2 * (DEPTH + 2) * (DEPTH + 1) * SIZE
    _along(across, smooth, line_at(near, side, 0, memory) + at, links, n, factors[WEIGHT])
    _along(across, next_smooth, line_at(near, side, 1, memory) + at, links, n, factors[WEIGHT])
    _difference(flux, line_at(memory.outer, side, 0, memory) + at, smooth, next_smooth, n, ONE)
    for i in range(1, DEPTH + 1):
        row, out = line_at(near, side, i, memory) + at, line_at(far, side, i, memory) + at
        smooth, next_smooth = next_smooth, smooth
        _along(next_across, next_smooth, row + line, links, n, factors[WEIGHT])
        between, at_row = factors[BETWEEN + i], factors[AT_ROWS + i]
        _difference(next_flux, line_at(memory.outer, side, i, memory) + at, smooth, next_smooth, n, between)
        _difference(smooth, line_at(memory.inner, side, i, memory) + at, flux, next_flux, n, at_row)
        _stretch_corner(across, row, corner, i, edge, towards, factors)
        _step_row(out, row, across, smooth, wet, n, factors[KEEP], factors[GAIN], factors[PULL])
        flux, next_flux = next_flux, flux
        across, next_across = next_across, across

"""Open sides, compiled: a perfectly matched layer or a ghost point beside each edge point, taken along with its rows.

A layer stretches the coordinate across it, ∂/∂n → ∂/∂n divided by 1 + σ/(iω), so that waves enter it without an echo at
any angle and fade inside (Bérenger 1994; in this recursive form Roden and Gedney 2000). In steps of time the division
is a memory ψ of its own for every difference f across the layer, with b = e^(−σΔt): f becomes g = b(ψ + f), and ψ
becomes g − f. The step inside the layer is otherwise that of the grid,

    h⁺ = h + (1 − damping)(h − h⁻) + gain·L(h) + pull·h,    L = δ_n(1 + corner·δ_t) + δ_t,

with the second differences δ_n through the layer and δ_t along it, so layer and grid match whatever the stencil,
damping and Courant number. Land may cut the links along a layer. In the corners, where two layers meet, both
coordinates are stretched.

One routine steps the layers of all sides, for each is stored as rows of the points along its side
(`border_memory.Layer`). Each step of some rows of the grid takes along what lies beside them. So open sides need no
sweep of their own, and many steps can be taken in one.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from waterview.simd.jit import Static, callee, float_pointer, part, pointer_to, task
from waterview.simd.vectors import SIZE, fma, load_anywhere, store_anywhere, width_of
from waterview.waters.wave.border_memory import (
    AT_DEPTH,
    BETWEEN,
    BORDERS,
    DEPTH,
    HIGH_CORNER,
    LINKS,
    LOW_CORNER,
    SIDE,
    WET,
)

from .halo import Edges, close_row, ghost, show_row, surround

borders_pointer = pointer_to(numba.from_dtype(BORDERS))
side_pointer = pointer_to(numba.from_dtype(SIDE))

ZERO = np.float32(0.0)
ROWS = DEPTH + 2  # of each of a layer's arrays
ONE, FOUR, SIXTEEN = Static(1), Static(4), Static(16)
ALONG, IN_CORNER = Static(0), Static(1)
NORTH, EAST, SOUTH, WEST = range(4)
WEST_AND_EAST, NORTH_AND_SOUTH = (WEST, EAST), (NORTH, SOUTH)
"""Kernels go round these in loops: called with a constant, a function is compiled once more for each."""


@part
def _borders(address: int) -> Any:
    return numba.carray(borders_pointer(address), 1)[0]


@part
def _side(number: int, borders: Any) -> Any:
    return numba.carray(side_pointer(borders.sides), 4)[number]


@part
def _weight(side: Any) -> np.float32:
    return ZERO if side.remembers else np.float32(side.weight)


@part
def _edges(borders: Any) -> Edges:
    north, east, south, west = _side(NORTH, borders), _side(EAST, borders), _side(SOUTH, borders), _side(WEST, borders)
    weights = _weight(north), _weight(east), _weight(south), _weight(west)
    return Edges(*weights, north.wraps, west.wraps, borders.nz, borders.nx, borders.stride)


@part
def _line(place: int, n: int) -> Any:
    """A row of n points from the address `place` on, and one more at either end; point j has the index j + 1."""
    return numba.carray(float_pointer(place - SIZE), n + 2)


@part
def _float(place: int) -> Any:
    return numba.carray(float_pointer(place), 1)[0]


@part
def _put(place: int, value: np.float32) -> None:
    numba.carray(float_pointer(place), 1)[0] = value


@part
def _array(number: int, side: Any) -> int:
    """The address of point 0 in the first row of one of a layer's arrays."""
    return int(side.layer + number * ROWS * side.line)


@part
def _heights(level: int, side: Any, borders: Any) -> int:
    """As `_array`, of the heights that go with a level of the field."""
    return _array(0 if level == borders.level else 1, side)


# --- one step of a layer


@part
def _differences(width: Any, row: int, before: Any, after: Any, weight: np.float32) -> Any:
    """Points of a row, their second differences along it, and the points plus `weight` times these."""
    c, left, right = load_anywhere(width, row), load_anywhere(width, row - SIZE), load_anywhere(width, row + SIZE)
    along = fma(after, right - c, before * (left - c))
    return c, along, fma(weight, along, c)


@part
def _stretched(width: Any, memory: int, difference: Any, b: Any) -> Any:
    """Differences where the coordinate is stretched, with their ψ at `memory`."""
    g = fma(b, difference, b * load_anywhere(width, memory))
    store_anywhere(memory, g - difference)
    return g


@part
def _stretched_along(width: Any, row: int, outer: int, inner: int, factors: int) -> Any:
    """Second differences along the layer where that coordinate is stretched, too.

    What is remembered between the points j and j + 1 lies at j.
    """
    size = DEPTH * SIZE
    c = load_anywhere(width, row)
    low, high = c - load_anywhere(width, row - SIZE), load_anywhere(width, row + SIZE) - c
    b_low, b_high = load_anywhere(width, factors), load_anywhere(width, factors + size)
    g_low = fma(b_low, low, b_low * load_anywhere(width, outer - SIZE))
    g_high = fma(b_high, high, b_high * load_anywhere(width, outer))
    store_anywhere(outer, g_high - high)
    store_anywhere(outer - SIZE, g_low - low)
    return _stretched(width, inner, g_high - g_low, load_anywhere(width, factors + 2 * size))


@part
def _step_points(
    in_corner: Any, width: Any, side: Any, now: int, out: int, point: int, factors: int, borders: Any
) -> None:
    """One step of the points beside some points of a side, from the shallowest depth to the deepest.

    Args:
        in_corner: 1 for the columns of a corner, else 0, a `Static`.
        width: number of points, a `Static`.
        side: whose layer.
        now: address of point 0 in the layer's array of h.
        out: of h⁻; h⁺ takes its place.
        point: number of the first.
        factors: address of b along the side, for a corner.
        borders: a record `BORDERS`.
    """
    at, line, weight = point * SIZE, side.line, borders.corner
    land, outer, inner = _array(6, side) + at, _array(2, side) + at, _array(3, side) + at
    along_outer, along_inner = _array(4, side) + at, _array(5, side) + at
    before, after = load_anywhere(width, land + LINKS * line), load_anywhere(width, land + LINKS * line + SIZE)
    wet = load_anywhere(width, land + WET * line)
    keep = np.float32(1.0 - borders.damping)
    _, _, edge = _differences(width, now + at, before, after, weight)
    c, along, smooth = _differences(width, now + at + line, before, after, weight)
    # The grid computes the difference between its edge and the first depth unstretched, so the layer does too.
    flux = smooth - edge
    for depth in range(1, DEPTH + 1):
        row, b = depth * line, borders.factors + (depth - 1) * SIZE
        next_c, next_along, next_smooth = _differences(width, now + at + row + line, before, after, weight)
        next_flux = _stretched(width, outer + row, next_smooth - smooth, _float(b + BETWEEN * SIZE))
        through = _stretched(width, inner + row, next_flux - flux, _float(b + AT_DEPTH * SIZE))
        first, last = along, through
        if width_of(in_corner):
            first, last = (
                through,
                _stretched_along(width, now + at + row, along_outer + row, along_inner + row, factors),
            )
        h = fma(keep, c - load_anywhere(width, out + at + row), fma(borders.pull, c, c))
        h = wet * fma(borders.gain, last, fma(borders.gain, first, h))
        store_anywhere(out + at + row, h)
        c, along, smooth, flux = next_c, next_along, next_smooth, next_flux


@callee
def _step_layer(number: int, now: int, out: int, start: int, stop: int, address: int) -> None:
    """Take a step of a side's layer beside the points `start` to `stop` − 1 of the side."""
    borders = _borders(address)
    side = _side(number, borders)
    h, h_before = _heights(now, side, borders), _heights(out, side, borders)
    point = start
    while point < stop:
        if stop - point >= 16:
            _step_points(ALONG, SIXTEEN, side, h, h_before, point, 0, borders)
            point += 16
        elif stop - point >= 4:
            _step_points(ALONG, FOUR, side, h, h_before, point, 0, borders)
            point += 4
        else:
            _step_points(ALONG, ONE, side, h, h_before, point, 0, borders)
            point += 1


@callee
def _step_north_or_south(number: int, now: int, out: int, address: int) -> None:
    """Take a step of the layer in the north or the south, with its corners."""
    borders = _borders(address)
    side = _side(number, borders)
    _step_layer(number, now, out, int(np.int64(0)), borders.nx, address)  # a plain 0 would be a constant
    h, h_before = _heights(now, side, borders), _heights(out, side, borders)
    if _side(WEST, borders).layer:
        _step_points(IN_CORNER, FOUR, side, h, h_before, -DEPTH, borders.factors + LOW_CORNER * SIZE, borders)
    if _side(EAST, borders).layer:
        _step_points(IN_CORNER, FOUR, side, h, h_before, borders.nx, borders.factors + HIGH_CORNER * SIZE, borders)


# --- what is remembered is shown to the grid, and the grid's edge to the layers


@part
def _followed(g: Any, edge: Any, borders: Any) -> Any:
    """The ghost point after a step: g⁺ = (λu⁺ + g)/(1 + λ) (Riehm, eq. 7).

    That is the implicit step of g_t = c(u − g)/Δx, so u is the edge's height after the step, too. What is written to
    the edge between two steps, as a drop is, reaches the ghost point with the next of them, then, and not before it.
    """
    # A difference, not a mean: where u = g it is exactly 0, and a level surface stays level.
    return g + borders.share * (edge - g)


@part
def _close_west_or_east(number: int, level: int, top: int, bottom: int, moves: bool, borders: Any) -> None:
    """Write the ghost points of a layer, or those that follow the edge, beside some rows of the grid."""
    side, stride = _side(number, borders), borders.stride
    edge, outwards = (level, -SIZE) if number == WEST else (level + (borders.nx - 1) * SIZE, SIZE)
    if side.layer:
        heights = _heights(level, side, borders)
        for i in range(top, bottom):
            _put(heights + i * SIZE, _float(edge + i * stride))
            _put(edge + outwards + i * stride, _float(heights + side.line + i * SIZE))
    elif side.ghosts:
        ghosts = numba.carray(float_pointer(side.ghosts), borders.nz)
        for i in range(top, bottom):
            if moves:
                ghosts[i] = _followed(ghosts[i], _float(edge + i * stride), borders)
            _put(edge + outwards + i * stride, ghosts[i])


@part
def _close_ends(heights: int, side: Any, borders: Any) -> None:
    """Write what lies beyond the ends of the rows of a layer in the north or the south; an open end is a corner."""
    n, west, east = borders.nx, _side(WEST, borders), _side(EAST, borders)
    for depth in range(1, DEPTH + 1):
        row = _line(heights + depth * side.line, n)
        first, last = row[1], row[n]
        if not west.layer:
            row[0] = ghost(west.weight, last if west.wraps else first)
        if not east.layer:
            row[n + 1] = ghost(east.weight, first if east.wraps else last)


@part
def _copy_edge(heights: int, row: int, i: int, level: int, borders: Any) -> None:
    """Copy the grid's row `i`, and what lies beside it in the layers of the west and east, to a layer's first row."""
    n, west, east = borders.nx, _side(WEST, borders), _side(EAST, borders)
    edge, inside = _line(heights, n), _line(row, n)
    for j in range(n + 2):
        edge[j] = inside[j]
    for depth in range(1, DEPTH + 1):
        if west.layer:
            _put(heights - depth * SIZE, _float(_heights(level, west, borders) + depth * west.line + i * SIZE))
        if east.layer:
            at = heights + (n - 1 + depth) * SIZE
            _put(at, _float(_heights(level, east, borders) + depth * east.line + i * SIZE))


@part
def _close_end(end: int, number: int, level: int, borders: Any) -> None:
    """Write what lies beyond an end of the layer in the west or east (`end`): that in the north or south (`number`)."""
    side, layer, nz = _side(number, borders), _side(end, borders), borders.nz
    heights = _heights(level, layer, borders)
    i, beyond, opposite = (0, -1, nz) if number == NORTH else (nz - 1, nz, -1)
    to = opposite if side.wraps else beyond
    column = 0 if end == WEST else (borders.nx - 1) * SIZE
    _put(heights + to * SIZE, _float(level + to * borders.stride + column))
    for depth in range(1, DEPTH + 1):
        row = heights + depth * layer.line
        if side.layer:
            corner = -depth if end == WEST else borders.nx - 1 + depth
            value = _float(_heights(level, side, borders) + side.line + corner * SIZE)
        else:
            value = ghost(side.weight, _float(row + i * SIZE))
        _put(row + to * SIZE, value)


@callee
def _close_north_or_south(number: int, level: int, moves: bool, address: int) -> None:
    """Write what lies beyond the first or the last row of the grid."""
    borders = _borders(address)
    side, n = _side(number, borders), borders.nx
    i, beyond = (0, -1) if number == NORTH else (borders.nz - 1, borders.nz)
    row, outer = level + i * borders.stride, level + beyond * borders.stride
    if side.layer:
        heights = _heights(level, side, borders)
        _close_ends(heights, side, borders)
        outside, nearest = _line(outer, n), _line(heights + side.line, n)
        for j in range(n + 2):
            outside[j] = nearest[j]
        _copy_edge(heights, row, i, level, borders)
    elif side.ghosts:
        ghosts, inside, outside = numba.carray(float_pointer(side.ghosts), n), _line(row, n), _line(outer, n)
        for j in range(n):
            if moves:
                ghosts[j] = _followed(ghosts[j], inside[j + 1], borders)
            outside[j + 1] = ghosts[j]
        outside[0], outside[n + 1] = ghosts[0], ghosts[n - 1]
    show_row(level, i, _edges(borders))
    for end in WEST_AND_EAST:
        if _side(end, borders).layer:
            _close_end(end, number, level, borders)


@part
def _is_at(number: int, top: int, bottom: int, borders: Any) -> bool:
    """Whether the rows `top` to `bottom` − 1 reach the side in the north or south."""
    return bool(top == 0 if number == NORTH else bottom == borders.nz)


@part
def _close(level: int, top: int, bottom: int, moves: bool, address: int) -> None:
    borders = _borders(address)
    for number in WEST_AND_EAST:
        _close_west_or_east(number, level, top, bottom, moves, borders)
    for number in NORTH_AND_SOUTH:
        if _is_at(number, top, bottom, borders):
            _close_north_or_south(number, level, moves, address)


# --- all together


@task
def take_along(now: int, out: int, top: int, bottom: int, address: int) -> None:
    """Take along what lies beside the rows `top` to `bottom` − 1, which were stepped from `now` to `out`.

    Where `now` is 0 nothing was stepped: all that lies outside `out` and is read by a step is written. A record
    `BORDERS` is at `address`.
    """
    borders = _borders(address)
    if now:
        _step_layers(now, out, top, bottom, address)
    else:
        surround(out, _edges(borders))
        top, bottom = 0, borders.nz
    _close(out, top, bottom, now != 0, address)


@part
def _step_layers(now: int, out: int, top: int, bottom: int, address: int) -> None:
    """Take a step of what lies beside some rows of the grid."""
    borders = _borders(address)
    if not (_side(WEST, borders).remembers and _side(EAST, borders).remembers):
        for i in range(top, bottom):
            close_row(out + i * borders.stride, _edges(borders))
    for number in WEST_AND_EAST:
        if _side(number, borders).layer:
            _step_layer(number, now, out, top, bottom, address)
    for number in NORTH_AND_SOUTH:
        if _is_at(number, top, bottom, borders) and _side(number, borders).layer:
            _step_north_or_south(number, now, out, address)

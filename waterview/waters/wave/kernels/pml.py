"""The compiled part of the wave step that moves on what open sides remember, and shows it to the grid.

Each step of some rows of the grid takes the layers and ghost points beside them along. So these need no step of their
own, and many steps can be taken in one sweep.
"""

from __future__ import annotations

from typing import Any

import numba

from waterview.simd.jit import callee, float_pointer, part, task
from waterview.simd.vectors import SIZE, filled, load_anywhere, store_anywhere
from waterview.waters.wave.coast import ROWS
from waterview.waters.wave.pml_arrays import DEPTH

from .absorbing import EAST, NORTH, SHARE, SOUTH, WEST, Memory, factor_of, float_at, memory_of, put
from .absorbing_columns import ONE_ROW, ROW, advance_columns, advance_corner, advance_in_open, column_at, edge_at
from .absorbing_rows import advance_layer, row_at
from .halo import GHOST, OPEN, REFLECTING, WRAPPING, ZERO, ZEROS, close_row, show_row, zero_row


@part
def _line(start: int, n: int) -> Any:
    """A row of n points and one more at either end; point j has the index j + 1."""
    return numba.carray(float_pointer(start - SIZE), n + 2)


@part
def _ghosts(side: int, n: int, memory: Memory) -> Any:
    return numba.carray(float_pointer(memory.ghosts + side * memory.ghost_line), n)


@part
def _followed(ghost: Any, edge: Any, memory: Memory) -> Any:
    """The ghost point after a step: g⁺ = (λu⁺ + g)/(1 + λ) (Riehm, eq. 7).

    That is the implicit step of g_t = c(u − g)/Δx, so u is the edge's height after the step, too. What is written to
    the edge between two steps, as a drop is, reaches the ghost point with the next of them, then, and not before it.
    """
    # A difference, not a mean: where u = g it is exactly 0, and a level surface stays level.
    return ghost + factor_of(memory, SHARE) * (edge - ghost)


# --- the west and the east


@part
def _close_ends(kind: int, side: int, level: int, top: int, bottom: int, moves: bool, memory: Memory) -> None:
    """Show the layer or ghost points beside some rows of the grid to them."""
    edge, outwards = edge_at(level, side, memory), -SIZE if side == WEST else SIZE
    if kind == OPEN and not moves:
        column = column_at(level, side, memory)
        for i in range(top, bottom):
            put(edge + outwards + i * memory.stride, float_at(column + i * ROW))
    elif kind == GHOST:
        ghosts = _ghosts(side, memory.nz, memory)
        for i in range(top, bottom):
            if moves:
                ghosts[i] = _followed(ghosts[i], float_at(edge + i * memory.stride), memory)
            put(edge + outwards + i * memory.stride, ghosts[i])


@part
def _close_columns(side: int, end: int, level: int, memory: Memory) -> None:
    """Give the layer in the west or east (`end`) its neighbour beyond the grid's first or last row (`side`).

    Where rows wrap, that row is shown beyond the other end; beside an open side the corner is there.
    """
    kind, first = memory.north if side == NORTH else memory.south, column_at(level, end, memory)
    row, above, below = first, first - ROW, first + memory.nz * ROW
    if side == SOUTH:
        row, above, below = below - ROW, below, above
    if kind == WRAPPING:
        store_anywhere(below, load_anywhere(ONE_ROW, row))
    elif kind != OPEN:
        shown = filled(ONE_ROW, ZERO) if kind == ZEROS else load_anywhere(ONE_ROW, row)
        store_anywhere(above, shown)


# --- the north and the south


@part
def _beyond_row(kind: int, end: int, level: int, row: int, edge: Any, opposite: Any, memory: Memory) -> Any:
    """What lies beyond the end of a layer's row, which is as a row of the grid with the number `row`."""
    if kind == OPEN:
        return float_at(column_at(level, end, memory) + row * ROW)
    if kind in (REFLECTING, GHOST):
        return edge
    return opposite if kind == WRAPPING else ZERO


@callee
def _close_layer(side: int, level: int, address: int) -> None:
    """Give the layer in the north or south its neighbours at the ends, and show it to the grid."""
    memory = memory_of(address)
    n, first, towards = memory.nx, -1 if side == NORTH else memory.nz, -1 if side == NORTH else 1
    nearest = row_at(level, side, memory)
    for d in range(DEPTH):
        line, row = _line(nearest + d * memory.line, n), first + d * towards
        line[0] = _beyond_row(memory.west, WEST, level, row, line[1], line[n], memory)
        line[n + 1] = _beyond_row(memory.east, EAST, level, row, line[n], line[1], memory)
    outside, beyond = _line(level + first * memory.stride, n), _line(nearest, n)
    for j in range(n + 2):
        outside[j] = beyond[j]


@callee
def _close_ghosts(side: int, level: int, moves: bool, address: int) -> None:
    """Show the ghost points in the north or south to the grid."""
    memory = memory_of(address)
    n, i = memory.nx, 0 if side == NORTH else memory.nz - 1
    row, outer = level + i * memory.stride, level + (-1 if side == NORTH else memory.nz) * memory.stride
    ghosts, inside, outside = _ghosts(side, n, memory), _line(row, n), _line(outer, n)
    for j in range(n):
        if moves:
            ghosts[j] = _followed(ghosts[j], inside[j + 1], memory)
        outside[j + 1] = ghosts[j]
    outside[0], outside[n + 1] = ghosts[0], ghosts[n - 1]


@callee
def _close_side(side: int, level: int, moves: bool, address: int) -> None:
    """Write what lies beyond the first or the last row of the grid."""
    memory = memory_of(address)
    kind = memory.north if side == NORTH else memory.south
    if kind == OPEN:
        _close_layer(side, level, address)
    elif kind == GHOST:
        _close_ghosts(side, level, moves, address)
    show_row(level, 0 if side == NORTH else memory.nz - 1, 0, memory.nx, memory)
    if memory.west == OPEN:
        _close_columns(side, WEST, level, memory)
    if memory.east == OPEN:
        _close_columns(side, EAST, level, memory)


# --- all together


@part
def _close(level: int, top: int, bottom: int, moves: bool, address: int) -> None:
    memory = memory_of(address)
    _close_ends(memory.west, WEST, level, top, bottom, moves, memory)
    _close_ends(memory.east, EAST, level, top, bottom, moves, memory)
    if top == 0:
        _close_side(NORTH, level, moves, address)
    if bottom == memory.nz:
        _close_side(SOUTH, level, moves, address)


@callee
def _surround(level: int, address: int) -> None:
    """Surround a level, and the layers that go with it, with their neighbours."""
    memory = memory_of(address)
    zero_row(level - memory.stride, memory)
    zero_row(level + memory.nz * memory.stride, memory)
    for i in range(memory.nz):
        close_row(level + i * memory.stride, memory)
    _close(level, 0, memory.nz, False, address)


@callee
def _step_side(side: int, now: int, out: int, address: int) -> None:
    """Step the layer in the north or south, with its corners."""
    memory = memory_of(address)
    advance_layer(side, now, out, address)
    if memory.west == OPEN:
        advance_corner(side, WEST, now, out, address)
    if memory.east == OPEN:
        advance_corner(side, EAST, now, out, address)


@callee
def _step_beside(now: int, out: int, top: int, bottom: int, address: int) -> None:
    memory = memory_of(address)
    if memory.west not in (GHOST, OPEN) or memory.east not in (GHOST, OPEN):
        for i in range(top, bottom):
            close_row(out + i * memory.stride, memory)
    if memory.west == OPEN:
        advance_columns(WEST, now, out, top, bottom, memory)
    if memory.east == OPEN:
        advance_columns(EAST, now, out, top, bottom, memory)
    if top == 0 and memory.north == OPEN:
        _step_side(NORTH, now, out, address)
    if bottom == memory.nz and memory.south == OPEN:
        _step_side(SOUTH, now, out, address)
    _close(out, top, bottom, True, address)


@task
def take_along(now: int, out: int, top: int, bottom: int, address: int) -> None:
    """Take along what lies beside the rows `top` to `bottom` − 1, which were stepped from `now` to `out`.

    Where `now` is 0 nothing was stepped: all that lies outside `out` and is read by a step is filled. The numbers of
    `absorbing.Memory` are at `address`.
    """
    memory = memory_of(address)
    if memory.clear and now and bottom - top == ROWS and top > 0 and bottom < memory.nz:
        if memory.west == OPEN:
            advance_in_open(WEST, now, out, top, memory)
        if memory.east == OPEN:
            advance_in_open(EAST, now, out, top, memory)
    elif now:
        _step_beside(now, out, top, bottom, address)
    else:
        _surround(out, address)

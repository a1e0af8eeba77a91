"""The compiled part of the wave step that moves on what open sides remember, and shows it to the grid.

Each step of some rows of the grid takes the layers and ghost points beside them along. So these need no step of their
own, and many steps can be taken in one sweep.
"""

from __future__ import annotations

from typing import Any

import numba

from .absorbing_rows import SHARE, Memory, advance_columns, advance_layer, factors_of, line_at, memory_of
from .jit import callee, float_pointer, part, task
from .layers import DEPTH
from .vectors import SIZE
from .wave_outside import GHOST, OPEN, REFLECTING, WRAPPING, ZERO, close_row, show_row, zero_row

NORTH, EAST, SOUTH, WEST = 0, 1, 2, 3


@part
def _line(start: int, n: int) -> Any:
    """A row of n points and one more at either end; point j has the index j + 1."""
    return numba.carray(float_pointer(start - SIZE), n + 2)


@part
def _outside(kind: int, edge: Any, opposite: Any) -> Any:
    """What lies beyond the end of a layer's row, on a side where no other layer is."""
    if kind in (REFLECTING, GHOST):
        return edge
    return opposite if kind == WRAPPING else ZERO


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
    return ghost + factors_of(memory)[SHARE] * (edge - ghost)


# --- the west and the east


@part
def _close_end(kind: int, side: int, levels: int, row: int, i: int, moves: bool, memory: Memory) -> None:
    """Show the layer or ghost point beside the row `i` of the grid to it, and its edge to the layer."""
    points, n = _line(row, memory.nx), memory.nx
    edge, beyond = (1, 0) if side == WEST else (n, n + 1)
    if kind == GHOST:
        ghosts = _ghosts(side, memory.nz, memory)
        if moves:
            ghosts[i] = _followed(ghosts[i], points[edge], memory)
        points[beyond] = ghosts[i]
    elif kind == OPEN:
        points[beyond] = _line(line_at(levels, side, 1, memory), memory.nz)[i + 1]
        _line(line_at(levels, side, 0, memory), memory.nz)[i + 1] = points[edge]


@callee
def _close_columns(side: int, levels: int, level: int, top: bool, address: int) -> None:
    """Give the layer in the west or east its neighbours beyond the first or the last row of the grid."""
    memory = memory_of(address)
    n, column = memory.nz, 1 if side == WEST else memory.nx
    outer = level - memory.stride if top else level + n * memory.stride
    kind, beyond, inside = (memory.north, 0, 1) if top else (memory.south, n + 1, n)
    _line(line_at(levels, side, 0, memory), n)[beyond] = _line(outer, memory.nx)[column]
    for d in range(1, DEPTH + 1):
        line = _line(line_at(levels, side, d, memory), n)
        if kind == OPEN:  # the corners belong to the layers in the north and south
            start = DEPTH if memory.west == OPEN else 0
            corner = line_at(levels, NORTH if top else SOUTH, 1, memory) + start * SIZE
            at = (1 - d) if side == WEST else memory.nx + d
            line[beyond] = numba.carray(float_pointer(corner + (at - 1) * SIZE), 1)[0]
        else:
            line[beyond] = _outside(kind, line[inside], line[n + 1 - inside])


# --- the north and the south


@callee
def _close_layer(side: int, levels: int, level: int, address: int) -> None:
    """Give the layer in the north or south its neighbours, and show it to the grid."""
    memory = memory_of(address)
    nx, start = memory.nx, DEPTH if memory.west == OPEN else 0
    n = start + nx + (DEPTH if memory.east == OPEN else 0)
    i = 0 if side == NORTH else memory.nz - 1
    row, outer = level + i * memory.stride, level + (-1 if side == NORTH else memory.nz) * memory.stride
    for d in range(1, DEPTH + 1):
        line = _line(line_at(levels, side, d, memory), n)
        line[0] = _outside(memory.west, line[1], line[n])
        line[n + 1] = _outside(memory.east, line[n], line[1])
    nearest, shown = line_at(levels, side, 1, memory), line_at(levels, side, 0, memory)
    inside, outside = _line(row, nx), _line(outer, nx)
    beyond, edge = _line(nearest + start * SIZE, nx), _line(shown + start * SIZE, nx)
    for j in range(nx + 2):
        outside[j] = beyond[j]
        edge[j] = inside[j]
    whole = _line(shown, n)
    for d in range(1, DEPTH + 1):
        if memory.west == OPEN:
            whole[start + 1 - d] = _line(line_at(levels, WEST, d, memory), memory.nz)[i + 1]
        if memory.east == OPEN:
            whole[start + nx + d] = _line(line_at(levels, EAST, d, memory), memory.nz)[i + 1]


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
def _close_side(side: int, levels: int, level: int, moves: bool, address: int) -> None:
    """Write what lies beyond the first or the last row of the grid."""
    memory = memory_of(address)
    kind = memory.north if side == NORTH else memory.south
    if kind == OPEN:
        _close_layer(side, levels, level, address)
    elif kind == GHOST:
        _close_ghosts(side, level, moves, address)
    show_row(level, 0 if side == NORTH else memory.nz - 1, 0, memory.nx, memory)
    for end in (EAST, WEST):
        if (memory.east if end == EAST else memory.west) == OPEN:
            _close_columns(end, levels, level, side == NORTH, address)
            if kind == WRAPPING:  # beyond the other end the row just stepped lies once more
                _close_columns(end, levels, level, side != NORTH, address)


@callee
def _close(levels: int, level: int, top: int, bottom: int, moves: bool, address: int) -> None:
    memory = memory_of(address)
    for i in range(top, bottom):
        row = level + i * memory.stride
        close_row(row, memory)
        _close_end(memory.west, WEST, levels, row, i, moves, memory)
        _close_end(memory.east, EAST, levels, row, i, moves, memory)
    if top == 0:
        _close_side(NORTH, levels, level, moves, address)
    if bottom == memory.nz:
        _close_side(SOUTH, levels, level, moves, address)


# --- all together


@part
def _surround(level: int, address: int) -> None:
    """Surround a level, and the layers that go with it, with their neighbours."""
    memory = memory_of(address)
    levels = memory.now if level == memory.level else memory.before
    zero_row(level - memory.stride, memory)
    zero_row(level + memory.nz * memory.stride, memory)
    _close(levels, level, 0, memory.nz, False, address)


@part
def _step_beside(now: int, out: int, top: int, bottom: int, address: int) -> None:
    memory = memory_of(address)
    near, far = (memory.now, memory.before) if now == memory.level else (memory.before, memory.now)
    if memory.west == OPEN:
        advance_columns(WEST, near, far, top, bottom, address)
    if memory.east == OPEN:
        advance_columns(EAST, near, far, top, bottom, address)
    if top == 0 and memory.north == OPEN:
        advance_layer(NORTH, near, far, address)
    if bottom == memory.nz and memory.south == OPEN:
        advance_layer(SOUTH, near, far, address)
    _close(far, out, top, bottom, True, address)


@task
def take_along(now: int, out: int, top: int, bottom: int, address: int) -> None:
    """Take along what lies beside the rows `top` to `bottom` − 1, which were stepped from `now` to `out`.

    Where `now` is 0 nothing was stepped: all that lies outside `out` and is read by a step is filled. The numbers of
    `absorbing_rows.Memory` are at `address`.
    """
    if now:
        _step_beside(now, out, top, bottom, address)
    else:
        _surround(out, address)

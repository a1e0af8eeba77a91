"""The compiled part of the wave step that moves on what open sides remember, and shows it to the grid.

Each step of some rows of the grid takes the layers and ghost points beside them along. So these need no step of their
own, and many steps can be taken in one sweep.
"""

from __future__ import annotations

from typing import Any

import numba
from numba.extending import overload

from .absorbing_rows import SHARE, Memory, advance_columns, advance_layer, factors_of, line_at, memory_of
from .jit import INLINED, callee, float_pointer, part
from .layers import DEPTH
from .vectors import SIZE
from .wave_outside import GHOST, OPEN, REFLECTING, WRAPPING, ZERO, close_row, show_row, zero_row
from .wave_outside import surround as surround_plain
from .wave_stencils import FORMS

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
    """The ghost point after a step: g⁺ = (λu + g)/(1 + λ) (Riehm, eq. 7)."""
    # A difference, not a mean: where u = g it is exactly 0, and a level surface stays level.
    return ghost + factors_of(memory)[SHARE] * (edge - ghost)


# --- the west and the east


@part
def _close_end(kind: int, side: int, levels: int, row: int, i: int, moves: bool, memory: Memory, rule: Any) -> None:
    """Show the layer or ghost point beside the row `i` of the grid to it, and its edge to the layer."""
    points, n = _line(row, rule.nx), rule.nx
    edge, beyond = (1, 0) if side == WEST else (n, n + 1)
    if kind == GHOST:
        ghosts = _ghosts(side, rule.nz, memory)
        if moves:
            ghosts[i] = _followed(ghosts[i], points[edge], memory)
        points[beyond] = ghosts[i]
    elif kind == OPEN:
        points[beyond] = _line(line_at(levels, side, 1, memory), rule.nz)[i + 1]
        _line(line_at(levels, side, 0, memory), rule.nz)[i + 1] = points[edge]


@callee
def _close_columns(side: int, levels: int, level: int, top: bool, memory: Memory, rule: Any) -> None:
    """Give the layer in the west or east its neighbours beyond the first or the last row of the grid."""
    n, column = rule.nz, 1 if side == WEST else rule.nx
    outer = level - rule.stride if top else level + n * rule.stride
    kind, beyond, inside = (rule.north, 0, 1) if top else (rule.south, n + 1, n)
    _line(line_at(levels, side, 0, memory), n)[beyond] = _line(outer, rule.nx)[column]
    for d in range(1, DEPTH + 1):
        line = _line(line_at(levels, side, d, memory), n)
        if kind == OPEN:  # the corners belong to the layers in the north and south
            start = DEPTH if rule.west == OPEN else 0
            corner = line_at(levels, NORTH if top else SOUTH, 1, memory) + start * SIZE
            at = (1 - d) if side == WEST else rule.nx + d
            line[beyond] = numba.carray(float_pointer(corner + (at - 1) * SIZE), 1)[0]
        else:
            line[beyond] = _outside(kind, line[inside], line[n + 1 - inside])


# --- the north and the south


@callee
def _close_layer(side: int, levels: int, level: int, memory: Memory, rule: Any) -> None:
    """Give the layer in the north or south its neighbours, and show it to the grid."""
    nx, start = rule.nx, DEPTH if rule.west == OPEN else 0
    n = start + nx + (DEPTH if rule.east == OPEN else 0)
    i = 0 if side == NORTH else rule.nz - 1
    row, outer = level + i * rule.stride, level + (-1 if side == NORTH else rule.nz) * rule.stride
    for d in range(1, DEPTH + 1):
        line = _line(line_at(levels, side, d, memory), n)
        line[0] = _outside(rule.west, line[1], line[n])
        line[n + 1] = _outside(rule.east, line[n], line[1])
    nearest, shown = line_at(levels, side, 1, memory), line_at(levels, side, 0, memory)
    inside, outside = _line(row, nx), _line(outer, nx)
    beyond, edge = _line(nearest + start * SIZE, nx), _line(shown + start * SIZE, nx)
    for j in range(nx + 2):
        outside[j] = beyond[j]
        edge[j] = inside[j]
    whole = _line(shown, n)
    for d in range(1, DEPTH + 1):
        if rule.west == OPEN:
            whole[start + 1 - d] = _line(line_at(levels, WEST, d, memory), rule.nz)[i + 1]
        if rule.east == OPEN:
            whole[start + nx + d] = _line(line_at(levels, EAST, d, memory), rule.nz)[i + 1]


@callee
def _close_ghosts(side: int, level: int, moves: bool, memory: Memory, rule: Any) -> None:
    """Show the ghost points in the north or south to the grid."""
    n, i = rule.nx, 0 if side == NORTH else rule.nz - 1
    row, outer = level + i * rule.stride, level + (-1 if side == NORTH else rule.nz) * rule.stride
    ghosts, inside, outside = _ghosts(side, n, memory), _line(row, n), _line(outer, n)
    for j in range(n):
        if moves:
            ghosts[j] = _followed(ghosts[j], inside[j + 1], memory)
        outside[j + 1] = ghosts[j]
    outside[0], outside[n + 1] = ghosts[0], ghosts[n - 1]


@callee
def _close_side(side: int, levels: int, level: int, moves: bool, memory: Memory, rule: Any) -> None:
    """Write what lies beyond the first or the last row of the grid."""
    kind = rule.north if side == NORTH else rule.south
    if kind == OPEN:
        _close_layer(side, levels, level, memory, rule)
    elif kind == GHOST:
        _close_ghosts(side, level, moves, memory, rule)
    show_row(level, 0 if side == NORTH else rule.nz - 1, 0, rule.nx, rule)
    for end in (EAST, WEST):
        if (rule.east if end == EAST else rule.west) == OPEN:
            _close_columns(end, levels, level, side == NORTH, memory, rule)
            if kind == WRAPPING:  # beyond the other end the row just stepped lies once more
                _close_columns(end, levels, level, side != NORTH, memory, rule)


@callee
def _close(levels: int, level: int, top: int, bottom: int, moves: bool, memory: Memory, rule: Any) -> None:
    for i in range(top, bottom):
        row = level + i * rule.stride
        close_row(row, rule)
        _close_end(rule.west, WEST, levels, row, i, moves, memory, rule)
        _close_end(rule.east, EAST, levels, row, i, moves, memory, rule)
    if top == 0:
        _close_side(NORTH, levels, level, moves, memory, rule)
    if bottom == rule.nz:
        _close_side(SOUTH, levels, level, moves, memory, rule)


# --- all together


@callee
def _surround_all(level: int, rule: Any) -> None:
    """Surround a level, and the layers that go with it, with their neighbours."""
    memory = memory_of(rule)
    levels = memory.now if level == memory.level else memory.before
    zero_row(level - rule.stride, rule)
    zero_row(level + rule.nz * rule.stride, rule)
    _close(levels, level, 0, rule.nz, False, memory, rule)


@callee
def _step_beside(now: int, out: int, top: int, bottom: int, rule: Any) -> None:
    memory = memory_of(rule)
    near, far = (memory.now, memory.before) if now == memory.level else (memory.before, memory.now)
    if rule.west == OPEN:
        advance_columns(WEST, near, far, top, bottom, memory, rule)
    if rule.east == OPEN:
        advance_columns(EAST, near, far, top, bottom, memory, rule)
    if top == 0 and rule.north == OPEN:
        advance_layer(NORTH, near, far, memory, rule)
    if bottom == rule.nz and rule.south == OPEN:
        advance_layer(SOUTH, near, far, memory, rule)
    _close(far, out, top, bottom, True, memory, rule)


def surround(form: Any, level: int, rule: Any) -> None:
    """Fill all that lies outside a level and is read by a step."""


@overload(surround, jit_options=INLINED)  # type: ignore[untyped-decorator]
def _surround_of(form: Any, level: int, rule: Any) -> Any:
    surround_level = _surround_all if FORMS[form.value].remembers else surround_plain

    def of_form(form: Any, level: int, rule: Any) -> None:
        surround_level(level, rule)

    return of_form


def step_beside(form: Any, now: int, out: int, top: int, bottom: int, rule: Any) -> None:
    """Take along what lies beside the rows `top` to `bottom` − 1, which were stepped from `now` to `out`."""


@overload(step_beside, jit_options=INLINED)  # type: ignore[untyped-decorator]
def _step_beside_of(form: Any, now: int, out: int, top: int, bottom: int, rule: Any) -> Any:
    def with_memory(form: Any, now: int, out: int, top: int, bottom: int, rule: Any) -> None:
        _step_beside(now, out, top, bottom, rule)

    def without(form: Any, now: int, out: int, top: int, bottom: int, rule: Any) -> None:
        pass

    return with_memory if FORMS[form.value].remembers else without

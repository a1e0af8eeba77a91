"""The compiled step of the layers in the west and east, and of the corners, which are further rows of these.

A row's depths lie side by side, so a vector holds those of four rows: as wide as the vectors of the grid's rows, it
goes along with four of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from waterview.simd.jit import Static, callee, part
from waterview.simd.vectors import SIZE, filled, fma, load_anywhere
from waterview.waters.wave.coast import ROWS
from waterview.waters.wave.pml_arrays import DEPTH

from .absorbing import (
    AT_DEPTHS,
    BETWEEN,
    NORTH,
    WEIGHT,
    WEST,
    Memory,
    factor_of,
    float_at,
    linked,
    memory_of,
    step_over,
    stretched,
)
from .absorbing_rows import row_at
from .fours import after_in_fours, before_in_fours, load_column, spread, store_firsts

ROW = DEPTH * SIZE  # [bytes]
ONE, ALL = Static(1), Static(ROWS)
ONE_ROW, ALL_ROWS = Static(DEPTH), Static(ROWS * DEPTH)
ZERO, WET = np.float32(0.0), np.float32(1.0)


@part
def column_at(level: int, side: int, memory: Memory) -> int:
    """The address of the depths beside the grid's first row, in the west or east, that go with a level of the grid."""
    first = memory.columns if level == memory.level else memory.columns_before
    return first + _place(side, ROW, memory)


@part
def _place(side: int, size: int, memory: Memory) -> int:
    """Bytes from what belongs to the east to what belongs to a side, where a row takes `size` of them."""
    return memory.height * size if side == WEST else 0


@part
def edge_at(level: int, side: int, memory: Memory) -> int:
    """The address of the first or last point of the grid's first row."""
    return level if side == WEST else level + (memory.nx - 1) * SIZE


@part
def _through(lanes: Any, edge: Any, points: Any, at: int, memory: Memory) -> Any:
    """Second differences through the layer of its points, beside points `edge` of the grid.

    `at` is the place of the first in the arrays of columns [bytes]. The grid computes the difference between its edge
    and the first depth unstretched, so the layer does too; beyond the last depth there are zeros.
    """
    between = load_anywhere(lanes, memory.factors + BETWEEN * SIZE)
    at_depths = load_anywhere(lanes, memory.factors + AT_DEPTHS * SIZE)
    outwards = after_in_fours(points, filled(lanes, ZERO)) - points
    flux = stretched(lanes, memory.outer_columns + at, outwards, between)
    inwards = before_in_fours(flux, points - edge)
    return stretched(lanes, memory.inner_columns + at, flux - inwards, at_depths)


# --- beside the grid's rows


@part
def _finish(
    lanes: Any, side: int, now: int, out: int, i: int, c: Any, along: Any, edge: Any, wet: Any, memory: Memory
) -> None:
    """Write the step of points c from their second differences along the layer, and show the nearest to the grid."""
    at = _place(side, ROW, memory) + i * ROW
    through = _through(lanes, spread(edge), fma(factor_of(memory, WEIGHT), along, c), at, memory)
    h = step_over(lanes, column_at(out, side, memory) + i * ROW, c, through, along, wet, memory)
    outwards = -SIZE if side == WEST else SIZE
    store_firsts(edge_at(out, side, memory) + i * memory.stride + outwards, memory.stride, h)


@part
def _neighbours(lanes: Any, near: int) -> Any:
    return load_anywhere(lanes, near - ROW), load_anywhere(lanes, near), load_anywhere(lanes, near + ROW)


@part
def _advance_rows(lanes: Any, rows: Any, side: int, now: int, out: int, i: int, memory: Memory) -> None:
    """One step of the points beside the grid's row `i`, and beside those that follow, of `rows` in all."""
    land = _place(side, SIZE, memory) + i * SIZE
    before = load_anywhere(rows, memory.column_links + land)
    after = load_anywhere(rows, memory.column_links + land + SIZE)
    wet = spread(load_anywhere(rows, memory.column_wet + land))
    up, e, down = load_column(rows, edge_at(now, side, memory) + i * memory.stride, memory.stride)
    edge = fma(factor_of(memory, WEIGHT), linked(e, up, down, before, after), e)
    above, c, below = _neighbours(lanes, column_at(now, side, memory) + i * ROW)
    along = linked(c, above, below, spread(before), spread(after))
    _finish(lanes, side, now, out, i, c, along, edge, wet, memory)


@part
def advance_in_open(side: int, now: int, out: int, top: int, memory: Memory) -> None:
    """As `advance_columns` where there is no land, for as many rows as are stepped together."""
    up, e, down = load_column(ALL, edge_at(now, side, memory) + top * memory.stride, memory.stride)
    edge = fma(factor_of(memory, WEIGHT), (down - e) + (up - e), e)
    above, c, below = _neighbours(ALL_ROWS, column_at(now, side, memory) + top * ROW)
    along = (below - c) + (above - c)
    _finish(ALL_ROWS, side, now, out, top, c, along, edge, WET, memory)


@part
def advance_columns(side: int, now: int, out: int, top: int, bottom: int, memory: Memory) -> None:
    """Take a step of the layer in the west or east, beside the rows `top` to `bottom` − 1 of the grid.

    Args:
        side: which layer.
        now: address of the first point of the grid's level h.
        out: likewise of h⁺, whose rows beside were stepped; of the layer it still holds h⁻.
        top: as said.
        bottom: likewise.
        memory: where the rest lies.
    """
    if bottom - top == ROWS:
        _advance_rows(ALL_ROWS, ALL, side, now, out, top, memory)
        return
    for i in range(top, bottom):
        _advance_rows(ONE_ROW, ONE, side, now, out, i, memory)


# --- corners


@part
def _corner_at(side: int, end: int, memory: Memory) -> int:
    """The address of both ψ across the rows of a corner."""
    return memory.corners + (2 * (side // 2) + end // 2) * 2 * DEPTH * ROW


@part
def _smooth(c: Any, edge: Any, weight: Any) -> Any:
    """The points of a row plus `weight` times their second differences through the layer."""
    inwards, outwards = before_in_fours(c, filled(ONE_ROW, edge)), after_in_fours(c, filled(ONE_ROW, ZERO))
    return fma(weight, (outwards - c) + (inwards - c), c)


@callee
def advance_corner(side: int, end: int, now: int, out: int, address: int) -> None:
    """Take a step of the corner in the north or south (`side`) and in the west or east (`end`), from inside outwards.

    Its rows go on from those of the north or south, so across them it is as there. `address` is that of the numbers of
    a `Memory`; for the others see `advance_columns`.
    """
    memory = memory_of(address)
    weight = factor_of(memory, WEIGHT)
    first, towards = (-1, -ROW) if side == NORTH else (memory.nz, ROW)
    edge = edge_at(now, end, memory) + (0 if side == NORTH else (memory.nz - 1) * memory.stride)
    beside = row_at(now, side, memory) + edge_at(0, end, memory)
    near, far = column_at(now, end, memory) + first * ROW, column_at(out, end, memory) + first * ROW
    at, outer = _place(end, ROW, memory) + first * ROW, _corner_at(side, end, memory)
    wet = filled(ONE_ROW, float_at(memory.column_wet + _place(end, SIZE, memory) + first * SIZE))
    e, c = float_at(beside), load_anywhere(ONE_ROW, near)
    smooth = _smooth(c, e, weight)
    flux = smooth - _smooth(load_anywhere(ONE_ROW, near - towards), float_at(edge), weight)
    for i in range(DEPTH):
        place, inner = i * towards, outer + DEPTH * ROW
        next_e = float_at(beside + (i + 1) * memory.line) if i + 1 < DEPTH else ZERO
        next_c = load_anywhere(ONE_ROW, near + place + towards)
        next_smooth = _smooth(next_c, next_e, weight)
        next_flux = stretched(ONE_ROW, outer + i * ROW, next_smooth - smooth, factor_of(memory, BETWEEN + i))
        along = stretched(ONE_ROW, inner + i * ROW, next_flux - flux, factor_of(memory, AT_DEPTHS + i))
        through = _through(ONE_ROW, filled(ONE_ROW, e), c, at + place, memory)
        step_over(ONE_ROW, far + place, c, through, along, wet, memory)
        e, c, smooth, flux = next_e, next_c, next_smooth, next_flux

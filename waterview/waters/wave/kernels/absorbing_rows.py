"""The compiled step of the layers in the north and south: a vector of points, through all depths of the layer."""

from __future__ import annotations

from typing import Any

from waterview.simd.jit import Static, callee, part
from waterview.simd.vectors import SIZE, filled, fma, load_anywhere
from waterview.waters.wave.pml_arrays import DEPTH

from .absorbing import AT_DEPTHS, BETWEEN, NORTH, WEIGHT, Memory, factor_of, linked, memory_of, step_over, stretched
from .halo import ZERO

WIDE = 16
LANES = Static(WIDE)


@part
def row_at(level: int, side: int, memory: Memory) -> int:
    """The address of the layer's point beside the first of the grid's first or last row, for a level of the grid."""
    first = memory.rows if level == memory.level else memory.rows_before
    return first + _place(side, memory)


@part
def _place(side: int, memory: Memory) -> int:
    """Bytes from what belongs to the north to what belongs to a side."""
    return 0 if side == NORTH else DEPTH * memory.line


@part
def _sums(row: int, before: Any, after: Any, weight: Any) -> Any:
    """Points of a row, their second differences along it, and the points plus `weight` times these."""
    c, left, right = load_anywhere(LANES, row), load_anywhere(LANES, row - SIZE), load_anywhere(LANES, row + SIZE)
    along = linked(c, left, right, before, after)
    return c, along, fma(weight, along, c)


@part
def _advance_points(edge: int, near: int, far: int, at: int, land: int, memory: Memory) -> None:
    """One step of points beside each other, beginning with the shallowest.

    Args:
        edge: address of the grid's points beside them.
        near: of their h.
        far: of their h⁻; h⁺ takes its place.
        at: their place in the arrays of rows [bytes].
        land: and in those of land.
        memory: where these lie.
    """
    weight, line = factor_of(memory, WEIGHT), memory.line
    links = memory.row_links + land
    before, after, wet = (
        load_anywhere(LANES, links),
        load_anywhere(LANES, links + SIZE),
        load_anywhere(LANES, memory.row_wet + land),
    )
    _, _, smooth_edge = _sums(edge, before, after, weight)
    c, along, smooth = _sums(near, before, after, weight)
    # The grid computes the difference between its edge and the first depth unstretched, so the layer does too.
    flux = smooth - smooth_edge
    nothing = filled(LANES, ZERO)
    for i in range(DEPTH):
        place = i * line
        beyond = nothing, nothing, nothing
        if i + 1 < DEPTH:
            beyond = _sums(near + place + line, before, after, weight)
        next_c, next_along, next_smooth = beyond
        next_flux = stretched(
            LANES, memory.outer_rows + at + place, next_smooth - smooth, factor_of(memory, BETWEEN + i)
        )
        through = stretched(LANES, memory.inner_rows + at + place, next_flux - flux, factor_of(memory, AT_DEPTHS + i))
        step_over(LANES, far + place, c, through, along, wet, memory)
        c, along, smooth, flux = next_c, next_along, next_smooth, next_flux


@callee
def advance_layer(side: int, now: int, out: int, address: int) -> None:
    """Take a step of the layer in the north or south, without its corners; see `absorbing_columns.advance_corner`."""
    memory = memory_of(address)
    edge = now if side == NORTH else now + (memory.nz - 1) * memory.stride
    near, far, at, land = (
        row_at(now, side, memory),
        row_at(out, side, memory),
        _place(side, memory),
        _place(side, memory) // DEPTH,
    )
    for j in range(0, memory.nx, WIDE):
        place = j * SIZE
        _advance_points(edge + place, near + place, far + place, at + place, land + place, memory)

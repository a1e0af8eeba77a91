"""The compiled arithmetic of open borders: a perfectly matched layer on each open side, outside the grid.

A layer stretches the coordinate across it, ∂/∂n → ∂/∂n divided by 1 + σ/(iω), so that waves enter it without an echo at
any angle and fade inside (Bérenger 1994; in this recursive form Roden and Gedney 2000). In steps of time the division
is a memory ψ of its own for every difference f across the layer, with b = e^(−σΔt): f becomes g = b(ψ + f), and ψ
becomes g − f. The step inside the layer is otherwise that of the grid,

    h⁺ = h + keep·(h − h⁻) + gain·L(h) + pull·h,    L = δ_n(1 + weight·δ_t) + δ_t,

with the second differences through the layer and along it, so layer and grid match whatever the stencil, damping and
Courant number. Along the layer the differences are links that land may cut; in the corners, where two layers meet, both
coordinates are stretched.

All is given by address, as in `wave_rows`, and so is what is remembered: to hand that on by numbers takes longer than a
step of four points.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from waterview.simd.jit import float_pointer, index_pointer, part
from waterview.simd.vectors import SIZE, fma, load_anywhere, store_anywhere
from waterview.waters.wave.pml_arrays import DEPTH, FACTORS, REPEATED

NORTH, EAST, SOUTH, WEST = range(4)


class Memory(NamedTuple):
    """Where all that lies which open sides and ghost points remember, as addresses and bytes; see `layers.Layers`.

    The last ones are as in `wave_levels.Rule`.

    Attributes:
        level: of the first point of the field's level that `rows` and `columns` go with.
        rows, rows_before: of the northern layer's point beside the grid's first, in h and h⁻; which is which changes
            with every step.
        outer_rows, inner_rows: likewise of its ψ.
        row_links, row_wet: likewise of its land.
        line: from one depth of it to the next, and from the northern land to the southern.
        columns, columns_before: as `rows`, of the eastern layer.
        outer_columns, inner_columns: likewise.
        column_links, column_wet: likewise.
        height: rows of a layer in the east or west, with the corners.
        corners: of their ψ.
        ghosts: of the ghost points.
        ghost_line: from those of one side to the next.
        factors: of b at the depths of a layer, over and over again, and between them, likewise, and of
            `layers.FACTORS`.
        nz, nx: points along z and along x.
        stride: bytes from one row of heights to the next.
        north, east, south, west: what lies outside a side.
        clear: 1 where nothing lies beside the grid's rows but zeros or a layer without land.
    """

    level: int
    rows: int
    rows_before: int
    outer_rows: int
    inner_rows: int
    row_links: int
    row_wet: int
    line: int
    columns: int
    columns_before: int
    outer_columns: int
    inner_columns: int
    column_links: int
    column_wet: int
    height: int
    corners: int
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
    clear: int


NUMBERS = len(Memory._fields)
AT_DEPTHS, BETWEEN = 0, REPEATED * DEPTH
KEEP, GAIN, PULL, WEIGHT, SHARE = range(2 * BETWEEN, 2 * BETWEEN + len(FACTORS))


@part
def memory_of(address: int) -> Memory:
    """The memory whose numbers lie at an address."""
    m = numba.carray(index_pointer(address), NUMBERS)
    rows = m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7]
    columns = m[8], m[9], m[10], m[11], m[12], m[13], m[14], m[15]
    return Memory(*rows, *columns, m[16], m[17], m[18], m[19], m[20], m[21], m[22], m[23], m[24], m[25], m[26])


@part
def float_at(address: int) -> Any:
    """The float at an address."""
    return numba.carray(float_pointer(address), 1)[0]


@part
def put(address: int, value: np.float32) -> None:
    """Write a float to an address."""
    numba.carray(float_pointer(address), 1)[0] = value


@part
def factor_of(memory: Memory, number: int) -> Any:
    """One of the numbers at `Memory.factors`."""
    return float_at(memory.factors + number * SIZE)


@part
def linked(c: Any, up: Any, down: Any, before: Any, after: Any) -> Any:
    """Second differences along a layer between points that are linked, or not, with those before and after them."""
    return fma(after, down - c, before * (up - c))


@part
def stretched(lanes: Any, memory: int, difference: Any, b: Any) -> Any:
    """Differences across a layer as they are where its coordinate is stretched, with their ψ at `memory`."""
    g = fma(b, difference, b * load_anywhere(lanes, memory))
    store_anywhere(memory, g - difference)
    return g


@part
def step_over(lanes: Any, out: int, c: Any, through: Any, along: Any, wet: Any, memory: Memory) -> Any:
    """Write h⁺ over h⁻ at `out`, from second differences through the layer and along it, and return it."""
    rest = fma(factor_of(memory, PULL), c, c)
    rest = fma(factor_of(memory, KEEP), c - load_anywhere(lanes, out), rest)
    rest = fma(factor_of(memory, GAIN), along, rest)
    h = wet * fma(factor_of(memory, GAIN), through, rest)
    store_anywhere(out, h)
    return h

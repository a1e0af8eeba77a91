"""The compiled step of some rows from one time level to the next, with what lies outside the grid.

Rows and columns count from 0 here; a level is given by the address of its first point.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from .awake import TILE_ROWS
from .jit import float_pointer, index_pointer, part
from .vectors import SIZE
from .wave_rows import step_rows

ZERO = np.float32(0.0)


class Rule(NamedTuple):
    """How to step a field, in numbers.

    Attributes:
        keep: 1 − κ.
        gain: λ² times the gain of the stencil's sum.
        centre: what the sum "cross" multiplies a point itself by: −4, or less where heights are drawn to 0.
        shore_scale: how many times L the stencil's sum is.
        rest: tiles of smaller heights become 0 now and then [m]; 0 for never.
        north, east, south, west: whether the edge points lie once more outside a side; zeros if not.
        nz, nx: points along z and along x.
        width: nx rounded up to whole vectors of 16.
        stride: bytes from one row of heights to the next.
        free: address of a bit for each point of the first row, set where there is water.
        bits: bytes from one row of these to the next.
        first, ends: addresses of the arrays of `awake.Marks`.
        groups: address of `shores.Groups.numbers`, or 0 where no point has weights of its own.
        numbers: bytes from one row of these to the next.
        sides, masks: addresses of the other arrays.
    """

    keep: np.float32
    gain: np.float32
    centre: np.float32
    shore_scale: np.float32
    rest: np.float32
    north: bool
    east: bool
    south: bool
    west: bool
    nz: int
    nx: int
    width: int
    stride: int
    free: int
    bits: int
    first: int
    ends: int
    groups: int
    numbers: int
    sides: int
    masks: int


# --- what lies outside


@part
def _close_row(row: int, rule: Rule) -> None:
    """Surround a row on the left and on the right."""
    points = numba.carray(float_pointer(row - SIZE), rule.nx + 2)
    points[0] = points[1] if rule.west else ZERO
    points[rule.nx + 1] = points[rule.nx] if rule.east else ZERO


@part
def _fill_outer_row(outer: int, row: int, start: int, stop: int, reflecting: bool) -> None:
    """Fill a row outside the grid beside the columns `start` to `stop` − 1 of the edge's row, and one more each way."""
    n, at = stop - start + 2, (start - 1) * SIZE
    outside, edge = numba.carray(float_pointer(outer + at), n), numba.carray(float_pointer(row + at), n)
    for j in range(n):
        outside[j] = edge[j] if reflecting else ZERO


@part
def surround(level: int, rule: Rule) -> None:
    """Fill all that lies outside a level and is read by a step."""
    for i in range(rule.nz):
        _close_row(level + i * rule.stride, rule)
    last = level + (rule.nz - 1) * rule.stride
    _fill_outer_row(level - rule.stride, level, 0, rule.nx, rule.north)
    _fill_outer_row(last + rule.stride, last, 0, rule.nx, rule.south)


@part
def _surround_rows(level: int, top: int, bottom: int, start: int, stop: int, rule: Rule) -> None:
    """Fill what lies beside the columns `start` to `stop` − 1 of the rows `top` to `bottom` − 1, which were stepped."""
    if (rule.west and start == 0) or (rule.east and stop == rule.nx):
        for i in range(top, bottom):
            _close_row(level + i * rule.stride, rule)
    if rule.north and top == 0:
        _fill_outer_row(level - rule.stride, level, start, stop, True)
    if rule.south and bottom == rule.nz:
        edge = level + (rule.nz - 1) * rule.stride
        _fill_outer_row(edge + rule.stride, edge, start, stop, True)


# --- one step


@part
def step_level(form: Any, lanes: Any, now: int, out: int, top: int, bottom: int, rule: Rule) -> None:
    """Take a step of the rows `top` to `bottom` − 1, at most `wave_rows.ROWS`, from `now` over h⁻ in `out`.

    Four rows may lie in two rows of tiles; the spans of the upper one hold those of both.
    """
    tile, number, at = top // TILE_ROWS, bottom - top, top * rule.stride
    groups = rule.groups + top * rule.numbers
    first = numba.carray(index_pointer(rule.first), tile + 2)
    ends = numba.carray(index_pointer(rule.ends), 2 * first[tile + 1])
    for k in range(first[tile], first[tile + 1]):
        start, stop = ends[2 * k], min(ends[2 * k + 1], rule.width)
        step_rows(form, lanes, out + at, now + at, rule.free + top * rule.bits, groups, number, start, stop, rule)
        _surround_rows(out, top, bottom, start, min(stop, rule.nx), rule)

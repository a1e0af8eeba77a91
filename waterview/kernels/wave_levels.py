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

# What lies outside a side: zeros, the edge point beside it once more, or the opposite edge; as in `borders.KINDS`.
ZEROS, REFLECTING, WRAPPING = 0, 1, 2


class Rule(NamedTuple):
    """How to step a field, in numbers.

    Attributes:
        keep: 1 − κ, of the motion.
        gain: λ² times the gain of the stencil's sum, over Δt for velocities [1/s].
        centre: what the sum "cross" multiplies a point itself by: −4, or less where heights are drawn to 0.
        shore_scale: how many times L the stencil's sum is.
        rest: tiles of smaller heights become 0 now and then [m]; 0 for never.
        time_step: Δt, where motion is known by velocities [s].
        velocity: then the address of the first point's; 0 where motion is known by h⁻.
        north, east, south, west: what lies outside a side: `ZEROS`, `REFLECTING` or `WRAPPING`.
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
    time_step: np.float32
    velocity: int
    north: int
    east: int
    south: int
    west: int
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
def _beyond(kind: int, edge: np.float32, opposite: np.float32) -> np.float32:
    """What lies outside beside the point `edge` at the end of a row."""
    return edge if kind == REFLECTING else opposite if kind == WRAPPING else ZERO


@part
def _close_row(row: int, rule: Rule) -> None:
    """Surround a row on the left and on the right."""
    points = numba.carray(float_pointer(row - SIZE), rule.nx + 2)
    points[0] = _beyond(rule.west, points[1], points[rule.nx])
    points[rule.nx + 1] = _beyond(rule.east, points[rule.nx], points[1])


@part
def _copy_row(outer: int, row: int, start: int, stop: int, rule: Rule) -> None:
    """Let a row outside the grid be as `row` in the columns `start` to `stop` − 1, and one more each way."""
    n, at = stop - start + 2, (start - 1) * SIZE
    outside, inside = numba.carray(float_pointer(outer + at), n), numba.carray(float_pointer(row + at), n)
    for j in range(n):
        outside[j] = inside[j]
    if rule.west == WRAPPING:
        _close_row(outer, rule)


@part
def _zero_row(outer: int, rule: Rule) -> None:
    points = numba.carray(float_pointer(outer - SIZE), rule.nx + 2)
    for j in range(rule.nx + 2):
        points[j] = ZERO


@part
def _show_row(level: int, i: int, start: int, stop: int, rule: Rule) -> None:
    """Let the row `i` of a level be seen wherever it lies outside the grid once more, in some columns."""
    first, last = level - rule.stride, level + rule.nz * rule.stride
    row = level + i * rule.stride
    if i == 0 and rule.north == REFLECTING:
        _copy_row(first, row, start, stop, rule)
    if i == 0 and rule.south == WRAPPING:
        _copy_row(last, row, start, stop, rule)
    if i == rule.nz - 1 and rule.south == REFLECTING:
        _copy_row(last, row, start, stop, rule)
    if i == rule.nz - 1 and rule.north == WRAPPING:
        _copy_row(first, row, start, stop, rule)


@part
def surround(level: int, rule: Rule) -> None:
    """Fill all that lies outside a level and is read by a step."""
    for i in range(rule.nz):
        _close_row(level + i * rule.stride, rule)
    _zero_row(level - rule.stride, rule)
    _zero_row(level + rule.nz * rule.stride, rule)
    _show_row(level, 0, 0, rule.nx, rule)
    _show_row(level, rule.nz - 1, 0, rule.nx, rule)


@part
def _surround_rows(level: int, top: int, bottom: int, start: int, stop: int, rule: Rule) -> None:
    """Fill what lies beside the columns `start` to `stop` − 1 of the rows `top` to `bottom` − 1, which were stepped."""
    if (rule.west and start == 0) or (rule.east and stop == rule.nx):
        for i in range(top, bottom):
            _close_row(level + i * rule.stride, rule)
    if top == 0:
        _show_row(level, 0, start, stop, rule)
    if bottom == rule.nz:
        _show_row(level, rule.nz - 1, start, stop, rule)


# --- one step


@part
def step_level(form: Any, lanes: Any, now: int, out: int, top: int, bottom: int, rule: Rule) -> None:
    """Take a step of the rows `top` to `bottom` − 1, at most `wave_rows.ROWS`, from `now` over h⁻ in `out`.

    Four rows may lie in two rows of tiles; the spans of the upper one hold those of both.
    """
    tile, number, at = top // TILE_ROWS, bottom - top, top * rule.stride
    motion = rule.velocity - out if rule.velocity else 0
    groups = rule.groups + top * rule.numbers
    first = numba.carray(index_pointer(rule.first), tile + 2)
    ends = numba.carray(index_pointer(rule.ends), 2 * first[tile + 1])
    for k in range(first[tile], first[tile + 1]):
        start, stop = ends[2 * k], min(ends[2 * k + 1], rule.width)
        free = rule.free + top * rule.bits
        step_rows(form, lanes, out + at, motion, now + at, free, groups, number, start, stop, rule)
        _surround_rows(out, top, bottom, start, min(stop, rule.nx), rule)

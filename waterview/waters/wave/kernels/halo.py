"""The compiled part of the wave step that writes what lies outside the grid, where that follows from what lies inside.

Rows and columns count from 0 here; a level is given by the address of its first point.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from waterview.simd.jit import float_pointer, part
from waterview.simd.vectors import SIZE

ZERO = np.float32(0.0)

# What lies outside a side: zeros, the edge point beside it once more, the opposite edge, a ghost point or a layer that
# absorbs waves; in the order of `borders.KINDS`.
ZEROS, REFLECTING, WRAPPING, GHOST, OPEN = range(5)


@part
def _beyond(kind: int, edge: np.float32, opposite: np.float32) -> np.float32:
    """What lies outside beside the point `edge` at the end of a row."""
    return edge if kind == REFLECTING else opposite if kind == WRAPPING else ZERO


@part
def close_row(row: int, rule: Any) -> None:
    """Surround a row on the left and on the right."""
    points = numba.carray(float_pointer(row - SIZE), rule.nx + 2)
    points[0] = _beyond(rule.west, points[1], points[rule.nx])
    points[rule.nx + 1] = _beyond(rule.east, points[rule.nx], points[1])


@part
def _copy_row(outer: int, row: int, start: int, stop: int, rule: Any) -> None:
    """Let a row outside the grid be as `row` in the columns `start` to `stop` − 1, and one more each way."""
    n, at = stop - start + 2, (start - 1) * SIZE
    outside, inside = numba.carray(float_pointer(outer + at), n), numba.carray(float_pointer(row + at), n)
    for j in range(n):
        outside[j] = inside[j]
    if rule.west == WRAPPING:
        close_row(outer, rule)


@part
def zero_row(outer: int, rule: Any) -> None:
    """Let a row outside the grid be zeros."""
    points = numba.carray(float_pointer(outer - SIZE), rule.nx + 2)
    for j in range(rule.nx + 2):
        points[j] = ZERO


@part
def show_row(level: int, i: int, start: int, stop: int, rule: Any) -> None:
    """Let the row `i` of a level be seen wherever it lies outside the grid once more, in some columns."""
    row, last = level + i * rule.stride, rule.nz - 1
    if (i == 0 and rule.north == REFLECTING) or (i == last and rule.north == WRAPPING):
        _copy_row(level - rule.stride, row, start, stop, rule)
    if (i == last and rule.south == REFLECTING) or (i == 0 and rule.south == WRAPPING):
        _copy_row(level + rule.nz * rule.stride, row, start, stop, rule)


@part
def surround(level: int, rule: Any) -> None:
    """Fill all that lies outside a level and is read by a step."""
    zero_row(level - rule.stride, rule)
    zero_row(level + rule.nz * rule.stride, rule)
    for i in range(rule.nz):
        close_row(level + i * rule.stride, rule)
        show_row(level, i, 0, rule.nx, rule)


@part
def surround_rows(level: int, top: int, bottom: int, start: int, stop: int, rule: Any) -> None:
    """Fill what lies beside the columns `start` to `stop` − 1 of the rows `top` to `bottom` − 1, which were stepped."""
    if (rule.west and start == 0) or (rule.east and stop == rule.nx):
        for i in range(top, bottom):
            close_row(level + i * rule.stride, rule)
    if top == 0 or bottom == rule.nz:
        for i in range(top, bottom):
            show_row(level, i, start, stop, rule)

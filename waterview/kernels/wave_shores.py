"""The compiled step of points beside land, which have weights of their own (`shores`): few, so they go one by one.

Their rows are stepped in vectors as if there were no shore. But these points are stepped before, while h⁻ is still
there, and written over afterwards.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from .jit import float_pointer, index_pointer, jit, part
from .shores import NEIGHBOURS
from .vectors import SIZE, fma
from .wave_stencils import MINUS_FOUR, stepped

WEIGHTS = len(NEIGHBOURS)
ZERO = np.float32(0.0)


@part
def _differences(here: int, weights: Any, rule: Any) -> Any:
    """Σ w·(h_neighbour − h) around the point at the address `here`, as `stepped` takes it."""
    left = here - SIZE
    up, row = numba.carray(float_pointer(left - rule.stride), 3), numba.carray(float_pointer(left), 3)
    down, c = numba.carray(float_pointer(left + rule.stride), 3), row[1]
    total = fma(weights[0], up[0] - c, fma(weights[1], up[1] - c, weights[2] * (up[2] - c)))
    total = fma(weights[3], row[0] - c, fma(weights[4], row[2] - c, total))
    total = fma(weights[5], down[0] - c, fma(weights[6], down[1] - c, fma(weights[7], down[2] - c, total)))
    return fma(rule.centre - MINUS_FOUR, c, rule.shore_scale * total)


@part
def _numbers(top: int, bottom: int, rule: Any) -> tuple[int, int]:
    """The first point beside land in some rows, and the one after their last."""
    first = numba.carray(index_pointer(rule.shores), bottom + 1)
    return first[top], first[bottom]


@part
def _place(k: int, rule: Any) -> tuple[int, int]:
    """Row and column of a point."""
    rows, columns = numba.carray(index_pointer(rule.rows), k + 1), numba.carray(index_pointer(rule.columns), k + 1)
    return rows[k], columns[k]


@jit
def step_beside_land(now: int, out: int, top: int, bottom: int, start: int, stop: int, rule: Any) -> None:
    """Step those points of some rows and columns, from `now` and h⁻ in `out`; the room keeps what becomes of them."""
    first, last = _numbers(top, bottom, rule)
    room = numba.carray(float_pointer(rule.room), last)
    for k in range(first, last):
        row, column = _place(k, rule)
        if start <= column < stop:
            at = row * rule.stride + column * SIZE
            weights = numba.carray(float_pointer(rule.weights + k * WEIGHTS * SIZE), WEIGHTS)
            c, before = numba.carray(float_pointer(now + at), 1)[0], numba.carray(float_pointer(out + at), 1)[0]
            room[k] = stepped(c, before, _differences(now + at, weights, rule), rule)


@jit
def write_beside_land(out: int, top: int, bottom: int, start: int, stop: int, rule: Any) -> None:
    """Write what `step_beside_land` has kept."""
    first, last = _numbers(top, bottom, rule)
    room = numba.carray(float_pointer(rule.room), last)
    for k in range(first, last):
        row, column = _place(k, rule)
        if start <= column < stop:
            point = numba.carray(float_pointer(out + row * rule.stride + column * SIZE), 1)
            point[0] = room[k]

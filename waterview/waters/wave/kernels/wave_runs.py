"""The compiled step of some rows, run by run: open water, water beside walls, and land, where nothing is to do."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba.extending import overload

from waterview.simd.jit import INLINED, float_pointer, index_pointer, part
from waterview.simd.processor import PLAIN
from waterview.simd.vectors import SIZE
from waterview.waters.wave.coast import BESIDE, OPEN

from .rows import step_open
from .wave_plain import plain_row
from .wave_shores import step_beside_land

ZERO = np.float32(0.0)
RUN = 16  # of `shores.Shores.runs` [bytes]


def _step_open(
    form: Any, lanes: Any, out: int, motion: int, row: int, free: int, number: int, start: int, stop: int, rule: Any
) -> None:
    """Step rows without walls."""


def _in_loops(
    form: Any, lanes: Any, out: int, motion: int, row: int, free: int, number: int, start: int, stop: int, rule: Any
) -> None:
    for k in range(number):
        at = k * rule.stride
        plain_row(form, out + at, motion, row + at, free + k * rule.bits, start, stop, rule)


def _in_vectors(
    form: Any, lanes: Any, out: int, motion: int, row: int, free: int, number: int, start: int, stop: int, rule: Any
) -> None:
    step_open(form, lanes, out, motion, row, free, number, start, stop, rule)


@overload(_step_open, jit_options=INLINED)  # type: ignore[untyped-decorator]
def _step_open_of(
    form: Any, lanes: Any, out: int, motion: int, row: int, free: int, number: int, start: int, stop: int, rule: Any
) -> Any:
    return _in_loops if lanes.value == PLAIN else _in_vectors


@part
def _clear(at: int, number: int, n: int, rule: Any) -> None:
    """Let `n` points of some rows be 0 without a look at what they are."""
    for k in range(number):
        points = numba.carray(float_pointer(at + k * rule.stride), n)
        for j in range(n):
            points[j] = ZERO


@part
def step_rows(
    form: Any, lanes: Any, out: int, motion: int, row: int, top: int, number: int, start: int, stop: int, rule: Any
) -> None:
    """Step `number` rows, at most `shores.ROWS`, in the columns `start` to `stop` − 1, whole vectors of 16.

    Args:
        form: key of `wave_stencils.FORMS`, a `Static`.
        lanes: floats to a vector, a `Static`.
        out: address of h⁻ at the first point of the first row; h⁺ takes its place.
        motion: bytes from a point of h⁺ to what its motion is known by: its velocity, or 0 for h⁻ in its own place.
        row: likewise of h; its neighbours all around are read, too.
        top: number of the first row.
        number: of rows.
        start: first column.
        stop: column after the last.
        rule: a `wave_levels.Rule`.
    """
    free = rule.free + top * rule.bits
    if not rule.shores:
        _step_open(form, lanes, out, motion, row, free, number, start, stop, rule)
        return
    bits = rule.shores + top * rule.shores_row
    k, column = numba.carray(index_pointer(rule.first_run), rule.nz)[top], start
    while column < stop:
        run = numba.carray(index_pointer(rule.runs + RUN * k), 2)
        end = min(run[0], stop)
        if column < end:
            if run[1] == OPEN:
                _step_open(form, lanes, out, motion, row, free, number, column, end, rule)
            elif run[1] == BESIDE:
                step_beside_land(form, lanes, out, motion, row, bits, number, column, end, rule)
            else:
                _clear(out + column * SIZE, number, end - column, rule)
                if motion != 0:
                    _clear(out + motion + column * SIZE, number, end - column, rule)
            column = end
        k += 1

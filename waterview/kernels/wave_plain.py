"""The rows of the wave step as plain loops, where there are no vectors: the same sums, the same bits."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from .jit import byte_pointer, float_pointer, part
from .vectors import SIZE
from .wave_stencils import around, kept_of_column, stepped

ZERO = np.float32(0.0)
BYTE, ALL_SET = 8, 255


@part
def plain_row(form: Any, out: int, row: int, free: int, start: int, stop: int, rule: Any) -> None:
    """One row of `wave_rows.step_rows`. Rows of their own let the compiler see that they do not overlap."""
    n, at = stop - start, start * SIZE
    o, here = numba.carray(float_pointer(out + at), n), row + at
    u, c, d = (
        _beginning_left_of(here - rule.stride, n),
        _beginning_left_of(here, n),
        _beginning_left_of(here + rule.stride, n),
    )
    for j in range(n):
        left = kept_of_column(form, u[j], c[j], d[j])
        middle = kept_of_column(form, u[j + 1], c[j + 1], d[j + 1])
        right = kept_of_column(form, u[j + 2], c[j + 2], d[j + 2])
        o[j] = stepped(c[j + 1], o[j], around(form, left, middle, right, rule), rule)
    _zero_fixed(o, numba.carray(byte_pointer(free + start // BYTE), n // BYTE))


@part
def _beginning_left_of(at: int, n: int) -> Any:
    """The row of n points at `at` with its neighbour on either side."""
    return numba.carray(float_pointer(at - SIZE), n + 2)


@part
def _zero_fixed(row: Any, free: Any) -> None:
    for k in range(free.size):
        if free[k] != ALL_SET:
            for j in range(BYTE):
                if not (free[k] >> j) & 1:
                    row[BYTE * k + j] = ZERO

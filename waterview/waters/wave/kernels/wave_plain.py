"""The rows of the wave step as plain loops, where there are no vectors: the same sums, the same bits."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba.extending import overload

from waterview.simd.jit import INLINED, byte_pointer, float_pointer, part
from waterview.simd.vectors import SIZE, fma

from .stencils import FORMS, LEVELS, around, kept_of_column, pushed, stepped

ZERO = np.float32(0.0)
BYTE, ALL_SET = 8, 255


@part
def plain_row(form: Any, out: int, motion: int, row: int, free: int, start: int, stop: int, rule: Any) -> None:
    """One row of `wave_runs.step_rows`. Rows of their own let the compiler see that they do not overlap."""
    n, at = stop - start, start * SIZE
    o, m = numba.carray(float_pointer(out + at), n), numba.carray(float_pointer(out + motion + at), n)
    bits, here = numba.carray(byte_pointer(free + start // BYTE), n // BYTE), row + at
    u, c, d = (
        _beginning_left_of(here - rule.stride, n),
        _beginning_left_of(here, n),
        _beginning_left_of(here + rule.stride, n),
    )
    for j in range(n):
        left = kept_of_column(form, u[j], c[j], d[j])
        middle = kept_of_column(form, u[j + 1], c[j + 1], d[j + 1])
        right = kept_of_column(form, u[j + 2], c[j + 2], d[j + 2])
        _write(form, o, m, j, c[j + 1], around(form, left, middle, right, rule), rule)
    _zero_fixed(o, bits)
    _zero_fixed(m, bits)


def _write(form: Any, out: Any, motion: Any, j: int, c: Any, differences: Any, rule: Any) -> None:
    """Write the step of point `j`."""


def _write_levels(form: Any, out: Any, motion: Any, j: int, c: Any, differences: Any, rule: Any) -> None:
    out[j] = stepped(c, out[j], differences, rule)


def _write_velocity(form: Any, out: Any, motion: Any, j: int, c: Any, differences: Any, rule: Any) -> None:
    motion[j] = pushed(motion[j], differences, rule)
    out[j] = fma(rule.time_step, motion[j], c)


@overload(_write, jit_options=INLINED)  # type: ignore[untyped-decorator]
def _write_of(form: Any, out: Any, motion: Any, j: int, c: Any, differences: Any, rule: Any) -> Any:
    return _write_levels if FORMS[form.value].motion == LEVELS else _write_velocity


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

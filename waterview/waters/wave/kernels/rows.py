"""The compiled rows of the wave step: some rows of one time level become those of the next, a vector at a time.

A sweep along the rows holds the columns before, here and after in registers: each point is loaded once, and left and
right neighbours are the same numbers shifted by one lane. Rows are given by address: array arguments would cost about
200 cycles a row. What was tried and is slower: neighbours loaded at addresses that are no multiples of a vector's
length; two, six or eight rows together; runs of fixed points zeroed afterwards, where coasts are ragged.
"""

from __future__ import annotations

from typing import Any

from numba.extending import overload

from waterview.simd.choices import where_set
from waterview.simd.jit import INLINED, part
from waterview.simd.vectors import SIZE, fma, left_of, load, right_of, store, width_of
from waterview.waters.wave.coast import ROWS

from .stencils import FORMS, LEVELS, around, kept_of_column, pushed, stepped


@part
def _one_column(form: Any, lanes: Any, at: int, stride: int) -> Any:
    return kept_of_column(form, load(lanes, at - stride), load(lanes, at), load(lanes, at + stride))


@part
def _four_columns(form: Any, lanes: Any, at: int, stride: int) -> Any:
    above, first, second = load(lanes, at - stride), load(lanes, at), load(lanes, at + stride)
    third, fourth, below = load(lanes, at + 2 * stride), load(lanes, at + 3 * stride), load(lanes, at + 4 * stride)
    return (
        kept_of_column(form, above, first, second),
        kept_of_column(form, first, second, third),
        kept_of_column(form, second, third, fourth),
        kept_of_column(form, third, fourth, below),
    )


def write(
    form: Any, lanes: Any, out: int, motion: int, c: Any, differences: Any, free: int, column: int, rule: Any
) -> None:
    """Write the step of a vector c, and 0 where there is land; what its motion is known by lies at out + `motion`."""


def _write_levels(
    form: Any, lanes: Any, out: int, motion: int, c: Any, differences: Any, free: int, column: int, rule: Any
) -> None:
    store(out, where_set(stepped(c, load(lanes, out), differences, rule), free, column))


def _write_velocity(
    form: Any, lanes: Any, out: int, motion: int, c: Any, differences: Any, free: int, column: int, rule: Any
) -> None:
    velocity = where_set(pushed(load(lanes, out + motion), differences, rule), free, column)
    store(out + motion, velocity)
    store(out, where_set(fma(rule.time_step, velocity, c), free, column))


@overload(write, jit_options=INLINED)  # type: ignore[untyped-decorator]
def _write_of(
    form: Any, lanes: Any, out: int, motion: int, c: Any, differences: Any, free: int, column: int, rule: Any
) -> Any:
    return _write_levels if FORMS[form.value].motion == LEVELS else _write_velocity


@part
def _step_vector(
    form: Any, lanes: Any, out: int, motion: int, before: Any, here: Any, after: Any, free: int, column: int, rule: Any
) -> None:
    left = left_of(before[0], here[0]), left_of(before[1], here[1])
    right = right_of(here[0], after[0]), right_of(here[1], after[1])
    write(form, lanes, out, motion, here[0], around(form, left, here, right, rule), free, column, rule)


@part
def _step_row(
    form: Any, lanes: Any, out: int, motion: int, row: int, free: int, start: int, stop: int, rule: Any
) -> None:
    length, stride = width_of(lanes) * SIZE, rule.stride
    before = _one_column(form, lanes, row + start * SIZE - length, stride)
    here = _one_column(form, lanes, row + start * SIZE, stride)
    for column in range(start, stop, width_of(lanes)):
        at = column * SIZE
        after = _one_column(form, lanes, row + at + length, stride)
        _step_vector(form, lanes, out + at, motion, before, here, after, free, column, rule)
        before, here = here, after


@part
def _step_four_rows(
    form: Any, lanes: Any, out: int, motion: int, row: int, free: int, start: int, stop: int, rule: Any
) -> None:
    length, stride, bits = width_of(lanes) * SIZE, rule.stride, rule.bits
    before = _four_columns(form, lanes, row + start * SIZE - length, stride)
    here = _four_columns(form, lanes, row + start * SIZE, stride)
    for column in range(start, stop, width_of(lanes)):
        at = column * SIZE
        after = _four_columns(form, lanes, row + at + length, stride)
        o = out + at
        _step_vector(form, lanes, o, motion, before[0], here[0], after[0], free, column, rule)
        _step_vector(form, lanes, o + stride, motion, before[1], here[1], after[1], free + bits, column, rule)
        _step_vector(form, lanes, o + 2 * stride, motion, before[2], here[2], after[2], free + 2 * bits, column, rule)
        _step_vector(form, lanes, o + 3 * stride, motion, before[3], here[3], after[3], free + 3 * bits, column, rule)
        before, here = here, after


@part
def step_open(
    form: Any, lanes: Any, out: int, motion: int, row: int, free: int, number: int, start: int, stop: int, rule: Any
) -> None:
    """Step some rows, at most four, that are beside no walls; for arguments see `wave_runs.step_rows`."""
    if number == ROWS:
        _step_four_rows(form, lanes, out, motion, row, free, start, stop, rule)
        return
    for k in range(number):
        at = k * rule.stride
        _step_row(form, lanes, out + at, motion, row + at, free + k * rule.bits, start, stop, rule)

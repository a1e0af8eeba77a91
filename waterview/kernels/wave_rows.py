"""The compiled rows of the wave step: some rows of one time level become those of the next, a vector at a time.

A sweep along the rows holds the columns before, here and after in registers: each point is loaded once, and left and
right neighbours are the same numbers shifted by one lane. Rows are given by address: array arguments would cost about
200 cycles a row. What was tried and is slower: neighbours loaded at addresses that are no multiples of a vector's
length; two, six or eight rows together; runs of fixed points zeroed afterwards, where coasts are ragged.
"""

from __future__ import annotations

from typing import Any

from numba.extending import overload

from .jit import INLINED, part
from .shores import GROUP, LAND, OPEN
from .vectors import PLAIN, SIZE, fma, left_of, load, right_of, store, where_set, width_of
from .wave_plain import plain_row
from .wave_shores import around_in_group, group_at, neighbours
from .wave_stencils import FORMS, LEVELS, around, kept_of_column, pushed, stepped

ROWS = 4
"""Rows that are stepped together: what they share is loaded and added once."""


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


def _write(
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


@overload(_write, jit_options=INLINED)  # type: ignore[untyped-decorator]
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
    _write(form, lanes, out, motion, here[0], around(form, left, here, right, rule), free, column, rule)


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
def _step_beside_land(
    form: Any, lanes: Any, out: int, motion: int, row: int, free: int, groups: int, number: int, column: int, rule: Any
) -> None:
    """Step a vector in each of some rows, of which at least one lies beside land."""
    at = column * SIZE
    up, here = neighbours(lanes, row - rule.stride + at), neighbours(lanes, row + at)
    for k in range(number):
        o = out + k * rule.stride + at
        down = neighbours(lanes, row + (k + 1) * rule.stride + at)
        left = kept_of_column(form, up[0], here[0], down[0])
        middle = kept_of_column(form, up[1], here[1], down[1])
        right = kept_of_column(form, up[2], here[2], down[2])
        differences = around(form, left, middle, right, rule)
        group = group_at(groups + k * rule.numbers, column)
        if group >= 0:
            differences = around_in_group(form, lanes, here[1], up, here, down, differences, group, column, rule)
        _write(form, lanes, o, motion, here[1], differences, free + k * rule.bits, column, rule)
        up, here = here, down


@part
def _is_land(groups: int, number: int, column: int, rule: Any) -> bool:
    """Whether there is nothing but land in the groups of a column in some rows."""
    land = True
    for k in range(number):
        land = land and group_at(groups + k * rule.numbers, column) == LAND
    return land


@part
def _step_group(
    form: Any, lanes: Any, out: int, motion: int, row: int, free: int, groups: int, number: int, column: int, rule: Any
) -> None:
    """Step the groups of a column in some rows, not all of which are open water."""
    if _is_land(groups, number, column, rule):
        for k in range(number):
            for each in range(column, column + GROUP, width_of(lanes)):
                o = out + k * rule.stride + each * SIZE
                store(o, where_set(load(lanes, o), free + k * rule.bits, each))
                store(o + motion, where_set(load(lanes, o + motion), free + k * rule.bits, each))
        return
    for each in range(column, column + GROUP, width_of(lanes)):
        _step_beside_land(form, lanes, out, motion, row, free, groups, number, each, rule)


@part
def _open_until(groups: int, number: int, start: int, stop: int, rule: Any) -> int:
    """The first column from `start` on, or `stop`, where in any of some rows there is land in a group or beside it."""
    for column in range(start, stop, GROUP):
        for k in range(number):
            if group_at(groups + k * rule.numbers, column) != OPEN:
                return column
    return stop


@part
def _step_open(
    form: Any, lanes: Any, out: int, motion: int, row: int, free: int, number: int, start: int, stop: int, rule: Any
) -> None:
    if number == ROWS:
        _step_four_rows(form, lanes, out, motion, row, free, start, stop, rule)
        return
    for k in range(number):
        at = k * rule.stride
        _step_row(form, lanes, out + at, motion, row + at, free + k * rule.bits, start, stop, rule)


def _in_vectors(
    form: Any,
    lanes: Any,
    out: int,
    motion: int,
    row: int,
    free: int,
    groups: int,
    number: int,
    start: int,
    stop: int,
    rule: Any,
) -> None:
    column = start
    while column < stop:
        end = _open_until(groups, number, column, stop, rule) if rule.groups else stop
        if column < end:
            _step_open(form, lanes, out, motion, row, free, number, column, end, rule)
        column = end
        if end < stop:
            _step_group(form, lanes, out, motion, row, free, groups, number, end, rule)
            column = end + GROUP


def _in_loops(
    form: Any,
    lanes: Any,
    out: int,
    motion: int,
    row: int,
    free: int,
    groups: int,
    number: int,
    start: int,
    stop: int,
    rule: Any,
) -> None:
    for k in range(number):
        at, bits, numbers = k * rule.stride, free + k * rule.bits, groups + k * rule.numbers
        column = start
        while column < stop:
            end = _open_until(numbers, 1, column, stop, rule) if rule.groups else stop
            if column < end:
                plain_row(form, out + at, motion, row + at, bits, column, end, rule)
            column = end
            if end < stop:
                _step_group(form, lanes, out + at, motion, row + at, bits, numbers, 1, end, rule)
                column = end + GROUP


def step_rows(
    form: Any,
    lanes: Any,
    out: int,
    motion: int,
    row: int,
    free: int,
    groups: int,
    number: int,
    start: int,
    stop: int,
    rule: Any,
) -> None:
    """Step `number` rows, at most `ROWS`, in the columns `start` to `stop` − 1, whole vectors of 16.

    Args:
        form: key of `wave_stencils.FORMS`, a `Static`.
        lanes: floats to a vector, a `Static`.
        out: address of h⁻ at the first point of the first row; h⁺ takes its place.
        motion: bytes from a point of h⁺ to what its motion is known by: its velocity, or 0 for h⁻ in its own place.
        row: likewise of h; its neighbours all around are read, too.
        free: likewise of bits, set where water is: elsewhere h⁺ is 0.
        groups: likewise of `shores.Groups.numbers`, where `rule.groups` tells that there are any.
        number: of rows.
        start: first column.
        stop: column after the last.
        rule: a `wave_levels.Rule`.
    """


@overload(step_rows, jit_options=INLINED)  # type: ignore[untyped-decorator]
def _step_rows(
    form: Any,
    lanes: Any,
    out: int,
    motion: int,
    row: int,
    free: int,
    groups: int,
    number: int,
    start: int,
    stop: int,
    rule: Any,
) -> Any:
    return _in_loops if lanes.value == PLAIN else _in_vectors

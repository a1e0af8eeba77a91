"""The compiled rows of the wave step beside land: each neighbour on land takes a value that makes it a wall.

Above, below, on the left and on the right that is the value of the point itself. So a column beside it that is land is
as its own, and all sums are those of open water, bit for bit where all neighbours are water. Two points see each other
differently only where one of a square of four is land: there the bend, the difference between the slopes of its two
rows, goes from the lower row to the upper one in the column that is all water; with it L is symmetric.

Vectors of 8 points, of which fewer would lie beside land, are slower: every step of them needs as many masks.
"""

from __future__ import annotations

from typing import Any

from numba.extending import overload

from waterview.simd.choices import choose, where_set
from waterview.simd.jit import INLINED, part
from waterview.simd.vectors import SIZE, left_of, load, right_of, width_of
from waterview.waters.wave.coast import BEND_LEFT, BEND_RIGHT, BLOCK, INSIDE, LEFT, RIGHT, ROWS

from .rows import write
from .stencils import FORMS, around, cross, kept_of_column

PLACE = BLOCK - 1  # bits of a column that tell its place in a block; the others tell where the block lies


@part
def _kept(form: Any, up: Any, c: Any, down: Any, bits: int, column: int, rule: Any) -> Any:
    """What is kept of a column; `bits` is the address of the bytes of its block in the row of c."""
    place = column & PLACE
    up, down = choose(up, c, bits - rule.shores_row, place), choose(down, c, bits + rule.shores_row, place)
    return kept_of_column(form, up, c, down)


@part
def _around(form: Any, before: Any, here: Any, after: Any, bits: int, column: int, rule: Any) -> Any:
    place = column & PLACE
    left = (
        choose(left_of(before[0], here[0]), here[0], bits + 2 * LEFT, place),
        choose(left_of(before[1], here[1]), here[1], bits + 2 * LEFT, place),
    )
    right = (
        choose(right_of(here[0], after[0]), here[0], bits + 2 * RIGHT, place),
        choose(right_of(here[1], after[1]), here[1], bits + 2 * RIGHT, place),
    )
    return around(form, left, here, right, rule)


# --- the bends of squares


@part
def _slope(c: Any, after: Any, bits: int, column: int) -> Any:
    """The difference to the points on the right, where both are water."""
    return where_set(right_of(c, after) - c, bits + 2 * RIGHT, column & PLACE)


@part
def _passed(before: Any, upper: Any, lower: Any, bits: int, column: int) -> Any:
    """What passes from a row to the one above it, whose `bits` tell where, and the bends between their slopes."""
    bends, place = lower - upper, column & PLACE
    passed = where_set(bends, bits + 2 * BEND_RIGHT, place)
    return choose(passed - left_of(before, bends), passed, bits + 2 * BEND_LEFT, place), bends


def _with_passed(form: Any, differences: Any, above: Any, below: Any) -> Any:
    """The sums, with what passes to and from the rows above and below; a sum of four sides knows no squares."""


def _of_four(form: Any, differences: Any, above: Any, below: Any) -> Any:
    return differences


def _of_eight(form: Any, differences: Any, above: Any, below: Any) -> Any:
    return differences + (below - above)


@overload(_with_passed, jit_options=INLINED)  # type: ignore[untyped-decorator]
def _with_passed_of(form: Any, differences: Any, above: Any, below: Any) -> Any:
    return _of_four if FORMS[form.value].total is cross else _of_eight


# --- rows


@part
def _one_column(form: Any, lanes: Any, row: int, bits: int, column: int, rule: Any) -> Any:
    """A vector of a row between those above and below it, and what is kept of its columns."""
    at, stride, block = row + column * SIZE, rule.stride, bits + (column & ~PLACE)
    up, c, down = load(lanes, at - stride), load(lanes, at), load(lanes, at + stride)
    return (up, c, down), _kept(form, up, c, down, block, column, rule)


@part
def _passed_one(points: Any, after: Any, before: Any, bits: int, column: int, rule: Any) -> Any:
    """What passes between a row and those above and below it, each with what `_passed` keeps for the next column."""
    block, line = bits + (column & ~PLACE), rule.shores_row
    up = _slope(points[0], after[0], block - line, column)
    here = _slope(points[1], after[1], block, column)
    down = _slope(points[2], after[2], block + line, column)
    above, kept_above = _passed(before[0], up, here, block - line, column)
    below, kept_below = _passed(before[1], here, down, block, column)
    return (above, below), (kept_above, kept_below)


@part
def _step_vector(
    form: Any, lanes: Any, out: int, motion: int, columns: Any, passed: Any, bits: int, column: int, rule: Any
) -> None:
    sums = _with_passed(
        form, _around(form, columns[0], columns[1], columns[2], bits, column, rule), passed[0], passed[1]
    )
    write(form, lanes, out, motion, columns[1][0], sums, bits + 2 * INSIDE, column & PLACE, rule)


@part
def _step_row(
    form: Any, lanes: Any, out: int, motion: int, row: int, bits: int, start: int, stop: int, rule: Any
) -> None:
    length = width_of(lanes)
    points_before, before = _one_column(form, lanes, row, bits, start - length, rule)
    points, here = _one_column(form, lanes, row, bits, start, rule)
    nothing = points[0], points[0]
    _, bends = _passed_one(points_before, points, nothing, bits, start - length, rule)
    for column in range(start, stop, length):
        points_after, after = _one_column(form, lanes, row, bits, column + length, rule)
        passed, bends = _passed_one(points, points_after, bends, bits, column, rule)
        o, at = out + column * SIZE, bits + (column & ~PLACE)
        _step_vector(form, lanes, o, motion, (before, here, after), passed, at, column, rule)
        before, here, points = here, after, points_after


@part
def _four_columns(form: Any, lanes: Any, row: int, bits: int, column: int, rule: Any) -> Any:
    """As `_one_column`, of four rows."""
    at, stride, block, line = row + column * SIZE, rule.stride, bits + (column & ~PLACE), rule.shores_row
    above, first, second = load(lanes, at - stride), load(lanes, at), load(lanes, at + stride)
    third, fourth, below = load(lanes, at + 2 * stride), load(lanes, at + 3 * stride), load(lanes, at + 4 * stride)
    kept = (
        _kept(form, above, first, second, block, column, rule),
        _kept(form, first, second, third, block + line, column, rule),
        _kept(form, second, third, fourth, block + 2 * line, column, rule),
        _kept(form, third, fourth, below, block + 3 * line, column, rule),
    )
    return (above, first, second, third, fourth, below), kept


@part
def _passed_four(points: Any, after: Any, before: Any, bits: int, column: int, rule: Any) -> Any:
    """As `_passed_one`, of four rows."""
    block, line = bits + (column & ~PLACE), rule.shores_row
    above = _slope(points[0], after[0], block - line, column)
    first = _slope(points[1], after[1], block, column)
    second = _slope(points[2], after[2], block + line, column)
    third = _slope(points[3], after[3], block + 2 * line, column)
    fourth = _slope(points[4], after[4], block + 3 * line, column)
    below = _slope(points[5], after[5], block + 4 * line, column)
    a, kept_a = _passed(before[0], above, first, block - line, column)
    b, kept_b = _passed(before[1], first, second, block, column)
    c, kept_c = _passed(before[2], second, third, block + line, column)
    d, kept_d = _passed(before[3], third, fourth, block + 2 * line, column)
    e, kept_e = _passed(before[4], fourth, below, block + 3 * line, column)
    return (a, b, c, d, e), (kept_a, kept_b, kept_c, kept_d, kept_e)


@part
def _step_four_rows(
    form: Any, lanes: Any, out: int, motion: int, row: int, bits: int, start: int, stop: int, rule: Any
) -> None:
    length, stride, line = width_of(lanes), rule.stride, rule.shores_row
    points_before, before = _four_columns(form, lanes, row, bits, start - length, rule)
    points, here = _four_columns(form, lanes, row, bits, start, rule)
    nothing = points[:5]
    _, bends = _passed_four(points_before, points, nothing, bits, start - length, rule)
    for column in range(start, stop, length):
        points_after, after = _four_columns(form, lanes, row, bits, column + length, rule)
        p, bends = _passed_four(points, points_after, bends, bits, column, rule)
        o, at = out + column * SIZE, bits + (column & ~PLACE)
        first, second = (before[0], here[0], after[0]), (before[1], here[1], after[1])
        third, fourth = (before[2], here[2], after[2]), (before[3], here[3], after[3])
        _step_vector(form, lanes, o, motion, first, (p[0], p[1]), at, column, rule)
        _step_vector(form, lanes, o + stride, motion, second, (p[1], p[2]), at + line, column, rule)
        _step_vector(form, lanes, o + 2 * stride, motion, third, (p[2], p[3]), at + 2 * line, column, rule)
        _step_vector(form, lanes, o + 3 * stride, motion, fourth, (p[3], p[4]), at + 3 * line, column, rule)
        before, here, points = here, after, points_after


@part
def step_beside_land(
    form: Any, lanes: Any, out: int, motion: int, row: int, bits: int, number: int, start: int, stop: int, rule: Any
) -> None:
    """Step some rows as `wave_rows.step_open`; `bits` is the address of the first block of `shores.Shores.bits`."""
    if number == ROWS:
        _step_four_rows(form, lanes, out, motion, row, bits, start, stop, rule)
        return
    for k in range(number):
        at, line = k * rule.stride, bits + k * rule.shores_row
        _step_row(form, lanes, out + at, motion, row + at, line, start, stop, rule)

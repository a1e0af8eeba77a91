"""The sums of the wave step beside land, where points have weights of their own: by vectors of `shores.Groups`.

A mask a corner and a float a side is quicker than masks for all that a weight may be: to load a mask costs about as
much as to load a vector.
"""

from __future__ import annotations

from typing import Any

import numba
from numba.extending import overload

from .jit import INLINED, int_pointer, part
from .shores import GROUP, MASKS
from .vectors import SIZE, fma, left_of, load, right_of, where_set, width_of
from .wave_stencils import FORMS, MINUS_FOUR, cross

MASK = GROUP // 8  # of a group, for one of its corners [bytes]


@part
def neighbours(lanes: Any, at: int) -> Any:
    """The points at `at` between their left and their right neighbours."""
    length = width_of(lanes) * SIZE
    here = load(lanes, at)
    return left_of(load(lanes, at - length), here), here, right_of(here, load(lanes, at + length))


@part
def _sides(lanes: Any, c: Any, up: Any, row: Any, down: Any, at: int) -> Any:
    """Σ w·(h − c) over the sides above, left, right and below."""
    line = GROUP * SIZE
    sum_above = fma(load(lanes, at), up - c, load(lanes, at + line) * (row[0] - c))
    return fma(load(lanes, at + 3 * line), down - c, fma(load(lanes, at + 2 * line), row[2] - c, sum_above))


def _around(
    form: Any, lanes: Any, c: Any, up: Any, row: Any, down: Any, sides: int, corners: int, column: int, rule: Any
) -> Any:
    """The sum of `form` by the weights of the sides and the masks of the corners."""


def _of_four(
    form: Any, lanes: Any, c: Any, up: Any, row: Any, down: Any, sides: int, corners: int, column: int, rule: Any
) -> Any:
    return fma(rule.centre - MINUS_FOUR, c, _sides(lanes, c, up[1], row, down[1], sides))


def _of_eight(
    form: Any, lanes: Any, c: Any, up: Any, row: Any, down: Any, sides: int, corners: int, column: int, rule: Any
) -> Any:
    above = where_set(up[0] - c, corners, column) + where_set(up[2] - c, corners + MASK, column)
    below = where_set(down[0] - c, corners + 2 * MASK, column) + where_set(down[2] - c, corners + 3 * MASK, column)
    return _sides(lanes, c, up[1], row, down[1], sides) + (above + below)


@overload(_around, jit_options=INLINED)  # type: ignore[untyped-decorator]
def _around_of(
    form: Any, lanes: Any, c: Any, up: Any, row: Any, down: Any, sides: int, corners: int, column: int, rule: Any
) -> Any:
    return _of_four if FORMS[form.value].total is cross else _of_eight


@part
def group_at(groups: int, column: int) -> int:
    """The number in `shores.Groups.numbers` for a column of a row, whose numbers lie at the address `groups`."""
    number: int = numba.carray(int_pointer(groups + column // GROUP * SIZE), 1)[0]
    return number


@part
def around_in_group(
    form: Any, lanes: Any, c: Any, up: Any, row: Any, down: Any, plain: Any, group: int, column: int, rule: Any
) -> Any:
    """As `wave_stencils.around` for a vector of a group, c, from it and its `neighbours` above, beside and below.

    Points that are not beside land keep the `plain` sum: in which group they are must not change a bit of them.
    """
    place = column % GROUP
    sides, masks = rule.sides + (4 * GROUP * group + place) * SIZE, rule.masks + MASKS * MASK * group
    weighted = _around(form, lanes, c, up, row, down, sides, masks, place, rule)
    return where_set(weighted, masks + 4 * MASK, place) + where_set(plain, masks + 5 * MASK, place)

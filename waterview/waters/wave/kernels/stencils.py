"""The arithmetic of the wave step, for a point or a vector of points: the stencils' sums, and the steps made of them.

Every sum is exactly 0 where the water is level: each of its roundings is then exact, or still water would not stay
still. To sum column by column needs the fewest operations: a vector of columns is summed once, and its neighbours' sums
are the same numbers shifted by one lane.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from waterview.simd.jit import INLINED, part
from waterview.simd.vectors import fma

TWO, FOUR, MINUS_FOUR, MINUS_EIGHT = np.float32(2.0), np.float32(4.0), np.float32(-4.0), np.float32(-8.0)

# --- what is kept of a column, from a point c, the one above it and the one below


def beside(form: Any, up: Any, c: Any, down: Any) -> Any:
    """The point c, and u + d."""
    return c, up + down


def twice(form: Any, up: Any, c: Any, down: Any) -> Any:
    """The point c, and u + 2c + d in pairs that the rows above and below share."""
    return c, (up + c) + (c + down)


# --- the sums, from what is kept of three columns


def cross(form: Any, left: Any, here: Any, right: Any, rule: Any) -> Any:
    """Σ sides − 4c; or less, where heights are drawn to 0 (`Rule.centre`)."""
    c, pair = here
    return fma(rule.centre, c, pair) + left[0] + right[0]


def square(form: Any, left: Any, here: Any, right: Any, rule: Any) -> Any:
    """Σ corners + 2 Σ sides − 12c."""
    c, column = here
    return fma(TWO, fma(MINUS_EIGHT, c, column), left[1]) + right[1]


def compact(form: Any, left: Any, here: Any, right: Any, rule: Any) -> Any:
    """Σ corners + 4 Σ sides − 20c, which is four crosses and the cross of the corners."""
    c, pair = here
    sides = fma(MINUS_FOUR, c, pair) + left[0] + right[0]
    return fma(MINUS_FOUR, c, fma(FOUR, sides, left[1])) + right[1]


class Form(NamedTuple):
    """A way to step: what is kept of a column, the sum made of three of them, and what motion is known by.

    Motion is known by h⁻, the heights a step before, or by velocities: `LEVELS` or `VELOCITY`.
    """

    kept: Callable[..., Any]
    total: Callable[..., Any]
    motion: str


LEVELS, VELOCITY = "levels", "velocity"
SUMS = {"cross": (beside, cross), "square": (twice, square), "compact": (beside, compact)}


def form_name(total: str, motion: str) -> str:
    """The key in `FORMS` of a sum, a key of `SUMS`."""
    return f"{total} of {motion}"


FORMS = {form_name(total, motion): Form(*SUMS[total], motion) for total, motion in product(SUMS, (LEVELS, VELOCITY))}


def kept_of_column(form: Any, up: Any, c: Any, down: Any) -> Any:
    """What the sum of `form`, a `Static` key of `FORMS`, needs of a column."""


def around(form: Any, left: Any, here: Any, right: Any, rule: Any) -> Any:
    """The sum of `form` around the points of the column `here`, beside `left` and `right`."""


@overload(kept_of_column, jit_options=INLINED)  # type: ignore[untyped-decorator]
def _kept_of_column(form: Any, up: Any, c: Any, down: Any) -> Any:
    return FORMS[form.value].kept


@overload(around, jit_options=INLINED)  # type: ignore[untyped-decorator]
def _around(form: Any, left: Any, here: Any, right: Any, rule: Any) -> Any:
    return FORMS[form.value].total


@part
def stepped(c: Any, before: Any, differences: Any, rule: Any) -> Any:
    """h⁺ = c + keep·(c − h⁻) + gain·differences (Bressler 2007, eq. 2).

    Not c·(1 + keep − …) − keep·h⁻ + …: folding the factors of c saves an operation and costs three digits.
    """
    return fma(rule.gain, differences, fma(rule.keep, c - before, c))


@part
def pushed(velocity: Any, differences: Any, rule: Any) -> Any:
    """v⁺ = keep·(v + gain·differences) (Müller 2008); then h⁺ = h + v⁺Δt."""
    return rule.keep * fma(rule.gain, differences, velocity)

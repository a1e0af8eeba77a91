"""The rows of the wave step: some rows of one time level become those of the next, a vector of columns at a time.

One routine steps one row, or `ROWS` rows as a block: the number is a constant when it is compiled. It goes along the
rows with the columns before, here and after in registers: each point is loaded once, and left and right neighbours are
the same numbers, shifted by one lane. Rows are given by address: array arguments would cost about 200 cycles a row.
What was tried and is slower: neighbours loaded at addresses that are no multiples of a vector's length; two, six or
eight rows together; runs of fixed points zeroed afterwards, where coasts are ragged.

The same routine steps rows beside walls (`walls`). There each neighbour on land takes a value that makes it a wall:
above, below, on the left and on the right that is the value of the point itself. So a column beside it that is land is
as its own, and all sums are those of open water, bit for bit where all neighbours are water. Two points see each other
differently only where one of a square of four is land. There the cross difference, the difference between the slopes of
the square's two rows, goes from the lower row to the upper one in the column that is all water; with it L is symmetric.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba.extending import overload

from waterview.simd.choices import choose, where_set
from waterview.simd.jit import INLINED, Static, float_pointer, index_pointer, part
from waterview.simd.vectors import (
    SIZE,
    fma,
    left_of,
    load_rows,
    load_rows_and_neighbours,
    lower,
    right_of,
    store_rows,
    upper,
    width_of,
)
from waterview.waters.wave.coast import BESIDE, BLOCK, CROSS_LEFT, CROSS_RIGHT, INSIDE, LEFT, OPEN, RIGHT, ROWS

from .stencils import SUMS, column_sum, damped_step, damped_velocity, laplacian

ZERO = np.float32(0.0)
ONE_ROW, ALL_ROWS = Static(1), Static(ROWS)
NO_WALLS, WALLS = Static(0), Static(1)
PLACE = BLOCK - 1  # bits of a column that tell its place in a block of `Coast.bits`; the others tell where the block is
RUN = 16  # of `Coast.runs` [bytes]

# --- beside walls or not


def _column(stencil: Any, walls: Any, points: Any, bits: int, column: int, step: Any) -> Any:
    """A vector of columns, summed for the stencil. `points` has a row above and one below those that are stepped."""


def _around(
    stencil: Any, walls: Any, columns: Any, points: Any, after: Any, crosses: Any, bits: int, column: int, step: Any
) -> Any:
    """The Laplacian, and the cross differences of this vector's squares, which the next vector needs."""


def _open_column(stencil: Any, walls: Any, points: Any, bits: int, column: int, step: Any) -> Any:
    return column_sum(stencil, upper(upper(points)), upper(lower(points)), lower(lower(points)))


def _open_around(
    stencil: Any, walls: Any, columns: Any, points: Any, after: Any, crosses: Any, bits: int, column: int, step: Any
) -> Any:
    before, here, next_column = columns
    left = left_of(before[0], here[0]), left_of(before[1], here[1])
    right = right_of(here[0], next_column[0]), right_of(here[1], next_column[1])
    return laplacian(stencil, left, here, right, step.centre), crosses


def _walled_column(stencil: Any, walls: Any, points: Any, bits: int, column: int, step: Any) -> Any:
    line, block, place = step.coast_stride, bits + (column & ~PLACE), column & PLACE
    c = upper(lower(points))
    up = choose(upper(upper(points)), c, block - line, line, place)
    down = choose(lower(lower(points)), c, block + line, line, place)
    return column_sum(stencil, up, c, down)


@part
def _cross_differences(points: Any, after: Any, crosses: Any, bits: int, column: int, step: Any) -> Any:
    """What passes from each row to the one above it, and the cross differences of the squares between them."""
    line, place = step.coast_stride, column & PLACE
    block = bits + (column & ~PLACE) - line  # of the row above
    slopes = where_set(right_of(points, after) - points, block + 2 * RIGHT, line, place)
    differences = lower(slopes) - upper(slopes)
    passes = where_set(differences, block + 2 * CROSS_RIGHT, line, place)
    return choose(passes - left_of(crosses, differences), passes, block + 2 * CROSS_LEFT, line, place), differences


def _walled_around(
    stencil: Any, walls: Any, columns: Any, points: Any, after: Any, crosses: Any, bits: int, column: int, step: Any
) -> Any:
    line, block, place = step.coast_stride, bits + (column & ~PLACE), column & PLACE
    before, here, next_column = columns
    left = (
        choose(left_of(before[0], here[0]), here[0], block + 2 * LEFT, line, place),
        choose(left_of(before[1], here[1]), here[1], block + 2 * LEFT, line, place),
    )
    right = (
        choose(right_of(here[0], next_column[0]), here[0], block + 2 * RIGHT, line, place),
        choose(right_of(here[1], next_column[1]), here[1], block + 2 * RIGHT, line, place),
    )
    total = laplacian(stencil, left, here, right, step.centre)
    passes, crosses = _cross_differences(points, after, crosses, bits, column, step)
    return _with_corners(stencil, total, passes), crosses


def _with_corners(stencil: Any, total: Any, passes: Any) -> Any:
    """The Laplacian with what passes across squares; a sum of four sides knows no squares."""


def _plus_passes(stencil: Any, total: Any, passes: Any) -> Any:
    return total + (lower(passes) - upper(passes))


def _of_sides(stencil: Any, total: Any, passes: Any) -> Any:
    return total


@overload(_column, jit_options=INLINED)  # type: ignore[untyped-decorator]
def _column_of(stencil: Any, walls: Any, points: Any, bits: int, column: int, step: Any) -> Any:
    return _walled_column if walls.value else _open_column


@overload(_around, jit_options=INLINED)  # type: ignore[untyped-decorator]
def _around_of(
    stencil: Any, walls: Any, columns: Any, points: Any, after: Any, crosses: Any, bits: int, column: int, step: Any
) -> Any:
    return _walled_around if walls.value else _open_around


@overload(_with_corners, jit_options=INLINED)  # type: ignore[untyped-decorator]
def _with_corners_of(stencil: Any, total: Any, passes: Any) -> Any:
    return _plus_passes if SUMS[stencil.value].corners else _of_sides


# --- the step


def _write(
    formula: Any, width: Any, rows: Any, out: int, velocity: int, c: Any, total: Any, bits: int, line: int, at: int,
    step: Any,
) -> None:  # fmt: skip
    """Write the step of points c with the Laplacian `total`, and 0 where there is land."""


def _write_heights(
    formula: Any, width: Any, rows: Any, out: int, velocity: int, c: Any, total: Any, bits: int, line: int, at: int,
    step: Any,
) -> None:  # fmt: skip
    h = damped_step(c, load_rows(width, rows, out, step.stride), total, step.damping, step.gain)
    store_rows(out, step.stride, where_set(h, bits, line, at))


def _write_velocity(
    formula: Any, width: Any, rows: Any, out: int, velocity: int, c: Any, total: Any, bits: int, line: int, at: int,
    step: Any,
) -> None:  # fmt: skip
    v = damped_velocity(load_rows(width, rows, velocity, step.stride), total, step.damping, step.gain)
    v = where_set(v, bits, line, at)
    store_rows(velocity, step.stride, v)
    store_rows(out, step.stride, where_set(fma(step.time_step, v, c), bits, line, at))


@overload(_write, jit_options=INLINED)  # type: ignore[untyped-decorator]
def _write_of(
    formula: Any, width: Any, rows: Any, out: int, velocity: int, c: Any, total: Any, bits: int, line: int, at: int,
    step: Any,
) -> Any:  # fmt: skip
    return _write_velocity if formula.value == "damped_velocity" else _write_heights


def _inside(walls: Any, bits: int, column: int, step: Any) -> Any:
    """The mask of water: where its bits lie, the bytes from row to row, and the number of the column's bit."""


def _inside_open(walls: Any, bits: int, column: int, step: Any) -> Any:
    return bits, step.water_stride, column


def _inside_walls(walls: Any, bits: int, column: int, step: Any) -> Any:
    return bits + (column & ~PLACE) + 2 * INSIDE, step.coast_stride, column & PLACE


@overload(_inside, jit_options=INLINED)  # type: ignore[untyped-decorator]
def _inside_of(walls: Any, bits: int, column: int, step: Any) -> Any:
    return _inside_walls if walls.value else _inside_open


@part
def step_run(
    stencil: Any, formula: Any, width: Any, rows: Any, walls: Any, out: int, velocity: int, now: int, bits: int,
    start: int, stop: int, step: Any,
) -> None:  # fmt: skip
    """Step the columns `start` to `stop` − 1 of one row or a block of them.

    Args:
        stencil: as for `step_rows`.
        formula: as for `step_rows`.
        width: as for `step_rows`.
        rows: their number, a `Static`.
        walls: whether land beside them is a wall, a `Static` of 0 or 1.
        out: address of the first row's h⁻; h⁺ takes its place.
        velocity: of its velocities, where motion is known by them.
        now: of its h.
        bits: of its masks: `Coast.bits` beside walls, else `Domain.water`.
        start: first column.
        stop: column after the last.
        step: as for `step_rows`.
    """
    stride, length = step.stride, width_of(width)
    points_before = load_rows_and_neighbours(width, rows, now + (start - length) * SIZE, stride)
    points = load_rows_and_neighbours(width, rows, now + start * SIZE, stride)
    before = _column(stencil, walls, points_before, bits, start - length, step)
    here = _column(stencil, walls, points, bits, start, step)
    _, crosses = _around(
        stencil, walls, (here, before, here), points_before, points, upper(points), bits, start - length, step
    )
    for column in range(start, stop, length):
        after_points = load_rows_and_neighbours(width, rows, now + (column + length) * SIZE, stride)
        after = _column(stencil, walls, after_points, bits, column + length, step)
        total, crosses = _around(
            stencil, walls, (before, here, after), points, after_points, crosses, bits, column, step
        )
        mask, line, at = _inside(walls, bits, column, step)
        place = column * SIZE
        _write(formula, width, rows, out + place, velocity + place, here[0], total, mask, line, at, step)
        before, here, points = here, after, after_points


@part
def _step_runs(
    stencil: Any, formula: Any, width: Any, walls: Any, out: int, velocity: int, now: int, bits: int, line: int,
    number: int, start: int, stop: int, step: Any,
) -> None:  # fmt: skip
    """As `step_run`, of `number` rows, at most `ROWS`; `line` bytes lie between their masks."""
    if number == ROWS:
        step_run(stencil, formula, width, ALL_ROWS, walls, out, velocity, now, bits, start, stop, step)
        return
    for k in range(number):
        at, masks = k * step.stride, bits + k * line
        step_run(stencil, formula, width, ONE_ROW, walls, out + at, velocity + at, now + at, masks, start, stop, step)


@part
def _clear(at: int, number: int, n: int, stride: int) -> None:
    """Let `n` points of some rows be 0 without a look at what they are."""
    for k in range(number):
        points = numba.carray(float_pointer(at + k * stride), n)
        for j in range(n):
            points[j] = ZERO


@part
def step_rows(
    stencil: Any, formula: Any, width: Any, out: int, now: int, top: int, number: int, start: int, stop: int, step: Any
) -> None:
    """Step `number` rows, at most `ROWS`, in the columns `start` to `stop` − 1, whole vectors of 16.

    Where there are walls they are stepped run by run: open water, water beside walls, and land, where nothing is to do.

    Args:
        stencil: key of `stencils.SUMS`, a `Static`.
        formula: which of `stencils` is taken, "damped_step" or "damped_velocity", a `Static`.
        width: floats to a vector, a `Static`.
        out: address of the first point of the level of h⁻; h⁺ takes its place.
        now: address of the first point of the level of h; neighbours all around are read, too.
        top: number of the first row.
        number: of rows.
        start: first column.
        stop: column after the last.
        step: a `sweep.Step`.
    """
    at = top * step.stride
    out, now, velocity = out + at, now + at, step.velocity + at
    water, line = step.water + top * step.water_stride, step.water_stride
    if not step.coast:
        _step_runs(stencil, formula, width, NO_WALLS, out, velocity, now, water, line, number, start, stop, step)
        return
    coast = step.coast + top * step.coast_stride
    k, column = numba.carray(index_pointer(step.first_run), step.nz)[top], start
    while column < stop:
        run = numba.carray(index_pointer(step.runs + RUN * k), 2)
        end = min(run[0], stop)
        if column < end:
            columns, masks = (number, column, end), step.coast_stride
            if run[1] == OPEN:
                _step_runs(stencil, formula, width, NO_WALLS, out, velocity, now, water, line, *columns, step)
            elif run[1] == BESIDE:
                _step_runs(stencil, formula, width, WALLS, out, velocity, now, coast, masks, *columns, step)
            else:
                _clear(out + column * SIZE, number, end - column, step.stride)
                if step.velocity:
                    _clear(velocity + column * SIZE, number, end - column, step.stride)
            column = end
        k += 1

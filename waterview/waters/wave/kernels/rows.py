"""The rows of the wave step: one row of a time level, or four at once, become those of the next.

`step_rows` goes along the rows, a vector of columns at a time, with the columns before, here and after in registers:
each point is loaded once, and left and right neighbours are the same numbers, shifted by one lane. The number of rows
is a constant when it is compiled. Rows are given by address: array arguments would cost about 200 cycles a row. What
was tried and is slower: neighbours loaded at addresses that are no multiples of a vector's length; two, six or eight
rows together; runs of fixed points zeroed afterwards, where coasts are ragged.

`_step_beside_walls` is the same where land is a wall. There each neighbour on land takes a value that makes it a wall:
above, below, on the left and on the right that is the value of the point itself. So a column beside it that is land is
as its own, and all sums are those of open water, bit for bit where all neighbours are water. Two points see each other
differently only where one of a square of four is land. There the cross difference, the difference between the slopes of
the square's two rows, goes from the lower row to the upper one in the column that is all water; with it L is symmetric.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from waterview.simd.choices import choose, where_set
from waterview.simd.jit import Static, float_pointer, index_pointer, part
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
from waterview.waters.common.active_tiles import TILE_ROWS
from waterview.waters.wave.domain import BLOCK, CROSS_LEFT, CROSS_RIGHT, INSIDE, LAND, LEFT, OPEN, RIGHT, ROWS

from .stencils import column_sum, damped_step, damped_velocity, has_corners, laplacian

ZERO = np.float32(0.0)
ONE_ROW, ALL_ROWS = Static(1), Static(ROWS)
PLACE = BLOCK - 1  # bits of a column that tell its place in a block of `Coast.bits`; the others tell where the block is
RUN = 16  # of `Coast.runs` [bytes]


@part
def step_rows(stencil: Any, by_velocity: Any, width: Any, rows: Any, now: int, out: int, top: int, step: Any) -> None:
    """Take a step of one row, or of `ROWS` rows as a block, wherever their water may move.

    Args:
        stencil: key of `stencils.SUMS`, a `Static`.
        by_velocity: 1 where motion is known by velocities, 0 where it is known by h⁻, a `Static`.
        width: floats to a vector, a `Static`.
        rows: their number, a `Static`.
        now: address of the first point of the level of h; neighbours all around are read, too.
        out: address of the first point of the level of h⁻; h⁺ takes its place.
        top: number of the first row.
        step: a `sweep.Step`.
    """
    stride, length, line = step.stride, width_of(width), step.water_stride
    now, out, velocity, water = (
        now + top * stride,
        out + top * stride,
        step.velocity + top * stride,
        step.water + top * line,
    )
    # Four rows may lie in two rows of tiles; the spans of the upper one hold those of both.
    tile = top // TILE_ROWS
    first = numba.carray(index_pointer(step.first_span), tile + 2)
    ends = numba.carray(index_pointer(step.spans), 2 * first[tile + 1])
    for k in range(first[tile], first[tile + 1]):
        column, last, run = ends[2 * k], min(ends[2 * k + 1], step.width), _first_run(top, step)
        while column < last:
            stop, kind = _next_run(run, last, step)
            run += 1
            if column >= stop:
                continue
            if kind == OPEN:
                before = _column(stencil, width, rows, now + (column - length) * SIZE, stride)
                here = _column(stencil, width, rows, now + column * SIZE, stride)
                for j in range(column, stop, length):
                    at = j * SIZE
                    after = _column(stencil, width, rows, now + at + length * SIZE, stride)
                    left, right = _beside(before, here, after)
                    total = laplacian(stencil, left, here, right, step.centre)
                    if width_of(by_velocity):
                        h = _moved(width, rows, here[0], total, velocity + at, water, line, j, step)
                    else:
                        h_before = load_rows(width, rows, out + at, stride)
                        h = damped_step(here[0], h_before, total, step.damping, step.gain)
                    store_rows(out + at, stride, where_set(h, water, line, j))
                    before, here = here, after
            elif kind == LAND:
                _clear(rows, out + column * SIZE, stop - column, stride)
                if width_of(by_velocity):
                    _clear(rows, velocity + column * SIZE, stop - column, stride)
            else:
                _step_beside_walls(stencil, by_velocity, width, rows, now, out, velocity, top, column, stop, step)
            column = stop


@part
def _first_run(top: int, step: Any) -> int:
    return numba.carray(index_pointer(step.first_run), step.nz)[top] if step.coast else 0


@part
def _next_run(run: int, last: int, step: Any) -> tuple[int, int]:
    """Where a run of `Coast.runs` stops, `last` at the most, and its kind; without a coast all water is open."""
    if not step.coast:
        return last, OPEN
    end_and_kind = numba.carray(index_pointer(step.runs + RUN * run), 2)
    return min(end_and_kind[0], last), end_and_kind[1]


@part
def _column(stencil: Any, width: Any, rows: Any, at: int, stride: int) -> Any:
    """A vector of columns, summed for the stencil."""
    points = load_rows_and_neighbours(width, rows, at, stride)
    return column_sum(stencil, upper(upper(points)), upper(lower(points)), lower(lower(points)))


@part
def _beside(before: Any, here: Any, after: Any) -> Any:
    """The columns on the left and on the right of those `here`."""
    left = left_of(before[0], here[0]), left_of(before[1], here[1])
    return left, (right_of(here[0], after[0]), right_of(here[1], after[1]))


@part
def _moved(width: Any, rows: Any, h: Any, total: Any, velocity: int, bits: int, line: int, at: int, step: Any) -> Any:
    """h⁺ = h + v⁺Δt where motion is known by velocities, which are stepped first: 0 where there is land."""
    v = damped_velocity(load_rows(width, rows, velocity, step.stride), total, step.damping, step.gain)
    v = where_set(v, bits, line, at)
    store_rows(velocity, step.stride, v)
    return fma(step.time_step, v, h)


@part
def _clear(rows: Any, at: int, n: int, stride: int) -> None:
    """Let `n` points of each row be 0 without a look at what they are."""
    for k in range(width_of(rows)):
        points = numba.carray(float_pointer(at + k * stride), n)
        for j in range(n):
            points[j] = ZERO


# --- beside walls


@part
def _step_beside_walls(
    stencil: Any, by_velocity: Any, width: Any, rows: Any, now: int, out: int, velocity: int, top: int,
    start: int, stop: int, step: Any,
) -> None:  # fmt: skip
    """As `step_rows`, of the columns `start` to `stop` − 1, which may lie beside walls; rows by their own addresses."""
    stride, length, line = step.stride, width_of(width), step.coast_stride
    coast = step.coast + top * line
    points_before = load_rows_and_neighbours(width, rows, now + (start - length) * SIZE, stride)
    points = load_rows_and_neighbours(width, rows, now + start * SIZE, stride)
    before = _walled_column(stencil, points_before, coast, start - length, line)
    here = _walled_column(stencil, points, coast, start, line)
    _, crosses = _cross_differences(points_before, points, upper(points), coast, start - length, line)
    for j in range(start, stop, length):
        at, block, place = j * SIZE, coast + (j & ~PLACE), j & PLACE
        points_after = load_rows_and_neighbours(width, rows, now + at + length * SIZE, stride)
        after = _walled_column(stencil, points_after, coast, j + length, line)
        left, right = _beside(before, here, after)
        left = _water_or(left, here, block + 2 * LEFT, line, place)
        right = _water_or(right, here, block + 2 * RIGHT, line, place)
        total = laplacian(stencil, left, here, right, step.centre)
        passes, crosses = _cross_differences(points, points_after, crosses, coast, j, line)
        if has_corners(stencil):
            total = total + (lower(passes) - upper(passes))
        inside = block + 2 * INSIDE
        if width_of(by_velocity):
            h = _moved(width, rows, here[0], total, velocity + at, inside, line, place, step)
        else:
            h = damped_step(here[0], load_rows(width, rows, out + at, stride), total, step.damping, step.gain)
        store_rows(out + at, stride, where_set(h, inside, line, place))
        before, here, points = here, after, points_after


@part
def _walled_column(stencil: Any, points: Any, coast: int, column: int, line: int) -> Any:
    """As `_column`, of loaded points: what is land above or below is as high as the point itself."""
    block, place, c = coast + (column & ~PLACE), column & PLACE, upper(lower(points))
    up = choose(upper(upper(points)), c, block - line, line, place)
    down = choose(lower(lower(points)), c, block + line, line, place)
    return column_sum(stencil, up, c, down)


@part
def _water_or(beside: Any, here: Any, bits: int, line: int, place: int) -> Any:
    """The columns `beside` those `here` where bits are set, and those `here` elsewhere."""
    return choose(beside[0], here[0], bits, line, place), choose(beside[1], here[1], bits, line, place)


@part
def _cross_differences(points: Any, after: Any, crosses: Any, coast: int, column: int, line: int) -> Any:
    """What passes from each row to the one above it, and the cross differences of the squares between them.

    `crosses` are those of the vector before, and the next vector needs these.
    """
    block, place = coast + (column & ~PLACE) - line, column & PLACE  # of the row above
    slopes = where_set(right_of(points, after) - points, block + 2 * RIGHT, line, place)
    differences = lower(slopes) - upper(slopes)
    passes = where_set(differences, block + 2 * CROSS_RIGHT, line, place)
    return choose(passes - left_of(crosses, differences), passes, block + 2 * CROSS_LEFT, line, place), differences

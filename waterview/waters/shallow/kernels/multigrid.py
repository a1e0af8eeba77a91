"""Multigrid for equations of five points: s·y + Σ k·(y − y of the neighbour) = right, s ≥ 0 and k ≥ 0 in every cell.

One V-cycle after Brandt (1977): a few sweeps of Gauss and Seidel smooth the error, what is left of it is smooth enough
for a grid of twice the spacing, which is solved the same way. Cells lie in the middle of 2 × 2 finer ones, as in
Wesseling (1992, ch. 5): the residual is summed over the four, and corrections are interpolated linearly. Where a cell
takes no part (its `INVERSE` is 0) its solution stays 0, and nobody interpolates from it.

Cells are swept like the squares of a chessboard, all of one colour and then the others: so rows may be taken in any
order, on any number of threads, and the bits stay the same.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from waterview.simd.jit import Addresses, call_at, callee, jit, parallel_jit, part, task
from waterview.simd.layout import PAD, aligned_zeros, row_stride
from waterview.simd.masks import alternate_lanes, where
from waterview.simd.processor import VECTOR_WIDTH
from waterview.simd.vectors import (
    SIZE,
    even_lanes,
    filled,
    first_pairs,
    last_pairs,
    left_of,
    load,
    load_anywhere,
    odd_lanes,
    right_of,
    store,
    width_of,
)

Floats = NDArray[np.float32]
Table = NDArray[np.int64]

SOLUTION, RIGHT, ALONG_X, ALONG_Z, EXCESS, INVERSE = range(6)
"""Planes of a level: y, the right side, k between a cell and the next along x and along z, s where it is above 0 (only
the next level reads it), and the inverse of the diagonal."""

PLANES = 6
SMOOTH, DESCEND, ASCEND, SWEEP_ENDS, RESTRICT_ENDS, COARSEN, INVERT = range(7)
"""Operations on a level: smooth; smooth and hand what is left on to the coarser level; add what that has found and
smooth; take couplings from the finer level; find the diagonal. The first three leave rows beside other bands to be
swept by `SWEEP_ENDS`, and to be handed on by `RESTRICT_ENDS`."""

BAND = 32  # rows that a thread takes at once, an even number
FEWEST_SHARED = 4096  # cells of a level below which threads cost more than they bring
FINAL_SWEEPS = 6  # on the coarsest level

ZERO, QUARTER, HALF, ONE, THREE_QUARTERS = (np.float32(value) for value in (0.0, 0.25, 0.5, 1.0, 0.75))
TINY = np.float32(1e-25)  # of the numbers that are looked at; less becomes 0, for processors are slow with the smallest


class Level(NamedTuple):
    """Where the planes of a level lie, with a ring of cells of 0 around each."""

    first: int  # address of the first cell of the first plane
    row: int  # bytes from one row to the next
    plane: int  # bytes from one plane to the next
    rows: int
    columns: int


def make_levels(rows: int, columns: int) -> tuple[Floats, Table]:
    """Room for all levels over a grid, filled with 0, and their table: see `run`."""
    sizes = [(rows, columns)]
    while max(sizes[-1]) > 1:
        sizes.append(((sizes[-1][0] + 1) // 2, (sizes[-1][1] + 1) // 2))
    table, total = np.zeros((len(sizes), len(Level._fields)), np.int64), 0
    for level, (m, n) in enumerate(sizes):
        stride = row_stride(n)
        plane = (m + m % 2 + 2) * stride
        table[level] = SIZE * (total + stride + PAD), SIZE * stride, SIZE * plane, m, n
        total += PLANES * plane
    return aligned_zeros(1, total)[0], table


def planes_of(levels: Floats, table: Table, level: int) -> Floats:
    """The cells of a level, shape (`PLANES`, rows, columns): a view."""
    first, row, plane, rows, columns = (int(number) for number in table[level])
    strides = plane, row, SIZE
    return np.lib.stride_tricks.as_strided(levels[first // SIZE :], (PLANES, rows, columns), strides)


def coarsening(depth: int) -> Table:
    """The program for `run` that makes the coefficients of the coarser of so many levels."""
    steps = [(operation, level, 0) for level in range(1, depth) for operation in (COARSEN, INVERT)]
    return np.array(steps, np.int64).reshape(-1, 3)


def v_cycle(depth: int) -> Table:
    """The program for `run` that takes a V-cycle over so many levels: the error becomes about a quarter."""
    steps = []
    for level in range(depth - 1):
        steps += [(DESCEND, level, 0), (SWEEP_ENDS, level, 0), (RESTRICT_ENDS, level, 0)]
    steps += FINAL_SWEEPS * [(SMOOTH, depth - 1, 0), (SWEEP_ENDS, depth - 1, 0)]
    for level in range(depth - 2, -1, -1):
        steps += [(ASCEND, level, 1), (SWEEP_ENDS, level, 0), (SWEEP_ENDS, level, 1)]
    return np.array(steps, np.int64)


@jit
def level_of(levels: Floats, table: Table, number: int) -> Level:
    """A level of those that `make_levels` has made."""
    first, row, plane = table[number, 0], table[number, 1], table[number, 2]
    return Level(levels.ctypes.data + first, row, plane, table[number, 3], table[number, 4])


@part
def read(width: Any, level: Level, plane: int, at: int) -> Any:
    """A vector of a plane, `at` bytes from its first cell."""
    return load(width, level.first + plane * level.plane + at)


@part
def read_anywhere(width: Any, level: Level, plane: int, at: int) -> Any:
    """As `read`, from any cell on."""
    return load_anywhere(width, level.first + plane * level.plane + at)


@part
def write(level: Level, plane: int, at: int, vector: Any) -> None:
    """Write a vector where `read` finds it."""
    store(level.first + plane * level.plane + at, vector)


# --- Gauss and Seidel


@part
def _pull(width: Any, level: Level, at: int, along_x: tuple[Any, Any], beside: tuple[Any, Any]) -> Any:
    """Σ k·(y of the neighbour); k and y to the west and to the east are given."""
    south = read(width, level, ALONG_Z, at) * read(width, level, SOLUTION, at + level.row)
    north = read(width, level, ALONG_Z, at - level.row) * read(width, level, SOLUTION, at - level.row)
    return (along_x[1] * beside[1] + along_x[0] * beside[0]) + (south + north)


@callee
def _sweep(width: Any, level: Level, i: int, colour: int) -> None:
    """Solve each cell of row i for itself whose row and column make an even sum (colour 0), or an odd one (1).

    Neighbours are made of vectors at hand: to read them would wait for what was written last.
    """
    chosen, length = alternate_lanes(width, (i + colour) & 1), width_of(width) * SIZE
    first, stop = i * level.row, i * level.row + level.columns * SIZE
    before, here = read(width, level, SOLUTION, first - length), read(width, level, SOLUTION, first)
    k_before = read(width, level, ALONG_X, first - length)
    for at in range(first, stop, length):
        after, k = read(width, level, SOLUTION, at + length), read(width, level, ALONG_X, at)
        beside = left_of(before, here), right_of(here, after)
        pull = _pull(width, level, at, (left_of(k_before, k), k), beside)
        value = read(width, level, INVERSE, at) * (read(width, level, RIGHT, at) + pull)
        value = where(abs(value) > TINY, value, ZERO)
        write(level, SOLUTION, at, where(chosen, value, here))
        before, here, k_before = here, after, k


# --- from one level to the next


@part
def _residual(width: Any, level: Level, at: int) -> Any:
    """The right side less the left one; 0 where a cell takes no part."""
    inverse = read(width, level, INVERSE, at)
    along_x = read_anywhere(width, level, ALONG_X, at - SIZE), read(width, level, ALONG_X, at)
    beside = read_anywhere(width, level, SOLUTION, at - SIZE), read_anywhere(width, level, SOLUTION, at + SIZE)
    pull, own = _pull(width, level, at, along_x, beside), ONE / inverse * read(width, level, SOLUTION, at)
    return where(inverse > ZERO, read(width, level, RIGHT, at) + pull - own, ZERO)


@part
def _sum_of_pairs(low: Any, high: Any) -> Any:
    return even_lanes(low, high) + odd_lanes(low, high)


@callee
def _restrict_row(width: Any, finer: Level, level: Level, i: int) -> None:
    """The right side of row i of a level from the residual of the finer one; its solution starts from 0."""
    length = width_of(width) * SIZE
    for place in range(0, level.columns * SIZE, length):
        upper = 2 * i * finer.row + 2 * place
        lower = upper + finer.row
        above = _sum_of_pairs(_residual(width, finer, upper), _residual(width, finer, upper + length))
        below = _sum_of_pairs(_residual(width, finer, lower), _residual(width, finer, lower + length))
        write(level, RIGHT, i * level.row + place, above + below)
        write(level, SOLUTION, i * level.row + place, filled(width, ZERO))


@part
def _blend(width: Any, level: Level, near: int, far: int) -> tuple[Any, Any]:
    """What a finer row takes from two coarse rows, ¾ from the near one, and how much that weighs."""
    has_near, has_far = read_anywhere(width, level, INVERSE, near), read_anywhere(width, level, INVERSE, far)
    a, b = where(has_near > ZERO, THREE_QUARTERS, ZERO), where(has_far > ZERO, QUARTER, ZERO)
    value = a * read_anywhere(width, level, SOLUTION, near) + b * read_anywhere(width, level, SOLUTION, far)
    return value, a + b


@part
def _mean(near: tuple[Any, Any], far: tuple[Any, Any]) -> Any:
    """¾ of one value and ¼ of another by their weights; 0 where both weigh nothing."""
    weight = THREE_QUARTERS * near[1] + QUARTER * far[1]
    return where(weight > ZERO, (THREE_QUARTERS * near[0] + QUARTER * far[0]) / weight, ZERO)


@callee
def _correct_row(width: Any, coarser: Level, level: Level, i: int) -> None:
    """Add to row i of a level what the coarser one has found."""
    length, near = width_of(width) * SIZE, i // 2
    to_far = coarser.row if i & 1 else -coarser.row
    for place in range(0, coarser.columns * SIZE, length):
        at, to = near * coarser.row + place, i * level.row + 2 * place
        here = _blend(width, coarser, at, at + to_far)
        west = _mean(here, _blend(width, coarser, at - SIZE, at - SIZE + to_far))
        east = _mean(here, _blend(width, coarser, at + SIZE, at + SIZE + to_far))
        for half in range(2):
            there = to + half * length
            change = first_pairs(west, east) if half == 0 else last_pairs(west, east)
            change = where(read(width, level, INVERSE, there) > ZERO, change, ZERO)
            write(level, SOLUTION, there, read(width, level, SOLUTION, there) + change)


@part
def _coarsen_row(width: Any, finer: Level, level: Level, i: int) -> None:
    """Half the sum of two finer couplings: the faces are twice as wide, and the cells twice as far apart."""
    length = width_of(width) * SIZE
    for place in range(0, level.columns * SIZE, length):
        upper, at = 2 * i * finer.row + 2 * place, i * level.row + place
        lower = upper + finer.row
        pairs = odd_lanes(read(width, finer, ALONG_X, upper), read(width, finer, ALONG_X, upper + length))
        pairs = pairs + odd_lanes(read(width, finer, ALONG_X, lower), read(width, finer, ALONG_X, lower + length))
        write(level, ALONG_X, at, HALF * pairs)
        pairs = _sum_of_pairs(read(width, finer, ALONG_Z, lower), read(width, finer, ALONG_Z, lower + length))
        write(level, ALONG_Z, at, HALF * pairs)
        above = _sum_of_pairs(read(width, finer, EXCESS, upper), read(width, finer, EXCESS, upper + length))
        below = _sum_of_pairs(read(width, finer, EXCESS, lower), read(width, finer, EXCESS, lower + length))
        write(level, EXCESS, at, above + below)


@part
def _invert_row(width: Any, level: Level, i: int) -> None:
    """The inverse of the diagonal s + Σ k of a row of cells; 0 where that is 0."""
    for at in range(i * level.row, i * level.row + level.columns * SIZE, width_of(width) * SIZE):
        along_x = read(width, level, ALONG_X, at) + read_anywhere(width, level, ALONG_X, at - SIZE)
        along_z = read(width, level, ALONG_Z, at - level.row) + read(width, level, ALONG_Z, at)
        diagonal = (read(width, level, EXCESS, at) + along_x) + along_z
        write(level, INVERSE, at, where(diagonal > TINY, ONE / diagonal, ZERO))


# --- bands of rows: one thing after the other while the rows are still in the cache, as far as the neighbours allow it


@part
def _smooth(width: Any, finer: Level, level: Level, first: int, last: int, colour: int, hands_on: bool) -> None:
    """Sweep the other colour, then this one, and hand on what is left if `hands_on`; from the finer level to `level`.

    This colour in the first and last row needs the rows beyond, and so does what is handed on of two rows more.
    """
    for i in range(first, last):
        _sweep(width, finer, i, 1 - colour)
        if i > first + 1:
            _sweep(width, finer, i - 1, colour)
        if hands_on and i & 1 and i - 3 > first:
            _restrict_row(width, finer, level, i // 2 - 1)


@part
def _restrict_ends(width: Any, finer: Level, level: Level, first: int, last: int) -> None:
    """What `_smooth` has left to be handed on."""
    for i in range(first // 2, (last + 1) // 2):
        if not first // 2 < i < (last - 2) // 2:
            _restrict_row(width, finer, level, i)


@part
def _ascend(width: Any, coarser: Level, level: Level, first: int, last: int, colour: int) -> None:
    """Add what the coarser level has found, and sweep the other colour, then this one."""
    for i in range(first, last):
        _correct_row(width, coarser, level, i)
        if i > first + 1:
            _sweep(width, level, i - 1, 1 - colour)
        if i > first + 3:
            _sweep(width, level, i - 2, colour)


@part
def _sweep_ends(width: Any, level: Level, first: int, last: int, colour: int) -> None:
    """What `_smooth` and `_ascend` have left to be swept: colour 0 in a row at each end, and colour 1 in two."""
    for i in range(first, last):
        if i <= first + colour or i >= last - 1 - colour:
            _sweep(width, level, i, colour)


# --- a list of operations, the rows of each shared among threads where there are enough of them


@task
def _operate(
    width: Any, operation: int, number: int, colour: int, first: int, last: int, levels: Floats, table: Table
) -> None:
    """One operation on the rows `first` to `last` − 1 of a level."""
    level, most = level_of(levels, table, number), len(table) - 1
    finer, coarser = level_of(levels, table, max(number - 1, 0)), level_of(levels, table, min(number + 1, most))
    if operation in (SMOOTH, DESCEND):
        _smooth(width, level, coarser, first, last, colour, operation == DESCEND)
    elif operation == ASCEND:
        _ascend(width, coarser, level, first, last, colour)
    elif operation == SWEEP_ENDS:
        _sweep_ends(width, level, first, last, colour)
    elif operation == RESTRICT_ENDS:
        _restrict_ends(width, level, coarser, first, last)
    else:
        for i in range(first, last):
            if operation == COARSEN:
                _coarsen_row(width, finer, level, i)
            else:
                _invert_row(width, level, i)


@parallel_jit
def _run(code: int, levels: Floats, table: Table, program: Table) -> None:
    for step in range(program.shape[0]):
        operation, number, colour = program[step, 0], program[step, 1], program[step, 2]
        rows = table[number, 3]
        if rows * table[number, 4] > FEWEST_SHARED:
            for band in prange(-(-rows // BAND)):
                last = min((band + 1) * BAND, rows)
                call_at(code, (operation, number, colour, band * BAND, last, levels, table))
        else:
            call_at(code, (operation, number, colour, 0, rows, levels, table))


_operate_codes = Addresses(_operate)


def run(levels: Floats, table: Table, program: Table, width: int | None = None) -> None:
    """Carry out the operations of a program, one after the other.

    Args:
        levels: the planes of all levels, as `table` says; from `make_levels`.
        table: for each level what `Level` says, its first cell in bytes from the beginning of `levels`.
        program: for each operation its name, level and colour, as `coarsening` and `v_cycle` list them.
        width: floats to a vector; None for as many as suit the processor.
    """
    arguments = 0, 0, 0, 0, 0, levels, table
    _run(_operate_codes.of((width or VECTOR_WIDTH,), arguments), levels, table, program)

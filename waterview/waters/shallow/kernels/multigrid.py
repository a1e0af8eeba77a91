"""Multigrid for equations of five points: s·y + Σ k·(y − y of the neighbour) = right, s ≥ 0 and k ≥ 0 in every cell.

One V-cycle after Brandt (1977): a few sweeps of Gauss and Seidel smooth the error, what is left of it is smooth enough
for a grid of twice the spacing, which is solved the same way. Cells lie in the middle of 2 × 2 finer ones, as in
Wesseling (1992, ch. 5): the residual is summed over the four, and corrections are interpolated linearly. Where a cell
takes no part (its `INVERSE` is 0) its solution stays 0, and nobody interpolates from it.

Cells are swept like the squares of a chessboard, all of one colour and then the others: so rows may be taken in any
order, on any number of threads, and the bits stay the same.
"""

from __future__ import annotations

import numba
import numpy as np
from numba import prange
from numpy.typing import NDArray

from waterview.simd.jit import float_pointer, jit, parallel_jit

Floats = NDArray[np.float32]
Table = NDArray[np.int64]

SOLUTION, RIGHT, ALONG_X, ALONG_Z, EXCESS, INVERSE, RESIDUAL = range(7)
"""Planes of a level: y, the right side, k between a cell and the next along x and along z, s where it is above 0 (only
the next level reads it), the inverse of the diagonal, and room for the residual."""

PLANES = 7
SMOOTH, SMOOTH_ENDS, RESTRICT, CORRECT, COARSEN, INVERT = range(6)
"""Operations on a level: smooth all cells, one colour first, in two parts; take its right side from the finer level;
add what the coarser level has found; take its couplings from the finer level; find its diagonal."""

BAND = 16  # rows that a thread takes at once
FEWEST_SHARED = 4096  # cells of a level below which threads cost more than they bring
FINAL_SWEEPS = 6  # on the coarsest level

ZERO, QUARTER, HALF, ONE, THREE_QUARTERS = (np.float32(value) for value in (0.0, 0.25, 0.5, 1.0, 0.75))
TINY = np.float32(1e-25)  # of the numbers that are looked at; less becomes 0, for processors are slow with the smallest


def make_levels(rows: int, columns: int) -> tuple[Floats, Table]:
    """Room for all levels over a grid, filled with 0, and their table: see `run`."""
    sizes = [(rows, columns)]
    while max(sizes[-1]) > 1:
        sizes.append(((sizes[-1][0] + 1) // 2, (sizes[-1][1] + 1) // 2))
    table, total = np.zeros((len(sizes), 3), np.int64), 0
    for level, (m, n) in enumerate(sizes):
        table[level] = total, m + m % 2 + 2, n + n % 2 + 2
        total += PLANES * int(table[level, 1] * table[level, 2])
    return np.zeros(total, np.float32), table


def coarsening(depth: int) -> Table:
    """The program for `run` that makes the coefficients of the coarser of so many levels."""
    steps = [(operation, level, 0) for level in range(1, depth) for operation in (COARSEN, INVERT)]
    return np.array(steps, np.int64).reshape(-1, 3)


def v_cycle(depth: int) -> Table:
    """The program for `run` that takes a V-cycle over so many levels: the error becomes about a quarter."""
    steps = []
    for level in range(depth - 1):
        steps += [*_smoothing(level, 0), (RESTRICT, level + 1, 0)]
    steps += FINAL_SWEEPS * _smoothing(depth - 1, 0)
    for level in range(depth - 2, -1, -1):
        steps += [(CORRECT, level, 0), *_smoothing(level, 1)]
    return np.array(steps, np.int64)


def _smoothing(level: int, colour: int) -> list[tuple[int, int, int]]:
    return [(operation, level, colour) for operation in (SMOOTH, SMOOTH_ENDS)]


@jit
def plane_row(levels: Floats, table: Table, level: int, plane: int, i: int) -> Floats:
    """Row i of a plane of a level with the cells of 0 around it; row 0 and the first column lie outside the grid."""
    rows, columns = table[level, 1], table[level, 2]
    return numba.carray(  # type: ignore[no-any-return]
        float_pointer(levels.ctypes.data + 4 * (table[level, 0] + (plane * rows + i) * columns)), columns
    )


@jit
def _sweep_row(
    y: Floats,
    before: Floats,
    after: Floats,
    right: Floats,
    along_x: Floats,
    north: Floats,
    south: Floats,
    inverse: Floats,
    chosen: Floats,
    new: Floats,
) -> None:
    """Gauss and Seidel for the cells of a row that are chosen (1, else 0)."""
    n = y.shape[0] - 1
    for j in range(1, n):
        pull = along_x[j] * y[j + 1] + along_x[j - 1] * y[j - 1] + (south[j] * after[j] + north[j] * before[j])
        value = inverse[j] * (right[j] + pull)
        value = value if abs(value) > TINY else ZERO
        new[j] = value if chosen[j] > ZERO else y[j]
    for j in range(1, n):
        y[j] = new[j]


@jit
def _sweep(levels: Floats, table: Table, level: int, i: int, chosen: Floats, new: Floats) -> None:
    _sweep_row(
        plane_row(levels, table, level, SOLUTION, i),
        plane_row(levels, table, level, SOLUTION, i - 1),
        plane_row(levels, table, level, SOLUTION, i + 1),
        plane_row(levels, table, level, RIGHT, i),
        plane_row(levels, table, level, ALONG_X, i),
        plane_row(levels, table, level, ALONG_Z, i - 1),
        plane_row(levels, table, level, ALONG_Z, i),
        plane_row(levels, table, level, INVERSE, i),
        chosen,
        new,
    )


@jit
def _smooth(levels: Floats, table: Table, level: int, first: int, last: int, colour: int, ends: bool) -> None:
    """Sweep the cells of one colour in some rows, and then those of the other, while the rows are still in the cache.

    The other colour in the first and last row needs the rows beyond; it is left until all have been here (`ends`).
    """
    columns = table[level, 2]
    new, board = np.empty(columns, np.float32), np.empty(columns + 1, np.float32)
    board[0::2], board[1::2] = ZERO, ONE
    one, other = board[colour : colour + columns], board[1 - colour : 1 - colour + columns]
    for i in range(first, last):
        even = (i & 1) == 0
        if not ends:
            _sweep(levels, table, level, i, one if even else other, new)
            if i > first + 1:
                _sweep(levels, table, level, i - 1, one if even else other, new)
        elif i in (first, last - 1):
            _sweep(levels, table, level, i, other if even else one, new)


@jit
def _residual_row(
    y: Floats,
    before: Floats,
    after: Floats,
    right: Floats,
    along_x: Floats,
    north: Floats,
    south: Floats,
    inverse: Floats,
    residual: Floats,
) -> None:
    for j in range(1, y.shape[0] - 1):
        pull = along_x[j] * y[j + 1] + along_x[j - 1] * y[j - 1] + (south[j] * after[j] + north[j] * before[j])
        takes_part = inverse[j] > ZERO
        diagonal = np.divide(ONE, inverse[j]) if takes_part else ZERO
        residual[j] = right[j] + pull - diagonal * y[j] if takes_part else ZERO


@jit
def _residual(levels: Floats, table: Table, level: int, i: int) -> None:
    _residual_row(
        plane_row(levels, table, level, SOLUTION, i),
        plane_row(levels, table, level, SOLUTION, i - 1),
        plane_row(levels, table, level, SOLUTION, i + 1),
        plane_row(levels, table, level, RIGHT, i),
        plane_row(levels, table, level, ALONG_X, i),
        plane_row(levels, table, level, ALONG_Z, i - 1),
        plane_row(levels, table, level, ALONG_Z, i),
        plane_row(levels, table, level, INVERSE, i),
        plane_row(levels, table, level, RESIDUAL, i),
    )


@jit
def _sum_fours(upper: Floats, lower: Floats, coarse: Floats) -> None:
    """Sums of 2 × 2 cells of two rows."""
    for j in range(1, coarse.shape[0] - 1):
        coarse[j] = (upper[2 * j - 1] + upper[2 * j]) + (lower[2 * j - 1] + lower[2 * j])


@jit
def _restrict(levels: Floats, table: Table, level: int, first: int, last: int) -> None:
    """The right side of some rows of a level from the residual of the finer one; their solution starts from 0."""
    for i in range(first, last):
        _residual(levels, table, level - 1, 2 * i - 1)
        _residual(levels, table, level - 1, 2 * i)
        _sum_fours(
            plane_row(levels, table, level - 1, RESIDUAL, 2 * i - 1),
            plane_row(levels, table, level - 1, RESIDUAL, 2 * i),
            plane_row(levels, table, level, RIGHT, i),
        )
        plane_row(levels, table, level, SOLUTION, i)[:] = ZERO


@jit
def _blend_rows(
    near: Floats, far: Floats, near_inverse: Floats, far_inverse: Floats, values: Floats, weights: Floats
) -> None:
    """What a finer row takes from two coarse rows, ¾ from the near one, and how much that weighs."""
    for j in range(near.shape[0]):
        a = THREE_QUARTERS if near_inverse[j] > ZERO else ZERO
        b = QUARTER if far_inverse[j] > ZERO else ZERO
        values[j], weights[j] = a * near[j] + b * far[j], a + b


@jit
def _correct_row(values: Floats, weights: Floats, inverse: Floats, y: Floats) -> None:
    for j in range(1, values.shape[0] - 1):
        middle, middle_weight = THREE_QUARTERS * values[j], THREE_QUARTERS * weights[j]
        weight = middle_weight + QUARTER * weights[j - 1]
        value = middle + QUARTER * values[j - 1]
        y[2 * j - 1] += np.divide(value, weight) if (weight > ZERO) & (inverse[2 * j - 1] > ZERO) else ZERO
        weight = middle_weight + QUARTER * weights[j + 1]
        value = middle + QUARTER * values[j + 1]
        y[2 * j] += np.divide(value, weight) if (weight > ZERO) & (inverse[2 * j] > ZERO) else ZERO


@jit
def _correct(levels: Floats, table: Table, level: int, first: int, last: int) -> None:
    """Add to some rows of a level what the coarser one has found."""
    n = table[level + 1, 2]
    values, weights = np.empty(n, np.float32), np.empty(n, np.float32)
    for i in range(first, last):
        near = (i + 1) // 2
        far = near - 1 if i & 1 else near + 1
        _blend_rows(
            plane_row(levels, table, level + 1, SOLUTION, near),
            plane_row(levels, table, level + 1, SOLUTION, far),
            plane_row(levels, table, level + 1, INVERSE, near),
            plane_row(levels, table, level + 1, INVERSE, far),
            values,
            weights,
        )
        inverse, y = plane_row(levels, table, level, INVERSE, i), plane_row(levels, table, level, SOLUTION, i)
        _correct_row(values, weights, inverse, y)


@jit
def _coarsen_row(upper_x: Floats, lower_x: Floats, lower_z: Floats, along_x: Floats, along_z: Floats) -> None:
    """Half the sum of two finer couplings: the faces are twice as wide, and the cells twice as far apart."""
    for j in range(1, along_x.shape[0] - 1):
        along_x[j] = HALF * (upper_x[2 * j] + lower_x[2 * j])
        along_z[j] = HALF * (lower_z[2 * j - 1] + lower_z[2 * j])


@jit
def _coarsen(levels: Floats, table: Table, level: int, first: int, last: int) -> None:
    for i in range(first, last):
        upper, lower = 2 * i - 1, 2 * i
        _coarsen_row(
            plane_row(levels, table, level - 1, ALONG_X, upper),
            plane_row(levels, table, level - 1, ALONG_X, lower),
            plane_row(levels, table, level - 1, ALONG_Z, lower),
            plane_row(levels, table, level, ALONG_X, i),
            plane_row(levels, table, level, ALONG_Z, i),
        )
        _sum_fours(
            plane_row(levels, table, level - 1, EXCESS, upper),
            plane_row(levels, table, level - 1, EXCESS, lower),
            plane_row(levels, table, level, EXCESS, i),
        )


@jit
def invert_row(along_x: Floats, north: Floats, south: Floats, excess: Floats, inverse: Floats) -> None:
    """The inverse of the diagonal s + Σ k of a row of cells; 0 where that is 0."""
    for j in range(1, excess.shape[0] - 1):
        diagonal = excess[j] + (along_x[j] + along_x[j - 1]) + (north[j] + south[j])
        inverse[j] = np.divide(ONE, diagonal) if diagonal > TINY else ZERO


@jit
def _invert(levels: Floats, table: Table, level: int, first: int, last: int) -> None:
    for i in range(first, last):
        invert_row(
            plane_row(levels, table, level, ALONG_X, i),
            plane_row(levels, table, level, ALONG_Z, i - 1),
            plane_row(levels, table, level, ALONG_Z, i),
            plane_row(levels, table, level, EXCESS, i),
            plane_row(levels, table, level, INVERSE, i),
        )


# --- a list of operations, the rows of each shared among threads where there are enough of them


@jit
def _operate(operation: int, levels: Floats, table: Table, level: int, first: int, last: int, colour: int) -> None:
    if operation in (SMOOTH, SMOOTH_ENDS):
        _smooth(levels, table, level, first, last, colour, operation == SMOOTH_ENDS)
    elif operation == RESTRICT:
        _restrict(levels, table, level, first, last)
    elif operation == CORRECT:
        _correct(levels, table, level, first, last)
    elif operation == COARSEN:
        _coarsen(levels, table, level, first, last)
    else:
        _invert(levels, table, level, first, last)


@parallel_jit
def run(levels: Floats, table: Table, program: Table) -> None:
    """Carry out the operations of a program, one after the other.

    Args:
        levels: the planes of all levels, as `table` says.
        table: for each level the place of its first number, its rows and its columns, a ring of cells of 0 included.
        program: for each operation its name, level and colour, as `coarsening` and `v_cycle` list them.
    """
    for number in range(program.shape[0]):
        operation, level, colour = program[number, 0], program[number, 1], program[number, 2]
        rows = table[level, 1] - 2
        bands = -(-rows // BAND) if rows * table[level, 2] > FEWEST_SHARED else 1
        if bands > 1:
            for band in prange(bands):
                first, last = 1 + rows * band // bands, 1 + rows * (band + 1) // bands
                _operate(operation, levels, table, level, first, last, colour)
        else:
            _operate(operation, levels, table, level, 1, rows + 1, colour)

"""The compiled rows of `wave`: plain loops over one row each, which the compiler turns into vector instructions.

Rows are given by address. Written as one function over a two-dimensional array the same loops do not vectorise (0.4
instead of 4 thousand million points a second), for the compiler then cannot tell where rows overlap.

Heights are rounded to float32 in every step, relatively by 6e-8: what a step changes should be larger. A wave of symbol
S changes by λ²S, so waves that need some thousands of steps from one point to the next come out too slow.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from .jit import float_pointer, jit
from .layout import PAD

Floats = NDArray[np.float32]
Runs = tuple[NDArray[np.int64], NDArray[np.int64]]

SIZE = 4  # of a float [bytes]
TWO, FOUR, SIXTEEN, ZERO = np.float32(2.0), np.float32(4.0), np.float32(16.0), np.float32(0.0)
LEVELS = 16  # steps that one sweep takes; twice as many rows should fit in the second-level cache
PIECE = 1024  # points of a row taken at once; five times as many floats should fit in the first-level cache


@jit
def _row_of_four(out: int, up: int, row: int, down: int, nx: int, keep: np.float32, gain: np.float32) -> None:
    """One row with L = gain·(l + r + u + d − 4c): Bressler 2007, eq. (3)."""
    o = numba.carray(float_pointer(out), nx)
    u, d = numba.carray(float_pointer(up), nx), numba.carray(float_pointer(down), nx)
    left, right = numba.carray(float_pointer(row - SIZE), nx), numba.carray(float_pointer(row + SIZE), nx)
    centre = numba.carray(float_pointer(row), nx)
    for j in range(nx):
        c = centre[j]
        around = (left[j] + right[j]) + (u[j] + d[j]) - FOUR * c
        # Not c·(2 − κ − …) − o·(1 − κ) + …: folding the factors of c saves an addition and costs three digits.
        o[j] = c + (keep * (c - o[j]) + gain * around)


@jit
def _column_sums(sums: int, up: int, row: int, down: int, nx: int) -> None:
    """Sum u + 2c + d in every column, also a vector's length beyond either end."""
    n = nx + 2 * PAD
    s = numba.carray(float_pointer(sums - PAD * SIZE), n)
    u = numba.carray(float_pointer(up - PAD * SIZE), n)
    c = numba.carray(float_pointer(row - PAD * SIZE), n)
    d = numba.carray(float_pointer(down - PAD * SIZE), n)
    for j in range(n):
        s[j] = (u[j] + d[j]) + TWO * c[j]


@jit
def _from_column_sums(out: int, sums: int, row: int, nx: int, keep: np.float32, gain: np.float32) -> None:
    """L = gain·(corners + 2·sides − 12c), twice Bressler's eq. (4), from the sums of three columns."""
    o, centre = numba.carray(float_pointer(out), nx), numba.carray(float_pointer(row), nx)
    left, right = numba.carray(float_pointer(sums - SIZE), nx), numba.carray(float_pointer(sums + SIZE), nx)
    middle = numba.carray(float_pointer(sums), nx)
    for j in range(nx):
        c = centre[j]
        around = (left[j] + right[j]) + TWO * middle[j] - SIXTEEN * c
        o[j] = c + (keep * (c - o[j]) + gain * around)


@jit
def _row_of_eight(
    out: int,
    up: int,
    row: int,
    down: int,
    sums: int,
    nx: int,
    keep: np.float32,
    gain: np.float32,
) -> None:
    """One row with all eight neighbours, in pieces so short that they stay in the first-level cache."""
    for start in range(0, nx, PIECE):
        n, at = min(PIECE, nx - start), start * SIZE
        _column_sums(sums, up + at, row + at, down + at, n)
        _from_column_sums(out + at, sums, row + at, n, keep, gain)


@jit
def _zero_runs(row: int, first: int, last: int, ends: NDArray[np.int64]) -> None:
    """Zero the runs `first` to `last` − 1 of a row."""
    for k in range(first, last):
        n = ends[k, 1] - ends[k, 0]
        run = numba.carray(float_pointer(row + ends[k, 0] * SIZE), n)
        for j in range(n):
            run[j] = ZERO


@jit
def _fill_halo(row: int, nx: int, reflecting: bool) -> None:
    """Give a row its neighbours outside the grid on the left and on the right."""
    with_halo = numba.carray(float_pointer(row - SIZE), nx + 2)
    with_halo[0] = with_halo[1] if reflecting else ZERO
    with_halo[nx + 1] = with_halo[nx] if reflecting else ZERO


@jit
def _fill_halo_row(halo: int, row: int, nx: int, reflecting: bool) -> None:
    """Fill the row outside the grid that lies beside `row`, corners too."""
    h, edge = numba.carray(float_pointer(halo - SIZE), nx + 2), numba.carray(float_pointer(row - SIZE), nx + 2)
    for j in range(nx + 2):
        h[j] = edge[j] if reflecting else ZERO


@jit
def _close_row(row: int, i: int, nz: int, stride: int, nx: int, reflecting: bool) -> None:
    """Surround row `i` of 1 … nz with what lies outside the grid, ready to be read by the next step."""
    _fill_halo(row, nx, reflecting)
    if i == 1:
        _fill_halo_row(row - stride, row, nx, reflecting)
    if i == nz:
        _fill_halo_row(row + stride, row, nx, reflecting)


@jit
def _sweep(
    now: int,
    before: int,
    scratch: int,
    runs: Runs,
    nz: int,
    nx: int,
    stride: int,
    keep: np.float32,
    gain: np.float32,
    corners: bool,
    reflecting: bool,
    levels: int,
) -> None:
    """Take `levels` steps in one sweep down the rows, each step one row behind the one before it.

    Row i of a step needs rows i − 1, i and i + 1 of the step before and replaces row i of the one before that, which
    nobody needs any more: so two buffers are enough, and the rows of all levels stay in the cache.
    """
    first, ends = runs
    for r in range(1, nz + levels + 1):
        if r <= nz:
            _close_row(now + r * stride, r, nz, stride, nx, reflecting)
        for level in range(max(1, r - nz), min(levels, r - 1) + 1):
            i = r - level
            row, out = now + i * stride, before + i * stride
            if level % 2 == 0:
                row, out = out, row
            if corners:
                _row_of_eight(out, row - stride, row, row + stride, scratch, nx, keep, gain)
            else:
                _row_of_four(out, row - stride, row, row + stride, nx, keep, gain)
            _zero_runs(out, first[i - 1], first[i], ends)
            _close_row(out, i, nz, stride, nx, reflecting)


@jit
def advance_rows(
    now: Floats,
    before: Floats,
    scratch: Floats,
    first: NDArray[np.int64],
    ends: NDArray[np.int64],
    nx: int,
    keep: np.float32,
    gain: np.float32,
    corners: bool,
    reflecting: bool,
    steps: int,
) -> None:
    """`wave.advance` with everything checked; after an odd number of steps the newest heights are in `before`.

    Args:
        now: h in a buffer of `layout.padded`.
        before: h⁻ likewise.
        scratch: room for one row, as in `layout.TwoLevels`.
        first: numbers of the rows' first runs of fixed points, as in `wave.FixedRuns`.
        ends: where these runs start and stop.
        nx: points a row.
        keep: 1 − κ.
        gain: λ² times the stencil's gain.
        corners: take all eight neighbours, not four.
        reflecting: the border; zeros if not.
        steps: their number.
    """
    nz, stride = now.shape[0] - 2, now.shape[1] * SIZE
    here, there = now.ctypes.data + PAD * SIZE, before.ctypes.data + PAD * SIZE
    sums = scratch.ctypes.data + PAD * SIZE
    for done in range(0, steps, LEVELS):
        levels = min(LEVELS, steps - done)
        _sweep(here, there, sums, (first, ends), nz, nx, stride, keep, gain, corners, reflecting, levels)
        if levels % 2 == 1:
            here, there = there, here

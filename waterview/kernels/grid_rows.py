"""The compiled rows of `grid_step.advance_velocity`: second differences first, mended beside land, and then the step.

Rows are given by address, as in `wave_rows`, for the loops over them to become vector instructions.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from .jit import float_pointer, jit
from .layout import PAD

Floats = NDArray[np.float32]
Runs = tuple[NDArray[np.int64], NDArray[np.int64]]
Points = tuple[NDArray[np.int64], NDArray[np.int64], Floats]

SIZE = 4  # of a float [bytes]
TWO, FOUR, ZERO = np.float32(2.0), np.float32(4.0), np.float32(0.0)


@jit
def _differences_of_four(out: int, up: int, row: int, down: int, nx: int) -> None:
    """L = l + r + u + d − 4c."""
    o, centre = numba.carray(float_pointer(out), nx), numba.carray(float_pointer(row), nx)
    u, d = numba.carray(float_pointer(up), nx), numba.carray(float_pointer(down), nx)
    left, right = numba.carray(float_pointer(row - SIZE), nx), numba.carray(float_pointer(row + SIZE), nx)
    for j in range(nx):
        o[j] = (left[j] + right[j]) + (u[j] + d[j]) - FOUR * centre[j]


@jit
def _differences_of_eight(out: int, sums: int, up: int, row: int, down: int, nx: int, corner: np.float32) -> None:
    """L = (1 − 2w)·(sides − 4c) + w·(corners − 4c), from the sums of what lies above and below."""
    n, side = nx + 2, np.float32(1.0) - TWO * corner
    s = numba.carray(float_pointer(sums - SIZE), n)
    u, d = numba.carray(float_pointer(up - SIZE), n), numba.carray(float_pointer(down - SIZE), n)
    for j in range(n):
        s[j] = u[j] + d[j]
    o, centre = numba.carray(float_pointer(out), nx), numba.carray(float_pointer(row), nx)
    left, right = numba.carray(float_pointer(row - SIZE), nx), numba.carray(float_pointer(row + SIZE), nx)
    before, after = numba.carray(float_pointer(sums - SIZE), nx), numba.carray(float_pointer(sums + SIZE), nx)
    middle = numba.carray(float_pointer(sums), nx)
    for j in range(nx):
        four = FOUR * centre[j]
        o[j] = side * ((left[j] + right[j]) + middle[j] - four) + corner * ((before[j] + after[j]) - four)


@jit
def _mend_shores(out: Floats, buffer: Floats, i: int, points: Points) -> None:
    """L = Σ w·(h_neighbour − h) at the points beside land of row `i` of a buffer."""
    first, columns, weights = points
    up, row, down = buffer[i - 1], buffer[i], buffer[i + 1]
    for k in range(first[i - 1], first[i]):
        j = PAD + columns[k]
        c, w = row[j], weights[k]
        above = w[0] * (up[j - 1] - c) + w[1] * (up[j] - c) + w[2] * (up[j + 1] - c)
        beside = w[3] * (row[j - 1] - c) + w[4] * (row[j + 1] - c)
        below = w[5] * (down[j - 1] - c) + w[6] * (down[j] - c) + w[7] * (down[j + 1] - c)
        out[j] = above + beside + below


@jit
def _differences(scratch: Floats, buffer: Floats, i: int, nx: int, corner: np.float32, points: Points) -> int:
    """L of row `i` into the first row of `scratch`; returns the address of its first point."""
    stride = buffer.shape[1] * SIZE
    row = buffer.ctypes.data + i * stride + PAD * SIZE
    out = scratch.ctypes.data + PAD * SIZE
    if corner > ZERO:
        _differences_of_eight(out, out + stride, row - stride, row, row + stride, nx, corner)
    else:
        _differences_of_four(out, row - stride, row, row + stride, nx)
    _mend_shores(scratch[0], buffer, i, points)
    return out


@jit
def _step_velocity(
    out: int,
    speed: int,
    row: int,
    differences: int,
    nx: int,
    keep: np.float32,
    push: np.float32,
    time_step: np.float32,
) -> None:
    """The velocities v in place, and u + vΔt."""
    o, v = numba.carray(float_pointer(out), nx), numba.carray(float_pointer(speed), nx)
    centre, around = numba.carray(float_pointer(row), nx), numba.carray(float_pointer(differences), nx)
    for j in range(nx):
        v[j] = keep * (v[j] + push * around[j])
        o[j] = centre[j] + v[j] * time_step


@jit
def _zero_runs(row: int, first: int, last: int, ends: NDArray[np.int64]) -> None:
    """Zero the runs `first` to `last` − 1 of a row."""
    for k in range(first, last):
        n = ends[k, 1] - ends[k, 0]
        run = numba.carray(float_pointer(row + ends[k, 0] * SIZE), n)
        for j in range(n):
            run[j] = ZERO


@jit
def step_velocity(
    now: Floats,
    after: Floats,
    velocity: Floats,
    scratch: Floats,
    runs: Runs,
    points: Points,
    nx: int,
    corner: np.float32,
    keep: np.float32,
    push: np.float32,
    time_step: np.float32,
) -> None:
    """One step v⁺ = keep·(v + push·L(u)), u⁺ = u + v⁺Δt.

    Args:
        now: u in a buffer of `layout.padded`, its halo filled.
        after: a buffer for u⁺.
        velocity: a buffer with v [m/s], stepped in place; its halo is not read.
        scratch: room for two rows, shape (2, stride).
        runs: fixed points, as in `runs.FixedRuns`; they get u = v = 0.
        points: points beside land: `first`, `columns` and `weights` of `shores.Shores`.
        nx: points a row.
        corner: weight of the corners in L, or 0.
        keep: as in the step.
        push: c²Δt/Δx² [1/s].
        time_step: Δt [s].
    """
    stride = now.shape[1] * SIZE
    first, ends = runs
    for i in range(1, now.shape[0] - 1):
        differences = _differences(scratch, now, i, nx, corner, points)
        at = i * stride + PAD * SIZE
        out, speed = after.ctypes.data + at, velocity.ctypes.data + at
        _step_velocity(out, speed, now.ctypes.data + at, differences, nx, keep, push, time_step)
        _zero_runs(out, first[i - 1], first[i], ends)
        _zero_runs(speed, first[i - 1], first[i], ends)

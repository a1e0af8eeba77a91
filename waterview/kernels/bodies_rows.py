"""Loops over rows of floats given by address: so the compiler makes vectors of them and a call costs nothing.

Addresses and lengths are trusted; `place_in` makes an address from an array whose rows are contiguous. An address does
not keep its array alive, and compiled code gives an array back at the last mention of its name: so take addresses only
of a function's arguments, or inside a loop that goes on to mention the name.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from .jit import float_pointer, int_pointer, jit

ZERO = np.float32(0.0)
OUTER, INNER, MIDDLE = np.float32(0.0625), np.float32(0.25), np.float32(0.375)
SIZE = 4  # of a float and of a basin's number [bytes]

Ends = tuple[np.float32, np.float32]


@jit
def place_in(array: Any, i: int, j: int) -> int:
    """Address of the float [i, j] of an array."""
    return int(array.ctypes.data + i * array.strides[0] + j * SIZE)


@jit
def add(out: int, row: int, n: int, factor: np.float32) -> None:
    """Add factor·row."""
    o, r = numba.carray(float_pointer(out), n), numba.carray(float_pointer(row), n)
    for j in range(n):
        o[j] += factor * r[j]


@jit
def scale(out: int, n: int, factor: np.float32) -> None:
    """Multiply a row by a factor."""
    o = numba.carray(float_pointer(out), n)
    for j in range(n):
        o[j] *= factor


@jit
def copy(out: int, row: int, n: int) -> None:
    """Copy a row."""
    o, r = numba.carray(float_pointer(out), n), numba.carray(float_pointer(row), n)
    for j in range(n):
        o[j] = r[j]


@jit
def mix(out: int, row: int, step: int, n: int) -> None:
    """Smooth by 1/16, ¼, ⅜, ¼, 1/16 over places `step` bytes apart, the middle ones at `row`: ¼, ½, ¼ taken twice."""
    o, c = numba.carray(float_pointer(out), n), numba.carray(float_pointer(row), n)
    a, b = numba.carray(float_pointer(row - 2 * step), n), numba.carray(float_pointer(row - step), n)
    d, e = numba.carray(float_pointer(row + step), n), numba.carray(float_pointer(row + 2 * step), n)
    for j in range(n):
        o[j] = OUTER * (a[j] + e[j]) + INNER * (b[j] + d[j]) + MIDDLE * c[j]


@jit
def ring_sums(sums: int, squares: int, basins: int, n: int, number: np.int32, ends: Ends) -> None:
    """Add weights max(0, (q − a)(b − q)) of `squares` q to `sums`, where a point of `basins` has the number.

    Args:
        sums: float32.
        squares: float32.
        basins: int32.
        n: number of points.
        number: of a basin.
        ends: a and b.
    """
    s, q = numba.carray(float_pointer(sums), n), numba.carray(float_pointer(squares), n)
    b = numba.carray(int_pointer(basins), n)
    for j in range(n):
        weight = max((q[j] - ends[0]) * (ends[1] - q[j]), ZERO)
        s[j] += weight if b[j] == number else ZERO


@jit
def add_ring(
    first: int, second: int, squares: int, basins: int, n: int, number: np.int32, ends: Ends, factor: np.float32
) -> None:
    """Add the weights of `ring_sums` times `factor` to two rows."""
    f, s = numba.carray(float_pointer(first), n), numba.carray(float_pointer(second), n)
    q, b = numba.carray(float_pointer(squares), n), numba.carray(int_pointer(basins), n)
    for j in range(n):
        weight = max((q[j] - ends[0]) * (ends[1] - q[j]), ZERO) * factor
        weight = weight if b[j] == number else ZERO
        f[j] += weight
        s[j] += weight


@jit
def add_both(first: int, second: int, row: int, n: int, factor: np.float32) -> None:
    """Add factor·row to two rows."""
    f, s = numba.carray(float_pointer(first), n), numba.carray(float_pointer(second), n)
    r = numba.carray(float_pointer(row), n)
    for j in range(n):
        f[j] += factor * r[j]
        s[j] += factor * r[j]


@jit
def exchange(out: int, rows: tuple[int, int, int], basins: tuple[int, int, int], n: int) -> None:
    """Smooth by ¼, ½, ¼, with neighbours of the same basin only.

    Args:
        out: result.
        rows: the neighbours before, the middle places and the neighbours behind.
        basins: theirs, int32.
        n: number of places.
    """
    o, c, k = (
        numba.carray(float_pointer(out), n),
        numba.carray(float_pointer(rows[1]), n),
        numba.carray(int_pointer(basins[1]), n),
    )
    a, ka = numba.carray(float_pointer(rows[0]), n), numba.carray(int_pointer(basins[0]), n)
    e, ke = numba.carray(float_pointer(rows[2]), n), numba.carray(int_pointer(basins[2]), n)
    for j in range(n):
        before = a[j] - c[j] if ka[j] == k[j] else ZERO
        behind = e[j] - c[j] if ke[j] == k[j] else ZERO
        o[j] = c[j] + INNER * (before + behind)


@jit
def sphere(out: int, across: int, n: int, chord: np.float32, above: np.float32) -> None:
    """A sphere's columns: from its lower side up to its upper side or the water's level, whichever is lower.

    Args:
        out: the row [m].
        across: x of its points from the sphere's centre [m].
        n: number of points.
        chord: square of half the sphere's width in this row [m²].
        above: the centre's height above that level [m].
    """
    o, x = numba.carray(float_pointer(out), n), numba.carray(float_pointer(across), n)
    for j in range(n):
        half = np.sqrt(max(chord - x[j] * x[j], ZERO))
        o[j] = max(min(above + half, ZERO) - (above - half), ZERO)

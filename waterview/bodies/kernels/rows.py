"""Loops over rows of floats given by address: vectors of sixteen, then what is left, one by one.

Rows whose length is a multiple of `STRIP` are quick. Addresses and lengths are trusted; `place_in` makes an address
from an array whose rows are contiguous. An address does not keep its array alive, and compiled code gives an array back
at the last mention of its name: so take addresses only of a function's arguments, or inside a loop that goes on to
mention the name.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from waterview.simd.choices import greatest, least
from waterview.simd.jit import Static, float_pointer, int_pointer, jit, part
from waterview.simd.vectors import SIZE, filled, give, load_anywhere, root

from .records import STRIP

ZERO = np.float32(0.0)
QUARTER = np.float32(0.25)

# The same on every processor: so sums have the same bits on all of them.
WIDTH, HERE = Static(STRIP), Static(0)


@part
def positive(vector: Any) -> Any:
    """A vector where it is above 0, and 0 elsewhere."""
    return greatest(vector, filled(WIDTH, ZERO))


@jit
def in_strips(n: int) -> int:
    """A length rounded up to whole strips."""
    return -(-n // STRIP) * STRIP


@jit
def place_in(array: Any, i: int, j: int) -> int:
    """Address of the float [i, j] of an array."""
    return int(array.ctypes.data + i * array.strides[0] + j * SIZE)


@jit
def scale(out: int, n: int, factor: np.float32) -> None:
    """Multiply a row by a factor."""
    o = numba.carray(float_pointer(out), n)
    for j in range(n):
        o[j] *= factor


@jit
def add_both(first: int, second: int, row: int, n: int, factor: np.float32) -> None:
    """Add factor·row to two rows."""
    for k in range(n // STRIP):
        at = k * STRIP * SIZE
        added = factor * load_anywhere(WIDTH, row + at)
        give(HERE, first + at, load_anywhere(WIDTH, first + at) + added)
        give(HERE, second + at, load_anywhere(WIDTH, second + at) + added)
    f, s = numba.carray(float_pointer(first), n), numba.carray(float_pointer(second), n)
    r = numba.carray(float_pointer(row), n)
    for j in range(n // STRIP * STRIP, n):
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
        o[j] = c[j] + QUARTER * (before + behind)


@part
def sphere(out: int, squares: int, strips: int, chord: np.float32, above: np.float32) -> None:
    """A sphere's columns: from its lower side up to its upper side or the water's level, whichever is lower.

    Args:
        out: the row [m].
        squares: of its points' distances along x from the sphere's centre [m²].
        strips: number of points, in strips.
        chord: square of half the sphere's width in this row [m²].
        above: the centre's height above that level [m].
    """
    for k in range(strips):
        half = root(positive(chord - load_anywhere(WIDTH, squares + k * STRIP * SIZE)))
        top = least(above + half, filled(WIDTH, ZERO))
        give(HERE, out + k * STRIP * SIZE, positive(top - (above - half)))

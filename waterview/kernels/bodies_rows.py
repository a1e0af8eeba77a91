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

from .bodies import STRIP
from .choices import least
from .jit import Static, float_pointer, int_pointer, jit, part
from .vectors import SIZE, filled, give, load_anywhere, root

ZERO = np.float32(0.0)
OUTER, INNER, MIDDLE = np.float32(0.0625), np.float32(0.25), np.float32(0.375)

# The same on every processor: so sums have the same bits on all of them.
WIDTH, HERE = Static(STRIP), Static(0)

Ends = tuple[np.float32, np.float32]


@part
def positive(vector: Any) -> Any:
    """A vector where it is above 0, and 0 elsewhere."""
    return vector - least(vector, filled(WIDTH, ZERO))


@jit
def in_strips(n: int) -> int:
    """A length rounded up to whole strips."""
    return -(-n // STRIP) * STRIP


@jit
def place_in(array: Any, i: int, j: int) -> int:
    """Address of the float [i, j] of an array."""
    return int(array.ctypes.data + i * array.strides[0] + j * SIZE)


@jit
def add(out: int, row: int, n: int, factor: np.float32) -> None:
    """Add factor·row."""
    for k in range(n // STRIP):
        at = out + k * STRIP * SIZE
        give(HERE, at, load_anywhere(WIDTH, at) + factor * load_anywhere(WIDTH, row + k * STRIP * SIZE))
    o, r = numba.carray(float_pointer(out), n), numba.carray(float_pointer(row), n)
    for j in range(n // STRIP * STRIP, n):
        o[j] += factor * r[j]


@jit
def scale(out: int, n: int, factor: np.float32) -> None:
    """Multiply a row by a factor."""
    o = numba.carray(float_pointer(out), n)
    for j in range(n):
        o[j] *= factor


@jit
def mix(out: int, row: int, step: int, n: int) -> None:
    """Smooth by 1/16, ¼, ⅜, ¼, 1/16 over places `step` bytes apart, the middle ones at `row`: ¼, ½, ¼ taken twice."""
    for k in range(n // STRIP):
        at = row + k * STRIP * SIZE
        far = load_anywhere(WIDTH, at - 2 * step) + load_anywhere(WIDTH, at + 2 * step)
        near = load_anywhere(WIDTH, at - step) + load_anywhere(WIDTH, at + step)
        give(HERE, out + k * STRIP * SIZE, OUTER * far + INNER * near + MIDDLE * load_anywhere(WIDTH, at))
    o, c = numba.carray(float_pointer(out), n), numba.carray(float_pointer(row), n)
    a, b = numba.carray(float_pointer(row - 2 * step), n), numba.carray(float_pointer(row - step), n)
    d, e = numba.carray(float_pointer(row + step), n), numba.carray(float_pointer(row + 2 * step), n)
    for j in range(n // STRIP * STRIP, n):
        o[j] = OUTER * (a[j] + e[j]) + INNER * (b[j] + d[j]) + MIDDLE * c[j]


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
        o[j] = c[j] + INNER * (before + behind)


@jit
def sphere(out: int, across: int, strips: int, chord: np.float32, above: np.float32) -> None:
    """A sphere's columns: from its lower side up to its upper side or the water's level, whichever is lower.

    Args:
        out: the row [m].
        across: x of its points from the sphere's centre [m].
        strips: number of points, in strips.
        chord: square of half the sphere's width in this row [m²].
        above: the centre's height above that level [m].
    """
    for k in range(strips):
        x = load_anywhere(WIDTH, across + k * STRIP * SIZE)
        half = root(positive(chord - x * x))
        top = above + half
        wet = top - positive(top)  # the upper side or the level, whichever is lower
        give(HERE, out + k * STRIP * SIZE, positive(wet - (above - half)))

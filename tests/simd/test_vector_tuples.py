"""Tuples of vectors: each of them is loaded, stored and shifted as a vector alone."""

from typing import Any, NamedTuple

import numpy as np
from support.vectors import ALL_WIDTHS, SIZE, rows

from waterview.simd.jit import Static, jit
from waterview.simd.vector_tuples import each_left_of, each_right_of, load_each, store_each
from waterview.simd.vectors import width_of

TWO = Static(2)


class Pair(NamedTuple):
    one: Any
    other: Any


@jit
def shift(width, at, stride):
    here = Pair(*load_each(width, TWO, at, stride))
    beyond = Pair(*load_each(width, TWO, at + width_of(width) * SIZE, stride))
    store_each(at + 2 * stride, stride, each_left_of(here, beyond))
    store_each(at + 4 * stride, stride, Pair(each_right_of(here, beyond).other, here.one))


@ALL_WIDTHS
def test_each_vector_goes_its_own_way(width):
    table, at, stride = rows(6)
    shift(Static(width), at, stride)
    start, line = 16, slice(16, 16 + width)
    np.testing.assert_array_equal(table[2:4, line], table[:2, start + width - 1 : start + 2 * width - 1])
    np.testing.assert_array_equal(table[4, line], table[1, start + 1 : start + width + 1])
    np.testing.assert_array_equal(table[5, line], table[0, line])

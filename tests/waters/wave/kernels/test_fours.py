"""Vectors of fours beside numpy, for every length."""

import numpy as np
import pytest
from support.vectors import SIZE, rows

from waterview.simd.jit import Static, jit
from waterview.simd.processor import WIDTHS
from waterview.simd.vectors import load, store
from waterview.waters.wave.kernels.fours import after_in_fours, before_in_fours, load_column, spread, store_firsts

HOLDING_FOURS = pytest.mark.parametrize("width", WIDTHS)


@jit
def within_fours(vector_width, at, stride):
    here, other = load(vector_width, at), load(vector_width, at + stride)
    store(at + 2 * stride, before_in_fours(here, other))
    store(at + 3 * stride, after_in_fours(here, other))


@jit
def each_four_times(quarter, at, stride):
    store(at + stride, spread(load(quarter, at)))


@jit
def column(vector_width, at, stride, out):
    up, here, down = load_column(vector_width, at, stride)
    store(out, up)
    store(out + stride, here)
    store(out + 2 * stride, down)


@jit
def firsts(vector_width, at, out, apart):
    store_firsts(out, apart, load(vector_width, at))


@HOLDING_FOURS
def test_neighbours_stay_within_their_four(width):
    table, at, stride = rows(4)
    within_fours(Static(width), at, stride)
    here, other, before, after = (row[16 : 16 + width].reshape(-1, 4) for row in table)
    np.testing.assert_array_equal(before, np.c_[other[:, :1], here[:, :3]])
    np.testing.assert_array_equal(after, np.c_[here[:, 1:], other[:, 3:]])


@HOLDING_FOURS
def test_every_lane_is_spread_over_four(width):
    table, at, stride = rows(2)
    each_four_times(Static(width // 4), at, stride)
    np.testing.assert_array_equal(table[1, 16 : 16 + width], np.repeat(table[0, 16 : 16 + width // 4], 4))


@HOLDING_FOURS
def test_a_column_is_read_with_what_lies_above_and_below(width):
    table, at, stride = rows(width + 5)
    expected = table[: width + 2, 19].copy()
    column(Static(width), at + stride + 3 * SIZE, stride, at + (width + 2) * stride)
    for k in range(3):
        np.testing.assert_array_equal(table[width + 2 + k, 16 : 16 + width], expected[k : k + width])


@HOLDING_FOURS
def test_the_first_of_each_four_go_into_a_column(width):
    table, at, stride = rows(6)
    expected = table.copy()
    expected[1 : 1 + width // 4, 21] = table[0, 16 : 16 + width : 4]
    firsts(Static(width), at, at + stride + 5 * SIZE, stride)
    np.testing.assert_array_equal(table, expected)

"""Vectors in kernels: every operation beside numpy's, for every length."""

import numpy as np
import pytest
from support.vectors import ALL_WIDTHS, SIZE, rows

from waterview.simd.jit import Static, jit, part
from waterview.simd.processor import FUSED, WIDTHS
from waterview.simd.vectors import (
    even_lanes,
    first_pairs,
    fma,
    last_pairs,
    left_of,
    load,
    load_rows,
    load_rows_and_neighbours,
    lower,
    odd_lanes,
    right_of,
    store,
    store_rows,
    upper,
    width_of,
)


@jit
def arithmetic(lanes, at, stride, factor):
    a, b, c = load(lanes, at), load(lanes, at + stride), load(lanes, at + 2 * stride)
    store(at + 3 * stride, a + b)
    store(at + 4 * stride, a - b)
    store(at + 5 * stride, a * b)
    store(at + 6 * stride, factor * a)
    store(at + 7 * stride, fma(a, b, c))
    store(at + 8 * stride, fma(factor, b, c))
    store(at + 9 * stride, factor + a)
    return width_of(lanes)


@part
def three(lanes, at):
    length = width_of(lanes) * SIZE
    return load(lanes, at - length), load(lanes, at), load(lanes, at + length)


@jit
def neighbours(lanes, at, stride):
    before, here, after = three(lanes, at)
    store(at + stride, left_of(before, here))
    store(at + 2 * stride, right_of(here, after))


@jit
def of_floats(factor, x, y):
    return fma(factor, x, y)


@ALL_WIDTHS
def test_sums_and_products_are_those_of_floats(width):
    table, at, stride = rows(10)
    factor = np.float32(0.3)
    assert arithmetic(Static(width), at, stride, factor) == width
    a, b, c, *results = table[:, 16 : 16 + width]
    for got, expected in zip(results[:4], (a + b, a - b, a * b, factor * a), strict=True):
        np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(results[6], factor + a)
    assert not table[3:, :16].any() and not table[3:, 16 + width :].any(), "nothing beside the vector is touched"
    if FUSED:
        exact = a.astype(float) * b + c, float(factor) * b.astype(float) + c
        for got, expected in zip(results[4:6], exact, strict=True):
            np.testing.assert_array_equal(got, expected.astype(np.float32))
    else:
        np.testing.assert_array_equal(results[4], a * b + c)
        np.testing.assert_array_equal(results[5], factor * b + c)


def test_floats_are_multiplied_and_added_like_vectors():
    table, at, stride = rows(10)
    arithmetic(Static(4), at, stride, np.float32(0.3))
    single = [of_floats(np.float32(0.3), b, c) for b, c in zip(table[1, 16:20], table[2, 16:20], strict=True)]
    np.testing.assert_array_equal(np.float32(single), table[8, 16:20])


@pytest.mark.parametrize("width", [*WIDTHS, 1])
def test_neighbours_are_the_points_beside(width):
    table, at, stride = rows(3)
    values = table[0].copy()
    neighbours(Static(width), at, stride)
    np.testing.assert_array_equal(table[1, 16 : 16 + width], values[15 : 15 + width])
    np.testing.assert_array_equal(table[2, 16 : 16 + width], values[17 : 17 + width])


@jit
def of_blocks(width, rows, at, stride, factor):
    around = load_rows_and_neighbours(width, rows, at + stride, stride)
    here = load_rows(width, rows, at + stride, stride)
    store_rows(at + 5 * stride, stride, fma(factor, here, upper(upper(around)) + lower(lower(around))))


@jit
def neighbours_of_blocks(width, rows, at, stride):
    length = width_of(width) * SIZE
    before, here = load_rows(width, rows, at - length, stride), load_rows(width, rows, at, stride)
    store_rows(at + 5 * stride, stride, left_of(before, here))


@pytest.mark.parametrize("width", [*WIDTHS, 1])
@pytest.mark.parametrize("number", [1, 3])
def test_what_is_done_with_a_block_is_done_with_each_of_its_rows(width, number):
    table, at, stride = rows(9)
    table[:5] = np.random.default_rng(3).uniform(-2.0, 2.0, (5, 64))
    of_blocks(Static(width), Static(number), at, stride, np.float32(-4.0))
    shown = slice(16, 16 + width)
    expected = np.float32(-4.0) * table[1:4, shown] + (table[0:3, shown] + table[2:5, shown])
    np.testing.assert_allclose(table[5 : 5 + number, shown], expected[:number], rtol=1e-6)
    assert not table[5 + number :].any()


@pytest.mark.parametrize("width", WIDTHS)
def test_neighbours_of_a_block_are_those_of_its_rows(width):
    table, at, stride = rows(9)
    neighbours_of_blocks(Static(width), Static(2), at, stride)
    np.testing.assert_array_equal(table[5:7, 16 : 16 + width], table[:2, 15 : 15 + width])


@jit
def pairs(lanes, at, stride):
    low, high = load(lanes, at), load(lanes, at + width_of(lanes) * SIZE)
    evens, odds = even_lanes(low, high), odd_lanes(low, high)
    store(at + stride, evens)
    store(at + 2 * stride, odds)
    store(at + 3 * stride, first_pairs(evens, odds))
    store(at + 4 * stride, last_pairs(evens, odds))


@ALL_WIDTHS
def test_every_other_lane_is_taken_out_and_put_back(width):
    table, at, stride = rows(5)
    pairs(Static(width), at, stride)
    both, lanes = table[0, 16 : 16 + 2 * width], table[:, 16 : 16 + width]
    np.testing.assert_array_equal(lanes[1:], [both[::2], both[1::2], both[:width], both[width:]])

"""Choices among the lanes of vectors, beside numpy's, for every length."""

import numpy as np
import pytest
from support.vectors import ALL_WIDTHS, rows

from waterview.simd.choices import any_beyond, any_bits, choose, greatest, least, where_set
from waterview.simd.jit import Static, jit
from waterview.simd.processor import WIDTHS
from waterview.simd.vectors import load, load_rows, store, store_rows


@jit
def choices(lanes, at, stride, bits, column, bound):
    store(at + stride, where_set(load(lanes, at), bits, 0, column))
    return any_bits(load(lanes, at)), any_beyond(bound, load(lanes, at))


@jit
def smaller_and_larger(lanes, at, stride):
    store(at + 3 * stride, least(load(lanes, at), load(lanes, at + stride)))
    store(at + 4 * stride, greatest(load(lanes, at), load(lanes, at + stride)))


@jit
def one_of_two(lanes, at, stride, bits, column):
    store(at + 2 * stride, choose(load(lanes, at), load(lanes, at + stride), bits, 0, column))


@ALL_WIDTHS
@pytest.mark.parametrize("number", [0, 1, 3])
def test_points_whose_bit_is_not_set_become_zero(width, number):
    table, at, stride = rows(3)
    column = number * width
    marks = np.random.default_rng(number).random(64) < 0.5
    bits = np.packbits(marks, bitorder="little")
    choices(Static(width), at, stride, bits.ctypes.data, column, np.float32(0.0))
    expected = np.where(marks[column : column + width], table[0, 16 : 16 + width], 0.0)
    np.testing.assert_array_equal(table[1, 16 : 16 + width], expected)


@ALL_WIDTHS
def test_the_least_and_the_greatest_of_two_are_taken_lane_by_lane(width):
    table, at, stride = rows(5)
    smaller_and_larger(Static(width), at, stride)
    here = slice(16, 16 + width)
    np.testing.assert_array_equal(table[3, here], np.minimum(table[0, here], table[1, here]))
    np.testing.assert_array_equal(table[4, here], np.maximum(table[0, here], table[1, here]))


@ALL_WIDTHS
def test_each_lane_is_taken_from_one_of_two_vectors_by_its_bit(width):
    table, at, stride = rows(3)
    marks = np.random.default_rng(width).random(64) < 0.5
    one_of_two(Static(width), at, stride, np.packbits(marks, bitorder="little").ctypes.data, width)
    expected = np.where(marks[width : 2 * width], *table[:2, 16 : 16 + width])
    np.testing.assert_array_equal(table[2, 16 : 16 + width], expected)


@ALL_WIDTHS
def test_one_large_value_is_found(width):
    table, at, stride = rows(3)
    bits = np.full(8, 255, np.uint8)
    table[0] = 9.0
    for value, large in ((0.4, False), (0.5, True), (-0.6, True), (-0.0, False), (-np.inf, True), (np.nan, True)):
        for lane in (0, width - 1):
            table[0, 16 : 16 + width] = 0.25
            table[0, 16 + lane] = value
            assert choices(Static(width), at, stride, bits.ctypes.data, 0, np.float32(0.5))[1] == large


@ALL_WIDTHS
def test_only_zeros_have_no_bits(width):
    table, at, stride = rows(3)
    bits = np.full(8, 255, np.uint8)
    rest = Static(width), at, stride, bits.ctypes.data, 0, np.float32(0.0)
    table[0] = 7.0
    table[0, 16 : 16 + width] = 0.0
    assert not choices(*rest)[0]
    for value in (1.0, -0.0, 1e-45, np.nan):
        for lane in (0, width - 1):
            table[0, 16 : 16 + width] = 0.0
            table[0, 16 + lane] = value
            assert choices(*rest)[0]


@jit
def chosen_in_blocks(width, number, at, stride, bits, line):
    block = load_rows(width, number, at, stride)
    store_rows(at + 3 * stride, stride, where_set(block, bits, line, 0))


@pytest.mark.parametrize("width", WIDTHS)
def test_each_row_of_a_block_has_bits_of_its_own(width):
    table, at, stride = rows(6)
    bits = np.random.default_rng(5).integers(0, 256, (2, 7), np.uint8)
    chosen_in_blocks(Static(width), Static(2), at, stride, bits.ctypes.data, bits.strides[0])
    masks = np.unpackbits(bits, axis=1, bitorder="little")[:, :width]
    np.testing.assert_array_equal(table[3:5, 16 : 16 + width], table[:2, 16 : 16 + width] * masks)

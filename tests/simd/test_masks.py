"""Masks and formulas with cases, beside numpy's, for every length of vector."""

import numpy as np
import pytest
from support.vectors import ALL_WIDTHS, rows

from waterview.simd.jit import Static, jit
from waterview.simd.masks import all_lanes, alternate_lanes, first_lanes, largest_lane, where
from waterview.simd.vectors import load, store

HALF = np.float32(0.5)


@jit
def arithmetic(width, at, stride):
    a, b = load(width, at), load(width, at + stride)
    store(at + 3 * stride, a / b)
    store(at + 4 * stride, HALF / abs(a))
    store(at + 5 * stride, max(a, b, HALF))
    store(at + 6 * stride, min(HALF, a))
    return largest_lane(a)


@jit
def cases(width, at, stride, count):
    a, b = load(width, at), load(width, at + stride)
    store(at + 3 * stride, where((a < b) & (a > HALF), a, b))
    store(at + 4 * stride, where((a < b) | (b < HALF), a, HALF))
    store(at + 5 * stride, where((a < HALF) ^ (b < HALF), HALF, b))
    store(at + 6 * stride, where(first_lanes(width, count), a, b))
    return all_lanes(a < b), all_lanes(a - a < HALF)


@ALL_WIDTHS
def test_quotients_sizes_and_extremes_are_taken_lane_by_lane(width):
    table, at, stride = rows(7)
    largest = arithmetic(Static(width), at, stride)
    lanes = table[:, 16 : 16 + width]
    a, b = lanes[:2]
    expected = a / b, HALF / np.abs(a), np.maximum(np.maximum(a, b), HALF), np.minimum(a, HALF)
    np.testing.assert_array_equal(lanes[3:7], expected)
    assert largest == a.max()


@ALL_WIDTHS
@pytest.mark.parametrize("count", [-3, 0, 1, 7, 40])
def test_each_lane_goes_its_own_way_through_cases(width, count):
    table, at, stride = rows(7, seed=width)
    a_is_less, always = cases(Static(width), at, stride, count)
    lanes = table[:, 16 : 16 + width]
    a, b = lanes[:2]
    expected = (
        np.where((a < b) & (a > HALF), a, b),
        np.where((a < b) | (b < HALF), a, HALF),
        np.where((a < HALF) ^ (b < HALF), HALF, b),
        np.where(np.arange(width) < count, a, b),
    )
    np.testing.assert_array_equal(lanes[3:7], expected)
    assert a_is_less == (a < b).all() and always


def test_every_lane_counts():
    table, at, stride = rows(7)
    table[0], table[1] = 0.0, 1.0
    assert cases(Static(16), at, stride, 0)[0]
    for lane in range(16):
        table[0, 16 + lane] = 2.0
        assert not cases(Static(16), at, stride, 0)[0] and arithmetic(Static(16), at, stride) == 2.0
        table[0, 16 + lane] = 0.0


@jit
def alternate(width, at, stride, first):
    store(at + stride, where(alternate_lanes(width, first), load(width, at), HALF))


@ALL_WIDTHS
@pytest.mark.parametrize("first", [0, 1])
def test_every_other_lane_is_chosen(width, first):
    table, at, stride = rows(2)
    alternate(Static(width), at, stride, first)
    lanes = table[:, 16 : 16 + width]
    np.testing.assert_array_equal(lanes[1], np.where(np.arange(width) % 2 == first, lanes[0], HALF))

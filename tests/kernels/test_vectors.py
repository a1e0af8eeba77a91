"""Vectors in kernels: every operation beside numpy's, for every length."""

import numpy as np
import pytest

from waterview.kernels import vectors
from waterview.kernels.jit import Static, jit
from waterview.kernels.layout import aligned_zeros
from waterview.kernels.vectors import (
    PLAIN,
    WIDTHS,
    any_beyond,
    any_bits,
    choose,
    fma,
    least,
    left_of,
    load,
    right_of,
    store,
    where_set,
    width_of,
)

ALL = pytest.mark.parametrize("width", [*WIDTHS, PLAIN])
SIZE = 4


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


@jit
def neighbours(lanes, at, stride):
    length = width_of(lanes) * SIZE
    before, here, after = load(lanes, at - length), load(lanes, at), load(lanes, at + length)
    store(at + stride, left_of(before, here))
    store(at + 2 * stride, right_of(here, after))


@jit
def choices(lanes, at, stride, bits, column, bound):
    store(at + stride, where_set(load(lanes, at), bits, column))
    return any_bits(load(lanes, at)), any_beyond(bound, load(lanes, at))


@jit
def smaller(lanes, at, stride):
    store(at + 3 * stride, least(load(lanes, at), load(lanes, at + stride)))


@jit
def one_of_two(lanes, at, stride, bits, column):
    store(at + 2 * stride, choose(load(lanes, at), load(lanes, at + stride), bits, column))


@jit
def of_floats(factor, x, y):
    return fma(factor, x, y)


def rows(number, seed=0):
    """Random rows of 64 floats whose 16th lies at an address that suits every vector."""
    rows = aligned_zeros(number, 64)
    rows[:3] = np.random.default_rng(seed).uniform(-2.0, 2.0, (min(number, 3), 64))
    return rows, rows.ctypes.data + 16 * SIZE, rows.strides[0]


@ALL
def test_sums_and_products_are_those_of_floats(width):
    table, at, stride = rows(10)
    factor = np.float32(0.3)
    assert arithmetic(Static(width), at, stride, factor) == width
    a, b, c, *results = table[:, 16 : 16 + width]
    for got, expected in zip(results[:4], (a + b, a - b, a * b, factor * a), strict=True):
        np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(results[6], factor + a)
    assert not table[3:, :16].any() and not table[3:, 16 + width :].any(), "nothing beside the vector is touched"
    if vectors.FUSED:
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


@ALL
def test_neighbours_are_the_points_beside(width):
    table, at, stride = rows(3)
    values = table[0].copy()
    neighbours(Static(width), at, stride)
    np.testing.assert_array_equal(table[1, 16 : 16 + width], values[15 : 15 + width])
    np.testing.assert_array_equal(table[2, 16 : 16 + width], values[17 : 17 + width])


@ALL
@pytest.mark.parametrize("number", [0, 1, 3])
def test_points_whose_bit_is_not_set_become_zero(width, number):
    table, at, stride = rows(3)
    column = number * width
    marks = np.random.default_rng(number).random(64) < 0.5
    bits = np.packbits(marks, bitorder="little")
    choices(Static(width), at, stride, bits.ctypes.data, column, np.float32(0.0))
    expected = np.where(marks[column : column + width], table[0, 16 : 16 + width], 0.0)
    np.testing.assert_array_equal(table[1, 16 : 16 + width], expected)


@ALL
def test_the_least_of_two_is_taken_lane_by_lane(width):
    table, at, stride = rows(4)
    smaller(Static(width), at, stride)
    expected = np.minimum(table[0, 16 : 16 + width], table[1, 16 : 16 + width])
    np.testing.assert_array_equal(table[3, 16 : 16 + width], expected)


@ALL
def test_each_lane_is_taken_from_one_of_two_vectors_by_its_bit(width):
    table, at, stride = rows(3)
    marks = np.random.default_rng(width).random(64) < 0.5
    one_of_two(Static(width), at, stride, np.packbits(marks, bitorder="little").ctypes.data, width)
    expected = np.where(marks[width : 2 * width], *table[:2, 16 : 16 + width])
    np.testing.assert_array_equal(table[2, 16 : 16 + width], expected)


@ALL
def test_one_large_value_is_found(width):
    table, at, stride = rows(3)
    bits = np.full(8, 255, np.uint8)
    table[0] = 9.0
    for value, large in ((0.4, False), (0.5, True), (-0.6, True), (-0.0, False), (-np.inf, True), (np.nan, True)):
        for lane in (0, width - 1):
            table[0, 16 : 16 + width] = 0.25
            table[0, 16 + lane] = value
            assert choices(Static(width), at, stride, bits.ctypes.data, 0, np.float32(0.5))[1] == large


@ALL
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


class TestLanes:
    @pytest.fixture(autouse=True)
    def nothing_wanted(self, monkeypatch):
        monkeypatch.delenv(vectors.LANES_VARIABLE, raising=False)

    @pytest.mark.parametrize(
        ("machine", "features", "expected"),
        [
            ("x86_64", {"avx512f": True, "avx2": True, "sse2": True}, 16),
            ("AMD64", {"avx512f": False, "avx2": True, "sse2": True}, 8),
            ("x86_64", {"avx": True, "sse2": True}, 4),
            ("arm64", {}, 4),
            ("aarch64", {"neon": True}, 4),
            ("riscv64", {}, PLAIN),
        ],
    )
    def test_they_follow_from_the_processor(self, monkeypatch, machine, features, expected):
        monkeypatch.setattr(vectors.platform, "machine", lambda: machine)
        monkeypatch.setattr(vectors, "processor_features", lambda: features)
        assert vectors.lanes() == expected

    @pytest.mark.parametrize(("wanted", "expected"), [("16", 16), ("8", 8), ("4", 4), ("1", PLAIN)])
    def test_the_environment_comes_first(self, monkeypatch, wanted, expected):
        monkeypatch.setenv(vectors.LANES_VARIABLE, wanted)
        assert vectors.lanes() == expected

    @pytest.mark.parametrize("nonsense", ["", "3", "many"])
    def test_nonsense_in_the_environment_is_passed_over(self, monkeypatch, nonsense):
        usual = vectors.lanes()
        monkeypatch.setenv(vectors.LANES_VARIABLE, nonsense)
        assert vectors.lanes() == usual

    def test_a_processor_that_numba_was_told_to_compile_for_counts(self, monkeypatch):
        monkeypatch.setattr(vectors.config, "CPU_FEATURES", "+avx2,-avx512f,+fma")
        assert vectors.processor_features() == {"avx2": True, "avx512f": False, "fma": True}
        monkeypatch.setattr(vectors.config, "CPU_FEATURES", None)
        monkeypatch.setattr(vectors.config, "CPU_NAME", "generic")
        assert vectors.processor_features() == {}

    def test_an_unknown_processor_has_no_features(self, monkeypatch):
        def unknown():
            raise RuntimeError("no features for this processor")

        monkeypatch.setattr(vectors.llvmlite.binding, "get_host_cpu_features", unknown)
        assert vectors.processor_features() == {}

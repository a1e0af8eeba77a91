"""Slopes as half floats."""

import numpy as np
import pytest
from reference import equations as reference

from waterview.simd.layout import TwoLevels
from waterview.waters.common.published_surface import MAX_SLOPE, slopes


def field_of(heights):
    field = TwoLevels(heights.shape)
    field.now[:] = 1e3  # the halo must not be read
    field.heights[...] = heights
    return field


@pytest.mark.parametrize("shape", [(2, 2), (2, 17), (17, 2), (33, 47)])
@pytest.mark.parametrize("size", [1e-7, 1e-3, 1.0, 1e3])
def test_they_are_the_plain_ones_to_the_last_bit_of_a_half_float(shape, size):
    heights = (size * np.random.default_rng(1).standard_normal(shape)).astype(np.float32)
    measured = slopes(field_of(heights), 0.5)
    exact = reference.slopes(heights.astype(float), 0.5)
    assert measured.shape == (*shape, 2) and measured.dtype == np.float16
    np.testing.assert_allclose(measured, exact, rtol=2**-11 * 1.01, atol=max(2.0**-25 * 1.01, 2e-7 * size))


def test_an_inclined_plane_has_one_slope_everywhere_the_edges_too():
    z, x = np.mgrid[:9, :12]
    measured = slopes(field_of(0.25 * x - 0.5 * z), 0.5)
    np.testing.assert_array_equal(measured, np.broadcast_to([-0.5, 1.0], (9, 12, 2)))


def test_every_half_float_comes_out_as_numpy_rounds_it():
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    halves = halves[np.isfinite(halves) & (np.abs(halves.astype(float)) < MAX_SLOPE)].astype(np.float32)
    between = (0.5 * (halves[:-1].astype(float) + halves[1:])).astype(np.float32)
    values = np.concatenate(
        [halves, between, np.nextafter(between, np.float32(9e9)), np.nextafter(between, np.float32(-9e9))]
    )
    values = np.resize(values, (values.size // 2, 2))
    # One-sided differences along z of two rows, the first of them 0, are the second row itself.
    for column in values.T:
        heights = np.zeros((2, column.size), np.float32)
        heights[1] = -column
        np.testing.assert_array_equal(slopes(field_of(heights), 1.0)[0, :, 1], column.astype(np.float16))


@pytest.mark.parametrize("spacing", [1e-300, 1e-30, 1e-3, 1e30, 1e300])
def test_they_are_finite_however_steep_the_water(spacing):
    heights = np.zeros((6, 6))
    heights[2:4, 2:4] = [[1e5, -1e5], [-1e5, 1e5]]
    measured = slopes(field_of(heights), spacing).astype(float)
    assert np.isfinite(measured).all()
    assert np.abs(measured).max() <= MAX_SLOPE
    assert not measured[0].any()


def test_the_result_is_a_copy():
    field = field_of(np.ones((4, 4)))
    first = slopes(field, 1.0)
    field.heights[1, 1] = 5.0
    assert not first.any()

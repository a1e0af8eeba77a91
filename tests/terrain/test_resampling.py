import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from waterview.terrain.resampling import catmull_rom, fill_gaps, smooth

# Gaps


def test_without_gaps_nothing_changes():
    values = np.random.default_rng(1).normal(size=(7, 9)).astype(np.float32)
    assert np.array_equal(fill_gaps(values, np.ones((7, 9), bool)), values)


@pytest.mark.parametrize("shape", [(2, 2), (5, 8), (33, 17), (64, 64), (2, 101)])
def test_valid_samples_are_untouched_and_the_others_stay_in_their_range(shape):
    random = np.random.default_rng(2)
    values = random.normal(size=shape).astype(np.float32)
    valid = random.random(shape) < 0.3
    valid[0, 0] = True
    garbage = np.where(valid, values, np.float32(np.nan))
    filled = fill_gaps(garbage, valid)
    assert filled.dtype == np.float32 and np.isfinite(filled).all()
    assert np.array_equal(filled[valid], values[valid])
    assert values[valid].min() <= filled.min() and filled.max() <= values[valid].max()


def test_a_single_sample_fills_everything():
    values, valid = np.zeros((50, 31), np.float32), np.zeros((50, 31), bool)
    values[17, 29], valid[17, 29] = 4.5, True
    assert np.array_equal(fill_gaps(values, valid), np.full((50, 31), 4.5, np.float32))


def test_a_gap_in_a_slope_is_bridged():
    z, x = np.mgrid[0:64, 0:64].astype(np.float32)
    slope = 2.0 * x + z
    valid = np.ones((64, 64), bool)
    valid[24:36, 20:44] = False
    filled = fill_gaps(slope, valid)
    assert np.abs(filled - slope)[~valid].max() < 0.15 * np.ptp(slope)
    assert np.abs(np.diff(filled, axis=1)).max() < 20.0  # no cliffs at the gap's rim


def test_no_side_is_preferred():
    random = np.random.default_rng(3)
    values, valid = random.normal(size=(32, 32)).astype(np.float32), random.random((32, 32)) < 0.1
    filled = fill_gaps(values, valid)
    for turned in (np.s_[::-1], np.s_[:, ::-1]):
        assert np.allclose(fill_gaps(values[turned], valid[turned]), filled[turned], atol=1e-6)
    assert np.allclose(fill_gaps(values.T, valid.T), filled.T, atol=1e-6)


def test_nothing_valid_is_an_error():
    with pytest.raises(ValueError, match="no sample is valid"):
        fill_gaps(np.zeros((3, 3), np.float32), np.zeros((3, 3), bool))


# Smoothing


def mirrored_twin(heights, sigma):
    """Direct convolution with the sampled Gaussian on edges that mirror."""
    n = heights.shape[1]
    offsets = np.arange(-n, n)
    weights = np.exp(-0.5 * (offsets / sigma) ** 2)
    weights /= weights.sum()
    result = np.zeros(heights.shape)
    for offset, weight in zip(offsets, weights, strict=True):
        index = np.mod(np.arange(n) + offset, 2 * n)
        result += weight * heights[:, np.where(index < n, index, 2 * n - 1 - index)]
    return result


@pytest.fixture
def noise():
    return np.random.default_rng(3).normal(size=(20, 33)).astype(np.float32)


@pytest.mark.parametrize("sigma", [0.3, 1.0, 4.0, 100.0])
def test_it_is_the_direct_convolution(noise, sigma):
    twin = mirrored_twin(mirrored_twin(noise.astype(np.float64), sigma).T, sigma).T
    assert np.allclose(smooth(noise, sigma), twin, atol=2e-6)


@pytest.mark.parametrize("sigma", [0.2, 1.5, 30.0])
def test_the_mean_is_kept_and_the_range_not_left(noise, sigma):
    smoothed = smooth(noise, sigma)
    assert smoothed.shape == noise.shape and smoothed.dtype == np.float32
    assert smoothed.mean(dtype=np.float64) == pytest.approx(noise.mean(dtype=np.float64), abs=1e-6)
    assert smoothed.min() >= noise.min() - 1e-5 and smoothed.max() <= noise.max() + 1e-5


def test_zero_changes_nothing(noise):
    assert smooth(noise, 0.0) is noise


def test_a_wave_is_damped_as_theory_says():
    # cos(πp(i+½)/n) mirrors at both edges, so it is an eigenfunction; a Gaussian takes exp(−σ²k²/2) of it.
    n, p, sigma = 64, 6, 2.0
    k = np.pi * p / n
    wave = np.tile(np.cos(k * (np.arange(n) + 0.5)), (4, 1)).astype(np.float32)
    assert np.allclose(smooth(wave, sigma), np.exp(-0.5 * (sigma * k) ** 2) * wave, atol=1e-5)


# Interpolation


def twin(heights, column, row):
    """One point, written out as in the textbook: four splines along x, one along z through their values."""
    nz, nx = heights.shape

    def spline(p, t):
        return 0.5 * (
            2 * p[1] + (p[2] - p[0]) * t + (2 * p[0] - 5 * p[1] + 4 * p[2] - p[3]) * t**2
            + (3 * p[1] - p[0] - 3 * p[2] + p[3]) * t**3
        )  # fmt: skip

    def cell(position, count):
        position = min(max(position, 0.0), count - 1.0)
        first = min(int(position), count - 2)
        return first, position - first

    def four(line, first):
        before = 2 * line[first] - line[first + 1] if first == 0 else line[first - 1]
        after = 2 * line[first + 1] - line[first] if first + 2 == len(line) else line[first + 2]
        return [before, line[first], line[first + 1], after]

    ix, tx = cell(column, nx)
    iz, tz = cell(row, nz)
    lines = [spline(four(heights[k].astype(float), ix), tx) for k in range(nz)]
    value = spline(four(lines, iz), tz)
    around = heights[max(iz - 1, 0) : iz + 3, max(ix - 1, 0) : ix + 3]
    return min(max(value, around.min()), around.max())


@pytest.fixture
def rough():
    return np.random.default_rng(4).normal(size=(6, 9)).astype(np.float32)


@pytest.mark.parametrize("shape", [(2, 2), (2, 7), (3, 3), (6, 9)])
def test_it_equals_the_textbook_twin(shape):
    random = np.random.default_rng(5)
    heights = random.normal(size=shape).astype(np.float32)
    columns = random.uniform(-2, shape[1] + 1, 200)
    rows = random.uniform(-2, shape[0] + 1, 200)
    expected = [twin(heights, column, row) for column, row in zip(columns, rows, strict=True)]
    assert np.allclose(catmull_rom(heights, columns, rows), expected, atol=3e-6)


def test_axis_by_axis_equals_point_by_point(rough):
    columns, rows = np.linspace(-1, 9, 41)[None, :], np.linspace(-1, 6, 37)[:, None]
    fast = catmull_rom(rough, columns, rows)
    slow = catmull_rom(rough, *(np.array(axis) for axis in np.broadcast_arrays(columns, rows)))
    assert fast.shape == (37, 41) and np.array_equal(fast, slow)


def test_samples_are_exact(rough):
    rows, columns = np.indices(rough.shape).astype(float)
    assert np.array_equal(catmull_rom(rough, columns, rows), rough)


def test_planes_are_exact_up_to_the_edges():
    rows, columns = np.indices((5, 7)).astype(np.float32)
    plane = 3.0 * columns - 2.0 * rows + 1.0
    x, z = np.linspace(0, 6, 61)[None, :], np.linspace(0, 4, 41)[:, None]
    assert np.allclose(catmull_rom(plane, x, z), 3.0 * x - 2.0 * z + 1.0, atol=1e-5)


def test_outside_the_edge_goes_on(rough):
    assert catmull_rom(rough, np.array([-5.0, 50.0]), np.array([2.0, 2.0])).tolist() == [rough[2, 0], rough[2, -1]]
    assert catmull_rom(rough, np.array(1e300), np.array(-np.inf)) == rough[0, -1]


def test_no_overshoot_beside_a_wall():
    wall = np.where(np.arange(12) < 6, -1.0, 2.0).astype(np.float32) * np.ones((8, 1), np.float32)
    values = catmull_rom(wall, np.linspace(0, 11, 500)[None, :], np.linspace(0, 7, 9)[:, None])
    assert values.min() == -1.0 and values.max() == 2.0
    assert (np.diff(values[3]) >= 0.0).all()  # the wall rises without a ripple


def test_it_is_smooth_across_samples():
    slope = np.arctan((np.arange(30) - 15) / 4).astype(np.float32)
    heights = np.tile(slope, (4, 1))
    for sample in range(1, 29):
        left, right = catmull_rom(heights, np.array([sample - 0.01, sample + 0.01]), np.array([1.5, 1.5]))
        # The slope at a sample is the same from both sides: that of the chord between its neighbours.
        chord = 0.5 * (slope[sample + 1] - slope[sample - 1])
        assert (slope[sample] - left) / 0.01 == pytest.approx(chord, abs=2e-3)
        assert (right - slope[sample]) / 0.01 == pytest.approx(chord, abs=2e-3)


def test_results_have_the_broadcast_shape(rough):
    assert catmull_rom(rough, np.array(1.0), np.array(2.0)).shape == ()
    assert catmull_rom(rough, np.zeros(3), np.zeros((2, 1))).shape == (2, 3)
    assert catmull_rom(rough, np.zeros((1, 4)), np.zeros((1, 1))).shape == (1, 4)
    assert catmull_rom(rough, np.zeros((0,)), np.zeros((0,))).shape == (0,)
    assert catmull_rom(rough, np.zeros(3), np.zeros(3)).dtype == np.float32


@pytest.mark.slow
@given(st.lists(st.floats(-1e4, 1e4, width=32), min_size=16, max_size=16), st.floats(0, 3), st.floats(0, 3))
def test_it_never_leaves_the_range_around_it(samples, column, row):
    heights = np.array(samples, np.float32).reshape(4, 4)
    value = catmull_rom(heights, np.array(column), np.array(row))
    assert heights.min() <= value <= heights.max()

import numpy as np
import pytest

from waterview.terrain.smoothing import smooth


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
def rough():
    return np.random.default_rng(3).normal(size=(20, 33)).astype(np.float32)


@pytest.mark.parametrize("sigma", [0.3, 1.0, 4.0, 100.0])
def test_it_is_the_direct_convolution(rough, sigma):
    twin = mirrored_twin(mirrored_twin(rough.astype(np.float64), sigma).T, sigma).T
    assert np.allclose(smooth(rough, sigma), twin, atol=2e-6)


@pytest.mark.parametrize("sigma", [0.2, 1.5, 30.0])
def test_the_mean_is_kept_and_the_range_not_left(rough, sigma):
    smoothed = smooth(rough, sigma)
    assert smoothed.shape == rough.shape and smoothed.dtype == np.float32
    assert smoothed.mean(dtype=np.float64) == pytest.approx(rough.mean(dtype=np.float64), abs=1e-6)
    assert smoothed.min() >= rough.min() - 1e-5 and smoothed.max() <= rough.max() + 1e-5


def test_zero_changes_nothing(rough):
    assert smooth(rough, 0.0) is rough


def test_a_wave_is_damped_as_theory_says():
    # cos(πp(i+½)/n) mirrors at both edges, so it is an eigenfunction; a Gaussian takes exp(−σ²k²/2) of it.
    n, p, sigma = 64, 6, 2.0
    k = np.pi * p / n
    wave = np.tile(np.cos(k * (np.arange(n) + 0.5)), (4, 1)).astype(np.float32)
    assert np.allclose(smooth(wave, sigma), np.exp(-0.5 * (sigma * k) ** 2) * wave, atol=1e-5)

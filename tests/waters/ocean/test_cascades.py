"""How a sea is dealt out to cascades."""

import math
from itertools import pairwise

import numpy as np
import pytest

from waterview.waters.ocean.cascades import LEAST_POINTS, divide, random_waves, smooth_size, spline_loss
from waterview.waters.ocean.spectra import Sea, variance

STORM = Sea(wind_speed=25.0, fetch=1e6, depth=4000.0)


def energy(waves, spacing):
    """The variance of height that waves make, averaged over time."""
    share = np.where(np.arange(waves.kx.size) == 0, 1.0, 2.0)
    loss = spline_loss(waves.kz, spacing, waves.stretch)[:, None]
    return float((0.5 * (waves.terms.astype(float) ** 2).sum(axis=0) * share * loss**2).sum())


def test_smooth_sizes_are_even_and_have_small_factors_only():
    assert [smooth_size(n) for n in (1, 2, 7, 61, 127, 211, 512, 513, 1025)] == [2, 2, 8, 64, 128, 216, 512, 540, 1080]


@pytest.mark.parametrize("shape", [(512, 512), (390, 512), (1500, 700), (100, 80), (3, 700)])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_cascades_take_all_lengths_once_and_the_first_covers_the_grid(shape, count):
    parts = divide(shape, 2.0, count, STORM, 1.0)
    assert 1 <= len(parts) <= count
    assert parts[0].longest == 0.0 and parts[-1].shortest == math.inf and parts[-1].stretch == 1
    for part, finer in pairwise(parts):
        assert part.shortest == finer.longest
        assert part.stretch == 2 * finer.stretch
        # Four points of its own for every wave that is blended between them.
        assert 2.0 * math.pi / part.shortest >= 4.0 * part.stretch * 2.0 - 1e-9
    assert all(n * parts[0].stretch >= side for n, side in zip(parts[0].shape, shape, strict=True))
    if len(parts) > 1:
        assert min(min(part.shape) for part in parts) >= LEAST_POINTS
        assert len({part.shape[1] * part.stretch for part in parts}) == len(parts)


def test_the_three_cascades_of_a_large_grid():
    assert [(part.shape, part.stretch) for part in divide((1024, 1024), 1.0, 3, STORM, 1.0)] == [
        ((256, 256), 4),
        ((320, 320), 2),
        ((384, 384), 1),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2, 3])
def test_cascades_together_hold_the_energy_of_the_sea(count):
    sea, shape, spacing = Sea(wind_speed=12.0, depth=4000.0), (512, 512), 2.0
    parts = divide(shape, spacing, count, sea, 1.0)
    found = [
        sum(energy(random_waves(part, spacing, sea, 1.0, [s, n], 0.0), spacing) for n, part in enumerate(parts))
        for s in range(8)
    ]
    assert np.mean(found) == pytest.approx(variance(sea), rel=0.06)


def test_there_are_fewer_cascades_where_short_waves_would_be_seen_to_repeat():
    breeze = Sea(wind_speed=5.0, fetch=20_000.0)  # waves of 15 m
    for spacing, number in ((0.3, 3), (0.6, 2), (4.0, 1)):
        assert len(divide((1024, 1024), spacing, 3, breeze, 1.0)) == number
        assert len(divide((1024, 1024), spacing / 50.0, 3, breeze, 1.0 / 50.0)) == number


def test_waves_of_both_halves_of_the_middle_column_agree():
    waves = random_waves(divide((64, 48), 2.0, 1, Sea(), 1.0)[0], 2.0, Sea(), 1.0, [3], 0.0)
    p, q, u, v = waves.terms[:, :, 0]
    for at in (0.0, 0.9):
        height = (p * np.cos(at) + q * np.sin(at)) + 1j * (u * np.cos(at) + v * np.sin(at))
        np.testing.assert_allclose(height[-np.arange(64)], np.conj(height), atol=1e-7)


def test_nyquist_waves_and_the_mean_are_left_out():
    waves = random_waves(divide((64, 48), 2.0, 1, Sea(), 1.0)[0], 2.0, Sea(), 1.0, [3], 0.0)
    assert not waves.terms[:, 32].any() and not waves.terms[:, :, 24].any() and not waves.terms[:, 0, 0].any()


def test_a_scale_model_has_the_same_waves_in_the_same_time():
    large = random_waves(divide((64, 64), 8.0, 1, Sea(), 1.0)[0], 8.0, Sea(), 1.0, [3], 0.0)
    small = random_waves(divide((64, 64), 0.08, 1, Sea(), 0.01)[0], 0.08, Sea(), 0.01, [3], 0.0)
    np.testing.assert_allclose(small.terms, 0.01 * large.terms, rtol=1e-5)
    np.testing.assert_allclose(small.turns, large.turns, rtol=1e-9)
    np.testing.assert_allclose(small.kx, 100.0 * large.kx, rtol=1e-6)

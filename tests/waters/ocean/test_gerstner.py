"""The simplest ocean, held against Gerstner's formula."""

import math
from dataclasses import replace

import numpy as np
import pytest

from waterview.core.errors import ParameterError
from waterview.waters.ocean.gerstner import GerstnerSurface, gerstner_waves
from waterview.waters.ocean.ocean import OceanWater
from waterview.waters.ocean.spectra import Sea, frequency, significant_height, variance

SEA = Sea(wind_speed=12.0, wind_direction=0.7, fetch=40_000.0, depth=5000.0)
STEEP = Sea(wind_speed=40.0, fetch=8000.0, depth=5000.0)
"""A young sea, so steep that the crests of many waves would loop where they meet."""

SHAPE, SPACING = (40, 56), 2.0


def waves_of(sea=SEA, number=8, *, spacing=SPACING, scale=1.0, seed=3, loop_period=0.0):
    return gerstner_waves(number, spacing, sea, scale, seed, loop_period)


def surface(waves, time, choppiness):
    sea = GerstnerSurface(waves, SHAPE, SPACING)
    sea.evaluate(time)
    return sea.compose(SHAPE, SPACING, choppiness=choppiness)


def by_the_formula(waves, time, choppiness):
    """Heights and shifts of the same points, wave by wave."""
    x, z = np.meshgrid(SPACING * np.arange(SHAPE[1]), SPACING * np.arange(SHAPE[0]))
    height, along_x, along_z = np.zeros((3, *SHAPE))
    for a, kx, kz, omega, phase in zip(*waves, strict=True):
        theta, k = kx * x + kz * z - omega * time + phase, math.hypot(kx, kz)
        height += a * np.cos(theta)
        along_x -= choppiness * a * kx / k * np.sin(theta)
        along_z -= choppiness * a * kz / k * np.sin(theta)
    return height, np.stack((along_x, along_z), axis=-1)


@pytest.mark.parametrize("number", [1, 8])
@pytest.mark.parametrize("time", [0.0, 17.3, 1e6])
def test_the_surface_is_the_sum_of_its_waves(number, time):
    waves = waves_of(number=number)
    found, (height, shift) = surface(waves, time, 0.8), by_the_formula(waves, time, 0.8)
    scale = height.std()
    np.testing.assert_allclose(found.heights, height, atol=2e-6 * scale)
    np.testing.assert_allclose(found.shift, shift, atol=2e-6 * scale)


def test_the_slope_of_one_wave_is_that_of_a_trochoid():
    waves = waves_of(replace(SEA, wind_direction=0.0), 1)
    a, k, omega, phase = waves.amplitude[0], waves.kx[0], waves.frequency[0], waves.phase[0]
    assert abs(waves.kz[0]) < 1e-12 * k and omega == pytest.approx(frequency(k, SEA.depth))
    theta = k * SPACING * np.arange(SHAPE[1]) - omega * 2.5 + phase
    slope = -a * k * np.sin(theta) / (1.0 - a * k * np.cos(theta))
    found = surface(waves, 2.5, 1.0).slopes[11].astype(float)
    np.testing.assert_allclose(found[:, 0], -slope, atol=1e-3 * np.abs(slope).max())
    assert np.abs(found[:, 1]).max() < 1e-6


def test_points_of_one_wave_run_in_circles_as_fast_as_its_frequency():
    water = OceanWater(100.0, 100.0, 48, spectrum="gerstner", gerstner_waves=1, sea_size=0.0, foam=0.0)
    radius, angles = math.sqrt(2.0 * variance(water.sea)), []
    for _ in range(2):
        frame = water.publish(0)
        along = frame.shift.astype(float) @ (math.cos(math.radians(30.0)), math.sin(math.radians(30.0)))
        rounded = 0.5 * np.spacing(np.abs(frame.shift)).astype(float).sum(axis=-1)  # to half floats
        assert (np.abs(np.hypot(along, frame.heights) - radius) <= 1e-5 * radius + rounded).all()
        angles.append(np.arctan2(-along, frame.heights))
        water.step()
    k = 2.0 * math.pi / water.effective["peak_length"]
    turned = np.remainder(angles[0] - angles[1], 2.0 * math.pi).mean() * water.params.steps_per_second
    assert turned == pytest.approx(float(frequency(np.array(k), water.params.depth)), rel=1e-3)


@pytest.mark.parametrize("choppiness", [1.0, 2.0])
def test_no_crest_loops(choppiness):
    waves = waves_of(STEEP, 64)
    limited = waves.choppiness(choppiness)
    assert limited * waves.steepness == pytest.approx(1.0)

    def least_distance(used):
        """Of neighbours along x, over that of points at rest; below 0 where the surface folds."""
        return min(1.0 + np.diff(surface(waves, t, used).shift[..., 0]).min() / SPACING for t in (0.0, 3.0, 6.0))

    assert least_distance(limited) > 0.0
    assert least_distance(6.0) < 0.0


def test_gentle_waves_are_as_choppy_as_asked_for():
    waves = waves_of(number=2)
    assert 0.0 < waves.steepness < 0.5
    assert waves.choppiness(1.0) == 1.0
    assert waves.choppiness(0.0) == 0.0


@pytest.mark.parametrize("number", [1, 2, 64])
def test_they_have_the_energy_of_the_spectrum_and_run_with_the_wind(number):
    waves = waves_of(number=number, spacing=0.01)
    assert 4.0 * math.sqrt((waves.amplitude**2).sum() / 2.0) == pytest.approx(significant_height(SEA), rel=1e-9)
    assert (waves.kx * math.cos(0.7) + waves.kz * math.sin(0.7) > 0.0).all()
    if number == 1:
        assert math.atan2(waves.kz[0], waves.kx[0]) == pytest.approx(0.7, abs=1e-6)


def test_a_scale_model_has_the_same_steepness_and_frequencies():
    sea, model = waves_of(), waves_of(spacing=0.1 * SPACING, scale=0.1)
    assert model.steepness == pytest.approx(sea.steepness)
    assert (model.frequency == sea.frequency).all()
    assert model.amplitude == pytest.approx(0.1 * sea.amplitude)


def test_waves_shorter_than_two_points_are_left_out():
    waves = waves_of(number=16, spacing=15.0)
    short = np.hypot(waves.kx, waves.kz) > math.pi / 15.0
    assert 0 < short.sum() < 16
    assert ((waves.amplitude == 0.0) == short).all()


def test_the_sea_of_these_waves_repeats_after_its_loop():
    water = OceanWater(
        100.0, 100.0, 48, spectrum="gerstner", sea_size=0.0, loop_period=4.0, steps_per_second=10.0, foam=0.0
    )
    start = water.height.copy()
    for _ in range(40):
        water.step()
    np.testing.assert_allclose(water.height, start, atol=1e-5 * start.std())


def test_what_is_really_used_is_told_and_the_number_is_checked():
    water = OceanWater(100.0, 100.0, 48, spectrum="gerstner", gerstner_waves=5, sea_size=0.0, choppiness=0.5)
    assert water.effective["gerstner_waves"] == 5.0
    assert water.effective["choppiness"] == 0.5
    water.set_parameter("gerstner_waves", 1)
    assert water.effective["gerstner_waves"] == 1.0
    with pytest.raises(ParameterError, match="gerstner waves 65: allowed are whole numbers from 1 to 64"):
        water.set_parameter("gerstner_waves", 65)
    water.set_parameter("spectrum", "phillips")
    assert "cascades" in water.effective

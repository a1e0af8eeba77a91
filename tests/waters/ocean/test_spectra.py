"""The spectra of wind waves, held against closed forms."""

import math
from dataclasses import replace

import numpy as np
import pytest

from waterview.core.constants import GRAVITY
from waterview.waters.ocean.spectra import (
    EQUILIBRIUM,
    SPREADINGS,
    Sea,
    frequency,
    group_speed,
    jonswap,
    looped,
    peak_frequency,
    peak_length,
    peak_scale,
    peakedness,
    phillips,
    sharpness,
    significant_height,
    spreading,
    tma,
    variance,
    variance_density,
    wave_number,
)

WINDY = Sea(wind_speed=10.0, fetch=100_000.0, depth=5000.0)
ANGLES = np.linspace(-math.pi, math.pi, 4001)


@pytest.mark.parametrize("depth", [0.5, 10.0, 5000.0])
def test_frequency_has_the_limits_of_deep_and_shallow_water(depth):
    deep, shallow = np.array([40.0 / depth]), np.array([1e-3 / depth])
    assert frequency(deep, depth) == pytest.approx(np.sqrt(GRAVITY * deep), rel=1e-12)
    assert frequency(shallow, depth) == pytest.approx(shallow * math.sqrt(GRAVITY * depth), rel=1e-6)


@pytest.mark.parametrize("depth", [0.5, 10.0, 5000.0])
def test_group_speed_is_the_slope_of_frequency(depth):
    k = np.geomspace(1e-3, 50.0, 60)
    slope = (frequency(k * (1 + 1e-6), depth) - frequency(k * (1 - 1e-6), depth)) / (2e-6 * k)
    assert group_speed(k, depth) == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("depth", [0.2, 3.0, 5000.0])
def test_wave_number_undoes_frequency(depth):
    k = np.geomspace(1e-3, 100.0, 50)
    assert wave_number(frequency(k, depth), depth) == pytest.approx(k, rel=1e-10)


def test_looped_frequencies_are_whole_multiples():
    omega = np.linspace(0.1, 9.0, 500)
    turns = looped(omega, 20.0) * 20.0 / (2.0 * math.pi)
    assert np.abs(turns - np.rint(turns)).max() < 1e-12
    assert np.abs(looped(omega, 20.0) - omega).max() <= math.pi / 20.0 + 1e-12
    assert looped(omega, 0.0) is omega
    assert not looped(omega, 1e-308).any()  # no whole turn fits: the sea stands still


def test_jonswap_peaks_where_it_should_and_as_high_as_it_should():
    for chi, gamma in ((300.0, 3.3), (2000.0, (17_500.0 / 2000.0) ** 0.33), (17_500.0, 1.0)):
        sea = replace(WINDY, fetch=chi * 100.0 / GRAVITY)
        peak = 2.0 * math.pi * 3.5 * (GRAVITY / 10.0) * chi**-0.33
        assert peak_frequency(sea) == pytest.approx(peak, rel=1e-12)
        omega = peak * np.linspace(0.5, 2.0, 3001)
        assert omega[np.argmax(jonswap(omega, sea))] == pytest.approx(peak, rel=1e-3)
        height = peak_scale(sea) * GRAVITY**2 * peak**-5 * math.exp(-1.25) * gamma
        assert jonswap(np.array([peak]), sea)[0] == pytest.approx(height, rel=1e-9)


@pytest.mark.parametrize("wind", [3.0, 10.0, 40.0])
def test_a_growing_sea_is_as_high_as_the_root_of_its_fetch_says(wind):
    # Hasselmann et al. (1973): gH/U² = 0.0016 √χ.
    for chi in (1.0, 100.0, 469.0, 1000.0, 3000.0, 9810.0, 17_500.0):
        sea = Sea(wind_speed=wind, fetch=chi * wind**2 / GRAVITY, depth=11_000.0)
        assert GRAVITY / wind**2 * significant_height(sea) == pytest.approx(0.0016 * math.sqrt(chi), rel=2e-3)


def test_a_sea_stops_growing_as_pierson_and_moskowitz_have_it():
    grown = replace(WINDY, fetch=3e6)
    assert significant_height(replace(WINDY, fetch=3e7)) == significant_height(grown)
    assert peak_frequency(grown) == pytest.approx(0.877 * GRAVITY / 10.0, rel=0.01)
    assert peakedness(grown) == pytest.approx(1.0, abs=1e-12)
    assert peak_scale(grown) == pytest.approx(EQUILIBRIUM, rel=0.02)
    assert 0.21 < GRAVITY / 100.0 * significant_height(grown) < 0.22
    # Their spectrum: αg²ω⁻⁵ exp(−0.74 (g/Uω)⁴).
    omega = peak_frequency(grown) * np.linspace(0.7, 4.0, 200)
    expected = EQUILIBRIUM * GRAVITY**2 * omega**-5 * np.exp(-0.74 * (GRAVITY / (10.0 * omega)) ** 4)
    assert jonswap(omega, grown) == pytest.approx(expected, rel=0.07)  # 0.74 and 0.877 are rounded


def test_a_constant_peak_is_hasselmanns_mean_at_any_fetch():
    sea = replace(WINDY, fetch=3e6, growth="constant-peak")
    peak = peak_frequency(sea)
    height = 0.076 * 17_500.0**-0.22 * GRAVITY**2 * peak**-5 * math.exp(-1.25) * 3.3
    assert jonswap(np.array([peak]), sea)[0] == pytest.approx(height, rel=1e-9)
    assert GRAVITY / 100.0 * significant_height(sea) == pytest.approx(0.2715, rel=1e-3)


def test_tma_is_jonswap_in_deep_water_and_less_in_shallow():
    omega = np.linspace(0.5, 6.0, 200)
    assert tma(omega, WINDY) == pytest.approx(jonswap(omega, WINDY), rel=1e-12)
    shallow = replace(WINDY, depth=2.0)
    slow = np.array([0.3])  # ω_h = 0.135: the factor is ½ω_h²
    assert tma(slow, shallow) / jonswap(slow, shallow) == pytest.approx(0.5 * 0.09 * 2.0 / GRAVITY)
    reduced = 1.5  # 1 − ½(2 − 1.5)² = 0.875
    omega = np.array([reduced / math.sqrt(2.0 / GRAVITY)])
    assert tma(omega, shallow) / jonswap(omega, shallow) == pytest.approx(0.875)


def test_phillips_is_tessendorfs_spectrum_in_deep_water():
    sea = replace(WINDY, spectrum="phillips")
    kx, kz = np.meshgrid(np.linspace(-0.5, 0.5, 21), np.linspace(-0.5, 0.5, 21))
    k, longest = np.hypot(kx, kz), 100.0 / GRAVITY
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = 0.0081 / (2.0 * math.pi) * np.exp(-1.0 / (k * longest) ** 2) / k**4 * (kx / k) ** 2
    expected[k == 0.0] = 0.0
    assert variance_density(kx, kz, sea) == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_phillips_variance_is_a_quarter_of_alpha_l_squared():
    sea = replace(WINDY, spectrum="phillips")
    assert variance(sea) == pytest.approx(0.25 * 0.0081 * (100.0 / GRAVITY) ** 2, rel=1e-4)
    omega = peak_frequency(sea) * np.linspace(0.8, 1.2, 4001)
    assert omega[np.argmax(phillips(omega, sea))] == pytest.approx(peak_frequency(sea), rel=1e-3)


def test_the_sea_is_as_high_as_seamen_say():
    # Beaufort 5, 10 m/s over 100 km: under 2 m; a grown sea of 20 m/s: 8–9 m.
    assert 1.5 < significant_height(WINDY) < 2.0
    assert 8.0 < significant_height(Sea(wind_speed=20.0, fetch=3e6, depth=5000.0)) < 9.0
    assert significant_height(Sea(wind_speed=0.0)) == 0.0


@pytest.mark.parametrize("kind", SPREADINGS)
@pytest.mark.parametrize("swell", [0.0, 0.5, 1.0])
def test_directions_share_all_of_the_energy(kind, swell):
    sea = replace(WINDY, spreading=kind, swell=swell)
    for ratio in (0.4, 0.9, 1.0, 1.5, 3.0, 10.0):
        omega = np.full_like(ANGLES, ratio * peak_frequency(sea))
        assert np.trapezoid(spreading(ANGLES, omega, sea), ANGLES) == pytest.approx(1.0, abs=1e-4)


def test_swell_narrows_and_the_peak_is_narrowest():
    peak = peak_frequency(WINDY)
    at = sharpness(peak * np.array([0.5, 1.0, 3.0]), WINDY)
    assert at[1] > at[0] and at[1] > at[2]
    assert (sharpness(peak * np.array([0.5, 1.0, 3.0]), replace(WINDY, swell=1.0)) > at).all()


def test_upwind_takes_waves_away_against_the_wind_only():
    omega = np.full_like(ANGLES, peak_frequency(WINDY))
    for kind in SPREADINGS:
        sea = replace(WINDY, spreading=kind)
        full, less = spreading(ANGLES, omega, sea), spreading(ANGLES, omega, replace(sea, upwind=0.25))
        against = np.cos(ANGLES) < 0.0
        assert (less[~against] == full[~against]).all()
        assert less[against] == pytest.approx(0.25 * full[against])


@pytest.mark.sampled
@pytest.mark.parametrize("spectrum", ["jonswap", "tma", "phillips"])
@pytest.mark.parametrize("direction", [0.0, 0.7, -2.0])
def test_the_density_integrates_to_the_variance(spectrum, direction):
    sea = Sea(spectrum=spectrum, wind_direction=direction, depth=15.0, fetch=50_000.0)
    k = np.geomspace(1e-3, 60.0, 2500)[:, None]
    angle = np.linspace(-math.pi, math.pi, 361)[None, :-1]
    density = variance_density(k * np.cos(angle), k * np.sin(angle), sea)
    m0 = np.trapezoid((density * k).sum(axis=1) * (2.0 * math.pi / 360.0), k[:, 0])
    assert m0 == pytest.approx(variance(sea), rel=5e-3)


def test_waves_run_with_the_wind():
    sea = replace(WINDY, wind_direction=math.pi / 2)
    k = 2.0 * math.pi / peak_length(sea)
    along, against, across = variance_density(np.array([0.0, 0.0, k]), np.array([k, -k, 0.0]), sea)
    assert along > 1000.0 * against and along > 5.0 * across


def test_smallest_fades_short_waves_by_a_gaussian():
    k = np.array([0.1, 1.0, 4.0])
    ratio = variance_density(k, 0.0 * k, replace(WINDY, smallest=0.5)) / variance_density(k, 0.0 * k, WINDY)
    assert ratio == pytest.approx(np.exp(-((0.5 * k) ** 2)))


def test_the_longest_and_the_shortest_waves_are_finite():
    k = np.geomspace(1e-12, 1e6, 200)
    for spectrum in ("jonswap", "tma", "phillips"):
        for wind in (0.05, 0.2, 40.0):
            density = variance_density(k, 0.0 * k, Sea(spectrum=spectrum, wind_speed=wind))
            assert np.isfinite(density).all() and (density >= 0.0).all()
    assert variance_density(np.zeros(1), np.zeros(1), WINDY) == 0.0


def test_peak_length_in_deep_water():
    assert peak_length(WINDY) == pytest.approx(2.0 * math.pi * GRAVITY / peak_frequency(WINDY) ** 2, rel=1e-9)

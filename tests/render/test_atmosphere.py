"""Sun and sky against what is known of them."""

import numpy as np
import pytest

from waterview.render.atmosphere import OZONE, RAYLEIGH, Sky

HAZE = np.array([0.042, 0.045, 0.048])


def towards(degrees, azimuth=0.0):
    elevation, azimuth = np.radians(degrees), np.radians(azimuth)
    flat = np.cos(elevation)
    return np.array([flat * np.sin(azimuth), np.sin(elevation), flat * np.cos(azimuth)])


@pytest.mark.parametrize(("degrees", "mass"), [(90.0, 1.0), (60.0, 1.154), (30.0, 1.995), (10.0, 5.60)])
def test_sunlight_fades_with_the_air_on_its_way(degrees, mass):
    """Kasten and Young's (1989) air masses."""
    fades = -np.log(Sky(towards(degrees), HAZE).sun)
    np.testing.assert_allclose(fades, (RAYLEIGH + HAZE + OZONE) * mass, rtol=0.03)


def test_the_low_sun_is_red_and_the_high_one_nearly_white():
    low, high = Sky(towards(2.0), HAZE).sun, Sky(towards(80.0), HAZE).sun
    assert low[0] > 2.0 * low[1] > 4.0 * low[2]
    assert high[0] < 1.4 * high[2]


def test_the_zenith_is_blue_also_when_the_sun_is_low_and_the_sky_around_the_low_sun_is_red():
    for degrees in (2.0, 8.0, 20.0, 60.0):
        zenith = Sky(towards(degrees), HAZE).radiance(towards(90.0)[None])[0]
        assert zenith[2] > 1.7 * zenith[0]
    sunset = Sky(towards(2.0), HAZE).radiance(towards(3.0)[None])[0]
    assert sunset[0] > 2.0 * sunset[1] > 4.0 * sunset[2]


def test_the_sky_is_even_around_the_high_sun_and_the_same_on_both_sides_of_a_low_one():
    around = np.array([towards(20.0, azimuth) for azimuth in range(0, 360, 30)])
    high = Sky(towards(90.0), HAZE).radiance(around)
    np.testing.assert_allclose(high, np.broadcast_to(high[0], high.shape), rtol=1e-6)
    low = Sky(towards(15.0, 40.0), HAZE)
    left, right = (
        low.radiance(np.array([towards(25.0, 40.0 + side * turn) for turn in (10.0, 70.0)])) for side in (-1, 1)
    )
    np.testing.assert_allclose(left, right, rtol=1e-6)


def test_sun_and_sky_together_are_no_more_than_the_sunlight_that_comes_in():
    """What falls on level ground under a clear sky, against the sunlight above the air; some goes back to space."""
    random = np.random.default_rng(2)
    directions = random.normal(size=(4000, 3))
    directions[:, 1] = np.abs(directions[:, 1])
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    for degrees in (10.0, 40.0, 80.0):
        sky = Sky(towards(degrees), HAZE)
        from_sky = 2.0 * np.pi * (sky.radiance(directions) * directions[:, 1:2]).mean(axis=0)
        share = (from_sky + sky.sun * towards(degrees)[1]) / towards(degrees)[1]
        assert (share < 1.0).all() and (share > 0.5).all()
        assert (from_sky > 0.02 * sky.sun * towards(degrees)[1]).all()


def test_light_scattered_often_counts_most_in_blue():
    """Of the zenith under a high sun; single scattering alone has the closed form of a thin layer."""
    mu = towards(50.0)[1]
    once = RAYLEIGH * 3.0 / (16.0 * np.pi) * (1.0 + mu * mu)
    clear = Sky(towards(50.0), 0.0 * HAZE + 1e-6).radiance(towards(90.0)[None])[0]
    more = clear / once
    assert more[2] != pytest.approx(more[0], rel=0.01) and 0.8 < more[0] < 1.3

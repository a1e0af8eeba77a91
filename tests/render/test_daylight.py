import math

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.core.errors import ParameterError
from waterview.render.atmosphere import Sky
from waterview.render.camera.bounds import Bounds
from waterview.render.daylight import (
    HAZE,
    INDEX,
    SUN_POWER,
    Light,
    haze_depth,
    refracted_sun,
    sky_light,
    sky_radiance,
)
from waterview.render.settings import ViewParams


def light(depth=2.0, **settings):
    return Light.of(ViewParams(**settings), Bounds.of(make_frame(bed=np.full((41, 61), -depth))))


def test_the_sun_stands_where_it_is_asked_to():
    np.testing.assert_allclose(
        light(sun_azimuth=0.0, sun_elevation=2.0).towards_sun[[0, 2]], [0, np.cos(np.radians(2))]
    )
    np.testing.assert_allclose(light(sun_elevation=90.0).towards_sun, [0, 1, 0], atol=1e-12)
    east = light(sun_azimuth=90.0, sun_elevation=30.0).towards_sun
    np.testing.assert_allclose(east, [np.cos(np.radians(30)), 0.5, 0], atol=1e-12)


def test_the_low_sun_is_dimmer_and_redder():
    high, low = light(sun_elevation=80.0).sun, light(sun_elevation=4.0).sun
    assert (low < high).all() and (high < SUN_POWER).all()
    assert low[0] / low[2] > 2.0 * high[0] / high[2]


def test_kinds_of_water_look_alike_in_a_pool_and_in_an_ocean():
    pool, ocean = (light(depth=depth, water="sea").absorption for depth in (2.0, 2000.0))
    np.testing.assert_allclose(pool * 2.0, ocean * 2000.0)
    assert pool[0] > pool[1] > pool[2]


def test_the_sea_hides_its_floor_where_it_is_deep_and_shows_it_in_shallows():
    shallow, deep = (light(depth=depth).absorption for depth in (2.0, 40.0))
    np.testing.assert_allclose(shallow, light(depth=2.0, water="sea").absorption)
    assert np.exp(-deep * 40.0).max() < 0.15  # on the way up alone
    np.testing.assert_allclose(deep, light(depth=4000.0).absorption)


@pytest.mark.parametrize(("kind", "clearest"), [("jerlov-1", 2), ("jerlov-2", 2), ("jerlov-3", 1), ("jerlov-5c", 1)])
def test_jerlov_s_types_are_in_metres(kind, clearest):
    first, other = (light(depth=depth, water=kind).absorption for depth in (2.0, 900.0))
    np.testing.assert_array_equal(first, other)
    assert first.argmin() == clearest  # clear oceans are blue, coastal waters green
    assert light(water="jerlov-1").absorption[1] * 0.65 == pytest.approx(0.063)


@pytest.mark.parametrize(
    ("kind", "fading"),
    [
        ("jerlov-1", (0.360, 0.063, 0.019)),
        ("jerlov-2", (0.400, 0.089, 0.068)),
        ("jerlov-3", (0.445, 0.120, 0.135)),
        ("jerlov-1c", (0.450, 0.120, 0.250)),
        ("jerlov-5c", (0.540, 0.300, 0.560)),
    ],
)
def test_daylight_fades_as_in_jerlov_s_table(kind, fading):
    """Jerlov, Marine Optics (1976), table XXVII: at 650, 550 and 450 nm, in every metre."""
    np.testing.assert_allclose(0.65 * np.array(light(water=kind).absorption), fading)


def test_in_a_model_of_a_sea_its_metres_are_those_of_the_model():
    bounds = Bounds.of(make_frame(bed=np.full((41, 61), -40.0)))
    true, model = (Light.of(ViewParams(water="jerlov-2"), bounds, metre=metre).absorption for metre in (1.0, 0.25))
    np.testing.assert_allclose(model, 4.0 * true)


def test_clarity_lengthens_the_sight():
    np.testing.assert_allclose(light(clarity=2.0).absorption, 0.5 * light().absorption)


@pytest.mark.parametrize(
    ("name", "value"), [("quality", "lavish"), ("exposure", 99.0), ("sun_elevation", float("nan"))]
)
def test_settings_out_of_range_are_refused(name, value):
    with pytest.raises(ParameterError):
        ViewParams(**{name: value})


def test_haze_is_thin_on_clear_days_and_a_cloud_in_the_end():
    np.testing.assert_allclose(haze_depth(1.0), HAZE)
    depths = [haze_depth(turbidity)[1] for turbidity in (1.0, 2.0, 5.0, 10.0, 20.0)]
    assert depths == sorted(depths)
    assert depths[1] == pytest.approx(2.0 * HAZE[1], rel=0.03) and depths[-1] > 2.0


def test_an_overcast_sky_is_grey_and_brighter_overhead_and_its_sun_is_gone():
    made = light(turbidity=20.0, sun_elevation=40.0)
    up_and_aside = np.array([[0.0, 1.0, 0.0], [1.0, 0.02, 0.0]]) / [[1.0], [np.hypot(1.0, 0.02)]]
    zenith, horizon = sky_radiance(made.clear_sky, up_and_aside, made.towards_sun, made.haze)
    assert zenith.sum() > 1.5 * horizon.sum()
    assert zenith.max() < 1.4 * zenith.min()
    assert made.sun.max() < 0.1 * light(turbidity=1.0, sun_elevation=40.0).sun.min()


@pytest.mark.parametrize("degrees", [2.0, 30.0, math.degrees(math.atan(1.0 / INDEX)), 60.0, 90.0])
def test_sunlight_is_bent_and_let_in_by_the_laws_of_snell_and_fresnel(degrees):
    elevation = math.radians(degrees)
    refracted, share = refracted_sun(np.array((0.0, math.sin(elevation), math.cos(elevation))))
    outside, inside = 0.5 * math.pi - elevation, math.asin(math.cos(elevation) / INDEX)
    assert refracted == pytest.approx((0.0, -math.cos(inside), -math.sin(inside)))
    if degrees == 90.0:
        returned = ((INDEX - 1.0) / (INDEX + 1.0)) ** 2
    else:
        across = (math.sin(outside - inside) / math.sin(outside + inside)) ** 2
        along = (math.tan(outside - inside) / math.tan(outside + inside)) ** 2
        returned = 0.5 * (across + along)
    assert share == pytest.approx(1.0 - returned)


def test_what_looks_down_sees_the_sunlit_ground_and_what_looks_up_does_not():
    towards_sun, haze, sun = np.array((0.0, 0.6, 0.8)), haze_depth(2.0), np.array((3.0, 2.0, 1.0))
    clear_sky = Sky(towards_sun, haze)
    dark, lit = (sky_light(clear_sky, towards_sun, haze, each) for each in (0.0 * sun, sun))
    ground = lit - dark  # irradiance over π on a normal n is [0] + n·[1:]
    np.testing.assert_allclose(ground[0] - ground[2], 0.18 / np.pi * sun * 0.6)
    np.testing.assert_allclose(ground[0] + ground[2], 0.0, atol=1e-12)
    np.testing.assert_allclose(ground[[1, 3]], 0.0, atol=1e-12)


def test_one_sees_as_far_as_on_clear_and_hazy_days():
    """Koschmieder's range, at which 2 % of the contrast are left; blue light is dimmed most."""
    for turbidity, low, high in ((1.0, 100e3, 280e3), (2.0, 50e3, 100e3), (20.0, 1e3, 4e3)):
        dimming = light(turbidity=turbidity).air_dimming(0.0)
        assert low < -math.log(0.02) / dimming[1] < high
        assert dimming[2] > dimming[1] > dimming[0]
    assert (light(air=0.0).air_dimming(0.0) == 0.0).all()
    np.testing.assert_allclose(light(air=3.0).air_dimming(500.0), 3.0 * light().air_dimming(500.0))


def test_air_is_thinner_above_by_its_barometric_law():
    made, heights = light(), np.linspace(0.0, 5000.0, 20001)
    along = made.air[0] * np.exp(-heights[:, None] / 8000.0) + made.air[1] * np.exp(-heights[:, None] / 1200.0)
    np.testing.assert_allclose(made.air_dimming(5000.0), along.mean(axis=0), rtol=1e-3)

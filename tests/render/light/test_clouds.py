"""Clouds: how much of the sky they hide, how they are lit, drift and throw shadows."""

import dataclasses

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.render.camera.bounds import Bounds
from waterview.render.camera.camera import OrbitCamera
from waterview.render.clouds import HEIGHT, TILE, Clouds
from waterview.render.daylight import SUN_POWER, Light
from waterview.render.settings import ViewParams

SIZE = (96, 54)


@pytest.mark.parametrize("cover", [0.1, 0.4, 0.7])
def test_clouds_hide_the_share_of_the_sky_that_is_asked_for(cover):
    clouds = Clouds(cover)
    assert (clouds.depths > 0.0).mean() == pytest.approx(cover, abs=0.06)
    assert clouds.passes > 1.0 - (clouds.depths > 0.0).mean()
    assert (Clouds(1.0).depths > 3.0).all()


def test_what_passes_and_what_is_scattered_is_no_more_than_what_comes():
    for cover in (0.2, 0.6, 1.0):
        clouds = Clouds(cover)
        assert (clouds.diffuses > 0.0).all() and (clouds.diffuses < 1.0 - clouds.passes).all()


def test_a_low_sun_lights_their_sides():
    clouds, nothing = Clouds(0.5), np.zeros(3)
    setting, high = (clouds.radiance(np.ones(3), np.array(sun), nothing) for sun in ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]))
    assert high == pytest.approx(clouds.diffuses / np.pi)
    assert setting == pytest.approx(0.3 * high)


def test_a_whole_layer_has_no_sides_and_is_three_times_as_bright_overhead_as_at_the_horizon():
    """Moon and Spencer (1942); what falls on the ground is the same. Single clouds are as bright everywhere."""
    sines = (np.arange(1000) + 0.5) / 1000
    for cover in (0.3, 0.5):
        np.testing.assert_allclose(Clouds(cover).evenness(sines), 1.0)
    for cover in (0.8, 1.0):
        assert (2.0 * sines * Clouds(cover).evenness(sines)).mean() == pytest.approx(1.0, abs=1e-5)
    horizon, zenith = Clouds(1.0).evenness(np.array((0.0, 1.0)))
    assert zenith == pytest.approx(3.0 * horizon)
    assert (Clouds(1.0).radiance(np.ones(3), np.array((1.0, 0.0, 0.0)), np.zeros(3)) == 0.0).all()


@pytest.mark.parametrize("turbidity", [1.0, 3.0, 5.0])
def test_light_of_an_overcast_sky_is_neutral_and_under_a_low_sun_much_less_red_than_the_sun(turbidity):
    """Photographers count on 6500 K; the light comes from sun and blue sky above, and air sends blue down again."""
    up = np.array((1.0, 0.0, 1.0, 0.0))
    for degrees in (35.0, 50.0, 70.0):
        overcast = up @ light(clouds=1.0, turbidity=turbidity, sun_elevation=degrees).sky
        assert np.abs(overcast / overcast.mean() - 1.0).max() < 0.03
    low = light(clouds=1.0, turbidity=turbidity, sun_elevation=5.0)
    overcast = up @ low.sky
    assert overcast[0] / overcast[2] < 0.4 * low.sun[0] / low.sun[2]


def test_single_clouds_are_warm_under_a_low_sun():
    made = light(clouds=0.35, sun_elevation=9.0)
    aloft = SUN_POWER * made.clear_sky.sunlight(1e-3 * HEIGHT)
    lit = made.clouds.radiance(aloft, made.towards_sun, 0.06 * aloft)
    assert lit[0] > 1.3 * lit[1] > 1.5 * lit[2]


def test_the_tile_has_no_seam():
    depths = np.exp(-Clouds(0.5).depths)
    for axis in (0, 1):
        steps = np.abs(np.diff(depths, axis=axis))
        seam = np.abs(np.take(depths, 0, axis) - np.take(depths, -1, axis))
        assert seam.mean() < 1.5 * steps.mean()


def light(**settings):
    return Light.of(ViewParams(**settings), Bounds.of(make_frame()))


def test_cover_dims_the_light_and_overcast_skies_are_grey_and_throw_it_from_everywhere():
    clear, half, overcast = (light(clouds=cover, sun_elevation=40.0) for cover in (0.0, 0.4, 1.0))
    assert clear.clouds is None
    up = np.array([1.0, 0.0, 1.0, 0.0])
    assert (up @ half.sky > up @ clear.sky).all()  # white clouds are brighter than blue sky
    grey = up @ overcast.sky
    assert grey.max() < 1.25 * grey.min() and grey.max() < 0.5 * SUN_POWER / np.pi
    assert np.abs(overcast.sky[[1, 3]]).max() < 0.1 * overcast.sky[0].min()


@pytest.fixture
def draw(drawing):
    return drawing(SIZE, auto_exposure=False, exposure=-1.5, look="natural")


def sea(seconds=0.0, size=100.0):
    frame = make_frame((41, 61), size / 60.0, bed=np.full((41, 61), -0.4 * size))
    return dataclasses.replace(frame, time=seconds)


def level(frame):
    camera = OrbitCamera.framing(frame)
    camera.target, camera.distance, camera.azimuth, camera.elevation = (0.0, 2.0, 0.0), 60.0, 0.0, 0.05
    return camera


@pytest.mark.slow
def test_clouds_are_seen_in_the_sky_and_mirrored(draw):
    frame = sea()
    clear, cloudy = (draw(frame, level(frame), clouds=cover) for cover in (0.0, 0.5))
    gain = (cloudy - clear).mean(axis=2)
    above, below = gain[:20], gain[-20:]
    assert above.std() > 12.0 and above.max() > 40.0
    assert below.max() > 10.0


@pytest.mark.slow
def test_their_sides_hide_more_of_the_sky_the_lower_one_looks(draw):
    """Clouds that are 30 m thick and ones of 300 m hide as much overhead."""
    camera = level(sea())
    camera.elevation = -0.3
    hidden = []
    for seconds in range(0, 900, 100):
        clear, cloudy = (draw(sea(float(seconds)), camera, clouds=cover, sun_elevation=25.0) for cover in (0.0, 0.25))
        hidden.append((np.abs(cloudy - clear).mean(axis=2) > 25.0)[10:44].mean())
    assert np.mean(hidden) > 1.4 * 0.25  # a flat layer hides 0.25


@pytest.mark.slow
def test_an_overcast_sky_is_grey_and_its_dark_places_are_bluish(draw):
    """Also low in the sky, where much air is before it: the clouds light that air. It is darker towards the horizon."""
    frame = sea()
    sky = draw(frame, level(frame), clouds=1.0, turbidity=4.0, sun_elevation=40.0, exposure=0.0)[:22]
    red, blue = sky[..., 0], sky[..., 2]
    assert np.abs(sky.mean(axis=(0, 1)) - sky.mean()).max() < 2.5
    bright = sky.mean(axis=2)
    dark, pale = bright < np.quantile(bright, 0.1), bright > np.quantile(bright, 0.9)
    assert (blue - red)[dark].mean() > (blue - red)[pale].mean() + 1.0
    assert sky[:6].mean() > sky[-6:].mean() + 10.0


@pytest.mark.slow
def test_edges_of_clouds_are_finer_than_the_map_and_clear_sky_is_smooth(drawing):
    """Through a lens so long that a texel of the map covers 20 pixels and more."""
    frame = sea()
    camera = level(frame)
    camera.fov, camera.elevation = 0.03, -0.3
    draw = drawing((160, 90), quality="medium", surroundings="sea", sun_elevation=40.0, sun_azimuth=180.0)
    clear, cloudy = (draw(frame, camera, clouds=cover).mean(axis=2) for cover in (0.0, 0.5))
    bent = [picture[:, 8:-8] - 0.5 * (picture[:, :-16] + picture[:, 16:]) for picture in (clear, cloudy)]
    assert np.abs(bent[0]).max() < 2.0
    assert np.sqrt((bent[1] ** 2).mean()) > 0.15 * cloudy.std()  # with the map alone 0.09


@pytest.mark.slow
def test_they_drift_smoothly_and_the_same_however_one_came_there(draw):
    """The light on them is worked out anew at 41 s; what is seen hardly changes there, and over a minute wholly."""
    camera = level(sea())
    at = {t: draw(sea(t), camera, clouds=0.5)[:20] for t in (40.99, 41.0, 100.0)}
    assert np.abs(at[41.0] - at[40.99]).max() < 8.0
    assert np.abs(at[100.0] - at[41.0]).max() > 40.0
    np.testing.assert_array_equal(draw(sea(41.0), camera, clouds=0.5)[:20], at[41.0])


@pytest.mark.slow
def test_in_fine_qualities_they_hardly_jump_when_they_are_lit_anew(drawing):
    """Their sides have turned to the eye meanwhile; where they are lit each second, by 32 of 255."""
    view = {"auto_exposure": False, "exposure": -1.5, "look": "natural", "surroundings": "sea", "clouds": 0.4}
    draw = drawing((320, 180), quality="high", sun_elevation=40.0, sun_azimuth=180.0, **view)
    camera = level(sea())
    camera.fov, camera.azimuth, camera.elevation = 0.6, 1.5, -0.4
    moved = np.abs(draw(sea(41.0), camera) - draw(sea(40.999), camera)).mean(axis=2)
    assert 0.5 < np.quantile(moved, 0.999) < 16.0


@pytest.mark.slow
def test_a_sky_that_was_drawn_in_strips_while_time_ran_on_is_the_same(draw):
    """Also where the sun moved before the last strip."""
    camera = level(sea())

    def at(seconds, **settings):
        return draw(sea(seconds), camera, clouds=0.5, **settings)[:20]

    expected = at(41.0), at(42.0, sun_elevation=30.0)
    for seconds in (40.0, 40.3, 40.62, 40.9):
        at(seconds)
    np.testing.assert_array_equal(at(41.0), expected[0])
    at(41.6), at(41.8), at(41.9, sun_elevation=30.0)
    np.testing.assert_array_equal(at(42.0, sun_elevation=30.0), expected[1])


def passes_to_the_eye(rays, clouds, steps=200):
    """The share of light from behind the clouds that comes against unit rays, in steps that rise by 2.7 m.

    Columns are as in `passes_towards`, each bent to a helix of 0.04 of the height of the base, twice around in 540 m.
    """
    depths, optical, curved = clouds.depths, np.zeros(rays.shape[:-1]), 6.36e6 / HEIGHT
    most, count, rise = depths.max(), len(depths), rays[..., 1]
    thickness = np.sqrt(depths / most)
    for share in (np.arange(steps) + 0.5) / steps:
        above = (2.0 * curved + 1.0 + 0.45 * share) * (1.0 + 0.45 * share)
        way = above / (curved * rise + np.sqrt((curved * rise) ** 2 + above))
        bent = 0.04 * np.sin(12.6 * share), 0.04 * (1.0 - np.cos(12.6 * share))
        places = ((way * rays[..., axis] + bent[axis // 2]) * HEIGHT / TILE * count - 0.5 for axis in (0, 2))
        (left, x), (top, z) = ((np.floor(at).astype(int), at - np.floor(at)) for at in places)
        corners = [[thickness[(top + j) % count, (left + i) % count] for i in (0, 1)] for j in (0, 1)]
        here, below = (row[0] + x * (row[1] - row[0]) for row in corners)
        here += z * (below - here)
        optical += np.where(here > share, here, 0.0) * most / steps / np.maximum(rise, 0.35)
    return np.exp(-optical)


@pytest.mark.slow
def test_their_sides_have_no_stairs(drawing):
    """Edges lie and run as where rays rise by 2.7 m a step, 0.585 of 1; by 54 m, of which sides were combs, 0.528."""
    size = 192, 108
    draw = drawing(size, quality="high", auto_exposure=False, exposure=-1.5, look="natural", surroundings="sea")
    alike = []
    for azimuth, elevation in ((0.0, -0.43), (1.0, -0.45), (2.0, -0.48), (4.0, -0.45)):
        camera = level(sea())
        camera.fov, camera.azimuth, camera.elevation = 0.3, azimuth, elevation
        sun = {"sun_elevation": 40.0, "sun_azimuth": 180.0}
        clear, cloudy = (draw(sea(), camera, clouds=cover, **sun).mean(axis=2) for cover in (0.0, 0.4))
        rays = [[camera.ray(x + 0.5, y + 0.5, size)[1] for x in range(size[0])] for y in range(size[1])]
        hidden = 1.0 - passes_to_the_eye(np.array(rays), Clouds(0.4))
        alike.append(np.corrcoef(*(np.ravel(np.gradient(field)) for field in (cloudy - clear, hidden)))[0, 1])
    assert np.mean(alike) > 0.557


def passes_towards(towards_sun, points, clouds):
    """The share of sunlight that reaches points of the ground through columns of cloud that stand on a level base.

    The highest are 0.45 times as high as the base is above the ground, others less by the root of their optical depth.
    """
    depths, optical = clouds.depths, np.zeros(points.shape[:-1])
    most, steps = depths.max(), 60
    for share in (np.arange(steps) + 0.5) / steps:
        places = points + towards_sun * HEIGHT * (1.0 + 0.45 * share) / towards_sun[1]
        x, z = (np.mod(places[..., axis] / TILE, 1.0) * len(depths) for axis in (0, 2))
        depth = depths[z.astype(int), x.astype(int)]
        thickness = np.sqrt(depth / most)
        optical += (thickness > share) * most * thickness / steps / towards_sun[1]
    return np.exp(-optical)


@pytest.mark.slow
def test_their_shadows_lie_where_the_sun_s_rays_through_them_end(draw):
    frame = make_frame((41, 61), 200.0, level=-100.0, bed=np.full((41, 61), 5.0))
    camera = OrbitCamera.framing(frame)
    camera.target, camera.distance, camera.elevation = (0.0, 0.0, 0.0), 6000.0, 1.5
    settings = ViewParams(clouds=0.4, sun_elevation=60.0)
    clear, cloudy = (draw(frame, camera, clouds=cover, sun_elevation=60.0).mean(axis=2) for cover in (0.0, 0.4))
    dimmed = cloudy / clear
    points = np.empty((*dimmed.shape, 3))
    for row, column in np.ndindex(dimmed.shape):
        eye, ray = camera.ray(column + 0.5, row + 0.5, SIZE)
        points[row, column] = eye + (5.0 - eye[1]) / ray[1] * ray
    passes = passes_towards(settings.towards_sun, points, Clouds(0.4))
    assert np.ptp(passes) > 0.9
    assert np.corrcoef(dimmed.ravel(), passes.ravel())[0, 1] > 0.93  # 0.91 if it shone straight down
    assert dimmed[passes < 0.01].mean() < 0.8 * dimmed[passes > 0.99].mean()
    assert np.abs(np.diff(dimmed, axis=1)).max() < 0.8 * np.ptp(dimmed)  # they are soft


def test_the_layer_is_as_high_as_the_model_of_the_sea_says():
    assert Clouds(0.5).height == HEIGHT
    assert Clouds(0.5, metre=0.01).height == pytest.approx(12.0)
    way = Clouds(0.5, metre=0.01).drift(1.0) / Clouds(0.5).drift(1.0)
    np.testing.assert_allclose(way, 10.0)  # a model of 1 : 100 moves ten times as fast


@pytest.mark.slow
@pytest.mark.parametrize("quality", ["low", "medium"])
@pytest.mark.parametrize("clouds", [0.5, 1.0])
def test_in_haze_the_sea_is_as_bright_at_the_horizon_as_the_sky_there(drawing, quality, clouds):
    draw = drawing((160, 90), quality=quality, auto_exposure=False, look="natural", surroundings="sea")
    frame = make_frame(bed=np.full((41, 61), -3.0))
    camera = OrbitCamera.framing(frame)
    camera.distance, camera.elevation = 30.0, 0.03
    rows = draw(frame, camera, clouds=clouds, turbidity=16.0).mean(axis=(1, 2))
    sky, sea = rows[40], rows[41:44]
    assert sea.max() < sky + 4.0

"""What lies around the block: a floor, or the sea to the horizon."""

import math

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.render.camera.bounds import Bounds
from waterview.render.camera.camera import OrbitCamera
from waterview.render.light.sky import sea_around
from waterview.render.settings import ViewParams

SIZE = (320, 180)


def flooded():
    return make_frame(bed=np.full((41, 61), -3.0))


def test_the_sea_goes_on_where_water_reaches_all_sides_unless_asked_otherwise(island):
    half = np.full((41, 61), -3.0)
    half[:, :20] = 2.0
    for frame, there in ((flooded(), True), (island, True), (make_frame(bed=half), False)):
        bounds = Bounds.of(frame)
        assert sea_around(ViewParams(), bounds, pool=False) is there
        assert not sea_around(ViewParams(), bounds, pool=True)
        assert sea_around(ViewParams(surroundings="sea"), bounds, pool=True)
        assert not sea_around(ViewParams(surroundings="floor"), bounds, pool=False)


@pytest.fixture
def draw(drawing):
    return drawing(SIZE, quality="medium", auto_exposure=False, look="natural")


def over_the_edge(frame):
    camera = OrbitCamera.framing(frame)
    camera.target, camera.distance, camera.azimuth, camera.elevation = (0.0, 0.0, -10.0), 14.0, 0.0, 0.25
    return camera


@pytest.mark.slow
def test_no_edge_shows_where_the_block_ends(draw):
    """Still water: from below the picture to the horizon its light changes little by little."""
    frame = flooded()
    sea, floor = (draw(frame, over_the_edge(frame), surroundings=kind).mean(axis=(1, 2)) for kind in ("sea", "floor"))
    # The block ends 10 m behind its middle, where the camera looks: in the middle of the picture.
    assert np.abs(np.diff(sea[60:150])).max() < 4.0
    assert np.abs(np.diff(floor[60:150])).max() > 8.0


@pytest.mark.slow
def test_haze_hides_the_horizon(draw):
    frame = flooded()
    camera = over_the_edge(frame)
    camera.elevation = 0.06

    def step(turbidity):
        rows = draw(frame, camera, turbidity=turbidity).mean(axis=(1, 2))
        return np.abs(np.diff(rows[20:100])).max()

    assert step(1.0) > 2.0 * step(16.0)


@pytest.mark.slow
@pytest.mark.parametrize("shelf", [-0.3, 0.5])
def test_the_sea_hides_what_lies_under_it_beside_the_block(draw, shelf):
    """From outside, no ground shows through the block's near side, be it cut through water or through land."""
    x, z = np.linspace(-15.0, 15.0, 61)[None, :], np.linspace(-10.0, 10.0, 41)[:, None]
    frame = make_frame(bed=np.where((abs(x) < 14.0) & (abs(z) < 9.0), -8.0, shelf))
    camera = over_the_edge(frame)
    camera.target, camera.distance, camera.elevation = (0.0, 0.0, 10.0), 12.0, 0.35
    near = draw(frame, camera, surroundings="sea", water="muddy")[100:, 100:220].mean(axis=1)
    alone = draw(make_frame(bed=np.full((41, 61), -8.0)), camera, surroundings="sea", water="muddy")
    assert np.abs(near - alone[100:, 100:220].mean(axis=1)).max() < 12.0


@pytest.mark.slow
def test_beside_the_block_one_dives_into_the_sea(draw):
    """From under water outside, all that is far away is the water's own colour: no sky, and no ground in air."""
    frame = flooded()
    camera = over_the_edge(frame)
    camera.dive, camera.target, camera.distance, camera.elevation = True, (0.0, -2.0, 0.0), 14.0, 0.0
    sea, floor = (draw(frame, camera, surroundings=kind, water="muddy").mean(axis=(1, 2)) for kind in ("sea", "floor"))
    assert np.ptp(sea) < 0.5 * np.ptp(floor)


def towards_the_sun(frame, degrees):
    """A camera that sees a degree of the sky around a sun so high in the north."""
    camera, rise = OrbitCamera.framing(frame), math.radians(degrees)
    camera.azimuth, camera.elevation, camera.fov, camera.distance = 0.0, -rise, 0.02, 60.0
    camera.target = (0.0, 2.0 + 60.0 * math.sin(rise), 20.0 - 60.0 * math.cos(rise))
    return camera


@pytest.mark.slow
def test_the_sun_is_half_a_degree_wide_and_outshines_the_sky(draw):
    """White all over where the exposure is 64 times too short for the sky around it."""
    frame = flooded()
    view = {"sun_elevation": 12.0, "sun_azimuth": 180.0, "surroundings": "sea"}
    picture = draw(frame, towards_the_sun(frame, 12.0), exposure=-6.0, **view)
    radius = 0.5 * SIZE[1] * 0.00465 / math.tan(0.01)
    white = (picture > 250.0).all(axis=2)
    assert white.sum() == pytest.approx(math.pi * radius**2, rel=0.04)
    assert picture[:40].mean() < 80.0


@pytest.fixture
def light_towards_the_sun(draw, renderers):
    """light_towards_the_sun(degrees, **settings) → linear light of the sun's middle and of the sky beside it."""

    def light(degrees, **settings):
        frame = flooded()
        view = {"sun_elevation": degrees, "sun_azimuth": 180.0, "surroundings": "sea"}
        draw(frame, towards_the_sun(frame, degrees), **view, **settings)
        texture = renderers["medium"].textures["light"]
        seen = np.frombuffer(texture.read(), texture.dtype).reshape(*texture.size[::-1], 4).astype(float)[..., :3]
        return seen[len(seen) // 2, seen.shape[1] // 2], seen[len(seen) // 2, seen.shape[1] // 50]

    return light


@pytest.mark.slow
def test_the_low_sun_is_orange_where_it_is_brighter_than_half_floats_hold(light_towards_the_sun):
    sun, _ = light_towards_the_sun(5.0)
    assert 5e4 < sun[0] < 65504.0
    assert sun[0] > 1.8 * sun[1] > 3.6 * sun[2]


@pytest.mark.slow
def test_an_overcast_sky_hides_the_sun(light_towards_the_sun):
    sun, sky = light_towards_the_sun(30.0, clouds=1.0)
    np.testing.assert_allclose(sun, sky, rtol=0.05)

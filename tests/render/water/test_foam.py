"""How long foam lasts, and the pattern that shows it."""

import dataclasses
import re

import numpy as np
import pytest
from support.scenes import make_frame
from support.waters import Ground
from support.worlds import make_world

from waterview.core.commands import Drop
from waterview.core.files import data_path
from waterview.core.frame import OpenSea
from waterview.render.camera.camera import OrbitCamera
from waterview.render.gbuffer import GBufferPass
from waterview.render.materials import FOAMY_WATER
from waterview.render.noise import SIZE
from waterview.render.water.foam import foam_left, foam_pattern_tile
from waterview.render.water.open_sea import usual_sea

FOAM_LIFE = 2.0


def test_foam_does_not_outlive_a_jump_in_time_or_another_terrain():
    frame = make_frame()
    assert foam_left(None, frame, FOAM_LIFE) == 0.0
    assert foam_left(frame, dataclasses.replace(frame, time=FOAM_LIFE / 2), FOAM_LIFE) == pytest.approx(np.exp(-0.5))
    for other in (
        dataclasses.replace(frame, time=-0.1),
        dataclasses.replace(frame, time=1e3),
        make_frame(),
        dataclasses.replace(frame, grid=frame.grid.with_level(1.0)),
    ):
        assert foam_left(frame, other, FOAM_LIFE) == 0.0


@pytest.mark.parametrize("density", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_foam_of_a_density_covers_that_share_of_the_water(density):
    covered = foam_pattern_tile() <= density
    assert covered.mean() == pytest.approx(density, abs=1.0 / SIZE)


def test_the_pattern_repeats_without_a_seam():
    tile = foam_pattern_tile()[..., 0]
    for axis in (0, 1):
        steps = np.abs(np.diff(np.concatenate((tile, tile.take([0], axis)), axis), axis=axis))
        seam = steps.take([-1], axis).mean()
        assert seam < 1.5 * steps.mean()


@pytest.mark.slow
def test_foam_thins_out_where_water_runs_out_on_a_beach(drawing):
    """Seen from above, foam becomes nothing little by little towards the waterline, without an edge."""
    x = np.linspace(-6.0, 6.0, 61)[None, :] * np.ones((41, 1))
    beach, covered = -0.05 * x, np.ones((41, 61), np.float32)
    calm = OpenSea(usual_sea(12.0).patches, choppiness=0.0, roughness=0.0, scale=1.0, wind=0.0, wind_speed=0.0)
    draw = drawing((160, 90), look="natural", auto_exposure=False, surroundings="floor")
    pictures = []
    for serial, share in ((1, 0.0), (2, 1.0)):
        frame = make_frame((41, 61), 0.2, bed=beach, foam=share * covered, serial=serial, sea=calm)
        camera = OrbitCamera.framing(frame)
        camera.target, camera.distance, camera.azimuth, camera.elevation = (0.5, 0.0, 0.0), 4.0, 0.0, 1.55
        pictures.append(draw(frame, camera).mean(axis=2)[20:70].mean(axis=0))
    foam = pictures[1] - pictures[0]
    assert foam[-10:].mean() > 15.0 and np.abs(foam[:50]).max() < 1.0
    assert np.diff(foam).max() < 0.1 * foam.max()


@pytest.mark.slow
def test_bubbles_have_a_bright_and_a_dark_side_near_the_eye_and_are_level_far_off(drawing):
    """Foam under a sun from the east and from the west: the sides change places; the mean is the same near and far."""
    frame = make_frame((61, 91), 2.0 / 3.0, foam=np.full((61, 91), 0.8, np.float32))
    draw = drawing((96, 54), look="natural", auto_exposure=False, exposure=-1.0, surroundings="floor")
    camera = OrbitCamera.framing(frame)
    relief, brightness = [], []
    for distance in (3.0, 35.0):
        camera.target, camera.distance, camera.azimuth, camera.elevation = (0.0, 0.0, 0.0), distance, 0.0, 1.55
        east, west = (draw(frame, camera, sun_azimuth=side, sun_elevation=40.0).mean(axis=2) for side in (90.0, 270.0))
        relief.append((east - west).std())
        brightness.append(0.5 * (east + west).mean())
    assert relief[0] > 36.0
    assert relief[1] < 0.1 * relief[0]
    assert brightness[1] == pytest.approx(brightness[0], rel=0.04)


@pytest.fixture
def from_above(drawing):
    """from_above(density, sea, distance, **settings) → a picture of level foam as floats; x runs to the right."""

    def picture(density, sea=None, distance=4.0, **settings):
        draw = drawing((128, 72), look="natural", auto_exposure=False, surroundings="floor", quality="high", **settings)
        foam = np.full((61, 91), density, np.float32)
        frame = make_frame((61, 91), 2.0 / 3.0, bed=np.full((61, 91), -6.0, np.float32), foam=foam, sea=sea)
        camera = OrbitCamera.framing(frame)
        camera.target, camera.distance, camera.azimuth, camera.elevation = (0.0, 0.0, 0.0), distance, 0.0, 1.55
        return draw(frame, camera).astype(float)

    return picture


@pytest.mark.slow
def test_thick_foam_has_bright_heaps_and_dark_clefts_under_a_grey_sky(from_above):
    seen = from_above(0.95, clouds=1.0).mean(axis=2)
    bright, dark = np.percentile(seen, [95, 5])
    assert bright - dark > 43.0


@pytest.mark.slow
def test_the_holes_of_foam_have_edges(from_above):
    """From one pixel to the next light changes by half of its whole range; it does by 0.39 in a mere sum of bubbles."""
    seen = from_above(0.5, clouds=1.0, distance=1.0).mean(axis=2)
    water, foam = np.percentile(seen, [5, 95])
    assert np.percentile(np.abs(np.diff(seen)), 98) > 0.43 * (foam - water)


@pytest.mark.slow
def test_bubbles_below_foam_make_the_water_in_its_holes_milky_in_its_own_colour(from_above):
    """The darkest places are water: brighter than without foam, and green and blue more so than red."""
    clear, holes = (np.sort(from_above(density, clouds=1.0).reshape(-1, 3), axis=0)[:90] for density in (0.0, 0.6))
    red, green, blue = (holes - clear).mean(axis=0)
    assert min(green, blue) > 20.0
    assert min(green, blue) > 1.25 * red


@pytest.mark.slow
def test_a_gale_draws_foam_out_along_the_wind(from_above):
    def change(wind_speed):
        patches = usual_sea(60.0).patches
        sea = OpenSea(patches, choppiness=0.0, roughness=0.0, scale=1.0, wind=0.0, wind_speed=wind_speed)
        seen = from_above(0.6, sea, clouds=1.0).mean(axis=2)
        return [(np.diff(seen, axis=axis) ** 2).mean() for axis in (0, 1)]

    across, along = change(10.0)
    assert along == pytest.approx(across, rel=0.25)
    across, along = change(25.0)
    assert along < 0.4 * across


@pytest.mark.slow
def test_a_gale_gathers_old_foam_in_rows_along_the_wind(from_above):
    """Means of lines along the wind differ much more than those of lines across it, and less so in fresh foam."""

    def unevenness(density):
        sea = OpenSea(usual_sea(60.0).patches, choppiness=0.0, roughness=0.0, scale=1.0, wind=0.0, wind_speed=25.0)
        seen = from_above(density, sea, distance=40.0, clouds=1.0).mean(axis=2)
        return seen.mean(axis=1).std(), seen.mean(axis=0).std()

    across, along = unevenness(0.3)
    assert across > 12.0 and across > 3.0 * along
    assert unevenness(1.0)[0] < 0.7 * across


@pytest.mark.slow
def test_eddies_gather_old_foam_in_patches(from_above):
    """Means over squares as wide as three of its largest cells deviate by 1.2 of 255, and by 0.7 without eddies."""
    seen = from_above(0.15, clouds=1.0, distance=20.0).mean(axis=2)
    assert seen.reshape(9, 8, 16, 8).mean(axis=(1, 3)).std() > 0.95


@pytest.mark.slow
def test_the_more_bubbles_the_paler_is_the_water_in_the_holes_of_foam(from_above):
    clear, thin, dense = (
        np.sort(from_above(density, clouds=1.0).reshape(-1, 3), axis=0)[:90].mean(axis=0) for density in (0.0, 0.5, 0.8)
    )
    hues = [(seen - clear)[0] / (seen - clear)[2] for seen in (thin, dense)]
    assert hues[1] > 1.2 * hues[0]


@pytest.mark.slow
@pytest.mark.parametrize("wind_speed", [0.0, 25.0])
def test_foam_of_which_one_layer_is_drawn_is_not_seen(from_above, wind_speed):
    source = (data_path("shaders") / "include/foam.glsl").read_text()
    faintest = float(re.search(r"float FAINTEST = ([\d.]+);", source).group(1))
    sea = OpenSea(usual_sea(60.0).patches, choppiness=0.0, roughness=0.0, scale=1.0, wind=0.0, wind_speed=wind_speed)
    none, faint, some = (from_above(share * faintest, sea if wind_speed else None) for share in (0.0, 0.99, 20.0))
    assert np.abs(faint - none).max() <= 1.0
    assert np.abs(some - none).max() > 10.0


@pytest.fixture
def beach(drawing):
    """beach(wind_speed, time, level) → its shore from above, water at a level. To the left it falls 1.5 cm a metre."""

    def picture(wind_speed, time, level=0.0):
        draw = drawing((128, 72), look="natural", auto_exposure=False, surroundings="floor", quality="high")
        patches = usual_sea(60.0).patches
        sea = OpenSea(patches, choppiness=0.0, roughness=0.0, scale=1.0, wind=0.0, wind_speed=wind_speed)
        bed = 0.015 * np.linspace(-30.0, 30.0, 91) * np.ones((61, 1))
        heights = np.full((61, 91), level)
        frame = dataclasses.replace(make_frame((61, 91), 2.0 / 3.0, bed=bed, heights=heights, sea=sea), time=time)
        camera = OrbitCamera.framing(frame)
        camera.target, camera.distance = (level / 0.015 - 2.0, level, 0.0), 12.0
        camera.azimuth, camera.elevation = 0.0, 1.55
        return draw(frame, camera).mean(axis=2)

    return picture


@pytest.mark.slow
def test_short_waves_lap_at_a_beach_in_a_wind_and_run_up_and_back(beach):
    """Their foam lies by the shore, as far out as they break: 3.2 cm, over 0.78, are 2.7 m of this beach."""
    foam = [np.abs(beach(8.0, time) - beach(0.0, time)) for time in (0.0, 1.0 / 60.0, 0.5, 7.0)]
    for seen in foam:
        by_depth = seen.mean(axis=0)
        assert by_depth[54:78].mean() > 25.0
        assert max(by_depth[:36].max(), by_depth[-36:].max()) < 1.0
    soon, later, much_later = (np.abs(seen - foam[0])[:, 54:78].mean() for seen in foam[1:])
    assert later > 10.0 and much_later > 10.0
    assert soon < 0.25 * later


@pytest.mark.slow
def test_surf_follows_the_water_as_it_draws_back(beach):
    """Far below still water there is as much of it, by the shore that is there now."""
    still, low = (np.abs(beach(8.0, 7.0, level) - beach(0.0, 7.0, level)).mean(axis=0) for level in (0.0, -0.3))
    assert low[54:78].mean() > 0.5 * still[54:78].mean()
    assert max(low[:36].max(), low[-36:].max()) < 1.0


def islet(x, z):
    """A flat islet, hardly above the water."""
    return np.minimum(-0.8 + 1.2 * np.exp(-((x - 1.0) ** 2 + z**2) / 4.0), 0.06 + 0.01 * x)


@pytest.mark.slow
def test_no_foam_appears_or_vanishes_at_once_where_a_wave_floods_an_islet(drawing):
    """Of 24 pictures at 30 a second, none changes by much more than the others."""
    world = make_world("shallow-water", Ground(islet), wave_speed=3.0, damping=0.0)
    world.apply(Drop(-3.5, 0.5, 0.9, 1.6))
    look = {"look": "natural", "water": "sea", "surroundings": "floor"}
    draw = drawing((96, 54), auto_exposure=False, exposure=-0.8, sun_elevation=50.0, **look)
    pictures = []
    for number in range(52):
        for _ in range(4):
            world.step()
        frame = world.publish(number + 1)
        assert frame.time == pytest.approx((number + 1) / 30.0)
        camera = OrbitCamera.framing(frame)
        camera.fov, camera.target, camera.distance = 0.52, (0.5, 0.0, 0.0), 7.4
        camera.azimuth, camera.elevation = 0.2, 1.23
        pictures.append(draw(frame, camera).mean(axis=2))
    changes = np.abs(np.diff(pictures[28:], axis=0)).mean(axis=(1, 2))
    assert np.median(changes) > 0.5
    assert changes.max() < 1.6 * np.median(changes)


def test_water_is_shaded_as_foam_where_a_lone_fleck_can_be_seen_and_not_where_even_foam_cannot(renderers, drawing):
    draw, flecks = drawing((160, 90), look="natural", quality="low"), np.zeros((61, 91), np.float32)
    flecks[20::20, 20::20] = 1.0
    shaded = []
    for serial, foam in enumerate((np.full((61, 91), 8e-4, np.float32), flecks), 1):
        frame = make_frame((61, 91), 2.0 / 3.0, bed=np.full((61, 91), -6.0), foam=foam, serial=serial)
        draw(frame, OrbitCamera.framing(frame))
        shaded.append(np.count_nonzero(renderers["low"].find(GBufferPass).materials() == FOAMY_WATER))
    assert shaded[0] == 0 < shaded[1]

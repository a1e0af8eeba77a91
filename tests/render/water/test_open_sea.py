"""The sea beyond the block: the model's waves run on as geometry, to the horizon; land is mirrored in it."""

import dataclasses
import math

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.core.grid import Grid
from waterview.render.camera.bounds import Bounds
from waterview.render.camera.camera import OrbitCamera
from waterview.render.water.lod import ACROSS, OUTWARDS, LevelsOfDetail
from waterview.render.water.open_sea import PATCHES, POINTS, surface_of, usual_sea
from waterview.waters import OceanWater
from waterview.waters.ocean.spectra import slope_variance

SIZE = (96, 54)


def ocean(wind=12.0, **more):
    # Of 128 points: other tests compile nothing else either.
    water = OceanWater(400.0, 400.0, 128, (-200.0, 0.0, -200.0), wind_speed=wind, sea_size=400.0, **more)
    water.set_height_map(Deep())
    return water


class Deep:
    def height_at(self, x, z):
        return -40.0 + 0.0 * (x + z)


def camera_at(frame, eye, target, fov=45.0, **more):
    back = np.subtract(eye, target)
    far = float(np.linalg.norm(back))
    azimuth, elevation = math.atan2(back[0], back[2]), math.asin(back[1] / far)
    return OrbitCamera(Bounds.of(frame), target, far, azimuth, elevation, math.radians(fov), **more)


def test_the_patches_of_an_ocean_are_its_own_waves():
    water = ocean(cascades=1, choppiness=0.8)
    water.step()
    frame = water.publish(1)
    (patch,) = frame.sea.patches
    shape, slopes = surface_of(patch, frame.sea.choppiness, frame.time)
    deviation = frame.heights.std()
    np.testing.assert_allclose(shape[..., 0], frame.heights, atol=1e-4 * deviation)
    np.testing.assert_allclose(shape[..., 1:3], frame.shift, atol=2e-3 * deviation)
    np.testing.assert_allclose(slopes[..., :2].std(), frame.normals.astype(float).std(), rtol=0.02)
    assert patch.size == pytest.approx((128 * water.grid.spacing,) * 2)
    assert patch.steepness == pytest.approx(slopes[..., 2].mean(), rel=0.1)


def test_what_the_grid_does_not_resolve_is_left_to_roughness():
    calm, windy = (ocean(wind).publish(0).sea for wind in (6.0, 18.0))
    for sea, wind in ((calm, 6.0), (windy, 18.0)):
        assert 0.0 < sea.roughness < slope_variance(wind)
    assert windy.roughness > calm.roughness
    assert ocean(0.0).publish(0).sea.roughness == 0.0


def test_the_usual_sea_has_slopes_of_mean_square_one():
    sea = usual_sea(400.0)
    squares = [surface_of(patch, 0.0, 3.0)[1][..., 2].mean(dtype=float) for patch in sea.patches]
    assert len(squares) == PATCHES and sum(squares) == pytest.approx(1.0, rel=0.05)
    assert surface_of(sea.patches[0], 0.0, 3.0)[0].shape == (POINTS, POINTS, 3)


@pytest.mark.parametrize("eye", [(10.0, 3.0, 5.0), (-90.0, 2.0, 300.0), (20.0, 4000.0, 10.0)])
def test_patches_around_cover_the_sea_once_and_leave_out_the_block(eye):
    levels = LevelsOfDetail.over(Grid((61, 121), 0.5))
    area, water = 0.0, np.array(levels.size)
    for number, patches in enumerate(levels.around(np.array(eye), 5.0)):
        low, high = levels.corners(patches, number - OUTWARDS)
        area += np.prod(high - low, axis=1).sum()
        assert not ((low < water - 1e-9) & (high > 1e-9)).all(axis=1).any()
    side = 2 * ACROSS * 2**OUTWARDS * water / levels.roots
    assert area == pytest.approx(np.prod(side) - np.prod(water))


@pytest.mark.slow
def test_crests_beyond_the_block_rise_above_the_horizon(drawing, renderers):
    draw = drawing(SIZE, surroundings="sea")

    def crests(wind):
        frame = ocean(wind).publish(1)
        camera = camera_at(frame, (-900.0, 2.0, 900.0), (-700.0, 2.0, 1500.0), 15.0)
        draw(frame, camera)
        depth = renderers["low"].textures["gbuffer_depth"]
        values = np.frombuffer(depth.read(), np.float32).reshape(depth.height, depth.width)
        return (values[values.shape[0] // 2 + 2 :] < 1.0).mean()

    assert crests(0.0) == 0.0
    assert crests(25.0) > 0.05


@pytest.mark.slow
@pytest.mark.parametrize("dry", [0, 110], ids=["open", "land"])
def test_there_are_as_many_whitecaps_beyond_the_block_as_in_it(drawing, dry):
    frame = ocean(20.0).publish(1)
    foam = np.where(frame.heights > np.quantile(frame.heights, 0.95), 0.8, 0.0).astype(np.float32)
    bed, still = frame.bed.copy(), {name: getattr(frame, name).copy() for name in ("heights", "normals", "shift")}
    for field in (foam, *still.values()):
        field[:dry] = 0.0
    bed[:dry] = 10.0  # land, which counts neither as steep nor as calm sea
    frame = dataclasses.replace(frame, bed=bed, **still)
    camera = camera_at(frame, (0.0, 300.0, 211.0), (0.0, 0.0, 210.0), 60.0)
    draw = drawing((256, 144), surroundings="sea", look="natural", auto_exposure=False, sun_elevation=60.0, air=0.0)
    bare, foamy = (
        draw(dataclasses.replace(frame, serial=serial, foam=share * foam), camera).mean(axis=2)
        for serial, share in ((2, 0.0), (3, 1.0))
    )
    caps = foamy - bare > 20.0
    # The picture shows 616 m × 346 m, the upper half of it the block, which measures 400 m.
    inside, beyond = caps[:60, 60:196].mean(), caps[90:].mean()
    assert inside > 0.01
    # On land there is no foam, so the mean of the block is less.
    assert 0.3 < beyond / inside / (1.0 - dry / 128) < 3.0


@pytest.mark.slow
def test_the_waves_of_an_ocean_run_across_the_sides_of_the_block(drawing):
    frame = ocean(20.0).publish(1)
    camera = camera_at(frame, (0.0, 300.0, 211.0), (0.0, 0.0, 210.0), 60.0)
    draw = drawing((256, 144), surroundings="sea", look="natural", auto_exposure=False, sun_elevation=60.0)
    steps = np.abs(np.diff(draw(frame, camera)[:, 60:196], axis=0)).mean(axis=(1, 2))
    side = 67  # the side lies between this row and the next
    assert steps[side - 1 : side + 2].max() < 1.5 * np.median(steps)


@pytest.mark.slow
def test_an_eye_in_a_crest_beyond_the_block_is_under_water_and_one_in_a_trough_is_not(drawing):
    frame = ocean(28.0).publish(1)
    draw = drawing(SIZE, surroundings="sea", look="natural", water="sea", auto_exposure=False, sun_elevation=35.0)

    def picture(find, above):
        """Looking out to sea from so far above a point of the surface, which is periodic."""
        rows, columns = slice(20, 60), slice(30, 100)
        row, column = np.unravel_index(find(frame.heights[rows, columns]), (40, 70))
        place = row + rows.start, column + columns.start
        x, z = frame.grid.x[place[1]], frame.grid.z[place[0]] + 128 * frame.grid.spacing
        eye = np.array((x + frame.shift[place][0], frame.heights[place] + above, z + frame.shift[place][1]))
        return draw(frame, camera_at(frame, eye, np.add(eye, (1.0, 0.1, 3.0)), 60.0, dive=True))

    crest, trough = picture(np.argmax, -1.5), picture(np.argmin, 0.6)
    assert crest[:14, :, 0].max() < 60.0  # the sky is red to a part, water is not
    assert trough[:14, :, 0].min() > 60.0


@pytest.mark.slow
def test_land_is_mirrored_in_the_sea_beside_the_block(drawing):
    def picture(high):
        bed = np.full((61, 61), -10.0)
        bed[3:8, 10:51] = high
        frame = make_frame(bed.shape, 2.0, bed=bed)
        draw = drawing(SIZE, surroundings="sea", sun_elevation=60.0, auto_exposure=False, look="natural")
        return draw(frame, camera_at(frame, (0.0, 14.0, -150.0), (0.0, 0.0, -60.0)))

    with_land, without = picture(30.0), picture(-9.0)
    # The block's side is 90 m away, at a row below which all is sea in front of it.
    sea = slice(SIZE[1] // 2 + 6, SIZE[1] // 2 + 14)
    assert np.abs(with_land - without)[sea, 30:66].mean() > 8.0


@pytest.mark.slow
def test_waves_shorter_than_the_grid_s_cells_are_drawn_near_the_eye(drawing):
    """The points of the grid are 3 m apart, and a pixel before the eye is 6 cm wide."""
    draw = drawing(SIZE, surroundings="sea", look="natural", auto_exposure=False, exposure=-2.0, sun_azimuth=180.0)
    frame = ocean(10.0).publish(1)

    def roughness(seen):
        camera = camera_at(seen, (0.0, 2.0, 3.5), (0.0, 0.0, 0.0))
        picture = draw(seen, camera).mean(axis=2)
        return np.abs(np.diff(picture, axis=1)).mean()

    smooth = dataclasses.replace(frame, sea=dataclasses.replace(frame.sea, roughness=0.0), serial=2)
    assert roughness(frame) > 2.5 * roughness(smooth)


@pytest.mark.slow
def test_wind_widens_the_path_of_light(drawing):
    draw = drawing(SIZE, surroundings="sea", sun_azimuth=180.0, sun_elevation=25.0, auto_exposure=False, exposure=-3.0)

    def width(wind):
        frame = ocean(wind).publish(1)
        rows = draw(frame, camera_at(frame, (0.0, 30.0, 150.0), (0.0, 0.0, 0.0))).mean(axis=2)[30:]
        return (rows > 0.4 * rows.max()).mean()

    assert width(16.0) > 1.5 * width(4.0)


@pytest.mark.slow
def test_forty_metres_of_sea_hide_the_floor(drawing):
    x, z = np.linspace(-200.0, 200.0, 81)[None, :], np.linspace(-200.0, 200.0, 81)[:, None]
    ridges = 3.0 * np.sin(0.15 * x) * np.sin(0.15 * z)

    def seen(**look):
        draw = drawing(SIZE, surroundings="sea", sun_elevation=70.0, look="natural", auto_exposure=False, **look)
        frames = (make_frame((81, 81), 5.0, bed=-40.0 + high * ridges) for high in (0.0, 1.0))
        flat, rough = (draw(frame, camera_at(frame, (0.0, 300.0, 10.0), (0.0, 0.0, 0.0))) for frame in frames)
        return np.abs(flat - rough)[10:-10, 30:-30].max()

    assert seen() <= 1.0
    assert seen(water="tropical") > 5.0

"""What lies around the block: nothing of it repeats, and no edge shows."""

import math

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.render.camera.bounds import Bounds
from waterview.render.camera.camera import OrbitCamera
from waterview.render.gbuffer import GBufferPass
from waterview.render.materials import GROUND_SIDE

SIZE = (96, 54)


def camera_at(frame, eye, target, fov=45.0):
    back = np.subtract(eye, target)
    far = float(np.linalg.norm(back))
    azimuth, elevation = math.atan2(back[0], back[2]), math.asin(back[1] / far)
    return OrbitCamera(Bounds.of(frame), target, far, azimuth, elevation, math.radians(fov), dive=True)


def sea(flipped=False):
    """An island, a shoal and a ring of waves in a sea of 120 m × 80 m, 6 m deep at its sides."""
    x, z = np.linspace(-60.0, 60.0, 91)[None, :], np.linspace(-40.0, 40.0, 61)[:, None]
    bed = -6.0 + 14.0 * np.exp(-((x - 14.0) ** 2 + (z + 4.0) ** 2) / 90.0) + 4.0 * np.exp(-((x - 50.0) ** 2) / 30.0)
    ring = np.hypot(x + 20.0, z - 5.0)
    heights = np.where(bed > 0.0, 0.0, 0.35 * np.cos(1.6 * ring) * np.exp(-ring / 12.0))
    turn = slice(None, None, -1 if flipped else 1)
    return make_frame(bed.shape, 120.0 / 90.0, bed=bed[:, turn], heights=heights[:, turn])


@pytest.mark.slow
def test_rings_and_islands_do_not_repeat_beyond_the_block(drawing):
    draw = drawing(SIZE, surroundings="sea", sun_elevation=60.0, auto_exposure=False)
    one, other = (draw(frame, camera_at(frame, (0.0, 330.0, 1.0), (0.0, 0.0, 0.0))) for frame in (sea(), sea(True)))
    # The picture shows 486 m × 273 m. Out there is open sea, whichever side of the block rings and island are on.
    beyond = np.ones(SIZE[::-1], bool)
    beyond[12:-12, 28:-28] = False
    apart = np.abs(one - other).max(axis=2)
    assert apart[beyond].max() <= 6.0
    assert apart[~beyond].max() > 60.0


@pytest.mark.slow
def test_waves_that_come_in_run_on_beyond_the_block(drawing):
    # The block is cut out of a sea three times as long, whose waves are one sine that runs obliquely.
    kx, kz, spacing = 0.28, 0.21, 4.0 / 3.0

    def cut_out(times, **more):
        nz, nx = 61 * times, 91 * times
        x, z = (spacing * (np.arange(n) - 0.5 * (n - 1)) for n in (nx, nz))
        heights = 0.4 * np.cos(kx * x[None, :] + kz * z[:, None] + 0.3)
        return make_frame((nz, nx), spacing, bed=np.full((nz, nx), -40.0), heights=heights, **more)

    size = (192, 108)
    look = {"look": "natural", "water": "sea", "clarity": 0.3, "sun_elevation": 25.0}
    draw = drawing(size, surroundings="sea", auto_exposure=False, **look)
    block, sines = cut_out(1), np.array([(kx, kz, 0.4, 0.3)], np.float32)
    camera = camera_at(block, (-110.0, 40.0, 60.0), (0.0, 0.0, 0.0), 50.0)
    truth, known, unknown = (draw(frame, camera) for frame in (cut_out(3), cut_out(1, incoming=sines), block))
    # Below the horizon and beside the glitter of the sun; most of it lies beyond the block.
    seen = slice(50, None), slice(60, None)

    def likeness(picture):
        one, other = (np.diff(each.mean(axis=2)[seen], axis=0).ravel() for each in (picture, truth))
        return float(np.corrcoef(one, other)[0, 1])

    assert likeness(known) > 0.7
    assert likeness(unknown) < 0.3


@pytest.mark.slow
def test_the_glint_has_no_crease_along_the_blocks_side(drawing):
    """From above the sun is seen in a slope that lies across the side, which is in the middle of the picture."""
    x = np.linspace(-60.0, 60.0, 91)[None, :] + np.zeros((61, 1))
    frame = make_frame((61, 91), 4.0 / 3.0, bed=np.full((61, 91), -40.0), heights=0.5 * np.sin(0.3 * (x - 60.0)))
    look = {"look": "natural", "water": "sea", "sun_elevation": 73.0, "sun_azimuth": 270.0}
    draw = drawing(SIZE, surroundings="sea", auto_exposure=False, **look)
    picture = draw(frame, camera_at(frame, (60.0, 20.0, 0.1), (60.0, 0.0, 0.0))).mean(axis=(0, 2))
    around = picture[44:54]
    assert around.mean() > 150.0
    assert np.abs(np.diff(around)).max() < 8.0


@pytest.mark.slow
def test_the_floor_of_a_pool_is_not_drawn_out_to_stripes_beyond_its_sides(drawing):
    """Seen down through the water, past its side. Before, tiles and caustics at the side went on to the horizon."""
    x, z = np.linspace(-60.0, 60.0, 91)[None, :], np.linspace(-40.0, 40.0, 61)[:, None]
    heights = 0.05 * np.cos(0.9 * z + 0.4 * x) + 0.05 * np.cos(0.5 * z - 0.8 * x)
    frame = make_frame((61, 91), 4.0 / 3.0, bed=np.full((61, 91), -30.0), heights=heights)
    draw = drawing((192, 108), look="pool", surroundings="sea", sun_elevation=70.0, auto_exposure=False)
    picture = draw(frame, camera_at(frame, (45.0, 8.0, 0.0), (75.0, -15.0, 0.0))).mean(axis=2)
    assert np.diff(picture[36:90], axis=1).std(axis=1).max() < 1.0


@pytest.mark.slow
def test_a_wall_in_the_sea_goes_on_under_water(drawing):
    """Its outer face is seen through the surface. Before, the tiles of the pool's floor showed through it."""
    bed = np.full((61, 91), -3.0)
    bed[:3] = bed[-3:] = bed[:, :3] = bed[:, -3:] = 4.0
    frame = make_frame((61, 91), 4.0 / 3.0, bed=bed)
    draw = drawing((192, 108), look="pool", surroundings="sea", sun_elevation=70.0, auto_exposure=False)
    picture = draw(frame, camera_at(frame, (100.0, 14.0, 0.0), (60.0, 0.0, 0.0), 30.0)).mean(axis=2)
    assert picture[55:58, 60:132].max() < 0.65 * picture[63:, 60:132].min()


@pytest.mark.slow
def test_a_pool_in_the_sea_has_outer_walls_under_water(drawing, renderers):
    x, z = np.linspace(-6.0, 6.0, 91)[None, :], np.linspace(-4.0, 4.0, 61)[:, None]
    bed = np.where((np.abs(x) < 5.5) & (np.abs(z) < 3.5), -3.0, 0.5)
    frame = make_frame(bed.shape, 12.0 / 90.0, bed=bed)
    draw = drawing(SIZE, look="pool", surroundings="sea")
    draw(frame, camera_at(frame, (0.0, -1.5, 10.0), (0.0, -1.5, 0.0)))
    shown = renderers["low"].find(GBufferPass).materials()
    across, down = shown.shape[1] // 3, shown.shape[0] // 4
    assert (shown[down:-down, across:-across] == GROUND_SIDE).all()


@pytest.mark.slow
def test_a_single_sine_does_not_run_to_the_horizon_as_stripes(drawing):
    """Beside the block its crests are straight and look the same left and right; 25 wavelengths away they do not."""
    sines = np.array([(0.35, 0.0, 0.8, 0.3)], np.float32)
    frame = make_frame((61, 91), 4.0 / 3.0, bed=np.full((61, 91), -40.0), incoming=sines)
    look = {"look": "natural", "water": "sea", "sun_elevation": 40.0, "sun_azimuth": 270.0}
    draw = drawing(SIZE, surroundings="sea", auto_exposure=False, **look)

    def likeness(away):
        picture = draw(frame, camera_at(frame, (away - 60.0, 40.0, 0.0), (away, 0.0, 0.0))).mean(axis=2)
        left, right = (np.diff(part.mean(axis=1)) for part in (picture[15:, 4:20], picture[15:, -20:-4]))
        return float(np.corrcoef(left, right)[0, 1])

    assert likeness(120.0) > 0.8
    assert likeness(500.0) < 0.5


@pytest.mark.slow
def test_in_haze_the_block_is_no_dark_square_seen_from_above(drawing):
    """From 330 m up its side lies in the middle of the picture; both halves are as bright."""
    draw = drawing(SIZE, look="natural", surroundings="sea", sun_elevation=40.0, turbidity=13.0, auto_exposure=False)
    frame = make_frame((61, 91), 120.0 / 90.0, bed=np.full((61, 91), -40.0))
    picture = draw(frame, camera_at(frame, (60.0, 330.0, 1.0), (60.0, 0.0, 0.0))).mean(axis=(0, 2))
    assert abs(picture[18:45].mean() - picture[51:78].mean()) < 2.0


@pytest.mark.slow
def test_no_pale_shallows_lie_along_land_that_is_cut_off(drawing):
    """The sea before a hill's cut side is as dark as before a side under water; only the foot of a beach runs out."""
    x, z = np.linspace(-60.0, 60.0, 91)[None, :], np.linspace(-40.0, 40.0, 61)[:, None]
    draw = drawing(SIZE, look="natural", water="sea", surroundings="sea", sun_elevation=60.0, auto_exposure=False)

    def before_the_side(bed):
        frame = make_frame((61, 91), 120.0 / 90.0, bed=np.maximum(bed, -12.0))
        picture = draw(frame, camera_at(frame, (0.0, 40.0, 48.1), (0.0, 0.0, 48.0))).mean(axis=2)
        return picture[18:36, 36:60].mean()

    sea, hill, beach = (before_the_side(bed + 0.0 * x) for bed in (-12.0 + 0.0 * z, 0.4 * z - 8.0, 0.4 * z - 17.0))
    assert abs(hill - sea) < 0.15 * sea
    assert beach > 1.2 * sea


@pytest.mark.sampled
@pytest.mark.parametrize("azimuth", [0.0, 90.0])
def test_the_floor_below_a_low_sun_shows_no_fan_and_no_edge(drawing, azimuth):
    frame = make_frame((41, 61), 2.0, bed=np.full((41, 61), -8.0))
    draw = drawing(SIZE, surroundings="floor", sun_elevation=3.0, sun_azimuth=azimuth)
    picture = draw(frame, camera_at(frame, (0.0, 260.0, 10.0), (0.0, 0.0, 0.0)))
    floor = np.ones(SIZE[::-1], bool)
    floor[12:-12, 26:-26] = False
    assert np.ptp(picture.mean(axis=2)[floor]) < 30.0
    edges = np.abs(np.diff(picture.mean(axis=2), axis=1))
    assert edges[floor[:, 1:] & floor[:, :-1]].max() < 4.0


@pytest.mark.slow
@pytest.mark.parametrize("surroundings", ["sea", "floor"])
def test_the_glow_around_a_low_sun_is_no_wedge_below_the_eye(drawing, surroundings):
    frame = make_frame((41, 61), 40.0, bed=np.full((41, 61), -200.0))
    draw = drawing(SIZE, surroundings=surroundings, sun_elevation=2.0, sun_azimuth=90.0, turbidity=4.0)
    picture = draw(frame, camera_at(frame, (0.0, 1500.0, 1.0), (0.0, 0.0, 0.0)))
    block = picture[:, 12:-12]
    assert np.abs(block - block[:, ::-1]).mean(axis=2).max() < 10.0


@pytest.mark.sampled
@pytest.mark.parametrize("looking", [0.0, 90.0])
def test_the_horizon_under_water_is_no_step(drawing, looking):
    frame = make_frame((41, 61), 2.0, bed=np.full((41, 61), -8.0))
    turn = math.radians(looking)
    target = (40.0 * math.sin(turn), -4.0, 40.0 * math.cos(turn))
    draw = drawing(SIZE, surroundings="sea", sun_elevation=60.0, clarity=4.0)
    picture = draw(frame, camera_at(frame, (0.0, -4.0, 0.0), target)).mean(axis=2)
    steps = np.abs(np.diff(picture, axis=0)).mean(axis=1)
    assert steps.max() < 35.0


@pytest.mark.slow
def test_an_eye_under_water_beyond_the_block_sees_cut_land_through_the_water(drawing):
    """A cliff at the block's side, 100 m from an eye in the sea, takes on the water's colour where that is turbid."""
    x = np.linspace(-40.0, 40.0, 61)[None, :] + np.zeros((41, 1))
    draw = drawing(SIZE, surroundings="sea", sun_elevation=60.0, water="sea", clarity=0.1, auto_exposure=False)
    beds = np.where(x > 20.0, 15.0, -12.0), np.full_like(x, -12.0)
    cliff, sea = (make_frame((41, 61), 80.0 / 60.0, bed=bed) for bed in beds)
    one, other = (draw(frame, camera_at(frame, (140.0, -4.0, 0.0), (40.0, -4.0, 0.0))) for frame in (cliff, sea))
    assert np.abs(one - other).max() < 12.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("eye", "x"),
    [((0.0, -4.0, -80.0), 0.0), ((90.0, -4.0, 0.0), 0.0), ((42.0, -4.0, 0.0), 140.0)],
    ids=["beside", "behind", "below the shoal's slope"],
)
def test_from_under_water_beyond_the_block_a_shoal_is_no_bright_dash(drawing, eye, x):
    """Rays that dip below the top of a shoal at the block's side end in its slope; an eye below it is over ground."""
    east = np.linspace(-40.0, 40.0, 61)[None, :] + np.zeros((41, 1))
    frame = make_frame((41, 61), 80.0 / 60.0, bed=np.clip(0.3 * east - 9.0, -12.0, -0.5))
    draw = drawing(SIZE, surroundings="sea", sun_elevation=60.0, water="sea", auto_exposure=False)
    picture = draw(frame, camera_at(frame, eye, (x, -4.0, 0.0)))
    assert max(np.abs(np.diff(picture, axis=axis)).max() for axis in (0, 1)) < 20.0


@pytest.mark.slow
def test_snow_lies_above_its_line_and_nowhere_else(drawing):
    frame = sea()
    draw = drawing(SIZE, surroundings="floor", sun_elevation=60.0, exposure=-1.0, auto_exposure=False)
    camera = camera_at(frame, (14.0, 40.0, 20.0), (14.0, 4.0, -4.0), 30.0)
    bare, snowed = draw(frame, camera), draw(frame, camera, snow_line=3.0)
    whiter = (snowed - bare).min(axis=2) > 40.0
    assert 50 < whiter.sum() < 0.2 * whiter.size
    assert snowed[whiter].mean() > 150.0
    np.testing.assert_allclose(draw(frame, camera, snow_line=12.0), bare, atol=2.0)


@pytest.mark.slow
def test_a_coast_ten_kilometres_away_is_bluish_and_a_pool_is_as_it_was(drawing):
    draw = drawing((96, 54), auto_exposure=False, exposure=-1.5, sun_azimuth=20.0, look="natural")

    def land(size, **settings):
        """Bare rock behind water, as wide as the scene."""
        bed = np.full((41, 61), -0.02 * size)
        bed[:8] = 0.1 * size
        frame = make_frame((41, 61), size / 60.0, bed=bed)
        camera = OrbitCamera.framing(frame)
        camera.target, camera.distance, camera.elevation = (0.0, 0.03 * size, 0.0), 0.3 * size, 0.05
        camera.azimuth = 0.0
        return draw(frame, camera, surroundings="sea", snow_line=10000.0, **settings)[20:26, 40:56].mean(axis=(0, 1))

    near, far = land(10.0), land(16_000.0)
    bare = land(16_000.0, air=0.0)
    np.testing.assert_array_equal(near, land(10.0, air=0.0))
    assert far[2] / far[0] > 1.03 * bare[2] / bare[0]


def deep_water(draw, height, **settings):
    """Water 400 m deep whose surface is everywhere so far above its level, seen from above."""
    frame = make_frame((41, 61), 10.0, bed=np.full((41, 61), -400.0), heights=np.full((41, 61), height))
    camera = OrbitCamera.framing(frame)
    camera.target, camera.distance, camera.elevation = (0.0, height, 0.0), 60.0, 1.5
    return draw(frame, camera, **settings)


@pytest.mark.slow
def test_a_trough_is_no_darker_than_still_water(drawing):
    """Daylight enters at the surface, wherever that is: deep water sends as much light back from a trough."""
    draw = drawing((64, 36), auto_exposure=False, exposure=-1.0, water="sea", air=0.0)
    trough, still = (deep_water(draw, height)[10:26, 20:44].mean(axis=(0, 1)) for height in (-20.0, 0.0))
    np.testing.assert_allclose(trough, still, rtol=0.05)


@pytest.mark.parametrize("surroundings", ["sea", "floor"])
@pytest.mark.slow
def test_high_water_is_as_bright_as_still_water_on_all_sides(drawing, surroundings):
    draw = drawing((64, 36), auto_exposure=False, exposure=-1.0, water="sea", air=0.0, surroundings=surroundings)
    high, still = (deep_water(draw, height).reshape(4, 9, 4, 16, 3).mean(axis=(1, 3)) for height in (20.0, 0.0))
    np.testing.assert_allclose(high, still, rtol=0.05, atol=3.0)


@pytest.mark.slow
def test_clouds_shade_no_stripes_into_the_sea_under_water(drawing):
    """Murky water hides all but what is near the eye. Before, clouds at the horizon shaded stripes into it."""
    frame = make_frame((41, 61), 2.0, bed=np.full((41, 61), -30.0))
    look = {"surroundings": "sea", "water": "sea", "sun_elevation": 50.0, "turbidity": 1.0}
    draw = drawing(SIZE, look="natural", clarity=0.2, auto_exposure=False, exposure=1.0, **look)
    camera = camera_at(frame, (200.0, -4.0, 0.0), (300.0, 2.0, 0.0))
    clear, cloudy = (draw(frame, camera, clouds=clouds)[:44].mean(axis=(0, 2)) for clouds in (0.0, 0.4))
    assert cloudy.mean() > 60.0
    apart = cloudy - clear
    assert np.abs(apart[8:] - apart[:-8]).max() < 0.6


@pytest.mark.slow
@pytest.mark.parametrize("eye", [(0.0, 40.0, 0.0), (50.0, -2.0, 0.0)], ids=["from above", "from below"])
def test_the_blocks_side_is_no_edge_over_ground_that_slopes_down_beyond_it(drawing, eye):
    """Rays that leave the block meet the same ground as those that begin beside it, above and below the surface."""
    bed = np.full((61, 91), -60.0)
    bed[:9] = bed[-9:] = bed[:, :9] = bed[:, -9:] = -20.0
    frame = make_frame((61, 91), 4.0 / 3.0, bed=bed)
    draw = drawing(SIZE, look="pool", surroundings="sea", sun_elevation=60.0, auto_exposure=False)
    # The block's side lies across the middle of the picture, at row 26.
    rows = draw(frame, camera_at(frame, eye, (60.0, 0.0, 0.0), 20.0))[:, 32:64].mean(axis=(1, 2))
    assert np.abs(np.diff(rows))[23:30].max() < 3.0

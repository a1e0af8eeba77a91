"""Looking from under water: camera, window, fog and waterline."""

import math

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.render.camera.camera import LOWEST, OrbitCamera
from waterview.render.settings import ViewParams
from waterview.render.water.lod import LevelsOfDetail
from waterview.render.water.underwater import may_be_underwater, sight

SIZE = (320, 180)


@pytest.fixture
def draw(drawing):
    return drawing(SIZE, auto_exposure=False, look="natural")


def deep(bed=-8.0):
    return make_frame(bed=np.full((41, 61), bed))


def diver(frame, depth=4.0, elevation=-90.0, distance=1.0, fov=90.0):
    """An eye `depth` metres under still water that looks at a point `distance` metres ahead."""
    camera = OrbitCamera.framing(frame)
    camera.dive, camera.azimuth, camera.distance, camera.fov = True, 0.3, distance, math.radians(fov)
    camera.elevation = math.radians(elevation)
    camera.target = (0.0, -depth - distance * math.sin(camera.elevation), 0.0)
    return camera


def test_only_a_camera_that_may_dive_goes_under_water():
    frame = deep()
    camera = OrbitCamera.framing(frame)
    camera.distance, camera.target = 5.0, (0.0, 0.0, 0.0)
    camera.orbit(0.0, -1e4, SIZE)
    assert camera.elevation == LOWEST
    camera.dive = True
    camera.orbit(0.0, -50.0, SIZE)
    camera.keep_above(frame)
    assert camera.eye[1] < 0.0 and may_be_underwater(camera, frame)
    camera.dive = False
    camera.keep_above(frame)
    assert camera.eye[1] > 0.0 and not may_be_underwater(camera, frame)


def test_one_sees_as_far_as_the_water_is_clear():
    view = ViewParams(look="natural", water="jerlov-1")
    assert sight(deep(-40.0), view) == pytest.approx(0.65 / 0.063)
    assert sight(deep(-40.0), view.changed(clarity=2.0)) == pytest.approx(1.3 / 0.063)
    assert sight(deep(-2.0), ViewParams(look="pool")) == pytest.approx(14.0)


def test_a_diver_stays_above_the_ground():
    frame = deep(-2.0)
    camera = OrbitCamera.framing(frame)
    camera.dive, camera.distance, camera.target = True, 9.0, (0.0, 0.0, 0.0)
    camera.orbit(0.0, -1e4, SIZE)
    camera.keep_above(frame)
    assert -2.0 < camera.eye[1] < 0.0


def test_beside_the_block_nobody_is_under_water():
    frame = deep()
    camera = OrbitCamera.framing(frame)
    camera.dive, camera.elevation, camera.target = True, math.radians(-3.0), (0.0, 0.0, 0.0)
    assert camera.eye[1] < 0.0 and not may_be_underwater(camera, frame)


@pytest.mark.slow
def test_from_the_air_a_diver_sees_ground_that_a_trough_lays_bare_as_others_do(draw):
    x, z = np.linspace(-15.0, 15.0, 61)[None, :], np.linspace(-10.0, 10.0, 41)[:, None]
    bed = -3.0 + 3.2 * np.exp(-(x**2 + z**2) / 20.0)
    heights = -0.8 + 2.0 * np.exp(-((x - 12.0) ** 2 + (z + 8.0) ** 2))  # a crest elsewhere, as high as the eye
    frame = make_frame(bed=bed, heights=np.where(bed > 0.0, 0.0, heights))
    camera = OrbitCamera.framing(frame)
    camera.target, camera.distance, camera.elevation = (0.0, 0.0, 0.0), 7.0, 0.05
    pictures = []
    for dive in (False, True):
        camera.dive = dive
        pictures.append(draw(frame, camera))
    assert may_be_underwater(camera, frame)
    apart = np.abs(pictures[1] - pictures[0]).max(axis=2)
    assert (apart > 6.0).mean() < 0.001


@pytest.mark.slow
def test_the_sky_is_seen_inside_snells_window_only(draw):
    """Straight up the sky shows; beyond arcsin(1/1.333) = 48.6° from the vertical the surface mirrors the deep."""
    frame = deep()
    camera = diver(frame, fov=120.0)
    # A pool's water is the calmest: ripples would smear the edge. Red is what a hazy sky has and the deep has not.
    picture = draw(frame, camera, water="sea", clarity=2.0, look="pool", turbidity=5.0)
    tangent = math.tan(0.5 * camera.fov)
    x, y = np.meshgrid(np.arange(320) - 159.5, np.arange(180) - 89.5)
    angle = np.degrees(np.arctan(np.hypot(x, y) / 90.0 * tangent))
    red = picture[..., 0]
    window, beyond = red[(angle > 25) & (angle < 47)], red[(angle > 51) & (angle < 65)]
    assert np.median(window) > 2.0 * np.median(beyond)
    # The edge lies where Snell says, to the width of a pixel and the ripples.
    rings = [np.median(red[(angle > a) & (angle < a + 1.0)]) for a in range(40, 58)]
    assert 40.0 + int(np.argmin(np.diff(rings))) + 1.0 == pytest.approx(48.6, abs=1.0)


@pytest.mark.slow
@pytest.mark.parametrize("wall", [None, 15.0])
def test_no_bright_ring_lies_around_snells_window(draw, wall):
    """Beyond the edge, facets that lean show the horizon or the land before it, not the sun and the sky overhead."""
    bed = np.full((41, 61), -8.0)
    if wall is not None:
        bed[:4], bed[-4:], bed[:, :4], bed[:, -4:] = (wall,) * 4
    look = {"water": "sea", "clarity": 2.0, "turbidity": 2.0, "sun_elevation": 90.0}
    picture = draw(make_frame(bed=bed), diver(deep(), fov=120.0), **look)
    x, y = np.meshgrid(np.arange(320) - 159.5, np.arange(180) - 89.5)
    angle = np.degrees(np.arctan(np.hypot(x, y) / 90.0 * math.tan(math.radians(60.0))))
    rings = np.array([picture[(angle > a) & (angle < a + 1.0)].mean() for a in range(44, 58)])
    assert rings[:3].mean() > rings[-3:].mean()
    # From the window outwards it becomes darker and nothing else.
    assert np.diff(rings).max() < 4.0


@pytest.mark.slow
def test_from_under_calm_water_the_sun_is_small_and_round_and_waves_break_it(draw):
    """Not a blot as wide as rough water would make it, whose outline waves only bend."""
    x, z = np.meshgrid(np.linspace(-15, 15, 181), np.linspace(-10, 10, 121))
    waves = 0.15 * np.sin(4.0 * x + 1.0) * np.cos(4.4 * z)
    camera = diver(deep(), depth=7.0, fov=60.0)
    shapes = []
    for heights in (0.0 * waves, waves):
        frame = make_frame(waves.shape, 1.0 / 6.0, heights=heights, bed=np.full(waves.shape, -8.0))
        picture = draw(frame, camera, quality="medium", look="pool", sun_elevation=80.0, exposure=-2.0)
        shapes.append(picture.min(axis=2) > 200.0)
    calm, broken = shapes
    degree = 90.0 / math.tan(math.radians(30.0)) * math.radians(1.0)
    rows, columns = (np.ptp(np.nonzero(calm)[axis]) + 1.0 for axis in (0, 1))
    assert rows == pytest.approx(columns, abs=2.0) and rows < 2.0 * 2.5 * degree
    rows, columns = (np.ptp(np.nonzero(broken)[axis]) + 1.0 for axis in (0, 1))
    assert broken.sum() < 0.5 * rows * columns


@pytest.mark.slow
def test_walls_are_whole_in_snells_window(draw):
    """Walls above the water, of a single row of points and thicker, show in nearly all columns of the picture."""
    camera = diver(deep(), depth=2.0, elevation=-40.0, fov=80.0)
    camera.azimuth = 0.0
    shown = []
    for begin in (3, 2, 0):
        bed = np.full((41, 61), -3.0)
        bed[begin:3] = 3.0
        shown.append(draw(make_frame(bed=bed), camera, look="pool", sun_elevation=70.0)[40:90, 90:230])
    none, thin, thick = shown
    for wall in (thin, thick):
        seen = (np.abs(wall - none).max(axis=2) > 12.0).sum(axis=0) >= 2
        assert seen.mean() > 0.85


@pytest.mark.slow
def test_distance_fades_into_the_colour_of_the_water(draw):
    frame = deep(-3.0)
    camera = diver(frame, depth=1.5, elevation=8.0, fov=60.0)
    clear, murky = (draw(frame, camera, clarity=clarity) for clarity in (10.0, 0.1))
    spreads = [picture[90:].std(axis=(0, 1)).mean() for picture in (clear, murky)]
    assert spreads[1] < 0.5 * spreads[0]


@pytest.mark.slow
def test_half_under_the_waterline_parts_the_picture(draw):
    frame = deep()
    camera = diver(frame, depth=0.0, elevation=0.0, distance=2.0, fov=60.0)
    picture = draw(frame, camera, sun_azimuth=0.0)
    rows = picture.mean(axis=1)
    assert np.abs(rows[20] - rows[160]).max() > 30.0
    # Across the picture the line stays within a few pixels of the middle.
    step = np.abs(np.diff(picture.sum(axis=2), axis=0))
    lines = step[60:120].argmax(axis=0) + 60
    assert abs(np.median(lines) - 90) < 6


@pytest.mark.slow
@pytest.mark.parametrize("quality", ["low", "medium"])
def test_light_shafts_leave_no_weave_in_the_water(draw, quality):
    """Blurring changes what is seen just under the surface, looking down, by hardly more than its dither."""
    waves = 0.1 * np.sin(np.linspace(0.0, 39.0, 61)) + np.zeros((41, 1))
    frame = make_frame(bed=np.full((41, 61), -8.0), heights=waves)
    camera = diver(frame, depth=0.05, elevation=35.0)
    picture = draw(frame, camera, quality=quality, sun_elevation=50.0).mean(axis=2)
    windows = np.lib.stride_tricks.sliding_window_view(picture, (5, 5))[60:-10, 10:-10]
    assert (windows[..., 2, 2] - windows.mean(axis=(2, 3))).std() < 0.45


def level_rows(draw, depth, turned, **look):
    """Brightness of the rows of a level view into deep water, so many degrees aside from the sun."""
    frame = deep(-60.0)
    camera = diver(frame, depth, elevation=0.0, fov=60.0)
    camera.azimuth = 0.0  # it looks along −z
    sun = {"sun_azimuth": 180.0 + turned, "sun_elevation": 35.0}
    picture = draw(frame, camera, surroundings="sea", water="jerlov-1", exposure=1.0, **sun, **look)
    return picture[:, 140:180].mean(axis=(1, 2))


@pytest.mark.slow
def test_water_is_brighter_towards_the_sun_than_away_from_it(draw):
    """Water scatters light forwards. Before, it glowed around the shadow of the eye."""
    towards, aside, away = (level_rows(draw, 4.0, turned)[90:120].mean() for turned in (0.0, 90.0, 180.0))
    assert towards > aside + 10.0 and aside > away + 4.0


@pytest.mark.slow
@pytest.mark.parametrize("turned", [0.0, 90.0, 180.0])
def test_the_surface_mirrors_water_as_bright_as_it_is_seen_directly(draw, turned):
    """Beyond Snell's window, from close under still water."""
    rows = level_rows(draw, 0.1, turned, look="pool", clarity=0.5)
    np.testing.assert_allclose(rows[30:80][::-1], rows[100:150], atol=6.0)


@pytest.mark.slow
@pytest.mark.parametrize("quality", ["low", "medium", "high"])
@pytest.mark.parametrize(("bed", "depth"), [(-60.0, 0.2), (-60.0, 0.6), (-8.0, 0.2)])
def test_far_water_is_the_same_on_both_sides_of_the_horizon(draw, quality, bed, depth):
    """Before, the surface mirrored the floor up to its end, a pale strip, and beside it light shafts were missing."""
    camera = diver(deep(), depth, elevation=0.0, fov=60.0)
    camera.azimuth = 0.0
    look = {"surroundings": "sea", "look": "pool", "sun_elevation": 35.0, "sun_azimuth": 90.0}
    rows = draw(deep(bed), camera, quality=quality, **look)[:, 140:180].mean(axis=1)
    np.testing.assert_allclose(rows[85:90][::-1], rows[90:95], atol=5.0)
    assert np.ptp(rows[87:93].mean(axis=1)) < 4.0


@pytest.mark.slow
@pytest.mark.parametrize("look", [{"look": "pool"}, {"look": "natural", "water": "jerlov-1", "exposure": 1.0}])
def test_the_surface_mirrors_what_the_blocks_sides_show(draw, look):
    """From close under still water. Before, it mirrored water and ground without end, up to 135 steps brighter."""
    camera = diver(deep(), 0.1, elevation=0.0, fov=60.0)
    camera.azimuth = 0.0
    picture = draw(deep(), camera, surroundings="floor", sun_elevation=35.0, sun_azimuth=90.0, **look)
    rows = picture[:, 140:180].mean(axis=1)
    apart = np.abs(rows[20:80][::-1] - rows[100:160]).max(axis=1)
    assert np.median(apart) < 4.0 and apart.max() < 12.0


@pytest.mark.slow
def test_waves_from_below_are_drawn_in_every_tier(draw):
    x, z = np.meshgrid(np.linspace(-15, 15, 61), np.linspace(-10, 10, 41))
    frame = make_frame(heights=0.1 * np.sin(x) * np.cos(z), bed=np.full((41, 61), -6.0))
    for quality in ("low", "medium", "high"):
        assert draw(frame, diver(frame, depth=2.0, elevation=-30.0), quality=quality).std() > 5.0


@pytest.mark.slow
def test_through_the_blocks_sides_a_diver_sees_the_horizon(drawing):
    """Level rays go straight on, others are bent. Before, water without end lay beyond the sides."""
    frame = make_frame((41, 41), 0.5, bed=np.full((41, 41), -40.0))
    camera = diver(frame, 6.0, elevation=0.0, fov=60.0)
    camera.azimuth = 0.0
    look = {"look": "pool", "water": "jerlov-1", "clarity": 20.0, "surroundings": "floor"}
    inside = drawing(SIZE, auto_exposure=False, **look)(frame, camera)[:, 150:170].mean(axis=(1, 2))
    camera.target, camera.distance = (0.0, 20.0, -30.0), 1.0  # above the water, past the block
    outside = drawing(SIZE, auto_exposure=False, **look)(frame, camera)[:, 150:170].mean(axis=(1, 2))
    rows = np.arange(SIZE[1]) - 89.5
    angles = np.arctan(-rows / 90.0 * math.tan(math.radians(30.0)))
    bent = np.interp(np.arcsin(1.333 * np.sin(angles)), angles[::-1], outside[::-1])
    sky = slice(20, 85)
    np.testing.assert_allclose(inside[sky], bent[sky], atol=12.0)
    assert inside[85:90].mean() - inside[105:110].mean() > 30.0


@pytest.mark.slow
def test_the_surface_of_deep_water_mirrors_the_same_in_the_block_and_beyond(drawing):
    """Before, the block's was a pale rectangle: rays ended in mid-water, one length of the block away."""
    frame = deep(-60.0)
    camera = diver(frame, 10.0, elevation=-34.0, fov=12.0)
    camera.azimuth = math.radians(-90.0)  # the block's side, 15 m away, lies across the middle of the picture
    look = {"look": "pool", "surroundings": "sea", "sun_elevation": 20.0}
    rows = drawing(SIZE, auto_exposure=False, exposure=1.0, **look)(frame, camera).mean(axis=(1, 2))
    assert rows.min() > 20.0
    assert np.abs(np.diff(rows)).max() < 1.5


def lens(frame, height, x=0.0):
    """An eye at such a height and x [m] that looks level along −z."""
    camera = diver(frame, elevation=0.0, fov=60.0)
    camera.azimuth, camera.target = 0.0, (x, height, -camera.distance)
    return camera


@pytest.mark.slow
@pytest.mark.parametrize("quality", ["medium", "high"])
def test_a_slanting_waterline_has_no_steps(draw, quality):
    """Along it the picture stays the same. Before, light shafts began and ended at their coarse texels."""
    heights = 0.125 * np.linspace(-15.0, 15.0, 61) + np.zeros((41, 1))
    frame = make_frame(bed=np.full((41, 61), -8.0), heights=heights)
    picture = draw(frame, lens(frame, 0.0), quality=quality, sun_elevation=70.0).mean(axis=2)
    columns, rows = np.meshgrid(np.arange(320) - 159.5, 89.5 - np.arange(180))
    # Around the line where it is lower than the horizon; 16 columns farther on it lies two rows higher.
    around = (abs(rows - 0.125 * columns + 3.5) < 4.5) & (abs(columns + 100.0) < 50.0)
    apart = abs(np.roll(picture, (2, -16), axis=(0, 1)) - picture)[around]
    assert apart.max() < 8.0


@pytest.mark.slow
@pytest.mark.parametrize("crest", [1.0, -1.0])
@pytest.mark.parametrize("quality", ["low", "medium", "high"])
def test_the_waterline_lies_where_the_drawn_water_begins(draw, quality, crest):
    """Before, it lay on a surface without the mesh's triangles, and between both was a dark strip or a hole."""
    x = np.linspace(-15.0, 15.0, 61)
    zigzag = crest * np.where(np.arange(61) % 2, 0.02, -0.02)
    frame = make_frame(bed=np.full((41, 61), -8.0), heights=zigzag + np.zeros((41, 1)))
    camera = lens(frame, crest * 0.018, 0.5)
    picture = draw(frame, camera, quality=quality, sun_elevation=70.0, clarity=0.2).mean(axis=2)
    points = np.linspace(-15.0, 15.0, int(LevelsOfDetail.over(frame.grid).finest_squares[0]) + 1)
    pixel = camera.near_far()[0] * math.tan(0.5 * camera.fov) / 90.0
    water = np.interp(0.5 + (np.arange(320) - 159.5) * pixel, points, np.interp(points, x, zigzag))
    line = 89.5 - (water - camera.eye[1]) / pixel
    assert np.abs(picture.argmin(axis=0) - line).max() < 3.0
    # Only the line's rim is darker than the water. In a trough the surface from below is dark as well.
    if crest > 0.0:
        assert (picture < 0.9 * picture[-40:].min()).sum(axis=0).max() < 12


@pytest.mark.slow
@pytest.mark.parametrize("size", [(320, 180), (1440, 810)])
def test_the_water_that_clings_to_the_lens_is_as_wide_in_pictures_of_any_size(drawing, size):
    """Before, it was a hairline in large pictures."""
    frame = make_frame(bed=np.full((41, 61), -8.0))
    picture = drawing(size, sun_elevation=70.0, clarity=0.2)(frame, lens(frame, 0.0)).mean(axis=(1, 2))
    rows = np.arange(size[1]) - 0.5 * size[1]
    dark = picture < 0.6 * picture[(rows > 0.03 * size[1]) & (rows < 0.06 * size[1])].mean()
    assert 0.0045 * size[1] < dark.sum() < max(0.014 * size[1], 6.0)


@pytest.mark.slow
def test_the_water_that_clings_to_the_lens_has_an_uneven_edge(drawing):
    """Before, it was as straight as a ruler."""
    frame = make_frame(bed=np.full((41, 61), -8.0))
    picture = drawing((1280, 720), sun_elevation=70.0, clarity=0.2)(frame, lens(frame, 0.0)).mean(axis=2)
    dark = picture[300:420] < 0.6 * picture[390:400].mean()
    edge = dark.argmax(axis=0)
    assert edge.std() > 0.7


@pytest.mark.slow
def test_a_cleft_under_water_sees_less_of_the_light(draw):
    """Before, all ground under water saw the whole sky, and rocks in their own shade were smooth like wax."""
    bed = np.linspace(-3.3, -2.7, 121) * np.ones((81, 1))  # level ground would count as a basin
    bed[:, 59:62] = -7.0
    frame = make_frame(bed.shape, 0.25, bed=bed)
    camera = diver(frame, depth=1.0, elevation=85.0)
    camera.azimuth = 0.0
    look = {"water": "jerlov-1", "clarity": 20.0, "exposure": 0.0, "sun_elevation": 90.0}
    picture = draw(frame, camera, **look)[40:140].mean(axis=(0, 2))
    assert picture[140:180].min() < 64.0  # 70 if it saw all of the sky


@pytest.mark.slow
def test_the_surface_mirrors_a_net_of_light_without_a_scribble(draw):
    """Ripples finer than pixels blur what it mirrors."""
    x, z = np.meshgrid(np.linspace(-15, 15, 181), np.linspace(-10, 10, 121))
    waves = 0.02 * np.sin(5.0 * x + 1.0) * np.cos(4.4 * z)
    frame = make_frame(waves.shape, 1.0 / 6.0, heights=waves, bed=np.full(waves.shape, -5.0))
    picture = draw(frame, diver(frame, depth=3.0, elevation=-25.0, fov=50.0), quality="high", clarity=8.0)
    fine = np.abs(np.diff(picture[:120], 2, axis=0)).mean()
    assert fine < 3.0  # 5.3 if it is sharp

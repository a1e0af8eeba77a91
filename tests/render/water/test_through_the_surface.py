"""What is seen through the water's surface meets what stands above it."""

import dataclasses

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.render.camera.bounds import Bounds
from waterview.render.camera.camera import OrbitCamera
from waterview.render.materials import TERRAIN, WATER_SIDE

SIZE = (320, 180)


@pytest.fixture
def draw(drawing):
    return drawing(SIZE, water="pool", look="pool", clarity=5.0, sun_elevation=90.0, auto_exposure=False)


@pytest.mark.slow
@pytest.mark.parametrize("elevation", [18.0, 35.0, 60.0])
def test_a_thin_wall_goes_on_under_water_where_it_stands_above(draw, elevation):
    x, z = np.linspace(-6.0, 6.0, 121)[None, :], np.linspace(-4.5, 4.5, 91)[:, None]
    wall = (np.abs(x) < 2.0) & (np.abs(z) < 0.15)
    with_wall, without = (
        make_frame((91, 121), 0.1, bed=np.where(wall & there, 0.3, -2.0), serial=2 + there) for there in (True, False)
    )
    without = dataclasses.replace(without, bed=without.bed.copy())
    camera = OrbitCamera.framing(with_wall)
    camera.azimuth, camera.elevation, camera.distance = 0.0, np.radians(elevation), 9.0
    camera.target = (0.0, 0.0, 0.0)
    changed = np.abs(draw(with_wall, camera) - draw(without, camera)).sum(axis=2) > 12.0
    left, right = (round(camera.project((side, 0.0, 0.1), SIZE)[0]) for side in (-1.7, 1.7))
    top = round(camera.project((0.0, 0.3, 0.1), SIZE)[1]) + 2
    # The foot of the wall's face is seen where a ray from there comes out of still water towards the eye (Snell).
    eye, foot = camera.eye, np.array((0.0, -2.0, 0.2))
    out = np.linspace(foot[2], eye[2], 20001)
    sines = (out - foot[2]) / np.hypot(out - foot[2], foot[1]), (eye[2] - out) / np.hypot(eye[2] - out, eye[1])
    bottom = round(camera.project((0.0, 0.0, out[np.argmin(np.abs(1.333 * sines[0] - sines[1]))]), SIZE)[1]) - 2
    assert bottom - top > 12
    assert changed[top:bottom, left:right].mean() > 0.97  # joints may look like those of the floor
    assert changed[top:bottom, left:right].mean(axis=1).min() > 0.85  # no row shows the floor behind


def test_no_dashes_of_bare_ground_lie_along_the_foot_of_a_cut_side(drawing):
    """The ground falls away behind the side, more steeply than any ray goes down: only water is seen above its foot."""
    x, z = np.linspace(-15.0, 15.0, 61)[None, :], np.linspace(-10.0, 10.0, 41)[:, None]
    frame = make_frame((41, 61), 0.5, bed=np.maximum(-1.0 - 1.5 * (10.0 - z), -25.0) + 0.03 * x)
    camera = OrbitCamera.framing(frame)
    camera.target, camera.distance, camera.azimuth, camera.elevation = (0.0, -0.6, 10.0), 6.16, 0.0, 0.23
    camera.fov = np.radians(45.0)
    look = {"look": "natural", "water": "sea", "sun_elevation": 40.0}
    picture = drawing((192, 108), surroundings="floor", auto_exposure=False, exposure=-1.0, **look)(frame, camera)
    side = picture[44:, :, 0]  # water above, dark soil below
    assert side.max() < 60.0
    assert side.std() > 5.0


@pytest.mark.slow
def test_the_floor_behind_a_block_of_clear_water_is_as_bright_as_beside_it(drawing):
    """Rays leave a block in the direction in which they came in. Before, the floor was black up to the horizon."""
    frame = make_frame((41, 41), 0.5, bed=np.full((41, 41), -40.0))
    camera = OrbitCamera.framing(frame)
    camera.target, camera.distance, camera.azimuth, camera.elevation = (0.0, 0.0, 0.0), 30.0, 0.0, 0.0
    camera.fov = np.radians(60.0)
    picture = drawing(SIZE, water="jerlov-1", clarity=10.0, surroundings="floor", auto_exposure=False)(frame, camera)
    below_the_horizon = slice(95, 110)
    behind, beside = (picture[below_the_horizon, columns].mean(axis=(1, 2)) for columns in (np.s_[140:180], np.s_[:20]))
    assert beside.min() > 60.0
    assert np.abs(behind - beside).max() < 0.15 * beside.max()


@pytest.mark.slow
def test_no_dots_of_bare_ground_lie_along_the_foot_of_the_cut_sides(drawing, renderers):
    """From outside the ground is seen through the water or not at all, however the camera turns."""
    x, z = np.linspace(-15.0, 15.0, 61)[None, :], np.linspace(-10.0, 10.0, 41)[:, None]
    bed = -4.0 + np.sin(0.4 * x) * np.cos(0.5 * z)
    frame = make_frame((41, 61), 0.5, bed=bed, heights=0.3 * np.sin(x + z))
    draw = drawing(SIZE, look="natural", surroundings="floor")
    camera = OrbitCamera.framing(frame)
    camera.target, seen = (0.0, -2.0, 0.0), 0
    for turn in range(12):
        camera.azimuth, camera.elevation, camera.distance = 0.3 + 0.55 * turn, 0.05 + 0.05 * turn, 30.0 + 3.0 * turn
        draw(frame, camera)
        gbuffer = renderers["low"].textures["gbuffer"]
        texels = np.frombuffer(gbuffer.read(alignment=1), np.float16).reshape(-1, gbuffer.components)
        assert np.count_nonzero(texels[:, 0] == WATER_SIDE) > 100
        seen += np.count_nonzero(texels[:, 0] == TERRAIN)
    assert seen == 0


@pytest.mark.parametrize("azimuth", [0.0, 0.5])
def test_a_dark_line_shows_the_level_along_the_cut_sides(drawing, azimuth):
    """Else water and floor seen from above and through the side are alike, and nobody sees where one ends."""
    x, z = np.linspace(-3.0, 3.0, 61)[None, :], np.linspace(-3.0, 3.0, 61)[:, None]
    heights = 0.1 * np.sin(2.0 * x) + 0.0 * z
    frame = make_frame((61, 61), 0.1, bed=np.full((61, 61), -2.0), heights=heights)
    camera = OrbitCamera.framing(frame)
    camera.target, camera.distance, camera.azimuth, camera.elevation = (0.0, -0.5, 1.0), 5.0, azimuth, 0.6
    look = {"look": "pool", "water": "pool", "sun_elevation": 90.0}
    picture = drawing(SIZE, surroundings="floor", auto_exposure=False, exposure=-2.0, **look)(frame, camera).sum(axis=2)
    shares = []
    for column in range(20, 41):
        across, down, *_ = camera.project((x[0, column], heights[30, column], 3.0), SIZE)
        below = picture[round(down) - 1 : round(down) + 9, round(across)]
        shares.append(below[:6].min() / below[6:].mean())
    assert np.median(shares) < 0.8


def test_shallows_of_a_large_scene_mirror_the_sky_where_the_eye_is_near(drawing):
    """There is no gloss on a film of water, or its edge would be a line; a film is as deep as a few pixels are wide."""
    bed = np.full((101, 101), -100.0)
    bed[30:70, 30:70] = -0.4  # sand, which is less blue than the sky
    frame = make_frame((101, 101), 30.0, bed=bed)
    draw = drawing((96, 54), look="natural", surroundings="sea", sun_elevation=40.0, auto_exposure=False)
    blue = []
    for fov in (0.03, 0.3):
        camera = OrbitCamera(Bounds.of(frame), (0.0, 0.0, 0.0), 10.0, 0.3, 0.1, fov)
        red, _, most = draw(frame, camera)[20:34].mean(axis=(0, 1))
        blue.append(most / red)
    assert blue[0] > 1.08
    assert blue[1] < 1.04

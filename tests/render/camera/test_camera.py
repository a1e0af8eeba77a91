import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyrr import matrix44
from support.scenes import make_frame

from waterview.core.frame import LandDetail, linear
from waterview.render.camera.bounds import Bounds
from waterview.render.camera.camera import DEEPEST, FARTHEST, HIGHEST, LOWEST, OrbitCamera, lowest_eye
from waterview.render.daylight import refracted_sun
from waterview.render.ground.land import land_heights
from waterview.render.settings import ViewParams

SIZE = (1280, 720)


def camera(azimuth=0.4, elevation=0.5, distance=40.0, **frame):
    made = OrbitCamera.framing(make_frame(**frame))
    made.azimuth, made.elevation, made.distance, made.target = azimuth, elevation, distance, (1.0, 0.0, -2.0)
    return made


angles = st.floats(-7.0, 7.0), st.floats(LOWEST, HIGHEST)


@pytest.mark.slow
@given(*angles)
def test_axes_are_right_handed_and_orthonormal(azimuth, elevation):
    view = camera(azimuth, elevation)
    axes = np.stack((view.right, view.up, view.backward))
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(np.cross(view.right, view.up), view.backward, atol=1e-12)
    assert view.right[1] == 0.0 and view.up[1] >= -1e-12


@pytest.mark.slow
@given(*angles)
def test_view_matrix_takes_the_eye_to_the_origin_and_the_target_ahead(azimuth, elevation):
    view = camera(azimuth, elevation)
    matrix = view.view()
    np.testing.assert_allclose(matrix @ [*view.eye, 1.0], [0, 0, 0, 1], atol=1e-9)
    np.testing.assert_allclose(matrix @ [*view.target, 1.0], [0, 0, -view.distance, 1], atol=1e-9)
    np.testing.assert_allclose(matrix[:3, :3], np.stack((view.right, view.up, view.backward)), atol=1e-9)


def test_projection_puts_near_and_far_on_the_clip_planes():
    view = camera()
    near, far = view.near_far()
    for distance, depth in ((near, -1.0), (far, 1.0)):
        clip = view.projection(16 / 9) @ [0.0, 0.0, -distance, 1.0]
        assert clip[2] / clip[3] == pytest.approx(depth)
    edge = view.projection(2.0) @ [0.0, math.tan(view.fov / 2), -1.0, 1.0]
    assert edge[1] / edge[3] == pytest.approx(1.0)


@pytest.mark.slow
@given(*angles, st.floats(1.0, 200.0), st.floats(0.1, 2.5), st.floats(0.2, 5.0))
def test_the_matrices_are_those_of_pyrr(azimuth, elevation, distance, fov, aspect):
    """pyrr multiplies row vectors from the left, so that its matrices are transposed."""
    view = camera(azimuth, elevation, distance)
    view.fov = fov
    near, far = view.near_far()
    look_at = matrix44.create_look_at(view.eye, np.array(view.target), view.up, np.float64)
    np.testing.assert_allclose(view.view(), look_at.T, atol=1e-9 * distance)
    perspective = matrix44.create_perspective_projection(math.degrees(fov), aspect, near, far, np.float64)
    np.testing.assert_allclose(view.projection(aspect), perspective.T, rtol=1e-9, atol=1e-12)


@pytest.mark.slow
@given(*angles, st.floats(0.0, 1280.0), st.floats(0.0, 720.0), st.floats(1.0, 200.0))
def test_what_a_ray_passes_is_projected_back_to_its_pixel(azimuth, elevation, px, py, reach):
    view = camera(azimuth, elevation)
    origin, direction = view.ray(px, py, SIZE)
    assert np.linalg.norm(direction) == pytest.approx(1.0)
    x, y, depth = view.project(origin + reach * direction, SIZE)
    assert (x, y) == pytest.approx((px, py), abs=1e-6)
    assert depth == pytest.approx(reach * float(direction @ -view.backward))


def test_pixels_are_counted_from_the_top_left():
    view = camera()
    _, top_left = view.ray(0.0, 0.0, SIZE)
    assert top_left @ view.up > 0.0 and top_left @ view.right < 0.0
    _, middle = view.ray(640.0, 360.0, SIZE)
    np.testing.assert_allclose(middle, -view.backward, atol=1e-12)


def test_a_point_behind_the_eye_has_negative_depth():
    view = camera()
    assert view.project(view.eye + view.backward, SIZE)[2] < 0.0


@pytest.mark.slow
@given(st.floats(0.2, 1.5), st.floats(100.0, 1200.0), st.floats(300.0, 700.0), st.floats(-3.0, 3.0))
def test_zoom_keeps_what_is_under_the_pointer(elevation, px, py, notches):
    view = camera(0.3, elevation)
    origin, direction = view.ray(px, py, SIZE)
    point = origin - origin[1] / direction[1] * direction
    inside = abs(point[0]) < 14.0 and abs(point[2]) < 9.0
    view.zoom(notches, (px, py), SIZE)
    if inside:
        assert view.project(point, SIZE)[:2] == pytest.approx((px, py), abs=1e-6)


def test_zoom_keeps_a_given_anchor_in_place():
    view = camera()
    anchor = (3.0, 1.5, 2.0)
    px, py, _ = view.project(anchor, SIZE)
    view.zoom(1.0, (px, py), SIZE, anchor)
    # The target stays within the block, which is 2 m lower than the anchor would like.
    assert view.project(anchor, SIZE)[:2] == pytest.approx((px, py), abs=10.0)
    assert view.distance < 40.0


def test_zoom_ends_at_its_limits():
    view = camera()
    view.zoom(1e3, (640.0, 360.0), SIZE)
    assert view.distance == pytest.approx(0.01 * view.bounds.extent)
    view.zoom(-1e3, (640.0, 360.0), SIZE)
    assert view.distance == pytest.approx(FARTHEST * view.bounds.extent)


def test_pan_moves_the_ground_with_the_pointer():
    view = camera(0.7, 1.2)
    point = np.array(view.target)
    before = view.project(point, SIZE)
    view.pan(60.0, 0.0, SIZE)
    after = view.project(point, SIZE)
    assert after[0] - before[0] == pytest.approx(60.0, abs=1e-6)
    view.pan(0.0, -40.0, SIZE)
    assert view.project(point, SIZE)[1] - after[1] == pytest.approx(-40.0, abs=4.0)


def test_pan_stops_at_the_edge_of_the_scene():
    view = camera()
    view.pan(1e6, -1e6, SIZE)
    low, high = view.bounds.low, view.bounds.high
    assert all(low[i] <= view.target[i] <= high[i] for i in (0, 2))


def test_orbit_never_flips():
    view = camera()
    view.orbit(0.0, 1e6, SIZE)
    assert view.elevation == HIGHEST
    view.orbit(0.0, -1e6, SIZE)
    assert view.elevation == LOWEST
    view.dive = True
    view.orbit(0.0, -1e6, SIZE)
    assert view.elevation == DEEPEST
    view.orbit(1e5, 0.0, SIZE)
    assert abs(view.azimuth) <= math.pi


def test_who_dives_where_the_ground_is_out_of_sight_looks_up_to_the_sun():
    frame = make_frame(bed=np.full((41, 61), -9.0))
    view, sun = OrbitCamera.framing(frame), ViewParams(sun_azimuth=200.0, sun_elevation=20.0)
    before = view.azimuth
    assert view.dive_at(frame, 1.0, 2.0, sight=7.0)
    assert view.eye == pytest.approx((1.0, -3.0, 2.0)) and view.azimuth == before and view.elevation > -0.1
    assert view.dive_at(frame, 1.0, 2.0, sight=3.0, sun_azimuth=math.radians(sun.sun_azimuth))
    assert view.eye == pytest.approx((1.0, -1.0, 2.0))
    in_water = -refracted_sun(sun.towards_sun)[0]
    x, y = view.project(view.eye + in_water, SIZE)[:2]
    assert x == pytest.approx(SIZE[0] / 2) and 0.0 < y < SIZE[1] / 2


def test_dragging_right_turns_the_scene_to_the_right():
    view = camera(0.0, 0.3)
    near_side = (1.0, 0.0, 8.0)
    before = view.project(near_side, SIZE)[0]
    view.orbit(20.0, 0.0, SIZE)
    assert view.project(near_side, SIZE)[0] > before


def test_the_eye_is_brought_out_of_a_hill_and_out_of_water(island):
    view = OrbitCamera.framing(island)
    for target in ((6.0, 0.0, 0.0), (-15.0, 0.0, 5.0)):
        view.target, view.distance, view.elevation = target, 2.0, LOWEST
        view.keep_above(island)
        x, y, z = view.eye
        ground = max(island.grid.sample(island.bed, x, z), island.grid.sample(island.heights, x, z))
        assert y > ground


def test_a_free_eye_is_left_alone(island):
    view = OrbitCamera.framing(island)
    before = view.eye
    view.keep_above(island)
    np.testing.assert_array_equal(view.eye, before)


@pytest.mark.parametrize("aspect", [0.5, 1.0, 16 / 9, 3.0])
@pytest.mark.parametrize("spacing", [0.01, 0.5, 600.0])
def test_the_opening_view_shows_the_whole_block(aspect, spacing):
    view = OrbitCamera.framing(make_frame(spacing=spacing, bed=np.full((41, 61), -2.0 * spacing)), aspect)
    size = (round(600 * aspect), 600)
    points = np.array([view.project(corner, size) for corner in view.bounds.corners()])
    assert (points[:, :2] >= -1.0).all() and (points[:, :2] <= np.array(size) + 1.0).all()
    near, far = view.near_far()
    assert (points[:, 2] > near).all() and (points[:, 2] < far).all()
    filled = np.ptp(points[:, :2], axis=0) / size
    assert filled.max() > 0.75


def test_the_opening_view_has_water_in_front_and_land_behind():
    bed = np.tile(np.linspace(-5.0, 10.0, 41)[:, None], (1, 61))
    view = OrbitCamera.framing(make_frame(bed=bed))
    assert view.eye[2] < 0.0


def test_what_must_not_go_under_water_stays_above_its_waves():
    bed = np.full((41, 61), -3.0)
    bed[20, 30] = 1.0
    frame = make_frame(bed=bed, heights=np.full((41, 61), 0.5))
    bounds = Bounds.of(frame)
    places = [(np.array((x, 9.0, 0.0)), dry) for dry in (True, False) for x in (5.0, 0.0)]
    lowest = [lowest_eye(frame, place, bounds, dry=dry) - bounds.clearance for place, dry in places]
    assert lowest == pytest.approx([0.5, 1.0, -3.0, 1.0])
    assert lowest_eye(frame, np.array((99.0, 9.0, 0.0)), bounds, dry=True) == bounds.base + bounds.clearance


def test_the_eye_stays_above_land_that_is_drawn_finer_than_the_grid():
    bed = np.tile(np.linspace(-5.0, 10.0, 61), (41, 1)).astype(np.float32)
    offset = np.random.default_rng(2).normal(0.0, 3.0, (121, 181)).astype(np.float32)
    frame = make_frame(bed=bed, land=SimpleNamespace(detail=LandDetail(offset, np.zeros_like(offset))))
    bounds, drawn = Bounds.of(frame), land_heights(frame)
    assert drawn.max() > bed.max() + 3.0
    highest = np.maximum(drawn, linear(bed, drawn.shape)) + bounds.clearance
    for row, column in ((0, 180), (7, 150), (60, 90), (120, 10), (33, 121)):
        x, z = bounds.low[0] + column / 3.0 * frame.grid.spacing, bounds.low[2] + row / 3.0 * frame.grid.spacing
        found = lowest_eye(frame, np.array((x, 50.0, z)), bounds, dry=False)
        assert found == pytest.approx(highest[row, column], abs=1e-4)
    view = camera(elevation=0.02, distance=8.0)
    view.bounds, view.target = bounds, (20.0, 2.0, 5.0)
    view.keep_above(frame)
    assert view.eye[1] >= lowest_eye(frame, view.eye, bounds, dry=True)


@pytest.mark.parametrize(("spacing", "clearance"), [(0.5, 0.12), (10.0, 2.0), (100.0, 6.0), (500.0, 30.0)])
def test_in_large_scenes_the_eye_comes_near_to_the_shore_but_keeps_away_from_high_land(spacing, clearance):
    view = OrbitCamera.framing(make_frame((41, 61), spacing))
    assert view.bounds.clearance == pytest.approx(clearance)
    view.zoom(1e3, (640.0, 360.0), SIZE)
    assert view.distance == pytest.approx(2.5 * clearance)
    # Nor does the near plane cut what is so near.
    view.distance, view.azimuth, view.elevation = 0.5 * view.bounds.extent, math.pi / 2, 0.0
    view.target = (-0.5 * view.distance, -1.0, 0.0)
    assert view.near_far()[0] == pytest.approx(0.25 * clearance)
    for height in (0.0, 0.5 * clearance, 1e4):
        frame = make_frame((41, 61), spacing, bed=np.full((41, 61), height))
        least = lowest_eye(frame, np.zeros(3), Bounds.of(frame), dry=True) - height
        assert least == pytest.approx(min(clearance + height, 0.004 * 60 * spacing))


def test_matrices_stay_finite_straight_above_and_at_any_size():
    view = camera(elevation=HIGHEST)
    assert np.isfinite(view.view()).all()
    assert np.isfinite(view.ray(0.0, 0.0, (0, 0))[1]).all()
    assert np.isfinite(view.projection(1 / 4000)).all()


@pytest.mark.parametrize("drag", [(40.0, 0.0), (0.0, 30.0), (-70.0, -25.0)])
def test_turning_about_a_point_leaves_it_where_it_is_on_the_screen(drag):
    view = camera()
    x, y, z = map(float, view.bounds.middle)
    point = (x + 0.2 * view.bounds.extent, y, z + 0.1 * view.bounds.extent)
    before, distance = view.project(point, SIZE), np.linalg.norm(view.eye - point)
    azimuth, elevation = view.azimuth, view.elevation
    view.orbit(*drag, SIZE, point)
    assert (view.azimuth, view.elevation) != (azimuth, elevation)
    np.testing.assert_allclose(view.project(point, SIZE), before, atol=1e-6)
    assert np.linalg.norm(view.eye - point) == pytest.approx(distance)

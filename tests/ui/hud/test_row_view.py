from dataclasses import replace

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.render.camera.camera import OrbitCamera
from waterview.ui.hud.row_view import (
    MOST_COLUMNS,
    MOST_MAGNIFIED,
    RowWatch,
    columns_of,
    fitting_labels,
    line_in_scene,
    row_labels,
    row_of,
)

SHAPE = (41, 61)


def wave(time, amplitude=0.1, **more):
    """A standing wave sin(πx/8)·cos 2t over ground that rises from −2 m to 1 m at the right."""
    still = make_frame(SHAPE, level=5.0, bed=np.broadcast_to(5.0 + np.linspace(-2.0, 1.0, SHAPE[1]), SHAPE), **more)
    shape = np.where(still.fixed, 0.0, np.sin(np.pi * still.grid.x / 8.0))
    return replace(still, time=time, heights=np.float32(amplitude * shape * np.cos(2.0 * time)))


def test_a_row_holds_heights_ground_and_land_of_the_frame():
    frame = wave(0.0)
    view = row_of(frame, 7)
    assert view.z == frame.grid.z[7]
    np.testing.assert_array_equal(view.x, frame.grid.x)
    np.testing.assert_array_equal(view.heights, frame.heights[7])
    np.testing.assert_allclose(view.ground, frame.bed[7] - 5.0, atol=1e-6)
    np.testing.assert_array_equal(view.dry, frame.fixed[7])
    assert view.velocity is None


def test_velocities_are_those_of_the_wave():
    before, now = wave(1.0), wave(1.01)
    now = replace(now, bed=before.bed, fixed=before.fixed)
    view = row_of(now, 7, before)
    expected = np.where(view.dry, 0.0, -0.2 * np.sin(np.pi * view.x / 8.0) * np.sin(2.0 * 1.005))
    np.testing.assert_allclose(view.velocity, expected, atol=1e-5)


@pytest.mark.parametrize("before", [wave(2.0), wave(0.5)], ids=["a later frame", "another ground"])
def test_velocities_of_other_water_are_not_known(before):
    assert row_of(wave(1.0), 7, before).velocity is None


def test_a_long_row_is_thinned():
    frame = make_frame((4, 1000), 1.0)
    view = row_of(frame, 2)
    assert len(view.x) <= MOST_COLUMNS
    np.testing.assert_allclose(np.diff(view.x), 4.0)


def test_the_watch_follows_the_place_and_keeps_its_view_while_nothing_changes():
    watch, frame = RowWatch(), wave(0.0)
    grid = frame.grid
    watch.update(frame, (0.0, grid.z[9] + 0.1))
    first = watch.view
    assert first.row == 9
    watch.update(frame, (0.2, grid.z[9]))
    assert watch.view is first
    watch.update(frame, (3.0, grid.z[9]))
    assert watch.view.row == 9 and watch.view.x[watch.view.marked] == 3.0
    watch.update(frame, (3.0, grid.z[12]))
    assert watch.view.row == 12
    watch.update(frame, None)
    assert watch.view.row == 12
    later = replace(frame, time=0.1)
    watch.update(later, (0.0, 1e6))
    assert watch.view.row == SHAPE[0] - 1
    assert watch.view.velocity is not None
    watch.update(replace(later, serial=9), None)
    assert watch.view.velocity is not None, "time stands still, and what was known of the motion stays"


def test_without_a_place_it_is_a_row_of_water():
    bed = np.full(SHAPE, 1.0)
    bed[30:, :] = -1.0
    watch = RowWatch()
    watch.update(make_frame(SHAPE, bed=bed), None)
    assert watch.view.row >= 30


def test_columns_are_drawn_to_scale_and_waves_magnified():
    view = row_of(wave(0.0, amplitude=0.01), 7)
    columns = columns_of(view, 610.0, 200.0)
    wet = ~view.dry
    np.testing.assert_allclose(columns.right - columns.left, 10.0)
    assert columns.ground.max() == pytest.approx(columns.still + 0.5 * 200.0)
    # Ground and depth have one scale, 100 pixels for 2 m; waves of 0.01 m fill 0.38 of the height times 1, 2 or 5.
    np.testing.assert_allclose(columns.ground, np.clip(columns.still - 50.0 * view.ground, 0.0, 200.0), atol=1e-4)
    assert columns.magnified == 100.0
    drawn = columns.still - 50.0 * 100.0 * view.heights
    np.testing.assert_allclose(columns.surface[wet], np.minimum(drawn, columns.ground)[wet], atol=1e-3)
    np.testing.assert_array_equal(columns.surface[view.dry], columns.ground[view.dry])


def test_waves_higher_than_the_water_is_deep_fit_too():
    view = row_of(make_frame(SHAPE, heights=np.full(SHAPE, 30.0)), 3)
    columns = columns_of(view, 100.0, 100.0)
    assert columns.magnified == 1.0
    assert (columns.surface > 0.0).all()
    assert (columns.ground <= 100.0).all()


@pytest.mark.parametrize("amplitude", [0.0, 1e-9])
def test_still_water_is_drawn_still(amplitude):
    before = wave(0.0, amplitude)
    view = row_of(replace(wave(0.1, amplitude), bed=before.bed), 7, before)
    columns = columns_of(view, 300.0, 100.0)
    assert columns.magnified <= MOST_MAGNIFIED
    wet = ~view.dry
    np.testing.assert_allclose(columns.surface[wet], columns.still, atol=0.1)
    np.testing.assert_allclose(columns.velocity[wet], columns.still, atol=1.0)


def test_the_line_of_velocities_is_broken_on_land_and_as_high_as_it_may_be():
    before = wave(0.7)
    view = row_of(replace(wave(0.71), bed=before.bed), 7, before)
    columns = columns_of(view, 300.0, 100.0)
    assert np.isnan(columns.velocity[view.dry]).all()
    fastest = np.abs(view.velocity).argmax()
    assert columns.fastest == pytest.approx(abs(view.velocity[fastest]))
    assert columns.velocity[fastest] - columns.still == pytest.approx(-38.0 * np.sign(view.velocity[fastest]))


def test_no_ground_below_the_water_draws_land():
    view = row_of(make_frame(SHAPE, bed=np.full(SHAPE, 3.0)), 3)
    columns = columns_of(view, 100.0, 100.0)
    assert np.isfinite(columns.ground).all()
    np.testing.assert_array_equal(columns.surface, columns.ground)


def test_the_words_say_what_is_seen():
    before = wave(0.7)
    now = replace(wave(0.71, amplitude=0.012), bed=before.bed)
    view = row_of(now, 7)
    assert row_labels(view, columns_of(view, 610.0, 200.0)) == (
        "row 7 at z = -6.5 m",
        "u up to 0.0018 m, drawn × 200",
        "v not known yet",
    )
    view = row_of(now, 7, before)
    assert row_labels(view, columns_of(view, 610.0, 200.0))[2].startswith("v up to ")


def test_the_column_under_the_pointer_says_its_own_numbers():
    before = wave(0.7)
    now = replace(wave(0.71), bed=before.bed)
    wet = 24
    view = row_of(now, 7, before, wet)
    title, height, velocity = row_labels(view, columns_of(view, 610.0, 200.0))
    assert title == f"row 7 at z = -6.5 m, column at x = {view.x[wet]:.4g} m"
    u, v = now.heights[7, wet], (now.heights[7, wet] - before.heights[7, wet]) / 0.01
    assert abs(u) > 1e-3 and abs(v) > 1e-3
    assert height.startswith(f"u {u:.3g} m, drawn × ")
    assert velocity == f"v {v:.3g} m/s"
    dry = int(np.argmax(view.dry))
    assert row_labels(replace(view, marked=dry), columns_of(view, 610.0, 200.0))[1].startswith("land")


def test_where_there_is_little_room_the_numbers_go_before_the_name_of_the_column():
    before = wave(0.7)
    view = row_of(replace(wave(0.71), bed=before.bed), 7, before, 24)
    columns = columns_of(view, 610.0, 200.0)
    title, height, velocity = row_labels(view, columns)

    def fitting(width):
        return fitting_labels(view, columns, width, len, 2.0)

    whole = len(title + height + velocity) + 4
    assert fitting(whole) == [title, height, velocity]
    assert fitting(whole - 1) == [view.name, height, velocity]
    least = len(view.name + height + velocity) + 4
    assert fitting(least) == [view.name, height, velocity]
    assert fitting(least - 1) == [view.name, height]
    assert fitting(len(view.name) + 1) == [view.name]


def test_the_column_of_a_thinned_row_is_the_one_that_is_drawn():
    frame, watch = make_frame((4, 1000), 1.0), RowWatch()
    for x, expected in ((frame.grid.x[402], 402), (1e9, 996), (-1e9, 0)):
        watch.update(frame, (float(x), 0.0))
        assert abs(watch.view.x[watch.view.marked] - frame.grid.x[expected]) <= 2.0


def test_the_line_in_the_scene_lies_where_the_camera_sees_the_row():
    frame = wave(0.0)
    camera, view = OrbitCamera.framing(frame), row_of(frame, 7)
    line = line_in_scene(view, 5.0, camera, (640, 360))
    for number in (0, 30, 60):
        y = 5.0 + (view.ground if view.dry[number] else view.heights)[number]
        seen = camera.project((view.x[number], y, view.z), (640, 360))
        np.testing.assert_allclose(line[number], seen[:2], atol=1e-6)


def test_what_lies_behind_the_camera_is_left_out():
    frame = wave(0.0)
    camera = OrbitCamera.framing(frame)
    camera.target, camera.distance, camera.elevation, camera.azimuth = (0.0, 5.0, 0.0), 0.5, 0.3, np.pi / 2.0
    line = line_in_scene(row_of(frame, 20), 5.0, camera, (640, 360))
    assert 0 < len(line) < SHAPE[1]
    assert np.isfinite(line).all()

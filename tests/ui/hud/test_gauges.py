"""Marks of gauges in the window, and the curves of their plots."""

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.core.gauges import GaugeSeries, MeasuredSeries
from waterview.render.camera.camera import OrbitCamera
from waterview.ui.hud.gauges import (
    MOST_POINTS,
    gauge_marks,
    mark_at,
    readings,
    round_numbers,
    shown_times,
    thinned,
)

SIZE = (640, 360)


def gauge(name="A", x=0.0, z=0.0, times=(0.0, 1.0), surface=(0.0, 0.5), flow=np.nan, measured=None):
    count = len(times)
    numbers = [np.array(surface, np.float32), np.full(count, 2.0, np.float32)]
    return GaugeSeries(name, x, z, np.array(times), *numbers, *np.full((2, count), flow, np.float32), measured)


def test_a_mark_stands_on_the_water_and_is_found_by_the_pointer():
    frame = make_frame(level=1.0).changed(gauges=(gauge("A", 1.0, -2.0), gauge("B", -4.0, 3.0)))
    camera = OrbitCamera.framing(frame)
    marks = gauge_marks(frame, camera, SIZE)
    x, y, _ = camera.project((1.0, 1.5, -2.0), SIZE)
    assert (marks[0].name, marks[0].x, marks[0].y) == ("A", pytest.approx(x), pytest.approx(y))
    assert mark_at(marks, x + 5.0, y - 5.0) == "A"
    assert mark_at(marks, x, y - 30.0) == "A", "its name counts, too"
    assert mark_at(marks, x + 60.0, y) is None
    assert mark_at([], x, y) is None


def test_marks_behind_the_camera_are_not_drawn():
    frame = make_frame().changed(gauges=(gauge("A", 0.0, 0.0),))
    camera = OrbitCamera.framing(frame)
    assert gauge_marks(frame, camera, SIZE)
    camera.target = (0.0, 0.0, -1000.0)
    assert gauge_marks(frame, camera, SIZE) == []


def test_the_last_seconds_are_shown_and_measurements_whole():
    long = gauge(times=np.arange(0.0, 300.0), surface=np.zeros(300))
    assert shown_times([long], 60.0) == (239.0, 299.0)
    assert shown_times([gauge()], 60.0) == (0.0, 1.0)
    series = MeasuredSeries(np.array([0.0, 22.5]), np.zeros(2))
    assert shown_times([gauge(measured=series)], 10.0) == (0.0, 22.5)
    assert shown_times([long, gauge(measured=series)], 10.0) == (299.0 - 22.5, 299.0)


@pytest.mark.parametrize(
    ("low", "high", "most", "expected"),
    [
        (0.0, 60.0, 4, [0.0, 20.0, 40.0, 60.0]),
        (-8e-6, 9e-6, 3, [-5e-6, 0.0, 5e-6]),
        (0.0168, 0.0178, 4, [0.017, 0.0175]),
        (-1.1, 1.1, 1, [0.0]),
        (1000.0, 1000.5, 6, [1000.0, 1000.1, 1000.2, 1000.3, 1000.4, 1000.5]),
    ],
)
def test_round_numbers_are_labelled_and_no_more_than_there_is_room_for(low, high, most, expected):
    assert round_numbers(low, high, most) == pytest.approx(expected)


def test_a_thin_curve_keeps_its_peaks_and_the_newest_value():
    times, values = np.arange(20_001) * 0.01, np.zeros(20_001, np.float32)
    values[7_777], values[9_999], values[-1] = 3.0, -2.0, 0.25
    at, thin = thinned(times, values)
    assert len(at) == len(thin) <= MOST_POINTS + 1
    assert (thin.max(), thin.min(), thin[-1], at[-1]) == (3.0, -2.0, 0.25, 200.0)
    assert at[thin.argmax()] == pytest.approx(77.77, abs=0.64)
    short = thinned(times[:500], values[:500])
    assert np.array_equal(short[0], times[:500])


def test_readings_name_flow_only_where_it_is_known():
    assert readings(gauge()) == ["+0.5 m", "depth 2 m"]
    assert readings(gauge(flow=0.25)) == ["+0.5 m", "depth 2 m", "flow 0.25, 0.25 m/s"]
    assert readings(gauge(times=(), surface=())) == ["no reading yet"]

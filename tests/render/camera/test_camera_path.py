"""Camera paths: exact at keyframes, smooth between them, never under ground, and files that come back."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.scenes import make_frame

from waterview.core.errors import InputError, ParameterError
from waterview.render.camera.camera import FARTHEST, OrbitCamera
from waterview.render.camera.camera_path import FlyThrough, Keyframe, Turntable, parse_path, path_text, read_path

FRAME = make_frame()
FIRST = OrbitCamera.framing(FRAME)
KEYS = (
    Keyframe(0.0, (0.0, 0.0, 0.0), 20.0, 170.0, 30.0),
    Keyframe(1.0, (3.0, 0.5, -2.0), 10.0, -170.0, 50.0, 40.0),
    Keyframe(4.0, (5.0, 0.0, 1.0), 15.0, -90.0, 20.0),
    Keyframe(5.0, (-4.0, 0.0, 2.0), 30.0, 0.0, 40.0),
)


def numbers(camera):
    return np.array([*camera.target, camera.distance, camera.azimuth, camera.elevation, camera.fov])


def test_at_every_keyframe_it_is_there():
    path = FlyThrough(KEYS)
    for key in KEYS:
        camera = path(FIRST, FRAME, key.time)
        assert camera.target == pytest.approx(key.target)
        assert camera.distance == pytest.approx(key.distance)
        assert math.cos(camera.azimuth - math.radians(key.azimuth)) == pytest.approx(1.0)
        assert (math.degrees(camera.elevation), math.degrees(camera.fov)) == pytest.approx((key.elevation, key.fov))
    assert path.seconds == 5.0


def test_it_rests_before_the_first_and_after_the_last():
    path = FlyThrough(KEYS)
    np.testing.assert_allclose(numbers(path(FIRST, FRAME, -3.0)), numbers(path(FIRST, FRAME, 0.0)))
    np.testing.assert_allclose(numbers(path(FIRST, FRAME, 99.0)), numbers(path(FIRST, FRAME, 5.0)))


def test_on_a_parabola_it_follows_the_parabola():
    # Catmull and Rom (1974): the cubic through points of a parabola is that parabola, at uneven times too.
    times = (0.0, 1.0, 1.5, 3.0, 4.0)
    keys = [Keyframe(t, (t * t - 2.0 * t, 0.3 * t * t, 1.0 + t), 20.0, 10.0 * t, 30.0 + t * t) for t in times]
    path = FlyThrough(keys)
    for t in np.linspace(1.0, 3.0, 17):
        camera = path(FIRST, FRAME, float(t))
        assert camera.target == pytest.approx((t * t - 2.0 * t, 0.3 * t * t, 1.0 + t))
        assert math.degrees(camera.azimuth) == pytest.approx(10.0 * t)
        assert math.degrees(camera.elevation) == pytest.approx(30.0 + t * t)


@pytest.mark.slow
def test_position_and_velocity_have_no_jumps():
    path, dt = FlyThrough(KEYS), 1e-3
    values = np.array([numbers(path(FIRST, FRAME, float(t))) for t in np.arange(-0.5, 5.5, dt)])
    velocity = np.diff(np.unwrap(values, axis=0), axis=0) / dt
    scale = np.abs(velocity).max(axis=0) + 1e-9
    assert (np.abs(np.diff(velocity, axis=0)) / scale).max() < 5e-2, "a kink would be of order 1"


def test_a_curve_that_overshoots_without_bound_stays_in_the_scene():
    times = (0.0, 0.001, 1000.0)
    keys = [
        dataclasses.replace(KEYS[0], time=time, distance=away)
        for time, away in zip(times, (1.0, 50.0, 50.0), strict=True)
    ]
    distances = [FlyThrough(keys)(FIRST, FRAME, time).distance for time in np.linspace(0.0, 1000.0, 50)]
    assert max(distances) == pytest.approx(FARTHEST * FIRST.bounds.extent)


def test_keyframes_that_are_hardly_apart_are_refused():
    with pytest.raises(ParameterError, match="keyframe 2 at 1e-300 s after 0 s: times must rise, by 1e-06 s or more"):
        FlyThrough([KEYS[0], dataclasses.replace(KEYS[1], time=1e-300), KEYS[2]])


def test_azimuths_turn_the_short_way():
    path = FlyThrough(KEYS[:2])
    assert abs(math.degrees(path(FIRST, FRAME, 0.5).azimuth)) == pytest.approx(180.0, abs=1e-9)


@pytest.mark.slow
@given(st.floats(0.0, 1e4), st.floats(1.0, 100.0))
def test_a_turntable_turns_evenly_and_comes_back(time, seconds):
    camera, turn = Turntable(seconds)(FIRST, FRAME, time), Turntable(seconds)
    assert camera.distance == FIRST.distance and camera.elevation == FIRST.elevation
    expected = FIRST.azimuth + math.tau * time / seconds
    assert math.cos(camera.azimuth - expected) == pytest.approx(1.0, abs=1e-6)
    np.testing.assert_allclose(turn(FIRST, FRAME, seconds).eye, FIRST.eye, rtol=1e-9)


@pytest.mark.parametrize("shape", [(41, 61), (61, 41), (41, 41)])
def test_a_turntable_keeps_the_whole_block_in_the_picture(shape):
    frame = make_frame(shape)
    first, size = OrbitCamera.framing(frame, 16.0 / 9.0), (1600, 900)
    over = 0.05 * size[1]  # the opening view leaves no room for corners that come nearer
    for time in np.linspace(0.0, 1.0, 24):
        camera = Turntable(1.0)(first, frame, time)
        for x, y, depth in (camera.project(corner, size) for corner in camera.bounds.corners()):
            assert depth > 0.0 and 0.0 < x < size[0] and -over < y < size[1] + over, (time, x, y)


def test_a_turntable_near_the_water_goes_around_what_is_looked_at():
    near = dataclasses.replace(FIRST, target=(3.0, 0.5, -2.0), distance=4.0)
    assert Turntable(1.0)(near, FRAME, 0.3).target == pytest.approx(near.target)


def hills():
    x, z = np.meshgrid(np.linspace(0, 1, 61), np.linspace(0, 1, 41))
    return make_frame(bed=12.0 * np.sin(7.0 * x) * np.cos(5.0 * z) - 2.0)


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(
            st.floats(-14.0, 14.0), st.floats(-9.0, 9.0), st.floats(2.0, 30.0), st.floats(0, 360), st.floats(-70, 89)
        ),
        min_size=2,
        max_size=5,
    ),
    st.booleans(),
)
def test_it_is_never_under_ground(places, dive):
    frame = hills()
    keys = [Keyframe(float(t), (x, 0.0, z), d, a, e) for t, (x, z, d, a, e) in enumerate(places)]
    first, path = OrbitCamera.framing(frame), FlyThrough(keys, dive)
    low, high = first.bounds.low, first.bounds.high
    for t in np.linspace(0.0, len(keys) - 1.0, 25):
        x, y, z = path(first, frame, float(t)).eye
        if low[0] <= x <= high[0] and low[2] <= z <= high[2]:
            assert y >= frame.grid.sample(frame.bed, x, z) + 0.99 * first.bounds.clearance
            assert dive or y >= frame.grid.level


def test_over_a_hill_the_lift_is_smooth():
    frame = hills()
    first = OrbitCamera.framing(frame)
    path = FlyThrough([Keyframe(0.0, (-10.0, 0.0, 0.0), 3.0, 0, 5.0), Keyframe(8.0, (10.0, 0.0, 0.0), 3.0, 0, 5.0)])
    heights = np.array([path(first, frame, t).eye[1] for t in np.linspace(0.0, 8.0, 481)])
    assert np.ptp(heights) > 3.0
    assert np.abs(np.diff(heights)).max() < 0.2, "no faster than the steepest slope at the highest speed"


def test_a_file_gives_the_path_back_exactly(tmp_path):
    for dive in (False, True):
        (tmp_path / "a.toml").write_text(path_text(FlyThrough(KEYS, dive)))
        again = read_path(tmp_path / "a.toml")
        assert again.keyframes == KEYS and again.dive is dive


def test_a_camera_gives_its_keyframe_back():
    camera = FlyThrough([Keyframe.of(FIRST, 2.0)])(FIRST, FRAME, 0.0)
    np.testing.assert_allclose(camera.eye, FIRST.eye)


KEYFRAME = "[[keyframes]]\ntime = 0\ndistance = 1\nazimuth = 0\nelevation = 3"


@pytest.mark.parametrize("text", ["turntable:no", "turntable:0", "turntable:-3", "turntable:nan", "turntable:"])
def test_a_turntable_without_sense_is_one_line(text):
    with pytest.raises(ParameterError, match="--camera-path") as caught:
        parse_path(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("no toml =", "no TOML"),
        ("a = " + "[" * 5000, "no TOML"),
        ("", "makes no sense"),
        ("keyframes = []", "at least one"),
        ("keyframes = [1]", "makes no sense"),
        ("keyframes = 'a few'", "makes no sense"),
        ("[keyframes]\na = 1", "makes no sense"),
        (f"{KEYFRAME}\ntarget = 7\n", "makes no sense"),
        (f"{KEYFRAME}\ntarget = [0, 0, true]\n", "'target' is no float"),
        (f"{KEYFRAME}\ntarget = [0, 0, 0]\nfov = '36'", "'fov' is no float"),
        (f"dive = 'yes'\n{KEYFRAME}\ntarget = [0, 0, 0]", "'dive' is no bool"),
        ("[[keyframes]]\ntime = 0.0\ntarget = [0, 0]\ndistance = 1\nazimuth = 0\nelevation = 3", "makes no sense"),
        ("[[keyframes]]\ntime = 0\ntarget = [0, 0, 0]\ndistance = -1\nazimuth = 0\nelevation = 3", "distance -1"),
        ("[[keyframes]]\ntime = nan\ntarget = [0, 0, 0]\ndistance = 1\nazimuth = 0\nelevation = 3", "time is nan"),
        (
            2 * "[[keyframes]]\ntime = 1\ntarget = [0, 0, 0]\ndistance = 1\nazimuth = 0\nelevation = 3\n",
            "keyframe 2 at 1 s after 1 s: times must rise",
        ),
    ],
)
def test_a_file_without_sense_is_one_line(tmp_path, text, words):
    (tmp_path / "a.toml").write_text(text)
    with pytest.raises(InputError, match=words) as caught:
        parse_path(str(tmp_path / "a.toml"))
    assert "\n" not in str(caught.value) and "a.toml" in str(caught.value)


def test_a_file_may_hold_whole_numbers_and_more_and_lack_the_field_of_view(tmp_path):
    (tmp_path / "a.toml").write_text(f"title = 'a'\n{KEYFRAME}\ntarget = [0, 1, 2.5]\nname = 'start'")
    assert read_path(tmp_path / "a.toml").keyframes == (Keyframe(0.0, (0.0, 1.0, 2.5), 1.0, 0.0, 3.0),)


def test_a_file_that_is_not_there_is_one_line(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        parse_path(str(tmp_path / "nowhere.toml"))

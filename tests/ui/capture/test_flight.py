"""Keyframes saved by a key, and a camera that flies along them until the user moves it."""

import math

import pytest
from support.scenes import make_frame

from waterview.render.camera.camera import OrbitCamera
from waterview.render.camera.camera_path import read_path
from waterview.ui.capture.flight import KEYFRAME_SECONDS, FlightCapture

FRAME = make_frame()


@pytest.fixture
def flying(messages, tmp_path):
    return FlightCapture(messages.append, folder=tmp_path / "new")


@pytest.fixture
def camera():
    return OrbitCamera.framing(FRAME)


def test_keyframes_are_saved_and_flown_along(flying, camera, messages, tmp_path):
    flying.add(camera)
    begin = camera.azimuth
    camera.azimuth += 0.5
    flying.add(camera)
    (file,) = (tmp_path / "new").iterdir()
    assert str(file) in messages[-1] and "keyframe 2 at 4 s" in messages[-1]
    assert len(read_path(file).keyframes) == 2
    camera.azimuth -= 0.1
    flying.toggle(camera, 100.0)
    there = flying.camera(camera, FRAME, 100.0)
    assert there.azimuth == pytest.approx(begin)
    there = flying.camera(there, FRAME, 100.0 + KEYFRAME_SECONDS)
    assert there.azimuth == pytest.approx(begin + 0.5) and flying.on
    there = flying.camera(there, FRAME, 101.0 + KEYFRAME_SECONDS)
    assert there.azimuth == pytest.approx(begin + 0.5) and not flying.on


def test_without_keyframes_it_turns_about_the_scene(flying, camera):
    flying.toggle(camera, 5.0)
    there = flying.camera(camera, FRAME, 15.0)
    assert math.cos(there.azimuth - camera.azimuth) == pytest.approx(-1.0)
    flying.toggle(there, 16.0)
    assert flying.camera(there, FRAME, 17.0) is there


def test_a_hand_that_takes_the_camera_ends_the_flight(flying, camera):
    flying.toggle(camera, 0.0)
    there = flying.camera(camera, FRAME, 1.0)
    there.orbit(20.0, 0.0, (640, 480))
    assert flying.camera(there, FRAME, 1.1) is there
    assert not flying.on


def test_another_place_ends_the_flight(flying, camera):
    flying.toggle(camera, 0.0)
    elsewhere = OrbitCamera.framing(make_frame(spacing=3.0))
    assert flying.camera(elsewhere, FRAME, 1.0) is elsewhere
    assert not flying.on


def test_another_path_goes_into_another_file(flying, camera, tmp_path):
    flying.add(camera)
    flying.begin_anew()
    flying.add(camera)
    files = list((tmp_path / "new").iterdir())
    assert [len(read_path(file).keyframes) for file in files] == [1, 1]


def test_a_folder_that_cannot_be_written_is_reported_and_the_keyframe_is_not_kept(messages, camera, tmp_path):
    (tmp_path / "file").touch()
    flying = FlightCapture(messages.append, folder=tmp_path / "file" / "folder")
    flying.add(camera)
    assert "cannot write the camera path" in messages[-1]
    flying.toggle(camera, 0.0)
    assert flying.camera(camera, FRAME, 1.0).azimuth != camera.azimuth, "it turns, as without keyframes"

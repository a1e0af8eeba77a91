"""The widget of notebooks, driven by the messages that its part in the browser sends."""

import ctypes
import io

import numpy as np
import pytest
from PIL import Image

import waterview

SIZE = (160, 90)


@pytest.fixture(scope="module")
def scene():
    return waterview.open_scene("bay", grid=48, damping=0.1, quality="low")


@pytest.fixture
def widget(scene):
    """A widget whose answers are kept in `said`, each with its buffers."""
    widget = scene.widget(SIZE)
    widget.said = []
    widget.send = lambda content, buffers=None: widget.said.append((content, buffers))
    yield widget
    widget.close()


def picture(widget, seconds=0.0):
    widget.receive({"kind": "frame", "seconds": seconds})
    content, (data,) = widget.said[-1]
    assert content["kind"] == "frame"
    return np.asarray(Image.open(io.BytesIO(data)), np.int16), content["time"]


@pytest.mark.slow
def test_time_runs_with_the_pictures_and_never_jumps(widget, scene):
    first, time = picture(widget)
    assert first.shape == (90, 160, 3) and first.std() > 10
    assert picture(widget, 0.05)[1] == pytest.approx(time + 0.05, abs=scene.water.time_step)
    assert picture(widget, 60.0)[1] <= time + 0.15 + scene.water.time_step
    assert picture(widget, -5.0)[1] == widget.said[-2][0]["time"]


@pytest.mark.slow
def test_a_click_lets_a_drop_fall_where_it_is_seen_and_calm_ends_the_waves(widget, scene):
    picture(widget)
    widget.receive({"kind": "calm"})
    px, py, _ = widget.camera.project((-125.0, 0.0, 85.0), SIZE)
    widget.receive({"kind": "drop", "x": px, "y": py})
    picture(widget, 0.1)
    highest = np.unravel_index(np.abs(scene.height).argmax(), scene.height.shape)
    grid = scene.water.grid
    assert np.hypot(grid.x[highest[1]] + 125.0, grid.z[highest[0]] - 85.0) < 0.1 * max(grid.size)
    once = float(np.abs(scene.height).max())
    widget.receive({"kind": "calm"})
    widget.receive({"kind": "wake", "x": px, "y": py})
    picture(widget, 0.1)
    assert 0.0 < float(np.abs(scene.height).max()) < 0.5 * once
    widget.receive({"kind": "calm"})
    assert not scene.height.any()


@pytest.mark.slow
def test_the_mouse_moves_the_camera_and_nothing_else(widget, scene):
    before, _ = picture(widget)
    azimuth, distance, target = widget.camera.azimuth, widget.camera.distance, widget.camera.target
    widget.receive({"kind": "orbit", "dx": 20, "dy": 5})
    assert widget.camera.azimuth != azimuth
    widget.receive({"kind": "pan", "dx": 10, "dy": 0})
    assert tuple(widget.camera.target) != tuple(target)
    widget.receive({"kind": "zoom", "notches": 2, "x": 80, "y": 45})
    assert widget.camera.distance < distance
    assert np.abs(picture(widget)[0] - before).mean() > 3


@pytest.mark.slow
def test_sliders_are_the_declared_parameters_and_set_them(widget, scene):
    known = {each["name"]: each for each in widget.settings}
    assert known["damping"]["value"] == scene.water.params.damping and known["damping"]["unit"] == "1/s"
    assert all(each["choices"] or each["low"] < each["high"] for each in widget.settings)
    widget.receive({"kind": "set", "name": "damping", "value": 0.7})
    assert scene.water.params.damping == 0.7 and not widget.said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("message", "told"),
    [
        ({"kind": "set", "name": "dampng", "value": 1.0}, "no parameter of this water"),
        ({"kind": "set", "name": "damping", "value": "much"}, "a number is needed"),
        ({"kind": "set", "name": "damping", "value": 1e9}, "allowed are"),
        ({"kind": "drop", "x": float("nan"), "y": 3}, "a finite number is needed"),
        ({"kind": "zoom", "x": 3, "y": 3}, "notches in a message"),
    ],
)
def test_what_makes_no_sense_is_answered_by_a_note(widget, scene, message, told):
    picture(widget)
    before = scene.water.params
    widget.receive(message)
    content, _ = widget.said[-1]
    assert content["kind"] == "note" and told in content["text"]
    assert scene.water.params == before


@pytest.mark.slow
def test_no_opengl_context_stays_current_between_pictures(widget, scene):
    picture(widget)
    egl = ctypes.CDLL("libEGL.so.1")
    egl.eglGetCurrentContext.restype = ctypes.c_void_p
    assert not egl.eglGetCurrentContext()
    assert scene.picture((32, 18)).shape == (18, 32, 3)

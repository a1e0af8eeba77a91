"""What the panel and dropped files ask of the viewer, without a window."""

from dataclasses import dataclass

import numpy as np
import pytest
from support.loops import FakeLoop
from support.scenes import make_frame

from waterview.core.commands import Drop, ReplaceWater, SetBodyDensity, SetParameter, SetRain, SetWaterLevel
from waterview.core.errors import InputError, ParameterError
from waterview.core.params import param
from waterview.render.camera.camera import OrbitCamera
from waterview.render.settings import ViewParams
from waterview.scene.navigator import SceneChange
from waterview.ui.viewer import Viewer
from waterview.waters.common.water import WaterParams


@dataclass(frozen=True, kw_only=True)
class Tuned(WaterParams):
    wave_speed: float = param(2.0, low=0.0, high=10.0, step=2.0)


class Scenes:
    def __init__(self):
        self.asked = []
        self.answer = SceneChange("another", (ReplaceWater(lambda: None), Drop(0.0, 0.0, 1.0, 1.0)))

    def settings(self):
        return []

    def change(self, name, value, now):
        self.asked.append((name, value, dict(now)))
        return self.answer

    def open(self, path):
        if path.name == "bad":
            raise InputError("bad: cannot be read")
        return self.answer


@pytest.fixture
def loop():
    return FakeLoop(make_frame(params=Tuned()))


@pytest.fixture
def scenes():
    return Scenes()


@pytest.fixture
def viewer(loop, scenes, messages):
    return Viewer(loop, ViewParams(), scenes, messages.append, messages.append)


def test_the_waters_own_parameters_become_commands(viewer, loop):
    viewer.change("params", "wave_speed", 5.0)
    assert loop.posted == [SetParameter("wave_speed", 5.0)]
    assert viewer.params.wave_speed == 5.0


def test_those_of_hand_and_view(viewer, loop):
    viewer.change("interaction", "rain", 50.0)
    viewer.change("interaction", "density", 900.0)
    viewer.change("interaction", "body_kind", "duck")
    viewer.change("view", "exposure", 1.5)
    viewer.change("view", "wireframe", True)
    assert loop.posted == [SetRain(50.0), SetBodyDensity(900.0)]
    assert (viewer.interaction.body_kind, viewer.view.exposure, viewer.view.wireframe) == ("duck", 1.5, True)


def test_a_value_that_is_not_allowed_changes_nothing(viewer, loop):
    with pytest.raises(ParameterError):
        viewer.change("params", "wave_speed", 11.0)
    assert loop.posted == [] and viewer.params.wave_speed == 2.0


def test_the_water_level_is_a_command(viewer, loop):
    viewer.change("scene", "water_level", 1.25)
    assert loop.posted == [SetWaterLevel(1.25)]


def test_a_setting_of_the_scene_carries_everything_as_it_is_now(viewer, scenes, loop):
    viewer.change("params", "wave_speed", 5.0)
    viewer.change("interaction", "rain", 7.0)
    viewer.change("scene", "grid", 64)
    ((name, value, now),) = scenes.asked
    assert (name, value) == ("grid", 64)
    assert now == {"steps_per_second": 120.0, "wave_speed": 5.0, "rain": 7.0}
    assert [type(command) for command in loop.posted[-2:]] == [ReplaceWater, Drop]


def test_view_hand_and_camera_of_another_scene_come_with_its_water(viewer, scenes, loop, tmp_path):
    aimed = []

    def aim(frame):
        aimed.append(frame)
        return OrbitCamera.framing(frame)

    commands = scenes.answer.commands
    scenes.answer = SceneChange("storm", commands, {"exposure": 2.0}, {"rain": 9.0}, aim)
    viewer.open(tmp_path / "storm.toml")
    viewer.update()
    assert viewer.view.exposure == 0.0, "the old water is still shown"
    loop.goes_on(make_frame(bed=np.full((41, 61), -3.0), params=Tuned(wave_speed=4.0)))
    viewer.update()
    assert (viewer.view.exposure, viewer.interaction.rain, viewer.params.wave_speed) == (2.0, 9.0, 4.0)
    assert aimed == [loop.frame]


def test_the_camera_stays_where_the_place_is_the_same(viewer, scenes, loop):
    scenes.answer = SceneChange("same", scenes.answer.commands, is_new_place=False)
    camera = viewer.camera
    viewer.change("scene", "grid", 32)
    loop.goes_on(make_frame(bed=np.full((41, 61), -3.0), params=Tuned()))
    viewer.update()
    assert viewer.camera is camera


def test_a_file_that_cannot_be_opened_is_reported(viewer, loop, messages, tmp_path):
    viewer.open(tmp_path / "bad")
    assert messages == ["bad: cannot be read"]
    assert loop.posted == []


def test_what_failed_is_waited_for_no_longer(viewer, scenes, loop):
    def fail():
        raise InputError("no such storm")

    scenes.answer = SceneChange("storm", (ReplaceWater(fail),), {"exposure": 2.0})
    viewer.change("scene", "preset", "storm")
    camera = viewer.camera
    loop.goes_on(make_frame(bed=np.full((41, 61), -3.0), params=Tuned()))  # a wall was painted
    viewer.update()
    assert viewer.camera is camera and viewer.view.exposure == 0.0


def test_a_wall_painted_before_another_scene_is_there_is_not_taken_for_it(viewer, scenes, loop):
    scenes.answer = SceneChange("storm", scenes.answer.commands, {"exposure": 2.0})
    viewer.change("scene", "preset", "storm")
    camera = viewer.camera
    loop.frame = make_frame(bed=np.full((41, 61), -3.0), params=Tuned())
    viewer.update()
    assert viewer.camera is camera and viewer.view.exposure == 0.0
    loop.goes_on(make_frame(bed=np.full((41, 61), -4.0), params=Tuned()))
    viewer.update()
    assert viewer.camera is not camera and viewer.view.exposure == 2.0


def test_of_two_scenes_asked_for_in_a_row_each_brings_its_own(viewer, scenes, loop):
    commands = scenes.answer.commands
    for exposure in (1.0, 2.0):
        scenes.answer = SceneChange("storm", commands, {"exposure": exposure})
        viewer.change("scene", "preset", "storm")
    first, last = (command for command in loop.posted if isinstance(command, ReplaceWater))
    first.make()
    loop.frame = make_frame(bed=np.full((41, 61), -3.0), params=Tuned())
    viewer.update()
    assert viewer.view.exposure == 1.0
    last.make()
    loop.frame = make_frame(bed=np.full((41, 61), -4.0), params=Tuned())
    viewer.update()
    assert viewer.view.exposure == 2.0


def test_what_an_outdated_scene_was_to_bring_comes_with_the_one_that_outdates_it(viewer, scenes, loop):
    commands = scenes.answer.commands
    scenes.answer = SceneChange("storm", commands, {"exposure": 1.0})
    viewer.change("scene", "preset", "storm")
    scenes.answer = SceneChange("finer storm", commands, is_new_place=False)
    viewer.change("scene", "grid", 64)
    _, last = (command for command in loop.posted if isinstance(command, ReplaceWater))
    camera = viewer.camera
    last.make()
    loop.frame = make_frame(bed=np.full((41, 61), -4.0), params=Tuned())
    viewer.update()
    assert viewer.view.exposure == 1.0 and viewer.camera is not camera


def test_what_failed_brings_nothing_with_what_comes_after(viewer, scenes, loop):
    def fail():
        raise InputError("no such storm")

    commands = scenes.answer.commands
    scenes.answer = SceneChange("storm", (ReplaceWater(fail),), {"exposure": 1.0})
    viewer.change("scene", "preset", "storm")
    scenes.answer = SceneChange("finer", commands, is_new_place=False)
    viewer.change("scene", "grid", 64)
    camera = viewer.camera
    loop.goes_on(make_frame(bed=np.full((41, 61), -4.0), params=Tuned()))
    viewer.update()
    assert viewer.view.exposure == 0.0 and viewer.camera is camera

"""The viewer while a recording is played: what the camera asks of it, what keys do, and the way to a live scene."""

from dataclasses import replace

import pytest
from support.recordings import MemoryRecording, settled
from support.scenes import make_frame

from waterview.core.commands import LookAt, ReplaceWater, SetParameter, ShowFrame, StepOnce
from waterview.render.settings import ViewParams
from waterview.scene.navigator import Navigator
from waterview.scene.scene import Scene, SceneParams
from waterview.sim.playback import PlayedWater
from waterview.terrain.library import resolve
from waterview.ui.viewer import Viewer

CACHE = 2.0


@pytest.fixture
def water():
    return PlayedWater(MemoryRecording(), CACHE)


@pytest.fixture
def viewer(loop, water, messages, performed):
    loop.frame = water.publish(1)
    basin = resolve("basin")
    scenes = Navigator(Scene(basin.load(), SceneParams(grid=32)), [basin])
    return Viewer(loop, ViewParams(), scenes, messages.append, performed.append, CACHE)


def test_it_asks_for_what_the_camera_sees_and_only_when_that_changes(viewer, loop):
    viewer.update()
    viewer.update()
    x, _, z = viewer.camera.target
    assert loop.posted == [LookAt(x, z, viewer.camera.distance)]
    viewer.camera.distance *= 0.5
    viewer.update()
    assert loop.posted[1:] == [LookAt(x, z, viewer.camera.distance)]
    assert not viewer.is_touched, "nothing is to be saved"


def test_the_camera_keeps_to_the_part_that_is_shown_and_f_goes_back_to_the_whole(viewer, loop, water):
    whole, first = viewer.camera.bounds, replace(viewer.camera)
    water.look_at(300.0, 0.0, 50.0)
    loop.frame = settled(water)
    viewer.update()
    assert viewer.camera.bounds.extent < 0.2 * whole.extent
    assert viewer.camera.bounds.low[0] < 300.0 < viewer.camera.bounds.high[0]
    viewer.key("f")
    assert viewer.camera == first


def test_keys_go_from_frame_to_frame(viewer, loop, water):
    viewer.key(".")
    viewer.key(",")
    water.show(5)
    loop.frame = water.publish(3)
    viewer.update()
    viewer.key(",")
    viewer.key("r")
    moved = [command for command in loop.posted if not isinstance(command, LookAt)]
    assert moved == [StepOnce(), ShowFrame(11), ShowFrame(4), ShowFrame(0)]


def test_loop_is_a_setting_like_others(viewer, loop):
    viewer.change("params", "loop", False)
    assert SetParameter("loop", False) in loop.posted and viewer.params.loop is False


@pytest.mark.parametrize("ask", [lambda viewer: viewer.key("tab"), lambda viewer: viewer.change("scene", "grid", 64)])
def test_settings_of_a_live_scene_are_refused_with_the_way_to_one(viewer, loop, messages, ask):
    before = viewer.scene_settings()
    ask(viewer)
    assert messages[-1].endswith("S makes a live scene of what is seen")
    assert viewer.scene_settings() == before and not any(isinstance(each, ReplaceWater) for each in loop.posted)


def test_what_is_played_is_named_and_damage_is_told_once(viewer, loop, messages, water):
    assert viewer.names() == ["playing memory"]
    frame = water.publish(4)
    loop.frame = frame.changed(playback=replace(frame.playback, problem="rows 0 to 9 are damaged"))
    for _ in range(3):
        viewer.update()
    assert messages.count("rows 0 to 9 are damaged") == 1


def test_s_makes_a_live_scene_where_the_eye_is_and_says_what_was_taken(viewer, loop, messages, water):
    water.look_at(300.0, 0.0, 50.0)
    water.show(3)
    loop.frame = settled(water)
    viewer.update()
    viewer.camera.target = (320.0, 1.0, 10.0)
    before = replace(viewer.camera)
    viewer.key("s")
    (command,) = [each for each in loop.posted if isinstance(each, ReplaceWater)]
    world = command.make()
    loop.frame = world.publish_still().changed(serial=9)
    viewer.update()
    grid = water.grid
    middle = grid.origin[0] + 0.5 * grid.size[0], grid.origin[2] + 0.5 * grid.size[1]
    assert world.water.grid.shape == grid.shape and world.water.grid.spacing == pytest.approx(grid.spacing)
    assert viewer.camera.target == pytest.approx((320.0 - middle[0], 1.0, 10.0 - middle[1]))
    assert (viewer.camera.distance, viewer.camera.azimuth) == (before.distance, before.azimuth)
    assert "their motion between frames 1 s apart" in messages[-1]
    assert viewer.names() == ["wave-equation"]
    settings = {entry.name: value for entry, value in viewer.scene_settings()}
    assert settings["terrain"] == "memory from 1.5 s" and settings["grid"] == max(grid.shape)


def test_keys_of_recordings_say_so_on_a_live_water(loop, messages, performed):
    loop.frame = make_frame()
    basin = resolve("basin")
    scenes = Navigator(Scene(basin.load()), [basin])
    viewer = Viewer(loop, ViewParams(), scenes, messages.append, performed.append)
    viewer.key(",")
    assert "computed forwards" in messages[-1]
    viewer.key("s")
    assert "a live scene already" in messages[-1]
    assert loop.posted == [] and viewer.recording_left == ""


def arrive(viewer, loop, serial):
    """The scene that was asked for last is there."""
    command = [each for each in loop.posted if isinstance(each, ReplaceWater)][-1]
    loop.frame = command.make().publish_still().changed(serial=serial)
    viewer.update()


@pytest.mark.parametrize("ask", [lambda viewer: viewer.key("s"), lambda viewer: viewer.key("z", {"ctrl"})])
def test_s_or_undo_goes_back_to_the_recording_as_it_was_left(viewer, loop, messages, water, ask):
    home = replace(viewer.camera)
    water.look_at(300.0, 0.0, 50.0)
    water.show(3)
    loop.frame = settled(water)
    viewer.update()
    viewer.camera.target, viewer.camera.distance = (320.0, 1.0, 10.0), 45.0
    viewer.key("s")
    arrive(viewer, loop, 9)
    assert viewer.recording_left == "memory"
    ask(viewer)
    arrive(viewer, loop, 10)
    assert viewer.frame.playback.number == 3 and viewer.frame.playback.recorded is water.recorded
    assert viewer.camera.target == (320.0, 1.0, 10.0) and viewer.camera.distance == 45.0
    assert viewer.recording_left == "" and viewer.names() == ["playing memory"]
    viewer.key("f")
    assert viewer.camera == home, "F shows all of it"


def test_what_was_undone_is_done_again_with_the_same_part(viewer, loop, water):
    viewer.interaction = viewer.interaction.changed(live_points=128)
    viewer.key("s")
    arrive(viewer, loop, 9)
    shape = viewer.frame.grid.shape
    assert max(shape) == 125
    viewer.key("z", {"ctrl"})
    arrive(viewer, loop, 10)
    assert viewer.frame.playback is not None
    viewer.key("z", {"ctrl", "shift"})
    arrive(viewer, loop, 11)
    assert viewer.frame.playback is None and viewer.frame.grid.shape == shape and viewer.recording_left == "memory"
    viewer.key("t")
    arrive(viewer, loop, 12)
    assert viewer.recording_left == "", "another terrain has nothing to do with it"


def test_a_live_scene_has_as_many_points_as_are_allowed(viewer, loop, water):
    water.look_at(300.0, 0.0, 50.0)
    loop.frame = settled(water)
    viewer.update()
    for points, spacing in ((4096, 2.0), (100, 4.0)):
        viewer.interaction = viewer.interaction.changed(live_points=points)
        viewer.key("s")
        command = [each for each in loop.posted if isinstance(each, ReplaceWater)][-1]
        assert command.make().water.grid.spacing == pytest.approx(spacing)


def test_its_look_is_that_of_the_whole_and_ends_with_it(viewer, loop, water):
    assert viewer.view.look == "pool", "half of it is level, and little rises above the water"
    viewer.key("s")
    (command,) = [each for each in loop.posted if isinstance(each, ReplaceWater)]
    loop.frame = command.make().publish_still().changed(serial=9)
    viewer.update()
    assert viewer.view.look == "auto"

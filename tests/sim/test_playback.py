"""A recording in the place of a model: frames, levels and parts of it."""

import itertools
import threading
import time

import numpy as np
import pytest
from support.recordings import MemoryRecording, settled

from waterview.core import commands
from waterview.core.errors import InputError, ParameterError
from waterview.core.playback import Part
from waterview.core.rectangle import Rectangle
from waterview.sim.loop import Simulation
from waterview.sim.playback import PlayedWater
from waterview.sim.world import World
from waterview.waters import MODELS

CACHE = 2.0
"""MiB: frames have 128 points along the longer side."""


def until(condition):
    """Ask again and again, while threads read; a failure instead of a test without an end."""
    end = time.monotonic() + 20.0
    while not condition():
        assert time.monotonic() < end, "what was waited for did not come"
        time.sleep(0.001)


def assert_shows(frame, number):
    """A frame holds the heights of a frame of the recording at its own points."""
    expected = np.broadcast_to(number + frame.grid.x / 1000.0, frame.grid.shape)
    np.testing.assert_allclose(frame.heights, expected, atol=1e-3)


def test_it_begins_with_all_of_the_first_frame_at_a_coarse_level():
    recorded = MemoryRecording()
    water = PlayedWater(recorded, CACHE)
    assert recorded.read == [(0, 3)]
    frame = water.publish_still()
    assert frame.grid.shape == (75, 125) and frame.grid.level == 1.0
    assert_shows(frame, 0)
    assert frame.playback.recorded is recorded and frame.playback.number == 0
    assert frame.fixed[:, 0].all() and not frame.fixed[:, -1].any()


def test_a_step_is_a_frame_and_time_is_that_of_the_recording():
    water = PlayedWater(MemoryRecording(), CACHE)
    world = World(water)
    world.advance(3)
    frame = settled(water)
    assert (frame.playback.number, frame.time) == (3, 1.5)
    assert_shows(frame, 3)
    world.advance(10)
    assert water.number == 1, "after the last comes the first"
    world.apply(commands.SetParameter("loop", False))
    world.advance(100)
    assert water.number == 11 and settled(water).playback.number == 11 and water.at_rest
    world.apply(commands.ShowFrame(4))
    assert settled(water).time == 2.0 and not water.at_rest
    with pytest.raises(InputError, match="allowed are 0 to 11"):
        world.apply(commands.ShowFrame(12))
    assert water.number == 4


def test_it_is_first_played_as_fast_as_time_ran_by_but_neither_jerks_nor_races():
    recorded = MemoryRecording()
    assert PlayedWater(recorded, CACHE).time_step == 1.0 / 5.0
    recorded.times = [0.1 * k for k in range(12)]
    assert PlayedWater(recorded, CACHE).time_step == pytest.approx(0.1)
    recorded.times = [0.001 * k for k in range(12)]
    assert PlayedWater(recorded, CACHE).time_step == pytest.approx(1.0 / 30.0)


def test_an_eye_that_comes_near_sees_a_finer_part_around_what_it_looks_at():
    water = PlayedWater(MemoryRecording(), CACHE)
    spacings = []
    for distance in (900.0, 230.0, 110.0, 50.0, 1.0):
        water.look_at(300.0, 100.0, distance)
        frame = settled(water)
        spacings.append(frame.grid.spacing)
        assert max(frame.grid.shape) <= 128
        assert_shows(frame, 0)
        assert frame.grid.nearest(300.0, 100.0) is not None
        if distance < 200.0:
            reach = min(2.0 * distance, 300.0)
            for x, z in ((300.0 - reach / 2, 100.0), (300.0 + reach / 2, 100.0), (300.0, 100.0 + reach / 2)):
                assert frame.grid.nearest(x, z) is not None
    assert spacings == [16.0, 8.0, 4.0, 2.0, 2.0]
    water.look_at(0.0, 0.0, 5000.0)
    assert settled(water).grid.shape == (75, 125)


def levels_of(frame):
    """A frame and those around it, finest first."""
    return [] if frame is None else [frame, *levels_of(frame.around)]


def test_a_part_lies_in_coarser_levels_of_the_same_moment_up_to_the_whole():
    recorded = MemoryRecording((4000, 6000), levels=7)
    water = PlayedWater(recorded, CACHE)
    assert settled(water).around is None
    water.look_at(300.0, 100.0, 50.0)
    water.show(4)
    levels = levels_of(settled(water))
    assert [each.grid.spacing for each in levels] == [2.0, 16.0, 128.0]
    for fine, coarse in itertools.pairwise(levels):
        assert coarse.grid.x[0] <= fine.grid.x[0] and fine.grid.x[-1] <= coarse.grid.x[-1]
        assert coarse.time == fine.time == 2.0
    for each in levels:
        assert_shows(each, 4)
        assert max(each.grid.shape) <= 128
    whole = levels[-1].bed
    water.look_at(-2000.0, 100.0, 50.0)
    assert levels_of(settled(water))[-1].bed is whole, "what stays is not made anew"


def test_what_the_renderer_needs_of_new_ground_is_worked_out_by_the_threads_that_read():
    workers = []

    def prepare(frame):
        workers.append(threading.current_thread().name)
        return frame.bed[:2]

    water = PlayedWater(MemoryRecording(), CACHE, prepare=prepare)
    water.look_at(0.0, 0.0, 50.0)
    frame = settled(water)
    assert frame.prepared.base is frame.bed and frame.around.prepared.base is frame.around.bed
    assert len(workers) == 2 and workers[1].startswith("waterview reader")


def test_a_small_movement_of_the_eye_changes_nothing_and_a_large_one_moves_the_part():
    water = PlayedWater(MemoryRecording(), CACHE)
    water.look_at(0.0, 0.0, 50.0)
    before = settled(water)
    water.look_at(20.0, -10.0, 55.0)
    assert settled(water).bed is before.bed
    water.look_at(400.0, 0.0, 50.0)
    moved = settled(water)
    assert moved.bed is not before.bed and moved.grid.nearest(400.0, 0.0) is not None
    water.look_at(5000.0, 5000.0, 50.0)
    assert settled(water).grid.x[-1] == pytest.approx(999.0), "a part ends where the recording does"


def test_a_coarser_level_is_shown_until_the_finer_one_is_there():
    gate = threading.Event()
    water = PlayedWater(MemoryRecording(gate=gate), CACHE)
    water.look_at(0.0, 0.0, 50.0)
    assert water.publish(1).grid.spacing == 16.0, "not even the ground is there"
    water.show(5)

    def is_roughly_there():
        water.wait(0.01)
        frame = water.publish(2)
        return frame.grid.spacing == 2.0 and abs(frame.heights.mean() - 5.0) < 0.1

    until(is_roughly_there)
    frame = water.publish(2)
    assert not frame.playback.is_finest and water.awaits_news
    assert_shows(frame, 5)
    gate.set()
    fine = settled(water)
    assert_shows(fine, 5)
    assert fine.bed is frame.bed and not water.awaits_news


def test_a_coarser_level_stands_for_the_finer_one_to_the_end_of_the_recording():
    gate = threading.Event()
    water = PlayedWater(MemoryRecording(gate=gate), CACHE)
    water.look_at(5000.0, 5000.0, 50.0)
    until(lambda: water.wait(0.01) or water.publish(1).grid.spacing == 2.0)
    frame = water.publish(1)
    gate.set()
    end = frame.around.grid.x[-1]
    assert frame.grid.x[0] < end <= frame.grid.x[-1]
    expected = np.broadcast_to(np.minimum(frame.grid.x, end) / 1000.0, frame.grid.shape)
    np.testing.assert_allclose(frame.heights, expected, atol=1e-3)


def test_frames_to_come_are_read_ahead_and_memory_is_bounded():
    recorded = MemoryRecording(frames=60)
    water = PlayedWater(recorded, 1.0)
    water.look_at(0.0, 0.0, 50.0)
    settled(water)
    assert water.wait(20.0)
    fine = [number for number, level in recorded.read if level == 0]
    assert fine == list(range(len(fine))) and 3 <= len(fine) < 20
    before = len(fine)
    water.advance(1)
    assert water.publish(1).playback.is_finest, "it was there already"
    assert water.wait(20.0)
    fine = [number for number, level in recorded.read if level == 0]
    assert len(fine) == before + 1, "nothing is read twice"


def test_slopes_are_those_of_the_heights():
    water = PlayedWater(MemoryRecording(), CACHE)
    frame = settled(water)
    np.testing.assert_allclose(frame.normals[..., 0], -1e-3, atol=2e-5)
    np.testing.assert_allclose(frame.normals[..., 1], 0.0, atol=1e-6)


def test_gauges_show_what_was_measured_until_then_and_maps_what_was_kept():
    world = World(PlayedWater(MemoryRecording(), CACHE))
    world.apply(commands.ShowFrame(4))
    (gauge,) = world.publish(1).gauges
    assert gauge.name == "G1" and gauge.times.tolist() == [0.0, 0.5, 1.0, 1.5, 2.0] and len(gauge.surface) == 5
    shown = []
    for _ in range(4):
        world.apply(commands.ShowNextField())
        field = world.publish(2).field_map
        shown.append(None if field is None else field.name)
    assert shown == ["height", "fixed", "largest surface", None]


@pytest.mark.parametrize(
    "command",
    [
        commands.Drop(0.0, 0.0, 1.0, 5.0),
        commands.PaintWall(0.0, 0.0, 5.0),
        commands.SetRain(5.0),
        commands.AddBody("sphere"),
        commands.SetWaterLevel(3.0),
        commands.AddGauge("A", 0.0, 0.0),
        commands.Reset(),
    ],
)
def test_what_would_change_the_water_is_refused_with_the_way_to_do_it(command):
    world = World(PlayedWater(MemoryRecording(), CACHE))
    before = world.publish(1)
    with pytest.raises(InputError, match="memory is played as it was computed: S makes a live scene"):
        world.apply(command)
    after = world.publish(2)
    assert after.bed is before.bed and after.heights.tobytes() == before.heights.tobytes()


def test_it_cannot_be_saved_and_a_model_has_no_frames():
    world = World(PlayedWater(MemoryRecording(), CACHE))
    with pytest.raises(InputError, match="on disk already"):
        world.water.state()
    live = World(MODELS["wave-equation"](12.0, 9.0, 25))
    with pytest.raises(InputError, match="no frames to go to"):
        live.apply(commands.ShowFrame(0))
    with pytest.raises(ParameterError, match="finite"):
        commands.LookAt(0.0, 0.0, float("nan"))


def test_damage_is_told_and_the_rest_plays():
    recorded = MemoryRecording()
    recorded.damaged[2] = "heights of frame 2 are damaged"
    water = PlayedWater(recorded, CACHE)
    settled(water)
    assert water.wait(20.0)
    water.advance(2)
    assert settled(water).playback.problem == "heights of frame 2 are damaged"
    water.advance(1)
    assert_shows(settled(water), 3)


def test_the_loop_publishes_finer_frames_as_they_come_also_while_it_stands_still():
    gate, now = threading.Event(), [0.0]
    simulation = Simulation(PlayedWater(MemoryRecording(gate=gate), CACHE), clock=lambda: now[0])
    simulation.post(commands.Pause(True))
    simulation.post(commands.LookAt(0.0, 0.0, 50.0))

    def turn():
        now[0] += 0.02
        simulation.turn(now[0] - 0.02)
        return simulation.latest()

    until(lambda: turn().grid.spacing == 2.0)
    assert simulation.latest().playback.number == 0 and not simulation.latest().playback.is_finest
    gate.set()
    until(lambda: turn().playback.is_finest)
    serial = simulation.latest().serial
    for _ in range(3):
        turn()
    assert simulation.latest().serial == serial, "nothing is published that looks the same"
    simulation.post(commands.StepOnce())
    assert turn().playback.number == 1


def test_a_live_water_that_takes_its_place_while_it_stands_still_stands_still_too():
    now = [0.0]
    simulation = Simulation(PlayedWater(MemoryRecording(), CACHE), clock=lambda: now[0])
    now[0] += 0.15  # of the 0.2 s of a frame
    simulation.turn(0.0)
    simulation.post(commands.Pause(True))
    simulation.post(commands.ReplaceWater(lambda: MODELS["wave-equation"](12.0, 9.0, 25)))
    for _ in range(3):
        now[0] += 0.02
        simulation.turn(now[0] - 0.02)
    assert simulation.latest().playback is None and simulation.latest().time == 0.0


def test_parts_of_other_levels_cover_the_same_place():
    recorded = MemoryRecording()
    fine = Part(0, Rectangle(101, 301, 50, 260))
    coarse = Part.over(fine.grid(recorded.grid(0)), recorded.grid(2), 2)
    there, here = coarse.grid(recorded.grid(2)), fine.grid(recorded.grid(0))
    assert there.x[0] <= here.x[0] < there.x[1] and there.x[-2] < here.x[-1] <= there.x[-1]
    assert there.z[0] <= here.z[0] < there.z[1] and there.z[-2] < here.z[-1] <= there.z[-1]

"""What is recorded replays to the bit, whatever was asked of the water."""

import itertools
from functools import partial

import numpy as np
import pytest
from support.worlds import Ground, assert_same, water_of

from waterview.core.commands import (
    AddBody,
    AddGauge,
    BeginChange,
    Drop,
    Gust,
    PaintWall,
    Pause,
    RedoChange,
    RemoveBodies,
    RemoveBody,
    RemoveGauge,
    ReplaceWater,
    Reset,
    SetBodyDensity,
    SetCourse,
    SetHeight,
    SetMeasured,
    SetParameter,
    SetRain,
    SetState,
    SetWaterLevel,
    StepOnce,
    UndoChange,
)
from waterview.core.errors import InputError
from waterview.output.recording import RecordingFile, read_recording
from waterview.render.camera.camera import OrbitCamera
from waterview.render.settings import ViewParams
from waterview.scene.interaction import InteractionParams
from waterview.scene.replay import Recorder, commands_by_step, play, simulating
from waterview.scene.scene import Scene, SceneParams
from waterview.scene.serialise import open_session, view_to_dict, world_from_dict, world_to_dict, write_session
from waterview.sim.loop import Simulation
from waterview.sim.world import World
from waterview.terrain.library import resolve
from waterview.waters import MODELS
from waterview.waters.eddies.detail import Detail


def record(path, world, commands):
    """Run `commands`, each with the number of single steps that follow it, in a paused simulation."""
    with RecordingFile(path, world_to_dict(world)) as file:
        simulation = Simulation(world, note=Recorder(file, world).note, clock=lambda: 0.0)
        simulation.post(Pause(True))
        for command, steps in commands:
            simulation.post(command)
            for _ in range(steps):
                simulation.post(StepOnce())
                simulation.turn(0.0)
        simulation.turn(0.0)
        problem = simulation.take_problem()
        assert problem is None, problem
        file.end(simulation.steps)


EVERYTHING = (
    (Drop(-6.0, 1.0, 0.4, 2.0), 4),
    (SetRain(20.0), 3),
    (SetParameter("wave_speed", 3.3), 5),
    (PaintWall(-4.0, 2.0, 1.1), 3),
    (Gust(-8.0, -3.0, 3.0, 1.0, 0.05, 1.5), 2),
    (SetHeight(5, 5, 0.2), 2),
    (AddBody("sphere", 300.0, -6.0, -2.0), 6),
    (SetBodyDensity(700.0), 3),
    (SetCourse(1, 60.0, 1.0), 20),
    (AddBody("boat", None, -7.0, 2.0, 200.0, 1.5), 20),
    (SetParameter("bodies_drag", 2.5), 3),
    (SetParameter("detail_trail", 0.2), 9),
    (SetParameter("detail_points", 48), 9),
    (SetWaterLevel(0.25), 4),
    (RemoveBodies(), 1),
    (SetState(np.full((29, 41), 0.03), np.full((2, 29, 41), 0.1)), 7),
    (AddGauge("A", -6.0, 1.0), 3),
    (AddGauge("B", -5.0, -1.0), 1),
    (SetMeasured("B", (0.0, 0.5, 2.0), (0.1, -0.2, 0.0)), 1),
    (RemoveGauge("A"), 1),
    (SetParameter("gauges_interval", 0.03), 1),
    (Reset(), 1),
    (SetState(np.full((29, 41), 0.02)), 2),
    (BeginChange(1), 0),
    (PaintWall(-4.0, 2.0, 1.1), 0),
    (PaintWall(-3.0, 3.0, 0.8, True, (-4.0, 2.0)), 4),
    (BeginChange(2), 0),
    (AddBody("duck", None, -6.0, -1.0), 5),
    (BeginChange(3), 0),
    (AddBody("box", 600.0, -7.0, 1.0), 9),
    (BeginChange(4), 0),
    (RemoveBody(1), 3),
    (BeginChange(5), 0),
    (SetParameter("wave_speed", 2.1), 0),
    (SetWaterLevel(0.4), 3),
    (UndoChange(5), 4),
    (UndoChange(4), 8),
    (RedoChange(4), 2),
    (UndoChange(4), 5),
    (UndoChange(3), 3),
    (Drop(-5.0, -1.0, -0.3, 1.5), 3),
    (BeginChange(6), 0),
    (Reset(), 4),
    (UndoChange(6), 3),
    (UndoChange(1), 3),
    (Drop(-5.0, -1.0, -0.3, 1.5, neutral=False), 6),
)


@pytest.mark.slow
def test_whatever_is_asked_replays_to_the_bit(tmp_path):
    world = World(water_of("wave-equation"), rain=5.0, detail=Detail(points=32, size=5.0), seed=3)
    record(tmp_path / "a.jsonl", world, EVERYTHING)
    recording = read_recording(tmp_path / "a.jsonl")
    (replayed,) = play(recording, last=0.0)
    assert recording.steps == sum(steps for _, steps in EVERYTHING)
    assert np.abs(replayed.heights).max() > 0.01
    assert_same(world.publish(0), replayed)


def test_the_bodies_that_a_scene_begins_with_are_replayed_once(tmp_path):
    scene = Scene(resolve("basin").load(), SceneParams(grid=24), bodies=(AddBody("sphere"),))
    with simulating(scene, tmp_path / "a.jsonl", None):
        pass
    (replayed,) = play(read_recording(tmp_path / "a.jsonl"), last=0.0)
    assert [body.kind for body in replayed.bodies] == ["sphere"]


@pytest.mark.slow
def test_every_model_and_another_terrain_replay_to_the_bit(tmp_path):
    world = World(water_of("wave-equation"))
    commands = [(AddBody("box", 500.0, -7.0, 0.0), 3)]
    for name in MODELS:
        commands.append((ReplaceWater(lambda name=name: water_of(name), keep_bodies=True), 3))
        if MODELS[name].can_be_disturbed:
            commands.append((Drop(-6.0, 0.0, 0.3, 2.0), 4))
    other = MODELS["wave-equation"](30.0, 30.0, 33, (-15.0, 1.0, -15.0))
    commands += [(ReplaceWater(lambda: other), 2), (Drop(0.0, 0.0, 1.0, 4.0), 5)]
    record(tmp_path / "a.jsonl", world, commands)
    (replayed,) = play(read_recording(tmp_path / "a.jsonl"), last=0.0)
    assert replayed.grid == world.water.grid
    assert_same(world.publish(0), replayed)


@pytest.mark.slow
def test_rain_and_detail_that_other_water_brings_replay_too(tmp_path):
    def whole(detail):
        return lambda: World(water_of("height-field"), rain=30.0, detail=detail, seed=9)

    commands = [
        (Drop(-6.0, 0.0, 0.3, 2.0), 12),
        (ReplaceWater(lambda: water_of("wave-equation", damping=0.7)), 12),
        (ReplaceWater(whole(Detail(points=16, size=3.0))), 12),
        (ReplaceWater(whole(None)), 12),
        (ReplaceWater(lambda: water_of("wave-equation")), 3),
    ]
    for number in (2, 3, 4, 5):
        world = World(water_of("wave-equation"), detail=Detail(points=32, size=5.0))
        record(tmp_path / "a.jsonl", world, commands[:number])
        (replayed,) = play(read_recording(tmp_path / "a.jsonl"), last=0.0)
        assert_same(world.publish(0), replayed)


def test_where_a_recording_does_not_say_that_detail_goes_on_it_begins_anew(tmp_path):
    world = World(water_of("wave-equation"), detail=Detail(points=16, size=3.0))
    commands = [(SetRain(0.0), 6), (ReplaceWater(lambda: water_of("wave-equation", damping=0.7)), 1)]
    record(tmp_path / "a.jsonl", world, commands)
    recording = read_recording(tmp_path / "a.jsonl")
    (data,) = (entry.water for entry in recording.entries if entry.water)
    on = next(play(recording, last=0.0))
    assert_same(world.publish(0), on)
    del data["detail_goes_on"]
    anew = next(play(recording, last=0.0))
    assert (anew.detail.slopes != on.detail.slopes).any()


def test_a_simulation_follows_the_script_at_the_same_steps(tmp_path):
    world = World(water_of("wave-equation"))
    record(tmp_path / "a.jsonl", world, EVERYTHING)
    recording = read_recording(tmp_path / "a.jsonl")
    again = world_from_dict(recording.world)
    simulation = Simulation(again, script=commands_by_step(recording, again), clock=lambda: 0.0)
    for _ in range(recording.steps):
        simulation.post(StepOnce())
        simulation.turn(0.0)
    assert simulation.take_problem() is None
    assert_same(world.publish(0), again.publish(0))


def test_frames_of_a_replay_come_at_even_times(tmp_path):
    world = World(water_of("wave-equation"))
    record(tmp_path / "a.jsonl", world, [(Drop(-6.0, 1.0, 0.4, 2.0), 60), (SetParameter("steps_per_second", 60.0), 30)])
    frames = list(play(read_recording(tmp_path / "a.jsonl"), 20.0))
    assert len(frames) == 21
    assert [frame.time for frame in frames] == pytest.approx([number / 20.0 for number in range(21)])


def test_a_recorder_that_fails_is_told_once_and_the_water_goes_on():
    calls = itertools.count()

    def note(step, command, world):
        next(calls)
        raise InputError("cannot write the recording")

    simulation = Simulation(World(water_of("wave-equation")), note=note, clock=lambda: 0.0)
    for _ in range(3):
        simulation.post(Drop(-6.0, 1.0, 0.4, 2.0))
    simulation.turn(0.0)
    assert "cannot write" in str(simulation.take_problem())
    assert simulation.take_problem() is None
    assert next(calls) == 1


def test_a_session_loaded_while_recording_replays_with_its_bodies(tmp_path):
    other = World(water_of("height-field"))
    other.apply(AddBody("box", 500.0, -7.0, 0.0))
    other.apply(Drop(-6.0, 0.0, 0.3, 2.0))
    for _ in range(9):
        other.step()
    seen = view_to_dict(ViewParams(), InteractionParams(), OrbitCamera.framing(other.publish_still()))
    write_session(tmp_path / "a.waterview", other, seen)
    session = open_session(tmp_path / "a.waterview")
    command = ReplaceWater(lambda: session.world)
    world = World(water_of("wave-equation"))
    commands = [(AddBody("sphere", 500.0, -7.0, 0.0), 5), (command, 9), (Drop(-6.0, 0.0, 0.3, 2.0), 9)]
    record(tmp_path / "a.jsonl", world, commands)
    (replayed,) = play(read_recording(tmp_path / "a.jsonl"), last=0.0)
    assert [body.kind for body in replayed.bodies] == ["box"]
    assert_same(world.publish(0), replayed)


SECONDS, RATE = 600, 20
SMALL = (20.0, 14.0, 17, (-10.0, 0.0, -7.0))


class Island:
    """A round island in the east of deep water."""

    def height_at(self, x, z):
        return 1.2 - 0.6 * np.hypot(x - 6.0, z)


def a_long_session():
    """Ten minutes of what people do: (command, steps that follow), another model or setting every half minute.

    The terrain is another one every second time: the beach on another side, a wider basin, or an island.
    Pauses and single steps leave no trace in a recording; the commands are those that keys, mouse and panel post.
    """
    chance = np.random.default_rng(7)

    places = (
        (SMALL, Ground()),
        (SMALL, Ground(turn=0.4)),
        ((26.0, 18.0, 23, (-13.0, 0.5, -9.0)), Ground(turn=-0.3)),
        (SMALL, Island()),
    )

    def small(name, place=places[0], **params):
        size, ground = place
        water = MODELS[name](*size, steps_per_second=float(RATE), **params)
        water.set_height_map(ground)
        return water

    def disturbed():
        x, z = chance.uniform(-9.0, -4.0), chance.uniform(-6.0, 6.0)
        return (
            Drop(x, z, 0.3, 2.0),
            Gust(x, z, 2.0, 1.0, 0.05, 1.5),
            PaintWall(x, z, 0.8, bool(chance.integers(2))),
            AddBody(str(chance.choice(["sphere", "box"])), 500.0, x, z),
            SetHeight(3, 5, 0.2),
        )[chance.integers(5)]

    settings = (
        SetWaterLevel(0.2),
        SetWaterLevel(-0.1),
        SetRain(3.0),
        SetParameter("steps_per_second", float(RATE)),
        SetParameter("bodies_drag", 1.5),
        SetParameter("detail_strength", 0.2),
    )
    names = [name for name in MODELS if MODELS[name].can_be_disturbed] * 4
    commands = []
    for half_minute in range(2 * SECONDS // 60):
        name = names[half_minute]
        border = {"border": "open"} if name == "height-field" else {}
        place = places[half_minute // 2 % len(places)]
        commands.append((ReplaceWater(partial(small, name, place, **border), keep_bodies=bool(half_minute % 2)), 0))
        commands.append((RemoveBodies(), 0))
        commands += [(settings[k % len(settings)], 0) for k in (half_minute, half_minute + 1)]
        commands += [(disturbed(), 5 * RATE) for _ in range(6)]
    return World(small("wave-equation"), rain=2.0, seed=1), commands


@pytest.mark.slow
def test_a_session_of_ten_minutes_replays_to_the_bit_without_a_window_and_in_one(tmp_path):
    world, commands = a_long_session()
    record(tmp_path / "a.jsonl", world, commands)
    recording = read_recording(tmp_path / "a.jsonl")
    assert recording.steps == SECONDS * RATE
    assert len(recording.entries) == len(commands)
    waters = [entry.water["water"] for entry in recording.entries if entry.water is not None]
    grounds = [water["ground"] for water in waters]
    changes = [not np.array_equal(one, other) for one, other in itertools.pairwise(grounds)]
    assert sum(changes) >= 5 and len({water["model"] for water in waters}) >= 5
    assert len({tuple(water["extent"]) for water in waters}) == 2
    last = world.publish(0)
    assert np.abs(last.heights).max() > 1e-3
    (replayed,) = play(recording, last=0.0)
    assert_same(last, replayed)
    # A window steps by the clock, so many steps at once as are due; what was asked comes at its own step all the same.
    again = world_from_dict(recording.world)
    now = before = 0.0
    simulation = Simulation(again, script=commands_by_step(recording, again), clock=lambda: now)
    for elapsed in itertools.cycle((0.0, 0.013, 0.1, 0.031, 0.2, 0.017)):
        now += min(elapsed, (recording.steps - simulation.steps) / RATE)
        before = simulation.turn(before)
        if simulation.steps == recording.steps:
            break
    assert simulation.take_problem() is None
    assert_same(last, again.publish(0))


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["wave-equation", "shallow-water"])
def test_waves_that_come_in_replay_without_their_file(tmp_path, name):
    series = tmp_path / "wave.csv"
    series.write_text("0,0\n0.1,0.05\n0.3,0\n")
    world = World(MODELS[name](10.0, 8.0, 41, wavemaker="sine", wavemaker_height=0.05, wavemaker_period=0.5))
    commands = (
        (SetParameter("wavemaker_height", 0.1), 20),
        (SetParameter("wavemaker_series", str(series)), 1),
        (SetParameter("wavemaker", "series"), 20),
        (SetParameter("wavemaker_sides", "west,south"), 9),
        (SetParameter("wavemaker", "none"), 30),
    )
    record(tmp_path / "a.jsonl", world, commands)
    series.unlink()
    (replayed,) = play(read_recording(tmp_path / "a.jsonl"), last=0.0)
    assert_same(replayed, world.publish(replayed.serial))
    assert np.abs(replayed.heights).max() > 1e-3


def test_a_recording_opens_no_other_file(tmp_path):
    series = tmp_path / "wave.csv"
    series.write_text("0,0\n0.1,0.05\n0.3,0\n")
    world = World(MODELS["wave-equation"](10.0, 8.0, 41))
    record(tmp_path / "a.jsonl", world, ((SetParameter("wavemaker_series", str(series)), 2),))
    text = (tmp_path / "a.jsonl").read_text()
    (tmp_path / "b.jsonl").write_text(text.replace("0.0 0.0;0.1 0.05;0.3 0.0", str(series)))
    assert len(list(play(read_recording(tmp_path / "a.jsonl")))) > 0
    with pytest.raises(InputError, match="names a file"):
        list(play(read_recording(tmp_path / "b.jsonl")))

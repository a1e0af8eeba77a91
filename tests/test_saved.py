"""What is recorded replays to the bit, whatever was asked of the water."""

import itertools
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from waterview.bodies.kinds import shape_of
from waterview.core.commands import (
    AddBody,
    Drop,
    Gust,
    PaintWall,
    Pause,
    RemoveBodies,
    ReplaceWater,
    Reset,
    SetBodyDensity,
    SetHeight,
    SetParameter,
    SetRain,
    SetWaterLevel,
    ShowField,
    StepOnce,
)
from waterview.core.errors import InputError
from waterview.core.params import declarations
from waterview.models import MODELS
from waterview.models.detail import Detail
from waterview.output.recording import RecordingFile, read_recording
from waterview.output.session import read_session, save_session
from waterview.render.camera import OrbitCamera
from waterview.render.settings import ViewParams
from waterview.saved import (
    Recorder,
    keep,
    make_tank,
    make_water,
    play,
    reopened,
    script_of,
    seen_words,
    tank_words,
    water_words,
)
from waterview.simulation import Simulation
from waterview.tank import Tank
from waterview.ui.hand import HandParams

SIZE = (20.0, 14.0, 41, (-10.0, 0.0, -7.0))


class Ground:
    """A sloping beach with waves in it, turned about the middle by `turn` [rad]."""

    def __init__(self, turn=0.0):
        self.turn = turn

    def height_at(self, x, z):
        along, across = x * np.cos(self.turn) + z * np.sin(self.turn), z * np.cos(self.turn) - x * np.sin(self.turn)
        return 0.35 * along - 1.5 + 0.2 * np.sin(1.3 * across)


CAMERA = OrbitCamera.framing(MODELS["wave-equation"](*SIZE).publish_still())
CAMERA.azimuth, CAMERA.distance, CAMERA.target = 1.25, 11.0, (-1.0, 0.0, 2.0)


def water_of(name, **params):
    water = MODELS[name](*SIZE, **params)
    water.set_height_map(Ground())
    return water


def record(path, tank, commands):
    """Run `commands`, each with the number of single steps that follow it, in a paused simulation."""
    with RecordingFile(path, tank_words(tank)) as file:
        simulation = Simulation(tank, note=Recorder(file, tank).note)
        simulation.post(Pause(True))
        for command, steps in commands:
            simulation.post(command)
            for _ in range(steps):
                simulation.post(StepOnce())
                simulation._take_commands()
                simulation._advance(0.0, 0.0)
        simulation._take_commands()
        problem = simulation.take_problem()
        assert problem is None, problem
        file.end(simulation.steps)


def assert_same(one, other):
    for name in ("heights", "normals", "bed", "fixed"):
        assert np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True), name
    assert len(one.bodies) == len(other.bodies)
    for a, b in zip(one.bodies, other.bodies, strict=True):
        assert np.array_equal(a.position, b.position) and np.array_equal(a.rotation, b.rotation)
    assert one.beside == other.beside
    assert (one.detail is None) == (other.detail is None)
    if one.detail is not None:
        assert np.array_equal(one.detail.slopes, other.detail.slopes)


EVERYTHING = (
    (Drop(-6.0, 1.0, 0.4, 2.0), 4),
    (SetRain(20.0), 3),
    (SetParameter("wave_speed", 3.3), 5),
    (PaintWall(-4.0, 2.0, 1.1), 3),
    (Gust(-8.0, -3.0, 3.0, 1.0, 0.05, 1.5), 2),
    (SetHeight(5, 5, 0.2), 2),
    (AddBody("sphere", 300.0, -6.0, -2.0), 6),
    (SetBodyDensity(700.0), 3),
    (SetParameter("bodies_drag", 2.5), 3),
    (SetParameter("detail_trail", 0.2), 9),
    (SetParameter("detail_points", 48), 9),
    (SetWaterLevel(0.25), 4),
    (RemoveBodies(), 1),
    (Reset(), 1),
    (Drop(-5.0, -1.0, -0.3, 1.5, neutral=False), 6),
)


def test_whatever_is_asked_replays_to_the_bit(tmp_path):
    tank = Tank(water_of("wave-equation"), rain=5.0, detail=Detail(points=32, size=5.0), seed=3)
    record(tmp_path / "a.jsonl", tank, EVERYTHING)
    recording = read_recording(tmp_path / "a.jsonl")
    (replayed,) = play(recording, last=0.0)
    assert recording.steps == sum(steps for _, steps in EVERYTHING)
    assert np.abs(replayed.heights).max() > 0.01
    assert_same(tank.publish(0), replayed)


def test_every_model_and_another_terrain_replay_to_the_bit(tmp_path):
    tank = Tank(water_of("wave-equation"))
    commands = [(AddBody("box", 500.0, -7.0, 0.0), 3)]
    for name in MODELS:
        commands.append((ReplaceWater(lambda name=name: water_of(name), keep_bodies=True), 3))
        if MODELS[name].can_be_disturbed:
            commands.append((Drop(-6.0, 0.0, 0.3, 2.0), 4))
    other = MODELS["wave-equation"](30.0, 30.0, 33, (-15.0, 1.0, -15.0))
    commands += [(ReplaceWater(lambda: other), 2), (Drop(0.0, 0.0, 1.0, 4.0), 5)]
    record(tmp_path / "a.jsonl", tank, commands)
    (replayed,) = play(read_recording(tmp_path / "a.jsonl"), last=0.0)
    assert replayed.grid == tank.water.grid
    assert_same(tank.publish(0), replayed)


def test_rain_and_detail_that_other_water_brings_replay_too(tmp_path):
    def whole(detail):
        return lambda: Tank(water_of("height-field"), rain=30.0, detail=detail, seed=9)

    commands = [
        (Drop(-6.0, 0.0, 0.3, 2.0), 12),
        (ReplaceWater(lambda: water_of("wave-equation", damping=0.7)), 12),
        (ReplaceWater(whole(Detail(points=16, size=3.0))), 12),
        (ReplaceWater(whole(None)), 12),
        (ReplaceWater(lambda: water_of("wave-equation")), 3),
    ]
    for number in (2, 3, 4, 5):
        tank = Tank(water_of("wave-equation"), detail=Detail(points=32, size=5.0))
        record(tmp_path / "a.jsonl", tank, commands[:number])
        (replayed,) = play(read_recording(tmp_path / "a.jsonl"), last=0.0)
        assert_same(tank.publish(0), replayed)


def test_a_simulation_follows_the_script_at_the_same_steps(tmp_path):
    tank = Tank(water_of("wave-equation"))
    record(tmp_path / "a.jsonl", tank, EVERYTHING)
    recording = read_recording(tmp_path / "a.jsonl")
    again = make_tank(recording.tank)
    simulation = Simulation(again, script=script_of(recording, again))
    for _ in range(recording.steps):
        simulation._obey(simulation._lanes[0], StepOnce())
        simulation._advance(0.0, 0.0)
    assert simulation.take_problem() is None
    assert_same(tank.publish(0), again.publish(0))


def test_frames_of_a_replay_come_at_even_times(tmp_path):
    tank = Tank(water_of("wave-equation"))
    record(tmp_path / "a.jsonl", tank, [(Drop(-6.0, 1.0, 0.4, 2.0), 60), (SetParameter("steps_per_second", 60.0), 30)])
    frames = list(play(read_recording(tmp_path / "a.jsonl"), 20.0))
    assert len(frames) == 21
    assert [frame.time for frame in frames] == pytest.approx([number / 20.0 for number in range(21)])


@pytest.mark.parametrize("name", MODELS)
def test_words_make_the_same_water(name):
    water = water_of(name)
    water.paint_wall(-6.0, 0.0, 1.5)
    again = make_water(water_words(water))
    for _ in range(3):
        water.step()
        again.step()
    assert_same(water.publish(0), again.publish(0))


def test_words_without_sense_are_told():
    words = water_words(water_of("wave-equation"))
    for change in ({"model": "lava"}, {"ground": np.zeros((2, 2))}, {"walls": None}, {"origin": [1.0]}, {"params": 3}):
        with pytest.raises(InputError):
            make_water({**words, **change})


def test_a_recorder_that_fails_is_told_once_and_the_water_goes_on():
    calls = itertools.count()

    def note(step, command, tank):
        next(calls)
        raise InputError("cannot write the recording")

    simulation = Simulation(Tank(water_of("wave-equation")), note=note)
    for _ in range(3):
        simulation.post(Drop(-6.0, 1.0, 0.4, 2.0))
    simulation._take_commands()
    assert "cannot write" in str(simulation.take_problem())
    assert simulation.take_problem() is None
    assert next(calls) == 1


OPEN = {"border": "north=open,east=open-ghost,south=reflecting,west=open"}
WATERS = [
    *((name, {}) for name in MODELS),
    *((name, OPEN) for name in MODELS if name in ("wave-equation", "dual-buffer", "height-field", "layered")),
    ("wave-equation", {"border": "reflecting", "wave_speed": 30.0, "stencil": "five-point"}),
    ("wave-equation", {"border": "wrapping", "shoreline": "zero"}),
    ("height-field", {"drops": "force", "wave_speed": 50.0}),
    ("shallow-water", {"scheme": "kass-miller"}),
]


def assert_it_goes_on(tank, path, steps=60):
    """What is saved and loaded runs on like the tank itself."""
    save_session(path, tank_words(tank))
    again = make_tank(read_session(path))
    assert again.water.time == tank.water.time
    assert_same(tank.publish(0), again.publish(0))
    for _ in range(steps):
        tank.step()
        again.step()
    assert_same(tank.publish(0), again.publish(0))


@pytest.mark.parametrize(("name", "params"), WATERS)
def test_a_water_that_has_run_goes_on_to_the_bit(tmp_path, name, params):
    tank = Tank(water_of(name, **params), seed=5)
    tank.obey(PaintWall(-4.0, 2.0, 1.1))
    disturbed = MODELS[name].can_be_disturbed
    if disturbed:
        tank.obey(SetRain(20.0))
        tank.obey(Drop(-6.0, 1.0, 0.4, 2.0))
    for _ in range(70):
        tank.step()
    if disturbed:
        tank.obey(SetHeight(5, 5, 0.2))
        tank.obey(Drop(-8.0, 1.0, 0.4, 2.0))
    if "wave_speed" in {entry.name for entry in declarations(MODELS[name].Params)}:
        tank.obey(SetParameter("wave_speed", 2.0))
    assert_it_goes_on(tank, tmp_path / "a")
    assert np.abs(tank.publish(0).heights).max() > 1e-3


def test_water_disturbed_before_its_first_step_goes_on(tmp_path):
    tank = Tank(water_of("wave-equation"))
    tank.obey(Drop(-6.0, 1.0, 0.4, 2.0))
    assert_it_goes_on(tank, tmp_path / "a")
    assert np.abs(tank.publish(0).heights).max() > 1e-3


@pytest.mark.parametrize("name", [name for name in MODELS if MODELS[name].can_be_disturbed])
def test_bodies_detail_and_the_map_go_on_to_the_bit(tmp_path, name):
    tank = Tank(water_of(name), detail=Detail(points=16, size=5.0), seed=3)
    for kind, density, x, z in (("sphere", 300.0, -6.0, -2.0), ("box", 700.0, -7.0, 2.0), ("duck", None, -5.0, 4.0)):
        tank.obey(AddBody(kind, density, x, z))
    tank.obey(Drop(-6.0, 0.0, 0.5, 2.0))
    tank.obey(ShowField("height"))
    for _ in range(33):
        tank.step()
    assert_it_goes_on(tank, tmp_path / "a", steps=37)
    again = make_tank(read_session(tmp_path / "a"))
    assert again.publish(0).field.name == "height"
    again.obey(AddBody("box", 500.0, -8.0, -4.0))
    assert [body.number for body in again.publish(0).bodies] == [1, 2, 3, 4], "a number was used twice"


def test_a_body_with_a_shape_of_its_own_is_told():
    tank = Tank(water_of("wave-equation"))
    tank.obey(AddBody("sphere"))
    tank.bodies.add(tank.water, replace(shape_of("sphere"), kind="pebble"))
    with pytest.raises(InputError, match="pebble"):
        tank_words(tank)


def test_what_an_earlier_version_kept_of_open_sides_otherwise_is_let_go():
    """The water goes on as it was, and its open sides begin at rest."""
    water = water_of("wave-equation", **OPEN)
    water.disturb(Drop(x=-9.0, z=0.0, height=0.3, radius=1.5))
    for _ in range(30):
        water.step()
    words = water_words(water)
    outside = words["state"]["outside"]
    ghosts = outside["ghosts"]
    assert any(array.any() for name, array in outside.items() if name != "ghosts")
    words["state"]["outside"] = {"ghosts": ghosts, "now": np.ones((4, 6, 112), np.float32)}
    again = make_water(words)
    np.testing.assert_array_equal(again.height, water.height)
    kept = water_words(again)["state"]["outside"]
    np.testing.assert_array_equal(kept.pop("ghosts"), ghosts)
    assert not any(array.any() for array in kept.values())
    again.step()
    assert np.isfinite(again.height).all()


def test_state_without_sense_is_told():
    tank = Tank(water_of("wave-equation"))
    tank.obey(AddBody("sphere", 300.0, -6.0, -2.0))
    tank.step()
    words = tank_words(tank)
    water = words["water"]
    for name, value in (("heights", np.zeros((2, 2), np.float32)), ("tiles", {}), ("time", "now"), ("steps", None)):
        with pytest.raises(InputError, match="no sense"):
            make_water({**water, "state": {**water["state"], name: value}})
    bodies = words["beside"]["bodies"]
    far = {**bodies["records"], "columns": bodies["records"]["columns"] + 1000}
    for change in ({"records": far}, {"kinds": ["brick"]}, {"kinds": []}, {"pool": "none"}, {"numbers": [1, 2]}):
        with pytest.raises(InputError):
            make_tank({**words, "beside": {**words["beside"], "bodies": {**bodies, **change}}})
    for change in ({"bodies": {**bodies, "kinds": [10**30]}}, {"wakes": 0.5}, {"params": []}, {"detail_time": 10**400}):
        with pytest.raises(InputError, match="no sense"):
            make_tank({**words, "beside": {**words["beside"], **change}})


def test_a_session_loaded_while_recording_replays_with_its_bodies(tmp_path):
    other = Tank(water_of("height-field"))
    other.obey(AddBody("box", 500.0, -7.0, 0.0))
    other.obey(Drop(-6.0, 0.0, 0.3, 2.0))
    for _ in range(9):
        other.step()
    keep(tmp_path / "a.waterview", other, seen_words(ViewParams(), HandParams(), CAMERA))
    _, opened = reopened(tmp_path / "a.waterview")
    (command,) = opened.commands
    tank = Tank(water_of("wave-equation"))
    commands = [(AddBody("sphere", 500.0, -7.0, 0.0), 5), (command, 9), (Drop(-6.0, 0.0, 0.3, 2.0), 9)]
    record(tmp_path / "a.jsonl", tank, commands)
    (replayed,) = play(read_recording(tmp_path / "a.jsonl"), last=0.0)
    assert [body.kind for body in replayed.bodies] == ["box"]
    assert_same(tank.publish(0), replayed)


def test_a_session_is_reopened_as_it_was_seen(tmp_path):
    tank = Tank(water_of("wave-equation"), rain=20.0, seed=5)
    tank.obey(Drop(-6.0, 1.0, 0.4, 2.0))
    for _ in range(20):
        tank.step()
    path = tmp_path / "a.waterview"
    keep(path, tank, seen_words(ViewParams(exposure=0.5), HandParams(drop_size=2.0), CAMERA))
    _, opened = reopened(path)
    again = Tank(water_of("dual-buffer"))
    for command in opened.commands:
        again.obey(command)
    assert_same(tank.publish(0), again.publish(0))
    assert again.rain.rate == 20.0
    assert opened.view["exposure"] == 0.5
    assert (opened.hand["drop_size"], opened.hand["rain"]) == (2.0, 20.0)
    found = opened.camera(again.publish(0))
    assert (found.azimuth, found.distance, found.target) == (1.25, 11.0, (-1.0, 0.0, 2.0))


@pytest.mark.parametrize("detail", [None, Detail(points=16, size=3.0)], ids=["none", "detail"])
def test_what_bodies_and_detail_go_by_is_saved_and_goes_on_with_another_water(tmp_path, detail):
    tank = Tank(water_of("wave-equation"), detail=detail)
    for name, value in (("bodies_drag", 2.5), ("bodies_gravity", 3.7), ("detail_strength", 0.5), ("detail_seed", 4)):
        tank.obey(SetParameter(name, value))
    path = tmp_path / "a.waterview"
    keep(path, tank, seen_words(ViewParams(), HandParams(), CAMERA))
    again = Tank(water_of("dual-buffer"))
    for command in reopened(path)[1].commands:
        again.obey(command)
    assert again.beside == tank.beside
    assert (again.body_params.drag, again.body_params.gravity) == (2.5, 3.7)
    assert (again.detail_params.strength, again.detail_params.seed) == (0.5, 4)


def test_a_session_of_a_version_without_these_parameters_opens_with_the_usual_ones():
    words = tank_words(Tank(water_of("wave-equation")))
    del words["beside"]["params"]
    assert make_tank(words).beside == Tank(water_of("wave-equation")).beside


def test_a_session_without_sense_is_told(tmp_path):
    save_session(tmp_path / "b.waterview", {"tank": tank_words(Tank(water_of("wave-equation"))), "seen": {}})
    with pytest.raises(InputError, match="makes no sense"):
        reopened(tmp_path / "b.waterview")


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
    return Tank(small("wave-equation"), rain=2.0, seed=1), commands


def test_a_session_of_ten_minutes_replays_to_the_bit_without_a_window_and_in_one(tmp_path):
    tank, commands = a_long_session()
    record(tmp_path / "a.jsonl", tank, commands)
    recording = read_recording(tmp_path / "a.jsonl")
    assert recording.steps == SECONDS * RATE
    assert len(recording.entries) == len(commands)
    waters = [entry.water["water"] for entry in recording.entries if entry.water is not None]
    grounds = [water["ground"] for water in waters]
    changes = [not np.array_equal(one, other) for one, other in itertools.pairwise(grounds)]
    assert sum(changes) >= 5 and len({water["model"] for water in waters}) >= 5
    assert len({tuple(water["extent"]) for water in waters}) == 2
    last = tank.publish(0)
    assert np.abs(last.heights).max() > 1e-3
    (replayed,) = play(recording, last=0.0)
    assert_same(last, replayed)
    # A window steps by the clock, so many steps at once as are due; what was asked comes at its own step all the same.
    again = make_tank(recording.tank)
    now = itertools.accumulate(itertools.cycle((0.0, 0.013, 0.1, 0.031, 0.2, 0.017)))
    simulation = Simulation(again, script=script_of(recording, again))
    before = 0.0
    for time in now:
        due = min(time - before, (recording.steps - simulation.steps) / RATE)
        simulation._advance(due, time)
        simulation._publish(time)
        before = time
        if simulation.steps == recording.steps:
            break
    assert simulation.take_problem() is None
    assert_same(last, again.publish(0))

"""What is saved goes on to the bit, and is seen as it was; what makes no sense is told."""

import math
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from support.worlds import SIZE, assert_same, water_of

from waterview.bodies.kinds import shape_of
from waterview.core.commands import (
    AddBody,
    AddGauge,
    Drop,
    PaintWall,
    RaiseWaterLevel,
    ReplaceWater,
    SetBodyDensity,
    SetCourse,
    SetHeight,
    SetMeasured,
    SetParameter,
    SetRain,
    ShowField,
)
from waterview.core.errors import InputError
from waterview.core.georeference import LOCAL, Georeference
from waterview.core.params import declarations
from waterview.output.session import read_session, save_session
from waterview.render.camera.camera import OrbitCamera
from waterview.render.settings import ViewParams
from waterview.scene.interaction import InteractionParams
from waterview.scene.serialise import (
    open_session,
    view_to_dict,
    water_from_dict,
    water_to_dict,
    world_from_dict,
    world_to_dict,
    write_session,
)
from waterview.sim.world import World
from waterview.waters import MODELS, WaveEquationWater
from waterview.waters.eddies.detail import Detail


def make_camera():
    camera = OrbitCamera.framing(MODELS["wave-equation"](*SIZE).publish_still())
    camera.azimuth, camera.distance, camera.target = 1.25, 11.0, (-1.0, 0.0, 2.0)
    return camera


@pytest.mark.parametrize("name", MODELS)
def test_words_make_the_same_water(name):
    water = water_of(name)
    water.paint_wall(-6.0, 0.0, 1.5)
    again = water_from_dict(water_to_dict(water))
    for _ in range(3):
        water.step()
        again.step()
    assert_same(water.publish(0), again.publish(0))


def test_where_a_water_lies_is_kept_and_files_of_earlier_versions_do_not_know_it():
    water = WaveEquationWater(6.0, 4.0, 7)
    water.place = Georeference("EPSG:32631", 5e5, 5e6, 2.0, 2.0)
    words = water_to_dict(water)
    assert water_from_dict(words).place == water.place
    del words["place"]
    assert water_from_dict(words).place == LOCAL


def test_words_without_sense_are_told():
    words = water_to_dict(water_of("wave-equation"))
    for change in ({"model": "lava"}, {"ground": np.zeros((2, 2))}, {"walls": None}, {"origin": [1.0]}, {"params": 3}):
        with pytest.raises(InputError):
            water_from_dict({**words, **change})


OPEN = {"border": "north=open,east=open-ghost,south=reflecting,west=open"}
WATERS = [
    *((name, {}) for name in MODELS),
    *((name, OPEN) for name in MODELS if name in ("wave-equation", "dual-buffer", "height-field", "layered")),
    ("wave-equation", {"border": "reflecting", "wave_speed": 30.0, "stencil": "five-point"}),
    ("wave-equation", {"border": "wrapping", "shoreline": "zero"}),
    ("height-field", {"drops": "force", "wave_speed": 50.0}),
    ("shallow-water", {"scheme": "kass-miller"}),
]


def assert_it_goes_on(world, path, steps=60):
    """What is saved and loaded runs on like the world itself."""
    save_session(path, world_to_dict(world))
    again = world_from_dict(read_session(path))
    assert again.water.time == world.water.time
    assert_same(world.publish(0), again.publish(0))
    for _ in range(steps):
        world.step()
        again.step()
    assert_same(world.publish(0), again.publish(0))


@pytest.mark.parametrize(("name", "params"), WATERS)
def test_a_water_that_has_run_goes_on_to_the_bit(tmp_path, name, params):
    world = World(water_of(name, **params), seed=5)
    world.apply(PaintWall(-4.0, 2.0, 1.1))
    disturbed = MODELS[name].can_be_disturbed
    if disturbed:
        world.apply(SetRain(20.0))
        world.apply(Drop(-6.0, 1.0, 0.4, 2.0))
    for _ in range(70):
        world.step()
    if disturbed:
        world.apply(SetHeight(5, 5, 0.2))
        world.apply(Drop(-8.0, 1.0, 0.4, 2.0))
    if "wave_speed" in {entry.name for entry in declarations(MODELS[name].Params)}:
        world.apply(SetParameter("wave_speed", 2.0))
    assert_it_goes_on(world, tmp_path / "a")
    assert np.abs(world.publish(0).heights).max() > 1e-3


def test_water_disturbed_before_its_first_step_goes_on(tmp_path):
    world = World(water_of("wave-equation"))
    world.apply(Drop(-6.0, 1.0, 0.4, 2.0))
    assert_it_goes_on(world, tmp_path / "a")
    assert np.abs(world.publish(0).heights).max() > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("command", [None, SetBodyDensity(200.0), SetParameter("bodies_drag", 0.1)])
def test_what_bodies_owe_to_particles_and_may_send_goes_on_to_the_bit(tmp_path, command):
    world = World(water_of("wave-particles", damping=0.0, wave_speed=7.3))
    for kind, x, z in (("sphere", -6.0, -2.0), ("box", -7.0, 2.0)):
        world.apply(AddBody(kind, 500.0, x, z))
    world.apply(Drop(-6.0, 0.0, 0.5, 2.0))
    for _ in range(40):
        world.step()
    assert world.water.owed.all()
    if command is not None:
        world.apply(command)
    other = water_of("wave-particles")
    other.load_state(world.water.state())
    np.testing.assert_array_equal(other.owed, world.water.owed)
    assert_it_goes_on(world, tmp_path / "a")


@pytest.mark.sampled
@pytest.mark.parametrize("name", [name for name in MODELS if MODELS[name].can_be_disturbed])
def test_bodies_detail_and_the_map_go_on_to_the_bit(tmp_path, name):
    world = World(water_of(name), detail=Detail(points=16, size=5.0), seed=3)
    for kind, density, x, z in (("sphere", 300.0, -6.0, -2.0), ("box", 700.0, -7.0, 2.0), ("duck", None, -5.0, 4.0)):
        world.apply(AddBody(kind, density, x, z))
    world.apply(Drop(-6.0, 0.0, 0.5, 2.0))
    world.apply(AddGauge("A", -6.0, 1.0))
    world.apply(SetParameter("gauges_interval", 0.04))
    world.apply(ShowField("height"))
    for _ in range(13):
        world.step()
    world.apply(AddGauge("B", -7.0, 1.0))
    world.apply(SetMeasured("B", (0.0, 0.5), (0.0, 0.1)))
    world.apply(SetCourse(3, 70.0, 1.0))
    for _ in range(20):
        world.step()
    assert_it_goes_on(world, tmp_path / "a", steps=37)
    again = world_from_dict(read_session(tmp_path / "a"))
    assert [body.course for body in again.publish(0).bodies] == [None, None, (70.0, 1.0)]
    assert again.publish(0).field_map.name == "height"
    again.apply(AddBody("box", 500.0, -8.0, -4.0))
    assert [body.number for body in again.publish(0).bodies] == [1, 2, 3, 4], "a number was used twice"


@pytest.mark.parametrize("command", [RaiseWaterLevel(0.2), PaintWall(-4.0, 2.0, 1.0), Drop(-6.0, 0.0, 0.3, 2.0)])
def test_a_world_that_is_saved_right_after_a_command_goes_on_to_the_bit(tmp_path, command):
    world = World(water_of("wave-equation"))
    world.apply(AddBody("box", 500.0, -6.0, -2.0))
    world.apply(Drop(-6.0, 0.0, 0.5, 2.0))
    for _ in range(13):
        world.step()
    world.apply(command)
    assert_it_goes_on(world, tmp_path / "a", steps=20)


def test_courses_without_sense_are_told():
    world = World(water_of("wave-equation"))
    world.apply(AddBody("boat", None, -6.0, -2.0, 20.0, 1.0))
    words = world_to_dict(world)
    saved = words["beside"]["bodies"]
    for courses in ([[2, 20.0, 1.0]], [[1, 20.0]], [[1, math.nan, 1.0]], [[1, "north", 1.0]], [1], 5):
        with pytest.raises(InputError):
            world_from_dict({**words, "beside": words["beside"] | {"bodies": saved | {"courses": courses}}})
    del saved["courses"]
    assert world_from_dict(words).publish(0).bodies[0].course is None, "older files have none"


def test_gauges_without_sense_are_told():
    world = World(water_of("wave-equation"))
    world.apply(AddGauge("A", -6.0, 1.0))
    words = world_to_dict(world)
    saved = words["beside"]["gauges"]
    (gauge,) = saved["gauges"]
    for change in (
        {"gauges": [gauge, gauge]},
        {"gauges": [gauge | {"values": np.zeros((4, 7))}]},
        {"gauges": [gauge | {"first": 9}]},
        {"gauges": [gauge | {"name": "a:b"}]},
        {"gauges": [gauge | {"measured": {"times": [1.0, 0.0], "surface": [0.0, 0.0]}}]},
        {"stride": 0},
        {"times": None},
    ):
        with pytest.raises(InputError):
            world_from_dict({**words, "beside": words["beside"] | {"gauges": saved | change}})
    del words["beside"]["gauges"]
    assert len(world_from_dict(words).gauges) == 0, "older files have none"


def test_a_body_with_a_shape_of_its_own_is_told():
    world = World(water_of("wave-equation"))
    world.apply(AddBody("sphere"))
    world.bodies.add(world.water, replace(shape_of("sphere"), kind="pebble"))
    with pytest.raises(InputError, match="pebble"):
        world_to_dict(world)


def test_what_an_earlier_version_kept_of_open_sides_otherwise_is_let_go():
    """The water goes on as it was, and its open sides begin at rest."""
    water = water_of("wave-equation", **OPEN)
    water.disturb(Drop(x=-9.0, z=0.0, height=0.3, radius=1.5))
    for _ in range(30):
        water.step()
    words = water_to_dict(water)
    outside = words["state"]["outside"]
    ghosts = outside["ghosts"]
    assert any(array.any() for name, array in outside.items() if name != "ghosts")
    words["state"]["outside"] = {"ghosts": ghosts, "now": np.ones((4, 6, 112), np.float32)}
    again = water_from_dict(words)
    np.testing.assert_array_equal(again.height, water.height)
    kept = water_to_dict(again)["state"]["outside"]
    np.testing.assert_array_equal(kept.pop("ghosts"), ghosts)
    assert not any(array.any() for array in kept.values())
    again.step()
    assert np.isfinite(again.height).all()


def test_state_without_sense_is_told():
    world = World(water_of("wave-equation"))
    world.apply(AddBody("sphere", 300.0, -6.0, -2.0))
    world.step()
    words = world_to_dict(world)
    water = words["water"]
    for name, value in (("heights", np.zeros((2, 2), np.float32)), ("tiles", {}), ("time", "now"), ("steps", None)):
        with pytest.raises(InputError, match="no sense"):
            water_from_dict({**water, "state": {**water["state"], name: value}})
    bodies = words["beside"]["bodies"]
    far = {**bodies["records"], "columns": bodies["records"]["columns"] + 1000}
    thin = {**bodies["records"], "scale": np.array([[1.0, 0.0, 1.0]])}
    shared = {**bodies["records"], "scale": np.ones((1, 1))}  # numpy would spread it over the axes
    for change in (
        {"records": far},
        {"records": thin},
        {"records": shared},
        {"kinds": ["brick"]},
        {"kinds": [10**30]},
        {"kinds": []},
        {"pool": "none"},
        {"numbers": [1, 2]},
    ):
        with pytest.raises(InputError):
            world_from_dict({**words, "beside": {**words["beside"], "bodies": {**bodies, **change}}})
    for change in ({"wakes": 0.5}, {"params": []}, {"detail_time": 10**400}):
        with pytest.raises(InputError, match="no sense"):
            world_from_dict({**words, "beside": {**words["beside"], **change}})


def test_a_session_is_reopened_as_it_was_seen(tmp_path):
    world = World(water_of("wave-equation"), rain=20.0, seed=5)
    world.apply(Drop(-6.0, 1.0, 0.4, 2.0))
    for _ in range(20):
        world.step()
    path = tmp_path / "a.waterview"
    write_session(path, world, view_to_dict(ViewParams(exposure=0.5), InteractionParams(drop_size=2.0), make_camera()))
    opened = open_session(path)
    again = World(water_of("dual-buffer"))
    again.apply(ReplaceWater(lambda: opened.world))
    assert_same(world.publish(0), again.publish(0))
    assert again.rain.rate == 20.0
    assert opened.view["exposure"] == 0.5
    assert (opened.interaction["drop_size"], opened.interaction["rain"]) == (2.0, 20.0)
    found = opened.camera(again.publish(0))
    assert (found.azimuth, found.distance, found.target) == (1.25, 11.0, (-1.0, 0.0, 2.0))


@pytest.mark.parametrize("with_detail", [False, True], ids=["none", "detail"])
def test_what_bodies_and_detail_go_by_is_saved_and_goes_on_with_another_water(tmp_path, with_detail):
    world = World(water_of("wave-equation"), detail=Detail(points=16, size=3.0) if with_detail else None)
    for name, value in (("bodies_drag", 2.5), ("bodies_gravity", 3.7), ("detail_strength", 0.5), ("detail_seed", 4)):
        world.apply(SetParameter(name, value))
    path = tmp_path / "a.waterview"
    write_session(path, world, view_to_dict(ViewParams(), InteractionParams(), make_camera()))
    again = World(water_of("dual-buffer"))
    again.apply(ReplaceWater(lambda: open_session(path).world))
    assert again.params == world.params
    assert (again.body_params.drag, again.body_params.gravity) == (2.5, 3.7)
    assert (again.detail_params.strength, again.detail_params.seed) == (0.5, 4)


def test_a_session_of_a_version_without_these_parameters_opens_with_the_usual_ones():
    words = world_to_dict(World(water_of("wave-equation")))
    del words["beside"]["params"]
    assert world_from_dict(words).params == World(water_of("wave-equation")).params


def test_a_session_without_sense_is_told(tmp_path):
    save_session(tmp_path / "b.waterview", {"tank": world_to_dict(World(water_of("wave-equation"))), "seen": {}})
    with pytest.raises(InputError, match="makes no sense"):
        open_session(tmp_path / "b.waterview")


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["wave-equation", "shallow-water", "layered"])
def test_waves_that_come_in_go_on_to_the_bit(tmp_path, name):
    asked = {
        "wavemaker": "spectrum",
        "wavemaker_height": 0.05,
        "wavemaker_period": 0.5,
        "wavemaker_sides": "west,north",
    }
    world = World(MODELS[name](10.0, 8.0, 41, **asked))
    for _ in range(40):
        world.step()
    world.apply(SetParameter("wavemaker", "solitary"))
    assert_it_goes_on(world, tmp_path / "waves.waterview")
    assert np.abs(world.water.height).max() > 1e-3


def _forged(words, path, value):
    """Saved data with another value at a path of keys, as one who computes the sums anew could write it."""
    key, *rest = path
    made = list(words) if isinstance(words, list | tuple) else dict(words)
    made[key] = _forged(made[key], rest, value) if rest else value
    return made


@pytest.fixture(scope="module")
def saved():
    """All that a session of shallow water with a body, a gauge, detail and incoming waves holds."""
    asked = {"wavemaker": "sine", "wavemaker_height": 0.05, "wavemaker_sides": "west"}
    world = World(water_of("shallow-water", **asked), detail=Detail(points=16, size=5.0))
    world.apply(AddBody("box", 500.0, -6.0, -2.0))
    world.gather_maxima()
    world.step()
    seen = view_to_dict(ViewParams(), InteractionParams(), make_camera())
    return {"tank": world_to_dict(world), "seen": seen}


WATER, BESIDE, WAVES = ("tank", "water"), ("tank", "beside"), ("tank", "water", "state", "driven", "wavemaker", "waves")
FORGED = [
    ((*WATER, "state", "time"), math.nan),
    ((*WATER, "state", "time"), 1e39),
    ((*WATER, "origin"), [0.0, 1e39, 0.0]),
    ((*WATER, "origin"), [0.0, 0.0, 1.7e308]),
    ((*WATER, "extent"), [1e30, 1e30]),
    ((*WATER, "points"), 8192),
    ((*BESIDE, "body_time"), math.inf),
    ((*BESIDE, "body_time"), 1e300),
    ((*BESIDE, "detail_time"), 1e300),
    ((*BESIDE, "detail_time"), -1.0),
    ((*BESIDE, "bodies", "pool"), np.full(224, np.inf, np.float32)),
    ((*BESIDE, "bodies", "pool"), np.full(224, np.nan)),
    ((*BESIDE, "bodies", "records", "columns"), np.array([[0, 0, 2**63 - 1, 2**63 - 1]])),
    ((*BESIDE, "bodies", "records", "columns"), np.array([[2**63 - 1, 4, 2, 2]])),
    ((*BESIDE, "bodies", "records", "pool_start"), np.array([2**63 - 1])),
    ((*WATER, "state", "driven", "leaving", "west"), np.full((2, 29), 1e8)),
    ((*BESIDE, "wakes"), {"1": [1e300, 0.0, 1.0, 0.0]}),
    ((*BESIDE, "wakes"), {"1": [0.0, 0.0, 1.0, -1.0]}),
    ((*WATER, "state", "pending"), [[-1, 3, 0.1]]),
    ((*WATER, "state", "counted"), [0.0, 5, 0.0]),
    ((*WATER, "ground"), np.full((29, 41), 1e308)),
    ((*WATER, "walls"), np.full((29, 41), 7, np.uint8).view(bool)),
    ((*BESIDE, "bodies", "records", "mass"), np.array([1j])),
    ((*BESIDE, "bodies", "records", "volume"), np.array([1e-308])),
    ((*BESIDE, "bodies", "records", "volume"), np.array([1e39])),
    ((*BESIDE, "bodies", "records", "mass"), np.array([1e308])),
    ((*BESIDE, "bodies", "records", "scale"), np.full((1, 3), 1e308)),
    ((*BESIDE, "bodies", "records", "scale"), np.full((1, 3), 1e9)),
    ((*BESIDE, "bodies", "records", "inertia"), np.full((1, 3, 3), 1.0)),
    ((*BESIDE, "bodies", "records", "inertia"), np.full((1, 3, 3), -1.7e308)),
    ((*BESIDE, "bodies", "records", "volume"), np.array([1.7e308])),
    ((*BESIDE, "bodies", "records", "inverse_inertia"), np.zeros((1, 3, 3))),
    ((*BESIDE, "bodies", "records", "rotation"), np.full((1, 3, 3), 5.0)),
    ((*BESIDE, "bodies", "records", "slope_rate"), np.full((1, 2), 1e200)),
    ((*BESIDE, "bodies", "records", "spin"), np.full((1, 3), 1e200)),
    ((*BESIDE, "bodies", "records", "reach"), np.full(1, 1e308)),
    ((*BESIDE, "maxima", "squared speed"), np.full((29, 41), -1.0, np.float32)),
    (("tank", "seed"), -1),
    (("tank", "seed"), 10**400),
    ((*BESIDE, "detail", "gusts"), np.full(10, 1e9j)),
    ((*BESIDE, "detail", "trails"), np.full((16, 16), 1e30, np.float32)),
    (("seen", "camera", "target"), [0.0, 1e300, 0.0]),
    (("seen", "camera", "distance"), -1.0),
    ((*WAVES, "changes", 0, 0, "origin"), [1.0]),
    ((*WAVES, "changes", 0, 0, "direction"), 1.0),
    ((*WAVES, "changes", 0, 0, "kind"), "lava"),
    ((*WAVES, "changes", 0, 0, "depth"), 0.0),
    ((*WAVES, "changes", 0, 0, "height"), 1e300),
    ((*WAVES, "changes", 0, 0, "dispersion"), 0.5),
]


@pytest.mark.parametrize(("path", "value"), FORGED, ids=[f"{path[-1]} {str(value)[:12]}" for path, value in FORGED])
def test_a_session_with_forged_values_is_told_and_takes_no_memory(tmp_path, saved, path, value):
    save_session(tmp_path / "a.waterview", saved)
    open_session(tmp_path / "a.waterview")
    save_session(tmp_path / "a.waterview", _forged(saved, path, value))
    tracemalloc.start()
    with pytest.raises(InputError, match=r"makes no sense|allowed are|are allowed"):
        open_session(tmp_path / "a.waterview")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 64 << 20


LEAST = np.iinfo(np.int64).min


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("first", [0, 1, LEAST]),
        ("first", [0, 1, 1000]),
        ("first", [1, 1, 2]),
        ("first", [0, 2, 1]),
        ("ends", [[0, 64], [0, 10**9]]),
        ("ends", [[0, 64], [-64, 64]]),
        ("ends", [[0, 64], [64, 0]]),
        ("ends", [[0, 1], [0, 64]]),
        ("ends", [[0, 64], [0, 0]]),
        ("left", [LEAST]),
        ("left", [-1]),
    ],
)
def test_forged_spans_of_tiles_are_told_before_compiled_code_reads_them(name, values):
    data = water_to_dict(water_of("wave-equation"))
    forged = _forged(data, ("state", "tiles", name), np.array(values, np.int64))
    with pytest.raises(InputError, match="makes no sense"):
        water_from_dict(forged)


@pytest.mark.parametrize("steps", [-1, 1 << 62, 1 << 100])
def test_forged_numbers_of_steps_are_told_before_compiled_code_gets_them(steps):
    data = water_to_dict(water_of("wave-equation"))
    with pytest.raises(InputError, match="makes no sense"):
        water_from_dict(_forged(data, ("state", "swept"), steps))


@pytest.mark.parametrize("name", ["wavemaker_series", "tide"])
def test_a_session_opens_no_other_file(tmp_path, saved, name):
    (tmp_path / "other.csv").write_text("0 0\n1 0.1\n2 0\n")
    forged = _forged(saved, (*WATER, "params", name), str(tmp_path / "other.csv"))
    save_session(tmp_path / "a.waterview", forged)
    with pytest.raises(InputError, match="names a file"):
        open_session(tmp_path / "a.waterview")

"""Presets: those that come along are sound, the user's own join in, and mistakes are told by file and key."""

import numpy as np
import pytest
from PIL import Image
from support.coast import COAST

from waterview.cli import run
from waterview.cli.arguments import ViewArguments
from waterview.cli.scene_setup import set_up_scene
from waterview.core.commands import Drop, PaintWall, RemoveGauge, ReplaceWater
from waterview.core.errors import InputError, ParameterError
from waterview.core.grid import Grid
from waterview.render.camera.camera import OrbitCamera
from waterview.render.settings import ViewParams
from waterview.scene.interaction import InteractionParams
from waterview.scene.navigator import NO_PRESET, Navigator
from waterview.scene.presets import FIRST_SCENE, find_preset, load_preset, preset_paths, preset_previews
from waterview.scene.scene import Scene, SceneParams, split_settings
from waterview.scene.serialise import view_to_dict, write_session
from waterview.sim.world import World
from waterview.terrain.library import resolve
from waterview.ui.panel.gallery import SIZE, read_picture
from waterview.waters import MODELS
from waterview.waters.common.walls import strokes_in

SERIES = "0,0\n1,0.1\n2,0\n"
ASKED_FOR = {
    "pool",
    "pond",
    "real-coast",
    "harbour",
    "storm-sea",
    "rain",
    "tsunami",
    "wave-tank",
    "swell",
    "monai",
    "wake",
    "bay",
    "fjord",
    "lagoon",
    "gerstner",
}

WORLDS = {"bay", "pool", "harbour", "monai", "fjord", "storm-sea", "lagoon", "wave-tank"}
"""Those in the gallery."""


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """A folder of the user's own presets, empty at first."""
    folder = tmp_path / "config"
    folder.mkdir()
    monkeypatch.setattr("waterview.scene.presets.user_folder", lambda: folder)
    return folder


@pytest.fixture
def write(tmp_path):
    def write(text, name="mine.toml"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def small_world(preset):
    params, values = split_settings({**preset.settings, "grid": 48})
    return Scene(preset.terrain().load(), params, values, preset.walls, bodies=preset.bodies).make_world()


def test_those_asked_for_come_along():
    assert preset_paths().keys() >= ASKED_FOR


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name == "monai" else ()) for name in sorted(ASKED_FOR)]
)
def test_each_makes_water_that_moves(name):
    preset = find_preset(name)
    assert preset.title != name
    world = small_world(preset)
    for drop in preset.drops:
        grid = world.water.grid
        ix, iz = grid.nearest(drop.x, drop.z)
        assert not world.water.fixed[iz, ix], f"the drop at {drop.x}, {drop.z} falls on land"
        world.apply(drop)
    while world.water.time < (14.0 if name == "monai" else 0.99):  # the bay's tsunami takes its time
        world.step()
    heights = world.publish(1).heights
    assert np.isfinite(heights).all()
    assert np.abs(heights).max() > 1e-4
    if preset.camera is not None:
        assert np.isfinite(preset.camera(world.publish(1)).eye).all()


def test_waves_of_the_storm_are_as_high_as_its_boats_cabin_and_the_simplest_ocean_is_of_eight_waves():
    boat, (storm, gerstner) = 12.0, (small_world(find_preset(name)) for name in ("storm-sea", "gerstner"))
    while storm.water.time < 0.5:
        storm.step()
    assert 4.0 * storm.publish(1).heights.std() > 0.3 * boat, "significant height"
    assert gerstner.water.params.spectrum == "gerstner" and gerstner.water.params.gerstner_waves == 8


def test_breakwaters_of_the_harbour_stand_with_a_gap_between_them():
    fixed = Scene(find_preset("harbour").terrain().load(), SceneParams(grid=257)).make_water().fixed
    grid = find_preset("harbour").terrain().load()
    row = fixed[round((50.0 + 0.5 * grid.size[1]) / grid.cell[1])]
    breakwaters = np.flatnonzero(np.diff(row.astype(int)))  # where they begin and end along 50 m south of the middle
    assert len(breakwaters) >= 2
    middle = round((10.0 + 0.5 * grid.size[0]) / grid.cell[0])
    assert not row[middle - 5 : middle + 5].any(), "the entrance is open"


def test_ones_own_join_in_and_go_before(own_folder, write):
    (own_folder / "pool.toml").write_text('title = "my pool"\n[settings]\nwave_speed = 7.0\n')
    (own_folder / "lake.toml").write_text("")
    assert find_preset("pool").settings == {"wave_speed": 7.0}
    assert find_preset("lake").title == "lake"
    assert find_preset(str(write("[settings]\ngrid = 33\n"))).settings == {"grid": 33}


def test_a_terrain_is_found_beside_the_preset(tmp_path, write):
    np.save(tmp_path / "island.npy", np.zeros((9, 9), np.float32))
    preset = load_preset(write('terrain = "island.npy"\n[settings]\nsize_m = 30.0\n'))
    assert preset.terrain().load().size == (30.0, 30.0)


@pytest.mark.parametrize(
    ("text", "key", "hint"),
    [
        ("settings = 3", "settings", "no table"),
        ("[settings]\nwave_sped = 3.0", "settings.wave_sped", "did you mean 'wave_speed'"),
        ("[settings]\nwave_speed = 'fast'", "settings.wave_speed", "a number is needed"),
        ("[settings]\nwave_speed = -1.0", "settings.wave_speed", "0 to 100000"),
        ("[settings]\ngrid = 2.5", "settings.grid", "whole numbers"),
        ("[settings]\nwireframe = 1", "settings.wireframe", "true and false"),
        ("[settings]\nquality = 'hihg'", "settings.quality", "did you mean 'high'"),
        ("[settings]\nmodel = 'wave-equatoin'", "settings.model", "did you mean 'wave-equation'"),
        ("[settings]\nmodel = 'ocean'\ndamping = 1.0", "settings.damping", "no such key"),
        ("titel = 'x'", "titel", "did you mean 'title'"),
        ("title = 3", "title", "text"),
        ("camera = 'near'", "camera", "X,Z,DISTANCE"),
        ("walls = 3", "walls", "[[walls]]"),
        ("walls = [1]", "walls", "no table"),
        ("[[walls]]\nfrom = [0.0, 1.0]\nto = 3\nradius = 1.0", "walls.to", "[x, z]"),
        ("[[walls]]\nfrom = [0, 0]\nto = [1, 1]\nradius = 0", "walls.radius", "above 0"),
        ("[[drops]]\nx = 0\nz = 0\nheight = nan\nradius = 1", "drops.height", "finite"),
        ("[[drops]]\nx = 0\nz = 0\nheight = 1\nradius = -1", "drops", "above 0"),
        ("[[drops]]\nx = 0\nz = 0\nheight = 1\nsize = 1", "drops.size", "radius"),
        ("gauges = 'A:0,0'", "gauges", "a list of texts"),
        ("gauges = ['A']", "gauges", "NAME:X,Z"),
        ("bodies = 'boat'", "bodies", "a list of texts"),
        ("bodies = ['bot']", "bodies", "boat"),
        ("bodies = ['boat:heavy']", "bodies", "density"),
        ("no toml at all", "TOML", "line 1"),
        (f"title = {'[' * 20_000}", "TOML", "recursion"),
        (f"title = 1{'0' * 5000}", "TOML", "digits"),
        ("[settings]\nmodel = ['ocean']", "settings.model", "is no model"),
        (f"[settings]\ngrid = 1{'0' * 400}", "settings.grid", "2 to 8192"),
        (f"[settings]\nwave_speed = -1{'0' * 400}", "settings.wave_speed", "0 to 100000"),
        (f"[[drops]]\nx = 1{'0' * 400}\nz = 0\nheight = 1\nradius = 1", "drops.x", "finite"),
        ("[[walls]]\nfrom = [-1e308, 0]\nto = [1e308, 0]\nradius = 1", "walls.to", "too far"),
    ],
)
def test_a_mistake_is_one_line_with_file_and_key(write, text, key, hint):
    path = write(text)
    with pytest.raises(InputError) as caught:
        load_preset(path)
    message = str(caught.value)
    assert str(path) in message and key in message and hint in message
    assert "\n" not in message


def test_files_that_cannot_be_read(tmp_path):
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    for name in ("missing.toml", "binary.toml"):
        with pytest.raises(InputError, match="cannot be read"):
            load_preset(tmp_path / name)


def test_settings_of_the_hand_come_with_a_preset(navigator, write):
    opened = navigator.open(write("[settings]\nbody_kind = 'duck'\ndensity = 250.0\nrain = 3.0\n"))
    assert opened.interaction == {"body_kind": "duck", "density": 250.0, "rain": 3.0}


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(ParameterError, match="did you mean 'harbour'"):
        find_preset("harbor")


def test_flags_go_before_the_preset():
    preset = find_preset("pool")
    assert preset.overridden_by({"damping": 2.0}, True)["damping"] == 2.0
    other = preset.overridden_by({"model": "ocean"}, True)
    assert "wave_speed" not in other and other["grid"] == preset.settings["grid"]
    assert "water_level" not in find_preset("pond").overridden_by({}, False)


def test_on_another_terrain_a_preset_has_neither_its_walls_nor_its_drops_nor_what_floats(navigator, write, capfd):
    path = write(
        "terrain = 'basin'\nbodies = ['boat']\ngauges = ['A:0,0']\n[settings]\ngrid = 33\n"
        "[[walls]]\nfrom = [2.0, 1.0]\nto = [4.0, 1.0]\nradius = 0.5\n"
        "[[drops]]\nx = 0.0\nz = 0.0\nheight = 0.1\nradius = 1.0\n"
    )
    for terrain, is_its_own in ((None, True), ("basin", False), ("bay", False)):
        setup = set_up_scene(ViewArguments(heightmap=terrain, preset=str(path)))
        scene = setup.scene
        found = [bool(each) for each in (scene.walls, setup.drops, scene.bodies, scene.gauges)]
        assert found == [is_its_own] * 4, terrain
        told = "drops, bodies, walls, gauges of the preset" in capfd.readouterr().err
        assert told is not is_its_own, "what is left out is told"
    assert made(navigator.open(path)).water.walls.any()
    change = navigator.next_terrain()
    assert len(change.commands) == 1 and not made(change).walls.any()


def test_the_tsunami_comes_to_a_coast_of_ones_own_as_high_and_fast_as_suits_it(tmp_path, capfd):
    np.save(tmp_path / "coast.npy", np.linspace(300.0, -60.0, 40, dtype=np.float32)[:, None] * np.ones((1, 40)))
    asked = {"size_m": 20_000.0, "grid": 40}
    setup = set_up_scene(ViewArguments(heightmap=str(tmp_path / "coast.npy"), preset="tsunami", declared=asked))
    assert "left out" not in capfd.readouterr().err
    water = setup.scene.make_world().water
    assert water.params.wave_speed == max(water.grid.size) / 10.0, "not that of the preset's own bay"
    assert water.params.wavemaker_height == pytest.approx(0.3 * 60.0), "half a per cent of the side would be 100 m"
    highest = 0.0
    while water.time < 15.0 and highest < 7.0:
        water.step()
        highest = max(highest, float(water.height[-1].max()))
    assert highest >= 7.0, "it comes in by the south"
    given = {**asked, "wavemaker_height": 5.0, "wave_speed": 700.0}
    setup = set_up_scene(ViewArguments(heightmap=str(tmp_path / "coast.npy"), preset="tsunami", declared=given))
    assert (setup.settings["wavemaker_height"], setup.settings["wave_speed"]) == (5.0, 700.0)


def test_another_terrain_in_the_window_has_waves_that_suit_it(navigator):
    navigator.change("preset", "tsunami", {})
    water = made(navigator.change("terrain", COAST.title, {}))
    assert water.params.wavemaker == "sine"
    assert water.params.wave_speed == max(water.grid.size) / 10.0


# On the command line


def test_presets_and_models_are_listed_with_a_line_each(capfd, own_folder):
    (own_folder / "broken.toml").write_text("titel = 3")
    assert run(["presets"]) == 0
    listed = capfd.readouterr().out.splitlines()
    assert {line.split()[0] for line in listed if line} >= ASKED_FOR
    assert any(line.startswith("broken") and "did you mean 'title'" in line for line in listed)
    assert run(["models"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(MODELS)
    assert all(len(line.split()) > 4 for line in lines)


def test_render_draws_a_preset_and_flags_override_it(capfd, tmp_path):
    out = tmp_path / "a.npz"
    assert run(["render", "--preset", "pool", "--grid", "40", "--seconds", "0.2", "--out", str(out)]) == 0
    with np.load(out) as data:
        assert max(data["heights"].shape[1:]) == 40
        assert np.abs(data["heights"][-1]).max() > 1e-3
    capfd.readouterr()
    assert run(["render", "--preset", "pol"]) == 2
    assert "did you mean 'pool'" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [(["baisn"], "basin"), (["--model", "oceans"], "ocean"), (["--border", "refecting"], "reflecting")],
)
def test_other_names_are_answered_with_the_nearest_too(capfd, arguments, meant):
    assert run(["render", *arguments]) == 2
    assert f"did you mean '{meant}'" in capfd.readouterr().err


def test_a_command_with_a_slip_in_it_is_answered_with_the_nearest(capfd):
    assert run(["prests"]) == 2
    assert "did you mean 'presets'" in capfd.readouterr().err
    assert run(["basn"]) == 2
    assert capfd.readouterr().err.count("did you mean") == 1


# In the running viewer


@pytest.fixture
def navigator():
    basin = resolve("basin")
    return Navigator(Scene(basin.load(), SceneParams(grid=32)), [basin, COAST])


def value(navigator, name):
    return next(value for entry, value in navigator.settings() if entry.name == name)


def made(opened):
    command = opened.commands[0]
    assert isinstance(command, ReplaceWater)
    return command.make()


@pytest.mark.slow
def test_a_preset_brings_its_water_walls_drops_and_view(navigator):
    opened = navigator.change("preset", "wave-tank", {})
    world = made(opened)
    assert isinstance(world, World)
    assert world.water.walls.any()
    assert all(isinstance(command, Drop) for command in opened.commands[1:])
    assert opened.view["sun_elevation"] == 38.0
    assert (value(navigator, "preset"), value(navigator, "grid")) == ("wave-tank", 512)
    assert made(navigator.change("preset", NO_PRESET, {})).walls.any() == np.False_


def test_walls_of_a_preset_are_straight(write):
    """Every row of points across a wall has as many of them, whatever the grid."""
    path = write('terrain = "basin"\n[[walls]]\nfrom = [-1.0, -2.0]\nto = [-1.0, 2.0]\nradius = 0.08\n')
    for points in (256, 512):
        spacing = 12.0 / (points - 1)
        grid = Grid((points // 2, points), spacing, (-6.0, 0.0, -0.25 * points * spacing))
        built = strokes_in(grid, load_preset(path).walls, (slice(0, points // 2), slice(0, points)))
        width = built[np.abs(grid.z) < 2.0].sum(axis=1)
        assert width.min() == width.max() >= 3


def test_a_preset_begins_with_its_bodies(navigator, write):
    preset = load_preset(write("bodies = ['boat::1,2:90@3', 'duck']\n[settings]\ngrid = 48\n"))
    scene = Scene(preset.terrain().load(), bodies=preset.bodies)
    replacement, *bodies = navigator.open(preset.path).commands
    opened = replacement.make()
    for command in bodies:
        opened.apply(command)
    for world in (scene.make_world(), opened):
        boat, duck = world.bodies.states()
        assert (boat.kind, duck.kind) == ("boat", "duck")
        assert (boat.course.heading, boat.course.speed) == (90.0, 3.0) and duck.course is None


def test_a_preset_begins_with_its_gauges_and_what_was_measured_there(navigator, write, tmp_path):
    (tmp_path / "tank.csv").write_text("time [s],A [cm]\n0,1\n1,2\n")
    path = write("gauges = ['A:1,2@map:tank.csv', 'B:0,0']\n[settings]\ngrid = 48\n")
    for world in (
        made(navigator.open(path)),
        Scene(load_preset(path).terrain().load(), gauges=load_preset(path).gauges).make_world(),
    ):
        first, second = world.gauges
        assert (first.name, second.name) == ("A", "B")
        assert (first.x, first.z) == pytest.approx((1.0, -2.0)), "a file without coordinates counts from its middle"
        assert first.measured.surface.tolist() == [0.01, 0.02]
        assert second.measured is None
    world.apply(RemoveGauge("A"))
    changed = navigator.change("grid", 40, {})
    assert len(made(changed).gauges) == 0 and changed.commands[0].keep_bodies, "those of the running world stay"
    with pytest.raises(InputError, match=r"cannot read the series .*nowhere\.csv"):
        made(navigator.open(write("gauges = ['A:0,0:nowhere.csv']", "other.toml")))


def test_a_setting_of_the_scene_keeps_all_else(navigator):
    now = {"wave_speed": 3.25, "rain": 7.0}
    opened = navigator.change("grid", 40, now)
    world = made(opened)
    assert made(navigator.change("seed", 5, now)).rain.seed == 5
    assert max(world.water.grid.shape) == 40
    assert opened.commands[0].keep_level and not navigator.change("smoothing", 2.0, now).commands[0].keep_level
    assert world.water.params.wave_speed == 3.25
    assert world.rain.rate == 7.0
    assert made(navigator.change("detail", True, now)).detail is not None
    assert made(navigator.change("vertical_scale", 2.0, now)).water.bed.min() == pytest.approx(-4.0)
    ocean = made(navigator.change("model", "ocean", now))
    assert (ocean.water.name, ocean.rain.rate) == ("ocean", 0.0)


def test_bodies_and_detail_go_by_the_same_in_another_grid_and_the_detail_follows_size_and_seed(navigator):
    now = {"bodies_drag": 2.5, "detail_trail": 3.0, "detail_size": 0.25, "detail_seed": 8}
    world = made(navigator.change("grid", 40, now))
    assert (world.body_params.drag, world.detail_params.trail, world.detail_params.size) == (2.5, 3.0, 0.25)
    assert made(navigator.change("detail", True, now)).detail.params == world.detail_params
    assert made(navigator.change("seed", 5, now)).detail.params.seed == 5
    world = made(navigator.change("size_m", 100.0, now))
    assert world.detail.params.size == pytest.approx(5.0)
    assert (world.body_params.drag, world.detail.params.trail) == (2.5, 3.0)


def test_a_preset_may_say_what_bodies_and_detail_go_by(navigator, write):
    path = write("[settings]\nbodies_drag = 2.5\ndetail = true\ndetail_wind_speed = 20.0\ndetail_points = 32\n")
    for world in (made(navigator.open(path)), small_world(load_preset(path))):
        assert world.body_params.drag == 2.5
        assert (world.detail.params.wind_speed, world.detail.params.points) == (20.0, 32)
    with pytest.raises(InputError, match=r"settings.bodies_drag: .* 0 to 5"):
        load_preset(write("[settings]\nbodies_drag = 9.0\n"))


def test_a_file_joins_the_terrains_and_a_bad_one_leaves_the_old(navigator, tmp_path):
    np.save(tmp_path / "island.npy", np.zeros((9, 9), np.float32))
    (tmp_path / "broken.npy").write_bytes(b"no array")
    assert made(navigator.open(tmp_path / "island.npy")).grid.shape == (32, 32)
    assert value(navigator, "terrain") == "island.npy"
    with pytest.raises(InputError):
        made(navigator.open(tmp_path / "broken.npy"))
    assert value(navigator, "terrain") == "island.npy"
    with pytest.raises(InputError):
        made(navigator.open(tmp_path / "missing.npy"))
    with pytest.raises(InputError):
        navigator.open(tmp_path / "missing.toml")
    _, command = navigator.next_model()
    assert command.make().grid.shape == (32, 32)


def test_a_scene_that_was_taken_away_is_not_the_one_that_is_chosen(navigator):
    def settings():
        return {entry.name: value for entry, value in navigator.settings()}

    chosen = settings()
    (command,) = navigator.next_terrain().commands
    assert settings() != chosen
    command.make()
    command.cancelled()
    assert settings() == chosen


def test_files_of_one_name_are_told_apart_and_gone_through(navigator, tmp_path):
    for number, folder in enumerate(("a", "b", "c"), 3):
        (tmp_path / folder).mkdir()
        np.save(tmp_path / folder / "map.npy", np.zeros((number, 9), np.float32))
        made(navigator.open(tmp_path / folder / "map.npy"))
    choices = next(entry.choices for entry, _ in navigator.settings() if entry.name == "terrain")
    assert len(set(choices)) == len(choices) == 5
    titles, shapes = zip(*((opened.title, made(opened).grid.shape) for opened in go_round(navigator, 5)), strict=True)
    assert set(titles) == set(choices)
    assert len(set(shapes[2:])) == 3
    made(navigator.open(tmp_path / "b" / "map.npy"))
    assert value(navigator, "terrain") == f"map.npy in {tmp_path / 'b'}"


def go_round(navigator, times):
    for _ in range(times):
        yield navigator.next_terrain()


def test_a_file_given_by_a_relative_path_is_the_same_when_it_is_dropped(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("map.npy", np.zeros((9, 9), np.float32))
    source = resolve("map.npy")
    navigator = Navigator(Scene(source.load(), SceneParams(grid=32)), [source, resolve("basin")])
    made(navigator.open(tmp_path / "map.npy"))
    assert [navigator.next_terrain().title for _ in range(3)] == ["Empty basin", "map.npy", "Empty basin"]


def test_a_terrain_that_cannot_be_read_is_passed_by_from_then_on(navigator, tmp_path):
    np.save(tmp_path / "gone.npy", np.zeros((9, 9), np.float32))
    (tmp_path / "broken.npy").write_bytes(b"no array")
    made(navigator.open(tmp_path / "gone.npy"))
    with pytest.raises(InputError):
        made(navigator.open(tmp_path / "broken.npy"))
    made(navigator.change("terrain", "Empty basin", {}))
    (tmp_path / "gone.npy").unlink()
    assert made(navigator.next_terrain()) is not None
    with pytest.raises(InputError, match="no such file"):
        made(navigator.next_terrain())
    seen = []
    for opened in go_round(navigator, 4):
        made(opened)
        seen.append(opened.title)
    assert len(set(seen)) == 2 and "Empty basin" in seen


def test_what_fails_after_something_else_was_wanted_does_not_take_its_place(navigator, tmp_path):
    (tmp_path / "broken.npy").write_bytes(b"no array")
    broken = navigator.open(tmp_path / "broken.npy")
    coast = navigator.change("terrain", COAST.title, {})
    with pytest.raises(InputError):
        made(broken)
    made(coast)
    assert value(navigator, "terrain") == COAST.title


def test_a_session_is_a_place_of_its_own_with_its_ground_and_settings(navigator, tmp_path):
    made(navigator.change("terrain", "Empty basin", {}))
    water = MODELS["height-field"](20.0, 10.0, 41, (-10.0, 2.0, -5.0), wave_speed=3.5)
    water.set_ground(np.full((21, 41), 1.0, np.float32) + np.linspace(0.0, 2.0, 41, dtype=np.float32), water.walls)
    water.paint_wall(-4.0, 0.0, 1.0)
    world = World(water, rain=7.0, seed=4)
    camera = OrbitCamera.framing(world.publish(0))
    write_session(tmp_path / "a.waterview", world, view_to_dict(ViewParams(), InteractionParams(), camera))
    for _ in range(2):  # it takes its own place the second time
        assert made(navigator.open(tmp_path / "a.waterview")).water.name == "height-field"
    titles = next(entry.choices for entry, _ in navigator.settings() if entry.name == "terrain")
    assert titles.count("session a.waterview") == 1
    assert (value(navigator, "terrain"), value(navigator, "model")) == ("session a.waterview", "height-field")
    assert (value(navigator, "grid"), value(navigator, "rain"), value(navigator, "seed")) == (41, 7.0, 4)
    finer = made(navigator.change("grid", 81, {"wave_speed": 3.5})).water
    assert finer.grid.shape == (41, 81) and finer.grid.level == 2.0
    assert finer.params.wave_speed == 3.5
    np.testing.assert_allclose(finer.ground[::2, ::2], water.ground, atol=1e-5)


@pytest.mark.parametrize("points", [17, 33, 64])
@pytest.mark.parametrize("setting", ["grid", "smoothing", "vertical_scale"])
def test_painted_walls_stay_where_options_change(navigator, setting, points):
    world = made(navigator.change("grid", 33, {}))
    world.apply(PaintWall(0.0, 0.0, 0.0))
    world.apply(PaintWall(world.water.grid.origin[0], 1.0, 0.0))
    values = {"grid": points, "smoothing": 2.0, "vertical_scale": 1.5}
    opened = navigator.change(setting, values[setting], {})
    world.apply(opened.commands[0])
    walls = world.water.walls
    assert walls.any()
    grid = world.water.grid
    near = grid.nearest(0.0, 0.0)
    assert walls[near[1], near[0]] and walls[:, 0].any()
    assert 2 <= walls.sum() <= 12
    assert world.water.fixed[walls].all()
    world.apply(PaintWall(0.0, 0.0, 100.0, wall=False))
    world.apply(navigator.change("grid", 40, {}).commands[0])
    assert not world.water.walls.any(), "walls that were taken away came back"


def test_every_preset_that_comes_along_has_a_small_picture_and_ones_own_may_have(own_folder):
    (own_folder / "mine.toml").write_text('title = "My pool"')
    (own_folder / "broken.toml").write_text("no toml")
    Image.new("RGB", (8, 8), (200, 10, 10)).save(own_folder / "mine.png")
    found = {preview.name: preview for preview in preset_previews()}
    assert WORLDS | {"mine"} == found.keys()
    assert next(iter(found)) == FIRST_SCENE
    assert found["mine"].title == "My pool"
    for preview in found.values():
        pixels = read_picture(preview.picture)
        assert pixels.shape == (SIZE[1], SIZE[0], 4)
        assert preview.name == "mine" or pixels[..., :3].std() > 15.0, f"nothing is seen of {preview.name}"
    assert (read_picture(found["mine"].picture)[..., 0] == 200).all()


def test_a_small_picture_that_is_none_is_plain(tmp_path):
    (tmp_path / "a.jpg").write_bytes(b"no picture")
    plain = read_picture(None)
    for path in (tmp_path / "a.jpg", tmp_path / "nowhere.jpg"):
        assert np.array_equal(read_picture(path), plain)


def test_a_series_may_lie_beside_its_preset(tmp_path):
    (tmp_path / "wave.csv").write_text(SERIES)
    settings = 'model = "shallow-water"\nwavemaker = "series"\nwavemaker_series = "wave.csv"'
    (tmp_path / "own.toml").write_text(f"[settings]\n{settings}\n")
    assert load_preset(tmp_path / "own.toml").settings["wavemaker_series"] == "0.0 0.0;1.0 0.1;2.0 0.0"
    (tmp_path / "wave.csv").write_text("0,0\n0,1\n")
    with pytest.raises(InputError, match=r"wavemaker_series.*line 2"):
        load_preset(tmp_path / "own.toml")


def test_a_series_may_be_longer_than_the_name_of_a_file(write):
    series = ";".join(f"{second}.0 0.1" for second in range(1000))
    settings = f'model = "shallow-water"\nwavemaker = "series"\nwavemaker_series = "{series}"'
    assert load_preset(write(f"[settings]\n{settings}\n")).settings["wavemaker_series"] == series


def test_waves_cannot_come_in_by_land():
    params, values = split_settings(
        {"model": "shallow-water", "wavemaker": "sine", "wavemaker_sides": "east", "grid": 48}
    )
    with pytest.raises(InputError, match="east, which is land: choose west"):
        Scene(find_preset("tsunami").terrain().load(), params, values).make_world()

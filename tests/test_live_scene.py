"""A scene in Python: every verb once, physics that nobody asked for, and what is refused."""

import math

import numpy as np
import pytest
import trimesh
from PIL import Image

import waterview
from waterview import Heightmap, ParameterError, open_scene
from waterview.core.errors import InputError
from waterview.scene.serialise import open_session

pytestmark = pytest.mark.usefixtures("one_context")


@pytest.fixture
def channel():
    """A channel of 4000 m × 100 m, 10 m deep."""
    return Heightmap.from_array(np.full((3, 81), -10.0), size=(4000.0, 100.0))


@pytest.fixture
def pool():
    return open_scene("basin", grid=33)


def test_shallow_water_is_physical_unless_told_otherwise(channel):
    scene = open_scene(channel, model="shallow-water", grid=401, border="reflecting")
    assert scene.water.effective["gravity"] == pytest.approx(9.81)
    assert scene.water.effective["damping"] == 0.0
    hump = 0.01 * np.exp(-(((scene.water.grid.x + 1000.0) / 100.0) ** 2))
    scene.water.set_state(np.tile(hump, (scene.water.grid.shape[0], 1)))
    scene.run(100.0)
    x = scene.water.grid.x
    crest = x[scene.height[2].argmax()] if scene.height[2][x > -1000.0].max() else math.nan
    assert abs(abs(crest + 1000.0) - 100.0 * math.sqrt(9.81 * 10.0)) < 20.0


def test_steps_are_as_long_as_the_fastest_wave_allows(channel):
    scene = open_scene(channel, model="shallow-water", grid=401)
    crossed = math.sqrt(9.81 * 10.0) / scene.water.params.steps_per_second / scene.water.grid.spacing
    assert crossed == pytest.approx(0.4, rel=1e-6)
    assert open_scene(channel, grid=401, steps_per_second=50.0).water.params.steps_per_second == 50.0


def test_a_preset_keeps_its_own_settings():
    scene = open_scene(preset="pool", grid=33)
    assert scene.water.params.steps_per_second == 120.0
    assert scene.water.params.damping > 0.0


def test_fractions_of_steps_are_kept(pool):
    for _ in range(12):
        pool.run(0.25 * pool.water.time_step)
    assert pool.time == pytest.approx(3.0 * pool.water.time_step)


def test_touching_and_measuring(pool):
    pool.add_gauge("A", 1.0, 0.5).add_body("sphere", -2.0, 1.0, density=300.0).paint_wall(2.0, 2.0, 0.5)
    pool.drop(0.0, 0.0, height=0.2, radius=1.0).rain(5.0).set(damping=0.3, bodies_drag=0.4)
    assert pool.maxima is not None
    pool.run(0.5)
    assert pool.water.params.damping == 0.3
    assert pool.world.params["bodies"].drag == 0.4
    assert pool.gauges["A"].times[-1] == pytest.approx(0.5, abs=0.02) and pool.gauges["A"].surface.any()
    assert pool.water.params.steps_per_second == 60.0  # bodies are stepped so often
    assert len(pool.frame.bodies) == 1
    assert pool.water.walls.any()


def test_a_body_is_given_a_course_and_left_adrift(pool):
    pool.add_body("boat", 0.0, 0.0).set_course(1, 90.0, 1.0)
    assert pool.frame.bodies[0].course is not None
    assert pool.set_course(1, None).frame.bodies[0].course is None
    with pytest.raises(InputError, match="no body has the number 7"):
        pool.set_course(7, 90.0, 1.0)


def test_two_scenes_with_the_same_inputs_give_the_same_bits():
    first, second = (open_scene("basin", grid=33, seed=3).rain(20.0).run(1.0) for _ in range(2))
    assert first.height.any() and np.array_equal(first.height, second.height)


@pytest.mark.slow
def test_what_is_written_can_be_read_again(pool, tmp_path):
    pool.add_gauge("A", 1.0, 0.5).drop(0.0, 0.0).run(0.2)
    with Image.open(pool.save(tmp_path / "a.png", size=(64, 36))) as picture:
        assert picture.size == (64, 36)
    heights = np.load(pool.save(tmp_path / "a.npz"))["heights"][-1]
    assert np.array_equal(heights, pool.frame.heights)
    assert "A" in pool.save_gauges(tmp_path / "a.csv").read_text().splitlines()[0]
    again = open_session(pool.save(tmp_path / "a.waterview")).world
    assert np.array_equal(again.water.height, pool.height)
    before = pool.time
    assert pool.film(tmp_path / "a.gif", seconds=0.2, fps=10.0, size=(64, 36)).stat().st_size > 100
    assert before + 0.1 < pool.time <= before + 0.2  # the film does not show the moment of its end


@pytest.mark.slow
def test_a_picture_follows_the_camera_and_is_what_a_notebook_shows(pool):
    assert pool.picture((64, 36)).shape == (36, 64, 3)
    assert not np.array_equal(pool.picture((64, 36), "0,0,5,90,40"), pool.picture((64, 36), "0,0,9,10,80"))
    assert pool._repr_png_().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"wave_sped": 4.0}, "did you mean 'wave_speed'"),
        ({"model": "shalow-water"}, "did you mean 'shallow-water'"),
        ({"grid": -1}, "allowed are"),
        ({"damping": math.nan}, "allowed are"),
        ({"preset": "pol"}, "did you mean 'pool'"),
        ({"gravity": 3.0}, "gravity"),  # of another model
        ({"camera": "1,2"}, "camera"),
        ({"steps_per_second": "fast"}, "a number is needed"),
    ],
)
def test_what_is_wrong_is_named(settings, words):
    with pytest.raises(ParameterError, match=words):
        open_scene("basin", **settings)


@pytest.mark.slow
def test_a_body_is_a_kind_or_a_mesh_file(tmp_path):
    trimesh.creation.box((2.0, 1.0, 0.5)).export(tmp_path / "plank.stl")
    scene = open_scene("basin", grid=48)
    scene.add_body("box", -2.0, 0.0, size=0.5).add_body(str(tmp_path / "plank.stl"), 2.0, 0.0, density=300.0, size=1.5)
    box, plank = scene.frame.bodies
    assert (box.kind, plank.kind) == ("box", "plank") and max(plank.scale) == pytest.approx(1.5)
    with pytest.raises(InputError, match=r"none\.stl"):
        scene.add_body(str(tmp_path / "none.stl"), 0.0, 0.0)
    assert len(scene.frame.bodies) == 2


def test_what_is_refused_while_it_runs_changes_nothing(pool):
    for wrong in (lambda: pool.set(dampin=1.0), lambda: pool.run(-1.0), lambda: pool.run(math.inf)):
        with pytest.raises(ParameterError):
            wrong()
    assert pool.time == 0.0 and not pool.height.any()


def test_it_says_what_it_is(pool):
    assert repr(pool) == "<wave-equation on Empty basin, 33 × 25 points, 0 s>"
    assert waterview.LiveScene.__name__ in dir(waterview)

"""Files that version 0.1.0 wrote still open, and their water is the same; see files_of_0_1/README.md."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from waterview.core.commands import RemoveBodies
from waterview.core.params import declarations
from waterview.output.recording import read_recording
from waterview.render.camera.camera_path import read_path
from waterview.render.settings import ViewParams
from waterview.scene.interaction import InteractionParams
from waterview.scene.navigator import Navigator
from waterview.scene.presets import load_preset
from waterview.scene.replay import play
from waterview.scene.scene import Scene, SceneParams
from waterview.scene.serialise import open_session
from waterview.terrain.library import resolve
from waterview.ui.panel.memory import PanelMemory, read_memory
from waterview.waters import MODELS

FOLDER = Path(__file__).parent / "files_of_0_1"
EXPECTED = json.loads((FOLDER / "expected.json").read_text())
RECORDINGS = sorted(path.name for path in FOLDER.glob("*.jsonl"))
SESSIONS = sorted(path.name for path in FOLDER.glob("*.waterview"))


def digest(array):
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


def functions_are_the_same():
    """Whether numpy's functions give the bits that they gave where the files were written."""
    angles = np.linspace(-9.0, 9.0, 4001)
    return (
        digest(np.concatenate([function(angles) for function in (np.sin, np.cos, np.exp, np.tanh)]))
        == EXPECTED["functions"]
    )


SINCE_0_1 = {"airy"}
"""Models that version 0.1 did not have."""


CORRECTED = {"shallow-water": 1e-6, "wave-particles": 2e-3}
"""Models whose own step has been corrected or reordered since, and how far their heights may differ [m]."""

BODY_COMMANDS = ("AddBody", "GrabBody", "DragBody", "ReleaseBody", "RemoveBodies", "SetBodyDensity")


def assert_as_expected(frame, name, part=None):
    expected = EXPECTED["files"][name] if part is None else EXPECTED["files"][name][part]
    assert frame.time == pytest.approx(expected["time"], rel=1e-12)  # version 0.1 added up the steps' lengths
    assert (None if frame.field_map is None else frame.field_map.name) == expected["map"]
    positions = [body.position.tolist() for body in frame.bodies]
    if frame.bodies and part != "opened":
        # Bodies gained energy in version 0.1.0. They float where they did, but not to the digit.
        np.testing.assert_allclose(positions, expected["bodies"], atol=1.0)
        return
    np.testing.assert_allclose(positions, expected["bodies"], atol=1e-6)
    if part != "opened":
        with np.load(FOLDER / "heights.npz") as heights:
            np.testing.assert_allclose(frame.heights, heights[name], rtol=0.0, atol=1e-6)
    if functions_are_the_same() and not frame.bodies:
        assert digest(frame.heights) == expected["heights"]


def assert_water_alone_as_expected(frame, name):
    with np.load(FOLDER / "water_alone.npz") as heights:
        model = name.partition(".")[0]
        if functions_are_the_same() and model not in CORRECTED:
            assert np.array_equal(frame.heights, heights[name])
        np.testing.assert_allclose(frame.heights, heights[name], rtol=0.0, atol=CORRECTED.get(model, 1e-6))
    assert not frame.bodies


def test_there_is_a_file_of_every_model():
    models = set(MODELS) - SINCE_0_1
    assert {f"{name}.jsonl" for name in models} <= set(RECORDINGS)
    assert {f"{name}.waterview" for name in models} <= set(SESSIONS)
    assert set(EXPECTED["files"]) == {*RECORDINGS, *SESSIONS, "preset.toml"}


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_recording_replays_to_the_same_water(name):
    (end,) = play(read_recording(FOLDER / name), last=0.0)
    assert_as_expected(end, name)


@pytest.mark.sampled
@pytest.mark.parametrize("name", RECORDINGS)
def test_a_recording_without_its_bodies_replays_to_the_same_water(name, tmp_path):
    lines = (FOLDER / name).read_text().splitlines(keepends=True)
    kept = [line for line in lines if not any(f'"{command}"' in line[:60] for command in BODY_COMMANDS)]
    (tmp_path / name).write_text("".join(kept))
    (end,) = play(read_recording(tmp_path / name), last=0.0)
    assert_water_alone_as_expected(end, name)


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_whose_bodies_are_removed_goes_on_as_it_did(name):
    world = open_session(FOLDER / name).world
    world.apply(RemoveBodies())
    for _ in range(30):
        world.step()
    assert_water_alone_as_expected(world.publish(1), name)


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_opens_and_goes_on_as_it_did(name):
    session = open_session(FOLDER / name)
    assert_as_expected(session.world.publish(0), name, "opened")
    for _ in range(30):
        session.world.step()
    frame = session.world.publish(1)
    assert_as_expected(frame, name, "later")
    assert (session.view["exposure"], session.view["quality"]) == (0.5, "low")
    assert (session.interaction["drop_size"], session.interaction["body_kind"]) == (2.0, "duck")
    camera = session.camera(frame)
    assert (camera.azimuth, camera.distance, camera.target) == (1.25, 11.0, (-1.0, 0.0, 2.0))


def test_a_preset_brings_the_same_scene():
    preset = load_preset(FOLDER / "preset.toml")
    basin = resolve("basin")
    opened = Navigator(Scene(basin.load(), SceneParams(grid=8)), [basin]).open(FOLDER / "preset.toml")
    assert opened.title == "A preset of version 0.1.0"
    view = {entry.name for entry in declarations(ViewParams)}
    assert {name: opened.view[name] for name in preset.settings.keys() & view} == {
        "exposure": 1.5,
        "quality": "low",
        "look": "natural",
        "water": "sea",
    }
    hand = {entry.name for entry in declarations(InteractionParams)}
    assert {name: opened.interaction[name] for name in preset.settings.keys() & hand} == {
        "rain": 3.0,
        "drop_size": 2.0,
        "body_kind": "duck",
        "density": 250.0,
    }
    replacing, *drops = opened.commands
    world = replacing.make()
    for drop in drops:
        world.apply(drop)
    for _ in range(20):
        world.step()
    assert_as_expected(world.publish(0), "preset.toml")
    assert (world.rain.rate, world.rain.seed, world.body_params.drag) == (3.0, 5, 2.5)
    assert (world.detail.params.points, world.detail.params.wind_speed) == (32, 2.0)


def test_a_camera_path_and_the_panels_memory_are_read():
    path = read_path(FOLDER / "path.toml")
    assert path.dive and [key.time for key in path.keyframes] == [0.0, 2.0, 5.0]
    assert (path.keyframes[2].target, path.keyframes[2].elevation, path.keyframes[2].fov) == (
        (2.0, 0.5, -2.0),
        -5.0,
        50.0,
    )
    assert read_memory(FOLDER / "panel.json") == PanelMemory(
        shown=True, x=2.5, y=7.0, width=30.0, height=12.0, closed=("Plots", "Presets"), text_scale=1.25
    )

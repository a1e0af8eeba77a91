"""A virtual screen for real windows; where Xvfb or xdotool is missing these tests fail, they are not skipped."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from support.coast import COAST
from support.screen import User, shown, start_screen

from waterview.render.quality import TIERS
from waterview.scene.scene import Scene, SceneParams
from waterview.terrain.library import resolve


def pytest_collection_modifyitems(items):
    """Every test of this folder opens a window: slow."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True)
def config_folder(tmp_path, monkeypatch):
    """Config and data folders of the test's own, so that nothing is read from or left in that of the user."""
    folder = tmp_path / "config"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return folder


@pytest.fixture(autouse=True)
def coarse_scene(monkeypatch):
    """Behind what hands do the scene has few pixels: how it looks is tested in the folder `render`, without windows."""
    monkeypatch.setitem(TIERS, "low", replace(TIERS["low"], scale=0.2, ground_map=128, caustic_map=64))


@pytest.fixture(scope="session")
def screen():
    """DISPLAY of a virtual screen of 1024 × 960."""
    server, display = start_screen()
    before = {name: os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "XDG_SESSION_TYPE")}
    os.environ.pop("WAYLAND_DISPLAY", None)
    os.environ["DISPLAY"] = display
    os.environ["XDG_SESSION_TYPE"] = "x11"
    yield display
    for name, value in before.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    server.terminate()
    server.wait()


@pytest.fixture
def user(screen):
    return User(screen)


@pytest.fixture
def program(screen):
    """A window high enough for the panel, on an empty basin with a coast as the next terrain.

    The pointer is over the water beside the panel: a panel under the pointer stays there when a line above it grows.
    """
    User(screen).do("mousemove", 690, 800)
    terrains = [resolve("basin"), COAST]
    scene = Scene(terrains[0].load(), SceneParams(grid=48), {"damping": 0.5})
    with shown(scene, terrains, (720, 940), frames_per_second=120.0) as program:
        yield program

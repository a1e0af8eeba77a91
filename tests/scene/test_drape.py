"""A picture over the land goes with its scene: into frames, sessions, presets and the window."""

import numpy as np
import pytest
from PIL import Image

from waterview.core.errors import InputError
from waterview.live_scene import open_scene
from waterview.scene.navigator import Navigator
from waterview.scene.scene import Scene, SceneParams
from waterview.scene.serialise import open_session, water_from_dict, water_to_dict
from waterview.sim.world import World
from waterview.terrain.library import bundled

COLOURS = np.arange(5 * 7 * 3, dtype=np.uint8).reshape(5, 7, 3)


@pytest.fixture
def photo(tmp_path):
    """7 × 5 pixels that are all different."""
    Image.fromarray(COLOURS).save(tmp_path / "photo.png")
    return tmp_path / "photo.png"


def test_frames_show_it_and_sessions_keep_it(tmp_path, photo):
    scene = open_scene("bay", grid=32, drape=photo)
    drape = scene.frame.drape
    assert np.array_equal(drape[..., :3], COLOURS)
    assert scene.frame.drape is drape
    assert scene.world.publish_still().drape is drape
    path = tmp_path / "a.waterview"
    scene.save(path)
    assert np.array_equal(open_session(path).world.water.drape, drape)


@pytest.mark.parametrize("drape", ["a.tif", np.zeros((4, 4, 3), np.uint8), np.zeros((4, 9000, 4), np.uint8)])
def test_a_session_with_another_thing_in_its_place_is_refused(drape):
    saved = water_to_dict(open_scene("bay", grid=16).water)
    assert water_from_dict(saved | {"drape": None}).drape is None
    with pytest.raises(InputError, match="picture over the land"):
        water_from_dict(saved | {"drape": drape})


def test_a_preset_names_it_relative_to_its_folder(tmp_path, photo):
    (tmp_path / "a.toml").write_text('terrain = "bay"\ndrape = "photo.png"\n[settings]\ngrid = 32\n')
    assert open_scene(preset=str(tmp_path / "a.toml")).frame.drape.shape == (5, 7, 4)
    assert open_scene("basin", preset=str(tmp_path / "a.toml")).frame.drape is None


def test_a_photograph_is_laid_over_the_terrain_that_is_shown(tmp_path):
    Image.fromarray(COLOURS).save(tmp_path / "photo.jpg")
    first = open_scene("bay", grid=32)
    navigator = Navigator(Scene(first.heightmap, SceneParams(grid=32)), list(bundled().values()))
    world = World(first.water)
    change = navigator.open(tmp_path / "photo.jpg")
    assert not change.is_new_place
    world.apply(change.commands[0])
    assert world.water.drape.shape == (5, 7, 4)
    assert "corner to corner" in change.note()
    world.apply(navigator.next_model()[1])
    assert world.water.drape.shape == (5, 7, 4)
    world.apply(navigator.next_terrain().commands[0])
    assert world.water.drape is None

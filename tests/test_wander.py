"""Random views: they are the same for the same seed, and no eye is inside rock."""

import random

import numpy as np
import pytest
from PIL import Image
from support.scenes import make_frame
from support.scripts import script

from waterview.scene.presets import preset_paths
from waterview.terrain.library import bundled


@pytest.fixture(scope="module")
def wander():
    with script("wander") as module:
        yield module


def test_every_terrain_and_preset_is_visited(wander):
    assert {name for kind, name in wander.places() if kind == "preset"} == set(preset_paths())
    assert {name for kind, name in wander.places() if kind == "terrain"} == set(bundled())


def test_no_eye_is_inside_rock_and_every_kind_of_camera_finds_a_place(wander):
    x, z = np.linspace(-30.0, 30.0, 61)[None, :], np.linspace(-20.0, 20.0, 41)[:, None]
    bed = 6.0 * np.sin(0.3 * x) * np.cos(0.4 * z) - 1.0
    frame = make_frame(bed.shape, 1.0, bed=bed)
    for kind in wander.CAMERAS:
        eyes = [wander.camera_of(random.Random(seed), kind, frame).eye for seed in range(40)]
        for at_x, at_y, at_z in eyes:
            assert abs(at_x) > 30.0 or abs(at_z) > 20.0 or at_y > frame.grid.sample(frame.bed, at_x, at_z)
        if kind == "below":
            assert all(eye[1] < 0.0 for eye in eyes)
        again = wander.camera_of(random.Random(7), kind, frame).eye
        np.testing.assert_array_equal(again, eyes[7])


@pytest.mark.slow
def test_a_sheet_is_drawn_and_one_of_its_views_alone(wander, tmp_path, monkeypatch):
    monkeypatch.setattr(wander, "places", lambda: [("preset", "rain")])
    monkeypatch.setattr(wander, "GRID", 32)
    monkeypatch.setattr(wander, "SECONDS", 0.2)
    monkeypatch.setattr(wander, "TIERS", ("low",))
    size = (48, 27)
    (path,) = wander.sheets(3, tmp_path, size)
    (alone,) = wander.sheets(3, tmp_path / "one", size, only=0)
    sheet, first = (np.asarray(Image.open(each)).astype(int) for each in (path, alone))
    assert sheet.shape == (2 * 27, 4 * 48, 3)
    assert np.abs(sheet[:27, :48] - first).max() <= 2

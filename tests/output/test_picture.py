"""Pictures on disk keep what they show."""

import json

import numpy as np
import pytest
from PIL import Image
from support.scenes import make_frame

from waterview.core.errors import InputError
from waterview.output.picture import dated_path, save_picture, save_screenshot, settings_of
from waterview.render.settings import ViewParams

PICTURE = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3)


def test_a_picture_comes_back_with_its_settings(tmp_path):
    frame = make_frame()
    save_picture(PICTURE, tmp_path / "a.png", settings_of(frame, ViewParams(exposure=0.5)))
    with Image.open(tmp_path / "a.png") as picture:
        assert np.array_equal(np.asarray(picture), PICTURE)
        texts = picture.text
    assert json.loads(texts["waterview parameters"]) == {"steps_per_second": frame.params.steps_per_second}
    assert json.loads(texts["waterview view"])["exposure"] == 0.5
    assert json.loads(texts["waterview grid"])["spacing"] == frame.grid.spacing
    assert texts["Software"].startswith("waterview ")
    assert texts["waterview model"] == "Water"


def test_names_are_never_used_twice(tmp_path):
    paths = {save_screenshot(PICTURE, folder=tmp_path) for _ in range(3)}
    assert len(paths) == 3
    assert dated_path(tmp_path, ".mp4").suffix == ".mp4"


def test_nothing_is_left_where_a_picture_cannot_be_written(tmp_path):
    (tmp_path / "a.png").mkdir()
    with pytest.raises(InputError, match="cannot write the picture"):
        save_picture(PICTURE, tmp_path / "a.png")
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]

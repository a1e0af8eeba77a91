import pytest

from waterview.core.errors import WaterviewError
from waterview.core.resources import data_path


def test_the_rooms_are_found():
    assert (data_path("assets") / "terrains" / "coast.npz").is_file()
    assert data_path("shaders").is_dir()


def test_a_missing_room_says_where_it_was_looked_for():
    with pytest.raises(WaterviewError, match=r"'cellar' is missing: looked for .*_data.*; install waterview again"):
        data_path("cellar")

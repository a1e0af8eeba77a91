import pytest

from waterview.core.errors import ParameterError
from waterview.core.params import declarations
from waterview.terrain.options import TerrainOptions


def test_the_defaults_change_nothing():
    options = TerrainOptions()
    assert (options.vertical_scale, options.size_m, options.depth_positive_down) == (1.0, 0.0, False)
    assert (options.smoothing, options.water_level, options.world_level) == (0.0, 0.0, 0.0)


def test_every_option_is_declared_with_a_flag_and_a_sentence():
    entries = {entry.flag: entry for entry in declarations(TerrainOptions)}
    interpret = {"--vertical-scale", "--size-m", "--depth-positive-down", "--smoothing", "--water-level"}
    assert set(entries) == interpret | {"--variable", "--encoding", "--units"}
    assert all(entry.doc.endswith(".") for entry in entries.values())


@pytest.mark.parametrize(
    "wrong",
    [
        {"vertical_scale": 0.0},
        {"vertical_scale": 1001.0},
        {"vertical_scale": float("nan")},
        {"size_m": -1.0},
        {"size_m": float("inf")},
        {"smoothing": -0.1},
        {"smoothing": 101.0},
        {"water_level": 20_001.0},
        {"water_level": float("nan")},
        {"depth_positive_down": 1},
    ],
)
def test_values_outside_are_refused_in_one_line(wrong):
    with pytest.raises(ParameterError) as refused:
        TerrainOptions(**wrong)
    assert "allowed" in str(refused.value) and "\n" not in str(refused.value)


def test_the_world_level_is_scaled_like_the_heights():
    assert TerrainOptions(vertical_scale=0.5, water_level=-3.0).world_level == -1.5

import dataclasses
import math

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.render.camera.bounds import Bounds
from waterview.render.daylight import Light
from waterview.render.ground.ground_maps import tile_size, wildness
from waterview.render.settings import ViewParams
from waterview.render.water_types import WATER_TYPES, water_type
from waterview.scene.scene import Scene, SceneParams
from waterview.terrain.library import resolve


def basin(side=12.0, rim=0.5):
    x = np.linspace(-0.5, 0.5, 61)
    inside = (np.abs(x[None, :]) < 0.46) & (np.abs(x[:, None]) < 0.46)
    return make_frame((61, 61), side / 60.0, bed=np.where(inside, -0.15 * side, rim))


def test_a_basin_is_a_pool_and_hills_are_not(island):
    assert tile_size(basin(), "auto", wildness(basin())) > 0.0
    assert tile_size(island, "auto", wildness(island)) == 0.0


@pytest.mark.parametrize("grid", [24, 32, 48, 64, 96, 200])
def test_the_basin_that_comes_along_is_a_pool_however_coarse(grid):
    water = Scene(resolve("basin").load(), SceneParams(grid=grid)).make_world().water
    for level in (0.0, -0.9, -1.9):
        water.set_water_level(level)
        assert wildness(water.publish(1)) == 0.0


def test_a_hill_on_a_level_sea_floor_is_a_landscape_wherever_the_water_stands():
    x = np.linspace(-1.0, 1.0, 81)
    hill = np.maximum(0.5 - np.hypot(x[None, :], x[:, None]), 0.0)  # on a fifth of the ground
    for floor in (-0.1, -5.0):
        assert wildness(make_frame((81, 81), 0.5, bed=floor + 20.0 * hill)) == 1.0


def test_looks_can_be_asked_for(island):
    assert tile_size(island, "pool", wildness(island)) > 0.0
    assert tile_size(basin(), "natural", wildness(basin())) == 0.0


@pytest.mark.parametrize("side", [0.3, 12.0, 50.0, 4000.0])
def test_tiles_are_round_numbers_of_metres_and_not_too_many(side):
    size = tile_size(basin(side, 0.01 * side), "pool", 0.0)
    mantissa = size / 10.0 ** np.floor(np.log10(size) + 1e-9)
    assert round(mantissa, 6) in {1.0, 2.0, 5.0}
    assert 25 < side / size < 75


def test_the_side_of_tiles_may_be_chosen_but_makes_no_landscape_a_pool(island):
    assert tile_size(basin(), "auto", 0.0, 0.32) == 0.32
    assert tile_size(island, "auto", 1.0, 0.32) == 0.0


def test_kinds_of_water_differ_as_they_do_in_nature():
    clear, muddy, lake, sea = (WATER_TYPES[name] for name in ("pool", "muddy", "lake", "sea"))
    assert clear.clarity > sea.clarity > muddy.clarity
    assert sum(muddy.backscatter) > 2.0 * sum(sea.backscatter)
    assert sea.absorption[0] > sea.absorption[1] > sea.absorption[2]  # red goes first in the sea
    assert lake.absorption[2] > lake.absorption[1]  # humus takes the blue
    assert muddy.backscatter[0] > muddy.backscatter[2]
    for kind in WATER_TYPES.values():
        assert kind.absorption[1] == 1.0
        assert all(0.0 < share < 0.5 for share in kind.backscatter)


def test_auto_is_pool_water_in_a_pool_and_the_sea_elsewhere():
    assert water_type("auto", pool=True) is WATER_TYPES["pool"]
    sea = dataclasses.replace(water_type("auto", pool=False), length=math.inf)
    assert sea == WATER_TYPES["sea"]
    assert water_type("lake", pool=True) is WATER_TYPES["lake"]


def test_absorption_follows_kind_depth_and_clarity():
    bounds = Bounds.of(make_frame(bed=np.full((41, 61), -3.0)))
    light = Light.of(ViewParams(water="tropical", clarity=2.0), bounds)
    kind = WATER_TYPES["tropical"]
    np.testing.assert_allclose(light.absorption, np.array(kind.absorption) / (kind.clarity * 2.0 * 3.0))


def test_foam_lives_longest_in_salt_water_and_shortest_in_a_pool():
    pool, lake, sea = (WATER_TYPES[name].drawn_foam_life for name in ("pool", "lake", "sea"))
    assert pool < lake < sea
    assert lake / sea == pytest.approx(2.54 / 3.85, rel=0.05)  # of whitecaps (Monahan & Zietlow 1969)
    frame = make_frame()
    assert Light.of(ViewParams(), Bounds.of(frame), pool=True).drawn_foam_life == pool
    assert Light.of(ViewParams(), Bounds.of(frame)).drawn_foam_life == sea

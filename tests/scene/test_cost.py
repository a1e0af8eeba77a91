"""What a scene will cost is known before it is made, and told."""

import tracemalloc

import pytest
from support.coast import COAST

from waterview.core.commands import Drop, ReplaceWater
from waterview.core.errors import InputError, ParameterError
from waterview.scene.cost import check_memory, free_memory, needed_memory
from waterview.scene.navigator import LARGE, Navigator
from waterview.scene.scene import Scene, SceneParams
from waterview.terrain import library
from waterview.waters import MODELS


def test_memory_grows_with_the_points_and_is_compared_with_what_is_free():
    model = MODELS["wave-equation"]
    needed = needed_memory(model, (3000, 2000))
    assert needed == 4 * needed_memory(model, (1500, 1000)) > 4e8
    check_memory(model, (3000, 2000), free=needed)
    with pytest.raises(ParameterError, match=r"2000 × 3000 points takes about .* wave-equation, and .* are free"):
        check_memory(model, (3000, 2000), free=needed - 1)
    assert free_memory() > 1e7


@pytest.mark.slow
@pytest.mark.parametrize("model", list(MODELS))
def test_the_estimate_is_not_far_from_what_a_water_takes(model):
    heightmap, sizes = COAST.load(), []
    for grid in (120, 120, 240):  # the first time kernels are loaded, too
        scene = Scene(heightmap, SceneParams(model=model, grid=grid))
        tracemalloc.start()
        world = scene.make_world()
        if world.water.can_be_disturbed:
            world.apply(Drop(0.0, 0.0, 1.0, 2000.0))
        world.advance(2, publish_next=True)
        world.publish(1)
        sizes.append((tracemalloc.get_traced_memory()[1], world.water.grid.shape[0] * world.water.grid.shape[1]))
        tracemalloc.stop()
    (small, few), (large, many) = sizes[1:]
    a_point = (large - small) / (many - few)
    assert a_point < MODELS[model].memory_per_point * 1.1
    assert a_point > MODELS[model].memory_per_point / 4.0


@pytest.fixture
def navigator():
    terrain = library.resolve("basin")
    return Navigator(Scene(terrain.load(), SceneParams(grid=64)), [terrain])


def test_a_large_grid_is_asked_for_twice(navigator):
    with pytest.raises(InputError, match=r"a grid of 4579 takes up to 2.1 GB, and .* the work of now: .* once more"):
        navigator.change("grid", 4579, {})
    assert {entry.name: value for entry, value in navigator.settings()}["grid"] == 64
    change = navigator.change("grid", 4579, {})
    assert isinstance(change.commands[0], ReplaceWater)


def test_a_larger_one_than_that_asked_for_is_asked_for_again(navigator):
    for grid in (3000, 4000):
        with pytest.raises(InputError, match=f"a grid of {grid} takes"):
            navigator.change("grid", grid, {})


def test_usual_grids_are_not_asked_for_twice(navigator):
    usual = 2048
    assert needed_memory(MODELS["wave-equation"], (usual, usual)) < LARGE
    assert navigator.change("grid", usual, {}).commands


def test_a_grid_for_which_there_is_no_memory_is_refused_before_it_is_made(monkeypatch):
    monkeypatch.setattr("waterview.scene.cost.free_memory", lambda: 1e6)
    with pytest.raises(ParameterError, match="choose a smaller --grid"):
        Scene(library.resolve("basin").load(), SceneParams(grid=512)).make_water()

"""What a scene will cost is known before it is made, and told."""

import tracemalloc

import pytest
from support.coast import COAST

from waterview.core.commands import Drop
from waterview.core.errors import ParameterError
from waterview.scene.cost import LARGE, GridCost, check_memory, free_memory, in_words, needed_memory
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


def cost(grid, step_seconds=1e-3, now=(49, 65)):
    return GridCost.of(MODELS["wave-equation"], now, grid, step_seconds, 60.0)


def test_the_cost_of_a_grid_grows_with_its_points():
    assert cost(65).shape == (49, 65)
    assert cost(65).rate == pytest.approx(1000.0)
    assert cost(129).shape == (97, 129)
    assert cost(129).rate == pytest.approx(1000.0 * 49 * 65 / (97 * 129))
    assert cost(129).memory == needed_memory(MODELS["wave-equation"], (97, 129))
    assert cost(129).words == f"129 × 97 points, {in_words(cost(129).memory)}, about 255 steps/s of 60"
    assert cost(257, step_seconds=0.0).words == f"257 × 193 points, {in_words(cost(257).memory)}"


def test_a_grid_is_large_for_its_memory_or_for_the_time_that_its_steps_take():
    assert not cost(257).is_large
    assert cost(1025).is_large, "less than half as many steps as time needs"
    assert not cost(2049, step_seconds=0.0).is_large
    assert needed_memory(MODELS["wave-equation"], (2048, 2048)) < LARGE, "usual ones are not asked about"
    assert cost(8193, step_seconds=0.0).is_large


def test_a_grid_for_which_there_is_no_memory_is_refused_before_it_is_made(monkeypatch):
    monkeypatch.setattr("waterview.scene.cost.free_memory", lambda: 1e6)
    with pytest.raises(ParameterError, match="choose a smaller --grid"):
        Scene(library.resolve("basin").load(), SceneParams(grid=512)).make_water()

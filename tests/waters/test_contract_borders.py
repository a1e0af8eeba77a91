"""The part of the contract that is about the water's edge: what every border and shore of every model does."""

import numpy as np
import pytest
from support.waters import Ground, run

from waterview.core.commands import MAX_HEIGHT, Drop
from waterview.core.params import declarations
from waterview.waters import MODELS


def offered(parameter):
    """Every model that has a parameter, with each of its choices."""
    found = [(name, entry) for name, model in MODELS.items() for entry in declarations(model.Params)]
    return [(name, choice) for name, entry in found if entry.name == parameter for choice in entry.choices]


BORDERED, SHORES = offered("border"), offered("shoreline")
THROWN_BACK = [(name, border) for name, border in BORDERED if border in ("zero", "reflecting")]
UNDAMPED = {"damping": 0.0, "damping_factor": 1.0}


def undamped(name):
    """The parameters with which a model's waves run for ever."""
    return {entry.name: UNDAMPED[entry.name] for entry in declarations(MODELS[name].Params) if entry.name in UNDAMPED}


def crest_before_the_border(name, border):
    """A water with a crest along z at rest, 20 points before the border at high x; and how long it runs a point."""
    water = MODELS[name](100.0, 160.0, 101, border=border, **undamped(name), **MODELS[name].calm)
    for z in water.grid.z:
        water.disturb(Drop(80.0, z, 0.1, 10.0, neutral=False))
    assert 0.9 < water.height[80].max() < 1.2
    return water, water.grid.spacing / water.publish(0).effective["wave_speed"] * water.params.steps_per_second


@pytest.mark.parametrize(("name", "border"), THROWN_BACK)
def test_the_border_does_what_it_says(name, border):
    """A crest runs into the border and comes back: upside down from zeros, upright from a wall."""
    water, steps = crest_before_the_border(name, border)
    # It splits in two; one half runs 20 points and a bit to the edge and as far back.
    run(water, round(42.0 * steps))
    back = water.height[80, 72:89]
    extreme = back[np.abs(back).argmax()]
    assert 0.25 < (extreme if border == "reflecting" else -extreme) < 0.7


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("name", "border"), [(name, border) for name, border in BORDERED if border in ("open", "open-ghost")]
)
def test_over_an_open_border_waves_leave(name, border):
    water, steps = crest_before_the_border(name, border)
    run(water, round(42.0 * steps))
    assert np.abs(water.height[80, 85:]).max() < 0.15


@pytest.mark.parametrize("name", [name for name, border in BORDERED if border == "wrapping"])
def test_over_a_wrapping_border_waves_come_in_on_the_other_side(name):
    water, steps = crest_before_the_border(name, "wrapping")
    run(water, round(42.0 * steps))
    # 20 points and a bit to the edge, and as far again from the opposite one.
    assert 0.25 < water.height[80, 12:29].max() < 0.7
    assert np.abs(water.height[80, 72:]).max() < 0.15


@pytest.mark.parametrize(("name", "shore"), SHORES)
def test_the_shore_does_what_it_says(name, shore):
    """A crest runs to a cliff and comes back: upright from a wall, upside down where land holds the water at 0."""
    water = MODELS[name](120.0, 160.0, 121, shoreline=shore, **undamped(name), **MODELS[name].calm)
    water.set_height_map(Ground(lambda x, z: np.where(x > 99.5, 1.0, -10.0)))
    for z in water.grid.z:
        water.disturb(Drop(80.0, z, 0.1, 10.0, neutral=False))
    speed = water.publish(0).effective["wave_speed"]
    run(water, round(41.0 * water.grid.spacing / speed * water.params.steps_per_second))
    back = water.height[80, 72:89]
    extreme = back[np.abs(back).argmax()]
    assert 0.25 < (extreme if shore == "no-flux" else -extreme) < 0.7


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "border"), [(name, border) for name, border in BORDERED if border == "reflecting"])
def test_a_closed_basin_keeps_its_volume_for_ever(name, border):
    water = MODELS[name](20.0, 16.0, 41, border=border, **undamped(name), **MODELS[name].calm)
    water.disturb(Drop(3.0, 8.0, 0.5, 3.0, neutral=False))
    volume = water.height.sum(dtype=float)
    run(water, 2000)
    assert water.height.sum(dtype=float) == pytest.approx(volume, rel=1e-3)
    assert np.abs(water.height).max() > 0.02


@pytest.mark.parametrize("name", ["wave-equation", "dual-buffer"])
@pytest.mark.slow
def test_waves_that_are_caught_beside_an_open_side_stay_in_bounds(name):
    """They are no running waves in its layer, which gives to them instead of taking: without end, before."""
    more = {"stencil": "five-point", "wave_speed": 8.4} if name == "wave-equation" else {}
    water = MODELS[name](3.2, 2.8, 33, border="north=zero,west=open", **undamped(name), **MODELS[name].calm, **more)
    land = np.random.default_rng(5).random(water.grid.shape) < 0.25
    water.set_ground(np.where(land, 1.0, -1.0).astype(np.float32), np.zeros(land.shape, bool))
    for level in water.time_levels:
        level[...] = np.where(land, 0.0, np.random.default_rng(1).uniform(-5e4, 5e4, land.shape))
    water.advance(2 * 4096)
    assert 1e4 < np.abs(water.height).max() <= MAX_HEIGHT

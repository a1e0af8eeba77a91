"""The law: a closed tank keeps its volume, whatever rounding does to it in the long run."""

import numpy as np
import pytest

from waterview.core.commands import AddBody, Drop
from waterview.sim.world import World
from waterview.waters import MODELS
from waterview.waters.common.basins import find_basins
from waterview.waters.common.borders import Sides
from waterview.waters.common.volume import LEVEL_TOLERANCE, VOLUME_STEPS, VolumeCorrection

DEPTH = 2.0
UNDAMPED = {
    "wave-equation": {"damping": 0.0, "border": "reflecting"},
    "dual-buffer": {"damping_factor": 1.0},
    "height-field": {"damping": 0.0},
    "layered": {"damping": 0.0, "border": "reflecting", **MODELS["layered"].calm},
    "shallow-water": {"damping": 0.0, "border": "reflecting"},
}
"""Steps after which each model looks at its volume."""


def tank(name, **parameters):
    """A tank of 8 m × 8 m, 2 m deep, with rain and two bodies."""
    water = MODELS[name](8.0, 8.0, 33, **{**UNDAMPED[name], **parameters})
    filled = World(water, rain=40.0, seed=3)
    filled.apply(AddBody("sphere", 400.0, 2.0, 3.0))
    filled.apply(AddBody("box", 400.0, 6.0, 4.0))
    return filled


def level(water):
    return water.height.mean(dtype=np.float64)


@pytest.mark.slow
@pytest.mark.parametrize("name", UNDAMPED)
def test_rain_and_bodies_leave_the_volume_at_every_moment_within_a_millionth(name):
    """Rounding is not waited for: now and then as much as an hour's is put in at once, always in the same direction.

    What is then left at the next look does not depend on what came before. So it is the same after any time.
    """
    filled, steps = tank(name), VOLUME_STEPS
    water, seen = filled.water, []
    for number in range(40 * steps):
        filled.step()
        if number % (4 * steps) == steps:
            for heights in water.neutral_levels:
                heights[:] += np.float32(6e-6 * DEPTH)
            water.on_pushed(slice(None), slice(None))
        if number % steps == steps - 1:
            seen.append(level(water) / DEPTH)
    assert np.abs(water.height).max() > 0.01, "there were no waves"
    assert np.abs(seen).max() < 2.0 * LEVEL_TOLERANCE < 1e-6


@pytest.mark.parametrize("name", UNDAMPED)
def test_without_keep_volume_it_would_stay_off(name):
    filled = tank(name, keep_volume=False)
    filled.step()
    for heights in filled.water.neutral_levels:
        heights[:] += np.float32(6e-6 * DEPTH)
    filled.water.on_pushed(slice(None), slice(None))
    for _ in range(2 * VOLUME_STEPS):
        filled.step()
    assert level(filled.water) / DEPTH > 4e-6


@pytest.mark.sampled
@pytest.mark.parametrize("name", UNDAMPED)
@pytest.mark.parametrize("way", ["drop", "set", "levels"])
def test_what_is_poured_in_on_purpose_stays(name, way):
    water = MODELS[name](8.0, 8.0, 33, **{**UNDAMPED[name], **MODELS[name].calm})
    for _ in range(2 * VOLUME_STEPS + 3):
        water.step()
    if way == "drop":
        water.disturb(Drop(4.0, 4.0, 0.2, 1.0, neutral=False))
    elif way == "set":
        water.set_height(16, 16, 0.5)
        water.step()
    else:
        for heights in water.time_levels:
            heights[5:9, 5:9] += 0.1
    poured = level(water)
    assert poured > 1e-4
    for _ in range(4 * VOLUME_STEPS):
        water.step()
    # What it is kept at is measured some steps later, in which a clamped spike is given back, rounded.
    assert level(water) == pytest.approx(poured, abs=5.0 * LEVEL_TOLERANCE * DEPTH)


def test_a_raised_level_that_the_dual_buffer_draws_to_0_is_let_go():
    water = MODELS["dual-buffer"](8.0, 8.0, 33, damping_factor=0.99, **MODELS["dual-buffer"].calm)
    for heights in water.time_levels:
        heights[:] += 0.1
    for _ in range(1000):
        water.step()
    assert abs(level(water)) < 0.01


def test_water_that_is_still_sleeps_on_while_the_rest_is_held():
    water = MODELS["wave-equation"](20.0, 20.0, 201, wave_speed=1.0, border="reflecting")
    water.disturb(Drop(2.0, 2.0, 0.2, 1.0))
    for _ in range(2 * VOLUME_STEPS):
        water.step()
    assert 0.0 < water.state()["tiles"]["awake"].mean() < 0.5


@pytest.fixture
def lakes():
    """Two lakes, the second open to the east."""
    fixed = np.zeros((12, 20), bool)
    fixed[:, 9] = True
    return find_basins(fixed, Sides("reflecting", "open", "reflecting", "reflecting"), flowing=True)


def test_levels_are_restored_basin_by_basin_and_all_by_the_same(lakes):
    rng = np.random.default_rng(1)
    now, before = rng.normal(0.0, 0.1, (2, 12, 20)).astype(np.float32)
    correction = VolumeCorrection(lakes, np.full((12, 20), 3.0, np.float32), 0.5)
    assert not correction.correct((now, before))
    expected, motion = now.copy(), now - before
    now[:] += np.float32(1e-5)
    before[:] += np.float32(1e-5)
    assert correction.correct((now, before))
    np.testing.assert_allclose(now[:, :9], expected[:, :9], atol=2e-8)
    np.testing.assert_allclose(now[:, 10:], expected[:, 10:] + 1e-5, atol=2e-8)
    np.testing.assert_allclose(now - before, motion, atol=4e-8)


def test_within_the_tolerance_nothing_is_touched_and_a_reset_measures_again(lakes):
    heights = np.zeros((12, 20), np.float32)
    correction = VolumeCorrection(lakes, np.full((12, 20), 3.0, np.float32), 0.5)
    correction.correct((heights,))
    heights[:] += np.float32(0.9 * LEVEL_TOLERANCE * 3.0)
    assert not correction.correct((heights,))
    heights[:] += np.float32(1.0)
    correction.reset()
    assert not correction.correct((heights,))
    np.testing.assert_allclose(heights, 1.0, atol=1e-6)


def test_basins_with_moving_shores_are_restored_by_the_cells_that_move(lakes):
    rng = np.random.default_rng(2)
    still = np.where(lakes.labels == 1, 3.0, 2.0).astype(np.float32)
    rise = rng.normal(0.0, 0.1, (12, 20)).astype(np.float32)
    rise[0:3, :9], rise[5, :9] = 0.0, -3.0  # at rest; dry
    correction = VolumeCorrection(lakes, still, 0.5)
    correction.correct_moving(rise, still, 1e-3)
    moving = (lakes.labels == 1) & (rise != 0.0) & (rise > -3.0)
    expected, total = rise.copy(), rise[:, :9].sum(dtype=float)
    rise[moving] += np.float32(1e-5)
    rise[:, 10:] += np.float32(1e-5)
    correction.correct_moving(rise, still, 1e-3)
    np.testing.assert_allclose(rise[moving], expected[moving], atol=4e-8)
    assert rise[:, :9].sum(dtype=float) == pytest.approx(total, abs=108 * LEVEL_TOLERANCE * 3.0)
    np.testing.assert_array_equal(rise[:, :9][~moving[:, :9]], expected[:, :9][~moving[:, :9]])
    np.testing.assert_allclose(rise[:, 10:], expected[:, 10:] + 1e-5, atol=2e-8)  # open: left alone


def test_basins_that_meet_share_the_volume_of_both():
    fixed = np.zeros((12, 20), bool)
    fixed[:, 9] = True
    sides = Sides(*["reflecting"] * 4)
    depth, heights = np.full((12, 20), 3.0, np.float32), np.zeros((12, 20), np.float32)
    heights[:, :9], heights[:, 10:] = 0.25, -0.125
    correction = VolumeCorrection(find_basins(fixed, sides, flowing=True), depth, 0.5)
    correction.correct((heights,))
    fixed[4, 9] = False
    joined = find_basins(fixed, sides, flowing=True)
    met = correction.over(joined, depth)
    assert met.means is not None and len(met.means) == 2
    assert met.means[1] == pytest.approx((108 * 0.25 - 120 * 0.125) / 229)
    assert not met.correct((heights,))
    assert VolumeCorrection(joined, depth, 0.5).over(joined, depth).means is None

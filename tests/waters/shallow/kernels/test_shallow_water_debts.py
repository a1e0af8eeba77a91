"""Cells that owe water: who pays, how much, and who does not."""

import numpy as np
import pytest

from waterview.waters.shallow.kernels.shallow_water import Shallows
from waterview.waters.shallow.kernels.shallow_water_debts import pay_debts

EVERYWHERE = slice(None), slice(None)


def pond(depths, labels=None):
    """Still water 1 m deep in which depths [m] are as given, moving at 2 m/s along x and −1 m/s along z."""
    depths = np.asarray(depths, float)
    water = Shallows(np.full(depths.shape, -1.0), 0.5)
    water.cells[0] = depths - 1.0
    water.cells[1], water.cells[2] = 2.0 * depths, -1.0 * depths
    if labels is not None:
        water.labels = np.asarray(labels, np.int32)
    return water


def settled(depths, labels=None):
    """As `pond`, with all debts settled; and its cells as they were before."""
    water = pond(depths, labels)
    before = water.cells.copy()
    water.settle_debts(*EVERYWHERE)
    return water, before


def raw_depth(water):
    return water.still.astype(float) + water.cells[0].astype(float)


@pytest.mark.parametrize("seed", range(8))
def test_nobody_owes_afterwards_and_no_water_is_made(seed):
    rng = np.random.default_rng(seed)
    water = pond(rng.uniform(-0.3, 1.0, (13, 22)) ** 3)
    before, moving = raw_depth(water), water.cells[1:].copy()
    water.settle_debts(*EVERYWHERE)
    after = raw_depth(water)
    assert (before < 0.0).any() and after.min() >= 0.0
    assert after.sum() == pytest.approx(before.sum(), rel=1e-7)
    paying = before > 0.0
    assert (after <= np.maximum(before, 0.0) + 1e-7).all(), "somebody was given water without owing any"
    shares = after[paying] / before[paying]
    np.testing.assert_allclose(water.cells[1][paying], moving[0][paying] * shares, atol=1e-6)


def test_the_nearest_pays_and_the_rest_is_not_touched():
    depths = np.full((16, 16), 0.5)
    depths[4, 6] = -0.3
    water, before = settled(depths)
    block = np.zeros(depths.shape, bool)
    block[4:6, 6:8] = True
    assert raw_depth(water)[4, 6] == 0.0
    np.testing.assert_allclose(raw_depth(water)[block].sum(), 3 * 0.5 - 0.3, atol=1e-6)
    np.testing.assert_array_equal(water.cells[:, ~block], before[:, ~block])


def test_what_the_nearest_cannot_pay_is_asked_from_farther_away():
    depths = np.full((16, 16), 0.01)
    depths[3, 3], depths[12, 12] = -1.0, 1.5
    water, _ = settled(depths)
    assert raw_depth(water).min() >= 0.0
    assert raw_depth(water).sum() == pytest.approx(254 * 0.01 + 0.5, rel=1e-5)


def test_another_lake_does_not_pay():
    labels = np.ones((6, 9), np.int32)
    labels[:, 4], labels[:, 5:] = 0, 2
    depths = np.where(labels > 0, 0.4, 0.0)
    depths[2, 3] = -0.6
    water, before = settled(depths, labels)
    np.testing.assert_array_equal(water.cells[:, :, 4:], before[:, :, 4:])
    assert raw_depth(water)[:, :4].sum() == pytest.approx(23 * 0.4 - 0.6, rel=1e-6)
    assert raw_depth(water).min() >= 0.0


def test_what_a_whole_lake_cannot_pay_stays_owed():
    depths = np.full((5, 7), 0.1)
    depths[2, 2] = -9.0
    water, before = settled(depths)
    np.testing.assert_array_equal(water.cells, before)


def test_only_the_window_is_looked_at():
    depths = np.full((12, 12), 0.5)
    depths[2, 2] = depths[9, 9] = -0.1
    water = pond(depths)
    pay_debts(water.cells, water.still, water.labels, 0, 0, 6, 6)
    assert raw_depth(water)[2, 2] == 0.0 and raw_depth(water)[9, 9] < 0.0

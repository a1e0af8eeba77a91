"""Cells of negative depth: which water gives what is missing, how much, and which does not."""

import numpy as np
import pytest

from waterview.waters.shallow.kernels.positivity import restore_positivity


class Pond:
    """Still water 1 m deep in which depths [m] are as given, moving at 2 m/s along x and −1 m/s along z."""

    def __init__(self, depths, basins=None):
        depths = np.asarray(depths, float)
        self.still = np.ones(depths.shape, np.float32)
        self.conserved = np.array((depths - 1.0, 2.0 * depths, -1.0 * depths), np.float32)
        self.basins = np.zeros(depths.shape, np.int32) if basins is None else np.asarray(basins, np.int32)

    def restore(self, window=None):
        restore_positivity(self.conserved, self.still, self.basins, window or (0, 0, *self.still.shape))

    @property
    def depth(self):
        return self.still.astype(float) + self.conserved[0].astype(float)


def restored(depths, basins=None):
    """As `Pond`, with no negative depths any more; and its cells as they were before."""
    water = Pond(depths, basins)
    before = water.conserved.copy()
    water.restore()
    return water, before


@pytest.mark.parametrize("seed", range(8))
def test_no_depth_is_negative_afterwards_and_no_water_is_made(seed):
    rng = np.random.default_rng(seed)
    water = Pond(rng.uniform(-0.3, 1.0, (13, 22)) ** 3)
    before, moving = water.depth, water.conserved[1:].copy()
    water.restore()
    after = water.depth
    assert (before < 0.0).any() and after.min() >= 0.0
    assert after.sum() == pytest.approx(before.sum(), rel=1e-7)
    giving = before > 0.0
    assert (after <= np.maximum(before, 0.0) + 1e-7).all(), "a cell was given water without lacking any"
    shares = after[giving] / before[giving]
    np.testing.assert_allclose(water.conserved[1][giving], moving[0][giving] * shares, atol=1e-6)


def test_the_nearest_water_gives_and_the_rest_is_not_touched():
    depths = np.full((16, 16), 0.5)
    depths[4, 6] = -0.3
    water, before = restored(depths)
    block = np.zeros(depths.shape, bool)
    block[4:6, 6:8] = True
    assert water.depth[4, 6] == 0.0
    np.testing.assert_allclose(water.depth[block].sum(), 3 * 0.5 - 0.3, atol=1e-6)
    np.testing.assert_array_equal(water.conserved[:, ~block], before[:, ~block])


def test_what_the_nearest_water_lacks_comes_from_farther_away():
    depths = np.full((16, 16), 0.01)
    depths[3, 3], depths[12, 12] = -1.0, 1.5
    water, _ = restored(depths)
    assert water.depth.min() >= 0.0
    assert water.depth.sum() == pytest.approx(254 * 0.01 + 0.5, rel=1e-5)


def test_another_basin_gives_nothing():
    basins = np.ones((6, 9), np.int32)
    basins[:, 4], basins[:, 5:] = 0, 2
    depths = np.where(basins > 0, 0.4, 0.0)
    depths[2, 3] = -0.6
    water, before = restored(depths, basins)
    np.testing.assert_array_equal(water.conserved[:, :, 4:], before[:, :, 4:])
    assert water.depth[:, :4].sum() == pytest.approx(23 * 0.4 - 0.6, rel=1e-6)
    assert water.depth.min() >= 0.0


def test_what_a_whole_basin_cannot_give_stays_missing():
    depths = np.full((5, 7), 0.1)
    depths[2, 2] = -9.0
    water, before = restored(depths)
    np.testing.assert_array_equal(water.conserved, before)


def test_only_the_window_is_looked_at():
    depths = np.full((12, 12), 0.5)
    depths[2, 2] = depths[9, 9] = -0.1
    water = Pond(depths)
    water.restore((0, 0, 6, 6))
    assert water.depth[2, 2] == 0.0 and water.depth[9, 9] < 0.0

"""Spikes that are clamped and crests that break, beside the rules as they are said."""

import numpy as np
import pytest

from waterview.simd.layout import TwoLevels, interior, padded
from waterview.simd.processor import WIDTHS
from waterview.waters.common.active_tiles import ActiveTiles
from waterview.waters.common.basins import find_basins
from waterview.waters.common.borders import Sides
from waterview.waters.wave.domain import Domain
from waterview.waters.wave.kernels.spikes import clamp_spikes

WALLS = Sides(*["reflecting"] * 4)


class Pool:
    """Heights and velocities, over a ground that is `depth` deep; all that lies around them in memory is no number."""

    def __init__(self, u, v=0.0, fixed=None, depth=1.0):
        self.fixed = np.zeros(u.shape, bool) if fixed is None else fixed
        self.field, self.velocity = TwoLevels(u.shape), padded(u.shape)
        self.field.now.fill(np.nan)
        self.u, self.v = self.field.heights, interior(self.velocity, u.shape)
        self.u[...], self.v[...] = u, v
        self.depth = np.full(u.shape, depth, np.float32) if np.isscalar(depth) else depth
        self.basins = find_basins(self.fixed, WALLS, flowing=True)

    def clamp(self, **rules):
        water = Domain(self.fixed, WALLS).water
        return clamp_spikes(self.field, self.velocity, water, self.depth, self.basins, **rules)


def clamped(u, v, depth, fixed, most, step, share, turn):
    """The rules of `clamp_spikes`, point by point, without giving back: heights and velocities."""
    out, moving = u.copy(), v.copy()
    nz, nx = u.shape

    def at(i, j, own):
        return out[i, j] if 0 <= i < nz and 0 <= j < nx and not fixed[i, j] else own

    def around(i, j, own):
        return at(i, j - 1, own), at(i, j + 1, own), at(i - 1, j, own), at(i + 1, j, own)

    for i, j in sorted(np.argwhere(~fixed).tolist(), key=lambda point: sum(point) % 2):
        c = out[i, j]
        left, right, above, below = around(i, j, c)
        offset = (left + right + above + below) / 4.0 - c
        changes = [0.0]
        for behind, ahead in ((left, right), (right, left), (above, below), (below, above)):
            if c - behind > step and c > ahead:
                deep = depth[i, j] + c
                changes.append(share * (max(0.0, 0.5 * (deep + depth[i, j] + ahead)) - deep))
        if abs(offset) > most:
            changes = [offset - np.copysign(most, offset)]
        out[i, j] += max(changes, key=abs)
        if max(changes, key=abs) * moving[i, j] < 0.0:
            moving[i, j] = -turn * (sum(around(i, j, out[i, j])) / 4.0 - out[i, j])
    return out, moving


RULES = {"most": 0.5, "step": 0.8, "share": 0.3, "turn": 7.0}


def rough(shape, seed, land=0.2):
    """Wild heights and velocities with land between."""
    rng = np.random.default_rng(seed)
    fixed = rng.random(shape) < land
    u = np.where(fixed, 0.0, rng.normal(0.0, 0.6, shape)).astype(np.float32)
    v = np.where(fixed, 0.0, rng.normal(0.0, 2.0, shape)).astype(np.float32)
    return Pool(u, v, fixed, rng.uniform(0.0, 1.0, shape).astype(np.float32))


def assert_follows_the_rules(pool, **how):
    expected, moving = clamped(pool.u.astype(float), pool.v, pool.depth.astype(float), pool.fixed, **RULES)
    changed = np.count_nonzero(expected != pool.u)
    assert abs(pool.clamp(**RULES, give_back=False, **how) - changed) <= 1
    np.testing.assert_allclose(pool.u, expected, atol=1e-6)
    np.testing.assert_allclose(pool.v, moving, atol=1e-5)


class TestSpikes:
    @pytest.mark.parametrize("shape", [(2, 2), (3, 9), (12, 2), (14, 17), (18, 130)])
    def test_they_are_clamped_as_the_plain_rules_say(self, shape):
        for seed in range(6):
            assert_follows_the_rules(rough(shape, seed))

    @pytest.mark.slow
    @pytest.mark.parametrize("way", [{"vector_width": each} for each in WIDTHS] + [{"threads": 3}])
    def test_single_spikes_in_smooth_water_are_found_wherever_they_are(self, way):
        """Also at edges, and beside the cuts between tiles: what is changed may make a spike of a neighbour there."""
        z, x = np.mgrid[:40, :150]
        smooth = 0.3 * np.sin(x / 11.0) * np.cos(z / 9.0)
        for point in ((20, 63), (20, 64), (15, 70), (16, 70), (0, 5), (39, 80), (7, 0), (8, 149), (31, 127)):
            pool = Pool(smooth.astype(np.float32))
            pool.u[point] += 1.3
            pool.v[...] = np.random.default_rng(1).normal(0.0, 1.0, smooth.shape)
            assert_follows_the_rules(pool, **way)

    def test_sleeping_tiles_are_not_looked_at_and_wake_where_a_spike_is_lowered(self):
        pool, tiles = Pool(np.zeros((40, 150), np.float32)), ActiveTiles((40, 150))
        tiles.marks.awake[...] = tiles.marks.busy[...] = False
        pool.u[3, 100] = 2.0
        assert pool.clamp(**RULES, give_back=False, tiles=tiles) == 0
        tiles.wake(slice(3, 4), slice(100, 101))
        assert pool.clamp(**RULES, give_back=False, tiles=tiles) == 1
        assert tiles.marks.awake.mean() == 1.0

    def test_a_spike_loses_volume_that_its_own_water_gets_back(self):
        fixed = np.zeros((9, 11), bool)
        fixed[:, 5] = True
        for give_back, volume in ((False, 0.7), (True, 1.0)):
            pool = Pool(np.zeros((9, 11), np.float32), fixed=fixed)
            pool.u[4, 2] = 1.0
            assert pool.clamp(most=0.7, step=9.0, share=0.3, turn=7.0, give_back=give_back) == 1
            assert pool.u.sum(dtype=float) == pytest.approx(volume, abs=1e-6)
            assert not pool.u[:, 5:].any()
        assert pool.u[4, 2] == pytest.approx(0.7 + 0.3 / 45.0)
        assert pool.u[0, 0] == pytest.approx(0.3 / 45.0)

    def test_smooth_water_is_left_alone(self):
        z, x = np.mgrid[:20, :30] / 10.0
        pool = Pool((np.sin(x) * np.cos(z)).astype(np.float32))
        kept = pool.u.copy()
        assert pool.clamp(**RULES, give_back=True) == 0
        np.testing.assert_array_equal(pool.u, kept)

    def test_a_breaking_crest_is_lowered_but_never_below_the_ground(self):
        pool = Pool(np.zeros((3, 7), np.float32))
        pool.u[:, 3:] = np.linspace(1.0, 0.4, 4)
        pool.clamp(most=9.0, step=0.8, share=0.5, turn=7.0, give_back=False)
        assert pool.u[1, 3] == pytest.approx(1.0 - 0.5 * 0.1)
        pool = Pool(np.full((3, 7), -1.5, np.float32), depth=0.5)
        pool.u[:, 3:] = [-0.2, -0.9, -0.9, -0.9]
        pool.clamp(most=9.0, step=0.8, share=0.5, turn=7.0, give_back=False)
        assert pool.u[1, 3] == pytest.approx(-0.2 - 0.5 * 0.3)  # half of the way to the ground

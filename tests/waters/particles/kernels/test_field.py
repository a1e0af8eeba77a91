"""Splatting and filtering of amplitudes, against plain sums."""

import numpy as np
import pytest

from waterview.waters.particles.kernels.field import convolve, splat


class TestSplat:
    def test_it_shares_out_all_that_lies_inside(self):
        rng = np.random.default_rng(6)
        x, z = rng.uniform(0, 28.9, 500).astype(np.float32), rng.uniform(0, 18.9, 500).astype(np.float32)
        weight = rng.normal(size=500).astype(np.float32)
        grid = np.zeros((20 + 6, 30 + 6), np.float32)
        splat(grid, 3, x, z, weight, 500)
        rows, columns = np.mgrid[-3:23, -3:33]
        assert grid.sum() == pytest.approx(weight.sum(), abs=1e-4)
        assert (grid * columns).sum() == pytest.approx((weight * x).sum(), abs=1e-2)
        assert (grid * rows).sum() == pytest.approx((weight * z).sum(), abs=1e-2)

    def test_what_lies_outside_is_left_out(self):
        grid = np.zeros((8, 8), np.float32)
        far = np.array([-50.0, 1e6, 3.0, 3.0], np.float32), np.array([3.0, 3.0, -2.5, 9.0], np.float32)
        splat(grid, 2, *far, np.ones(4, np.float32), 4)
        assert not grid.any()

    @pytest.mark.parametrize("far", [1e19, 3e38, np.inf, -np.inf, np.nan])
    def test_what_is_farther_away_than_whole_numbers_reach_is_left_out(self, far):
        """It was written to any place in memory."""
        around = np.zeros((24, 8), np.float32)
        for x, z in ((far, 3.0), (3.0, far), (far, far)):
            splat(around[8:16], 2, np.array([x], np.float32), np.array([z], np.float32), np.ones(1, np.float32), 1)
        assert not around.any()


@pytest.mark.parametrize("down", [False, True])
@pytest.mark.parametrize("odd", [False, True])
@pytest.mark.parametrize("columns", [3, 300])
@pytest.mark.parametrize("taps", [0, 4, 12])
def test_the_filter_is_a_plain_convolution(down, odd, columns, taps):
    rng = np.random.default_rng(7)
    weights = rng.normal(size=taps + 1).astype(np.float32)
    if odd:
        weights[0] = 0.0
    rows, margin = 5, taps + 1
    room = (2 * margin, 0) if down else (0, 2 * margin)
    source = rng.normal(size=(rows + room[0], columns + room[1])).astype(np.float32)
    out = rng.normal(size=(rows, columns)).astype(np.float32)
    before = out.astype(float)
    full = np.concatenate((-weights[:0:-1] if odd else weights[:0:-1], weights)).astype(float)
    axis = 0 if down else 1
    expected = np.apply_along_axis(lambda line: np.convolve(line, full, "valid"), axis, source.astype(float))
    expected = expected[1:-1] if down else expected[:, 1:-1]
    convolve(out, source, columns, margin, down, weights, odd, True)
    np.testing.assert_allclose(out, before + expected, atol=1e-4)
    convolve(out, source, columns, margin, down, weights, odd, False)
    np.testing.assert_allclose(out, expected, atol=1e-4)

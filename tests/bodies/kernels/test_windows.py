"""Windows, basins and smoothing, against plain twins."""

import numpy as np
import pytest

from waterview.bodies.kernels.records import BLOCK, Ground
from waterview.bodies.kernels.windows import only_basin, smooth_basins, union, widened
from waterview.waters.common.kernels.basins import label_basins


def smoothed(change, basins):
    """¼, ½, ¼ along both axes, twice, exchanging only between neighbours of one basin."""
    result = change.astype(float)
    for axis in (0, 1, 0, 1):
        values, numbers = np.moveaxis(result, axis, 0), np.moveaxis(basins, axis, 0)
        flow = 0.25 * (values[1:] - values[:-1]) * (numbers[1:] == numbers[:-1])
        after = values.copy()
        after[:-1] += flow
        after[1:] -= flow
        result = np.moveaxis(after, 0, axis)
    return result


def test_blocks_know_their_ground_and_whether_they_are_open():
    rng = np.random.default_rng(4)
    bed, fixed = rng.normal(size=(40, 70)).astype(np.float32), np.zeros((40, 70), bool)
    fixed[5, 20] = True
    ground = Ground.of(bed, fixed)
    assert ground.blocks.shape == ground.tops.shape == (3, 5)
    assert ground.blocks[0, 1] == 0
    assert (np.delete(ground.blocks.ravel(), 1) == 1).all()
    for i in range(3):
        for j in range(5):
            rows, columns = (slice(max(k * BLOCK - 1, 0), (k + 1) * BLOCK + 1) for k in (i, j))
            assert ground.tops[i, j] == bed[rows, columns].max()


def test_unions_and_margins():
    assert union((3, 4, 5, 6), (10, 2, 1, 3)) == (3, 2, 8, 8)
    assert union((3, 4, 5, 6), (0, 0, 0, 0)) == (3, 4, 5, 6)
    assert union((0, 0, 0, 7), (3, 4, 5, 6)) == (3, 4, 5, 6)
    assert widened((3, 4, 5, 6), 4, (20, 12)) == (0, 0, 12, 12)
    assert widened((30, 4, 5, 6), 4, (20, 12)) == (26, 0, 0, 12)


def test_the_only_basin_of_a_window():
    basins = np.array([[0, 2, 2], [0, 2, 0], [3, 0, 0]], np.int32)
    assert only_basin(basins, (0, 0, 2, 3)) == 2
    assert only_basin(basins, (0, 0, 3, 3)) == 0
    assert only_basin(basins, (2, 1, 1, 2)) == 0


@pytest.mark.parametrize("shape", [(2, 2), (2, 9), (9, 2), (3, 3), (12, 16), (30, 33)])
def test_smoothing_at_shores_and_edges_keeps_every_basin_to_itself(shape):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        free = rng.random((40, 60)) < 0.8
        free[:, 35] = False
        basins = label_basins(~free)
        window = (40 - shape[0], 60 - shape[1] - seed, *shape)
        part = basins[window[0] : window[0] + shape[0], window[1] : window[1] + shape[1]]
        change = np.where(part > 0, rng.normal(size=shape), 0.0).astype(np.float32)
        expected, sums = smoothed(change, part), [change[part == k].sum(dtype=float) for k in np.unique(part)]
        smooth_basins(change, np.full_like(change, np.nan), window, basins)
        np.testing.assert_allclose(change, expected, atol=1e-6)
        np.testing.assert_allclose([change[part == k].sum(dtype=float) for k in np.unique(part)], sums, atol=1e-5)

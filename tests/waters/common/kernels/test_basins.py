"""Basins, against flooding one after another."""

import numpy as np
import pytest

from waterview.waters.common.kernels.basins import fill_labels, label_basins


def flooded(land):
    """Numbers of the connected parts beside `land`, by flooding one after another."""
    free, waters, count = ~land, np.zeros(land.shape, int), 0
    for seed in zip(*np.nonzero(free), strict=True):
        if waters[seed]:
            continue
        count, waiting = count + 1, [seed]
        while waiting:
            i, j = waiting.pop()
            if 0 <= i < free.shape[0] and 0 <= j < free.shape[1] and free[i, j] and not waters[i, j]:
                waters[i, j] = count
                waiting += [(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)]
    return waters


@pytest.mark.parametrize("share", [0.0, 0.2, 0.4, 0.5, 0.7, 1.0])
@pytest.mark.parametrize("shape", [(37, 23), (1, 9), (2, 2), (40, 64)])
def test_basins_are_the_connected_parts_in_the_order_of_their_first_points(shape, share):
    for seed in range(4):
        land = np.random.default_rng(seed).random(shape) < share
        np.testing.assert_array_equal(label_basins(land), flooded(land))


def test_a_spiral_is_one_basin_and_a_chessboard_many():
    land = np.zeros((13, 13), bool)
    land[1, :-1] = land[1:-1, -2] = land[-2, 1:-1] = land[3:-1, 1] = True
    np.testing.assert_array_equal(label_basins(land), flooded(land))
    board = np.indices((6, 8)).sum(axis=0) % 2 == 0
    assert label_basins(board).max() == 24


def test_land_that_may_not_be_written_is_not_compiled_for_anew():
    land = np.zeros((5, 5), bool)
    label_basins(land)
    land.setflags(write=False)
    label_basins(land)
    assert len(fill_labels.signatures) == 1

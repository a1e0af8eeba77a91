"""Tridiagonal systems against dense ones."""

import numpy as np
import pytest

from waterview.waters.shallow.kernels.tridiagonal import solve_columns, solve_rows


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (1, 9), (9, 1), (5, 40), (33, 7)])
@pytest.mark.parametrize("down", [False, True])
def test_solutions_solve_the_systems(shape, down):
    rng = np.random.default_rng(1)
    beside = rng.uniform(-1.0, 1.0, shape)
    diagonal, right = rng.uniform(2.1, 4.0, shape), rng.normal(size=shape)
    solved = right.copy()
    (solve_columns if down else solve_rows)(diagonal, beside, solved, np.zeros(shape))
    for d, b, r, y in zip(*((a.T if down else a) for a in (diagonal, beside, right, solved)), strict=True):
        matrix = np.diag(d) + np.diag(b[:-1], 1) + np.diag(b[:-1], -1)
        np.testing.assert_allclose(y, np.linalg.solve(matrix, r), atol=1e-13)


def test_what_dies_away_becomes_nothing():
    diagonal, beside, right = np.full((1, 400), 3.0), np.full((1, 400), -1.0), np.zeros((1, 400))
    right[0, 0] = 1.0
    solve_rows(diagonal, beside, right, np.zeros((1, 400)))
    assert right[0, 100] > 0.0 and right[0, 399] == 0.0
    assert np.abs(right[right != 0.0]).min() > 1e-100

"""Multigrid: equality with a direct solver, and how fast a V-cycle converges."""

import numpy as np
import pytest
from scipy import sparse

from waterview.waters.shallow.kernels.multigrid import (
    ALONG_X,
    ALONG_Z,
    EXCESS,
    INVERSE,
    RIGHT,
    SOLUTION,
    coarsening,
    make_levels,
    planes_of,
    run,
    v_cycle,
)


class Problem:
    """s·y + Σ k·(y − y of the neighbour) = right on a grid; cells of `land` take no part."""

    def __init__(self, shape, excess, land=None, seed=1, spread=0.3):
        rng = np.random.default_rng(seed)
        self.shape, (nz, nx) = shape, shape
        land = np.zeros(shape, bool) if land is None else land
        self.levels, self.table = make_levels(nz, nx)
        self.planes = planes_of(self.levels, self.table, 0)
        s, right = np.where(land, 0.0, excess), np.where(land, 0.0, rng.normal(size=shape))
        x, z = (np.exp(spread * rng.normal(size=shape)) for _ in range(2))
        x[:, :-1] *= ~(land[:, :-1] | land[:, 1:])
        z[:-1] *= ~(land[:-1] | land[1:])
        x[:, -1], z[-1] = 0.0, 0.0
        diagonal = s + x + z
        diagonal[:, 1:] += x[:, :-1]
        diagonal[1:] += z[:-1]
        inverse = np.where(land, 0.0, 1.0 / np.where(diagonal == 0.0, 1.0, diagonal))
        for plane, values in ((EXCESS, s), (RIGHT, right), (ALONG_X, x), (ALONG_Z, z), (INVERSE, inverse)):
            self.planes[plane] = values
        number = np.arange(nz * nx).reshape(shape)
        matrix = sparse.diags_array(np.where(land, 1.0, diagonal).ravel(), format="csc")
        for k, here, there in ((x[:, :-1], number[:, :-1], number[:, 1:]), (z[:-1], number[:-1], number[1:])):
            neighbours = sparse.coo_array((k.ravel(), (here.ravel(), there.ravel())), matrix.shape)
            matrix = matrix - neighbours - neighbours.T
        self.exact = sparse.linalg.spsolve(matrix.tocsc(), right.ravel()).reshape(shape)

    def cycle(self, depth, cycles):
        """The error after each of some cycles, as a share of the solution."""
        run(self.levels, self.table, coarsening(depth))
        errors = []
        for _ in range(cycles):
            run(self.levels, self.table, v_cycle(depth))
            found = self.planes[SOLUTION]
            errors.append(np.abs(found - self.exact).max() / np.abs(self.exact).max())
        return errors


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(2, 2), (3, 40), (33, 47), (64, 64)])
@pytest.mark.parametrize("excess", [1e-2, 0.3, 10.0])
def test_cycles_end_at_the_solution(shape, excess):
    problem = Problem(shape, excess)
    errors = problem.cycle(len(problem.table), 14)
    assert errors[-1] < 3e-4


@pytest.mark.slow
@pytest.mark.parametrize("excess", [1e-3, 0.1])
def test_a_cycle_leaves_a_third_of_the_error_at_most(excess):
    problem = Problem((64, 96), excess, spread=0.1)
    errors = problem.cycle(len(problem.table), 4)
    assert errors[0] < 0.3 and errors[3] < 0.3**3 * errors[0]  # measured: 0.19 and 0.22 to 0.25 each


@pytest.mark.slow
def test_cells_without_part_stay_0_and_hold_nothing_up():
    land = np.zeros((48, 64), bool)
    land[10:20, 5:30] = True
    problem = Problem((48, 64), 1e-2, land, spread=0.1)
    assert problem.cycle(len(problem.table), 12)[-1] < 1e-4
    assert not problem.planes[SOLUTION][land].any()


@pytest.mark.slow
def test_one_level_is_enough_where_cells_are_hardly_coupled():
    assert Problem((30, 40), 20.0).cycle(1, 3)[-1] < 1e-5

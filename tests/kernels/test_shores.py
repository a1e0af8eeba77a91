"""Shores without flux: which weights points beside land get, and what follows from them."""

import numpy as np
import pytest
import reference_shores

from waterview.kernels.borders import Sides
from waterview.kernels.grid_step import Basin, advance
from waterview.kernels.layout import TwoLevels
from waterview.kernels.shores import NEIGHBOURS, shores_of
from waterview.kernels.wave import STENCILS

WALLS = Sides(*["reflecting"] * 4)
LARGEST = {stencil.corner: stencil.largest_symbol / stencil.laplacians for stencil in STENCILS.values()}


def matrix(fixed, corner):
    """L as a matrix over all points, from the weights beside land and the plain stencil elsewhere."""
    nz, nx = fixed.shape
    plain = [corner if dz and dx else 1.0 - 2.0 * corner for dz, dx in NEIGHBOURS]
    shores = shores_of(fixed, corner)
    out = np.zeros((nz * nx, nz * nx))
    for i in range(nz):
        mended = dict(
            zip(
                shores.columns[shores.first[i] : shores.first[i + 1]],
                shores.weights[shores.first[i] : shores.first[i + 1]],
                strict=True,
            )
        )
        for j in range(nx):
            if fixed[i, j]:
                continue
            for (dz, dx), weight in zip(NEIGHBOURS, mended.get(j, plain), strict=True):
                k, m = min(max(i + dz, 0), nz - 1), min(max(j + dx, 0), nx - 1)
                out[i * nx + j, k * nx + m] += weight
                out[i * nx + j, i * nx + j] -= weight
    return out


@pytest.mark.parametrize("corner", LARGEST)
@pytest.mark.parametrize("land", [0.03, 0.3, 0.6])
def test_what_flows_out_of_one_point_flows_into_another_and_the_limit_stays(corner, land):
    for seed in range(12):
        fixed = np.random.default_rng(seed).random((9, 11)) < land
        out = matrix(fixed, corner)
        np.testing.assert_allclose(out, out.T, atol=1e-7)
        np.testing.assert_allclose(out.sum(axis=0), 0.0, atol=1e-6)
        assert not out[fixed.ravel()].any()
        assert -np.linalg.eigvalsh(out).min() <= LARGEST[corner] + 1e-6


def test_a_straight_wall_is_a_reflecting_border():
    rng = np.random.default_rng(0)
    start = rng.uniform(-1.0, 1.0, (12, 15))
    for stencil in STENCILS:
        small, large = TwoLevels((12, 15)), TwoLevels((18, 21))
        fixed = np.pad(np.zeros((12, 15), bool), 3, constant_values=True)
        small.heights[...] = small.heights_before[...] = start
        large.heights[3:-3, 3:-3] = large.heights_before[3:-3, 3:-3] = start
        rules = {"stencil": stencil, "kappa": 0.01, "courant": 0.4, "steps": 200}
        advance(small, Basin(np.zeros((12, 15), bool), WALLS), **rules)
        advance(large, Basin(fixed, Sides(*["zero"] * 4)), **rules)
        np.testing.assert_allclose(large.heights[3:-3, 3:-3], small.heights, atol=4e-6)
        assert not large.heights[fixed].any()


@pytest.mark.parametrize("stencil", STENCILS)
def test_water_does_not_leak_through_a_slanting_wall(stencil):
    fixed = np.eye(24, dtype=bool)
    field = TwoLevels((24, 24))
    field.heights[4:8, 14:18] = field.heights_before[4:8, 14:18] = 1.0
    advance(field, Basin(fixed, WALLS), stencil=stencil, kappa=0.0, courant=0.4, steps=300)
    below = np.tri(24, k=-1, dtype=bool)
    assert not field.heights[below].any()
    assert field.heights[~below].sum(dtype=float) == pytest.approx(16.0, abs=1e-3)


@pytest.mark.parametrize("stencil", STENCILS)
def test_a_level_surface_stays_level_around_islands(stencil):
    fixed = np.random.default_rng(3).random((20, 30)) < 0.2
    field = TwoLevels((20, 30))
    level = np.where(fixed, 0.0, np.float32(0.37))
    field.heights[...] = field.heights_before[...] = level
    advance(field, Basin(fixed, WALLS), stencil=stencil, kappa=0.0, courant=0.6, steps=500)
    np.testing.assert_array_equal(field.heights, level.astype(np.float32))


@pytest.mark.parametrize(
    "sides",
    [
        WALLS,
        Sides("zero", "zero", "zero", "zero"),
        Sides("wrapping", "reflecting", "wrapping", "zero"),
        Sides("zero", "wrapping", "reflecting", "wrapping"),
        Sides("wrapping", "wrapping", "wrapping", "wrapping"),
    ],
    ids="-".join,
)
@pytest.mark.parametrize("shore", ["no-flux", "zero"])
@pytest.mark.parametrize("stencil", STENCILS)
def test_random_islands_follow_the_plain_twin(sides, shore, stencil):
    chosen = STENCILS[stencil]
    for seed in range(3):
        rng = np.random.default_rng(seed)
        fixed = rng.random((9, 13)) < 0.25
        now, before = (np.where(fixed, 0.0, rng.uniform(-1.0, 1.0, fixed.shape)) for _ in range(2))
        field = TwoLevels(fixed.shape)
        field.heights[...], field.heights_before[...] = now, before
        rules = {"kappa": 0.03, "courant": 0.45, "steps": 12}
        advance(field, Basin(fixed, sides, shore), stencil=stencil, **rules)
        exact = reference_shores.run(
            now, before, fixed, sides, shore, corner=chosen.corner, laplacians=chosen.laplacians, **rules
        )
        np.testing.assert_allclose(field.heights, exact, atol=1e-5)

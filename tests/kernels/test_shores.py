"""Shores without flux: which weights points beside land get, and what follows from them."""

import numpy as np
import pytest
import reference_shores

from waterview.kernels.borders import Sides
from waterview.kernels.grid_step import Basin, advance
from waterview.kernels.layout import TwoLevels
from waterview.kernels.shores import LAND, NEIGHBOURS, OPEN, shores_of
from waterview.kernels.vectors import PLAIN
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
        np.testing.assert_allclose(large.heights[3:-3, 3:-3], small.heights, atol=5e-6)
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


def coast(shape=(37, 150)):
    """Open water, ragged shores and wide land side by side, so that rows have groups of every kind next to others."""
    z, x = np.mgrid[: shape[0], : shape[1]]
    ragged = np.random.default_rng(5).random(shape) < 0.3
    return (np.abs(x - 75 - 20 * np.sin(z / 6.0)) < 26) | (ragged & (np.abs(x - 30) < 6)) | ((z > 30) & (x > 140))


def test_groups_are_of_every_kind_and_say_what_the_weights_say():
    fixed = coast()
    for corner in LARGEST:
        shores = shores_of(fixed, corner)
        numbers, sides, masks = shores.groups
        assert {OPEN, LAND} < set(numbers.ravel())
        rows = np.repeat(np.arange(len(fixed)), np.diff(shores.first))
        group, place = numbers[rows, shores.columns // 16], shores.columns % 16
        assert (group >= 0).all() and len(np.unique(group)) == len(masks)
        unit = corner or 1.0
        for k, weight in enumerate((1, 3, 4, 6)):
            np.testing.assert_allclose(unit * sides[4 * group + k, place], shores.weights[:, weight], rtol=1e-6)
        for k, weight in enumerate((0, 2, 5, 7)):
            np.testing.assert_array_equal(masks[group, k] >> place & 1, shores.weights[:, weight] > 0.0)
        beside = np.zeros((*numbers.shape, 16), bool)
        beside[rows, shores.columns // 16, place] = True
        told = masks[numbers[numbers >= 0], 4][:, None] >> np.arange(16) & 1
        np.testing.assert_array_equal(told, beside[numbers >= 0])
        np.testing.assert_array_equal(masks[:, 4] ^ masks[:, 5], 0xFFFF)


@pytest.mark.parametrize("stencil", STENCILS)
def test_a_wide_coast_follows_the_plain_twin_and_heights_on_land_become_0(stencil):
    chosen, fixed = STENCILS[stencil], coast()
    now, before = np.random.default_rng(6).uniform(-1.0, 1.0, (2, *fixed.shape))
    field = TwoLevels(fixed.shape)
    field.heights[...], field.heights_before[...] = np.where(fixed, 0.0, now), np.where(fixed, 9.0, before)
    rules = {"kappa": 0.03, "courant": 0.45, "steps": 12}
    advance(field, Basin(fixed, WALLS), stencil=stencil, **rules)
    exact = reference_shores.run(
        np.where(fixed, 0.0, now),
        np.where(fixed, 0.0, before),
        fixed,
        WALLS,
        "no-flux",
        corner=chosen.corner,
        laplacians=chosen.laplacians,
        **rules,
    )
    np.testing.assert_allclose(field.heights, exact, atol=1e-5)
    assert not field.heights[fixed].any() and not field.heights_before[fixed].any()


@pytest.mark.parametrize("stencil", ["five-point", "isotropic"])
def test_how_a_wide_coast_is_cut_up_changes_no_bit(stencil):
    fixed, results = coast(), set()
    start = np.where(fixed, 0.0, np.random.default_rng(7).uniform(-1.0, 1.0, fixed.shape))
    for threads, depth, lanes in [(1, 1, None), (1, 16, None), (2, 5, None), (3, 8, None), (1, 7, 4), (1, 4, PLAIN)]:
        field = TwoLevels(fixed.shape)
        field.heights[...] = field.heights_before[...] = start
        rules = {"stencil": stencil, "kappa": 0.02, "courant": 0.5, "threads": threads, "depth": depth}
        advance(field, Basin(fixed, WALLS), **rules, steps=33, lanes=lanes)
        results.add(field.heights.tobytes() + field.heights_before.tobytes())
    assert len(results) == 1

"""Shores without flux: which weights points beside land get, and what follows from them."""

import numpy as np
import pytest
from reference import shores as reference_shores

from waterview.simd.layout import TwoLevels
from waterview.waters.common.borders import Sides
from waterview.waters.wave.domain import Domain
from waterview.waters.wave.step import STENCILS, advance

WALLS = Sides(*["reflecting"] * 4)


def matrix(fixed, stencil):
    """L as a matrix over all points: what a step makes of each of them alone."""
    n, chosen = fixed.size, STENCILS[stencil]
    out = np.zeros((n, n))
    domain = Domain(fixed, WALLS)
    for k in np.flatnonzero(~fixed):
        field = TwoLevels(fixed.shape)
        field.heights[divmod(k, fixed.shape[1])] = 1.0
        field.heights_before[...] = field.heights
        advance(field, domain, stencil=stencil, damping=0.0, courant=1.0 / np.sqrt(chosen.gain))
        out[:, k] = (field.heights.ravel() - (np.arange(n) == k)) * chosen.gain
    return out


@pytest.mark.slow
@pytest.mark.parametrize("stencil", STENCILS)
@pytest.mark.parametrize("land", [0.03, 0.3, 0.6])
def test_what_flows_out_of_one_point_flows_into_another_and_the_limit_stays(stencil, land):
    for seed in range(12):
        fixed = np.random.default_rng(seed).random((9, 11)) < land
        out = matrix(fixed, stencil)
        np.testing.assert_allclose(out, out.T, atol=1e-7)
        np.testing.assert_allclose(out.sum(axis=0), 0.0, atol=1e-6)
        assert not out[fixed.ravel()].any()
        assert -np.linalg.eigvalsh(out).min() <= STENCILS[stencil].largest_symbol + 1e-6


def test_a_straight_wall_is_a_reflecting_border():
    rng = np.random.default_rng(0)
    start = rng.uniform(-1.0, 1.0, (12, 15))
    for stencil in STENCILS:
        small, large = TwoLevels((12, 15)), TwoLevels((18, 21))
        fixed = np.pad(np.zeros((12, 15), bool), 3, constant_values=True)
        small.heights[...] = small.heights_before[...] = start
        large.heights[3:-3, 3:-3] = large.heights_before[3:-3, 3:-3] = start
        rules = {"stencil": stencil, "damping": 0.01, "courant": 0.4, "steps": 200}
        advance(small, Domain(np.zeros((12, 15), bool), WALLS), **rules)
        advance(large, Domain(fixed, Sides(*["zero"] * 4)), **rules)
        np.testing.assert_array_equal(large.heights[3:-3, 3:-3], small.heights)
        assert not large.heights[fixed].any()


@pytest.mark.parametrize("stencil", STENCILS)
def test_water_does_not_leak_through_a_slanting_wall(stencil):
    fixed = np.eye(24, dtype=bool)
    field = TwoLevels((24, 24))
    field.heights[4:8, 14:18] = field.heights_before[4:8, 14:18] = 1.0
    advance(field, Domain(fixed, WALLS), stencil=stencil, damping=0.0, courant=0.4, steps=300)
    below = np.tri(24, k=-1, dtype=bool)
    assert not field.heights[below].any()
    assert field.heights[~below].sum(dtype=float) == pytest.approx(16.0, abs=1e-3)


@pytest.mark.parametrize("stencil", STENCILS)
def test_a_level_surface_stays_level_around_islands(stencil):
    fixed = np.random.default_rng(3).random((20, 30)) < 0.2
    field = TwoLevels((20, 30))
    level = np.where(fixed, 0.0, np.float32(0.37))
    field.heights[...] = field.heights_before[...] = level
    advance(field, Domain(fixed, WALLS), stencil=stencil, damping=0.0, courant=0.6, steps=500)
    np.testing.assert_array_equal(field.heights, level.astype(np.float32))


@pytest.mark.sampled
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
        rules = {"damping": 0.03, "courant": 0.45, "steps": 12}
        advance(field, Domain(fixed, sides, shore), stencil=stencil, **rules)
        exact = reference_shores.run(
            now, before, fixed, sides, shore, corner=chosen.corner, laplacians=chosen.laplacians, **rules
        )
        np.testing.assert_allclose(field.heights, exact, atol=1e-5)


def coast(shape=(37, 150)):
    """Open water, ragged shores and wide land side by side, so that rows have groups of every kind next to others."""
    z, x = np.mgrid[: shape[0], : shape[1]]
    ragged = np.random.default_rng(5).random(shape) < 0.3
    return (np.abs(x - 75 - 20 * np.sin(z / 6.0)) < 26) | (ragged & (np.abs(x - 30) < 6)) | ((z > 30) & (x > 140))


@pytest.mark.sampled
@pytest.mark.parametrize("stencil", STENCILS)
def test_a_wide_coast_follows_the_plain_twin_and_heights_on_land_become_0(stencil):
    chosen, fixed = STENCILS[stencil], coast()
    now, before = np.random.default_rng(6).uniform(-1.0, 1.0, (2, *fixed.shape))
    field = TwoLevels(fixed.shape)
    field.heights[...], field.heights_before[...] = np.where(fixed, 0.0, now), np.where(fixed, 9.0, before)
    rules = {"damping": 0.03, "courant": 0.45, "steps": 12}
    advance(field, Domain(fixed, WALLS), stencil=stencil, **rules)
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


@pytest.mark.slow
@pytest.mark.parametrize("stencil", ["five-point", "isotropic"])
def test_how_a_wide_coast_is_cut_up_changes_no_bit(stencil):
    fixed, results = coast(), set()
    start = np.where(fixed, 0.0, np.random.default_rng(7).uniform(-1.0, 1.0, fixed.shape))
    for threads, depth, vector_width in [
        (1, 1, None),
        (1, 16, None),
        (2, 5, None),
        (3, 8, None),
        (1, 7, 4),
        (1, 4, 8),
    ]:
        field = TwoLevels(fixed.shape)
        field.heights[...] = field.heights_before[...] = start
        rules = {"stencil": stencil, "damping": 0.02, "courant": 0.5, "threads": threads, "depth": depth}
        advance(field, Domain(fixed, WALLS), **rules, steps=33, vector_width=vector_width)
        results.add(field.heights.tobytes() + field.heights_before.tobytes())
    assert len(results) == 1

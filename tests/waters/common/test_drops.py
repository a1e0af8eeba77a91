"""The shapes of drops and gusts on a grid."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waterview.core.commands import Drop, Gust
from waterview.core.grid import Grid
from waterview.waters.common.drops import MAX_ROWS, drop_heights, gust_drops

GRID = Grid((30, 40), 0.5, (-10.0, 0.0, -5.0))
LAKE = Grid((101, 201), 0.5)
WET = np.zeros(GRID.shape, bool)


def added(drop, grid=GRID, fixed=WET):
    """What the drop adds, on the whole grid."""
    field = np.zeros(grid.shape)
    shape = drop_heights(drop, grid, fixed)
    if shape is not None:
        window, heights = shape
        field[window] += heights
    return field


def test_it_is_a_cosine_bump_around_its_centre():
    drop = Drop(x=0.3, z=2.1, height=0.7, radius=2.2, neutral=False)
    distance = np.hypot(GRID.x[None, :] - drop.x, GRID.z[:, None] - drop.z)
    expected = np.where(distance < 2.2, 0.7 * 0.5 * (np.cos(np.pi * distance / 2.2) + 1.0), 0.0)
    np.testing.assert_allclose(added(drop), expected, atol=1e-12)


def test_a_neutral_drop_is_the_same_bump_with_a_ring_around_it():
    drop = Drop(x=0.3, z=2.1, height=0.7, radius=2.2)
    distance = np.hypot(GRID.x[None, :] - drop.x, GRID.z[:, None] - drop.z)
    plain, neutral = added(Drop(x=0.3, z=2.1, height=0.7, radius=2.2, neutral=False)), added(drop)
    np.testing.assert_allclose(neutral[distance < 2.2], plain[distance < 2.2], atol=1e-12)
    assert (neutral[(distance > 2.2) & (distance < 4.4)] <= 0.0).all()
    assert not neutral[distance > 4.4].any()
    assert neutral.min() > -0.25 * 0.7


def test_a_hole_is_a_bump_turned_over():
    bump, hole = Drop(0.0, 0.0, 0.4, 1.5), Drop(0.0, 0.0, -0.4, 1.5)
    np.testing.assert_array_equal(added(bump), -added(hole))


@pytest.mark.slow
@settings(max_examples=200)
@given(
    x=st.floats(-14.0, 14.0),
    z=st.floats(-9.0, 14.0),
    radius=st.floats(0.01, 30.0),
    land=st.sampled_from([0.0, 0.1, 0.5, 0.95, 0.999]),
    seed=st.integers(0, 999),
)
def test_a_neutral_drop_keeps_the_volume_and_never_digs_deeper_than_it_is_high(x, z, radius, land, seed):
    fixed = np.random.default_rng(seed).random(GRID.shape) < land
    field = added(Drop(x, z, 0.8, radius), fixed=fixed)
    assert abs(field.sum()) <= 1e-12 * np.abs(field).sum()
    assert np.abs(field).max() <= 0.8
    assert not field[fixed].any()


@pytest.mark.slow
@settings(max_examples=100)
@given(x=st.floats(-10.2, 9.7), z=st.floats(-5.2, 9.7), radius=st.floats(1e-6, 0.5), neutral=st.booleans())
def test_however_small_it_moves_the_nearest_point(x, z, radius, neutral):
    ix, iz = GRID.nearest(x, z)
    field = added(Drop(x, z, 1.0, radius, neutral))
    assert field[iz, ix] == field.max() > 0.1


def test_on_dry_ground_or_beside_the_water_there_is_no_drop():
    fixed = np.zeros(GRID.shape, bool)
    fixed[5:25, 5:35] = True
    assert drop_heights(Drop(0.0, 2.0, 1.0, 1.0), GRID, fixed) is None
    assert drop_heights(Drop(50.0, 2.0, 1.0, 3.0), GRID, WET) is None
    assert drop_heights(Drop(0.0, 2.0, 1.0, 1.0), GRID, np.ones(GRID.shape, bool)) is None


def test_beside_the_shore_only_the_water_takes_part():
    fixed = np.zeros(GRID.shape, bool)
    fixed[:, :20] = True
    field = added(Drop(0.1, 2.0, 1.0, 2.0), fixed=fixed)
    assert field[:, 20:].any() and not field[:, :20].any()


def test_in_a_pond_without_room_for_the_ring_all_water_gives():
    fixed = np.ones(GRID.shape, bool)
    fixed[10:13, 10:13] = False
    fixed[20, 20:25] = False
    field = added(Drop(*GRID.positions()[11, 11], 1.0, 2.0), fixed=fixed)
    assert abs(field.sum()) < 1e-12
    assert field[11, 11] == field.max() > 0.0
    assert (field[20, 20:25] == field[20, 20]).all() and field[20, 20] < 0.0


@pytest.mark.parametrize("neutral", [True, False])
@pytest.mark.parametrize("radius", [5e-324, 1e-9, 1e9, 1e300])
@pytest.mark.parametrize("x", [-1e308, 0.0, 1e308])
@pytest.mark.parametrize("spacing", [1e-300, 0.5, 1e300])
def test_the_farthest_and_widest_drops_give_finite_heights(x, radius, spacing, neutral):
    grid = Grid((4, 5), spacing)
    field = added(Drop(x, 0.0, -1e5, radius, neutral), grid, np.zeros((4, 5), bool))
    assert np.isfinite(field).all()
    assert np.abs(field).max() <= 1e5


def test_a_gust_has_as_much_trough_as_crest_on_its_path():
    drops = gust_drops(Gust(20.0, 10.0, 30.0, 0.0, 0.2, 6.0), LAKE)
    assert sum(drop.height for drop in drops) == pytest.approx(0.0, abs=1e-12)
    assert max(drop.height for drop in drops) == pytest.approx(0.2, rel=0.2)
    assert all(20.0 <= drop.x <= 50.0 and 7.0 <= drop.z <= 13.0 for drop in drops)
    assert all(isinstance(drop, Drop) and drop.neutral for drop in drops)


def test_a_gust_turns_with_its_direction():
    east = gust_drops(Gust(0.0, 0.0, 30.0, 0.0, 0.2, 6.0), LAKE)
    south = gust_drops(Gust(0.0, 0.0, 0.0, 30.0, 0.2, 6.0), LAKE)
    np.testing.assert_allclose([(drop.z, -drop.x) for drop in south], [(drop.x, drop.z) for drop in east], atol=1e-12)


def test_crests_of_a_gust_stand_across_the_wind():
    drops = gust_drops(Gust(0.0, 0.0, 30.0, 0.0, 0.2, 6.0), LAKE)
    rows = {}
    for drop in drops:
        rows.setdefault(round(drop.x, 6), set()).add(np.sign(drop.height))
    assert all(len(signs) == 1 for signs in rows.values())
    assert [signs.pop() for _, signs in sorted(rows.items())] == [1.0, -1.0] * (len(rows) // 2)


@pytest.mark.parametrize("width", [1e-9, 1e9])
@pytest.mark.parametrize("length", [1e-9, 1e6])
def test_even_absurd_gusts_are_few_drops(width, length):
    assert len(gust_drops(Gust(0.0, 0.0, length, 0.0, 1.0, width), LAKE)) <= 2 * MAX_ROWS * 16

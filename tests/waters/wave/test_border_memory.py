"""The arrays of layers: how strongly they absorb, where they are land, and what goes over from one set to another."""

import numpy as np
import pytest
from support.fields import dry

from waterview.simd.layout import PAD
from waterview.waters.wave.pml_arrays import BEYOND, DEPTH, make_layers, profile

OPEN = ("open",) * 4


def filled(sides, fixed):
    layers = make_layers(sides, fixed, True)
    for array in layers.memory.values():
        array[...] = np.random.default_rng(1).uniform(1.0, 2.0, array.shape)
    return layers


@pytest.mark.parametrize("courant", [0.1, 0.9])
def test_a_layer_damps_more_the_deeper_and_as_much_in_all_at_any_courant_number(courant):
    at, between = profile(courant)
    decay = -np.log(np.ravel([at, between], order="F").astype(float)) / courant
    assert (np.diff(decay) > 0.0).all()
    # Simpson's rule on σ at the depths ½, 1, 1½ …, and nothing at 0: exact for its square.
    assert np.dot([1, 4, 2, 4, 2, 4, 2, 4, 1], [0.0, *decay]) / 6.0 == pytest.approx(4.0, rel=1e-5)


def test_without_open_sides_there_is_no_room():
    assert not any(array.size for array in make_layers(("zero",) * 4, dry((9, 7)), True)[0])


@pytest.mark.parametrize("flowing", [True, False])
def test_land_at_the_edge_goes_on_outwards(flowing):
    fixed = dry((6, 5))
    fixed[0, :2] = fixed[4, -1] = True
    layers = make_layers(OPEN, fixed, flowing)
    (north, south), (east, west) = layers.row_land.wet, layers.column_land.wet
    np.testing.assert_array_equal(north[PAD : PAD + 5], [0, 0, 1, 1, 1])
    assert south[PAD : PAD + 5].all() and not layers.row_land.wet[:, PAD + 5 :].any()
    np.testing.assert_array_equal(west, [0] * (BEYOND + 1) + [1] * (5 + BEYOND))
    np.testing.assert_array_equal(east[BEYOND:-BEYOND], [1, 1, 1, 1, 0, 1])
    links = layers.column_land.links[0, BEYOND : BEYOND + 7]
    np.testing.assert_array_equal(links, [1, 1, 1, 1, 0, 0, 1] if flowing else 1)


def test_links_go_around_where_the_grid_wraps():
    fixed = dry((6, 5))
    fixed[0, 0] = True
    rows = make_layers(("open", "wrapping") * 2, fixed, True).row_land
    np.testing.assert_array_equal(rows.links[0, PAD : PAD + 6], [0, 0, 1, 1, 1, 0])


def test_turned_layers_have_their_levels_exchanged():
    layers = filled(OPEN, dry((6, 5)))
    turned = layers.turned()
    for state, other in ((layers.rows, turned.rows), (layers.columns, turned.columns)):
        assert state.now is other.before and state.before is other.now and state.outer is other.outer


def test_all_is_taken_over_where_all_sides_are_alike():
    its, mine = filled(OPEN, dry((6, 5))), make_layers(OPEN, dry((6, 5)), True)
    mine.take_over(its, (True,) * 4)
    for name, array in mine.memory.items():
        heights = name.endswith(("now", "before"))
        shown = (..., slice(PAD, PAD + 5)) if name.startswith("rows") and heights else ...
        np.testing.assert_array_equal(array[shown], its.memory[name][shown], err_msg=name)


def test_a_corner_is_taken_over_with_both_of_its_sides_only():
    sides = ("open", "open", "zero", "open")
    its, mine = filled(sides, dry((6, 5))), make_layers(OPEN, dry((6, 5)), True)
    mine.take_over(its, (True, True, False, False))
    east, west = mine.columns.outer
    assert east[:-BEYOND].all() and not east[-BEYOND:].any() and not west.any()
    assert mine.rows.outer[0].all() and not mine.rows.outer[1].any()
    (north_east, north_west), south = mine.corners
    assert north_east.all() and not north_west.any() and not south.any()


def test_new_land_becomes_level():
    its, fixed = filled(OPEN, dry((6, 5))), dry((6, 5))
    fixed[2, 0] = fixed[5, 4] = True
    mine = make_layers(OPEN, fixed, True)
    mine.take_over(its, (True,) * 4)
    east, west = mine.columns.now
    assert not west[BEYOND + 2].any() and west[BEYOND + 3].all()
    assert not east[BEYOND + 5 :].any()
    np.testing.assert_array_equal(mine.rows.now[1, :, PAD : PAD + 5] != 0.0, [[True] * 4 + [False]] * DEPTH)

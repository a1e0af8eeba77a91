import numpy as np
import pytest

from waterview.gpu.wave import ALL, WATER, links_of

FIXED = np.array([[0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]], bool)


def test_land_that_holds_the_water_acts_like_water():
    links = links_of(FIXED, False, (False, False))
    assert np.array_equal(links == 0, FIXED)
    assert set(links[~FIXED]) == {ALL | WATER}


def test_walls_do_not_act_on_what_is_beside_them():
    links = links_of(FIXED, True, (False, False))
    assert np.array_equal(links == 0, FIXED)
    assert links[0, 0] == WATER | ALL - 128
    assert links[0, 1] == WATER | ALL - 64
    assert links[1, 0] == WATER | ALL - 16
    assert links[2, 2] == WATER | ALL - 16 - 1 - 128  # beyond the edge land goes on


@pytest.mark.parametrize("wraps", [(False, True), (True, True)])
def test_a_wall_acts_around_the_edge_where_the_grid_wraps(wraps):
    links = links_of(FIXED, True, wraps)
    assert not links[2, 0] & 8
    assert bool(links[0, 3] & 2) != wraps[0]

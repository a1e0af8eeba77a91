import numpy as np
import pytest

from waterview.core.grid import Grid
from waterview.core.shore import widest_water


def test_the_widest_water_is_the_middle_of_the_largest_basin():
    fixed = np.ones((30, 40), bool)
    fixed[2:7, 2:7] = False
    fixed[10:21, 20:31] = False
    grid = Grid((30, 40), 2.0, (-40.0, 0.0, 10.0))
    assert widest_water(grid, fixed) == pytest.approx((grid.x[25], grid.z[15]))


def test_open_water_is_widest_in_the_middle():
    grid = Grid((9, 9), 1.0)
    assert widest_water(grid, np.zeros((9, 9), bool)) == (4.0, 4.0)


def test_dry_land_gives_the_middle_of_the_map():
    assert widest_water(Grid((3, 5), 1.0), np.ones((3, 5), bool)) == (2.0, 1.0)

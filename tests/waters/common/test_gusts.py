import numpy as np
import pytest

from waterview.core.commands import Drop, Gust
from waterview.core.grid import Grid
from waterview.waters.common.gusts import MAX_ROWS, gust_drops

GRID = Grid((101, 201), 0.5)


def test_a_gust_has_as_much_trough_as_crest_on_its_path():
    drops = gust_drops(Gust(20.0, 10.0, 30.0, 0.0, 0.2, 6.0), GRID)
    assert sum(drop.height for drop in drops) == pytest.approx(0.0, abs=1e-12)
    assert max(drop.height for drop in drops) == pytest.approx(0.2, rel=0.2)
    assert all(20.0 <= drop.x <= 50.0 and 7.0 <= drop.z <= 13.0 for drop in drops)
    assert all(isinstance(drop, Drop) and drop.neutral for drop in drops)


def test_it_turns_with_its_direction():
    east = gust_drops(Gust(0.0, 0.0, 30.0, 0.0, 0.2, 6.0), GRID)
    south = gust_drops(Gust(0.0, 0.0, 0.0, 30.0, 0.2, 6.0), GRID)
    np.testing.assert_allclose([(drop.z, -drop.x) for drop in south], [(drop.x, drop.z) for drop in east], atol=1e-12)


def test_crests_stand_across_the_wind():
    drops = gust_drops(Gust(0.0, 0.0, 30.0, 0.0, 0.2, 6.0), GRID)
    rows = {}
    for drop in drops:
        rows.setdefault(round(drop.x, 6), set()).add(np.sign(drop.height))
    assert all(len(signs) == 1 for signs in rows.values())
    assert [signs.pop() for _, signs in sorted(rows.items())] == [1.0, -1.0] * (len(rows) // 2)


@pytest.mark.parametrize("width", [1e-9, 1e9])
@pytest.mark.parametrize("length", [1e-9, 1e6])
def test_even_absurd_gusts_are_few_drops(width, length):
    assert len(gust_drops(Gust(0.0, 0.0, length, 0.0, 1.0, width), GRID)) <= 2 * MAX_ROWS * 16

"""Basins, and which of them are closed."""

import numpy as np
import pytest

from waterview.waters.common.basins import find_basins, remove_means
from waterview.waters.common.borders import Sides

WALLS = Sides(*["reflecting"] * 4)
WRAPPING = Sides(*["wrapping"] * 4)


def mask(*rows):
    """Land where a row has a #."""
    return np.array([[point == "#" for point in row] for row in rows])


def flooded(fixed, wraps):
    """The waters, found by spreading from point to point; as sets of points."""
    nz, nx = fixed.shape
    left = {(i, j) for i, j in np.argwhere(~fixed).tolist()}
    waters = []
    while left:
        water, waiting = set(), [min(left)]
        while waiting:
            i, j = waiting.pop()
            if wraps:
                i, j = i % nz, j % nx
            if (i, j) in left:
                left.remove((i, j))
                water.add((i, j))
                waiting += [(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)]
        waters.append(water)
    return waters


class TestBasins:
    @pytest.mark.parametrize("sides", [WALLS, WRAPPING], ids=["walls", "wrapping"])
    @pytest.mark.parametrize("land", [0.1, 0.4, 0.6])
    def test_they_are_what_spreading_from_point_to_point_finds(self, sides, land):
        for seed in range(5):
            fixed = np.random.default_rng(seed).random((11, 14)) < land
            basins = find_basins(fixed, sides, flowing=True)
            found = [set(map(tuple, np.argwhere(basins.labels == n).tolist())) for n in range(1, len(basins.sizes))]
            assert sorted(map(sorted, found)) == sorted(map(sorted, flooded(fixed, sides is WRAPPING)))
            assert basins.sizes.tolist() == [int(fixed.sum()), *map(len, found)]
            assert basins.closed.tolist() == [False] + [True] * len(found)

    LAKES = mask(
        "..#....",
        "..#.##.",
        "###.#..",
        "....###",
        "###.#..",
    )

    def closed(self, sides, flowing=True):
        basins = find_basins(self.LAKES, sides, flowing)
        return {name: bool(basins.closed[basins.labels[at]]) for name, at in
                {"north-west": (0, 0), "middle": (0, 3), "south-east": (4, 6)}.items()}  # fmt: skip

    def test_a_water_is_open_where_it_touches_a_side_that_is(self):
        assert all(self.closed(WALLS).values())
        assert not any(self.closed(Sides(*["open"] * 4)).values())
        south = self.closed(Sides("reflecting", "reflecting", "zero", "reflecting"))
        assert south == {"north-west": True, "middle": False, "south-east": False}
        west = self.closed(Sides("reflecting", "reflecting", "reflecting", "open-ghost"))
        assert west == {"north-west": False, "middle": False, "south-east": True}

    def test_land_that_holds_the_water_at_zero_opens_all_beside_it(self):
        assert not any(self.closed(WALLS, flowing=False).values())
        assert find_basins(np.zeros((3, 4), bool), WALLS, flowing=False).closed[1]

    def test_means_are_taken_from_closed_waters_alone(self):
        array = np.random.default_rng(0).uniform(-1.0, 1.0, self.LAKES.shape).astype(np.float32)
        base = np.random.default_rng(1).uniform(-1.0, 1.0, self.LAKES.shape).astype(np.float32)
        basins = find_basins(self.LAKES, Sides("reflecting", "zero", "reflecting", "reflecting"), flowing=True)
        before = array.copy()
        remove_means(array, basins, base)
        for label, closed in enumerate(basins.closed):
            water = basins.labels == label
            if closed:
                assert (array - base)[water].mean() == pytest.approx(0.0, abs=1e-7)
                assert np.ptp((array - before)[water]) < 1e-6
            else:
                np.testing.assert_array_equal(array[water], before[water])

    def test_all_land_has_no_water(self):
        basins = find_basins(np.ones((3, 4), bool), WALLS, flowing=True)
        assert len(basins.sizes) == 1
        remove_means(np.ones((3, 4), np.float32), basins)

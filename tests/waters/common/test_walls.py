import numpy as np
import pytest
from support.waters import Ground

from waterview.core.errors import ParameterError
from waterview.core.grid import Grid
from waterview.waters import WaveEquationWater
from waterview.waters.common.walls import WALL_HEIGHT, brush, without_puddles


@pytest.fixture
def water():
    water = WaveEquationWater(10.0, 10.0, 41)
    water.set_height_map(Ground(lambda x, z: np.where(np.hypot(x - 5.0, z - 5.0) < 2.0, 1.0, -2.0)))
    return water


class TestBrush:
    GRID = Grid((5, 7), 1.0, (10.0, 0.0, 20.0))

    def test_it_touches_the_points_inside_its_radius(self):
        touched = brush(self.GRID, 13.0, 22.0, 1.0)
        assert set(zip(*np.nonzero(touched), strict=True)) == {(2, 3), (1, 3), (3, 3), (2, 2), (2, 4)}

    def test_the_finest_brush_touches_the_nearest_point(self):
        assert np.argwhere(brush(self.GRID, 13.3, 21.6, 0.0)).tolist() == [[2, 3]]

    def test_beside_the_grid_it_touches_nothing(self):
        assert not brush(self.GRID, 30.0, 22.0, 1.0).any()

    @pytest.mark.parametrize("radius", [0.0, 0.3, 1.7, 4.0])
    @pytest.mark.parametrize("line", [(2.0, 3.0, 17.0, 8.5), (9.2, 15.0, 9.7, 2.0), (4.0, 4.0, 4.0, 4.0)])
    def test_a_stroke_is_dabs_beside_each_other_without_gaps(self, line, radius):
        start, end = line[:2], line[2:]
        grid = Grid((17, 23), 1.0, (0.0, 0.0, 0.0))
        stroke = brush(grid, *end, radius, start)
        dabs = [brush(grid, *place, radius) for place in np.linspace(start, end, 400)]
        if radius >= 0.5:
            np.testing.assert_array_equal(stroke, np.any(dabs, axis=0))
        cells = set(zip(*np.nonzero(stroke), strict=True))
        reached = {(round(start[1]), round(start[0]))}
        while more := {(z + i, x + j) for z, x in reached for i in (-1, 0, 1) for j in (-1, 0, 1)} & cells - reached:
            reached |= more
        assert reached == cells and (round(end[1]), round(end[0])) in cells

    def test_the_widest_brush_touches_everything(self):
        assert brush(self.GRID, 30.0, 22.0, np.inf).all()


class TestPainting:
    def test_a_wall_is_dry_and_stands_out_of_the_water(self, water):
        water.paint_wall(2.0, 8.0, 0.6)
        wall = water.walls
        assert 10 < wall.sum() < 30
        assert water.fixed[wall].all()
        np.testing.assert_allclose(water.bed[wall], WALL_HEIGHT * 10.0, rtol=1e-6)
        assert not water.height[wall].any()

    def test_taken_away_it_leaves_the_ground_as_it_was(self, water):
        bed, fixed = water.bed, water.fixed
        water.paint_wall(3.0, 5.0, 1.0)
        assert water.bed is not bed and not np.array_equal(water.bed, bed)
        water.paint_wall(3.0, 5.0, 1.5, wall=False)
        assert not water.walls.any()
        np.testing.assert_array_equal(water.bed, bed)
        np.testing.assert_array_equal(water.fixed, fixed)

    def test_the_islands_own_ground_cannot_be_taken_away(self, water):
        water.paint_wall(5.0, 5.0, 1.0, wall=False)
        assert water.fixed[20, 20]

    def test_it_stays_when_the_level_changes(self, water):
        water.paint_wall(2.0, 8.0, 0.6)
        wall = water.walls
        for level in (3.0, -1.0, 0.0):
            water.set_water_level(level)
            assert water.walls is wall
            assert water.fixed[wall].all()
            np.testing.assert_array_equal(water.fixed, water.bed > level)
        assert water.bed[20, 20] == 1.0

    def test_it_stays_when_the_ground_changes(self, water):
        water.paint_wall(2.0, 8.0, 0.6)
        water.set_height_map(Ground(lambda x, z: -5.0))
        np.testing.assert_array_equal(water.fixed, water.walls)

    @pytest.mark.parametrize("place", [(np.nan, 8.0, 0.6), (2.0, np.inf, 0.6), (2.0, 8.0, -1.0), (2.0, 8.0, np.nan)])
    def test_a_wall_that_is_nowhere_is_told(self, water, place):
        with pytest.raises(ParameterError, match="allowed are finite places, radius 0 or more"):
            water.paint_wall(*place)
        assert not water.walls.any()

    def test_painting_what_is_a_wall_already_changes_nothing(self, water):
        water.paint_wall(2.0, 8.0, 0.6)
        bed, fixed = water.bed, water.fixed
        water.paint_wall(2.0, 8.0, 0.3)
        water.paint_wall(200.0, 8.0, 0.3)
        assert water.bed is bed and water.fixed is fixed


class TestPuddles:
    def test_a_point_without_free_neighbours_is_no_water(self):
        fixed = np.ones((5, 6), bool)
        fixed[1, 1] = fixed[3, 3] = fixed[3, 4] = fixed[0, 5] = False
        expected = np.ones((5, 6), bool)
        expected[3, 3:5] = False
        np.testing.assert_array_equal(without_puddles(fixed), expected)

    def test_diagonal_neighbours_do_not_count(self):
        fixed = ~np.eye(4, dtype=bool)
        assert without_puddles(fixed).all()

    def test_open_water_is_left_alone(self):
        assert not without_puddles(np.zeros((4, 4), bool)).any()

    def test_a_water_cleans_its_puddles(self):
        water = WaveEquationWater(10.0, 10.0, 11)
        water.set_height_map(Ground(lambda x, z: np.where((np.round(x) + np.round(z)) % 2 == 0, 1.0, -1.0)))
        assert water.fixed.all()

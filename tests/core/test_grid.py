import numpy as np
import pytest

from waterview.core.errors import ParameterError
from waterview.core.grid import MAX_CELLS, Grid, widest_water


def test_points_along_z_follow_from_the_ratio():
    grid = Grid.from_size(10.0, 4.0, 26)
    assert grid.spacing == pytest.approx(0.4)
    assert grid.shape == (11, 26)
    assert grid.size == pytest.approx((10.0, 4.0))


def test_world_and_cells_are_inverse():
    grid = Grid((5, 7), 0.5, (-1.0, 3.0, 2.0))
    assert grid.to_cell(grid.x[6], grid.z[4]) == pytest.approx((6.0, 4.0))
    assert grid.nearest(grid.x[3] + 0.2, grid.z[1] - 0.2) == (3, 1)
    assert grid.nearest(-1.3, 2.0) is None
    assert grid.nearest(grid.x[6] + 0.2, grid.z[4] + 0.2) == (6, 4)
    assert grid.nearest(grid.x[6] + 0.3, 2.0) is grid.nearest(-1.0, grid.z[4] + 0.3) is None
    assert grid.nearest(1.7e308, 2.0) is None  # whose column is not finite
    assert grid.positions()[4, 6] == pytest.approx((grid.x[6], grid.z[4]))


def test_sample_is_bilinear_and_keeps_the_edge_outside():
    grid = Grid((3, 5), 1.0)
    field = np.add.outer(10.0 * np.arange(3), np.arange(5.0))
    assert grid.sample(field, 0.25, 1.5) == pytest.approx(15.25)
    assert grid.sample(field, -4.0, 9.0) == pytest.approx(20.0)
    assert grid.sample(field, 9.0, -4.0) == pytest.approx(4.0)
    x, z = np.array([[0.25, -4.0], [2.0, 1.9]]), np.array([[1.5, 9.0], [2.0, -1.0]])
    one_by_one = [[grid.sample(field, *place) for place in zip(*row, strict=True)] for row in zip(x, z, strict=True)]
    np.testing.assert_array_equal(grid.samples(field, x, z), one_by_one)


def test_triangles_face_up_and_cover_the_grid_once():
    grid = Grid((4, 6), 2.0)
    triangles = grid.triangles()
    points = grid.positions().reshape(-1, 2)
    a, b, c = (points[triangles[:, k]] for k in range(3))
    # With y up and z towards the viewer, counter-clockwise from above means (b − a) × (c − a) points to +y.
    up = (b - a)[:, 1] * (c - a)[:, 0] - (b - a)[:, 0] * (c - a)[:, 1]
    assert np.allclose(up, 4.0)
    assert 0.5 * up.sum() == pytest.approx(grid.size[0] * grid.size[1])


def test_triangles_leave_fixed_points_out():
    grid = Grid((3, 3), 1.0)
    fixed = np.zeros((3, 3), bool)
    fixed[1, 1] = True
    assert 4 not in grid.triangles(fixed)
    assert len(grid.triangles(fixed)) == 2
    assert len(grid.triangles(np.ones((3, 3), bool))) == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ((1, 5), 1.0),
        ((5, 5), 0.0),
        ((5, 5), float("nan")),
        ((5, 5), 1.0, (0.0, float("inf"), 0.0)),
        ((MAX_CELLS, 2), 1.0),
    ],
)
def test_senseless_grids_are_refused(arguments):
    with pytest.raises(ParameterError, match="grid"):
        Grid(*arguments)


@pytest.mark.parametrize(("x_size", "z_size", "x_res"), [(0.0, 1.0, 8), (1.0, float("inf"), 8), (1.0, 1.0, 1)])
def test_senseless_sizes_are_refused(x_size, z_size, x_res):
    with pytest.raises(ParameterError, match="along"):
        Grid.from_size(x_size, z_size, x_res)


@pytest.mark.parametrize("origin", [[1, 2, 3], np.array([1.0, 2.0, 3.0])], ids=["list", "array"])
def test_a_grid_keeps_its_own_origin(origin):
    grid, same = Grid((3, 4), 0.5, origin), Grid((3, 4), 0.5, (1.0, 2.0, 3.0))
    origin[1] = 9.0
    assert grid == same and hash(grid) == hash(same)


@pytest.mark.parametrize("origin", [(0.0, 0.0), (0.0, 0.0, 0.0, 0.0), 5.0, ("a", 0.0, 0.0)])
def test_an_origin_that_is_no_place_is_told(origin):
    with pytest.raises(ParameterError, match="three coordinates x, y, z"):
        Grid((3, 4), 0.5, origin)


def test_a_number_of_points_is_whole():
    assert Grid.from_size(10.0, 4.0, 26.0) == Grid.from_size(10.0, 4.0, 26)
    for number in (25.5, float("inf"), float("nan")):
        with pytest.raises(ParameterError, match="whole numbers of 2 or more"):
            Grid.from_size(10.0, 4.0, number)


def test_the_widest_water_is_the_middle_of_the_largest_basin():
    fixed = np.ones((30, 40), bool)
    fixed[2:7, 2:7] = False
    fixed[10:21, 20:31] = False
    grid = Grid((30, 40), 2.0, (-40.0, 0.0, 10.0))
    assert widest_water(grid, fixed) == pytest.approx((grid.x[25], grid.z[15]))


def test_of_a_long_channel_the_middle_is_taken():
    grid = Grid((7, 41), 1.0)
    assert widest_water(grid, np.zeros((7, 41), bool)) == (20.0, 3.0)


def test_another_level_changes_nothing_else():
    grid = Grid((3, 4), 0.5, (1.0, 2.0, 3.0))
    assert grid.with_level(9) == Grid((3, 4), 0.5, (1.0, 9.0, 3.0))


def test_open_water_is_widest_in_the_middle():
    grid = Grid((9, 9), 1.0)
    assert widest_water(grid, np.zeros((9, 9), bool)) == (4.0, 4.0)


def test_dry_land_gives_the_middle_of_the_map():
    assert widest_water(Grid((3, 5), 1.0), np.ones((3, 5), bool)) == (2.0, 1.0)

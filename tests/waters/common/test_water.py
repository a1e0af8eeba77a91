"""What every model inherits: the interface of Bressler (2007), shown on the model it was written for."""

import math
import subprocess
import sys

import numpy as np
import pytest
from support.waters import Ground

from waterview.core.errors import ParameterError
from waterview.waters import WaveEquationWater


def beach(x, z):
    """Rises along x: 0 at x = 5."""
    return x - 5.0


@pytest.fixture
def water():
    return WaveEquationWater(10.0, 6.0, 21, origin=(0.0, 0.0, 0.0))


class TestGrid:
    @pytest.mark.parametrize(
        ("x_size", "z_size", "x_res", "z_res"), [(10, 6, 21, 13), (10, 10, 64, 64), (3, 100, 4, 101), (7, 3.2, 8, 4)]
    )
    def test_the_number_of_rows_follows_so_that_cells_are_square(self, x_size, z_size, x_res, z_res):
        water = WaveEquationWater(x_size, z_size, x_res)
        assert water.grid.spacing == x_size / (x_res - 1)
        assert z_res == round(z_size / water.grid.spacing) + 1
        assert water.height.shape == (z_res, x_res)
        assert water.fixed.shape == (z_res, x_res)
        assert water.position.shape == (z_res, x_res, 2)

    def test_positions_start_at_the_corner_with_the_lowest_x_and_z(self):
        water = WaveEquationWater(10.0, 6.0, 21, origin=(-3.0, 2.0, 7.0))
        np.testing.assert_allclose(water.position[0, 0], [-3.0, 7.0])
        np.testing.assert_allclose(water.position[-1, -1], [7.0, 13.0])
        np.testing.assert_allclose(water.position[0, 1] - water.position[0, 0], [0.5, 0.0])

    def test_still_water_has_upright_normals(self, water):
        np.testing.assert_array_equal(water.normals, np.broadcast_to([0.0, 1.0, 0.0], (13, 21, 3)))

    def test_normals_lean_down_the_slope_and_have_length_one(self, water):
        for iz in range(13):
            water.set_height(10, iz, 0.5)
        water.step()
        normals = water.normals
        np.testing.assert_allclose(np.linalg.norm(normals, axis=-1), 1.0, rtol=1e-6)
        assert (normals[..., 1] > 0.0).all()
        assert normals[6, 11, 0] > 0.1 > -0.1 > normals[6, 9, 0]


class TestFixedPoints:
    def test_a_point_under_the_heightmap_is_fixed(self, water):
        water.set_height_map(Ground(beach))
        expected = np.broadcast_to(water.grid.x > 5.0, (13, 21))
        np.testing.assert_array_equal(water.fixed, expected)

    def test_the_heightmap_is_asked_in_world_coordinates(self):
        water = WaveEquationWater(10.0, 6.0, 21, origin=(100.0, 0.0, -50.0))
        water.set_height_map(Ground(lambda x, z: np.where((x > 109.0) & (z < -49.0), 1.0, -1.0)))
        assert water.fixed.sum() == 2 * 2
        assert water.fixed[:2, -2:].all()

    def test_the_water_level_decides(self):
        water = WaveEquationWater(10.0, 6.0, 21, origin=(0.0, 2.0, 0.0))
        water.set_height_map(Ground(beach))
        assert (water.fixed.sum(axis=1) == (water.grid.x - 5.0 > 2.0).sum()).all()
        water.set_water_level(-1.0)
        assert (water.fixed.sum(axis=1) == (water.grid.x - 5.0 > -1.0).sum()).all()
        assert water.grid.level == -1.0

    def test_triangles_leave_the_fixed_points_out_and_say_when_they_change(self):
        calls = []

        class Watching(WaveEquationWater):
            def on_indices_changed(self):
                calls.append(len(self.indices))

        water = Watching(10.0, 6.0, 21)
        assert len(water.indices) == 2 * 12 * 20
        assert water.indices.dtype == np.uint32
        water.set_height_map(Ground(beach))
        assert calls == [2 * 12 * 10]
        assert not water.fixed.ravel()[water.indices].any()
        water.set_water_level(100.0)
        assert calls == [2 * 12 * 10, 2 * 12 * 20]

    @pytest.mark.parametrize("bad", [math.nan, math.inf])
    def test_a_heightmap_with_gaps_is_refused_and_nothing_changes(self, water, bad):
        before = water.fixed
        with pytest.raises(ParameterError, match="not finite"):
            water.set_height_map(Ground(lambda x, z: np.where(x > 5.0, bad, 0.0)))
        assert water.fixed is before


class TestHeights:
    def test_a_height_is_written_by_the_next_step_and_not_before(self, water):
        water.set_height(4, 7, 0.25)
        assert water.get_height(4, 7) == 0.0
        water.step()
        assert water.get_height(4, 7) != 0.0

    @pytest.mark.parametrize(("ix", "iz"), [(-1, 0), (21, 0), (0, 13), (0, -1)])
    def test_points_off_the_grid_are_refused(self, water, ix, iz):
        for ask in (lambda: water.set_height(ix, iz, 1.0), lambda: water.get_height(ix, iz)):
            with pytest.raises(ParameterError, match="whole numbers, 0 to 20 along x and 0 to 12 along z"):
                ask()

    @pytest.mark.parametrize(("ix", "iz"), [(3.5, 2), (3, 2.5), (math.nan, 2)])
    def test_points_between_those_of_the_grid_are_refused_at_once_and_the_next_step_is_taken(self, water, ix, iz):
        for ask in (lambda: water.set_height(ix, iz, 1.0), lambda: water.get_height(ix, iz)):
            with pytest.raises(ParameterError, match="whole numbers, 0 to 20"):
                ask()
        water.step()

    def test_a_point_may_be_told_in_numbers_of_any_kind(self, water):
        water.set_height(np.int64(4), np.float32(7.0), 0.25)
        water.step()
        assert water.get_height(4.0, np.uint8(7)) == water.get_height(4, 7) != 0.0

    @pytest.mark.parametrize("height", [math.nan, math.inf, -math.inf])
    def test_heights_that_are_not_finite_are_refused(self, water, height):
        with pytest.raises(ParameterError, match="allowed are finite"):
            water.set_height(3, 3, height)

    def test_the_height_array_cannot_be_written(self, water):
        with pytest.raises(ValueError, match="read-only"):
            water.height[0, 0] = 1.0


class TestPicking:
    def test_a_line_meets_the_plane_of_still_water(self):
        water = WaveEquationWater(10.0, 6.0, 21, origin=(-5.0, 2.0, -3.0))
        hit = water.intersect_coords((0.0, 6.0, 0.0), (1.0, -2.0, 0.5))
        np.testing.assert_allclose(hit, (2.0, 2.0, 1.0))
        assert water.intersect_element((0.0, 6.0, 0.0), (1.0, -2.0, 0.5)) == (14, 8)

    def test_the_line_also_counts_behind_its_start(self, water):
        np.testing.assert_allclose(water.intersect_coords((4.0, 1.0, 3.0), (0.0, 1.0, 0.0)), (4.0, 0.0, 3.0))

    def test_the_nearest_point_is_taken(self, water):
        assert water.intersect_element((1.24, 1.0, 1.26), (0.0, -1.0, 0.0)) == (2, 3)

    @pytest.mark.parametrize(
        ("pos", "direction"),
        [
            ((4.0, 1.0, 3.0), (1.0, 0.0, 0.0)),
            ((40.0, 1.0, 3.0), (0.0, -1.0, 0.0)),
            ((4.0, 1.0, 3.0), (0.0, 0.0, 0.0)),
            ((4.0, 1.0, 3.0), (1.0, -1e-320, 0.0)),
            ((4.0, 1.0, 3.0), (0.0, -5e-324, 0.0)),
            ((math.nan, 1.0, 3.0), (0.0, -1.0, 0.0)),
            ((4.0, 1.0, 3.0), (0.0, -math.inf, 0.0)),
        ],
    )
    def test_a_line_that_misses_gives_none(self, water, pos, direction):
        assert water.intersect_coords(pos, direction) is None
        assert water.intersect_element(pos, direction) is None


class TestParameters:
    def test_a_changed_parameter_holds_and_a_bad_one_changes_nothing(self, water):
        water.set_parameter("wave_speed", 3.5)
        assert water.params.wave_speed == 3.5
        before = water.params
        for name, value in (("wave_speed", -1.0), ("wave_speed", math.nan), ("stencil", "round"), ("depth", 3.0)):
            with pytest.raises(ParameterError):
                water.set_parameter(name, value)
        assert water.params == before

    def test_a_bad_one_is_also_refused_at_the_start(self):
        with pytest.raises(ParameterError, match="border 'soft'"):
            WaveEquationWater(1.0, 1.0, 4, border="soft")
        with pytest.raises(ParameterError, match="no parameter is called 'depth'"):
            WaveEquationWater(1.0, 1.0, 4, depth=1.0)

    @pytest.mark.slow
    def test_the_models_can_be_listed_without_waiting_for_numba(self):
        code = "import sys, waterview.waters as m; m.WaveEquationWater(1.0, 1.0, 4); print('numba' in sys.modules)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "False"

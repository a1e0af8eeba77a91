import numpy as np
import pytest
from support.scenes import make_frame

from waterview.render.camera.bounds import FLOOR_SHARE, Bounds


def test_box_holds_ground_and_still_water():
    bed = np.full((5, 9), -3.0)
    bed[2, 4] = 7.0
    bounds = Bounds.of(make_frame((5, 9), 2.0, level=1.0, bed=bed))
    assert bounds.low == (-8.0, -3.0, -4.0)
    assert bounds.high == (8.0, 7.0, 4.0)
    assert bounds.level == 1.0
    assert bounds.extent == 16.0
    assert bounds.base < -3.0


def test_depth_is_the_mean_over_wet_points_only():
    bed = np.full((4, 4), -2.0)
    bed[0] = 5.0
    bed[1] = -4.0
    assert Bounds.of(make_frame((4, 4), bed=bed)).depth == pytest.approx((4 * 4.0 + 8 * 2.0) / 12)


def test_depth_of_dry_and_of_barely_wet_scenes_is_above_zero():
    assert Bounds.of(make_frame((4, 4), bed=np.full((4, 4), 1.0))).depth > 0.0
    assert Bounds.of(make_frame((4, 4), bed=np.full((4, 4), 0.0))).depth > 0.0
    assert Bounds.of(make_frame((4, 4), bed=np.full((4, 4), -1e-9))).depth > 0.0


@pytest.mark.parametrize("side", [np.s_[0, 2:-2], np.s_[-1, 2:-2], np.s_[2:-2, 0], np.s_[2:-2, -1]])
def test_water_at_any_one_side_makes_it_open_there(side):
    bed = np.full((7, 9), 1.0)
    bed[side] = -4.0
    bed[3, 4] = -1.0
    bounds = Bounds.of(make_frame((7, 9), bed=bed))
    assert (bounds.open, bounds.flooded, bounds.depth_around) == (True, False, 4.0)


def test_distance_is_zero_inside_and_straight_outside():
    bounds = Bounds.of(make_frame((5, 9), 2.0))
    assert bounds.distance_to(np.array([1.0, -1.0, 1.0])) == 0.0
    assert bounds.distance_to(np.array([11.0, 0.0, 0.0])) == pytest.approx(3.0)
    assert bounds.distance_to(np.array([11.0, 4.0, 0.0])) == pytest.approx(5.0)


def test_the_block_goes_on_below_its_lowest_ground_by_a_share_of_its_sides_or_of_its_relief():
    flat, high = np.full((5, 9), -1.0), np.full((5, 9), -1.0)
    high[2, 4] = 99.0
    assert Bounds.of(make_frame((5, 9), 2.0, bed=flat)).base == pytest.approx(-1.0 - FLOOR_SHARE * 16.0)
    assert Bounds.of(make_frame((5, 9), 2.0, bed=high)).base == pytest.approx(-1.0 - 0.12 * 100.0)


@pytest.mark.parametrize(("sides", "is_open", "is_flooded"), [(0, True, True), (1, True, False), (4, False, False)])
def test_it_is_told_where_its_sides_cut_water(sides, is_open, is_flooded):
    bed = np.full((5, 9), -1.0)
    for side in (bed[0], bed[-1], bed[:, 0], bed[:, -1])[:sides]:
        side[:] = 1.0
    bounds = Bounds.of(make_frame((5, 9), 2.0, bed=bed))
    assert (bounds.open, bounds.flooded) == (is_open, is_flooded)


def test_all_corners_lie_on_the_box():
    bounds = Bounds.of(make_frame((5, 9), 2.0))
    corners = bounds.corners()
    assert corners.shape == (8, 3)
    assert len(np.unique(corners, axis=0)) == 8
    assert {*corners[:, 1]} == {bounds.base, bounds.high[1]}

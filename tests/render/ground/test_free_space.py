"""What rays may step along above the ground."""

import numpy as np
import pytest

from waterview.render.ground.free_space import free_space, level_rectangle

SPACING, FLAT = 0.5, 0.01


@pytest.fixture(params=[1, 2, 3])
def ground(request):
    """Hills with a wall."""
    random = np.random.default_rng(request.param)
    bed = np.zeros((33, 47))
    for _ in range(5):
        z, x = random.uniform(0, 33), random.uniform(0, 47)
        rows, columns = np.mgrid[:33, :47]
        bed += random.uniform(-1, 1) * np.exp(-((rows - z) ** 2 + (columns - x) ** 2) / random.uniform(4, 90))
    bed[:, 20:23] = 2.0
    return bed.astype(np.float32)


def test_no_ground_rises_into_cone_or_cylinder(ground):
    cone, cylinder = np.moveaxis(free_space(ground, SPACING, FLAT), -1, 0)
    rows, columns = np.mgrid[:33, :47]
    for row, column in np.random.default_rng(0).integers((0, 0), (33, 47), (200, 2)):
        far = SPACING * np.hypot(rows - row, columns - column)
        rise = ground - ground[row, column]
        assert (far >= cone[row, column] * rise - 1e-4).all()
        assert (rise[far <= cylinder[row, column]] <= FLAT + 1e-6).all()


def test_the_space_is_at_least_a_third_of_what_could_be_far_from_a_wall():
    bed = np.zeros((65, 65), np.float32)
    bed[:, 60:] = 3.0
    cone, cylinder = np.moveaxis(free_space(bed, SPACING, FLAT), -1, 0)
    for column in (10, 30, 50):
        far = (60 - column) * SPACING
        assert far / 9.0 <= cone[32, column] <= far / 3.0
        assert far / 3.0 <= cylinder[32, column] <= far


def test_level_ground_stops_no_ray():
    cone, cylinder = np.moveaxis(free_space(np.full((9, 9), -1.0, np.float32), SPACING, FLAT), -1, 0)
    assert (cone >= 99.0).all() and (cylinder >= 8 * SPACING).all()


@pytest.mark.parametrize("seed", range(6))
def test_a_level_rectangle_is_low_holds_a_largest_square_and_cannot_grow(seed):
    random = np.random.default_rng(seed)
    bed = np.full((31, 44), -2.0, np.float32)
    bed[random.integers(0, 31, 9), random.integers(0, 44, 9)] = random.uniform(-1.9, 1.0, 9)
    bed += random.uniform(0.0, 0.01, bed.shape).astype(np.float32)
    top, left, bottom, right = level_rectangle(bed, 0.01)
    low = bed <= bed.min() + 0.01
    assert low[top : bottom + 1, left : right + 1].all()
    rows, columns = slice(top, bottom + 1), slice(left, right + 1)
    for beyond in (low[:top][-1:, columns], low[bottom + 1 :][:1, columns]):
        assert beyond.size == 0 or not beyond.all()
    for beyond in (low[rows, :left][:, -1:], low[rows, right + 1 :][:, :1]):
        assert beyond.size == 0 or not beyond.all()
    side = min(bottom - top, right - left) + 2
    windows = np.lib.stride_tricks.sliding_window_view(low, (side, side)) if side <= min(bed.shape) else np.zeros(1)
    assert not windows.all(axis=(-2, -1)).any()


def test_the_level_rectangle_of_a_pool_is_its_whole_floor_and_of_a_slope_its_lowest_line():
    bed = np.full((40, 60), 0.5, np.float32)
    bed[7:31, 5:52] = -2.0
    assert level_rectangle(bed, 0.0) == (7, 5, 30, 51)
    assert level_rectangle(np.full((3, 9), -1.0, np.float32), 0.0) == (0, 0, 2, 8)
    slope = np.tile(np.arange(9.0, dtype=np.float32), (5, 1))
    assert level_rectangle(slope, 0.5) == (0, 0, 4, 0)


def test_heights_that_are_no_numbers_are_left_out_of_the_level_rectangle():
    bed = np.full((9, 12), -2.0, np.float32)
    bed[:, 4] = np.nan
    assert level_rectangle(bed, 0.0) == (0, 5, 8, 11)
    assert level_rectangle(bed, np.nan) == (0, 0, 0, 0)

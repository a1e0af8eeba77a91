import math

import numpy as np
import pytest

from waterview.core.commands import (
    DROP_RADIUS,
    MAX_FLOW,
    MAX_HEIGHT,
    MAX_RAIN,
    Drop,
    Gust,
    PaintWall,
    SetRain,
    SetState,
    usual_drop,
    usual_gust,
)
from waterview.core.errors import ParameterError
from waterview.core.grid import Grid


@pytest.mark.parametrize(
    "numbers",
    [
        (float("nan"), 0.0, 1.0, 1.0),
        (0.0, float("inf"), 1.0, 1.0),
        (0.0, 0.0, 2 * MAX_HEIGHT, 1.0),
        (0.0, 0.0, 1.0, 0.0),
        (0.0, 0.0, 1.0, -1.0),
    ],
)
def test_senseless_drops_are_refused(numbers):
    with pytest.raises(ParameterError, match="drop"):
        Drop(*numbers)


def test_complex_heights_are_refused():
    with pytest.raises(ParameterError, match="complex"):
        SetState(np.ones((3, 3), complex))


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_surfaces_and_flows_are_bounded_upwards_and_downwards(sign):
    flat = np.zeros((3, 3))
    with pytest.raises(ParameterError, match="surface of up to"):
        SetState(flat + sign * 2.0 * MAX_HEIGHT)
    with pytest.raises(ParameterError, match="flow of up to"):
        SetState(flat, np.full((2, 3, 3), sign * 2.0 * MAX_FLOW))


def test_a_surface_beyond_all_numbers_is_refused_without_a_warning(recwarn):
    with pytest.raises(ParameterError, match="not finite"):
        SetState(np.full((3, 3), 1e308))
    assert not recwarn.list


def test_the_usual_drop_suits_the_water():
    assert usual_drop(Grid((101, 201), 2.0), 0.0, 0.0).radius == pytest.approx(400.0 * DROP_RADIUS)
    assert usual_drop(Grid((101, 201), 0.02), 0.0, 0.0, size=2.0).radius == pytest.approx(8.0 * DROP_RADIUS)


@pytest.mark.parametrize("numbers", [(float("nan"), 0.0, 1.0), (0.0, float("-inf"), 1.0), (0.0, 0.0, -1.0)])
def test_senseless_walls_are_refused(numbers):
    with pytest.raises(ParameterError, match="wall"):
        PaintWall(*numbers)
    with pytest.raises(ParameterError, match="wall"):
        PaintWall(0.0, 0.0, 1.0, start=(numbers[0], numbers[1] + math.inf))


def test_a_brush_may_be_as_wide_as_everything():
    assert PaintWall(0.0, 0.0, float("inf"), wall=False).radius == float("inf")


@pytest.mark.parametrize(
    "numbers",
    [
        (0.0, 0.0, 0.0, 0.0, 1.0, 1.0),
        (0.0, 0.0, 1.0, 0.0, 1.0, 0.0),
        (0.0, 0.0, 1.0, 0.0, 2 * MAX_HEIGHT, 1.0),
        (float("nan"), 0.0, 1.0, 0.0, 1.0, 1.0),
    ],
)
def test_senseless_gusts_are_refused(numbers):
    with pytest.raises(ParameterError, match="gust"):
        Gust(*numbers)


def test_the_usual_gust_blows_over_the_place_asked_for():
    gust = usual_gust(Grid((101, 201), 2.0), 30.0, 50.0, 0.0)
    assert gust.x + 0.5 * gust.dx == pytest.approx(30.0)
    assert gust.dx > 0.0 and gust.dz == 0.0 and gust.z == 50.0


@pytest.mark.parametrize("rate", [-1.0, float("nan"), 2 * MAX_RAIN])
def test_senseless_rain_is_refused(rate):
    with pytest.raises(ParameterError, match="rain"):
        SetRain(rate)


def test_drops_and_gusts_on_a_grid_as_large_as_the_earth_are_no_higher_than_they_may_be():
    grid = Grid((33, 65), 6e6, (0.0, 0.0, 0.0))
    assert usual_drop(grid, 0.0, 0.0).height == usual_gust(grid, 0.0, 0.0, 1.0).strength == MAX_HEIGHT
    assert usual_drop(grid, 0.0, 0.0, steepness=-1.0).height == -MAX_HEIGHT

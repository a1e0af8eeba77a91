"""How many steps are due."""

import pytest

from waterview.sim.pace import LONGEST_TURN, Meter, Pace
from waterview.waters.common.real_time import MAX_CATCH_UP


def test_pace_takes_whole_steps_and_keeps_the_rest():
    pace = Pace()
    assert [pace.steps(0.015, 0.01) for _ in range(4)] == [1, 2, 1, 2]
    assert pace.until_next(0.01) == pytest.approx(0.01)


def test_pace_does_not_race_after_a_pause_of_any_length():
    pace = Pace()
    assert pace.steps(3600.0, 0.01) == MAX_CATCH_UP
    assert pace.steps(0.0, 0.01) == 0
    assert pace.steps(0.01, 0.01) == 1


@pytest.mark.parametrize("frame_seconds", [0.001, 0.0097, 0.03, 0.06])
def test_speed_does_not_depend_on_how_often_the_clock_is_read(frame_seconds):
    pace = Pace()
    reads = 500
    steps = sum(pace.steps(frame_seconds, 0.01) for _ in range(reads))
    assert steps == pytest.approx(reads * frame_seconds / 0.01, abs=1)


def test_meter_tells_the_rate():
    meter = Meter()
    for number in range(101):
        meter.count(2, 1.0 + 0.01 * number)
    assert meter.rate == pytest.approx(200.0, rel=0.03)


def test_a_slow_machine_takes_no_more_steps_at_once_than_a_smooth_picture_allows():
    pace = Pace()
    for _ in range(2):
        pace.took(2, 2 * LONGEST_TURN / 3.5)
    assert pace.steps(3600.0, 0.01) == 3
    for _ in range(2):
        pace.took(1, 10.0 * LONGEST_TURN)
    assert pace.steps(3600.0, 0.01) == 1, "however slow, time goes on"


def test_one_turn_that_took_long_does_not_count():
    pace = Pace()
    pace.took(1, 0.001)
    pace.took(1, 20.0)
    pace.took(0, 0.0)
    assert pace.steps(3600.0, 0.01) == MAX_CATCH_UP


def test_many_short_steps_are_taken_at_once_where_they_are_cheap():
    pace = Pace()
    pace.took(100, 0.001)
    assert pace.steps(0.011, 0.0001) == 110
    assert pace.steps(3600.0, 0.0001) == int(LONGEST_TURN / 0.0001)

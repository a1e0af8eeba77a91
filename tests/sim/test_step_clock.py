"""How many steps are due."""

import pytest

from waterview.sim.step_clock import LONGEST_TURN, RATE_WINDOW, Meter, StepClock
from waterview.waters.common.real_time import MAX_CATCH_UP


def test_the_clock_takes_whole_steps_and_keeps_the_rest():
    clock = StepClock()
    assert [clock.steps(0.015, 0.01) for _ in range(4)] == [1, 2, 1, 2]
    assert clock.until_next(0.01) == pytest.approx(0.01)


def test_the_clock_does_not_race_after_a_pause_of_any_length():
    clock = StepClock()
    assert clock.steps(3600.0, 0.01) == MAX_CATCH_UP
    assert clock.steps(0.0, 0.01) == 0
    assert clock.steps(0.01, 0.01) == 1


@pytest.mark.parametrize("frame_seconds", [0.001, 0.0097, 0.03, 0.06])
def test_speed_does_not_depend_on_how_often_the_clock_is_read(frame_seconds):
    clock = StepClock()
    reads = 500
    steps = sum(clock.steps(frame_seconds, 0.01) for _ in range(reads))
    assert steps == pytest.approx(reads * frame_seconds / 0.01, abs=1)


def test_meter_tells_the_rate():
    meter = Meter()
    for number in range(101):
        meter.count(2, 1.0 + 0.01 * number)
    assert meter.rate == pytest.approx(200.0, rel=0.03)


def test_a_slow_machine_takes_no_more_steps_at_once_than_a_smooth_picture_allows():
    clock = StepClock()
    for _ in range(2):
        clock.took(2, 2 * LONGEST_TURN / 3.5)
    assert clock.steps(3600.0, 0.01) == 3
    for _ in range(2):
        clock.took(1, 10.0 * LONGEST_TURN)
    assert clock.steps(3600.0, 0.01) == 1, "however slow, time goes on"


def test_one_turn_that_took_long_does_not_count():
    clock = StepClock()
    clock.took(1, 0.001)
    clock.took(1, 20.0)
    clock.took(0, 0.0)
    assert clock.steps(3600.0, 0.01) == MAX_CATCH_UP


def test_many_short_steps_are_taken_at_once_where_they_are_cheap():
    clock = StepClock()
    clock.took(100, 0.001)
    assert clock.steps(0.011, 0.0001) == 110
    assert clock.steps(3600.0, 0.0001) == int(LONGEST_TURN / 0.0001)


def test_the_next_step_is_due_when_the_rest_of_its_time_has_passed():
    clock = StepClock()
    assert clock.until_next(0.01) == 0.01
    assert clock.steps(0.024, 0.01) == 2
    assert clock.until_next(0.01) == pytest.approx(0.006)


def test_a_rate_counts_the_time_that_has_really_passed():
    meter = Meter()
    meter.count(7, 10.0)
    meter.count(30, 10.0 + 1.5 * RATE_WINDOW)
    assert meter.rate == pytest.approx(30 / (1.5 * RATE_WINDOW))

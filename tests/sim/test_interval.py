"""What is due in fixed intervals of simulated time."""

import pytest

from waterview.sim.interval import IntervalTimer


@pytest.mark.parametrize(("interval", "time_step", "due"), [(0.3, 0.1, 3), (1.0, 0.3, 4), (0.05, 0.2, 1)])
def test_it_is_due_with_the_step_that_completes_the_interval(interval, time_step, due):
    timer = IntervalTimer()
    assert timer.steps_until_due(10, time_step, interval) == due
    assert not timer.count(due - 1, time_step, interval)
    assert timer.count(1, time_step, interval)


def test_without_an_interval_every_step_is_due():
    timer = IntervalTimer()
    assert timer.steps_until_due(10, 0.1, 0.0) == 1
    assert timer.count(1, 0.1, 0.0)


def test_where_nothing_is_due_all_steps_may_be_taken_together():
    timer = IntervalTimer()
    assert timer.steps_until_due(7, 0.1, 5.0) == 7
    assert not timer.count(7, 0.1, 5.0)
    assert timer.steps_until_due(60, 0.1, 5.0) == 43


def test_time_has_the_same_bits_however_many_steps_are_taken_together():
    one_by_one, together = IntervalTimer(), IntervalTimer()
    for _ in range(10):
        one_by_one.count(1, 0.1, 5.0)
    together.count(10, 0.1, 5.0)
    assert one_by_one.elapsed == together.elapsed != 1.0

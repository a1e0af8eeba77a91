"""Time turned into steps, and the loop that a program gives a thread of its own."""

import math
import threading

import pytest

from waterview.core.errors import ParameterError
from waterview.waters import WaveEquationWater
from waterview.waters.common.real_time import MAX_CATCH_UP


@pytest.fixture
def water():
    return WaveEquationWater(10.0, 6.0, 21)


@pytest.fixture
def rests(monkeypatch):
    """How long each rest of waters made from now on was to be [s], and whether it was ended; it lasts until it is."""
    known = []

    class Rest(threading.Event):
        def wait(self, timeout=None):
            ended = super().wait(20.0)
            if timeout is not None:
                known.append((timeout, ended))
            return ended

    monkeypatch.setattr("waterview.waters.common.real_time.Event", Rest)
    return known


class TestTime:
    def test_simulate_banks_time_and_takes_whole_steps(self, water):
        water.set_parameter("steps_per_second", 10.0)
        assert water.simulate(0.05) == 0
        assert water.simulate(0.07) == 1
        assert water.simulate(0.29) == 3
        assert water.time == pytest.approx(0.4)

    def test_sums_of_decimal_fractions_lose_no_step(self, water):
        water.set_parameter("steps_per_second", 100.0)
        assert sum(water.simulate(0.01) for _ in range(1000)) == 1000

    @pytest.mark.parametrize("seconds", [-0.1, math.nan, math.inf])
    def test_times_that_make_no_sense_are_refused(self, water, seconds):
        with pytest.raises(ParameterError, match="allowed are finite values of 0 or more"):
            water.simulate(seconds)


class Stepping(WaveEquationWater):
    """Runs on a clock of its own, which gains `gain` seconds at each look, and says when it has taken steps."""

    gain = 0.01

    def __init__(self, *args, **parameters):
        super().__init__(*args, **parameters)
        self.mutex = threading.Lock()
        self.now = 0.0
        self.locked = []
        self.batches = []
        self.has_stepped = threading.Event()

    def advance(self, steps, shown=False):
        self.locked += [self.mutex.locked()] * steps
        super().advance(steps, shown)

    def simulate(self, seconds):
        steps = super().simulate(seconds)
        self.batches.append(steps)
        return steps

    def acquire_lock(self):
        self.mutex.acquire()

    def release_lock(self):
        self.mutex.release()

    def slowdown(self):
        self.has_stepped.set()

    def time_stamp(self):
        self.now += self.gain
        return self.now


class TestLoop:
    def start(self, water):
        thread = threading.Thread(target=water.run)
        thread.start()
        assert water.has_stepped.wait(20.0)
        return thread

    def test_it_runs_until_killed_and_has_ended_then(self):
        water = Stepping(4.0, 4.0, 9)
        thread = self.start(water)
        water.kill()
        steps = len(water.locked)
        thread.join(20.0)
        assert not thread.is_alive()
        assert len(water.locked) == steps > 0
        assert water.time == pytest.approx(steps * water.time_step)

    def test_it_can_be_run_again(self):
        water = Stepping(4.0, 4.0, 9)
        for _ in range(2):
            water.has_stepped.clear()
            thread = self.start(water)
            water.kill()
            thread.join(20.0)
            assert not thread.is_alive()

    def test_a_run_that_was_killed_before_it_began_ends_at_once(self):
        water = Stepping(4.0, 4.0, 9)
        water.kill()
        water.run()
        assert water.locked == []

    def test_steps_are_taken_under_the_lock_and_heights_may_be_set_meanwhile(self):
        water = Stepping(4.0, 4.0, 9, damping=0.0)
        thread = self.start(water)
        water.set_height(4, 4, 1.0)
        water.get_height(4, 4)
        water.has_stepped.clear()
        assert water.has_stepped.wait(20.0)
        water.kill()
        thread.join(20.0)
        assert all(water.locked)
        assert not water.mutex.locked()
        assert water.height.any()

    def test_after_a_stall_only_a_few_steps_are_caught_up(self):
        water = Stepping(4.0, 4.0, 9)
        water.gain = 3600.0
        thread = self.start(water)
        water.kill()
        thread.join(20.0)
        assert max(water.batches) == MAX_CATCH_UP

    def test_an_error_in_a_step_gives_the_lock_back_and_leaves_the_loop(self):
        class Failing(Stepping):
            def advance(self, steps, shown=False):
                raise RuntimeError("no more water")

        water = Failing(4.0, 4.0, 9)
        with pytest.raises(RuntimeError, match="no more water"):
            water.run()
        assert not water.mutex.locked()
        water.kill()

    def test_its_own_clock_never_runs_backwards(self, water):
        first = water.time_stamp()
        assert water.time_stamp() >= first

    def test_it_rests_until_the_next_step_and_no_longer_than_a_tenth_of_a_second(self, rests):
        water = WaveEquationWater(4.0, 4.0, 9)
        water.kill()
        for rate in (1.0, 50.0, 10_000.0):
            water.set_parameter("steps_per_second", rate)
            water.slowdown()
        assert [seconds for seconds, _ in rests] == pytest.approx([0.1, 0.02, 0.0001])

    def test_a_kill_ends_the_rest(self, rests):
        class Resting(Stepping):
            def slowdown(self):
                super().slowdown()
                WaveEquationWater.slowdown(self)

        water = Resting(4.0, 4.0, 9)
        thread = self.start(water)
        water.kill()
        thread.join(20.0)
        assert not thread.is_alive()
        assert [ended for _, ended in rests] == [True]

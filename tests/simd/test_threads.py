"""When work is shared among threads."""

import os
import subprocess
import sys

import numba
import pytest

from waterview.simd.threads import FIRST_TRIAL, LEAST_POINTS, ThreadChoice, shared_turn


@pytest.fixture(autouse=True)
def several_threads(monkeypatch):
    """As if numba had two threads, however many it has."""
    state = {"threads": 2, "asked": []}
    monkeypatch.setattr(numba, "get_num_threads", lambda: state["threads"])
    monkeypatch.setattr(
        numba, "set_num_threads", lambda count: state["asked"].append(count) or state.update(threads=count)
    )
    return state


class Machine:
    """Work that takes so long alone and so long together."""

    def __init__(self, alone, together, points=LEAST_POINTS):
        self.alone, self.together, self.now = alone, together, 0.0
        self.team = ThreadChoice(points, clock=lambda: self.now)

    def run(self, calls):
        shared = 0
        for _ in range(calls):
            with self.team.at_work():
                self.now += self.together if self.team.shares else self.alone
            shared += self.team.shares
        return shared


def test_it_shares_where_that_is_faster():
    machine = Machine(2.0, 1.0)
    machine.run(5)
    assert machine.run(FIRST_TRIAL - 10) == FIRST_TRIAL - 10


@pytest.mark.parametrize("together", [2.2, 20.0])
def test_it_does_not_where_that_is_slower(together):
    machine = Machine(2.0, together)
    machine.run(5)
    assert machine.run(FIRST_TRIAL - 10) == 0


def test_the_slower_way_is_tried_less_and_less():
    machine = Machine(2.0, 20.0)
    machine.run(5)
    tries = [machine.run(1000) for _ in range(5)]
    assert tries[0] <= 5 and sum(tries) <= 9 and tries[-1] <= 1


def test_it_notices_when_the_machine_gets_busy_and_when_it_is_idle_again():
    machine = Machine(2.0, 1.0)
    machine.run(20)
    machine.together = 20.0
    assert machine.run(10) <= 2
    machine.together = 1.0
    machine.run(4 * FIRST_TRIAL)
    assert machine.run(10) == 10


def test_one_slow_call_in_a_long_while_changes_nothing_for_long():
    machine = Machine(2.0, 1.0)
    machine.run(20)
    machine.together = 3.0
    machine.run(1)
    machine.together = 1.0
    assert machine.run(10) == 10


def test_little_work_is_never_shared():
    machine = Machine(2.0, 1.0, LEAST_POINTS - 1)
    assert machine.run(500) == 0


def test_one_kernel_at_a_time_is_shared_and_those_on_one_thread_wait_for_nothing_and_take_nothing():
    with shared_turn(1) as alone, shared_turn(2) as two, shared_turn(2) as other, shared_turn(1) as last:
        assert (alone, two, other, last) == (1, 2, 1, 1)
    with shared_turn(3) as again:
        assert again == 3


def test_a_single_thread_is_never_waited_for(several_threads):
    several_threads["threads"] = 1
    assert Machine(2.0, 1.0).run(500) == 0


def test_the_number_of_threads_is_put_back(several_threads):
    machine = Machine(2.0, 1.0)
    machine.run(5)
    assert several_threads["threads"] == 2 and set(several_threads["asked"]) == {1, 2}
    with pytest.raises(RuntimeError, match="lost"), machine.team.at_work():
        raise RuntimeError("lost")
    assert several_threads["threads"] == 2


def test_who_passes_the_number_on_leaves_that_of_numba_alone(several_threads):
    machine, threads = Machine(2.0, 1.0), []
    for _ in range(20):
        threads.append(machine.team.begin())
        machine.now += 1.0 if threads[-1] > 1 else 2.0
        machine.team.end()
        assert machine.team.shares == (threads[-1] > 1)
    assert threads[0] == 1 and threads[-10:] == [2] * 10
    assert not several_threads["asked"]


THREADS = """
import sys, threading
from waterview import MODELS

def step(name, heights):
    water = MODELS[name](40.0, 30.0, 65)
    if water.can_be_disturbed:
        water.set_height(32, 24, 0.5)
    water.simulate(0.25)
    heights.append(water.height.tobytes())

for name in sys.argv[1:]:
    heights = []
    threads = [threading.Thread(target=step, args=(name, heights)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(heights) == 3 and len(set(heights)) == 1, name
"""


@pytest.mark.slow
def test_waters_on_a_thread_each_do_not_end_the_program_where_numba_has_no_openmp():
    # In a process of its own: what is tested here is whether it lives.
    environment = {**os.environ, "NUMBA_THREADING_LAYER": "workqueue"}
    command = [sys.executable, "-c", THREADS, "ocean", "shallow-water"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False, env=environment)
    assert done.returncode == 0, done.stderr

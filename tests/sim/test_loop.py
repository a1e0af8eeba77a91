"""The loop, driven by a water that only counts and by clocks that the tests hold in their hands."""

import itertools
import math
import threading

import pytest
from support.counting import PATIENCE, CountingWater, wait_for

from waterview.core.commands import Drop, PaintWall, Pause, ReplaceWater, Reset, SetParameter, SetWaterLevel, StepOnce
from waterview.core.errors import ParameterError, SimulationError
from waterview.sim.loop import PUBLISH_INTERVAL, RunningWorld, Simulation
from waterview.sim.world import World


def test_steps_that_no_frame_would_show_wait_for_those_that_one_will():
    running = RunningWorld(World(CountingWater(steps_per_second=1000.0)))
    running.publish(now=5.0)
    assert running.due(5.0, paused=False) == 5.0 + PUBLISH_INTERVAL
    assert running.due(5.0, paused=True) == math.inf
    running = RunningWorld(World(CountingWater(steps_per_second=10.0)))
    running.publish(now=5.0)
    assert running.due(5.0, paused=False) == pytest.approx(5.1)


def test_steps_that_are_shown_are_told_so():
    class Told(CountingWater):
        def advance(self, steps, shown=False):
            super().advance(steps)
            told.append(shown)

        def publish(self, serial):
            told.append("publish")
            return super().publish(serial)

    told = []
    water = Told(steps_per_second=2000.0)
    with Simulation(water) as simulation:
        wait_for(lambda: told.count("publish") > 6)
        simulation.post(Drop(0.0, 0.0, 0.1, 1.0))
        wait_for(lambda: told.count("publish") > 9)
    assert True in told
    for event, following in itertools.pairwise(told):
        assert event == "publish" or event == (following == "publish")


@pytest.mark.parametrize("paused", [False, True])
def test_a_touch_is_published_no_later_than_one_frame_after_the_last(paused):
    running = RunningWorld(World(CountingWater(steps_per_second=1.0)))
    running.publish(now=5.0)
    running.is_changed = True
    assert running.due(5.004, paused) == 5.0 + PUBLISH_INTERVAL


def test_the_loop_runs_in_real_time_and_publishes():
    water = CountingWater(steps_per_second=500.0)
    with Simulation(water) as simulation:
        assert water.event_at(50).wait(PATIENCE)
        wait_for(lambda: simulation.latest().heights[0, 0] >= 50)
    frame = simulation.latest()
    assert frame.serial > 0
    assert frame.time == pytest.approx(frame.heights[0, 0] / 500.0)


def test_kill_returns_only_after_run_has():
    water = CountingWater()
    simulation = Simulation(water)
    thread = threading.Thread(target=simulation.run)
    thread.start()
    assert water.event_at(1).wait(PATIENCE)
    simulation.kill()
    steps = water.steps
    thread.join(PATIENCE)
    assert not thread.is_alive()
    assert water.steps == steps
    simulation.kill()


def test_the_end_of_a_block_waits_for_a_step_only_as_long_as_its_patience():
    water = CountingWater()
    water.gate = threading.Event()
    simulation = Simulation(water)
    simulation.patience = 0.01
    with simulation:
        assert water.in_step.wait(PATIENCE)
    assert not simulation.kill(0.0), "the step has not ended"
    water.gate.set()
    assert simulation.kill() and water.steps > 0


def test_kill_ends_a_paused_loop():
    with Simulation(CountingWater()) as simulation:
        simulation.post(Pause(True))
        wait_for(lambda: simulation.paused)
        assert simulation.kill(PATIENCE)


def test_latest_and_post_do_not_wait_for_a_step():
    water = CountingWater(steps_per_second=1000.0)
    water.gate = threading.Event()
    with Simulation(water) as simulation:
        assert water.in_step.wait(PATIENCE)
        frame = simulation.latest()
        simulation.post(Drop(1.0, 1.0, 0.5, 1.0))
        assert not frame.heights.any()
        assert water.drops == []
        water.gate.set()
        wait_for(lambda: water.drops)


def test_commands_are_taken_up_in_order_while_paused_and_a_single_step_is_one():
    water = CountingWater()
    with Simulation(water) as simulation:
        simulation.post(Pause(True))
        wait_for(lambda: simulation.paused)
        simulation.post(Reset())
        simulation.post(Drop(1.0, 2.0, 0.5, 1.0))
        simulation.post(StepOnce())
        simulation.post(SetParameter("steps_per_second", 30.0))
        simulation.post(SetWaterLevel(2.5))
        wait_for(lambda: simulation.latest().grid.level == 2.5 and simulation.latest().heights[0, 0] == 1.0)
        assert water.steps == 1
        assert water.drops[0][0] == 0
        assert simulation.latest().params.steps_per_second == 30.0
        simulation.post(Pause(False))
        wait_for(lambda: water.steps > 3)


def test_a_request_that_cannot_be_met_is_told_and_nothing_else_happens():
    water = CountingWater()

    def fail():
        raise ParameterError("no such terrain")

    with Simulation(water) as simulation:
        simulation.post(ReplaceWater(fail))
        wait_for(lambda: (problem := simulation.take_problem()) is not None and str(problem) == "no such terrain")
        before = water.steps
        wait_for(lambda: water.steps > before)
        assert simulation.take_problem() is None


def test_another_water_takes_over_and_serials_go_on_rising():
    second = CountingWater(steps_per_second=10.0)
    with Simulation(CountingWater()) as simulation:
        wait_for(lambda: simulation.latest().serial > 0)
        serial = simulation.latest().serial
        simulation.post(ReplaceWater(lambda: second))
        wait_for(lambda: simulation.latest().bed is second.bed)
        assert simulation.latest().serial > serial


@pytest.mark.parametrize("awaits", [True, False])
def test_where_pictures_are_awaited_another_water_takes_one_step_and_waits_until_it_is_seen(awaits):
    now, second = itertools.count(0.0, 0.05), CountingWater(steps_per_second=60.0)
    simulation = Simulation(CountingWater(), clock=lambda: next(now))
    simulation.awaits_pictures = awaits
    last = 0.0

    def turns():
        nonlocal last
        for _ in range(20):
            last = simulation.turn(last)

    turns()
    before = simulation.latest()
    assert before.heights[0, 0] > 1.0, "the first water waits for nobody"
    simulation.post(ReplaceWater(lambda: second))
    turns()
    assert (second.steps == 1) == awaits
    simulation.note_seen(before)
    turns()
    assert (second.steps == 1) == awaits, "what was seen is the water before"
    simulation.post(StepOnce())
    turns()
    assert (second.steps == 2) == awaits
    simulation.note_seen(simulation.latest())
    turns()
    assert second.steps > 10


def made_of(simulation):
    """What the first world was asked to make, in order, by the name given to `replace_water`."""
    made = []

    def replace_water(name, **how):
        def make():
            made.append(name)
            return World(CountingWater()) if how.get("replaces_all") else CountingWater()

        simulation.post(ReplaceWater(make, **how))

    return made, replace_water


def test_of_other_waters_that_wait_to_be_made_only_the_newest_is():
    world = World(CountingWater())
    simulation = Simulation(world)
    made, replace_water = made_of(simulation)
    for name in ("a", "b"):
        replace_water(name, keep_bodies=True, keep_walls=True, keep_level=True)
    simulation.post(SetWaterLevel(1.0))
    simulation.post(PaintWall(0.0, 0.0, 0.5))
    replace_water("c", keep_bodies=True, keep_walls=True, keep_level=True)
    simulation.turn(0.0)
    assert made == ["c"]
    assert world.water.grid.level == 1.0 and world.water.walls.any()
    replace_water("another terrain")
    replace_water("a model", keep_bodies=True, keep_walls=True, keep_level=True)
    simulation.turn(0.0)
    assert made == ["c", "a model"]
    assert world.water.grid.level == 0.0 and not world.water.walls.any(), "they belong to the terrain before"


def test_a_whole_scene_is_made_although_another_model_of_it_follows():
    simulation = Simulation(CountingWater(), CountingWater())
    made, replace_water = made_of(simulation)
    replace_water("a model")
    replace_water("a preset", replaces_all=True)
    replace_water("its next model")
    replace_water("the one after")
    simulation.post(ReplaceWater(lambda: made.append("elsewhere") or CountingWater()), water=1)
    simulation.turn(0.0)
    assert made == ["a preset", "the one after", "elsewhere"]


def test_a_pause_that_is_asked_for_twice_is_over():
    simulation = Simulation(CountingWater())
    for presses, paused in ((1, True), (2, True), (1, False)):
        for _ in range(presses):
            simulation.post(Pause())
        simulation.turn(0.0)
        assert simulation.paused is paused


def test_single_steps_asked_for_in_one_turn_are_all_taken():
    water = CountingWater()
    simulation = Simulation(water)
    simulation.post(Pause(True))
    for _ in range(3):
        simulation.post(StepOnce())
    simulation.turn(0.0)
    assert water.steps == 3
    simulation.turn(0.0)
    assert water.steps == 3


def test_commands_for_other_waters_than_the_first_are_not_noted():
    noted = []
    simulation = Simulation(CountingWater(), CountingWater(), note=lambda *what: noted.append(what[1]))
    first, second = Drop(0.0, 0.0, 0.1, 1.0), Drop(1.0, 0.0, 0.1, 1.0)
    simulation.post(second, water=1)
    simulation.post(first)
    simulation.turn(0.0)
    assert noted == [first]


def test_time_that_passes_during_a_pause_is_not_caught_up():
    water, seconds = CountingWater(steps_per_second=100.0), [0.0]
    simulation = Simulation(water, clock=lambda: seconds[0])
    last = simulation.turn(0.0)
    simulation.post(Pause(True))
    for seconds[0] in (0.05, 0.5, 1.0):
        last = simulation.turn(last)
    simulation.post(Pause(False))
    for seconds[0] in (1.005, 1.025):
        last = simulation.turn(last)
    assert water.steps == 2, "of the second under way only the last 25 ms count"


@pytest.mark.parametrize(("time_scale", "steps"), [(0.25, 25), (1.0, 100), (8.0, 800)])
def test_time_runs_as_fast_as_is_asked_for(time_scale, steps):
    water, seconds = CountingWater(steps_per_second=100.0), [0.0]
    simulation = Simulation(water, clock=lambda: seconds[0])
    simulation.time_scale = time_scale
    last = simulation.turn(0.0)
    for number in range(1, 101):
        seconds[0] = number / 100.0
        last = simulation.turn(last)
    assert abs(water.steps - steps) <= 1


def test_a_command_that_comes_before_the_loop_sleeps_is_taken_up_at_once():
    """Posted while the loop is in its last turn: whoever notifies then wakes nobody."""

    class Posting(World):
        def publish(self, serial):
            if serial == 2:
                simulation.post(StepOnce())
            return super().publish(serial)

    water = CountingWater()
    simulation = Simulation(Posting(water))
    simulation.post(Pause(True))
    with simulation:
        simulation.post(Drop(0.0, 0.0, 0.1, 1.0))
        wait_for(lambda: simulation.latest().serial >= 2)
        wait_for(lambda: water.steps == 1)


@pytest.mark.slow
def test_several_waters_share_one_loop_each_at_its_own_pace():
    slow, fast = CountingWater(steps_per_second=50.0), CountingWater(steps_per_second=200.0)
    with Simulation(slow, fast) as simulation:
        assert slow.event_at(20).wait(PATIENCE)
        simulation.post(Drop(0.0, 0.0, 1.0, 1.0), water=1)
        wait_for(lambda: fast.drops)
    assert slow.drops == []
    assert fast.steps > 2 * slow.steps
    assert simulation.latest(1).params.steps_per_second == 200.0


def test_a_water_that_is_not_there_is_told_at_once_and_the_others_go_on():
    with pytest.raises(ParameterError, match="needed are one or more"):
        Simulation()
    water = CountingWater()
    with Simulation(water) as simulation:
        for number in (1, -1):
            with pytest.raises(ParameterError, match="allowed are 0 to 0"):
                simulation.post(Reset(), water=number)
        assert water.event_at(2).wait(PATIENCE)


def test_a_simulation_is_started_once():
    water = CountingWater()
    with Simulation(water) as simulation:
        with pytest.raises(SimulationError, match="make another one"):
            simulation.start()
        assert water.event_at(2).wait(PATIENCE)
    with pytest.raises(SimulationError, match="make another one"), simulation:
        pass
    before = water.steps
    with Simulation(water):
        assert water.event_at(before + 2).wait(PATIENCE)


def test_an_error_in_the_loop_reaches_whoever_looks():
    water = CountingWater()
    water.fail = ZeroDivisionError("the model broke")
    with Simulation(water) as simulation:

        def has_failed():
            try:
                simulation.latest()
            except SimulationError as error:
                return isinstance(error.__cause__, ZeroDivisionError) and "the model broke" in str(error)
            return False

        wait_for(has_failed)


def test_a_paused_loop_rests():
    water = CountingWater()
    with Simulation(water) as simulation:
        wait_for(lambda: simulation.steps_per_second > 0.0)
        simulation.post(Pause(True))
        wait_for(lambda: simulation.paused and simulation.steps_per_second == 0.0)
        serial = simulation.latest().serial
        simulation.post(Drop(0.0, 0.0, 1.0, 1.0))
        wait_for(lambda: simulation.latest().serial == serial + 1)

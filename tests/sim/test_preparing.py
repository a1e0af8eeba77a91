"""What the loop waits for and tells of: compiling before bodies come, loading, a first step that takes long."""

import itertools
import sys
from types import SimpleNamespace

from numba.core import event
from support.compiled import compiled_water
from support.counting import CountingWater, wait_for

from waterview.core.commands import AddBody, Pause, RemoveBodies, ReplaceWater, StepOnce
from waterview.core.errors import InputError
from waterview.sim.loop import KERNEL_COUNTS, Simulation
from waterview.sim.world import World
from waterview.waters import MODELS


class HeldWork:
    """A preparation that is done when the test says so."""

    note = "getting ready"

    def __init__(self):
        self.started, self.is_done, self.ended = 0, False, False

    def start(self):
        self.started += 1

    def end(self):
        self.ended = True


def test_bodies_wait_for_what_has_to_be_prepared_and_the_water_does_not():
    work, simulation = HeldWork(), Simulation(CountingWater())
    simulation.prepare(work)
    with simulation:
        assert not simulation.preparing
        simulation.post(AddBody("sphere", 400.0, 2.0, 2.0))
        wait_for(lambda: simulation.preparing == "getting ready")
        time_then = simulation.latest().time
        wait_for(lambda: simulation.latest().time > time_then + 0.05)
        assert not simulation.latest().bodies
        simulation.post(Pause(True))  # to step a body would compile it
        wait_for(lambda: simulation.paused)
        work.is_done = True
        wait_for(lambda: len(simulation.latest().bodies) == 1)
        assert not simulation.preparing
    assert work.started == 1


def test_a_scene_with_bodies_waits_as_a_whole_even_while_paused():
    work, world = HeldWork(), World(CountingWater())
    world.apply(AddBody("sphere", 400.0, 2.0, 2.0))
    simulation = Simulation(world)
    simulation.prepare(work)
    with simulation:
        wait_for(lambda: len(simulation.latest().bodies) == 1 and work.started)
        assert simulation.preparing
        assert simulation.steps == 0
        simulation.post(Pause(True))
        wait_for(lambda: simulation.paused)
        work.is_done = True
        wait_for(lambda: not simulation.preparing)


def test_bodies_taken_away_before_they_came_do_not_come():
    work = HeldWork()
    simulation = Simulation(CountingWater())
    simulation.prepare(work)
    with simulation:
        simulation.post(AddBody("sphere", 400.0, 2.0, 2.0))
        simulation.post(RemoveBodies())
        wait_for(lambda: work.started)
        wait_for(lambda: not simulation.preparing)
        work.is_done = True
        steps = simulation.steps
        wait_for(lambda: simulation.steps > steps + 2)
        assert not simulation.latest().bodies


def test_what_is_not_done_is_given_up_at_the_end():
    work = HeldWork()
    simulation = Simulation(CountingWater())
    simulation.prepare(work)
    with simulation:
        wait_for(lambda: work.started)
    assert work.ended


def test_while_other_water_is_loaded_that_is_told():
    simulation = Simulation(MODELS["wave-equation"](8.0, 8.0, 9), clock=lambda: 0.0)
    told = []

    def make():
        told.append(simulation.preparing)
        raise InputError("no such file")

    for made in (make, lambda: told.append(simulation.preparing) or MODELS["wave-equation"](4.0, 4.0, 5)):
        simulation.post(ReplaceWater(made))
        simulation.turn(0.0)
        assert simulation.preparing == ""
    assert told == ["loading … 0 s", "loading … 0 s"]


def test_while_the_compiler_is_loaded_that_is_told(monkeypatch):
    told = []

    class Watching:
        def find_spec(self, name, path=None, target=None):
            if name == "waterview.simd.compiling":
                told.append(simulation.preparing)

    monkeypatch.delitem(sys.modules, "waterview.simd.compiling", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Watching(), *sys.meta_path])
    seconds = itertools.count(0, 7)
    monkeypatch.setattr("waterview.sim.loop.time", SimpleNamespace(monotonic=lambda: next(seconds)))
    simulation = Simulation(CountingWater())
    with simulation:
        wait_for(lambda: simulation.steps > 2)
    assert told == ["loading the compiler: 10 s"]
    assert simulation.preparing == ""


def test_a_first_step_and_a_first_picture_that_take_long_are_told(monkeypatch):
    told = []

    class Slow(CountingWater):
        def step(self):
            told.append(simulation.preparing)
            super().step()

        def publish(self, serial):
            told.append(simulation.preparing)
            return super().publish(serial)

    seconds = itertools.count(0, 7)
    monkeypatch.setattr("waterview.sim.loop.time", SimpleNamespace(monotonic=lambda: next(seconds)))
    times = itertools.count()
    simulation = Simulation(Slow(), clock=lambda: next(times))
    simulation.post(Pause(True))
    for command in (StepOnce(), StepOnce(), ReplaceWater(Slow), StepOnce(), StepOnce()):
        simulation.post(command)
        simulation.turn(0.0)
    # "" once a first step is taken; nothing is compiled here, so nothing is said of compiling.
    assert [bool(note) for note in told] == [True, True, False, False, True, True, True, False, False]
    assert {note.partition(":")[0] for note in told if note} == {"the first step takes long"}
    assert simulation.preparing == ""


def test_kernels_are_counted_while_they_are_really_compiled(monkeypatch, tmp_path):
    """A water whose first step compiles two kernels that nobody has compiled before."""
    (tmp_path / "fresh_kernels.py").write_text(
        "from waterview.simd.jit import jit\n@jit\ndef first(x):\n    return x + 1\n"
        "@jit\ndef second(x):\n    return x + 2\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import fresh_kernels

    told = []

    class Compiled(CountingWater):
        name = "wave-equation"

        def step(self):
            if not self.steps:
                for kernel in (fresh_kernels.first, fresh_kernels.second):
                    simulation.notes_from(kernel)
            super().step()

    class Watched(Simulation):
        def notes_from(self, kernel):
            with event.install_listener("numba:compile", Teller()):
                kernel(1.0)

    class Teller(event.Listener):
        def on_start(self, event):
            told.append(simulation.preparing)

        def on_end(self, event):
            pass

    seconds = itertools.count(0, 7)
    monkeypatch.setattr("waterview.sim.loop.time", SimpleNamespace(monotonic=lambda: next(seconds)))
    simulation = Watched(Compiled(steps_per_second=100.0))
    with simulation:
        wait_for(lambda: simulation.steps > 2)
    count = KERNEL_COUNTS["wave-equation"]
    beginnings = [note.rpartition(",")[0] for note in told]
    assert beginnings == [f"compiling the water, once on this machine: kernel {number} of {count}" for number in (1, 2)]
    assert simulation.preparing == ""


def test_what_is_compiled_after_the_first_step_is_told(monkeypatch, tmp_path):
    told = []
    compiled = compiled_water(monkeypatch, tmp_path, lambda: told.append(simulation.preparing))

    class Late(compiled):
        def step(self):
            return super().step() if self.steps == 2 else CountingWater.step(self)

    seconds = itertools.count(0, 7)
    monkeypatch.setattr("waterview.sim.loop.time", SimpleNamespace(monotonic=lambda: next(seconds)))
    simulation = Simulation(Late(steps_per_second=100.0))
    with simulation:
        wait_for(lambda: simulation.steps > 3)
    assert {note.rpartition(",")[0] for note in told} == {"compiling the water, once on this machine: kernel 1"}
    assert ["(part 1)" in note for note in told] == [False, True], "of a kernel that has one part"


def test_a_preparation_that_is_done_is_not_told_while_the_first_picture_is_awaited():
    told = []

    class Telling(CountingWater):
        def step(self):
            told.append(simulation.preparing)
            super().step()

    times = itertools.count()
    work, simulation = HeldWork(), Simulation(Telling(), clock=lambda: next(times))
    work.is_done = True
    simulation.prepare(work)
    simulation.post(AddBody("sphere", 400.0, 2.0, 2.0))
    simulation.turn(-1.0)
    assert told and not any(told)


class TestCancel:
    """Water whose first step compiles a kernel of two parts that nobody has compiled before."""

    def simulation(self, monkeypatch, tmp_path, first=None, **options):
        def cancel():
            simulation.cancel()

        compiled = compiled_water(monkeypatch, tmp_path, cancel)
        simulation = Simulation((first or compiled)(steps_per_second=100.0), **options)
        return simulation, compiled

    def test_the_water_before_goes_on(self, monkeypatch, tmp_path):
        noted, cancelled = [], []
        note = lambda step, command, world: noted.append(command)  # noqa: E731
        simulation, compiled = self.simulation(monkeypatch, tmp_path, CountingWater, note=note)
        with simulation:
            wait_for(lambda: simulation.steps > 2)
            first = simulation.world.water
            simulation.post(ReplaceWater(compiled, cancelled=lambda: cancelled.append(simulation.world.water)))
            wait_for(lambda: cancelled)
            steps = simulation.steps
            wait_for(lambda: simulation.steps > steps + 2)
            assert cancelled == [first] and simulation.world.water is first
            assert not simulation.can_cancel
            assert "cancelled" in str(simulation.take_problem())
        assert [type(command) for command in noted] == [ReplaceWater, ReplaceWater], "a replay goes back, too"

    def test_at_the_start_there_is_no_water_to_go_back_to(self, monkeypatch, tmp_path):
        simulation, _ = self.simulation(monkeypatch, tmp_path)
        with simulation:
            wait_for(lambda: simulation.steps > 2)
        assert simulation.take_problem() is None

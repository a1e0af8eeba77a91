import numpy as np
import pytest

from waterview.core.commands import Drop, Pause, ReplaceWater, SetParameter, StepOnce
from waterview.core.errors import SimulationError
from waterview.gpu.loop import FrameLoop
from waterview.gpu.water import GpuWaveWater
from waterview.sim.loop import PUBLISH_INTERVAL
from waterview.waters.wave.wave_equation import WaveEquationWater

DROP = Drop(5.0, 5.0, height=0.5, radius=1.0)


class Clock:
    """Time that a test lets go by."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def loop(clock):
    with FrameLoop(WaveEquationWater(10.0, 10.0, 33), clock=clock) as loop:
        yield loop


def test_time_goes_on_only_when_a_frame_is_asked_for(clock, loop):
    clock.now = 1.0 / 30.0
    assert loop.latest().time == pytest.approx(4.0 / 120.0)
    assert loop.latest().serial == 1
    clock.now = 100.0
    assert loop.latest().time == pytest.approx(12.0 / 120.0)  # at most eight steps are caught up


def test_a_click_is_in_the_surface_after_one_step_and_one_frame(clock, loop):
    clock.now = 1.0
    loop.latest()
    loop.post(DROP)
    clock.now += loop.latest().params.steps_per_second ** -1 + PUBLISH_INTERVAL
    assert loop.latest().heights[16, 16] > 0.1


def test_a_click_is_in_the_surface_after_one_frame_while_time_stands_still(clock, loop):
    clock.now = 1.0
    loop.post(Pause(True))
    loop.latest()
    loop.post(DROP)
    clock.now += 1.01 * PUBLISH_INTERVAL
    frame = loop.latest()
    assert frame.heights[16, 16] == pytest.approx(0.5)
    loop.post(StepOnce())
    clock.now += 1.01 * PUBLISH_INTERVAL
    assert loop.latest().time == pytest.approx(frame.time + 1.0 / 120.0)


def test_an_error_is_raised_where_frames_are_asked_for(clock, loop, monkeypatch):
    def broken(self, *arguments):
        raise ZeroDivisionError("broken on purpose")

    monkeypatch.setattr(WaveEquationWater, "advance", broken)
    clock.now = 1.0
    for _ in range(2):
        with pytest.raises(SimulationError, match="broken on purpose"):
            loop.latest()


def test_water_that_another_replaces_and_the_last_one_are_freed(ctx, clock, monkeypatch):
    freed, release = [], GpuWaveWater.release
    monkeypatch.setattr(GpuWaveWater, "release", lambda water: (freed.append(water), release(water)))
    one, two = (GpuWaveWater(ctx, 10.0, 10.0, 33) for _ in range(2))
    with FrameLoop(one, clock=clock) as loop:
        loop.latest()
        loop.post(ReplaceWater(lambda: two))
        clock.now = 1.0
        loop.latest()
        assert freed == [one]
    assert freed == [one, two]
    ctx.rest.use()


def test_water_comes_to_rest_and_leaves_it_with_the_next_drop(clock, loop):
    def frame_after(seconds):
        clock.now += seconds
        return loop.latest()

    loop.post(DROP)
    first = frame_after(1.0 / 120.0)
    assert not first.at_rest and np.any(first.heights)
    loop.post(SetParameter("damping", 5.0))
    for _ in range(2000):
        if frame_after(8.0 / 120.0).at_rest:
            break
    assert loop.latest().at_rest and loop.latest().time > 1.0
    loop.post(DROP)
    assert not frame_after(8.0 / 120.0).at_rest
    assert np.any(loop.latest().heights)

"""What can be undone comes back to the bit, and the water goes on meanwhile."""

import numpy as np
import pytest
from support.worlds import BEACH, make_world

from waterview.core.commands import (
    AddBody,
    BeginChange,
    Drop,
    GrabBody,
    PaintWall,
    RaiseWaterLevel,
    RedoChange,
    RemoveBodies,
    RemoveBody,
    Reset,
    SetBodyDensity,
    SetCourse,
    SetParameter,
    SetRain,
    SetWaterLevel,
    UndoChange,
)
from waterview.core.errors import InputError
from waterview.scene.serialise import world_to_dict
from waterview.sim import history
from waterview.waters import MODELS

BODIES = (AddBody("sphere", 400.0, -3.0, 1.0), AddBody("boat", None, -2.0, -2.0, 90.0, 1.0))


@pytest.fixture
def world():
    world = make_world(ground=BEACH)
    for body in BODIES:
        world.apply(body)
    world.apply(PaintWall(-4.0, 3.0, 0.6))
    world.apply(Drop(-3.0, 0.0, 0.3, 1.0))
    world.water.simulate(0.05)
    return world


def seen(world):
    """All of a world that can be undone, in a form that can be compared."""
    bodies = () if world.bodies is None else world.bodies.states()
    return {
        "walls": world.water.walls.tobytes(),
        "bed": world.water.bed.tobytes(),
        "level": world.water.grid.level,
        "params": world.water.params,
        "world params": world.params,
        "rain": world.rain.rate,
        "bodies": [
            (body.number, body.kind, tuple(body.position), body.rotation.tobytes(), body.density, body.course)
            for body in bodies
        ],
    }


CHANGES = {
    "a wall": [PaintWall(0.0, 0.0, 1.0), PaintWall(1.0, 1.0, 1.0, True, (0.0, 0.0))],
    "a wall removed": [PaintWall(-4.0, 3.0, 2.0, False)],
    "the level": [RaiseWaterLevel(0.1), SetWaterLevel(0.3)],
    "a parameter": [SetParameter("wave_speed", 1.25), SetParameter("wave_speed", 1.5)],
    "a parameter of bodies": [SetParameter("bodies_drag", 3.0)],
    "rain": [SetRain(40.0)],
    "calm": [Reset()],
    "a body": [AddBody("duck", None, -4.0, -1.0)],
    "a body taken away": [RemoveBody(1)],
    "all bodies taken away": [RemoveBodies()],
    "a course": [SetCourse(1, 45.0, 2.0)],
    "the end of a course": [SetCourse(2, None)],
    "densities": [SetBodyDensity(900.0)],
    "several at once": [PaintWall(0.0, 0.0, 1.0), SetRain(3.0), RemoveBody(2), AddBody("box", 300.0, -1.0, 0.0)],
}


@pytest.mark.parametrize("commands", CHANGES.values(), ids=CHANGES)
def test_a_change_is_undone_and_done_again(world, commands):
    def seen_now():
        # A wall or a lower level takes the waves away for good.
        return seen(world) | ({"waves": world.water.height.tobytes()} if commands == [Reset()] else {})

    before = seen_now()
    world.apply(BeginChange(7))
    for command in commands:
        world.apply(command)
    after = seen_now()
    assert after != before
    for _ in range(2):
        world.apply(UndoChange(7))
        assert seen_now() == before
        world.apply(RedoChange(7))
        assert seen_now() == after


def test_changes_are_undone_one_by_one_and_a_new_one_ends_what_could_be_done_again(world):
    states = [seen(world)]
    for number, command in enumerate((RaiseWaterLevel(0.1), PaintWall(0.0, 0.0, 1.0), RemoveBody(2), SetRain(9.0)), 1):
        world.apply(BeginChange(number))
        world.apply(command)
        states.append(seen(world))
    for number in (4, 3, 2):
        world.apply(UndoChange(number))
        assert seen(world) == states[number - 1]
    world.apply(BeginChange(5))
    world.apply(SetWaterLevel(-0.1))
    with pytest.raises(InputError, match="nothing to redo"):
        world.apply(RedoChange(2))
    world.apply(UndoChange(5))
    assert seen(world) == states[1]


def test_the_waves_that_were_calmed_come_back_and_time_goes_on(world):
    world.apply(BeginChange(1))
    world.apply(Reset())
    world.step()
    time = world.water.time
    world.apply(UndoChange(1))
    assert world.water.time == time
    assert np.abs(world.water.height).max() > 0.01


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.slow
def test_every_model_brings_calmed_waves_back(name):
    world = make_world(name)
    if MODELS[name].can_be_disturbed:
        world.apply(Drop(0.0, 0.0, 0.3, 2.0))
    world.advance(3)
    heights, time = world.publish(0).heights.copy(), world.water.time
    world.apply(BeginChange(1))
    world.apply(Reset())
    world.apply(UndoChange(1))
    assert np.array_equal(world.publish(0).heights, heights)
    assert world.water.time == time


def test_a_thrown_body_is_again_where_it_was_grabbed(world):
    place = world.bodies.states()[0].position.copy()
    world.apply(BeginChange(1))
    world.apply(GrabBody(1, tuple(place)))
    world.bodies.place(1, (-4.0, 0.5, 0.0))
    world.apply(UndoChange(1))
    (ball, _) = world.bodies.states()
    assert np.array_equal(ball.position, place)
    assert not ball.grabbed


def test_bodies_that_come_back_are_stepped_on(world):
    world.apply(BeginChange(1))
    world.apply(RemoveBodies())
    world.advance(2)
    world.apply(UndoChange(1))
    boat = world.bodies.states()[1].position.copy()
    world.advance(30)
    assert world.bodies.states()[1].position[0] > boat[0], "the boat goes east"


def test_what_was_refused_or_changes_nothing_cannot_be_undone(world):
    before = seen(world)
    world.apply(BeginChange(1))
    with pytest.raises(InputError):
        world.apply(SetParameter("wave_speed", -1.0))
    world.apply(Drop(0.0, 0.0, 0.1, 1.0))
    with pytest.raises(InputError, match="nothing to undo"):
        world.apply(UndoChange(1))
    assert seen(world)["params"] == before["params"]


def test_without_a_beginning_nothing_is_kept(world):
    world.apply(SetRain(3.0))
    with pytest.raises(InputError, match="nothing to undo"):
        world.apply(UndoChange(0))


def test_the_oldest_changes_are_forgotten_first(world, monkeypatch):
    monkeypatch.setattr(history, "MOST_CHANGES", 3)
    for number in range(5):
        world.apply(BeginChange(number))
        world.apply(SetRain(float(number + 1)))
    for number in (4, 3, 2):
        world.apply(UndoChange(number))
    with pytest.raises(InputError):
        world.apply(UndoChange(1))
    assert world.rain.rate == 2.0


def test_calmed_waves_take_no_more_memory_than_is_allowed(world, monkeypatch):
    monkeypatch.setattr(history, "MOST_BYTES", 1000)
    world.apply(BeginChange(1))
    world.apply(SetRain(1.0))
    world.apply(BeginChange(2))
    world.apply(Reset())
    world.apply(UndoChange(2))
    with pytest.raises(InputError):
        world.apply(UndoChange(1))


def test_a_change_that_can_be_undone_only_in_part_changes_nothing(world):
    world.apply(BeginChange(1))
    world.apply(SetCourse(1, 10.0, 1.0))
    world.apply(SetRain(5.0))
    world.carry_out(RemoveBodies())
    with pytest.raises(InputError, match="no body"):
        world.apply(UndoChange(1))
    assert world.rain.rate == 5.0


def test_changes_that_can_be_undone_are_no_part_of_what_is_saved(world):
    saved = world_to_dict(world)
    world.apply(BeginChange(1))
    assert world_to_dict(world).keys() == saved.keys()

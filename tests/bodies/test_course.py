"""Bodies that go by themselves: they reach their speed and their heading, and stop when they are told to."""

import math

import numpy as np
import pytest
from support.ponds import Pond, one_body, run

from waterview.bodies.course import facing, heading_of, usual_speed
from waterview.core.commands import MAX_SPEED, AddBody, SetCourse
from waterview.core.errors import InputError, ParameterError
from waterview.sim.world import World
from waterview.waters import MODELS


def motion_along(bodies, number, heading):
    """Speed along a heading and across it [m/s]."""
    angle, (u, _, w) = math.radians(heading), bodies.motion(number)[0]
    return u * math.sin(angle) - w * math.cos(angle), u * math.cos(angle) + w * math.sin(angle)


def bow(state):
    """Heading of a body's own +x [degrees]."""
    return heading_of(*state.rotation[[0, 2], 0])


def angle_between(one, other):
    return abs((one - other + 180.0) % 360.0 - 180.0)


@pytest.mark.parametrize(("heading", "east", "south"), [(0.0, 0, -1), (90.0, 1, 0), (180.0, 0, 1), (-90.0, -1, 0)])
def test_headings_are_those_of_a_compass(heading, east, south):
    assert angle_between(heading_of(east, south), heading) < 1e-9
    bodies, number = one_body(Pond(), "boat", None, rotation=facing(heading))
    assert angle_between(bow(bodies.states()[0]), heading) < 1e-9
    bodies.set_course(number, heading, 1.0)
    run(bodies, Pond(), 1.0)
    assert bodies.motion(number)[0][[0, 2]] == pytest.approx((east, south), abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(
    "model", [name for name in MODELS if MODELS[name].can_be_coupled and name not in ("ocean", "layered")]
)
def test_speed_and_heading_are_reached_on_calm_deep_water(model):
    """In every model that can be calm: 20 s after a boat that points east was told to go north-west."""
    world = World(MODELS[model](60.0, 60.0, 49, (-30.0, 0.0, -30.0)))
    world.apply(AddBody("boat", None, 15.0, 15.0))
    assert bow(world.publish(0).bodies[0]) == pytest.approx(90.0)
    world.apply(SetCourse(1, 310.0, 1.2))
    world.advance(math.ceil(20.0 / world.time_step))
    speed, across = motion_along(world.bodies, 1, 310.0)
    assert speed == pytest.approx(1.2, rel=0.02)
    assert abs(across) < 0.03
    (state,) = world.publish(1).bodies
    assert angle_between(bow(state), 310.0) < 2.0
    assert state.course == (310.0, 1.2)
    assert state.rotation[1, 1] > 0.95, "it stays upright"


def test_a_body_without_a_course_is_left_to_the_water():
    """Its course ended, drag slows it as it slows a body that was thrown; and one that was removed takes its along."""
    pond = Pond(size=60.0, points=61)
    bodies, number = one_body(pond, "boat", None, size=1.0)
    bodies.set_course(number, 90.0, 2.0)
    run(bodies, pond, 3.0)
    assert motion_along(bodies, number, 90.0)[0] == pytest.approx(2.0, rel=0.02)
    bodies.set_course(number, None)
    run(bodies, pond, 3.0)
    assert bodies.states()[0].course is None
    assert motion_along(bodies, number, 90.0)[0] < 1.5
    bodies.set_course(number, 90.0, 2.0)
    bodies.remove(number)
    other = bodies.add(pond, "boat", x=0.0, z=0.0, size=1.0)
    run(bodies, pond, 1.0)
    assert bodies.motion(other)[0] == pytest.approx(np.zeros(3), abs=1e-3)


def test_nothing_drives_a_body_in_the_air_or_in_the_hand():
    pond = Pond()
    bodies, number = one_body(pond, "boat", None, y=4.0)
    bodies.set_course(number, 0.0, 2.0)
    run(bodies, pond, 0.5)
    assert bodies.motion(number)[0][[0, 2]] == pytest.approx((0.0, 0.0), abs=1e-9)
    held = []
    for heading in (0.0, None):
        bodies, number = one_body(pond, "boat", None)
        bodies.set_course(number, heading, 2.0)
        place = bodies.states()[0].position
        bodies.grab(number, place)
        run(bodies, pond, 2.0)
        held.insert(0, bodies)
    for one, other in zip(*(each.motion(1) for each in held), strict=True):
        np.testing.assert_array_equal(one, other)
    bodies = held[1]
    bodies.release()
    run(bodies, pond, 2.0)
    assert bodies.states()[0].position[2] < place[2] - 2.0


def test_the_engine_is_no_stronger_than_it_is():
    """Half the weight at most: half of g·t after a time t, however fast it is asked to go."""
    pond = Pond(size=60.0, points=61)
    bodies, number = one_body(pond, "boat", None, drag=0.0, lift=0.0, skin_friction=0.0)
    bodies.set_course(number, 90.0, MAX_SPEED)
    run(bodies, pond, 0.5)
    assert 1.5 < bodies.motion(number)[0][0] <= 0.5 * 9.81 * 0.5 + 1e-9


def test_the_usual_speed_is_of_a_froude_number_of_two_fifths():
    assert usual_speed(10.0) == pytest.approx(0.4 * math.sqrt(9.81 * 10.0))
    assert usual_speed(1e9) == MAX_SPEED


@pytest.mark.parametrize(
    ("heading", "speed"), [(math.nan, 1.0), (361.0, 1.0), (0.0, -1.0), (0.0, 101.0), (0.0, math.inf)]
)
def test_what_is_no_course_is_refused(heading, speed):
    bodies, number = one_body(Pond(), "boat", None)
    bodies.set_course(number, 10.0, 1.0)
    for refused in (
        lambda: SetCourse(number, heading, speed),
        lambda: AddBody("boat", heading=heading, speed=speed),
        lambda: bodies.set_course(number, heading, speed),
    ):
        with pytest.raises(ParameterError, match=r"a course .* allowed are"):
            refused()
    assert bodies.states()[0].course == (10.0, 1.0)


def test_a_course_for_a_body_that_is_not_there_is_refused():
    world = World(MODELS["wave-equation"](12.0, 9.0, 25))
    with pytest.raises(InputError, match="no body has the number 1: there are none"):
        world.apply(SetCourse(1, 0.0, 1.0))
    assert world.bodies is None
    world.apply(AddBody("boat", None, 6.0, 4.0, 270.0, 0.5))
    with pytest.raises(InputError, match="no body has the number 2: there are 1"):
        world.apply(SetCourse(2, 0.0, 1.0))
    (boat,) = world.publish(0).bodies
    assert boat.course == (270.0, 0.5)
    assert bow(boat) == pytest.approx(270.0)

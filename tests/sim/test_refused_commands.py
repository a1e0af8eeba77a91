"""What is refused changes nothing: every command, on every model, with bodies and detail or without."""

import math
from typing import get_args

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from waterview.core import commands
from waterview.core.errors import InputError, ParameterError
from waterview.scene.serialise import world_to_dict
from waterview.sim.world import World
from waterview.waters import MODELS
from waterview.waters.eddies.detail import Detail

NUMBERS = st.floats(-8.0, 8.0) | st.sampled_from([0.0, 1e-300, 1e6, 1e12, -1e12, math.inf, math.nan])
"""Places, sizes and heights: most of them usual, some beyond all that anything allows."""

NAMES = st.sampled_from(
    ["border", "damping", "bodies_drag", "bodies_colour", "detail_trail", "detail_size", "detail", "steps_per_second",
     "wave_speed", "most_particles", "scheme", "choppiness"]
)  # fmt: skip
VALUES = NUMBERS | st.integers(-5, 5000) | st.booleans() | st.sampled_from(["open", "zero", "pink", ""])
POINTS = st.tuples(NUMBERS, NUMBERS, NUMBERS)

SURFACES = st.builds(np.full, st.sampled_from([(19, 25), (3, 2), (19,)]), NUMBERS)
TIMES = st.tuples(NUMBERS, NUMBERS) | st.just(())


def refuse(*_):
    raise InputError("no")


def world_that_cannot_be_kept():
    return World(MODELS["wave-equation"](12.0, 9.0, 25), rain=5.0, detail=Detail(size=2.0, points=16))


ARGUMENTS = {
    commands.Drop: (NUMBERS, NUMBERS, NUMBERS, NUMBERS, st.booleans()),
    commands.SetHeight: (st.integers(-3, 60), st.integers(-3, 60), NUMBERS),
    commands.SetParameter: (NAMES, VALUES),
    commands.SetWaterLevel: (NUMBERS,),
    commands.RaiseWaterLevel: (NUMBERS,),
    commands.PaintWall: (NUMBERS, NUMBERS, NUMBERS, st.booleans(), st.none() | st.tuples(NUMBERS, NUMBERS)),
    commands.Gust: (NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS),
    commands.SetRain: (NUMBERS,),
    commands.AddBody: (
        st.sampled_from(["sphere", "box", "duck", "boat", "whale"]),
        st.none() | NUMBERS,
        st.none() | NUMBERS,
        st.none() | NUMBERS,
        st.none() | NUMBERS,
        NUMBERS,
    ),
    commands.RemoveBody: (st.integers(0, 3),),
    commands.RemoveBodies: (),
    commands.GrabBody: (st.integers(0, 3), POINTS),
    commands.DragBody: (POINTS,),
    commands.ReleaseBody: (),
    commands.SetBodyDensity: (NUMBERS,),
    commands.SetCourse: (st.integers(0, 3), st.none() | NUMBERS, NUMBERS.map(abs)),
    commands.ShowField: (st.sampled_from([None, "height", "energy", "nothing"]),),
    commands.ShowNextField: (),
    commands.ShowFrame: (st.integers(-1, 3),),
    commands.LookAt: (NUMBERS, NUMBERS, NUMBERS),
    commands.Reset: (),
    commands.BeginChange: (st.integers(0, 3),),
    commands.UndoChange: (st.integers(0, 3),),
    commands.RedoChange: (st.integers(0, 3),),
    commands.Pause: (st.none() | st.booleans(),),
    commands.StepOnce: (),
    commands.ReplaceWater: (st.sampled_from([refuse, world_that_cannot_be_kept]), *(st.booleans(),) * 4),
    commands.SetState: (SURFACES, st.none() | SURFACES.map(lambda surface: np.stack((surface, surface)))),
    commands.AddGauge: (st.sampled_from(["A", "", "two\nlines"]), NUMBERS, NUMBERS),
    commands.RemoveGauge: (st.sampled_from(["A", "B"]),),
    commands.SetMeasured: (st.sampled_from(["A", "B"]), TIMES, TIMES),
    commands.SaveWorld: (st.sampled_from([refuse, id]),),
}
"""What a command may be made of, allowed or not."""

REFUSED = (
    (commands.AddBody, ("whale", None, None, None, None, 1.0)),
    (commands.ReplaceWater, (refuse, False, False, False, False)),
    (commands.SaveWorld, (refuse,)),
)
"""Commands that are refused in every world; what is drawn may be allowed throughout."""


def scripts():
    """A command of every kind, in any order."""
    return st.tuples(
        *(st.tuples(st.just(kind), st.tuples(*arguments)) for kind, arguments in ARGUMENTS.items())
    ).flatmap(st.permutations)


def assert_equal(one, other, where="world"):
    """Two values of plain data are equal to the bit."""
    assert type(one) is type(other), where
    if isinstance(one, dict):
        assert one.keys() == other.keys(), where
        for name in one:
            assert_equal(one[name], other[name], f"{where}.{name}")
    elif isinstance(one, list | tuple):
        assert len(one) == len(other), where
        for number, pair in enumerate(zip(one, other, strict=True)):
            assert_equal(*pair, f"{where}[{number}]")
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype and one.tobytes() == other.tobytes(), where
    else:
        assert one == other or one != one, where


def everything(world):
    """All that a world is, and what of it a frame tells."""
    frame = world.publish(1)
    return world_to_dict(world), frame.at_rest, len(frame.bodies), world.bodies is None, frame.heights.copy()


def test_every_command_is_tried():
    assert set(ARGUMENTS) == set(get_args(commands.Command))


@pytest.mark.sampled
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("is_busy", [False, True])
def test_what_is_refused_changes_nothing(model, is_busy):
    """A command either raises an error for the user and leaves all state as it was, or is carried out."""
    refused = []

    @settings(
        max_examples=8,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(scripts())
    def run(script):
        detail = Detail(size=2.0, points=16) if is_busy else None
        world = World(MODELS[model](12.0, 9.0, 25, (-6.0, 0.0, -4.5)), detail=detail)
        if is_busy:
            world.apply(commands.AddBody("sphere", 400.0, 1.0, 1.0))
            world.apply(commands.AddBody("box", 400.0, -2.0, 1.0))
            world.advance(3)
        for kind, arguments in (*script, *REFUSED):
            try:
                command = kind(*arguments)
            except ParameterError:
                continue
            before = everything(world)
            try:
                world.apply(command)
            except InputError:
                refused.append(kind)
                assert_equal(before, everything(world), str(command))

    run()
    assert {kind for kind, _ in REFUSED} <= set(refused)


def test_a_body_that_is_refused_leaves_the_water_at_rest_and_later_bodies_their_time():
    """The steps of bodies that come later are counted from when they come."""
    worlds = [World(MODELS["wave-equation"](12.0, 9.0, 25, steps_per_second=90.0)) for _ in range(2)]
    with pytest.raises(InputError):
        worlds[0].apply(commands.AddBody("whale"))
    for world in worlds:
        world.advance(1)
        assert world.publish(1).at_rest
        world.apply(commands.AddBody("sphere", 400.0, 6.0, 4.0))
        world.bodies.place(1, (6.0, 1.0, 4.0))
        world.advance(4)
    np.testing.assert_array_equal(*(world.publish(2).bodies[0].position for world in worlds))

"""Forged sessions: any number that they hold may be any other; they are refused, or step without error."""

import math
import warnings
from functools import reduce
from itertools import pairwise
from operator import getitem

import numpy as np
import pytest
from support.worlds import water_of

from waterview.core.commands import AddBody, AddGauge, Drop, PaintWall, SetCourse, SetHeight, SetMeasured, SetRain
from waterview.core.errors import InputError
from waterview.scene.serialise import water_from_dict, world_from_dict, world_to_dict
from waterview.sim.world import World
from waterview.waters import MODELS
from waterview.waters.eddies.detail import Detail

DRIVEN = {"wavemaker": "sine", "wavemaker_sides": "west", "wavemaker_height": 0.05}
SAMPLES = (
    *((name, {}) for name in MODELS),
    ("wave-equation", DRIVEN),
    ("wave-equation", {"border": "wrapping"}),
    ("shallow-water", {**DRIVEN, "tide": "0.1:60"}),
    ("shallow-water", {**DRIVEN, "scheme": "boussinesq"}),
    ("shallow-water", {"scheme": "kass-miller"}),
)
COUPLED = {"wave-equation", "wave-particles"}
"""Models with whose water bodies, gauges and detail are forged, too: they are saved alike with all."""

FLOATS = (math.nan, math.inf, 1e308, -1e308, 1e-308, -1e-308, 1e30, 1e12, -1e9, -1.0, 0.0, 0.5, 40.0)
EACH = 1
"""How many numbers are tried in each place of each sample."""

INTS = (-1, 0, 1, 2, 63, 1000, 2**31, 2**62, 2**63 - 1, -(2**63), 2**100, 10**400)


def sample(name, values):
    """A world as plain data, with everything in it."""
    world = World(water_of(name, **values), detail=Detail(points=16, size=5.0), seed=3)
    commands = [PaintWall(-4.0, 2.0, 1.1), AddGauge("A", -6.0, 1.0), SetMeasured("A", (0.0, 0.5), (0.0, 0.1))]
    commands += [
        AddBody("boat", None, -6.0, -2.0, 20.0, 1.0),
        AddBody("sphere", None, -7.0, 2.0),
        SetCourse(1, 9.0, 2.0),
    ]
    last = []
    if MODELS[name].can_be_disturbed:
        commands += [SetRain(20.0), Drop(-6.0, 1.0, 0.4, 4.0)]
        last = [SetHeight(3, 3, 0.1)]
    for command in commands:
        world.apply(command)
    world.gather_maxima()
    for _ in range(5):
        world.step()
    for command in last:
        world.apply(command)
    return world_to_dict(world)


def places(value, path=()):
    """Every number and array in plain data, with the way to it."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list | tuple) else ()
    for key, entry in entries:
        yield from places(entry, (*path, key))
    if isinstance(value, np.ndarray | int | float):
        yield path, value


def put(data, path, value):
    """A copy of plain data with another value in one place."""
    if not path:
        return value
    made = dict(data) if isinstance(data, dict) else list(data)
    made[path[0]] = put(data[path[0]], path[1:], value)
    return made


def others(value):
    """What may stand in place of a number or an array."""
    if isinstance(value, bool):
        return [not value]
    if not isinstance(value, np.ndarray):
        return INTS if isinstance(value, int) else FLOATS
    found = [value[:0] if value.ndim else value[None], np.zeros((), value.dtype), value[None]]
    kind = value.dtype.kind
    numbers = FLOATS if kind in "fc" else (INTS if kind in "iu" else (False, True))
    with np.errstate(over="ignore"):
        for number in numbers:
            if kind not in "iu" or np.iinfo(value.dtype).min <= number <= np.iinfo(value.dtype).max:
                for where in (slice(None), slice(1), slice(-1, None)):
                    found.append(value.copy())
                    found[-1].reshape(-1)[where] = number
    # A row of many is one quantity, such as the angles of particles.
    if kind == "f" and value.ndim == 2 and len(value) <= 16:
        for row in range(len(value)):
            for number in (1e8, -1e8):
                found.append(value.copy())
                found[-1][row] = number
    return found


def check(data, may_refuse=True):
    """Made into a world, data is refused, if it may be, or steps without a warning and stays finite."""
    try:
        world = world_from_dict(data)
    except InputError:
        if may_refuse:
            return
        raise
    for _ in range(3):
        world.step()
    frame = world.publish(0)
    assert np.isfinite(frame.heights).all() and np.isfinite(frame.normals).all() and math.isfinite(frame.time)
    assert all(np.isfinite(body.position).all() for body in frame.bodies)
    assert frame.detail is None or np.isfinite(frame.detail.slopes).all()
    world_to_dict(world)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(SAMPLES)))
def test_any_number_of_a_session_may_be_any_other(number):
    """Each place holds some of the numbers, other ones in each sample: all in all would take an hour."""
    name, values = SAMPLES[number]
    data = sample(name, values)
    check(data, may_refuse=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for turn, (path, value) in enumerate(places(data)):
            if path[0] == "beside" and name not in COUPLED:
                continue
            forged = others(value)
            for other in forged[(turn + number) % len(forged) :][:EACH]:
                try:
                    check(put(data, path, other))
                except Exception as error:
                    error.add_note(f"{'/'.join(map(str, path))} of {name}: {other}")
                    raise


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "values", "path", "forged"),
    [
        ("shallow-water", {"scheme": "kass-miller"}, ("solver", "seconds"), lambda seconds: 1e-308),
        ("wave-particles", {}, ("particles", 0, "state"), lambda state: np.where(np.arange(8) == 5, 1e8, state.T).T),
        ("wave-particles", {}, ("particles", 0, "born"), lambda born: born - 1e10),
        ("wave-equation", {}, ("pending", 0), lambda pending: [-1, 3, 0.1]),
        ("wave-equation", DRIVEN, ("source", "waves", "changes", 0, 2), lambda ramp: 5e-324),
        ("wave-equation", DRIVEN, ("source", "waves", "changes", 0, 0, "dispersion"), lambda none: 1.0),
        ("ocean", {}, ("calmed_at",), lambda time: 1e9),
    ],
)
def test_numbers_that_no_water_writes_are_refused(name, values, path, forged):
    data = sample(name, values)["water"]
    path = ("state", *path)
    with pytest.raises(InputError, match="makes no sense"):
        water_from_dict(put(data, path, forged(reduce(getitem, path, data))))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("wave-equation", ("water", "state", "pending"), [(3, 3, 1e300)]),
        ("wave-particles", ("water", "state", "owed"), np.array([1e20, 0.0])),
        ("wave-equation", ("beside", "gauges", "gauges", 0, "measured", "surface"), np.array([0.0, 1e20])),
        ("shallow-water", ("beside", "maxima", "squared speed"), np.full((29, 41), 1e20, np.float32)),
        ("wave-particles", ("beside", "wakes", "1"), [0.0, 0.0, 1.0, 0.0, 1e20, 1e300]),
    ],
)
def test_extreme_numbers_that_the_program_may_write_are_read(name, path, value):
    check(put(sample(name, {}), path, value), may_refuse=False)


def test_every_way_to_a_number_is_known():
    """The test above cannot pass by finding nothing."""
    data = sample("wave-equation", {})
    ways = ["/".join(map(str, path)) for path, _ in places(data)]
    assert {"water/state/time", "beside/bodies/records/mass", "beside/detail/chance/state/inc", "rain"} <= set(ways)
    assert all(way != other for way, other in pairwise(sorted(ways)))

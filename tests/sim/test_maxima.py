"""Fields over the run: largest surface, arrival time, largest speed and flooded land."""

import numpy as np
import pytest
from support.worlds import BEACH, assert_same, make_world

from waterview.core.commands import (
    AddBody,
    Drop,
    RaiseWaterLevel,
    ReplaceWater,
    Reset,
    SetParameter,
    ShowField,
    ShowNextField,
)
from waterview.core.errors import InputError
from waterview.scene.serialise import world_from_dict, world_to_dict
from waterview.sim.maxima import inundation_line, maxima_names
from waterview.waters import MODELS


def splashed(name="shallow-water", interval=0.0, ground=BEACH, **parameters):
    """A hump of water that falls apart; fields are gathered from before it on."""
    world = make_world(name, ground, **parameters)
    world.apply(SetParameter("maxima_interval", interval))
    world.gather_maxima()
    if world.water.can_be_disturbed:
        world.apply(Drop(-1.0, 0.0, 0.5, 2.0, neutral=False))
    return world


def fields(world):
    return [np.array(field.values).tobytes() for field in world.maxima.field_maps().values()]


@pytest.mark.slow
def test_they_are_the_largest_of_every_step():
    world, watched = splashed(), splashed()
    highest, speeds, arrived = [], [], np.full(world.water.grid.shape, np.nan)
    seen = world.water.observe()
    highest.append(np.where(seen.wet, 0.0, np.nan))
    for _ in range(90):
        watched.step()
        seen = watched.water.observe()
        highest.append(np.where(seen.wet, seen.heights, np.nan))
        speeds.append(np.hypot(*seen.velocity))
        now = seen.wet & ((np.abs(seen.heights) > 0.01) | watched.maxima.flooded) & np.isnan(arrived)
        arrived[now] = watched.water.time
    world.advance(90)
    expected = np.fmax.reduce(highest)
    assert np.array_equal(world.maxima.surface, expected.astype(np.float32), equal_nan=True)
    assert world.maxima.speed == pytest.approx(np.max(speeds, axis=0), abs=1e-5) and world.maxima.speed.max() > 0.1
    assert np.array_equal(world.maxima.arrival, arrived.astype(np.float32), equal_nan=True)
    assert np.nanmax(world.maxima.surface) > 0.1 and np.isnan(world.maxima.surface[:, -1]).all()


def test_a_trough_arrives_as_a_crest_does():
    """Small waves are mirrored with their drop."""
    arrivals = []
    for height in (0.5, -0.5):
        world = make_world("wave-equation", None, wave_speed=2.0, border="open")
        world.apply(SetParameter("maxima_interval", 0.0))
        world.gather_maxima()
        world.apply(Drop(-1.0, 0.0, height, 2.0, neutral=False))
        world.advance(20)
        arrivals.append(world.maxima.arrival)
    assert np.isfinite(arrivals[0]).any() and np.isnan(arrivals[0]).any()
    np.testing.assert_array_equal(arrivals[1], arrivals[0])


@pytest.mark.slow
def test_a_wave_arrives_later_where_it_is_farther_away():
    world = splashed("wave-equation", wave_speed=2.0, ground=None, border="open")
    world.advance(400)
    row = world.maxima.arrival[18, 20:]
    x = world.water.grid.x[20:]
    there = np.isfinite(row) & (x > 2.0)
    assert there.sum() > 8
    slope = np.polyfit(x[there], row[there], 1)[0]
    assert 1.0 / slope == pytest.approx(2.0, rel=0.15)
    assert world.maxima.speed is None
    assert list(world.maxima.field_maps()) == ["largest surface", "arrival time"]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("interval", [0.0, 0.05])
def test_they_have_the_same_bits_however_many_steps_are_taken_together(name, interval):
    single, together = splashed(name, interval), splashed(name, interval)
    for steps in (1, 7, 2, 13, 1, 6):
        together.advance(steps, publish_next=True)
        together.publish(1)
        for _ in range(steps):
            single.step()
    assert fields(single) == fields(together)
    assert_same(single.publish(1), together.publish(1))


def test_land_that_is_reached_is_flooded_and_the_line_lies_at_the_run_up():
    world = splashed(wave_speed=3.0)
    world.advance(240)
    flooded, x = world.maxima.flooded, world.water.grid.x
    assert flooded.any() and not flooded[:, x < 2.3].any()
    farthest = x[flooded.any(axis=0)].max()
    assert farthest > 2.6
    assert np.isfinite(world.maxima.arrival[flooded]).all()
    line = inundation_line(world.maxima, world.water)
    assert line[:, 2] == pytest.approx(0.25 * line[:, 0] - 0.6, abs=1e-5)
    assert line[:, 0].max() == pytest.approx(farthest + 0.125, abs=1e-6)
    rows = np.unique(line[:, 1])
    assert len(rows) >= world.water.grid.shape[0]
    assert np.array_equal(line, line[np.lexsort((line[:, 0], line[:, 1]))])


def test_water_has_arrived_on_flooded_ground_however_thin_it_is():
    world = splashed(wave_speed=3.0)
    world.apply(SetParameter("maxima_threshold", 100.0))  # no wave is as high
    world.advance(240)
    arrival, flooded = world.maxima.arrival, world.maxima.flooded
    assert flooded.any()
    assert np.array_equal(np.isfinite(arrival[1:]), flooded[1:])
    assert (arrival[flooded] > 0.1).all()


def test_a_map_that_is_shown_is_gathered_from_then_on():
    world = make_world("wave-equation", BEACH)
    world.apply(Drop(-1.0, 0.0, 0.5, 2.0))
    world.advance(10)
    assert world.maxima is None
    names = []
    for _ in range(30):
        world.apply(ShowNextField())
        shown = world.publish(1).field_map
        if shown is None:
            break
        names.append(shown.name)
    assert names[-2:] == ["largest surface", "arrival time"]
    assert world.maxima is not None
    other = make_world("shallow-water", BEACH)
    other.apply(ShowField("flooded"))
    assert other.publish(1).field_map.name == "flooded"


def test_fields_with_gaps_are_drawn_in_the_range_of_the_others():
    world = splashed()
    world.apply(ShowField("arrival time"))
    assert world.publish(1).field_map.range == (0.0, 0.0), "nothing has arrived yet"
    world.advance(30)
    low, high = world.publish(1).field_map.range
    assert 0.0 < low < high <= world.water.time + 1e-6


@pytest.mark.parametrize("command", [Reset(), RaiseWaterLevel(0.1)])
def test_another_start_begins_them_anew(command):
    world = splashed()
    world.advance(60)
    before = np.nanmax(world.maxima.surface)
    world.apply(command)
    assert np.nanmax(world.maxima.surface) < before
    assert np.isnan(world.maxima.arrival).sum() > 0.5 * world.maxima.arrival.size


def test_another_water_begins_them_anew_and_another_world_brings_its_own():
    world = splashed("wave-equation")
    world.advance(20)
    world.apply(ReplaceWater(lambda: make_world("shallow-water", BEACH).water))
    assert world.maxima.speed is not None and np.nanmax(world.maxima.surface) == 0.0
    other = splashed()
    other.advance(20)
    world.apply(ReplaceWater(lambda: other, replaces_all=True))
    assert world.maxima is other.maxima
    world.apply(ReplaceWater(make_world, replaces_all=True))
    assert world.maxima is None
    world.apply(ShowField("largest surface"))
    world.apply(ReplaceWater(make_world, replaces_all=True))
    assert world.maxima is not None, "its map is still shown"


@pytest.mark.slow
def test_they_are_saved_and_go_on_to_the_bit():
    world = splashed(interval=0.03)
    world.apply(AddBody("sphere", 400.0, -2.0, 1.0))
    world.advance(25)
    again = world_from_dict(world_to_dict(world))
    for one in (world, again):
        one.advance(25)
    assert fields(world) == fields(again)
    words = world_to_dict(world)
    for change in ({"surface": np.zeros(3)}, {"flooded": None}, {"elapsed": "x"}):
        beside = words["beside"] | {"maxima": words["beside"]["maxima"] | change}
        with pytest.raises(InputError):
            world_from_dict({**words, "beside": beside})
    del words["beside"]["maxima"]
    assert world_from_dict(words).maxima is None, "older files have none"


def test_every_name_that_is_offered_is_a_map_and_none_of_another():
    for name in MODELS:
        world = make_world(name, BEACH)
        names = maxima_names(world.water)
        assert not set(names) & set(world.water.field_maps())
        world.gather_maxima()
        assert tuple(world.maxima.field_maps()) == names

"""Gauges: what they read, when, and how many readings are kept."""

import numpy as np
import pytest
from support.waters import Ground
from support.worlds import BEACH, make_world

from waterview.core.commands import (
    AddGauge,
    Drop,
    PaintWall,
    RemoveGauge,
    ReplaceWater,
    SetMeasured,
    SetParameter,
    SetWaterLevel,
)
from waterview.core.errors import InputError, ParameterError
from waterview.scene.serialise import world_from_dict, world_to_dict
from waterview.sim import gauges
from waterview.waters import MODELS


def series_of(world, name="A"):
    gauge = world.gauges[name]
    return [array.tobytes() for array in (gauge.times, *gauge.values)]


def test_a_surface_is_read_bilinearly_and_depth_reaches_to_the_ground():
    world = make_world(ground=BEACH)
    height = np.fromfunction(lambda z, x: 0.01 * x - 0.02 * z + 0.001 * x * z, world.water.grid.shape)
    for level in world.water.time_levels:
        level[...] = height
    x, z = -3.1, 1.3
    world.apply(AddGauge("A", x, z))
    column, row = (x + 6.0) / 0.25, (z + 4.5) / 0.25
    expected = 0.01 * column - 0.02 * row + 0.001 * column * row
    (surface,), (depth,) = world.gauges["A"].surface, world.gauges["A"].depth
    assert surface == pytest.approx(expected, abs=1e-6)
    assert depth == pytest.approx(expected - (0.25 * x - 0.6), abs=1e-6)


def test_points_on_land_and_in_walls_do_not_count_beside_a_gauge():
    world = make_world(ground=Ground(lambda x, z: np.where(x < 0.1, -1.0, 3.0)))
    for level in world.water.time_levels:
        level[...] = np.where(world.water.fixed, 0.0, 0.2)
    world.apply(AddGauge("A", 0.05, 0.0))
    world.apply(PaintWall(-2.0, 0.0, 0.1))
    world.apply(AddGauge("B", -2.13, 0.0))
    assert world.gauges["A"].surface == pytest.approx(0.2, abs=1e-6)
    assert world.gauges["B"].surface == pytest.approx(0.2, abs=1e-6)
    assert world.gauges["B"].depth == pytest.approx(1.2, abs=1e-6)


def test_flow_is_momentum_over_depth():
    world = make_world("shallow-water", ground=Ground(lambda x, z: -2.0))
    world.apply(Drop(0.0, 0.0, 0.4, 2.0))
    world.apply(AddGauge("A", 1.0, 0.0))
    world.apply(AddGauge("B", 0.0, -1.0))
    world.advance(6)
    to_the_east, to_the_north = world.gauges["A"], world.gauges["B"]
    assert to_the_east.velocity_x[-1] > 1e-3 > abs(to_the_east.velocity_z[-1])
    assert to_the_north.velocity_z[-1] < -1e-3 < -abs(to_the_north.velocity_x[-1])
    assert to_the_east.velocity_x[-1] == pytest.approx(-to_the_north.velocity_z[-1], rel=1e-3)
    assert np.isnan(make_with_gauge("wave-equation").gauges["A"].velocity_x).all()


def make_with_gauge(name, **parameters):
    world = make_world(name, **parameters)
    world.apply(AddGauge("A", 1.0, 0.3))
    return world


def test_a_gauge_that_falls_dry_reads_the_ground():
    world = make_world("shallow-water", ground=BEACH)
    world.apply(AddGauge("A", 2.0, 0.0))
    world.apply(SetWaterLevel(-0.4))
    world.advance(3)
    gauge = world.gauges["A"]
    assert gauge.depth[0] == pytest.approx(0.1, abs=1e-6)
    assert gauge.depth[-1] == 0.0
    assert gauge.surface[-1] == pytest.approx(-0.1 + 0.4, abs=1e-6)
    assert gauge.velocity_x[-1] == 0.0


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("interval", [0.0, 0.05])
def test_readings_have_the_same_bits_however_many_steps_are_taken_together(name, interval):
    single, together = make_world(name), make_world(name)
    for world in (single, together):
        world.apply(SetParameter("gauges_interval", interval))
        if world.water.can_be_disturbed:
            world.apply(Drop(0.0, 0.0, 0.3, 1.0))
        world.apply(AddGauge("A", 1.1, 0.3))
    for steps in (1, 7, 2, 13, 1, 6):
        together.advance(steps, publish_next=True)
        together.publish(1)
        for _ in range(steps):
            single.step()
    assert series_of(single) == series_of(together)
    assert len(single.gauges["A"].times) == (31 if not interval else 1 + int(30 * single.time_step / 0.05 + 1e-6))
    assert single.gauges["A"].times[-1] == (
        single.water.time
        if not interval
        else pytest.approx(0.05 * (len(single.gauges["A"].times) - 1), abs=single.time_step)
    )


def test_gauges_change_no_bit_of_the_water():
    with_gauge, without = make_with_gauge("shallow-water"), make_world("shallow-water")
    for world in (with_gauge, without):
        world.apply(Drop(0.0, 0.0, 0.3, 1.0))
        world.advance(20)
    assert with_gauge.publish(1).heights.tobytes() == without.publish(1).heights.tobytes()


def test_an_interval_is_kept_on_the_whole_though_it_is_no_multiple_of_the_step():
    world = make_with_gauge("wave-equation", steps_per_second=100.0)
    world.apply(SetParameter("gauges_interval", 0.025))
    world.advance(100)
    times = world.gauges["A"].times
    assert times == pytest.approx(np.ceil(np.arange(41) * 2.5 - 1e-6) / 100.0, abs=1e-9)


def test_what_was_published_does_not_change_and_a_later_gauge_begins_later():
    world = make_with_gauge("wave-equation")
    world.apply(Drop(1.0, 0.3, 0.3, 1.0))
    world.advance(300)
    (before,) = world.publish(1).gauges
    kept = before.surface.copy()
    world.apply(AddGauge("B", -2.0, 0.0))
    world.advance(300)
    assert np.array_equal(before.surface, kept)
    assert not before.surface.flags.writeable
    first, second = world.publish(2).gauges
    assert len(first.times) == 601 and len(second.times) == 301
    assert np.array_equal(first.times[300:], second.times)
    assert np.isfinite(second.surface).all() and np.abs(second.surface).max() > 1e-4


@pytest.mark.slow
def test_memory_is_bounded_and_the_whole_run_stays_in_sight(monkeypatch):
    monkeypatch.setattr(gauges, "CAPACITY", 256)
    world = make_with_gauge("wave-equation")
    world.advance(300)
    world.apply(AddGauge("B", -2.0, 0.0))
    world.advance(2703)
    first, second = world.gauges
    assert 128 < len(first.times) <= 256
    steps = np.round(first.times / world.time_step).astype(int)
    assert steps[0] == 0 and set(np.diff(steps)) == {16}
    assert world.water.time - first.times[-1] < 16 * world.time_step + 1e-9
    assert np.array_equal(first.times[-len(second.times) :], second.times)
    assert 300 <= steps[-len(second.times)] < 300 + 16
    assert np.isfinite(second.surface).all()


@pytest.mark.slow
def test_readings_that_were_thinned_out_go_on_as_rarely_from_a_session(monkeypatch):
    monkeypatch.setattr(gauges, "CAPACITY", 256)
    world = make_with_gauge("wave-equation")
    world.advance(400)
    again = world_from_dict(world_to_dict(world))
    for each in (world, again):
        each.advance(150)
    assert series_of(again) == series_of(world)
    assert 130 < len(world.gauges["A"].times) < 256


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (AddGauge("A", 0.0, 0.0), "two gauges called 'A'"),
        (AddGauge("B", 7.0, 0.0), r"'B' at 7, 0 lies outside the map: allowed are x from -6 to 6 m"),
        (AddGauge("B", 5.0, 0.0), "'B' at 5, 0 lies on land"),
        (RemoveGauge("B"), "no gauge is called 'B': there are A"),
        (SetMeasured("B", (0.0, 1.0), (0.0, 1.0)), "no gauge is called 'B'"),
    ],
)
def test_what_is_refused_changes_nothing(command, reason):
    world = make_world(ground=BEACH)
    world.apply(AddGauge("A", -1.0, 0.0))
    before = series_of(world)
    with pytest.raises(InputError, match=reason) as caught:
        world.apply(command)
    assert "\n" not in str(caught.value)
    assert series_of(world) == before
    assert [gauge.name for gauge in world.gauges] == ["A"]
    assert world.gauges["A"].measured is None


def test_there_are_only_so_many(monkeypatch):
    monkeypatch.setattr(gauges, "MAX_GAUGES", 2)
    world = make_with_gauge("wave-equation")
    world.apply(AddGauge("B", 0.0, 0.0))
    with pytest.raises(InputError, match="there are 2 already"):
        world.apply(AddGauge("C", 0.0, 0.0))


@pytest.mark.parametrize("name", ["", " A", "A,B", "A:B", 'A"', "A\n", "x" * 33])
def test_a_name_must_fit_into_a_table(name):
    with pytest.raises(ParameterError, match="letters"):
        AddGauge(name, 0.0, 0.0)
    AddGauge("Ångström 5.2-b", 0.0, 0.0)


@pytest.mark.parametrize("series", [((0.0,), ()), ((0.0, 0.0), (1.0, 1.0)), ((0.0, 1.0), (1.0, np.nan))])
def test_measurements_must_make_sense(series):
    with pytest.raises(ParameterError, match="gauge 'A'"):
        SetMeasured("A", *series)


def test_measurements_are_laid_over_a_gauge_and_taken_away():
    world = make_with_gauge("wave-equation")
    world.apply(SetMeasured("A", (0.0, 1.0), (0.1, 0.2)))
    assert world.publish(1).gauges[0].measured.surface.tolist() == [0.1, 0.2]
    world.apply(SetMeasured("A"))
    assert world.publish(2).gauges[0].measured is None


def test_another_model_keeps_gauges_and_measures_anew_another_place_does_not():
    world = make_with_gauge("wave-equation")
    world.apply(SetMeasured("A", (0.0, 1.0), (0.1, 0.2)))
    world.advance(20)
    world.apply(ReplaceWater(lambda: make_world("shallow-water").water, keep_bodies=True))
    world.advance(3)
    gauge = world.gauges["A"]
    assert gauge.times == pytest.approx(np.arange(4) * world.time_step)
    assert np.isfinite(gauge.velocity_x).all() and gauge.measured is not None
    world.apply(ReplaceWater(lambda: make_world("shallow-water").water))
    assert len(world.gauges) == 0 and world.publish(1).gauges == ()


def test_another_world_brings_its_own_gauges():
    world, other = make_with_gauge("wave-equation"), make_world()
    other.apply(AddGauge("Z", 0.0, 0.0))
    world.apply(ReplaceWater(lambda: other, replaces_all=True))
    assert [gauge.name for gauge in world.gauges] == ["Z"]


def test_when_the_last_gauge_is_removed_the_next_begins_anew():
    world = make_with_gauge("wave-equation")
    world.advance(5)
    world.apply(RemoveGauge("A"))
    world.advance(5)
    world.apply(AddGauge("B", 0.0, 0.0))
    world.advance(1)
    assert len(world.gauges["B"].times) == 2

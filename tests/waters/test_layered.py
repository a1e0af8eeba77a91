"""The ocean with an interactive surface over it."""

from dataclasses import replace

import numpy as np
import pytest
from support.waters import Ground, run

from waterview.bodies.collection import Bodies
from waterview.core.commands import Drop
from waterview.core.errors import ParameterError
from waterview.core.params import declarations
from waterview.waters.layered import LayeredWater
from waterview.waters.ocean.ocean import OceanWater
from waterview.waters.wave.wave_equation import WaveEquationWater

SIZE = (40.0, 30.0, 81)
SHARED = {"steps_per_second": 100.0, "wave_speed": 4.0}


def layered(**parameters):
    return LayeredWater(*SIZE, **SHARED, **parameters)


def test_it_declares_the_parameters_of_both_layers_once():
    names = [entry.name for entry in declarations(LayeredWater.Params)]
    assert len(names) == len(set(names))
    for layer in (OceanWater, WaveEquationWater):
        assert {entry.name for entry in declarations(layer.Params)} <= set(names)


def test_no_two_parameters_share_a_key():
    keys = [key for entry in declarations(LayeredWater.Params) for key in entry.keys or ()]
    assert len(keys) == len(set(keys))


def test_heights_are_the_sum_of_both_layers():
    both, sea, ripples = layered(), OceanWater(*SIZE, steps_per_second=100.0), WaveEquationWater(*SIZE, **SHARED)
    x, z = (float(c) for c in both.ocean.undisplaced(22.0, 12.0))
    both.disturb(Drop(22.0, 12.0, 0.4, 2.0))
    ripples.disturb(Drop(x, z, 0.4, 2.0))
    for _ in range(3):
        np.testing.assert_allclose(both.height, sea.height + ripples.height, atol=1e-6)
        for water in (both, sea, ripples):
            run(water, 7)
    assert np.abs(ripples.height).max() > 0.01


def test_without_wind_it_is_the_wave_equation():
    both, ripples = layered(wind_speed=0.0), WaveEquationWater(*SIZE, **SHARED)
    for water in (both, ripples):
        water.disturb(Drop(22.0, 12.0, 0.4, 2.0))
        run(water, 30)
    first, second = both.publish(1), ripples.publish(1)
    np.testing.assert_array_equal(first.heights, second.heights)
    np.testing.assert_allclose(first.normals, second.normals, rtol=1e-3, atol=1e-6)


def test_ripples_ride_on_the_moved_points():
    """A drop at a place of the world raises the surface there, not where its points came from."""
    both, sea = layered(wind_speed=20.0), OceanWater(*SIZE, steps_per_second=100.0, wind_speed=20.0)
    both.disturb(Drop(22.0, 12.0, 0.5, 3.0, neutral=False))
    x, z = np.meshgrid(np.linspace(18.0, 26.0, 81), np.linspace(8.0, 16.0, 81))
    risen = both.height_at(x, z) - sea.height_at(x, z)
    top = np.unravel_index(risen.argmax(), risen.shape)
    assert np.hypot(x[top] - 22.0, z[top] - 12.0) < 0.5
    assert risen.max() == pytest.approx(0.5, rel=0.03)


def test_slopes_are_those_of_the_sum():
    both = layered(choppiness=0.0)
    both.disturb(Drop(22.0, 12.0, 0.4, 4.0))
    run(both, 10)
    frame, sea = both.publish(1), both.ocean
    along_z, along_x = np.gradient(both.ripples.height.astype(float), both.grid.spacing)
    alone = OceanWater(*SIZE, steps_per_second=100.0, choppiness=0.0)
    run(alone, 10)
    bare = alone.publish(1).normals.astype(float)
    np.testing.assert_allclose(frame.normals[..., 0], bare[..., 0] - along_x, atol=2e-3)
    np.testing.assert_allclose(frame.normals[..., 1], bare[..., 1] - along_z, atol=2e-3)
    assert sea.time == both.ripples.time == both.time


def test_a_drop_is_seen_at_once_and_not_twice():
    both = layered()
    before = both.height.copy()
    both.disturb(Drop(22.0, 12.0, 0.4, 2.0, neutral=False))
    np.testing.assert_allclose((both.height - before).max(), 0.4, rtol=0.05)
    np.testing.assert_array_equal(both.publish(1).heights, both.publish(2).heights)


def test_the_frame_speaks_for_both_layers():
    both = layered(wind_speed=25.0, foam=0.9)
    run(both, 12)
    frame = both.publish(5)
    assert frame.shift is not None and frame.foam.max() > 0.0
    assert frame.params is both.params and frame.grid is both.grid and frame.fixed is both.fixed
    assert {"wave_speed", "courant", "significant_height"} <= set(frame.effective)
    assert frame.time == both.time == pytest.approx(0.12)


def test_foam_is_that_of_the_surface_beside_it():
    """Where the smaller eigenvalue of J = 1 + ∂s/∂x is below the threshold; with so short a life only now counts."""
    both = LayeredWater(40.0, 30.0, 81, steps_per_second=30.0, wind_speed=25.0, foam=0.9, foam_life=0.05)
    both.disturb(Drop(22.0, 12.0, 0.4, 2.0))
    run(both, 300)
    before = both.publish(0)
    run(both, 1)
    found = []
    for frame in (both.publish(1), before):
        shift = np.moveaxis(frame.shift.astype(float), -1, 0)
        along = [np.roll(shift, -n, axis=axis) - np.roll(shift, n, axis=axis) for axis in (2, 1) for n in (1, 2)]
        (xx, xz), (_, zz) = ((8.0 * one - two) / (12.0 * frame.grid.spacing) for one, two in (along[:2], along[2:]))
        smaller = 1.0 + 0.5 * (xx + zz) - np.sqrt(0.25 * (xx - zz) ** 2 + xz**2)
        made = np.clip((0.9 - smaller) / 0.15, 0.0, 1.0)[3:-3, 3:-3]
        found.append(np.abs(both.publish(1).foam[3:-3, 3:-3] / 255.0 - made).mean() / made.mean())
    assert found[0] < 0.2 * found[1]
    without = LayeredWater(40.0, 30.0, 81, steps_per_second=30.0, wind_speed=25.0, foam=0.0)
    without.disturb(Drop(22.0, 12.0, 0.4, 2.0))
    run(without, 301)
    np.testing.assert_array_equal(without.height, both.height, "to look for foam moves no water")


def test_parameters_reach_the_layers_that_have_them():
    both = layered()
    both.set_parameter("wave_speed", 2.0)
    both.set_parameter("wind_speed", 4.0)
    both.set_parameter("steps_per_second", 50.0)
    assert both.ripples.params.wave_speed == 2.0
    assert both.ocean.params.wind_speed == 4.0
    assert both.ocean.time_step == both.ripples.time_step == both.time_step == 0.02
    with pytest.raises(ParameterError):
        both.set_parameter("wind_speed", -1.0)
    assert both.params.wind_speed == both.ocean.params.wind_speed == 4.0


def test_both_layers_know_the_shore():
    both = layered(wind_speed=15.0)
    both.set_height_map(Ground(lambda x, z: np.maximum(0.2 * (10.0 - x), -3.0)))
    both.disturb(Drop(12.0, 12.0, 0.4, 2.0))
    run(both, 20)
    frame = both.publish(1)
    assert not frame.heights[frame.fixed].any() and frame.heights[~frame.fixed].any()
    both.set_water_level(-1.0)
    assert not both.height[both.fixed].any()
    assert both.ocean.fixed is both.fixed is both.ripples.fixed
    assert both.publish(2).grid.level == -1.0


def test_reset_calms_both_layers():
    both = layered()
    both.disturb(Drop(22.0, 12.0, 0.4, 2.0))
    run(both, 5)
    both.set_height(4, 4, 1.0)
    both.reset()
    assert not both.height.any()
    run(both, 5)
    assert not both.ripples.height.any()


def test_what_pushes_water_aside_pushes_the_ripples():
    both = layered(wind_speed=0.0)
    for level in both.time_levels:
        level[30, 40] += 0.25
    assert both.height[30, 40] == 0.25
    run(both, 2)
    assert 0.0 < both.height[30, 40] < 0.25


def test_without_wind_bodies_move_as_on_the_wave_equation():
    """They feel what they push up in the same step: a body that felt it a step late would be driven on by it."""
    places = []
    for water in (layered(wind_speed=0.0), WaveEquationWater(*SIZE, **SHARED)):
        water.disturb(Drop(22.0, 12.0, 0.4, 2.0))
        bodies = Bodies()
        bodies.add(water, "sphere", 300.0, 20.0, 14.0, 4.0)
        for _ in range(100):
            water.step()
            bodies.step(water, water.time_step)
        places.append(bodies.states()[0].position)
    np.testing.assert_array_equal(*places)


def test_bodies_leave_published_frames_as_they_are():
    """They add to a sum that is made for them."""
    water, bodies = layered(), Bodies()
    number = bodies.add(water, "sphere", 300.0, 20.0, 14.0, 4.0)
    bodies.step(water, water.time_step)
    frame = water.publish(1)
    heights = frame.heights.copy()
    bodies.set_velocity(number, (0.0, -8.0, 0.0))
    for _ in range(10):
        bodies.step(water, water.time_step)
    np.testing.assert_array_equal(frame.heights, heights)
    assert np.abs(water.height - heights).max() > 0.01


def test_it_shows_both_layers():
    both = layered()
    both.disturb(Drop(22.0, 12.0, 0.4, 2.0))
    run(both, 3)
    fields = both.field_maps()
    np.testing.assert_array_equal(fields["height"].values, both.height)
    np.testing.assert_array_equal(fields["ripples"].values, both.ripples.height)
    assert {"foam", "shift", "fixed"} <= set(fields)


def test_several_drops_at_once_fall_where_each_of_them_would():
    both, ripples = layered(wind_direction=30.0), WaveEquationWater(*SIZE, **SHARED)
    run(both.ocean, 50)
    drops = [Drop(22.0, 12.0, 0.4, 2.0), Drop(8.0, 20.0, -0.3, 1.5), Drop(30.0, 5.0, 0.2, 1.0)]
    for drop in drops:
        x, z = (float(c) for c in both.ocean.undisplaced(drop.x, drop.z))
        assert abs(x - drop.x) > 1e-3 and abs(z - drop.z) > 1e-3
        ripples.disturb(replace(drop, x=x, z=z))
    both.disturb_all(drops)
    np.testing.assert_array_equal(both.ripples.height, ripples.height)

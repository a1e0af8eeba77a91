"""Waves that come into a field of the wave equation; every error that is allowed stands beside what was measured."""

import math

import numpy as np
import pytest
from support.waters import Ground, heights_at, raise_to, run

from waterview.core.commands import MAX_HEIGHT, Drop
from waterview.core.errors import ParameterError
from waterview.waters.common.wavemaker import inwards
from waterview.waters.wave.step import STENCILS
from waterview.waters.wave.wave_equation import WaveEquationWater

SPEED = 3.0
PLACES = ("west", "east", "north", "south")
SEA = {"wavemaker": "spectrum", "wavemaker_height": 0.1, "wavemaker_period": 2.0, "wavemaker_spreading": 20.0}


def make(x_size=40.0, z_size=3.0, spacing=0.25, **parameters):
    usual = {"wave_speed": SPEED, "damping": 0.0, "border": "reflecting", "steps_per_second": 60.0}
    return WaveEquationWater(x_size, z_size, round(x_size / spacing) + 1, **(usual | parameters))


# Measured: at most 0.001 of the amplitude, with nine-point 0.002.
@pytest.mark.slow
@pytest.mark.parametrize("stencil", STENCILS)
@pytest.mark.parametrize("ix", [0, 1, 20])
def test_a_sine_is_that_asked_for(stencil, ix):
    speed = SPEED * math.sqrt(STENCILS[stencil].laplacians)
    water = make(20.0, stencil=stencil, wavemaker="sine", wavemaker_height=0.2, wavemaker_period=5.0)
    water.set_parameter("wavemaker_sides", "west,east")
    times, heights = heights_at(water, ix, 12.0)
    running = times > 8.0
    expected = 0.1 * np.sin(2.0 * math.pi * (times - 0.25 * ix / speed) / 5.0)
    assert heights[running] == pytest.approx(expected[running], abs=0.01 * 0.1)


# Measured: 0.0003 of the height.
@pytest.mark.slow
def test_a_solitary_wave_is_that_asked_for():
    water = make(wavemaker="solitary", wavemaker_height=0.1, wavemaker_time=6.0)
    depth = -float(water.bed.mean())
    times, heights = heights_at(water, 0, 12.0)
    rate = math.sqrt(0.75 * 0.1 * SPEED**2 / depth * (depth + 0.1) / depth**3)
    assert heights == pytest.approx(0.1 / np.cosh(rate * (times - 6.0)) ** 2, abs=0.01 * 0.1)


@pytest.mark.sampled
@pytest.mark.parametrize("side", PLACES)
def test_every_side_makes_the_same_wave(side):
    asked = {"wavemaker": "sine", "wavemaker_height": 0.1, "wavemaker_period": 2.0}
    expected, water = (make(10.0, 10.0, **asked, wavemaker_sides=each) for each in ("west", side))
    for each in (expected, water):
        run(each, 200)
    turned = {"west": water.height, "east": water.height[:, ::-1], "north": water.height.T}
    turned["south"] = water.height[::-1].T
    assert expected.height.max() > 0.045
    assert turned[side] == pytest.approx(expected.height, abs=1e-6)


@pytest.mark.parametrize(("x_size", "z_size", "sides"), [(4.0, 0.25, "north,south"), (0.25, 4.0, "west,east")])
def test_a_strip_of_two_points_may_be_driven(x_size, z_size, sides):
    water = make(x_size, z_size, wavemaker="sine", wavemaker_height=0.2, wavemaker_period=1.0, wavemaker_sides=sides)
    assert min(water.grid.shape) == 2
    water.advance(20)
    frame = water.publish(1)
    assert np.isfinite(frame.heights).all() and np.isfinite(frame.normals).all()


# Measured: 0.7 % of the amplitude (root of the mean square), from phases: waves are 36 cells long.
@pytest.mark.slow
def test_a_wave_at_an_angle_comes_in_by_all_sides_and_leaves_by_them():
    asked = {"wavemaker": "sine", "wavemaker_height": 0.1, "wavemaker_period": 3.0, "wavemaker_angle": 35.0}
    water = make(20.0, 20.0, **asked, wavemaker_sides="west,north,east,south")
    run(water, 1200)
    x, z = water.grid.x[None, :], water.grid.z[:, None] - 10.0
    way = x * math.cos(math.radians(35.0)) + z * math.sin(math.radians(35.0))
    error = water.height - 0.05 * np.sin(2.0 * math.pi * (water.time - way / SPEED) / 3.0)
    assert math.sqrt((error**2).mean()) < 0.01 * 0.05
    assert np.abs(error).max() < 0.03 * 0.05


# So it gives back what an open border does: less than 2e-4 of the energy (benchmarks/reflection.py).
@pytest.mark.slow
def test_a_driven_side_is_an_open_border_for_what_comes_from_inside():
    drop = Drop(10.0, 10.0, 0.3, 2.0)
    waves, both, rings = make(20.0, 20.0, **SEA), make(20.0, 20.0, **SEA), make(20.0, 20.0, border="west=open")
    for water in (both, rings):
        water.disturb(drop)
    for water in (waves, both, rings):
        run(water, 600)
    assert np.abs(waves.height).max() > 0.03 and np.abs(rings.height).max() > 0.01
    assert both.height - waves.height == pytest.approx(rings.height, abs=2e-6)


def test_what_is_published_is_the_whole_field():
    water = make(10.0, 10.0, wavemaker="sine", wavemaker_height=0.1, wavemaker_period=2.0)
    run(water, 205)
    frame = water.publish(1)
    assert (frame.heights == water.height).all()
    assert np.abs(np.diff(frame.heights, axis=1)).max() < 0.05 * math.pi * 0.25 / SPEED * 1.1
    along_x = np.gradient(frame.heights, water.grid.spacing, axis=1, edge_order=2)
    assert frame.normals[:, :-1, 0] == pytest.approx(-along_x[:, :-1], abs=2e-4)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_waves_do_not_lift_the_surface_out_of_its_bounds(sign):
    water = make(10.0, 10.0, wavemaker="sine", wavemaker_height=5000.0, wavemaker_period=2.0)
    run(water, 205)
    raise_to(water, np.full(water.grid.shape, sign * MAX_HEIGHT))
    assert abs(float(np.median(water.height))) == MAX_HEIGHT
    for heights in (water.height, water.publish(1).heights):
        assert np.abs(heights).max() == MAX_HEIGHT


@pytest.mark.parametrize("side", ["west", "east", "north", "south"])
def test_slopes_along_driven_sides_are_those_of_the_waves(side):
    """Seen from above, the sun's glint ended at the side: slopes there were those of the third row."""
    water = make(12.0, 9.0, **SEA | {"wavemaker_sides": side})
    water.set_height_map(Ground(lambda x, z: 2.0 * np.exp(-((x - 6.0) ** 2) - (z - 4.5) ** 2) - 1.0))
    assert water.fixed.any()
    run(water, 250)
    frame = water.publish(1)
    across = 0 if side in {"north", "south"} else 1
    orders = [2, 1] if across == 0 else [1, 2]  # at the edge, of a parabola
    along_z, along_x = (
        np.gradient(frame.heights.astype(float), water.grid.spacing, axis=axis, edge_order=orders[axis])
        for axis in (0, 1)
    )
    for got, wanted in ((frame.normals[..., 0], -along_x), (frame.normals[..., 1], -along_z)):
        outermost = inwards(got, side)[:2]
        assert np.abs(outermost).max() > 0.005
        assert outermost == pytest.approx(inwards(wanted, side)[:2], abs=1e-4, rel=1e-3)
    again = water.publish(2)
    assert again.normals.tobytes() == frame.normals.tobytes()


@pytest.mark.slow
def test_it_goes_on_from_its_state_to_the_bit():
    water = make(10.0, 8.0, **SEA)
    run(water, 50)
    water.set_parameter("wavemaker", "sine")
    run(water, 20)
    again = make(10.0, 8.0, **SEA | {"wavemaker": "sine"})
    again.load_state(water.state())
    for each in (water, again):
        run(each, 100)
    assert (water.height == again.height).all() and water.height.any()


@pytest.mark.slow
def test_many_steps_a_call_have_the_same_bits():
    one, many = make(10.0, 8.0, **SEA), make(10.0, 8.0, **SEA)
    run(one, 130)
    many.advance(130)
    assert (one.height == many.height).all() and one.height.any()


def test_reset_begins_anew():
    water = make(10.0, 8.0, **SEA)
    run(water, 60)
    first = water.height.copy()
    water.reset()
    assert not water.height.any()
    run(water, 60)
    assert water.height == pytest.approx(first, abs=1e-7)


@pytest.mark.slow
def test_off_again_the_border_is_as_it_was_and_the_water_comes_to_rest():
    water = make(10.0, 8.0, damping=2.0, border="zero", wavemaker="sine", wavemaker_height=0.1, wavemaker_period=1.0)
    run(water, 60)
    assert not water.at_rest
    water.set_parameter("wavemaker", "none")
    run(water, 3000)
    assert water.at_rest and not water.height.any()


@pytest.mark.slow
def test_land_on_a_driven_side_stays_land():
    water = make(10.0, 8.0, **SEA)
    water.set_height_map(Ground(lambda x, z: 0.5 * (z - 4.0)))
    run(water, 300)
    assert water.fixed[:, 0].any() and not water.height[water.fixed].any() and water.height.any()


def test_what_is_refused_changes_nothing():
    water, other = make(10.0, 8.0, **SEA), make(10.0, 8.0, **SEA)
    for name, value in (("wavemaker_sides", "up"), ("wavemaker", "series"), ("wavemaker_period", 0.01)):
        with pytest.raises(ParameterError):
            water.set_parameter(name, value)
    for each in (water, other):
        run(each, 60)
    assert (water.height == other.height).all()


def test_a_border_that_wraps_is_open_opposite_a_driven_side():
    water = make(10.0, 8.0, border="wrapping", wavemaker="sine", wavemaker_height=0.1, wavemaker_period=1.0)
    run(water, 200)
    assert np.isfinite(water.height).all() and np.abs(water.height).max() < 0.06

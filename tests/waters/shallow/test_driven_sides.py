"""Sides that make waves and let out what comes back; every error that is allowed stands beside what was measured."""

import math

import numpy as np
import pytest
from support.waters import Ground, heights_at, run

from waterview.core.errors import ParameterError
from waterview.core.grid import Grid
from waterview.waters.shallow.driven_sides import DrivenSides
from waterview.waters.shallow.finite_volume import FiniteVolumes
from waterview.waters.shallow.shallow_params import ShallowWaterParams
from waterview.waters.shallow.shallow_water import ShallowWater

G = 9.81
SIDES = ("west", "east", "north", "south")
SEA = {"wavemaker": "spectrum", "wavemaker_height": 0.1, "wavemaker_period": 2.0, "wavemaker_angle": 20.0}


def make(x_size=40.0, z_size=2.0, spacing=0.25, ground=-1.0, **parameters):
    usual = {"gravity": G, "damping": 0.0, "friction": 0.0, "steps_per_second": 60.0, "border": "reflecting"}
    water = ShallowWater(x_size, z_size, round(x_size / spacing) + 1, **(usual | parameters))
    water.set_height_map(Ground(ground if callable(ground) else lambda x, z: ground))
    return water


class TestTheSeaOutside:
    # Measured: 0.009 of the amplitude, in the first 5 m from the side.
    @pytest.mark.slow
    def test_it_goes_on_in_the_water_at_the_side(self):
        asked = {"wavemaker": "sine", "wavemaker_height": 0.002, "wavemaker_period": 3.0}
        water = make(wavemaker_sides="west,east", **asked)
        run(water, 7 * 60)
        for _ in range(6):
            run(water, 30)
            frame, grid = water.publish(0), water.grid
            ((kx, kz, a, phase),) = frame.incoming.tolist()
            outside = a * np.cos(kx * grid.x + kz * grid.z[4] + phase)
            assert a == pytest.approx(0.001, rel=1e-6)
            assert frame.heights[4, :20] == pytest.approx(outside[:20], abs=0.02 * a)

    def test_without_waves_there_is_none(self):
        assert make().publish(0).incoming is None


class TestMadeWaves:
    # Measured: 0.0006, 0.00007, 0.004 of the amplitude; the highest is steeper half a cell from the side.
    @pytest.mark.slow
    @pytest.mark.parametrize(("height", "period"), [(0.001, 3.0), (0.001, 8.0), (0.2, 8.0)])
    def test_a_sine_is_that_asked_for(self, height, period):
        asked = {"wavemaker": "sine", "wavemaker_height": height, "wavemaker_period": period}
        times, heights = heights_at(make(wavemaker_sides="west,east", **asked), 0, 2.5 * period)
        running = times > period
        expected = 0.5 * height * np.sin(2.0 * math.pi * times / period)
        assert heights[running] == pytest.approx(expected[running], abs=0.01 * 0.5 * height)

    def test_a_tide_that_takes_all_water_away_leaves_a_flow_that_is_bounded(self):
        """The flow over dry ground was infinitely fast, and the water behind the side no number for ever."""
        asked = {"wavemaker": "series", "wavemaker_series": "0 -128 0;0.5 0.1 7;2 0 0", "tide": "0 -128;0.5 0.1;2 0"}
        water = make(x_size=10.0, wavemaker_sides="west", **asked)
        run(water, 60)
        assert np.isfinite(water._scheme.conserved).all()
        assert water.height[:, 1:].max() > -1.0

    # Measured: 0.0002, 0.004 of the height.
    @pytest.mark.slow
    @pytest.mark.parametrize("height", [0.01, 0.1])
    def test_a_solitary_wave_is_that_asked_for(self, height):
        rate = math.sqrt(0.75 * height * G * (1.0 + height))
        asked = {"wavemaker": "solitary", "wavemaker_height": height, "wavemaker_time": 4.0 / rate}
        times, heights = heights_at(make(wavemaker_sides="west,east", **asked), 0, 8.0 / rate)
        assert heights == pytest.approx(height / np.cosh(rate * times - 4.0) ** 2, abs=0.01 * height)

    # Measured: 0.004 of the largest height.
    @pytest.mark.slow
    def test_a_series_is_that_asked_for(self):
        moments = np.linspace(0.0, 12.0, 61)
        values = 0.02 * np.sin(moments) * np.sin(0.37 * moments)
        series = ";".join(f"{t} {value}" for t, value in zip(moments, values, strict=True))
        water = make(wavemaker="series", wavemaker_series=series, wavemaker_sides="west,east")
        times, heights = heights_at(water, 0, 12.0)
        assert heights == pytest.approx(np.interp(times, moments, values), abs=0.01 * 0.02)

    # Measured: amplitude 0.9997 of that asked for, late by 0.1 % of a period.
    @pytest.mark.slow
    def test_it_runs_on_as_it_is(self):
        water = make(wavemaker="sine", wavemaker_height=0.001, wavemaker_period=4.0, wavemaker_sides="west,east")
        times, heights = heights_at(water, 80, 16.0)
        running = times > 12.0
        angle = 2.0 * math.pi * (times[running] - 20.0 / math.sqrt(G)) / 4.0
        amplitude = 2.0 * (heights[running] * np.exp(1j * angle)).mean() / 0.0005
        assert abs(amplitude) == pytest.approx(1.0, rel=0.01)
        assert np.angle(1j / amplitude * abs(amplitude)) == pytest.approx(0.0, abs=0.01 * 2.0 * math.pi)

    @pytest.mark.slow
    @pytest.mark.parametrize("side", SIDES)
    def test_every_side_makes_the_same_wave(self, side):
        asked = {"wavemaker": "solitary", "wavemaker_height": 0.1, "wavemaker_sides": side}
        expected = make(10.0, 10.0, wavemaker="solitary", wavemaker_height=0.1, wavemaker_sides="west")
        water = make(10.0, 10.0, **asked)
        for each in (water, expected):
            run(each, 360)
        turned = {"west": water.height, "east": water.height[:, ::-1], "north": water.height.T}
        turned["south"] = water.height[::-1].T
        assert expected.height.max() > 0.09
        assert turned[side] == pytest.approx(expected.height, abs=1e-6)

    # Measured: 2 % of the amplitude, from phases: waves are 31 cells long, and each cell is a little late.
    @pytest.mark.slow
    def test_a_wave_at_an_angle_comes_in_by_two_sides(self):
        asked = {"wavemaker": "sine", "wavemaker_height": 0.001, "wavemaker_period": 2.5, "wavemaker_angle": 35.0}
        water = make(20.0, 20.0, **asked, wavemaker_sides="west,north,east,south")
        run(water, 1800)
        x, z = water.grid.x[None, :], water.grid.z[:, None] - 10.0
        way = x * math.cos(math.radians(35.0)) + z * math.sin(math.radians(35.0))
        expected = 0.0005 * np.sin(2.0 * math.pi * (water.time - way / math.sqrt(G)) / 2.5)
        inner = slice(20, -20), slice(20, -20)
        error = water.height[inner] - expected[inner]
        assert math.sqrt((error**2).mean()) < 0.03 * 0.0005


def energy(solver):
    rise, along_x, along_z = solver.conserved.astype(float)
    return 0.5 * (G * (rise**2).sum() + (along_x**2 + along_z**2).sum())


def packet(theta, cells=24):
    """A packet of waves of so many cells that meets the east at an angle θ, between walls in north and south."""
    number = 2.0 * math.pi / cells
    across = number * math.sin(theta)
    nz = 5 if theta == 0.0 else round(2.0 * math.pi / across)
    across = 2.0 * math.pi / nz if theta else 0.0
    along, nx = math.sqrt(number**2 - across**2), 20 * cells
    x, z = np.arange(nx)[None, :], np.arange(nz)[:, None] + 0.5
    shape = 1e-4 * np.exp(-(((x - 0.6 * nx) / (2.0 * cells)) ** 2))
    angle, turn = along * (x - 0.6 * nx), math.sqrt(G) * number
    solver = FiniteVolumes(np.full((nz, nx), -1.0), 1.0, "reflecting")
    solver.conserved[0] = shape * np.cos(angle) * np.cos(across * z)
    solver.conserved[1] = shape * G * along / turn * np.cos(angle) * np.cos(across * z)
    solver.conserved[2] = -shape * G * across / turn * np.sin(angle) * np.sin(across * z)
    return solver


def drive(solver, **parameters):
    nz, nx = solver.still.shape
    solver.driven = DrivenSides(Grid((nz, nx), solver.spacing))
    solver.driven.over(solver.still)
    solver.driven.ask(ShallowWaterParams(**parameters), G)


# Measured: 0.0000, 0.08, 0.17 and 0.39 % of the energy. Without Q at 60°: a ninth.
@pytest.mark.slow
@pytest.mark.parametrize("degrees", [0.0, 30.0, 45.0, 60.0])
def test_a_hundredth_of_the_energy_comes_back_at_most(degrees):
    solver = packet(math.radians(degrees))
    drive(solver, wavemaker="sine", wavemaker_height=0.0, wavemaker_sides="east")
    before, nx = energy(solver), solver.still.shape[1]
    speed = math.sqrt(G) * math.cos(math.radians(degrees))
    for _ in range(round(0.85 * nx / speed / 0.1)):
        solver.advance(0.1, gravity=G, damping=0.0, friction=0.0, max_substeps=4)
    assert energy(solver) < 0.01 * before


SERIES = ";".join(f"{t} {0.05 * math.sin(t)}" for t in np.linspace(0.0, 12.0, 61))

COMING = {
    "tide": {"tide": "0.05:6"},
    "sine": {"wavemaker": "sine", "wavemaker_height": 0.1, "wavemaker_period": 2.0},
    "solitary": {"wavemaker": "solitary", "wavemaker_height": 0.1},
    "spectrum by two sides": SEA | {"wavemaker_sides": "east,south"},
    "series": {"wavemaker": "series", "wavemaker_series": SERIES},
    "tide beside open sides": {"tide": "0.05:6", "border": "open"},
    "tide beside still water": {"tide": "0.05:6", "border": "zero"},
}


# Measured: 5e-9 of the water, the rounding of its cells, which are float32; 0.5 % with the flow half a cell inside.
@pytest.mark.parametrize("coming", COMING)
@pytest.mark.parametrize("scheme", ["kurganov-petrova", pytest.param("boussinesq", marks=pytest.mark.slow)])
def test_the_volume_is_what_has_come_in_by_the_sides(scheme, coming):
    water = make(8.0, 4.0, 0.25, lambda x, z: 0.1 * x - 1.0, scheme=scheme, steps_per_second=30.0, **COMING[coming])
    held = float(np.maximum(water.grid.level - water.bed, 0.0).sum()) * water.grid.spacing**2
    differences, largest = [], 0.0
    for number in range(90):
        if number == 45:  # what is saved goes on
            state, inflow = water.state(), water.inflow
            water.reset()
            assert water.inflow == 0.0
            water.load_state(state)
            assert water.inflow == inflow
        water.step()
        differences.append(water.volume - water.inflow)
        largest = max(largest, abs(water.volume))
    assert largest > 0.02
    assert np.abs(differences).max() < 1e-8 * held


class TestTide:
    # Measured: 0.2 mm.
    @pytest.mark.slow
    def test_a_bay_follows_the_level_outside_as_fast_as_waves_fill_it(self):
        water = make(8.0, 4.0, 0.5, tide="0.03:240", steps_per_second=15.0)
        late = 8.5 / math.sqrt(G)  # with long waves to and fro: η' = (level − η)√(gd)/length
        for _ in range(4):
            run(water, 15 * 75)
            expected = 0.03 * math.sin(2.0 * math.pi * (water.time - late) / 240.0)
            assert water.height == pytest.approx(expected, abs=5e-4)

    @pytest.mark.slow
    def test_waves_come_in_on_it(self):
        asked = {"wavemaker": "sine", "wavemaker_height": 0.02, "wavemaker_period": 4.0}
        water = make(tide="0 0;10 0.2", wavemaker_sides="west,east", **asked)
        _, heights = heights_at(water, 0, 28.0)
        tail = heights[-240:]
        assert tail.mean() == pytest.approx(0.2, abs=2e-3) and np.ptp(tail) == pytest.approx(0.02, rel=0.02)


class TestRest:
    def test_nothing_that_comes_in_leaves_water_at_rest(self):
        bed = lambda x, z: -1.0 - 0.3 * np.sin(x) * np.cos(2.0 * z)  # noqa: E731
        water = make(10.0, 8.0, ground=bed, wavemaker="sine", wavemaker_height=0.0, wavemaker_sides="west,north")
        run(water, 60)
        assert not water.height.any()

    @pytest.mark.slow
    def test_land_on_a_driven_side_is_dry(self):
        water = make(10.0, 8.0, ground=lambda x, z: 0.5 * (z - 4.0), wavemaker="sine", wavemaker_height=0.1)
        run(water, 300)
        assert np.isfinite(water.height).all() and water.wet[0, 0] and not water.wet[-1].any()


class TestRunning:
    @pytest.mark.slow
    def test_it_is_stable_with_high_waves_over_uneven_ground(self):
        bed = lambda x, z: np.minimum(-1.0 + 0.08 * x + 0.3 * np.sin(z), 0.5)  # noqa: E731
        asked = SEA | {"wavemaker_height": 0.5, "wavemaker_spreading": 30.0, "tide": "0.3:20"}
        water = make(20.0, 15.0, ground=bed, **asked, wavemaker_sides="west,north,south")
        run(water, 2400)
        assert np.isfinite(water.height).all() and np.abs(water.height).max() < 2.0

    @pytest.mark.slow
    def test_it_goes_on_from_its_state_to_the_bit(self):
        water = make(10.0, 8.0, **SEA, tide="0.1:30")
        run(water, 50)
        water.set_parameter("wavemaker", "sine")
        run(water, 20)
        again = make(10.0, 8.0, **SEA | {"wavemaker": "sine"}, tide="0.1:30")
        again.load_state(water.state())
        for each in (water, again):
            run(each, 100)
        assert (water.height == again.height).all() and water.height.any()

    @pytest.mark.slow
    def test_walls_and_levels_may_change_while_it_runs(self):
        water = make(10.0, 8.0, **SEA)
        run(water, 60)
        water.paint_wall(5.0, 4.0, 1.0)
        water.set_water_level(0.2)
        run(water, 60)
        assert np.isfinite(water.height).all()

    @pytest.mark.slow
    def test_reset_begins_anew(self):
        water = make(10.0, 8.0, **SEA)
        run(water, 60)
        first = water.height.copy()
        water.reset()
        assert not water.height.any()
        run(water, 60)
        assert (water.height == first).all()

    @pytest.mark.slow
    def test_what_is_refused_changes_nothing(self):
        water, other = (make(10.0, 8.0, **SEA) for _ in range(2))
        for name, value in (("wavemaker_sides", "up"), ("wavemaker", "series"), ("scheme", "kass-miller")):
            with pytest.raises(ParameterError):
                water.set_parameter(name, value)
        for each in (water, other):
            run(each, 60)
        assert (water.height == other.height).all()

    @pytest.mark.slow
    def test_without_waves_the_border_is_as_it_was(self):
        water = make(10.0, 8.0, wavemaker="sine", wavemaker_height=0.1, wavemaker_period=1.0)
        run(water, 60)
        water.set_parameter("wavemaker", "none")
        run(water, 600)
        before = water.volume
        run(water, 600)
        assert water.volume == pytest.approx(before, abs=1e-4)

"""What the models on the general step have in common: volume, energy, slopes at walls, borders that change."""

import numpy as np
import pytest
from support.waters import Ground, run

from waterview.core.commands import MAX_HEIGHT, Drop, Gust
from waterview.waters import DualBufferWater, HeightFieldWater, WaveEquationWater
from waterview.waters.common.borders import BORDER_KINDS
from waterview.waters.common.rain import Rain
from waterview.waters.common.volume import VOLUME_STEPS

MODELS = [DualBufferWater, HeightFieldWater]
UNDAMPED = {
    "dual-buffer": {"damping_factor": 1.0, "splash": 0.0, "drop_variation": 0.0},
    "height-field": {"damping": 0.0, "wave_speed": 8.0},
}


@pytest.fixture(params=MODELS, ids=lambda model: model.name)
def undamped(request):
    """Makes a water whose waves run for ever."""

    def make(*size, **parameters):
        return request.param(*size, **(UNDAMPED[request.param.name] | parameters))

    return make


class TestVolume:
    @pytest.mark.slow
    @pytest.mark.parametrize(("border", "damped", "most"), [("reflecting", True, 5e-7), ("wrapping", False, 2e-6)])
    def test_twenty_minutes_of_rain_move_the_level_by_less_than_a_millionth_of_the_depth(
        self, undamped, border, damped, most
    ):
        """Undamped, waves grow for the whole time, and whatever rounding gives the level it keeps."""
        water = undamped(10.0, 8.0, 21, border=border, steps_per_second=10.0)
        for name, value in {"damping": 0.3, "damping_factor": 0.99, "wave_speed": 2.5}.items():
            if hasattr(water.params, name) and (damped or name == "wave_speed"):
                water.set_parameter(name, value)
        lakes = np.full(water.grid.shape, -2.0)
        lakes[:, 10] = 1.0  # two waters, each with a volume of its own
        water.set_height_map(Ground(lakes))
        rain = Rain(2.0, seed=1)
        while water.time < 1200.0:
            for drop in rain.due(water.time, water.time_step, water.grid, water.fixed):
                water.disturb(drop)
            water.step()
        assert np.abs(water.height).max() > 1e-3
        assert abs(water.height.sum(dtype=float)) < most * 2.0 * np.count_nonzero(~water.fixed)

    def test_a_basin_that_is_closed_while_waves_run_does_not_fill_up(self, undamped):
        water = undamped(20.0, 20.0, 41, border="zero")
        water.disturb(Drop(8.0, 10.0, 1.0, 3.0, neutral=False))
        run(water, 60)
        water.set_parameter("border", "reflecting")
        run(water, VOLUME_STEPS)
        level = water.totals().mean_level
        run(water, 1000)
        assert water.totals().mean_level == pytest.approx(level, abs=1e-4)

    def test_it_may_be_left_to_drift(self, undamped):
        water = undamped(10.0, 10.0, 21, keep_volume=False)
        state = water.state()
        if "velocity" in state:
            state["velocity"] = np.full(water.grid.shape, 0.01, np.float32)
        else:
            state["before"] = np.full(water.grid.shape, -0.01 * water.time_step, np.float32)
        water.load_state(state)
        water.simulate(2.0)
        assert water.totals().mean_level == pytest.approx(0.02, rel=0.05)


class TestEnergy:
    @pytest.mark.sampled
    @pytest.mark.parametrize("border", ["reflecting", "wrapping", "zero"])
    @pytest.mark.parametrize("shore", ["no-flux", "zero"])
    def test_without_damping_it_stays(self, undamped, border, shore):
        water = undamped(40.0, 40.0, 81, border=border, shoreline=shore)
        water.set_height_map(Ground(np.where(np.random.default_rng(4).random((81, 81)) < 0.03, 1.0, -3.0)))
        water.disturb(Drop(15.0, 18.0, 0.3, 6.0))
        energies = []
        for _ in range(12):
            run(water, 25)
            totals = water.totals()
            assert totals.kinetic > 0.0 and totals.potential > 0.0
            energies.append(totals.kinetic + totals.potential)
        np.testing.assert_allclose(energies, energies[0], rtol=1e-4)

    def test_over_an_open_border_it_leaves(self, undamped):
        water = undamped(20.0, 20.0, 41, border="open")
        water.disturb(Drop(9.0, 11.0, 0.3, 3.0))
        before = water.totals().potential
        run(water, 600)
        totals = water.totals()
        assert totals.kinetic + totals.potential < 0.01 * before

    def test_maps_add_up_to_the_totals(self, undamped):
        water = undamped(20.0, 20.0, 41)
        water.set_height_map(Ground(np.where(np.random.default_rng(0).random((41, 41)) < 0.05, 1.0, -3.0)))
        water.disturb(Drop(9.0, 11.0, 0.3, 3.0))
        run(water, 20)
        totals, energy = water.totals(), water.field_maps()["energy"]
        assert energy.unit == "J/m²"
        assert energy.values.sum(dtype=float) * 0.25 == pytest.approx(totals.kinetic + totals.potential, rel=1e-3)
        assert energy.values.min() >= 0.0

    def test_there_are_maps_of_motion_energy_and_stability(self, undamped):
        maps = undamped(20.0, 20.0, 41).field_maps()
        assert {"height", "fixed", "velocity", "energy", "courant"} <= set(maps)

    def test_velocity_is_how_fast_heights_change(self, undamped):
        water = undamped(40.0, 40.0, 81, steps_per_second=200.0)
        water.disturb(Drop(15.0, 18.0, 0.3, 6.0))
        run(water, 40)
        before = water.height.copy()
        water.step()
        np.testing.assert_allclose(water.velocity, (water.height - before) * 200.0, atol=1e-3)


class TestShores:
    def test_slopes_beside_walls_are_those_of_the_water(self, undamped):
        """A surface that rises along a wall, and is level across it, has no slope towards it."""
        water = undamped(10.0, 10.0, 21)
        land = np.full((21, 21), -1.0)
        land[:, :6] = land[:4] = 1.0
        water.set_height_map(Ground(land))
        rising = np.where(water.fixed, 0.0, 0.2 * water.grid.z[:, None])
        for level in water.time_levels:
            level[...] = rising
        normals = water.publish(1).normals.astype(float)
        np.testing.assert_allclose(normals[4:, 6:, 0], 0.0, atol=1e-3)
        np.testing.assert_allclose(normals[5:, 6:, 1], -0.2, atol=1e-3)
        np.testing.assert_allclose(normals[4, 6:, 1], -0.1, atol=1e-3)  # the wall's side is level
        zero = undamped(10.0, 10.0, 21, shoreline="zero")
        zero.set_height_map(Ground(land))
        for level in zero.time_levels:
            level[...] = rising
        assert np.abs(zero.publish(1).normals[4:, 6, 0]).max() > 1.0

    def test_a_wave_runs_all_the_way_through_a_basin_like_a_z(self, undamped):
        water = undamped(30.0, 30.0, 61)
        rows, columns = np.mgrid[:61, :61]
        bars = ((rows >= 5) & (rows <= 14) | (rows >= 46) & (rows <= 55)) & (columns >= 5) & (columns <= 55)
        stroke = (np.abs(rows + columns - 60) < 8) & (rows >= 5) & (rows <= 55)
        water.set_height_map(Ground(np.where(bars | stroke, -1.0, 1.0)))
        np.testing.assert_array_equal(water.fixed, ~(bars | stroke))
        water.disturb(Drop(5.0, 5.0, 0.5, 1.5, neutral=False))
        volume, end = water.height.sum(dtype=float), (slice(46, 56), slice(45, 56))
        # From one end to the other are some 30 + 40 + 25 cells along the bars and the stroke.
        courant = water.effective["courant"]
        run(water, round(70 / courant))
        assert not np.abs(water.height[end]).max() > 1e-6
        run(water, round(120 / courant))
        assert np.abs(water.height[end]).max() > 5e-3
        assert water.height.sum(dtype=float) == pytest.approx(volume, rel=1e-4)
        assert not water.height[water.fixed].any()

    def test_a_standing_wave_between_cliffs_keeps_its_period(self, undamped):
        """Between two walls n points apart the lowest wave has half a wave on n points, in any direction."""
        for along in (0, 1):
            water = undamped(30.0, 30.0, 61)
            land = np.full((61, 61), 1.0)
            channel = (slice(20, 30), slice(10, 50)) if along else (slice(10, 50), slice(20, 30))
            land[channel] = -1.0
            water.set_height_map(Ground(land))
            wave = 0.1 * np.cos(np.pi * (np.arange(40) + 0.5) / 40)
            shape = np.zeros((61, 61))
            shape[channel] = wave[None, :] if along else wave[:, None]
            for level in water.time_levels:
                level[...] = shape
            courant, steps = water.effective["courant"], 0
            while np.vdot(water.height, shape) > 0.0:
                water.step()
                steps += 1
            quarter = 0.5 * np.pi / (2.0 * np.arcsin(courant * np.sin(np.pi / 80)))
            assert steps == pytest.approx(quarter, abs=1.0)


class TestChanges:
    @pytest.mark.parametrize("border", [kind for kind in BORDER_KINDS if kind != "wrapping"])
    def test_painting_inside_leaves_what_runs_out_over_the_border_alone(self, undamped, border):
        """Waves beside an open border look the same whether or not a wall is painted far from them."""
        waters = [undamped(20.0, 20.0, 41, border=border) for _ in range(2)]
        for water in waters:
            water.disturb(Drop(17.0, 10.0, 0.5, 2.0))
            run(water, 25)
        waters[0].paint_wall(2.0, 10.0, 0.6)
        for _ in range(8):
            for water in waters:
                water.step()
        far = waters[0].grid.x > 12.0
        np.testing.assert_allclose(waters[0].height[:, far], waters[1].height[:, far], atol=1e-5)

    def test_a_gust_before_the_first_step_is_no_stronger_than_later(self, undamped):
        water = undamped(60.0, 40.0, 121)
        water.blow(Gust(25.0, 20.0, 8.0, 0.0, 0.1, 9.0))
        run(water, 5)
        assert np.abs(water.height).max() < 0.2

    def test_a_gust_raises_ripples_that_run_with_the_wind(self, undamped):
        water = undamped(60.0, 40.0, 241, steps_per_second=60.0, border="open")
        water.blow(Gust(25.0, 20.0, 8.0, 0.0, 0.1, 9.0))
        speed = water.effective["wave_speed"]
        run(water, round(12.0 / speed * 60.0))
        ahead, behind = (np.square(water.height[:, side], dtype=float).sum() for side in
                         (water.grid.x > 29.0, water.grid.x < 29.0))  # fmt: skip
        assert ahead > 5.0 * behind


WILD = {
    "wave_speed": lambda rng: rng.choice([0.0, 10.0 ** rng.uniform(-2, 5), 1e5]),
    "damping": lambda rng: rng.choice([0.0, 10.0 ** rng.uniform(-3, 3), 1e3]),
    "damping_factor": lambda rng: rng.choice([0.0, 0.9, 1.0]),
    "steps_per_second": lambda rng: rng.choice([1.0, 10.0 ** rng.uniform(0, 4), 1e4]),
    "stencil": lambda rng: str(rng.choice(["five-point", "isotropic"])),
    "shoreline": lambda rng: str(rng.choice(["no-flux", "zero"])),
    "border": lambda rng: str(rng.choice([*BORDER_KINDS, "open,north=zero", "east=wrapping,west=wrapping"])),
}
"""Values of parameters, as wild as is allowed."""


def do_something(water, rng):
    """One thing a user may ask for, as wild as is allowed."""
    names, (nz, nx) = [name for name in WILD if hasattr(water.params, name)], water.grid.shape
    (x, z), size = rng.uniform(-0.1, 1.1, 2) * water.grid.size, max(water.grid.size)
    match rng.integers(-5, len(names)):
        case -5:
            water.set_water_level(rng.choice([-10.0, rng.uniform(-3.0, 1.0), 10.0]))
        case -4:
            water.set_height(int(rng.integers(nx)), int(rng.integers(nz)), rng.choice([1.0, 1e30, -1e300]))
        case -3:
            water.paint_wall(x, z, 0.1 * size * rng.random(), bool(rng.integers(2)))
        case -2:
            water.blow(Gust(x, z, 0.3 * size, -0.1 * size, rng.choice([0.1, 1e5]), 0.2 * size))
        case -1:
            radius = water.grid.spacing * 10.0 ** rng.uniform(-2, 2)
            water.disturb(Drop(x, z, rng.choice([0.3, 1e5, -1e5]), radius, bool(rng.integers(2))))
        case number:
            water.set_parameter(names[number], WILD[names[number]](rng))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "most", "times"), [(WaveEquationWater, 1e3, 200), (DualBufferWater, 1e4, 60), (HeightFieldWater, 1e4, 60)]
)
def test_heights_and_slopes_stay_finite_whatever_is_done_in_any_order(model, most, times):
    rng = np.random.default_rng(12)
    for _ in range(times):
        size = 10.0 ** rng.uniform(-3.0, 4.0)
        water = model(1.5 * size, size, int(rng.integers(4, 24)))
        water.set_height_map(Ground(rng.uniform(-3.0, 1.0, water.grid.shape)))
        for _ in range(12):
            do_something(water, rng)
            run(water, int(rng.integers(1, 12)))
        frame = water.publish(1)
        assert np.isfinite(frame.heights).all() and np.isfinite(frame.normals).all()
        assert np.abs(frame.heights).max() < most * MAX_HEIGHT
        assert not frame.heights[frame.fixed].any()
        assert np.isfinite(water.totals().mean_level)


@pytest.mark.parametrize("model", [*MODELS, WaveEquationWater], ids=lambda model: model.name)
def test_a_saved_water_comes_to_rest_when_it_would_have(model):
    """It looked for rest again as soon as it was opened, and what is kept was measured at another time."""
    water = model(20.0, 15.0, 21, border="reflecting")
    water.advance(11)
    water.set_water_level(-0.2)
    water.advance(2)
    opened = model(20.0, 15.0, 21, border="reflecting")
    opened.set_water_level(-0.2)
    opened.load_state(water.state())
    for each in (water, opened):
        each.step()
    assert opened.at_rest == water.at_rest
    assert all(map(np.array_equal, opened._tiles.marks, water._tiles.marks))

"""What is particular to Müller's height field: u and v, adding water and applying force, spikes, changes."""

import math

import numpy as np
import pytest
from support.waters import Ground, raise_to, run

from waterview.core.commands import MAX_HEIGHT, Drop
from waterview.core.errors import InputError, ParameterError
from waterview.waters import HeightFieldWater, WaveEquationWater

FREE = {"spike_slope": 100.0, "overshoot": 0.0}


class TestEquation:
    @pytest.mark.sampled
    @pytest.mark.parametrize("border", ["zero", "reflecting"])
    @pytest.mark.parametrize("stencil", ["five-point", "isotropic"])
    @pytest.mark.parametrize("shoreline", ["zero", "no-flux"])
    @pytest.mark.parametrize("rate", [120.0, 15.0])
    def test_undamped_it_is_the_wave_equation_to_rounding(self, border, stencil, shoreline, rate):
        options = {"border": border, "stencil": stencil, "shoreline": shoreline, "keep_volume": False}
        options |= {"wave_speed": 4.0, "damping": 0.0, "steps_per_second": rate}
        mine = HeightFieldWater(8.0, 6.0, 33, **options, **FREE)
        other = WaveEquationWater(8.0, 6.0, 33, **options)
        for water in (mine, other):
            water.set_height_map(Ground(np.where(np.random.default_rng(0).random(water.grid.shape) < 0.1, 1.0, -1.0)))
            water.disturb(Drop(3.0, 2.0, 0.5, 1.5, neutral=False))
            water.disturb(Drop(6.0, 4.0, -0.3, 1.0))
        assert mine.plan == other.plan
        for _ in range(100):
            mine.step()
            other.step()
            np.testing.assert_allclose(mine.height, other.height, atol=5e-6)

    def test_damped_it_is_the_loop_of_the_paper(self):
        """For all columns: v += c²·(sum of neighbours − 4u)/h²·dt, v *= s; then u += v·dt."""
        water = HeightFieldWater(
            3.0, 2.0, 16, wave_speed=3.0, damping=2.0, velocity_scale=0.97, steps_per_second=50.0, **FREE
        )
        rng = np.random.default_rng(1)
        u = rng.uniform(-0.1, 0.1, water.grid.shape)
        v = np.zeros_like(u)
        raise_to(water, u)
        h, dt = water.grid.spacing, 0.02
        for _ in range(80):
            around = np.pad(u, 1, mode="edge")
            total = around[1:-1, :-2] + around[1:-1, 2:] + around[:-2, 1:-1] + around[2:, 1:-1]
            v += 3.0**2 * (total - 4.0 * u) / h**2 * dt
            v *= 0.97 * math.exp(-2.0 * dt)
            u = u + v * dt
            water.step()
        np.testing.assert_allclose(water.height, u, atol=1e-6)
        np.testing.assert_allclose(water.velocity, v, atol=1e-5)

    def test_sub_steps_damp_as_much_as_one_step(self):
        left = []
        for rate in (4.0, 32.0):
            water = HeightFieldWater(
                4.0, 4.0, 9, wave_speed=8.0, damping=1.0, velocity_scale=0.5, steps_per_second=rate, keep_volume=False
            )
            assert (water.plan.substeps > 1) == (rate == 4.0)
            for point in np.ndindex(9, 9):
                water.apply_force(*point, 1.0)
            water.step()
            left.append(float(water.velocity.mean()))
        assert left == pytest.approx([0.5 * math.exp(-0.25), 0.5 * math.exp(-1.0 / 32.0)], rel=1e-4)


class TestAddingWater:
    def test_the_neighbours_give_it_up(self):
        water = HeightFieldWater(8.0, 8.0, 17)
        water.add_water(5, 7, 0.4)
        assert water.height[7, 5] == pytest.approx(0.4)
        for iz, ix in ((6, 5), (8, 5), (7, 4), (7, 6)):
            assert water.height[iz, ix] == pytest.approx(-0.1)
        assert water.height.sum(dtype=float) == pytest.approx(0.0, abs=1e-6)
        assert not water.velocity.any()

    def test_at_an_edge_and_beside_land_the_others_give_more(self):
        water = HeightFieldWater(8.0, 8.0, 17)
        land = np.full((17, 17), -1.0)
        land[1, 0] = 1.0
        water.set_height_map(Ground(land))
        water.add_water(0, 0, 0.4)
        assert water.height[0, :2].tolist() == pytest.approx([0.4, -0.4])
        assert not water.height[1:].any()
        water.add_water(0, 1, 0.4)
        assert not water.height[1, 0]

    @pytest.mark.parametrize("bad", [(17, 0, 1.0), (0, -1, 1.0), (3, 3, math.nan)])
    def test_what_makes_no_sense_is_refused(self, bad):
        water = HeightFieldWater(8.0, 8.0, 17)
        with pytest.raises(ParameterError, match="allowed"):
            water.add_water(*bad)
        with pytest.raises(ParameterError, match="allowed"):
            water.apply_force(*bad)


def test_a_saved_water_without_the_length_of_its_step_is_refused():
    water = HeightFieldWater(8.0, 8.0, 17)
    water.step()
    state = water.state()
    assert state["settled"] is not None
    with pytest.raises(InputError, match="steps of 0 s"):
        HeightFieldWater(8.0, 8.0, 17).load_state({**state, "settled": [*state["settled"][:-1], 0.0]})


class TestApplyingForce:
    def test_it_changes_velocity_and_not_height(self):
        water = HeightFieldWater(8.0, 8.0, 17, keep_volume=False, steps_per_second=100.0)
        water.apply_force(5, 7, 3.0)
        assert not water.height.any()
        assert water.velocity[7, 5] == 3.0 and np.count_nonzero(water.velocity) == 1
        water.step()
        assert water.height[7, 5] == pytest.approx(0.03, rel=0.2)

    @pytest.mark.slow
    def test_without_keeping_volume_the_level_rises_as_in_the_paper(self):
        water = HeightFieldWater(8.0, 8.0, 17, keep_volume=False, damping=2.0, steps_per_second=200.0)
        water.apply_force(5, 7, 30.0)
        run(water, 2000)
        assert water.totals().mean_level == pytest.approx(30.0 / 17**2 / 2.0, rel=0.02)  # ∫ v dt = v/k

    @pytest.mark.slow
    def test_keeping_volume_the_rest_sinks(self):
        water = HeightFieldWater(8.0, 8.0, 17, damping=0.0, steps_per_second=200.0)
        water.apply_force(5, 7, 30.0)
        assert water.velocity[7, 5] == pytest.approx(30.0 * (1.0 - 1.0 / 17**2), rel=1e-5)
        run(water, 2000)
        assert water.totals().mean_level == pytest.approx(0.0, abs=1e-5)

    def test_drops_that_push_leave_the_heights_alone(self):
        water = HeightFieldWater(8.0, 8.0, 33, drops="force", wave_speed=2.0)
        water.disturb(Drop(4.0, 4.0, 0.2, 1.0))
        assert not water.height.any()
        assert water.velocity[16, 16] == pytest.approx(2.0, rel=1e-3)
        run(water, 10)
        assert water.height[16, 16] > 0.05

    @pytest.mark.parametrize("steps", range(62, 67))
    def test_a_push_on_water_that_hardly_moves_is_not_put_to_rest(self, steps):
        """Every 64 steps tiles become 0 in which nothing matters; heights do not yet, where velocities do."""
        water = HeightFieldWater(8.0, 8.0, 33, drops="force", wave_speed=2.0)
        run(water, 60)
        water.disturb(Drop(4.0, 4.0, 1e-12, 1.0))
        run(water, steps - 60)
        water.disturb(Drop(4.0, 4.0, 0.2, 1.0))
        run(water, 10)
        assert water.height[16, 16] > 0.05

    def test_land_cannot_be_pushed(self):
        water = HeightFieldWater(8.0, 8.0, 17)
        water.set_height_map(Ground(np.where(np.arange(17) > 8, 1.0, -1.0) * np.ones((17, 1))))
        water.apply_force(12, 3, 5.0)
        assert not water.velocity.any()


class TestSpikes:
    def test_a_column_pulled_up_is_clamped_and_its_water_given_back(self):
        water = HeightFieldWater(8.0, 8.0, 17, wave_speed=0.0, overshoot=0.0, spike_slope=1.0)
        water.set_height(5, 7, 4.0)
        water.step()
        assert water.height[7, 5] < 0.6
        assert water.height.sum(dtype=float) == pytest.approx(4.0, rel=1e-5)

    def test_smooth_waves_run_as_if_nothing_were_clamped(self):
        waters = HeightFieldWater(20.0, 20.0, 81), HeightFieldWater(20.0, 20.0, 81, **FREE)
        for water in waters:
            water.disturb(Drop(10.0, 10.0, 0.5, 2.0))
            run(water, 100)
        np.testing.assert_array_equal(waters[0].height, waters[1].height)

    @pytest.mark.slow
    def test_the_wildest_pulling_stays_calm(self):
        """Riehm's window blew up when a narrow column was pulled far; here it does not."""
        water = HeightFieldWater(1.0, 1.0, 101, wave_speed=100.0, damping=0.0)
        rng = np.random.default_rng(3)
        for _ in range(200):
            water.add_water(int(rng.integers(101)), int(rng.integers(101)), float(rng.choice([1e5, -1e5, 1.0])))
            water.apply_force(int(rng.integers(101)), int(rng.integers(101)), float(rng.choice([1e5, -1e5])))
            water.step()
            assert np.isfinite(water.height).all()
            assert np.abs(water.height).max() <= 3.0 * MAX_HEIGHT

    @pytest.mark.parametrize("wave_speed", [18.0, 20.0, 20.5])
    def test_clamping_feeds_no_wave(self, wave_speed):
        """Near the largest stable step a clamp that leaves the velocity drives the shortest waves, ever faster:
        undamped water in rain held out for an hour, and then rose by kilometres within a second."""
        water = HeightFieldWater(8.0, 8.0, 33, damping=0.0, wave_speed=wave_speed, steps_per_second=60.0)
        assert water.plan.courant > 0.55
        columns, rows = np.meshgrid(np.arange(33), np.arange(33))
        velocity = 50.0 * (-1.0) ** (columns + rows) * np.random.default_rng(5).uniform(0.5, 1.0, (33, 33))
        for row, column in np.ndindex(33, 33):
            water.apply_force(column, row, velocity[row, column])
        run(water, 400)
        assert np.abs(water.velocity).max() < 100.0
        assert np.abs(water.height).max() < 20.0

    @pytest.mark.sampled
    @pytest.mark.parametrize(
        ("stencil", "wave_speed"), [("five-point", 7.6), ("five-point", 1e5), ("isotropic", 9.0), ("isotropic", 1e5)]
    )
    def test_rough_water_calms_where_it_is_clamped(self, stencil, wave_speed):
        """Stopped where they were clamped, points swung out ever farther: a surface rough by a third of a cell rose by
        twenty within seconds, and at the largest wave speed by a hundred thousand metres."""
        water = HeightFieldWater(3.2, 2.8, 33, damping=0.0, stencil=stencil, wave_speed=wave_speed)
        for level in water.time_levels:
            level[...] = np.random.default_rng(1).normal(0.0, 0.03, level.shape)
        run(water, 600)
        assert water.plan.courant > 0.5
        assert np.abs(water.height).max() < 0.5


class TestSleep:
    @pytest.mark.sampled
    @pytest.mark.parametrize("border", ["zero", "wrapping", "open"])
    @pytest.mark.parametrize("drops", ["water", "force"])
    def test_what_waves_cannot_reach_sleeps_and_shows_in_no_bit(self, border, drops):
        options = {"border": border, "drops": drops, "keep_volume": False}
        waters = [HeightFieldWater(40.0, 20.0, 401, **options) for _ in range(2)]
        for turn in range(3):
            for water in waters:
                water.disturb(Drop(5.0 + 2.0 * turn, 9.0, 0.3, 1.5))
                water.add_water(390, 30 + turn, 0.02)
                water.apply_force(395, 100, 0.5)
                water.advance(5)
            waters[1].on_pushed(slice(None), slice(None))
            assert waters[0].height.tobytes() == waters[1].height.tobytes()
            assert waters[0].velocity.tobytes() == waters[1].velocity.tobytes()
        # Beside what remembers waves none sleeps.
        assert waters[0].state()["tiles"]["awake"].mean() < (0.9 if border == "open" else 0.5)

    @pytest.mark.slow
    def test_calmed_water_comes_to_rest(self):
        water = HeightFieldWater(8.0, 8.0, 81, border="zero", damping=10.0)
        assert not water.at_rest
        water.disturb(Drop(4.0, 4.0, 0.2, 1.0))
        for _ in range(40):
            water.advance(64)
        assert water.at_rest and not water.height.any() and not water.velocity.any()
        water.apply_force(3, 3, 1.0)
        assert not water.at_rest


@pytest.mark.slow
@pytest.mark.parametrize("border", ["zero", "reflecting", "open", "wrapping"])
def test_even_changes_in_resonance_leave_heights_bounded(border):
    water = HeightFieldWater(10.0, 10.0, 21, border=border, damping=0.0, **FREE)
    water.disturb(Drop(4.0, 5.0, 1.0, 1.0))
    for k in range(1000):
        water.set_parameter("wave_speed", (50.0, 62.5)[k % 2])
        run(water, 2)
        assert np.abs(water.height).max() < 100.0 * MAX_HEIGHT


def test_what_is_pushed_where_waves_are_slow_stays_in_bounds():
    """800 m/s, less than what is looked at after every step, go on for half an hour: nothing pulls them back."""
    slow = {"wave_speed": 0.1, "damping": 0.0, "steps_per_second": 1.0, "drops": "force", "keep_volume": False}
    water = HeightFieldWater(2000.0, 2000.0, 17, **(FREE | slow))
    for _ in range(10):
        water.disturb(Drop(1000.0, 1000.0, 8.0, 3000.0, neutral=False))
    assert 700.0 < np.abs(water.velocity).max() < 900.0
    highest = 0.0
    for _ in range(40):
        water.advance(50)
        highest = max(highest, float(np.abs(water.height).max()))
    assert highest == MAX_HEIGHT

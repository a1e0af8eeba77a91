"""What is particular to the damped wave equation: true speed, damping, and changes while waves run."""

import math

import numpy as np
import pytest
from support.fields import PLAIN_BORDERS
from support.waters import Ground, raise_to, run

from waterview.core.commands import MAX_HEIGHT, Drop
from waterview.waters import WaveEquationWater
from waterview.waters.common import published_surface
from waterview.waters.wave.step import STENCILS
from waterview.waters.wave.two_level_water import BOUND_STEPS

ANGLES = np.radians(np.arange(0.0, 180.0, 15.0))


class TestSpeed:
    """Waves run as fast as was set, within 1 %."""

    def measured(self, stencil, angle):
        """Speed [m/s] of a plane wave of 20 m, from how a standing one swings in the middle, far from any border."""
        water = WaveEquationWater(120.0, 120.0, 121, stencil=stencil, wave_speed=10.0, damping=0.0, steps_per_second=20)
        k = 2.0 * np.pi / 20.0
        x, z = water.grid.x[None, :] - 60.0, water.grid.z[:, None] - 60.0
        wave = np.cos(k * (x * np.cos(angle) + z * np.sin(angle)))
        raise_to(water, wave)
        water.step()
        middle = (slice(45, 76), slice(45, 76))
        swing = []
        for _ in range(40):
            swing.append(np.vdot(wave[middle], water.height[middle]))
            water.step()
        # A harmonic swing obeys a(t + Δt) + a(t − Δt) = 2 cos(ωΔt)·a(t).
        before, now, after = np.array(swing[:-2]), np.array(swing[1:-1]), np.array(swing[2:])
        cosine = np.vdot(now, before + after) / (2.0 * np.vdot(now, now))
        return math.acos(cosine) / water.time_step / k

    @pytest.mark.parametrize("stencil", STENCILS)
    def test_plane_waves_in_all_directions(self, stencil):
        speeds = np.array([self.measured(stencil, angle) for angle in ANGLES])
        np.testing.assert_allclose(speeds, 10.0 * math.sqrt(STENCILS[stencil].laplacians), rtol=0.01)

    @pytest.mark.slow
    def test_the_ring_around_a_drop(self):
        water = WaveEquationWater(240.0, 240.0, 241, wave_speed=10.0, damping=0.0, steps_per_second=20)
        water.disturb(Drop(120.0, 120.0, 1.0, 10.0, neutral=False))
        crests = []
        for _ in range(2):
            run(water, 100)
            crests.append([self.crest(water, angle) for angle in np.concatenate([ANGLES, ANGLES + np.pi])])
        speeds = (np.array(crests[1]) - np.array(crests[0])) / 5.0
        np.testing.assert_allclose(speeds, 10.0, rtol=0.01)

    def crest(self, water, angle):
        """Distance [m] of the highest point from the middle along `angle`."""
        radius = np.arange(20.0, 119.0, 0.25)
        points = 120.0 + radius[:, None] * [np.cos(angle), np.sin(angle)]
        profile = np.array([water.grid.sample(water.height, x, z) for x, z in points])
        top = int(profile.argmax())
        near = slice(top - 12, top + 13)
        fit = np.polyfit(radius[near], profile[near], 2)
        return -0.5 * fit[1] / fit[0]

    def test_waves_do_not_depend_on_the_number_of_steps_a_second(self):
        surfaces = []
        for rate in (60.0, 120.0, 480.0):
            water = WaveEquationWater(60.0, 60.0, 121, wave_speed=8.0, damping=0.4, steps_per_second=rate)
            water.disturb(Drop(30.0, 30.0, 1.0, 8.0))
            water.simulate(2.0)
            surfaces.append(water.height.copy())
        np.testing.assert_allclose(surfaces[0], surfaces[2], atol=0.02)
        np.testing.assert_allclose(surfaces[1], surfaces[2], atol=0.01)


@pytest.mark.parametrize("damping", [0.0, 0.3, 0.8])
def test_damping_takes_as_much_as_was_asked_for(damping):
    """A standing wave of frequency ω swings as e^(−kt/2)·(cos ω't + k/2ω'·sin ω't) with ω'² = ω² − k²/4."""
    water = WaveEquationWater(
        40.0, 40.0, 41, border="reflecting", wave_speed=10.0, damping=damping, steps_per_second=400
    )
    raise_to(water, np.cos(np.pi * (np.arange(41) + 0.5) / 41) * np.ones((41, 1)))
    water.step()
    omega = math.sqrt((10.0 * np.pi / 41.0) ** 2 - damping**2 / 4.0)
    for _ in range(12):
        water.simulate(1.0)
        t = water.time
        swing = math.cos(omega * t) + damping / (2.0 * omega) * math.sin(omega * t)
        assert water.height[20, 0] == pytest.approx(math.exp(-damping * t / 2.0) * swing, abs=0.01)


class TestEffective:
    def test_a_stable_request_is_done_as_asked(self):
        frame = WaveEquationWater(20.0, 20.0, 41, wave_speed=6.0, damping=0.5, steps_per_second=100.0).publish(0)
        assert frame.effective == {"wave_speed": 6.0, "damping": 0.5, "courant": pytest.approx(0.12), "substeps": 1.0}

    def test_requested_and_effective_are_kept_apart(self):
        water = WaveEquationWater(20.0, 20.0, 41, wave_speed=5000.0, damping=900.0, steps_per_second=60.0)
        frame = water.publish(0)
        assert (frame.params.wave_speed, frame.params.damping) == (5000.0, 900.0)
        assert frame.effective["substeps"] == 8.0
        assert frame.effective["damping"] == pytest.approx(8 * 60.0)
        assert 0.0 < frame.effective["wave_speed"] < 5000.0
        assert frame.effective["wave_speed"] == pytest.approx(frame.effective["courant"] * 0.5 * 8 * 60.0)
        water.set_parameter("damping", 0.0)
        assert water.publish(1).effective["damping"] == 0.0
        assert water.publish(1).effective["wave_speed"] > frame.effective["wave_speed"]

    def test_the_relaxed_limit_of_the_isotropic_stencil_is_used(self):
        options = {"wave_speed": 48.0, "damping": 0.0, "steps_per_second": 50.0}
        plans = {name: WaveEquationWater(20.0, 20.0, 21, stencil=name, **options).plan for name in STENCILS}
        assert plans["isotropic"].substeps == 1
        assert {plans[name].substeps for name in ("five-point", "nine-point", "compact")} == {2}

    def test_substeps_change_how_a_wave_is_computed_and_not_where_it_goes(self):
        surfaces = []
        for rate in (15.0, 120.0):
            water = WaveEquationWater(60.0, 60.0, 121, wave_speed=15.0, damping=0.2, steps_per_second=rate)
            water.disturb(Drop(30.0, 30.0, 1.0, 8.0))
            water.simulate(1.0)
            surfaces.append(water.height.copy())
            assert (water.plan.substeps > 1) == (rate == 15.0)
        np.testing.assert_allclose(surfaces[0], surfaces[1], atol=0.03)


class TestChanges:
    """Parameters, ground and level may change at any moment."""

    @pytest.mark.parametrize("speed", [1.0, 3.0])
    def test_a_basin_that_is_closed_while_waves_run_does_not_fill_up(self, speed):
        """Not even where they become faster at the same moment."""
        water = WaveEquationWater(20.0, 20.0, 41, border="zero", damping=0.0)
        water.disturb(Drop(8.0, 10.0, 1.0, 3.0, neutral=False))
        run(water, 60)
        water.set_parameter("border", "reflecting")
        water.set_parameter("wave_speed", speed * water.params.wave_speed)
        water.step()
        level = water.height.mean(dtype=float)
        run(water, 1000)
        assert water.height.mean(dtype=float) == pytest.approx(level, abs=1e-4)

    def test_a_basin_whose_island_is_flooded_does_not_fill_up(self):
        water = WaveEquationWater(20.0, 20.0, 41, border="reflecting", damping=0.0)
        island = np.full((41, 41), -1.0)
        island[10:16, 10:16] = 0.5
        water.set_height_map(Ground(island))
        water.disturb(Drop(12.0, 12.0, 1.0, 3.0))
        run(water, 60)
        water.set_water_level(1.0)
        water.step()
        level = water.height.mean(dtype=float)
        run(water, 1000)
        assert water.height.mean(dtype=float) == pytest.approx(level, abs=1e-4)

    @pytest.mark.parametrize("change", [{"stencil": "nine-point"}, {"wave_speed": 8.0}, {"steps_per_second": 120.0}])
    def test_a_wave_that_runs_goes_on_as_it_was_where_its_speed_or_the_step_changes(self, change):
        """Were its motion not fitted, a part of it would turn round."""
        water = WaveEquationWater(60.0, 3.0, 241, border="reflecting", wave_speed=5.0, damping=0.0, steps_per_second=60)
        water.step()
        shift = 5.0 / 60.0
        for level, x in zip(water.time_levels, (water.grid.x, water.grid.x + shift), strict=True):
            level[...] = np.exp(-((x - 30.0) ** 2) / 4.0)
        for each in ("stencil", "wave_speed", "steps_per_second"):
            if each in change:
                water.simulate(0.5)
                water.set_parameter(each, change[each])
        water.simulate(2.0)
        assert water.height.max() == pytest.approx(1.0, abs=0.02)
        assert np.abs(water.height[:, water.grid.x < 30.0]).max() < 0.03

    @pytest.mark.parametrize("sign", [1.0, -1.0])
    def test_beside_a_layer_crests_and_troughs_are_held_in_bounds(self, sign):
        """As they are looked at now and then: here nothing moves, and nobody else holds them."""
        water = WaveEquationWater(4.0, 4.0, 17, border="open", wave_speed=0.0, damping=0.0)
        water.step()
        raise_to(water, np.full(water.grid.shape, sign * 3.0 * MAX_HEIGHT))
        water.advance(2)
        assert np.abs(water.height).max() == 3.0 * MAX_HEIGHT
        water.advance(BOUND_STEPS)
        np.testing.assert_array_equal(water.height, sign * MAX_HEIGHT)

    @pytest.mark.parametrize("height", [MAX_HEIGHT, -MAX_HEIGHT])
    def test_drops_on_drops_do_not_pass_the_largest_height(self, height):
        water = WaveEquationWater(20.0, 20.0, 41)
        for _ in range(3):
            water.disturb(Drop(10.0, 10.0, height, 4.0))
        assert np.abs(water.height).max() == MAX_HEIGHT
        water.set_height(30, 30, 5.0 * height)
        water.set_parameter("wave_speed", 0.0)
        water.step()
        assert water.get_height(30, 30) == height

    @pytest.mark.slow
    @pytest.mark.parametrize("border", PLAIN_BORDERS)
    def test_even_changes_in_resonance_leave_heights_bounded(self, border):
        """Whoever swings the wave speed in time with a wave feeds it, as on a playground; but not for ever."""
        water = WaveEquationWater(10.0, 10.0, 21, border=border, damping=0.0)
        water.disturb(Drop(4.0, 5.0, 1.0, 1.0))
        for k in range(2000):
            water.set_parameter("wave_speed", (50.0, 62.5)[k % 2])
            run(water, 2)
            assert np.abs(water.height).max() < 100.0 * MAX_HEIGHT
        assert np.abs(water.height).max() > 1e3

    def test_newly_fixed_points_go_to_zero_and_freed_ones_start_there(self):
        water = WaveEquationWater(20.0, 20.0, 41)
        water.disturb(Drop(10.0, 10.0, 1.0, 5.0))
        island = np.full((41, 41), -1.0)
        island[18:23, 18:23] = 1.0
        water.set_height_map(Ground(island))
        assert water.fixed.sum() == 25
        assert not water.height[18:23, 18:23].any()
        kept = water.height.copy()
        water.set_height_map(Ground(np.full((41, 41), -1.0)))
        np.testing.assert_array_equal(water.height, kept)
        water.step()
        assert 0.0 < np.abs(water.height[18:23, 18:23]).max() < 0.5


class TestSurfaceWithTheLastStep:
    """Where everything moves nothing of a frame is left to be written afterwards."""

    @pytest.mark.parametrize("border", ["zero", "reflecting", "wrapping", "open"])
    def test_nothing_is_left(self, border, monkeypatch):
        water = WaveEquationWater(8.0, 6.0, 81, border=border, damping=0.0)
        heights = np.zeros(water.grid.shape)
        heights[20:24, 30:34] = 0.1
        raise_to(water, heights)
        water.step()
        water.advance(200)
        water.publish(0)
        plain = WaveEquationWater(8.0, 6.0, 81, border=border, damping=0.0)
        plain.load_state(water.state())
        monkeypatch.setattr(published_surface, "write", lambda field, surface: left.append(surface.stale.sum()))
        left = []
        frames = []
        for number in range(40):  # over steps at which closed waters are held and small waves put to rest
            water.advance(2, shown=True)
            frames.append(water.publish(number))
        assert not left
        monkeypatch.undo()
        for frame in frames:
            plain.advance(2)
            other = plain.publish(0)
            assert frame.heights.tobytes() == other.heights.tobytes()
            assert frame.normals.tobytes() == other.normals.tobytes()

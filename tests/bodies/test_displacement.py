"""What bodies do to the water: they push it aside and keep its volume."""

import numpy as np
import pytest
from support.ponds import Pond, one_body, only, run

from waterview.bodies.collection import Bodies
from waterview.bodies.records import PUSH_INTERVAL
from waterview.waters.wave.wave_equation import WaveEquationWater

DT = PUSH_INTERVAL  # so that every step pushes


def pushed(pond, kind="sphere", density=1000.0, *, velocity=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0), steps=2, **more):
    """What a body adds to a pond that stays still when it moves at a given velocity, step by step."""
    bodies, number = one_body(pond, kind, density, gravity=0.0, drag=0.0, skin_friction=0.0, **more)
    fields = []
    bodies.step(pond, DT)
    assert not pond.added.any()
    for _ in range(steps):
        bodies.set_velocity(number, velocity, spin)
        bodies.step(pond, DT)
        fields.append(pond.added)
    return fields[-1]


def at(pond, field, x, z):
    return pond.grid.sample(field, x, z)


class TestWhatIsPushed:
    def test_a_moving_sphere_lifts_the_water_ahead_and_lowers_it_behind(self):
        pond = Pond(levels=2)
        field = pushed(pond, velocity=(0.5, 0.0, 0.0), y=0.0)
        assert at(pond, field, 0.25, 0.0) > 1e-4
        assert at(pond, field, -0.25, 0.0) < -1e-4
        np.testing.assert_allclose(field, field[::-1], atol=1e-7)

    def test_a_sinking_one_lifts_it_above_itself_and_takes_from_around(self):
        pond = Pond(levels=2)
        field = pushed(pond, velocity=(0.0, -0.5, 0.0), y=0.0)
        assert at(pond, field, 0.0, 0.0) > 0.0
        assert at(pond, field, 0.85, 0.0) < 0.0
        assert not field[np.hypot(pond.grid.x[None], pond.grid.z[:, None]) > 1.5].any()

    def test_a_rising_one_does_the_opposite(self):
        pond = Pond(levels=2)
        field = pushed(pond, velocity=(0.0, 0.5, 0.0), y=0.0)
        assert at(pond, field, 0.0, 0.0) < 0.0
        assert at(pond, field, 0.85, 0.0) > 0.0

    def test_the_first_wave_of_a_body_dropped_into_water_is_a_crest(self):
        water = WaveEquationWater(12.0, 12.0, 128, (-6.0, 0.0, -6.0), wave_speed=2.0, steps_per_second=60.0)
        bodies, _ = one_body(water, density=900.0, size=1.0, y=0.3)
        highest = 0.0
        for _ in range(12):
            water.step()
            bodies.step(water, DT)
            around = np.hypot(water.grid.x[None], water.grid.z[:, None]) < 0.5
            highest = max(highest, float(water.height[around].mean()))
        assert highest > 1e-3

    @pytest.mark.parametrize("levels", [1, 2, 3])
    def test_every_time_level_gets_the_same(self, levels):
        pond = Pond(levels=levels)
        bodies, _ = one_body(pond, y=0.1)
        run(bodies, pond, 0.5)
        assert pond.neutral_levels[0].any()
        for level in pond.neutral_levels:
            np.testing.assert_array_equal(level, pond.neutral_levels[0])

    @pytest.mark.parametrize("kind", ["sphere", "box"])
    def test_a_push_down_lifts_by_half_of_what_it_displaces(self, kind):
        """Where the water is lifted, the sum is α times the displaced volume, but for what the ring overlaps."""
        pond, speed = Pond(points=241, levels=2), 0.2
        field = pushed(pond, kind, velocity=(0.0, -speed, 0.0), size=0.8, y=0.0)
        volume = field[field > 0.0].sum() * pond.grid.spacing**2
        waterline = {"sphere": np.pi * 0.16, "box": 0.64}[kind]
        assert volume == pytest.approx(0.5 * speed * DT * waterline, rel=0.12)

    def test_the_share_is_a_parameter(self):
        half, none, whole = (
            pushed(Pond(levels=2), velocity=(0.3, 0.0, 0.0), y=0.0, displacement=share) for share in (0.5, 0.0, 1.0)
        )
        assert not none.any()
        np.testing.assert_allclose(whole, 2.0 * half, rtol=1e-4, atol=1e-9)

    def test_the_deeper_the_less(self):
        heights = [abs(pushed(Pond(levels=2), velocity=(0.5, 0.0, 0.0), y=y)).max() for y in (-0.1, -0.6, -1.2, -3.0)]
        assert heights == sorted(heights, reverse=True)
        assert heights[2] > 0.0
        assert heights[3] < 0.002 * heights[0]

    def test_in_the_air_it_pushes_nothing(self):
        assert not pushed(Pond(levels=2), velocity=(0.5, 0.0, 0.0), y=0.5).any()

    def test_a_sphere_that_turns_pushes_nothing_and_a_box_does(self):
        assert not pushed(Pond(levels=2), spin=(0.0, 2.0, 0.0), y=0.0).any()
        assert pushed(Pond(levels=2), "box", spin=(0.0, 2.0, 0.0), y=0.0, size=(0.8, 0.3, 0.3)).any()

    def test_a_body_at_rest_pushes_nothing_at_all(self):
        pond = Pond(levels=2)
        bodies, _ = one_body(pond, "sphere", 500.0, y=0.0)
        run(bodies, pond, 1.0)
        assert not pond.neutral_levels[0].any()

    @pytest.mark.parametrize("size", [0.02, 0.1, 0.3])
    def test_bodies_smaller_than_a_cell_push_too_and_do_not_flicker(self, size):
        pond, volumes = Pond(points=121, levels=2), []
        bodies, number = one_body(pond, "sphere", 500.0, size=size, y=0.0, gravity=0.0)
        bodies.step(pond, DT)
        for _ in range(20):
            bodies.set_velocity(number, (0.0, -size / 2.0, 0.0))
            bodies.step(pond, DT)
            volumes.append(abs(pond.added).sum())
        assert np.ptp(volumes[1:6]) < 0.2 * volumes[1]
        assert volumes[1] > 0.0

    def test_a_slow_body_makes_no_ripples_as_long_as_waves_run_from_push_to_push(self):
        """In 1/30 s that would be six cells. The waves of the rim's points, which any push makes, are below four."""
        water = WaveEquationWater(3.0, 3.0, 256, (-1.5, 0.0, -1.5), wave_speed=2.0, steps_per_second=60.0)
        bodies, number = one_body(water, density=1000.0, size=1.0, y=-0.2, gravity=0.0)
        for step in range(60):
            water.step()
            bodies.set_velocity(number, (0.05 * np.sin(0.1 * step), 0.0, 0.0))
            bodies.step(water, 1.0 / 60.0)
        window = np.hanning(256)
        spectrum = abs(np.fft.fft2((water.height - water.height.mean()) * window * window[:, None]))
        waves = np.hypot(np.fft.fftfreq(256), np.fft.fftfreq(256)[:, None])  # in a cell
        curvature = (spectrum * waves**2) ** 2
        shorter, longer = (curvature[(waves > low) & (waves <= 2.0 * low)].sum() for low in (1.0 / 4.0, 1.0 / 8.0))
        assert 0.0 < longer < 0.4 * shorter


class TestVolume:
    @pytest.mark.parametrize("kind", ["sphere", "box", "duck", "boat"])
    def test_the_sum_of_what_is_added_is_zero(self, kind):
        pond = Pond(levels=2)
        bodies, number = one_body(pond, kind, 300.0, size=0.9, y=0.5, rotation=(1.0, 0.3, 0.2, 0.1))
        for step in range(60):
            if step % 10 == 0:
                bodies.set_velocity(number, (1.0, -1.0, 0.7), (1.0, 2.0, 0.5))
            bodies.step(pond, DT)
            field = pond.added
            assert abs(field.sum(dtype=float)) <= 3e-6 * max(abs(field).sum(dtype=float), 1e-9)

    def test_in_every_basin_and_never_on_land(self):
        """Walls two points thick part the pond into four basins and a pool of four points."""
        fixed = np.zeros((121, 121), bool)
        fixed[58:60, :] = fixed[:, 61:63] = True
        fixed[50:54, 50:54] = True
        fixed[51:53, 51:53] = False
        basins = [np.zeros_like(fixed) for _ in range(5)]
        for basin, rows, columns in zip(
            basins[:4],
            (slice(0, 58), slice(0, 58), slice(60, 121), slice(60, 121)),
            (slice(0, 61), slice(63, 121)) * 2,
            strict=True,
        ):
            basin[rows, columns] = ~fixed[rows, columns]
        basins[0][51:53, 51:53] = False
        basins[4][51:53, 51:53] = True
        pond = Pond(levels=2, fixed=fixed)
        bodies = Bodies()
        for x, z, kind in ((0.0, 0.0, "sphere"), (-0.9, -0.8, "box"), (-5.6, 0.4, "sphere"), (0.5, 5.7, "duck")):
            bodies.add(pond, kind, 300.0, x, z, 0.7, y=0.4)
        lifted = 0.0
        for step in range(60):
            if step % 15 == 0:
                for number in bodies.numbers:
                    bodies.set_velocity(number, (0.5, -1.0, 0.3))
            bodies.step(pond, DT)
            field = pond.added
            lifted += abs(field).sum()
            assert not field[fixed].any()
            for basin in basins:
                assert abs(field[basin].sum(dtype=float)) <= 1e-5 * max(abs(field).sum(dtype=float), 1e-9)
        assert lifted > 1.0

    @pytest.mark.parametrize("corner", [(-5.8, -5.8), (5.8, 0.0), (0.0, 5.8)])
    def test_at_the_edges_of_the_grid(self, corner):
        pond = Pond(levels=2)
        bodies, _ = one_body(pond, "sphere", 300.0, *corner, y=0.4)
        for _ in range(60):
            bodies.step(pond, DT)
            field = pond.added
            assert abs(field.sum(dtype=float)) <= 3e-6 * max(abs(field).sum(dtype=float), 1e-9)

    @pytest.mark.slow
    def test_on_a_real_water_it_is_kept_to_a_millionth(self):
        water = WaveEquationWater(
            12.0, 12.0, 96, border="reflecting", wave_speed=3.0, damping=0.1, steps_per_second=60.0
        )
        bodies, depth = Bodies(), 3.0
        for k in range(8):
            kind = ("sphere", "box", "duck", "boat")[k % 4]
            bodies.add(water, kind, 250.0 + 100.0 * k, 1.5 + 1.3 * k, 3.0 + k % 3 * 3.0, 0.8, y=0.5 + 0.3 * k)
        drift = []
        for _ in range(1200):
            water.step()
            bodies.step(water, DT)
            drift.append(abs(water.height.mean(dtype=float)))
        assert np.abs(water.height).max() > 1e-3
        assert max(drift) <= 1e-6 * depth


class TestTeleports:
    @pytest.mark.parametrize("kind", ["sphere", "boat"])
    def test_they_make_no_splash(self, kind):
        pond = Pond(levels=2)
        bodies, number = one_body(pond, kind, 500.0, size=0.8, gravity=0.0, y=-0.05)
        bodies.step(pond, DT)
        for place in ((3.0, -0.05, 2.0), (3.0, 1.0, 2.0), (-3.0, -0.2, 0.0), (-3.0, -0.3, 0.0)):
            bodies.place(number, place)
            bodies.step(pond, DT)
            bodies.step(pond, DT)
            assert not pond.added.any()

    def test_nor_do_those_who_come_and_go_or_another_water(self):
        pond, other = Pond(levels=2), Pond(size=9.0, points=101, levels=2)
        bodies, number = one_body(pond, gravity=0.0, y=0.0)
        bodies.step(pond, DT)
        second = bodies.add(pond, "box", 500.0, 3.0, 3.0, 0.5, y=0.0)
        bodies.step(pond, DT)
        bodies.remove(number)
        bodies.step(pond, DT)
        assert not pond.added.any()
        bodies.step(other, DT)
        assert not other.added.any()
        bodies.set_velocity(second, (0.5, 0.0, 0.0))
        bodies.step(other, DT)
        bodies.step(other, DT)
        assert other.added.any()


def test_a_body_dragged_under_water_makes_waves():
    water = WaveEquationWater(12.0, 12.0, 128, (-6.0, 0.0, -6.0), wave_speed=2.0, steps_per_second=60.0)
    bodies, number = one_body(water, density=2000.0, y=-0.45)
    bodies.grab(number, (0.0, -0.45, 0.0))
    for step in range(60):
        bodies.drag_to((0.5 * np.sin(0.1 * step), -0.45, 0.0))
        water.step()
        bodies.step(water, DT)
    assert only(bodies).position[1] == pytest.approx(-0.45, abs=0.05)
    assert np.abs(water.height).max() > 1e-3


@pytest.mark.slow
def test_what_it_takes_from_waves_it_does_not_give_back_twice():
    """Bodies on a closed basin are moved by a drop, and everything comes to rest: nothing feeds on itself."""
    for wave_speed in (2.0, 20.0):
        water = WaveEquationWater(8.0, 8.0, 96, border="reflecting", wave_speed=wave_speed, steps_per_second=60.0)
        bodies = Bodies()
        for k, kind in enumerate(("sphere", "box", "duck", "sphere", "boat")):
            bodies.add(water, kind, 100.0 + 150.0 * k, 1.5 + 1.2 * k, 4.0 + 0.3 * k, 0.6, y=0.2)
        run(bodies, water, 40.0)
        assert np.abs(water.height).max() < 2e-3
        assert max(np.linalg.norm(bodies.motion(number)[0]) for number in bodies.numbers) < 0.06


@pytest.mark.parametrize("levels", [1, 2])
def test_the_water_hears_where_it_was_pushed_and_nothing_changes_elsewhere(levels):
    pond = Pond(levels=levels)
    pushed_windows = []
    pond.on_pushed = lambda rows, columns: pushed_windows.append((rows, columns))
    bodies, number = one_body(pond, x=2.0, z=-3.0, y=0.1)
    bodies.step(pond, 1.0 / 60.0)
    assert not pushed_windows, "a body that has just come pushes nothing"
    bodies.set_velocity(number, (0.5, 0.5, 0.0))
    bodies.step(pond, 1.0 / 60.0)
    bodies.step(pond, 1.0 / 60.0)
    assert pushed_windows
    changed = np.zeros(pond.grid.shape, bool)
    for window in pushed_windows:
        changed[window] = True
    lifted = pond.neutral_levels[0] != 0.0
    assert lifted.any()
    assert not (lifted & ~changed).any()
    assert changed.mean() < 0.1
    for level in pond.neutral_levels[1:]:
        np.testing.assert_array_equal(level, pond.neutral_levels[0])

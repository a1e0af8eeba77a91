"""The motion of wave particles: positions and mirrors to the last digits, and what becomes of them."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from waterview.waters.particles.obstacles import BORDERS, Shore
from waterview.waters.particles.particle_set import ParticleSet

SHAPE = (40, 60)
OPEN_WATER = Shore.of(np.zeros(SHAPE, bool))
PLENTY = 100_000


def one(column, row, angle, amplitude=1.0, spread=1e-6, radius=4.0, **more):
    particles = ParticleSet(radius)
    particles.conserves_energy = more.pop("conserves_energy", False)
    particles.border = more.pop("border", "reflecting")
    particles.add((np.array([column]), np.array([row])), np.array([angle]), np.array([amplitude]), spread, **more)
    return particles


def run(particles, cells, shore=OPEN_WATER, step=0.25, decay=1.0, faintest=0.0, most=PLENTY):
    for _ in range(round(cells / step)):
        particles.advance(step, decay, faintest, shore, most)
    return particles


def land(*rectangles):
    mask = np.zeros(SHAPE, bool)
    for rows, columns in rectangles:
        mask[slice(*rows), slice(*columns)] = True
    return Shore.of(mask)


class TestWay:
    @pytest.mark.parametrize("angle", [0.0, 0.7, 2.5, -1.9])
    def test_a_particle_is_where_origin_direction_and_distance_say(self, angle):
        particles = run(one(30.0, 20.0, angle), 12.0)
        assert particles.x[0] == pytest.approx(30.0 + 12.0 * np.cos(angle), abs=1e-5)
        assert particles.z[0] == pytest.approx(20.0 + 12.0 * np.sin(angle), abs=1e-5)

    def test_steps_of_any_length_lead_to_the_same_place(self):
        fine, coarse = run(one(5.0, 7.0, 0.4), 20.0, step=0.01), run(one(5.0, 7.0, 0.4), 20.0, step=1.0)
        assert fine.x[0] == pytest.approx(coarse.x[0], abs=1e-4)

    def test_rounding_does_not_add_up_on_a_long_way(self):
        particles = one(10.3, 20.0, 0.0, border="reflecting")
        run(particles, 60.0 * 100, step=0.5)  # a hundred times between two walls 60 cells apart: back where it was
        assert particles.x[0] == pytest.approx(10.3, abs=2e-3)
        assert particles.z[0] == 20.0

    def test_one_ahead_of_its_origin_starts_there(self):
        particles = one(30.0, 20.0, 0.0, ahead=-3.0)
        assert particles.x[0] == 27.0
        assert run(particles, 5.0).x[0] == 32.0

    def test_it_fades(self):
        assert run(one(30.0, 20.0, 0.0), 2.0, decay=0.9).strength[0] == pytest.approx(0.9**8)

    def test_a_faint_one_is_removed_and_its_place_used_again(self):
        particles = one(30.0, 20.0, 0.0, amplitude=-1.0)
        run(particles, 1.0, decay=0.8, faintest=0.5)
        assert particles.count == 0
        particles.add((np.array([3.0]), np.array([4.0])), np.array([0.0]), np.array([2.0]), 0.1)
        assert (particles.count, particles.x[0], particles.strength[0]) == (1, 3.0, 2.0)


class TestSplitting:
    def test_one_becomes_three_when_its_arc_is_half_a_radius(self):
        particles = one(30.0, 20.0, 0.3, amplitude=0.9, spread=0.5, radius=4.0)
        run(particles, 3.75)
        assert particles.count == 1  # 3.75·0.5 < 2
        run(particles, 0.5)
        assert particles.count == 3  # 4.25·0.5 > 2
        np.testing.assert_allclose(particles.strength, 0.3, rtol=1e-6)
        np.testing.assert_allclose(particles.state[5, :3], 0.5 / 3.0, rtol=1e-6)
        angles = np.arctan2(particles.direction[1], particles.direction[0])
        np.testing.assert_allclose(np.sort(angles), 0.3 + np.array([-1, 0, 1]) * 0.5 / 3.0, atol=1e-6)
        np.testing.assert_allclose(np.hypot(particles.x - 30.0, particles.z - 20.0), 4.25, rtol=1e-6)

    def test_the_arc_of_a_ring_stays_below_half_a_radius(self):
        particles = ParticleSet(3.0)
        angles = 2.0 * np.pi * np.arange(9) / 9
        particles.border = "open"
        particles.add((np.full(9, 30.0), np.full(9, 20.0)), angles, np.ones(9), 2.0 * np.pi / 9)
        run(particles, 15.0)
        counted = particles.count
        assert counted == 81  # 15·2π/n ≤ 1.5 needs n ≥ 63, and n is 9 times a power of 3

    def test_nothing_is_added_beyond_the_most(self):
        particles = one(30.0, 20.0, 0.3, spread=2.0 * np.pi, radius=2.0)
        for _ in range(60):
            particles.advance(0.25, 1.0, 0.0, OPEN_WATER, 50)
            assert particles.count <= 50
        assert particles.count > 45
        assert particles.strength.sum() == pytest.approx(1.0, rel=1e-5)

    @pytest.mark.parametrize("conserves_energy", [False, True])
    def test_one_that_finds_room_late_splits_where_it_is(self, conserves_energy):
        """Its piece of the front would be ten times as long as the water by then."""
        particles = one(30.0, 20.0, 0.3, spread=0.5 * np.pi, radius=4.0, conserves_energy=conserves_energy)
        run(particles, 400.0, most=1)
        (x,), (z,), (strength,) = particles.x.copy(), particles.z.copy(), particles.strength.copy()
        run(particles, 0.25)
        assert particles.count == 3
        assert np.hypot(particles.x - x, particles.z - z).max() < 3.0
        np.testing.assert_allclose(particles.strength, strength / 3.0, rtol=1e-3)

    def test_without_energy_the_sum_of_amplitudes_is_kept(self):
        particles = one(30.0, 20.0, 0.3, spread=2.0 * np.pi, radius=2.0)
        run(particles, 100.0)
        assert particles.count == 3**6
        assert particles.strength.sum() == pytest.approx(1.0, rel=1e-5)

    def test_with_energy_amplitudes_times_the_root_of_distance_are(self):
        particles = one(30.0, 20.0, 0.3, spread=2.0 * np.pi, radius=2.0, conserves_energy=True)
        near = run(particles, 20.0).strength.sum()
        assert run(particles, 60.0).strength.sum() == pytest.approx(2.0 * near, rel=5e-3)

    def test_one_with_a_gain_offset_takes_back_what_another_has_grown_by(self):
        crest = one(30.0, 20.0, 0.3, spread=2.0 * np.pi, radius=2.0, conserves_energy=True, border="open")
        more = (np.array([30.0]), np.array([20.0])), np.array([0.3]), np.array([-1.0]), 2.0 * np.pi
        crest.add(*more, ahead=-3.0, lag=3.0, gain_offset=1.0)
        for _ in range(5):
            assert crest.strength.sum() == pytest.approx(1.0, rel=1e-5)
            run(crest, 3.0)


class TestWalls:
    @pytest.mark.slow
    @settings(max_examples=60)
    @given(angle=st.floats(-3.14, 3.14), distance=st.floats(1.0, 500.0), border=st.sampled_from(["zero", "reflecting"]))
    def test_a_particle_is_the_image_of_one_that_nothing_stops(self, angle, distance, border):
        beyond = 0.5 if border == "reflecting" else 1.0
        particles = run(one(21.0, 13.0, angle, border=border), distance, step=0.5)
        way = round(distance / 0.5) * 0.5
        flips = 0
        for axis, count, start, part in ((0, SHAPE[1], 21.0, np.cos(angle)), (1, SHAPE[0], 13.0, np.sin(angle))):
            room = count - 1 + 2.0 * beyond
            place = start + beyond + way * part
            image = abs((place + room) % (2.0 * room) - room)
            hits = int(np.floor(place / room))
            assume(
                abs(place / room - round(place / room)) > 1e-9 or part == 0.0
            )  # exactly on a wall: not yet reflected
            flips += hits
            assert particles.now[axis, 0] == pytest.approx(image - beyond, abs=2e-3)
            assert particles.direction[axis, 0] == pytest.approx(part * (-1) ** hits, abs=1e-6)
        assert particles.strength[0] == (1.0 if border == "reflecting" else (-1.0) ** flips)

    @pytest.mark.parametrize("border", ["zero", "reflecting"])
    def test_one_that_comes_from_far_beyond_the_walls_is_mirrored_back_in_at_once(self, border):
        width = OPEN_WATER.land.shape[1] - 1.0 + 2.0 * BORDERS[border].beyond
        far = one(30.0 + 200.0 * width, 20.0, 0.3, border=border)
        near = one(30.0, 20.0, 0.3, border=border)
        for particles in (far, near):
            run(particles, 5.0)
        assert far.x[0] == pytest.approx(near.x[0], abs=1e-2) and far.strength[0] == near.strength[0]
        # There numbers are farther apart than the walls are.
        lost = run(one(3e9, -3e9, 0.3, border=border), 5.0)
        assert -1.0 <= lost.x[0] <= width and -1.0 <= lost.z[0] <= width

    def test_over_an_open_border_it_leaves_once_it_is_not_felt_any_more(self):
        particles = run(one(50.0, 20.0, 0.0, border="open"), 12.75)
        assert particles.count == 1  # 3.75 cells outside, of 4
        assert run(particles, 0.5).count == 0

    def test_a_ring_that_starts_outside_an_open_border_and_runs_in_is_kept(self):
        particles = one(1.0, 20.0, 0.0, border="open", ahead=-6.0)
        assert run(particles, 10.0).x[0] == pytest.approx(5.0)


class TestShores:
    def test_a_straight_shore_mirrors_the_angle_exactly(self):
        shore = land(((0, 40), (40, 60)))  # the shore lies at x = 39.5
        particles = run(one(30.0, 10.0, 0.4), 15.0, shore)
        assert particles.direction[0, 0] == pytest.approx(-np.cos(0.4), abs=1e-6)
        assert particles.direction[1, 0] == pytest.approx(np.sin(0.4), abs=1e-6)
        assert particles.x[0] == pytest.approx(2 * 39.5 - (30.0 + 15.0 * np.cos(0.4)), abs=1e-3)
        assert particles.strength[0] == 1.0  # upright, unlike in the wave equation

    @pytest.mark.parametrize("turn", [0.1, 0.3, np.pi / 4, 1.0])
    def test_a_slanting_shore_mirrors_in_its_own_direction(self, turn):
        z, x = np.mgrid[: SHAPE[0], : SHAPE[1]]
        normal = -np.cos(turn), -np.sin(turn)
        mask = (x - 40.2) * normal[0] + (z - 20.3) * normal[1] < 0.0
        particles = run(one(25.0, 12.0, 0.5), 28.0, Shore.of(mask))
        along = np.cos(0.5) * normal[0] + np.sin(0.5) * normal[1]
        expected = np.cos(0.5) - 2 * along * normal[0], np.sin(0.5) - 2 * along * normal[1]
        assert np.arccos(np.clip(particles.direction[:, 0] @ expected, -1, 1)) < np.radians(6.0)

    def test_it_comes_back_from_a_rock_of_one_cell(self):
        particles = run(one(20.0, 20.0, 0.0), 15.0, land(((20, 21), (30, 31))))
        assert particles.direction[0, 0] == pytest.approx(-1.0, abs=1e-6)
        assert particles.x[0] == pytest.approx(2 * 29.5 - 35.0, abs=1e-3)

    def test_in_a_channel_of_one_cell_its_direction_stays_of_length_one(self):
        """Thrown straight back, what its length was off by grew fivefold each time, until it was infinite."""
        particles = run(one(35.0, 20.0, 1.3), 60.0, land(((10, 20), (0, 60)), ((21, 31), (0, 60))))
        assert particles.count == 1 and 19.0 < particles.z[0] < 21.0
        assert np.hypot(*particles.direction[:, 0]) == pytest.approx(1.0, abs=1e-5)

    def test_a_front_goes_round_an_island_and_none_goes_through(self):
        shore = land(((14, 26), (28, 40)))
        number = 300
        particles = ParticleSet(3.0)
        particles.border = "open"
        rows = np.linspace(1.0, 38.0, number)
        particles.add((np.full(number, 15.0), rows), np.zeros(number), np.ones(number), 1e-6)
        for _ in range(100):
            particles.advance(0.25, 1.0, 0.0, shore, PLENTY)
            column, row = np.rint(particles.x).astype(int), np.rint(particles.z).astype(int)
            inside = (column >= 30) & (column < 38) & (row >= 16) & (row < 24)
            assert not inside.any()
        assert (particles.direction[0] < -0.9).sum() > 40  # thrown back by the island's face
        assert (particles.x > 38.0).sum() > 150  # passed beside it

    def test_particles_that_are_far_inside_land_are_removed(self):
        particles = one(50.0, 20.0, 0.0)
        assert run(particles, 0.25, land(((0, 40), (30, 60)))).count == 0

    def test_normals_point_to_the_water(self):
        shore = land(((0, 40), (40, 60)))
        np.testing.assert_array_equal(shore.normals[20, 38:42], [[-1, 0]] * 4)
        assert not shore.normals[20, :30].any() and not shore.normals[20, 50:].any()

    @pytest.mark.parametrize("turn", [0.1, 0.3, 0.6, np.pi / 4, 1.0, 1.5])
    def test_the_normals_of_a_slanting_shore_are_within_a_few_degrees(self, turn):
        z, x = np.mgrid[:80, :80]
        normal = np.array([-np.cos(turn), -np.sin(turn)])
        depth = (x - 40.2) * normal[0] + (z - 40.3) * normal[1]
        near = (np.abs(depth) < 1.5) & (np.hypot(x - 40, z - 40) < 28)
        cosines = Shore.of(depth < 0.0).normals[near] @ normal
        assert np.degrees(np.arccos(np.minimum(cosines, 1.0))).max() < 6.0


class TestBasins:
    @settings(max_examples=40)
    @given(shape=st.tuples(st.integers(2, 12), st.integers(2, 12)), seed=st.integers(0, 999), dry=st.floats(0.2, 0.8))
    def test_two_points_share_a_basin_exactly_where_a_path_connects_them(self, shape, seed, dry):
        land = np.random.default_rng(seed).random(shape) < dry
        basins = Shore.of(land).basins
        reached = np.zeros(shape, int)
        number = 0
        for start in zip(*np.nonzero(~land), strict=True):
            if reached[start]:
                continue
            number += 1
            todo = [start]
            while todo:
                i, j = todo.pop()
                if 0 <= i < shape[0] and 0 <= j < shape[1] and not land[i, j] and not reached[i, j]:
                    reached[i, j] = number
                    todo += [(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)]
        np.testing.assert_array_equal(basins, reached)


class TestSet:
    def test_particles_taken_over_run_on_as_before(self):
        first, second = ParticleSet(2.0), ParticleSet(2.0)
        for each in (first, second):
            each.border = "open"
        first.add((np.array([5.0, 9.0]), np.array([3.0, 4.0])), np.zeros(2), np.ones(2), 0.01)
        second.add((np.array([30.0]), np.array([20.0])), np.zeros(1), np.ones(1), 0.01)
        run(first, 3.0)
        run(second, 7.0)
        second.take(first, np.array([False, True]))
        run(second, 2.0)
        np.testing.assert_allclose(second.x, [39.0, 14.0])
        np.testing.assert_allclose(second.z, [20.0, 4.0])

    def test_it_grows_as_needed(self):
        particles = ParticleSet(2.0)
        number = 5000
        column = np.linspace(0.0, 50.0, number)
        particles.add((column, column / 2), np.zeros(number), column, 0.1)
        np.testing.assert_allclose(particles.x, column, rtol=1e-6)
        np.testing.assert_allclose(particles.strength, column, rtol=1e-6)

    def test_the_weakest_are_dropped_in_order(self):
        particles = ParticleSet(2.0)
        amplitude = np.array([3.0, -0.1, 2.0, -5.0, 0.2])
        particles.add((np.arange(5.0), np.zeros(5)), np.zeros(5), amplitude, 0.1)
        particles.drop_weakest(2)
        np.testing.assert_array_equal(particles.x, [0.0, 2.0, 3.0])
        particles.drop_weakest(9)
        assert particles.count == 0

    def test_of_equally_weak_ones_the_oldest_are_dropped(self):
        particles = ParticleSet(2.0)
        amplitude = np.array([1.0, -0.5, 0.5, 0.1, -0.5, 2.0])
        particles.add((np.arange(6.0), np.zeros(6)), np.zeros(6), amplitude, 0.1)
        particles.born[:6] = np.arange(6.0)
        particles.drop_weakest(3)
        np.testing.assert_array_equal(particles.x, [0.0, 4.0, 5.0])
        np.testing.assert_array_equal(particles.born[:3], [0.0, 4.0, 5.0])
        np.testing.assert_array_equal(particles.strength, np.float32([1.0, -0.5, 2.0]))

    def test_two_runs_give_the_same_bits(self):
        shore = land(((14, 26), (28, 40)))

        def make():
            rng = np.random.default_rng(1)
            particles = ParticleSet(4.0)
            particles.border = "reflecting"
            where = rng.uniform(0, 27, 50), rng.uniform(0, 39, 50)
            particles.add(where, rng.uniform(0, 7, 50), rng.normal(size=50), 0.3)
            return run(particles, 40.0, shore, decay=0.999, faintest=1e-3)

        first, second = make(), make()
        assert first.count == second.count > 300
        np.testing.assert_array_equal(first.now[:, : first.count], second.now[:, : second.count])

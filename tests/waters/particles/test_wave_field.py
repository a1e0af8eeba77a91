"""The field of wave particles, held against the sum over all pairs of particle and point."""

import numpy as np
import pytest
from reference.particles import all_pairs, with_images

from waterview.waters.particles.obstacles import BORDERS
from waterview.waters.particles.particle_set import ParticleSet
from waterview.waters.particles.wave_field import AmplitudeGrid, WaveField

SHAPE = (60, 83)


def particle_set(particles, border="open"):
    column, row, angle, amplitude, radius = np.array(particles, float).T
    result = ParticleSet(radius[0])
    result.border, result.conserves_energy = border, False
    result.add((column, row), angle, amplitude, spread=1e-3)
    return result


def field_of(particles, kernel="separable", border="open", shape=SHAPE, spacing=1.0):
    each = particle_set(particles, border)
    grid, field = AmplitudeGrid(shape, spacing, each.radius), WaveField.zeros(shape)
    grid.collect(each)
    (grid.add_radial if kernel == "radial" else grid.add_separable)(field)
    return field


def random_particles(rng, number, radius, shape=SHAPE, low=-0.4):
    return [
        (
            rng.uniform(low, shape[1] - 1 - low),
            rng.uniform(low, shape[0] - 1 - low),
            rng.uniform(0.0, 2.0 * np.pi),
            rng.normal(),
            radius,
        )
        for _ in range(number)
    ]


def straight_front(radius, angle=0.0, shape=SHAPE):
    """Particles of amplitude 1 an eighth of r apart, on a line through the middle, all running at `angle`."""
    offsets = np.arange(-3.0 * radius, 3.0 * radius, radius / 8.0)
    middle = (shape[1] - 1) / 2 + 0.3, (shape[0] - 1) / 2 + 0.4
    return [(middle[0] - s * np.sin(angle), middle[1] + s * np.cos(angle), angle, 1.0, radius) for s in offsets]


class TestOneParticle:
    """Every error is a share of the amplitude, which is 1."""

    PLACES = ((40.0, 30.0), (40.5, 30.5), (40.31, 29.77))

    @pytest.mark.parametrize("place", PLACES)
    def test_the_separable_kernel_is_within_7_percent(self, place):
        particle = (*place, 0.3, 1.0, 16.0)
        height, _, _ = all_pairs(SHAPE, [particle])
        assert np.abs(field_of([particle]).height - height).max() <= 0.07

    @pytest.mark.parametrize("place", PLACES)
    def test_the_round_kernel_is_within_1_percent(self, place):
        particle = (*place, 0.3, 1.0, 16.0)
        height, _, _ = all_pairs(SHAPE, [particle])
        assert np.abs(field_of([particle], "radial").height - height).max() <= 0.01

    @pytest.mark.parametrize(("kernel", "error"), [("separable", 0.25), ("radial", 0.05)])
    def test_slopes_are_near_the_exact_ones(self, kernel, error):
        particle = (40.31, 29.77, 0.3, 1.0, 16.0)
        _, slopes, _ = all_pairs(SHAPE, [particle])
        field = field_of([particle], kernel)
        steepest = np.pi / (2.0 * 16.0)
        for measured, exact in zip((field.slope_x, field.slope_z), slopes, strict=True):
            assert np.abs(measured - exact).max() <= error * steepest

    def test_one_on_a_point_gives_the_product_of_cosines(self):
        field = field_of([(40.0, 30.0, 0.0, 2.5, 8.0)])
        z, x = np.mgrid[: SHAPE[0], : SHAPE[1]].astype(float)
        f = [
            np.where(np.abs(v) < 1, 0.5 * (np.cos(np.pi * v) + 1.0), 0.0) for v in ((x - 40.0) / 8.0, (z - 30.0) / 8.0)
        ]
        np.testing.assert_allclose(field.height, 2.5 * f[0] * f[1], atol=1e-6)

    @pytest.mark.parametrize("kernel", ["separable", "radial"])
    def test_slopes_are_those_of_the_height(self, kernel):
        field = field_of(random_particles(np.random.default_rng(1), 9, 11.3), kernel, spacing=0.25)
        dz, dx = np.gradient(field.height.astype(float), 0.25)
        inside = (slice(1, -1), slice(1, -1))
        for slope, difference in ((field.slope_x, dx), (field.slope_z, dz)):
            # Differences across two cells miss a slope by (π/r)²/6, and a kink where particles end.
            assert np.abs(slope - difference)[inside].max() < 0.06 * np.abs(slope).max()


class TestManyParticles:
    @pytest.mark.parametrize(("kernel", "share"), [("separable", 0.07), ("radial", 0.01)])
    @pytest.mark.parametrize("radius", [16.0, 22.6])
    def test_errors_stay_a_share_of_the_amplitudes(self, kernel, share, radius):
        particles = random_particles(np.random.default_rng(2), 40, radius)
        height, _, _ = all_pairs(SHAPE, particles)
        most = np.abs([particle[3] for particle in particles]).sum()
        error = np.abs(field_of(particles, kernel).height - height).max()
        assert error <= share * most
        assert error <= 3.0 * share * np.abs([particle[3] for particle in particles]).max()

    @pytest.mark.parametrize("kernel", ["separable", "radial"])
    @pytest.mark.parametrize("angle", [0.0, np.pi / 2, 0.5])
    def test_a_straight_front_is_shifted_as_by_the_exact_waveform(self, kernel, angle):
        front = straight_front(12.0, angle)
        height, _, shift = all_pairs(SHAPE, front)
        field = field_of(front, kernel)
        # Near its middle, where the front's ends are not felt.
        z, x = np.mgrid[: SHAPE[0], : SHAPE[1]]
        near = np.abs((z - 29.9) * np.cos(angle) - (x - 41.3) * np.sin(angle)) < 9.0
        for measured, exact in zip((field.shift_x, field.shift_z), shift, strict=True):
            assert np.abs(measured - exact)[near].max() < 0.05 * height.max()

    def test_a_front_turns_towards_its_crest(self):
        field = field_of(straight_front(12.0))
        assert field.shift_x[30, 45] < 0.0 < field.shift_x[30, 37]  # crests grow sharper

    @pytest.mark.parametrize("border", ["zero", "reflecting"])
    @pytest.mark.parametrize("radius", [4.0, 16.0])
    def test_at_a_border_it_is_that_of_the_mirror_images(self, border, radius):
        rng = np.random.default_rng(3)
        particles = [
            particle
            for particle in random_particles(rng, 200, radius)
            if not (radius < particle[0] < SHAPE[1] - radius and radius < particle[1] < SHAPE[0] - radius)
        ]
        # The plain sum on a larger grid is exact at a border; cut out, it must be the same to rounding.
        room = int(2 * radius) + 3
        large = SHAPE[0] + 2 * room, SHAPE[1] + 2 * room
        moved = [(c + room, r + room, *rest) for c, r, *rest in with_images(SHAPE, particles, border)]
        inside = slice(room, room + SHAPE[0]), slice(room, room + SHAPE[1])
        measured, exact = field_of(particles, border=border), field_of(moved, shape=large)
        for name in WaveField._fields:
            expected = getattr(exact, name)[inside]
            assert np.abs(getattr(measured, name) - expected).max() < 2e-5 * np.abs(expected).max()

    def test_a_wall_keeps_the_volume(self):
        particles = random_particles(np.random.default_rng(4), 50, 5.66)
        volume = field_of(particles, border="reflecting").height.sum(dtype=float)
        whole = sum(particle[3] for particle in particles) * 5.66**2
        assert volume == pytest.approx(whole, rel=2e-2)  # the sum of eleven taps is not quite an integral

    @pytest.mark.parametrize("border", BORDERS)
    @pytest.mark.parametrize("shape", [(2, 2), (2, 9), (9, 2), (3, 5)])
    def test_grids_smaller_than_a_particle(self, border, shape):
        particles = random_particles(np.random.default_rng(5), 5, 8.0, shape, low=0.0)
        field = field_of(particles, border=border, shape=shape)
        assert all(np.isfinite(array).all() and array.shape == shape for array in field)


class TestMotionAtPlaces:
    def test_it_is_along_the_waves_by_their_height_and_up_their_front(self):
        one = [(20.0, 20.0, 0.3, 0.5, 8.0)]
        particles = particle_set(one)
        columns, rows = np.array([20.0, 23.0, 18.5, 40.0]), np.array([20.0, 19.0, 24.0, 20.0])
        motion = particles.motion_at(columns, rows, (64, 64))
        field = field_of(one, shape=(65, 65))
        for place, column, row in ((0, 20, 20), (1, 23, 19), (3, 40, 20)):
            height, slope = field.height[row, column], (field.slope_x[row, column], field.slope_z[row, column])
            np.testing.assert_allclose(motion[place, [0, 2]], height * np.array((np.cos(0.3), np.sin(0.3))), atol=1e-6)
            climbed = -(slope[0] * np.cos(0.3) + slope[1] * np.sin(0.3)) * 8.0 / np.pi
            np.testing.assert_allclose(motion[place, 1], climbed, atol=1e-6)

    def test_walls_let_nothing_through_and_still_water_does_not_rise(self):
        rng = np.random.default_rng(8)
        for border, mirror, still in (("reflecting", 0.5, 0), ("zero", 1.0, 1)):
            particles = ParticleSet(6.0)
            particles.border = border
            where = rng.uniform(0.0, 31.0, (2, 200))
            particles.add((where[0], where[1]), rng.uniform(0.0, 6.28, 200), rng.normal(size=200), 1.0)
            for end in (-mirror, 31.0 + mirror):
                motion = particles.motion_at(np.full(5, end), np.linspace(0.0, 31.0, 5), (32, 32))
                assert np.abs(motion[:, still]).max() < 1e-5 < 0.1 < np.abs(motion).max()

"""The periodic flow, held against closed forms and a plain twin."""

import math

import numpy as np
import pytest

from waterview.waters.eddies.kernels.stable_fluids import MAX_SPEED, PeriodicFlow

N, SIZE = 64, 5.0
K = 2.0 * math.pi / SIZE
AT = SIZE / N * np.arange(N)
X, Z = AT[None, :] + 0.0 * AT[:, None], AT[:, None] + 0.0 * AT[None, :]


def flow(u=0.0, w=0.0):
    result = PeriodicFlow(N, SIZE)
    result.velocity[0], result.velocity[1] = u, w
    return result


def random_flow(seed=0):
    rng = np.random.default_rng(seed)
    result = flow(*rng.normal(size=(2, N, N)))
    result.step(1e-9)  # only takes the divergence away
    return result


def divergence(velocity):
    """The root mean square of |k·û| over all waves, as a share of that of |k||û|, in float64."""
    k = 2.0 * np.pi * np.fft.fftfreq(velocity.shape[1], SIZE / velocity.shape[1])
    u, w = np.fft.fft2(velocity.astype(float))
    whole = np.hypot(k[None, :], k[:, None]) * np.hypot(np.abs(u), np.abs(w))
    return np.linalg.norm(k[None, :] * u + k[:, None] * w) / np.linalg.norm(whole)


def plain_advection(velocity, time_step):
    """Semi-Lagrangian steps point by point, float64."""
    n, out = velocity.shape[1], np.empty(velocity.shape)
    for i in range(n):
        for j in range(n):
            x, z = np.array([j, i]) - time_step * n / SIZE * velocity[:, i, j].astype(float)
            a, b = math.floor(x), math.floor(z)
            tx, tz = x - a, z - b
            corner = [velocity[:, (b + r) % n, (a + c) % n].astype(float) for r in (0, 1) for c in (0, 1)]
            near, far = corner[0] + tx * (corner[1] - corner[0]), corner[2] + tx * (corner[3] - corner[2])
            out[:, i, j] = near + tz * (far - near)
    return out


def plain_projection(velocity):
    n = velocity.shape[1]
    k = 2.0 * np.pi * np.fft.fftfreq(n, SIZE / n)
    kx, kz = k[None, :], k[:, None]
    square = kx**2 + kz**2
    square[0, 0] = 1.0
    u, w = np.fft.fft2(velocity)
    along = (kx * u + kz * w) / square
    parts = np.stack([u - kx * along, w - kz * along])
    parts[:, n // 2], parts[:, :, n // 2] = 0.0, 0.0
    return np.fft.ifft2(parts).real


def test_a_step_is_that_of_the_plain_twin():
    water = random_flow()
    before = water.velocity.copy()
    water.step(0.07)
    np.testing.assert_allclose(water.velocity, plain_projection(plain_advection(before, 0.07)), atol=2e-5)


def test_it_stays_free_of_divergence():
    water = random_flow()
    for number in range(50):
        water.add_force(0.3 * number, 1.0, 3.0, -2.0, 0.4)
        water.step(0.03, 1e-4, forces=[(2, 1, 5.0 + 1.0j)])
        assert divergence(water.velocity) < 1e-5


def test_a_gradient_is_taken_away_whole():
    water = flow(np.cos(3 * K * X) * np.cos(K * Z) * 3.0, -np.sin(3 * K * X) * np.sin(K * Z))
    assert divergence(water.velocity) > 0.5
    water.step(1e-9)
    assert np.abs(water.velocity).max() < 1e-5


@pytest.mark.parametrize("viscosity", [0.0, 0.05])
def test_a_shear_flow_thickens_exactly(viscosity):
    water = flow(np.sin(2 * K * Z))
    for _ in range(20):
        water.step(0.1, viscosity)
    expected = np.sin(2 * K * Z) * math.exp(-viscosity * (2 * K) ** 2 * 2.0)
    np.testing.assert_allclose(water.velocity[0], expected, atol=1e-5)
    assert np.abs(water.velocity[1]).max() < 1e-5


def test_taylor_and_greens_vortices_stand_and_decay():
    def vortices():
        return flow(np.sin(K * X) * np.cos(K * Z), -np.cos(K * X) * np.sin(K * Z))

    still, thick = vortices(), vortices()
    for _ in range(20):
        still.step(0.05)
        thick.step(0.05, 0.1)
    start = vortices().velocity
    assert np.corrcoef(still.velocity.ravel(), start.ravel())[0, 1] > 1.0 - 2e-5
    # Interpolation between points wears the flow off by a twentieth a second; viscosity comes to that exactly.
    remains = np.linalg.norm(still.velocity) / np.linalg.norm(start)
    assert remains == pytest.approx(0.952, abs=0.001)
    assert np.abs(still.velocity / remains - start).max() < 0.009
    ratio = np.linalg.norm(thick.velocity) / np.linalg.norm(still.velocity)
    assert ratio == pytest.approx(math.exp(-0.1 * 2.0 * K**2), rel=0.01)


def test_drag_leaves_the_mean():
    water = flow(0.7 + np.sin(2 * K * Z))
    water.step(0.5, drag=0.8)
    assert water.velocity[0].mean() == pytest.approx(0.7, abs=1e-5)
    assert water.velocity[0].std() == pytest.approx(math.sqrt(0.5) * math.exp(-0.4), rel=0.02)


def test_a_uniform_flow_carries_a_pattern_round_the_edge():
    shear = np.exp(np.cos(K * Z)) - 1.26606588
    water = flow(shear, SIZE)  # once round in a second
    for _ in range(N):
        water.step(1.0 / N)  # a point a step: nothing is interpolated
    np.testing.assert_allclose(water.velocity[0], shear, atol=1e-4)
    for _ in range(N // 4):
        water.step(1.0 / N)
    np.testing.assert_allclose(water.velocity[0], np.roll(shear, N // 4, axis=0), atol=1e-4)


def test_where_the_square_is_cut_does_not_matter():
    whole, moved = random_flow(4), random_flow(4)
    moved.velocity[...] = np.roll(moved.velocity, (20, 45), axis=(1, 2))
    for water, x, z in ((whole, 0.1, 0.2), (moved, 0.1 + 45 * SIZE / N, 0.2 + 20 * SIZE / N)):
        water.add_force(x, z, 1.0, 2.0, 0.5)
        water.step(0.05, 1e-3)
    np.testing.assert_allclose(np.roll(whole.velocity, (20, 45), axis=(1, 2)), moved.velocity, atol=2e-5)


@pytest.mark.parametrize("time_step", [1e-6, 0.1, 10.0, 1e6])
def test_any_time_step_is_stable(time_step):
    water = random_flow()
    energy = np.square(water.velocity).sum()
    for _ in range(30):
        water.step(time_step)
        assert np.square(water.velocity).sum() <= 1.001 * energy


def test_the_strongest_pushes_stay_finite():
    water = flow()
    for _ in range(20):
        water.add_force(1.0, 1.0, 1e300, -1e300, 2.0)
        assert np.abs(water.velocity).max() <= MAX_SPEED
        water.step(1.0)
    assert np.isfinite(water.velocity).all() and np.isfinite(water.pressure()).all()


def test_pressure_is_what_pushes_out_of_a_stagnation_point():
    """Pushing a gradient ∇q in one step leaves nothing of it but the pressure q/Δt."""
    q = np.cos(2 * K * X) * np.cos(K * Z)
    water = flow(-2 * K * np.sin(2 * K * X) * np.cos(K * Z), -K * np.cos(2 * K * X) * np.sin(K * Z))
    before = water.velocity.copy()
    water.velocity[...] = 0.0
    water.step(1e-9)
    water.velocity[...] = 1e-6 * before
    water.step(0.01)
    np.testing.assert_allclose(water.pressure(), 1e-6 * q / 0.01, atol=1e-7)


def test_a_force_makes_the_wave_that_was_asked_for():
    water = flow()
    water.step(0.5, forces=[(2, -3, 0.8 - 0.3j)])
    phase = K * (2 * X - 3 * Z)
    wave = 0.5 * (0.8 * np.cos(phase) + 0.3 * np.sin(phase))
    length = math.hypot(2.0, 3.0)
    np.testing.assert_allclose(water.velocity[0], wave * 3.0 / length, atol=1e-6)
    np.testing.assert_allclose(water.velocity[1], wave * 2.0 / length, atol=1e-6)


class TestParticles:
    def test_they_drift_with_a_uniform_flow_round_the_edge(self):
        water = flow(0.3, -0.2)
        particles = np.array([[63.5, 0.2], [5.0, 7.0]], np.float32)
        trails = np.zeros((N, N), np.float32)
        water.advect_particles(particles, 2.0, trails, 1.0)
        cells = 2.0 * N / SIZE
        np.testing.assert_allclose(
            particles,
            [[(63.5 + 0.3 * cells) % N, (0.2 - 0.2 * cells) % N], [5.0 + 0.3 * cells, 7.0 - 0.2 * cells]],
            atol=1e-4,
        )
        assert trails.sum() == pytest.approx(2.0 * math.hypot(0.3, 0.2), rel=1e-4)

    def test_they_go_round_a_vortex(self):
        water = flow(np.sin(K * X) * np.cos(K * Z), -np.cos(K * X) * np.sin(K * Z))
        particles = np.array([[20.0, 3.0]], np.float32)
        stream = []
        for _ in range(400):
            water.advect_particles(particles, 0.02, np.zeros((N, N), np.float32), 1.0)
            x, z = particles[0] * SIZE / N
            stream.append(math.sin(K * x) * math.sin(K * z))
        assert np.ptp(particles) > 0.0
        assert max(stream) - min(stream) < 0.02  # its streamline is closed

    def test_trails_lie_along_the_way(self):
        water = flow(1.0, 0.0)
        trails = np.zeros((N, N), np.float32)
        water.advect_particles(np.array([[10.0, 30.0]], np.float32), 8.0 * SIZE / N, trails, 1.0)
        assert not np.delete(trails, 30, axis=0).any()
        np.testing.assert_allclose(trails[30, 10:18], 1.0 / 9.0, rtol=0.5)


class TestSlopes:
    def test_they_are_those_of_the_smoothed_field(self):
        field = np.sin(3 * K * X) * np.cos(2 * K * Z)
        smoothed = math.exp(-0.5 * 0.2**2 * 13.0 * K**2)
        slopes = flow().slopes(field.astype(np.float32), 0.2)
        np.testing.assert_allclose(slopes[..., 0], -3 * K * smoothed * np.cos(3 * K * X) * np.cos(2 * K * Z), atol=1e-4)
        np.testing.assert_allclose(slopes[..., 1], 2 * K * smoothed * np.sin(3 * K * X) * np.sin(2 * K * Z), atol=1e-4)

    def test_they_have_no_seam(self):
        field = np.random.default_rng(2).normal(size=(N, N)).astype(np.float32)
        slopes, moved = flow().slopes(field, 0.1), flow().slopes(np.roll(field, (9, 31), axis=(0, 1)), 0.1)
        np.testing.assert_allclose(np.roll(slopes, (9, 31), axis=(0, 1)), moved, atol=1e-5)


@pytest.mark.parametrize("points", [3, 2, 63])
def test_odd_and_tiny_squares_are_refused(points):
    with pytest.raises(ValueError, match="even number"):
        PeriodicFlow(points, 1.0)

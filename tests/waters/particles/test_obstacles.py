"""Wave particles thrown back by bodies: by the law of reflection, and never inside one."""

import numpy as np
import pytest

from waterview.waters.particles.obstacles import Outlines, Shore
from waterview.waters.particles.particle_set import ParticleSet

SHAPE = (64, 64)
OPEN_WATER = Shore.of(np.zeros(SHAPE, bool))
SQUARE = np.array([[-8.0, -5.0], [8.0, -5.0], [8.0, 5.0], [-8.0, 5.0]])


def turned(corners, angle, middle=(32.0, 32.0)):
    cosine, sine = np.cos(angle), np.sin(angle)
    return corners @ np.array([[cosine, sine], [-sine, cosine]]) + middle


def beam(x, z, angle, number=1):
    """Particles of one direction side by side, which do not split."""
    particles = ParticleSet(4.0)
    particles.border = "reflecting"
    across = np.linspace(-1.0, 1.0, number) if number > 1 else np.zeros(1)
    where = x - across * np.sin(angle), z + across * np.cos(angle)
    particles.add(where, np.full(number, angle), np.full(number, 0.01), 1e-6)
    return particles


def run(particles, steps, outlines, step=0.4):
    bodies = Outlines.of(outlines, SHAPE)
    for _ in range(steps):
        particles.advance(step, 1.0, 0.0, OPEN_WATER, 10_000, bodies)
    return particles


def depth_inside(particles, outline):
    """How deep the deepest particle is inside an outline, below 0 if all are outside."""
    places = np.stack((particles.x, particles.z), axis=-1).astype(float)
    if outline.ndim == 1:
        return (outline[2] - np.linalg.norm(places - outline[:2], axis=1)).max()
    along = np.roll(outline, -1, axis=0) - outline
    normals = np.stack((along[:, 1], -along[:, 0]), axis=-1) / np.linalg.norm(along, axis=1, keepdims=True)
    return -((places[:, None] - outline) * normals).sum(axis=-1).max(axis=1).min()


def test_a_corner_that_is_there_twice_changes_nothing():
    outline = turned(SQUARE, 0.3)
    once, twice = (
        run(beam(50.0, 30.0, np.pi, 5), 40, [corners]) for corners in (outline, np.repeat(outline, 2, axis=0))
    )
    assert (once.direction[0] > 0.0).any()
    for name in ("x", "z", "direction"):
        np.testing.assert_array_equal(getattr(once, name), getattr(twice, name))


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("turn", [0.0, 0.3, 1.1])
def test_they_leave_a_side_at_the_angle_at_which_they_came(turn, way):
    for angle in (-0.9, 0.0, 0.4):
        direction = turn + np.pi + angle  # towards the side whose normal points along `turn`
        side = turned(np.array([[8.0, 0.0]]), turn)[0]
        start = side - 9.0 * np.array([np.cos(direction), np.sin(direction)])
        outline = turned(SQUARE, turn)[::way]
        particles = run(beam(*start, direction, 5), 40, [outline])
        expected = [[np.cos(turn - angle)], [np.sin(turn - angle)]]
        np.testing.assert_allclose(particles.direction, np.broadcast_to(expected, (2, 5)), atol=1e-6)
        # As far behind the image of its origin as it has run.
        ran = np.hypot(particles.x[2] - side[0], particles.z[2] - side[1])
        assert ran == pytest.approx(16.0 - 9.0, abs=1e-4)


def test_they_leave_a_disc_by_the_normal_where_they_meet_it():
    disc = np.array([32.0, 32.0, 10.0])
    for offset in (0.0, 3.0, 7.0, 9.9):
        particles = run(beam(14.0, 32.0 + offset, 0.0), 70, [disc])
        normal = np.pi - np.arcsin(offset / 10.0)
        expected = 2.0 * normal - np.pi
        found = np.arctan2(*particles.direction[::-1, 0])
        assert np.cos(found - expected) == pytest.approx(1.0, abs=1e-9 + 2e-6 * (offset > 9))


def test_none_is_ever_inside_a_body_that_runs_through_them_and_their_amplitudes_stay():
    rng = np.random.default_rng(3)
    particles = ParticleSet(4.0)
    particles.border = "reflecting"
    where = rng.uniform(0.0, 63.0, (2, 3000))
    particles.add((where[0], where[1]), rng.uniform(0.0, 2.0 * np.pi, 3000), rng.normal(size=3000), 1e-6)
    before = np.sort(particles.state[4, :3000])
    for number in range(80):
        disc = np.array([2.0 + 0.7 * number, 20.0, 6.0])
        square = turned(SQUARE, 0.1 * number, (60.0 - 0.6 * number, 45.0))
        run(particles, 1, [disc, square])
        assert depth_inside(particles, disc) < 1e-4
        assert depth_inside(particles, square) < 1e-4
    assert particles.count == 3000
    np.testing.assert_array_equal(np.sort(particles.state[4, :3000]), before)
    np.testing.assert_allclose(np.hypot(*particles.direction), 1.0, atol=1e-5)


def test_a_ring_splits_on_behind_a_body_and_bends_round_it():
    particles = ParticleSet(4.0)
    particles.border = "open"
    angles = 2.0 * np.pi * np.arange(28) / 28
    particles.add((np.full(28, 14.0), np.full(28, 32.0)), angles, np.full(28, 0.1), 2.0 * np.pi / 28)
    disc = np.array([32.0, 32.0, 6.0])
    run(particles, 60, [disc])
    assert depth_inside(particles, disc) < 1e-4
    heading_back = (particles.direction[0] < -0.5) & (particles.x > 14.0)
    assert heading_back.any()
    np.testing.assert_allclose(np.hypot(*particles.direction), 1.0, atol=1e-5)


def test_nothing_changes_where_no_body_is_near():
    plain, beside = beam(10.0, 10.0, 0.7), beam(10.0, 10.0, 0.7)
    run(plain, 30, [])
    run(beside, 30, [np.array([50.0, 8.0, 4.0])])
    assert plain.now[:, :1].tobytes() == beside.now[:, :1].tobytes()


def test_outlines_beyond_the_grid_do_no_harm():
    for middle in ((-40.0, 5.0), (30.0, 200.0), (63.5, 63.5), (0.0, 0.0)):
        particles = run(beam(32.0, 32.0, 0.7, 3), 100, [np.array([*middle, 5.0])])
        assert np.isfinite(particles.now[:, :3]).all() and particles.count == 3

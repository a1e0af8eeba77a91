"""Waves of bodies on waters made of wave particles."""

import numpy as np
import pytest
from support.ponds import one_body

from waterview.bodies.collection import Bodies
from waterview.bodies.wakes import ParticleWater, Wakes, outline_of
from waterview.core.commands import Drop
from waterview.waters.particles.wave_particles import WaveParticleWater


def moved(*places):
    """A water of particles after a body was carried from place to place, and how many particles each move made."""
    water = WaveParticleWater(12.0, 12.0, 97, (-6.0, 0.0, -6.0))
    assert isinstance(water, ParticleWater)
    bodies, number = one_body(water, density=500.0, size=0.6, x=places[0][0], z=places[0][2], y=places[0][1])
    wakes, counts = Wakes(), []
    for place in places:
        bodies.place(number, place)
        bodies.step(water, 1e-6)
        wakes.send(bodies, water)
        counts.append(water.particle_count)
    return water, np.diff([0, *counts])


def test_a_body_that_moves_on_sends_fronts():
    water, made = moved((0.0, 0.0, 0.0), (0.2, 0.0, 0.0))
    assert made[0] == 0 and made[1] > 0
    assert np.abs(water.height).max() > 0.0


def test_one_that_sinks_sends_a_ring():
    _, made = moved((0.0, 0.0, 0.0), (0.0, -0.1, 0.0))
    assert made[1] >= 8


@pytest.mark.parametrize("step", [-0.1, 0.1])
def test_a_sinking_body_sends_a_crest_and_a_rising_one_a_trough(step):
    water, made = moved((0.0, 0.0, 0.0), (0.0, step, 0.0))
    assert made[1] >= 8
    assert np.sign(water.height.sum()) == -np.sign(step)
    assert abs(water.height[water.height * step > 0.0]).sum() < 0.1 * abs(water.height).sum()


def test_one_that_stays_or_jumps_or_flies_sends_nothing():
    _, made = moved(
        (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.01, 0.0, 0.0), (4.0, 0.0, 0.0), (4.0, 2.0, 0.0), (3.5, 2.0, 0.0)
    )
    assert not made.any()


class Stream(WaveParticleWater):
    """A water that flows everywhere alike."""

    flow = np.zeros(3, np.float32)

    def velocity_at(self, x, z):
        return self.flow


@pytest.mark.parametrize("moved", [(0.2, 0.0), (0.0, 0.2)])
@pytest.mark.parametrize("flow", [(0.2, 0.0), (0.0, 0.2)])
def test_a_body_that_drifts_with_the_water_sends_nothing_and_one_that_does_not_sends_fronts(moved, flow):
    water = Stream(12.0, 12.0, 97, (-6.0, 0.0, -6.0))
    water.flow = np.array((flow[0], 0.0, flow[1]), np.float32)
    bodies, number = one_body(water, density=500.0, size=0.6, x=0.0, z=0.0, y=0.0)
    wakes = Wakes()
    for place, seconds in (((0.0, 0.0, 0.0), 0.0), ((moved[0], 0.0, moved[1]), 1.0)):
        bodies.place(number, place)
        bodies.step(water, 1e-6)
        wakes.send(bodies, water, seconds)
    assert (water.particle_count == 0) == (moved == flow)


def state(kind, y=0.0, rotation=(1.0, 0.0, 0.0, 0.0), size=1.0):
    bodies = Bodies()
    water = WaveParticleWater(12.0, 12.0, 49, (-6.0, 0.0, -6.0))
    bodies.add(water, kind, None, 1.0, 2.0, size, y=y, rotation=rotation)
    return bodies.states()[0]


class TestOutlines:
    def test_a_sphere_is_cut_in_a_disc(self):
        outline = outline_of(state("sphere", y=-0.3), 0.0)
        np.testing.assert_allclose(outline.shape, (1.0, 2.0, 0.4))
        assert outline.area == pytest.approx(np.pi * 0.16)
        assert outline.lengths.sum() == pytest.approx(2.0 * np.pi * 0.4)

    def test_a_box_is_cut_in_its_sides_however_it_is_turned(self):
        half = 0.3
        turned = (np.cos(half / 2), 0.0, np.sin(half / 2), 0.0)
        outline = outline_of(state("box", rotation=turned, size=(1.0, 0.8, 2.0)), 0.1)
        assert outline.shape.shape == (4, 2)
        np.testing.assert_allclose(sorted(outline.lengths), (1.0, 1.0, 2.0, 2.0), rtol=1e-6)
        assert outline.area == pytest.approx(2.0, rel=1e-6)
        np.testing.assert_allclose((outline.lengths[:, None] * outline.normals).sum(axis=0), 0.0, atol=1e-6)
        outwards = ((outline.middles - (1.0, 2.0)) * outline.normals).sum(axis=1)
        np.testing.assert_allclose(sorted(outwards), (0.5, 0.5, 1.0, 1.0), rtol=1e-5)

    def test_a_mesh_has_a_few_corners_that_hold_its_middle(self):
        for kind in ("duck", "boat"):
            outline = outline_of(state(kind), 0.0)
            assert 4 <= len(outline.shape) <= 16
            assert (((outline.middles - (1.0, 2.0)) * outline.normals).sum(axis=1) > 0.0).all()

    @pytest.mark.parametrize("kind", ["sphere", "box"])
    def test_what_is_wholly_above_or_below_the_surface_has_none(self, kind):
        assert outline_of(state(kind, y=2.0), 0.0) is None
        assert outline_of(state(kind, y=-2.0), 0.0) is None


def test_a_box_pushes_a_crest_off_its_bow_and_as_much_trough_off_its_stern():
    water = WaveParticleWater(12.0, 12.0, 193, (-6.0, 0.0, -6.0), spreading="amplitude", border="reflecting")
    bodies, number = one_body(water, "box", density=500.0, size=(1.0, 0.6, 2.0), x=0.0, z=0.0, y=0.0)
    wakes = Wakes()
    for x in (0.0, 0.25):
        bodies.place(number, (x, 0.0, 0.0))
        bodies.step(water, 1e-6)
        wakes.send(bodies, water)
    # Volume E = A (v·n) Δt of each face; those along the way push nothing.
    volumes = water.height[:, 97:].sum() * water.grid.spacing**2, water.height[:, :97].sum() * water.grid.spacing**2
    assert volumes[0] > 0.0 and volumes[0] == pytest.approx(-volumes[1], rel=0.2)
    assert abs(sum(volumes)) < 1e-3 * volumes[0]
    assert volumes[0] == pytest.approx(bodies.params.displacement * 2.0 * 0.3 * 0.25, rel=0.2)


def test_waves_are_thrown_back_by_a_floating_body_and_no_more_when_it_is_gone():
    water = WaveParticleWater(12.0, 12.0, 97, (-6.0, 0.0, -6.0), border="open", wave_speed=1.0)
    bodies, _ = one_body(water, "sphere", density=500.0, size=2.0, x=1.0, z=0.0, y=0.0)
    wakes = Wakes()
    bodies.step(water, 1e-6)
    wakes.send(bodies, water)
    angles = np.zeros(3)
    water.add_faces(
        np.array([(-1.5, 0.0), (-1.5, 0.5), (-1.5, 3.0)]), np.stack((np.cos(angles), np.sin(angles)), -1),
        np.full(3, 1e-3), 0.25, spread=1e-4,
    )  # fmt: skip
    water.simulate(2.0)
    x, z = water.particle_positions.T
    assert (x < 0.0).sum() == 2 and (np.hypot(x - 1.0, z) > 1.0 - 1e-3).all()
    water.set_bodies(())
    water.reset()
    water.add_faces(np.array([(-1.5, 0.0)]), np.array([(1.0, 0.0)]), np.array([1e-3]), 0.25, spread=1e-4)
    water.simulate(1.0)
    assert water.particle_positions[0, 0] == pytest.approx(-0.5, abs=1e-3)


def test_what_is_thrown_back_goes_on_so_after_loading():
    water = WaveParticleWater(12.0, 12.0, 97, (-6.0, 0.0, -6.0))
    water.set_bodies([np.array((1.0, 0.0, 1.0)), np.array([(-3.0, -1.0), (-2.0, -1.0), (-2.5, 1.0)])])
    water.add_faces(np.array([(-1.5, 0.0)]), np.array([(1.0, 0.0)]), np.array([1e-3]), 0.25, spread=1e-4)
    other = WaveParticleWater(12.0, 12.0, 97, (-6.0, 0.0, -6.0))
    other.load_state(water.state())
    for each in (water, other):
        each.simulate(1.0)
    np.testing.assert_array_equal(water.particle_positions, other.particle_positions)


def test_a_body_is_carried_along_by_a_crest_and_back_by_a_trough():
    for sign in (1.0, -1.0):
        water = WaveParticleWater(12.0, 12.0, 97, (-6.0, 0.0, -6.0), border="open", wave_speed=8.0, damping=0.0)
        bodies, number = one_body(water, "sphere", density=500.0, size=0.2)
        wakes = Wakes()
        across = np.linspace(-3.0, 3.0, 61)
        places, along = np.stack((np.full(61, -1.0), across), -1), np.tile((1.0, 0.0), (61, 1))
        water.add_faces(places, along, np.full(61, sign * 0.002), 0.8, spread=1e-4)
        fastest = 0.0
        for _ in range(30):
            water.step()
            bodies.step(water, water.time_step)
            wakes.send(bodies, water)
            fastest = max(fastest, sign * bodies.motion(number)[0][0])
        # The slope alone, by Earth's gravity, would move it at 0.06 m/s: such short waves are much slower on Earth.
        assert fastest > 0.15


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, 4])
def test_damped_waves_among_bodies_die_away(times):
    water = WaveParticleWater(
        12.0, 9.0, 33, (-6.0, 0.0, -4.5), border="reflecting", wave_speed=3.0, steps_per_second=30.0, damping=0.15
    )
    water.disturb(Drop(2.0, 1.0, 0.3, 1.5))
    bodies, wakes, squares = Bodies(), Wakes(), []
    for kind, x, z in (("sphere", -3.5, 0.0), ("box", 0.0, 2.0), ("boat", 3.5, -1.0)):
        bodies.add(water, kind, None, x, z, 0.6 * times)
    for _ in range(30 * 40):
        water.step()
        bodies.step(water, water.time_step)
        wakes.send(bodies, water, water.time_step)
        squares.append(np.square(water.height, dtype=np.float64).mean())
    assert np.mean(squares[-300:]) < 0.05 * np.mean(squares[:300])


def test_a_body_that_creeps_sends_lower_fronts_than_one_that_runs():
    crests = []
    for seconds in (0.1, 10.0):
        water = WaveParticleWater(12.0, 12.0, 97, (-6.0, 0.0, -6.0))
        bodies, number = one_body(water, density=500.0, size=0.6, x=0.0, z=0.0, y=0.0)
        wakes = Wakes()
        for x in (0.0, 0.1):
            bodies.place(number, (x, 0.0, 0.0))
            bodies.step(water, 1e-6)
            wakes.send(bodies, water, seconds)
        crests.append(np.abs(water.height).max())
    assert 0.0 < crests[1] < 0.1 * crests[0]

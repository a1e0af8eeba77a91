"""Waves of bodies on waters made of wave particles."""

import numpy as np
from ponds import one_body

from waterview.bodies.wakes import ParticleWater, Wakes
from waterview.models.wave_particles import WaveParticleWater


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


def test_one_that_stays_or_jumps_or_flies_sends_nothing():
    _, made = moved(
        (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.01, 0.0, 0.0), (4.0, 0.0, 0.0), (4.0, 2.0, 0.0), (3.5, 2.0, 0.0)
    )
    assert not made.any()

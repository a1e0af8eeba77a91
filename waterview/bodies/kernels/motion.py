"""How forces and hands move one body: semi-implicit steps that no force, however large, makes unstable."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from waterview.simd.jit import jit

from .linear_algebra import (
    cross,
    dot,
    length,
    less,
    matrix_of,
    plus,
    solved,
    store,
    times,
    transposed_times,
    turn,
    turned,
    vector,
)

MOST_SUBSTEPS = 16

TURNING_WATER = 0.25
"""Moment of inertia of the water that turns with a mesh, as a share of that of the body were it all water and wet."""

LARGEST_TURN = 0.5
"""Most that a body turns in a sub-step [rad]."""

HAND = 0.06
"""Time in which a hand draws a body to itself [s]."""

HAND_CALM = 5.0
"""Damping of the spin of a body that is held [1/s]."""


@jit
def substeps(bodies: Any, world: Any) -> int:
    """Number of sub-steps in which no body crosses half its reach or a third of its quickest bob; at most 16."""
    most = 1.0
    for k in range(bodies.shape[0]):
        body = bodies[k]
        speed = length(vector(body.velocity)) + world.gravity * world.time_step
        # A light body that dips its whole section bobs at ω² = g·area·density of the water/mass.
        section = math.pi * body.reach * body.reach
        bob = math.sqrt(body.mass / (world.water_density * world.gravity * section)) if world.gravity > 0.0 else 1.0
        most = max(most, world.time_step * max(speed / (0.5 * body.reach), 1.0 / (0.5 * bob)))
    return int(min(math.ceil(most), MOST_SUBSTEPS))


@jit
def update_inverse(body: Any, world: Any) -> None:
    """Rotation matrix and inverse inertia in the world, with that of the water that turns with the body."""
    matrix_of(body.orientation, body.rotation)
    _turn_inverse(body, world)


@jit
def _turn_inverse(body: Any, world: Any) -> None:
    if body.form == 0:  # alike from all sides, and water slips off it
        for i in range(3):
            for j in range(3):
                body.inverse[i, j] = body.inverse_inertia[i, j]
        return
    turned(body.inverse_inertia, body.rotation, 1.0 / _heavier(body, world), body.inverse)


@jit
def _heavier(body: Any, world: Any) -> float:
    """Factor of a mesh's inertia by the water that turns along."""
    return float(1.0 + TURNING_WATER * world.water_density * body.wet_volume / body.mass)


@jit
def accelerate(body: Any, world: Any, dt: float) -> None:
    """Change velocity and spin by the forces that were found.

    The water that moves with the body (added mass) makes it heavier and takes it along where the water itself
    accelerates, so that a floating body moves with a long wave as the water does. Drag may stop a body against the
    water in one step but not turn it round: it is divided by 1 + its own effect.
    """
    added = world.added_mass * world.water_density * body.wet_volume
    mass = body.mass + added
    # Only what pierces the surface makes waves.
    piercing = min(10.0 * (1.0 - body.wet_volume / body.volume), 1.0)
    wet = piercing * min(world.water_density * body.wet_volume / mass, 1.0)
    push = world.push * 2.0 * world.spacing * world.spacing * (body.wet_volume > 0.0)
    for i in range(3):
        sideways = i != 1
        force = body.force[i] - (0.0 if sideways else body.mass * world.gravity)
        if sideways:
            force -= added * world.gravity * body.surface[1 + i // 2]
        body.velocity[i] += dt * force / mass
        if sideways:
            body.velocity[i] += dt * push * body.slope_rate[i // 2]
    torque = times(body.inverse, vector(body.torque))
    store(body.spin, plus(vector(body.spin), dt, torque))

    flow, spin = vector(body.flow), vector(body.spin)
    motion = less(vector(body.velocity), flow)
    fastest = length(motion) + length(spin) * body.reach
    if fastest > 1e-9:
        slower = plus((0.0, 0.0, 0.0), dt / mass, vector(body.drag))
        motion = plus(motion, 1.0 / (1.0 + length(slower) / fastest), slower)
        calmer = plus((0.0, 0.0, 0.0), dt, times(body.inverse, vector(body.drag_torque)))
        spin = plus(spin, 1.0 / (1.0 + length(calmer) * body.reach / fastest), calmer)
    # Waves carry off the energy of bobbing and rolling, hardly that of drifting.
    fading = 1.0 / (1.0 + world.settling * wet * dt)
    store(body.velocity, plus(flow, 1.0, (motion[0], fading * motion[1], motion[2])))
    store(body.spin, plus((0.0, 0.0, 0.0), fading, spin))


@jit
def follow_hand(body: Any, world: Any, dt: float) -> None:
    """An impulse at the anchor that gives it the velocity towards the hand, whatever the body weighs."""
    arm = times(body.rotation, vector(body.anchor))
    way = less(vector(body.target), plus(vector(body.position), 1.0, arm))
    wanted = plus((0.0, 0.0, 0.0), 1.0 / max(HAND, 2.0 * dt), way)
    fastest = 0.5 * body.reach / dt
    speed = length(wanted)
    if speed > fastest:
        wanted = plus((0.0, 0.0, 0.0), fastest / speed, wanted)
    missing = less(wanted, plus(vector(body.velocity), 1.0, cross(vector(body.spin), arm)))
    # Response of the anchor's velocity to an impulse: 1/m − [arm]× I⁻¹ [arm]×.
    response = np.zeros((3, 3))
    for j in range(3):
        unit = (1.0 * (j == 0), 1.0 * (j == 1), 1.0 * (j == 2))
        turning = cross(times(body.inverse, cross(arm, unit)), arm)
        for i in range(3):
            response[i, j] = turning[i] + (i == j) / body.mass
    impulse = solved(response, missing)
    store(body.velocity, plus(vector(body.velocity), 1.0 / body.mass, impulse))
    spin = plus(vector(body.spin), 1.0, times(body.inverse, cross(arm, impulse)))
    store(body.spin, plus((0.0, 0.0, 0.0), 1.0 / (1.0 + HAND_CALM * dt), spin))


@jit
def drift(body: Any, world: Any, dt: float) -> None:
    """Move and turn the body; its angular momentum stays what it is while its axes turn."""
    speed, fastest = length(vector(body.velocity)), 0.5 * body.reach / dt
    if speed > fastest:
        store(body.velocity, plus((0.0, 0.0, 0.0), fastest / speed, vector(body.velocity)))
    speed, fastest = length(vector(body.spin)), LARGEST_TURN / dt
    if speed > fastest:
        store(body.spin, plus((0.0, 0.0, 0.0), fastest / speed, vector(body.spin)))
    store(body.position, plus(vector(body.position), dt, vector(body.velocity)))
    if body.form == 0:  # its axes do not matter to its spin
        turn(body.orientation, vector(body.spin), dt)
        matrix_of(body.orientation, body.rotation)
        return
    own_spin = transposed_times(body.rotation, vector(body.spin))
    momentum = times(body.rotation, times(body.inertia, own_spin))
    turn(body.orientation, vector(body.spin), dt)
    matrix_of(body.orientation, body.rotation)
    own = transposed_times(body.rotation, momentum)
    store(body.spin, times(body.rotation, times(body.inverse_inertia, own)))
    _turn_inverse(body, world)


@jit
def is_finite(body: Any) -> bool:
    """Whether all numbers of the motion are finite."""
    total = dot(vector(body.position), (1.0, 1.0, 1.0)) + dot(vector(body.velocity), (1.0, 1.0, 1.0))
    turning = dot(vector(body.spin), (1.0, 1.0, 1.0)) + body.orientation[0] * body.orientation[1]
    return math.isfinite(total + turning + body.orientation[2] * body.orientation[3])

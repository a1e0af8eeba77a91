"""The motion of one body under forces and under the pointer that drags it.

The steps are semi-implicit: no force, however large, makes them unstable.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from waterview.simd.jit import callee

from .linear_algebra import (
    cross,
    dot,
    length,
    minus,
    plus,
    rotate_quaternion,
    rotated_tensor,
    rotation_of,
    scaled,
    solve,
    store,
    times,
    transpose_times,
    vector,
)
from .records import SPHERE, TURNING_WATER

MOST_SUBSTEPS = 16

LARGEST_TURN = 0.5
"""Most that a body turns in a sub-step [rad]."""

POINTER_TIME = 0.06
"""Time in which a grabbed body reaches the pointer [s]."""

POINTER_DAMPING = 5.0
"""Damping of the spin of a grabbed body [1/s]."""


@callee
def substeps(bodies: Any, env: Any) -> int:
    """Sub-steps so short that no body crosses half its bounding radius or a third of its quickest bob; at most 16."""
    most = 1.0
    for k in range(bodies.shape[0]):
        body = bodies[k]
        speed = length(vector(body.velocity)) + env.gravity * env.time_step
        # A light body whose whole section dips in bobs at ω² = ρ g·section/mass, ρ the water's density.
        section = math.pi * body.bounding_radius * body.bounding_radius
        bob = math.sqrt(body.mass / (env.water_density * env.gravity * section)) if env.gravity > 0.0 else 1.0
        most = max(most, env.time_step * max(speed / (0.5 * body.bounding_radius), 1.0 / (0.5 * bob)))
    return int(min(math.ceil(most), MOST_SUBSTEPS))


@callee
def update_rotation(body: Any, env: Any) -> None:
    """Set the rotation matrix, and the inverse inertia in the world with the water that turns with the body."""
    rotation_of(body.orientation, body.rotation)
    _update_inverse_inertia(body, env)


@callee
def _update_inverse_inertia(body: Any, env: Any) -> None:
    if body.geometry == SPHERE:  # its inertia is the same about every axis, and no water turns with it
        for i in range(3):
            for j in range(3):
                body.world_inverse_inertia[i, j] = body.inverse_inertia[i, j]
        return
    with_water = 1.0 + TURNING_WATER * env.water_density * body.wet_volume / body.mass
    rotated_tensor(body.inverse_inertia, body.rotation, 1.0 / with_water, body.world_inverse_inertia)


@callee
def accelerate(body: Any, env: Any, dt: float, wet_before: float) -> None:
    """Change velocity and spin by the forces of the water and by gravity.

    The water that moves with the body (added mass) makes it heavier and takes it along where the water itself
    accelerates, so that a floating body moves with a long wave as the water does. Where a body plunges in, more water
    moves with it: it is slowed so that ½(m + mₐ)v² against the water stays. Drag may stop a body against the water in
    one step but not reverse it: it is divided by 1 + its own effect.

    Args:
        body: which.
        env: coefficients and density.
        dt: length of the sub-step [s].
        wet_before: its volume under water in the sub-step before [m³].
    """
    added = env.added_mass * env.water_density * body.wet_volume
    mass = body.mass + added
    slowed = math.sqrt((body.mass + env.added_mass * env.water_density * wet_before) / mass)
    for i in range(3):
        body.velocity[i] = body.flow[i] + slowed * (body.velocity[i] - body.flow[i])
    # Only what pierces the surface makes waves.
    piercing = min(10.0 * (1.0 - body.wet_volume / body.volume), 1.0)
    wet = piercing * min(env.water_density * body.wet_volume / mass, 1.0)
    push = env.wave_push * 2.0 * env.spacing * env.spacing * (body.wet_volume > 0.0)
    for i in range(3):
        sideways = i != 1
        force = body.force[i] - (0.0 if sideways else body.mass * env.gravity)
        if sideways:
            force -= added * env.gravity * body.surface[1 + i // 2]
        body.velocity[i] += dt * force / mass
        if sideways:
            body.velocity[i] += dt * push * body.slope_rate[i // 2]
    torque = times(body.world_inverse_inertia, vector(body.torque))
    store(body.spin, plus(vector(body.spin), dt, torque))

    flow, spin = vector(body.flow), vector(body.spin)
    motion = minus(vector(body.velocity), flow)
    fastest = length(motion) + length(spin) * body.bounding_radius
    if fastest > 1e-9:
        slower = scaled(dt / mass, vector(body.drag))
        motion = plus(motion, 1.0 / (1.0 + length(slower) / fastest), slower)
        calmer = scaled(dt, times(body.world_inverse_inertia, vector(body.drag_torque)))
        spin = plus(spin, 1.0 / (1.0 + length(calmer) * body.bounding_radius / fastest), calmer)
    # Waves carry off the energy of bobbing and rolling, hardly that of drifting.
    fading = 1.0 / (1.0 + env.settling * wet * dt)
    store(body.velocity, plus(flow, 1.0, (motion[0], fading * motion[1], motion[2])))
    store(body.spin, scaled(fading, spin))


@callee
def follow_pointer(body: Any, env: Any, dt: float) -> None:
    """Apply an impulse at the anchor that gives it the velocity towards the pointer, whatever the body weighs."""
    arm = times(body.rotation, vector(body.anchor))
    distance = minus(vector(body.target), plus(vector(body.position), 1.0, arm))
    wanted = scaled(1.0 / max(POINTER_TIME, 2.0 * dt), distance)
    fastest = 0.5 * body.bounding_radius / dt
    speed = length(wanted)
    if speed > fastest:
        wanted = scaled(fastest / speed, wanted)
    missing = minus(wanted, plus(vector(body.velocity), 1.0, cross(vector(body.spin), arm)))
    # Change of the anchor's velocity by an impulse of 1 N s: 1/m − [arm]× I⁻¹ [arm]×.
    response = np.zeros((3, 3))
    for j in range(3):
        unit = (1.0 * (j == 0), 1.0 * (j == 1), 1.0 * (j == 2))
        turning = cross(times(body.world_inverse_inertia, cross(arm, unit)), arm)
        for i in range(3):
            response[i, j] = turning[i] + (i == j) / body.mass
    impulse = solve(response, missing)
    store(body.velocity, plus(vector(body.velocity), 1.0 / body.mass, impulse))
    spin = plus(vector(body.spin), 1.0, times(body.world_inverse_inertia, cross(arm, impulse)))
    store(body.spin, scaled(1.0 / (1.0 + POINTER_DAMPING * dt), spin))


@callee
def advance(body: Any, env: Any, dt: float) -> None:
    """Move and turn the body; its angular momentum stays constant while its axes turn."""
    speed, fastest = length(vector(body.velocity)), 0.5 * body.bounding_radius / dt
    if speed > fastest:
        store(body.velocity, scaled(fastest / speed, vector(body.velocity)))
    speed, fastest = length(vector(body.spin)), LARGEST_TURN / dt
    if speed > fastest:
        store(body.spin, scaled(fastest / speed, vector(body.spin)))
    store(body.position, plus(vector(body.position), dt, vector(body.velocity)))
    if body.geometry == SPHERE:  # its axes do not matter to its spin
        rotate_quaternion(body.orientation, vector(body.spin), dt)
        rotation_of(body.orientation, body.rotation)
        return
    own_spin = transpose_times(body.rotation, vector(body.spin))
    momentum = times(body.rotation, times(body.inertia, own_spin))
    rotate_quaternion(body.orientation, vector(body.spin), dt)
    rotation_of(body.orientation, body.rotation)
    own = transpose_times(body.rotation, momentum)
    store(body.spin, times(body.rotation, times(body.inverse_inertia, own)))
    _update_inverse_inertia(body, env)


@callee
def is_finite(body: Any) -> bool:
    """Whether all numbers of the motion are finite."""
    total = dot(vector(body.position), (1.0, 1.0, 1.0)) + dot(vector(body.velocity), (1.0, 1.0, 1.0))
    turning = dot(vector(body.spin), (1.0, 1.0, 1.0)) + body.orientation[0] * body.orientation[1]
    return math.isfinite(total + turning + body.orientation[2] * body.orientation[3])

"""The energy of bodies and of the water that they float on, from what both tell the public."""

import numpy as np

from waterview.bodies.kernels.motion import TURNING_WATER
from waterview.bodies.kernels.records import SPHERE
from waterview.bodies.kinds import shape_of


def middles(times):
    """Where the middles of a triangle's parts lie, halved so many times, as shares of its three corners."""
    parts = np.eye(3)[None]
    for _ in range(times):
        a, b, c = np.moveaxis(parts, 1, 0)
        ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
        corners = ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))
        parts = np.concatenate([np.stack(three, axis=1) for three in corners])
    return parts.mean(axis=1)


MIDDLES = middles(2)
"""Of parts so fine that it does not matter where the waterline cuts them, shape (16, 3)."""


def buoyant_energy(shape, state, level, params):
    """What it takes to press a body into still water [J]: ρg ∫(level − y)⁺ dV, by the divergence theorem."""
    weight = params.water_density * params.gravity
    if shape.geometry == SPHERE:
        radius, lowest = 0.5 * state.scale[0], level - state.position[1]
        wet = np.clip(lowest, -radius, radius)  # ∫ π(r² − y²)(lowest − y) dy from −r to where the water ends
        powers = np.array([wet**power - (-radius) ** power for power in (1, 2, 3, 4)]) / (1, 2, 3, 4)
        return weight * np.pi * float(np.dot((radius**2 * lowest, -(radius**2), -lowest, 1.0), powers))
    corners = ((shape.vertices * state.scale) @ state.rotation.T + state.position)[shape.faces]
    (ax, _, az), (bx, _, bz) = (corners[:, 1] - corners[:, 0]).T, (corners[:, 2] - corners[:, 0]).T
    upwards = 0.5 * (az * bx - ax * bz) / len(MIDDLES)
    depth = np.maximum(level - corners[:, :, 1] @ MIDDLES.T, 0.0)
    return -0.5 * weight * float(upwards @ (depth**2).sum(axis=1))


def bodies_energy(bodies, level):
    """Kinetic energy, with that of the water that moves along, and potential energy in still water [J].

    Along the water the motion against it counts: that of the water whose place a body takes is the water's energy.
    """
    params, total = bodies.params, 0.0
    for state in bodies.states():
        shape = shape_of(state.kind)
        velocity, spin = bodies.motion(state.number)
        velocity -= bodies.flow(state.number) * (1.0, 0.0, 1.0)
        volume = shape.volume * float(np.prod(state.scale))
        mass, wet = state.density * volume, params.water_density * bodies.wet_volume(state.number)
        inertia = state.rotation @ shape.inertia(mass, state.scale) @ state.rotation.T
        turning = 1.0 if shape.geometry == SPHERE else 1.0 + TURNING_WATER * wet / mass
        total += 0.5 * (mass + params.added_mass * wet) * velocity @ velocity + 0.5 * turning * spin @ inertia @ spin
        total += mass * params.gravity * (state.position[1] - level)
        total += buoyant_energy(shape, state, level, params)
    return float(total)


class FlatPool:
    """The energy of long waves in a pool with a flat ground and walls around it, from two moments of its surface.

    Per square metre it is ½ρg(ηη⁻ + q²/c²), with the flow q that makes the surface rise: ∇·q = −∂η/∂t. Both are summed
    over the pool's own standing waves, cosines. With η⁻ one step before η, the five-point step conserves it exactly.
    """

    def __init__(self, grid, wave_speed, params):
        self._cosines = [standing_waves(count) for count in grid.shape]
        rows, columns = (np.pi * np.arange(count) / count for count in grid.shape)
        wave_numbers = (4.0 - 2.0 * np.cos(rows)[:, None] - 2.0 * np.cos(columns)) / grid.spacing**2
        wave_numbers[0, 0] = np.inf
        self._stiffness = wave_speed**2 * wave_numbers
        self._weight = 0.5 * params.water_density * params.gravity * grid.spacing**2

    def __call__(self, before, after, seconds):
        rows, columns = self._cosines
        before, after = (rows @ np.asarray(field, np.float64) @ columns.T for field in (before, after))
        rate = (after - before) / seconds
        return float(self._weight * np.sum(before * after + rate**2 / self._stiffness))


def standing_waves(count):
    """The waves cos(πk(n + ½)/N) between two walls, each as a row of unit length, shape (count, count)."""
    waves = np.cos(np.pi / count * np.outer(np.arange(count), np.arange(count) + 0.5))
    return waves / np.linalg.norm(waves, axis=1, keepdims=True)

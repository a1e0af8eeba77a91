"""What makes wave particles: drops and spheres, and which radii there are."""

from __future__ import annotations

import math

import numpy as np

from waterview.waters.particles.kernels.particles import ParticleSet

RING = 28
"""Particles that a ring starts with; the one of dispersion angle 2π that Yuksel et al. (2007, §4) start with has split
into 27 before they are an arm's length apart. One more makes the ring alike on all four sides."""

SMALLEST_RADIUS = 2.0
"""Of the particles of the finest class [cells]; a narrower bump would not be seen as one."""

DIRECTIONS = 8
"""In which a sphere that moves sends out particles (Qin and Zeng, §3.2.3)."""

VOLUME = {"separable": 1.0, "radial": math.pi / 2.0 - 2.0 / math.pi}
"""Volume under a particle of amplitude 1 and radius 1, for each kernel: the second is 0.934."""


def radius_class(radius: float, shape: tuple[int, int]) -> float:
    """The radius [cells] that particles of about `radius` [cells] get on a grid of `shape`: 2·√2ⁿ cells.

    Every radius in use costs a grid of its own, so there are few: two to the octave, up to half the shorter side.
    """
    steps = round(2.0 * math.log2(max(radius, SMALLEST_RADIUS) / SMALLEST_RADIUS))
    most = math.floor(2.0 * math.log2(max(min(shape) / 2.0, SMALLEST_RADIUS) / SMALLEST_RADIUS))
    return float(SMALLEST_RADIUS * 2.0 ** (0.5 * min(steps, most)))


def add_drop(
    particles: ParticleSet, column: float, row: float, height: float, taken_back: float, balance: float = 1.0
) -> None:
    """Release a bump of `height` [m] as a ring that a trough follows.

    As on real water the trough takes back what the crest grows by as it spreads, so that the volume stays what it was;
    that of a neutral drop, which is 0 or `taken_back` = 1, takes all. This is the rain drop of Qin and Zeng (§3.1.2),
    who send a negative ring after the positive one. Here it follows at a distance of little more than r and so lies
    around the bump in the beginning, still running towards the middle: no second bump springs up.

    Args:
        particles: added to.
        column: middle of the drop, in cells.
        row: likewise.
        height: as said.
        taken_back: share of the drop's own volume that the trough takes back, 0–1.
        balance: what the trough is multiplied by, where the land hides more of one ring than of the other.
    """
    angles = 2.0 * math.pi * np.arange(RING) / RING
    where = np.full(RING, column), np.full(RING, row)
    share = np.full(RING, height / RING)
    spread, behind = 2.0 * math.pi / RING, particles.radius + 1.0
    particles.add(where, angles, share, spread)
    if particles.energetic or taken_back > 0.0:
        particles.add(where, angles, -balance * share, spread, ahead=-behind, lag=behind, rest=1.0 - taken_back)


def add_sphere(particles: ParticleSet, column: float, row: float, moved: tuple[float, float]) -> None:
    """Fronts of a sphere that has moved by (x, z) [m] in a step, in eight directions (Qin and Zeng, §3.2.3).

    Their amplitudes ½ û·(p − p_old) are crests before the sphere and troughs behind it, and sum up to 0.

    Args:
        particles: added to; their radius is that of the sphere's section with the surface, on which they start.
        column: where it is now, in cells.
        row: likewise.
        moved: as said.
    """
    angles = 2.0 * math.pi * np.arange(DIRECTIONS) / DIRECTIONS
    amplitudes = 0.5 * (moved[0] * np.cos(angles) + moved[1] * np.sin(angles))
    where = np.full(DIRECTIONS, column), np.full(DIRECTIONS, row)
    particles.add(where, angles, amplitudes, 2.0 * math.pi / DIRECTIONS, ahead=particles.radius)

"""What makes wave particles: drops, faces of bodies that push water aside, and spheres."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from waterview.kernels.particles import ParticleSet

RING = 27
"""Particles that a ring starts with: three generations of the one particle of dispersion angle 2π that it stands for
(Yuksel et al. 2007, §4), which at distance 0 would only lie on top of each other."""

SMALLEST_RADIUS = 2.0
"""Of the particles of the finest class [cells]; a narrower bump would not be seen as one."""

DIRECTIONS = 8
"""In which a sphere that moves sends out particles (Qin and Zeng, §3.2.3)."""

VOLUME = {"separable": 1.0, "radial": math.pi / 2.0 - 2.0 / math.pi}
"""Volume under a particle of amplitude 1 and radius 1, for each kernel: the second is 0.934."""

Numbers = NDArray[np.float64]


def radius_class(radius: float, shape: tuple[int, int]) -> float:
    """The radius [cells] that particles of about `radius` [cells] get on a grid of `shape`: 2·√2ⁿ cells.

    Every radius in use costs a grid of its own, so there are few: two to the octave, up to half the shorter side.
    """
    steps = round(2.0 * math.log2(max(radius, SMALLEST_RADIUS) / SMALLEST_RADIUS))
    most = math.floor(2.0 * math.log2(max(min(shape) / 2.0, SMALLEST_RADIUS) / SMALLEST_RADIUS))
    return float(SMALLEST_RADIUS * 2.0 ** (0.5 * min(steps, most)))


def add_drop(particles: ParticleSet, column: float, row: float, height: float, neutral: bool) -> None:
    """Release a bump of `height` [m] as a ring; a neutral one takes its volume back in a second ring.

    The rain drop of Qin and Zeng, §3.1.2, sends a negative ring after the positive one. Here it follows at a distance
    of r and so lies around the bump in the beginning, still running towards the middle: no second bump springs up.
    """
    angles = 2.0 * math.pi * np.arange(RING) / RING
    where = np.full(RING, column), np.full(RING, row)
    share = np.full(RING, height / RING)
    spread = 2.0 * math.pi / RING
    particles.add(where, angles, share, spread)
    if neutral:
        # It shares the first ring's growth, so that both cancel at every distance, not only now.
        particles.add(where, angles, -share, spread, ahead=-particles.radius, lag=particles.radius)


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


def add_faces(
    particles: ParticleSet, column: Numbers, row: Numbers, angle: Numbers, height: Numbers, spread: float
) -> None:
    """One particle of amplitude `height` [m] at every face of a body; arrays of shape (m,).

    Args:
        particles: added to.
        column: middles of the faces, in cells.
        row: likewise.
        angle: of the faces' outward normals in the plane, from x towards z [rad].
        height: as said.
        spread: dispersion angle of each [rad].
    """
    particles.add((column, row), angle, height, spread)

"""What wave particles do to the water at single places, summed particle by particle: for bodies, which are few."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import jit

from .particles_motion import OPEN, REFLECTING

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]


@jit
def _image(place: float, number: int, points: int, border: int) -> tuple[float, float, float]:
    """Where image `number` of a particle lies along one axis, its sign, and that of its direction there."""
    if number == 0:
        return place, 1.0, 1.0
    beyond = 0.5 if border == REFLECTING else 1.0
    mirror = -beyond if number == 1 else points - 1.0 + beyond
    sign = 1.0 if border == REFLECTING else -1.0
    return 2.0 * mirror - place, sign, -sign


@jit
def _images(place: float, radius: float, points: int, border: int) -> int:
    """How many images of a particle along one axis may reach a place: those behind borders reach no farther in."""
    far = border == OPEN or radius <= place <= points - 1.0 - radius
    return 1 if far else 3


@jit
def _waves(offset: float, radius: float) -> tuple[float, float]:
    """Both f = ½(cos πv + 1) and s = −½ sin πv with v = offset/r; zeros beyond the radius."""
    if abs(offset) >= radius:
        return 0.0, 0.0
    angle = math.pi * offset / radius
    return 0.5 * (math.cos(angle) + 1.0), -0.5 * math.sin(angle)


@jit
def sum_motion(
    out: Doubles,
    column: Doubles,
    row: Doubles,
    particles: tuple[Floats, Floats, Floats, Floats, Floats],
    radius: float,
    size: tuple[int, int],
    border: int,
) -> None:
    """Fill `out`, shape (m, 3), as `ParticleSet.motion_at` says.

    Args:
        out: as said.
        column: of each place, shape (m,).
        row: likewise.
        particles: their x, z, strength, and direction along x and z, shape (n,) each.
        radius: theirs [cells].
        size: (nz, nx).
        border: as `particles.BORDERS`.
    """
    x, z, strength, ux, uz = particles
    out[:] = 0.0
    for place in range(out.shape[0]):
        images_x = _images(column[place], radius, size[1], border)
        images_z = _images(row[place], radius, size[0], border)
        for i in range(x.shape[0]):
            for across in range(images_x):
                image_x, sign_x, turn_x = _image(x[i], across, size[1], border)
                f_x, s_x = _waves(column[place] - image_x, radius)
                if f_x == 0.0:
                    continue
                for down in range(images_z):
                    image_z, sign_z, turn_z = _image(z[i], down, size[0], border)
                    f_z, s_z = _waves(row[place] - image_z, radius)
                    along_x, along_z = ux[i] * turn_x * sign_z, uz[i] * sign_x * turn_z
                    out[place, 0] += strength[i] * f_x * f_z * along_x
                    out[place, 1] -= strength[i] * (s_x * f_z * along_x + f_x * s_z * along_z)
                    out[place, 2] += strength[i] * f_x * f_z * along_z

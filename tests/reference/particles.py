"""The exact field of wave particles: every particle at every point, as Qin and Zeng compute it (§3.1.3, eqs. 3 to 7).

Their rectangle function is taken as Π(|x − xᵢ|/2rᵢ): as printed it would cut the bump off at r/π.
"""

import numpy as np


def all_pairs(shape, particles):
    """Height, slopes (x, z) per cell and longitudinal shift (x, z) of `particles`, each of `shape`, float64.

    A particle is (column, row, angle, amplitude, radius), lengths in cells.
    """
    z, x = np.mgrid[: shape[0], : shape[1]].astype(float)
    height, slope_x, slope_z, shift_x, shift_z = np.zeros((5, *shape))
    for column, row, angle, amplitude, radius in particles:
        dx, dz = x - column, z - row
        distance = np.hypot(dx, dz)
        inside = distance < radius
        bump = np.where(inside, 0.5 * amplitude * (np.cos(np.pi * distance / radius) + 1.0), 0.0)
        fall = np.where(inside, -0.5 * amplitude * np.pi / radius * np.sinc(distance / radius) * np.pi / radius, 0.0)
        ux, uz = np.cos(angle), np.sin(angle)
        along = -np.sin(np.pi * (ux * dx + uz * dz) / radius) * bump
        height += bump
        slope_x += fall * dx
        slope_z += fall * dz
        shift_x += along * ux
        shift_z += along * uz
    return height, (slope_x, slope_z), (shift_x, shift_z)


def with_images(shape, particles, border):
    """`particles` and their mirror images in the borders of a grid of `shape`, near ones.

    A crest stays one behind a mirror half a cell outside ("reflecting"), and becomes a trough behind one a cell
    outside ("zero").
    """
    beyond, sign = (0.5, 1.0) if border == "reflecting" else (1.0, -1.0)
    everything = []
    for column, row, angle, amplitude, radius in particles:
        columns = [(column, 1.0)] + [(2.0 * wall - column, sign) for wall in (-beyond, shape[1] - 1 + beyond)]
        rows = [(row, 1.0)] + [(2.0 * wall - row, sign) for wall in (-beyond, shape[0] - 1 + beyond)]
        everything += [(c, r, angle, amplitude * s * t, radius) for c, s in columns for r, t in rows]
    return everything

"""Ghost cells: what waves meet beyond the sides of the grid."""

from __future__ import annotations

import numpy as np

from waterview.simd.jit import jit, part
from waterview.simd.layout import PAD

from .fluxes import ZERO, inverse_depth
from .layout import GHOSTS, MOMENTUM_X, MOMENTUM_Z, OPEN, RISE, WALL, Floats

Place = tuple[int, int]  # row and column of padded arrays


@part
def _fill(cells: Floats, bed: Floats, ghost: Place, image: Place, normal: int, kind: int, thin: np.float32) -> None:
    """Fill a ghost cell from its mirror image."""
    (i, j), (k, m) = ghost, image
    rise, momentum_x, momentum_z = cells[RISE, k, m], cells[MOMENTUM_X, k, m], cells[MOMENTUM_Z, k, m]
    if kind == WALL:
        cells[RISE, i, j], cells[MOMENTUM_X, i, j], cells[MOMENTUM_Z, i, j] = rise, momentum_x, momentum_z
        cells[normal, i, j] = -cells[normal, i, j]
        return
    still, land = max(-bed[i, j], ZERO), max(bed[i, j], ZERO)
    level = u = v = ZERO
    if kind != OPEN:
        lifted = max(rise, -still)
        inverse = inverse_depth(still + lifted, thin)
        level, u, v = -(lifted + land), momentum_x * inverse, momentum_z * inverse
    depth = max(level - bed[i, j], ZERO)
    cells[RISE, i, j], cells[MOMENTUM_X, i, j], cells[MOMENTUM_Z, i, j] = depth - still, depth * u, depth * v


@jit
def fill_ghosts(cells: Floats, bed: Floats, shape: tuple[int, int], kind: int, thin: np.float32) -> None:
    """Fill the ghost cells along all four sides; they have the ground of their mirror images in the side.

    Args:
        cells: conserved variables, made by `layout.padded`.
        bed: height of the ground above still water [m], made by `layout.padded`, shape (1, …).
        shape: (nz, nx) of the cells without ghost cells.
        kind: one of `STILL_LEVEL`, `WALL` and `OPEN`.
        thin: depth below which velocities are held down [m].
    """
    (nz, nx), ground = shape, bed[0]
    top, bottom, left, right = GHOSTS, GHOSTS + nz - 1, PAD, PAD + nx - 1
    for j in range(left, right + 1):
        for beyond in range(GHOSTS):
            _fill(cells, ground, (top - 1 - beyond, j), (top + beyond, j), MOMENTUM_Z, kind, thin)
            _fill(cells, ground, (bottom + 1 + beyond, j), (bottom - beyond, j), MOMENTUM_Z, kind, thin)
    for i in range(top, bottom + 1):
        for beyond in range(GHOSTS):
            _fill(cells, ground, (i, left - 1 - beyond), (i, left + beyond), MOMENTUM_X, kind, thin)
            _fill(cells, ground, (i, right + 1 + beyond), (i, right - beyond), MOMENTUM_X, kind, thin)

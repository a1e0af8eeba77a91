"""Ghost cells: what waves meet beyond the sides of the grid."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import jit
from waterview.simd.layout import PAD

from .fluxes import ZERO, inverse_depth
from .layout import DRIVEN, EAST, GHOSTS, MOMENTUM_X, MOMENTUM_Z, NORTH, OPEN, RISE, SOUTH, WALL, WEST, Floats

Ints = NDArray[np.int64]
Place = tuple[int, int]  # row and column of padded arrays


@jit
def _fill(
    cells: Floats, bed: Floats, ghost: Place, image: Place, normal: int, kind: int, signal: Floats, thin: np.float32
) -> None:
    """Fill a ghost cell from its mirror image, or as its signal, shape (3,), has it."""
    (i, j), (k, m) = ghost, image
    rise, momentum_x, momentum_z = cells[RISE, k, m], cells[MOMENTUM_X, k, m], cells[MOMENTUM_Z, k, m]
    if kind == WALL:
        cells[RISE, i, j], cells[MOMENTUM_X, i, j], cells[MOMENTUM_Z, i, j] = rise, momentum_x, momentum_z
        cells[normal, i, j] = -cells[normal, i, j]
        return
    still, land = max(-bed[i, j], ZERO), max(bed[i, j], ZERO)
    level = u = v = ZERO
    if kind == DRIVEN:
        level, u, v = signal[0], signal[1], signal[2]
    elif kind != OPEN:
        lifted = max(rise, -still)
        inverse = inverse_depth(still + lifted, thin)
        level, u, v = -(lifted + land), momentum_x * inverse, momentum_z * inverse
    depth = max(level - bed[i, j], ZERO)
    cells[RISE, i, j], cells[MOMENTUM_X, i, j], cells[MOMENTUM_Z, i, j] = depth - still, depth * u, depth * v


@jit
def fill_ghosts(
    cells: Floats, bed: Floats, shape: tuple[int, int], kinds: Ints, signals: Floats, thin: np.float32
) -> None:
    """Fill the ghost cells along all four sides; they have the ground of their mirror images in the side.

    Sides are in the order `layout.WEST` to `layout.SOUTH`.

    Args:
        cells: conserved variables, made by `layout.padded`.
        bed: height of the ground above still water [m], made by `layout.padded`, shape (1, …).
        shape: (nz, nx) of the cells without ghost cells.
        kinds: of the ghost cells along each side, one of `STILL_LEVEL`, `WALL`, `OPEN` and `DRIVEN`, shape (4,).
        signals: where a side is `DRIVEN`, height of its ghost cells' surface above still water [m], and their
            velocities along x and along z [m/s], from the first cell of the side on, shape (4, max(nz, nx), 3).
        thin: depth below which velocities are held down [m].
    """
    (nz, nx), ground = shape, bed[0]
    top, bottom, left, right = GHOSTS, GHOSTS + nz - 1, PAD, PAD + nx - 1
    for k in range(nx):
        for beyond in range(GHOSTS):
            ghost, image = (top - 1 - beyond, left + k), (top + beyond, left + k)
            _fill(cells, ground, ghost, image, MOMENTUM_Z, kinds[NORTH], signals[NORTH, k], thin)
            ghost, image = (bottom + 1 + beyond, left + k), (bottom - beyond, left + k)
            _fill(cells, ground, ghost, image, MOMENTUM_Z, kinds[SOUTH], signals[SOUTH, k], thin)
    for k in range(nz):
        for beyond in range(GHOSTS):
            ghost, image = (top + k, left - 1 - beyond), (top + k, left + beyond)
            _fill(cells, ground, ghost, image, MOMENTUM_X, kinds[WEST], signals[WEST, k], thin)
            ghost, image = (top + k, right + 1 + beyond), (top + k, right - beyond)
            _fill(cells, ground, ghost, image, MOMENTUM_X, kinds[EAST], signals[EAST, k], thin)

"""Ghost cells: what waves meet beyond the sides of the grid."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import jit

from .fluxes import ZERO
from .layout import DEPTH, GHOSTS, OPEN, SURFACE, VELOCITY_X, VELOCITY_Z, WALL

Floats = NDArray[np.float32]


@jit
def _fill(primitive: Floats, i: int, j: int, k: int, m: int, kind: int, normal: int) -> None:
    """Fill the ghost cell in row i and column j from its mirror image in row k and column m."""
    surface, depth = primitive[SURFACE, k, m], primitive[DEPTH, k, m]
    if kind == WALL:
        for plane in range(4):
            primitive[plane, i, j] = primitive[plane, k, m]
        primitive[normal, i, j] = -primitive[normal, k, m]
        return
    bed = surface - depth
    level = ZERO if kind == OPEN else -surface
    primitive[DEPTH, i, j] = max(level - bed, ZERO)
    primitive[SURFACE, i, j] = bed + primitive[DEPTH, i, j]
    for plane in (VELOCITY_X, VELOCITY_Z):
        primitive[plane, i, j] = ZERO if kind == OPEN else primitive[plane, k, m]


@jit
def fill_ghosts(primitive: Floats, kind: int) -> None:
    """Fill the ghost cells along all four sides; they have the ground of their mirror images in the side.

    Args:
        primitive: primitive variables with ghost cells, shape (4, nz + 4, nx + 4).
        kind: one of `STILL_LEVEL`, `WALL` and `OPEN`.
    """
    bottom, right = primitive.shape[1] - 1, primitive.shape[2] - 1
    for ghost in range(GHOSTS):
        image = 2 * GHOSTS - 1 - ghost
        for j in range(GHOSTS, right + 1 - GHOSTS):
            _fill(primitive, ghost, j, image, j, kind, VELOCITY_Z)
            _fill(primitive, bottom - ghost, j, bottom - image, j, kind, VELOCITY_Z)
        for i in range(GHOSTS, bottom + 1 - GHOSTS):
            _fill(primitive, i, ghost, i, image, kind, VELOCITY_X)
            _fill(primitive, i, right - ghost, i, right - image, kind, VELOCITY_X)

"""Ghost cells: what waves meet beyond the sides of the grid."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import jit

from .fluxes import ZERO
from .layout import DEPTH, GHOSTS, OPEN, SURFACE, VELOCITY_X, VELOCITY_Z, WALL

Floats = NDArray[np.float32]


@jit
def _fill_row(ghosts: Floats, image: Floats, kind: int, normal: int) -> None:
    """Fill a row of ghost cells from its mirror image in the side, both of shape (4, n)."""
    for j in range(ghosts.shape[1]):
        bed = image[SURFACE, j] - image[DEPTH, j]
        for plane in range(4):
            ghosts[plane, j] = image[plane, j]
        if kind == WALL:
            ghosts[normal, j] = -image[normal, j]
            continue
        level = ZERO if kind == OPEN else -image[SURFACE, j]
        ghosts[DEPTH, j] = max(level - bed, ZERO)
        ghosts[SURFACE, j] = bed + ghosts[DEPTH, j]
        if kind == OPEN:
            ghosts[VELOCITY_X, j] = ghosts[VELOCITY_Z, j] = ZERO


@jit
def _fill_first_and_last(rows: Floats, kind: int, normal: int) -> None:
    last = rows.shape[1] - 1
    for k in range(GHOSTS):
        mirrored = 2 * GHOSTS - 1 - k
        _fill_row(rows[:, k], rows[:, mirrored], kind, normal)
        _fill_row(rows[:, last - k], rows[:, last - mirrored], kind, normal)


@jit
def fill_ghosts(primitive: Floats, kind: int) -> None:
    """Fill the ghost cells along all four sides; they have the ground of their mirror images.

    Args:
        primitive: as in `time_step.take_stage`.
        kind: one of `STILL_LEVEL`, `WALL` and `OPEN`.
    """
    _fill_first_and_last(primitive, kind, VELOCITY_Z)
    _fill_first_and_last(primitive.transpose(0, 2, 1), kind, VELOCITY_X)

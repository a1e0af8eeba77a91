"""How the arrays of the finite volumes are laid out, and the numbers of a stage; made before numba is loaded."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from waterview.simd.layout import PAD, aligned_zeros, row_stride

Floats = NDArray[np.float32]

RISE, MOMENTUM_X, MOMENTUM_Z = range(3)
"""Planes of the cells, the conserved variables: depth less that of still water [m], depth times velocities [m²/s]."""

GHOSTS = 2
"""Rows and columns of ghost cells along each side; the fluxes through a side need both."""

STILL_LEVEL, WALL, OPEN = range(3)
"""Kinds of ghost cells: a surface that mirrors each wave upside down, so that the level at the side stays that of still
water; a wall; a sea at rest, into which waves leave."""

TILE_ROWS, TILE_COLUMNS = 8, 16
"""Cells of a tile along z and x; what moves gets 4 cells far in a part of a step."""

ACTIVITY, LACKING, SPEED, DEEPEST = range(4)
"""Planes of the peaks, the largest values in each tile: of rise [m] and momentum (see `tiles.find_activity`), of what
cells hold less than nothing [m], of speed along an axis [m/s], and of depth [m]."""


def padded(shape: tuple[int, int], planes: int) -> Floats:
    """Planes of zeros for cells of `shape` (nz, nx), with ghost cells around them.

    Their own shape is (planes, nz + 4, stride). Each row of cells begins at a multiple of 64 bytes, and a vector may
    reach beyond both its ends.
    """
    rows, stride = shape[0] + 2 * GHOSTS, row_stride(shape[1])
    return aligned_zeros(planes * rows, stride).reshape(planes, rows, stride)


def interior(planes: NDArray[Any], shape: tuple[int, int]) -> NDArray[Any]:
    """The cells of `shape` (nz, nx) without the ghost cells, of `padded` planes or of one of them: a view."""
    return planes[..., GHOSTS : GHOSTS + shape[0], PAD : PAD + shape[1]]


def with_ghosts(planes: NDArray[Any], shape: tuple[int, int]) -> NDArray[Any]:
    """As `interior`, with the ghost cells: a view, its last axes have the shape (nz + 4, nx + 4)."""
    return planes[..., PAD - GHOSTS : PAD + shape[1] + GHOSTS]


class Stage(NamedTuple):
    """The numbers of one stage of Heun's method."""

    thin: np.float32  # depth below which velocities are held down [m]
    gravity: np.float32  # g [m/s²]
    dry: np.float32  # depth up to which a cell counts as dry [m]
    ratio: np.float32  # Δt/Δx [s/m]
    share: np.float32  # of the old value in the new one: 0 in the first stage, ½ in the second
    damping_factor: np.float32  # what damping leaves of the velocities in the second stage, e^(−kΔt)
    friction: np.float32  # Δt times the drag coefficient c of the ground, for the second stage [s]
    rest: np.float32  # the activity of a tile at rest, at most [m]
    slowness: np.float32  # by which a momentum counts as a rise [s/m]


class Fields(NamedTuple):
    """What a stage reads and writes: new = share·new + (1 − share)·(start + Δt·fluxes(now)).

    Each is the address of the first cell in arrays made by `padded`.
    """

    new: int  # cells, changed
    start: int  # cells that the stage starts from
    now: int  # cells that the fluxes are taken from; their ghost cells are filled
    bed: int  # height of the ground above still water [m]
    nz: int
    nx: int
    row: int  # bytes from one row to the next
    plane: int  # bytes from one plane to the next

"""How the arrays of the finite volumes are laid out, and the numbers of a stage; made before numba is loaded."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

RISE, MOMENTUM_X, MOMENTUM_Z = range(3)
"""Planes of the conserved variables: depth less that of still water [m], depth times the velocities [m²/s]."""

SURFACE, DEPTH, VELOCITY_X, VELOCITY_Z = range(4)
"""Planes of the primitive variables: height of the surface above still water and depth [m], velocities [m/s]."""

STILL, LAND = range(2)
"""Planes of the ground: depth of still water [m], and height of the ground above it [m], 0 where it lies below."""

GHOSTS = 2
"""Rows and columns of ghost cells along each side of the primitive variables; the fluxes through a side need both."""

STILL_LEVEL, WALL, OPEN = range(3)
"""Kinds of ghost cells: a surface that mirrors each wave upside down, so that the level at the side stays that of still
water; a wall; a sea at rest, into which waves leave."""

TILE_ROWS, TILE_COLUMNS = 8, 16
"""Cells of a tile along z and x; what moves gets 4 cells far in a part of a step."""

ACTIVITY, SPEED, DEEPEST = range(3)
"""Planes of the peaks, the largest values in each tile: of rise [m] and momentum (see `tiles.raise_peaks`), of speed
along an axis [m/s] and of depth [m]."""


class Stage(NamedTuple):
    """The numbers of one stage of Heun's method."""

    thin: np.float32  # depth below which velocities are held down [m]
    damping_factor: np.float32 = np.float32(1.0)  # what damping leaves of the velocities, e^(−kΔt)
    friction: np.float32 = np.float32(0.0)  # Δt times the drag coefficient c of the ground [s]
    ratio: np.float32 = np.float32(0.0)  # Δt/Δx [s/m]
    share: np.float32 = np.float32(0.0)  # of the old value in the new one: 0 in the first stage, ½ in the second
    gravity: np.float32 = np.float32(0.0)  # g [m/s²]
    dry: np.float32 = np.float32(0.0)  # depth up to which a cell counts as dry [m]
    slowness: np.float32 = np.float32(0.0)  # by which a momentum counts as a rise [s/m]; 0 leaves peaks as they are


class Fields(NamedTuple):
    """What a stage reads and writes: new = share·new + (1 − share)·(start + Δt·fluxes(now))."""

    new: Floats  # conserved variables, changed, shape (3, nz, nx)
    start: Floats  # conserved variables that the stage starts from, shape (3, nz, nx)
    now: (
        Floats  # primitive variables that the fluxes are taken from, ghost cells around them, shape (4, nz + 4, nx + 4)
    )
    after: Floats  # gets the primitive variables of `new`, without the ghost cells
    ground: Floats  # shape (2, nz, nx)
    peaks: Floats  # of the tiles, shape (3, m, n)

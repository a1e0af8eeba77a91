"""The compiled part of `borders`: what lies outside the grid is written into the halo around it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .jit import jit
from .layers import OPEN, Layers
from .layout import PAD

Floats = NDArray[np.float32]
Kinds = NDArray[np.int64]

# Codes of `kinds`, in the order of `borders.KINDS`, and of its four sides.
REFLECTING, WRAPPING, GHOST = 1, 2, 3
NORTH, EAST, SOUTH, WEST = 0, 1, 2, 3
ZERO = np.float32(0.0)


@jit
def move_ghosts(buffer: Floats, ghosts: Floats, kinds: Kinds, nz: int, nx: int, courant: np.float32) -> None:
    """Ghost points follow the edge beside them: g ← (λu + g)/(1 + λ) (Riehm, eq. 7).

    Args:
        buffer: the field in a buffer of `layout.padded`.
        ghosts: one value for every edge point, shape (4, max(nz, nx)).
        kinds: of the four sides.
        nz: number of rows.
        nx: points a row.
        courant: λ, of the true wave speed.
    """
    share = np.float32(1.0) / (np.float32(1.0) + courant)
    for side in range(4):
        if kinds[side] == GHOST:
            for k in range(nx if side in (NORTH, SOUTH) else nz):
                i = 1 if side == NORTH else nz if side == SOUTH else k + 1
                j = 0 if side == WEST else nx - 1 if side == EAST else k
                # A difference, not a mean: where u = g it is exactly 0, and a level surface stays level.
                ghosts[side, k] += courant * share * (buffer[i, PAD + j] - ghosts[side, k])


@jit
def _outside(kind: int, edge: np.float32, opposite: np.float32) -> np.float32:
    """What lies beside the point `edge` at the end of a line where no state is kept."""
    if kind in (REFLECTING, GHOST):
        return edge
    return opposite if kind == WRAPPING else ZERO


@jit
def _close_layers(layers: Layers, kinds: Kinds, nx: int) -> None:
    """Give the layers' own rows their neighbours at both ends."""
    now = layers.now
    for side in range(4):
        if kinds[side] != OPEN:
            continue
        before, after = (kinds[WEST], kinds[EAST]) if side in (NORTH, SOUTH) else (kinds[NORTH], kinds[SOUTH])
        last = PAD + layers.lengths[side] - 1
        for d in range(1, now.shape[1] - 1):
            line = now[side, d]
            line[PAD - 1] = _outside(before, line[PAD], line[last])
            line[last + 1] = _outside(after, line[last], line[PAD])
            if side in (EAST, WEST):  # the corners beyond belong to the layers in the north and south
                column = nx - 1 + d if side == EAST else -d
                if before == OPEN:
                    line[PAD - 1] = now[NORTH, 1, PAD + layers.starts[NORTH] + column]
                if after == OPEN:
                    line[last + 1] = now[SOUTH, 1, PAD + layers.starts[SOUTH] + column]


@jit
def _fill_columns(buffer: Floats, ghosts: Floats, layers: Layers, kinds: Kinds, nz: int, nx: int) -> None:
    """The halo in the west and east."""
    for i in range(nz):
        row = buffer[i + 1]
        row[PAD - 1] = _outside(kinds[WEST], row[PAD], row[PAD + nx - 1])
        row[PAD + nx] = _outside(kinds[EAST], row[PAD + nx - 1], row[PAD])
    for side, j in ((WEST, PAD - 1), (EAST, PAD + nx)):
        if kinds[side] == GHOST:
            for i in range(nz):
                buffer[i + 1, j] = ghosts[side, i]
        elif kinds[side] == OPEN:
            for i in range(nz):
                buffer[i + 1, j] = layers.now[side, 1, PAD + i]


@jit
def _fill_rows(buffer: Floats, ghosts: Floats, layers: Layers, kinds: Kinds, nz: int, nx: int) -> None:
    """The halo in the north and south with its corners, when west and east are filled."""
    for side, i, edge, opposite in ((NORTH, 0, 1, nz), (SOUTH, nz + 1, nz, 1)):
        if kinds[side] == GHOST:
            for j in range(-1, nx + 1):
                buffer[i, PAD + j] = ghosts[side, min(max(j, 0), nx - 1)]
        elif kinds[side] == OPEN:
            for j in range(-1, nx + 1):
                buffer[i, PAD + j] = layers.now[side, 1, PAD + layers.starts[side] + j]
        else:
            for j in range(PAD - 1, PAD + nx + 1):
                buffer[i, j] = _outside(kinds[side], buffer[edge, j], buffer[opposite, j])


@jit
def _show_edges(buffer: Floats, layers: Layers, kinds: Kinds, nz: int, nx: int) -> None:
    """Give each layer the row of the grid that it lies beside, as its row 0."""
    now = layers.now
    for side, i in ((NORTH, 1), (SOUTH, nz)):
        if kinds[side] == OPEN:
            start, line = PAD + layers.starts[side], now[side, 0]
            for j in range(-1, nx + 1):
                line[start + j] = buffer[i, PAD + j]
            for d in range(1, now.shape[1] - 1):
                if kinds[WEST] == OPEN:
                    line[start - d] = now[WEST, d, PAD + i - 1]
                if kinds[EAST] == OPEN:
                    line[start + nx - 1 + d] = now[EAST, d, PAD + i - 1]
    for side, j in ((WEST, PAD), (EAST, PAD + nx - 1)):
        if kinds[side] == OPEN:
            for i in range(-1, nz + 1):
                now[side, 0, PAD + i] = buffer[i + 1, j]


@jit
def fill_halos(buffer: Floats, ghosts: Floats, layers: Layers, kinds: Kinds, nz: int, nx: int) -> None:
    """Surround the field and the layers of open sides with their neighbours, all at the same time level.

    Args:
        buffer: the field in a buffer of `layout.padded`.
        ghosts: as in `move_ghosts`.
        layers: of the open sides.
        kinds: of the four sides.
        nz: number of rows.
        nx: points a row.
    """
    _close_layers(layers, kinds, nx)
    _fill_columns(buffer, ghosts, layers, kinds, nz, nx)
    _fill_rows(buffer, ghosts, layers, kinds, nz, nx)
    _show_edges(buffer, layers, kinds, nz, nx)

"""Which neighbours act on each point of a water, in the form that the card reads."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

NEIGHBOURS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
"""Offsets (row, column) of the neighbours of bits 0 to 7."""

ALL, WATER = 255, 256


def links_of(fixed: NDArray[np.bool_], walls: bool, wraps: tuple[bool, bool]) -> NDArray[np.uint16]:
    """The bits of every point, shape (nz, nx): 0–7 for neighbours that act on it, 8 for water; land has none.

    Args:
        fixed: land, shape (nz, nx); outside the grid it goes on as at the edge.
        walls: whether land throws waves back: it does not act then. Else it acts with its height of 0.
        wraps: whether the grid's rows, and its columns, go on at the opposite end.
    """
    if not walls:
        return np.where(fixed, 0, ALL | WATER).astype(np.uint16)
    around = fixed
    for axis, wrap in enumerate(wraps):
        width = [(1, 1) if axis == each else (0, 0) for each in (0, 1)]
        around = np.pad(around, width, mode="wrap" if wrap else "edge")
    nz, nx = fixed.shape
    bits = np.full(fixed.shape, WATER, np.uint16)
    for k, (dz, dx) in enumerate(NEIGHBOURS):
        bits |= np.left_shift(~around[1 + dz : 1 + dz + nz, 1 + dx : 1 + dx + nx], k, dtype=np.uint16)
    return np.where(fixed, 0, bits).astype(np.uint16)

"""What lies outside the grid, where that follows from what lies inside: the compiled ghost points of borders.

The ghost points are the halo of a field's buffer. A step reads them as any others, so rows are stepped the same way at
the edge and inside. Rows and columns count from 0 here; a level is given by the address of its first point.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from waterview.simd.jit import float_pointer, part
from waterview.simd.vectors import SIZE

ZERO = np.float32(0.0)


class Edges(NamedTuple):
    """Where a field ends, and what lies beyond; `sweep.Step` has the same, by the same names.

    Attributes:
        north, east, south, west: the weight of their source in the ghost points of each side (`borders.BorderKind`);
            0 where they hold something that is remembered, which `pml` writes.
        wraps_z, wraps_x: whether the source is the opposite edge, in the north and south, and in the west and east.
        nz, nx: points along z and along x.
        stride: bytes from one row of heights to the next.
    """

    north: np.float32
    east: np.float32
    south: np.float32
    west: np.float32
    wraps_z: bool
    wraps_x: bool
    nz: int
    nx: int
    stride: int


@part
def ghost(weight: np.float32, height: np.float32) -> np.float32:
    """What a ghost point holds: `weight` times the height of its source, and never −0 for a weight of 0."""
    return weight * height if weight != ZERO else ZERO


@part
def close_row(row: int, edges: Any) -> None:
    """Write the ghost points on the left and on the right of a row."""
    points = numba.carray(float_pointer(row - SIZE), edges.nx + 2)
    first, last = points[1], points[edges.nx]
    points[0] = ghost(edges.west, last if edges.wraps_x else first)
    points[edges.nx + 1] = ghost(edges.east, first if edges.wraps_x else last)


@part
def _copy_row(outer: int, row: int, weight: np.float32, edges: Any) -> None:
    """Write the ghost points in a row outside the grid."""
    n = edges.nx + 2
    outside, inside = numba.carray(float_pointer(outer - SIZE), n), numba.carray(float_pointer(row - SIZE), n)
    for j in range(n):
        outside[j] = weight * inside[j]
    if edges.wraps_x:
        close_row(outer, edges)


@part
def zero_row(outer: int, edges: Any) -> None:
    """Let a row outside the grid be zeros."""
    points = numba.carray(float_pointer(outer - SIZE), edges.nx + 2)
    for j in range(edges.nx + 2):
        points[j] = ZERO


@part
def show_row(level: int, i: int, edges: Any) -> None:
    """Write the ghost points above the first row and below the last whose source is the row `i`."""
    row, last = level + i * edges.stride, edges.nz - 1
    if edges.north != ZERO and i == (last if edges.wraps_z else 0):
        _copy_row(level - edges.stride, row, edges.north, edges)
    if edges.south != ZERO and i == (0 if edges.wraps_z else last):
        _copy_row(level + edges.nz * edges.stride, row, edges.south, edges)


@part
def surround(level: int, edges: Any) -> None:
    """Write all ghost points of a level."""
    zero_row(level - edges.stride, edges)
    zero_row(level + edges.nz * edges.stride, edges)
    for i in range(edges.nz):
        close_row(level + i * edges.stride, edges)
        show_row(level, i, edges)


@part
def surround_rows(level: int, top: int, bottom: int, edges: Any) -> None:
    """Write the ghost points beside the rows `top` to `bottom` − 1, and above and below them at the grid's edges."""
    if edges.west != ZERO or edges.east != ZERO:
        for i in range(top, bottom):
            close_row(level + i * edges.stride, edges)
    if top == 0 or bottom == edges.nz:
        for i in range(top, bottom):
            show_row(level, i, edges)

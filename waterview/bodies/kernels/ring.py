"""The ring around a body that gives what the body lifts, so that every basin keeps its volume.

The weight of a point at a distance r from the body's middle, in outer radii, is (r² − 1/RING²)(1 − r²) where that is
above 0: PEAK − (r² − MIDDLE)².
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from waterview.simd.jit import float_pointer, int_pointer, jit
from waterview.simd.vectors import SIZE

from .rows import ZERO, place_in
from .windows import Basins, Floats, Window, total

Squares = tuple[Floats, Floats]

RING = 1.4
"""Outer radius of the ring, in inner radii."""

LIGHTEST = 0.2
"""Sum of weights that a ring needs to give volume; where it has less, all points around the body share it."""

MIDDLE, PEAK = np.float32(0.5 + 0.5 / RING**2), np.float32((0.5 - 0.5 / RING**2) ** 2)


@jit
def in_levels(world: Any, row: int, column: int) -> tuple[int, int]:
    """Addresses of a grid point in both time levels."""
    first = world.first[0] + (row * world.first[1] + column) * SIZE
    return first, world.second[0] + (row * world.second[1] + column) * SIZE


@jit
def ring_squares(body: Any, world: Any, outer: float, window: Window) -> Squares:
    """Squares of the points' distances from the body along z, less `MIDDLE`, and along x, in units of `outer` cells."""
    room = np.empty(window[2] + window[3], np.float32)
    rows, columns = room[: window[2]], room[window[2] :]
    middle_x, middle_z = (body.position[0] - world.x) / world.spacing, (body.position[2] - world.z) / world.spacing
    share = 1.0 / outer
    for i in range(window[2]):
        rows[i] = np.float32(((window[0] + i - middle_z) * share) ** 2) - MIDDLE
    for j in range(window[3]):
        columns[j] = np.float32(((window[1] + j - middle_x) * share) ** 2)
    return rows, columns


# --- where there is land, or an edge of the grid


@jit
def _sum_in_basin(sums: int, squares: int, basins: int, n: int, number: np.int32, z: np.float32) -> None:
    """Add the weights of a row, `z` and the `squares` of `ring_squares`, where a point of `basins` has the number."""
    s, q = numba.carray(float_pointer(sums), n), numba.carray(float_pointer(squares), n)
    b = numba.carray(int_pointer(basins), n)
    for j in range(n):
        weight = max(PEAK - (z + q[j]) * (z + q[j]), ZERO)
        s[j] += weight if b[j] == number else ZERO


@jit
def _add_in_basin(
    places: tuple[int, int], squares: int, basins: int, n: int, number: np.int32, z: np.float32, factor: np.float32
) -> None:
    """Add the same weights times `factor` to two rows."""
    f, s = numba.carray(float_pointer(places[0]), n), numba.carray(float_pointer(places[1]), n)
    q, b = numba.carray(float_pointer(squares), n), numba.carray(int_pointer(basins), n)
    for j in range(n):
        weight = max(PEAK - (z + q[j]) * (z + q[j]), ZERO) * factor
        weight = weight if b[j] == number else ZERO
        f[j] += weight
        s[j] += weight


@jit
def take_from_ring(
    body: Any, world: Any, outer: float, window: Window, volume: float, basins: Basins, number: int
) -> bool:
    """Take a volume from what of the ring lies in one of `basins`; whether that is large enough.

    Args:
        body: in whose middle it lies.
        world: time levels to take it from.
        outer: outer radius of the ring [cells].
        window: what of the grid holds it.
        volume: [cells m].
        basins: as in `records.Ground`.
        number: of the basin.
    """
    along_z, along_x = ring_squares(body, world, outer, window)
    count, own = window[3], np.int32(number)
    sums = np.zeros(count, np.float32)
    for i in range(window[2]):
        wet = place_in(basins, window[0] + i, window[1])
        _sum_in_basin(sums.ctypes.data, along_x.ctypes.data, wet, count, own, along_z[i])
    weight = total(sums)
    if weight < LIGHTEST:
        return False
    factor = np.float32(-volume / weight)
    for i in range(window[2]):
        wet = place_in(basins, window[0] + i, window[1])
        places = in_levels(world, window[0] + i, window[1])
        _add_in_basin(places, along_x.ctypes.data, wet, count, own, along_z[i], factor)
    return True

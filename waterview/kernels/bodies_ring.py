"""The ring around a body that gives what the body lifts, so that every basin keeps its volume.

The weight of a point at a distance r from the body's middle, in outer radii, is max(0, (r² − 1/RING²)(1 − r²)).
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from .bodies import STRIP
from .bodies_rows import HERE, WIDTH, ZERO, Ends, place_in, positive
from .bodies_windows import Basins, Floats, Window, total
from .jit import float_pointer, int_pointer, jit, part
from .vector_sums import lane_sum
from .vectors import SIZE, filled, give, load_anywhere

Spans = NDArray[np.int64]
Squares = tuple[Floats, Floats]

RING = 1.4
"""Outer radius of the ring, in inner radii."""

LIGHTEST = 0.2
"""Sum of weights that a ring needs to give volume; where it has less, all points around the body share it."""

ONE, INSIDE = np.float32(1.0), np.float32(1.0 / RING**2)


@jit
def in_levels(world: Any, row: int, column: int) -> tuple[int, int]:
    """Addresses of a grid point in both time levels."""
    first = world.first[0] + (row * world.first[1] + column) * SIZE
    return first, world.second[0] + (row * world.second[1] + column) * SIZE


@jit
def ring_squares(body: Any, world: Any, outer: float, window: Window) -> Squares:
    """Squares of the points' distances from the body along z and along x, in units of `outer` cells: rows, columns."""
    room = np.empty(window[2] + window[3], np.float32)
    rows, columns = room[: window[2]], room[window[2] :]
    middle_x, middle_z = (body.position[0] - world.x) / world.spacing, (body.position[2] - world.z) / world.spacing
    share = 1.0 / outer
    for i in range(window[2]):
        rows[i] = np.float32(((window[0] + i - middle_z) * share) ** 2)
    for j in range(window[3]):
        columns[j] = np.float32(((window[1] + j - middle_x) * share) ** 2)
    return rows, columns


# --- in open water


@jit
def place_of(row: Floats, k: int) -> int:
    """Address of a row's k-th strip."""
    return int(row.ctypes.data + k * STRIP * SIZE)


@jit
def _rows_of(middle: float, half: float, rows: int) -> tuple[int, int]:
    """The first of so many rows that is nearer to the middle than `half`, and the one after the last."""
    first = min(max(math.ceil(middle - half), 0), rows)
    return first, max(min(math.floor(middle + half) + 1, rows), first)


@jit
def _spans(outer: float, middle: tuple[float, float], rows: int, spans: Spans) -> None:
    """For every strip the rows in which the ring may lie: first, end of the upper part, first of the lower one, end.

    Where a strip lies wholly in the hole it is left out.

    Args:
        outer: outer radius [cells].
        middle: row and column of the body from the window's first.
        rows: of the window.
        spans: output, shape (strips, 4).
    """
    for k in range(spans.shape[0]):
        left, right = k * STRIP - middle[1], k * STRIP + STRIP - 1 - middle[1]
        near, far, radius = max(left, -right, 0.0), max(-left, right), outer / RING
        reach, hole = outer * outer - near * near, radius * radius - far * far
        first, end = _rows_of(middle[0], math.sqrt(max(reach, 0.0)), rows)
        stop, begin = _rows_of(middle[0], math.sqrt(max(hole, 0.0)), rows)
        spans[k, 0], spans[k, 3] = first, end
        spans[k, 1], spans[k, 2] = (stop, begin) if hole > 0.0 else (end, end)


@part
def _weigh(many: Any, squares: int, along_z: Floats, first: int, end: int) -> Any:
    """`many` with the weights of a strip, whose squares are given by address, in some rows."""
    q = load_anywhere(WIDTH, squares)
    for i in range(first, end):
        many = many + positive((along_z[i] - INSIDE + q) * (ONE - along_z[i] - q))
    return many


@jit
def _lift_rows(
    world: Any, window: Window, squares: Squares, spans: Spans, factor: np.float32, change: Floats, spread: Window
) -> None:
    """Add the same weights times `factor`, and the change, to both time levels: row by row, as they lie in memory."""
    (along_z, along_x), share, into = squares, np.float32(world.displacement), (spread[1] - window[1]) // STRIP
    for i in range(window[2]):
        inner, outer, row = along_z[i] - INSIDE, ONE - along_z[i], window[0] + i - spread[0]
        first, second = in_levels(world, window[0] + i, window[1])
        changes = 0 <= row < spread[2]
        for k in range(spans.shape[0]):
            lifts = changes and into <= k < into + spread[3] // STRIP
            if lifts or spans[k, 0] <= i < spans[k, 3]:
                at, q = k * STRIP * SIZE, load_anywhere(WIDTH, place_of(along_x, k))
                added = factor * positive((inner + q) * (outer - q))
                if lifts:
                    added = added + share * load_anywhere(WIDTH, place_in(change, row, (k - into) * STRIP))
                give(HERE, first + at, load_anywhere(WIDTH, first + at) + added)
                give(HERE, second + at, load_anywhere(WIDTH, second + at) + added)


@jit
def lift_in_open_water(
    body: Any, world: Any, outer: float, window: Window, volume: float, change: Floats, spread: Window
) -> None:
    """Lift the surface by a share of a change, and take its volume from a ring that lies in one basin.

    Args:
        body: in whose middle the ring lies.
        world: share, and time levels to lift.
        outer: outer radius of the ring [cells].
        window: holds the ring; as `spread` it is aligned.
        volume: sum of what is lifted [cells m]; below 0 it is given.
        change: [m], on the window `spread`.
        spread: inside the other.
    """
    squares = ring_squares(body, world, outer, window)
    along_z, along_x = squares
    spans, many = np.empty((window[3] // STRIP, 4), np.int64), filled(WIDTH, ZERO)
    middle_x, middle_z = (body.position[0] - world.x) / world.spacing, (body.position[2] - world.z) / world.spacing
    _spans(outer, (middle_z - window[0], middle_x - window[1]), window[2], spans)
    for k in range(spans.shape[0]):
        many = _weigh(many, place_of(along_x, k), along_z, spans[k, 0], spans[k, 1])
        many = _weigh(many, place_of(along_x, k), along_z, spans[k, 2], spans[k, 3])
    factor = np.float32(-volume / lane_sum(many))
    _lift_rows(world, window, squares, spans, factor, change, spread)


# --- where there is land, or an edge of the grid


@jit
def _sum_in_basin(sums: int, squares: int, basins: int, n: int, number: np.int32, ends: Ends) -> None:
    """Add weights (q − a)(b − q), of `squares` q and `ends` a and b, where a point of `basins` has the number."""
    s, q = numba.carray(float_pointer(sums), n), numba.carray(float_pointer(squares), n)
    b = numba.carray(int_pointer(basins), n)
    for j in range(n):
        weight = max((q[j] - ends[0]) * (ends[1] - q[j]), ZERO)
        s[j] += weight if b[j] == number else ZERO


@jit
def _add_in_basin(
    places: tuple[int, int], squares: int, basins: int, n: int, number: np.int32, ends: Ends, factor: np.float32
) -> None:
    """Add the same weights times `factor` to two rows."""
    f, s = numba.carray(float_pointer(places[0]), n), numba.carray(float_pointer(places[1]), n)
    q, b = numba.carray(float_pointer(squares), n), numba.carray(int_pointer(basins), n)
    for j in range(n):
        weight = max((q[j] - ends[0]) * (ends[1] - q[j]), ZERO) * factor
        weight = weight if b[j] == number else ZERO
        f[j] += weight
        s[j] += weight


@jit
def take_from_ring(
    body: Any, world: Any, outer: float, window: Window, volume: float, basins: Basins, number: int
) -> bool:
    """As `take_from_open_ring`, from one of `basins` alone; whether the ring is large enough there.

    Args:
        body: in whose middle it lies.
        world: time levels to take it from.
        outer: outer radius of the ring [cells].
        window: what of the grid holds it.
        volume: [cells m].
        basins: as in `bodies.Ground`.
        number: of the basin.
    """
    along_z, along_x = ring_squares(body, world, outer, window)
    count, own = window[3], np.int32(number)
    sums = np.zeros(count, np.float32)
    for i in range(window[2]):
        ends = (INSIDE - along_z[i], ONE - along_z[i])
        wet = place_in(basins, window[0] + i, window[1])
        _sum_in_basin(sums.ctypes.data, along_x.ctypes.data, wet, count, own, ends)
    weight = total(sums)
    if weight < LIGHTEST:
        return False
    factor = np.float32(-volume / weight)
    for i in range(window[2]):
        ends, wet = (INSIDE - along_z[i], ONE - along_z[i]), place_in(basins, window[0] + i, window[1])
        places = in_levels(world, window[0] + i, window[1])
        _add_in_basin(places, along_x.ctypes.data, wet, count, own, ends, factor)
    return True

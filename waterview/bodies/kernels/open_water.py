"""How a body lifts open water: a smoothed change of its columns, and a ring around it that gives what this is.

Everything is done in vectors on whole strips of the grid, each of them from top to bottom: so the rows that smoothing
needs stay in registers, as does the place of the strip in the ring.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import jit, part
from waterview.simd.vector_sums import lane_sum
from waterview.simd.vectors import SIZE, filled, give, left_of, load_anywhere, right_of, second_left_of, second_right_of

from .records import STRIP
from .ring import PEAK, RING, in_levels, ring_squares
from .rows import HERE, WIDTH, ZERO, place_in, positive
from .windows import Floats, Window

SPREAD = 2
"""Points by which a change spreads where it is smoothed by ¼, ½, ¼ twice."""

GAIN = 16.0
"""Sum of the weights 1, 4, 6, 4, 1 of both times along one axis."""

FOUR, SIX = np.float32(4.0), np.float32(6.0)

Spans = NDArray[np.int64]
Places = tuple[int, int, int, int]
"""Addresses of a strip in a row of both time levels, and the bytes to the next row in each."""


@jit
def lift_open_water(body: Any, world: Any, outer: float, window: Window, change: Floats, spread: Window) -> float:
    """Lift the surface by a share of a change, smoothed, and take its volume from the ring; returns it [cells m].

    Args:
        body: in whose middle the ring lies.
        world: share, and time levels to lift.
        outer: outer radius of the ring [cells].
        window: of strips; holds the ring and what is lifted.
        change: [m], on the window `spread` but for the first `SPREAD` rows of it, which come last, as zeros; so do the
            last `SPREAD` rows, and as many columns on either side are 0. Overwritten.
        spread: of strips; what the change is smoothed over.
    """
    volume = world.displacement * _smooth_rows(change)
    along_z, along_x = ring_squares(body, world, outer, window)
    spans, many = np.empty((window[3] // STRIP, 4), np.int64), filled(WIDTH, ZERO)
    middle_x, middle_z = (body.position[0] - world.x) / world.spacing, (body.position[2] - world.z) / world.spacing
    _spans(outer, (middle_z - window[0], middle_x - window[1]), window[2], spans)
    for k in range(spans.shape[0]):
        x = load_anywhere(WIDTH, along_x.ctypes.data + k * STRIP * SIZE)
        many = _weigh(many, x, along_z, spans[k, 0], spans[k, 1])
        many = _weigh(many, x, along_z, spans[k, 2], spans[k, 3])
    factor, share = np.float32(-volume / lane_sum(many)), np.float32(world.displacement / (GAIN * GAIN))
    top, left = spread[0] - window[0], (spread[1] - window[1]) // STRIP
    for k in range(spans.shape[0]):
        x = load_anywhere(WIDTH, along_x.ctypes.data + k * STRIP * SIZE)
        one, other = in_levels(world, window[0], window[1] + k * STRIP)
        places = one, other, world.first[1] * SIZE, world.second[1] * SIZE
        first, end, stop = spans[k, 0], spans[k, 3], top + spread[2]
        if left <= k < left + spread[3] // STRIP:
            _lift_ring(places, along_z, x, factor, first, min(top, end))
            _lift_change(places, along_z, x, factor, top, change, (k - left) * STRIP, share)
            _lift_ring(places, along_z, x, factor, max(stop, first), end)
        else:
            _lift_ring(places, along_z, x, factor, first, end)
    return float(volume)


@jit
def _smooth_rows(change: Floats) -> float:
    """Smooth all rows but the last ones by 1, 4, 6, 4, 1 and return the sum, over `GAIN`."""
    total = filled(WIDTH, ZERO)
    for i in range(change.shape[0] - 2 * SPREAD):
        before, row = filled(WIDTH, ZERO), place_in(change, i, 0)
        here = load_anywhere(WIDTH, row)
        for k in range(change.shape[1] // STRIP):
            place = row + k * STRIP * SIZE
            after = load_anywhere(WIDTH, place + STRIP * SIZE)  # behind the last, the next row begins with zeros
            far = second_left_of(before, here) + second_right_of(here, after)
            smooth = far + FOUR * (left_of(before, here) + right_of(here, after)) + SIX * here
            give(HERE, place, smooth)
            total, before, here = total + smooth, here, after
    return float(lane_sum(total) / GAIN)


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
def _weight(z: np.float32, x: Any) -> Any:
    """The ring's weights on a strip; `z` and `x` of `ring_squares`."""
    away = z + x
    return positive(PEAK - away * away)


@part
def _weigh(many: Any, x: Any, along_z: Floats, first: int, end: int) -> Any:
    """`many` with the weights of a strip in some rows."""
    for i in range(first, end):
        many = many + _weight(along_z[i], x)
    return many


@part
def _add(places: Places, i: int, added: Any) -> None:
    one, other = places[0] + i * places[2], places[1] + i * places[3]
    give(HERE, one, load_anywhere(WIDTH, one) + added)
    give(HERE, other, load_anywhere(WIDTH, other) + added)


@part
def _lift_ring(places: Places, along_z: Floats, x: Any, factor: np.float32, first: int, end: int) -> None:
    """Add `factor` times the ring's weights on a strip, in some rows."""
    for i in range(first, end):
        _add(places, i, factor * _weight(along_z[i], x))


@part
def _lift_change(
    places: Places,
    along_z: Floats,
    x: Any,
    factor: np.float32,
    top: int,
    change: Floats,
    column: int,
    share: np.float32,
) -> None:
    """The same from the row `top` on, and `share` times a change, smoothed: by sums of neighbours, four times."""
    last = one = two = three = filled(WIDTH, ZERO)
    for i in range(change.shape[0]):
        here = load_anywhere(WIDTH, place_in(change, i, column))
        pair = here + last
        triple = pair + one
        fourfold = triple + two
        _add(places, top + i, factor * _weight(along_z[top + i], x) + share * (fourfold + three))
        last, one, two, three = here, pair, triple, fourfold

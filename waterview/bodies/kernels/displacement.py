"""How a body pushes water aside: what its columns grow by lifts the surface, and a ring around it gives the volume.

After Müller (2008) and Riehm: the change of the displaced columns is smoothed twice, into copies, and a share of it is
added to the heights. The sum of what is added is 0 in every basin: it is taken back from a ring around the body.
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import float_pointer, jit
from waterview.simd.vector_sums import sum_of
from waterview.simd.vectors import SIZE, give, load_anywhere

from .columns import SMALL, heap_columns, mesh_columns, place_vertices, sphere_columns, window_of
from .open_water import SPREAD, lift_open_water
from .records import STRIP
from .ring import RING, in_levels, take_from_ring
from .rows import HERE, WIDTH, ZERO, add_both, in_strips, place_in, scale
from .windows import (
    Basins,
    Floats,
    Window,
    is_aligned,
    is_open,
    keep_wet,
    of_strips,
    only_basin,
    smooth_basins,
    union,
    widened,
)

MARGIN = 4
"""Cells between the columns and the ring."""

RESTING = 1e-6
"""Motion, as a share of the body's reach, that waits until it is more: so bodies at rest cost little."""

MOST_BASINS = 8

Extent = tuple[float, float, float]
"""Of a body around its middle: half its width, its top and its bottom [m]."""

ONE = np.float32(1.0)
LINE = 16  # floats on a line of the cache


@jit
def rests(body: Any) -> bool:
    """Whether body and surface are where they were when the columns were remembered, but for `RESTING`."""
    moved = turned = 0.0
    for k in range(3):
        moved += abs(body.position[k] - body.pose[k])
    for k in range(4):
        turned += abs(body.orientation[k] - body.pose[3 + k])
    raised = abs(body.mean_level - body.pose[7])
    if body.form == 0:
        turned = 0.0
    return bool(moved + raised + 2.0 * turned * body.reach < RESTING * body.reach)


@jit
def extent_of(body: Any, world: Any, vertices: NDArray[np.float64], work: NDArray[np.float64]) -> Extent:
    """How far the body's columns reach; the places of a mesh's vertices go into `work`."""
    half = top = 0.5 * body.scale[0]
    bottom = -top
    if body.form != 0:
        half, top, bottom = place_vertices(body, vertices, work)
    if body.reach < SMALL * world.spacing:
        half = SMALL * world.spacing
    return half, top, bottom


@jit
def fill_columns(
    body: Any,
    world: Any,
    window: Window,
    extent: Extent,
    faces: NDArray[np.int64],
    work: NDArray[np.float64],
    out: Floats,
) -> None:
    """Write the columns [m] of the body where it is now into `out`, whose rows are the window's in whole strips.

    The water's level is the mean around the body of late, not the waves of the moment: then waves push nothing aside
    but by moving the body, and what a body takes from them it cannot give back to them twice.

    A body under water lifts the surface less: its columns shrink by e^(−d/reach) at a depth d of its top.
    """
    half, top, bottom = extent
    if body.reach < SMALL * world.spacing:
        heap_columns(body, world, window, half, (top, bottom), out)
    elif body.form == 0:
        sphere_columns(body, world, window, out)
    else:
        mesh_columns(body, world, window, work, faces, out)
    deep = body.mean_level - body.position[1] - top
    if deep > 0.0:
        scale(place_in(out, 0, 0), out.size, np.float32(math.exp(-deep / body.reach)))


@jit
def remember(body: Any, window: Window) -> None:
    """Note where body and surface are, whose columns are in the pool now."""
    body.columns[0], body.columns[1], body.columns[2], body.columns[3] = window
    for k in range(3):
        body.pose[k] = body.position[k]
    for k in range(4):
        body.pose[3 + k] = body.orientation[k]
    body.pose[7] = body.mean_level


@jit
def columns_of(body: Any, window: Window, pool: Floats) -> Floats:
    """The body's part of the pool, for a window of columns: a view, whose rows are whole strips."""
    place = place_in(pool, 0, body.pool_start)
    return numba.carray(float_pointer(place), (window[2], in_strips(window[3])))  # type: ignore[no-any-return]


@jit
def add_columns(change: Floats, whole: Window, columns: Floats, window: Window, factor: np.float32) -> None:
    """Add columns on a window, times a factor, to a change on the window `whole`, which holds it.

    Beyond the window there are zeros: they may run on into the next row, which is why the change has one more.
    """
    row, column = window[0] - whole[0], window[1] - whole[1]
    for i in range(window[2]):
        out, place = place_in(change, row + i, column), place_in(columns, i, 0)
        for k in range(columns.shape[1] // STRIP):
            at = k * STRIP * SIZE
            give(HERE, out + at, load_anywhere(WIDTH, out + at) + factor * load_anywhere(WIDTH, place + at))


@jit
def share_out(change: Floats, window: Window, basins: Basins) -> None:
    """Make the sum of a change zero in each basin of a window by taking it evenly from all the basin's points there.

    This is for corners: several basins side by side, or so little water that there is no ring. What belongs to more
    than eight basins is dropped.
    """
    numbers, sums = np.zeros(MOST_BASINS, np.int32), np.zeros((MOST_BASINS, 2))
    for second in range(2):
        for i in range(window[2]):
            for j in range(window[3]):
                number, k = basins[window[0] + i, window[1] + j], 0
                while k < MOST_BASINS and numbers[k] != number and numbers[k] != 0:
                    k += 1
                if number == 0 or k == MOST_BASINS:
                    change[i, j] = ZERO
                elif second == 0:
                    numbers[k] = number
                    sums[k, 0] += change[i, j]
                    sums[k, 1] += 1.0
                else:
                    change[i, j] -= np.float32(sums[k, 0] / sums[k, 1])


@jit
def lift(world: Any, array: Floats, window: Window, share: float) -> None:
    """Add a share of an array on a window to both time levels."""
    for i in range(window[2]):
        row = window[0] + i
        out, other = in_levels(world, row, window[1])
        add_both(out, other, place_in(array, i, 0), window[3], np.float32(share))


@jit
def note_touched(world: Any, window: Window) -> None:
    """Widen the window that was touched in this step."""
    touched = world.touched
    touched[0], touched[1] = min(touched[0], window[0]), min(touched[1], window[1])
    touched[2], touched[3] = max(touched[2], window[0] + window[2]), max(touched[3], window[1] + window[3])


@jit
def zeros_on(window: Window) -> Floats:
    """Zeros on a window, and a row more; they begin on a line of the cache."""
    rows, columns = window[2], window[3]
    room = np.empty((rows + 1) * columns + LINE, np.float32)
    first = (-room.ctypes.data // SIZE) % LINE
    change = room[first : first + (rows + 1) * columns]
    change[:] = ZERO
    return change.reshape(rows + 1, columns)


@jit
def _sum(change: Floats) -> float:
    return sum_of(place_in(change, 0, 0), change.size)


@jit
def _lift_basins(
    body: Any, world: Any, outer: float, whole: Window, change: Floats, frame: Window, basins: Basins
) -> float:
    """As `open_water.lift_open_water`, in windows that need not be of strips, where there is land or an edge."""
    smooth_basins(change, np.empty_like(change), frame, basins)
    volume = world.displacement * _sum(change)
    number = only_basin(basins, whole)
    if number == 0 or not take_from_ring(body, world, outer, whole, volume, basins, number):
        share_out(change, frame, basins)
    lift(world, change, frame, world.displacement)
    return float(volume)


@jit
def push_aside(
    body: Any,
    world: Any,
    vertices: NDArray[np.float64],
    faces: NDArray[np.int64],
    work: NDArray[np.float64],
    pool: Floats,
    basins: Basins,
    blocks: Basins,
) -> None:
    """Lift the surface by what the body has displaced since its columns were last remembered."""
    if body.remembered and rests(body):
        return
    extent, shape = extent_of(body, world, vertices, work), basins.shape
    x, z, half = body.position[0], body.position[2], extent[0]
    window = window_of(world, shape, (x - half, z - half), (x + half, z + half))
    if window[2] * in_strips(window[3]) > body.pool_size:
        return  # there is room for every body wherever it turns; compiled code looks twice
    old = (body.columns[0], body.columns[1], body.columns[2], body.columns[3])
    touched, columns = union(window, old), columns_of(body, window, pool)
    if not body.remembered or touched[2] == 0 or touched[3] == 0:
        fill_columns(body, world, window, extent, faces, work, columns)
        keep_wet(columns, window, basins)
        remember(body, window)
        return
    inner = half / world.spacing
    outer = RING * (inner + MARGIN)
    margin = int(outer - inner) + 2
    whole = widened(touched, margin, shape)
    strips = of_strips(whole, shape[1])
    inside = whole[2] == touched[2] + 2 * margin and whole[3] == touched[3] + 2 * margin
    clear = inside and is_aligned(strips) and is_open(blocks, whole)
    spread = of_strips(widened(touched, SPREAD if clear else 2 * SPREAD, shape), shape[1])
    # In open water the rows to be smoothed come first, and as many zeros as they spread by behind them.
    frame = (touched[0], spread[1], spread[2], spread[3]) if clear else spread
    change = zeros_on(frame)
    add_columns(change, frame, columns_of(body, old, pool), old, -ONE)
    fill_columns(body, world, window, extent, faces, work, columns)
    if not clear:
        keep_wet(columns, window, basins)
    add_columns(change, frame, columns, window, ONE)
    remember(body, window)
    if clear:
        lifted = lift_open_water(body, world, outer, strips, change[: frame[2]], spread)
    else:
        lifted = _lift_basins(body, world, outer, whole, change[: frame[2]], frame, basins)
    note_touched(world, whole)
    # The body sees what it has lifted: its mean over the disc that the plane is fitted to.
    body.surface[0] += lifted / (math.pi * (body.reach / world.spacing) ** 2)

"""How a body pushes water aside: what its columns grow by lifts the surface, and a ring around it gives the volume.

After Müller (2008) and Riehm: the change of the displaced columns is smoothed twice, into copies, and a share of it is
added to the heights. The sum of what is added is 0 in every basin: it is taken back from a ring around the body.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .bodies_columns import SMALL, heap_columns, mesh_columns, place_vertices, sphere_columns, window_of
from .bodies_rows import SIZE, ZERO, add, add_both, add_ring, copy, place_in, ring_sums, scale
from .bodies_windows import (
    Basins,
    Floats,
    Window,
    is_open,
    keep_wet,
    only_basin,
    smooth_basins,
    smooth_open,
    total,
    union,
    widened,
)
from .jit import jit

MARGIN = 4
"""Cells around the columns that smoothing needs: it spreads them by two and looks two further."""

RING = 1.4
"""Outer radius of the ring, in inner radii."""

RESTING = 1e-6
"""Motion, as a share of the body's reach, that waits until it is more: so bodies at rest cost little."""

LIGHTEST = 0.2
"""Sum of weights that a ring needs to give volume; where it has less, all points around the body share it."""

MOST_BASINS = 8

ONE, INSIDE = np.float32(1.0), np.float32(1.0 / RING**2)


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
def fresh_columns(
    body: Any,
    world: Any,
    vertices: NDArray[np.float64],
    faces: NDArray[np.int64],
    work: NDArray[np.float64],
    shape: tuple[int, int],
) -> tuple[Window, Floats, float]:
    """Window and columns [m] of the body where it is now, and half its width [m].

    The water's level is the mean around the body of late, not the waves of the moment: then waves push nothing aside
    but by moving the body, and what a body takes from them it cannot give back to them twice.

    A body under water lifts the surface less: its columns shrink by e^(−d/reach) at a depth d of its top.
    """
    x, y, z = body.position[0], body.position[1], body.position[2]
    half = top = 0.5 * body.scale[0]
    bottom = -top
    if body.form != 0:
        half, top, bottom = place_vertices(body, vertices, work)
    small = body.reach < SMALL * world.spacing
    if small:
        half = SMALL * world.spacing
    window = window_of(world, shape, (x - half, z - half), (x + half, z + half))
    columns = np.empty((window[2], window[3]), np.float32)
    if small:
        heap_columns(body, world, window, half, (top, bottom), columns)
    elif body.form == 0:
        sphere_columns(body, world, window, columns)
    else:
        mesh_columns(body, world, window, work, faces, columns)
    deep = body.mean_level - y - top
    if deep > 0.0:
        felt = np.float32(math.exp(-deep / body.reach))
        for i in range(window[2]):
            scale(place_in(columns, i, 0), window[3], felt)
    return window, columns, half


@jit
def remember(body: Any, window: Window, columns: Floats, pool: Floats) -> None:
    """Keep the columns in the body's part of the pool, which is large enough for them wherever it turns."""
    body.columns[0], body.columns[1], body.columns[2], body.columns[3] = window
    if window[2] * window[3] <= body.pool_size:
        copy(place_in(pool, 0, body.pool_start), place_in(columns, 0, 0), window[2] * window[3])
    for k in range(3):
        body.pose[k] = body.position[k]
    for k in range(4):
        body.pose[3 + k] = body.orientation[k]
    body.pose[7] = body.mean_level


@jit
def change_of(body: Any, window: Window, columns: Floats, whole: Window, pool: Floats) -> Floats:
    """What the columns have changed by since they were remembered, on the window `whole`."""
    change = np.zeros((whole[2], whole[3]), np.float32)
    row, column = window[0] - whole[0], window[1] - whole[1]
    for i in range(window[2]):
        add(place_in(change, row + i, column), place_in(columns, i, 0), window[3], ONE)
    row, column, length = body.columns[0] - whole[0], body.columns[1] - whole[1], body.columns[3]
    for i in range(body.columns[2]):
        start = place_in(pool, 0, body.pool_start + i * length)
        add(place_in(change, row + i, column), start, length, -ONE)
    return change


@jit
def sum_of(change: Floats) -> float:
    """The sum of an array."""
    length = min(64, change.size)
    sums, start = np.zeros(length, np.float32), change.ctypes.data
    for k in range(0, change.size, length):
        add(sums.ctypes.data, start + k * SIZE, min(length, change.size - k), ONE)
    return total(sums)


@jit
def ring_squares(body: Any, world: Any, outer: float, window: Window) -> tuple[Floats, Floats]:
    """Squares of the points' distances from the body along z and along x, in units of `outer` cells: rows, columns."""
    rows, columns = np.empty(window[2], np.float32), np.empty(window[3], np.float32)
    middle_x, middle_z = (body.position[0] - world.x) / world.spacing, (body.position[2] - world.z) / world.spacing
    for i in range(window[2]):
        rows[i] = np.float32(((window[0] + i - middle_z) / outer) ** 2)
    for j in range(window[3]):
        columns[j] = np.float32(((window[1] + j - middle_x) / outer) ** 2)
    return rows, columns


@jit
def in_levels(world: Any, row: int, column: int) -> tuple[int, int]:
    """Addresses of a grid point in both time levels."""
    first = world.first[0] + (row * world.first[1] + column) * SIZE
    return first, world.second[0] + (row * world.second[1] + column) * SIZE


@jit
def take_back(
    squares: tuple[Floats, Floats],
    window: Window,
    basins: Basins,
    number: int,
    volume: float,
    world: Any,
) -> bool:
    """Take a volume [cells m] from a ring in one basin; whether the ring is large enough there.

    The weight of a point at a distance r, in outer radii, is max(0, (r² − 1/RING²)(1 − r²)).

    Args:
        squares: of `ring_squares`.
        window: that of the ring.
        basins: as in `bodies.Ground`.
        number: of the basin.
        volume: below 0 it is given.
        world: time levels to take it from.
    """
    along_z, along_x = squares
    count, places, own = window[3], along_x.ctypes.data, np.int32(number)
    sums = np.zeros(count, np.float32)
    for i in range(window[2]):
        ends = (INSIDE - along_z[i], ONE - along_z[i])
        ring_sums(sums.ctypes.data, places, place_in(basins, window[0] + i, window[1]), count, own, ends)
    weight = total(sums)
    if weight < LIGHTEST:
        return False
    factor = np.float32(-volume / weight)
    for i in range(window[2]):
        row, ends = window[0] + i, (INSIDE - along_z[i], ONE - along_z[i])
        out, other = in_levels(world, row, window[1])
        add_ring(out, other, places, place_in(basins, row, window[1]), count, own, ends, factor)
    return True


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
    window, columns, half = fresh_columns(body, world, vertices, faces, work, basins.shape)
    old = (body.columns[0], body.columns[1], body.columns[2], body.columns[3])
    touched = union(window, old)
    if not body.remembered or touched[2] == 0 or touched[3] == 0:
        keep_wet(columns, window, basins)
        remember(body, window, columns, pool)
        return
    outer = RING * (half / world.spacing + MARGIN)
    margin = int(outer - half / world.spacing) + 2
    spread, whole = widened(touched, MARGIN, basins.shape), widened(touched, margin, basins.shape)
    clear = whole[2] == touched[2] + 2 * margin and whole[3] == touched[3] + 2 * margin and is_open(blocks, whole)
    number = basins[whole[0], whole[1]] if clear else only_basin(basins, whole)
    if not clear:
        keep_wet(columns, window, basins)
    change = change_of(body, window, columns, spread, pool)
    remember(body, window, columns, pool)
    if clear:
        smooth_open(change)
    else:
        smooth_basins(change, spread, basins)
    lifted = world.displacement * sum_of(change)
    squares = ring_squares(body, world, outer, whole)
    note_touched(world, whole)
    if number == 0 or not take_back(squares, whole, basins, number, lifted, world):
        share_out(change, spread, basins)
    lift(world, change, spread, world.displacement)
    # The body sees what it has lifted: its mean over the disc that the plane is fitted to.
    body.surface[0] += lifted / (math.pi * (body.reach / world.spacing) ** 2)

"""How a body pushes water aside: what its columns grow by lifts the surface, and a ring around it gives the volume.

After Müller (2008) and Riehm: the change of the displaced columns is smoothed twice, and a share of it is added to the
heights. The ring gives what that is in all, so that every basin keeps its volume.

All of this is computed on windows of the grid around the body, in arrays of their own: the `frame` holds the smoothed
change, the `domain` the ring. Their rows are whole strips and may reach beyond the grid. Points out there count as
land, as do those of other basins, so that no loop needs a special case.
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import callee, float_pointer, part
from waterview.simd.vector_sums import sum_of
from waterview.simd.vectors import SIZE, give, load_anywhere

from .columns import (
    CACHED,
    WIDTH,
    ZERO,
    Floats,
    columns_in,
    extent_of,
    fill_columns,
    place_of,
    whole_strips,
    window_of,
)
from .records import BLOCK, SPHERE, STRIP, Ground, Window

SPREAD = 2
"""Points by which a change spreads where it is smoothed by ¼, ½, ¼ twice."""

RING = 1.4
"""Outer radius of the ring, in inner radii."""

RING_MIDDLE, RING_PEAK = np.float32(0.5 + 0.5 / RING**2), np.float32((0.5 - 0.5 / RING**2) ** 2)
"""At a distance r from the body's middle, in outer radii, the ring weighs (r² − 1/RING²)(1 − r²) where that is above 0:
RING_PEAK − (r² − RING_MIDDLE)²."""

MARGIN = 4
"""Cells between the columns and the ring."""

LIGHTEST = 0.2
"""Sum of weights that a ring needs to give volume; where it has less, all points around the body share it."""

RESTING = 1e-6
"""Motion, as a share of the bounding radius, that waits until it is more: so bodies at rest cost little."""

RECUT = 0.25
"""How far the mean level around a body may be from the cut level of its columns, as a share of the bounding radius."""

QUARTER, ONE = np.float32(0.25), np.float32(1.0)
LAST = np.int32(2**31 - 1)


@callee
def push_aside(
    body: Any,
    env: Any,
    vertices: NDArray[np.float64],
    faces: NDArray[np.int64],
    work: NDArray[np.float64],
    ground: Ground,
) -> None:
    """Lift the surface by what the body has displaced since its columns were last computed."""
    if body.has_history and rests(body):
        return
    extent = extent_of(body, env, vertices, work)
    x, z, half = body.position[0], body.position[2], extent[0]
    window = window_of(env, (x - half, z - half), (x + half, z + half))
    if window.rows * whole_strips(window.columns) > body.pool_size:
        return  # `make_room` leaves room for every body however it turns; this guards memory if it did not
    old = Window(body.columns[0], body.columns[1], body.columns[2], body.columns[3])
    touched = union(window, old)
    columns = columns_in(body, env, window)
    if not body.has_history or touched.rows == 0 or touched.columns == 0:
        body.pose[7] = body.mean_level
        fill_columns(body, env, window, extent, faces, work, columns)
        note_pose(body, window)
        return
    frame = widened(touched, 2 * SPREAD)
    change, copy = zeros_on(frame), zeros_on(frame)
    add_columns(change, frame, columns_in(body, env, old), old, -ONE)
    fill_columns(body, env, window, extent, faces, work, columns)
    add_columns(change, frame, columns, window, ONE)
    note_pose(body, window)
    radius = half / env.spacing
    outer = RING * (radius + MARGIN)
    domain = widened(touched, int(outer - radius) + 1)
    lifted = lift_surface(body, env, change, copy, frame, outer, domain, ground)
    note_touched(env, domain)
    if abs(body.mean_level - body.pose[7]) > RECUT * body.bounding_radius:
        body.pose[7] = body.mean_level
        fill_columns(body, env, window, extent, faces, work, columns)  # and nothing is lifted by that
    # The body sees what it has lifted: its mean over the disc that the plane is fitted to.
    body.surface[0] += lifted / (math.pi * (body.bounding_radius / env.spacing) ** 2)


@callee
def rests(body: Any) -> bool:
    """Whether the body is where it was when the columns were computed, but for `RESTING`."""
    moved = turned = 0.0
    for k in range(3):
        moved += abs(body.position[k] - body.pose[k])
    for k in range(4):
        turned += abs(body.orientation[k] - body.pose[3 + k])
    if body.geometry == SPHERE:
        turned = 0.0
    return bool(moved + 2.0 * turned * body.bounding_radius < RESTING * body.bounding_radius)


@callee
def note_pose(body: Any, window: Window) -> None:
    """Note where the body is whose columns are in the pool now."""
    body.columns[0], body.columns[1] = window.row, window.column
    body.columns[2], body.columns[3] = window.rows, window.columns
    for k in range(3):
        body.pose[k] = body.position[k]
    for k in range(4):
        body.pose[3 + k] = body.orientation[k]


@callee
def lift_surface(
    body: Any, env: Any, change: Floats, copy: Floats, frame: Window, outer: float, domain: Window, ground: Ground
) -> float:
    """Lift the surface by a share of a change, smoothed, and take its volume from the ring; returns it [cells m].

    Where there are several basins, or so little water that there is no ring, all points of the frame share the volume.

    Args:
        body: in whose middle the ring lies.
        env: share, and time levels to lift.
        change: [m], on the frame; 0 within `SPREAD` + 1 points of its edges. Overwritten.
        copy: work space as large, of zeros.
        frame: lies in the domain.
        outer: outer radius of the ring [cells].
        domain: holds the ring.
        ground: whose basins keep their volume.
    """
    basin = open_basin(ground, domain)
    is_open = basin > 0
    if not is_open:
        basin = next_basin(ground, domain, 0)
    has_several = not is_open and next_basin(ground, domain, basin) > 0
    part, lifted = inside(domain, ground.basins.shape), 0.0
    while basin > 0:
        own, lift = change.copy() if has_several else change, ring_weights(body, env, outer, domain)
        if is_open:
            smooth(own, copy, None)
        else:
            wet = basin_mask(ground, frame, basin)
            multiply(own, wet)
            smooth(own, copy, wet.ravel())
            multiply(lift, basin_mask(ground, domain, basin))
        volume = env.displacement * sum_of(place_of(own, 0), own.size)
        weight = sum_of(place_of(lift, 0), lift.size)
        if has_several or weight < LIGHTEST:
            share_evenly(own, basin_mask(ground, frame, basin))
            scale(lift, ZERO)
        else:
            scale(lift, np.float32(-volume / weight))
        add_part(lift, domain, own, frame, np.float32(env.displacement))
        if env.levels > 0:
            add_to_level(env.first_level, env.first_stride, lift, domain, part)
        if env.levels > 1:
            add_to_level(env.second_level, env.second_stride, lift, domain, part)
        if env.levels > 2:
            add_to_level(env.third_level, env.third_stride, lift, domain, part)
        lifted += volume
        basin = next_basin(ground, domain, basin) if has_several else 0
    return float(lifted)


@callee
def add_columns(change: Floats, frame: Window, columns: Floats, window: Window, sign: np.float32) -> None:
    """Add columns on a window, times a sign, to a change on the frame, which holds the window.

    Beyond the window there are zeros; they may run on into the next row of the frame.
    """
    row, column = window.row - frame.row, window.column - frame.column
    for i in range(window.rows):
        for j in range(0, columns.shape[1], STRIP):
            out = place_of(change, (row + i) * frame.columns + column + j)
            value = load_anywhere(WIDTH, place_of(columns, i * columns.shape[1] + j))
            give(CACHED, out, load_anywhere(WIDTH, out) + sign * value)


@part
def exchange(out: Floats, values: Floats, wet: Floats | None, margin: int, step: int) -> None:
    """Let every point but the first and last `margin` exchange with the neighbours `step` before and behind it."""
    before, here, after, result = values[margin - step :], values[margin:], values[margin + step :], out[margin:]
    if wet is None:
        for j in range(values.size - 2 * margin):
            result[j] = here[j] + QUARTER * ((before[j] - here[j]) + (after[j] - here[j]))
    else:
        wet_before, wet_here, wet_after = wet[margin - step :], wet[margin:], wet[margin + step :]
        for j in range(values.size - 2 * margin):
            flux = wet_before[j] * (before[j] - here[j]) + wet_after[j] * (after[j] - here[j])
            result[j] = here[j] + QUARTER * wet_here[j] * flux


@callee
def smooth(change: Floats, copy: Floats, wet: Floats | None) -> None:
    """Smooth by ¼, ½, ¼ along z and x, twice.

    Args:
        change: [m], 0 within `SPREAD` + 1 points of its edges; so what passes from one row's end to the next is 0.
        copy: work space, whose first and last row are 0.
        wet: 1 on points that exchange, 0 on others, row after row; so nothing passes a wall. None for open water.
    """
    columns, values, work = change.shape[1], change.ravel(), copy.ravel()
    for _ in range(SPREAD):
        exchange(work, values, wet, columns, columns)
        exchange(values, work, wet, columns, 1)


@callee
def ring_weights(body: Any, env: Any, outer: float, domain: Window) -> Floats:
    """The weights of the ring on the points of the domain."""
    middle_x, middle_z = (body.position[0] - env.x) / env.spacing, (body.position[2] - env.z) / env.spacing
    along_x, along_z = np.empty(domain.columns, np.float32), np.empty(domain.rows, np.float32)
    share = 1.0 / outer
    for j in range(domain.columns):
        along_x[j] = np.float32(((domain.column + j - middle_x) * share) ** 2)
    for i in range(domain.rows):
        along_z[i] = np.float32(((domain.row + i - middle_z) * share) ** 2) - RING_MIDDLE
    ring = zeros_on(domain)
    for i in range(domain.rows):
        z, row = along_z[i], ring[i]
        for j in range(domain.columns):
            away = z + along_x[j]
            row[j] = max(RING_PEAK - away * away, ZERO)
    return ring


@callee
def share_evenly(change: Floats, wet: Floats) -> None:
    """Make the sum of a change zero by taking it evenly from all wet points."""
    total = points = 0.0
    for i in range(change.shape[0]):
        for j in range(change.shape[1]):
            total += change[i, j]
            points += wet[i, j]
    if points > 0.0:
        mean = np.float32(total / points)
        for i in range(change.shape[0]):
            for j in range(change.shape[1]):
                change[i, j] -= mean * wet[i, j]


@callee
def multiply(array: Floats, factors: Floats) -> None:
    """Multiply an array point by point."""
    for i in range(array.shape[0]):
        for j in range(array.shape[1]):
            array[i, j] *= factors[i, j]


@callee
def scale(array: Floats, factor: np.float32) -> None:
    """Multiply an array by a number."""
    flat = array.ravel()
    for j in range(flat.size):
        flat[j] *= factor


@callee
def add_part(lift: Floats, domain: Window, change: Floats, frame: Window, share: np.float32) -> None:
    """Add a share of a change on the frame to a lift on the domain."""
    first = (frame.row - domain.row) * domain.columns + frame.column - domain.column
    for i in range(frame.rows):
        for j in range(0, frame.columns, STRIP):
            out = place_of(lift, first + i * domain.columns + j)
            added = share * load_anywhere(WIDTH, place_of(change, i * frame.columns + j))
            give(CACHED, out, load_anywhere(WIDTH, out) + added)


@callee
def add_to_level(level: int, stride: int, lift: Floats, domain: Window, part: Window) -> None:
    """Add what of a lift lies in a part of its domain to a level at an address, `stride` floats from row to row."""
    whole = part.columns // STRIP * STRIP
    for i in range(part.row, part.row + part.rows):
        row = place_of(lift, (i - domain.row) * domain.columns + part.column - domain.column)
        out = level + (i * stride + part.column) * SIZE
        for j in range(0, whole * SIZE, STRIP * SIZE):
            give(CACHED, out + j, load_anywhere(WIDTH, out + j) + load_anywhere(WIDTH, row + j))
        added, rest = floats_at(row, part.columns), floats_at(out, part.columns)
        for j in range(whole, part.columns):
            rest[j] += added[j]


@part
def floats_at(address: int, count: int) -> Floats:
    """So many floats from an address on."""
    return numba.carray(float_pointer(address), count)  # type: ignore[no-any-return]


@callee
def note_touched(env: Any, window: Window) -> None:
    """Widen the window that was touched in this step, as far as the grid goes."""
    touched = env.touched
    touched[0], touched[1] = min(touched[0], max(window.row, 0)), min(touched[1], max(window.column, 0))
    touched[2] = max(touched[2], min(window.row + window.rows, env.rows))
    touched[3] = max(touched[3], min(window.column + window.columns, env.columns))


# --- windows and basins


@callee
def zeros_on(window: Window) -> Floats:
    """Zeros on a window, which begin on a cache line: vectors that lie across two lines are slower."""
    room = np.zeros(window.rows * window.columns + STRIP, np.float32)
    first = (-room.ctypes.data // SIZE) % STRIP
    return room[first : first + window.rows * window.columns].reshape(window.rows, window.columns)


@callee
def union(a: Window, b: Window) -> Window:
    """The smallest window that holds two others; one without points counts for nothing."""
    if a.rows <= 0 or a.columns <= 0:
        return b
    if b.rows <= 0 or b.columns <= 0:
        return a
    row, column = min(a.row, b.row), min(a.column, b.column)
    end_row, end_column = max(a.row + a.rows, b.row + b.rows), max(a.column + a.columns, b.column + b.columns)
    return Window(row, column, end_row - row, end_column - column)


@callee
def widened(a: Window, margin: int) -> Window:
    """A window with a margin around it, widened to whole strips; it may reach beyond the grid."""
    column = (a.column - margin) // STRIP * STRIP
    columns = whole_strips(a.column + a.columns + margin - column)
    return Window(a.row - margin, column, a.rows + 2 * margin, columns)


@callee
def inside(window: Window, shape: tuple[int, int]) -> Window:
    """The part of a window that lies in the grid."""
    row, column = max(window.row, 0), max(window.column, 0)
    end_row, end_column = min(window.row + window.rows, shape[0]), min(window.column + window.columns, shape[1])
    return Window(row, column, max(end_row - row, 0), max(end_column - column, 0))


@callee
def open_basin(ground: Ground, window: Window) -> int:
    """The basin that all points of a window belong to, as far as whole blocks tell; 0 if there are several or land."""
    within = inside(window, ground.basins.shape)
    if within != window:
        return 0
    basin = ground.block_basins[window.row // BLOCK, window.column // BLOCK]
    for i in range(window.row // BLOCK, (window.row + window.rows - 1) // BLOCK + 1):
        for j in range(window.column // BLOCK, (window.column + window.columns - 1) // BLOCK + 1):
            if ground.block_basins[i, j] != basin:
                return 0
    return int(basin)


@callee
def next_basin(ground: Ground, window: Window, last: int) -> int:
    """The lowest number above `last` of a basin in a window; 0 if there is none."""
    within, lowest = inside(window, ground.basins.shape), LAST
    for i in range(within.row, within.row + within.rows):
        row = ground.basins[i, within.column : within.column + within.columns]
        for j in range(row.size):
            lowest = min(lowest, row[j] if row[j] > last else LAST)
    return 0 if lowest == LAST else int(lowest)


@callee
def basin_mask(ground: Ground, window: Window, basin: int) -> Floats:
    """1 on the points of a window that belong to a basin, 0 elsewhere and beyond the grid."""
    mask, within = np.zeros((window.rows, window.columns), np.float32), inside(window, ground.basins.shape)
    for i in range(within.row, within.row + within.rows):
        row = ground.basins[i, within.column : within.column + within.columns]
        out = mask[i - window.row, within.column - window.column :]
        for j in range(row.size):
            out[j] = ONE if row[j] == basin else ZERO
    return mask

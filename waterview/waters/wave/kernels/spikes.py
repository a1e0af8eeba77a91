"""Spikes that are clamped and crests that break, for heights that move by velocities.

Where points may stand out is found in vectors; what to do there is decided point by point.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from waterview.simd.choices import any_beyond, least, where_set, with_lane
from waterview.simd.jit import Codes, Static, callee, float_pointer, jit, parallel_jit, part
from waterview.simd.layout import TwoLevels, address, interior
from waterview.simd.processor import VECTOR_WIDTH
from waterview.simd.threads import most_threads, shared_turn
from waterview.simd.vectors import SIZE, fma, load, load_anywhere, width_of
from waterview.waters.common.active_tiles import TILE_COLUMNS, TILE_ROWS, ActiveTiles, Tiles, tiles_of
from waterview.waters.common.basins import Basins, add_to_basins

Floats = NDArray[np.float32]
Labels = NDArray[np.int32]

FOUR, MINUS_FOUR, HALF, ZERO = np.float32(4.0), np.float32(-4.0), np.float32(0.5), np.float32(0.0)


class Water(NamedTuple):
    """Where heights lie, and which of them are steep.

    Attributes:
        level: address of the first height.
        stride: bytes from one row to the next.
        free: address of a bit for each point of the first row, set where there is water.
        bits: bytes from one row of these to the next.
        nz, nx: points along z and along x.
        most: largest distance of a point from the mean of its neighbours [m].
        step: how much higher a point must be than a neighbour to break [m].
    """

    level: int
    stride: int
    free: int
    bits: int
    nz: int
    nx: int
    most: np.float32
    step: np.float32


# --- where to look


@part
def _is_steep(width: Any, row: int, up: int, down: int, free: int, column: int, water: Water) -> bool:
    """Whether any point of a vector may be a spike or break. Beyond the grid it is as high as at its edge."""
    at, last = column * SIZE, water.nx - 1 - column
    c, above, below = load(width, row + at), load(width, up + at), load(width, down + at)
    left, right = load_anywhere(width, row + at - SIZE), load_anywhere(width, row + at + SIZE)
    if column == 0:
        left = with_lane(left, 0, numba.carray(float_pointer(row), 1)[0])
    if last < width_of(width):
        right = with_lane(right, last, numba.carray(float_pointer(row + water.nx * SIZE - SIZE), 1)[0])
    bend = fma(MINUS_FOUR, c, (left + right) + (above + below))
    drop = c - least(least(left, right), least(above, below))
    bends = any_beyond(FOUR * water.most, where_set(bend, free, 0, column))
    return bool(bends or any_beyond(water.step, where_set(drop, free, 0, column)))


@part
def _look_through(width: Any, water: Water, i: int, awake: Tiles, steep: Tiles) -> None:
    """Mark in which of the awake tiles of row `i` of tiles, and in which rows of these, anything is steep."""
    for k in range(i * TILE_ROWS, min((i + 1) * TILE_ROWS, water.nz)):
        row = water.level + k * water.stride
        up, down = row - (water.stride if k > 0 else 0), row + (water.stride if k < water.nz - 1 else 0)
        for j in range(awake.shape[1]):
            found = False
            if awake[i, j]:
                for column in range(j * TILE_COLUMNS, min((j + 1) * TILE_COLUMNS, water.nx), width_of(width)):
                    found = found or _is_steep(width, row, up, down, water.free + k * water.bits, column, water)
            steep[k, j] = found


@jit
def find_steep(width: Any, water: Water, awake: Tiles, steep: Tiles) -> None:
    """Mark where points may be spikes or break.

    Args:
        width: floats to a vector, a `Static`.
        water: the heights.
        awake: tiles that may hold anything but zeros, shape (m, n).
        steep: of each row which tiles have such points, shape (nz, n).
    """
    for i in range(awake.shape[0]):
        _look_through(width, water, i, awake, steep)


@parallel_jit
def find_steep_together(width: Any, water: Water, awake: Tiles, steep: Tiles) -> None:
    """As `find_steep`, on several threads."""
    for i in numba.prange(awake.shape[0]):
        _look_through(width, water, i, awake, steep)


_codes = Codes(find_steep), Codes(find_steep_together)


# --- what to do there


class Rough(NamedTuple):
    """Water of which points may be changed, and how; all arrays have the shape (nz, nx).

    Attributes:
        heights: rows without gaps between their points.
        velocity: of the points [m/s], also without gaps.
        depth: of still water [m].
        labels: of the basins, 0 on land.
        most: as for `clamp_spikes`.
        step: as for `clamp_spikes`.
        share: as for `clamp_spikes`.
        turn: as for `clamp_spikes`.
    """

    heights: Floats
    velocity: Floats
    depth: Floats
    labels: Labels
    most: np.float32
    step: np.float32
    share: np.float32
    turn: np.float32


@part
def _neighbour(rough: Rough, i: int, j: int, own: np.float32) -> np.float32:
    """Height of a point, or `own` on land and outside the grid."""
    nz, nx = rough.heights.shape
    if 0 <= i < nz and 0 <= j < nx and rough.labels[i, j] > 0:
        return np.float32(rough.heights[i, j])
    return own


@part
def _breaking(c: np.float32, behind: np.float32, ahead: np.float32, depth: np.float32, step: np.float32) -> np.float32:
    """What a whole share would change of a wave that breaks towards `ahead`."""
    if c - behind > step and c > ahead:
        deep = depth + c
        return max(ZERO, HALF * (deep + depth + ahead)) - deep
    return ZERO


@part
def _stronger(a: np.float32, b: np.float32) -> np.float32:
    return a if abs(a) >= abs(b) else b


@part
def _bend(rough: Rough, i: int, j: int) -> np.float32:
    """How far the mean of a point's neighbours lies above it."""
    c = rough.heights[i, j]
    left, right = _neighbour(rough, i, j - 1, c), _neighbour(rough, i, j + 1, c)
    above, below = _neighbour(rough, i - 1, j, c), _neighbour(rough, i + 1, j, c)
    return np.float32(((left + right) + (above + below)) / FOUR - c)


@callee
def _change(rough: Rough, i: int, j: int) -> np.float32:
    """What to add to the height of a point of water."""
    c, most = rough.heights[i, j], rough.most
    left, right = _neighbour(rough, i, j - 1, c), _neighbour(rough, i, j + 1, c)
    above, below = _neighbour(rough, i - 1, j, c), _neighbour(rough, i + 1, j, c)
    bend = ((left + right) + (above + below)) / FOUR - c
    if bend > most:
        return np.float32(bend - most)
    if bend < -most:
        return np.float32(bend + most)
    deep, step = rough.depth[i, j], rough.step
    along_x = _stronger(_breaking(c, left, right, deep, step), _breaking(c, right, left, deep, step))
    along_z = _stronger(_breaking(c, above, below, deep, step), _breaking(c, below, above, deep, step))
    return rough.share * _stronger(along_x, along_z)


@part
def _clamp(rough: Rough, i: int, j: int, lost: NDArray[np.float64]) -> int:
    """Change one point, which turns if it moved the other way, and note what its basin loses; 1 if it has changed."""
    basin = rough.labels[i, j]
    if basin == 0:
        return 0
    before = rough.heights[i, j]
    after = np.float32(before + _change(rough, i, j))
    rough.heights[i, j] = after
    if (after - before) * rough.velocity[i, j] < ZERO:
        rough.velocity[i, j] = -rough.turn * _bend(rough, i, j)
    lost[basin] += np.float64(before) - np.float64(after)
    return 1 if after != before else 0


@part
def _near_steep(steep: Tiles, i: int, j: int) -> bool:
    """Whether anything is steep in a tile's part of a row, or beside it."""
    rows, tiles = steep.shape
    along = steep[i, j] or (j > 0 and steep[i, j - 1]) or (j + 1 < tiles and steep[i, j + 1])
    return bool(along or (i > 0 and steep[i - 1, j]) or (i + 1 < rows and steep[i + 1, j]))


@jit
def clamp_points(rough: Rough, steep: Tiles, lost: NDArray[np.float64]) -> int:
    """`clamp_spikes` without giving back; returns the number of points changed.

    Args:
        rough: the water.
        steep: as in `find_steep`.
        lost: what each basin has lost is added to it.
    """
    nz, nx = rough.heights.shape
    count = 0
    # Like a chessboard: points of one colour are no neighbours, so their order does not matter. Changed all at once,
    # each by what its neighbours were before, the points of rough water swing past each other, and ever higher.
    for colour in range(2):
        for i in range(nz):
            for j in range(steep.shape[1]):
                # A point that was changed may make a spike of its neighbour, of the other colour.
                if _near_steep(steep, i, j) if colour else steep[i, j]:
                    start, stop = j * TILE_COLUMNS, min((j + 1) * TILE_COLUMNS, nx)
                    for column in range(start + (i + start + colour) % 2, stop, 2):
                        count += _clamp(rough, i, column, lost)
    return count


# --- all together


def clamp_spikes(
    field: TwoLevels,
    velocity: NDArray[np.float32],
    water: NDArray[np.uint8],
    depth: NDArray[np.float32],
    basins: Basins,
    *,
    most: float,
    step: float,
    share: float,
    turn: float,
    give_back: bool,
    tiles: ActiveTiles | None = None,
    threads: int | None = None,
    vector_width: int | None = None,
) -> int:
    """Lower points that stand out of their neighbours, in place.

    A point that lies more than `most` above the mean of its four neighbours, or below it, is brought back to that
    distance (Müller 2008). Where a wave breaks, that is where a point stands more than `step` above one neighbour and
    also above the opposite one, its depth goes `share` of the way to the mean with that one, but not below 0
    (Chentanez and Müller 2010); of several such directions that counts which changes it most. Land and what lies
    outside the grid count as high as the point itself. Every other point, as on a chessboard, is changed first.

    A point that is moved against its own motion turns. Near the largest stable step the shortest waves swing from one
    side to the other at every step: clamped at either end and left its velocity, such a point becomes ever faster.
    Nor may that become 0, for it belongs to the time half a step before: pulled back from rest then, the point would be
    three times as far on the other side after the next step.

    Args:
        field: the heights [m]; beside them is room for others.
        velocity: of the points [m/s], a buffer of `layout.padded`.
        water: where there is water, as `Domain.water`.
        depth: of still water [m], shape (nz, nx).
        basins: the waters.
        most: largest distance from the mean of the neighbours [m].
        step: how much higher than a neighbour a point must be to break [m].
        share: how much of a breaking crest goes, 0–1; 0 lets waves break as they like.
        turn: how fast a point that turns now was half a step before, for each metre off the mean of its neighbours
            [1/s]; for a wave on which −L(h) = S·h that is ¼λ²S/Δt.
        give_back: whether what a water has lost is given back to all its points alike.
        tiles: which tiles of the field may hold anything but zeros; all by default. All wake where a point is changed.
        threads: as for `step.advance`.
        vector_width: as for `step.advance`.

    Returns:
        The number of points changed.
    """
    numbers = np.float32(most), np.float32(step), np.float32(share), np.float32(turn)
    m, n = tiles_of(field.shape)
    awake = np.ones((m, n), bool) if tiles is None else tiles.marks.awake | tiles.marks.busy
    steep = np.empty((field.shape[0], n), bool)
    bits = address(water), water.strides[0]
    width = VECTOR_WIDTH if vector_width is None else vector_width
    where = Water(field.addresses[0], field.now.strides[0], *bits, *field.shape, *numbers[:2])
    with shared_turn(most_threads(field.shape) if threads is None else threads) as number:
        arguments = Static(width), where, awake, steep
        _codes[number > 1].of(width, arguments)(*arguments)
    if not steep.any():
        return 0
    lost = np.zeros(len(basins.sizes))
    rough = Rough(field.heights, interior(velocity, field.shape), depth, basins.labels, *numbers)
    count = int(clamp_points(rough, steep, lost))
    if count and give_back:
        add_to_basins(field.heights, basins, lost / np.maximum(basins.sizes, 1))
    if count and tiles is not None:
        tiles.wake()
    return count

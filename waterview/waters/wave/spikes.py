"""Spikes that are clamped and crests that break, for heights that move by velocities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from waterview.simd.layout import TwoLevels, address, interior
from waterview.waters.common.active_tiles import ActiveTiles, Tiles, tiles_of
from waterview.waters.common.basins import Basins, add_to_basins

from .step import most_threads


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
    steep = _steep(field, water, numbers[:2], tiles, threads, vector_width)
    if not steep.any():
        return 0
    from .kernels.spikes import Rough, clamp_points

    lost = np.zeros(len(basins.sizes))
    rough = Rough(field.heights, interior(velocity, field.shape), depth, basins.labels, *numbers)
    count = int(clamp_points(rough, steep, lost))
    if count and give_back:
        add_to_basins(field.heights, basins, lost / np.maximum(basins.sizes, 1))
    if count and tiles is not None:
        tiles.wake()
    return count


def _steep(
    field: TwoLevels,
    water: NDArray[np.uint8],
    bounds: tuple[np.float32, np.float32],
    tiles: ActiveTiles | None,
    threads: int | None,
    vector_width: int | None,
) -> Tiles:
    """Of each row the tiles in which points may be spikes or break, shape (nz, n)."""
    from waterview.simd.threads import shared_turn

    from .kernels.spikes import Water, find

    m, n = tiles_of(field.shape)
    awake = np.ones((m, n), bool) if tiles is None else tiles.marks.awake | tiles.marks.busy
    steep = np.empty((field.shape[0], n), bool)
    bits = address(water), water.strides[0]
    where = Water(field.addresses[0], field.now.strides[0], *bits, *field.shape, *bounds)
    with shared_turn(most_threads(field.shape) if threads is None else threads) as number:
        find(vector_width, number, where, awake, steep)
    return steep

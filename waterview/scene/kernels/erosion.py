"""Running water and falling rock shape land: flow routing, stream-power erosion, and talus."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import jit

Floats = NDArray[np.float32]
Cells = NDArray[np.int32]

BUCKETS = 1 << 15
"""Steps that heights are sorted by."""

POND = np.float32(100.0)


@jit
def route_flow(heights: Floats, level: float, order: Cells, receivers: Cells, area: Floats) -> None:
    """Find the way that water takes from each point to the sea or over the border, and the area that drains through it.

    Depressions are flooded from their lowest outlet (priority flood; Barnes, Lehman and Mulla 2014), with buckets in
    place of a heap. Each point drains to one of its eight neighbours.

    Args:
        heights: shape (n, m).
        level: of the sea; points at or below it drain nowhere.
        order: gets all points, each after the one that it drains to; shape (n · m,).
        receivers: gets the point that each drains to, or itself; shape (n · m,).
        area: gets the number of points that drain through each, with itself, but no more than `POND` in a depression,
            where water stands; shape (n · m,).
    """
    n, m = heights.shape
    flat = heights.ravel()
    low, high = max(flat.min(), np.float32(level)), flat.max()
    scale = (BUCKETS - 1) / max(high - low, 1e-30)
    first = np.full(BUCKETS, -1, np.int32)
    following = np.empty(n * m, np.int32)
    ponded = np.zeros(n * m, np.bool_)
    receivers[:] = -1
    for cell in range(n * m):
        i, j = cell // m, cell % m
        if flat[cell] <= level or i == 0 or j == 0 or i == n - 1 or j == m - 1:
            bucket = int(max(flat[cell] - low, np.float32(0.0)) * scale)
            receivers[cell] = cell
            following[cell], first[bucket] = first[bucket], cell
    count = 0
    for bucket in range(BUCKETS):
        while first[bucket] >= 0:
            cell = first[bucket]
            first[bucket] = following[cell]
            order[count] = cell
            count += 1
            i, j = cell // m, cell % m
            for di in range(max(i - 1, 0), min(i + 2, n)):
                for dj in range(max(j - 1, 0), min(j + 2, m)):
                    other = di * m + dj
                    if receivers[other] < 0:
                        receivers[other] = cell
                        there = int((flat[other] - low) * scale)
                        ponded[other] = there < bucket
                        there = max(bucket, there)
                        following[other], first[there] = first[there], other
    area[:] = 1.0
    for place in range(n * m - 1, -1, -1):
        cell = order[place]
        if receivers[cell] != cell:
            area[receivers[cell]] += area[cell]
    for cell in range(n * m):
        if ponded[cell]:
            area[cell] = min(area[cell], POND)


@jit
def incise(heights: Floats, order: Cells, receivers: Cells, area: Floats, strength: float) -> None:
    """Let streams cut in for a time: ∂h/∂t = −K √A |∂h/∂s|, implicitly (Braun and Willett 2013), in place.

    Args:
        heights: shape (n, m).
        order: from `route_flow`.
        receivers: from `route_flow`.
        area: that drains through each point [points], shape (n · m,).
        strength: K times the time, for lengths and areas in cells.
    """
    m = heights.shape[1]
    flat = heights.reshape(-1)
    for cell in order:
        other = receivers[cell]
        if flat[other] < flat[cell]:
            across = (cell // m != other // m) and (cell % m != other % m)
            share = strength * math.sqrt(area[cell]) / (math.sqrt(2.0) if across else 1.0)
            flat[cell] = (flat[cell] + share * flat[other]) / (1.0 + share)


@jit
def let_fall(heights: Floats, moved: Floats, steepest: float) -> None:
    """Let rock fall from where the ground rises by more than `steepest` from point to point, once, in place.

    Args:
        heights: shape (n, m).
        moved: memory of the same shape.
        steepest: rise that stays [m].
    """
    n, m = heights.shape
    moved[:] = 0.0
    for i in range(n):
        for j in range(m - 1):
            rise = heights[i, j + 1] - heights[i, j]
            excess = np.float32(0.2) * (max(rise - steepest, 0.0) + min(rise + steepest, 0.0))
            moved[i, j] += excess
            moved[i, j + 1] -= excess
    for i in range(n - 1):
        for j in range(m):
            rise = heights[i + 1, j] - heights[i, j]
            excess = np.float32(0.2) * (max(rise - steepest, 0.0) + min(rise + steepest, 0.0))
            moved[i, j] += excess
            moved[i + 1, j] -= excess
    for i in range(n):
        for j in range(m):
            heights[i, j] += moved[i, j]

"""A slow, plain version of the step with walls, borders and shores, in float64 and written as sums over pairs."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

Field = NDArray[np.float64]
MODES = {"zero": "constant", "reflecting": "edge", "wrapping": "wrap"}


def surrounded(field, sides, beyond_zero=None):
    """`field` with one point more on each side; `beyond_zero` replaces the mode of zero borders."""
    modes = {**MODES, **({"zero": beyond_zero} if beyond_zero else {})}
    for axis, (low, high) in enumerate(((sides.north, sides.south), (sides.west, sides.east))):
        for kind, widths in ((low, (1, 0)), (high, (0, 1))):
            pads = [(0, 0), (0, 0)]
            pads[axis] = widths
            if kind == "wrapping":
                # Only one end is added at a time: the point that comes round must come from the field itself.
                source = field if widths == (1, 0) else np.delete(field, 0, axis)
                edge = np.take(source, [-1 if widths == (1, 0) else 0], axis)
                field = np.concatenate((edge, field) if widths == (1, 0) else (field, edge), axis)
            else:
                field = np.pad(field, pads, mode=modes[kind])
    return field


def laplacian(h, fixed, sides, shore, corner):
    """L(h) by pairs of water points: four neighbours, or all pairs in every square of four points."""
    around = surrounded(h, sides)
    free = ~surrounded(fixed, sides, beyond_zero="edge")
    if shore == "zero":
        free = np.ones_like(free)
    total = np.zeros_like(around)
    pairs = _pairs_in_squares(free, corner) if corner else _pairs_of_neighbours(free)
    for a, b, weight in pairs:
        total[a] += weight * (around[b] - around[a])
        total[b] += weight * (around[a] - around[b])
    return np.where(fixed, 0.0, total[1:-1, 1:-1])


def _pairs_of_neighbours(free):
    nz, nx = free.shape
    for i, j in itertools.product(range(nz), range(nx)):
        for k, m in ((i, j + 1), (i + 1, j)):
            if k < nz and m < nx and free[i, j] and free[k, m]:
                yield (i, j), (k, m), 1.0


def _pairs_in_squares(free, corner):
    """Each square gives pairs across the corners' weight, and others the rest of ½; two side by side, alone, get ½."""
    nz, nx = free.shape
    for i, j in itertools.product(range(nz - 1), range(nx - 1)):
        water = [p for p in ((i, j), (i, j + 1), (i + 1, j), (i + 1, j + 1)) if free[p]]
        beside = len(water) == 2 and abs(water[0][0] - water[1][0]) + abs(water[0][1] - water[1][1]) == 1
        if len(water) > 2 or beside:
            for a, b in itertools.combinations(water, 2):
                across = a[0] != b[0] and a[1] != b[1]
                yield a, b, 0.5 if beside else corner if across else 0.5 - corner


def run(h, before, fixed, sides, shore, *, corner, laplacians, damping, courant, steps, pull=0.0):
    """h after `steps` of h⁺ = h + (1 − κ)(h − h⁻) + λ²L(h) + pull·h, with 0 at fixed points."""
    for _ in range(steps):
        around = laplacians * courant**2 * laplacian(h, fixed, sides, shore, corner)
        h, before = np.where(fixed, 0.0, h + (1.0 - damping) * (h - before) + around + pull * h), h
    return h

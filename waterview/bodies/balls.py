"""Balls that fill a hull, to stand for it in collisions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MOST = 12
"""Most balls for a hull."""

ACROSS = 15
"""Places tried along the longest side of a hull."""


def fill_with_balls(vertices: Array, faces: NDArray[np.int64]) -> Array:
    """Balls inside a closed surface that fill most of it, shape (p, 4): centre and radius, at least one.

    Of a grid of places inside, that one comes next whose largest ball holds most places that no ball holds yet.

    Args:
        vertices: shape (n, 3).
        faces: counter-clockwise from outside, shape (m, 3).
    """
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    step = (high - low).max() / ACROSS
    counts = np.maximum(((high - low) / step).astype(int), 1)
    axes = [0.5 * (a + b) + step * (np.arange(n) - 0.5 * (n - 1)) for a, b, n in zip(low, high, counts, strict=True)]
    places = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    places = places[winding(places, vertices, faces) > 0.5]
    if len(places) == 0:
        places = vertices.mean(axis=0)[None]
    radii = np.linalg.norm(places[:, None] - surface_points(vertices, faces, step)[None], axis=-1).min(axis=1)
    holds = np.linalg.norm(places[:, None] - places[None], axis=-1) < radii[:, None]
    chosen: list[int] = []
    left = np.ones(len(places), bool)
    while len(chosen) < MOST and (left.any() or not chosen):
        best = int(np.argmax(np.count_nonzero(holds & left, axis=1)))
        if chosen and not (holds[best] & left).any():
            break
        chosen.append(best)
        left &= ~holds[best]
    return np.concatenate((places[chosen], radii[chosen, None]), axis=1)


def winding(points: Array, vertices: Array, faces: NDArray[np.int64]) -> Array:
    """How often a closed surface goes around each point: 1 inside, 0 outside (van Oosterom and Strackee 1983)."""
    a, b, c = (vertices[faces[:, k]][None] - points[:, None] for k in range(3))
    la, lb, lc = (np.linalg.norm(side, axis=-1) for side in (a, b, c))
    volume = np.einsum("ijk,ijk->ij", a, np.cross(b, c))
    spread = la * lb * lc + np.einsum("ijk,ijk->ij", a, b) * lc
    spread += np.einsum("ijk,ijk->ij", b, c) * la + np.einsum("ijk,ijk->ij", c, a) * lb
    return np.asarray(np.arctan2(volume, spread).sum(axis=1) / (2.0 * np.pi), np.float64)


def surface_points(vertices: Array, faces: NDArray[np.int64], spacing: float) -> Array:
    """Points on the triangles, no more than about `spacing` apart."""
    longest = np.linalg.norm(vertices[faces] - vertices[np.roll(faces, 1, axis=1)], axis=-1).max()
    cuts = int(np.clip(np.ceil(longest / spacing), 1, 12))
    u, v = (field.ravel() / cuts for field in np.meshgrid(np.arange(cuts + 1), np.arange(cuts + 1)))
    u, v = u[u + v <= 1.0 + 1e-9], v[u + v <= 1.0 + 1e-9]
    weights = np.stack((1.0 - u - v, u, v), axis=1)
    return np.unique((weights @ vertices[faces]).reshape(-1, 3).round(6), axis=0)

"""Where bodies cut the surface of the water: what waves of particles meet, and what pushes them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from waterview.core.body import BodyState

Array = NDArray[np.float64]

CORNERS = 16
"""Most corners of an outline: the farthest points of the cut in so many directions."""

DISC_SIDES = 8
"""Sides that a disc counts as."""


class Outline(NamedTuple):
    """A convex outline of a body at the surface.

    Attributes:
        shape: x, z and radius of a disc, shape (3,), or corners (x, z) in turn, shape (n, 2) [m].
        middles: a point (x, z) on each side [m], shape (m, 2); a disc has `DISC_SIDES`.
        normals: outward unit normals there, shape (m, 2).
        lengths: of the sides [m], shape (m,).
        area: inside [m²].
    """

    shape: Array
    middles: Array
    normals: Array
    lengths: Array
    area: float


def outline_of(body: BodyState, level: float) -> Outline | None:
    """Where `body` cuts the plane at world height `level` [m]; None where it does not."""
    if body.kind == "sphere":
        radius = 0.5 * float(body.scale[0])
        height = level - float(body.position[1])
        cut = radius * radius - height * height
        return _disc(body.position[[0, 2]], math.sqrt(cut)) if cut > 0.0 else None
    corners = _corners(_cut(body, level))
    return _polygon(corners) if len(corners) >= 3 else None


def _disc(middle: Array, radius: float) -> Outline:
    angles = 2.0 * math.pi * np.arange(DISC_SIDES) / DISC_SIDES
    normals = np.stack((np.cos(angles), np.sin(angles)), axis=-1)
    lengths = np.full(DISC_SIDES, 2.0 * math.pi * radius / DISC_SIDES)
    return Outline(np.array((*middle, radius)), middle + radius * normals, normals, lengths, math.pi * radius**2)


def _polygon(corners: Array) -> Outline:
    """Of corners that come one after another from the x axis towards the z axis."""
    after = np.roll(corners, -1, axis=0)
    sides = after - corners
    lengths = np.linalg.norm(sides, axis=1)
    normals = np.stack((sides[:, 1], -sides[:, 0]), axis=-1) / lengths[:, None]
    area = 0.5 * float((corners[:, 0] * after[:, 1] - corners[:, 1] * after[:, 0]).sum())
    return Outline(corners, 0.5 * (corners + after), normals, lengths, area)


def _cut(body: BodyState, level: float) -> Array:
    """Points (x, z) at which edges of the body's mesh pass the plane, shape (n, 2)."""
    places = (body.mesh.vertices * body.scale) @ body.rotation.T + body.position
    over = places[:, 1] > level
    ends = np.concatenate([body.mesh.indices[:, pair] for pair in ((0, 1), (1, 2), (2, 0))])
    ends = ends[over[ends[:, 0]] & ~over[ends[:, 1]]]  # every edge belongs to two triangles, once each way
    low, high = places[ends[:, 1]], places[ends[:, 0]]
    share = (level - low[:, 1]) / (high[:, 1] - low[:, 1])
    return np.asarray((low + share[:, None] * (high - low))[:, [0, 2]], np.float64)


def _corners(points: Array) -> Array:
    """The farthest of `points`, shape (n, 2), in `CORNERS` directions, each once, in turn."""
    if not len(points):
        return points
    angles = 2.0 * math.pi * (np.arange(CORNERS) + 0.5) / CORNERS
    farthest = points[(points @ np.stack((np.cos(angles), np.sin(angles)))).argmax(axis=0)]
    apart = np.linalg.norm(farthest - np.roll(farthest, 1, axis=0), axis=1)
    return np.asarray(farthest[apart > 1e-6 * (np.ptp(points) + 1e-30)], np.float64)

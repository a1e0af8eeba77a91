"""What wave particles know of floating bodies: the outlines at the surface that throw them back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]


class Outlines(NamedTuple):
    """Convex outlines on a grid; lengths and places are in cells.

    Attributes:
        near: points that particles must look around at, shape (nz, nx) bool.
        discs: column, row and radius of the disc that holds each outline, shape (m, 3) float64.
        edges: a point of each edge (column, row) and its outward unit normal, shape (n, 4) float64.
        first: edges first[k] to first[k + 1] − 1 are those of outline k, shape (m + 1,) int64; one without any is its
            disc.
    """

    near: NDArray[np.bool_]
    discs: Doubles
    edges: Doubles
    first: NDArray[np.int64]

    @classmethod
    def of(cls, outlines: Sequence[Doubles], shape: tuple[int, int]) -> Outlines:
        """Those of `outlines` on a grid of `shape`: each a disc, shape (3,), or the corners (n, 2) around its middle.

        Corners may come either way round.
        """
        near = np.zeros(shape, bool)
        discs, edges = np.zeros((len(outlines), 3)), [np.zeros((0, 4))]
        for disc, outline in zip(discs, outlines, strict=True):
            disc[:] = outline if outline.ndim == 1 else _disc_around(outline)
            edges.append(np.zeros((0, 4)) if outline.ndim == 1 else _edges(outline))
            low, high = disc[:2] - disc[2] - 1.0, disc[:2] + disc[2] + 2.0
            columns, rows = (slice(max(int(a), 0), max(int(b), 0)) for a, b in zip(low, high, strict=True))
            near[rows, columns] = True
        first = np.cumsum([len(part) for part in edges]).astype(np.int64)
        return cls(near, discs, np.concatenate(edges), first)


NO_BODIES = Outlines(np.zeros((0, 0), bool), np.zeros((0, 3)), np.zeros((0, 4)), np.zeros(1, np.int64))
"""Nothing afloat."""


def _disc_around(corners: Doubles) -> Doubles:
    middle = corners.mean(axis=0)
    return np.array((*middle, np.linalg.norm(corners - middle, axis=1).max()))


def _edges(corners: Doubles) -> Doubles:
    """A point and the outward normal of the edge after each corner, shape (n, 4)."""
    along = np.roll(corners, -1, axis=0) - corners
    normals = np.stack((along[:, 1], -along[:, 0]), axis=-1) / np.linalg.norm(along, axis=1, keepdims=True)
    inwards = np.vdot(normals, corners.mean(axis=0) - corners) > 0.0
    return np.concatenate((corners, -normals if inwards else normals), axis=1)

"""What reflects wave particles: the ends of the grid, shores and floating bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SHORE_WIDTH = 2.4
"""Standard deviation of the bell curve that smooths the steps of a shore [cells]: its normals are then within a few
degrees of those of a straight shore in any direction."""

FLAT = 1e-4
"""Where smoothed land rises by less than this per cell, no shore is near."""

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]


class Ends(NamedTuple):
    """What happens to waves at the ends of the grid.

    Attributes:
        beyond: how far outside the edge points they are reflected [cells]: half a cell for crests that are reflected
            upright, one for those that become troughs, as on a grid whose outer neighbours are copies, or 0.
        flips: whether a crest becomes a trough.
        open: whether waves leave the grid.
    """

    beyond: float
    flips: bool
    open: bool


BORDERS = {"zero": Ends(1.0, True, False), "reflecting": Ends(0.5, False, False), "open": Ends(0.0, False, True)}
"""What the ends of the grid do with waves: reflect them upside down, reflect them upright, or let them leave."""


class Shore(NamedTuple):
    """Land, and which way its shores face.

    Attributes:
        land: shape (nz, nx) bool.
        normals: unit vectors (x, z) towards the water, shape (nz, nx, 2) float32; 0 far from any shore.
        has_land: whether there is land at all.
        basins: number of the basin of each point, from 1, and 0 on land; shape (nz, nx) int32. No wave runs from one
            basin into another.
    """

    land: NDArray[np.bool_]
    normals: Floats
    has_land: bool
    basins: NDArray[np.int32]

    @classmethod
    def of(cls, land: NDArray[np.bool_]) -> Shore:
        """The shores of `land`, shape (nz, nx); normals are those of smoothed land."""
        from waterview.waters.common.kernels.basins import label_basins

        land = np.ascontiguousarray(land, bool)
        if not land.any():
            return cls(land, np.zeros((*land.shape, 2), np.float32), False, np.ones(land.shape, np.int32))
        uphill_z, uphill_x = np.gradient(_smoothed(land))
        steepness = np.hypot(uphill_x, uphill_z)
        facing = np.stack((-uphill_x, -uphill_z), axis=-1) / np.maximum(steepness, 1e-12)[..., None]
        normals = np.where(steepness[..., None] > FLAT, facing, 0.0).astype(np.float32)
        return cls(land, normals, True, label_basins(land))


def _smoothed(land: NDArray[np.bool_]) -> Doubles:
    """1 on land and 0 on water, convolved with the bell curve of `SHORE_WIDTH`."""
    from .kernels.field import convolve

    reach = 4 * round(SHORE_WIDTH)
    bell = np.exp(-0.5 * (np.arange(reach + 1) / SHORE_WIDTH) ** 2)
    weights = np.asarray(bell / (2.0 * bell.sum() - 1.0), np.float32)
    nz, nx = land.shape
    source = np.pad(land.astype(np.float32), reach, mode="edge")
    across, out = np.empty((nz + 2 * reach, nx), np.float32), np.empty((nz, nx), np.float32)
    convolve(across, source, nx, reach, False, weights, False, False)
    convolve(out, across, nx, reach, True, weights, False, False)
    return out.astype(np.float64)


class Outlines(NamedTuple):
    """Convex outlines of floating bodies at the surface; lengths and positions are in cells.

    Attributes:
        near: points where particles can meet a body, shape (nz, nx) bool.
        discs: column, row and radius of the disc around each outline, shape (m, 3) float64.
        edges: a point of each edge (column, row) and its outward unit normal, shape (n, 4) float64.
        first: edges first[k] to first[k + 1] − 1 are those of outline k, shape (m + 1,) int64; an outline without edges
            is its disc.
        owed: what each takes from the waves that it throws back, as ∫η² [m²·cells²], shape (m,) float64; it falls as
            they pay.
    """

    near: NDArray[np.bool_]
    discs: Doubles
    edges: Doubles
    first: NDArray[np.int64]
    owed: Doubles

    @classmethod
    def of(cls, outlines: Sequence[Doubles], shape: tuple[int, int], owed: Doubles | None = None) -> Outlines:
        """Those of `outlines` on a grid of `shape`: each a disc, shape (3,), or corners (n, 2) in either direction.

        They owe nothing if `owed` is None.
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
        return cls(near, discs, np.concatenate(edges), first, np.zeros(len(outlines)) if owed is None else owed)


NO_BODIES = Outlines(np.zeros((0, 0), bool), np.zeros((0, 3)), np.zeros((0, 4)), np.zeros(1, np.int64), np.zeros(0))
"""Nothing floats."""


def _disc_around(corners: Doubles) -> Doubles:
    middle = corners.mean(axis=0)
    away = corners - middle
    return np.array((*middle, np.sqrt((away * away).sum(axis=1)).max()))


def _edges(corners: Doubles) -> Doubles:
    """A corner and the outward normal of the edge after it, for each edge, shape (n, 4)."""
    along = np.concatenate((corners[1:], corners[:1])) - corners
    lengths = np.sqrt((along * along).sum(axis=1, keepdims=True))
    apart = lengths[:, 0] > 0.0  # a corner that is there twice has no edge between
    corners, along, lengths = corners[apart], along[apart], lengths[apart]
    normals = np.stack((along[:, 1], -along[:, 0]), axis=-1) / lengths
    inwards = len(corners) > 0 and np.vdot(normals, corners.mean(axis=0) - corners) > 0.0
    return np.concatenate((corners, -normals if inwards else normals), axis=1)

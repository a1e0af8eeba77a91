"""Which floating body a ray meets first, and where."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from waterview.core.body import BodyState

Array = NDArray[np.float64]


def pick_body(
    bodies: Sequence[BodyState], origin: Sequence[float] | Array, direction: Sequence[float] | Array
) -> tuple[BodyState, Array] | None:
    """The body whose mesh a ray meets first and the point where it does [m], shape (3,); None if it meets none.

    Args:
        bodies: what floats.
        origin: where the ray begins [m], shape (3,).
        direction: where it goes, any length above 0, shape (3,).
    """
    start, along = np.asarray(origin, np.float64), np.asarray(direction, np.float64)
    best: tuple[float, BodyState] | None = None
    for body in bodies:
        distance = _distance(body, start, along)
        if distance is not None and (best is None or distance < best[0]):
            best = distance, body
    return None if best is None else (best[1], start + best[0] * along)


def _distance(body: BodyState, origin: Array, direction: Array) -> float | None:
    """How far along the ray its first triangle lies, in lengths of `direction` (Möller and Trumbore 1997)."""
    # In the mesh's own axes the ray keeps its parameter, and no vertex has to be moved.
    start = body.rotation.T @ (origin - body.position) / body.scale
    along = body.rotation.T @ direction / body.scale
    corner, first, second = (body.mesh.vertices[body.mesh.indices[:, k]].astype(np.float64) for k in range(3))
    edge1, edge2 = first - corner, second - corner
    p = np.cross(along, edge2)
    determinant = np.einsum("ij,ij->i", edge1, p)
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = 1.0 / determinant
        offset = start - corner
        u = np.einsum("ij,ij->i", offset, p) * inverse
        q = np.cross(offset, edge1)
        v = np.einsum("j,ij->i", along, q) * inverse
        t = np.einsum("ij,ij->i", edge2, q) * inverse
        inside = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (t >= 0.0)
    return float(t[inside].min()) if inside.any() else None

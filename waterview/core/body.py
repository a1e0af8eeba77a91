"""A floating body as others see it: its shape and where it is."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import ParameterError

MOST_FACES = 5_000
"""Most triangles of the surface that water acts on: every one is looked at in every step."""

MOST_DRAWN = 30_000
"""Most triangles of a body that are drawn."""

BodyMesh = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]
"""A body of one's own in any unit, y up, its bow along +x. Of the closed surface that water acts on, vertices, shape
(n, 3) float32, and faces counter-clockwise from outside, shape (m, 3) int32; of what is drawn, the same and sRGB of the
vertices, shape (k, 3) uint8."""


@dataclass(frozen=True, eq=False)
class Mesh:
    """A triangle mesh; its arrays are read-only, so that all bodies of a kind share it.

    Attributes:
        vertices: positions, shape (n, 3) float32; the origin is the centre of mass, the longest side about 1.
        normals: unit normals of the vertices, shape (n, 3) float32.
        indices: corners of the triangles, shape (m, 3) uint32, counter-clockwise seen from outside.
        colours: sRGB of the vertices, shape (n, 3) uint8.
    """

    vertices: NDArray[np.float32]
    normals: NDArray[np.float32]
    indices: NDArray[np.uint32]
    colours: NDArray[np.uint8]

    def __post_init__(self) -> None:
        freeze(self)


@dataclass(frozen=True, eq=False)
class BodyState:
    """The state of one body at one moment; its arrays are read-only.

    A vertex v of the mesh lies at position + rotation·(scale·v) in the world. A normal n points along
    rotation·(n/scale), which needs to be normalised.

    Attributes:
        number: identifies the body; never used twice.
        kind: what it is, such as "sphere".
        mesh: its shape; the same object for all bodies of a kind.
        position: centre of mass in the world [m], shape (3,) float64.
        rotation: from its own axes to those of the world, shape (3, 3) float64.
        scale: metres for one unit of the mesh along each of its own axes, shape (3,) float64.
        density: mass over volume [kg/m³].
        grabbed: whether the pointer holds it.
        course: heading [degrees clockwise from north] and speed [m/s] that it keeps by itself; None if it is adrift.
        flow: velocity of the water around it, as it feels it [m/s], shape (3,) float64; None if that is not known.
    """

    number: int
    kind: str
    mesh: Mesh
    position: NDArray[np.float64]
    rotation: NDArray[np.float64]
    scale: NDArray[np.float64]
    density: float
    grabbed: bool = False
    course: tuple[float, float] | None = None
    flow: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        freeze(self)


def check_body_mesh(mesh: BodyMesh) -> None:
    """Refuse arrays that are no `BodyMesh`, as they may come from a file; those that are become read-only.

    Raises:
        ParameterError: a shape, a type or a number is wrong, or there are too many triangles.
    """
    vertices, faces, seen, seen_faces, colours = mesh
    for points, corners, most in ((vertices, faces, MOST_FACES), (seen, seen_faces, MOST_DRAWN)):
        if not (points.ndim == corners.ndim == 2 and points.shape[1] == corners.shape[1] == 3):
            raise ParameterError(f"a mesh of shapes {points.shape} and {corners.shape}: needed are (n, 3) and (m, 3)")
        if points.dtype != np.float32 or corners.dtype != np.int32 or not np.isfinite(points).all():
            raise ParameterError("a mesh needs finite float32 vertices and int32 faces")
        if not (4 <= len(corners) <= most and len(points) <= 3 * most):
            raise ParameterError(f"a mesh of {len(corners)} triangles: allowed are 4 to {most}; simplify it first")
        # What is drawn is read by the graphics card, which need not check where it reads.
        if corners.min() < 0 or corners.max() >= len(points):
            raise ParameterError(f"a mesh whose faces name vertices that are not there: it has {len(points)}")
    if colours.shape != seen.shape or colours.dtype != np.uint8:
        raise ParameterError(f"a mesh with colours of shape {colours.shape}: needed is {seen.shape}, uint8")
    for array in mesh:
        array.setflags(write=False)


def freeze(owner: Any) -> None:
    """Make every array among the fields of a dataclass read-only."""
    for entry in fields(owner):
        value = getattr(owner, entry.name)
        if isinstance(value, np.ndarray):
            value.setflags(write=False)

"""A floating body as others see it: its shape and where it is."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray


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

    def __post_init__(self) -> None:
        freeze(self)


def freeze(owner: Any) -> None:
    """Make every array among the fields of a dataclass read-only."""
    for entry in fields(owner):
        value = getattr(owner, entry.name)
        if isinstance(value, np.ndarray):
            value.setflags(write=False)

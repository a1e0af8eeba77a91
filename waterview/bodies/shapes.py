"""Shapes of bodies: hulls that water acts on, spheres that collide, meshes that are drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from waterview.bodies.kernels.records import BOX, SPHERE, SPHERE_POINTS
from waterview.core.body import BodyMesh, Mesh, freeze

Array = NDArray[np.float64]

BOX_CUTS = 3
"""Parts into which each edge of a box is cut, so that its sides feel how drag and waves vary along them."""

LOWEST_DENSITY, HIGHEST_DENSITY = 1.0, 25_000.0
"""Densities that a body may have [kg/m³]: from foam to platinum."""

RED, WHITE, WOOD = (200, 42, 40), (240, 238, 230), (176, 122, 72)


@dataclass(frozen=True, eq=False)
class Shape:
    """A kind of body at unit size; its origin is the centre of mass. The arrays are read-only.

    Attributes:
        kind: what users call it.
        geometry: `SPHERE`, `BOX` or `MESH` of `waterview.bodies.kernels.records`.
        density: usual density [kg/m³].
        visual_mesh: what is drawn.
        vertices: of the closed surface that water acts on, shape (n, 3); for a sphere points spread evenly over it.
        faces: corners of its triangles, shape (m, 3) int64, counter-clockwise from outside; none for a sphere.
        volume: of that surface.
        second_moments: mean of x xᵀ over the mass, shape (3, 3).
        collision_spheres: centre and radius of spheres inside the body that collide in its place, shape (p, 4).
        mesh: what a body of one's own was made of, for files; None for the kinds.
    """

    kind: str
    geometry: int
    density: float
    visual_mesh: Mesh
    vertices: Array
    faces: NDArray[np.int64]
    volume: float
    second_moments: Array
    collision_spheres: Array
    mesh: BodyMesh | None = None

    def __post_init__(self) -> None:
        freeze(self)

    def inertia(self, mass: float, scale: Array) -> Array:
        """Moments of inertia about the centre of mass [kg m²], shape (3, 3), at `scale` [m] along the own axes."""
        spread = self.second_moments * np.outer(scale, scale)
        return np.asarray(mass * (np.trace(spread) * np.eye(3) - spread), np.float64)

    def bounding_radius(self, scale: Array) -> float:
        """Radius of the sphere around the centre of mass that holds the body [m]."""
        if self.geometry == SPHERE:
            return 0.5 * float(scale[0])
        return float(np.linalg.norm(self.vertices * scale, axis=1).max())


def sphere() -> Shape:
    """A sphere of diameter 1, painted like a beach ball."""
    return Shape(
        kind="sphere",
        geometry=SPHERE,
        density=300.0,
        visual_mesh=beach_ball(),
        vertices=0.5 * SPHERE_POINTS,
        faces=np.empty((0, 3), np.int64),
        volume=np.pi / 6.0,
        second_moments=np.eye(3) / 20.0,
        collision_spheres=np.array([[0.0, 0.0, 0.0, 0.5]]),
    )


def box() -> Shape:
    """A cube of side 1; its scale may differ along each axis."""
    corners, normals, faces = box_surface(BOX_CUTS)
    unique, index = np.unique(corners.round(9), axis=0, return_inverse=True)
    colours = np.broadcast_to(np.array(WOOD, np.uint8), corners.shape)
    return Shape(
        kind="box",
        geometry=BOX,
        density=500.0,
        visual_mesh=Mesh(
            corners.astype(np.float32),
            normals.astype(np.float32),
            faces.astype(np.uint32),
            np.ascontiguousarray(colours),
        ),
        vertices=np.ascontiguousarray(unique),
        faces=np.ascontiguousarray(index.reshape(-1)[faces], np.int64),
        volume=1.0,
        second_moments=np.eye(3) / 12.0,
        collision_spheres=np.empty((0, 4)),
    )


def box_surface(cuts: int) -> tuple[Array, Array, NDArray[np.int64]]:
    """Vertices, normals and triangles of the unit cube with `cuts` × `cuts` squares a side, sides apart."""
    line = np.linspace(-0.5, 0.5, cuts + 1)
    u, v = (field.ravel() for field in np.meshgrid(line, line, indexing="ij"))
    number = np.arange((cuts + 1) ** 2).reshape(cuts + 1, cuts + 1)
    a, b, c, d = number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]
    square = np.stack((a, b, c, a, c, d), axis=-1).reshape(-1, 3)
    vertices: list[Array] = []
    normals: list[Array] = []
    faces: list[NDArray[np.int64]] = []
    for axis in range(3):
        for side in (-1.0, 1.0):
            place, normal = np.empty((len(u), 3)), np.zeros((len(u), 3))
            place[:, axis], place[:, (axis + 1) % 3], place[:, (axis + 2) % 3] = 0.5 * side, u, v
            normal[:, axis] = side
            faces.append((square if side > 0.0 else square[:, ::-1]) + len(vertices) * len(u))
            vertices.append(place)
            normals.append(normal)
    return np.concatenate(vertices), np.concatenate(normals), np.concatenate(faces)


def beach_ball() -> Mesh:
    """A sphere of diameter 1 in sectors of two colours; vertices are shared inside a sector only."""
    rings, sectors, slices = 24, 6, 8
    theta = np.pi * np.arange(rings + 1) / rings
    width = slices + 1
    parts, faces, colours = [], [], []
    number = np.arange((rings + 1) * width).reshape(rings + 1, width)
    a, b, c, d = number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1]
    squares = np.concatenate((np.stack((a, b, c), axis=-1)[1:], np.stack((a, c, d), axis=-1)[:-1]), axis=None)
    for sector in range(sectors):
        phi = 2.0 * np.pi * (sector + np.arange(width) / slices) / sectors
        y, ring = np.cos(theta)[:, None], np.sin(theta)[:, None]
        place = np.stack(np.broadcast_arrays(ring * np.cos(phi), y, -ring * np.sin(phi)), axis=-1)
        faces.append(squares.reshape(-1, 3)[:, ::-1] + sector * number.size)
        parts.append(place.reshape(-1, 3))
        colours.append(np.tile(RED if sector % 2 else WHITE, (number.size, 1)))
    normals = np.concatenate(parts).astype(np.float32)
    return Mesh(
        0.5 * normals, normals, np.concatenate(faces).astype(np.uint32), np.concatenate(colours).astype(np.uint8)
    )

"""What compiled code is given: the records of bodies and of their environment, the tables of shapes, the ground.

Constants that kernels and Python share are here too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

SPHERE, BOX, MESH = 0, 1, 2
"""Geometries of bodies. Spheres have closed forms; boxes are meshes that collide as exact boxes."""


def _rhombicuboctahedron() -> NDArray[np.float64]:
    corners = [np.roll((1.0 + np.sqrt(2.0), 1.0, 1.0), turn) for turn in range(3)]
    signs = np.array(np.meshgrid(*[(-1.0, 1.0)] * 3)).reshape(3, -1).T
    points = (signs[:, None] * np.array(corners)).reshape(-1, 3)
    return np.asarray(points / np.linalg.norm(points, axis=1, keepdims=True), np.float64)


TURNING_WATER = 0.25
"""Moment of inertia of the water that turns with a mesh, as a share of that of a body of water of its wet volume."""

SPHERE_POINTS = _rhombicuboctahedron()
"""Middles of faces spread over a sphere of radius 1, shape (24, 3).

They look the same from every side, so nothing pushes a falling sphere sideways."""

BLOCK = 16
"""Points along each side of the blocks of `Ground`."""

STRIP = 16
"""Floats that compiled code takes at a time. Every row of displaced columns is a whole number of strips."""

BODY = np.dtype(
    [
        # What it is: constant from step to step.
        ("geometry", np.int64),  # SPHERE, BOX or MESH
        ("first_vertex", np.int64),  # in the tables of `ShapeTables`; the end is one behind the last
        ("end_vertex", np.int64),
        ("first_face", np.int64),
        ("end_face", np.int64),
        ("first_sphere", np.int64),
        ("end_sphere", np.int64),
        ("scale", np.float64, (3,)),  # metres for one unit of the shape, along the body's own axes
        ("bounding_radius", np.float64),  # of the sphere around the centre of mass that holds the body [m]
        ("volume", np.float64),  # [m³]
        ("mass", np.float64),  # [kg]
        ("inertia", np.float64, (3, 3)),  # about the centre of mass, in the body's own axes [kg m²]
        ("inverse_inertia", np.float64, (3, 3)),
        # How it moves.
        ("position", np.float64, (3,)),  # of the centre of mass, in the world [m]
        ("orientation", np.float64, (4,)),  # unit quaternion w, x, y, z
        ("rotation", np.float64, (3, 3)),  # the same as a matrix
        ("velocity", np.float64, (3,)),  # [m/s]
        ("spin", np.float64, (3,)),  # angular velocity in the world [1/s]
        # The water around it.
        ("has_history", np.int64),  # whether the entries below are those of the last step
        ("surface", np.float64, (3,)),  # of the fitted plane: world height at `middle` [m], slope along x, along z
        ("middle", np.float64, (2,)),  # x, z at which the plane was fitted [m]
        ("flow", np.float64, (3,)),  # velocity of the water [m/s]
        ("slope_rate", np.float64, (2,)),  # change of the slopes [1/s]
        ("wet_volume", np.float64),  # [m³]
        ("mean_level", np.float64),  # world height of the surface, averaged over the last half second or so [m]
        ("columns", np.int64, (4,)),  # the `Window` of the displaced columns in the pool
        ("pose", np.float64, (8,)),  # position and orientation when these columns were computed, and their cut level
        ("pool_start", np.int64),  # where they lie in the pool of columns
        ("pool_size", np.int64),
        # The pointer that holds it.
        ("grabbed", np.int64),
        ("anchor", np.float64, (3,)),  # where it is grabbed, in its own axes from the centre of mass [m]
        ("target", np.float64, (3,)),  # where the pointer is [m]
        # Work space of one sub-step.
        ("world_inverse_inertia", np.float64, (3, 3)),  # in the world, with the water that turns with the body
        ("force", np.float64, (3,)),  # of pressure [N]
        ("torque", np.float64, (3,)),
        ("drag", np.float64, (3,)),  # drag, lift and skin friction [N]
        ("drag_torque", np.float64, (3,)),
    ],
    align=True,
)
"""One body."""

ENVIRONMENT = np.dtype(
    [
        # The grid.
        ("x", np.float64),  # world position of the corner with the lowest x and z [m]
        ("z", np.float64),
        ("level", np.float64),  # still water [m]
        ("spacing", np.float64),  # [m]
        ("rows", np.int64),  # points along z and along x
        ("columns", np.int64),
        # Parameters, as in `BodyParams`.
        ("gravity", np.float64),  # [m/s²]
        ("water_density", np.float64),  # [kg/m³]
        ("drag", np.float64),
        ("lift", np.float64),
        ("skin_friction", np.float64),
        ("added_mass", np.float64),
        ("settling", np.float64),  # [1/s]
        ("wave_push", np.float64),  # [1/(m s)]
        ("displacement", np.float64),
        ("bounce", np.float64),
        ("friction", np.float64),
        # Time.
        ("time_step", np.float64),  # [s]
        ("push_interval", np.int64),  # steps from one push at the water to the next
        ("steps", np.int64),  # taken
        # Set by compiled code in every step.
        ("points_per_metre", np.float64),
        ("mean_level_gain", np.float64),  # share by which a mean level follows the surface in a step
        ("flow_decay", np.float64),  # what a step leaves of a horizontal flow
        ("bounce_threshold", np.float64),  # closing speed below which nothing bounces [m/s]
        ("touched", np.int64, (4,)),  # first row and column, and those after the last, that were lifted in this step
        # Where arrays begin in memory: bodies and `ShapeTables` with their lengths, the pool, `Ground`.
        ("bodies", np.int64),
        ("body_count", np.int64),
        ("vertices", np.int64),
        ("vertex_count", np.int64),
        ("faces", np.int64),
        ("face_count", np.int64),
        ("spheres", np.int64),
        ("sphere_count", np.int64),
        ("pool", np.int64),
        ("bed", np.int64),
        ("highest", np.int64),
        ("basins", np.int64),
        ("block_basins", np.int64),
        # The same of the water's arrays, and floats from one row to the next.
        ("heights", np.int64),
        ("heights_stride", np.int64),
        ("levels", np.int64),  # how many arrays lift the surface: 0 to 3
        ("first_level", np.int64),
        ("first_stride", np.int64),
        ("second_level", np.int64),
        ("second_stride", np.int64),
        ("third_level", np.int64),
        ("third_stride", np.int64),
    ],
    align=True,
)
"""What is the same for all bodies of a step."""


class Window(NamedTuple):
    """A rectangle of grid points."""

    row: int
    column: int
    rows: int
    columns: int


class ShapeTables(NamedTuple):
    """What the bodies' shapes are made of, one shape after another, in units of the shape.

    Attributes:
        vertices: of meshes; for spheres points evenly spread over the surface; shape (n, 3) float64.
        faces: corners of triangles, counted from the shape's first vertex, shape (m, 3) int64.
        spheres: centre and radius of collision spheres, shape (p, 4) float64.
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]
    spheres: NDArray[np.float64]


class Ground(NamedTuple):
    """The ground and the basins between its shores.

    Attributes:
        bed: world height of the ground [m], shape (nz, nx) float32.
        highest: highest ground of every block of `BLOCK` × `BLOCK` points and the points beside it, float32.
        basins: number of the basin that a point belongs to, 0 for fixed points, shape (nz, nx) int32.
        block_basins: the basin that all points of a block belong to, 0 if there are several or land, int32.
    """

    bed: NDArray[np.float32]
    highest: NDArray[np.float32]
    basins: NDArray[np.int32]
    block_basins: NDArray[np.int32]

    @classmethod
    def of(cls, bed: NDArray[np.float32], fixed: NDArray[np.bool_]) -> Ground:
        """What bodies need to know of a `bed` [m] and of `fixed` points, shape (nz, nx) both."""
        from waterview.waters.common.kernels.basins import label_basins

        bed = np.array(bed, np.float32)  # a copy: to numba a read-only array is of another type
        basins = label_basins(fixed)
        # Bodies look between points: a block's ground reaches to the next points on every side.
        highest = _by_blocks(bed, 1, lambda block: block.max())
        whole = _by_blocks(basins, 0, lambda block: block[0, 0] * (block == block[0, 0]).all())
        return cls(bed, highest.astype(np.float32), basins, whole.astype(np.int32))


def _by_blocks(array: NDArray[Any], margin: int, function: Callable[[NDArray[Any]], Any]) -> NDArray[Any]:
    """`function` of every block of an array with `margin` points around it."""
    rows, columns = (range(0, n, BLOCK) for n in array.shape)
    return np.array(
        [
            [
                function(array[max(i - margin, 0) : i + BLOCK + margin, max(j - margin, 0) : j + BLOCK + margin])
                for j in columns
            ]
            for i in rows
        ]
    )

"""The motion of floating bodies and the water they push aside: layouts of the data, for `calls` to fill."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

SPHERE, BOX, MESH = 0, 1, 2
"""Forms of bodies: spheres have closed forms; boxes are meshes that collide as exact boxes."""


def _rhombicuboctahedron() -> NDArray[np.float64]:
    corners = [np.roll((1.0 + np.sqrt(2.0), 1.0, 1.0), turn) for turn in range(3)]
    signs = np.array(np.meshgrid(*[(-1.0, 1.0)] * 3)).reshape(3, -1).T
    points = (signs[:, None] * np.array(corners)).reshape(-1, 3)
    return np.asarray(points / np.linalg.norm(points, axis=1, keepdims=True), np.float64)


SPHERE_POINTS = _rhombicuboctahedron()
"""Middles of faces spread over a sphere of radius 1, shape (24, 3): as many to every side, so that nothing pushes a
falling sphere aside."""

BLOCK = 16
"""Points along each side of the blocks for which the highest ground is kept."""

STRIP = 16
"""Floats that compiled code takes at a time: rows of displaced columns are whole strips of them."""

BODY = np.dtype(
    [
        # What it is: constant from step to step.
        ("form", np.int64),
        ("first_vertex", np.int64),  # in the tables of `Shapes`; the end is one behind the last
        ("end_vertex", np.int64),
        ("first_face", np.int64),
        ("end_face", np.int64),
        ("first_ball", np.int64),
        ("end_ball", np.int64),
        ("scale", np.float64, (3,)),  # metres for one unit of the shape, along the body's own axes
        ("reach", np.float64),  # radius of the bounding sphere around the centre of mass [m]
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
        ("remembered", np.int64),  # whether the entries below are those of the last step
        ("surface", np.float64, (3,)),  # world height of the water at the middle [m], slope along x, slope along z
        ("middle", np.float64, (2,)),  # x, z of that middle [m]
        ("flow", np.float64, (3,)),  # velocity of the water [m/s]
        ("slope_rate", np.float64, (2,)),  # change of the slopes [1/s]
        ("wet_volume", np.float64),  # [m³]
        ("mean_level", np.float64),  # world height of the water around it, of late [m]
        ("columns", np.int64, (4,)),  # first row, first column, rows, columns of the window of remembered columns
        ("pose", np.float64, (8,)),  # position, orientation and mean level when the columns were remembered
        ("pool_start", np.int64),  # where they lie in the pool of columns
        ("pool_size", np.int64),
        # The hand that holds it.
        ("held", np.int64),
        ("anchor", np.float64, (3,)),  # where it is held, in its own axes from the centre of mass [m]
        ("target", np.float64, (3,)),  # where the hand is [m]
        # Work space of one sub-step.
        ("inverse", np.float64, (3, 3)),  # inverse inertia in the world, with that of the water that turns with it
        ("force", np.float64, (3,)),
        ("torque", np.float64, (3,)),
        ("drag", np.float64, (3,)),
        ("drag_torque", np.float64, (3,)),
    ],
    align=True,
)
"""One body: a record of compiled code."""

WORLD = np.dtype(
    [
        ("x", np.float64),  # world position of the corner with the lowest x and z [m]
        ("z", np.float64),
        ("level", np.float64),  # still water [m]
        ("spacing", np.float64),  # [m]
        ("time_step", np.float64),  # [s]
        ("gravity", np.float64),  # [m/s²]
        ("water_density", np.float64),  # [kg/m³]
        ("drag", np.float64),  # coefficients of drag, lift and skin friction
        ("lift", np.float64),
        ("skin", np.float64),
        ("added_mass", np.float64),  # mass of water that moves with a body, as a share of what it displaces
        ("settling", np.float64),  # damping in proportion to speed [1/s]
        ("push", np.float64),  # gain of the sideways push by rising water [1/(m s)]
        ("displacement", np.float64),  # share of a displaced column that lifts the surface
        ("bounce", np.float64),  # coefficients of restitution and of dry friction
        ("friction", np.float64),
        ("soft", np.float64),  # closing speed below which nothing bounces [m/s]
        ("every", np.int64),  # steps from one push at the water to the next
        ("count", np.int64),  # steps taken
        ("per_metre", np.float64),  # points [1/m]; this and the two below are set by compiled code
        ("calming", np.float64),  # share by which a mean level follows the surface in a step
        ("keeping", np.float64),  # share that a step leaves of a sideways flow
        ("highest", np.float64),  # highest ground [m]
        ("rows", np.int64),  # points of the grid along z and along x
        ("columns", np.int64),
        ("bodies", np.int64, (2,)),  # address and number of the records of bodies
        ("vertices", np.int64, (2,)),  # the same of the tables of `Shapes`
        ("faces", np.int64, (2,)),
        ("balls", np.int64, (2,)),
        ("pool", np.int64, (2,)),  # columns of water that bodies displace
        ("bed", np.int64),  # addresses of the arrays of `Ground`
        ("tops", np.int64),
        ("basins", np.int64),
        ("blocks", np.int64),
        # Set by compiled code in every step, the last seven of them from what it is called with.
        ("touched", np.int64, (4,)),  # first row and column and those after the last that were lifted in this step
        ("levels", np.int64),  # number of arrays that lift the surface: 0, 1 or 2
        ("heights", np.int64, (2,)),  # address of the surface's heights, floats from one row to the next
        ("first", np.int64, (2,)),  # the same of the arrays that lift the surface
        ("second", np.int64, (2,)),
    ],
    align=True,
)
"""What is the same for all bodies of a step: a record of compiled code."""


class Shapes(NamedTuple):
    """What the bodies' shapes are made of, one shape after another, in units of the shape.

    Attributes:
        vertices: of meshes; for spheres points evenly spread over the surface; shape (n, 3) float64.
        faces: corners of triangles, counted from the shape's first vertex, shape (m, 3) int64.
        balls: centre and radius of what collides, shape (p, 4) float64.
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]
    balls: NDArray[np.float64]


class Ground(NamedTuple):
    """The ground and what it encloses.

    Attributes:
        bed: world height of the ground [m], shape (nz, nx) float32.
        tops: highest ground of every block of `BLOCK` × `BLOCK` points and those beside it, float32.
        blocks: the basin that all points of a block belong to, 0 if there are several or land, int32.
        basins: number of the connected free points that a point belongs to, 0 for fixed ones, shape (nz, nx) int32.
    """

    bed: NDArray[np.float32]
    tops: NDArray[np.float32]
    basins: NDArray[np.int32]
    blocks: NDArray[np.int32]

    @classmethod
    def of(cls, bed: NDArray[np.float32], fixed: NDArray[np.bool_]) -> Ground:
        """What bodies need to know of a `bed` [m] and of `fixed` points, shape (nz, nx) both."""
        from waterview.waters.common.kernels.basins import label_basins

        bed = np.array(bed, np.float32)  # a copy: to numba an array that may not be written is of another type
        basins = label_basins(fixed)
        # Bodies look between points: a block's ground reaches to the next points on every side.
        tops = _by_blocks(bed, 1, lambda block: block.max())
        blocks = _by_blocks(basins, 0, lambda block: block[0, 0] * (block == block[0, 0]).all())
        return cls(bed, tops.astype(np.float32), basins, blocks.astype(np.int32))


def _by_blocks(array: NDArray[Any], margin: int, of: Callable[[NDArray[Any]], Any]) -> NDArray[Any]:
    """What `of` says of every block of an array with `margin` points around it."""
    rows, columns = (range(0, n, BLOCK) for n in array.shape)
    return np.array(
        [
            [
                of(array[max(i - margin, 0) : i + BLOCK + margin, max(j - margin, 0) : j + BLOCK + margin])
                for j in columns
            ]
            for i in rows
        ]
    )

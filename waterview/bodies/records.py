"""Records for compiled code, made from shapes, numbers and parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waterview.bodies.kernels.records import BODY, BOX, STRIP, Ground, ShapeTables
from waterview.core.errors import ParameterError
from waterview.core.grid import Grid, widest_water
from waterview.simd.layout import address

from .params import BodyParams
from .shapes import Shape
from .water import WaterAroundBodies

Array = NDArray[np.float64]

LOWEST_DENSITY, HIGHEST_DENSITY = 1.0, 25_000.0
"""What a body may weigh [kg/m³]: from foam to platinum."""

USUAL_SIZE = 0.05
"""Longest side of a body of the usual size, as a share of the water's longer side."""

LARGEST_SIZE = 0.5
"""Longest side allowed, as a share of the water's shorter side."""

_PLACES = 400
_GOLDEN_ANGLE = math.pi * (3.0 - math.sqrt(5.0))

PUSH_INTERVAL = 1.0 / 30.0
"""How often a body pushes water aside [s]: where steps are shorter, the motion of several adds up to one push."""


def new_record(shape: Shape, scale: Array, density: float) -> Any:
    """A body of `BODY` at rest in the origin.

    Args:
        shape: its kind.
        scale: metres for one unit of the shape along each of its axes, shape (3,).
        density: [kg/m³].

    Raises:
        ParameterError: the density is not allowed.
    """
    record = np.zeros(1, BODY)[0]
    record["geometry"], record["scale"] = shape.geometry, scale
    record["volume"] = shape.volume * float(np.prod(scale))
    record["bounding_radius"] = shape.bounding_radius(scale)
    record["orientation"], record["rotation"] = (1.0, 0.0, 0.0, 0.0), np.eye(3)
    set_density(record, shape, density)
    return record


def set_density(record: Any, shape: Shape, density: float) -> None:
    """Give a body another mass and inertia.

    Raises:
        ParameterError: the density is not allowed; nothing has changed then.
    """
    if not (math.isfinite(density) and LOWEST_DENSITY <= density <= HIGHEST_DENSITY):
        raise ParameterError(
            f"a body of density {density:g} kg/m³: allowed are {LOWEST_DENSITY:g} to {HIGHEST_DENSITY:g} kg/m³"
        )
    record["mass"] = density * record["volume"]
    record["inertia"] = shape.inertia(float(record["mass"]), record["scale"])
    record["inverse_inertia"] = np.linalg.inv(record["inertia"])


def set_place(record: Any, position: Sequence[float], rotation: Sequence[float] | None) -> None:
    """Put a body somewhere at rest, without a splash; see `Bodies.place`.

    Raises:
        ParameterError: a number is not finite, or the quaternion is 0.
    """
    place = finite_vector("a body's place", position)
    if rotation is not None:
        quaternion = np.asarray(rotation, np.float64)
        size = float(np.linalg.norm(quaternion)) if quaternion.shape == (4,) else 0.0
        if not (math.isfinite(size) and size > 0.0):
            raise ParameterError(f"a rotation of {tuple(rotation)}: needed are four finite numbers, not all 0")
        record["orientation"] = quaternion / size
        record["rotation"] = rotation_matrix(record["orientation"])
    record["position"] = place
    record["velocity"] = record["spin"] = 0.0
    forget(record)


def forget(record: Any) -> None:
    """Let the body's next step push nothing aside, wherever it then is."""
    record["has_history"] = 0
    record["columns"] = 0


def scale_of(grid: Grid, shape: Shape, size: float | Sequence[float] | None) -> Array:
    """Metres for one unit of a shape along each of its axes, shape (3,); `size` as in `Bodies.add`.

    Raises:
        ParameterError: a side is not above 0 and finite or too long for the water, or three were given for no box.
    """
    if size is None:
        size = min(USUAL_SIZE * max(grid.size), LARGEST_SIZE * min(grid.size))
    sides = np.atleast_1d(np.asarray(size, np.float64))
    if sides.shape not in ((1,), (3,)) or (sides.shape == (3,) and shape.geometry != BOX):
        raise ParameterError(f"a {shape.kind} of size {size}: needed is one number, or for a box its three sides")
    most = LARGEST_SIZE * min(grid.size)
    if not (np.isfinite(sides).all() and sides.min() > 0.0 and sides.max() <= most):
        raise ParameterError(f"a {shape.kind} of size {size} m: allowed are values above 0 up to {most:g} m")
    return np.broadcast_to(sides, 3).copy()


def place_on(water: WaterAroundBodies, x: float | None, z: float | None) -> tuple[float, float]:
    """World x, z [m]; where one is None, that of the middle of the widest water.

    Raises:
        ParameterError: the place is not on the grid.
    """
    if x is None or z is None:
        middle = widest_water(water.grid, water.fixed)
        x, z = middle[0] if x is None else x, middle[1] if z is None else z
    if not (math.isfinite(x) and math.isfinite(z)) or water.grid.nearest(x, z) is None:
        (width, depth), (left, _, near) = water.grid.size, water.grid.origin
        raise ParameterError(
            f"a body at {x:g}, {z:g} lies outside the water: allowed are x from {left:g} to {left + width:g} m "
            f"and z from {near:g} to {near + depth:g} m"
        )
    return x, z


def free_place(
    water: WaterAroundBodies, place: tuple[float, float], reach: float, others: NDArray[np.void]
) -> tuple[float, float]:
    """The first of places on a spiral from world x, z [m] that is in the water and beside all other bodies.

    Args:
        water: the water.
        place: where the spiral begins; it is also what is returned where no place is free.
        reach: of the body [m].
        others: records of the bodies that are there.
    """
    for number in range(_PLACES):
        distance, angle = 0.6 * reach * math.sqrt(number), number * _GOLDEN_ANGLE
        x, z = place[0] + distance * math.cos(angle), place[1] + distance * math.sin(angle)
        nearest = water.grid.nearest(x, z)
        apart = np.hypot(others["position"][:, 0] - x, others["position"][:, 2] - z) > reach + others["bounding_radius"]
        if nearest is not None and not water.fixed[nearest[1], nearest[0]] and apart.all():
            return x, z
    return place


def finite_vector(what: str, numbers: Sequence[float] | Array) -> Array:
    """Three finite numbers, shape (3,).

    Raises:
        ParameterError: they are something else.
    """
    vector = np.array(numbers, np.float64)
    if vector.shape != (3,) or not np.isfinite(vector).all():
        raise ParameterError(f"{what} of {numbers}: needed are three finite numbers")
    return vector


def rotation_matrix(quaternion: Array) -> Array:
    """From a body's axes to those of the world, shape (3, 3), for a unit quaternion w, x, y, z."""
    w, (x, y, z) = quaternion[0], quaternion[1:]
    crossing = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + 2.0 * w * crossing + 2.0 * crossing @ crossing, np.float64)


def turned_on(quaternion: Array, angle: Array) -> Array:
    """An orientation turned by a small rotation vector in the world, shape (3,) [rad]; a unit quaternion again."""
    w, axis = quaternion[0], quaternion[1:]
    moved = quaternion + 0.5 * np.append(-angle @ axis, w * angle + np.cross(angle, axis))
    return np.asarray(moved / np.linalg.norm(moved), np.float64)


def shape_tables(records: NDArray[np.void], shapes: Sequence[Shape]) -> ShapeTables:
    """The tables of all shapes; every record is told where its own is."""
    vertices: list[Array] = [np.empty((0, 3))]
    faces: list[NDArray[np.int64]] = [np.empty((0, 3), np.int64)]
    spheres: list[Array] = [np.empty((0, 4))]
    ranges: dict[int, tuple[int, ...]] = {}
    counts = [0, 0, 0]
    names = ("first_vertex", "end_vertex", "first_face", "end_face", "first_sphere", "end_sphere")
    for record, shape in zip(records, shapes, strict=True):
        if id(shape) not in ranges:
            vertices.append(shape.vertices)
            faces.append(shape.faces)
            spheres.append(shape.collision_spheres)
            lengths = len(shape.vertices), len(shape.faces), len(shape.collision_spheres)
            ends = [count + length for count, length in zip(counts, lengths, strict=True)]
            ranges[id(shape)] = tuple(value for pair in zip(counts, ends, strict=True) for value in pair)
            counts = ends
        for name, value in zip(names, ranges[id(shape)], strict=True):
            record[name] = value
    return ShapeTables(np.concatenate(vertices), np.concatenate(faces), np.concatenate(spheres))


def make_room(records: NDArray[np.void], pool: NDArray[np.float32], grid: Grid) -> NDArray[np.float32]:
    """A pool with room for the columns of every body, whichever way it turns; what fits where it was stays there."""
    start = 0
    for record in records:
        side = 2 * math.ceil(max(float(record["bounding_radius"]) / grid.spacing, 2.0)) + 3
        size = min(side, grid.shape[0]) * whole_strips(min(side, grid.shape[1]))
        _, _, rows, columns = (int(number) for number in record["columns"])
        if (record["pool_start"], record["pool_size"]) != (start, size) or rows * whole_strips(columns) > size:
            forget(record)
        record["pool_start"], record["pool_size"] = start, size
        start += size
    if len(pool) >= start:
        return pool
    larger = np.zeros(start, np.float32)
    larger[: len(pool)] = pool
    return larger


def whole_strips(columns: int) -> int:
    """Floats in the pool for a row of so many columns."""
    return -(-columns // STRIP) * STRIP


def fill_environment(environment: NDArray[np.void], params: BodyParams, grid: Grid, dt: float) -> None:
    """Write parameters, grid and a step of `dt` [s] into a record of `ENVIRONMENT`, shape (1,)."""
    environment["x"], environment["level"], environment["z"] = grid.origin
    environment["rows"], environment["columns"] = grid.shape
    environment["spacing"], environment["time_step"] = grid.spacing, dt
    environment["push_interval"] = max(1, int(PUSH_INTERVAL / dt * (1.0 + 1e-9)))
    for name, value in asdict(params).items():
        environment[name] = value


def set_addresses(
    environment: NDArray[np.void],
    records: NDArray[np.void],
    tables: ShapeTables,
    pool: NDArray[np.float32],
    ground: Ground,
) -> None:
    """Write where all these arrays lie into a record of `ENVIRONMENT`, shape (1,); somebody must keep them alive."""
    arrays = {"bodies": records, "pool": pool, **tables._asdict(), **ground._asdict()}
    for name, array in arrays.items():
        environment[name] = address(array)
    counts = {"body_count": records, "vertex_count": tables.vertices, "face_count": tables.faces}
    for name, array in (counts | {"sphere_count": tables.spheres}).items():
        environment[name] = len(array)


SAVED_NAMES = {
    "geometry": "form",
    "first_sphere": "first_ball",
    "end_sphere": "end_ball",
    "bounding_radius": "reach",
    "has_history": "remembered",
    "grabbed": "held",
    "world_inverse_inertia": "inverse",
}
"""Fields of `BODY` whose names in saved files are others."""


def state_of(records: NDArray[np.void]) -> dict[str, NDArray[Any]]:
    """Records as plain arrays by name, for `records_from`."""
    assert records.dtype.names is not None
    return {SAVED_NAMES.get(name, name): records[name].copy() for name in records.dtype.names}


def records_from(state: Mapping[str, NDArray[Any]], pool: NDArray[np.float32], grid: Grid) -> NDArray[np.void]:
    """The records that `state_of` gave; `pool` and `grid` are those that their columns of water lie in.

    Raises:
        KeyError, ValueError: they make no sense.
    """
    assert BODY.names is not None
    records = np.zeros(len(state["form"]), BODY)
    for name in BODY.names:
        values = state[SAVED_NAMES.get(name, name)]
        if not np.isfinite(values).all():
            raise ValueError(f"bodies whose {name} is not finite")
        records[name] = values
    first, count = records["columns"][:, :2], records["columns"][:, 2:]
    start, size = records["pool_start"], records["pool_size"]
    # Compiled code does not check where it reads.
    inside = (first >= 0).all() and (count >= 0).all() and (first + count <= grid.shape).all()
    if not (inside and (count.prod(axis=1) <= size).all() and (start >= 0).all() and (start + size <= len(pool)).all()):
        raise ValueError("bodies that remember columns outside the water")
    return records

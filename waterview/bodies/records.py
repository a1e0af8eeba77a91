"""The records that compiled code steps: made from shapes and parameters, changed, saved and loaded."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waterview.bodies.kernels.records import BODY, STRIP, Ground, ShapeTables
from waterview.core.errors import ParameterError
from waterview.core.grid import Grid
from waterview.core.saved import LARGEST, entry_of
from waterview.simd.layout import address

from .params import BodyParams
from .shapes import HIGHEST_DENSITY, LOWEST_DENSITY, Shape

Array = NDArray[np.float64]

PUSH_INTERVAL = 1.0 / 30.0
"""Longest time from one push at the water to the next [s]. Where steps are shorter, the motion of several makes one
push."""

PUSH_DISTANCE = 0.15
"""How far waves may run from one push to the next, in bounding radii: later pushes come out of step with what the body
feels, and give energy."""

PUSH_CELLS = 3.5
"""How far waves may run from one push to the next, in cells. Each push makes a ring; a push is smoothed, so rings that
are not farther apart are hardly there, and others would be fine ripples around a body that moves slowly."""


def new_record(shape: Shape, scale: Array, density: float) -> Any:
    """A record of `BODY` at rest in the origin.

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
    """Set mass and inertia of a body by its density [kg/m³].

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
    """Put a body somewhere at rest, without a splash; arguments as in `Bodies.place`.

    Raises:
        ParameterError: a number is not finite, or the quaternion is 0.
    """
    place = finite_vector("a body's place", position)
    if rotation is not None:
        quaternion = np.asarray(rotation, np.float64)
        with np.errstate(over="ignore"):  # an infinite size is refused
            size = float(np.linalg.norm(quaternion)) if quaternion.shape == (4,) else 0.0
        if not (math.isfinite(size) and size > 0.0):
            raise ParameterError(f"a rotation of {tuple(rotation)}: needed are four finite numbers, not all 0")
        record["orientation"] = quaternion / size
        record["rotation"] = rotation_matrix(record["orientation"])
    record["position"] = place
    record["velocity"] = record["spin"] = 0.0
    forget(record)


def forget(record: Any) -> None:
    """Forget where a body was, so that its next step pushes nothing aside."""
    record["has_history"] = 0
    record["columns"] = 0


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
    """The rotation from a body's axes to those of the world, shape (3, 3), for a unit quaternion w, x, y, z."""
    w, x, y, z = quaternion.tolist()  # numbers of Python's own: arrays are made of them in a third of the time
    crossing = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(_UPRIGHT + 2.0 * w * crossing + 2.0 * crossing @ crossing, np.float64)


_UPRIGHT = np.eye(3)


def rotated(quaternion: Array, angle: Array) -> Array:
    """A unit quaternion, rotated by a small rotation vector in the world, shape (3,) [rad]."""
    w, axis = quaternion[0], quaternion[1:]
    (ax, ay, az), (bx, by, bz) = angle, axis
    across = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx  # np.cross, at a tenth of its cost for two vectors
    moved = quaternion + 0.5 * np.append(-angle @ axis, w * angle + across)
    return np.asarray(moved / np.linalg.norm(moved), np.float64)


def shape_tables(records: NDArray[np.void], shapes: Sequence[Shape]) -> ShapeTables:
    """The tables of all shapes; writes into every record where those of its own shape are."""
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
    """A pool with room for the columns of every body, however it turns. Columns that still fit stay where they are."""
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


def fill_environment(
    environment: NDArray[np.void],
    params: BodyParams,
    grid: Grid,
    dt: float,
    wave_speed: float,
    records: NDArray[np.void],
) -> None:
    """Write parameters, grid and a step of `dt` [s] into a record of `ENVIRONMENT`, shape (1,).

    Args:
        environment: to be written.
        params: of all bodies.
        grid: of the water.
        dt: time step [s].
        wave_speed: of the water [m/s]; the faster waves cross cells and bodies, the more often bodies push.
        records: of the bodies, one or more.
    """
    environment["x"], environment["level"], environment["z"] = grid.origin
    environment["rows"], environment["columns"] = grid.shape
    environment["spacing"], environment["time_step"] = grid.spacing, dt
    run = min(PUSH_DISTANCE * float(records["bounding_radius"].min()), PUSH_CELLS * grid.spacing)
    interval = min(PUSH_INTERVAL, run / max(wave_speed, 1e-9))
    environment["push_interval"] = max(1, int(interval / dt * (1.0 + 1e-9)))
    for name, value in asdict(params).items():
        environment[name] = value


def set_addresses(
    environment: NDArray[np.void],
    records: NDArray[np.void],
    tables: ShapeTables,
    pool: NDArray[np.float32],
    ground: Ground,
) -> None:
    """Write where all these arrays lie into a record of `ENVIRONMENT`, shape (1,); the caller keeps them alive."""
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

_MOST = 1e40  # moments of inertia of bodies as large as `LARGEST` [kg m²]
_FOLLOWING = ("geometry", "volume", "bounding_radius", "mass", "inertia", "inverse_inertia", "rotation")
_LARGEST_REACH = 10.0  # times the water's longer side: far more than a body may have when it is put there
LEAST_SIZE = 1e-12
"""Least size, volume and mass [m, m³, kg]: kernels divide by them."""

_FEW = 1 << 31  # so many that sums and products of whole numbers of a body are still such
_BOUNDS: dict[str, tuple[float, float]] = {
    **dict.fromkeys(("scale", "bounding_radius", "volume", "mass"), (LEAST_SIZE, _MOST)),
    **dict.fromkeys(("position", "velocity", "spin", "surface", "middle", "flow"), (-LARGEST, LARGEST)),
    **dict.fromkeys(("slope_rate", "mean_level", "pose", "anchor", "target"), (-LARGEST, LARGEST)),
    **dict.fromkeys(("columns", "pool_start", "pool_size"), (0.0, _FEW)),
    **dict.fromkeys(("has_history", "grabbed"), (0.0, 1.0)),
    "wet_volume": (0.0, _MOST),
    "orientation": (-2.0, 2.0),
}
"""Smallest and largest number in a file, by the name of the field; of others ±`_MOST`."""


def state_of(records: NDArray[np.void]) -> dict[str, NDArray[Any]]:
    """Records as plain arrays by name, for `records_from`."""
    assert records.dtype.names is not None
    return {SAVED_NAMES.get(name, name): records[name].copy() for name in records.dtype.names}


def records_from(
    state: Mapping[str, NDArray[Any]], shapes: Sequence[Shape], pool: NDArray[np.float32], grid: Grid
) -> NDArray[np.void]:
    """The records that `state_of` gave, of bodies of these shapes; their columns of water lie in `pool` and `grid`.

    Raises:
        KeyError, ValueError: an entry is missing or makes no sense.
    """
    assert BODY.names is not None
    records = np.zeros(entry_of(state, "form", np.ndarray).size, BODY)
    for name in BODY.names:
        least, most = _BOUNDS.get(name, (-_MOST, _MOST))
        values = entry_of(state, SAVED_NAMES.get(name, name), np.ndarray, low=least, high=most)
        # numpy would repeat the numbers of one body for all.
        if values.shape != records[name].shape or values.dtype != records[name].dtype:
            raise ValueError(f"bodies whose {name} has shape {values.shape} and type {values.dtype}")
        records[name] = values
    if not (np.abs(np.square(records["orientation"]).sum(axis=-1) - 1.0) < 1e-3).all():
        raise ValueError("bodies that are turned by no rotation")
    if max(records[name].max(initial=0.0) for name in ("scale", "bounding_radius")) > _LARGEST_REACH * max(grid.size):
        raise ValueError("bodies that are larger than the water")
    if not (records["wet_volume"] <= records["volume"]).all():
        raise ValueError("bodies more of which is under water than there is")
    records["grabbed"] = 0
    if len(records) != len(shapes) or not all(map(_is_of_shape, records, shapes)):
        raise ValueError("bodies whose volume, inertia or rotation is not that of their shape")
    first, count = records["columns"][:, :2], records["columns"][:, 2:]
    start, size = records["pool_start"], records["pool_size"]
    # Compiled code does not check where it reads.
    room = count[:, 0] * (-(-count[:, 1] // STRIP) * STRIP)
    if not ((first + count <= grid.shape).all() and (room <= size).all() and (start + size <= len(pool)).all()):
        raise ValueError("bodies that remember columns outside the water")
    return records


def _is_of_shape(record: Any, shape: Shape) -> bool:
    """Whether what follows from a body's shape, size, density and orientation is that, within a tenth.

    A mesh may have been measured by another version of a library.
    """
    density = float(record["mass"]) / float(record["volume"])  # infinite without a warning of numpy's
    made = new_record(shape, record["scale"], min(max(density, LOWEST_DENSITY), HIGHEST_DENSITY))
    made["rotation"] = rotation_matrix(record["orientation"])
    with np.errstate(over="ignore"):  # an infinite difference is refused
        return all(np.abs(record[name] - made[name]).max() <= 0.1 * np.abs(made[name]).max() for name in _FOLLOWING)

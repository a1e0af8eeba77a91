"""The size of a raster's cell on the ground: degrees, feet and projections become metres."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from waterview.core.errors import TerrainError
from waterview.core.extras import extra
from waterview.core.georeference import Georeference

if TYPE_CHECKING:
    from affine import Affine
    from rasterio.crs import CRS

__all__ = [
    "DEGREES",
    "FOOT",
    "LEAST_STEP",
    "MAX_COORDINATE",
    "Georeference",
    "along_axes",
    "are_even",
    "degrees_to_metres",
    "describe_crs",
    "georeference",
    "ground_cell",
    "longitude_latitude",
    "metres_per_degree",
    "transformed",
]

WGS84_AXIS = 6_378_137.0
"""Equatorial radius of the WGS 84 ellipsoid [m] (NIMA TR8350.2)."""

WGS84_FLATTENING = 1.0 / 298.257223563

LEAST_STEP = 1e-12
"""Least distance of a raster's columns and rows, in its own unit: places are divided by it."""

MAX_COORDINATE = 1e30
"""Largest coordinate of a raster, in its own unit: with larger ones places have no numbers."""

DEGREES = "EPSG:4326"
"""Longitude and latitude on WGS 84, for files whose degrees name no coordinate reference system."""

FOOT = 0.3048
"""The international foot [m]."""

TOLERATED_SCALE = 0.01
"""A projected cell size is used as it is if the scale error in the middle of the map is smaller than this.

UTM stays within 0.04 % and national grids within less, but Web Mercator is wrong by half at 49° north."""

FARTHEST = 1e9
"""Coordinates farther away than this [m] mean nothing on Earth, whose girth is 4·10⁷ m."""


def transformed(x: ArrayLike, y: ArrayLike, crs: str, other: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Coordinates x and y of the system `crs` in the system `other`; infinite where that one has no place for them.

    Raises:
        TerrainError: no way leads from one system to the other.
    """
    x, y = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(y, np.float64))
    if crs == other:
        return x, y
    if not max(np.abs(x).max(initial=0.0), np.abs(y).max(initial=0.0)) <= FARTHEST:  # see `_measured_cell`
        raise TerrainError(f"its coordinates lie more than {FARTHEST:g} m away; correct its georeference")

    with extra("geo", "a coordinate reference system"):
        from rasterio.warp import transform

    try:
        xs, ys = transform(crs, other, x.ravel(), y.ravel())
    except Exception as error:  # outside its domain GDAL raises exceptions that rasterio does not publish
        raise TerrainError(f"its coordinates cannot be brought into another system ({error}); warp it first") from error
    return np.asarray(xs, np.float64).reshape(x.shape), np.asarray(ys, np.float64).reshape(x.shape)


def longitude_latitude(
    place: Georeference, x: ArrayLike, z: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Longitude and latitude on WGS 84 [degrees] of world x and z [m], which broadcast, in a world at `place`.

    None where the place has none: its system is unknown, is one of a building site, or lies on another planet.
    """
    if not place.crs:
        return None
    try:
        return transformed(*place.coordinates(x, z), place.crs, DEGREES)
    except TerrainError:
        return None


def metres_per_degree(latitude: float) -> tuple[float, float]:
    """Length on WGS 84 of one degree of longitude and of one degree of latitude [m] at `latitude` [degrees].

    N cos φ and M, times π/180, with the radii of curvature N = a/√(1 − e² sin²φ) and M = a(1 − e²)/(1 − e² sin²φ)^{3/2}
    (Snyder, Map Projections: A Working Manual, USGS Professional Paper 1395, §4).
    """
    phi = math.radians(latitude)
    e2 = WGS84_FLATTENING * (2.0 - WGS84_FLATTENING)
    w2 = 1.0 - e2 * math.sin(phi) ** 2
    along_x = WGS84_AXIS / math.sqrt(w2) * math.cos(phi)
    along_z = WGS84_AXIS * (1.0 - e2) / w2**1.5
    return math.radians(along_x), math.radians(along_z)


def degrees_to_metres(cell: tuple[float, float], latitude: float) -> tuple[float, float]:
    """The size in metres of a cell of (longitude, latitude) [degrees] at `latitude` [degrees].

    Raises:
        TerrainError: the latitude is not on Earth, or a pole.
    """
    if not abs(latitude) < 90.0:
        raise TerrainError(f"its middle lies at latitude {latitude:g}°; allowed are −90° to 90°, the poles left out")
    per_x, per_z = metres_per_degree(latitude)
    return cell[0] * per_x, cell[1] * per_z


def ground_cell(transform: Affine, crs: CRS | None, shape: tuple[int, int]) -> tuple[float, float]:
    """Cell size (x, z) [m] of a raster of `shape` (nz, nx) with the unrotated affine `transform` to `crs`.

    Without a coordinate reference system units are metres.

    Raises:
        TerrainError: the map lies off the globe.
    """
    cell = (abs(transform.a), abs(transform.e))
    if crs is None:
        return cell
    # Written out, because affine's operator for this differs between versions.
    middle = transform.c + 0.5 * transform.a * shape[1], transform.f + 0.5 * transform.e * shape[0]
    unit = _unit(crs)
    if crs.is_geographic:
        to_degrees = math.degrees(unit)
        return degrees_to_metres((cell[0] * to_degrees, cell[1] * to_degrees), middle[1] * to_degrees)
    projected = (cell[0] * unit, cell[1] * unit)
    true = (_measured_cell(cell, middle, crs, shape) if crs.is_projected else None) or projected
    is_true_to_scale = all(abs(a / b - 1.0) <= TOLERATED_SCALE for a, b in zip(projected, true, strict=True))
    return projected if is_true_to_scale else true


def georeference(transform: Affine, crs: str, shape: tuple[int, int], kept: tuple[int, int]) -> Georeference:
    """Where the `kept` (nz, nx) samples lie that a raster of `shape` with an unrotated `transform` was decimated to."""
    x_step, y_step = abs(transform.a) * shape[1] / kept[1], abs(transform.e) * shape[0] / kept[0]
    west = min(transform.c, transform.c + transform.a * shape[1])
    north = max(transform.f, transform.f + transform.e * shape[0])
    return Georeference(crs, west + 0.5 * x_step, north - 0.5 * y_step, x_step, y_step)


def are_even(values: NDArray[np.float64]) -> bool:
    """Whether coordinates rise or fall in steps of at least `LEAST_STEP` that differ by less than a quarter."""
    if not (np.abs(values) < MAX_COORDINATE).all():  # true for NaN, too
        return False
    steps = np.diff(values)
    is_regular = bool((steps >= LEAST_STEP).all() or (steps <= -LEAST_STEP).all())
    return is_regular and bool(np.ptp(steps) <= 0.25 * abs(steps.mean()))


def along_axes(
    x: NDArray[np.float64], y: NDArray[np.float64], crs: str
) -> tuple[tuple[float, float], tuple[slice, slice], Georeference]:
    """Cell (x, z) [m], slices that put north and west first, and place, by even coordinates of columns and rows.

    Raises:
        TerrainError: they are degrees (`crs` is `DEGREES`) and lie off the globe.
    """
    steps = abs(float(x[-1] - x[0])) / (len(x) - 1), abs(float(y[-1] - y[0])) / (len(y) - 1)
    cell = degrees_to_metres(steps, 0.5 * float(y[0] + y[-1])) if crs == DEGREES else steps
    order = slice(None, None, 1 if y[-1] < y[0] else -1), slice(None, None, 1 if x[-1] > x[0] else -1)
    return cell, order, Georeference(crs, float(x.min()), float(y.max()), *steps)


def describe_crs(crs: CRS | None) -> str:
    """Name, EPSG code and datum of a coordinate reference system; "" for none."""
    if crs is None:
        return ""
    wkt = crs.to_wkt()
    name = re.match(r'\w+\["([^"]{,100})', wkt)  # what a file calls it may be of any length
    datum = re.search(r'DATUM\["([^"]{,100})', wkt)
    parts = [name.group(1) if name else ""]
    if crs.to_epsg() is not None:
        parts.append(f"EPSG:{crs.to_epsg()}")
    if datum and datum.group(1) not in parts:
        parts.append(f"datum {datum.group(1)}")
    return ", ".join(part for part in parts if part)


def _unit(crs: CRS) -> float:
    """One unit of `crs` in metres or radians; 1 where it names no unit."""
    from rasterio.errors import CRSError

    try:
        return float(crs.units_factor[1])
    except CRSError:
        return 1.0


def _measured_cell(
    cell: tuple[float, float], middle: tuple[float, float], crs: CRS, shape: tuple[int, int]
) -> tuple[float, float] | None:
    """Cell size on the ellipsoid [m], measured over 1 % of the map at its middle; None outside the domain of `crs`."""
    from rasterio.warp import transform

    half = [0.005 * size * n for size, n in zip(cell, (shape[1], shape[0]), strict=True)]
    if not max(map(abs, (*middle, *half))) * _unit(crs) <= FARTHEST:
        return None  # PROJ would count turns around Earth one by one, for hours
    xs = [middle[0] - half[0], middle[0] + half[0], middle[0], middle[0]]
    ys = [middle[1], middle[1], middle[1] - half[1], middle[1] + half[1]]
    try:
        lon, lat = transform(crs, "EPSG:4326", xs, ys)
    except Exception:  # outside its domain GDAL raises exceptions that rasterio does not publish
        return None
    if not max(map(abs, lat)) < 89.0:
        return None
    lengths = [_distance(lon[i], lat[i], lon[i + 1], lat[i + 1]) for i in (0, 2)]
    if not all(math.isfinite(length) and length > 0.0 for length in lengths):
        return None
    return lengths[0] / (2.0 * half[0]) * cell[0], lengths[1] / (2.0 * half[1]) * cell[1]


def _distance(lon1: float, lat1: float, lon2: float, lat2: float) -> float:
    """Length [m] of a short line on WGS 84 between two points [degrees]."""
    per_x, per_z = metres_per_degree(0.5 * (lat1 + lat2))
    east = (lon2 - lon1 + 180.0) % 360.0 - 180.0
    return math.hypot(east * per_x, (lat2 - lat1) * per_z)

"""Arrays of xarray, with what their coordinates and attributes say; xarray itself is not imported."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from affine import Affine
from numpy.typing import NDArray
from rasterio.crs import CRS

from waterview.core.errors import TerrainError
from waterview.core.georeference import Georeference
from waterview.terrain.georeference import DEGREES, FOOT, along_axes, are_even, describe_crs, ground_cell
from waterview.terrain.options import TerrainOptions
from waterview.terrain.raster import VERTICAL_UNITS, Raster, check_shape, chosen, in_units, refusal

if TYPE_CHECKING:
    import xarray

_NAMES = {"X": {"x", "lon", "longitude", "easting"}, "Y": {"y", "lat", "latitude", "northing"}}
_DEGREE_NAMES = {"lon", "lat", "longitude", "latitude"}
_LENGTHS = dict.fromkeys(("ft", "foot", "feet"), FOOT) | dict.fromkeys(("km", "kilometers", "kilometres"), 1000.0)
_WINDOW_BYTES = 64 << 20


def read_xarray(data: xarray.DataArray | xarray.Dataset, max_points: int, options: TerrainOptions) -> Raster:
    """The heights in a DataArray, or in the variable of a Dataset that the options name or that is called so.

    Coordinates are found by their names or attributes (`axis`, `standard_name`, `units`), the coordinate reference
    system as rioxarray and the CF conventions keep it. Rows and columns may run either way. An array with more than
    `max_points` a side is thinned by means over blocks, and read a window at a time, so that one of dask never has to
    fit into memory.

    Raises:
        TerrainError: it has not two dimensions longer than 1, or coordinates that are not evenly spaced.
    """
    source = str(data.name or "DataArray") if hasattr(data, "name") else "Dataset"
    array: Any = data
    if hasattr(data, "data_vars"):
        maps = [str(name) for name, each in data.data_vars.items() if each.ndim >= 2]
        array = data[chosen(source, "variable", maps, options.variable)]
    flat = array.squeeze(drop=True)
    if flat.ndim != 2:
        raise refusal(
            source, f"has the dimensions {', '.join(map(str, array.dims))}", "choose one map, as by isel(time=0)"
        )
    flat = flat.transpose(*_rows_and_columns(flat))
    if flat.dtype.kind not in "fiub":
        raise refusal(source, f"holds values of type {flat.dtype}", "heights must be real numbers; convert them")
    nz, nx = flat.shape
    check_shape(source, nx, nz)
    step = max(-(-max(nz, nx) // max(max_points, 2)), 1)
    steps = min(step, nz // 2), min(step, nx // 2)
    values, valid = _means(flat, steps)
    fill = array.attrs.get("_FillValue", array.encoding.get("_FillValue"))
    raster = Raster(
        source=source,
        format=f"xarray, {array.name}" if array.name else "xarray",
        values=values * np.float32(VERTICAL_UNITS.get(str(array.attrs.get("units", "")).lower(), 1.0)),
        valid=valid if fill is None else valid & (values != np.float32(fill)),
        cell=(float(steps[1]), float(steps[0])),
        full_shape=(nz, nx),
        depth_positive_down=array.attrs.get("positive") == "down"
        or "depth_below" in str(array.attrs.get("standard_name", "")),
    )
    return in_units(_placed(raster, flat, array, steps), options.units, True)


def _rows_and_columns(array: Any) -> tuple[str, str]:
    """The dimensions to the south or north, and to the east or west; as they come if nothing tells."""
    first, second = array.dims
    turned = _kind(array, first) == "X" or _kind(array, second) == "Y"
    return (second, first) if turned else (first, second)


def _kind(array: Any, dimension: str) -> str:
    """The axis, "X" or "Y", of a dimension whose name or attributes tell, else ""."""
    attributes = array[dimension].attrs if dimension in array.coords else {}
    words = f"{dimension} {attributes.get('standard_name', '')} {attributes.get('units', '')}".lower()
    for axis, names in _NAMES.items():
        east = {"X": ("longitude", "projection_x", "degrees_east"), "Y": ("latitude", "projection_y", "degrees_north")}
        if attributes.get("axis") == axis or str(dimension).lower() in names or any(w in words for w in east[axis]):
            return axis
    return ""


def _means(array: Any, steps: tuple[int, int]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Means over blocks of `steps` rows and columns, and where they have any value; read window by window."""
    nz, nx = (size // step for size, step in zip(array.shape, steps, strict=True))
    rows = array.chunks[0][0] if array.chunks else _WINDOW_BYTES // (8 * array.shape[1])
    rows = max(rows // steps[0], 1)
    values, valid = np.empty((nz, nx), np.float32), np.empty((nz, nx), bool)
    for first in range(0, nz, rows):
        count = min(rows, nz - first)
        window = array[first * steps[0] : (first + count) * steps[0], : nx * steps[1]].values
        blocks = window.reshape(count, steps[0], nx, steps[1])
        if steps == (1, 1):
            values[first : first + count], known = window, np.isfinite(window)
        else:
            finite = np.isfinite(blocks)
            known = finite.any(axis=(1, 3))
            sums = np.where(finite, blocks, 0).sum(axis=(1, 3), dtype=np.float64)
            values[first : first + count] = sums / np.maximum(finite.sum(axis=(1, 3)), 1)
        valid[first : first + count] = known
    return values, valid & (np.abs(values) < 1e30)


def _placed(raster: Raster, flat: Any, array: Any, steps: tuple[int, int]) -> Raster:
    """The raster with north and west first, its cell on the ground and its place, if it has coordinates."""
    axes = []
    for name, step in zip(flat.dims, steps, strict=True):
        if name not in flat.coords or flat[name].dtype.kind not in "fiu":
            return raster
        values = np.asarray(flat[name].values, np.float64)
        if not are_even(values):
            raise refusal(
                raster.source, f"has coordinates '{name}' that are not evenly spaced", "interpolate them first"
            )
        axes.append(values[: len(values) // step * step].reshape(-1, step).mean(axis=1))
    y, x = axes
    units = [str(flat[name].attrs.get("units", "")).lower() for name in flat.dims]
    crs = _reference(array)
    are_degrees = all(unit.startswith("degree") for unit in units) or set(map(str, flat.dims)) <= _DEGREE_NAMES
    if crs is None and are_degrees:
        crs = CRS.from_user_input(DEGREES)
    try:
        (x_step, y_step), order, place = along_axes(x, y, "")
        transform = Affine(x_step, 0.0, place.west - 0.5 * x_step, 0.0, -y_step, place.north + 0.5 * y_step)
        cell = ground_cell(transform, crs, raster.values.shape)
    except TerrainError as error:
        raise refusal(raster.source, str(error), "correct its coordinates") from error
    factor = _LENGTHS.get(units[0], 1.0) if crs is None else 1.0
    name = DEGREES if crs is not None and crs.to_epsg() == 4326 else crs.to_wkt() if crs is not None else ""
    return replace(
        raster,
        values=np.ascontiguousarray(raster.values[order]),
        valid=np.ascontiguousarray(raster.valid[order]),
        cell=(cell[0] * factor, cell[1] * factor),
        crs=describe_crs(crs),
        place=Georeference(name, place.west, place.north, x_step, y_step),
    )


def _reference(array: Any) -> CRS | None:
    """The coordinate reference system that a coordinate of the array holds, or None."""
    name = array.encoding.get("grid_mapping", array.attrs.get("grid_mapping", "spatial_ref"))
    attributes = array.coords[name].attrs if name in array.coords else {}
    text = attributes.get("crs_wkt") or attributes.get("spatial_ref")
    return CRS.from_user_input(text) if text else None

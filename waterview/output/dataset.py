"""Fields of the water with names, units and coordinates of the CF conventions: for xarray, NetCDF and Zarr."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from waterview import __version__
from waterview.core.errors import InputError
from waterview.core.extras import extra
from waterview.core.frame import Frame
from waterview.core.gauges import QUANTITIES
from waterview.core.georeference import Georeference
from waterview.core.grid import Grid

from .netcdf import Attribute, Variable, save_netcdf

if TYPE_CHECKING:
    import xarray
    from rasterio.crs import CRS

MOST_BYTES = 1 << 30
"""Largest series that is put together in memory; a longer one is written piece by piece as .zarr."""

_MAP, _SERIES = ("y", "x"), ("time", "y", "x")
_SURFACE = next(quantity.standard_name for quantity in QUANTITIES if quantity.name == "surface")
_COORDINATES = ("time", "x", "y", "world_x", "world_z", "spatial_ref")


def moving_variables(frame: Frame) -> dict[str, Variable]:
    """What differs from frame to frame, with the one moment of `frame` along `time`.

    `heights` (time, y, x) [m], `time` [s], and the velocities `u` to the east and `v` to the north [m s-1] where the
    frame has them.
    """
    mapped = {"grid_mapping": "spatial_ref"} if frame.place.crs else {}
    moving = {
        "time": Variable(("time",), np.array([frame.time]), {"long_name": "simulated time", "units": "s", "axis": "T"}),
        "heights": _field(frame.heights, "height of the surface above still water", "m", _SURFACE, mapped),
    }
    if frame.velocity is not None:
        parts = ("u", frame.velocity[0], "east", "x"), ("v", -frame.velocity[1], "north", "y")
        for name, values, towards, axis in parts:
            doc = f"velocity to the {towards}, averaged over the depth"
            moving[name] = _field(values, doc, "m s-1", f"barotropic_sea_water_{axis}_velocity", mapped)
    return moving


def _field(values: Any, doc: str, units: str, standard_name: str, more: Mapping[str, Attribute]) -> Variable:
    attributes = {"long_name": doc, "units": units, "standard_name": standard_name, **more}
    return Variable(_SERIES, np.asarray(values, np.float32)[None], attributes)


def still_variables(frame: Frame) -> dict[str, Variable]:
    """What a frame has once: coordinates, `bed` [m], `fixed`, and the fields over the run, if they were gathered.

    `x` and `y` are coordinates of the terrain's file (`Frame.place`); `world_x` and `world_z` [m] those of the world,
    in which drops and gauges are placed. `spatial_ref` holds the coordinate reference system, if there is one.
    """
    still = coordinates_of(frame.grid, frame.place)
    mapped = {"grid_mapping": "spatial_ref"} if frame.place.crs else {}
    level = {"long_name": "height of the ground", "units": "m", "standard_name": "height_above_mean_sea_level"}
    still["bed"] = Variable(_MAP, frame.bed, {**level, **mapped})
    land = {"long_name": "points that stay dry", "units": "1", "standard_name": "land_binary_mask"}
    still["fixed"] = Variable(_MAP, frame.fixed, {**land, **mapped})
    for field in frame.maxima.values():
        units = field.unit.replace("m/s", "m s-1") or "1"
        attributes = {"long_name": f"{field.name} over the run", "units": units, **mapped}
        still[field.name.replace(" ", "_")] = Variable(_MAP, field.values, attributes)
    return still


def coordinates_of(grid: Grid, place: Georeference) -> dict[str, Variable]:
    """The coordinates of `still_variables`, of a grid whose world lies at `place`."""
    x, y = place.coordinates(grid.x, 0.0)[0], place.coordinates(0.0, grid.z)[1]
    away = "of the middle of the map"
    found = {
        "x": Variable(("x",), x, {"axis": "X", "units": "m", "long_name": "distance to the east"}),
        "y": Variable(("y",), y, {"axis": "Y", "units": "m", "long_name": "distance to the north"}),
        "world_x": Variable(("x",), grid.x, {"units": "m", "long_name": f"distance to the east {away}"}),
        "world_z": Variable(("y",), grid.z, {"units": "m", "long_name": f"distance to the south {away}"}),
    }
    if not place.crs:
        return found
    with extra("geo", "a coordinate reference system"):
        from rasterio.crs import CRS

    crs = CRS.from_user_input(place.crs)
    wkt = crs.to_wkt()
    reference = {"crs_wkt": wkt, "spatial_ref": wkt}
    for name, degrees in (("x", "longitude degrees_east"), ("y", "latitude degrees_north")):
        standard_name, units = degrees.split() if crs.is_geographic else (f"projection_{name}_coordinate", _unit(crs))
        attributes = {"axis": name.upper(), "units": units, "standard_name": standard_name}
        found[name] = Variable((name,), found[name].values, attributes)
    if crs.is_geographic:
        reference["grid_mapping_name"] = "latitude_longitude"
    return found | {"spatial_ref": Variable((), np.array(0, np.int32), reference)}


def _unit(crs: CRS) -> str:
    from rasterio.errors import CRSError

    try:
        name = str(crs.linear_units)
    except CRSError:
        return "m"
    return {"metre": "m", "meter": "m", "unknown": "m"}.get(name, name)


def attributes_of(frame: Frame) -> dict[str, Attribute]:
    """Attributes of the whole: conventions, source, spacing of the grid and height of still water [m]."""
    own = {"spacing": float(frame.grid.spacing), "level": float(frame.grid.level)}
    return {"Conventions": "CF-1.8", "source": f"waterview {__version__}", "units": "m", **own}


def variables(frames: Iterable[Frame]) -> dict[str, Variable]:
    """All variables of `frames`, put together along `time`; still ones are those of the last frame.

    Raises:
        InputError: there is no frame, or they would take more than `MOST_BYTES`.
    """
    moving, size, last = list[dict[str, Variable]](), 0, None
    for frame in frames:
        moving.append(moving_variables(frame))
        last, size = frame, size + sum(each.values.nbytes for each in moving[-1].values())
        _check_size(size)
    if last is None:
        raise InputError("no frame is given: at least one is needed")
    together = {
        name: each._replace(values=np.concatenate([step[name].values for step in moving]))
        for name, each in moving[0].items()
    }
    return still_variables(last) | together


def to_xarray(frames: Frame | Iterable[Frame]) -> xarray.Dataset:
    """One frame or several as an xarray Dataset: the variables of `moving_variables` and `still_variables`.

    Raises:
        InputError: xarray is not installed, there is no frame, or they take more memory than `MOST_BYTES`.
    """
    try:
        import xarray
    except ImportError as error:
        raise InputError("xarray is not installed: run pip install xarray") from error
    frames = [frames] if isinstance(frames, Frame) else list(frames)
    parts = {name: (each.dimensions, each.values, dict(each.attributes)) for name, each in variables(frames).items()}
    coordinates = {name: parts.pop(name) for name in _COORDINATES if name in parts}
    return xarray.Dataset(parts, coordinates, attributes_of(frames[-1]))


def check_series(count: int, grid: Grid, path: Path) -> None:
    """Refuse a series that `save_series_netcdf` could not put together.

    Raises:
        InputError: it would take more memory than `MOST_BYTES`.
    """
    _check_size(4 * count * grid.shape[0] * grid.shape[1])


def _check_size(size: int) -> None:
    if size > MOST_BYTES:
        raise InputError(
            f"heights of {size / 1e9:.1f} GB, above {MOST_BYTES / 1e9:.1f} GB: choose fewer frames, a smaller grid, "
            "or a .zarr, which is written piece by piece"
        )


def save_series_netcdf(frames: Iterable[Frame], count: int, grid: Grid, path: Path) -> None:
    """Write frames as NetCDF that follows the CF conventions 1.8: the variables of `to_xarray`.

    Raises:
        InputError: the place cannot be written to, or the frames take more memory than `MOST_BYTES`.
    """
    kept: list[Frame] = []

    def noted() -> Iterable[Frame]:
        for frame in frames:
            kept[:] = [frame]
            yield frame

    every = {name: _classic(stored(each)) for name, each in variables(noted()).items()}
    save_netcdf(every, attributes_of(kept[-1]), path)


def stored(variable: Variable) -> Variable:
    """The variable with the names of its further coordinates, as files have them."""
    if variable.dimensions[-2:] != _MAP:
        return variable
    more = "world_x world_z" + (" spatial_ref" if "grid_mapping" in variable.attributes else "")
    return variable._replace(attributes={**variable.attributes, "coordinates": more})


def _classic(variable: Variable) -> Variable:
    """The variable with types that NetCDF's classic format has; xarray makes booleans of them again."""
    if variable.values.dtype != bool:
        return variable
    return variable._replace(
        values=variable.values.astype(np.int8), attributes={**variable.attributes, "dtype": "bool"}
    )

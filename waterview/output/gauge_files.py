"""What gauges have measured, as a table of text and as NetCDF with the names and units of the CF conventions."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from waterview import __version__
from waterview.core.errors import InputError
from waterview.core.gauges import QUANTITIES, GaugeSeries
from waterview.core.georeference import LOCAL, Georeference
from waterview.terrain.georeference import longitude_latitude

from .atomic import write_atomically
from .netcdf import Variable, characters, save_netcdf

NO_GAUGES = "there are no gauges to write: add one with --gauge NAME:X,Z, or with Ctrl+G in the window"


def save_gauges_csv(gauges: Sequence[GaugeSeries], path: Path, place: Georeference = LOCAL) -> None:
    """Write a table: a row for every time [s], four columns for every gauge, named "A surface [m]" for a gauge A.

    A column without any value, such as the velocities of a model that has none, is left out; a cell is empty where its
    gauge was not there yet. Numbers are written so that they are read back to the bit. An existing file is replaced.

    Raises:
        InputError: there is no gauge, or the place cannot be written to.
    """
    times, table = aligned(gauges)
    columns = {
        f"{gauge.name} {quantity.title} [{quantity.unit}]": table[number, :, place]
        for place, gauge in enumerate(gauges)
        for number, quantity in enumerate(QUANTITIES)
        if not np.isnan(table[number, :, place]).all()
    }

    def write(place: Path) -> None:
        with place.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["time [s]", *columns])
            for time, *values in zip(times.tolist(), *columns.values(), strict=True):
                writer.writerow([repr(time), *("" if np.isnan(value) else str(value) for value in values)])

    write_atomically(path, "gauges", write)


def aligned(gauges: Sequence[GaugeSeries]) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """All series of gauges of one world on common times.

    Returns:
        Times [s], shape (n,), and values, shape (quantities, n, gauges); NaN before a gauge was there.

    Raises:
        InputError: there is no gauge.
    """
    if not gauges:
        raise InputError(NO_GAUGES)
    # Gauges of one world are read together, so a later one has the last times of an earlier one.
    times = max((gauge.times for gauge in gauges), key=len)
    table = np.full((len(QUANTITIES), len(times), len(gauges)), np.nan, np.float32)
    for place, gauge in enumerate(gauges):
        table[:, len(times) - len(gauge.times) :, place] = gauge.values
    return times, table


def save_gauges_netcdf(gauges: Sequence[GaugeSeries], path: Path, place: Georeference = LOCAL) -> None:
    """Write NetCDF that follows the CF conventions 1.8 for time series (chapter 9, "orthogonal multidimensional").

    Dimensions are `station` and `time`; variables `surface`, `depth`, `velocity_x` and `velocity_z` (station, time)
    float32, NaN where nothing was measured; `time` [s] float64; `station_name`, and the places `x`, `z` [m] of the
    stations, with `longitude` and `latitude` [degrees] if the `place` of their world is known. An existing file is
    replaced.

    Raises:
        InputError: there is no gauge, or the place cannot be written to.
    """
    times, table = aligned(gauges)
    x, z = np.array([gauge.x for gauge in gauges]), np.array([gauge.z for gauge in gauges])
    station = ("station",)
    variables = {
        "station_name": Variable(
            ("station", "name_length"),
            characters([gauge.name for gauge in gauges]),
            {"long_name": "name of the gauge", "cf_role": "timeseries_id", "_Encoding": "utf-8"},
        ),
        "time": Variable(("time",), times, {"long_name": "simulated time", "units": "s", "axis": "T"}),
        "x": Variable(station, x, {"long_name": "distance to the east of the middle of the map", "units": "m"}),
        "z": Variable(station, z, {"long_name": "distance to the south of the middle of the map", "units": "m"}),
    }
    places = "x z station_name"
    if (degrees := longitude_latitude(place, x, z)) is not None:
        places = f"longitude latitude {places}"
        for name, unit, values in zip(
            ("longitude", "latitude"), ("degrees_east", "degrees_north"), degrees, strict=True
        ):
            variables[name] = Variable(station, values, {"standard_name": name, "units": unit})
    for number, quantity in enumerate(QUANTITIES):
        variables[quantity.name] = Variable(
            ("station", "time"),
            table[number].T,
            {
                "long_name": quantity.doc,
                "standard_name": quantity.standard_name,
                "units": quantity.unit.replace("m/s", "m s-1"),
                "coordinates": places,
                "_FillValue": np.float32(np.nan),
            },
        )
    whole = {"Conventions": "CF-1.8", "featureType": "timeSeries", "source": f"waterview {__version__}"}
    save_netcdf(variables, whole, path)


GAUGE_WRITERS: Mapping[str, Callable[[Sequence[GaugeSeries], Path, Georeference], None]] = {
    ".csv": save_gauges_csv,
    ".nc": save_gauges_netcdf,
}
"""What writes the gauges, by the ending of the file's name."""


def check_gauges_out(path: Path) -> None:
    """Refuse a file for gauges whose ending is unknown, before any work is done.

    Raises:
        InputError: it is unknown.
    """
    if path.suffix not in GAUGE_WRITERS:
        raise InputError(f"cannot write the gauges {path}: allowed endings are {', '.join(GAUGE_WRITERS)}")


def save_gauges(gauges: Sequence[GaugeSeries], path: Path, place: Georeference = LOCAL) -> None:
    """Write what gauges have measured as the ending of `path` says; an existing file is replaced.

    A known `place` of their world (`Frame.place`) adds longitudes and latitudes where the format has room for them.

    Raises:
        InputError: there is no gauge, the ending is unknown, or the place cannot be written to.
    """
    check_gauges_out(path)
    GAUGE_WRITERS[path.suffix](gauges, path, place)

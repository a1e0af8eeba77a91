"""Fields over the run as maps for geographic information systems, and the line that the water came to as a table."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from waterview.core.errors import InputError
from waterview.sim.maxima import Maxima, inundation_line
from waterview.terrain.georeference import longitude_latitude
from waterview.waters.common.water import Water

from .atomic import write_atomically
from .geotiff import write_rasters

if TYPE_CHECKING:
    from waterview.sim.world import World


def save_maxima_maps(maxima: Maxima, water: Water, path: Path) -> None:
    """Write every field over the run as a band of one GeoTIFF, float32, with its name and unit; NaN where it has none.

    Bands are the largest surface [m], the arrival time [s], and where the model knows velocities the largest speed
    [m/s] and flooded land (1 or 0). Coordinates are those of the terrain's file (`Water.place`). An existing file is
    replaced.

    Raises:
        InputError: the place cannot be written to.
    """
    fields = maxima.field_maps().values()
    bands = [(field.name, field.unit, field.values.__getitem__) for field in fields]
    write_atomically(path, "map", lambda place: write_rasters(place, bands, water.grid, water.time, water.place))


def save_inundation_line(maxima: Maxima, water: Water, path: Path) -> None:
    """Write the points of `inundation_line` as a table: x, z, and the height of the ground above still water [m].

    Longitude and latitude [degrees] join them if the water knows where it lies. An existing file is replaced.

    Raises:
        InputError: the place cannot be written to.
    """
    line = inundation_line(maxima, water)
    columns = dict(zip(("x [m]", "z [m]", "ground [m]"), line.T, strict=True))
    degrees = longitude_latitude(water.place, line[:, 0], line[:, 1]) if len(line) else None
    if degrees is not None:
        columns["longitude"], columns["latitude"] = degrees

    def write(place: Path) -> None:
        with place.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))

    write_atomically(path, "table", write)


MAXIMA_WRITERS: Mapping[str, Callable[[Maxima, Water, Path], None]] = {
    ".tif": save_maxima_maps,
    ".csv": save_inundation_line,
}
"""What writes fields over the run, by the ending of the file's name."""


def check_maxima_out(path: Path) -> None:
    """Refuse a file for fields over the run whose ending is unknown, before any work is done.

    Raises:
        InputError: it is unknown.
    """
    if path.suffix not in MAXIMA_WRITERS:
        raise InputError(f"cannot write fields over the run {path}: allowed endings are {', '.join(MAXIMA_WRITERS)}")


def save_maxima(world: World, path: Path) -> None:
    """Write the fields over the run of a world as the ending of `path` says.

    Raises:
        InputError: none were gathered, the ending is unknown, or the place cannot be written to.
    """
    check_maxima_out(path)
    if world.maxima is None:
        raise InputError(f"cannot write {path}: no fields over the run were gathered; start with --maxima")
    MAXIMA_WRITERS[path.suffix](world.maxima, world.water, path)

"""Fields of the water as GeoTIFF, for geographic information systems."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waterview.core.extras import extra
from waterview.core.frame import Frame
from waterview.core.georeference import Georeference
from waterview.core.grid import Grid

from .atomic import write_atomically

STRIP_POINTS = 1 << 25
"""How many points of a band are read at once: of a large map only the packed bytes are in memory as a whole."""

Rows = Callable[[slice], NDArray[Any]]
"""What gives some rows of a field, shape (rows, nx)."""


def save_geotiff(frame: Frame, path: Path) -> None:
    """Write the world height of the water's surface [m] as a raster of float32, with NaN for dry points.

    Its coordinates are those of the terrain's file (`Frame.place`). An existing file is replaced.

    Raises:
        InputError: the place cannot be written to.
    """
    surface = np.where(frame.fixed, np.nan, frame.grid.level + frame.heights).astype(np.float32)
    write_atomically(
        path,
        "map",
        lambda place: write_rasters(place, [("", "m", surface.__getitem__)], frame.grid, frame.time, frame.place),
    )


def write_rasters(
    path: Path,
    bands: Sequence[tuple[str, str, Rows]],
    grid: Grid,
    time: float,
    on_map: Georeference,
) -> None:
    """Write fields on `grid` at `time` [s] as bands of a GeoTIFF, NaN where they have no value.

    Args:
        path: a new file.
        bands: the name and unit of each field, and what gives its rows.
        grid: where the points lie.
        time: simulated time [s].
        on_map: coordinates by world x and z [m].
    """
    with extra("geo", f"{path.name}: a map (.tif)"):
        from rasterio.errors import NotGeoreferencedWarning
        from rasterio.io import MemoryFile
        from rasterio.transform import Affine
        from rasterio.windows import Window

    west, north = map(float, on_map.coordinates(grid.origin[0], grid.origin[2]))
    width, height = on_map.x_step * grid.spacing, -on_map.y_step * grid.spacing
    options = {
        "width": grid.shape[1],
        "height": grid.shape[0],
        "transform": Affine(width, 0.0, west - 0.5 * width, 0.0, height, north - 0.5 * height),
        "compress": "deflate",
        "crs": on_map.crs or None,
        "BIGTIFF": "IF_SAFER",
    }
    # On a full disk GDAL ends the file without an error, so GDAL writes to memory and Python to the disk.
    with warnings.catch_warnings(), MemoryFile() as memory:
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        with memory.open(driver="GTiff", count=len(bands), dtype="float32", nodata=np.nan, **options) as raster:
            nz, nx = grid.shape
            step = max(STRIP_POINTS // nx, 1)
            for top in range(0, nz, step):
                rows = slice(top, min(top + step, nz))
                for number, (_, _, values) in enumerate(bands, 1):
                    window = Window(0, top, nx, rows.stop - top)
                    raster.write(np.asarray(values(rows), np.float32), number, window=window)
            for number, (name, unit, _) in enumerate(bands, 1):
                if name:
                    raster.set_band_description(number, f"{name} [{unit}]" if unit else name)
            raster.update_tags(TIME=f"{time:.9g} s", AREA_OR_POINT="Point", UNIT=bands[0][1])
        path.write_bytes(memory.getbuffer())

"""The surface as GeoTIFF, for geographic information systems."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from waterview.core.frame import Frame

from .atomic import write_atomically


def save_geotiff(frame: Frame, path: Path) -> None:
    """Write the world height of the water's surface [m] as a raster of float32, with NaN for dry points.

    Its coordinates are metres from the middle of the scene, x to the east and −z to the north, without a coordinate
    reference system. An existing file is replaced.

    Raises:
        InputError: the place cannot be written to.
    """
    write_atomically(path, "map", lambda place: _write(frame, place))


def _write(frame: Frame, path: Path) -> None:
    from rasterio.errors import NotGeoreferencedWarning
    from rasterio.io import MemoryFile
    from rasterio.transform import Affine

    grid = frame.grid
    half = 0.5 * grid.spacing
    transform = Affine(grid.spacing, 0.0, grid.origin[0] - half, 0.0, -grid.spacing, half - grid.origin[2])
    surface = np.where(frame.fixed, np.nan, grid.level + frame.heights).astype(np.float32)
    options = {"width": grid.shape[1], "height": grid.shape[0], "transform": transform, "compress": "deflate"}
    # On a full disk GDAL ends the file without an error, so GDAL writes to memory and Python to the disk.
    with warnings.catch_warnings(), MemoryFile() as memory:
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        with memory.open(driver="GTiff", count=1, dtype="float32", nodata=np.nan, **options) as raster:
            raster.write(surface, 1)
            raster.update_tags(TIME=f"{frame.time:.9g} s", AREA_OR_POINT="Point", UNIT="m")
        path.write_bytes(memory.getbuffer())

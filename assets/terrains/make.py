"""Make the bundled terrains: python make.py TOPOBATHY_NPZ.

TOPOBATHY_NPZ is the file of that name in matplotlib's sample data, lib/matplotlib/mpl-data/sample_data/topobathy.npz.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import rasterio
from rasterio.transform import from_origin

FOLDER = Path(__file__).resolve().parent
WEB_MERCATOR_RADIUS = 6_378_137.0
CELLS_PER_DEGREE = 30


def make_coast(topobathy: Path) -> None:
    """Write coast.tif: every sample as it is in `topobathy`, turned north row first.

    Latitudes there are those of a spherical Mercator grid with 1/30° of longitude a cell, so in Web Mercator
    (EPSG:3857) the cells are square and nothing need be resampled.
    """
    with np.load(topobathy) as file:
        topo, longitude, latitude = file["topo"], file["longitude"].astype(float), file["latitude"].astype(float)
    if latitude[0] < latitude[-1]:
        topo, latitude = topo[::-1], latitude[::-1]
    northing = np.degrees(np.arcsinh(np.tan(np.radians(latitude)))) * CELLS_PER_DEGREE
    easting = (longitude - 360.0) * CELLS_PER_DEGREE
    for axis, step in ((northing, -1.0), (easting, 1.0)):
        assert np.allclose(np.diff(axis), step, atol=0.01), "the grid is not Mercator"
    cell = math.radians(1.0 / CELLS_PER_DEGREE) * WEB_MERCATOR_RADIUS
    west, north = round(easting[0] - 0.5) * cell, round(northing[0] + 0.5) * cell
    assert np.array_equal(topo, np.rint(topo)), "heights are not whole metres"
    _write("coast.tif", topo.astype(np.int16), 2, crs="EPSG:3857", transform=from_origin(west, north, cell, cell))


def make_basin() -> None:
    """Write basin.tif: 12 m × 9 m, a flat floor at −2 m inside a rim at +0.5 m with steep walls half a metre thick."""
    x, z = np.linspace(-6.0, 6.0, 257), np.linspace(-4.5, 4.5, 193)
    inside = np.minimum(6.0 - np.abs(x[None, :]), 4.5 - np.abs(z[:, None]))
    floor_share = np.clip((inside - 0.4) / 0.1, 0.0, 1.0)
    spacing = float(x[1] - x[0])
    transform = from_origin(x[0] - 0.5 * spacing, 4.5 + 0.5 * spacing, spacing, spacing)
    _write("basin.tif", (0.5 - 2.5 * floor_share).astype(np.float32), 3, transform=transform)


def _write(name: str, heights: np.ndarray, predictor: int, **georeference: object) -> None:
    nz, nx = heights.shape
    profile = {"driver": "GTiff", "width": nx, "height": nz, "count": 1, "dtype": heights.dtype}
    with rasterio.open(
        FOLDER / name, "w", **profile, compress="deflate", predictor=predictor, **georeference
    ) as dataset:
        dataset.write(heights, 1)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    make_coast(Path(sys.argv[1]))
    make_basin()

"""Make the bundled terrains: python make.py TOPOBATHY_NPZ.

TOPOBATHY_NPZ is the file of that name in matplotlib's sample data, lib/matplotlib/mpl-data/sample_data/topobathy.npz.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import rasterio
from rasterio.transform import from_origin

FOLDER = Path(__file__).resolve().parent


def make_coast(topobathy: Path) -> None:
    """Write coast.npz: every sample and coordinate as it is in `topobathy`, in fewer bytes.

    It is what the program begins with, and NumPy reads it sooner than GDAL is loaded.
    """
    with np.load(topobathy) as file:
        topo, axes = file["topo"], {name: file[name].astype(np.float32) for name in ("longitude", "latitude")}
    assert np.array_equal(topo, np.rint(topo)), "heights are not whole metres"
    np.savez_compressed(FOLDER / "coast.npz", topo=topo.astype(np.int16), **axes)


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

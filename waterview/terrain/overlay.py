"""Another raster laid over a heightmap: its values at the places of a grid, found by the coordinates of both."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from waterview.core.grid import Grid

from .georeference import transformed
from .heightmap import Heightmap
from .raster import Raster, refusal
from .readers import read_raster
from .resampling import catmull_rom

MAX_POINTS = 8192
"""Most samples that are kept on the longer side, as many as the finest grid has points."""

Doubles = NDArray[np.float64]


def overlay(path: str | os.PathLike[str], ground: Heightmap, grid: Grid) -> NDArray[np.float32]:
    """The values of a raster file of any format at the points of a grid on `ground`, shape (nz, nx).

    Its place on the map follows from its coordinates, also where its coordinate reference system is another than that
    of the map. A file without coordinates covers the whole map. Between samples as
    `waterview.terrain.resampling.catmull_rom`, outside of the raster 0.

    Raises:
        TerrainError: the file cannot be read, is a picture, does not say where on the map it lies, does not overlap the
            map, or has gaps there.
    """
    raster = read_raster(Path(path), MAX_POINTS)
    if raster.relative:
        raise refusal(raster.source, "is a picture, whose grey has no unit", "needed are numbers, such as a GeoTIFF")
    columns, rows = _samples(raster, ground, grid)
    nz, nx = raster.values.shape
    is_inside = (columns > -0.5) & (columns < nx - 0.5) & (rows > -0.5) & (rows < nz - 0.5)
    if not is_inside.any():
        raise refusal(raster.source, "does not overlap the map", _extents(raster, ground))
    values = raster.values
    if not raster.valid.all():
        _check_gaps(raster, columns, rows, is_inside)
        values = np.where(raster.valid, values, np.float32(0.0))  # those that are left lie outside the map
    return np.where(is_inside, catmull_rom(values, columns, rows), np.float32(0.0))


def _samples(raster: Raster, ground: Heightmap, grid: Grid) -> tuple[Doubles, Doubles]:
    """Fractional columns and rows of the raster at the points of the grid, which broadcast to its shape."""
    if raster.place is None:
        shares = [0.5 + each / size for each, size in zip((grid.x, grid.z), ground.size, strict=True)]
        return shares[0][None, :] * (raster.values.shape[1] - 1), shares[1][:, None] * (raster.values.shape[0] - 1)
    own, other = ground.coordinates.crs, raster.place.crs
    if bool(own) != bool(other):
        silent, known = (ground.source, raster.source) if other else (raster.source, ground.source)
        what = f"names no coordinate reference system, and {Path(known).name} does"
        raise refusal(silent, what, "give it one, such as with gdal_translate -a_srs")
    if own == other:  # columns depend on x alone and rows on z alone
        x, _ = ground.to_coordinates(grid.x, 0.0)
        _, y = ground.to_coordinates(0.0, grid.z)
        columns, rows = raster.place.samples(x, raster.place.north)[0], raster.place.samples(raster.place.west, y)[1]
        return columns[None, :], rows[:, None]
    x, y = ground.to_coordinates(grid.x[None, :], grid.z[:, None])
    return raster.place.samples(*transformed(x, y, own, other))


def _check_gaps(raster: Raster, columns: Doubles, rows: Doubles, is_inside: NDArray[np.bool_]) -> None:
    """Refuse gaps among the samples that are read."""
    used = []
    for position, count in zip(np.broadcast_arrays(rows, columns), raster.values.shape, strict=True):
        places = np.clip(position[is_inside], 0.0, count - 1.0)
        used.append(slice(max(int(places.min()) - 1, 0), int(places.max()) + 3))
    gaps = int(np.count_nonzero(~raster.valid[used[0], used[1]]))
    if gaps:
        raise refusal(raster.source, f"has {gaps} samples without a number on the map", "fill them, such as with 0")


def _extents(raster: Raster, ground: Heightmap) -> str:
    """Where the raster lies and where the map does, each in its own coordinates."""
    texts = []
    for name, place, shape in (
        ("it", raster.place, raster.values.shape),
        ("the map", ground.coordinates, ground.heights.shape),
    ):
        assert place is not None, "a raster without a place covers the map"
        (west, east), (north, south) = place.coordinates([0, shape[1] - 1], [0, shape[0] - 1])
        texts.append(f"{name} reaches from {west:.6g} to {east:.6g} and from {south:.6g} to {north:.6g}")
    return ", ".join(texts)

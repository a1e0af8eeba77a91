"""Another raster laid over a map: its values at places of the map, found by the coordinates of both."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from waterview.core.errors import TerrainError

from .georeference import transformed
from .placed_map import PlacedMap
from .raster import Raster, refusal
from .readers import read_raster
from .resampling import catmull_rom

MAX_POINTS = 8192
"""Most samples that are kept on the longer side, as many as the finest grid has points."""

Doubles = NDArray[np.float64]


class Overlay:
    """A raster file of any format on a map, read whole, with at most `MAX_POINTS` samples a side.

    Its place on the map follows from its coordinates, also where its coordinate reference system is another than that
    of the map. A file without coordinates covers the whole map.

    Args:
        path: of the file.
        ground: the map.

    Raises:
        TerrainError: the file cannot be read, or is a picture.
    """

    def __init__(self, path: str | os.PathLike[str], ground: PlacedMap) -> None:
        self._raster, self._ground = read_raster(Path(path), MAX_POINTS), ground
        if self._raster.relative:
            what = "is a picture, whose grey has no unit"
            raise refusal(self._raster.source, what, "needed are numbers, such as a GeoTIFF")

    def at(self, x: Doubles, z: Doubles) -> NDArray[np.float32] | None:
        """Its values at world x, shape (nx,), and z, shape (nz,) [m], as `waterview.terrain.resampling.catmull_rom`.

        Returns:
            Shape (nz, nx), 0 outside of the raster; None if all of it is outside.

        Raises:
            TerrainError: it does not say where on the map it lies, or has gaps there.
        """
        raster = self._raster
        columns, rows = _samples(raster, self._ground, x, z)
        nz, nx = raster.values.shape
        is_inside = (columns > -0.5) & (columns < nx - 0.5) & (rows > -0.5) & (rows < nz - 0.5)
        if not is_inside.any():
            return None
        values = raster.values
        if not raster.valid.all():
            _check_gaps(raster, columns, rows, is_inside)
            values = np.where(raster.valid, values, np.float32(0.0))  # those that are left lie outside the map
        return np.where(is_inside, catmull_rom(values, columns, rows), np.float32(0.0))

    def no_overlap(self) -> TerrainError:
        """What to raise where no part of it lies on the map."""
        return refusal(self._raster.source, "does not overlap the map", _extents(self._raster, self._ground))


def _samples(raster: Raster, ground: PlacedMap, x: Doubles, z: Doubles) -> tuple[Doubles, Doubles]:
    """Fractional columns and rows of the raster at world x, shape (nx,), and z, shape (nz,), which broadcast."""
    if raster.place is None:
        shares = [0.5 + each / size for each, size in zip((x, z), ground.size, strict=True)]
        return shares[0][None, :] * (raster.values.shape[1] - 1), shares[1][:, None] * (raster.values.shape[0] - 1)
    own, other = ground.coordinates.crs, raster.place.crs
    if bool(own) != bool(other):
        silent, known = (ground.source, raster.source) if other else (raster.source, ground.source)
        what = f"names no coordinate reference system, and {Path(known).name} does"
        raise refusal(silent, what, "give it one, such as with gdal_translate -a_srs")
    if own == other:  # columns depend on x alone and rows on z alone
        map_x, _ = ground.to_coordinates(x, 0.0)
        _, map_y = ground.to_coordinates(0.0, z)
        place = raster.place
        return place.samples(map_x, place.north)[0][None, :], place.samples(place.west, map_y)[1][:, None]
    return raster.place.samples(*transformed(*ground.to_coordinates(x[None, :], z[:, None]), own, other))


def _check_gaps(raster: Raster, columns: Doubles, rows: Doubles, is_inside: NDArray[np.bool_]) -> None:
    """Refuse gaps among the samples that are read."""
    used = []
    for position, count in zip(np.broadcast_arrays(rows, columns), raster.values.shape, strict=True):
        places = np.clip(position[is_inside], 0.0, count - 1.0)
        used.append(slice(max(int(places.min()) - 1, 0), int(places.max()) + 3))
    gaps = int(np.count_nonzero(~raster.valid[used[0], used[1]]))
    if gaps:
        raise refusal(raster.source, f"has {gaps} samples without a number on the map", "fill them, such as with 0")


def _extents(raster: Raster, ground: PlacedMap) -> str:
    """Where the raster lies and where the map does, each in its own coordinates."""
    texts = []
    for name, place, shape in (
        ("it", raster.place, raster.values.shape),
        ("the map", ground.coordinates, ground.sample_shape),
    ):
        assert place is not None, "a raster without a place covers the map"
        (west, east), (north, south) = place.coordinates([0, shape[1] - 1], [0, shape[0] - 1])
        texts.append(f"{name} reaches from {west:.6g} to {east:.6g} and from {south:.6g} to {north:.6g}")
    return ", ".join(texts)

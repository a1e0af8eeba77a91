"""Where a map lies: its samples in the world, in the coordinates of its file, and on Earth."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from waterview.core.georeference import Georeference

from .georeference import DEGREES, transformed
from .raster import refusal


class PlacedMap(ABC):
    """A map over a rectangle centred on x = z = 0, with its first and last samples on the edges.

    Attributes:
        cell: spacing of the samples along x and along z [m].
        source: path or name of its source.
        place: where its samples lie in the coordinates of the file; None if that has none.
    """

    cell: tuple[float, float]
    source: str
    place: Georeference | None

    @property
    @abstractmethod
    def sample_shape(self) -> tuple[int, int]:
        """(nz, nx) of its samples."""

    @abstractmethod
    def height_at(self, x: NDArray[np.float64], z: NDArray[np.float64]) -> NDArray[np.float32]:
        """World height [m] at world x, shape (1, nx), and z, shape (nz, 1) [m]; shape (nz, nx)."""

    @property
    def size(self) -> tuple[float, float]:
        """Extent along x and along z [m]: (n − 1)·cell."""
        nz, nx = self.sample_shape
        return (nx - 1) * self.cell[0], (nz - 1) * self.cell[1]

    @property
    def coordinates(self) -> Georeference:
        """Its place, or where it has none that in metres from its middle, x to the east and −z to the north."""
        x_size, z_size = self.size
        return self.place or Georeference("", -0.5 * x_size, 0.5 * z_size, *self.cell)

    @property
    def world_place(self) -> Georeference:
        """The coordinates of its file by world x and z [m]."""
        west, north = map(float, self.to_coordinates(0.0, 0.0))
        steps = self.coordinates.x_step / self.cell[0], self.coordinates.y_step / self.cell[1]
        return Georeference(self.coordinates.crs, west, north, *steps)

    def to_coordinates(self, x: ArrayLike, z: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The file's coordinates x, y of world x and z [m], which broadcast; see `coordinates`."""
        nz, nx = self.sample_shape
        columns = np.asarray(x, np.float64) / self.cell[0] + 0.5 * (nx - 1)
        return self.coordinates.coordinates(columns, np.asarray(z) / self.cell[1] + 0.5 * (nz - 1))

    def to_world(self, x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """World x and z [m] of the file's coordinates x, y, which broadcast; they may lie outside the map."""
        columns, rows = self.coordinates.samples(x, y)
        nz, nx = self.sample_shape
        return (columns - 0.5 * (nx - 1)) * self.cell[0], (rows - 0.5 * (nz - 1)) * self.cell[1]

    def at_longitude(
        self, longitude: ArrayLike, latitude: ArrayLike
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """World x and z [m] of places by longitude and latitude on WGS 84 [degrees], which broadcast.

        Raises:
            TerrainError: the file names no coordinate reference system.
        """
        return self.to_world(*transformed(longitude, latitude, DEGREES, self._checked_crs()))

    def to_longitude(self, x: ArrayLike, z: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Longitude and latitude on WGS 84 [degrees] of world x and z [m], which broadcast.

        Raises:
            TerrainError: the file names no coordinate reference system.
        """
        return transformed(*self.to_coordinates(x, z), self._checked_crs(), DEGREES)

    def _checked_crs(self) -> str:
        if not self.coordinates.crs:
            what = "does not say where on Earth it lies"
            raise refusal(self.source, what, "places are x,z in metres from its middle")
        return self.coordinates.crs

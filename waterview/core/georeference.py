"""Where the samples of a raster or the points of a grid lie in the coordinates of a map."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class Georeference:
    """Where samples lie, in coordinates of a file: x to the east, y to the north.

    The place of a world is one, too: there metres along x and z take the part of columns and rows.

    Attributes:
        crs: the coordinate reference system, as WKT or "EPSG:…"; "" if none is known: then the coordinates are metres
            that mean something to the file's author alone.
        west, north: coordinates of the sample in the first row and column, which is the most north-western one.
        x_step: distance of the columns, above 0.
        y_step: distance of the rows, which run to the south, above 0.
    """

    crs: str
    west: float
    north: float
    x_step: float
    y_step: float

    def coordinates(self, columns: ArrayLike, rows: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Coordinates x and y of fractional columns and rows, which broadcast."""
        columns, rows = np.broadcast_arrays(np.asarray(columns, np.float64), np.asarray(rows, np.float64))
        return self.west + self.x_step * columns, self.north - self.y_step * rows

    def samples(self, x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Fractional columns and rows of coordinates x and y, which broadcast; they may lie outside the raster."""
        x, y = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(y, np.float64))
        return (x - self.west) / self.x_step, (self.north - y) / self.y_step


LOCAL = Georeference("", 0.0, 0.0, 1.0, 1.0)
"""The place of a world that lies nowhere on Earth, by x and z in metres: x to the east and −z to the north."""

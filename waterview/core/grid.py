"""The regular grid that a water surface lives on."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from .errors import ParameterError

MAX_CELLS = 1 << 26
"""Largest number of grid points accepted (8192 × 8192): beyond it memory, not mathematics, is the limit."""


@dataclass(frozen=True)
class Grid:
    """A grid of points with equal spacing on both axes; y is up, arrays are indexed [z, x].

    Attributes:
        shape: (nz, nx), number of points along z and along x, each at least 2.
        spacing: distance Δx of neighbouring points [m].
        origin: world position of the corner with the lowest x and z [m]; its y is the height of still water.
        most_points: how many are allowed (of the class).

    Raises:
        ParameterError: a side has fewer than 2 points, there are more than `most_points`, a number is not finite, or
            the origin is no three numbers.
    """

    shape: tuple[int, int]
    spacing: float
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)

    most_points: ClassVar[int] = MAX_CELLS

    def __post_init__(self) -> None:
        nz, nx = self.shape
        if nz < 2 or nx < 2:
            raise ParameterError(f"a grid of {nx} × {nz} points: each side needs at least 2; choose more points")
        if nz * nx > self.most_points:
            raise ParameterError(
                f"a grid of {nx} × {nz} points: at most {self.most_points:,} points are allowed; choose fewer"
            )
        if not (np.isfinite(self.spacing) and self.spacing > 0.0):
            raise ParameterError(f"a grid spacing of {self.spacing} m: allowed are finite values above 0")
        # A copy: the caller could change a list or an array later.
        object.__setattr__(self, "origin", _place(self.origin))

    @classmethod
    def from_size(
        cls,
        x_size: float,
        z_size: float,
        x_res: int,
        origin: tuple[float, float, float] = (0.0, 0.0, 0.0),
    ) -> Self:
        """The grid of `x_res` points along x on a rectangle of x_size × z_size [m].

        The number of points along z follows from the ratio, so that cells are square (Bressler 2007, §4.1):
        spacing = x_size/(x_res − 1), z_res = round(z_size/spacing) + 1.
        """
        if not (x_res >= 2 and float(x_res).is_integer()):
            raise ParameterError(f"{x_res} grid points along x: allowed are whole numbers of 2 or more")
        for name, size in (("x", x_size), ("z", z_size)):
            if not (np.isfinite(size) and size > 0.0):
                raise ParameterError(f"a water size of {size} m along {name}: allowed are finite values above 0")
        spacing = float(x_size) / (x_res - 1)
        return cls((round(float(z_size) / spacing) + 1, int(x_res)), spacing, origin)

    @property
    def size(self) -> tuple[float, float]:
        """Extent along x and along z [m]."""
        return (self.shape[1] - 1) * self.spacing, (self.shape[0] - 1) * self.spacing

    @property
    def level(self) -> float:
        """World height y of still water [m]."""
        return self.origin[1]

    def with_level(self, level: float) -> Grid:
        """The same grid with still water at world height `level` [m]."""
        return replace(self, origin=(self.origin[0], float(level), self.origin[2]))

    @cached_property
    def x(self) -> NDArray[np.float64]:
        """World x of every column [m], shape (nx,)."""
        return np.asarray(self.origin[0] + self.spacing * np.arange(self.shape[1]), np.float64)

    @cached_property
    def z(self) -> NDArray[np.float64]:
        """World z of every row [m], shape (nz,)."""
        return np.asarray(self.origin[2] + self.spacing * np.arange(self.shape[0]), np.float64)

    def positions(self) -> NDArray[np.float32]:
        """World (x, z) of every point [m], shape (nz, nx, 2)."""
        return np.stack(np.meshgrid(self.x, self.z), axis=-1).astype(np.float32)

    def to_cell(self, x: float, z: float) -> tuple[float, float]:
        """Fractional column and row (ix, iz) of the world point (x, z) [m]; may lie outside the grid."""
        return (x - self.origin[0]) / self.spacing, (z - self.origin[2]) / self.spacing

    def nearest(self, x: float, z: float) -> tuple[int, int] | None:
        """Column and row (ix, iz) of the grid point closest to world (x, z) [m]; None half a cell outside or more."""
        fx, fz = self.to_cell(x, z)
        if not (math.isfinite(fx) and math.isfinite(fz)):  # farther away than numbers go
            return None
        ix, iz = round(fx), round(fz)
        inside = 0 <= ix < self.shape[1] and 0 <= iz < self.shape[0]
        return (ix, iz) if inside else None

    def sample(self, field: NDArray[np.floating], x: float, z: float) -> float:
        """Bilinear value of `field`, shape (nz, nx), at world (x, z) [m]; points outside take the edge's value."""
        ix, iz, tx, tz = self.cell(x, z)
        return bilinear(field[iz : iz + 2, ix : ix + 2], tx, tz)

    def cell(self, x: float, z: float) -> tuple[int, int, float, float]:
        """Column and row of the cell of world (x, z) [m], and how far along it lies there, 0 to 1; clipped to the grid.

        A cell lies between its point (ix, iz) and the point (ix + 1, iz + 1).
        """
        fx, fz = self.to_cell(x, z)
        fx = min(max(fx, 0.0), self.shape[1] - 1.0)
        fz = min(max(fz, 0.0), self.shape[0] - 1.0)
        ix, iz = min(int(fx), self.shape[1] - 2), min(int(fz), self.shape[0] - 2)
        return ix, iz, fx - ix, fz - iz

    def samples(
        self, field: NDArray[np.floating], x: NDArray[np.float64], z: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """As `sample`, at many world places at once; x and z have the shape of the result."""
        nz, nx = self.shape
        fx = np.clip((x - self.origin[0]) / self.spacing, 0.0, nx - 1.0)
        fz = np.clip((z - self.origin[2]) / self.spacing, 0.0, nz - 1.0)
        ix, iz = np.minimum(fx.astype(np.intp), nx - 2), np.minimum(fz.astype(np.intp), nz - 2)
        tx, tz = fx - ix, fz - iz
        near = (1.0 - tx) * field[iz, ix] + tx * field[iz, ix + 1]
        far = (1.0 - tx) * field[iz + 1, ix] + tx * field[iz + 1, ix + 1]
        return np.asarray((1.0 - tz) * near + tz * far, np.float64)

    def triangles(self, fixed: NDArray[np.bool_] | None = None) -> NDArray[np.uint32]:
        """Triangles over the free points: vertex numbers, shape (m, 3), counter-clockwise seen from above.

        A triangle that touches a point of `fixed`, shape (nz, nx), is left out (Bressler 2007, §4.3).
        """
        nz, nx = self.shape
        number = np.arange(nz * nx, dtype=np.uint32).reshape(nz, nx)
        a, b, c, d = number[:-1, :-1], number[:-1, 1:], number[1:, :-1], number[1:, 1:]
        triangles = np.stack((a, c, b, b, c, d), axis=-1).reshape(-1, 3)
        if fixed is None:
            return triangles
        return triangles[~np.asarray(fixed, bool).ravel()[triangles].any(axis=1)]


def widest_water(grid: Grid, fixed: NDArray[np.bool_]) -> tuple[float, float]:
    """World x, z [m] of the free point farthest from any fixed point and from the edge; the middle if none is free.

    Args:
        grid: where the points lie.
        fixed: points that stay dry, shape (nz, nx).
    """
    # Erode the water ring by ring: what remains last lies farthest inside.
    last = left = ~fixed
    while left.any():
        last = left
        inside = np.pad(left, 1)
        left = left & inside[:-2, 1:-1] & inside[2:, 1:-1] & inside[1:-1, :-2] & inside[1:-1, 2:]
    if fixed.all():
        return grid.origin[0] + 0.5 * grid.size[0], grid.origin[2] + 0.5 * grid.size[1]
    rows, columns = np.nonzero(last)
    middle = len(rows) // 2
    return float(grid.x[columns[middle]]), float(grid.z[rows[middle]])


def _place(origin: Iterable[float]) -> tuple[float, float, float]:
    try:
        x, y, z = map(float, origin)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"a grid origin of {origin}: needed are three coordinates x, y, z") from error
    if not all(map(math.isfinite, (x, y, z))):
        raise ParameterError(f"a grid origin of {(x, y, z)}: allowed are finite coordinates")
    return x, y, z


def bilinear(corners: NDArray[np.floating], tx: float, tz: float) -> float:
    """The value between four points, shape (2, 2), `tx` and `tz` of the way along columns and along rows."""
    near = (1.0 - tx) * float(corners[0, 0]) + tx * float(corners[0, 1])
    far = (1.0 - tx) * float(corners[1, 0]) + tx * float(corners[1, 1])
    return (1.0 - tz) * near + tz * far

"""Wave particles of one radius: their arrays, how they are added and how they advance (Yuksel et al. 2007).

Every length here is in cells and grid coordinates: (0, 0) is the first point, x runs along columns, z along rows. A
particle is where its origin, direction and travelled distance say, x = O + d·û, so rounding never adds up. Its
amplitude times `_gain` of that distance is its strength.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

BORDERS = ("zero", "reflecting", "open")
"""What the grid's ends do with waves: throw them back upside down, upright, or let them go."""

_ROWS, _NOW_ROWS = 7, 4  # of the arrays below
_START = 1024

Floats = NDArray[np.float32]


class Shore(NamedTuple):
    """Where land is and which way its shores face.

    Attributes:
        land: shape (nz, nx) bool.
        normals: unit vectors (x, z) towards the water, shape (nz, nx, 2) float32; 0 far from any shore.
        any: whether there is land at all.
    """

    land: NDArray[np.bool_]
    normals: Floats
    any: bool

    @classmethod
    def of(cls, land: NDArray[np.bool_], smoothing: int = 4) -> Shore:
        """The shores of `land`, whose steps are smoothed by so many passes of the filter ¼, ½, ¼ along both axes."""
        smooth = np.asarray(land, np.float64)
        for _ in range(smoothing):
            for axis in (0, 1):
                padded = np.pad(smooth, [(1, 1) if k == axis else (0, 0) for k in (0, 1)], mode="edge")
                line = np.moveaxis(padded, axis, 0)
                smooth = np.moveaxis(0.25 * line[:-2] + 0.5 * line[1:-1] + 0.25 * line[2:], 0, axis)
        uphill_z, uphill_x = np.gradient(smooth)
        steepness = np.hypot(uphill_x, uphill_z)
        facing = np.stack((-uphill_x, -uphill_z), axis=-1) / np.maximum(steepness, 1e-12)[..., None]
        normals = np.where(steepness[..., None] > 1e-6, facing, 0.0).astype(np.float32)
        return cls(np.ascontiguousarray(land, bool), np.ascontiguousarray(normals), bool(land.any()))


class ParticleSet:
    """All particles of one radius.

    Args:
        radius: r [cells], above 0.

    Attributes:
        radius: as given.
        border: one of `BORDERS`.
        energetic: rings keep their energy as they spread, their amplitude falling like 1/√d; otherwise a front keeps
            the sum of its particles' amplitudes, as published, and its amplitude falls like 1/d.
        count: number of particles.
        path: distance that this radius has travelled since the beginning [cells].
        state: origin x and z, direction x and z, amplitude [m], dispersion angle [rad], lag [cells]; shape
            (7, capacity) float32, the first `count` columns in use.
        born: `path` at which each particle was at its origin, shape (capacity,) float64.
        now: x, z, travelled distance [cells] and strength [m]; shape (4, capacity) float32.
    """

    def __init__(self, radius: float) -> None:
        self.radius = radius
        self.border = "zero"
        self.energetic = True
        self.count = 0
        self.path = 0.0
        self.state = np.zeros((_ROWS, _START), np.float32)
        self.born = np.zeros(_START, np.float64)
        self.now = np.zeros((_NOW_ROWS, _START), np.float32)

    @property
    def x(self) -> Floats:
        """Column of every particle, fractional; shape (count,), a view."""
        return self.now[0, : self.count]

    @property
    def z(self) -> Floats:
        """Row of every particle, fractional; shape (count,), a view."""
        return self.now[1, : self.count]

    @property
    def strength(self) -> Floats:
        """Present amplitude of every particle [m], shape (count,); a view."""
        return self.now[3, : self.count]

    @property
    def direction(self) -> Floats:
        """Unit direction (x, z) of every particle, shape (2, count); a view."""
        return self.state[2:4, : self.count]

    def add(
        self,
        origin: tuple[NDArray[np.floating], NDArray[np.floating]],
        angle: NDArray[np.floating],
        amplitude: NDArray[np.floating],
        spread: float,
        ahead: float = 0.0,
        lag: float = 0.0,
    ) -> None:
        """Add one particle for every entry of the arrays, which all have shape (m,).

        Args:
            origin: column and row that its front spreads from.
            angle: its direction, from the x axis towards the z axis [rad].
            amplitude: its strength now [m].
            spread: angle φ of the front that it stands for [rad], above 0.
            ahead: distance from its origin now [cells]; negative ones still run towards it.
            lag: how far it runs behind the front whose growth it shares [cells], for pairs to cancel out exactly.
        """
        m = len(amplitude)
        self._reserve(self.count + m)
        new = slice(self.count, self.count + m)
        growth = self._gain(ahead + lag)
        rows = (*origin, np.cos(angle), np.sin(angle), np.asarray(amplitude) / growth, spread, lag)
        for row, values in zip(self.state, rows, strict=True):
            row[new] = values
        self.born[new] = self.path - ahead
        self.count += m
        self._place(new.start)

    def advance(self, step: float, keep: float, lowest: float, shore: Shore, most: int) -> None:
        """Move every particle by `step` [cells]; fade, split, reflect and remove them.

        Args:
            step: at most 1, or particles might jump over land.
            keep: what is left of every amplitude, 0–1.
            lowest: particles with less strength than this are removed [m].
            shore: of the grid that they run on.
            most: number of particles above which none splits any more.
        """
        from .particles_motion import advance_particles

        self.path += step
        if self.count == 0:
            return
        # What does not fit into the arrays splits in the next step, when they have grown.
        self._reserve(min(self.count + self.count // 2, max(most, self.count)))
        self.count = advance_particles(
            self.state,
            self.born,
            self.now,
            self.count,
            min(most, self.state.shape[1]),
            self.path,
            step,
            np.float32(keep),
            np.float32(lowest),
            self.radius,
            self._growth,
            BORDERS.index(self.border),
            *shore,
        )

    def drop_weakest(self, number: int) -> None:
        """Remove the `number` weakest particles."""
        kept = np.sort(np.argsort(np.abs(self.strength), kind="stable")[number:])
        self.state[:, : len(kept)] = self.state[:, kept]
        self.born[: len(kept)] = self.born[kept]
        self.now[:, : len(kept)] = self.now[:, kept]
        self.count = len(kept)

    def clear(self) -> None:
        """Remove every particle."""
        self.count = 0

    @property
    def _growth(self) -> np.float32:
        return np.float32(1.0 / self.radius if self.energetic else 0.0)

    def _gain(self, way: float) -> float:
        from .particles_motion import _gain

        return float(_gain(np.float32(way), self._growth))

    def _place(self, first: int) -> None:
        from .particles_motion import place

        place(self.state, self.born, self.now, first, self.count, self.path, self._growth)

    def _reserve(self, number: int) -> None:
        capacity = self.state.shape[1]
        if number <= capacity:
            return
        more = max(number, 2 * capacity) - capacity
        self.state = np.pad(self.state, ((0, 0), (0, more)))
        self.now = np.pad(self.now, ((0, 0), (0, more)))
        self.born = np.pad(self.born, (0, more))

"""Wave particles of one radius: their arrays, how they are added and how they advance (Yuksel et al. 2007).

Every length here is in cells and grid coordinates: (0, 0) is the first point, x runs along columns, z along rows. A
particle is where its origin, direction and travelled distance say, x = O + d·û, so rounding never adds up. Its
strength is its amplitude times its gain: that of `particles_motion.gain`, less its rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .particles_bodies import NO_BODIES, Outlines

BORDERS = ("zero", "reflecting", "open")
"""What the grid's ends do with waves: throw them back upside down, upright, or let them go."""

_ROWS, _NOW_ROWS = 8, 4  # of the arrays below
_START = 1024

SHORE_WIDTH = 2.4
"""Standard deviation of the bell curve that smooths the steps of a shore [cells]: its normals are then within a few
degrees of those of a straight shore in any direction."""

FLAT = 1e-4
"""Where smoothed land rises by less than this a cell, no shore is near."""

Floats = NDArray[np.float32]


class Shore(NamedTuple):
    """Where land is and which way its shores face.

    Attributes:
        land: shape (nz, nx) bool.
        normals: unit vectors (x, z) towards the water, shape (nz, nx, 2) float32; 0 far from any shore.
        any: whether there is land at all.
        waters: number of the water that each point lies in, from 1, and 0 on land; shape (nz, nx) int32. Land keeps
            them apart, so that no wave runs from one into another.
    """

    land: NDArray[np.bool_]
    normals: Floats
    any: bool
    waters: NDArray[np.int32]

    @classmethod
    def of(cls, land: NDArray[np.bool_]) -> Shore:
        """The shores of `land`, shape (nz, nx); normals are those of land whose steps are smoothed away."""
        land = np.ascontiguousarray(land, bool)
        if not land.any():
            return cls(land, np.zeros((*land.shape, 2), np.float32), False, np.ones(land.shape, np.int32))
        uphill_z, uphill_x = np.gradient(_smoothed(land))
        steepness = np.hypot(uphill_x, uphill_z)
        facing = np.stack((-uphill_x, -uphill_z), axis=-1) / np.maximum(steepness, 1e-12)[..., None]
        normals = np.where(steepness[..., None] > FLAT, facing, 0.0).astype(np.float32)
        return cls(land, normals, True, _waters(land))


def _waters(land: NDArray[np.bool_]) -> NDArray[np.int32]:
    from waterview.waters.common.kernels.basins import label_basins

    return label_basins(land)


def _smoothed(land: NDArray[np.bool_]) -> NDArray[np.float64]:
    """1 on land and 0 on water, with a shore as wide as the bell curve of `SHORE_WIDTH`."""
    from .particles_filters import convolve

    reach = 4 * round(SHORE_WIDTH)
    bell = np.exp(-0.5 * (np.arange(reach + 1) / SHORE_WIDTH) ** 2)
    weights = np.asarray(bell / (2.0 * bell.sum() - 1.0), np.float32)
    nz, nx = land.shape
    source = np.pad(land.astype(np.float32), reach, mode="edge")
    across, out = np.empty((nz + 2 * reach, nx), np.float32), np.empty((nz, nx), np.float32)
    convolve(across, source, nx, reach, False, weights, False, False)
    convolve(out, across, nx, reach, True, weights, False, False)
    return out.astype(np.float64)


def _finite(array: NDArray[Any]) -> bool:
    return bool(np.isfinite(array).all())


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
        state: origin x and z, direction x and z, amplitude [m], dispersion angle [rad], lag [cells], rest; shape
            (8, capacity) float32, the first `count` columns in use.
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
        rest: float = 0.0,
    ) -> None:
        """Add one particle for every entry of the arrays, which all have shape (m,).

        Args:
            origin: column and row that its front spreads from.
            angle: its direction, from the x axis towards the z axis [rad].
            amplitude: its strength now [m], if `rest` is 0.
            spread: angle φ of the front that it stands for [rad], above 0.
            ahead: distance from its origin now [cells]; negative ones still run towards it.
            lag: how far it runs behind the front whose growth it shares [cells], for pairs to cancel out exactly.
            rest: part of its gain that is left out: with 1 it is the trough that takes back what a crest has grown by.
        """
        m = len(amplitude)
        self._reserve(self.count + m)
        new = slice(self.count, self.count + m)
        at_gain_one = np.asarray(amplitude) / self._gain(ahead + lag)
        rows = (*origin, np.cos(angle), np.sin(angle), at_gain_one, spread, lag, rest)
        for row, values in zip(self.state, rows, strict=True):
            row[new] = values
        self.born[new] = self.path - ahead
        self.count += m
        self._place(new.start)

    def advance(
        self, step: float, keep: float, lowest: float, shore: Shore, most: int, bodies: Outlines = NO_BODIES
    ) -> None:
        """Move every particle by `step` [cells]; fade, split, reflect and remove them.

        Args:
            step: at most 1, or particles might jump over land.
            keep: what is left of every amplitude, 0–1.
            lowest: particles of less strength and amplitude than this are removed [m].
            shore: of the grid that they run on.
            most: number of particles above which none splits any more.
            bodies: what floats there; no particle is inside one afterwards.
        """
        from .particles_motion import advance_particles

        self.path += step
        if self.count == 0:
            return
        # What finds no room splits in the next step. Room goes by the count alone, whatever the arrays once held.
        most = max(min(most, self.count + self.count // 2 + _START), self.count)
        self._reserve(most)
        self.count = advance_particles(
            self.state,
            self.born,
            self.now,
            self.count,
            most,
            self.path,
            step,
            np.float32(keep),
            np.float32(lowest),
            self.radius,
            self._growth,
            BORDERS.index(self.border),
            shore.land,
            shore.normals,
            shore.any,
            *bodies,
        )

    def take(self, other: ParticleSet, chosen: NDArray[np.bool_]) -> None:
        """Add copies of the `chosen` particles, shape (other.count,), of another set of the same radius."""
        if self.count == 0:
            self.path = other.path
        number = int(np.count_nonzero(chosen))
        self._reserve(self.count + number)
        new = slice(self.count, self.count + number)
        self.state[:, new] = other.state[:, : other.count][:, chosen]
        self.now[:, new] = other.now[:, : other.count][:, chosen]
        self.born[new] = other.born[: other.count][chosen] + (self.path - other.path)
        self.count += number

    def drop_weakest(self, number: int) -> None:
        """Remove the `number` weakest particles."""
        kept = np.sort(np.argsort(np.abs(self.strength), kind="stable")[number:])
        self.state[:, : len(kept)] = self.state[:, kept]
        self.born[: len(kept)] = self.born[kept]
        self.now[:, : len(kept)] = self.now[:, kept]
        self.count = len(kept)

    def motion_at(
        self, column: NDArray[np.float64], row: NDArray[np.float64], shape: tuple[int, int]
    ) -> NDArray[np.float64]:
        """How the particles and their images at the borders move the water [m], to be multiplied by πv/r.

        Along their directions by their height, upwards by what their slope climbs as it runs past.

        Args:
            column: of each place, shape (m,).
            row: likewise.
            shape: (nz, nx) of the grid.

        Returns:
            Along x, up and along z, shape (m, 3).
        """
        from .particles_places import sum_motion

        out = np.zeros((len(column), 3))
        particles = self.x, self.z, self.strength, *self.direction
        sum_motion(out, column, row, particles, self.radius, shape, BORDERS.index(self.border))
        return out

    def saved(self) -> dict[str, Any]:
        """Everything that moves, to go on from with `loaded`."""
        n = self.count
        return {
            "path": self.path,
            "state": self.state[:, :n].copy(),
            "born": self.born[:n].copy(),
            "now": self.now[:, :n].copy(),
        }

    @classmethod
    def loaded(cls, radius: float, saved: Mapping[str, Any]) -> ParticleSet:
        """The particles of `radius` [cells] that `saved` gave.

        Raises:
            KeyError, TypeError, ValueError: it makes no sense.
        """
        particles = cls(radius)
        state, born, now = (np.asarray(saved[name]) for name in ("state", "born", "now"))
        n = born.size
        if state.shape != (_ROWS, n) or now.shape != (_NOW_ROWS, n) or not all(map(_finite, (state, born, now))):
            raise ValueError(f"particles of shapes {state.shape}, {born.shape} and {now.shape}, or not finite")
        particles._reserve(n)
        particles.state[:, :n], particles.born[:n], particles.now[:, :n] = state, born, now
        particles.path, particles.count = float(saved["path"]), n
        return particles

    @property
    def _growth(self) -> np.float32:
        return np.float32(1.0 / self.radius if self.energetic else 0.0)

    def _gain(self, way: float) -> float:
        from .particles_motion import gain

        return float(gain(np.float32(way), self._growth))

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

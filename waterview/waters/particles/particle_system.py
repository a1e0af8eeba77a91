"""All wave particles of a water, sorted by basin and radius, and the surface that they make."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waterview.core.commands import DROP_RADIUS, MAX_HEIGHT
from waterview.core.grid import Grid
from waterview.core.saved import entry_of

from .obstacles import BORDERS, NO_BODIES, Outlines, Shore
from .particle_params import WaveParticleParams
from .particle_set import RING, RING_DIRECTIONS, ParticleSet
from .wave_field import AmplitudeGrid, WaveField, bump_of

Doubles = NDArray[np.float64]

CROWDING = 100.0
"""β: how sharply damping rises when there are more particles than wanted."""

MAX_SUBSTEPS = 8
"""Most parts that a step is divided into so that no particle runs more than a cell; then waves are slowed instead."""

SMALLEST_RADIUS = 2.0
"""Of the particles of the finest class [cells]; a narrower bump would not look like one."""


def radius_class(radius: float, shape: tuple[int, int]) -> float:
    """The radius [cells] that particles of about `radius` [cells] get on a grid of `shape`: 2·√2ⁿ cells.

    Every radius in use costs a grid, so there are few: two to the octave, up to half the shorter side.
    """
    steps = round(2.0 * math.log2(max(radius, SMALLEST_RADIUS) / SMALLEST_RADIUS))
    most = math.floor(2.0 * math.log2(max(min(shape) / 2.0, SMALLEST_RADIUS) / SMALLEST_RADIUS))
    return float(SMALLEST_RADIUS * 2.0 ** (0.5 * min(steps, most)))


class ParticleSystem:
    """The particles of every radius in every basin of one grid.

    Args:
        grid: where the surface is summed.
        params: parameters of the model.
        fixed: land, shape (nz, nx).

    Attributes:
        params: to be replaced when they change.
        shore: of the land.
        bodies: outlines of floating bodies.
    """

    def __init__(self, grid: Grid, params: WaveParticleParams, fixed: NDArray[np.bool_]) -> None:
        self.params = params
        self.shore = Shore.of(fixed)
        self.bodies: Outlines = NO_BODIES
        self._grid = grid
        self._sets: dict[tuple[int, float], ParticleSet] = {}
        self._grids: dict[float, AmplitudeGrid] = {}

    @property
    def count(self) -> int:
        """Number of particles."""
        return sum(particles.count for particles in self._sets.values())

    @property
    def sets(self) -> list[ParticleSet]:
        """The particles by basin and radius, narrow ones first."""
        return [self._sets[key] for key in sorted(self._sets)]

    def set_land(self, fixed: NDArray[np.bool_]) -> None:
        """Make the points of `fixed`, shape (nz, nx), land; particles over it are removed."""
        self.shore = Shore.of(fixed)
        before, self._sets = self.sets, {}
        for particles in before:
            places = [np.clip(np.rint(at).astype(np.intp), 0, points - 1)
                      for at, points in zip((particles.z, particles.x), self._grid.shape, strict=True)]  # fmt: skip
            basins = self.shore.basins[places[0], places[1]]
            for basin in np.unique(basins[basins > 0]):
                self._set(int(basin), particles.radius).take(particles, basins == basin)

    def clear(self) -> None:
        """Remove every particle."""
        self._sets.clear()

    def saved(self) -> list[dict[str, Any]]:
        """Everything that changes in time, for `load`."""
        return [
            {"water": basin, "radius": radius, **each.saved()} for (basin, radius), each in sorted(self._sets.items())
        ]

    def load(self, saved: Iterable[Mapping[str, Any]]) -> None:
        """Go on from what `saved` returned over the same land.

        Raises:
            KeyError, ValueError: it makes no sense.
        """
        sets = {}
        for each in saved:
            basin, radius = entry_of(each, "water", int), entry_of(each, "radius", float)
            if radius_class(radius, self._grid.shape) != radius or not 0 < basin <= self.shore.basins.max():
                raise ValueError(f"particles of radius {radius} in water {basin}")
            sets[basin, radius] = ParticleSet.loaded(radius, each)
        self._sets = sets

    def with_room(self, basin: int, radius: float, number: int) -> ParticleSet:
        """The particles of about `radius` [m] in a basin, with room for `number` more: weak ones are removed."""
        self._make_room(number)
        return self._set(basin, self._class_of(radius))

    def with_rings(
        self, basins: NDArray[np.int32], radii: Sequence[float], rings: int
    ) -> Iterator[tuple[ParticleSet, int, NDArray[np.intp]]]:
        """Where particles of about `radii` [m] in `basins`, both of m drops, belong, with room for their rings.

        Room is made for many drops together, but never for more particles than are wanted in all.

        Args:
            basins: of each drop; one in basin 0 is left out.
            radii: of each drop [m].
            rings: that each sends.

        Yields:
            Particles, their basin, and the indices of the drops that belong to them; each pair of basin and radius
            once in a batch.
        """
        batch = max(1, self.params.most_particles // (rings * RING))
        wet = np.flatnonzero(basins)
        for start in range(0, len(wet), batch):
            some = wet[start : start + batch]
            self._make_room(rings * RING * len(some))
            keys: dict[tuple[int, float], list[int]] = {}
            for drop in some.tolist():
                keys.setdefault((int(basins[drop]), self._class_of(radii[drop])), []).append(drop)
            for (basin, radius), drops in keys.items():
                yield self._set(basin, radius), basin, np.array(drops)

    def _make_room(self, number: int) -> None:
        """Remove weak particles from the fullest sets until there is room for `number` more."""
        excess = self.count + number - 2 * self.params.most_particles
        while excess > 0 and self.count:
            fullest = max(self.sets, key=lambda each: each.count)
            removed = min(excess, fullest.count)
            fullest.drop_weakest(removed)
            excess -= removed

    def _class_of(self, radius: float) -> float:
        shape = self._grid.shape
        return radius_class(min(radius / self._grid.spacing, float(max(shape))), shape)

    def _set(self, basin: int, radius: float) -> ParticleSet:
        if (basin, radius) not in self._sets:
            self._sets[basin, radius] = ParticleSet(radius)
        particles = self._sets[basin, radius]
        particles.border = self.params.border
        particles.conserves_energy = self.params.spreading == "energy"
        particles.subdivision = self.params.subdivision
        return particles

    # --- motion

    def plan(self, seconds: float) -> tuple[float, int]:
        """For a step of `seconds` [s]: effective wave speed [m/s] and the number of parts it is divided into."""
        speed = self.params.wave_speed
        fastest = max((self._relative_speed(radius) for _, radius in self._sets), default=1.0)
        cells = speed * fastest * seconds / self._grid.spacing
        if cells <= MAX_SUBSTEPS:
            return speed, max(1, math.ceil(cells))
        return speed * (MAX_SUBSTEPS / cells), MAX_SUBSTEPS

    @property
    def damping(self) -> float:
        """α [1/s]: the damping asked for, times 1 + β·max(0, N/N_max − 1)² (Jeschke and Wojtan 2017)."""
        crowd = max(0.0, self.count / self.params.most_particles - 1.0)
        return self.params.damping * (1.0 + CROWDING * crowd * crowd)

    def advance(self, seconds: float) -> None:
        """Advance by `seconds` [s]."""
        speed, parts = self.plan(seconds)
        for _ in range(parts):
            self._advance_part(speed, seconds / parts)
        self._sets = {key: particles for key, particles in self._sets.items() if particles.count}

    def _advance_part(self, speed: float, seconds: float) -> None:
        decay = math.exp(-self.damping * seconds)
        for basin, radius in sorted(self._sets):
            particles = self._set(basin, radius)
            cells = speed * self._relative_speed(radius) * seconds / self._grid.spacing
            room = max(2 * self.params.most_particles - self.count, 0)
            faintest = self.params.death_threshold * radius * self._grid.spacing
            particles.advance(cells, decay, faintest, self.shore, particles.count + room, self.bodies)

    def _relative_speed(self, radius: float) -> float:
        """Speed of particles of `radius` [cells] over the wave speed: on deep water it goes with √wavelength."""
        usual = max(DROP_RADIUS * max(self._grid.shape), 1.0)
        return math.sqrt(radius / usual) if self.params.dispersion else 1.0

    def way(self, radius: float, seconds: float, time_step: float) -> float:
        """How far particles of `radius` [cells] run in some seconds of steps of `time_step` [s] [cells]."""
        speed, _ = self.plan(time_step)
        return speed * self._relative_speed(radius) * seconds / self._grid.spacing

    # --- the surface

    def field(self) -> WaveField:
        """Height, slopes and shift, 0 on land; read-only arrays that are the caller's."""
        shape = self._grid.shape
        field = WaveField(*(np.zeros(shape, np.float32) for _ in range(5)))  # not one block: a frame keeps the heights
        for basin in sorted({basin for basin, _ in self._sets}):
            part = WaveField.zeros(shape)
            for radius in sorted(radius for each, radius in self._sets if each == basin):
                self._add(self._set(basin, radius), part)
            inside = self.shore.basins == basin
            for total, array in zip(field, part, strict=True):
                np.add(total, array, out=total, where=inside)
        np.clip(field.height, -MAX_HEIGHT, MAX_HEIGHT, out=field.height)
        for array in field:
            array.setflags(write=False)
        return field

    def balances(self, particles: ParticleSet, basin: int, columns: Doubles, rows: Doubles) -> Doubles:
        """The factors with which troughs of drops hold as much water as their crests, next to land and borders.

        Args:
            particles: those that the drops will belong to.
            basin: the basin that the drops lie in; only volume inside it counts.
            columns: middles of the drops [cells], shape (m,).
            rows: see `columns`.

        Returns:
            Shape (m,); 1 far from land and borders.
        """
        from .kernels.rings import balances

        bump = bump_of(self.params.kernel, particles.radius)
        ends = BORDERS[particles.border]
        return balances(columns, rows, self.shore.basins, basin, bump, particles.radius, RING_DIRECTIONS, *ends)

    def velocities(self, column: Doubles, row: Doubles, basins: NDArray[np.int32], seconds: float) -> Doubles:
        """Velocity (x, y, z) of the surface [m/s] in a step of `seconds` [s]; 0 on land.

        A particle carries water along at πv/r times its height, as a wave of length 2r on deep water does, and lifts it
        as fast as its shape runs past.

        Args:
            column: of each place [cells], shape (m,).
            row: of each place [cells], shape (m,).
            basins: the basin of each place, shape (m,); waves of other basins are not felt there.
            seconds: length of the step.

        Returns:
            Shape (m, 3).
        """
        velocity = np.zeros((len(column), 3))
        speed, _ = self.plan(seconds)
        for basin, radius in sorted(self._sets):
            here = basins == basin
            felt = self._set(basin, radius).motion_at(column[here], row[here], self._grid.shape)
            velocity[here] += speed * self._relative_speed(radius) * math.pi / (radius * self._grid.spacing) * felt
        return velocity

    def _collected(self, particles: ParticleSet) -> AmplitudeGrid:
        """The grid of amplitudes that belongs to the radius of `particles`, holding them alone."""
        radius = particles.radius
        if radius not in self._grids:
            self._grids[radius] = AmplitudeGrid(self._grid.shape, self._grid.spacing, radius)
        grid = self._grids[radius]
        grid.collect(particles)
        return grid

    def _add(self, particles: ParticleSet, field: WaveField) -> None:
        grid = self._collected(particles)
        if self.params.kernel == "radial":
            grid.add_radial(field)
        else:
            grid.add_separable(field)

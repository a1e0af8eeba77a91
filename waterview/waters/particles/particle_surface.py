"""All wave particles of a water, sorted by the water they are in and by radius, and the surface that they make."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waterview.core.commands import DROP_RADIUS, MAX_HEIGHT
from waterview.core.grid import Grid
from waterview.waters.particles.kernels.particles import ParticleSet, Shore
from waterview.waters.particles.kernels.particles_bodies import NO_BODIES, Outlines
from waterview.waters.particles.kernels.particles_field import Field, RadiusGrid

from .particle_params import WaveParticleParams
from .particle_sources import radius_class

Doubles = NDArray[np.float64]

CROWDING = 100.0
"""β: how sharply damping rises when there are more particles than wanted."""

FAINTEST = 1e-4
"""Particles of less strength than this share of their radius are removed: nobody sees so slight a slope."""

MAX_SUBSTEPS = 8
"""Most parts that a step is divided into for no particle to run more than a cell; then waves are slowed instead."""


class ParticleSurface:
    """The particles of every radius in every water on one grid.

    Args:
        grid: where the surface is summed up.
        params: the rules that particles follow; to be replaced when they change.
        fixed: land, shape (nz, nx).

    Attributes:
        params: as given.
        shore: of the land.
        bodies: outlines of what floats there.
    """

    def __init__(self, grid: Grid, params: WaveParticleParams, fixed: NDArray[np.bool_]) -> None:
        self.params = params
        self.shore = Shore.of(fixed)
        self.bodies: Outlines = NO_BODIES
        self._grid = grid
        self._sets: dict[tuple[int, float], ParticleSet] = {}
        self._grids: dict[float, RadiusGrid] = {}

    @property
    def count(self) -> int:
        """Number of particles."""
        return sum(particles.count for particles in self._sets.values())

    @property
    def sets(self) -> list[ParticleSet]:
        """The particles by water and radius, narrow ones first."""
        return [self._sets[key] for key in sorted(self._sets)]

    def set_land(self, fixed: NDArray[np.bool_]) -> None:
        """Let the points of `fixed`, shape (nz, nx), be land; particles over it are removed."""
        self.shore = Shore.of(fixed)
        before, self._sets = self.sets, {}
        for particles in before:
            waters = self.shore.waters[self._nearest(particles.z, 0), self._nearest(particles.x, 1)]
            for water in np.unique(waters[waters > 0]):
                self._set(int(water), particles.radius).take(particles, waters == water)

    def clear(self) -> None:
        """Remove every particle."""
        self._sets.clear()

    def saved(self) -> list[dict[str, Any]]:
        """Everything that moves."""
        return [
            {"water": water, "radius": radius, **self._sets[water, radius].saved()}
            for water, radius in sorted(self._sets)
        ]

    def load(self, saved: Iterable[Mapping[str, Any]]) -> None:
        """Go on from what `saved` gave over the same land.

        Raises:
            KeyError, TypeError, ValueError: it makes no sense.
        """
        sets = {}
        for each in saved:
            water, radius = int(each["water"]), float(each["radius"])
            if radius_class(radius, self._grid.shape) != radius or not 0 < water <= self.shore.waters.max():
                raise ValueError(f"particles of radius {radius} in water {water}")
            sets[water, radius] = ParticleSet.loaded(radius, each)
        self._sets = sets

    def with_room(self, water: int, radius: float, number: int) -> ParticleSet:
        """The particles of about `radius` [m] in a water, with room for `number` more: weak ones make way."""
        cells = radius_class(min(radius / self._grid.spacing, float(max(self._grid.shape))), self._grid.shape)
        particles = self._set(water, cells)
        excess = self.count + number - 2 * self.params.most_particles
        if excess > 0:
            max(self.sets, key=lambda each: each.count).drop_weakest(excess)
        return particles

    def _set(self, water: int, radius: float) -> ParticleSet:
        particles = self._sets.setdefault((water, radius), ParticleSet(radius))
        particles.border = self.params.border
        particles.energetic = self.params.spreading == "energy"
        return particles

    def _nearest(self, place: NDArray[np.float32], axis: int) -> NDArray[np.intp]:
        return np.clip(np.rint(place).astype(np.intp), 0, self._grid.shape[axis] - 1)

    # --- motion

    def plan(self, seconds: float) -> tuple[float, int]:
        """For a step of `seconds` [s]: effective wave speed [m/s] and in how many parts it is taken."""
        speed = self.params.wave_speed
        fastest = max((self._relative_speed(radius) for _, radius in self._sets), default=1.0)
        cells = speed * fastest * seconds / self._grid.spacing
        if cells <= MAX_SUBSTEPS:
            return speed, max(1, math.ceil(cells))
        return speed * (MAX_SUBSTEPS / cells), MAX_SUBSTEPS

    def damping(self) -> float:
        """α [1/s]: the damping asked for, times 1 + β·max(0, N/N_max − 1)² (Jeschke and Wojtan 2017)."""
        crowd = max(0.0, self.count / self.params.most_particles - 1.0)
        return self.params.damping * (1.0 + CROWDING * crowd * crowd)

    def advance(self, seconds: float) -> None:
        """Let `seconds` [s] go by."""
        speed, parts = self.plan(seconds)
        for _ in range(parts):
            self._advance_part(speed, seconds / parts)
        for key in [key for key, particles in self._sets.items() if particles.count == 0]:
            del self._sets[key]

    def _advance_part(self, speed: float, seconds: float) -> None:
        keep = math.exp(-self.damping() * seconds)
        for water, radius in sorted(self._sets):
            particles = self._set(water, radius)
            cells = speed * self._relative_speed(radius) * seconds / self._grid.spacing
            room = max(2 * self.params.most_particles - self.count, 0)
            lowest = FAINTEST * radius * self._grid.spacing
            particles.advance(cells, keep, lowest, self.shore, particles.count + room, self.bodies)

    def _relative_speed(self, radius: float) -> float:
        """Speed of particles of `radius` [cells] over the wave speed: on deep water it goes with √wavelength."""
        usual = max(DROP_RADIUS * max(self._grid.shape), 1.0)
        return math.sqrt(radius / usual) if self.params.dispersion else 1.0

    # --- what is seen of it

    def field(self) -> Field:
        """Height, slopes and shift, 0 on land; read-only arrays of the caller's own."""
        field = Field.zeros(self._grid.shape)
        for water in sorted({water for water, _ in self._sets}):
            part = Field.zeros(self._grid.shape)
            for radius in sorted(radius for each, radius in self._sets if each == water):
                self._add(self._set(water, radius), part)
            inside = self.shore.waters == water
            for total, array in zip(field, part, strict=True):
                np.add(total, array, out=total, where=inside)
        np.clip(field.height, -MAX_HEIGHT, MAX_HEIGHT, out=field.height)
        for array in field:
            array.setflags(write=False)
        return field

    def volume(self, particles: ParticleSet, water: int) -> float:
        """Volume under `particles`, which need not be of this surface, as far as it lies in `water` [m·cells]."""
        field = Field.zeros(self._grid.shape)
        self._add(particles, field)
        return float(field.height.sum(dtype=np.float64, where=self.shore.waters == water))

    def velocities(self, column: Doubles, row: Doubles, waters: NDArray[np.int32], seconds: float) -> Doubles:
        """Velocity (x, y, z) of the surface [m/s] at places in cells, in a step of `seconds` [s]; 0 on land.

        A particle carries water along at πv/r times its height, as a wave of length 2r on deep water does, and lifts
        it as fast as its shape runs past.

        Args:
            column: shape (m,).
            row: likewise.
            waters: the water that each place is in, shape (m,); it feels no other's waves.
            seconds: as said.

        Returns:
            Shape (m, 3).
        """
        velocity = np.zeros((len(column), 3))
        speed, _ = self.plan(seconds)
        for water, radius in sorted(self._sets):
            here = waters == water
            felt = self._set(water, radius).motion_at(column[here], row[here], self._grid.shape)
            velocity[here] += speed * self._relative_speed(radius) * math.pi / (radius * self._grid.spacing) * felt
        return velocity

    def _add(self, particles: ParticleSet, field: Field) -> None:
        grid = self._grid_of(particles.radius)
        grid.collect(particles)
        if self.params.kernel == "radial":
            grid.add_round(field)
        else:
            grid.add_to(field)

    def _grid_of(self, radius: float) -> RadiusGrid:
        if radius not in self._grids:
            self._grids[radius] = RadiusGrid(self._grid.shape, self._grid.spacing, radius)
        return self._grids[radius]

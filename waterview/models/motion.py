"""Maps and totals of moving water, from heights and velocities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from waterview.core.fields import WATER_DENSITY, FieldView, Totals
from waterview.core.grid import Grid


@dataclass(frozen=True, eq=False)
class Motion:
    """What is needed of a water whose surface obeys u_tt = c²∇²u.

    Attributes:
        grid: where the points lie.
        bed: world height of the ground [m], shape (nz, nx).
        fixed: points of land, likewise.
        heights: u [m], likewise.
        velocity: v = u_t [m/s], likewise.
        wave_speed: c [m/s].
        courant: the Courant number of one step.
        walls: whether nothing flows between water and land; if not land holds the water at 0.
    """

    grid: Grid
    bed: NDArray[np.float32]
    fixed: NDArray[np.bool_]
    heights: NDArray[np.float32]
    velocity: NDArray[np.float32]
    wave_speed: float
    courant: float
    walls: bool

    @property
    def mass(self) -> float:
        """Mass of a column over a square metre [kg/m²]: as deep as the free points are on average."""
        depth = (self.grid.level - self.bed)[~self.fixed]
        return WATER_DENSITY * float(np.maximum(depth, 0.0).mean(dtype=np.float64)) if depth.size else 0.0

    def kinetic(self) -> NDArray[np.float64]:
        """½ m v² of every point's columns [J/m²], shape (nz, nx)."""
        return np.asarray(0.5 * self.mass * np.square(self.velocity, dtype=np.float64))

    def potential(self) -> NDArray[np.float64]:
        """½ m c² |∇u|² [J/m²], shape (nz, nx): the work done against the forces m c²∇²u that level the surface.

        Each pair of neighbours counts half for either point.
        """
        squares = np.zeros(self.grid.shape)
        for axis in (0, 1):
            u, free = np.moveaxis(self.heights, axis, 0).astype(np.float64), np.moveaxis(~self.fixed, axis, 0)
            pair = np.square(u[1:] - u[:-1])
            if self.walls:
                pair = np.where(free[1:] & free[:-1], pair, 0.0)
            along = np.moveaxis(squares, axis, 0)  # a view
            along[1:] += 0.5 * pair
            along[:-1] += 0.5 * pair
        return np.asarray(0.5 * self.mass * (self.wave_speed / self.grid.spacing) ** 2 * squares)


def motion_fields(motion: Motion) -> dict[str, FieldView]:
    """Velocity [m/s], energy [J/m²] and Courant number by name."""
    energy = (motion.kinetic() + motion.potential()).astype(np.float32)
    courant = np.where(motion.fixed, np.float32(0.0), np.float32(motion.courant))
    views = (
        FieldView("velocity", np.asarray(motion.velocity, np.float32), "m/s", diverging=True),
        FieldView("energy", energy, "J/m²", diverging=False),
        FieldView("courant", courant, "", diverging=False),
    )
    return {view.name: view for view in views}


def motion_totals(motion: Motion) -> Totals:
    """Mean level and energies; without damping and loss over a border their sum stays the same."""
    free, cell = ~motion.fixed, motion.grid.spacing**2
    level = float(motion.heights[free].mean(dtype=np.float64)) if free.any() else 0.0
    return Totals(level, cell * float(motion.kinetic()[free].sum()), cell * float(motion.potential().sum()))

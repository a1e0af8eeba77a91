"""Maps and totals of moving water, from heights and velocities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from waterview.core.fields import WATER_DENSITY, FieldView, Totals
from waterview.core.grid import Grid
from waterview.kernels.borders import Sides


@dataclass(frozen=True, eq=False)
class Motion:
    """A moment of a water whose surface obeys u_tt = c²∇²u.

    Its columns are taken to be as deep as the water is on average, with mass m = ρd̄ a square metre. Their kinetic
    energy is ½mv², and their potential one ½mc²∇u·∇u⁻: the work done against the forces mc²∇²u that level the surface.
    With u⁻ a step before u and v between the two, the sum of both is exactly what the undamped step with four
    neighbours keeps; with |∇u|² it would swing a little.

    Attributes:
        grid: where the points lie.
        bed: world height of the ground [m], shape (nz, nx).
        fixed: points of land, likewise.
        heights: u [m], likewise.
        velocity: v [m/s], likewise.
        time_step: length of the solver's own step [s].
        wave_speed: c [m/s].
        courant: the Courant number of that step.
        sides: what lies beyond the four borders.
        walls: whether nothing flows between water and land; if not land holds the water at 0.
    """

    grid: Grid
    bed: NDArray[np.float32]
    fixed: NDArray[np.bool_]
    heights: NDArray[np.float32]
    velocity: NDArray[np.float32]
    time_step: float
    wave_speed: float
    courant: float
    sides: Sides
    walls: bool

    def fields(self) -> dict[str, FieldView]:
        """Velocity [m/s], energy [J/m²] and Courant number by name."""
        courant = np.where(self.fixed, np.float32(0.0), np.float32(self.courant))
        # Between ripples as short as two cells the product of the gradients may be a little below 0.
        energy = np.maximum(self._kinetic + self._potential, np.float32(0.0))
        views = (
            FieldView("velocity", np.asarray(self.velocity, np.float32), "m/s", diverging=True),
            FieldView("energy", energy, "J/m²", diverging=False),
            FieldView("courant", courant, "", diverging=False),
        )
        return {view.name: view for view in views}

    def totals(self) -> Totals:
        """Mean level and energies."""
        sums = (float(each.sum(dtype=np.float64)) for each in (self.heights, self._kinetic, self._potential))
        level, kinetic, potential = sums
        cell = self.grid.spacing**2
        return Totals(level / max(int(np.count_nonzero(~self.fixed)), 1), cell * kinetic, cell * potential)

    @property
    def mass(self) -> float:
        """Mass m of a column over a square metre [kg/m²]."""
        depth = (self.grid.level - self.bed)[~self.fixed]
        return WATER_DENSITY * max(float(depth.mean(dtype=np.float64)), 0.0) if depth.size else 0.0

    @cached_property
    def _kinetic(self) -> NDArray[np.float32]:
        """½mv² at every point [J/m²]."""
        return np.asarray(np.float32(0.5 * self.mass) * np.square(self.velocity), np.float32)

    @cached_property
    def _potential(self) -> NDArray[np.float32]:
        """½mc²∇u·∇u⁻ at every point [J/m²]."""
        from waterview.kernels.energy_rows import LEVEL, OPPOSITE, ZERO, share_pairs

        kinds = np.array([{"zero": ZERO, "wrapping": OPPOSITE}.get(kind, LEVEL) for kind in self.sides], np.int64)
        now = np.ascontiguousarray(self.heights)
        before = now - np.float32(self.time_step) * self.velocity
        free = (~self.fixed if self.walls else np.ones_like(self.fixed)).astype(np.float32)
        out = np.zeros_like(now)
        share_pairs(now, before, free, kinds, out)
        return np.asarray(np.float32(0.5 * self.mass * (self.wave_speed / self.grid.spacing) ** 2) * out, np.float32)

"""Diagnostics of a wave model: maps of velocity, energy and Courant number, and totals of energy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from waterview.core.constants import WATER_DENSITY
from waterview.core.diagnostics import FieldMap, Totals
from waterview.core.grid import Grid
from waterview.waters.common.borders import BorderKind, Sides

ROWS_AT_ONCE = 32
"""Rows that are summed at a time: few enough to stay in the processor's cache."""

_Floats = NDArray[np.float32]
_Place = tuple[slice, slice]


@dataclass(frozen=True, eq=False)
class WaveDiagnostics:
    """A moment of a water whose surface obeys u_tt = c²∇²u.

    Every column is taken to be as deep as the water is on average, with a mass of m = ρd̄ per square metre. Its kinetic
    energy is ½mv², its potential energy ½mc²∇u·∇u⁻: the work against the forces mc²∇²u that level the surface. With u⁻
    one step before u, and v between the two, the undamped five-point step conserves the sum of both exactly; with |∇u|²
    it would oscillate a little.

    Attributes:
        grid: where the points lie.
        mass: m [kg/m²], see `column_mass`.
        fixed: points of land, shape (nz, nx).
        heights: u [m], shape (nz, nx).
        other: u⁻ [m] or v [m/s], shape (nz, nx).
        other_is_velocity: whether `other` is v.
        time_step: length of the solver's own step [s].
        wave_speed: c [m/s].
        courant: the Courant number of that step.
        sides: what lies beyond the four borders.
        walls: whether nothing flows between water and land; otherwise land holds the water at 0.
    """

    grid: Grid
    mass: float
    fixed: NDArray[np.bool_]
    heights: NDArray[np.float32]
    other: NDArray[np.float32]
    other_is_velocity: bool
    time_step: float
    wave_speed: float
    courant: float
    sides: Sides
    walls: bool

    def field_maps(self) -> dict[str, FieldMap]:
        """Velocity [m/s], energy [J/m²] and Courant number by name."""
        courant = np.where(self.fixed, np.float32(0.0), np.float32(self.courant))
        # Between ripples as short as two cells the product of the gradients can be slightly negative.
        energy = np.maximum(self._kinetic + self._potential, np.float32(0.0))
        views = (
            FieldMap("velocity", self.velocity, "m/s", diverging=True),
            FieldMap("energy", energy, "J/m²", diverging=False),
            FieldMap("courant", courant, "", diverging=False),
        )
        return {view.name: view for view in views}

    def totals(self) -> Totals:
        """Mean level and energies, summed some rows at a time, so that no array of the field's size is made."""
        level = squares = pairs = 0.0
        for start in range(0, len(self.heights), ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            now, before, rise = self._rows(rows)
            level += float(now.sum(dtype=np.float64))
            squares += float(np.square(rise).sum(dtype=np.float64))
            pairs += _products(now, before, self._free(rows), 1)
            rows = slice(max(start - 1, 0), rows.stop)
            now, before, _ = self._rows(rows)
            pairs += _products(now, before, self._free(rows), 0)
        pairs += self._pairs_outside()
        count = self.fixed.size - int(np.count_nonzero(self.fixed))
        area = 0.5 * self.mass * self.grid.spacing**2
        return Totals(level / max(count, 1), area * squares, area * self._stiffness * pairs)

    def _rows(self, rows: slice, columns: slice = slice(None)) -> tuple[_Floats, _Floats, _Floats]:
        """u, u⁻ and v of a part of the field."""
        now, other = self.heights[rows, columns], self.other[rows, columns]
        if self.other_is_velocity:
            return now, now - np.float32(self.time_step) * other, other
        return now, other, (now - other) / np.float32(self.time_step)

    def _free(self, rows: slice, columns: slice = slice(None)) -> NDArray[np.bool_]:
        """Points of a part of the field whose pairs count."""
        land = self.fixed[rows, columns]
        return ~land if self.walls else np.ones_like(land)

    def _pairs_outside(self) -> float:
        """The sum of the products of pairs across the borders."""
        everything, first, last, total = slice(None), slice(0, 1), slice(-1, None), 0.0
        edges = ((first, everything), (everything, last), (last, everything), (everything, first))
        for kind, edge in zip(self.sides.kinds, edges, strict=True):
            if factor := _ghost_factor(kind):
                now, before, _ = self._rows(*edge)
                total += factor * float((now * before * self._free(*edge)).sum(dtype=np.float64))
        for wraps, axis, one, other in (
            (self.sides.wraps[0], 0, edges[0], edges[2]),
            (self.sides.wraps[1], 1, edges[3], edges[1]),
        ):
            if wraps:
                (now, before, _), (there, there_before, _) = self._rows(*one), self._rows(*other)
                both = np.concatenate((now, there), axis), np.concatenate((before, there_before), axis)
                total += _products(*both, np.concatenate((self._free(*one), self._free(*other)), axis), axis)
        return total

    @cached_property
    def velocity(self) -> NDArray[np.float32]:
        """How fast the surface rises [m/s], shape (nz, nx); a copy."""
        if self.other_is_velocity:
            return self.other.copy()
        return np.asarray((self.heights - self.other) / np.float32(self.time_step), np.float32)

    @property
    def _stiffness(self) -> float:
        """c²/Δx² [1/s²]."""
        return (self.wave_speed / self.grid.spacing) ** 2

    @cached_property
    def _kinetic(self) -> NDArray[np.float32]:
        """½mv² at every point [J/m²]."""
        return np.asarray(np.float32(0.5 * self.mass) * np.square(self.velocity), np.float32)

    @cached_property
    def _potential(self) -> NDArray[np.float32]:
        """½mc²∇u·∇u⁻ at every point [J/m²]."""
        everything = slice(None)
        now, before, _ = self._rows(everything)
        free, out = self._free(everything), np.zeros_like(now)

        def share(one: _Place, other: _Place) -> None:
            """Give half of the product of each pair to either point of it."""
            products = (now[other] - now[one]) * (before[other] - before[one]) * (free[one] & free[other])
            for place in (other, one):
                out[place] += np.float32(0.5) * products

        share(np.s_[:-1, :], np.s_[1:, :])
        share(np.s_[:, :-1], np.s_[:, 1:])
        north, east, south, west = (_ghost_factor(kind) for kind in self.sides.kinds)
        rows, columns = (np.s_[:1, :], np.s_[-1:, :]), (np.s_[:, :1], np.s_[:, -1:])
        for (first, last), wraps, ghosts in zip(
            (rows, columns), self.sides.wraps, ((north, south), (west, east)), strict=True
        ):
            if wraps:
                share(last, first)
            for edge, factor in zip((first, last), ghosts, strict=True):
                if factor:
                    out[edge] += np.float32(factor) * (now[edge] * before[edge] * free[edge])
        return np.asarray(np.float32(0.5 * self.mass * self._stiffness) * out, np.float32)


def _ghost_factor(kind: BorderKind) -> float:
    """What the pair of an edge point and its ghost point counts, in units of h·h⁻ of the edge point.

    A ghost point w·h pulls the edge point back like a spring of stiffness 1 − w. Nothing counts at a side that wraps,
    whose pairs are of two points of the grid, nor at a kind with a memory, where waves leave the grid.
    """
    return 0.0 if kind.wraps or kind.memory != "none" else 1.0 - kind.weight


def _products(now: _Floats, before: _Floats, free: NDArray[np.bool_], axis: int) -> float:
    """Sum over neighbours along an axis of their difference now times that before, where both are free."""
    one, other = (slice(1, None), slice(None, -1)) if axis == 0 else (np.s_[:, 1:], np.s_[:, :-1])
    products = (now[one] - now[other]) * (before[one] - before[other])
    products *= free[one] & free[other]
    return float(products.sum(dtype=np.float64))


def column_mass(depth: NDArray[np.float32], fixed: NDArray[np.bool_]) -> float:
    """Mass m of the mean column [kg/m²]: `depth` [m] is that of still water, and fixed points do not count."""
    water = depth[~fixed]
    return WATER_DENSITY * max(float(water.mean(dtype=np.float64)), 0.0) if water.size else 0.0

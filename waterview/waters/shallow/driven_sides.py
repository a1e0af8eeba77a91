"""Sides of shallow water by which waves and tides come in, and by which all that meets them from inside leaves.

What comes in and what leaves is told apart by Riemann's invariants. With v the velocity into the grid and
D = 2(√(gH) − √(gd)), v + D runs inwards and v − D outwards. The ghost cells beyond a side have the inward one of the
wave that is asked for and the outward one from inside.

That alone lets out waves that meet the side head-on. One that comes at an angle θ has an inward invariant of its own,
−tan²(θ/2) times its outward one; held at 0 it would throw back tan⁴(θ/2) of the energy, a ninth at 60°. With
tan²(θ/2) ≈ ¼s²/(1 − ½s²), s = sin θ (the third approximation of Engquist and Majda 1977), the inward invariant Q of
what leaves follows from the outward one S by an equation along the side,

    Q_tt = ½(c²Q_τ)_τ − ¼(c²S_τ)_τ,

and thrown back is tan¹²(θ/2) of the energy: a thousandth at 60°.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waterview.core.commands import MAX_HEIGHT
from waterview.core.grid import Grid
from waterview.core.saved import check_within, entry_of
from waterview.waters.common.incoming_waves import long_wave_velocity
from waterview.waters.common.water import restore
from waterview.waters.common.wavemaker import (
    INWARD,
    SIDES,
    Places,
    Wavemaker,
    WavemakerParams,
    inwards,
    mean_depth,
    middle,
)

from .kernels.layout import GHOSTS, MOMENTUM_X, MOMENTUM_Z, RISE

FORGETTING = 0.1
"""Rate at which Q is forgotten, in crossings of the side a second: or a steady flow would move it for ever."""

ROWS = 1 + GHOSTS
"""Rows of cells along a side that are looked at: the ghost cells, the outermost first, and the first cell inside."""

_MOST_INFLOW = 1e30  # in a file [m³]
_FASTEST = 1e6  # invariant in a file [m/s]: that of waves of `MAX_HEIGHT` is a hundredth

Floats = NDArray[np.float32]
Wave = tuple[NDArray[np.floating], NDArray[np.floating], NDArray[np.floating]]


class DrivenSide:
    """One side, or a part of it.

    Args:
        side: its name.
        depth: of still water [m] in the `GHOSTS` rows of cells along the whole side, the outermost first, shape
            (GHOSTS, m).
        grid: where the cells lie.
        gravity: g [m/s²].
        ends: whether the sides at its ends of lower and of higher x or z are driven, too, and no walls.
        part: which n of the m cells along the side; where they end inside it is a wall.

    Attributes:
        leaving: the inward invariant Q of what leaves [m/s], and its change in time [m/s²], shape (2, n).
        speeds: of water and waves in its ghost cells [m/s], shape (GHOSTS, n).
    """

    def __init__(
        self,
        side: str,
        depth: NDArray[np.floating],
        grid: Grid,
        gravity: float,
        ends: tuple[bool, bool],
        part: slice = slice(None),
    ) -> None:
        start, stop, _ = part.indices(depth.shape[1])
        self._ends = np.array([ends[0] and start == 0, ends[1] and stop == depth.shape[1]], float)
        self._side, self._gravity, self._spacing = side, gravity, grid.spacing
        depth = depth.astype(np.float64)
        fastest = float((gravity * depth[0]).max())
        self._rate = FORGETTING * math.sqrt(fastest) / (depth.shape[1] * grid.spacing)
        depth = depth[:, part]
        self._still = depth[[*range(GHOSTS - 1, -1, -1), 0]]  # the ground of ghost cells is that inside, mirrored
        self._roots = np.sqrt(gravity * self._still)
        self._wet = self._still[:GHOSTS] > 0.0
        n = depth.shape[1]
        # The equation along the side: between two cells of land nothing passes.
        speeds = gravity * depth[0]
        self._speeds = np.where((speeds[1:] > 0.0) & (speeds[:-1] > 0.0), 0.5 * (speeds[1:] + speeds[:-1]), 0.0)
        self.leaving, self._outward = np.zeros((2, n)), np.zeros(n)
        self.speeds = np.zeros((GHOSTS, n))
        self._places = Places.along(side, grid, range(-GHOSTS, 1), part)
        self._moment: object = None
        self._wave: Wave = (self._still,) * 3

    def _wave_at(self, wavemaker: Wavemaker) -> Wave:
        """Inward and outward invariant and velocity along the side of the wave that comes in [m/s], shape (ROWS, n).

        They are remembered: the first stage of a step asks for the same moment as the second stage of the step before.
        """
        if self._moment != wavemaker.moment:
            g, still = self._gravity, self._still
            # A long wave on the tide, whose water is at rest.
            level, wave = wavemaker.level(self._side), wavemaker.waves_at(self._places, self._side)
            base = np.maximum(still + level, 0.0)
            velocity_x, velocity_z = (long_wave_velocity(each, wave.surface, base, g) for each in wave[1:])
            along_x, sign = self._side in {"west", "east"}, sum(INWARD[self._side])
            velocity, sideways = (velocity_x, velocity_z) if along_x else (velocity_z, velocity_x)
            velocity = sign * velocity
            rise = np.maximum(level + wave.surface, -still)
            difference = 2.0 * g * rise / np.maximum(np.sqrt(g * (still + rise)) + self._roots, 1e-30)
            self._moment, self._wave = wavemaker.moment, (velocity + difference, velocity - difference, sideways)
        return self._wave

    def fill(self, conserved: Floats, wavemaker: Wavemaker, thin: float) -> None:
        """Fill the ghost cells beyond wet ground.

        Args:
            conserved: conserved variables with ghost cells, shape (3, nz + 4, nx + 4).
            wavemaker: what comes in now.
            thin: depth below which velocities are held down [m].
        """
        g, still = self._gravity, self._still
        cells = inwards(conserved, self._side)[:, :ROWS, GHOSTS:-GHOSTS]
        along_x, sign = self._side in {"west", "east"}, sum(INWARD[self._side])
        normal, tangential = (MOMENTUM_X, MOMENTUM_Z) if along_x else (MOMENTUM_Z, MOMENTUM_X)
        roots, (coming, leaving, sideways) = self._roots, self._wave_at(wavemaker)

        # What leaves, beside what the wave that comes in brings along.
        inside = cells[:, GHOSTS].astype(np.float64)
        rise = np.maximum(inside[RISE], -still[GHOSTS])
        inside[1:] /= np.maximum(still[GHOSTS] + rise, thin)
        difference = 2.0 * g * rise / np.maximum(np.sqrt(g * (still[GHOSTS] + rise)) + roots[GHOSTS], 1e-30)
        self._outward = np.where(self._wet[-1], sign * inside[normal] - difference - leaving[GHOSTS], 0.0)

        coming, leaving = coming[:GHOSTS] + self.leaving[0], leaving[:GHOSTS] + self._outward
        half, into = 0.25 * (coming - leaving), 0.5 * (coming + leaving)
        half = np.maximum(half, -roots[:GHOSTS])
        rise = np.minimum(half * (2.0 * roots[:GHOSTS] + half) / g, MAX_HEIGHT)
        passing = np.where(into > 0.0, sideways[:GHOSTS], inside[tangential])
        depth = still[:GHOSTS] + rise
        for plane, values in ((RISE, rise), (normal, sign * depth * into), (tangential, depth * passing)):
            np.copyto(cells[plane, :GHOSTS], values, where=self._wet, casting="same_kind")
        self.speeds = np.where(self._wet, np.abs(into) + roots[:GHOSTS] + half, 0.0)

    def check(self) -> None:
        """Make sure that what leaves, from a file, makes sense: what is much too fast would come to be no number.

        Raises:
            ValueError: it is faster than any wave, or changes by more than that while one runs through a cell.
        """
        inward, change = self.leaving
        check_within(inward, -_FASTEST, _FASTEST, "leaving")
        most = _FASTEST * (1.0 + math.sqrt(float(self._speeds.max(initial=0.0))) / self._spacing)
        check_within(change, -most, most, "leaving")

    def advance(self, seconds: float) -> None:
        """Let the inward invariant of what leaves follow the outward one, which `fill` has found, for `seconds` [s]."""
        inward, change = self.leaving
        slopes = self._speeds * (0.5 * np.diff(inward) - 0.25 * np.diff(self._outward))
        # At a wall nothing passes. Where the next side is driven, Q runs on out of this one, as fast as it does in it.
        out = self._ends * np.sqrt(0.5 * self._speeds[[0, -1]]) * self._spacing * change[[0, -1]]
        change += seconds / self._spacing**2 * np.diff(slopes, prepend=out[0], append=-out[1])
        inward += seconds * change
        self.leaving *= math.exp(-self._rate * seconds)


class DrivenSides:
    """All sides by which anything comes in.

    Args:
        grid: where the cells lie.
        parts: the sides that are there, and which part of each; all sides whole if None.

    Attributes:
        wavemaker: what comes in.
        inflow: water that has come in through all sides of the grid less what has left, while any was driven [m³].
    """

    def __init__(self, grid: Grid, parts: Mapping[str, slice] | None = None) -> None:
        self.wavemaker = Wavemaker()
        self.inflow = 0.0
        self._sides: dict[str, DrivenSide] = {}
        self._depths: dict[str, NDArray[np.floating]] = {}
        self._grid, self._gravity = grid, 0.0
        self._parts = dict.fromkeys(SIDES, slice(None)) if parts is None else dict(parts)

    @property
    def names(self) -> tuple[str, ...]:
        """The sides by which anything comes in now."""
        return tuple(self._sides)

    def over(self, still: Floats) -> None:
        """Go on over still water of other depths [m], shape (nz, nx); call `ask` after it."""
        self.between({side: inwards(still, side)[:GHOSTS] for side in SIDES})

    def between(self, depths: Mapping[str, NDArray[np.floating]]) -> None:
        """As `over`, with the depth of still water along each side alone, as `DrivenSide` takes it."""
        self._depths = {side: depth.copy() for side, depth in depths.items()}

    def in_parts(self, parts: Mapping[str, slice]) -> DrivenSides:
        """Parts of the same sides, with a clock of their own; nothing has left by them."""
        made = DrivenSides(self._grid, parts)
        made.wavemaker = copy.deepcopy(self.wavemaker)
        made._depths, made._gravity = self._depths, self._gravity
        made._find_sides()
        return made

    def ask(self, params: WavemakerParams, gravity: float, dispersion: float = 0.0) -> None:
        """Let what `params` ask for come in from now on.

        Args:
            params: of the water.
            gravity: g [m/s²].
            dispersion: α of the scheme, 0 where all waves are long.
        """
        self._gravity = gravity
        origin, depth = (0.0, 0.0), 0.0
        if params.has_driven_sides:
            side = params.driven_sides[0]
            origin, depth = middle(self._grid, side), mean_depth(self._depths[side][0])
        self.wavemaker.ask(params, origin, depth, gravity, sum(self._grid.size), dispersion)
        self._find_sides()

    def _find_sides(self) -> None:
        before = self._sides
        names = self.wavemaker.sides if self._gravity > 0.0 else ()
        self._sides = {}
        for name in (name for name in names if name in self._parts):
            ends = (
                ("north" in names, "south" in names) if name in {"west", "east"} else ("west" in names, "east" in names)
            )
            depth, part = self._depths[name], self._parts[name]
            self._sides[name] = DrivenSide(name, depth, self._grid, self._gravity, ends, part)
        for name in self._sides.keys() & before.keys():
            self._sides[name].leaving[...] = before[name].leaving

    @property
    def fastest(self) -> float:
        """The greatest speed beyond the sides [m/s]."""
        return self.fastest_in(dict.fromkeys(self._sides, slice(None)))

    def fastest_in(self, parts: Mapping[str, slice]) -> float:
        """The greatest speed beyond parts of the sides, counted from where each begins here [m/s]."""
        there = [float(self._sides[name].speeds[:, part].max(initial=0.0)) for name, part in parts.items()]
        return max(there, default=0.0)

    def leaving(self, name: str) -> NDArray[np.float64]:
        """What leaves by a driven side, as `DrivenSide.leaving`: a view that may be written."""
        return self._sides[name].leaving

    def fill(self, conserved: Floats, thin: float) -> None:
        """Fill the ghost cells of all driven sides; the arguments are those of `DrivenSide.fill`."""
        for side in self._sides.values():
            side.fill(conserved, self.wavemaker, thin)

    def advance(self, seconds: float) -> None:
        """Let `seconds` [s] go by."""
        for side in self._sides.values():
            side.advance(seconds)
        self.wavemaker.time += seconds
        if self._sides:
            names = self.wavemaker.sides
            self._sides = {name: side for name, side in self._sides.items() if name in names}

    def state(self) -> dict[str, Any]:
        """Everything that changes."""
        leaving = {name: side.leaving.copy() for name, side in self._sides.items()}
        return {"wavemaker": self.wavemaker.state(), "leaving": leaving, "inflow": self.inflow}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` gave; raises a KeyError or ValueError where it makes no sense."""
        self.wavemaker.load_state(entry_of(state, "wavemaker", dict))
        # Files of older versions do not have it.
        self.inflow = entry_of(state, "inflow", float, 0.0, low=-_MOST_INFLOW, high=_MOST_INFLOW)
        self._find_sides()
        leaving = entry_of(state, "leaving", dict)
        for name, side in self._sides.items():
            restore(side.leaving, leaving[name])
            side.check()

"""Implicit waves over varying depth, stable at any time step (Kass and Miller 1990).

    h_tt + k h_t = g ∇·(d ∇h)

with the height h of the surface above still water and the depth d, which is held during a step. The equation is solved
along x and then along z, one tridiagonal system for every row and every column.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from waterview.core.saved import LARGEST, array_of, entry_of
from waterview.waters.common.basins import find_basins
from waterview.waters.common.borders import Sides
from waterview.waters.common.drops import Window
from waterview.waters.common.given_state import rising_speed
from waterview.waters.common.water import WHOLE_GRID

from .scheme import Scheme, StepTaken, SurfaceView
from .shallow_params import ShallowWaterParams

DEPTH_BOUNDS = (0.1, 2.0)
"""Depths that a trough leaves and a crest makes at most, as shares of that of still water. Without bounds a wave could
reach the ground, and steep ones could pump each other up."""

MAX_HEIGHT = 1e5
"""Bound of the heights [m]."""

MAX_COURANT = 30.0
"""Greatest Courant number; what asks for more is slowed, for rounding would in time lift the whole water."""

Doubles = NDArray[np.float64]


def least_dissipation(courant: float) -> float:
    """The least ν with which steps of a Courant number stay stable over rough ground.

    Over even ground any ν does. But where depth varies, solving along x and then along z is not quite solving along
    both, and only Kass and Miller's ν = 1 stands every step. Found by trial: 1,500 steps over 40 random beds at each of
    twelve Courant numbers from 0.5 to 1,000 needed less than this.
    """
    return max(0.05, 1.0 - 1.3 / (courant + 0.5)) if courant > 0.5 else 0.0


class KassMiller(Scheme):
    """Height and motion of waves whose speed follows the depth; shores stay where they are.

    Args as `Scheme`.

    Attributes:
        still: depth of still water [m], shape (nz, nx) float64; 0 on land.
        now: h [m], shape (nz, nx) float64; 0 on land.
        before: h one step earlier [m], shape (nz, nx) float64.
    """

    name: ClassVar[str] = "kass-miller"

    def __init__(self, bed: NDArray[np.floating], spacing: float, border: str = "zero") -> None:
        super().__init__(bed, spacing, border)
        self.still = np.ascontiguousarray(np.maximum(-bed, 0.0), np.float64)
        zeros = [np.zeros_like(self.still) for _ in range(9)]
        self.now, self.before, self._next, self._known, self._scratch = zeros[:5]
        self._along_x, self._along_z, self._diagonal_x, self._diagonal_z = zeros[5:]
        self._time_step = 0.0  # of the last step
        self._pushed: NDArray[np.float32] | None = None  # `now`, and what bodies have pushed up since

    # --- the state

    @property
    def rise(self) -> Doubles:
        """Height above still water [m], shape (nz, nx)."""
        self._take_pushed()
        return self.now

    @property
    def time_levels(self) -> tuple[NDArray[np.float32], ...]:
        """The array of heights, rounded; what is added to it lifts the surface by the next step, or by `settle`."""
        self._take_pushed()
        self._pushed = self.now.astype(np.float32)
        return (self._pushed,)

    def settle(self, rows: slice, columns: slice) -> None:
        """Take up what bodies have pushed in these rows and columns."""
        self._take_pushed((rows, columns))

    def over(self, bed: NDArray[np.floating]) -> Self:
        """The same waves over another bed, where there was water and still is."""
        self._take_pushed()
        made = type(self)(bed, self.spacing, self.border)
        both = (made.still > 0.0) & (self.still > 0.0)
        made.now[both], made.before[both] = self.now[both], self.before[both]
        made._time_step = self._time_step
        made.remove_mean_motion()
        return made

    def state(self) -> dict[str, Any]:
        """Everything that moves; numbers are so long that volumes need no correction."""
        self._take_pushed()
        solver = {"now": self.now.copy(), "before": self.before.copy(), "seconds": self._time_step}
        return {"solver": solver, "volume": {}}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` gave over the same bed.

        Raises:
            KeyError, ValueError: it makes no sense.
        """
        solver = entry_of(state, "solver", dict)
        now, before = (array_of(solver, name, np.float64, self.now.shape) for name in ("now", "before"))
        self.now[...], self.before[...] = now, before
        self._time_step = entry_of(solver, "seconds", float, low=0.0)
        if 0.0 < self._time_step < 1.0 / LARGEST:  # others are divided by it
            raise ValueError(f"a step of {self._time_step:g} s")
        self._pushed = None

    # --- what moves it

    def step(self, time_step: float, gravity: float, params: ShallowWaterParams) -> StepTaken:
        """Take a step of `time_step` [s] under `gravity` [m/s²]."""
        return self.advance(time_step, gravity=gravity, damping=params.damping, dissipation=params.dissipation)

    def advance(self, seconds: float, *, gravity: float, damping: float, dissipation: float) -> StepTaken:
        """Take one step of `seconds` [s], above 0.

        With ν = `dissipation` the heights of the new, the present and the old time level act on the step with weights
        ¼(1 + ν)², ½(1 − ν²) and ¼(1 − ν)². ν = 1 is the step of Kass and Miller, on which a wave of frequency ω decays
        by ½ω²Δt a second; ν = 0 lets long waves run without loss (Newmark 1959).

        Args:
            seconds: Δt.
            gravity: g [m/s²].
            damping: k [1/s].
            dissipation: ν, 0–1; never less than `least_dissipation` is taken.
        """
        from .kernels.kass_miller import couple, set_up
        from .kernels.tridiagonal import solve_columns, solve_rows

        self._take_pushed()
        self._fit_time_step(seconds)
        asked = math.sqrt(gravity * DEPTH_BOUNDS[1] * float(self.still.max())) * seconds / self.spacing
        courant = min(asked, MAX_COURANT)
        time_share = courant / asked if asked > 0.0 else 1.0
        scale = gravity * (time_share * seconds / self.spacing) ** 2
        nu = max(dissipation, least_dissipation(courant))
        new, old = 0.25 * (1.0 + nu) ** 2, 0.25 * (1.0 - nu) ** 2
        right_side, known = self._extrapolate(math.exp(-damping * seconds), 1.0 - new - old, old)
        couple(self.now, self.still, scale, DEPTH_BOUNDS, self._along_x, self._along_z)
        set_up(right_side, known, self._along_x, self._along_z, new, self._diagonal_x, self._diagonal_z)
        systems = (
            (1, self._diagonal_x, self._along_x, solve_rows),
            (0, self._diagonal_z, self._along_z, solve_columns),
        )
        if self.border == "zero":
            for axis, diagonal, _, _ in systems:
                self._hold_ends(axis, scale, new, diagonal, right_side, known)
        for axis, diagonal, coupling, solve in systems:
            if self.border == "open":
                self._open_ends(axis, scale, diagonal, right_side)
            np.multiply(coupling, -new, out=coupling)
            solve(diagonal, coupling, right_side, self._scratch)
        # No wave on Earth is as high; steep ones over changing depths might climb there, but no further.
        np.clip(right_side, -MAX_HEIGHT, MAX_HEIGHT, out=right_side)
        self.now, self.before, self._next = right_side, self.now, self.before
        return StepTaken(1, courant, time_share)

    def add(self, window: Window, heights: NDArray[np.floating], bound: float, neutral: bool = False) -> None:
        """Raise the surface by `heights` [m] in a window of the grid, from rest, within ±`bound` [m]; land stays 0.

        Its waves may reach below the ground, so what is `neutral` stays so of itself.
        """
        self._take_pushed()
        wet = self.still[window] > 0.0
        for level in (self.now[window], self.before[window]):
            level[...] = np.where(wet, np.clip(level + heights, -bound, bound), 0.0)

    def set(self, window: Window, heights: NDArray[np.floating]) -> None:
        """Set the surface to `heights` [m] in a window of the grid, at rest; land stays 0."""
        self._take_pushed()
        for level in (self.now[window], self.before[window]):
            level[...] = np.where(self.still[window] > 0.0, heights, 0.0)

    def set_state(
        self, heights: NDArray[np.float32], flow: NDArray[np.float32] | None, time_step: float, gravity: float
    ) -> None:
        """Start from a surface, and as a flow makes it rise."""
        self.set((slice(None), slice(None)), heights)
        if flow is not None:
            sides = Sides(*[self.border] * 4)
            # No lead: over the long steps of this scheme it would turn the finest ripples into towers.
            self.before -= time_step * rising_speed(flow, self.now, 0.0, self.spacing, self.still == 0.0, sides)
            self._time_step = time_step

    def set_border(self, border: str) -> None:
        """Change what waves meet at the ends of the grid; closed basins keep their mean level from then on."""
        super().set_border(border)
        self.remove_mean_motion()

    def remove_mean_motion(self) -> None:
        """Take the mean motion out of closed basins, after shores or borders have changed.

        What they cut off may have been the other half of a motion that then raises or lowers the rest for ever.
        """
        basins = find_basins(self.still == 0.0, Sides(*[self.border] * 4), flowing=True)
        motion = np.bincount(basins.labels.ravel(), (self.now - self.before).ravel(), len(basins.sizes))
        means = np.where(basins.closed, motion / np.maximum(basins.sizes, 1), 0.0)
        self.before += np.where(self.still > 0.0, means[basins.labels], 0.0)

    # --- what is seen

    def view(self, fixed: NDArray[np.bool_]) -> SurfaceView:
        """The surface; all points below still water show it."""
        # A body feels what it pushes up: the view is of the same numbers, which nobody else may change.
        heights = self.now.astype(np.float32) if self._pushed is None else self._pushed[...]
        return SurfaceView(heights, self.still > 0.0)

    # --- inside a step

    def _take_pushed(self, window: Window = WHOLE_GRID) -> None:
        """Add what bodies have pushed in a window of the grid to both time levels: it starts from rest."""
        if self._pushed is not None:
            lifted = self._pushed[window] - self.now[window].astype(np.float32)
            lifted[self.still[window] == 0.0] = 0.0
            self.now[window] += lifted
            self.before[window] += lifted
            self._pushed = None

    def _fit_time_step(self, seconds: float) -> None:
        """Fit the old time level to a step of another length than the last."""
        if self._time_step not in (0.0, seconds):
            self.before = self.now - (self.now - self.before) * (seconds / self._time_step)
        self._time_step = seconds

    def _extrapolate(self, damping_factor: float, present: float, old: float) -> tuple[Doubles, Doubles]:
        """Where the surface goes by itself, and the weighted heights of the present and old level, which pull."""
        right_side, known = self._next, self._known
        np.subtract(self.now, self.before, out=right_side)
        np.multiply(right_side, damping_factor, out=right_side)
        np.add(right_side, self.now, out=right_side)
        np.multiply(self.before, old, out=self._scratch)
        np.multiply(self.now, present, out=known)
        np.add(known, self._scratch, out=known)
        return right_side, known

    def _hold_ends(
        self, axis: int, scale: float, new: float, diagonal: Doubles, right_side: Doubles, known: Doubles
    ) -> None:
        """Couple the ends with neighbours outside that are as deep and stay at height 0."""
        for end in (0, -1):
            place = (slice(None), end) if axis else (end, slice(None))
            pull = scale * self._depth(place)
            diagonal[place] += new * pull
            right_side[place] -= pull * known[place]

    def _open_ends(self, axis: int, scale: float, diagonal: Doubles, right_side: Doubles) -> None:
        """Let waves leave over the ends, where h_t + √(gd) h_n = 0."""
        for end in (0, -1):
            place = (slice(None), end) if axis else (end, slice(None))
            leaving = np.sqrt(scale * self._depth(place))
            diagonal[place] += leaving
            right_side[place] += leaving * self.now[place]

    def _depth(self, place: tuple[slice | int, slice | int]) -> Doubles:
        """The depth that waves run over at some places [m]."""
        still = self.still[place]
        return np.asarray(np.clip(still + self.now[place], DEPTH_BOUNDS[0] * still, DEPTH_BOUNDS[1] * still))

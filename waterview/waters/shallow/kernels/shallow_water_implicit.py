"""Implicit waves over varying depth, stable at any time step (Kass and Miller 1990).

    h_tt + k h_t = g ∇·(d ∇h)

with the height h of the surface above still water and the depth d, which is held during a step. The equation is solved
along x and then along z, one tridiagonal system for every row and every column.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waterview.waters.common.basins import find_basins
from waterview.waters.common.borders import Sides

from .shallow_water import Taken

BOUNDS = (0.1, 2.0)
"""Depths that a trough leaves and a crest makes at most, as shares of that of still water. Without bounds a wave could
reach the ground, and steep ones could pump each other up."""

HIGHEST = 1e5
"""Bound of the heights [m]."""

MOST_COURANT = 30.0
"""Greatest Courant number; what asks for more is slowed, for rounding would in time lift the whole water."""

Doubles = NDArray[np.float64]


def least_dissipation(courant: float) -> float:
    """The least ν with which steps of a Courant number stay stable over rough ground.

    Over even ground any ν does. But where depth varies, solving along x and then along z is not quite solving along
    both, and only Kass and Miller's ν = 1 stands every step. Found by trial: 1,500 steps over 40 random beds at each of
    twelve Courant numbers from 0.5 to 1,000 needed less than this.
    """
    return max(0.05, 1.0 - 1.3 / (courant + 0.5)) if courant > 0.5 else 0.0


class ImplicitWaves:
    """Height and motion of waves whose speed follows the depth; shores stay where they are.

    Args:
        bed: height of the ground above still water [m], shape (nz, nx).
        spacing: Δx [m].
        before: the same water over another bed, whose waves go on where there was water and still is; or None.

    Attributes:
        spacing: as given.
        still: depth of still water [m], shape (nz, nx) float64; 0 on land.
        now: h [m], shape (nz, nx) float64; 0 on land.
        before: h one step earlier [m], likewise.
        border: one of `shallow_water.BORDERS`.
    """

    def __init__(self, bed: NDArray[np.floating], spacing: float, before: object = None) -> None:
        self.spacing = spacing
        self.border = "zero"
        self.still = np.ascontiguousarray(np.maximum(-bed, 0.0), np.float64)
        self.now, self.before = np.zeros_like(self.still), np.zeros_like(self.still)
        self._along_x, self._along_z = np.zeros_like(self.still), np.zeros_like(self.still)
        self._diagonal_x, self._diagonal_z = np.zeros_like(self.still), np.zeros_like(self.still)
        self._scratch, self._mixed = np.zeros_like(self.still), np.zeros_like(self.still)
        self._spare = np.zeros_like(self.still)
        self._seconds = 0.0
        if isinstance(before, ImplicitWaves):
            self._take_over(before)

    @property
    def rise(self) -> Doubles:
        """Height above still water [m], shape (nz, nx); a view."""
        return self.now

    def advance(self, seconds: float, *, gravity: float, damping: float, dissipation: float) -> Taken:
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
        from .shallow_water_systems import couple, set_up
        from .tridiagonal import solve_columns, solve_rows

        self._keep_motion(seconds)
        asked = math.sqrt(gravity * BOUNDS[1] * float(self.still.max())) * seconds / self.spacing
        courant = min(asked, MOST_COURANT)
        share = courant / asked if asked > 0.0 else 1.0
        scale = gravity * (share * seconds / self.spacing) ** 2
        nu = max(dissipation, least_dissipation(courant))
        new, old = 0.25 * (1.0 + nu) ** 2, 0.25 * (1.0 - nu) ** 2
        right, mixed = self._mix(math.exp(-damping * seconds), 1.0 - new - old, old)
        couple(self.now, self.still, scale, BOUNDS, self._along_x, self._along_z)
        set_up(right, mixed, self._along_x, self._along_z, new, self._diagonal_x, self._diagonal_z)
        for axis, diagonal in ((1, self._diagonal_x), (0, self._diagonal_z)):
            if self.border == "zero":
                self._hold_ends(axis, scale, new, diagonal, right, mixed)
        for axis, diagonal, beside, solve in (
            (1, self._diagonal_x, self._along_x, solve_rows),
            (0, self._diagonal_z, self._along_z, solve_columns),
        ):
            if self.border == "open":
                self._open_ends(axis, scale, diagonal, right)
            np.multiply(beside, -new, out=beside)
            solve(diagonal, beside, right, self._scratch)
        # No wave on Earth is as high; steep ones over changing depths might climb there, but no further.
        np.clip(right, -HIGHEST, HIGHEST, out=right)
        self.now, self.before, self._spare = right, self.now, self.before
        return Taken(1, courant, share)

    def add(
        self, window: tuple[slice, slice], heights: NDArray[np.floating], bound: float, neutral: bool = False
    ) -> None:
        """Raise the surface by `heights` [m] in a window of the grid, from rest, within ±`bound` [m]; land stays 0.

        Its waves may reach below the ground, so what is `neutral` stays so of itself.
        """
        wet = self.still[window] > 0.0
        for level in (self.now[window], self.before[window]):
            level[...] = np.where(wet, np.clip(level + heights, -bound, bound), 0.0)

    def set(self, window: tuple[slice, slice], heights: NDArray[np.floating]) -> None:
        """Set the surface to `heights` [m] in a window of the grid, at rest; land stays 0."""
        for level in (self.now[window], self.before[window]):
            level[...] = np.where(self.still[window] > 0.0, heights, 0.0)

    def saved(self) -> dict[str, Any]:
        """Everything that moves, to go on from with `load`."""
        return {"now": self.now.copy(), "before": self.before.copy(), "seconds": self._seconds}

    def load(self, saved: Mapping[str, Any]) -> None:
        """Go on from what `saved` gave over the same bed.

        Raises:
            KeyError, TypeError, ValueError: it makes no sense.
        """
        now, before = (np.asarray(saved[name], np.float64) for name in ("now", "before"))
        if not now.shape == before.shape == self.now.shape or not np.isfinite((now, before)).all():
            raise ValueError(f"heights of shapes {now.shape} and {before.shape}, or not finite")
        self.now[...], self.before[...], self._seconds = now, before, float(saved["seconds"])

    def _take_over(self, before: ImplicitWaves) -> None:
        both = (self.still > 0.0) & (before.still > 0.0)
        self.now[both], self.before[both] = before.now[both], before.before[both]
        self._seconds, self.border = before._seconds, before.border
        self.keep_level()

    def keep_level(self) -> None:
        """Take the mean motion out of closed waters, after shores or borders have changed.

        What they cut off may have been the other half of a motion that then raises or lowers the rest for ever.
        """
        basins = find_basins(self.still == 0.0, Sides(*[self.border] * 4), flowing=True)
        motion = np.bincount(basins.labels.ravel(), (self.now - self.before).ravel(), len(basins.sizes))
        means = np.where(basins.closed, motion / np.maximum(basins.sizes, 1), 0.0)
        self.before += np.where(self.still > 0.0, means[basins.labels], 0.0)

    def _keep_motion(self, seconds: float) -> None:
        """Fit the old time level to a step of another length than the last."""
        if self._seconds not in (0.0, seconds):
            self.before = self.now - (self.now - self.before) * (seconds / self._seconds)
        self._seconds = seconds

    def _mix(self, keep: float, present: float, old: float) -> tuple[Doubles, Doubles]:
        """Where the surface goes by itself, and the heights of present and old that pull; new memory costs time."""
        right, mixed = self._spare, self._mixed
        np.subtract(self.now, self.before, out=right)
        np.multiply(right, keep, out=right)
        np.add(right, self.now, out=right)
        np.multiply(self.before, old, out=self._scratch)
        np.multiply(self.now, present, out=mixed)
        np.add(mixed, self._scratch, out=mixed)
        return right, mixed

    def _hold_ends(
        self, axis: int, scale: float, new: float, diagonal: Doubles, right: Doubles, mixed: Doubles
    ) -> None:
        """Couple the ends with neighbours outside that are as deep and stay at height 0."""
        for end in (0, -1):
            place = (slice(None), end) if axis else (end, slice(None))
            pull = scale * self._depth(place)
            diagonal[place] += new * pull
            right[place] -= pull * mixed[place]

    def _open_ends(self, axis: int, scale: float, diagonal: Doubles, right: Doubles) -> None:
        """Let waves leave over the ends, where h_t + √(gd) h_n = 0."""
        for end in (0, -1):
            place = (slice(None), end) if axis else (end, slice(None))
            leaving = np.sqrt(scale * self._depth(place))
            diagonal[place] += leaving
            right[place] += leaving * self.now[place]

    def _depth(self, place: tuple[slice | int, slice | int]) -> Doubles:
        """The depth that waves run over at some places [m]."""
        still = self.still[place]
        return np.asarray(np.clip(still + self.now[place], BOUNDS[0] * still, BOUNDS[1] * still))

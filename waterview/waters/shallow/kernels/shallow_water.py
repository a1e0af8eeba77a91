"""Non-linear shallow water over any ground, dry ground too (Kurganov and Petrova 2007).

    h_t + (hu)_x + (hv)_z = 0,   (hu)_t + (hu² + ½gh²)_x + (huv)_z = −g h b_x,   likewise for v

with the depth h, the velocities u, v and the height b of the ground. Cells stand around the grid's points. The scheme
is of second order in space and time, keeps the volume, lets no depth fall below 0 and leaves water at rest at rest.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from waterview.simd.threads import ThreadChoice

BORDERS = ("zero", "reflecting", "open")
"""What waves meet at the grid's ends: still water's level, which throws them back upside down; a wall; or a sea at
rest into which they leave."""

COURANT = 0.45
"""Share of a cell that the fastest wave may run in a part of a step; beyond ½ the scheme is unstable."""

THIN = 1e-3
"""Depth below which velocities are held down, as a share of a cell's width."""

FILM = 3.0 * THIN
"""Depth of water that is not drawn any more, likewise: a film on a beach that the sea has left."""

DRY = 1e-7
"""Depth up to which a cell counts as dry, likewise."""

REST = 1e-10
"""Rise below which water counts as still, likewise; nobody sees so little, and a wave of a cell's height has it left
only after twenty-three times the time in which it fades to a third."""

_GHOSTS, _ROWS, _COLUMNS = 2, 8, 16  # as in `shallow_water_rows` and `shallow_water_tiles`

Floats = NDArray[np.float32]


class Taken(NamedTuple):
    """How a time step was taken.

    Attributes:
        parts: number of parts.
        courant: greatest Courant number of a part.
        share: share of the time that has gone by, below 1 where even the most parts were too few.
    """

    parts: int
    courant: float
    share: float


class Shallows:
    """Depth and motion of shallow water on a grid.

    Args:
        bed: height of the ground above still water [m], shape (nz, nx).
        spacing: Δx [m].
        before: the same water over another bed, whose waves go on where there was water and still is; or None.

    Attributes:
        spacing: as given.
        still: depth of still water [m], shape (nz, nx) float32.
        land: height of the ground above still water, 0 where it lies below [m], likewise.
        cells: depth less that of still water [m], and depth times the velocities along x and z [m²/s]; shape
            (3, nz, nx) float32.
        reached: cells that water has ever been in, shape (nz, nx) bool.
        seen: cells in which it has ever been deeper than a film, or may be taken to have been, likewise.
        news: how many cells have joined `seen` in the last step.
        labels: which cells belong together: only their own water makes good what some lack, shape (nz, nx) int32.
        border: one of `BORDERS`.
    """

    def __init__(self, bed: NDArray[np.floating], spacing: float, before: object = None) -> None:
        self.spacing = spacing
        self.border = "zero"
        self._ground = np.ascontiguousarray((np.maximum(-bed, 0.0), np.maximum(bed, 0.0)), np.float32)
        self.still, self.land = self._ground
        nz, nx = self.still.shape
        self.cells, self._trial = np.zeros((2, 3, nz, nx), np.float32)
        self._states = np.zeros((2, 4, nz + 2 * _GHOSTS, nx + 2 * _GHOSTS), np.float32)
        self._states[:, 0, _GHOSTS:-_GHOSTS, _GHOSTS:-_GHOSTS] = self.land
        self._states[:, 1, _GHOSTS:-_GHOSTS, _GHOSTS:-_GHOSTS] = self.still
        tiles = -(-nz // _ROWS), -(-nx // _COLUMNS)
        self._awake, self._peaks = np.zeros(tiles, bool), np.zeros((3, *tiles), np.float32)
        self._tasks = np.zeros((tiles[0] * tiles[1], 3), np.int64)
        self.reached, self._shores = self.still > 0.0, np.ones(tiles, bool)
        self.seen, self.news = self.reached.copy(), 0
        self.labels = np.zeros((nz, nx), np.int32)
        self._deepest = float(self.still.max())
        self._team = ThreadChoice(8 * nz * nx)  # a step of a point takes as long as eight of what a team counts by
        if isinstance(before, Shallows):
            self._take_over(before)

    @property
    def rise(self) -> Floats:
        """Depth less that of still water [m], shape (nz, nx); a view."""
        return np.asarray(self.cells[0])

    @property
    def depth(self) -> Floats:
        """Depth h of the water [m], shape (nz, nx)."""
        return np.asarray(self.still + self.cells[0])

    @property
    def surface(self) -> Floats:
        """Height of the surface above still water [m], where it is dry that of the ground, shape (nz, nx)."""
        return np.asarray(self.cells[0] + self.land)

    def add(
        self, window: tuple[slice, slice], heights: NDArray[np.floating], bound: float, neutral: bool = False
    ) -> None:
        """Raise the surface by `heights` [m] in a window of the grid, without motion of its own.

        No depth falls below 0, and no surface rises above `bound` [m]. What is `neutral` stays so: where its troughs
        find too little water its crests are lower, all alike, and the other way round.
        """
        cell = self.cells[0][window]
        asked = cell + heights
        raised = np.clip(asked, -self.still[window], np.maximum(bound - self.land[window], cell))
        if neutral and (raised != asked).any():
            raised = cell + _balanced(raised.astype(np.float64) - cell)
        cell[...] = raised

    def settle_debts(self, rows: slice, columns: slice) -> None:
        """Let no cell in these rows and columns hold less than no water: its own water gives what it lacks."""
        from .shallow_water_debts import pay_debts

        (top, bottom, _), (left, right, _) = rows.indices(self.still.shape[0]), columns.indices(self.still.shape[1])
        pay_debts(self.cells, self.still, self.labels, top, left, bottom, right)

    def set(self, window: tuple[slice, slice], heights: NDArray[np.floating]) -> None:
        """Set the surface to `heights` [m] in a window of the grid, at rest; no depth falls below 0."""
        self.cells[(0, *window)] = np.maximum(heights - self.land[window], -self.still[window])
        self.cells[(slice(1, 3), *window)] = 0.0

    def advance(self, seconds: float, *, gravity: float, damping: float, drag: float, most: int) -> Taken:
        """Let `seconds` [s] go by, in as many parts as are stable but at most `most`.

        Args:
            seconds: 0 or more.
            gravity: g [m/s²], 0 or more.
            damping: rate at which velocities fade [1/s].
            drag: coefficient c of the ground's drag c|u|u on the water above it.
            most: 1 or more.
        """
        left, parts, courant, self.news = seconds, 0, 0.0, 0
        with self._team.at_work():
            self._look_at_cells()
            while parts < most and left > 1e-9 * seconds:
                limit = COURANT * self.spacing / max(self._fastest(gravity), 1e-30)
                due = max(1, math.ceil(left / limit * (1.0 - 1e-9)))
                part = left / due if due <= most - parts else limit
                self._flow(part, gravity, math.exp(-damping * part), drag * part)
                courant = max(courant, COURANT * part / limit)
                left, parts = left - part, parts + 1
            self._settle_all_debts()
        return Taken(parts, courant, 1.0 - max(left, 0.0) / seconds if seconds else 1.0)

    def saved(self) -> dict[str, Any]:
        """Everything that moves, to go on from with `load`."""
        return {"cells": self.cells.copy(), "reached": self.reached.copy()}

    def load(self, saved: Mapping[str, Any]) -> None:
        """Go on from what `saved` gave over the same bed.

        Raises:
            KeyError, TypeError, ValueError: it makes no sense.
        """
        cells = np.asarray(saved["cells"], np.float32)
        if cells.shape != self.cells.shape or not np.isfinite(cells).all():
            raise ValueError(f"cells of shape {cells.shape}, or not finite")
        # Files of older versions do not know it.
        reached = np.asarray(saved.get("reached", self.still + cells[0] > 0.0), bool)
        if reached.shape != self.reached.shape:
            raise ValueError(f"cells that were reached of shape {reached.shape}")
        self.cells[...], self.reached[...], self._shores[...] = cells, reached | (self.still > 0.0), True

    # --- inside

    def _take_over(self, before: Shallows) -> None:
        """Go on with the surface and the velocities of `before`."""
        both = (self.still > 0.0) & (before.still > 0.0)
        self.cells[0] = np.where(both, np.maximum(before.cells[0], -self.still), 0.0)
        depths = np.where(both, self.depth, 0.0), np.maximum(before.depth, THIN * self.spacing)
        self.cells[1:] = before.cells[1:] * (depths[0] / depths[1])

    def _settle_all_debts(self) -> None:
        """As `settle_debts`, wherever anything moves."""
        bands, tiles = np.flatnonzero(self._awake.any(axis=1)), np.flatnonzero(self._awake.any(axis=0))
        if len(bands):
            rows = slice(bands[0] * _ROWS, (bands[-1] + 1) * _ROWS)
            self.settle_debts(rows, slice(tiles[0] * _COLUMNS, (tiles[-1] + 1) * _COLUMNS))

    def _fastest(self, gravity: float) -> float:
        """The greatest speed that anything runs along an axis [m/s]."""
        _, speed, depth = self._peaks.max(axis=(1, 2), where=self._awake, initial=0.0)
        return float(speed) + math.sqrt(gravity * max(float(depth), self._deepest))

    def _look_at_cells(self) -> None:
        """Find out what moves: anyone may have changed the cells."""
        from .shallow_water_tiles import look_at_cells

        look_at_cells(self.cells, self._states[0], self._ground, self._awake, self._peaks, self._slowing())

    def _slowing(self, keep: float = 1.0, drag: float = 0.0) -> tuple[np.float32, np.float32, np.float32]:
        return np.float32(THIN * self.spacing), np.float32(keep), np.float32(drag)

    def _flow(self, part: float, gravity: float, keep: float, drag: float) -> None:
        """Take a part of a step by Heun's method, which keeps depths from falling below 0 as Euler's does."""
        from .shallow_water_tiles import find_tasks, flow_through, settle, surround

        tasks = self._tasks[: find_tasks(self._awake, self._tasks)]
        (state, other), border = self._states, BORDERS.index(self.border)
        ratio, dry = np.float32(part / self.spacing), np.float32(DRY * self.spacing)
        slowness = np.float32(1.0 / max(math.sqrt(gravity * self._deepest), 1e-6))
        for share, levels, states, slowing, counted in (
            (0.0, (self._trial, self.cells), (state, other), self._slowing(), np.float32(0.0)),
            (0.5, (self.cells, self._trial), (other, state), self._slowing(keep, drag), slowness),
        ):
            numbers = ratio, np.float32(share), np.float32(gravity), dry, counted
            surround(states[0], border)
            flow_through(tasks, levels, states, self._ground, self._peaks, numbers, slowing)
        rest = np.float32(REST * self.spacing)
        film, shores = np.float32(FILM * self.spacing), (self.reached, self.seen, self._shores)
        self.news += settle(tasks, self.cells, state, other, self._ground, self._awake, self._peaks, rest, film, shores)


def _balanced(added: NDArray[np.float64]) -> NDArray[np.float64]:
    """What is added, with its crests or its troughs lowered until both hold the same volume."""
    crests, troughs = np.maximum(added, 0.0), np.minimum(added, 0.0)
    above, below = float(crests.sum()), -float(troughs.sum())
    less = min(above, below)
    return crests * (less / above if above else 0.0) + troughs * (less / below if below else 0.0)

"""Non-linear shallow water over any ground, dry ground too (Kurganov and Petrova 2007).

    h_t + (hu)_x + (hv)_z = 0
    (hu)_t + (hu² + ½gh²)_x + (huv)_z = −g h b_x
    (hv)_t + (huv)_x + (hv² + ½gh²)_z = −g h b_z

with the depth h, the velocities u, v and the height b of the ground. Cells stand around the grid's points. The scheme
is of second order in space and time, keeps the volume, lets no depth fall below 0 and leaves water at rest at rest.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from waterview.core.diagnostics import FieldMap
from waterview.core.saved import array_of, entry_of
from waterview.simd.layout import PAD, address
from waterview.simd.threads import ThreadChoice
from waterview.waters.common.drops import Window
from waterview.waters.common.water import Observation
from waterview.waters.common.wavemaker import SIDES, inwards

from .basin_volumes import BasinVolumes
from .kernels.layout import (
    DEEPEST,
    GHOSTS,
    LACKING,
    OPEN,
    SPEED,
    STILL_LEVEL,
    TILE_COLUMNS,
    TILE_ROWS,
    WALL,
    Fields,
    Stage,
    interior,
    padded,
    with_ghosts,
)
from .scheme import Scheme, StepTaken, SurfaceView
from .shallow_params import ShallowWaterParams

MAX_SUBSTEPS = 8
"""Most parts that a step is divided into to be stable; then time runs slower instead."""

COURANT = 0.45
"""Share of a cell that the fastest wave may run in a part of a step; beyond ½ the scheme is unstable."""

THIN = 1e-3
"""Depth below which velocities are held down, as a share of a cell's width."""

FILM = 3.0 * THIN
"""Depth of water that is not drawn any more, in cells: a film on a beach that the sea has left."""

DRY = 1e-7
"""Depth up to which a cell counts as dry, in cells."""

NEARBY = 64
"""Cells along a side of the squares within which water gives what cells lack where basins are not told apart."""

REST = 1e-10
"""Rise below which water counts as still, in cells. Nobody sees so little, and a wave as high as a cell has it left
only after twenty-three times the time in which it fades to a third."""

GHOST_KINDS = {"zero": STILL_LEVEL, "reflecting": WALL, "open": OPEN}
"""The ghost cells that make each border."""

Floats = NDArray[np.float32]


class Peaks(NamedTuple):
    """The largest values in some water.

    Attributes:
        speed: along an axis [m/s].
        depth: [m].
    """

    speed: float
    depth: float

    def fastest(self, gravity: float) -> float:
        """The greatest speed that a wave may run there [m/s]."""
        return self.speed + math.sqrt(gravity * self.depth)


class FiniteVolumes(Scheme):
    """Depth and motion of shallow water whose shores move.

    Args as `Scheme`, and
        vector_width: floats to a vector, as many as suit the processor if None.
        threads: on how many threads it is stepped; chosen by trial if None.

    Attributes:
        still: depth of still water [m], shape (nz, nx) float32.
        land: height of the ground above still water [m], 0 where it lies below, shape (nz, nx) float32.
        conserved: depth less that of still water [m], and depth times the velocities along x and z [m²/s]; shape
            (3, nz, nx) float32, a view whose rows are not contiguous. It may be written between steps.
        reached: cells that any water has ever been in, shape (nz, nx) bool.
        active: tiles in which anything moves, shape (m, n) bool.
        volumes: which basin each cell belongs to, and what each holds.
        deepest: depth of the deepest still water [m], by which steps are divided; one that knows of deeper water around
            it may say so.
        threads: on how many threads it is stepped.
    """

    name: ClassVar[str] = "kurganov-petrova"

    def __init__(
        self,
        bed: NDArray[np.floating],
        spacing: float,
        border: str = "zero",
        vector_width: int | None = None,
        threads: ThreadChoice | None = None,
    ) -> None:
        super().__init__(bed, spacing, border)
        nz, nx = shape = bed.shape
        self.still, self.land = np.maximum(-bed, 0.0).astype(np.float32), np.maximum(bed, 0.0).astype(np.float32)
        self._bed, self._cells, self._predicted = padded(shape, 1), padded(shape, 3), padded(shape, 3)
        self._bed[0, :, PAD - GHOSTS : PAD + nx + GHOSTS] = np.pad(bed, GHOSTS, "symmetric")
        self.conserved = interior(self._cells, shape)
        tiles = -(-nz // TILE_ROWS), -(-nx // TILE_COLUMNS)
        self.active, self._peaks = np.zeros(tiles, bool), np.zeros((4, *tiles), np.float32)
        self._spans = np.zeros((tiles[0] * tiles[1], 4), np.int64)
        self.reached, self._shore_tiles = self.still > 0.0, np.ones(tiles, bool)
        self.volumes = BasinVolumes(self.rise, self.still, self.reached, spacing, THIN * spacing)
        self.deepest = float(self.still.max())
        self._vector_width = vector_width
        # A step of a cell takes as long as four points that it counts.
        self.threads = threads or ThreadChoice(4 * nz * nx)

    # --- the state

    @property
    def rise(self) -> Floats:
        """Depth less that of still water [m], shape (nz, nx); a view."""
        return np.asarray(self.conserved[0])

    @property
    def depth(self) -> Floats:
        """Depth h of the water [m], shape (nz, nx)."""
        return np.asarray(self.still + self.rise)

    @property
    def surface(self) -> Floats:
        """Height of the surface above still water [m], where it is dry that of the ground, shape (nz, nx)."""
        return np.asarray(self.rise + self.land)

    @property
    def time_levels(self) -> tuple[Floats, ...]:
        """The array of rises."""
        return (self.rise,)

    def over(self, bed: NDArray[np.floating]) -> Self:
        """The same surface and velocities over another bed, where there was water and still is."""
        made = type(self)(bed, self.spacing, self.border)
        both = (made.still > 0.0) & (self.still > 0.0)
        made.conserved[0] = np.where(both, np.maximum(self.rise, -made.still), 0.0)
        depths = np.where(both, made.depth, 0.0), np.maximum(self.depth, THIN * self.spacing)
        made.conserved[1:] = self.conserved[1:] * (depths[0] / depths[1])
        return made

    def state(self) -> dict[str, Any]:
        """Everything that moves, and the volumes to be kept."""
        solver = {"cells": self.conserved.copy(), "reached": self.reached.copy()}
        return {"solver": solver, "volume": self.volumes.state()}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` gave over the same bed.

        Raises:
            KeyError, ValueError: it makes no sense.
        """
        solver = entry_of(state, "solver", dict)
        conserved = array_of(solver, "cells", np.float32, self.conserved.shape)
        # Files of older versions have neither this nor the volume.
        reached = array_of(solver, "reached", np.bool_, self.reached.shape, self.still + conserved[0] > 0.0)
        self.conserved[...], self.reached[...] = conserved, reached | (self.still > 0.0)
        self._shore_tiles[...] = True
        self.volumes.load_state(entry_of(state, "volume", dict, {}))

    # --- what moves it

    def step(self, time_step: float, gravity: float, params: ShallowWaterParams) -> StepTaken:
        """Take a step of `time_step` [s] under `gravity` [m/s²]."""
        taken = self.advance(
            time_step,
            gravity=gravity,
            damping=params.damping,
            friction=params.friction,
            max_substeps=MAX_SUBSTEPS,
            keep_volume=params.keep_volume,
        )
        self.volumes.count_step(self._border_text, params.keep_volume)
        return taken

    def advance(
        self,
        seconds: float,
        *,
        gravity: float,
        damping: float,
        friction: float,
        max_substeps: int,
        keep_volume: bool = True,
    ) -> StepTaken:
        """Let `seconds` [s] go by, in as many parts as are stable but at most `max_substeps`.

        Args:
            seconds: 0 or more.
            gravity: g [m/s²], 0 or more.
            damping: rate k at which velocities fade [1/s].
            friction: coefficient c of the ground's drag c|u|u on the water above it.
            max_substeps: 1 or more.
            keep_volume: whether what a cell lacks may only come from its own basin.
        """
        left, substeps, courant, flooded = seconds, 0, 0.0, 0
        with self.threads.at_work():
            while substeps < max_substeps and left > 1e-9 * seconds:
                self.activate(gravity)
                part, limit = next_part(left, max_substeps - substeps, self._fastest(gravity), self.spacing)
                flooded += self.take_part(part, gravity, damping, friction)
                courant = max(courant, COURANT * part / limit)
                left, substeps = left - part, substeps + 1
            if keep_volume:
                self._settle_active()
            else:
                self.settle_nearby((slice(None), slice(None)))
        return StepTaken(substeps, courant, 1.0 - max(left, 0.0) / seconds if seconds else 1.0, flooded)

    def activate(self, gravity: float) -> None:
        """Find where anything moves, which may have been written between steps; to be called before `take_part`."""
        from .kernels.tiles import activate

        tiles = self._spans, self.active, self._peaks
        activate(*tiles, self._fields(self._cells, self._cells), self._stage(gravity), self._vector_width)

    def peaks(self, tiles: Window = (slice(None), slice(None))) -> Peaks:
        """The peaks in some rows and columns of tiles, or all, as `activate` has found them."""
        found = self._peaks[(slice(SPEED, DEEPEST + 1), *tiles)]
        speed, depth = found.max(axis=(1, 2), where=self.active[tiles], initial=0.0)
        return Peaks(float(speed), max(float(depth), self.deepest))

    def take_part(self, seconds: float, gravity: float, damping: float, friction: float) -> int:
        """Take a part of a step by Heun's method, after `activate`; returns how many cells it has flooded.

        Args:
            seconds: length of the part [s].
            gravity: g [m/s²].
            damping: as for `advance`.
            friction: as for `advance`.
        """
        return self._substep(seconds, gravity, math.exp(-damping * seconds), friction * seconds)

    def add(self, window: Window, heights: NDArray[np.floating], bound: float, neutral: bool = False) -> None:
        """Raise the surface by `heights` [m] in a window of the grid, without motion of its own.

        No depth falls below 0, and no surface rises above `bound` [m]. What is `neutral` stays so: where its troughs
        find too little water its crests are lower, all alike, and the other way round.
        """
        rise = self.rise[window]
        rise[...] = raised(rise, self.still[window], self.land[window], heights, bound, neutral)

    def set(self, window: Window, heights: NDArray[np.floating]) -> None:
        """Set the surface to `heights` [m] in a window of the grid, at rest; no depth falls below 0."""
        self.conserved[(0, *window)] = np.maximum(heights - self.land[window], -self.still[window])
        self.conserved[(slice(1, 3), *window)] = 0.0

    def set_state(
        self, heights: NDArray[np.float32], flow: NDArray[np.float32] | None, time_step: float, gravity: float
    ) -> None:
        """Start from a surface and a flow; too little water to be seen does not flow."""
        self.set((slice(None), slice(None)), heights)
        depth, film = self.depth, FILM * self.spacing
        if flow is not None:
            self.conserved[1:] = np.where(depth > film, flow, np.float32(0.0))
        self.reached |= depth > 0.0
        self.flooded |= depth > film
        self.reset_volume()

    def settle(self, rows: slice, columns: slice) -> None:
        """Let no cell in these rows and columns hold less than no water: its own basin gives what it lacks."""
        from .kernels.positivity import restore_positivity

        (top, bottom, _), (left, right, _) = rows.indices(self.still.shape[0]), columns.indices(self.still.shape[1])
        window = top, left, bottom, right
        lacking = restore_positivity(self.conserved, self.still, self.volumes.labels, window)
        # Land that water has reached since basins were found belongs to none yet: so none gives what it lacks.
        if lacking and self.volumes.find_reached(self._border_text):
            restore_positivity(self.conserved, self.still, self.volumes.labels, window)

    def put(self, window: Window, cells: Floats, reached: NDArray[np.bool_], flooded: NDArray[np.bool_]) -> None:
        """Let a window of the grid be as it is in another water over the same ground.

        Args:
            window: rows and columns.
            cells: as `conserved`, shape (3, …).
            reached: as the attribute.
            flooded: as the attribute.
        """
        self.conserved[(slice(None), *window)] = cells
        self.reached[window], self.flooded[window] = reached, flooded
        rows, columns = window
        bands = slice(rows.start // TILE_ROWS, -(-rows.stop // TILE_ROWS))
        self._shore_tiles[bands, columns.start // TILE_COLUMNS : -(-columns.stop // TILE_COLUMNS)] = True

    def settle_nearby(self, window: Window) -> None:
        """Let no cell that a step has left so hold less than no water: the nearest water gives what it lacks.

        That is water of any basin, in the same square of `NEARBY` cells; what it cannot give stays missing.

        Args:
            window: rows and columns whose cells are looked at, whole tiles; squares are counted from its first cell.
        """
        from .kernels.positivity import restore_positivity

        (top, bottom, _), (left, right, _) = (part.indices(n) for part, n in zip(window, self.still.shape, strict=True))
        lacking = self.active & (self._peaks[LACKING] > 0.0)
        rows, columns = np.nonzero(lacking)
        inside = (rows * TILE_ROWS >= top) & (rows * TILE_ROWS < bottom)
        inside &= (columns * TILE_COLUMNS >= left) & (columns * TILE_COLUMNS < right)
        squares = {
            ((row * TILE_ROWS - top) // NEARBY, (column * TILE_COLUMNS - left) // NEARBY)
            for row, column in zip(rows[inside].tolist(), columns[inside].tolist(), strict=True)
        }
        for row, column in sorted(squares):
            first, start = top + row * NEARBY, left + column * NEARBY
            square = slice(first, min(first + NEARBY, bottom)), slice(start, min(start + NEARBY, right))
            still = np.ascontiguousarray(self.still[square])
            whole = 0, 0, *still.shape
            restore_positivity(self.conserved[(slice(None), *square)], still, np.zeros(still.shape, np.int32), whole)

    # --- volume, and what is seen

    def reset_volume(self) -> None:
        """Keep the volumes that the basins have from now on."""
        self.volumes.reset()

    def other_basins(self, ix: int, iz: int) -> NDArray[np.bool_] | None:
        """Cells of other basins than that of cell (ix, iz), shape (nz, nx); None on land, or if there is but one."""
        return self.volumes.others(ix, iz, self._border_text)

    def observe(self, window: Window, fixed: NDArray[np.bool_]) -> Observation:
        """Heights and velocities in a window of the grid; a film of water, as `view` does not show it, is not wet."""
        depth = self.still[window] + self.rise[window]
        wet = (depth > np.float32(FILM * self.spacing)) & ~fixed
        momentum = self.conserved[(slice(1, 3), *window)]
        velocity = np.divide(momentum, depth, out=np.zeros_like(momentum), where=wet)
        return Observation(self.rise[window] + self.land[window], wet, velocity)

    def view(self, fixed: NDArray[np.bool_]) -> SurfaceView:
        """The surface, which dips into the ground where that has fallen dry."""
        from .kernels.view import fill_heights, find_wet

        film = np.float32(FILM * self.spacing)
        heights, wet = np.empty(fixed.shape, np.float32), np.empty(fixed.shape, bool)
        find_wet(self.rise, self.still, film, fixed, wet)
        fill_heights(self.rise, self.still, self.land, film, fixed, wet, heights)
        return SurfaceView(heights, wet)

    def field_maps(self) -> tuple[FieldMap, ...]:
        """Depth and speed."""
        speed = np.hypot(*self.conserved[1:]) / np.maximum(self.depth, THIN * self.spacing)
        return FieldMap("depth", self.depth, "m", False), FieldMap("speed", speed, "m/s", False)

    # --- inside a step

    def _substep(self, seconds: float, gravity: float, damping_factor: float, friction: float) -> int:
        """As `take_part`.

        Args:
            seconds: length of the part [s].
            gravity: g [m/s²].
            damping_factor: what damping leaves of the velocities in it, e^(−kΔt).
            friction: Δt times the drag coefficient [s].
        """
        from .kernels.ghosts import fill_ghosts
        from .kernels.tiles import find_spans, flood, settle
        from .kernels.time_step import take_stage

        self._activate_driven()
        spans = self._spans[: find_spans(self.active, self._spans)]
        stage = self._stage(gravity)._replace(
            ratio=np.float32(seconds / self.spacing),
            damping_factor=np.float32(damping_factor),
            friction=np.float32(friction),
        )
        for share, now, new in ((0.0, self._cells, self._predicted), (0.5, self._predicted, self._cells)):
            fill_ghosts(now, self._bed, self.still.shape, GHOST_KINDS[self.border], stage.thin)
            if self.driven is not None:
                self.driven.fill(with_ghosts(now, self.still.shape), THIN * self.spacing)
                # Both stages count for half of the step (`Fields`).
                self.driven.inflow += 0.5 * seconds * self._inflow(now, stage)
            fields = self._fields(now, new)
            take_stage(
                spans, self.active, self._peaks, fields, stage._replace(share=np.float32(share)), self._vector_width
            )
            if self.driven is not None and now is self._cells:
                self.driven.advance(seconds)
        levels = self.conserved, interior(self._predicted, self.still.shape)
        flooded = flood(
            spans, self.rise, np.float32(FILM * self.spacing), self.reached, self.flooded, self._shore_tiles
        )
        settle(spans, levels, self.active, self._peaks, stage.rest)
        return flooded

    def _inflow(self, cells: Floats, stage: Stage) -> float:
        """What flows in through the sides of the grid where any of them is driven, as a stage takes it [m³/s]."""
        from .kernels.side_flows import side_flow

        if self.driven is None or not self.driven.names:
            return 0.0
        shape, sides = self.still.shape, self.driven.names if self.border == "reflecting" else SIDES
        bed, around = with_ghosts(self._bed, shape)[0], with_ghosts(cells, shape)
        return self.spacing * sum(side_flow(around, bed, side, stage) for side in sides)

    def _stage(self, gravity: float) -> Stage:
        """A stage without any time, in which nothing slows the water."""
        slowness = 1.0 / max(math.sqrt(gravity * self.deepest), 1e-6)
        lengths = THIN * self.spacing, gravity, DRY * self.spacing
        return Stage(*map(np.float32, (*lengths, 0.0, 0.0, 1.0, 0.0, REST * self.spacing, slowness)))

    def _fields(self, now: Floats, new: Floats) -> Fields:
        """What a stage reads and writes that goes on from `now`."""
        (nz, nx), (plane, row, _) = self.still.shape, now.strides
        first = address(now[0, GHOSTS, PAD:])
        return Fields(
            address(new[0, GHOSTS, PAD:]), first, first, address(self._bed[0, GHOSTS, PAD:]), nz, nx, row, plane
        )

    def _fastest(self, gravity: float) -> float:
        """The greatest speed that anything runs along an axis [m/s]."""
        inside = self.peaks().fastest(gravity)
        return inside if self.driven is None else max(inside, self.driven.fastest)

    @property
    def _border_text(self) -> str:
        """The border, and the driven sides, which are open."""
        names = self.driven.names if self.driven is not None else ()
        return ",".join((self.border, *(f"{name}=open" for name in names)))

    def _activate_driven(self) -> None:
        """Let the tiles along driven sides be stepped."""
        for name in self.driven.names if self.driven is not None else ():
            inwards(self.active, name)[0] = True

    def _settle_active(self) -> None:
        """As `settle`, wherever a film that ran off has left a cell with less than nothing."""
        lacking = self.active & (self._peaks[LACKING] > 0.0)
        bands, tiles = np.flatnonzero(lacking.any(axis=1)), np.flatnonzero(lacking.any(axis=0))
        if len(bands):
            rows = slice(bands[0] * TILE_ROWS, (bands[-1] + 1) * TILE_ROWS)
            self.settle(rows, slice(tiles[0] * TILE_COLUMNS, (tiles[-1] + 1) * TILE_COLUMNS))


def next_part(left: float, parts: int, fastest: float, spacing: float) -> tuple[float, float]:
    """How long the next part of a step is, and how long it could be at most [s].

    Args:
        left: what is to go by [s].
        parts: most parts for that; if they do not suffice, each is as long as it can be.
        fastest: the greatest speed that anything runs along an axis [m/s].
        spacing: Δx [m].
    """
    limit = COURANT * spacing / max(fastest, 1e-30)
    due = max(1, math.ceil(left / limit * (1.0 - 1e-9)))
    return (left / due if due <= parts else limit), limit


def raised(
    rise: Floats, still: Floats, land: Floats, heights: NDArray[np.floating], bound: float, neutral: bool
) -> NDArray[np.floating]:
    """The rise [m] of some cells after `FiniteVolumes.add`; their arrays have the shape of `heights`."""
    asked = rise + heights
    allowed = np.clip(asked, -still, np.maximum(bound - land, rise))
    if neutral and (allowed != asked).any():
        return np.asarray(rise + _balanced(allowed.astype(np.float64) - rise))
    return np.asarray(allowed)


def _balanced(added: NDArray[np.float64]) -> NDArray[np.float64]:
    """What is added, with its crests or its troughs lowered until both hold the same volume."""
    crests, troughs = np.maximum(added, 0.0), np.minimum(added, 0.0)
    above, below = float(crests.sum()), -float(troughs.sum())
    less = min(above, below)
    return crests * (less / above if above else 0.0) + troughs * (less / below if below else 0.0)

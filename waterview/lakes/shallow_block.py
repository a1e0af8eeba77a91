"""A block of shallow water whose shores move: finite volumes of its own with a halo."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from waterview.core.commands import MAX_HEIGHT, Drop
from waterview.core.errors import InputError
from waterview.core.rectangle import Rectangle
from waterview.simd.threads import ThreadChoice
from waterview.waters.common.drops import drop_shape, drop_window
from waterview.waters.common.water import Observation
from waterview.waters.shallow.finite_volume import FILM, FiniteVolumes, Peaks, raised
from waterview.waters.shallow.kernels.layout import TILE_COLUMNS, TILE_ROWS

from .block import Block, check_width
from .blocks import Blocks, HaloTransfer, Number
from .driven import CLOCK, DrivenShores, moved
from .ground import Ground, bed_above_still, still_depth
from .start import LakeStart

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]
Arrays = Mapping[str, NDArray[Any]]

HALO = max(TILE_ROWS, TILE_COLUMNS)
"""Points of a halo. In a part of a step what is wrong gets 4 cells far, but a tile falls asleep as a whole: so a halo
of one tile lasts for one part."""


class ShallowLaw(NamedTuple):
    """How shallow water of a lake is stepped.

    Attributes:
        time_step: [s].
        gravity: g [m/s²].
        damping: rate at which velocities fade [1/s].
        friction: drag coefficient of the ground.
        border: one of `shallow_params.BORDERS`.
        driven: what comes in by sides, or None.
    """

    time_step: float
    gravity: float
    damping: float
    friction: float
    border: str
    driven: DrivenShores | None = None


class Places(NamedTuple):
    """Cells in a window of a lake.

    Attributes:
        cells: as `FiniteVolumes.conserved`, shape (3, nz, nx).
        reached, flooded: as the attributes of `FiniteVolumes`, shape (nz, nx).
    """

    cells: Floats
    reached: Flags
    flooded: Flags


class ShallowBlock(Block):
    """A block of a lake of shallow water, at rest at first.

    What it owns has the bits of `ShallowWater` on the whole grid. Before each part of a step its halo is to be filled.
    Memory for what moves is not used until a wave reaches it.

    Args:
        number: which block.
        blocks: all of them.
        ground: what the lake stands on.
        law: how it is stepped.

    Attributes:
        deepest: depth of the deepest still water that it holds [m]; to be set to that of the lake.
    """

    def __init__(self, number: Number, blocks: Blocks, ground: Ground, law: ShallowLaw) -> None:
        super().__init__(number, blocks, ground)
        self._law = law
        self._film = np.float32(FILM * ground.grid.spacing)
        still = still_depth(ground, self.held, self.fixed)
        self.deepest = float(still.max())
        self._water: FiniteVolumes | None = None
        self._driven = None if law.driven is None else law.driven.within(self.held)
        self._is_calm = self._driven is None
        is_film = ~self.fixed & (still <= self._film)  # still water so shallow that it is not drawn
        if self._driven is not None or is_film.any():
            self._made()

    def _made(self) -> FiniteVolumes:
        """The water, made when it is first needed."""
        if self._water is None:
            bed = bed_above_still(self._ground, self.held, self.fixed)
            # Blocks are shared out among workers already.
            water = FiniteVolumes(bed, self._ground.grid.spacing, self._law.border, threads=ThreadChoice(0))
            water.flooded[...] = ~self.fixed
            water.driven = self._driven
            self._water = water
        self._water.deepest = self.deepest
        return self._water

    @property
    def is_flat(self) -> bool:
        """Whether it is known that all heights are 0."""
        return self._water is None

    @property
    def heights(self) -> Floats:
        """Heights above still water [m] of the points that it owns, as they are drawn; the halo must be filled."""
        water = self._made()
        return np.asarray(water.view(~water.flooded).heights[self._inside])

    @property
    def flow(self) -> Floats:
        """Depth times the velocities along x and z [m²/s] of the points that it owns, shape (2, nz, nx); a view."""
        return np.asarray(self._made().conserved[(slice(1, 3), *self._inside)])

    def observe(self, window: Rectangle | None = None) -> Observation:
        """What is measured in a window of what it holds, whose halo must be filled, or at all points that it owns."""
        asked = window or self.owned
        part = asked.of(self.held)
        if self._water is None:
            wet = ~self.fixed[part] & (still_depth(self._ground, asked, self.fixed[part]) > self._film)
            return Observation(np.zeros(wet.shape, np.float32), wet, np.zeros((2, *wet.shape), np.float32))
        return self._made().observe(part, ~self._made().flooded[part])

    # --- steps

    def peaks(self) -> Peaks:
        """The peaks in what it owns, before `take_part`."""
        if self._is_calm or self._water is None:
            return Peaks(0.0, 0.0)
        water = self._made()
        with water.threads.at_work():
            water.activate(self._law.gravity)
        rows, columns = self._inside
        bands = slice(rows.start // TILE_ROWS, -(-rows.stop // TILE_ROWS))
        return water.peaks((bands, slice(columns.start // TILE_COLUMNS, -(-columns.stop // TILE_COLUMNS))))

    def fastest_beyond(self) -> float:
        """The greatest speed beyond driven sides, along what it owns [m/s]."""
        if self._driven is None or self._law.driven is None:
            return 0.0
        return self._driven.fastest_in(moved(self._law.driven.parts(self.owned), self.held))

    def take_part(self, seconds: float) -> None:
        """Take a part of a step of `seconds` [s], after `peaks`."""
        if self._is_calm or self._water is None:
            return
        with self._water.threads.at_work():
            self._water.take_part(seconds, self._law.gravity, self._law.damping, self._law.friction)
        self._is_calm = self._driven is None and not self._water.active.any()

    def end_step(self) -> None:
        """To be called after the last part of a step: no cell may hold less than no water."""
        self.parts += 1
        if not self._is_calm and self._water is not None:
            self._water.settle_nearby(self._inside)

    # --- what is written to it

    def begin(self, start: LakeStart, time_step: float) -> None:
        """Start from what files give, as `Water.set_state` of the whole lake does.

        Args:
            start: of the lake.
            time_step: [s].

        Raises:
            InputError: a file cannot be used.
        """
        given = start.within(self.held)
        if given.heights.any() or (given.flow is not None and given.flow.any()):
            self._made().set_state(given.heights, given.flow, time_step, self._law.gravity)
            self._is_calm = False

    def known(self, window: Rectangle) -> Places | None:
        """What it owns of a window, copied; None where it is as at first."""
        if self._water is None:
            return None
        part = window.and_(self.owned).of(self.held)
        water = self._water
        return Places(water.conserved[(slice(None), *part)].copy(), water.reached[part], water.flooded[part])

    def set_rise(self, window: Rectangle, rise: Floats) -> None:
        """Set the rise [m] of what it holds of a window, whose shape `rise` has."""
        part = window.and_(self.held)
        if not part.is_empty:
            self._made().conserved[(0, *part.of(self.held))] = rise[part.of(window)]
            self._is_calm = False

    # --- halos

    def pack_halo(self, transfer: HaloTransfer) -> dict[str, NDArray[Any]]:
        """What another block holds of what this one owns, for its `unpack_halo`; empty where it is as at first."""
        if self._water is None:
            return {}
        window = transfer.sent.of(self.held)
        cells, flooded = self._water.conserved[(slice(None), *window)], self._water.flooded[window]
        reached, packed = self._water.reached[window], dict[str, NDArray[Any]]()
        if cells.any():
            packed["cells"] = cells.copy()
        if (reached != (self._water.still[window] > 0.0)).any() or (flooded == self.fixed[window]).any():
            packed |= {"reached": reached.copy(), "flooded": flooded.copy()}
        return packed | {name: leaving.copy() for name, leaving in self._leaving(transfer.sent) if leaving.any()}

    def _leaving(self, place: Rectangle) -> Iterator[tuple[str, NDArray[np.float64]]]:
        """What leaves by driven sides in a part of what it holds, by a name for each; views."""
        if self._driven is not None and self._law.driven is not None:
            for name, part in moved(self._law.driven.parts(place), self.held).items():
                yield f"leaving {name}", self._driven.leaving(name)[:, part]

    def unpack_halo(self, transfer: HaloTransfer, packed: Arrays) -> None:
        """Fill a part of the halo with what its owner has packed."""
        if not packed and self._water is None:
            return
        window, water = transfer.received.of(self.held), self._made()
        still = water.still[window]
        cells = packed.get("cells", np.zeros((3, *still.shape), np.float32))
        water.put(window, cells, packed.get("reached", still > 0.0), packed.get("flooded", ~self.fixed[window]))
        for name, leaving in self._leaving(transfer.received):
            leaving[...] = packed.get(name, 0.0)
        if "cells" in packed:
            self._is_calm = False

    # --- to be kept

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that moves, as arrays; empty while nothing has moved."""
        water = self._water
        if water is None:
            return {}
        state = {"cells": water.conserved, "reached": water.reached, "flooded": water.flooded}
        clock = {} if self._driven is None else {CLOCK: np.array(self._driven.wavemaker.time)}
        return state | clock | dict(self._leaving(self.held))

    def load_state(self, state: Arrays, parts: int) -> None:
        """Go on from a `state` after so many steps.

        Raises:
            KeyError, ValueError: it is that of another block.
        """
        self.parts = parts
        if state:
            whole = slice(0, self.held.shape[0]), slice(0, self.held.shape[1])
            self._made().put(whole, state["cells"], state["reached"], state["flooded"])
            self._is_calm = self._driven is None and not state["cells"].any()
            for name, leaving in self._leaving(self.held):
                leaving[...] = state[name]
            if self._driven is not None:
                self._driven.wavemaker.time = float(state[CLOCK])


# --- drops


def drop_rectangle(drop: Drop, ground: Ground) -> Rectangle:
    """The points that a drop may change.

    Raises:
        InputError: they are too many.
    """
    rows, columns = drop_window(drop, ground.grid)
    window = Rectangle(rows.start, rows.stop, columns.start, columns.stop)
    check_width(drop, window)
    return window


def rise_with_drop(drop: Drop, ground: Ground, window: Rectangle, now: Mapping[Rectangle, Places]) -> Floats | None:
    """The rise [m] in the `drop_rectangle` after a drop, as `ShallowWater.disturb` of the whole lake has it.

    Args:
        drop: what falls.
        ground: what the lake stands on.
        window: the rectangle.
        now: what is not as at first, by its place in the lake.

    Returns:
        None if the drop falls on dry ground.

    Raises:
        InputError: it takes its volume from too little water, or from water that may be another basin's.
    """
    fixed = ground.fixed(window)
    bed = bed_above_still(ground, window, fixed)
    still, land = np.maximum(-bed, 0.0).astype(np.float32), np.maximum(bed, 0.0).astype(np.float32)
    rise, flooded, reached = np.zeros(window.shape, np.float32), ~fixed, still > 0.0
    begun = reached.copy()
    for place, known in now.items():
        part = place.of(window)
        rise[part], reached[part], flooded[part] = known.cells[0], known.reached, known.flooded
    free = (still + rise > np.float32(FILM * ground.grid.spacing)) & flooded
    rows, columns = slice(window.top, window.bottom), slice(window.left, window.right)
    shape = drop_shape(drop, ground.grid, (rows, columns), free)
    if shape is None:
        return None
    if drop.neutral:
        _check_one_basin(drop, ground, window, reached, begun, (shape.bump != 0.0) | (shape.ring != 0.0))
        if not shape.ring_suffices:
            raise InputError(
                f"the drop at {drop.x:g},{drop.z:g} has too little water around it to take its volume from, and a lake "
                "that is baked cannot take it from everywhere: choose a smaller radius, or a place farther from land"
            )
    return np.asarray(raised(rise, still, land, shape.heights(drop), MAX_HEIGHT, drop.neutral), np.float32)


def _check_one_basin(
    drop: Drop, ground: Ground, window: Rectangle, reached: Flags, begun: Flags, changed: Flags
) -> None:
    """Refuse a drop that changes water which may be another basin's than the one it falls into.

    Only the whole lake tells which basins are connected; in the window it is known of water that is connected there.
    """
    from waterview.waters.common.kernels.basins import label_basins

    ix, iz = ground.grid.nearest(drop.x, drop.z) or (-1, -1)
    labels = label_basins(~reached)
    own = labels[iz - window.top, ix - window.left] if window.top <= iz and window.left <= ix else 0
    if (reached != begun)[changed].any() or (own > 0 and (labels[changed] != own).any()):
        raise InputError(
            f"the drop at {drop.x:g},{drop.z:g} takes its volume from water that land may keep apart from it, which a "
            "lake that is baked cannot tell: choose a smaller radius, or a place farther from land"
        )

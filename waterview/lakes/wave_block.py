"""A block of the wave equation: a field of its own with a halo, stepped by the kernels that step a whole water."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from waterview.core.commands import MAX_HEIGHT, Drop
from waterview.core.errors import InputError
from waterview.core.rectangle import Rectangle
from waterview.simd.layout import PAD, TwoLevels
from waterview.waters.common.active_tiles import REST_PERIOD, TILE_COLUMNS, TILE_ROWS, ActiveTiles
from waterview.waters.common.borders import Sides
from waterview.waters.common.drops import Window, drop_shape, drop_window
from waterview.waters.common.given_state import rising_speed
from waterview.waters.common.stability import StableStep
from waterview.waters.common.water import Observation
from waterview.waters.wave import step
from waterview.waters.wave.border_memory import DEPTH
from waterview.waters.wave.domain import Domain
from waterview.waters.wave.two_level_water import HIGH, REST

from .block import Block, check_width
from .blocks import Blocks, HaloTransfer, Number
from .driven import CLOCK, DrivenWaves, beside
from .ground import Ground
from .start import LakeStart

Floats = NDArray[np.float32]
Arrays = Mapping[str, NDArray[Any]]


class WaveLaw(NamedTuple):
    """How waves of a lake are stepped.

    Attributes:
        plan: the stable step.
        stencil: a key of `step.STENCILS`.
        shoreline: one of `domain.SHORES`.
        driven: what comes in by sides, or None.
    """

    plan: StableStep
    stencil: str
    shoreline: str
    driven: DrivenWaves | None = None


class WaveBlock(Block):
    """A block of a lake of the wave equation, at rest at first.

    What it owns has the bits of `WaveEquationWater` on the whole grid. Between two exchanges of halos it may take as
    many parts of steps as its halo is deep, less one. Memory that no wave has reached is not used.

    Args:
        number: which block.
        blocks: all of them.
        ground: what the lake stands on.
        law: how it is stepped.
    """

    def __init__(self, number: Number, blocks: Blocks, ground: Ground, law: WaveLaw) -> None:
        super().__init__(number, blocks, ground)
        self._sides, self._law, self._ends = blocks.sides_of(number), law, blocks.ends
        self._field = TwoLevels(self.held.shape)
        self._domain = Domain(self.fixed, self._sides, law.shoreline)
        self._tiles = ActiveTiles(self.held.shape)
        self._tiles.marks.awake[...] = False
        self._source = None if law.driven is None else law.driven.within(self.held, self._sides, self.fixed)
        self._is_calm = self._source is None

    @property
    def is_flat(self) -> bool:
        """Whether it is known that all heights are 0."""
        return self._is_calm

    @property
    def heights(self) -> Floats:
        """Heights above still water [m] of the points that it owns, valid until the next step."""
        return np.asarray(self._heights[self._inside])

    @property
    def _heights(self) -> Floats:
        """Those of all points that it holds."""
        return self._field.heights if self._source is None else self._source.whole(self._field.heights, self.fixed)

    def observe(self, window: Rectangle | None = None) -> Observation:
        """What is measured in a window of what it holds, or at all points that it owns."""
        part = (window or self.owned).of(self.held)
        return Observation(np.asarray(self._heights[part]), ~self.fixed[part])

    # --- steps

    def advance(self, parts: int) -> None:
        """Take so many parts of steps alone."""
        if not self._is_calm:
            plan = self._law.plan
            how: dict[str, Any] = {"damping": plan.step_damping, "courant": plan.courant}
            self._field.steps = self.parts
            for together in [parts] if self._source is None else [1] * parts:
                step.advance(
                    self._field,
                    self._domain,
                    stencil=self._law.stencil,
                    steps=together,
                    tiles=self._tiles,
                    threads=1,
                    **how,
                )
                self._let_waves_in()
        self.parts += parts

    def _let_waves_in(self) -> None:
        """Add to the part of a step just taken what comes in by driven sides, as a whole water does."""
        driven, source = self._law.driven, self._source
        if driven is None or source is None:
            return
        source.add_to(self._field.heights, driven.gain, driven.corner)
        for name in source.names:
            edge = beside(name, self.held.shape, 2).of(Rectangle(0, 0, 0, 0))
            self._wake(edge)
            self.check_bounds(edge)
        source.advance(driven.seconds)

    def settle(self) -> None:
        """Set tiles of the grid to rest in which no height matters, as a whole water does every `REST_PERIOD` parts.

        To be called before the halos are filled. The tiles are those of the grid, so that every block and every halo
        agrees with the whole; those that a block of its own would have lie elsewhere.
        """
        if self._is_calm or self.parts % REST_PERIOD or not self.parts or self._law.plan.courant <= 0.0:
            return
        bound = np.float32(REST * self._ground.grid.spacing)
        levels = [level[self._inside] for level in self._field.levels]
        resting = _tiles_below(levels, bound)
        for edge, remembers in zip((resting[0], resting[:, -1], resting[-1], resting[:, 0]), self._beside, strict=True):
            np.logical_and(edge, not remembers, out=edge)
        for i, j in np.argwhere(resting):
            rows, columns = slice(i * TILE_ROWS, (i + 1) * TILE_ROWS), slice(j * TILE_COLUMNS, (j + 1) * TILE_COLUMNS)
            for level in levels:
                level[rows, columns] = 0.0
        if resting.any():
            self._tiles.wake()
        is_flat = bool(resting.all()) and not any(level.any() for level in self._field.levels)
        self._is_calm = is_flat and self._source is None

    @property
    def _beside(self) -> list[bool]:
        """Whether what it owns lies beside a border of the grid that remembers: north, east, south, west."""
        own, held = self.owned, self.held
        at_end = own.top == held.top, own.right == held.right, own.bottom == held.bottom, own.left == held.left
        return [there and kind.memory != "none" for there, kind in zip(at_end, self._sides.kinds, strict=True)]

    def check_bounds(self, window: Window) -> None:
        """Refuse heights so large that a whole water would look at them after every step, to clip them.

        Args:
            window: where to look, among what it holds.

        Raises:
            InputError: there are some.
        """
        highest = max(float(np.abs(level[window]).max()) for level in self._field.levels)
        if not highest <= HIGH:
            raise InputError(
                f"waves of {highest:g} m: a lake that is baked may have {HIGH:g} m at most; disturb it less"
            )

    # --- what is written to it

    def begin(self, start: LakeStart, time_step: float) -> None:
        """Start from what files give, as `Water.set_state` of the whole lake does.

        Args:
            start: of the lake.
            time_step: [s].

        Raises:
            InputError: a file cannot be used, or waves are too high.
        """
        around = self.held.around(1).and_(self._ends)
        given, fixed = start.within(around), self._ground.fixed(around)
        flow = np.zeros((2, *around.shape), np.float32) if given.flow is None else given.flow
        if not (given.heights.any() or flow.any()):
            return
        plan, inside = self._law.plan, self.held.of(around)
        part = time_step / plan.substeps
        lead = 0.5 * part * plan.wave_speed**2
        walls = fixed if self._law.shoreline == "no-flux" else np.zeros_like(fixed)
        # Where the halo ends inside the grid, what is wrong at its edge lies in the one point more.
        rising = rising_speed(flow, given.heights, lead, self._ground.grid.spacing, walls, self._sides)[inside]
        before = np.clip(given.heights[inside] - rising * part, -MAX_HEIGHT, MAX_HEIGHT)
        self._field.heights[...] = given.heights[inside]
        self._field.heights_before[...] = np.where(self.fixed, 0.0, before)
        self._wake((slice(None), slice(None)))
        self.check_bounds(self._inside)

    def drop(self, drop: Drop) -> None:
        """Release a drop from rest, as `Water.disturb` of the whole lake does.

        Raises:
            InputError: a neutral drop finds too little water around it, or waves become too high.
        """
        rows, columns = drop_window(drop, self._ground.grid)
        window = Rectangle(rows.start, rows.stop, columns.start, columns.stop)
        if drop.neutral:
            check_width(drop, window)
        for down, right in self._turns(window):
            moved = window.moved(down, right)
            part = moved.and_(self.held)
            if part.is_empty:
                continue
            # A neutral drop is the same for all blocks only if each of them knows all of it.
            known = moved if drop.neutral else part
            is_held = known.and_(self.held) == known
            fixed = self.fixed[known.of(self.held)] if is_held else self._ground.fixed(known.moved(-down, -right))
            added = self._added(drop, known.moved(-down, -right), ~fixed)
            if added is None:
                continue
            here = part.of(self.held)
            for level in self._field.levels:
                level[here] = np.clip(level[here] + added[part.of(known)], -MAX_HEIGHT, MAX_HEIGHT)
            self._wake(here)
            own = part.and_(self.owned)
            if not own.is_empty:
                self.check_bounds(own.of(self.held))

    def _added(self, drop: Drop, window: Rectangle, free: NDArray[np.bool_]) -> NDArray[np.float64] | None:
        """What a drop adds in a window of the grid [m], some of whose points are `free`; None if nothing."""
        everywhere = Rectangle(0, window.bottom, 0, window.right)
        shape = drop_shape(drop, self._ground.grid, window.of(everywhere), free)
        if shape is not None and drop.neutral and not shape.ring_suffices:
            raise InputError(
                f"the drop at {drop.x:g},{drop.z:g} has too little water around it to take its volume from, and a lake "
                "that is baked cannot take it from everywhere: choose a smaller radius, or a place farther from land"
            )
        return None if shape is None else shape.heights(drop)

    def _turns(self, window: Rectangle) -> Iterator[tuple[int, int]]:
        """How far to move a window of the grid for all places where this block holds points of it."""
        (nz, nx), held = self._ground.grid.shape, self.held
        for down in range(-nz * (-held.top // nz + 1), held.bottom, nz):
            for right in range(-nx * (-held.left // nx + 1), held.right, nx):
                yield down, right

    def _wake(self, window: Window) -> None:
        self._is_calm = False
        self._tiles.wake(*window)

    # --- halos

    def pack_halo(self, transfer: HaloTransfer) -> dict[str, NDArray[Any]]:
        """What another block holds of what this one owns, for its `unpack_halo`; empty where nothing moves."""
        if self._is_calm:
            return {}
        window = transfer.sent.of(self.held)
        levels = {"now": self._field.heights[window], "before": self._field.heights_before[window]}
        packed = {name: level.copy() for name, level in levels.items() if level.any()}
        if self._remembers:
            for name, array in self._domain.border_memory.arrays.items():
                for side, place in _places(name, transfer.sent, self.held, self._sides, self._ends):
                    packed[side] = array[place].copy()
        return packed

    def unpack_halo(self, transfer: HaloTransfer, packed: Arrays) -> None:
        """Fill a part of the halo with what its owner has packed."""
        window = transfer.received.of(self.held)
        if not packed and self._is_calm:
            return
        is_new = False
        for name, level in (("now", self._field.heights), ("before", self._field.heights_before)):
            there = level[window]
            if name in packed:
                there[...] = packed[name]
                is_new = True
            elif there.any():
                there[...] = 0.0
                is_new = True
        if self._remembers:
            for name, array in self._domain.border_memory.arrays.items():
                for side, place in _places(name, transfer.received, self.held, self._sides, self._ends):
                    array[place] = packed.get(side, 0.0)
                    is_new = is_new or side in packed
        if is_new:
            self._wake(window)

    @property
    def _remembers(self) -> bool:
        return self._domain.border_memory.remembers

    # --- to be kept

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that moves, as arrays; empty while nothing does."""
        if self._is_calm:
            return {}
        outside = self._domain.border_memory.arrays if self._remembers else {}
        levels = {"now": self._field.heights, "before": self._field.heights_before}
        clock = {} if self._source is None else {CLOCK: np.array(self._source.wavemaker.time)}
        return {**levels, **clock, **{f"outside {name}": array for name, array in outside.items()}}

    def load_state(self, state: Arrays, parts: int) -> None:
        """Go on from a `state` after so many parts.

        Raises:
            KeyError, ValueError: it is that of another block.
        """
        self.parts = parts
        if not state:
            return
        self._field.heights[...], self._field.heights_before[...] = state["now"], state["before"]
        for name, array in self._domain.border_memory.arrays.items() if self._remembers else ():
            array[...] = state[f"outside {name}"]
        if self._source is not None:
            self._source.wavemaker.time = float(state[CLOCK])
        self._wake((slice(None), slice(None)))


def _tiles_below(levels: list[Floats], bound: np.float32) -> NDArray[np.bool_]:
    """Tiles in which all heights of all levels are below `bound`."""
    nz, nx = levels[0].shape
    rows, columns = np.arange(0, nz, TILE_ROWS), np.arange(0, nx, TILE_COLUMNS)
    # Nearly every tile that moves shows it in its first row.
    below = np.ones((len(rows), len(columns)), bool)
    for level in levels:
        below &= np.maximum.reduceat(np.abs(level[::TILE_ROWS]), columns, axis=1) < bound
    for i, j in np.argwhere(below):
        tile = slice(rows[i], rows[i] + TILE_ROWS), slice(columns[j], columns[j] + TILE_COLUMNS)
        below[i, j] = all(bool((np.abs(level[tile]) < bound).all()) for level in levels)
    return below


def _places(name: str, part: Rectangle, held: Rectangle, sides: Sides, ends: Rectangle) -> Iterator[tuple[str, Window]]:
    """Where an array of `BorderMemory.arrays` holds what lies beside a part of what a block holds.

    Args:
        name: of the array.
        part: points among those that the block holds.
        held: these.
        sides: the kinds of the block's borders.
        ends: the whole grid, without those of its ends where it wraps.

    Yields:
        A name for the piece, and its rows and columns in the array.
    """
    columns, rows = (
        (part.left, part.right, held.left, ends.left, ends.right),
        (
            part.top,
            part.bottom,
            held.top,
            ends.top,
            ends.bottom,
        ),
    )
    along = {
        "north": (part.top == held.top, *columns),
        "east": (part.right == held.right, *rows),
        "south": (part.bottom == held.bottom, *columns),
        "west": (part.left == held.left, *rows),
    }
    for number, side in enumerate(Sides._fields):
        is_beside, start, stop, first, low_end, high_end = along[side]
        if is_beside and name == "ghosts" and sides[number] == "open-ghost":
            yield f"ghosts {side}", (slice(number, number + 1), slice(start - first, stop - first))
        elif is_beside and name.startswith(f"{side} "):
            # At the ends of the grid with the corners, and with what is remembered between these and what is beyond.
            start, stop = start - (start == low_end) * (DEPTH + 1), stop + (stop == high_end) * (DEPTH + 1)
            yield name, (slice(None), slice(PAD + start - first, PAD + stop - first))

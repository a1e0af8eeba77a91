"""Models that are stepped only where they move, and those of them whose state is the heights at two times, h and h⁻."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waterview.core.commands import MAX_HEIGHT
from waterview.core.frame import Frame
from waterview.core.saved import entry_of
from waterview.simd.threads import ThreadChoice
from waterview.waters.common.active_tiles import ActiveTiles
from waterview.waters.common.basins import Basins
from waterview.waters.common.borders import Sides
from waterview.waters.common.published_surface import PublishedSurfaces
from waterview.waters.common.volume import FIRST_STEPS
from waterview.waters.common.water import restore

from .grid_water import GridWater

REST = 1e-7
"""Heights below this share of a cell are taken for 0, so that water comes to rest and costs nothing: a published slope
can hardly be so small."""

BOUND_STEPS = 4096
"""Steps after which heights beside open borders are looked at. A wave that land or other borders hold along such a side
fades outwards instead of running, and undamped it gains from the layer there: in so many steps at most 10⁵-fold."""

HIGH = 0.01 * MAX_HEIGHT
"""Where something was written higher than this [m], heights are looked at after every step: waves that meet add up, and
above `MAX_HEIGHT` they are clipped. No wave on Earth is so high, so that this costs nothing."""

_NOTHING_AHEAD = nullcontext()


class SweptWater(GridWater):
    """A `GridWater` that is stepped only where it moves, several steps in a pass over the grid where that is possible.

    Args and errors as `Water`.
    """

    def _create_state(self) -> None:
        super()._create_state()
        self._tiles = ActiveTiles(self.grid.shape)
        self._surfaces = PublishedSurfaces(self.grid.shape, self.grid.spacing, self._tiles)
        self.thread_choice = ThreadChoice(self.grid.shape[0] * self.grid.shape[1])
        self._is_high = False

    @abstractmethod
    def advance(self, steps: int, shown: bool = False) -> None:
        """Take several fixed time steps; faster than one by one and the same to the bit.

        Where the surface will be `shown` afterwards, it is written with the last of them.
        """

    def _sweeps(self, steps: int, shown: bool) -> Iterator[tuple[int, bool]]:
        """The steps in portions between which nothing else is due; each must be taken before the next is asked for.

        Yields:
            The number of steps, and whether the surface is written with the last of them, as where it will be `shown`.
        """
        while steps > 0:
            taken = min(steps, FIRST_STEPS - self._steps % FIRST_STEPS, self._most_together)
            self._release_pending()
            yield taken, shown and taken == steps
            self._count(taken)
            steps -= taken

    @contextmanager
    def _sweep(self, steps: int, shown: bool) -> Iterator[dict[str, Any]]:
        """Arguments of `step.advance` for these steps that all models have in common; to be called within this."""
        with self._surfaces.written_ahead() if shown else _NOTHING_AHEAD as surface:
            threads = self.thread_choice.begin()
            rest = REST * self.grid.spacing
            yield {"steps": steps, "rest": rest, "tiles": self._tiles, "threads": threads, "surface": surface}
            self.thread_choice.end(steps + shown)

    def _count(self, steps: int) -> None:
        super()._count(steps)
        if not (self._is_high or self._bounds_are_due):
            return
        highest = self._highest(slice(None), slice(None))
        if highest > MAX_HEIGHT:
            self._hold_in_bounds()
            self._on_written()
        self._is_high = highest > HIGH

    @property
    def _bounds_are_due(self) -> bool:
        """Whether it is time to look how high heights are that were low."""
        return self._steps % BOUND_STEPS == 0 and any(kind.memory == "layer" for kind in self._domain.sides.kinds)

    def _highest(self, rows: slice, columns: slice) -> float:
        """The largest amount of a height there, now or a step ago [m]."""
        parts = (level[rows, columns] for level in self._levels)
        return max((float(max(part.max(), -part.min())) for part in parts if part.size), default=0.0)

    @property
    def heights_are_extreme(self) -> bool:
        """Whether heights may be near ±`MAX_HEIGHT`, where they are clipped."""
        return self._is_high

    @abstractmethod
    def _hold_in_bounds(self) -> None:
        """Hold all heights within ±`MAX_HEIGHT`."""

    @property
    def _most_together(self) -> int:
        """How many steps may be taken together now."""
        return 1 if self._is_high else FIRST_STEPS

    def step(self) -> None:
        """Take one fixed time step of 1/steps_per_second."""
        self.advance(1)

    def _on_written(
        self, rows: slice = slice(None), columns: slice = slice(None), highest: float | None = None
    ) -> None:
        self._tiles.wake(rows, columns)
        self._is_high = self._is_high or (self._highest(rows, columns) if highest is None else highest) > HIGH

    def publish(self, serial: int) -> Frame:
        """As `GridWater.publish`, with what has changed since earlier frames."""
        frame = super().publish(serial)
        return frame.changed(changes=self._surfaces.changes(frame.heights))

    def _copies(self) -> tuple[NDArray[np.float32], NDArray[np.float16]]:
        return self._surfaces.copy(self._field, self._mend_slopes)

    def _state(self) -> dict[str, Any]:
        tiles = {name: array.copy() for name, array in self._tiles.marks._asdict().items()}
        return super()._state() | {"tiles": tiles, "around": list(self._tiles.sides), "swept": self._field.steps}

    def _load_state(self, state: Mapping[str, Any]) -> None:
        super()._load_state(state)
        self._field.steps = entry_of(state, "swept", int, low=0)
        tiles = entry_of(state, "tiles", dict)
        for name, marks in self._tiles.marks._asdict().items():
            restore(marks, tiles[name])
        self._tiles.check()
        if "around" in state:  # files of older versions do not have it
            self._tiles.sides = Sides(*entry_of(state, "around", tuple[str, str, str, str]))
        self._tiles.marks.changed[:] = True  # no frame of this water has shown any of them

    @property
    def _part(self) -> float:
        """Length of the solver's own step [s]."""
        return self.time_step / self.effective["substeps"]


class TwoLevelWater(SweptWater):
    """A `SweptWater` that keeps its motion as h − h⁻, a solver's step apart. Args and errors as `Water`."""

    @property
    def _levels(self) -> tuple[NDArray[np.float32], ...]:
        return self._field.levels

    @property
    def _other(self) -> NDArray[np.float32]:
        return self._field.heights_before

    def _accelerate(self, velocity: NDArray[np.float64]) -> None:
        before = self._field.heights_before
        moved = np.clip(before - velocity * self._part, -MAX_HEIGHT, MAX_HEIGHT)
        before[...] = np.where(self.fixed, 0.0, moved)
        self._tiles.wake(shown=False)

    def _hold_in_bounds(self) -> None:
        for level in self._field.levels:
            np.clip(level, -MAX_HEIGHT, MAX_HEIGHT, out=level)
        self._domain.border_memory.clip(MAX_HEIGHT)

    def _keep_level(self) -> None:
        self._remove_mean_motion(self._field.heights_before, self._field.heights)
        self._tiles.wake(shown=False)

    def _find_basins(self) -> Basins:
        # The labels of all points are a field of their own, and only where spikes are clamped anyone asks for them.
        return super()._find_basins()._replace(labels=np.zeros((0, 0), np.int32))

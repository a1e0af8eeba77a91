"""The call that steps floating bodies: what compiled code has to know is looked up once and kept at hand.

This module knows numpy alone; the compiled code is imported when the first body takes its first step.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from waterview.simd.layout import address

from .records import Ground, Shapes

FLOAT = np.dtype(np.float32)

MOST_KNOWN = 8
"""Sets of arrays that are remembered: a water may hand out the same few in turns."""


class Step:
    """The step of some bodies on one ground, made ready: all that stays from step to step is looked up once.

    Args:
        bodies: records of `BODY`, changed in place.
        world: one record of `WORLD`, shape (1,), changed in place.
        shapes: the tables that the bodies' ranges point into.
        pool: room for the columns of water that each body displaces, as told by its `pool_start` and `pool_size`.
        ground: what lies below.
    """

    def __init__(
        self,
        bodies: NDArray[np.void],
        world: NDArray[np.void],
        shapes: Shapes,
        pool: NDArray[np.float32],
        ground: Ground,
    ) -> None:
        self._kept = bodies, world, shapes, pool, ground  # compiled code gets addresses, which keep nothing alive
        self._shape = ground.bed.shape
        self._nowhere = np.zeros(self._shape[1], FLOAT)
        self._known: dict[int, _Known] = {}
        world["rows"], world["columns"] = self._shape
        world["highest"] = ground.tops.max()
        tables = {"bodies": bodies, **shapes._asdict(), "pool": pool}
        for name, table in tables.items():
            world[name] = address(table), len(table)
        for name, field in ground._asdict().items():
            world[name] = address(field)
        self._address = address(world)
        self._step = _compiled()

    def __call__(
        self, heights: NDArray[np.float32], time_levels: tuple[NDArray[np.float32], ...]
    ) -> tuple[int, int, int, int]:
        """Move the bodies by one time step of the water and let them push it aside.

        Args:
            heights: of the surface above still water [m], shape (nz, nx).
            time_levels: none to two arrays of that shape; what bodies push aside is added to every one of them.

        Returns:
            The window of the grid where something was added: first row and column, and those after the last.

        Raises:
            ValueError: shapes differ, there are more than two time levels, or their rows are not contiguous float32.
        """
        known = self._known.get(id(heights))
        if known is None or not known.fits(heights, time_levels):
            known = self._look_up(heights, time_levels)
        return self._step(self._address, known.place)

    def _look_up(self, heights: NDArray[np.float32], time_levels: tuple[NDArray[np.float32], ...]) -> _Known:
        count, seen = len(time_levels), _place(heights, self._shape)
        if count > 2:
            raise ValueError(f"{count} time levels: allowed are up to two")
        first = _place(time_levels[0], self._shape) if count else seen
        second = _place(time_levels[1], self._shape) if count > 1 else first
        if count == 1:  # what would be added to the second level goes nowhere: into one row for all
            second = address(self._nowhere), 0
        numbers = np.array((count, *seen, *first, *second), np.int64)
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        known = _Known((weakref.ref(heights), *map(weakref.ref, time_levels)), numbers, address(numbers))
        self._known[id(heights)] = known
        return known


class _Known(NamedTuple):
    """What `Step` tells compiled code about arrays that may come again: to look it up takes five microseconds.

    Attributes:
        arrays: the heights, then the levels.
        numbers: the last fields of a `WORLD`, from `levels` on.
        place: address of the numbers.
    """

    arrays: tuple[weakref.ref[NDArray[np.float32]], ...]
    numbers: NDArray[np.int64]
    place: int

    def fits(self, heights: NDArray[np.float32], time_levels: tuple[NDArray[np.float32], ...]) -> bool:
        """Whether it is of these very arrays."""
        arrays = self.arrays
        if len(arrays) == 3 and len(time_levels) == 2:  # nearly always, and in half the time
            return arrays[0]() is heights and arrays[1]() is time_levels[0] and arrays[2]() is time_levels[1]
        wanted = heights, *time_levels
        return len(arrays) == len(wanted) and all(a() is b for a, b in zip(arrays, wanted, strict=True))


def is_compiled_on_disk() -> bool:
    """Whether `step` has been compiled on this machine, or what it is compiled to cannot be kept anyway."""
    from waterview.simd.jit import cache_place, is_kept

    return cache_place(_compiled()) is None or is_kept(_compiled())


@functools.cache
def _compiled() -> Callable[[int, int], tuple[int, int, int, int]]:
    from .step import step_bodies

    return step_bodies


def _place(array: NDArray[np.float32], shape: tuple[int, ...]) -> tuple[int, int]:
    """Where an array starts, and the floats from one of its rows to the next.

    Compiled code gets both as numbers, so that it is the same code for all waters: to numba, arrays that are views or
    read-only are of other types than those that are not.
    """
    across, along = array.strides
    if array.shape != shape or array.dtype != FLOAT or along != 4 or across % 4:
        raise ValueError(
            f"heights of shape {array.shape}, {array.dtype}: needed are {shape}, float32, in contiguous rows"
        )
    return address(array), across // 4

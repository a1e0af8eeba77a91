"""Waters that can be put away and go on later as if nothing had been."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from waterview.core.errors import InputError


class Lasting:
    """What a water needs to be saved and loaded; a model brings `_state` and `_load_state`."""

    name: ClassVar[str]
    time: float
    _banked: float
    _pending: list[tuple[int, int, float]]

    def state(self) -> dict[str, Any]:
        """Everything that moves, as numbers and arrays, with which a water made alike goes on to the bit.

        Raises:
            InputError: this water cannot be saved.
        """
        moving = self._state()
        return {
            "time": self.time,
            "banked": self._banked,
            "pending": [list(entry) for entry in self._pending],
            **moving,
        }

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` of a water with the same grid, ground and parameters gave.

        Raises:
            InputError: it makes no sense.
        """
        try:
            self._load_state(state)
            self.time, self._banked = float(state["time"]), float(state["banked"])
            self._pending = [(int(ix), int(iz), float(height)) for ix, iz, height in state["pending"]]
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"a saved water makes no sense ({error}): choose another file") from error

    def _state(self) -> dict[str, Any]:
        """What a model has to add to `state`."""
        raise InputError(f"the {self.name} model cannot be saved: choose another with Tab or --model")

    def _load_state(self, state: Mapping[str, Any]) -> None:
        """Take what `_state` gave; where it makes no sense, a KeyError, TypeError or ValueError."""
        raise InputError(f"the {self.name} model cannot be loaded: choose another with Tab or --model")


def fill(array: NDArray[Any], saved: NDArray[Any]) -> None:
    """Write saved values over an array's own.

    Raises:
        ValueError: they are of another shape or kind, or not finite.
    """
    if saved.shape != array.shape or saved.dtype != array.dtype or not np.isfinite(saved).all():
        raise ValueError(f"an array of shape {saved.shape} where {array.shape} is needed")
    array[...] = saved

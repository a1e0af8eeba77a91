"""Models whose state is the heights at two times, h and h⁻."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from waterview.core.commands import MAX_HEIGHT
from waterview.kernels.regions import Regions

from .grid_water import GridWater


class TwoLevelWater(GridWater):
    """A `GridWater` that keeps its motion as h − h⁻, a solver's step apart. Args and errors as `Water`."""

    @property
    def _levels(self) -> tuple[NDArray[np.float32], ...]:
        return self._field.heights, self._field.heights_before

    @property
    def _other(self) -> NDArray[np.float32]:
        return self._field.heights_before

    @property
    def _part(self) -> float:
        """Length of the solver's own step [s]."""
        return self.time_step / self.effective["substeps"]

    def _accelerate(self, velocity: NDArray[np.float64]) -> None:
        before = self._field.heights_before
        moved = np.clip(before - velocity * self._part, -MAX_HEIGHT, MAX_HEIGHT)
        before[...] = np.where(self.fixed, 0.0, moved)
        self._on_written()

    def _keep_level(self) -> None:
        self._remove_mean_motion(self._field.heights_before, self._field.heights)
        self._on_written()

    def _find_regions(self) -> Regions:
        # The labels of all points are a field of their own, and only where spikes are clamped anyone asks for them.
        return super()._find_regions()._replace(labels=np.zeros((0, 0), np.int32))

"""Volume correction: the volume of closed basins, restored against the rounding of many steps.

One law for every model on a grid: unless water is added or taken away on purpose, each closed basin keeps its volume,
however it flows, falls or is pushed. Steps, neutral drops and bodies conserve it; what rounding adds is removed here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from waterview.waters.common.basins import Basins, add_to_basins, basin_means

LEVEL_TOLERANCE = 1e-7
"""How far a mean level may drift before it is restored, as a share of the depth (or of a cell, where that is more).

Rounding to 24 bits is biased: a sum over all points that should be constant drifts by several millionths of the depth
in an hour. Removing the mean motion alone does not help: a motion of less than half the last bit of the heights is
lost when it is subtracted from them. And while the level stays, no motion needs to be removed: so only the level is
measured, which takes a quarter of the time.
"""

VOLUME_STEPS = 64
"""Steps between corrections of closed basins; in so few none drifts far."""

FIRST_STEPS = 16
"""Steps until the first correction after borders, land or volume were changed on purpose: until then the motion that a
new wall cuts off may still run."""


class VolumeCorrection:
    """Keeps the mean level of each closed basin: measured at the first correction, restored when it has drifted.

    Args:
        basins: those that are not closed are left alone.
        depth: of still water [m], shape (nz, nx).
        spacing: of the grid [m].

    Attributes:
        means: mean height of each basin [m], in the order of `basins.sizes`; None until it is measured.
    """

    def __init__(self, basins: Basins, depth: NDArray[np.float32], spacing: float) -> None:
        self._basins, self._spacing = basins, spacing
        self._tolerance = LEVEL_TOLERANCE * np.maximum(basin_means(depth, basins), spacing)
        self.means: NDArray[np.float64] | None = None

    @property
    def count(self) -> int:
        """Length of `means`."""
        return len(self._basins.sizes)

    def reset(self) -> None:
        """The volume was changed on purpose: measure it again at the next correction."""
        self.means = None

    def correct(self, levels: Sequence[NDArray[np.float32]]) -> bool:
        """Restore the mean of the first of `levels`, the heights [m]; returns whether anything has changed.

        Each level, shape (nz, nx), is moved by the same amount, so that nothing is set in motion.
        """
        missing = self._missing(levels[0])
        if missing is None:
            return False
        for level in levels:
            add_to_basins(level, self._basins, missing)
        return True

    def correct_moving(self, rise: NDArray[np.float32], still: NDArray[np.float32], film: float) -> None:
        """Restore basins with moving shores by the cells that move: dry cells and those at rest stay as they are.

        Args:
            rise: depth minus that of still water [m], shape (nz, nx); changed in place, but no depth falls below 0.
            still: depth of still water [m], shape (nz, nx).
            film: depth [m] up to which a cell gives nothing.
        """
        missing = self._missing(rise)
        if missing is None:
            return
        labels, moving = self._basins.labels, (rise != 0.0) & (still + rise > film)
        moving &= missing[labels] != 0.0
        cells = np.bincount(labels[moving], minlength=len(missing))
        share = missing * self._basins.sizes / np.maximum(cells, 1)
        rise[moving] = np.maximum(rise[moving] + share[labels[moving]], -still[moving])

    def over(self, basins: Basins, depth: NDArray[np.float32]) -> VolumeCorrection:
        """The same volumes after water has reached more points: basins that have met share one volume.

        Args:
            basins: each contains those of before that it touches, and points whose height was 0.
            depth: of still water [m], shape (nz, nx).
        """
        made = VolumeCorrection(basins, depth, self._spacing)
        if self.means is not None:
            before, first = np.unique(self._basins.runs[:, 3], return_index=True)
            rows, columns = self._basins.runs[first, 0], self._basins.runs[first, 1]
            sums = np.zeros(len(basins.sizes))
            np.add.at(sums, basins.labels[rows, columns], self.means[before] * self._basins.sizes[before])
            made.means = sums / np.maximum(basins.sizes, 1)
        return made

    def _missing(self, heights: NDArray[np.float32]) -> NDArray[np.float64] | None:
        """How far each mean level is below what it was [m]; None if none has drifted, and at the first measurement."""
        means = basin_means(heights, self._basins)
        if self.means is None:
            self.means = means
            return None
        missing = self.means - means
        missing[~self._basins.closed | (np.abs(missing) <= self._tolerance)] = 0.0
        return missing if missing.any() else None

"""The volume of closed waters, held against the rounding of many steps.

One law for every model on a grid: what is not poured in or out leaves each closed water its volume, however it flows,
falls or is pushed. Steps, neutral drops and bodies are made so that they do; what rounding adds is taken out here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from waterview.waters.common.basins import Basins, add_to_basins, basin_means

LEVEL_TOLERANCE = 1e-7
"""How far a mean level may go before it is put back, as a share of the depth (or of a cell, where that is more).

Rounding to 24 bits is not fair: a sum over all points that should stay drifts, in an hour by several millionths
of the depth. Taking out the mean motion alone cannot help it: a motion of less than half the last bit of the heights
is lost when it is taken from them. And as long as the level stays, no motion needs to be taken out: so what is looked
at is the level alone, in a quarter of the time.
"""

VOLUME_STEPS = 64
"""Steps after which closed waters are looked at and put back where they have drifted; in so few none drifts far."""

FIRST_STEPS = 16
"""Likewise where borders, land or volume were changed on purpose: motion that a new wall cuts off runs no longer."""


class KeptLevels:
    """Mean levels that stay: measured when first looked at, and put back when they have drifted.

    Args:
        basins: the waters; those that are not closed are left alone.
        depth: of still water [m], shape (nz, nx).
        spacing: of the grid [m].

    Attributes:
        means: mean height of each water [m], in the order of `basins.sizes`; None until it is measured.
    """

    def __init__(self, basins: Basins, depth: NDArray[np.float32], spacing: float) -> None:
        self._basins, self._spacing = basins, spacing
        self._tolerance = LEVEL_TOLERANCE * np.maximum(basin_means(depth, basins), spacing)
        self.means: NDArray[np.float64] | None = None

    @property
    def count(self) -> int:
        """Length of `means`."""
        return len(self._basins.sizes)

    def forget(self) -> None:
        """The volume was changed on purpose: measure it anew."""
        self.means = None

    def hold(self, levels: Sequence[NDArray[np.float32]]) -> bool:
        """Put the waters of `levels`, the first of which are their heights [m], back; whether anything has changed.

        Each level, shape (nz, nx), is moved by the same, so that nothing else is set in motion.
        """
        off = self._measured(levels[0])
        if off is None:
            return False
        for level in levels:
            add_to_basins(level, self._basins, off)
        return True

    def hold_moving(self, rise: NDArray[np.float32], still: NDArray[np.float32], film: float) -> None:
        """Put waters with moving shores back, by what moves in them: what is dry or at rest stays as it is, to the bit.

        Args:
            rise: depth less that of still water [m], shape (nz, nx); changed in place, but no depth falls below 0.
            still: depth of still water [m], likewise.
            film: depth [m] up to which a cell has none to give.
        """
        off = self._measured(rise)
        if off is None:
            return
        labels, moving = self._basins.labels, (rise != 0.0) & (still + rise > film)
        moving &= off[labels] != 0.0
        cells = np.bincount(labels[moving], minlength=len(off))
        share = off * self._basins.sizes / np.maximum(cells, 1)
        rise[moving] = np.maximum(rise[moving] + share[labels[moving]], -still[moving])

    def over(self, basins: Basins, depth: NDArray[np.float32]) -> KeptLevels:
        """The same volumes where more points have been reached: waters that have met now keep one together.

        Args:
            basins: waters of which each holds those of before that it touches, and points whose height was 0.
            depth: of still water [m], shape (nz, nx).
        """
        made = KeptLevels(basins, depth, self._spacing)
        if self.means is not None:
            before, first = np.unique(self._basins.runs[:, 3], return_index=True)
            rows, columns = self._basins.runs[first, 0], self._basins.runs[first, 1]
            sums = np.zeros(len(basins.sizes))
            np.add.at(sums, basins.labels[rows, columns], self.means[before] * self._basins.sizes[before])
            made.means = sums / np.maximum(basins.sizes, 1)
        return made

    def _measured(self, heights: NDArray[np.float32]) -> NDArray[np.float64] | None:
        """What each water's mean level lacks [m]; None if that is nothing, and on the first look."""
        means = basin_means(heights, self._basins)
        if self.means is None:
            self.means = means
            return None
        off = self.means - means
        off[~self._basins.closed | (np.abs(off) <= self._tolerance)] = 0.0
        return off if off.any() else None

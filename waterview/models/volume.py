"""The volume of closed waters, held against the rounding of many steps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from waterview.kernels.regions import Regions, add_to_waters, means_of

LEVEL_TOLERANCE = 1e-7
"""How far a mean level may go before it is put back, as a share of the depth (or of a cell, where that is more).

Rounding to 24 bits is not fair: a sum over all points that should stay drifts, in an hour by several millionths
of the depth. Taking out the mean motion alone cannot help it: a motion of less than half the last bit of the heights
is lost when it is taken from them.
"""


class KeptLevels:
    """Mean levels that stay: measured when first looked at, and put back when they have drifted.

    Args:
        regions: the waters; those that are not closed are left alone.
        depth: of still water [m], shape (nz, nx).
        spacing: of the grid [m].

    Attributes:
        means: mean height of each water [m], in the order of `regions.sizes`; None until it is measured.
    """

    def __init__(self, regions: Regions, depth: NDArray[np.float32], spacing: float) -> None:
        self._regions = regions
        self._tolerance = LEVEL_TOLERANCE * np.maximum(means_of(depth, regions), spacing)
        self.means: NDArray[np.float64] | None = None

    def forget(self) -> None:
        """The volume was changed on purpose: measure it anew."""
        self.means = None

    def hold(self, levels: Sequence[NDArray[np.float32]]) -> bool:
        """Put the waters of `levels`, the first of which are their heights [m], back; whether anything has changed.

        Each level, shape (nz, nx), is moved by the same, so that nothing else is set in motion.
        """
        means = means_of(levels[0], self._regions)
        if self.means is None:
            self.means = means
            return False
        off = self.means - means
        off[~self._regions.closed | (np.abs(off) <= self._tolerance)] = 0.0
        if not off.any():
            return False
        for level in levels:
            add_to_waters(level, self._regions, off)
        return True

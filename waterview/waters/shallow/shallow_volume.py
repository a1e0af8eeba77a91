"""The volume of shallow water: which waters its moving shores keep apart, and what each of them holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waterview.waters.common.basins import Basins, find_basins
from waterview.waters.common.borders import Sides
from waterview.waters.common.volume import VOLUME_STEPS, VolumeCorrection
from waterview.waters.shallow.kernels.shallow_water import THIN, Shallows

LOOK_STEPS = VOLUME_STEPS
"""Steps after which waters are looked at. The scheme keeps its volume but for rounding, which is slow; what takes its
time is to find out which waters belong together after each advance of a shore."""


class ShallowVolume:
    """Keeps the volume of each closed water, by the law of `volume`.

    Waters are apart as long as cells lie between them that no water has ever reached. Once they have met they count as
    one for good: whatever has run from one to the other stays there.

    Args:
        water: as it is just made, over the ground that it will keep.
    """

    def __init__(self, water: Shallows) -> None:
        self._water = water
        self._known: tuple[Basins, str, int] | None = None
        self._kept: VolumeCorrection | None = None
        self._steps = 0

    def count_step(self, keep: bool) -> None:
        """To be called after each step: now and then waters are put back where they have drifted, if they are to be."""
        self._steps += 1
        if self._steps % LOOK_STEPS:
            return
        water, kept = self._water, self._look_at_waters()
        if keep:
            kept.correct_moving(water.rise, water.still, THIN * water.spacing)
        else:
            kept.reset()

    def forget(self) -> None:
        """The volume was changed on purpose: measure it anew."""
        if self._kept is not None:
            self._kept.reset()

    def apart_from(self, ix: int, iz: int) -> NDArray[np.bool_] | None:
        """Cells that belong to another water than this one, shape (nz, nx); None where there is but one, or none."""
        if self._known is None:
            self._look_at_waters()
        labels = self._water.labels
        own = labels[iz, ix]
        return labels != own if own > 0 and self._known is not None and len(self._known[0].sizes) > 2 else None

    def saved(self) -> dict[str, Any]:
        """Everything that is known, to go on from with `load`."""
        if self._known is None or self._kept is None:
            return {"steps": self._steps}
        basins, border, _ = self._known
        means = self._kept.means
        return {
            "steps": self._steps,
            "border": border,
            "waters": basins.labels > 0,
            "means": np.zeros(0) if means is None else means.copy(),
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        """Go on from what `saved` gave over the same ground.

        Raises:
            KeyError, TypeError, ValueError: it makes no sense.
        """
        self._known = self._kept = None
        self._steps = int(saved.get("steps", 0))  # files of older versions know nothing of it
        if "waters" not in saved:
            return
        waters, means = np.asarray(saved["waters"], bool), np.asarray(saved["means"], np.float64)
        if waters.shape != self._water.still.shape:
            raise ValueError(f"waters of shape {waters.shape}")
        kept = self._look(waters, str(saved["border"]))
        if len(means) not in (0, kept.count) or not np.isfinite(means).all():
            raise ValueError(f"{len(means)} mean levels where {kept.count} are needed")
        kept.means = means.copy() if len(means) else None

    # --- inside

    def _look_at_waters(self) -> VolumeCorrection:
        water = self._water
        if self._known is not None and self._kept is not None:
            _, border, count = self._known
            if border == water.border and count == np.count_nonzero(water.reached):
                return self._kept
        return self._look(water.reached, water.border)

    def _look(self, waters: NDArray[np.bool_], border: str) -> VolumeCorrection:
        """Find out which of the cells `waters` belong together; what these hold stays unless borders have changed."""
        sides = Sides(border, border, border, border)
        basins, still = find_basins(~waters, sides, flowing=True), self._water.still
        same = self._known is not None and self._kept is not None and self._known[1] == border
        self._kept = (
            self._kept.over(basins, still)
            if same and self._kept is not None
            else VolumeCorrection(basins, still, self._water.spacing)
        )
        self._known = basins, border, int(np.count_nonzero(waters))
        self._water.labels = basins.labels
        return self._kept

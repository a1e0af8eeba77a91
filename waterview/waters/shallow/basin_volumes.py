"""The volume of each closed basin, kept although shores move and basins meet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waterview.core.saved import array_of, entry_of
from waterview.waters.common.basins import Basins, find_basins
from waterview.waters.common.borders import border_sides
from waterview.waters.common.volume import VOLUME_STEPS, VolumeCorrection


class BasinVolumes:
    """Corrects the volume of each closed basin against the rounding of many steps (`waterview.waters.common.volume`).

    Basins are apart as long as cells lie between them that no water has ever reached. Once they have met they count as
    one for good: what has run from one to the other stays there.

    Rounding is slow. What takes time is to find the basins after each advance of a shore: so both are done once in
    `VOLUME_STEPS` steps.

    Args:
        rise: depth less that of still water [m], shape (nz, nx), as all arrays; corrected in place.
        still: depth of still water [m].
        reached: cells that any water has ever been in; read each time anew.
        spacing: Δx [m].
        film: cells of no more depth [m] are not corrected.

    Attributes:
        labels: number of the basin that each cell belongs to, 0 where no water was found yet, int32.
    """

    def __init__(
        self,
        rise: NDArray[np.float32],
        still: NDArray[np.float32],
        reached: NDArray[np.bool_],
        spacing: float,
        film: float,
    ) -> None:
        self.labels = np.zeros(still.shape, np.int32)
        self._rise, self._still, self._reached = rise, still, reached
        self._spacing, self._film = spacing, film
        self._found: tuple[Basins, str, int] | None = None  # with the border and the number of cells reached
        self._correction: VolumeCorrection | None = None
        self._steps = 0

    def count_step(self, border: str, keep: bool) -> None:
        """To be called after each step: now and then volumes are corrected, or if not to `keep`, forgotten.

        `border` is one name, or one and names for some sides, as `borders.border_sides` reads it.
        """
        self._steps += 1
        if self._steps % VOLUME_STEPS:
            return
        correction = self._current_correction(border)
        if keep:
            correction.correct_moving(self._rise, self._still, self._film)
        else:
            correction.reset()

    def reset(self) -> None:
        """The volume was changed on purpose: measure it anew."""
        if self._correction is not None:
            self._correction.reset()

    def others(self, ix: int, iz: int, border: str) -> NDArray[np.bool_] | None:
        """Cells of other basins than that of cell (ix, iz), shape (nz, nx); None on land, or if there is but one."""
        if self._found is None:
            self._current_correction(border)
        own = self.labels[iz, ix]
        return self.labels != own if own > 0 and self._found is not None and len(self._found[0].sizes) > 2 else None

    def find_reached(self, border: str) -> bool:
        """Find the basins anew if water has reached more cells since; returns whether `labels` are other ones then."""
        before = self.labels
        if self._found is not None:
            self._current_correction(border)
        return self.labels is not before

    def state(self) -> dict[str, Any]:
        """Everything that is known, to go on from with `load_state`."""
        if self._found is None or self._correction is None:
            return {"steps": self._steps}
        basins, border, _ = self._found
        means = self._correction.means
        return {
            "steps": self._steps,
            "border": border,
            "waters": basins.labels > 0,
            "means": np.zeros(0) if means is None else means.copy(),
        }

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` gave over the same ground.

        Raises:
            KeyError, ValueError: it makes no sense.
        """
        self._found = self._correction = None
        self._steps = entry_of(state, "steps", int, 0, low=0)  # files of older versions do not have it
        if "waters" not in state:
            return
        reached = array_of(state, "waters", np.bool_, self._still.shape)
        means = array_of(state, "means", np.float64, (-1,))
        correction = self._find(reached, entry_of(state, "border", str))
        if len(means) not in (0, correction.count):
            raise ValueError(f"{len(means)} mean levels where {correction.count} are needed")
        correction.means = means.copy() if len(means) else None

    def _current_correction(self, border: str) -> VolumeCorrection:
        if self._found is not None and self._correction is not None:
            _, found_border, count = self._found
            if found_border == border and count == np.count_nonzero(self._reached):
                return self._correction
        return self._find(self._reached, border)

    def _find(self, reached: NDArray[np.bool_], border: str) -> VolumeCorrection:
        """Find the basins; volumes known before stay known unless the border has changed."""
        basins = find_basins(~reached, border_sides(border), flowing=True)
        if self._correction is not None and self._found is not None and self._found[1] == border:
            self._correction = self._correction.over(basins, self._still)
        else:
            self._correction = VolumeCorrection(basins, self._still, self._spacing)
        self._found = basins, border, int(np.count_nonzero(reached))
        self.labels = basins.labels
        return self._correction

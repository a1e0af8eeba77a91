"""The land as it is drawn: the grid's ground with what is finer than it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import Frame, linear
from waterview.render.camera.bounds import LAND_DETAIL


def land_heights(frame: Frame) -> NDArray[np.float32]:
    """World heights of the ground as it is drawn [m]: those of the grid, or at more points, corner to corner.

    Under water, and at the shore, it is the grid's own, linearly interpolated: nothing that is dry in it gets wet, and
    nothing that is wet gets dry.
    """
    if frame.land is None:
        return frame.bed
    offset, level = frame.land.detail.offset, np.float32(frame.grid.level)
    ground = linear(frame.bed, (offset.shape[0], offset.shape[1]))
    most = np.float32(LAND_DETAIL) * np.maximum(ground - level, np.float32(0.0))
    return ground + np.clip(offset, -most, most)

"""Moves scenes that lie far from the world's origin to it, because graphics cards compute in single precision.

Five million metres north, as in UTM coordinates, neighbouring numbers are half a metre apart.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import Frame
from waterview.core.grid import Grid

from .bounds import Bounds
from .camera import Array, OrbitCamera

FAR = 64.0
"""Distance beyond which a scene is moved, in units of its longer side; there numbers are 1/130,000 of it apart."""
FAR_IN_METRES = 16384.0
"""The same for large scenes [m]; there numbers are 2 mm apart, half of what the finest grain of ground is wide."""


class NearOrigin:
    """Moves frames and their cameras to the origin; frames that are near it stay as they are."""

    def __init__(self) -> None:
        self._frame: tuple[Frame, Frame] | None = None
        self._bed: tuple[NDArray[np.float32], Grid, NDArray[np.float32]] | None = None
        self._around: NearOrigin | None = None

    def move(self, frame: Frame, camera: OrbitCamera) -> tuple[Frame, OrbitCamera]:
        """Frame and camera, both moved by the same offset if the frame is far away."""
        offset = far_offset(frame.grid)
        if not offset.any():
            return frame, camera
        # The same frame gives the same object again, because others compare frames with `is`.
        if self._frame is None or self._frame[0] is not frame:
            self._frame = frame, self._moved(frame, offset)
        bounds = camera.bounds
        low, high = _point(np.array(bounds.low) - offset), _point(np.array(bounds.high) - offset)
        box: Bounds = replace(bounds, low=low, high=high, level=bounds.level - float(offset[1]))
        return self._frame[1], replace(camera, bounds=box, target=_point(np.array(camera.target) - offset))

    def _moved(self, frame: Frame, offset: Array) -> Frame:
        grid = replace(frame.grid, origin=_point(np.array(frame.grid.origin) - offset))
        bodies = tuple(replace(body, position=body.position - offset) for body in frame.bodies)
        prepared = None if frame.prepared is None else frame.prepared.moved(offset)
        around = frame.around
        if around is not None:
            self._around = self._around or NearOrigin()
            around = self._around._moved(around, offset)
        bed = self._moved_bed(frame, float(offset[1]))
        return frame.changed(grid=grid, bed=bed, bodies=bodies, prepared=prepared, around=around)

    def _moved_bed(self, frame: Frame, lift: float) -> NDArray[np.float32]:
        if lift == 0.0:
            return frame.bed
        if self._bed is None or self._bed[0] is not frame.bed or self._bed[1] != frame.grid:
            self._bed = frame.bed, frame.grid, (frame.bed.astype(np.float64) - lift).astype(np.float32)
        return self._bed[2]


def far_offset(grid: Grid) -> Array:
    """The middle of still water [m], shape (3,), with 0 for each coordinate that is near 0."""
    width, length = grid.size
    middle = np.array(grid.origin) + np.array((0.5 * width, 0.0, 0.5 * length))
    return np.where(np.abs(middle) > min(FAR * max(width, length), FAR_IN_METRES), middle, 0.0)


def _point(values: Array) -> tuple[float, float, float]:
    x, y, z = values.tolist()
    return x, y, z

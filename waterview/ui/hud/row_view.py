"""One row of the water seen from the side: columns of height u over the ground, and their velocity v (Riehm 2021)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import Frame
from waterview.core.grid import widest_water
from waterview.render.camera.camera import OrbitCamera

MOST_COLUMNS = 256
"""Most columns that are drawn; of longer rows every second, third, … point is taken."""

MOST_MAGNIFIED = 200.0
"""Largest magnification of the heights: what is still smaller is seen as still."""

STILL_VELOCITY = 1e-6
"""Velocities below this [m/s] are drawn as none."""

_STILL_LINE = 0.45
_WAVES = 0.38
_DEPTH = 0.5

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RowView:
    """The columns of one row of a frame; heights count from still water.

    Attributes:
        row: its number.
        z: its place [m].
        x: places of the columns [m], shape (n,).
        heights: u, shape (n,) [m]; 0 on land.
        ground: shape (n,) [m]; above 0 where it is dry.
        dry: points without water, shape (n,) bool.
        velocity: v, how fast the columns have risen since the frame before [m/s], shape (n,), or None if not known.
    """

    row: int
    z: float
    x: Floats
    heights: Floats
    ground: Floats
    dry: NDArray[np.bool_]
    velocity: Floats | None

    @property
    def title(self) -> str:
        """Which row it is, in words."""
        return f"row {self.row} at z = {self.z:.4g} m"


def row_of(frame: Frame, row: int, before: Frame | None = None) -> RowView:
    """Row `row` of `frame`; velocities where `before` is an earlier frame of the same water.

    Where the surface also moves sideways, columns stand where they would at rest.
    """
    stride = -(-frame.grid.shape[1] // MOST_COLUMNS)
    points = row, slice(None, None, stride)
    heights = frame.heights[points].astype(np.float64)
    velocity = None
    if before is not None and before.bed is frame.bed and before.time < frame.time:
        velocity = (heights - before.heights[points]) / (frame.time - before.time)
    dry = frame.fixed[points]
    ground = frame.bed[points].astype(np.float64) - frame.grid.level
    return RowView(row, float(frame.grid.z[row]), frame.grid.x[::stride], heights, ground, dry, velocity)


class RowWatch:
    """Keeps the view of one row up to date."""

    def __init__(self) -> None:
        self.view: RowView | None = None
        self._frame: Frame | None = None
        self._before: Frame | None = None

    def update(self, frame: Frame, place: tuple[float, float] | None) -> None:
        """See the row of `frame` at world x, z [m]; None means the last one, or that of the widest water.

        `view` stays the same object as long as nothing has changed.
        """
        if self._frame is not frame:
            later = self._frame is not None and self._frame.time != frame.time
            self._before, self._frame = (self._frame if later else self._before), frame
            stays = False
        else:
            stays = self.view is not None
        row = self._row(frame, place)
        if not stays or self.view is None or self.view.row != row:
            self.view = row_of(frame, row, self._before)

    def _row(self, frame: Frame, place: tuple[float, float] | None) -> int:
        last = frame.grid.shape[0] - 1
        if place is None and self.view is not None:
            return min(self.view.row, last)
        _, z = place or widest_water(frame.grid, frame.fixed)
        return min(max(round(frame.grid.to_cell(0.0, z)[1]), 0), last)


@dataclass(frozen=True, eq=False)
class Columns:
    """A `RowView` as it is drawn in a picture, in pixels from the upper left corner.

    Attributes:
        left, right: of every column, shape (n,).
        ground: upper end of the ground, likewise.
        surface: upper end of the water, likewise; that of the ground where it is dry.
        still: height of still water.
        magnified: how much larger heights of waves are drawn than depths.
        velocity: the line of velocities, shape (n,), about `still`, not a number where it is dry; None if they are not
            known.
        fastest: velocity [m/s] at the line's farthest.
    """

    left: Floats
    right: Floats
    ground: Floats
    surface: Floats
    still: float
    magnified: float
    velocity: Floats | None
    fastest: float


def columns_of(view: RowView, width: float, height: float) -> Columns:
    """Where everything of `view` is drawn in a picture of width × height pixels.

    The deepest ground lies at the bottom. Waves, mostly far lower than the water is deep, are magnified by 1, 2, 5,
    10, … so that they can be seen; where that would put the surface below the ground, the ground is seen.
    """
    edges = np.linspace(0.0, width, len(view.x) + 1)
    highest = float(np.abs(view.heights).max())
    scale = height * min(_share(_DEPTH, -float(view.ground.min())), _share(_WAVES, highest))
    scale = scale if math.isfinite(scale) else 1.0
    magnified = _round_down(min(height * _share(_WAVES, highest) / scale, MOST_MAGNIFIED))
    still = _STILL_LINE * height
    ground = np.clip(still - scale * view.ground, 0.0, height)
    surface = np.where(view.dry, ground, np.clip(still - scale * magnified * view.heights, 0.0, ground))
    fastest = 0.0 if view.velocity is None else float(np.abs(view.velocity).max())
    velocity = None
    if view.velocity is not None:
        line = still - view.velocity * (_WAVES * height / max(fastest, STILL_VELOCITY))
        velocity = np.where(view.dry, np.nan, line)
    return Columns(edges[:-1], edges[1:], ground, surface, still, magnified, velocity, fastest)


def line_in_scene(view: RowView, level: float, camera: OrbitCamera, size: tuple[int, int]) -> Floats:
    """Where the row lies in the window, shape (n, 2) in pixels: along the water, and over the land.

    It ends where the camera can no longer see it before itself.

    Args:
        view: the row.
        level: world height of still water [m].
        camera: what the window looks through.
        size: of the window.
    """
    y = level + np.where(view.dry, view.ground, view.heights)
    points = np.stack((view.x, y, np.full_like(y, view.z), np.ones_like(y)))
    clip = camera.projection(size[0] / max(size[1], 1)) @ camera.view() @ points
    clip = clip[:, clip[3] > 0.0]
    return np.stack((0.5 * (1.0 + clip[0] / clip[3]) * size[0], 0.5 * (1.0 - clip[1] / clip[3]) * size[1]), axis=1)


def _share(share: float, length: float) -> float:
    return share / length if length > 0.0 else math.inf


def _round_down(factor: float) -> float:
    """The largest of 1, 2, 5, 10, … that is no more than `factor`, at least 1."""
    if not factor > 1.0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(factor) + 1e-9)
    return power * max(step for step in (1.0, 2.0, 5.0) if step * power <= factor * (1.0 + 1e-9))

"""One row of the water from the side: columns of height u over the ground, and their velocity v (Riehm 2021)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import Frame
from waterview.core.grid import widest_water
from waterview.render.camera.camera import OrbitCamera
from waterview.ui.dear_imgui import imgui

from .boxes import PADDING, begin_box
from .dock import Area

MOST_COLUMNS = 256
"""Most columns that are drawn; of longer rows only every second, third, … point."""

MOST_MAGNIFIED = 200.0
"""Largest magnification of the heights; smaller waves look still."""

STILL_VELOCITY = 1e-6
"""Velocities below this [m/s] are drawn as 0."""

_STILL_LINE = 0.45
_WAVES = 0.38
_DEPTH = 0.5
_ROW_SIZE = (0.6, 0.24)
_LEAST = 32.0
"""Shortest side of the picture, in window units; where there is less room nothing is drawn."""
_GROUND, _WATER, _STILL = (0.55, 0.45, 0.33, 1.0), (0.30, 0.62, 0.78, 1.0), (1.0, 1.0, 1.0, 0.45)
_LABELS = ((1.0, 1.0, 1.0, 1.0), (0.60, 0.86, 1.0, 1.0), (1.0, 0.80, 0.48, 1.0))
"""Colours of the title, of what is told of the height and of the velocity: those of their lines, but brighter."""
_VELOCITY, _MARKED = (1.0, 0.74, 0.36, 1.0), (0.93, 0.24, 0.20, 1.0)

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RowView:
    """The columns of one row of a frame; heights count from still water.

    Attributes:
        row: its number.
        z: of the row [m].
        x: of the columns [m], shape (n,).
        heights: u, shape (n,) [m]; 0 on land.
        ground: shape (n,) [m]; above 0 where it is dry.
        dry: points without water, shape (n,) bool.
        velocity: v, the rate at which the columns rise [m/s], shape (n,), or None if unknown.
        marked: number of the column under the pointer or at the probe, or None.
    """

    row: int
    z: float
    x: Floats
    heights: Floats
    ground: Floats
    dry: NDArray[np.bool_]
    velocity: Floats | None
    marked: int | None = None

    @property
    def name(self) -> str:
        """Which row it is, and where."""
        return f"row {self.row} at z = {self.z:.4g} m"

    @property
    def title(self) -> str:
        """Name of the row, and of the column that is marked."""
        return self.name if self.marked is None else f"{self.name}, column at x = {self.x[self.marked]:.4g} m"


def row_of(frame: Frame, row: int, before: Frame | None = None, marked: int | None = None) -> RowView:
    """Row `row` of `frame` with a column `marked`, and with velocities if `before` is an earlier frame of this water.

    A surface that also moves sideways is shown at the positions of rest.
    """
    stride = -(-frame.grid.shape[1] // MOST_COLUMNS)
    points = row, slice(None, None, stride)
    heights = frame.heights[points].astype(np.float64)
    velocity = None
    if before is not None and before.bed is frame.bed and before.time < frame.time:
        velocity = (heights - before.heights[points]) / (frame.time - before.time)
    dry = frame.fixed[points]
    ground = frame.bed[points].astype(np.float64) - frame.grid.level
    return RowView(row, float(frame.grid.z[row]), frame.grid.x[::stride], heights, ground, dry, velocity, marked)


class RowWatch:
    """Keeps the view of one row up to date."""

    def __init__(self) -> None:
        self.view: RowView | None = None
        self._frame: Frame | None = None
        self._before: Frame | None = None

    def update(self, frame: Frame, place: tuple[float, float] | None) -> None:
        """Show the row of `frame` at world x, z [m]; None is the last row, or that of the widest water.

        `view` stays the same object as long as nothing has changed.
        """
        is_new = self._frame is not frame
        if is_new and self._frame is not None and self._frame.time != frame.time:
            self._before = self._frame
        self._frame = frame
        row, marked = self._row(frame, place), None if place is None else _column(frame, place[0])
        if is_new or self.view is None or (self.view.row, self.view.marked) != (row, marked):
            self.view = row_of(frame, row, self._before, marked)

    def _row(self, frame: Frame, place: tuple[float, float] | None) -> int:
        last = frame.grid.shape[0] - 1
        if place is None and self.view is not None:
            return min(self.view.row, last)
        _, z = place or widest_water(frame.grid, frame.fixed)
        return min(max(round(frame.grid.to_cell(0.0, z)[1]), 0), last)


def _column(frame: Frame, x: float) -> int:
    """Number of the column of `row_of` that is nearest to world x [m]."""
    points = frame.grid.shape[1]
    stride = -(-points // MOST_COLUMNS)
    nearest = round(frame.grid.to_cell(x, 0.0)[0] / stride)
    return min(max(nearest, 0), (points - 1) // stride)


@dataclass(frozen=True, eq=False)
class Columns:
    """A `RowView` as drawn, in pixels from the upper left corner of its picture.

    Attributes:
        left, right: of every column, shape (n,).
        ground: upper end of the ground, shape (n,).
        surface: upper end of the water, shape (n,); that of the ground where it is dry.
        still: height of still water.
        magnified: scale of the heights of waves, relative to that of depths.
        velocity: the line of velocities around `still`, shape (n,), NaN where it is dry; None if they are unknown.
        fastest: highest velocity [m/s].
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
    """Lay out `view` in a picture of width × height pixels, with the deepest ground at the bottom.

    Waves are mostly much lower than the water is deep, so they are magnified by 1, 2, 5, 10, … Where that would put the
    surface below the ground, the ground is shown.
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
    """The row in the window, over water and land: shape (n, 2), in pixels, without what is behind the camera.

    Args:
        view: the row.
        level: world height of still water [m].
        camera: of the window.
        size: of the window.
    """
    y = level + np.where(view.dry, view.ground, view.heights)
    places = camera.project(np.stack((view.x, y, np.full_like(y, view.z)), axis=1), size)
    return np.asarray(places[places[:, 2] > 0.0, :2])


def _share(share: float, length: float) -> float:
    return share / length if length > 0.0 else math.inf


def _round_down(factor: float) -> float:
    """The largest of 1, 2, 5, 10, … that is no more than `factor`, at least 1."""
    if not factor > 1.0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(factor) + 1e-9)
    return power * max(step for step in (1.0, 2.0, 5.0) if step * power <= factor * (1.0 + 1e-9))


def row_labels(view: RowView, columns: Columns) -> tuple[str, str, str]:
    """Name of the row, its heights and its velocities as text: of the column that is marked, or the largest."""
    one = view.marked
    highest = float(np.abs(view.heights).max())
    magnified = f", drawn × {columns.magnified:g}" if columns.magnified > 1.0 else ""
    if one is not None and view.dry[one]:
        return view.title, f"land{magnified}", ""
    height = f"u up to {highest:.3g} m" if one is None else f"u {view.heights[one]:.3g} m"
    velocity = "v not known yet"
    if view.velocity is not None:
        velocity = f"v up to {columns.fastest:.3g} m/s" if one is None else f"v {view.velocity[one]:.3g} m/s"
    return view.title, f"{height}{magnified}", velocity


def fitting_labels(
    view: RowView, columns: Columns, width: float, width_of: Callable[[str], float], gap: float
) -> list[str]:
    """What of `row_labels` fits into `width`, `gap` apart: its numbers go before a title that names the column, too."""
    title, *values = row_labels(view, columns)
    whole, shorter = [title, *values], [view.name, *values]
    for labels in (whole, shorter, shorter[:-1]):
        if sum(map(width_of, labels)) + gap * (len(labels) - 1) <= width:
            return labels
    return [view.name]


def draw_row(view: RowView, area: Area) -> float:
    """Draw the columns of a row and their velocities in the lower left corner of `area`; returns the box's height."""
    screen, padding = imgui.get_io().display_size, imgui.get_style().window_padding
    width = min(_ROW_SIZE[0] * screen.x, area.width - 2.0 * padding.x)
    height = min(_ROW_SIZE[1] * screen.y, area.height - 3.0 * imgui.get_font_size())
    if width < max(imgui.calc_text_size(view.name).x, _LEAST) or height < _LEAST:
        return 0.0
    columns = columns_of(view, width, height)
    gap = 1.5 * imgui.get_font_size()
    labels = fitting_labels(view, columns, width, lambda label: float(imgui.calc_text_size(label).x), gap)
    # ImGui would fit a box to what it held in the picture before, and the map beside it may have grown since.
    around = imgui.get_text_line_height_with_spacing() + 2.0 * padding.y
    imgui.set_next_window_size(imgui.ImVec2(width + 2.0 * padding.x, height + around))
    begin_box("row", (area.left, area.bottom), (0.0, 1.0), cover=0.65, fits=False)
    for number, label in enumerate(labels):
        if number:
            imgui.same_line(spacing=gap)
        imgui.text_colored(imgui.ImVec4(*_LABELS[number]), label)
    corner = imgui.get_cursor_screen_pos()
    imgui.dummy(imgui.ImVec2(width, height))
    _draw_columns(columns, corner.x, corner.y, height, view.marked)
    taken = imgui.get_window_size().y + PADDING
    imgui.end()
    return float(taken)


def _draw_columns(columns: Columns, left: float, top: float, height: float, marked: int | None) -> None:
    paint, point = imgui.get_window_draw_list(), imgui.ImVec2
    ground, water, still, velocity, red = (
        imgui.color_convert_float4_to_u32(imgui.ImVec4(*colour))
        for colour in (_GROUND, _WATER, _STILL, _VELOCITY, _MARKED)
    )
    gap = 1.0 if columns.right[0] - columns.left[0] > 4.0 else 0.0
    sides = columns.left + left, columns.right + left - gap, columns.ground + top, columns.surface + top
    for number, (start, stop, bottom, surface) in enumerate(np.stack(sides, axis=1)):
        is_marked = number == marked
        paint.add_rect_filled(point(start, bottom), point(stop, top + height), ground)
        if surface < bottom:
            paint.add_rect_filled(point(start, surface), point(stop, bottom), red if is_marked else water)
    end = left + float(columns.right[-1])
    paint.add_line(point(left, top + columns.still), point(end, top + columns.still), still)
    if columns.velocity is not None:
        middles = 0.5 * (columns.left + columns.right) + left
        _draw_line(paint, np.stack((middles, columns.velocity + top), axis=1), velocity)


def draw_line_in_scene(places: NDArray[np.float64]) -> None:
    """Draw a thin line over the scene and under the interface, through points of the window, shape (n, 2)."""
    _draw_line(imgui.get_background_draw_list(), places, imgui.color_convert_float4_to_u32(imgui.ImVec4(*_VELOCITY)))


def _draw_line(paint: imgui.ImDrawList, places: NDArray[np.float64], colour: int) -> None:
    """A line through `places`, interrupted at NaN."""
    points = [imgui.ImVec2(x, y) if np.isfinite(x + y) else None for x, y in places]
    for one, other in pairwise(points):
        if one is not None and other is not None:
            paint.add_line(one, other, colour, 1.5)

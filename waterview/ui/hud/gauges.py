"""Gauges in the window: marks where they stand, and live plots of what they measure beside what was measured there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import Frame
from waterview.core.gauges import GaugeSeries
from waterview.render.camera.camera import OrbitCamera
from waterview.ui.dear_imgui import imgui, implot

from .boxes import PADDING, begin_box, text_box
from .dock import Area

Curve = NDArray[np.float64]

MOST_POINTS = 1000
"""Most points of a curve; of longer series the lowest and the highest of every few values are drawn."""

_REACH = 18.0
"""How near the pointer must be to a mark to mean its gauge, in window units."""
_POLE = 26.0
"""Height of a mark, in window units."""
_COLOUR = (1.0, 0.86, 0.35, 1.0)
_MEASURED, _SIMULATED, _PLAIN = (0.98, 0.71, 0.68, 1.0), (0.70, 0.80, 0.89, 1.0), (1.0, 1.0, 1.0, 1.0)
"""Colours of texts; the first two are those of ImPlot's map "Pastel", which the curves have."""
_SHADE = (0.0, 0.0, 0.0, 0.6)
_NARROWEST = 9.0
"""Least width of a plot, in heights of the font."""
_LOWEST_PLOT = 4.5
"""Lowest height of a plot, in heights of the font; gauges for which there is no room are counted in a line."""


@dataclass(frozen=True)
class GaugeMark:
    """Where a gauge is seen in the window.

    Attributes:
        name: of the gauge.
        x, y: the foot of its mark, on the water, in window units.
    """

    name: str
    x: float
    y: float


def gauge_marks(frame: Frame, camera: OrbitCamera, size: tuple[int, int]) -> list[GaugeMark]:
    """The marks of all gauges in front of the camera; land does not hide them."""
    marks = []
    for gauge in frame.gauges:
        surface = float(gauge.surface[-1]) if len(gauge.surface) else 0.0
        x, y, depth = camera.project((gauge.x, frame.grid.level + surface, gauge.z), size)
        if depth > 0.0:
            marks.append(GaugeMark(gauge.name, x, y))
    return marks


def mark_at(marks: Sequence[GaugeMark], x: float, y: float) -> str | None:
    """The name of the gauge whose mark is nearest to x, y in the window, if it is near enough."""
    distances = {mark.name: min(math.hypot(mark.x - x, mark.y - up - y) for up in (0.0, _POLE)) for mark in marks}
    nearest = min(distances, key=distances.__getitem__, default=None)
    return nearest if nearest is not None and distances[nearest] <= _REACH else None


def draw_marks(marks: Sequence[GaugeMark]) -> None:
    """Draw a pole with the name of its gauge at every mark, over the scene and under the interface."""
    paint, point = imgui.get_background_draw_list(), imgui.ImVec2
    colour, shade = (imgui.color_convert_float4_to_u32(imgui.ImVec4(*rgba)) for rgba in (_COLOUR, _SHADE))
    for mark in marks:
        foot, top = point(mark.x, mark.y), point(mark.x, mark.y - _POLE)
        paint.add_line(foot, top, shade, 4.0)
        paint.add_line(foot, top, colour, 2.0)
        paint.add_circle_filled(foot, 3.5, colour)
        size = imgui.calc_text_size(mark.name)
        corner = point(mark.x + 2.0, mark.y - _POLE - 0.5 * size.y)
        end = point(corner.x + size.x + 8.0, corner.y + size.y)
        paint.add_rect_filled(corner, end, shade, 3.0)
        paint.add_text(point(corner.x + 4.0, corner.y), colour, mark.name)


def shown_times(gauges: Sequence[GaugeSeries], span: float) -> tuple[float, float]:
    """First and last time that the plots show [s].

    The last `span` [s] before the newest reading, or as much as a measured series is long; to its end if that is later.
    """
    measured = [gauge.measured.times for gauge in gauges if gauge.measured is not None]
    last = max(float(times[-1]) for times in (*(gauge.times for gauge in gauges), *measured))
    longest = max((span, *(float(times[-1] - times[0]) for times in measured)))
    first = min(float(times[0]) for times in (*(gauge.times for gauge in gauges), *measured))
    first = max(first, last - longest)
    return first, max(last, first + 1e-3)


def thinned(times: Curve, values: NDArray[np.floating]) -> tuple[Curve, Curve]:
    """A curve of at most `MOST_POINTS` points that keeps the lowest and the highest value of every stretch."""
    stride = 1
    while 2 * (len(times) // stride) > MOST_POINTS and len(times) > MOST_POINTS:
        stride *= 2  # powers of two, so that a growing series is not divided anew with every reading
    if stride == 1:
        return times, values.astype(np.float64)
    count = len(times) // stride
    parts = values[: count * stride].reshape(count, stride)
    ends = np.stack((parts.min(axis=1), parts.max(axis=1)), axis=1).ravel()
    thin = np.repeat(times[: count * stride : stride], 2)
    return np.append(thin, times[-1]), np.append(ends, values[-1]).astype(np.float64)


def readings(gauge: GaugeSeries) -> list[str]:
    """The newest values of a gauge as texts: surface, depth, and flow where it is known."""
    if not len(gauge.times):
        return ["no reading yet"]
    surface, depth, along_x, along_z = (float(values[-1]) for values in gauge.values)
    known = [f"{surface:+.3g} m", f"depth {depth:.3g} m"]
    return known if math.isnan(along_x) else [*known, f"flow {along_x:.2g}, {along_z:.2g} m/s"]


def draw_gauges(gauges: Sequence[GaugeSeries], span: float, area: Area) -> None:
    """Plot the surface at every gauge over the last `span` [s] in the upper right of `area`."""
    gauges = [gauge for gauge in gauges if len(gauge.times)]
    screen, em, padding = imgui.get_io().display_size, imgui.get_font_size(), imgui.get_style().window_padding
    around = imgui.get_text_line_height_with_spacing() + imgui.get_style().item_spacing.y
    rest = 2.0 * padding.y + around  # its frame, and the line that counts what has no room
    room = min(area.height - rest, 0.62 * screen.y)
    if not gauges:
        return
    if room < around + _LOWEST_PLOT * em or area.width < _NARROWEST * em:
        text = f"{len(gauges)} gauges: in the panel (F2)"
        if area.height > 2.0 * em and area.width > imgui.calc_text_size(text).x + 2.0 * PADDING:
            text_box("gauges", (area.right, area.top), text, area.width, pivot=(1.0, 0.0))
        return
    count = min(len(gauges), max(1, int(room / (around + _LOWEST_PLOT * em))))
    height = min(room / count - around, 8.0 * em)
    times = shown_times(gauges[:count], span)
    width = min(max(0.32 * screen.x, 18.0 * em), area.width - 2.0 * padding.x)
    begin_box("gauges", (area.right, area.top), (1.0, 0.0), cover=0.6)
    implot.push_colormap(implot.Colormap_.pastel)
    for number, gauge in enumerate(gauges[:count]):
        _draw_title(gauge, width)
        _draw_plot(gauge, times, (width, height), is_last=number == count - 1)
    implot.pop_colormap()
    if count < len(gauges):
        imgui.text_unformatted(f"and {len(gauges) - count} more in the panel (F2)")
    imgui.end()


def _draw_title(gauge: GaugeSeries, width: float) -> None:
    """Name and newest values in a line, without the values for which there is no room; curves have the colours."""
    surface, *others = readings(gauge)
    texts = [(f"{gauge.name}: {surface}", _SIMULATED)]
    texts += [] if gauge.measured is None else [("measured", _MEASURED)]
    texts += [(text, _PLAIN) for text in others]
    gap = imgui.get_font_size()
    for number, (text, colour) in enumerate(texts):
        width -= imgui.calc_text_size(text).x + gap
        if number and width < -gap:
            return
        if number:
            imgui.same_line(spacing=gap)
        imgui.text_colored(imgui.ImVec4(*colour), text)


def _draw_plot(gauge: GaugeSeries, times: tuple[float, float], size: tuple[float, float], *, is_last: bool) -> None:
    simulated = _cut(gauge.times, gauge.surface, times)
    measured = None if gauge.measured is None else _cut(gauge.measured.times, gauge.measured.surface, times)
    low, high = _bounds([simulated[1]] if measured is None else [simulated[1], measured[1]])
    flags, axis = implot.Flags_, implot.AxisFlags_
    plain = flags.no_title | flags.no_inputs | flags.no_menus | flags.no_mouse_text | flags.no_legend
    if implot.begin_plot(f"##{gauge.name}", imgui.ImVec2(*size), plain):
        implot.setup_axes("", "", axis.none if is_last else axis.no_tick_labels, axis.none)
        implot.setup_axes_limits(*times, low, high, implot.Cond_.always)
        em = imgui.get_font_size()
        _label(implot.ImAxis_.x1, times, "s", size[0] / (5.0 * em))
        _label(implot.ImAxis_.y1, (low, high), "m", size[1] / (2.5 * em))
        if measured is None:
            implot.next_colormap_color()
        else:
            implot.plot_line("measured", *thinned(*measured))
        implot.plot_line("simulated", *thinned(*simulated))
        implot.end_plot()


def _label(axis: int, limits: tuple[float, float], unit: str, most: float) -> None:
    """Label round numbers within the limits of an axis, no more than `most`."""
    values = round_numbers(*limits, max(int(most), 1))
    implot.setup_axis_ticks(axis, values, [f"{value:.6g} {unit}" for value in values])


def round_numbers(low: float, high: float, most: int) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten from `low` to `high`, at most `most`, evenly apart.

    The step is the smallest with which there are no more.
    """
    power = 10.0 ** math.floor(math.log10((high - low) / (most + 1)))
    for step in (power, 2.0 * power, 5.0 * power, 10.0 * power, 20.0 * power, 50.0 * power):
        first, last = math.ceil(low / step), math.floor(high / step)
        if last - first < most:
            break
    return [number * step for number in range(first, last + 1)]


def _cut(
    times: NDArray[np.float64], values: NDArray[np.floating], shown: tuple[float, float]
) -> tuple[NDArray[np.float64], NDArray[np.floating]]:
    """The part of a series that is shown, with a point beyond each end."""
    start, stop = np.searchsorted(times, shown)
    part = slice(max(int(start) - 1, 0), int(stop) + 1)
    return times[part], values[part]


def _bounds(series: Sequence[NDArray[np.floating]]) -> tuple[float, float]:
    """Limits of the heights with some room, so that a curve at rest lies in the middle."""
    every = np.concatenate(series)
    low, high = float(every.min()), float(every.max())
    room = max(0.1 * (high - low), 1e-3 * max(abs(low), abs(high)), 1e-5)
    return low - room, high + room

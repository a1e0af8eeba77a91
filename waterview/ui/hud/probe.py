"""A gauge in the water: the height at one place over time, and its plot."""

from __future__ import annotations

from collections import deque

import numpy as np

from waterview.core.frame import Frame
from waterview.ui.dear_imgui import imgui

from .boxes import begin_box
from .dock import Area

SPAN = 10.0
"""How long a probe keeps heights [s of simulated time]."""


class Probe:
    """Measures the height of the water at one place in every frame.

    Attributes:
        x, z: its place in the world [m].
        times, heights: measurements of the last `SPAN` seconds [s], [m].
    """

    def __init__(self, x: float, z: float) -> None:
        self.x, self.z = x, z
        self.times: deque[float] = deque()
        self.heights: deque[float] = deque()

    def note(self, frame: Frame) -> None:
        """Measure in `frame`, unless its time was measured already; if time went back, begin anew."""
        if self.times and frame.time == self.times[-1]:
            return
        if self.times and frame.time < self.times[-1]:
            self.times.clear()
            self.heights.clear()
        self.times.append(frame.time)
        self.heights.append(frame.grid.sample(frame.heights, self.x, self.z))
        while self.times[0] < frame.time - SPAN:
            self.times.popleft()
            self.heights.popleft()


def draw_probe(probe: Probe, area: Area) -> float:
    """Plot the heights of a probe in the upper right of `area`; returns where its box ends."""
    screen, padding = imgui.get_io().display_size, imgui.get_style().window_padding
    heights = np.array(probe.heights, np.float32)
    text = f"height at {probe.x:.4g}, {probe.z:.4g}: {heights[-1]:.3g} m" if heights.size else ""
    room = imgui.ImVec2(area.width - 2.0 * padding.x, area.height - 3.0 * imgui.get_font_size())
    if heights.size < 2 or room.y < imgui.get_font_size() or room.x < 6.0 * imgui.get_font_size():
        return area.top
    bound = float(np.abs(heights).max()) or 1.0
    width = min(max(0.3 * screen.x, imgui.calc_text_size(text).x), room.x)
    text = f"{text}, up to {bound:.3g} m"
    plot = imgui.ImVec2(width, min(0.18 * screen.y, room.y))
    # Measured here, because ImGui by itself takes the size of the last frame's content.
    above = imgui.calc_text_size(text, wrap_width=width).y + imgui.get_style().item_spacing.y
    height = above + plot.y + 2.0 * padding.y
    imgui.set_next_window_size(imgui.ImVec2(width + 2.0 * padding.x, height))
    begin_box("probe", (area.right, area.top), (1.0, 0.0), fits=False)
    imgui.push_text_wrap_pos(width + padding.x)
    imgui.text_unformatted(text)
    imgui.pop_text_wrap_pos()
    imgui.plot_lines("##probe", heights, scale_min=-bound, scale_max=bound, graph_size=plot)
    imgui.end()
    return float(area.top + height)

"""A gauge in the water: the height at one place over time, and its plot."""

from __future__ import annotations

from collections import deque

import numpy as np
from imgui_bundle import imgui

from waterview.core.frame import Frame

from .boxes import MARGIN, begin_box

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


def draw_probe(probe: Probe, top: float) -> float:
    """Plot the heights of a probe below the height `top` at the right edge; returns where its box ends."""
    screen = imgui.get_io().display_size
    heights = np.array(probe.heights, np.float32)
    if heights.size < 2:
        return top
    bound = float(np.abs(heights).max()) or 1.0
    begin_box("probe", (screen.x - MARGIN, top), (1.0, 0.0))
    imgui.text_unformatted(f"height at {probe.x:.4g}, {probe.z:.4g}: {heights[-1]:.3g} m, up to {bound:.3g} m")
    size = imgui.ImVec2(0.3 * screen.x, 0.18 * screen.y)
    imgui.plot_lines("##probe", heights, scale_min=-bound, scale_max=bound, graph_size=size)
    end = top + float(imgui.get_window_size().y)
    imgui.end()
    return end

"""A gauge in the water: the height at one place over time."""

from __future__ import annotations

from collections import deque

from waterview.core.frame import Frame

SPAN = 10.0
"""Simulated time that a probe remembers [s]."""


class Probe:
    """Notes the height of the water at world x, z [m] in every frame.

    Attributes:
        x, z: where it stands [m].
        times, heights: what it has noted over the last `SPAN` seconds [s], [m].
    """

    def __init__(self, x: float, z: float) -> None:
        self.x, self.z = x, z
        self.times: deque[float] = deque()
        self.heights: deque[float] = deque()

    def note(self, frame: Frame) -> None:
        """Take down the height in `frame`, unless it is one already noted; time that went back begins anew."""
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

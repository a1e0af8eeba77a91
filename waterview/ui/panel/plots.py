"""Plots over the last frames: rates, mean level and energy."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from waterview.core.frame import Frame
from waterview.ui.dear_imgui import imgui

SPAN = 240
"""Number of frames that the plots show."""

_HEIGHT = 3.0
_TITLE_COLOUR = (0.62, 0.70, 0.76, 1.0)


@dataclass(frozen=True)
class Plot:
    """A curve: its title with the newest value, and its values, oldest first."""

    title: str
    values: np.ndarray


class History:
    """Collects the values of the plots, frame by frame."""

    def __init__(self) -> None:
        self._frame_time: deque[float] = deque(maxlen=SPAN)
        self._step_rate: deque[float] = deque(maxlen=SPAN)
        self._level: deque[float] = deque(maxlen=SPAN)
        self._energy: deque[float] = deque(maxlen=SPAN)
        self._serial: int | None = None

    def note(self, frame: Frame, seconds: float, steps_per_second: float) -> None:
        """Add one drawn frame that took `seconds`; level and energy only if the water publishes them."""
        self._frame_time.append(1e3 * seconds)
        self._step_rate.append(steps_per_second)
        if frame.totals is None:
            self._level.clear()
            self._energy.clear()
        elif frame.serial != self._serial:
            self._level.append(frame.totals.mean_level)
            parts = [part for part in (frame.totals.kinetic, frame.totals.potential) if part is not None]
            if parts:
                self._energy.append(sum(parts))
        self._serial = frame.serial

    def plots(self) -> list[Plot]:
        """Every curve with two values or more."""
        curves = (
            ("time of a frame {:.1f} ms", self._frame_time),
            ("steps a second {:.0f}", self._step_rate),
            ("mean level {:.3g} m", self._level),
            ("energy {:.3g} J", self._energy),
        )
        return [
            Plot(title.format(values[-1]), np.array(values, np.float32)) for title, values in curves if len(values) > 1
        ]


def draw_plot(plot: Plot) -> None:
    """Draw a curve under its title."""
    imgui.text_colored(imgui.ImVec4(*_TITLE_COLOUR), plot.title)
    size = imgui.ImVec2(-1.0, _HEIGHT * imgui.get_font_size())
    imgui.plot_lines(f"##{plot.title.split()[0]}", plot.values, graph_size=size)

"""The gauges in the panel: where each stands, what it reads, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from platformdirs import user_pictures_path

from waterview.core.commands import RemoveGauge, SetMeasured
from waterview.core.errors import InputError
from waterview.core.gauges import GaugeSeries
from waterview.output.gauge_files import save_gauges
from waterview.output.picture import dated_path
from waterview.ui.dear_imgui import imgui
from waterview.ui.hud.gauges import readings
from waterview.ui.viewer import Viewer

from .file_dialog import FileDialog

_TABLES = ["Tables of measurements", "*.csv *.txt", "All files", "*"]
_DIM = (0.62, 0.70, 0.76, 1.0)


class GaugeList:
    """Draws a line for every gauge, with buttons.

    Args:
        notify: shows a message to the user.

    Attributes:
        dialog: chooses the table of measurements to lay over a gauge.
    """

    def __init__(self, notify: Callable[[str], None]) -> None:
        self._notify = notify
        self.dialog = FileDialog("Measurements to lay over the gauge", _TABLES)
        self._chosen_for = ""

    def poll(self, viewer: Viewer) -> None:
        """Lay the file that the user has chosen over its gauge."""
        path = self.dialog.chosen()
        if path is not None:
            viewer.lay_over(self._chosen_for, path)

    def draw(self, viewer: Viewer) -> None:
        """Draw the list and do what its buttons ask for."""
        gauges = viewer.frame.gauges
        if not gauges:
            imgui.text_colored(imgui.ImVec4(*_DIM), "Ctrl+G adds a gauge under the pointer.")
            return
        for gauge in gauges:
            imgui.push_id(gauge.name)
            self._draw_gauge(gauge, viewer)
            imgui.pop_id()
        if imgui.button("Save as a table"):
            self._save(gauges)
        imgui.set_item_tooltip("Writes everything that the gauges have measured as .csv into the folder of pictures.")

    def _draw_gauge(self, gauge: GaugeSeries, viewer: Viewer) -> None:
        imgui.text_unformatted(f"{gauge.name} at {gauge.x:.4g}, {gauge.z:.4g}")
        imgui.text_colored(imgui.ImVec4(*_DIM), ", ".join(readings(gauge)))
        if gauge.measured is None:
            if imgui.button("Measured…"):
                self._choose(gauge.name)
            imgui.set_item_tooltip("A table of time [s] and height [m], to be laid over the curve of this gauge.")
        elif imgui.button("Hide measured"):
            viewer.post(SetMeasured(gauge.name))
        imgui.same_line()
        if imgui.button("Remove"):
            viewer.post(RemoveGauge(gauge.name))

    def _choose(self, name: str) -> None:
        problem = self.dialog.show()
        if problem:
            self._notify(problem)
        else:
            self._chosen_for = name

    def _save(self, gauges: tuple[GaugeSeries, ...]) -> None:
        path: Path = dated_path(user_pictures_path() / "waterview", ".csv")
        try:
            save_gauges(gauges, path)
            self._notify(f"saved {path}")
        except InputError as error:
            self._notify(str(error))

"""The system's own dialog to choose a file, asked once a frame whether it has an answer, so that the water runs on."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

_FILTERS = [
    "Heightmaps, presets and sessions",
    "*.tif *.tiff *.png *.asc *.hgt *.npy *.npz *.toml *.waterview",
    "All files",
    "*",
]
_LINUX_DIALOGS = ("zenity", "kdialog", "matedialog", "qarma")


class OpenDialog:
    """At most one open dialog."""

    def __init__(self) -> None:
        self._dialog: Any = None

    @property
    def is_open(self) -> bool:
        """Whether it waits for an answer."""
        return self._dialog is not None

    def show(self) -> str:
        """Show the dialog; returns what stands in the way, or nothing."""
        if self.is_open:
            return "the dialog is open already: look behind this window"
        if sys.platform.startswith("linux") and not any(map(shutil.which, _LINUX_DIALOGS)):
            return f"no dialog here: install one of {', '.join(_LINUX_DIALOGS)}, or drop the file into the window"
        from imgui_bundle import portable_file_dialogs as dialogs

        self._dialog = dialogs.open_file("Open a heightmap, preset or session", "", _FILTERS)
        return ""

    def chosen(self) -> Path | None:
        """The file that was chosen since the last call, if any; never waits."""
        if self._dialog is None or not self._dialog.ready(0):
            return None
        names, self._dialog = self._dialog.result(), None
        return Path(names[0]) if names else None

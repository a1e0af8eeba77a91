"""The system's dialog to open a file; it is polled once a frame, so that the water runs on."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from waterview.bodies.mesh_files import ENDINGS as MESH_ENDINGS
from waterview.terrain.readers import ENDINGS

_FILTERS = [
    "Heightmaps, presets, sessions, recordings and meshes",
    " ".join(f"*{ending}" for ending in (*ENDINGS, ".toml", ".waterview", "zarr.json", *MESH_ENDINGS)),
    "All files",
    "*",
]
_LINUX_DIALOGS = ("zenity", "kdialog", "matedialog", "qarma")


class FileDialog:
    """At most one dialog at a time.

    Args:
        title: of the dialog.
        filters: titles of kinds of files, each followed by the patterns of their names.
    """

    def __init__(
        self, title: str = "Open a heightmap, preset, session, recording or mesh", filters: Sequence[str] = _FILTERS
    ) -> None:
        self._title, self._filters = title, list(filters)
        self._dialog: Any = None

    @property
    def is_open(self) -> bool:
        """Whether the dialog waits for an answer."""
        return self._dialog is not None

    def show(self) -> str:
        """Show the dialog; returns an error message, or ""."""
        if self.is_open:
            return "the dialog is open already: look behind this window"
        if sys.platform.startswith("linux") and not any(map(shutil.which, _LINUX_DIALOGS)):
            return f"no dialog here: install one of {', '.join(_LINUX_DIALOGS)}, or drop the file into the window"
        from imgui_bundle import portable_file_dialogs as dialogs

        self._dialog = dialogs.open_file(self._title, "", self._filters)
        return ""

    def chosen(self) -> Path | None:
        """The file chosen since the last call, or None; does not wait."""
        if self._dialog is None or not self._dialog.ready(0):
            return None
        names, self._dialog = self._dialog.result(), None
        return Path(names[0]) if names else None

"""The gallery of presets, in the panel and over the scene."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from waterview.scene.presets import PresetPreview
from waterview.ui.dear_imgui import imgui

Show = Callable[[str, NDArray[np.uint8]], int]
"""Gives pixels, shape (height, width, 4), a name and returns the texture that shows them."""

SIZE = (240, 135)
"""Width and height of the pictures [pixels]."""

_COLUMNS = 3
_NO_PICTURE = np.full((SIZE[1], SIZE[0], 4), (38, 60, 70, 255), np.uint8)


class Gallery:
    """Draws previews side by side.

    Args:
        show: makes a texture of a picture.

    Attributes:
        places: of the previews on the screen, by name: x, y, width, height.
    """

    def __init__(self, show: Show) -> None:
        self._show = show
        self._textures: dict[str, int] = {}
        self.places: dict[str, tuple[float, float, float, float]] = {}

    def draw(self, previews: Sequence[PresetPreview], chosen: str, columns: int = _COLUMNS) -> str | None:
        """Describe the previews to ImGui, the `chosen` one marked; returns the name of the one clicked, if any."""
        clicked = None
        style = imgui.get_style()
        room = imgui.get_content_region_avail().x + style.item_spacing.x
        width = max(room / columns - style.item_spacing.x - 2.0 * style.frame_padding.x, 1.0)
        for number, preview in enumerate(previews):
            if number % columns:
                imgui.same_line()
            imgui.begin_group()
            if imgui.image_button(f"##card {preview.name}", self._texture(preview), (width, width * SIZE[1] / SIZE[0])):
                clicked = preview.name
            self._note(preview)
            imgui.set_item_tooltip(preview.title.replace("%", "%%"))
            imgui.text_unformatted(f"› {preview.name}" if preview.name == chosen else preview.name)
            imgui.end_group()
        return clicked

    def _note(self, preview: PresetPreview) -> None:
        corner, size = imgui.get_item_rect_min(), imgui.get_item_rect_size()
        self.places[preview.name] = (corner.x, corner.y, size.x, size.y)

    def _texture(self, preview: PresetPreview) -> imgui.ImTextureRef:
        if preview.name not in self._textures:
            self._textures[preview.name] = self._show(f"preset {preview.name}", read_picture(preview.picture))
        return imgui.ImTextureRef(self._textures[preview.name])


def read_picture(path: Path | None) -> NDArray[np.uint8]:
    """The pixels of a small picture, shape (height, width, 4); plain ones where there is none or it cannot be read."""
    if path is None:
        return _NO_PICTURE
    try:
        with Image.open(path) as picture:
            return np.asarray(picture.convert("RGBA").resize(SIZE), np.uint8)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):  # as Pillow tells of damaged files
        return _NO_PICTURE

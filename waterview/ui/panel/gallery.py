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
_TOLD = 24.0
"""Longest line of what is told of a preset, in heights of the font."""
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
            if imgui.is_item_hovered(imgui.HoveredFlags_.for_tooltip):
                self._tell(preview.title)
            imgui.text_unformatted(f"› {preview.name}" if preview.name == chosen else preview.name)
            imgui.end_group()
        return clicked

    def _note(self, preview: PresetPreview) -> None:
        corner, size = imgui.get_item_rect_min(), imgui.get_item_rect_size()
        self.places[preview.name] = (corner.x, corner.y, size.x, size.y)

    def _tell(self, title: str) -> None:
        """Tell what a preset is, above its picture: the names of others stay uncovered."""
        corner, across = imgui.get_item_rect_min(), imgui.get_item_rect_size().x
        wrap, gap = _TOLD * imgui.get_font_size(), imgui.get_style().item_spacing.y
        size = imgui.calc_text_size(title, wrap_width=wrap)
        half = 0.5 * size.x + imgui.get_style().window_padding.x
        middle = min(max(corner.x + 0.5 * across, half), imgui.get_io().display_size.x - half)
        imgui.set_next_window_pos(imgui.ImVec2(middle, corner.y - gap), imgui.Cond_.always, imgui.ImVec2(0.5, 1.0))
        imgui.begin_tooltip()
        imgui.push_text_wrap_pos(wrap)
        imgui.text_unformatted(title)
        imgui.pop_text_wrap_pos()
        imgui.end_tooltip()

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

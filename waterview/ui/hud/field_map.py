"""Maps of a quantity inside the water, in colours that colour-blind people can tell apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from waterview.core.diagnostics import FieldMap
from waterview.ui.dear_imgui import imgui

from .boxes import begin_box
from .dock import Area

_SEQUENTIAL = np.array([(18, 10, 72), (28, 74, 128), (40, 138, 132), (134, 190, 96), (250, 228, 60)], float)
"""From dark to light, so that lightness alone shows the value."""

_DIVERGING = np.array([(16, 72, 160), (128, 176, 220), (246, 244, 240), (236, 172, 96), (160, 76, 8)], float)
"""Blue below, orange above, pale in the middle, without red and green."""

_SHARE = 0.32
"""Height of a map, as a share of the window's."""
_BAR = 16.0
_LOWEST = 24.0
"""Width of the colour bar, and lowest height of a map, in window units."""

LONGEST = 256
"""Most pixels along a side of a map; larger fields are subsampled."""


def colours(view: FieldMap) -> NDArray[np.uint8]:
    """A picture of the field, shape (height, width, 4), row 0 at the lowest z, with at most `LONGEST` pixels a side."""
    stride = -(-max(view.values.shape) // LONGEST)
    low, high = view.range
    shares = (view.values[::stride, ::stride].astype(np.float64) - low) / ((high - low) or 1.0)
    if view.diverging and high == low:
        shares[...] = 0.5  # every value is 0, the middle
    return _painted(shares, view.diverging)


def colour_bar(diverging: bool, height: int) -> NDArray[np.uint8]:
    """The scale of a map from its highest value on top to its lowest, shape (height, 1, 4)."""
    return _painted(np.linspace(1.0, 0.0, height)[:, None], diverging)


def _painted(shares: NDArray[np.float64], diverging: bool) -> NDArray[np.uint8]:
    """Colours of values from 0 to 1; NaN is black."""
    anchors = _DIVERGING if diverging else _SEQUENTIAL
    places = np.linspace(0.0, 1.0, len(anchors))
    channels = [np.interp(shares, places, anchors[:, channel]) for channel in range(3)]
    picture = np.stack([*channels, np.full(shares.shape, 255.0)], axis=-1)
    return np.asarray(np.nan_to_num(picture).round(), np.uint8)


def range_lines(view: FieldMap) -> tuple[str, str, str]:
    """Name, highest and lowest value of a map as text."""
    low, high = (value + 0.0 for value in view.range)  # −0 becomes 0
    return view.name, f"{high:.3g} {view.unit}".rstrip(), f"{low:.3g} {view.unit}".rstrip()


def draw_field(view: FieldMap, texture: int, bar: int, aspect: float, area: Area) -> Area:
    """Draw a map in the lower right corner of `area` with its colour bar; returns where it stands.

    Args:
        view: what is shown.
        texture: the map's texture, see `ImGuiLayer.picture`.
        bar: the colour bar's.
        aspect: width of the map over its height.
        area: of the window.
    """
    style, screen = imgui.get_style(), imgui.get_io().display_size
    around = 2.0 * style.window_padding.x + style.item_spacing.x + _BAR
    title = imgui.get_text_line_height_with_spacing() + 2.0 * style.window_padding.y
    height = min(_SHARE * screen.y, area.height - title, (area.width - around) / aspect)
    if height < _LOWEST:
        return area
    name, highest, lowest = range_lines(view)
    text = f"{name}: {lowest} to {highest}"
    if imgui.calc_text_size(text).x > area.width - 2.0 * style.window_padding.x:
        text = name
    width = max(height * aspect + around, min(imgui.calc_text_size(text).x + 2.0 * style.window_padding.x, area.width))
    imgui.set_next_window_size(imgui.ImVec2(width, height + title))
    begin_box("field", (area.right, area.bottom), (1.0, 1.0), fits=False)
    imgui.text_unformatted(text)
    imgui.image(imgui.ImTextureRef(texture), imgui.ImVec2(height * aspect, height))
    imgui.same_line()
    imgui.image(imgui.ImTextureRef(bar), imgui.ImVec2(_BAR, height))
    imgui.end()
    return Area(area.right - width, area.bottom - height - title, area.right, area.bottom)

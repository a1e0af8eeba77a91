"""Maps of what is inside the water as colours that colour-blind people can tell apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from waterview.core.diagnostics import FieldMap

_SEQUENTIAL = np.array([(18, 10, 72), (28, 74, 128), (40, 138, 132), (134, 190, 96), (250, 228, 60)], float)
"""From dark to light: lightness alone tells the value."""

_DIVERGING = np.array([(16, 72, 160), (128, 176, 220), (246, 244, 240), (236, 172, 96), (160, 76, 8)], float)
"""Blue below, orange above, pale in the middle: told apart without red or green."""

LONGEST = 256
"""Most pixels along a side of a map; larger fields are thinned."""


def colours(view: FieldMap) -> NDArray[np.uint8]:
    """A picture of the field, shape (height, width, 4), row 0 at the lowest z; larger than `LONGEST` it is thinned."""
    stride = -(-max(view.values.shape) // LONGEST)
    low, high = view.range
    shares = (view.values[::stride, ::stride].astype(np.float64) - low) / ((high - low) or 1.0)
    if view.diverging and high == low:
        shares[...] = 0.5  # all of it is 0, which is in the middle
    return _painted(shares, view.diverging)


def colour_bar(diverging: bool, height: int) -> NDArray[np.uint8]:
    """The scale of a map from its highest value on top to its lowest, shape (height, 1, 4)."""
    return _painted(np.linspace(1.0, 0.0, height)[:, None], diverging)


def _painted(shares: NDArray[np.float64], diverging: bool) -> NDArray[np.uint8]:
    """Colours of numbers of 0–1; what is not a number stays black."""
    anchors = _DIVERGING if diverging else _SEQUENTIAL
    places = np.linspace(0.0, 1.0, len(anchors))
    channels = [np.interp(shares, places, anchors[:, channel]) for channel in range(3)]
    picture = np.stack([*channels, np.full(shares.shape, 255.0)], axis=-1)
    return np.asarray(np.nan_to_num(picture).round(), np.uint8)

"""When ground is drawn as a swimming pool, and how large its tiles are."""

from __future__ import annotations

import math

from waterview.core.frame import Frame

_TILES_ALONG = 44.0


def tile_size(frame: Frame, look: str, wild: float) -> float:
    """Side of the pool's tiles [m]; 0 where the ground is drawn as nature.

    With the look "auto" a scene is a pool where `wild` is 0 (see `wildness`). Tiles measure 1, 2 or 5 times a power of
    ten metres, whichever puts about 44 of them along the longer side.
    """
    if look == "natural" or (look == "auto" and wild > 0.0):
        return 0.0
    wanted = max(frame.grid.size) / _TILES_ALONG
    power = 10.0 ** math.floor(math.log10(wanted))
    return power * min((1.0, 2.0, 5.0, 10.0), key=lambda step: abs(math.log(step * power / wanted)))

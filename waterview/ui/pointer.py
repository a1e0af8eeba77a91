"""The way of a pointer over the water, as places."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import Frame
from waterview.render.camera.picking import Hit, pick


def way(start: Hit | None, end: Hit | None, spacing: float) -> list[tuple[float, float]]:
    """World x, z of points after `start` up to `end`, about `spacing` [m] apart; none if they are closer than that."""
    if start is None or end is None:
        return []
    count = int(math.hypot(end.x - start.x, end.z - start.z) / spacing)
    shares = [number / count for number in range(1, count + 1)]
    return [(start.x + share * (end.x - start.x), start.z + share * (end.z - start.z)) for share in shares]


def hit_in_stroke(
    last: Hit | None, frame: Frame, origin: NDArray[np.float64], direction: NDArray[np.float64]
) -> Hit | None:
    """What a ray meets where a stroke begins, when `last` is None, and afterwards where it meets the level of `last`.

    The wall that a stroke raises stands at once under the pointer, which is on its near side: were it met, the stroke
    would creep towards the eye. None where the ray meets nothing, or runs beside the level or away from it; the
    nearest grid point stays that of `last`.
    """
    if last is None:
        return pick(frame, origin, direction)
    distance = (last.y - origin[1]) / direction[1] if direction[1] else -1.0
    if distance <= 0.0:
        return None
    return replace(last, x=float(origin[0] + distance * direction[0]), z=float(origin[2] + distance * direction[2]))

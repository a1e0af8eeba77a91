"""The way of a pointer over the water, as places."""

from __future__ import annotations

import math

from waterview.render.picking import Hit


def way(start: Hit | None, end: Hit | None, spacing: float) -> list[tuple[float, float]]:
    """World x, z of points after `start` up to `end`, about `spacing` [m] apart; none if they are closer than that."""
    if start is None or end is None:
        return []
    count = int(math.hypot(end.x - start.x, end.z - start.z) / spacing)
    shares = [number / count for number in range(1, count + 1)]
    return [(start.x + share * (end.x - start.x), start.z + share * (end.z - start.z)) for share in shares]

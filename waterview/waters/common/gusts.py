"""The shape of a gust on the water: rows of crests and troughs across its path, for every model that takes drops."""

from __future__ import annotations

import math

import numpy as np

from waterview.core.commands import Drop, Gust
from waterview.core.grid import Grid

CRESTS_ACROSS = 3
"""Ripples are as long as a third of the gust is wide."""

MAX_ROWS = 128
"""Most crests and troughs along a path; on longer ones ripples are longer too."""


def gust_drops(gust: Gust, grid: Grid) -> list[Drop]:
    """The drops of which `gust` consists; as many troughs as crests, each keeping its volume.

    They stand in rows across the path, crest after trough, highest in its middle.
    """
    length = math.hypot(gust.dx, gust.dz)
    along = np.array([gust.dx, gust.dz]) / length
    across = np.array([-along[1], along[0]])
    radius = max(gust.width / (2 * CRESTS_ACROSS), length / (2 * MAX_ROWS), grid.spacing)
    rows = 2 * max(1, round(length / (4.0 * radius)))
    columns = max(1, round(gust.width / (1.5 * radius)))
    drops = []
    for row in range(rows):
        for column in range(columns):
            s, n = (row + 0.5) / rows, (column + 0.5) / columns
            x, z = np.array([gust.x, gust.z]) + s * length * along + (n - 0.5) * gust.width * across
            height = gust.strength * math.sin(math.pi * s) * math.sin(math.pi * n) * (-1.0 if row % 2 else 1.0)
            drops.append(Drop(float(x), float(z), height, radius))
    return drops

"""The start of a lake that files give, by windows: the bits that a water in one piece would start with."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from waterview.core.commands import SetState
from waterview.core.rectangle import Rectangle
from waterview.scene.given_start import GivenStart
from waterview.terrain.placed_map import PlacedMap

from .ground import Ground, runs

_MOST_CHECKED = 1024
"""Points a side at which a start is looked at before the first step."""


class LakeStart:
    """The files of a start, read, on the ground of a lake.

    A raster is held whole, with at most as many samples as `waterview.terrain.overlay` takes.

    Args:
        files: which.
        ground: of the lake.

    Raises:
        InputError: a file cannot be read, or makes no sense.
    """

    def __init__(self, files: GivenStart, ground: Ground) -> None:
        assert isinstance(ground.heights, PlacedMap)
        self._fields, self._ground = files.on(ground.heights), ground

    def within(self, window: Rectangle) -> SetState:
        """The start in a window, which may reach beyond the ends of a grid that wraps.

        Raises:
            InputError: a raster cannot be laid on the map.
        """
        heights, flow = np.zeros(window.shape, np.float32), None
        for place, piece in self._pieces(window):
            # What a fault moves sideways takes the slope of the ground: one more point at each side.
            around = piece.around(1).and_(Rectangle(0, self._ground.grid.shape[0], 0, self._ground.grid.shape[1]))
            x, z = self._ground.grid.x[around.left : around.right], self._ground.grid.z[around.top : around.bottom]
            found = self._fields.at(x, z, self._ground.grid.spacing, self._ground.fixed(around), is_whole=False)
            inside = piece.of(around)
            heights[place] = found.heights[inside]
            if found.flow is not None:
                flow = np.zeros((2, *window.shape), np.float32) if flow is None else flow
                flow[(slice(None), *place)] = found.flow[(slice(None), *inside)]
        return SetState(heights, flow)

    def _pieces(self, window: Rectangle) -> Iterator[tuple[tuple[slice, slice], Rectangle]]:
        """Rows and columns of a window, and which points of the grid they are."""
        nz, nx = self._ground.grid.shape
        rows, columns = np.arange(window.top, window.bottom) % nz, np.arange(window.left, window.right) % nx
        for z in runs(rows):
            for x in runs(columns):
                top, left = int(rows[z.start]), int(columns[x.start])
                yield (z, x), Rectangle(top, top + z.stop - z.start, left, left + x.stop - x.start)

    def check(self) -> None:
        """Look at it at some points all over the map.

        Raises:
            InputError: a raster does not overlap the map, has gaps on it, or a number is not allowed.
        """
        grid = self._ground.grid
        apart = math.ceil(max(grid.shape) / _MOST_CHECKED)
        x, z = grid.x[::apart], grid.z[::apart]
        # Of a long and narrow map that must still be two.
        x, z = (each if len(each) > 1 else whole[[0, -1]] for each, whole in ((x, grid.x), (z, grid.z)))
        self._fields.at(x, z, apart * grid.spacing, np.zeros((len(z), len(x)), bool))

"""What is seen of shallow water: heights and normals for a frame, whose shores may move."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from waterview.waters.common.published_surface import MAX_SLOPE
from waterview.waters.shallow.kernels.shallow_water import FILM, Shallows
from waterview.waters.shallow.kernels.shallow_water_implicit import ImplicitWaves


@dataclass(frozen=True, eq=False)
class ShallowView:
    """One look at shallow water; the arrays are read-only and its own.

    Attributes:
        heights: height above still water [m], shape (nz, nx) float32.
        shown: points where water is seen, shape (nz, nx) bool.
    """

    heights: NDArray[np.float32]
    shown: NDArray[np.bool_]

    @classmethod
    def of(cls, water: Shallows | ImplicitWaves, fixed: NDArray[np.bool_]) -> ShallowView:
        """Shot at `water`, which was never seen on the points of `fixed`, shape (nz, nx)."""
        if isinstance(water, Shallows):
            return cls._with_moving_shores(water, fixed)
        heights, shown = water.now.astype(np.float32), water.still > 0.0
        heights.setflags(write=False)
        return cls(heights, shown)

    @classmethod
    def _with_moving_shores(cls, water: Shallows, fixed: NDArray[np.bool_]) -> ShallowView:
        from waterview.waters.shallow.kernels.shallow_water_surface import fill_heights, find_shown

        film = np.float32(FILM * water.spacing)
        heights, shown = np.empty(fixed.shape, np.float32), np.empty(fixed.shape, bool)
        find_shown(water.rise, water.still, film, fixed, shown)
        fill_heights(water.rise, water.still, water.land, film, fixed, shown, heights)
        heights.setflags(write=False)
        shown.setflags(write=False)
        return cls(heights, shown)

    def normals(self, spacing: float) -> NDArray[np.float16]:
        """(−∂h/∂x, −∂h/∂z) from neighbours with water, 0 where there is none, shape (nz, nx, 2) float16."""
        from waterview.waters.shallow.kernels.shallow_water_surface import fill_normals

        normals = np.empty((*self.heights.shape, 2), np.float16)
        # Held finite, or 0 heights on an absurdly fine grid would give 0·∞.
        inverse = np.float32(min(1.0 / spacing, 1e30))
        # Both halves of a point are one word: no machine that numba runs on puts the second half first.
        words = normals.view(np.uint32)[..., 0]
        fill_normals(self.heights, self.shown, inverse, np.float32(MAX_SLOPE), words)
        return normals

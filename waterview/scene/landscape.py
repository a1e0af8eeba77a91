"""Land for the picture: finer than the raster, grown from it by running water and falling rock."""

from __future__ import annotations

import hashlib
import io
import zipfile
from contextlib import suppress
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from platformdirs import user_cache_path

from waterview.core.frame import LandDetail, linear
from waterview.core.grid import Grid
from waterview.render.ground.ground_maps import wildness
from waterview.terrain.heightmap import Heightmap
from waterview.terrain.resampling import catmull_rom, smooth
from waterview.waters.common.water import Water

Floats = NDArray[np.float32]

POINTS = 1024
"""Most cells along the longer side of what is grown."""

FINEST = 8
"""Most parts that a cell of the raster is divided into along a side."""

KEPT = 24
"""Grown lands that are kept on disk."""

_VERSION = b"1"
_TURNS = 4
_STRENGTH = 0.008
_TALUS = 0.8
"""Slope above which rock falls."""
_MOST_DRAINED = 3000.0
_FLOW_SCALE = 5.0


class GrownLand:
    """The land of a scene, grown when it is first asked for, and kept on disk for the next time.

    Args:
        heightmap: the ground as measured.
        grid: of the water on it.
    """

    def __init__(self, heightmap: Heightmap, grid: Grid) -> None:
        self._heightmap, self._grid = heightmap, grid

    @cached_property
    def detail(self) -> LandDetail:
        """Heights and flow, finer than the grid."""
        heights, level = self._heightmap.heights, self._heightmap.water_level
        cell = float(np.sqrt(self._heightmap.cell[0] * self._heightmap.cell[1]))
        parts = divisions(heights.shape)
        key = hashlib.sha256(_VERSION + heights.tobytes() + repr((heights.shape, cell, level, parts)).encode())
        place = user_cache_path("waterview", appauthor=False) / "land" / f"{key.hexdigest()}.npz"
        grown, flow = _read(place) or _kept(place, grow(heights, cell, level, parts))
        fine = _finer(heights, grown.shape) + grown
        ground = self._heightmap.height_at(self._grid.x[None, :], self._grid.z[:, None])
        return LandDetail(fine - linear(ground, fine.shape), flow.astype(np.float32) / np.float32(255.0))


def grown_land(ground: Heightmap, water: Water) -> GrownLand | None:
    """The land of a water on its ground; None for pools and basins, which people have made."""
    return GrownLand(ground, water.grid) if wildness(water.publish_still()) > 0.0 else None


def divisions(shape: tuple[int, int]) -> int:
    """Parts that each cell of a raster of `shape` is divided into along a side; 1 where it is fine enough."""
    return max(min(FINEST, POINTS // (max(shape) - 1)), 1)


def grow(heights: Floats, cell: float, level: float, parts: int) -> tuple[NDArray[np.float16], NDArray[np.uint8]]:
    """Grow what is finer than a raster, and find where water gathers.

    Noise in proportion to the slope roughens the land; then streams cut in and steep ground falls (see
    `kernels.erosion`). From what this changes its interpolation from the raster's own points is taken away, so that
    the heights there stay as measured. The same raster gives the same land.

    Args:
        heights: of the raster [m], shape (nz, nx).
        cell: distance of its points [m].
        level: of the water [m].
        parts: as `divisions`.

    Returns:
        Heights above the raster's interpolation [m], and 51 times the logarithm to base ten of the number of points
        that drain through each; shapes (parts (nz − 1) + 1, parts (nx − 1) + 1), or fewer points of a fine raster.
    """
    from .kernels.erosion import incise, let_fall, route_flow

    shape = _fine_shape(heights.shape, parts)
    smooth_land = _finer(heights, shape)
    step = cell * (heights.shape[1] - 1) / (shape[1] - 1)
    slope = smooth(np.hypot(*np.gradient(smooth_land, step)).astype(np.float32), float(parts))
    rough = slope / (1.0 + (slope / 1.2) ** 4) * np.float32(cell)  # walls are made by people
    chance = np.random.default_rng(0)
    land = smooth_land.copy()
    if parts > 1:
        for length, share in ((2 * parts, 0.3), (parts, 0.2), (max(parts // 2, 1), 0.07)):
            land += np.float32(share) * rough * _noise(chance, shape, length)
    points = shape[0] * shape[1]
    order, receivers = (np.empty(points, np.int32) for _ in range(2))
    area, moved = np.empty(points, np.float32), np.empty(shape, np.float32)
    scatter = (chance.random(shape, np.float32) - np.float32(0.5)) * rough * np.float32(1.5 / parts)
    for _ in range(_TURNS if parts > 1 else 1):
        # Scattered, water does not all run along the eight directions (Fairfield and Leymarie 1991).
        route_flow(land + scatter, level, order, receivers, area)
        if parts > 1:
            # Plains are laid down by rivers, not cut.
            cut = np.minimum(area, np.float32(_MOST_DRAINED)) * (rough / (rough + np.float32(0.1 * cell))).ravel() ** 2
            incise(land, order, receivers, cut, _STRENGTH)
            let_fall(land, moved, _TALUS * step)
            land -= _finer(np.ascontiguousarray((land - smooth_land)[::parts, ::parts]), shape)
    grown = smooth(land - smooth_land, 0.6) if parts > 1 else np.zeros(shape, np.float32)
    if parts > 1:
        grown -= _finer(np.ascontiguousarray(grown[::parts, ::parts]), shape)
        grown[::parts, ::parts] = 0.0
    flow = smooth(np.log10(area).reshape(shape), 0.8) * np.float32(255.0 / _FLOW_SCALE)
    return grown.astype(np.float16), np.clip(flow, 0.0, 255.0).astype(np.uint8)


def _fine_shape(shape: tuple[int, int], parts: int) -> tuple[int, int]:
    longest = max(shape) - 1
    share = POINTS / longest if longest > POINTS else float(parts)
    nz, nx = (max(round(share * (count - 1)), 1) + 1 for count in shape)
    return nz, nx


def _finer(field: Floats, shape: tuple[int, int]) -> Floats:
    """A field at so many points over the same area, smoothly interpolated."""
    rows, columns = (np.linspace(0.0, count - 1.0, points) for count, points in zip(field.shape, shape, strict=True))
    return catmull_rom(field, columns[None, :], rows[:, None])


def _noise(chance: np.random.Generator, shape: tuple[int, int], length: int) -> Floats:
    """Smooth noise of mean 0 and variance near 1 whose features are `length` points long."""
    few = tuple(count // length + 2 for count in shape)
    rows, columns = (np.arange(count) / length for count in shape)
    return catmull_rom(chance.standard_normal(few, np.float32), columns[None, :], rows[:, None])


def _read(place: Path) -> tuple[NDArray[np.float16], NDArray[np.uint8]] | None:
    """What was kept there; None if there is nothing, or it is damaged."""
    try:
        with np.load(place) as kept:
            grown, flow = kept["grown"], kept["flow"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    is_whole = grown.dtype == np.float16 and flow.dtype == np.uint8 and grown.shape == flow.shape and grown.ndim == 2
    return (grown, flow) if is_whole else None


def _kept(
    place: Path, made: tuple[NDArray[np.float16], NDArray[np.uint8]]
) -> tuple[NDArray[np.float16], NDArray[np.uint8]]:
    """What was made, which is kept on disk where that is possible; the oldest gives way."""
    data = io.BytesIO()
    np.savez(data, grown=made[0], flow=made[1])
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        part = place.with_suffix(".part")
        part.write_bytes(data.getvalue())
        part.replace(place)
        files = sorted(place.parent.glob("*.npz"), key=lambda each: each.stat().st_mtime)
        for old in files[:-KEPT]:
            old.unlink()
    return made

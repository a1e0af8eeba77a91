"""A report on a heightmap file, for `waterview inspect`."""

from __future__ import annotations

import os
from dataclasses import dataclass

from .heightmap import Heightmap
from .options import TerrainOptions
from .raster import DEFAULT_POINTS
from .readers import read_raster

_DEFAULTS = TerrainOptions()


@dataclass(frozen=True)
class Inspection:
    """Properties of one heightmap under given options; lengths and heights are in metres of the world.

    Attributes:
        source: the path.
        format: the file's format in words.
        crs: name of the coordinate reference system and its datum; "" if the file names none.
        samples: (nx, nz) in the file.
        read: (nx, nz) after decimation.
        size: extent along x and z [m].
        cell: spacing of the file's own samples along x and z [m].
        range: lowest and highest height [m].
        nodata_count: number of samples without data, after decimation.
        water_level: height of still water [m].
        land_share: share of the samples above the water level, 0–1.
        hints: advice, one line each.
    """

    source: str
    format: str
    crs: str
    samples: tuple[int, int]
    read: tuple[int, int]
    size: tuple[float, float]
    cell: tuple[float, float]
    range: tuple[float, float]
    nodata_count: int
    water_level: float
    land_share: float
    hints: tuple[str, ...]

    def lines(self) -> list[str]:
        """The report, line by line."""
        rows = [
            ("file", self.source),
            ("format", self.format),
            ("reference", self.crs or "none"),
            ("samples", _pair(self.samples, ",d")),
            ("size", f"{_pair(self.size, ',.6g')} m"),
            ("cell", f"{_pair(self.cell, ',.6g')} m"),
            ("heights", f"{self.range[0]:,.6g} to {self.range[1]:,.6g} m"),
            ("nodata", self._gaps()),
            ("water level", f"{self.water_level:,.6g} m"),
            ("fixed", f"{100 * self.land_share:.1f} % of the samples lie above the water level"),
        ]
        if self.read != self.samples:
            rows.insert(4, ("read", f"{_pair(self.read, ',d')}, decimated"))
        rows += [("hint", hint) for hint in self.hints]
        return [f"{name:<12}{value}" for name, value in rows]

    def _gaps(self) -> str:
        if self.nodata_count == 0:
            return "none"
        count = self.read[0] * self.read[1]
        return f"{self.nodata_count:,d} of {count:,d} samples ({100 * self.nodata_count / count:.2g} %), filled"


def inspect_file(
    path: str | os.PathLike[str], options: TerrainOptions = _DEFAULTS, max_points: int = DEFAULT_POINTS
) -> Inspection:
    """Read the heightmap at `path` and report on it under `options`.

    Raises:
        TerrainError: as `Heightmap.load`.
    """
    raster = read_raster(path, max_points)
    heightmap = Heightmap.from_raster(raster, options)
    nz, nx = heightmap.heights.shape
    full_nz, full_nx = raster.full_shape
    return Inspection(
        source=raster.source,
        format=raster.format + (", a picture whose grey has no unit" if raster.relative else ""),
        crs=raster.crs,
        samples=(full_nx, full_nz),
        read=(nx, nz),
        size=heightmap.size,
        cell=(heightmap.cell[0] * nx / full_nx, heightmap.cell[1] * nz / full_nz),
        range=heightmap.range,
        nodata_count=heightmap.nodata_count,
        water_level=heightmap.water_level,
        land_share=heightmap.land_share,
        hints=tuple(hint for hint in (heightmap.relief_hint(), _level_hint(heightmap, options)) if hint),
    )


def _level_hint(heightmap: Heightmap, options: TerrainOptions) -> str:
    """Advice about a water level that leaves no water, or no land; "" if there are both."""
    low, high = (height / options.vertical_scale for height in heightmap.range)
    if low < options.water_level < high or low == high:
        return ""
    share = "all of it is under water" if options.water_level >= high else "none of it is under water"
    return f"{share}: a --water-level between {low:.6g} and {high:.6g} would give a shore"


def _pair(values: tuple[float, float], form: str) -> str:
    return f"{values[0]:{form}} × {values[1]:{form}}"

"""A report on a heightmap file, for `waterview inspect`."""

from __future__ import annotations

import os
from dataclasses import dataclass

from .heightmap import PICTURE_RELIEF, Heightmap
from .options import TerrainOptions
from .raster import DEFAULT_POINTS, Raster, one_line
from .readers import read_raster

_DEFAULTS = TerrainOptions()


@dataclass(frozen=True)
class Inspection:
    """A heightmap file as read, and the heightmap that it becomes under `options`."""

    raster: Raster
    heightmap: Heightmap
    options: TerrainOptions

    @property
    def samples(self) -> tuple[int, int]:
        """Samples in the file: (nx, nz)."""
        return self.raster.full_shape[1], self.raster.full_shape[0]

    @property
    def read(self) -> tuple[int, int]:
        """Samples after decimation: (nx, nz)."""
        return self.raster.values.shape[1], self.raster.values.shape[0]

    @property
    def cell(self) -> tuple[float, float]:
        """Spacing of the file's own samples along x and z, in metres of the world."""
        x, z = (cell * read / n for cell, read, n in zip(self.heightmap.cell, self.read, self.samples, strict=True))
        return x, z

    @property
    def hints(self) -> tuple[str, ...]:
        """Advice, one line each."""
        return tuple(hint for hint in (self.heightmap.relief_hint(), self._level_hint()) if hint)

    def lines(self) -> list[str]:
        """The report, line by line."""
        raster, heightmap = self.raster, self.heightmap
        low, high = heightmap.range
        rows = [
            ("file", raster.source),
            ("format", raster.format + (", a picture whose grey has no unit" if raster.relative else "")),
            ("reference", self._reference()),
            ("samples", _pair(self.samples, ",d")),
            ("size", f"{_pair(heightmap.size, ',.6g')} m"),
            ("cell", f"{_pair(self.cell, ',.6g')} m"),
            ("heights", f"{low:,.6g} to {high:,.6g} m{self._guess()}"),
            ("nodata", self._gaps()),
            ("water level", f"{heightmap.water_level:,.6g} m"),
            ("land", f"{100 * heightmap.land_share:.1f} % of the samples lie above the water level"),
        ]
        if self.read != self.samples:
            rows.insert(4, ("read", f"{_pair(self.read, ',d')}, decimated"))
        rows += [("note", note) for note in heightmap.notes]
        rows += [("hint", hint) for hint in self.hints]
        return [f"{name:<12}{one_line(value)}" for name, value in rows]

    def _reference(self) -> str:
        place = self.raster.place
        if self.raster.crs or place is None:
            return self.raster.crs or "none"
        return "none, coordinates in degrees" if place.crs else "none"

    def _guess(self) -> str:
        """Why a picture whose grey has no unit gets these heights; "" for other files."""
        if not self.raster.relative:
            return ""
        share = f"{100 * PICTURE_RELIEF:.0f} % of the shorter side"
        return f", a guess: black to white is taken as {share}; --vertical-scale and --size-m change it"

    def _gaps(self) -> str:
        missing, count = self.heightmap.nodata_count, self.raster.values.size
        return f"{missing:,d} of {count:,d} samples ({100 * missing / count:.2g} %), filled" if missing else "none"

    def _level_hint(self) -> str:
        """Advice about a water level that leaves no water, or no land; "" if there are both."""
        low, high = (height / self.options.vertical_scale for height in self.heightmap.range)
        if low < self.options.water_level < high or low == high:
            return ""
        share = "all of it is under water" if self.options.water_level >= high else "none of it is under water"
        return f"{share}: a --water-level between {low:.6g} and {high:.6g} would give a shore"


def inspect_file(
    path: str | os.PathLike[str], options: TerrainOptions = _DEFAULTS, max_points: int = DEFAULT_POINTS
) -> Inspection:
    """Read the heightmap at `path` and report on it under `options`.

    Raises:
        TerrainError: as `Heightmap.load`.
    """
    raster = read_raster(path, max_points, options)
    return Inspection(raster, Heightmap.from_raster(raster, options), options)


def _pair(values: tuple[float, float], form: str) -> str:
    return f"{values[0]:{form}} × {values[1]:{form}}"

"""How to interpret a heightmap file. Flags and documentation follow from these declarations."""

from __future__ import annotations

from dataclasses import dataclass

from waterview.core.errors import ParameterError
from waterview.core.params import Params, param

ENCODINGS = {
    "terrarium": (256.0, 1.0, 1.0 / 256.0, -32_768.0),
    "mapbox": (6553.6, 25.6, 0.1, -10_000.0),
}
"""Heights in the colours of map tiles: metres a step of red, green and blue, and the height of black.

Terrarium is the encoding of Mapzen's terrain tiles, whose digits begin with red; mapbox that of Mapbox' Terrain-RGB,
whose digits that change on Earth begin with green."""


def _name(text: str) -> str:
    """`text`, which is the name or number of a variable or band; "" is the file's own."""
    if not (text.isprintable() and len(text) <= 200):
        raise ParameterError("variable: allowed is a name on one line, of 200 characters at most")
    return text.strip()


@dataclass(frozen=True, kw_only=True)
class TerrainOptions(Params):
    """What a heightmap file does not say itself.

    Size and heights are independent: a `size_m` that shrinks a georeferenced map does not change its heights, and
    `vertical_scale` does not change its size. Only plain pictures, whose grey has no unit, get heights in proportion to
    their size (see `waterview.terrain.heightmap.Heightmap.load`).

    Raises:
        ParameterError: a value is not allowed.
    """

    vertical_scale: float = param(
        1.0,
        low=0.001,
        high=1000.0,
        step=1.25,
        scale="log",
        doc="What every height is multiplied by, the water level too.",
    )
    size_m: float = param(
        0.0,
        unit="m",
        low=0.0,
        high=1e7,
        step=1.25,
        scale="log",
        smallest=0.01,
        doc="Length of the map's longer side in the world; 0 takes the file's own.",
    )
    depth_positive_down: bool = param(
        False,
        doc="The file counts depth downwards, as published bathymetry often does: every height changes its sign.",
    )
    smoothing: float = param(
        0.0,
        unit="cells",
        low=0.0,
        high=100.0,
        step=0.5,
        doc="Standard deviation of a Gaussian that smooths the heights, in cells of the raster as read.",
    )
    water_level: float = param(
        0.0,
        unit="m",
        low=-20_000.0,
        high=20_000.0,
        step=0.5,
        doc="Height of still water in the file's own datum, upwards and before vertical scaling; "
        "in a plain picture 0 is the middle of its range.",
    )

    variable: str = param(
        "",
        parse=_name,
        syntax="NAME, NUMBER or NAME:BAND",
        doc="The variable or band with the heights, where a file has several: its name, or a band's number from 1.",
    )
    encoding: str = param(
        "auto",
        choices=("auto", *ENCODINGS),
        doc="How the colours of a picture hold heights, as tiles of web maps do; auto recognises these tiles.",
    )
    units: str = param(
        "auto",
        choices=("auto", "metres", "degrees", "feet"),
        doc="Unit of the coordinates of a file that names no coordinate reference system; auto takes metres, or "
        "degrees where a format usually has these and the numbers fit on the globe.",
    )

    @property
    def world_level(self) -> float:
        """World height of still water [m]: water_level · vertical_scale."""
        return float(self.water_level * self.vertical_scale)

"""Parsers for arguments of the command line: sizes, drops, gauges and camera positions."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from waterview.core.commands import AddGauge, Drop, SetMeasured, TimedDrop, usual_drop
from waterview.core.errors import ParameterError
from waterview.core.grid import Grid

if TYPE_CHECKING:
    from waterview.core.frame import Frame
    from waterview.render.camera.camera import OrbitCamera
    from waterview.terrain.heightmap import Heightmap

MAX_SIDE = 16_384
"""Longest side of a picture or window [pixels]: what OpenGL drivers of today can hold."""

FARTHEST = 1e9
"""Largest coordinate and distance of a camera [m]; its square still fits a float32."""


def parse_size(flag: str, text: str) -> tuple[int, int]:
    """Width and height [pixels] from "1280x720".

    Raises:
        ParameterError: it is something else, or a side is below 1 or above `MAX_SIDE`.
    """
    match = re.fullmatch(r"(\d{1,6})[xX×](\d{1,6})", text.strip())
    if match is None:
        raise ParameterError(f"{flag} '{text}': needed is WIDTHxHEIGHT, for example 1280x720")
    width, height = int(match[1]), int(match[2])
    if not (1 <= width <= MAX_SIDE and 1 <= height <= MAX_SIDE):
        raise ParameterError(f"{flag} '{text}': allowed are 1 to {MAX_SIDE} pixels a side")
    return width, height


def parse_drop(text: str, grid: Grid) -> TimedDrop:
    """A drop from "X,Z[,HEIGHT[,RADIUS[,TIME]]]"; what is left out suits the water on `grid`.

    Raises:
        ParameterError: it is something else, a number is not allowed, or x, z lie outside the water.
    """
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if not 2 <= len(numbers) <= 5:
        raise ParameterError(f"--drop '{text}': needed are numbers X,Z[,HEIGHT[,RADIUS[,TIME]]], for example 0,0,1.5")
    x, z, *rest = numbers
    usual = usual_drop(grid, x, z) if math.isfinite(x) and math.isfinite(z) else Drop(x, z, 0.0, 1.0)
    height, radius, time = (*rest, *(usual.height, usual.radius, 0.0)[len(rest) :])
    if not (math.isfinite(time) and time >= 0.0):
        raise ParameterError(f"--drop '{text}': allowed times are finite and 0 or more")
    if grid.nearest(x, z) is None:
        width, depth = grid.size
        left, near = grid.origin[0], grid.origin[2]
        raise ParameterError(
            f"--drop '{text}' lies outside the water: allowed are x from {left:g} to {left + width:g} m "
            f"and z from {near:g} to {near + depth:g} m"
        )
    return TimedDrop(Drop(x, z, height, radius), time)


@dataclass(frozen=True)
class GaugePlace:
    """A gauge that a scene begins with, and where it stands.

    Attributes:
        name: of the gauge.
        x, z: its place in the coordinates of `system`.
        system: "world" for metres in the world, "map" for coordinates of the terrain's file, "lonlat" for degrees of
            longitude and latitude.
        measured: a file with a series to lay over its own, or None.
    """

    name: str
    x: float
    z: float
    system: str = "world"
    measured: Path | None = None

    def commands(self, heightmap: Heightmap) -> tuple[AddGauge | SetMeasured, ...]:
        """What adds it to a water over `heightmap`.

        Raises:
            InputError: its name is not allowed, the terrain does not know where it lies, or the file makes no sense.
        """
        x, z = self.x, self.z
        if self.system == "map":
            x, z = map(float, heightmap.to_world(x, z))
        elif self.system == "lonlat":
            x, z = map(float, heightmap.at_longitude(x, z))
        added = AddGauge(self.name, x, z)
        return (added,) if self.measured is None else (added, measured_series(self.name, self.measured))


def parse_gauge(text: str) -> GaugePlace:
    """A gauge from "NAME:X,Z[@map|@lonlat][:FILE]".

    X and Z are metres in the world; with "@map" coordinates of the terrain's file, and with "@lonlat" degrees of
    longitude and latitude. FILE holds a series to lay over its own.

    Raises:
        ParameterError: it is something else.
    """
    match = re.fullmatch(r"([^:]+):([^:,@]+),([^:,@]+?)(?:@(map|lonlat))?(?::(.+))?", text.strip())
    try:
        x, z = (float(match[2]), float(match[3])) if match else (math.nan, math.nan)
    except ValueError:
        x = z = math.nan
    if match is None or not (math.isfinite(x) and math.isfinite(z)):
        raise ParameterError(
            f"--gauge '{text}': needed is NAME:X,Z[@map|@lonlat][:FILE], for example A:12,-3.5 or A:-124.6,48.4@lonlat"
        )
    file = None if match[5] is None else Path(match[5])
    return GaugePlace(match[1].strip(), x, z, match[4] or "world", file)


def measured_series(gauge: str, path: Path) -> SetMeasured:
    """The command that lays a column of a file over a gauge: the one that has its name, or else the first.

    Raises:
        InputError: the file cannot be read or makes no sense.
    """
    from waterview.core.series import read_series

    table = read_series(path)
    surface = table.column(gauge, f"{gauge} surface")
    return SetMeasured(gauge, tuple(table.times.tolist()), tuple(surface.tolist()))


LOWEST_DRY = 0.5
"""Lowest elevation of a camera that stays above water [degrees]."""


@dataclass(frozen=True)
class CameraPlace:
    """A position of the camera.

    Attributes:
        x, z: the target, on still water [m].
        distance: from the camera to the target [m].
        azimuth: direction from the target to the camera, from +z towards +x [degrees].
        elevation: of the camera above the horizon [degrees]; below 0.5 it is under water and looks up.
    """

    x: float
    z: float
    distance: float
    azimuth: float = 0.0
    elevation: float = 30.0

    def of(self, frame: Frame) -> OrbitCamera:
        """The camera of `frame`'s scene at this place: above ground in any case, and above water unless it dives."""
        from waterview.render.camera.camera import OrbitCamera

        camera = OrbitCamera.framing(frame)
        camera.target = (self.x, frame.grid.level, self.z)
        camera.distance = self.distance
        camera.azimuth, camera.elevation = math.radians(self.azimuth), math.radians(self.elevation)
        camera.dive = self.elevation < LOWEST_DRY
        camera.keep_above(frame)
        return camera


def parse_camera(text: str) -> CameraPlace:
    """A camera place from "X,Z,DISTANCE[,AZIMUTH[,ELEVATION]]".

    Raises:
        ParameterError: it is something else, or a number is not allowed.
    """
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if not 3 <= len(numbers) <= 5 or not all(map(math.isfinite, numbers)):
        raise ParameterError(
            f"--camera '{text}': needed are numbers X,Z,DISTANCE[,AZIMUTH[,ELEVATION]], for example 0,0,50,200,15"
        )
    place = CameraPlace(*numbers)
    if place.distance <= 0.0 or not -89.0 <= place.elevation <= 90.0:
        raise ParameterError(f"--camera '{text}': allowed are distances above 0 m and elevations of -89 to 90 degrees")
    if max(map(abs, numbers)) > FARTHEST:
        raise ParameterError(f"--camera '{text}': allowed are numbers up to {FARTHEST:g}")
    return place

"""Instruments of a lake: its gauges, and when they and the fields over the run are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from waterview.core.commands import AddGauge
from waterview.core.errors import InputError
from waterview.core.gauges import MeasuredSeries
from waterview.core.georeference import Georeference
from waterview.core.grid import bilinear
from waterview.core.rectangle import Rectangle
from waterview.scene.arguments import GaugePlace, measured_series
from waterview.sim.gauges import CAPACITY, MAX_GAUGES, reading
from waterview.sim.interval import IntervalTimer
from waterview.terrain.georeference import DEGREES, transformed
from waterview.waters.common.water import Observation

from .blocks import Number
from .ground import Ground

Reading = tuple[float, float, float, float]
"""Height of the surface above still water and depth [m], velocities along x and z [m/s]."""


class LakeGauge(NamedTuple):
    """A gauge in a lake.

    Attributes:
        name: as the user calls it.
        x, z: its place in the world [m].
        measured: a series to compare with, or None.
    """

    name: str
    x: float
    z: float
    measured: MeasuredSeries | None = None

    def cell(self, ground: Ground) -> Rectangle:
        """The four points that it is read from."""
        ix, iz, _, _ = ground.grid.cell(self.x, self.z)
        return Rectangle(iz, iz + 2, ix, ix + 2)

    def block(self, ground: Ground, side: int) -> Number:
        """The block that reads it: the one that owns the first of its points."""
        cell = self.cell(ground)
        return cell.top // side, cell.left // side

    def read(self, ground: Ground, seen: Observation) -> Reading:
        """What it measures, from what is seen at its four points; as `sim.gauges.read_gauge`."""
        _, _, tx, tz = ground.grid.cell(self.x, self.z)
        bed = bilinear(ground.bed(self.cell(ground)), tx, tz) - ground.grid.level
        return reading(seen, bed, tx, tz)


def lake_gauges(places: Sequence[GaugePlace], ground: Ground, place: Georeference) -> tuple[LakeGauge, ...]:
    """The gauges at some places.

    Raises:
        InputError: one lies outside the map or on land, has the name of another or a series that makes no sense, or the
            terrain does not know where it lies; or there are too many.
    """
    gauges: list[LakeGauge] = []
    for asked in places:
        x, z = asked.x, asked.z
        if asked.system == "lonlat" and not place.crs:
            raise InputError(f"the gauge '{asked.name}': the terrain's file names no coordinate system; give metres")
        if asked.system == "lonlat":
            x, z = map(float, transformed(x, z, DEGREES, place.crs))
        if asked.system != "world":
            x, z = map(float, place.samples(x, z))
        measured = None
        if asked.measured is not None:
            told = measured_series(asked.name, asked.measured)
            measured = MeasuredSeries(np.array(told.times, np.float64), np.array(told.surface, np.float64))
        gauge = LakeGauge(AddGauge(asked.name, x, z).name, x, z, measured)
        _check(gauge, gauges, ground)
        gauges.append(gauge)
    if len(gauges) > MAX_GAUGES:
        raise InputError(f"{len(gauges)} gauges: allowed are {MAX_GAUGES}")
    return tuple(gauges)


def _check(gauge: LakeGauge, others: Sequence[LakeGauge], ground: Ground) -> None:
    what, grid = f"the gauge '{gauge.name}' at {gauge.x:g}, {gauge.z:g}", ground.grid
    if any(gauge.name == other.name for other in others):
        raise InputError(f"there are two gauges called '{gauge.name}': give each a name of its own")
    point = grid.nearest(gauge.x, gauge.z)
    if point is None:
        (left, _, near), (width, length) = grid.origin, grid.size
        raise InputError(
            f"{what} lies outside the map: allowed are x from {left:g} to {left + width:g} m and z from {near:g} to "
            f"{near + length:g} m"
        )
    if ground.fixed(Rectangle(point[1], point[1] + 1, point[0], point[0] + 1)).all():
        raise InputError(f"{what} lies on land: choose a place in the water or raise the level")


def due_steps(steps: int, time_step: float, interval: float, *, keeps_rest: bool) -> Iterator[int]:
    """After which of so many steps an instrument is read, as `Gauges` and `Maxima` of a world are.

    Args:
        steps: how many there are.
        time_step: [s].
        interval: between two readings [s]; 0 reads after each step.
        keeps_rest: whether what a reading comes late counts for the next, as with gauges.
    """
    timer = IntervalTimer()
    for step in range(1, steps + 1):
        if timer.count(1, time_step, interval):
            yield step
            timer.elapsed = max(timer.elapsed - interval, 0.0) if keeps_rest and timer.elapsed < 2.0 * interval else 0.0


def check_count(readings: int) -> None:
    """Refuse more readings of each gauge than a world keeps.

    Raises:
        InputError: they are too many.
    """
    if readings > CAPACITY:
        raise InputError(
            f"{readings:,} readings of each gauge: allowed are {CAPACITY:,}; choose a longer --gauges-interval"
        )
